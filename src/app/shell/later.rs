//! Placeholders for parts of the page whose code is in the second program.
//!
//! # Why
//! A placeholder refers to no code of that program: the function that creates its view comes through the Leptos context
//! once the program is loaded. So a chart can hold a placeholder for a part that draws charts.

use leptos::prelude::*;

use crate::charts::curves::CurveChart;

/// A part of the page whose code is in the second program.
#[derive(Clone, Copy)]
pub enum Part {
    /// The panels of the lab.
    Panels,
    /// The offer to resume a saved run.
    Offer,
    /// The list of saved runs.
    Library,
    /// The row of compared runs.
    Compared,
    /// The open story.
    Tour,
    /// The bar of presenter mode.
    Presenter,
    /// The list of stories, the pages for teachers, and the printed story
    Tours(RwSignal<bool>),
    /// The help dialog
    Help(RwSignal<bool>),
    /// The table of numbers behind a chart.
    Numbers,
    /// The dialog for files
    Files(RwSignal<bool>),
    /// The gallery.
    Gallery,
    /// The benchmark.
    Bench,
    /// The list of stories below the run.
    Strip,
    /// The map of a sweep.
    SweepMap,
    /// The dialog for a sweep.
    SweepForm,
    /// The dialog for teachers
    Teacher(RwSignal<bool>),
    /// The overlay of a chart of curves.
    Over(CurveChart),
}

/// Creates the view of a part.
pub(super) type LazyView = fn(Part) -> AnyView;

/// The second program; None until it is loaded.
#[derive(Clone, Copy)]
pub(super) struct SecondProgram(pub(super) RwSignal<Option<LazyView>>);

/// A placeholder for a part of the page, empty until the second program is loaded.
#[component]
pub fn Later(
    /// The part.
    part: Part,
) -> impl IntoView {
    let SecondProgram(program) = expect_context();
    match program.get_untracked() {
        // It comes once and stays. Whoever followed it nevertheless would be remembered by it for ever.
        Some(draw) => untrack(|| draw(part)),
        None => (move || program.get().map(|draw| draw(part))).into_any(),
    }
}
