//! The data of a chart as CSV, for the page's menu and for `lab probe`.

use super::{CSV_TYPE, ExportFile, build_record};
use crate::state::State;
use vivarium_model::chart::Chart;
use vivarium_view::display::data::{ChartData, build_chart_record, write_csv};

/// Returns the data that a chart shows at the current step, including the compared runs.
pub fn build_chart_data(state: &State, chart: Chart) -> ChartData {
    ChartData::new(chart, &state.player.run, state.reading_to_step(chart))
}

/// Returns the data of a chart as a CSV file.
pub fn export_chart_csv(state: &State, chart: Chart) -> ExportFile {
    let bytes =
        write_csv(&build_chart_record(&state.player.run), &[build_chart_data(state, chart)]).into_bytes();
    let name = format!("{}-{}.csv", build_record(state, "").file_stem(), chart.slug());
    ExportFile { name, media_type: CSV_TYPE, bytes }
}
