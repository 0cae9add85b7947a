//! The panel: one step layer by layer, a token after the layer that is shown, and the examples.

use leptos::prelude::*;

use super::layers::layers;
use super::news::News;
use super::plot::plot;
use super::token::{chooser, strip};
use crate::descent::Network;
use crate::labs::descent::DescentState;
use crate::ui::context::RunContext;

/// The panel, for runs of a transformer that is descent.
#[component]
pub fn Inside() -> impl IntoView {
    let is_lab = RunContext::here().memo(|run| run.state::<DescentState>().is_some());
    move || {
        is_lab.get().then(|| {
            let news = News::here();
            // What layers, blocks and tokens there are.
            let network = news.memo(|state, _| state.plan.network.clone());
            let examples = news.memo(|state, _| state.examples.len());
            let step = move |network: Network| {
                view! {
                    {layers(news, network.layers())}
                    {move || examples.get().map(|examples| chooser(news, examples))}
                    {strip(news, &network)}
                }
            };
            view! {
                <section class="inside" aria-labelledby="step-title" data-testid="inside">
                    <h2 class="inside__title" id="step-title">{tr!("Inside one step")}</h2>
                    <div class="inside__parts">
                        <section class="card card--wide" aria-label=tr!("Layers of one step, and one token")>
                            {move || network.get().map(step)}
                        </section>
                        <section class="card card--wide" aria-labelledby="points-title" data-testid="points">
                            <h3 class="card__name" id="points-title">{tr!("Examples")}</h3>
                            {plot(news)}
                        </section>
                    </div>
                </section>
            }
            .into_any()
        })
    }
}
