//! The layers of one step: a button for each, a scrubber, and what the one that is shown does.

use leptos::prelude::*;

use crate::descent::news::{News, Requests};
use vivarium_labs::descent::panel::action::PanelAction;
use vivarium_labs::descent::panel::steps;
use vivarium_labs::descent::panel::strip;
use vivarium_ui::stages::{StageWords, stages};
use vivarium_view::ui::stage::StageNames;

/// The layers of a step on a network of so many layers.
pub(super) fn layers(news: News, count: usize) -> AnyView {
    let buttons = steps::buttons(count);
    let last = buttons.len();
    let shown = Memo::new(move |_| news.see(|state, view| state.layer(view)).unwrap_or(0));
    let go = move |layer: usize| news.request(PanelAction::Layer(layer.min(last)));
    let wiring = news.memo(|state, view| {
        steps::wiring(&state.transformer, &strip::parts(state.layout()), state.layer(view))
    });
    let names = StageNames {
        key: "layer",
        all: tr!("Layers of the step"),
        previous: tr!("Previous layer"),
        next: tr!("Next layer"),
        play: tr!("Play the layers"),
        pause: tr!("Pause the layers"),
        shown: tr!("Layer that is shown"),
        marks_done: false,
    };
    let words = StageWords {
        heading: Box::new(move |layer| steps::heading(count, layer)),
        about: Box::new(move |layer| steps::about(count, layer)),
        formula: Box::new(move |layer| steps::formula(count, layer)),
    };
    view! {
        <p class="card__text" data-testid="layer-step">
            {move || news.see(|state, _| steps::step(state.trace.step))}
        </p>
        {stages(names, buttons, words, shown, go)}
        <p class="card__note" data-testid="layer-wiring">{wiring}</p>
    }
    .into_any()
}
