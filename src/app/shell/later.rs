//! Places for what the page shows only after its first picture, which its second program draws.
//!
//! # Why
//! A place names no part of that program: the drawer comes in by Leptos context, once it is there. So a chart can hold
//! a place although what comes into it draws charts.

use leptos::prelude::*;

use crate::charts::curves::Curves;

/// A part of the page that comes later.
#[derive(Clone, Copy)]
pub enum Part {
    /// What labs show besides charts.
    Panels,
    /// The offer to go on with a kept run.
    Offer,
    /// The kept runs.
    Library,
    /// The runs that are compared.
    Compared,
    /// The story that is read.
    Tour,
    /// The bar of presenter mode.
    Presenter,
    /// The list of stories, their pages for teachers, and what is printed of a story.
    Tours(RwSignal<bool>),
    /// What the page is about.
    Help(RwSignal<bool>),
    /// The numbers behind a chart.
    Numbers,
    /// The dialog of files.
    Files(RwSignal<bool>),
    /// All presets and stories, as cards.
    Gallery,
    /// How fast the browser's devices are.
    Bench,
    /// A few of them, below the run.
    Strip,
    /// The map of a sweep.
    SweepMap,
    /// The dialog that makes a sweep.
    SweepForm,
    /// The dialog for a class.
    Teacher(RwSignal<bool>),
    /// What stands over curves while somebody points at them.
    Over(Curves),
}

/// Draws a part.
pub(super) type Drawer = fn(Part) -> AnyView;

/// The second program, once it is there.
#[derive(Clone, Copy)]
pub(super) struct Program(pub(super) RwSignal<Option<Drawer>>);

/// A place for a part of the page, empty until it is there.
#[component]
pub fn Later(
    /// What comes.
    part: Part,
) -> impl IntoView {
    let Program(program) = expect_context();
    match program.get_untracked() {
        // It comes once and stays. Whoever followed it nevertheless would be remembered by it for ever.
        Some(draw) => untrack(|| draw(part)),
        None => (move || program.get().map(|draw| draw(part))).into_any(),
    }
}
