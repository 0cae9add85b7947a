//! For tests: opening a page at a link, the readings of its charts, and a measurement.

use super::state::{Action, State};
use vivarium_model::chart::Chart;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading};
use vivarium_view::display::charts::ChartOfRun;

/// For tests: returns the state of a page opened at a link; panics if part of the link is ignored.
pub fn open_page(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    assert!(state.notices.is_empty(), "{link}: {:?}", state.notices);
    state
}

/// For tests: returns the curves that a chart draws; panics for a chart that draws no curves.
pub fn chart_lines(chart: Chart, state: &State) -> LineChart {
    match chart.reading(&state.player.run) {
        Reading::Lines(lines) => lines,
        _ => panic!("{chart:?} draws curves"),
    }
}

/// For tests: returns the matrix that a chart draws; panics for a chart that draws no matrix.
pub fn chart_grid(chart: Chart, state: &State) -> Heatmap {
    match chart.reading(&state.player.run) {
        Reading::Grid(grid) => grid,
        _ => panic!("{chart:?} draws a matrix"),
    }
}

/// For tests: returns the bars that a chart draws; panics for a chart that draws no bars.
pub fn chart_bars(chart: Chart, state: &State) -> BarChart {
    match chart.reading(&state.player.run) {
        Reading::Bars(bars) => bars,
        _ => panic!("{chart:?} draws bars"),
    }
}

/// For tests: returns a measurement of one network at a step, with loss `error` and accuracy `1 - error`.
pub fn measurement_row(step: u64, error: f32) -> Measurement {
    let (loss, explained) = (vec![error], vec![1.0 - error]);
    Measurement {
        step,
        train_loss: loss.clone(),
        test_loss: loss,
        train_accuracy: explained.clone(),
        test_accuracy: explained,
        ..Default::default()
    }
}
