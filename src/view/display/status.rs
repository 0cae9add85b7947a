//! The status line: training state and result of a run, in a sentence.

use super::summary::chance_accuracy;
use super::view::{RunPhase, RunView};
use super::words::{format_percent, format_thousands};
use vivarium_model::protocol::EndReason;
use vivarium_plot::analysis::replicas::ReplicaMeasure;

/// Difference of accuracies, from 0 to 1: a network whose accuracy exceeds random guessing by at most this counts as
/// guessing (about three standard errors of a thousand held-out examples).
const CHANCE_TOLERANCE: f32 = 0.05;

/// Threshold from 0 to 1: a fixed training set counts as memorised once the median training accuracy over the replicas
/// is at least this.
const MEMORISED_ACCURACY: f32 = 0.99;

/// Rounding error of numbers a little below 1 in single precision: half of the distance to the next number.
const SINGLE_PRECISION_ERROR: f32 = f32::EPSILON / 4.0;

/// Status line of the run; `loading` gives the text that is shown until a worker has started the training.
pub fn describe_status(run: &RunView, loading: impl FnOnce() -> String) -> String {
    let step = format_thousands(run.step);
    let line = match &run.phase {
        RunPhase::Loading => loading(),
        RunPhase::Running if have_all_solved(run) => {
            tr!("{found} Training continues.", found = describe_found(run))
        }
        RunPhase::Running => describe_learning(run),
        RunPhase::Paused if have_all_solved(run) => tr!("Paused. {found}", found = describe_found(run)),
        RunPhase::Paused if run.step == 0 => tr!("Waiting at the start. Press Play to begin").into(),
        RunPhase::Paused if !run.solved.is_empty() => {
            tr!(
                "Paused at step {step}. {arrived} {networks}",
                step,
                arrived = reached_label(run),
                networks = describe_solved_networks(run)
            )
        }
        RunPhase::Paused => tr!("Paused at step {step}", step),
        RunPhase::Finished(EndReason::Target) => describe_found(run),
        RunPhase::Finished(_) if !run.solved.is_empty() => {
            tr!("{found} Ended at step {step}.", found = describe_found(run), step)
        }
        RunPhase::Finished(_) if !run.vocabulary().has_target => match run.step {
            1 => tr!("Done: 1 step.").into(),
            _ => tr!("Done: {step} steps.", step),
        },
        RunPhase::Finished(_) if !run.vocabulary().reports_not_found => {
            tr!("Ended at step {step} without reaching the target", step)
        }
        RunPhase::Finished(_) => tr!("Ended at step {step}; the solution was not found", step),
        RunPhase::Diverged { step, last_good } => tr!(
            "The loss was not finite at step {step}; the run went back to step {last_good}, the last step with a finite loss",
            step = format_thousands(*step),
            last_good = format_thousands(*last_good)
        ),
        RunPhase::Failed(why) => tr!("Stopped: {why}", why),
    };
    let line = match has_exhausted_precision(run) {
        true => tr!(
            "{line}. The training loss is below the rounding error of single precision, so another device may give other weights from there on.",
            line = line.trim_end_matches('.')
        ),
        false => line,
    };
    match count_diverged(run) {
        0 => line,
        lost => {
            tr!(
                "{line}. Diverged networks: {lost}.",
                line = line.trim_end_matches('.'),
                lost = format_thousands(lost as u64)
            )
        }
    }
}

/// Whether a run has ended at its last step with a fixed training set of classes memorised so well that the probability of
/// a wrong class is below the rounding error of 1 in single precision.
fn has_exhausted_precision(run: &RunView) -> bool {
    let examples = run.spec().task.examples();
    run.phase == RunPhase::Finished(EndReason::LastStep)
        && examples.classes().is_some()
        && examples.training_set_size().is_some()
        && run.history.latest_median(ReplicaMeasure::TrainLoss) < SINGLE_PRECISION_ERROR
}

/// Whether all replicas have reached the target (the accuracy at which a network counts as having solved the task).
fn have_all_solved(run: &RunView) -> bool {
    !run.solved.is_empty() && run.solved.len() == run.spec().run.replicas
}

/// Number of replicas that have diverged by the latest measurement; 0 for a single replica or if the
/// whole run has diverged.
fn count_diverged(run: &RunView) -> usize {
    let has_several = run.history.latest().is_some_and(|row| row.test_loss.len() > 1);
    // The phase already says that all replicas have diverged.
    if !has_several || matches!(run.phase, RunPhase::Diverged { .. }) {
        return 0;
    }
    run.history.latest_diverged_count()
}

/// Describes how many replicas have reached the target: "5 of 20 networks", "all 1,000 networks".
fn describe_solved_networks(run: &RunView) -> String {
    let all = format_thousands(run.spec().run.replicas as u64);
    match have_all_solved(run) {
        true => tr!("all {all} networks", all),
        false => tr!("{some} of {all} networks", some = format_thousands(run.solved.len() as u64), all),
    }
}

/// Beginning of a sentence that lists the replicas that have reached the target: "Found by" for tasks with a hidden
/// rule, else "Target reached by".
fn reached_label(run: &RunView) -> &'static str {
    if run.vocabulary().has_hidden_rule { tr!("Found by") } else { tr!("Target reached by") }
}

/// Status line of a run that is training: the progress of learning by the latest measurement.
fn describe_learning(run: &RunView) -> String {
    let replicas = run.spec().run.replicas;
    if replicas > 1 && !run.solved.is_empty() {
        return tr!(
            "Learning. {reached} {networks}",
            reached = reached_label(run),
            networks = describe_solved_networks(run)
        );
    }
    let is_executed = run.spec().is_executed();
    if let Some(line) = run.lazy_lab().and_then(|lab| (lab.describe_learning)(run)) {
        return match is_executed {
            true => tr!("Running: {line}", line),
            false => tr!("Learning: {line}", line),
        };
    }
    if run.history.latest().is_none() {
        return if is_executed { tr!("Running") } else { tr!("Learning") }.into();
    }
    let [train, test] =
        [ReplicaMeasure::TrainAccuracy, ReplicaMeasure::TestAccuracy].map(|of| run.history.latest_median(of));
    let finite = run.spec().task.examples().training_set_size().is_some();
    if run.vocabulary().has_numeric_labels {
        let share = format_percent(test);
        return match replicas {
            1 => tr!("Learning: {share} of the variance is explained", share),
            _ => tr!("Learning: {share} of the variance is explained by the median network", share),
        };
    }
    let right = match replicas {
        1 => tr!("{share} of the answers are right", share = format_percent(test)),
        _ => tr!("{share} of the answers of the median network are right", share = format_percent(test)),
    };
    if finite && train >= MEMORISED_ACCURACY && test < 0.9 {
        return tr!("The training sample is memorised; on held-out examples {right}", right);
    }
    let chance = chance_accuracy(run);
    if test < chance + CHANCE_TOLERANCE.min((1.0 - chance) / 2.0) {
        return tr!("Learning: {right}, as with random guessing", right);
    }
    match run.margin_share().filter(|_| train >= 1.0) {
        Some(share) => {
            tr!(
                "The answers for all training pairs are right. The margin is {share} of the largest possible margin",
                share = format_percent(share)
            )
        }
        None => tr!("Learning: {right}, more than with random guessing", right),
    }
}

/// Name of the examples on which held-out accuracy is measured in this run, such as "held-out rows".
pub fn examples_name(run: &RunView) -> &'static str {
    run.lab().examples_name(run.spec())
}

/// Sentence on what the networks have found: "Found at step 1,250: all 3 relevant bits (4, 11, 17)."; bits are counted
/// from 1. Empty if no replica has reached the target.
pub fn describe_found(run: &RunView) -> String {
    let Some(first) = run.solved.iter().map(|(_, step)| *step).min() else { return String::new() };
    let bits: Vec<String> = run.relevant.iter().map(|i| (i + 1).to_string()).collect();
    let bits = match bits.as_slice() {
        [one] => tr!("the one relevant bit ({one})", one),
        bits => tr!("all {many} relevant bits ({places})", many = bits.len(), places = bits.join(", ")),
    };
    let last = run.solved.iter().map(|(_, step)| *step).max().unwrap_or(first);
    let at = match first == last {
        true => tr!("at step {first}", first = format_thousands(first)),
        false => tr!(
            "between steps {first} and {last}",
            first = format_thousands(first),
            last = format_thousands(last)
        ),
    };
    if let Some(found) =
        run.lazy_lab().and_then(|lab| (lab.describe_found)(run, &describe_solved_networks(run), &at))
    {
        return found;
    }
    if !run.vocabulary().has_hidden_rule || run.lab().needs_lazy_code() {
        return match run.spec().run.replicas {
            1 => tr!("Target reached {at}.", at),
            _ => tr!("Target reached by {networks}, {at}.", networks = describe_solved_networks(run), at),
        };
    }
    match run.spec().run.replicas {
        1 => tr!("Found {at}: {bits}.", at, bits),
        _ => tr!("Found by {networks}, {at}: {bits}.", networks = describe_solved_networks(run), at, bits),
    }
}

/// Note that measurements use fewer held-out examples than the settings state; `None` if measurements use all of these
/// examples.
pub fn describe_held_out(run: &RunView) -> Option<String> {
    let whole = run.spec().held_out_count();
    (run.held_out < whole).then(|| {
        tr!("While training runs on the CPU, the held-out loss and accuracy are measured on {some} of {all} held-out examples. If a measurement on these examples reaches the target, it is repeated on all held-out examples before the target counts as reached.", some = format_thousands(run.held_out as u64), all = format_thousands(whole as u64))
    })
}
