//! The status line: what the page is doing, in one sentence.

use crate::state::State;
use vivarium_view::display::status::describe_status;
use vivarium_view::display::words::{self, format_thousands};

/// Returns the status line: the phase of the run, and its place in a sweep.
pub fn status_line(state: &State) -> String {
    let run = &state.run;
    match (run.describe_sweep_position(), &run.sweep) {
        (Some(place), Some(sweep)) if !sweep.is_stopped() => format!("{place}. {}", run_status(state)),
        (Some(place), _) => place,
        _ => run_status(state),
    }
}

/// Returns the phase of the run as a sentence, without its place in a sweep.
fn run_status(state: &State) -> String {
    if let Some(question) = &state.consent.question {
        return question.clone();
    }
    if state.is_predicting() && !state.run.is_under_way() && state.run.step > 0 {
        return tr!("Waiting for your prediction").into();
    }
    state.earlier_step_text().unwrap_or_else(|| describe_status(&state.run, || loading_text(state)))
}

/// Returns the status text of a run whose trainer (worker) has not answered yet.
fn loading_text(state: &State) -> String {
    match state.run.step {
        _ if state.is_timing() => tr!("Timing the CPU and the GPU").into(),
        _ if state.device_choice.is_none() => tr!("Choosing between CPU and GPU").into(),
        0 if state.paused => {
            tr!("Getting ready. When the page is ready, the run waits until you press Play").into()
        }
        0 => tr!("Getting ready").into(),
        step => tr!("Going on from step {step}", step = format_thousands(step)),
    }
}

/// Returns the name of the learner, and why the faster learner is not used if that is so.
pub fn learner_text(state: &State) -> String {
    let (name, note) = &state.learner;
    if note.is_empty() { name.clone() } else { format!("{name}. {note}") }
}

/// Returns the steps per second as text; with a speed limit, also those that the device could train without it.
pub fn step_rate_text(state: &State) -> String {
    let Some((steps_per_s, capacity)) = state.step_rates else { return String::new() };
    let now = words::format_rate(steps_per_s);
    if state.run.link.view.speed > 0 && capacity > 1.2 * steps_per_s {
        let number = words::format_rate_number(capacity).unwrap_or_default();
        return tr!("{now}; {number} without the speed limit", now, number);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_model::protocol::{EndReason, Measurement};
    use vivarium_view::display::RunPhase;

    fn replicas(phase: RunPhase, solved: &[(usize, u64)], losses: &[f32]) -> String {
        let mut state = State::default();
        state.apply(Action::Open(format!("#v1/sparse-parity?n=9&replicas={}", losses.len())));
        let same = vec![0.5; losses.len()];
        state.run.history.push(Measurement {
            step: 80,
            train_loss: same.clone(),
            train_accuracy: same.clone(),
            test_loss: losses.to_vec(),
            test_accuracy: same,
            ..Default::default()
        });
        (state.run.step, state.run.relevant) = (80, vec![1, 4]);
        (state.run.phase, state.run.solved) = (phase, solved.to_vec());
        status_line(&state)
    }

    #[test]
    fn of_many_networks_it_is_stated_how_many_arrived_and_how_many_are_lost() {
        let one = [1.0; 4];
        let last = RunPhase::Finished(EndReason::LastStep);
        assert_eq!(
            replicas(last.clone(), &[(2, 40), (0, 60)], &one),
            "Found by 2 of 4 networks, between steps 40 and 60: all 2 relevant bits (2, 5). Ended at step 80."
        );
        assert_eq!(replicas(last, &[], &one), "Ended at step 80; the solution was not found");
        let all: Vec<(usize, u64)> = (0..1000).map(|r| (r, 40)).collect();
        assert_eq!(
            replicas(RunPhase::Finished(EndReason::Target), &all, &[1.0; 1000]),
            "Found by all 1,000 networks, at step 40: all 2 relevant bits (2, 5)."
        );
        assert_eq!(
            replicas(RunPhase::Running, &[], &one),
            "Learning: 50.0 % of the answers of the median network are right, as with random guessing"
        );
        let lost = [1.0, f32::NAN, 1.0, f32::INFINITY];
        assert_eq!(
            replicas(RunPhase::Running, &[(0, 40)], &lost),
            "Learning. Found by 1 of 4 networks. Diverged networks: 2."
        );
        assert_eq!(
            replicas(RunPhase::Finished(EndReason::Target), &[(0, 40), (2, 40)], &lost),
            "Found by 2 of 4 networks, at step 40: all 2 relevant bits (2, 5). Diverged networks: 2."
        );
        assert_eq!(
            replicas(RunPhase::Paused, &[(0, 40)], &one),
            "Paused at step 80. Found by 1 of 4 networks"
        );
    }
}
