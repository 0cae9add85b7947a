//! Requests of panels to the page.

use crate::record::dataset::TableChoices;
use vivarium_model::chart::Chart;
use vivarium_model::platform::file::UploadedFile;

/// Request of a panel to the page. Functions that interpret a click return it, so that they can be tested without a
/// page.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Set these settings of the run or view to these texts, in order, until one is invalid; can be undone.
    Edit(Vec<(&'static str, String)>),
    /// Reset this setting to its default.
    Reset(&'static str),
    /// Show that the text entered for a setting is invalid.
    Refuse {
        /// Key of the setting.
        key: &'static str,
        /// Entered text.
        text: String,
        /// Description of a valid value.
        expected: String,
    },
    /// Show a message to the user.
    ShowMessage(&'static str),
    /// Show or hide a chart.
    ToggleChart(Chart),
    /// Open the file of this name, or show why it could not be read.
    OpenFile(String, Result<UploadedFile, String>),
    /// Stop reading the current file.
    CancelFile,
    /// Read the open data file again, with this column as the label.
    Relabel(usize),
    /// Read the open data file again according to these choices.
    ReadTableAgain(TableChoices),
    /// Read the data file that was refused again, with this column as the label; None closes the file.
    LabelRefusedTable(Option<usize>),
}

impl Request {
    /// Request to set the setting `key` to the value that `text` describes.
    pub fn edit(key: &'static str, text: impl Into<String>) -> Request {
        Request::Edit(vec![(key, text.into())])
    }
}
