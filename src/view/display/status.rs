//! What the run is doing, and what has been found, in a sentence.

use super::summary::chance;
use super::view::{Phase, RunView};
use super::words::{percent, thousands};
use vivarium_model::protocol::Ending;
use vivarium_plot::analysis::curves::spread;

/// How far above that of guessing the accuracy of a network may be that does no better, given a thousand held-out
/// examples.
const ABOVE_CHANCE: f32 = 0.05;

/// Accuracy on the training sample above which it counts as memorised.
const MEMORISED_ABOVE: f32 = 0.99;

/// What the run is doing; `loading` says it as long as no trainer has answered.
pub fn line(run: &RunView, loading: impl FnOnce() -> String) -> String {
    let step = thousands(run.step);
    let line = match &run.phase {
        Phase::Loading => loading(),
        Phase::Running if is_found(run) => tr!("{found} Training continues.", found = found(run)),
        Phase::Running => learning(run),
        Phase::Paused if is_found(run) => tr!("Paused. {found}", found = found(run)),
        Phase::Paused if run.step == 0 => tr!("Waiting at the start. Press Play to begin").into(),
        Phase::Paused if !run.solved.is_empty() => {
            tr!(
                "Paused at step {step}. {arrived} {networks}",
                step,
                arrived = arrived(run),
                networks = networks(run)
            )
        }
        Phase::Paused => tr!("Paused at step {step}", step),
        Phase::Finished(Ending::Target) => found(run),
        Phase::Finished(_) if !run.solved.is_empty() => {
            tr!("{found} Ended at step {step}.", found = found(run), step)
        }
        Phase::Finished(_) if !run.vocabulary().aims => match run.step {
            1 => tr!("Done: 1 step.").into(),
            _ => tr!("Done: {step} steps.", step),
        },
        Phase::Finished(_) if !run.vocabulary().searches => {
            tr!("Ended at step {step} without reaching the target", step)
        }
        Phase::Finished(_) => tr!("Ended at step {step}; the solution was not found", step),
        Phase::Diverged { step, last_good } => tr!(
            "The loss was not finite at step {step}; the run went back to step {last_good}, the last step with a finite loss",
            step = thousands(*step),
            last_good = thousands(*last_good)
        ),
        Phase::Failed(why) => tr!("Stopped: {why}", why),
    };
    match diverged(run) {
        0 => line,
        lost => {
            tr!(
                "{line}. Diverged networks: {lost}.",
                line = line.trim_end_matches('.'),
                lost = thousands(lost as u64)
            )
        }
    }
}

fn is_found(run: &RunView) -> bool {
    !run.solved.is_empty() && run.solved.len() == run.spec().run.replicas
}

/// How many networks are lost while others go on: those whose newest loss is not finite.
fn diverged(run: &RunView) -> usize {
    let Some(row) = run.history.last().filter(|row| row.test_loss.len() > 1) else { return 0 };
    if matches!(run.phase, Phase::Diverged { .. }) {
        return 0; // All are, and that is said already.
    }
    row.train_loss.iter().zip(&row.test_loss).filter(|(a, b)| !a.is_finite() || !b.is_finite()).count()
}

/// "5 of 20 networks", "all 1,000 networks": those that have reached the target.
fn networks(run: &RunView) -> String {
    let all = thousands(run.spec().run.replicas as u64);
    match is_found(run) {
        true => tr!("all {all} networks", all),
        false => tr!("{some} of {all} networks", some = thousands(run.solved.len() as u64), all),
    }
}

/// What those networks have done.
fn arrived(run: &RunView) -> &'static str {
    if run.vocabulary().hides { tr!("Found by") } else { tr!("Target reached by") }
}

fn learning(run: &RunView) -> String {
    let replicas = run.spec().run.replicas;
    if replicas > 1 && !run.solved.is_empty() {
        return tr!("Learning. {reached} {networks}", reached = arrived(run), networks = networks(run));
    }
    let is_executed = run.spec().model.config().family().is_some_and(|family| family.is_executed());
    if let Some(line) = run.lazy().and_then(|lab| lab.learning(run)) {
        return match is_executed {
            true => tr!("Running: {line}", line),
            false => tr!("Learning: {line}", line),
        };
    }
    let Some(row) = run.history.last() else {
        return if is_executed { tr!("Running") } else { tr!("Learning") }.into();
    };
    let (train, test) = (spread(&row.train_accuracy).0, spread(&row.test_accuracy).0);
    let finite = run.spec().task.examples().sample_size().is_some();
    if run.vocabulary().explains {
        let share = percent(test);
        return match replicas {
            1 => tr!("Learning: {share} of the variance is explained", share),
            _ => tr!("Learning: {share} of the variance is explained by the median network", share),
        };
    }
    let right = match replicas {
        1 => tr!("{share} of the answers are right", share = percent(test)),
        _ => tr!("{share} of the answers of the median network are right", share = percent(test)),
    };
    if finite && train >= MEMORISED_ABOVE && test < 0.9 {
        return tr!("The training sample is memorised; on held-out examples {right}", right);
    }
    let chance = chance(run);
    if test < chance + ABOVE_CHANCE.min((1.0 - chance) / 2.0) {
        return tr!("Learning: {right}, as with random guessing", right);
    }
    match run.margin_share().filter(|_| train >= 1.0) {
        Some(share) => {
            tr!(
                "The answers for all training pairs are right. The margin is {share} of the largest possible margin",
                share = percent(share)
            )
        }
        None => tr!("Learning: {right}, more than with random guessing", right),
    }
}

/// What the accuracy that counts is measured on.
pub fn examples(run: &RunView) -> &'static str {
    run.lab().examples(run.spec())
}

/// "Found at step 1,250: all 3 relevant bits (4, 11, 17)."
pub fn found(run: &RunView) -> String {
    let Some(first) = run.solved.iter().map(|(_, step)| *step).min() else { return String::new() };
    let bits: Vec<String> = run.relevant.iter().map(|i| (i + 1).to_string()).collect();
    let bits = match bits.as_slice() {
        [one] => tr!("the one relevant bit ({one})", one),
        bits => tr!("all {many} relevant bits ({places})", many = bits.len(), places = bits.join(", ")),
    };
    let last = run.solved.iter().map(|(_, step)| *step).max().unwrap_or(first);
    let at = match first == last {
        true => tr!("at step {first}", first = thousands(first)),
        false => tr!("between steps {first} and {last}", first = thousands(first), last = thousands(last)),
    };
    if let Some(found) = run.lazy().and_then(|lab| lab.found(run, &networks(run), &at)) {
        return found;
    }
    if !run.vocabulary().hides || run.lab().needs_second_program() {
        return match run.spec().run.replicas {
            1 => tr!("Target reached {at}.", at),
            _ => tr!("Target reached by {networks}, {at}.", networks = networks(run), at),
        };
    }
    match run.spec().run.replicas {
        1 => tr!("Found {at}: {bits}.", at, bits),
        _ => tr!("Found by {networks}, {at}: {bits}.", networks = networks(run), at, bits),
    }
}

/// What is measured on less than the specification says, if it is.
pub fn held_out(run: &RunView) -> Option<String> {
    let whole = run.spec().held_out();
    (run.held_out < whole).then(|| {
        tr!("While training runs on the CPU, the held-out loss and accuracy are measured on {some} of {all} held-out examples. If a measurement on these examples reaches the target, it is repeated on all held-out examples before the target counts as reached.", some = thousands(run.held_out as u64), all = thousands(whole as u64))
    })
}
