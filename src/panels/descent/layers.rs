//! The layers of one step: a button for each, a scrubber, and what the one that is shown does.

use leptos::prelude::*;

use crate::descent::context::{PanelContext, SendAction};
use vivarium_labs::descent::panel::action::PanelAction;
use vivarium_labs::descent::panel::steps;
use vivarium_labs::descent::panel::strip;
use vivarium_ui::stages::{StageTexts, stage_player};
use vivarium_ui::text::element_text;
use vivarium_view::ui::stage::StageNames;

/// Draws the transformer layers that perform one step of gradient descent: buttons, a slider, and a description of the
/// chosen layer. `layer_count` is the number of layers of the small network that the descent trains.
pub(super) fn draw_layers(panel: PanelContext, layer_count: usize) -> AnyView {
    let buttons = steps::layer_buttons(layer_count);
    let last = buttons.len();
    let shown = Memo::new(move |_| panel.see(|state, view| state.shown_layer(view)).unwrap_or(0));
    let go = move |layer: usize| panel.send_action(PanelAction::ShowLayer(layer.min(last)));
    let wiring = panel.memo(|state, view| {
        steps::describe_wiring(
            &state.transformer,
            &strip::token_parts(state.layout()),
            state.shown_layer(view),
        )
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
    let words = StageTexts {
        heading: Box::new(move |layer| steps::layer_heading(layer_count, layer)),
        about: Box::new(move |layer| steps::describe_layer(layer_count, layer)),
        formula: Box::new(move |layer| steps::layer_formula(layer_count, layer)),
    };
    view! {
        <p class="card__text" data-testid="layer-step"
            prop:textContent=element_text(move || panel.see(|state, _| steps::describe_step(state.trace.step)))></p>
        {stage_player(names, buttons, words, shown, go)}
        <p class="card__note" data-testid="layer-wiring" prop:textContent=wiring></p>
    }
    .into_any()
}
