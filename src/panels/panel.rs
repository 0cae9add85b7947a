//! What labs show on the page besides charts: the page's second program draws it.

use leptos::prelude::AnyView;

/// A place of the page, below the newest numbers of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What the run learns from.
    Data,
    /// What is inside of the network.
    Inside,
    /// What theory says.
    Theory,
    /// What chance does.
    Luck,
}

impl Place {
    /// All of them, from the top of the page down.
    pub const ALL: [Place; 4] = [Place::Data, Place::Inside, Place::Theory, Place::Luck];
}

/// What a lab shows on the page.
pub trait LabPanel: Sync {
    /// What happens in the lab, for the help of the page.
    fn help(&self) -> &'static str;

    /// What stands in `place`. It is drawn once and stays, so that it shows nothing while the run is another lab's; what
    /// is about a model may be there for every run of that model.
    fn draw(&self, _place: Place) -> Option<AnyView> {
        None
    }
}
