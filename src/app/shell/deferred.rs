//! Placeholders for parts of the page whose code is in the second WebAssembly module.
//!
//! # Why
//! A placeholder refers to no code of that module: the function that creates its view comes through the Leptos context
//! once the module is loaded. So a chart can hold a placeholder for a part that draws charts.

use leptos::prelude::*;

use crate::charts::curves::CurveChart;
use crate::shell::mount_queue::Later;

/// A part of the page whose code is in the second WebAssembly module, which is loaded after the first paint.
#[derive(Clone, Copy)]
pub enum Part {
    /// The moving picture of the first screen.
    Hero,
    /// The panel with the moving picture, in stories and presenter mode.
    HeroPanel,
    /// The panels of the labs.
    Panels,
    /// The offer to resume a saved run.
    ResumeOffer,
    /// The list of saved runs.
    Library,
    /// The row of compared runs.
    Compared,
    /// The open story.
    Tour,
    /// The bar of presenter mode.
    Presenter,
    /// The bar of the lecture that is shown, and the dialog in which a lecture is edited.
    Lecture,
    /// The list of stories, the pages for teachers, and the printed story; with whether the list is open.
    StoryList(RwSignal<bool>),
    /// The help dialog, with whether it is open.
    Help(RwSignal<bool>),
    /// The table of numbers behind a chart.
    Numbers,
    /// The dialog for files, with whether it is open.
    Files(RwSignal<bool>),
    /// The gallery.
    Gallery,
    /// The benchmark.
    Bench,
    /// The list of stories below the run.
    StoryTeaser,
    /// The map of a sweep.
    SweepMap,
    /// The dialog for a sweep.
    SweepForm,
    /// The dialog for teachers, with whether it is open.
    Teacher(RwSignal<bool>),
    /// The overlay of a chart of curves.
    CurveOverlay(CurveChart),
}

/// Function pointer to the second WebAssembly module's function that creates the view of a part of the page.
pub(super) type LazyView = fn(Part) -> AnyView;

/// The view function of the page's second WebAssembly module, in the Leptos context; None until the module is loaded.
#[derive(Clone, Copy)]
pub(super) struct DeferredModule(pub(super) RwSignal<Option<LazyView>>);

/// A placeholder for a part of the page, empty until the second WebAssembly module is loaded. After it is loaded, the
/// placeholders are filled one after the other.
#[component]
pub fn Deferred(
    /// The part.
    part: Part,
) -> impl IntoView {
    let DeferredModule(program) = expect_context();
    match program.get_untracked() {
        // It comes once and stays. Whoever followed it nevertheless would be remembered by it for ever.
        Some(draw) => untrack(|| draw(part)),
        None => {
            // A visitor waits for the picture.
            let is_delayed = !matches!(part, Part::Hero);
            (move || program.get().map(|draw| view! { <Later is_delayed>{draw(part)}</Later> })).into_any()
        }
    }
}
