//! The section on attention heads whose weights come from two proofs.

use leptos::prelude::*;

use vivarium_model::tasks::Task;
use vivarium_plot::analysis::heads::{
    ShatteringHeads, describe_head, required_sharpness_chart, selected_attention_chart,
};
use vivarium_plot::analysis::{Heatmap, Reading};
use vivarium_ui::context::RunContext;
use vivarium_ui::dialog::fold;
use vivarium_ui::plot::Drawing;
use vivarium_ui::slider::slider;

/// Context lengths (numbers of input tokens) whose curves are drawn in addition to the curve of the chosen length.
const CONTEXT_LENGTHS: [usize; 3] = [16, 128, 1024];
/// Number of inputs that the example attention heads shatter: each of the inputs' 2⁴ labellings has a head that
/// realises it.
const SHATTERED_INPUTS: u32 = 4;

/// Section about attention heads whose weights come from two proofs (Edelman 2024, lemma A.19 and proposition 4.8), for
/// runs on sparse Boolean functions.
#[component]
pub fn ProofHeads() -> impl IntoView {
    let is_lab = RunContext::here().memo(|run| matches!(run.spec().task, Task::SparseBoolean(_)));
    move || is_lab.get().then(|| fold("construction", tr!("Heads written by hand"), false, draw_proof_heads))
}

/// Draws sliders, sentences and charts about the attention heads that the two proofs construct: one that selects s of T
/// bits, and those that shatter log₂ T inputs.
fn draw_proof_heads() -> AnyView {
    // T as a power of two, s, and R in tenths.
    let (length, selected, sharpness) = (RwSignal::new(8), RwSignal::new(3), RwSignal::new(82));
    let chosen = move || (1usize << length.get(), selected.get() as usize, f64::from(sharpness.get()) / 10.0);
    let sentences = move || {
        let (length, selected, sharpness) = chosen();
        describe_head(length, selected, sharpness)
    };
    let drawn = move || {
        let (length, selected, sharpness) = chosen();
        let mut lengths = CONTEXT_LENGTHS.to_vec();
        lengths.retain(|other| *other != length);
        lengths.push(length);
        Reading::Lines(selected_attention_chart(&lengths, selected, (length, sharpness)))
    };
    let enough = move || {
        let (length, selected, sharpness) = chosen();
        Reading::Lines(required_sharpness_chart(selected, (length, sharpness)))
    };
    let grid = || {
        let heads = ShatteringHeads::new(SHATTERED_INPUTS);
        Reading::Grid(Heatmap { title: tr!("16 heads shatter 4 inputs").into(), ..heads.output_heatmap() })
    };
    let label = Signal::derive(move || sentences().join(" "));
    view! {
        <p class="card__note">
            {tr!("Nothing is trained here: the weights are taken from two proofs. The head of the first proof selects s of T bits; the sharpness R that this head needs, the difference between the scores of selected and other bits, grows like log T. The second proof uses log₂ T inputs. For each subset of these inputs there is a head with an output above one half on this subset and below one half on the other inputs. The norms of these heads grow like T squared: without a bound on the norms, the capacity of the heads grows with T.")}
        </p>
        <div class="theory__parts">
            <div class="theory__settings">
                {slider("construction-length", tr!("Context length T"), (3, 11), length, |at| (1u32 << at).to_string())}
                {slider("construction-selected", tr!("Relevant bits s"), (1, 8), selected, |at| at.to_string())}
                {slider("construction-sharpness", tr!("Sharpness R"), (0, 160), sharpness, |at| format!("{:.1}", f64::from(at) / 10.0))}
            </div>
            <ul class="theory__texts" data-testid="construction-texts">
                {move || sentences().into_iter().map(|text| view! { <li prop:textContent=text></li> }).collect_view()}
            </ul>
            <div class="theory__plots">
                <Drawing testid="construction-mass" reading=Callback::new(move |()| drawn()) label />
                <Drawing testid="construction-needed" reading=Callback::new(move |()| enough()) label />
                <Drawing testid="construction-shattered" reading=Callback::new(move |()| grid())
                    label=Signal::derive(|| tr!("The output of head s on input i is above one half if bit i of the binary number s is 1, and below one half otherwise.").to_string()) />
            </div>
        </div>
    }
    .into_any()
}
