//! Frames of panels that show the inside of a network: the panel itself, the choice of a held-out example, and a
//! prompt.

use leptos::prelude::*;

use crate::button::button;
use crate::context::RunContext;
use crate::lab_context::LabContext;
use crate::text::element_text;
use vivarium_model::permalink::ViewSettings;
use vivarium_view::display::LabState;

/// Renders `draw` while the displayed run belongs to the lab that keeps data of the type `S`, and nothing for other
/// labs.
pub fn show_for_lab<S: LabState>(draw: impl Fn(LabContext<S>) -> AnyView + Send + 'static) -> impl IntoView {
    let is_lab = RunContext::here().memo(|run| run.lab_state::<S>().is_some());
    move || is_lab.get().then(|| draw(LabContext::here()))
}

/// Panel with a title that contains `parts`; `id` is the id of the title element.
pub fn inside_panel(id: &'static str, title: &'static str, parts: AnyView) -> AnyView {
    view! {
        <section class="inside" aria-labelledby=id data-testid="inside">
            <h2 class="inside__title" id=id>{title}</h2>
            <div class="inside__parts">{parts}</div>
        </section>
    }
    .into_any()
}

/// Buttons "Previous" and "Next" that select one of `example_count` held-out examples by calling `show` with the
/// number of the example, counted from 1; `more` is placed after them.
pub fn example_buttons<S: LabState>(
    label: &'static str,
    lab: LabContext<S>,
    example_count: usize,
    show: impl Fn(usize) + Copy + 'static,
    more: AnyView,
) -> AnyView {
    let example = move || lab.see(|_, view| view.example).unwrap_or(1);
    let show = move |example: usize| show(example.clamp(1, example_count));
    view! {
        <div class="editor__buttons" role="group" aria-label=label>
            {button("previous-example", tr!("Previous"), Box::new(move || example() < 2),
                Box::new(move || show(untrack(example).saturating_sub(1))))}
            {button("next-example", tr!("Next"), Box::new(move || example() >= example_count),
                Box::new(move || show(untrack(example) + 1)))}
            {more}
        </div>
    }
    .into_any()
}

/// Panel on one prompt of the network: a text on the prompt's origin, its `parts`, and a text `about` the network's
/// answer; `id` is the DOM id of the panel's title.
pub fn prompt_panel<S: LabState>(
    id: &'static str,
    lab: LabContext<S>,
    origin: fn(&S) -> String,
    parts: AnyView,
    about: fn(&S, &ViewSettings) -> String,
) -> AnyView {
    let card = view! {
        <section class="card card--wide" aria-label=tr!("Prompt")>
            <p class="card__text" data-testid="origin"
                prop:textContent=element_text(move || lab.see(|state, _| origin(state)))></p>
            {parts}
            <p class="card__note" role="status" data-testid="prompt-answer"
                prop:textContent=element_text(move || lab.see(about))></p>
        </section>
    };
    inside_panel(id, tr!("Look into a prompt"), card.into_any())
}
