//! What a chart shows, as a dictionary of arrays.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::array;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading};

/// The numbers of a reading, with its words.
///
/// # Errors
/// As [`array`].
pub fn dictionary<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("title", reading.title())?;
    match reading {
        Reading::Lines(lines) => of_lines(py, lines, &all)?,
        Reading::Grid(grid) => of_grid(py, grid, &all)?,
        Reading::Bars(bars) => of_bars(py, bars, &all)?,
    }
    Ok(all)
}

fn of_lines<'py>(py: Python<'py>, lines: &Lines, all: &Bound<'py, PyDict>) -> PyResult<()> {
    all.set_item("kind", "lines")?;
    all.set_item("x_label", &lines.x_label)?;
    all.set_item("y_label", &lines.y_label)?;
    let mut series = vec![];
    for curve in lines.series.iter().filter(|curve| !curve.faint) {
        let one = PyDict::new(py);
        one.set_item("name", &curve.name)?;
        one.set_item("x", array(py, &curve.x, &[curve.x.len()])?)?;
        // Before they were smoothed.
        let values = if curve.raw.is_empty() { &curve.y } else { &curve.raw };
        one.set_item("y", array(py, values, &[values.len()])?)?;
        if !curve.band.is_empty() {
            let (low, high): (Vec<f32>, Vec<f32>) = curve.band.iter().copied().unzip();
            one.set_item("low", array(py, &low, &[low.len()])?)?;
            one.set_item("high", array(py, &high, &[high.len()])?)?;
        }
        series.push(one);
    }
    all.set_item("series", series)?;
    all.set_item("references", &lines.references)?;
    all.set_item("marks", &lines.marks)
}

fn of_grid<'py>(py: Python<'py>, grid: &Grid, all: &Bound<'py, PyDict>) -> PyResult<()> {
    all.set_item("kind", "grid")?;
    all.set_item("x_label", &grid.x_label)?;
    all.set_item("y_label", &grid.y_label)?;
    all.set_item("values", array(py, &grid.values, &[grid.rows, grid.columns])?)?;
    all.set_item("row_names", &grid.row_names)?;
    all.set_item("column_names", &grid.column_names)?;
    all.set_item("marked_rows", &grid.marked_rows)
}

fn of_bars<'py>(py: Python<'py>, bars: &Bars, all: &Bound<'py, PyDict>) -> PyResult<()> {
    all.set_item("kind", "bars")?;
    all.set_item("x_label", &bars.x_label)?;
    all.set_item("y_label", &bars.y_label)?;
    let (names, heights): (Vec<&str>, Vec<f32>) =
        bars.bars.iter().map(|(name, height)| (name.as_str(), *height)).unzip();
    all.set_item("names", names)?;
    all.set_item("heights", array(py, &heights, &[heights.len()])?)?;
    if !bars.overlay.is_empty() {
        all.set_item("overlay", array(py, &bars.overlay, &[bars.overlay.len()])?)?;
        all.set_item("overlay_name", &bars.overlay_name)?;
    }
    all.set_item("marked", &bars.marked)
}
