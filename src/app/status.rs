//! What the run is doing, in one sentence.

use super::chain_charts;
use super::state::{Phase, State};
use super::summary::chance;
use super::words::{self, percent, thousands};
use crate::analysis::curves::spread;
use crate::protocol::Ending;
use crate::tasks::Form;

/// How far above that of guessing the accuracy of a network may be that does no better, given a thousand held-out
/// examples.
const ABOVE_CHANCE: f32 = 0.05;

/// Accuracy on the training sample above which it counts as memorised.
const MEMORISED_ABOVE: f32 = 0.99;

/// The status line.
pub fn status(state: &State) -> String {
    match (state.place_in_sweep(), &state.sweep) {
        (Some(place), Some(sweep)) if !sweep.is_at_rest() => format!("{place}. {}", of_run(state)),
        (Some(place), _) => place,
        _ => of_run(state),
    }
}

fn of_run(state: &State) -> String {
    if let Some(place) = state.place_in_time() {
        return place;
    }
    let step = thousands(state.step);
    let line = match &state.phase {
        Phase::Loading if state.choice.is_none() => "Looking for a device".into(),
        Phase::Loading if state.step > 0 => format!("Going on from step {step}"),
        Phase::Loading if state.paused => "Getting ready, then waiting for you".into(),
        Phase::Loading => "Getting ready".into(),
        Phase::Running if is_found(state) => format!("{} Goes on.", found(state)),
        Phase::Running => learning(state),
        Phase::Paused if is_found(state) => format!("Paused. {}", found(state)),
        Phase::Paused if state.step == 0 => "Waiting at the start. Play begins".into(),
        Phase::Paused if !state.solved.is_empty() => {
            format!("Paused at step {step}. {} {}", arrived(state), networks(state))
        }
        Phase::Paused => format!("Paused at step {step}"),
        Phase::Finished(Ending::Target) => found(state),
        Phase::Finished(_) if !state.solved.is_empty() => format!("{} Ended at step {step}.", found(state)),
        Phase::Finished(_) if state.pairs.is_some() || state.chains.is_some() => {
            format!("Ended at step {step} before its target")
        }
        Phase::Finished(_) => format!("Ended at step {step}, not found"),
        Phase::Diverged { step, last_good } => format!(
            "The loss was not finite at step {}; the run stands at step {}, the last good one",
            thousands(*step),
            thousands(*last_good)
        ),
        Phase::Failed(why) => format!("Stopped: {why}"),
    };
    match diverged(state) {
        0 => line,
        lost => format!("{}. {} diverged.", line.trim_end_matches('.'), thousands(lost as u64)),
    }
}

fn is_found(state: &State) -> bool {
    !state.solved.is_empty() && state.solved.len() == state.spec().run.replicas
}

/// How many networks are lost while others go on: those whose newest loss is not finite.
fn diverged(state: &State) -> usize {
    let Some(row) = state.history.last().filter(|row| row.test_loss.len() > 1) else { return 0 };
    if matches!(state.phase, Phase::Diverged { .. }) {
        return 0; // All are, and that is said already.
    }
    row.train_loss.iter().zip(&row.test_loss).filter(|(a, b)| !a.is_finite() || !b.is_finite()).count()
}

/// "5 of 20 networks", "all 1,000 networks": those that have reached the target.
fn networks(state: &State) -> String {
    let all = thousands(state.spec().run.replicas as u64);
    match is_found(state) {
        true => format!("all {all} networks"),
        false => format!("{} of {all} networks", thousands(state.solved.len() as u64)),
    }
}

/// What those networks have done.
fn arrived(state: &State) -> &'static str {
    if state.chains.is_some() { "Target reached by" } else { "Found by" }
}

fn learning(state: &State) -> String {
    let replicas = state.spec().run.replicas;
    if replicas > 1 && !state.solved.is_empty() {
        return format!("Learning. {} {}", arrived(state), networks(state));
    }
    if let Some(line) = chain_charts::learning(state) {
        return format!("Learning: {line}");
    }
    let Some(row) = state.history.last() else { return "Learning".into() };
    let (train, test) = (spread(&row.train_accuracy).0, spread(&row.test_accuracy).0);
    let finite = state.spec().task.sampler().sample_size().is_some();
    let right = format!("{} right{}", percent(test), if replicas > 1 { " in the median" } else { "" });
    if finite && train >= MEMORISED_ABOVE && test < 0.9 {
        return format!("Memorised its sample; {right} on what it has not seen");
    }
    if test < chance(state) + ABOVE_CHANCE {
        return format!("Learning. {right}, no better than guessing");
    }
    match state.margin_share().filter(|_| train >= 1.0) {
        Some(share) => {
            format!("Every pair is right. The margin is at {} of the largest possible", percent(share))
        }
        None => format!("Learning. {right}, no longer guessing"),
    }
}

/// "All pairs are right at step 85." or the same of fewer than all, or of held-out ones.
fn found_on_pairs(state: &State, at: &str) -> String {
    let spec = state.spec();
    let (held_out, of) = (has_held_out(state), examples(state));
    let who = if spec.run.replicas > 1 { format!(" by {}", networks(state)) } else { String::new() };
    let share = match spec.run.target >= 1.0 {
        true => format!("All {of} are right"),
        false => format!("{} of the {of} are right", percent(spec.run.target as f32)),
    };
    let margin = state.margin_share().filter(|_| !held_out && state.history.last().is_some_and(all_right));
    let margin = margin.map(|share| format!(" The margin is at {} of the largest possible.", percent(share)));
    format!("{share}{who} {at}.{}", margin.unwrap_or_default())
}

/// Whether there are examples that are not trained on.
fn has_held_out(state: &State) -> bool {
    let sampler = state.spec().task.sampler();
    sampler.form() != Form::Pair || sampler.sample_size() != Some(sampler.inputs().pow(2))
}

/// What the accuracy that counts is measured on.
pub fn examples(state: &State) -> &'static str {
    match (state.spec().task.sampler().form(), has_held_out(state)) {
        (Form::Bits, _) => "held-out examples",
        (Form::Sequence, _) => "held-out sequences",
        (Form::Pair, true) => "held-out pairs",
        (Form::Pair, false) => "pairs",
    }
}

fn all_right(row: &crate::protocol::Row) -> bool {
    spread(&row.train_accuracy).0 >= 1.0
}

/// "Found at step 1,250: all 3 bits (4, 11, 17)."
pub fn found(state: &State) -> String {
    let Some(first) = state.solved.iter().map(|(_, step)| *step).min() else { return String::new() };
    let bits: Vec<String> = state.relevant.iter().map(|i| (i + 1).to_string()).collect();
    let bits = match bits.as_slice() {
        [one] => format!("the bit that matters ({one})"),
        bits => format!("all {} bits ({})", bits.len(), bits.join(", ")),
    };
    let last = state.solved.iter().map(|(_, step)| *step).max().unwrap_or(first);
    let at = match first == last {
        true => format!("at step {}", thousands(first)),
        false => format!("at steps {} to {}", thousands(first), thousands(last)),
    };
    match state.spec().task.sampler().form() {
        Form::Bits => {}
        Form::Pair => return found_on_pairs(state, &at),
        Form::Sequence => {
            let many = state.spec().run.replicas > 1;
            let who = if many { format!(" in {},", networks(state)) } else { String::new() };
            return chain_charts::found(state, &who, &at).unwrap_or_default();
        }
    }
    match state.spec().run.replicas {
        1 => format!("Found {at}: {bits}."),
        _ => format!("Found by {}, {at}: {bits}.", networks(state)),
    }
}

/// What is measured on less than the specification says, if it is.
pub fn held_out(state: &State) -> Option<String> {
    let whole = state.spec().held_out();
    (state.held_out < whole).then(|| {
        format!(
            "Measured on {} of {} held-out examples while on the CPU; a reached target is confirmed on all.",
            thousands(state.held_out as u64),
            thousands(whole as u64)
        )
    })
}

/// Which learner trains, and why not the faster one.
pub fn learner(state: &State) -> String {
    let (name, note) = &state.learner;
    if note.is_empty() { name.clone() } else { format!("{name}. {note}") }
}

/// Steps per second, and what the device could do while a speed limit holds.
pub fn rate(state: &State) -> String {
    let Some((steps_per_s, capacity)) = state.rate else { return String::new() };
    let now = words::rate(steps_per_s);
    if state.link.view.speed > 0 && capacity > 1.2 * steps_per_s {
        return format!("{now}, could do {}", words::rate(capacity).trim_end_matches(" steps/s"));
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Action;
    use crate::protocol::Row;

    fn replicas(phase: Phase, solved: &[(usize, u64)], losses: &[f32]) -> String {
        let mut state = State::default();
        state.apply(Action::Open(format!("#v1/sparse-parity?n=9&replicas={}", losses.len())));
        let same = vec![0.5; losses.len()];
        state.history.push(Row {
            step: 80,
            train_loss: same.clone(),
            train_accuracy: same.clone(),
            test_loss: losses.to_vec(),
            test_accuracy: same,
            ..Default::default()
        });
        (state.step, state.relevant) = (80, vec![1, 4]);
        (state.phase, state.solved) = (phase, solved.to_vec());
        status(&state)
    }

    #[test]
    fn of_many_networks_it_is_told_how_many_arrived_and_how_many_are_lost() {
        let one = [1.0; 4];
        let last = Phase::Finished(Ending::LastStep);
        assert_eq!(
            replicas(last.clone(), &[(2, 40), (0, 60)], &one),
            "Found by 2 of 4 networks, at steps 40 to 60: all 2 bits (2, 5). Ended at step 80."
        );
        assert_eq!(replicas(last, &[], &one), "Ended at step 80, not found");
        let all: Vec<(usize, u64)> = (0..1000).map(|r| (r, 40)).collect();
        assert_eq!(
            replicas(Phase::Finished(Ending::Target), &all, &[1.0; 1000]),
            "Found by all 1,000 networks, at step 40: all 2 bits (2, 5)."
        );
        assert_eq!(
            replicas(Phase::Running, &[], &one),
            "Learning. 50.0 % right in the median, no better than guessing"
        );
        let lost = [1.0, f32::NAN, 1.0, f32::INFINITY];
        assert_eq!(
            replicas(Phase::Running, &[(0, 40)], &lost),
            "Learning. Found by 1 of 4 networks. 2 diverged."
        );
        assert_eq!(
            replicas(Phase::Finished(Ending::Target), &[(0, 40), (2, 40)], &lost),
            "Found by 2 of 4 networks, at step 40: all 2 bits (2, 5). 2 diverged."
        );
        assert_eq!(replicas(Phase::Paused, &[(0, 40)], &one), "Paused at step 80. Found by 1 of 4 networks");
    }
}
