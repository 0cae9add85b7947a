//! The charts of runs on traces.

use crate::opened::open_page;
use vivarium_model::tasks::machine_traces::charts::CHARTS;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;

/// Reading of every chart of a run before its first step.
#[test]
fn every_chart_can_be_drawn_before_the_first_step() {
    for chart in CHARTS {
        let state = open_page("#v1/machine-traces?t=24&d=8&heads=1.1&held=64");
        match chart.reading(&state.player.run) {
            Reading::Lines(lines) => assert!(lines.y_range.is_none_or(|(low, high)| low < high)),
            Reading::Grid(grid) => assert_eq!(grid.values.len(), grid.rows * grid.columns),
            Reading::Bars(_) => {}
        }
    }
}
