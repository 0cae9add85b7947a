//! Predictions of theory for the run on the page.

use crate::state::{Action, State};
use vivarium_labs::perceptron::theory::*;
use vivarium_model::protocol::Measurement;

#[test]
fn theory_and_measurement_stand_side_by_side() {
    let mut state = State::default();
    state.apply(Action::Open("#v1/teacher-student".into()));
    state.player.run.add_measurement(Measurement {
        step: 500,
        test_accuracy: vec![0.84],
        ..Default::default()
    });
    let text = describe_run(&state.player.run);
    assert!(
        text[0].starts_with("So far the student has been trained on 5.00 examples per weight. Share of wrong answers on held-out examples: 16.0 %"),
        "{}",
        text[0]
    );
    assert_eq!(text[1], "Theory predicts that 16.2 % of the answers to new inputs are wrong.");
    assert!(describe_hebb(20).contains("8.6 %"), "{}", describe_hebb(20));
    state.apply(Action::Open("#v1/teacher-student?loss=hinge".into()));
    assert!(describe_run(&state.player.run)[1].starts_with("This run does not use Hebb's rule"));
}
