//! Content of a chart, as a dictionary of arrays.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::numpy_array;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading};

/// Converts the data of a chart to a Python dictionary: arrays of numbers, titles and axis labels.
///
/// # Errors
/// As [`numpy_array`].
pub fn reading_to_dict<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("title", reading.title())?;
    match reading {
        Reading::Lines(lines) => add_lines(py, lines, &all)?,
        Reading::Grid(grid) => add_grid(py, grid, &all)?,
        Reading::Bars(bars) => add_bars(py, bars, &all)?,
    }
    Ok(all)
}

/// Adds the curves of a line chart to the dictionary `dict`, with their values before smoothing.
fn add_lines<'py>(py: Python<'py>, lines: &LineChart, dict: &Bound<'py, PyDict>) -> PyResult<()> {
    dict.set_item("kind", "lines")?;
    dict.set_item("x_label", &lines.x_label)?;
    dict.set_item("y_label", &lines.y_label)?;
    let mut series = vec![];
    for curve in lines.series.iter().filter(|curve| !curve.faint) {
        let one = PyDict::new(py);
        one.set_item("name", &curve.name)?;
        one.set_item("x", numpy_array(py, &curve.x, &[curve.x.len()])?)?;
        // Before they were smoothed.
        let values = if curve.unsmoothed.is_empty() { &curve.y } else { &curve.unsmoothed };
        one.set_item("y", numpy_array(py, values, &[values.len()])?)?;
        if !curve.band.is_empty() {
            let (low, high): (Vec<f32>, Vec<f32>) = curve.band.iter().copied().unzip();
            one.set_item("low", numpy_array(py, &low, &[low.len()])?)?;
            one.set_item("high", numpy_array(py, &high, &[high.len()])?)?;
        }
        series.push(one);
    }
    dict.set_item("series", series)?;
    dict.set_item("references", &lines.reference_lines)?;
    dict.set_item("marks", &lines.marks)
}

/// Adds the values `[rows, columns]` and the row and column names of a heat map to the dictionary `dict`.
fn add_grid<'py>(py: Python<'py>, grid: &Heatmap, dict: &Bound<'py, PyDict>) -> PyResult<()> {
    dict.set_item("kind", "grid")?;
    dict.set_item("x_label", &grid.x_label)?;
    dict.set_item("y_label", &grid.y_label)?;
    dict.set_item("values", numpy_array(py, &grid.values, &[grid.rows, grid.columns])?)?;
    dict.set_item("row_names", &grid.row_names)?;
    dict.set_item("column_names", &grid.column_names)?;
    dict.set_item("marked_rows", &grid.marked_rows)
}

/// Adds the names and heights of the bars of a bar chart to the dictionary `dict`.
fn add_bars<'py>(py: Python<'py>, bars: &BarChart, dict: &Bound<'py, PyDict>) -> PyResult<()> {
    dict.set_item("kind", "bars")?;
    dict.set_item("x_label", &bars.x_label)?;
    dict.set_item("y_label", &bars.y_label)?;
    let (names, heights): (Vec<&str>, Vec<f32>) =
        bars.bars.iter().map(|(name, height)| (name.as_str(), *height)).unzip();
    dict.set_item("names", names)?;
    dict.set_item("heights", numpy_array(py, &heights, &[heights.len()])?)?;
    if !bars.overlay.is_empty() {
        dict.set_item("overlay", numpy_array(py, &bars.overlay, &[bars.overlay.len()])?)?;
        dict.set_item("overlay_name", &bars.overlay_name)?;
    }
    dict.set_item("marked", &bars.marked)
}
