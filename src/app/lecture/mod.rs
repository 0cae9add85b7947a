//! Lectures: the bar of the lecture that is shown, and the dialog in which a lecture is made.

pub mod bar;
pub mod editor;

use leptos::prelude::*;

/// The dialog in which a lecture is made, in the Leptos context. Copies are handles to the same dialog.
#[derive(Clone, Copy)]
pub struct LectureDialog {
    /// Whether the dialog is open.
    pub open: RwSignal<bool>,
}

impl LectureDialog {
    /// Provides the dialog in the Leptos context, closed.
    pub fn provide() {
        provide_context(LectureDialog { open: RwSignal::new(false) });
    }

    /// Returns the dialog from the Leptos context.
    pub fn here() -> LectureDialog {
        expect_context()
    }
}
