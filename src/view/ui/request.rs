//! What a panel asks the page to do.

use vivarium_model::chart::Chart;
use vivarium_model::platform::file::GivenFile;

/// A wish of a panel. Functions that decide what a press means return it, so that they are tested without a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Take these texts for these settings of the run or of its view, one after the other, until one is refused. It can be
    /// undone.
    Edit(Vec<(&'static str, String)>),
    /// Put this setting back to its default.
    Reset(&'static str),
    /// Keep what was entered for a setting beside the reason why it is not taken.
    Refuse {
        /// The setting.
        key: &'static str,
        /// What was entered.
        text: String,
        /// What would have been right.
        expected: String,
    },
    /// Say something.
    Say(&'static str),
    /// Show a chart, or hide it.
    ToggleChart(Chart),
    /// Open the file of this name, or say why it could not be read.
    OpenFile(String, Result<GivenFile, String>),
    /// Read no more of the file that is being read.
    CancelFile,
    /// Read the data file that is open again, with this column as the label.
    Relabel(usize),
}

impl Request {
    /// Take this text for one setting.
    pub fn edit(key: &'static str, text: impl Into<String>) -> Request {
        Request::Edit(vec![(key, text.into())])
    }
}
