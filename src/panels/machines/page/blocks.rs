//! The blocks of one step: a button for each, and what the one that is shown does.

use leptos::prelude::*;

use crate::machines::page::news::{News, Requests};
use vivarium_labs::machines::panel::action::PanelAction;
use vivarium_labs::machines::panel::stages;
use vivarium_ui::stages::{StageWords, stages as view_of};
use vivarium_view::ui::stage::StageNames;

/// The blocks of a step where positions have so many bits.
pub(super) fn blocks(news: News, bits: usize) -> AnyView {
    let buttons = stages::buttons(bits);
    let last = buttons.len();
    let shown = Memo::new(move |_| news.see(|state, view| state.stage(view)).unwrap_or(0));
    let go = move |stage: usize| news.request(PanelAction::Stage(stage.min(last)));
    let step = news.memo(|state, _| stages::step(state.trace.as_ref()));
    let measured = news.memo(|state, view| {
        let (trace, stage) = (state.trace.as_ref()?, state.stage(view));
        let deviation = stages::deviation(trace, stage, state.transformer.mode().rounding)?;
        let gap = stages::gap(trace, stage).unwrap_or_default();
        Some(format!("{deviation} {gap}"))
    });
    let names = StageNames {
        key: "block",
        all: tr!("Blocks of the step"),
        previous: tr!("Previous block"),
        next: tr!("Next block"),
        play: tr!("Play the blocks"),
        pause: tr!("Pause the blocks"),
        shown: tr!("Block that is shown"),
        marks_done: true,
    };
    let words = StageWords {
        heading: Box::new(move |stage| stages::heading(bits, stage)),
        about: Box::new(move |stage| stages::about(bits, stage)),
        formula: Box::new(move |stage| stages::formula(bits, stage)),
    };
    view! {
        <p class="card__text" data-testid="block-step">{step}</p>
        {view_of(names, buttons, words, shown, go)}
        <p class="card__note" data-testid="block-deviation">{move || measured.get().flatten()}</p>
    }
    .into_any()
}
