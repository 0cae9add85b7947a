//! The trait for the panel of a lab. The page's second WebAssembly module draws the panels.

use leptos::prelude::AnyView;

/// A section of the page in which a lab may draw, below the charts of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSection {
    /// The training data of the run.
    Data,
    /// The inside of the network: activations, attention, weights.
    Inside,
    /// Predictions of theory, without training.
    Theory,
    /// The role of chance: width and initial weights.
    Luck,
}

impl PageSection {
    /// All sections of the page in which a lab may draw, from top to bottom.
    pub const ALL: [PageSection; 4] =
        [PageSection::Data, PageSection::Inside, PageSection::Theory, PageSection::Luck];
}

/// The part of the page that is specific to one lab (a topic with its own tasks and charts).
pub trait LabPanel: Sync {
    /// Help text about the lab, for the help dialog of the page.
    fn help(&self) -> &'static str;

    /// Draws what the lab shows in the given section of the page; `None` if it shows nothing there.
    ///
    /// The view is created once and stays on the page, so it must show nothing while the run belongs to another lab. A
    /// view about a model may appear for every run of that model.
    fn draw(&self, _section: PageSection) -> Option<AnyView> {
        None
    }
}
