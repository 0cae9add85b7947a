//! The card on the plateau of the loss: sliders for the sizes of the task, and the share of the time that the plateau takes.

use leptos::prelude::*;

use vivarium_labs::parity::plateau::{BITS_RANGE, BLOCK_RANGE, GAMMA_RANGE, describe_plateau, is_about};
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::disjoint::chart;
use vivarium_ui::context::RunContext;
use vivarium_ui::plot::Drawing;
use vivarium_ui::slider::slider;

/// Draws the card on the plateau, for runs of the Disjoint-PolyNet.
pub fn draw_card() -> AnyView {
    let context = RunContext::here();
    let is_shown = context.memo(|run| is_about(run.spec()));
    (move || is_shown.get().then(draw_plateau)).into_any()
}

fn draw_plateau() -> AnyView {
    let [bits, block, gamma] = [3u32, 10, 10].map(RwSignal::new);
    let sentence = move || describe_plateau(bits.get(), block.get(), gamma.get());
    let reading =
        Callback::new(move |()| Reading::Lines(chart(bits.get() as usize, &[block.get() as usize])));
    view! {
        <section class="inside" aria-labelledby="plateau-title" data-testid="plateau">
            <h2 class="inside__title" id="plateau-title">{tr!("The plateau in theory")}</h2>
            <section class="card" aria-label=tr!("Theory")>
                <div class="theory__parts">
                    <div class="theory__settings">
                        {slider("plateau-bits", tr!("Relevant bits k"), BITS_RANGE, bits, |bits| bits.to_string())}
                        {slider("plateau-block", tr!("Inputs of a block n′"), BLOCK_RANGE, block, |block| block.to_string())}
                        {slider("plateau-gamma", tr!("Distance from chance γ"), GAMMA_RANGE, gamma, |gamma| format!("{:.3}", f64::from(gamma) / 1000.0))}
                    </div>
                    {view! { <Drawing testid="plateau-plot" reading label=Signal::derive(sentence) /> }.into_any()}
                </div>
                <p class="card__note" data-testid="plateau-summary"
                    prop:textContent=vivarium_ui::text::element_text(sentence)></p>
            </section>
        </section>
    }
    .into_any()
}
