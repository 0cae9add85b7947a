//! The panel: one step layer by layer, a token after the layer that is shown, and the examples.

use leptos::prelude::*;

use crate::descent::context::PanelContext;
use crate::descent::layers::draw_layers;
use crate::descent::plot::draw_examples;
use crate::descent::token::{draw_token_chooser, draw_token_strip};
use vivarium_science::descent::DescentNetwork;
use vivarium_ui::inside::{inside_panel, show_for_lab};

/// The lab's panel: the transformer layers of one gradient step, the coordinates of one token, and the example points;
/// for runs of the transformer that performs gradient descent.
#[component]
pub fn DescentPanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        // What layers, blocks and tokens there are.
        let network = panel.memo(|state, _| state.plan.network.clone());
        let examples = panel.memo(|state, _| state.examples.len());
        let step = move |network: DescentNetwork| {
            view! {
                {draw_layers(panel, network.layer_count())}
                {move || examples.get().map(|examples| draw_token_chooser(panel, examples))}
                {draw_token_strip(panel, &network)}
            }
        };
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Layers of one step, and the numbers of one token")>
                {move || network.get().map(step)}
            </section>
            <section class="card card--wide" aria-labelledby="points-title" data-testid="points">
                <h3 class="card__name" id="points-title">{tr!("Examples")}</h3>
                {draw_examples(panel)}
            </section>
        };
        inside_panel("step-title", tr!("Inside one step"), parts.into_any())
    })
}
