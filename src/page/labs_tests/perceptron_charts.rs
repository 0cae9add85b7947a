//! The chart of the overlap of a page's run.

use crate::state::{Action, State};
use vivarium_labs::perceptron::probes::OVERLAP;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::tasks::teacher_student::charts;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;

#[test]
fn theory_stands_next_to_hebbs_rule_alone() {
    let curves = |link: &str| {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state.player.run.step = 100;
        state.player.run.add_result(100, ProbeResult::new(OVERLAP.id()).with_few_numbers([0.5]));
        match charts::OVERLAP.reading(&state.player.run) {
            Reading::Lines(lines) => lines.series.len(),
            _ => 0,
        }
    };
    assert_eq!(curves("#v1/teacher-student"), 2);
    for other in ["loss=hinge", "cool=cosine", "m=50", "begin=gaussian", "opt=adam", "lrs=50:0.1"] {
        assert_eq!(curves(&format!("#v1/teacher-student?{other}")), 1, "{other}");
    }
}
