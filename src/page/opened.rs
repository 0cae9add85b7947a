//! For tests: a page that is opened at a link, what its charts draw, and a measurement.

use super::state::{Action, State};
use vivarium_model::chart::Chart;
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading};
use vivarium_view::display::charts::ChartOfRun;

/// The page at a link of which nothing is ignored.
pub fn opened(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    assert!(state.notices.is_empty(), "{link}: {:?}", state.notices);
    state
}

/// What a chart of curves draws.
pub fn lines(chart: Chart, state: &State) -> Lines {
    match chart.reading(&state.run) {
        Reading::Lines(lines) => lines,
        _ => panic!("{chart:?} draws curves"),
    }
}

/// What a chart of a matrix draws.
pub fn grid(chart: Chart, state: &State) -> Grid {
    match chart.reading(&state.run) {
        Reading::Grid(grid) => grid,
        _ => panic!("{chart:?} draws a matrix"),
    }
}

/// What a chart of bars draws.
pub fn bars(chart: Chart, state: &State) -> Bars {
    match chart.reading(&state.run) {
        Reading::Bars(bars) => bars,
        _ => panic!("{chart:?} draws bars"),
    }
}

/// A measurement of one network that leaves this share of the variance of its labels.
pub fn row(step: u64, error: f32) -> Row {
    let (loss, explained) = (vec![error], vec![1.0 - error]);
    Row {
        step,
        train_loss: loss.clone(),
        test_loss: loss,
        train_accuracy: explained.clone(),
        test_accuracy: explained,
        ..Default::default()
    }
}
