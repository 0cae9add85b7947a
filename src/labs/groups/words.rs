//! What is said of runs on pairs of elements.

use super::state::GroupsState;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::neurons::Part;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{decimal, percent, significant};

/// "All pairs are answered correctly at step 85." or the same of fewer than all, or of held-out ones.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> String {
    let spec = run.spec();
    let of = examples(spec);
    let who = if spec.run.replicas > 1 { tr!(" by {networks}", networks) } else { String::new() };
    let share = match spec.run.target >= 1.0 {
        true => tr!("All {of} are answered correctly", of),
        false => {
            tr!("{target} of the {of} are answered correctly", target = percent(spec.run.target as f32), of)
        }
    };
    let all_right = || run.history.last().is_some_and(|row| spread(&row.train_accuracy).0 >= 1.0);
    let margin = run.margin_share().filter(|_| !has_held_out(spec) && all_right());
    let margin = margin
        .map(|share| tr!(" The margin is {share} of the largest possible margin.", share = percent(share)));
    format!("{share}{who} {at}.{}", margin.unwrap_or_default())
}

/// Whether there are pairs that are not trained on.
fn has_held_out(spec: &RunSpec) -> bool {
    let examples = spec.task.examples();
    examples.sample_size() != Some(examples.inputs().pow(2))
}

/// What the accuracy that counts is measured on.
pub(super) fn examples(spec: &RunSpec) -> &'static str {
    if has_held_out(spec) { tr!("held-out pairs") } else { tr!("pairs") }
}

/// How large the margin is, and how pure the neurons are.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let margin = match run.largest_margin() {
        Some(_) => (tr!("Margin / γ*").into(), decimal(run.margin_share().unwrap_or(f32::NAN))),
        None => {
            let row = run.history.last().filter(|row| !row.margin.is_empty());
            let newest = row.map_or(f32::NAN, |row| spread(&row.margin).0);
            (tr!("Normalised margin").into(), significant(f64::from(newest)))
        }
    };
    let neurons = run.state().and_then(|pairs: &GroupsState| pairs.neurons.as_ref());
    let median = neurons.and_then(|neurons| neurons.median_share(Part::First));
    [margin, (tr!("Largest power share (median over neurons)").into(), decimal(median.unwrap_or(f32::NAN)))]
}

/// The margin that theory predicts at the λ of now, as a share of the largest, where it is below it.
pub(super) fn margin_lines(run: &RunView) -> Vec<(f64, String)> {
    let theory = run.state().and_then(|pairs: &GroupsState| pairs.theory.as_ref());
    let prediction =
        theory.and_then(|theory| theory.prediction()).filter(|prediction| !prediction.is_zero_network);
    let Some(prediction) = prediction else { return vec![] };
    let text = tr!("margin predicted for this λ: {ratio}", ratio = format!("{:.3}", prediction.margin_ratio));
    let is_below = prediction.margin_ratio < 0.995;
    is_below.then_some((prediction.margin_ratio, text)).into_iter().collect()
}

/// That the penalty is so large that the best network is zero.
pub(super) fn margin_note(run: &RunView) -> Option<String> {
    let pairs: &GroupsState = run.state()?;
    let collapse =
        pairs.theory.as_ref().filter(|theory| theory.prediction().is_some_and(|of| of.is_zero_network))?;
    Some(tr!(
        " If λ is at least {least}, the loss plus the penalty is smallest if all weights are 0.",
        least = significant(collapse.collapse())
    ))
}
