//! The panel: one step layer by layer, a token after the layer that is shown, and the examples.

use leptos::prelude::*;

use crate::descent::layers::layers;
use crate::descent::news::News;
use crate::descent::plot::plot;
use crate::descent::token::{chooser, strip};
use vivarium_science::descent::DescentNetwork;
use vivarium_ui::inside::{inside, of_lab};

/// The panel, for runs of a transformer that is descent.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        // What layers, blocks and tokens there are.
        let network = news.memo(|state, _| state.plan.network.clone());
        let examples = news.memo(|state, _| state.examples.len());
        let step = move |network: DescentNetwork| {
            view! {
                {layers(news, network.layer_count())}
                {move || examples.get().map(|examples| chooser(news, examples))}
                {strip(news, &network)}
            }
        };
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Layers of one step, and the numbers of one token")>
                {move || network.get().map(step)}
            </section>
            <section class="card card--wide" aria-labelledby="points-title" data-testid="points">
                <h3 class="card__name" id="points-title">{tr!("Examples")}</h3>
                {plot(news)}
            </section>
        };
        inside("step-title", tr!("Inside one step"), parts.into_any())
    })
}
