//! What the page is doing, in one sentence.

use crate::state::State;
use vivarium_view::display::status::line;
use vivarium_view::display::words::{self, thousands};

/// The status line.
pub fn status(state: &State) -> String {
    let run = &state.run;
    match (run.place_in_sweep(), &run.sweep) {
        (Some(place), Some(sweep)) if !sweep.is_at_rest() => format!("{place}. {}", of_run(state)),
        (Some(place), _) => place,
        _ => of_run(state),
    }
}

fn of_run(state: &State) -> String {
    if let Some(question) = &state.consent.question {
        return question.clone();
    }
    if state.is_predicting() && !state.run.is_under_way() && state.run.step > 0 {
        return tr!("Waiting for your prediction").into();
    }
    state.place_in_time().unwrap_or_else(|| line(&state.run, || loading(state)))
}

/// What is done until a trainer has answered.
fn loading(state: &State) -> String {
    match state.run.step {
        _ if state.is_timing() => tr!("Timing the CPU and the GPU").into(),
        _ if state.choice.is_none() => tr!("Choosing between CPU and GPU").into(),
        0 if state.paused => {
            tr!("Getting ready. When the page is ready, the run waits until you press Play").into()
        }
        0 => tr!("Getting ready").into(),
        step => tr!("Going on from step {step}", step = thousands(step)),
    }
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
    if state.run.link.view.speed > 0 && capacity > 1.2 * steps_per_s {
        let number = words::bare_rate(capacity).unwrap_or_default();
        return tr!("{now}; {number} without the speed limit", now, number);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_model::protocol::{Ending, Row};
    use vivarium_view::display::Phase;

    fn replicas(phase: Phase, solved: &[(usize, u64)], losses: &[f32]) -> String {
        let mut state = State::default();
        state.apply(Action::Open(format!("#v1/sparse-parity?n=9&replicas={}", losses.len())));
        let same = vec![0.5; losses.len()];
        state.run.history.push(Row {
            step: 80,
            train_loss: same.clone(),
            train_accuracy: same.clone(),
            test_loss: losses.to_vec(),
            test_accuracy: same,
            ..Default::default()
        });
        (state.run.step, state.run.relevant) = (80, vec![1, 4]);
        (state.run.phase, state.run.solved) = (phase, solved.to_vec());
        status(&state)
    }

    #[test]
    fn of_many_networks_it_is_told_how_many_arrived_and_how_many_are_lost() {
        let one = [1.0; 4];
        let last = Phase::Finished(Ending::LastStep);
        assert_eq!(
            replicas(last.clone(), &[(2, 40), (0, 60)], &one),
            "Found by 2 of 4 networks, between steps 40 and 60: all 2 relevant bits (2, 5). Ended at step 80."
        );
        assert_eq!(replicas(last, &[], &one), "Ended at step 80; the solution was not found");
        let all: Vec<(usize, u64)> = (0..1000).map(|r| (r, 40)).collect();
        assert_eq!(
            replicas(Phase::Finished(Ending::Target), &all, &[1.0; 1000]),
            "Found by all 1,000 networks, at step 40: all 2 relevant bits (2, 5)."
        );
        assert_eq!(
            replicas(Phase::Running, &[], &one),
            "Learning: 50.0 % of the answers of the median network are right, as with random guessing"
        );
        let lost = [1.0, f32::NAN, 1.0, f32::INFINITY];
        assert_eq!(
            replicas(Phase::Running, &[(0, 40)], &lost),
            "Learning. Found by 1 of 4 networks. Diverged networks: 2."
        );
        assert_eq!(
            replicas(Phase::Finished(Ending::Target), &[(0, 40), (2, 40)], &lost),
            "Found by 2 of 4 networks, at step 40: all 2 relevant bits (2, 5). Diverged networks: 2."
        );
        assert_eq!(replicas(Phase::Paused, &[(0, 40)], &one), "Paused at step 80. Found by 1 of 4 networks");
    }
}
