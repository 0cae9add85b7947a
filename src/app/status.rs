//! What the run is doing, in one sentence.

use super::chain_charts;
use super::state::{Phase, State};
use super::summary::chance;
use super::tables::is_table;
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
        Phase::Loading if state.choice.is_none() => tr!("Looking for a device").into(),
        Phase::Loading if state.step > 0 => tr!("Going on from step {step}", step),
        Phase::Loading if state.paused => tr!("Getting ready, then waiting for you").into(),
        Phase::Loading => tr!("Getting ready").into(),
        Phase::Running if is_found(state) => tr!("{found} Goes on.", found = found(state)),
        Phase::Running => learning(state),
        Phase::Paused if is_found(state) => tr!("Paused. {found}", found = found(state)),
        Phase::Paused if state.step == 0 => tr!("Waiting at the start. Play begins").into(),
        Phase::Paused if !state.solved.is_empty() => {
            tr!(
                "Paused at step {step}. {arrived} {networks}",
                step,
                arrived = arrived(state),
                networks = networks(state)
            )
        }
        Phase::Paused => tr!("Paused at step {step}", step),
        Phase::Finished(Ending::Target) => found(state),
        Phase::Finished(_) if !state.solved.is_empty() => {
            tr!("{found} Ended at step {step}.", found = found(state), step)
        }
        Phase::Finished(_) if state.pairs.is_some() || state.chains.is_some() || is_table(state.spec()) => {
            tr!("Ended at step {step} before its target", step)
        }
        Phase::Finished(_) => tr!("Ended at step {step}, not found", step),
        Phase::Diverged { step, last_good } => tr!(
            "The loss was not finite at step {step}; the run stands at step {last_good}, the last good one",
            step = thousands(*step),
            last_good = thousands(*last_good)
        ),
        Phase::Failed(why) => tr!("Stopped: {why}", why),
    };
    match diverged(state) {
        0 => line,
        lost => {
            tr!("{line}. {lost} diverged.", line = line.trim_end_matches('.'), lost = thousands(lost as u64))
        }
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
        true => tr!("all {all} networks", all),
        false => tr!("{some} of {all} networks", some = thousands(state.solved.len() as u64), all),
    }
}

/// What those networks have done.
fn arrived(state: &State) -> &'static str {
    let is_hidden = state.chains.is_none() && !is_table(state.spec());
    if is_hidden { tr!("Found by") } else { tr!("Target reached by") }
}

fn learning(state: &State) -> String {
    let replicas = state.spec().run.replicas;
    if replicas > 1 && !state.solved.is_empty() {
        return tr!("Learning. {reached} {networks}", reached = arrived(state), networks = networks(state));
    }
    if let Some(line) = chain_charts::learning(state) {
        return tr!("Learning: {line}", line);
    }
    let Some(row) = state.history.last() else { return tr!("Learning").into() };
    let (train, test) = (spread(&row.train_accuracy).0, spread(&row.test_accuracy).0);
    let finite = state.spec().task.sampler().sample_size().is_some();
    let right = match replicas {
        1 => tr!("{share} right", share = percent(test)),
        _ => tr!("{share} right in the median", share = percent(test)),
    };
    if finite && train >= MEMORISED_ABOVE && test < 0.9 {
        return tr!("Memorised its sample; {right} on what it has not seen", right);
    }
    if test < chance(state) + ABOVE_CHANCE {
        return tr!("Learning. {right}, no better than guessing", right);
    }
    match state.margin_share().filter(|_| train >= 1.0) {
        Some(share) => {
            tr!(
                "Every pair is right. The margin is at {share} of the largest possible",
                share = percent(share)
            )
        }
        None => tr!("Learning. {right}, no longer guessing", right),
    }
}

/// "All pairs are right at step 85." or the same of fewer than all, or of held-out ones.
fn found_on_pairs(state: &State, at: &str) -> String {
    let spec = state.spec();
    let (held_out, of) = (has_held_out(state), examples(state));
    let who =
        if spec.run.replicas > 1 { tr!(" by {networks}", networks = networks(state)) } else { String::new() };
    let share = match spec.run.target >= 1.0 {
        true => tr!("All {of} are right", of),
        false => tr!("{target} of the {of} are right", target = percent(spec.run.target as f32), of),
    };
    let margin = state.margin_share().filter(|_| !held_out && state.history.last().is_some_and(all_right));
    let margin =
        margin.map(|share| tr!(" The margin is at {share} of the largest possible.", share = percent(share)));
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
        (Form::Row, _) => tr!("held-out rows"),
        (Form::Bits, _) => tr!("held-out examples"),
        (Form::Sequence, _) => tr!("held-out sequences"),
        (Form::Pair, true) => tr!("held-out pairs"),
        (Form::Pair, false) => tr!("pairs"),
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
        [one] => tr!("the bit that matters ({one})", one),
        bits => tr!("all {many} bits ({places})", many = bits.len(), places = bits.join(", ")),
    };
    let last = state.solved.iter().map(|(_, step)| *step).max().unwrap_or(first);
    let at = match first == last {
        true => tr!("at step {first}", first = thousands(first)),
        false => tr!("at steps {first} to {last}", first = thousands(first), last = thousands(last)),
    };
    match state.spec().task.sampler().form() {
        Form::Row => {
            return tr!("Reached by {networks}, {at}.", networks = networks(state), at);
        }
        Form::Bits => {}
        Form::Pair => return found_on_pairs(state, &at),
        Form::Sequence => {
            let many = state.spec().run.replicas > 1;
            let who = if many { tr!(" in {networks},", networks = networks(state)) } else { String::new() };
            return chain_charts::found(state, &who, &at).unwrap_or_default();
        }
    }
    match state.spec().run.replicas {
        1 => tr!("Found {at}: {bits}.", at, bits),
        _ => tr!("Found by {networks}, {at}: {bits}.", networks = networks(state), at, bits),
    }
}

/// What is measured on less than the specification says, if it is.
pub fn held_out(state: &State) -> Option<String> {
    let whole = state.spec().held_out();
    (state.held_out < whole).then(|| {
        tr!("Measured on {some} of {all} held-out examples while on the CPU; a reached target is confirmed on all.", some = thousands(state.held_out as u64), all = thousands(whole as u64))
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
        let number = words::bare_rate(capacity).unwrap_or_default();
        return tr!("{now}, could do {number}", now, number);
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
