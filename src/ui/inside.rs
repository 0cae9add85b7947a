//! The frames of panels that look inside a network: the panel itself, the choice of a held-out example, and a prompt.

use leptos::prelude::*;

use crate::button::button;
use crate::context::RunContext;
use crate::news::News;
use vivarium_model::permalink::View;
use vivarium_view::display::LabState;

/// What `draw` draws, for runs of the lab that knows an `S` of them.
pub fn of_lab<S: LabState>(draw: impl Fn(News<S>) -> AnyView + Send + 'static) -> impl IntoView {
    let is_lab = RunContext::here().memo(|run| run.state::<S>().is_some());
    move || is_lab.get().then(|| draw(News::here()))
}

/// The panel with its title, whose element has this id.
pub fn inside(id: &'static str, title: &'static str, parts: AnyView) -> AnyView {
    view! {
        <section class="inside" aria-labelledby=id data-testid="inside">
            <h2 class="inside__title" id=id>{title}</h2>
            <div class="inside__parts">{parts}</div>
        </section>
    }
    .into_any()
}

/// Buttons that have `show` show another of so many held-out examples, and `more` beside them.
pub fn which<S: LabState>(
    label: &'static str,
    news: News<S>,
    most: usize,
    show: impl Fn(usize) + Copy + 'static,
    more: AnyView,
) -> AnyView {
    let example = move || news.see(|_, view| view.example).unwrap_or(1);
    let show = move |example: usize| show(example.clamp(1, most));
    view! {
        <div class="editing__buttons" role="group" aria-label=label>
            {button("previous-example", tr!("Previous"), Box::new(move || example() < 2),
                Box::new(move || show(untrack(example).saturating_sub(1))))}
            {button("next-example", tr!("Next"), Box::new(move || example() >= most),
                Box::new(move || show(untrack(example) + 1)))}
            {more}
        </div>
    }
    .into_any()
}

/// The panel of a prompt: where it comes from, its `parts`, and what the network makes of it.
pub fn prompt<S: LabState>(
    id: &'static str,
    news: News<S>,
    origin: fn(&S) -> String,
    parts: AnyView,
    about: fn(&S, &View) -> String,
) -> AnyView {
    let card = view! {
        <section class="card card--wide" aria-label=tr!("Prompt")>
            <p class="card__text" data-testid="origin">{move || news.see(|state, _| origin(state))}</p>
            {parts}
            <p class="card__note" role="status" data-testid="prompt-answer">{move || news.see(about)}</p>
        </section>
    };
    inside(id, tr!("Look into a prompt"), card.into_any())
}
