//! Events along the run of a page.

use crate::state::{Action, State};
use vivarium_model::protocol::Measurement;
use vivarium_view::display::RunPhase;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

/// Returns the descriptions of the run's events.
fn event_text(state: &State) -> String {
    let one = |(step, what): (u64, String)| format!("{step} {what}");
    state.player.events().into_iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn memorising_and_the_target_are_distinguished() {
    let mut state = open("#v1/groups?order=5");
    for (step, accuracy) in [(0, 0.2), (10, 0.995), (20, 1.0)] {
        state.player.run.update_milestones(&Measurement {
            step,
            train_accuracy: vec![accuracy],
            ..Default::default()
        });
    }
    state.player.run.solved = vec![(0, 40)];
    assert_eq!(event_text(&state), "10 training sample memorised; 40 target reached");
    // From a checkpoint before.
    state.player.run.update_milestones(&Measurement {
        step: 5,
        train_accuracy: vec![0.5],
        ..Default::default()
    });
    state.player.run.solved.clear();
    assert_eq!((event_text(&state).as_str(), state.player.run.event_stamp()), ("", 0));
    let mut fresh = open("#v1/sparse-parity?n=20");
    fresh.player.run.update_milestones(&Measurement { train_accuracy: vec![1.0], ..Default::default() });
    assert_eq!(event_text(&fresh), "", "there is no sample to memorise");
}

#[test]
fn of_many_networks_the_first_and_the_last_are_stated() {
    let mut state = open("#v1/sparse-parity?n=9&replicas=4");
    state.player.run.solved = vec![(2, 40), (0, 60)];
    state.player.run.update_milestones(&Measurement {
        step: 50,
        test_loss: vec![1.0, f32::NAN, 1.0, 1.0],
        ..Default::default()
    });
    state.player.run.update_milestones(&Measurement {
        step: 60,
        test_loss: vec![f32::NAN; 4],
        ..Default::default()
    });
    assert_eq!(
        event_text(&state),
        "40 target first reached; 50 diverged networks: 1; 60 target reached by 2 of 4 networks"
    );
    state.player.run.phase = RunPhase::Diverged { step: 61, last_good: 60 };
    assert!(event_text(&state).ends_with("61 loss not finite"));
}

#[test]
fn a_strategy_is_followed_once_it_lasts() {
    let mut state = open("#v1/markov?k=2&t=20");
    let mut next = 0;
    let mut hear = |state: &mut State, which: usize, count: usize| {
        for _ in 0..count {
            let measures = (0..5).map(|of| vec![if of == which { 0.1 } else { 0.5 }]).collect();
            state.player.run.update_milestones(&Measurement { step: next, measures, ..Default::default() });
            next += 10;
        }
    };
    hear(&mut state, 0, 4);
    hear(&mut state, 1, 2);
    hear(&mut state, 0, 4);
    hear(&mut state, 2, 9);
    let events = state.player.events();
    let names: Vec<_> = events.iter().map(|(step, what)| (*step, what.as_str())).collect();
    assert_eq!(names, [(100, "network nearest to the bigram strategy")]);
}
