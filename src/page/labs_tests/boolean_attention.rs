//! The chart of attention example by example, and what is said of it.

use crate::state::{Action, State};
use vivarium_labs::boolean::attention::relevant_attention_by_head;
use vivarium_labs::boolean::probes::CLS_ATTENTION;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::tasks::sparse_boolean::charts;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

#[test]
fn looks_are_of_one_head_or_of_all() {
    let mut state = open("#v1/sparse-boolean?n=3&k=1&s=2&m=20&heads=2&show=looks");
    assert!(charts::LOOKS.summary(&state.player.run).contains("yet"));
    // Two examples of two heads on three bits and [CLS].
    let numbers = vec![0.1, 0.8, 0.1, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0, 0.6, 0.4, 0.0, 0.5, 0.25, 0.0, 0.25];
    state
        .player
        .run
        .add_result(1, ProbeResult::new(CLS_ATTENTION.id()).with_counts([2]).with_numbers(numbers));
    let near = |(a, b): (&f32, f32)| (a - b).abs() < 1e-6;
    assert!(relevant_attention_by_head(&state.player.run).iter().zip([0.7, 0.25]).all(near));
    assert!(
        charts::LOOKS.summary(&state.player.run).starts_with("47.5 % of the attention of 2 heads"),
        "{}",
        charts::LOOKS.summary(&state.player.run)
    );
    let stamp = charts::LOOKS.stamp(&state.player.run);
    state.apply(Action::Edit("head".into(), "1".into()));
    assert!(
        charts::LOOKS.summary(&state.player.run).starts_with("Head 1: 70.0 %")
            && stamp != charts::LOOKS.stamp(&state.player.run)
    );
    let Reading::Lines(lines) = charts::LOOKS.reading(&state.player.run) else { panic!("dots") };
    let [other, relevant] = &lines.series[..] else { panic!("two kinds") };
    assert_eq!(
        (relevant.x.as_slice(), relevant.y.as_slice()),
        ([2.0, 2.0].as_slice(), [0.8, 0.6].as_slice())
    );
    assert_eq!(other.y.len(), 4);
}
