//! Charts and sentences of runs on traces.

use super::state::TracesState;
use super::{presets, texts};
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::permalink::{Link, decode};
use vivarium_view::display::{LabState, WorkProgress};

fn open(text: &str) -> (Link, TracesState) {
    let (link, notices) = decode(text);
    assert!(notices.is_empty(), "{text}: {notices:?}");
    let mut state = TracesState::new(&link.spec, &link).unwrap();
    while state.is_busy() {
        assert_ne!(state.continue_work(PAGE_SLICE_OPERATIONS), WorkProgress::Done);
    }
    (link, state)
}

#[test]
fn a_trace_is_looked_into() {
    let (link, state) = open("#v1/machine-traces?t=24&d=8&heads=2.1&held=64");
    assert_eq!((state.positions.len(), state.attention.heads.len()), (25, 3));
    let (means, even) = state.mean_write_attention().unwrap();
    assert!(means.iter().all(|mean| (mean - even).abs() < 0.1), "nothing is learned yet: {means:?} {even}");
    assert!(state.selected_head(&link.view).is_some());
    assert!(texts::describe_errors(&state).starts_with("Held-out trace 1: "));
    let (_, other) = open("#v1/machine-traces?t=24&d=8&heads=2.1&held=64&example=2");
    assert_ne!(state.positions, other.positions);
    assert_eq!(state.min_loss, other.min_loss);
}

#[test]
fn the_least_loss_of_the_page_is_that_of_the_measurements() {
    let (link, state) = open("#v1/machine-traces?states=3&machine=4&t=40&held=100");
    let evaluator = vivarium_training::session::trace_evaluator::TraceEvaluator::new(&link.spec).unwrap();
    assert_eq!(state.min_loss, evaluator.least());
}

#[test]
fn presets_say_that_they_are_ours_and_claim_no_search() {
    for preset in presets::PRESETS.iter().copied().flatten() {
        assert!(
            preset.remarks.starts_with("Our choices: ") || preset.remarks.starts_with("The settings of "),
            "{}",
            preset.slug
        );
        assert!(!preset.claim.contains("search"), "{}", preset.slug);
        let (link, notices) = decode(preset.link);
        assert!(
            notices.is_empty() && vivarium_model::permalink::encode(&link) == preset.link,
            "{}",
            preset.link
        );
        assert!(
            preset.expectations.iter().any(|expect| format!("{expect:?}").contains("Trace")),
            "{}",
            preset.slug
        );
    }
}
