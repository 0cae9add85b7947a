//! The output of `lab probe`: charts and arrays as CSV, JSON or npz.

use std::borrow::Cow;

use anyhow::Context;
use serde::Serialize;

use super::npz::{NpyArray, NpyValues, encode_npz};
use vivarium_model::models::inside::Inside;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading};
use vivarium_view::display::data::{AxisPosition, ChartData, name_at, write_csv};
use vivarium_view::record::Record;

/// Name of the JSON format of `lab probe`, written under the key `format`.
const FORMAT_NAME: &str = "vivarium-data";
/// Version of the JSON format of `lab probe`, written under the key `version`.
const FORMAT_VERSION: u64 = 1;

/// An array of numbers inside the first network (activations, attention weights, outputs or their inputs) at
/// a training step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepArray {
    /// Training step at which the array was computed.
    pub step: u64,
    /// The array with its name, the names and lengths of its axes, and its numbers.
    pub array: Inside,
}

/// Data of `lab probe`: charts and arrays at all probed steps.
#[derive(Debug, Clone, Default)]
pub struct ProbeDocument {
    /// Description of the probed run: link, environment and last step.
    pub about: Record,
    /// Numbers of each chart at each probed step, in the order of steps.
    pub charts: Vec<ChartData>,
    /// Arrays inside the first network at each probed step, in the order of steps.
    pub arrays: Vec<StepArray>,
}

/// JSON object with all charts and arrays; the description of the run is written before it.
#[derive(Serialize)]
struct DocumentJson<'a> {
    /// Charts at all probed training steps, in the order of steps.
    charts: Vec<ChartDataJson<'a>>,
    /// Arrays inside the network at all probed steps.
    arrays: Vec<ArrayJson<'a>>,
}

/// JSON object of a chart at a step.
#[derive(Serialize)]
struct ChartDataJson<'a> {
    /// Name of the chart in links, such as `loss`.
    chart: &'static str,
    /// Training step at which the numbers of the chart were read.
    step: u64,
    /// Title of the chart.
    title: &'a str,
    /// Label of the horizontal axis of the chart.
    x: &'a str,
    /// Label of the vertical axis of the chart.
    y: &'a str,
    /// Curves, matrix or bars with their numbers; None if the numbers are left out.
    #[serde(flatten)]
    shape: Option<ChartNumbersJson<'a>>,
}

/// JSON object of the numbers of a line chart, heat map or bar chart.
#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "shape")]
enum ChartNumbersJson<'a> {
    Curves {
        curves: Vec<CurveJson<'a>>,
        references: Vec<MarkJson<'a>>,
        marks: Vec<MarkJson<'a>>,
        spans: Vec<SpanJson<'a>>,
    },
    Matrix {
        rows: Vec<Cow<'a, str>>,
        columns: Vec<Cow<'a, str>>,
        values: Vec<&'a [f32]>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        texts: &'a [String],
    },
    Bars {
        bars: Vec<&'a str>,
        values: Vec<f32>,
        marked: Vec<&'a str>,
        #[serde(skip_serializing_if = "str::is_empty")]
        marked_name: &'a str,
        #[serde(skip_serializing_if = "<[f32]>::is_empty")]
        line: &'a [f32],
        #[serde(skip_serializing_if = "str::is_empty")]
        line_name: &'a str,
    },
}

/// JSON object of a curve, with the lower and upper bounds of its band.
#[derive(Serialize)]
struct CurveJson<'a> {
    /// Name of the curve in the legend.
    name: &'a str,
    /// Position of each point on the horizontal axis, for example its training step.
    x: &'a [f64],
    /// Drawn value of each point, which may be smoothed.
    value: &'a [f32],
    /// Lower bound of the band at each point; empty without a band.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low: Vec<f32>,
    /// Upper bound of the band at each point; empty without a band.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    high: Vec<f32>,
    /// Value of each point before smoothing; empty if the curve is not smoothed.
    #[serde(skip_serializing_if = "<[f32]>::is_empty")]
    unsmoothed: &'a [f32],
}

/// JSON object of a horizontal reference line or a vertical mark of a line chart.
#[derive(Serialize)]
struct MarkJson<'a> {
    /// Name of the reference line or mark in the chart.
    name: &'a str,
    /// Value on the axis: the vertical one for a reference line, the horizontal one for a mark.
    at: f64,
}

/// JSON object of a marked interval of the horizontal axis.
#[derive(Serialize)]
struct SpanJson<'a> {
    /// Name of the interval.
    name: &'a str,
    /// Start of the interval on the horizontal axis, in the unit of the axis.
    from: f64,
    /// End of the interval on the horizontal axis, in the unit of the axis.
    to: f64,
}

/// JSON object of an array at a step.
#[derive(Serialize)]
struct ArrayJson<'a> {
    /// Name of the array, such as `inputs` or `labels`.
    array: &'a str,
    /// Training step at which the array was computed.
    step: u64,
    /// Names of the axes in order, such as "example" and "column".
    axes: &'a [&'static str],
    /// Length of each axis, in the order of `axes`.
    shape: &'a [usize],
    /// Numbers of the array, with the last axis varying fastest; None if they are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [f32]>,
}

/// JSON object of the numbers of a line chart.
fn curves_json(lines: &LineChart) -> ChartNumbersJson<'_> {
    let curves = lines.series.iter().map(|series| {
        let (low, high) = series.band.iter().copied().unzip();
        CurveJson {
            name: &series.name,
            x: &series.x,
            value: &series.y,
            low,
            high,
            unsmoothed: &series.unsmoothed,
        }
    });
    ChartNumbersJson::Curves {
        curves: curves.collect(),
        references: lines.reference_lines.iter().map(|(at, name)| MarkJson { name, at: *at }).collect(),
        marks: lines.marks.iter().map(|(at, name)| MarkJson { name, at: *at }).collect(),
        spans: lines
            .spans
            .iter()
            .map(|span| SpanJson { name: &span.name, from: span.from, to: span.to })
            .collect(),
    }
}

/// JSON object of the numbers of a heat map.
fn matrix_json(grid: &Heatmap) -> ChartNumbersJson<'_> {
    ChartNumbersJson::Matrix {
        rows: (0..grid.rows).map(|at| name_at(&grid.row_names, at)).collect(),
        columns: (0..grid.columns).map(|at| name_at(&grid.column_names, at)).collect(),
        values: grid.values.chunks(grid.columns.max(1)).collect(),
        texts: &grid.texts,
    }
}

/// JSON object of the numbers of a bar chart.
fn bars_json(bars: &BarChart) -> ChartNumbersJson<'_> {
    ChartNumbersJson::Bars {
        bars: bars.bars.iter().map(|bar| bar.0.as_str()).collect(),
        values: bars.bars.iter().map(|bar| bar.1).collect(),
        marked: bars.marked.iter().filter_map(|at| Some(bars.bars.get(*at)?.0.as_str())).collect(),
        marked_name: &bars.marked_name,
        line: &bars.overlay,
        line_name: &bars.overlay_name,
    }
}

/// JSON object of a chart, with or without its numbers.
fn chart_json(data: &ChartData, with_numbers: bool) -> ChartDataJson<'_> {
    let (title, x, y, shape) = match &data.reading {
        Reading::Lines(lines) => (&lines.title, &lines.x_label, &lines.y_label, curves_json(lines)),
        Reading::Grid(grid) => (&grid.title, &grid.x_label, &grid.y_label, matrix_json(grid)),
        Reading::Bars(all) => (&all.title, &all.x_label, &all.y_label, bars_json(all)),
    };
    ChartDataJson { chart: data.chart, step: data.step, title, x, y, shape: with_numbers.then_some(shape) }
}

impl ProbeDocument {
    /// The document as JSON: description of the run, charts and arrays; without `with_numbers` the numbers
    /// are left out.
    fn encode_json(&self, with_numbers: bool) -> Result<String, anyhow::Error> {
        let taken = DocumentJson {
            charts: self.charts.iter().map(|data| chart_json(data, with_numbers)).collect(),
            arrays: self
                .arrays
                .iter()
                .map(|StepArray { step, array }| ArrayJson {
                    array: &array.name,
                    step: *step,
                    axes: &array.axes,
                    shape: &array.shape,
                    values: with_numbers.then_some(&array.values[..]),
                })
                .collect(),
        };
        let taken = serde_json::to_string(&taken).context("the data cannot be written as JSON")?;
        // The description is formatted as in the file of a run.
        let about = self.about.json_about().join(",");
        let taken = taken.trim_start_matches('{');
        Ok(format!("{{\"format\":\"{FORMAT_NAME}\",\"version\":{FORMAT_VERSION},{about},{taken}"))
    }

    /// The numbers of all charts as one CSV table.
    pub fn to_csv(&self) -> String {
        write_csv(&self.about, &self.charts)
    }

    /// The whole document as a JSON object; a number that is not finite is null.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_json(&self) -> Result<String, anyhow::Error> {
        Ok(self.encode_json(true)? + "\n")
    }

    /// The whole document as numpy arrays; the description of the run is the text array `about`.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_npz(&self) -> Result<Vec<u8>, anyhow::Error> {
        let about = self.encode_json(false)?;
        let mut arrays =
            vec![NpyArray { name: "about".into(), shape: vec![], values: NpyValues::Text(vec![about]) }];
        for data in &self.charts {
            arrays.extend(chart_arrays(data));
        }
        for StepArray { step, array } in &self.arrays {
            let name = format!("{}/{step}", array.name);
            let values = NpyValues::Single(array.values.clone());
            arrays.push(NpyArray { name, shape: array.shape.clone(), values });
        }
        encode_npz(&arrays).context("the data cannot be written as npz")
    }
}

/// Arrays of a chart: a heat map with the names of its rows and columns, or the columns of the CSV table of
/// any other chart.
fn chart_arrays(data: &ChartData) -> Vec<NpyArray> {
    let array = |what: &str, shape: Vec<usize>, values| NpyArray {
        name: format!("{}/{}/{what}", data.chart, data.step),
        shape,
        values,
    };
    if let Reading::Grid(grid) = &data.reading {
        let names = |names: &[String], count: usize| {
            NpyValues::Text((0..count).map(|at| name_at(names, at).into_owned()).collect())
        };
        // Before there are weights, a heat map has a size and no numbers.
        let shape = if grid.values.is_empty() { vec![0, 0] } else { vec![grid.rows, grid.columns] };
        return vec![
            array("values", shape, NpyValues::Single(grid.values.clone())),
            array("rows", vec![grid.rows], names(&grid.row_names, grid.rows)),
            array("columns", vec![grid.columns], names(&grid.column_names, grid.columns)),
        ];
    }
    let lines = data.data();
    let count = vec![lines.len()];
    let texts = |of: &dyn Fn(usize) -> String| NpyValues::Text((0..lines.len()).map(of).collect());
    let single = |of: &dyn Fn(usize) -> Option<f32>| {
        NpyValues::Single((0..lines.len()).map(|at| of(at).unwrap_or(f32::NAN)).collect())
    };
    let x = match &data.reading {
        Reading::Bars(_) => texts(&|at| match &lines[at].x {
            AxisPosition::Name(name) => name.to_string(),
            other => other.to_string(),
        }),
        _ => NpyValues::Double(
            lines
                .iter()
                .map(|datum| if let AxisPosition::Number(x) = datum.x { x } else { f64::NAN })
                .collect(),
        ),
    };
    vec![
        array("kind", count.clone(), texts(&|at| lines[at].kind.into())),
        array("name", count.clone(), texts(&|at| lines[at].name.into())),
        array("x", count.clone(), x),
        array("value", count.clone(), single(&|at| lines[at].value)),
        array("low", count.clone(), single(&|at| lines[at].band.map(|band| band.0))),
        array("high", count, single(&|at| lines[at].band.map(|band| band.1))),
    ]
}
