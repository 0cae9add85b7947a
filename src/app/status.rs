//! What the run is doing, in one sentence.

use super::state::{Phase, State};
use super::words::{self, percent, thousands};
use crate::analysis::curves::spread;
use crate::protocol::Ending;

/// Accuracy below which a network does no better than guessing, given a thousand held-out examples.
const CHANCE_BELOW: f32 = 0.55;

/// Accuracy on the training sample above which it counts as memorised.
const MEMORISED_ABOVE: f32 = 0.99;

/// The status line.
pub fn status(state: &State) -> String {
    match state.place_in_sweep() {
        Some(place) if state.sweep.as_ref().is_some_and(|sweep| !sweep.is_over()) => {
            format!("{place}. {}", of_run(state))
        }
        Some(_) => "The sweep is complete".into(),
        None => of_run(state),
    }
}

fn of_run(state: &State) -> String {
    match &state.phase {
        Phase::Loading if state.choice.is_none() => "Looking for a device".into(),
        Phase::Loading if state.step > 0 => format!("Going on from step {}", thousands(state.step)),
        Phase::Loading if state.paused => "Getting ready, then waiting for you".into(),
        Phase::Loading => "Getting ready".into(),
        Phase::Running if is_found(state) => format!("{} Goes on.", found(state)),
        Phase::Running => learning(state),
        Phase::Paused if is_found(state) => format!("Paused. {}", found(state)),
        Phase::Paused if state.step == 0 => "Waiting at the start. Play begins".into(),
        Phase::Paused => format!("Paused at step {}", thousands(state.step)),
        Phase::Finished(Ending::Target) => found(state),
        Phase::Finished(_) if is_found(state) => {
            format!("{} Ended at step {}.", found(state), thousands(state.step))
        }
        Phase::Finished(_) => format!("Ended at step {}, not found", thousands(state.step)),
        Phase::Diverged { step, last_good } => format!(
            "The loss was not finite at step {}; the run stands at step {}, the last good one",
            thousands(*step),
            thousands(*last_good)
        ),
        Phase::Failed(why) => format!("Stopped: {why}"),
    }
}

fn is_found(state: &State) -> bool {
    !state.solved.is_empty() && state.solved.len() == state.spec().run.replicas
}

fn learning(state: &State) -> String {
    let replicas = state.spec().run.replicas;
    if replicas > 1 && !state.solved.is_empty() {
        return format!("Learning. Found by {} of {replicas} networks", state.solved.len());
    }
    let Some(row) = state.history.last() else { return "Learning".into() };
    let (train, test) = (spread(&row.train_accuracy).0, spread(&row.test_accuracy).0);
    let finite = state.spec().task.sampler().sample_size().is_some();
    if finite && train >= MEMORISED_ABOVE && test < 0.9 {
        return format!("Memorised its sample; {} right on what it has not seen", percent(test));
    }
    if test < CHANCE_BELOW {
        return format!("Learning. {} right, no better than guessing", percent(test));
    }
    format!("Learning. {} right, no longer guessing", percent(test))
}

/// "Found at step 1,250: all 3 bits (4, 11, 17)."
pub fn found(state: &State) -> String {
    let Some(first) = state.solved.iter().map(|(_, step)| *step).min() else { return String::new() };
    let bits: Vec<String> = state.relevant.iter().map(|i| (i + 1).to_string()).collect();
    let bits = match bits.as_slice() {
        [one] => format!("the bit that matters ({one})"),
        bits => format!("all {} bits ({})", bits.len(), bits.join(", ")),
    };
    let replicas = state.spec().run.replicas;
    if replicas == 1 {
        return format!("Found at step {}: {bits}.", thousands(first));
    }
    let last = state.solved.iter().map(|(_, step)| *step).max().unwrap_or(first);
    format!(
        "Found by {} of {replicas} networks, at steps {} to {}: {bits}.",
        state.solved.len(),
        thousands(first),
        thousands(last)
    )
}

/// What is measured on less than the specification says, if it is.
pub fn held_out(state: &State) -> Option<String> {
    let whole = state.spec().run.held_out;
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
