//! The chart of the thresholds of a sweep.

use crate::state::{Action, State};
use vivarium_model::chart;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::charts::compute_thresholds;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

#[test]
fn a_threshold_wants_two_settings_that_are_numbers() {
    let applies = |link: &str| chart::THRESHOLD.applies(&open(link).player.run).is_ok();
    assert!(applies("#v1/sparse-boolean?sweep=m:20_40&series=n:25_50"));
    for other in ["", "?sweep=m:20_40", "?sweep=m:20_40&series=ln:yes_no", "?sweep=fn:and_or&series=n:25_50"]
    {
        assert!(!applies(&format!("#v1/sparse-boolean{other}")), "{other}");
    }
}

#[test]
fn thresholds_are_of_the_best_of_each_group_and_stated() {
    let mut state = open("#v1/sparse-boolean?sweep=m:20_30_40&series=n:25_50");
    let sweep = state.player.run.sweep.as_mut().unwrap();
    let cell = |some: usize| (0..5).map(|i| (i < some).then_some(40)).collect::<Vec<_>>();
    // m = 20, then 30, then 40; each at T = 25 and T = 50.
    sweep.solved_steps = [4, 0, 5, 3].map(cell).to_vec();
    assert_eq!(
        compute_thresholds(&state.player.run.link.spec, state.player.run.sweep.as_ref().unwrap()).unwrap(),
        [(25.0, Some(20.0)), (50.0, None)]
    );
    state.player.run.sweep.as_mut().unwrap().solved_steps.extend([5, 4].map(cell));
    let text = chart::THRESHOLD.summary(&state.player.run);
    assert_eq!(
        text,
        "Smallest m at which at least 80 % of the trials succeed: 20 at T = 25, 40 at T = 50. When T doubles, the smallest m grows by about 20.000."
    );
    let Reading::Lines(lines) = chart::THRESHOLD.reading(&state.player.run) else { panic!("curves") };
    assert_eq!(lines.series[0].y, [20.0, 40.0]);
}
