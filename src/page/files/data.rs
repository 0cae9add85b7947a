//! The data of a chart, as the page's menu saves them and as `lab probe` writes them.

use super::{Saved, record};
use crate::state::State;
use vivarium_model::chart::Chart;
use vivarium_view::display::data::{ChartData, about_charts, csv};

/// What a chart shows at the step on display, with the curves of the runs that are compared.
pub fn chart_data(state: &State, chart: Chart) -> ChartData {
    ChartData::new(chart, &state.run, state.reading_to_step(chart))
}

/// The file with the data of one chart.
pub fn chart_csv(state: &State, chart: Chart) -> Saved {
    let bytes = csv(&about_charts(&state.run), &[chart_data(state, chart)]).into_bytes();
    let name = format!("{}-{}.csv", record(state, "").name(), chart.slug());
    Saved { name, kind: "text/csv", bytes }
}
