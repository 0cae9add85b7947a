//! Medians over networks, some of which have diverged.

use crate::opened::open_page;
use vivarium_model::protocol::Measurement;
use vivarium_view::display::sweep::{SweepRunResult, median_measures};
use vivarium_view::display::words::format_decimal;

/// Three networks, the last of which has diverged, with two further measures.
fn row() -> Measurement {
    Measurement {
        step: 10,
        train_loss: vec![0.5, 0.5, 1e9],
        test_loss: vec![0.25, 0.5, 1e9],
        train_accuracy: vec![0.75, 0.5, 0.0],
        test_accuracy: vec![0.75, 0.5, 0.0],
        measures: vec![vec![1.0, 3.0, 50.0], vec![]],
        ..Default::default()
    }
}

#[test]
fn networks_that_have_diverged_leave_the_medians_of_a_run() {
    let mut state = open_page("#v1/sparse-parity?replicas=3");
    assert_eq!(state.player.run.latest_accuracy(), 0.0);
    state.player.run.add_measurement(row());
    assert_eq!(state.player.run.latest_accuracy(), 0.625);
    let result = SweepRunResult::of(state.player.run.spec(), &[None; 3], &state.player.run.history);
    assert_eq!((result.final_metrics, result.final_measures[0]), ([0.375, 0.625], 2.0));
    assert_eq!(median_measures(Some(&row()), true)[0], 3.0, "a run that trains nothing cannot diverge");
}

#[test]
fn texts_of_labs_leave_out_networks_that_have_diverged() {
    for (lab, median) in
        [("markov", 0.375), ("in-context-learning", 0.625), ("sparse-token-regression", 0.375)]
    {
        let mut state = open_page(&format!("#v1/{lab}?replicas=3"));
        state.player.run.add_measurement(row());
        let describe = state.player.run.lazy_lab().unwrap().describe_learning;
        let text = describe(&state.player.run).unwrap();
        assert!(text.contains(&format_decimal(median)), "{lab}: {text}");
    }
}
