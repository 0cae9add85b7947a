//! Chance, on the page of a sparse Boolean function.

use crate::state::{Action, State};
use vivarium_model::chart;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::{RunPhase, status};

/// Of the inputs of (x1 ^ x2) & x3 a quarter has the label 1, so that always answering 0 is right on 75 %.
#[test]
fn chance_is_the_share_of_the_more_common_label() {
    let mut state = State::default();
    for (query, chance, text, beaten) in [
        ("fn=own&own=(x1_@_x2)_*_x3&m=0&batch=32", 0.75, "chance is 75.0 %.", false),
        ("fn=own&own=x1_@_(x2_*_x3)&m=0&batch=32", 0.5, "chance is 50.0 %.", true),
        ("fn=and", 0.5, "chance is 50.0 %.", true),
    ] {
        state.apply(Action::Open(format!("#v1/sparse-boolean?{query}")));
        let Reading::Lines(lines) = chart::ACCURACY.reading(&state.player.run) else { panic!("curves") };
        assert_eq!(lines.reference_lines, [(chance, "chance".to_string())], "{query}");
        assert!(chart::ACCURACY.summary(&state.player.run).ends_with(text), "{query}");
        // 76 % of the answers are no better than guessing where one label has three quarters of the inputs.
        state.player.run.phase = RunPhase::Running;
        state.player.run.history.push(Measurement {
            step: 5,
            train_loss: vec![0.9],
            test_loss: vec![0.9],
            train_accuracy: vec![0.76],
            test_accuracy: vec![0.76],
            ..Measurement::default()
        });
        let line = status::describe_status(&state.player.run, String::new);
        assert_eq!(line.ends_with(", more than with random guessing"), beaten, "{line}");
        assert_eq!(line.ends_with(", as with random guessing"), !beaten, "{line}");
    }
}
