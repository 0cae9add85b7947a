//! The status line of runs with many networks.

use crate::state::{Action, State};
use vivarium_model::protocol::{EndReason, Measurement};
use vivarium_player::status::status_line;
use vivarium_view::display::RunPhase;

fn replicas(phase: RunPhase, solved: &[(usize, u64)], losses: &[f32]) -> String {
    let mut state = State::default();
    state.apply(Action::Open(format!("#v1/sparse-parity?n=9&replicas={}", losses.len())));
    let same = vec![0.5; losses.len()];
    state.player.run.history.push(Measurement {
        step: 80,
        train_loss: same.clone(),
        train_accuracy: same.clone(),
        test_loss: losses.to_vec(),
        test_accuracy: same,
        ..Default::default()
    });
    (state.player.run.step, state.player.run.relevant) = (80, vec![1, 4]);
    (state.player.run.phase, state.player.run.solved) = (phase, solved.to_vec());
    status_line(&state.player)
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
    assert_eq!(replicas(RunPhase::Paused, &[(0, 40)], &one), "Paused at step 80. Found by 1 of 4 networks");
    // Still finite, but far above the loss of the others.
    assert_eq!(
        replicas(RunPhase::Paused, &[(0, 40)], &[1.0, 2.5e21, 1.0, 1.0]),
        "Paused at step 80. Found by 1 of 4 networks. Diverged networks: 1."
    );
}

/// Without weight decay, a network goes on to make the loss of memorised pairs smaller.
#[test]
fn a_loss_below_the_rounding_error_is_stated_at_the_end() {
    let status = |phase: RunPhase, train_loss: f32| {
        let mut state = State::default();
        state.apply(Action::Open("#v1/groups?n=7&frac=0.6&lambda=0&wd=0&steps=80".into()));
        state.player.run.history.push(Measurement {
            step: 80,
            train_loss: vec![train_loss],
            train_accuracy: vec![1.0],
            test_loss: vec![12.0],
            test_accuracy: vec![0.1],
            ..Default::default()
        });
        (state.player.run.step, state.player.run.phase) = (80, phase);
        status_line(&state.player)
    };
    let sentence = "The training loss is below the rounding error of single precision";
    let last = || RunPhase::Finished(EndReason::LastStep);
    assert!(status(last(), 2e-10).contains(sentence), "{}", status(last(), 2e-10));
    assert!(status(last(), 0.0).contains(sentence));
    for (phase, loss) in [(last(), 1e-6), (last(), f32::NAN), (RunPhase::Paused, 2e-10)] {
        assert!(!status(phase, loss).contains(sentence), "{loss}");
    }
}
