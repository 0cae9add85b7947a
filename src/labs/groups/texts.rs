//! Texts on runs on pairs of group elements.

use super::probes::groups_task;
use super::state::GroupsState;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::groups::GroupOperation;
use vivarium_plot::analysis::neurons::NeuronPart;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_decimal, format_percent, format_significant};

/// Description of the task of a run, which names its operation, in English; none for runs on other tasks.
pub(super) fn describe_task(spec: &RunSpec) -> Option<&'static str> {
    Some(match groups_task(spec)?.operation {
        GroupOperation::Add => {
            text!(
                "The label of a pair of elements is the sum of the two elements modulo n. During training, each neuron specialises in one frequency."
            )
        }
        GroupOperation::Subtract => {
            text!(
                "The label of a pair of elements is the difference of the two elements modulo n. During training, each neuron specialises in one frequency."
            )
        }
        GroupOperation::Multiply => {
            text!("The label of a pair of elements is the product of the two elements modulo n.")
        }
        GroupOperation::Quadratic => {
            text!("The label of a pair of elements a and b is a² + ab + b² modulo n.")
        }
        GroupOperation::Random => {
            text!(
                "The label of each pair of elements is a random element. A network can only memorise these labels."
            )
        }
        GroupOperation::Dihedral
        | GroupOperation::Symmetric
        | GroupOperation::Alternating
        | GroupOperation::Quaternion
        | GroupOperation::Product
        | GroupOperation::Table => {
            text!(
                "The label of a pair of elements is the product of the two elements. During training, each neuron specialises in one frequency or one representation."
            )
        }
    })
}

/// The sentence that says that the run has reached its target, such as "All pairs are answered correctly at step 85.";
/// `networks` is a phrase such as "9 of 10 networks", `at` one such as "at step 85".
pub(super) fn describe_result(run: &RunView, networks: &str, at: &str) -> String {
    let spec = run.spec();
    let of = tested_pairs_name(spec);
    let who = if spec.run.replicas > 1 { tr!(" by {networks}", networks) } else { String::new() };
    let share = match spec.run.target >= 1.0 {
        true => tr!("All {of} are answered correctly", of),
        false => {
            tr!(
                "{target} of the {of} are answered correctly",
                target = format_percent(spec.run.target as f32),
                of
            )
        }
    };
    let all_right = || run.history.latest_median(ReplicaMeasure::TrainAccuracy) >= 1.0;
    let margin = run.margin_share().filter(|_| !has_held_out(spec) && all_right());
    let margin = margin.map(|share| {
        tr!(" The margin is {share} of the largest possible margin.", share = format_percent(share))
    });
    format!("{share}{who} {at}.{}", margin.unwrap_or_default())
}

/// Whether some pairs of elements are held out from training, so that accuracy is measured on them.
fn has_held_out(spec: &RunSpec) -> bool {
    let examples = spec.task.examples();
    examples.training_set_size() != Some(examples.inputs().pow(2))
}

/// Names of the four metrics of a run that holds no pair out: the second loss and accuracy are those of all pairs. `None` for
/// the default names.
pub(super) fn metric_names(run: &RunView) -> Option<[String; 4]> {
    let spec = run.spec();
    let names = [
        tr!("Loss, training"),
        tr!("Loss, all pairs"),
        tr!("Accuracy, training"),
        tr!("Accuracy, all pairs"),
    ];
    (!has_held_out(spec) && !spec.run.loss.is_signed()).then(|| names.map(String::from))
}

/// The name of the examples on which accuracy is measured: "held-out pairs" or "pairs".
pub(super) fn tested_pairs_name(spec: &RunSpec) -> &'static str {
    if has_held_out(spec) { tr!("held-out pairs") } else { tr!("pairs") }
}

/// Two readouts beside the run, each (name, value): the median over replicas of the normalised margin (divided by the
/// largest possible margin γ* if known), and the median over the first replica's live neurons of the largest share of
/// power that one frequency or irrep has in the embedding u of the first operand.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let margin = match run.largest_margin() {
        Some(_) => (tr!("Margin / γ*").into(), format_decimal(run.margin_share().unwrap_or(f32::NAN))),
        None => {
            let margin = run.history.latest_median(ReplicaMeasure::Margin);
            (tr!("Normalised margin").into(), format_significant(f64::from(margin)))
        }
    };
    let neurons = run.lab_state().and_then(|pairs: &GroupsState| pairs.neurons.as_ref());
    let median = neurons.and_then(|neurons| neurons.median_share(NeuronPart::First));
    [
        margin,
        (tr!("Largest power share (median over neurons)").into(), format_decimal(median.unwrap_or(f32::NAN))),
    ]
}

/// Reference line of the margin chart, as (height, label): the normalised margin predicted for the present penalty
/// strength λ, as a share of the largest margin γ*. Empty without a prediction and if the share is at least 0.995.
pub(super) fn margin_lines(run: &RunView) -> Vec<(f64, String)> {
    let theory = run.lab_state().and_then(|pairs: &GroupsState| pairs.theory.as_ref());
    let prediction =
        theory.and_then(|theory| theory.prediction()).filter(|prediction| !prediction.is_zero_network);
    let Some(prediction) = prediction else { return vec![] };
    let text = tr!("margin predicted for this λ: {ratio}", ratio = format!("{:.3}", prediction.margin_ratio));
    let is_below = prediction.margin_ratio < 0.995;
    is_below.then_some((prediction.margin_ratio, text)).into_iter().collect()
}

/// The note, beginning with a space, that theory predicts all weights to be 0 if the penalty strength λ is this large;
/// none for smaller λ.
pub(super) fn margin_note(run: &RunView) -> Option<String> {
    let pairs: &GroupsState = run.lab_state()?;
    let collapse =
        pairs.theory.as_ref().filter(|theory| theory.prediction().is_some_and(|of| of.is_zero_network))?;
    Some(tr!(
        " If λ is at least {least}, the loss plus the penalty is smallest if all weights are 0.",
        least = format_significant(collapse.collapse_lambda())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn the_task_is_named_by_its_operation() {
        let about = |link: &str| describe_task(&decode(link).0.spec).unwrap();
        for (link, result) in [
            ("#v1/groups", "is the sum of the two elements modulo n."),
            ("#v1/groups?op=sub", "is the difference of the two elements modulo n."),
            ("#v1/groups?op=mul", "is the product of the two elements modulo n."),
            ("#v1/groups?op=quad", "is a² + ab + b² modulo n."),
            ("#v1/groups?op=random", "is a random element."),
            ("#v1/groups?op=symmetric", "is the product of the two elements."),
            ("#v1/groups?op=product", "is the product of the two elements."),
        ] {
            assert!(about(link).contains(result), "{link}: {}", about(link));
            assert_eq!(about(link).contains("product"), result.contains("product"), "{link}");
        }
        assert_eq!(describe_task(&decode("#v1/markov").0.spec), None);
    }
}
