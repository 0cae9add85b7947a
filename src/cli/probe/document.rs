//! What `lab probe` writes: charts and arrays as CSV, JSON or npz.

use std::borrow::Cow;

use anyhow::Context;
use serde::Serialize;

use super::npz::{Array, Values, archive};
use vivarium_model::models::inside::Inside;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading};
use vivarium_view::display::data::{ChartData, Place, csv, name};
use vivarium_view::record::Record;

/// The name of the JSON format, and its version.
const FORMAT: &str = "vivarium-data";
const VERSION: u64 = 1;

/// An array at a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// Training steps made.
    pub step: u64,
    /// The array.
    pub array: Inside,
}

/// All that was asked for.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// What is said of the run.
    pub about: Record,
    /// Charts, step by step.
    pub charts: Vec<ChartData>,
    /// Arrays, step by step.
    pub arrays: Vec<Taken>,
}

/// What follows what is said of the run.
#[derive(Serialize)]
struct Taking<'a> {
    charts: Vec<Of<'a>>,
    arrays: Vec<Block<'a>>,
}

/// A chart.
#[derive(Serialize)]
struct Of<'a> {
    chart: &'static str,
    step: u64,
    title: &'a str,
    /// What is along the horizontal axis.
    x: &'a str,
    /// What is along the vertical axis.
    y: &'a str,
    #[serde(flatten)]
    shape: Option<Shape<'a>>,
}

/// The numbers of a chart by its shape.
#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "shape")]
enum Shape<'a> {
    Curves {
        curves: Vec<Curve<'a>>,
        references: Vec<Named<'a>>,
        marks: Vec<Named<'a>>,
        spans: Vec<Part<'a>>,
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

#[derive(Serialize)]
struct Curve<'a> {
    name: &'a str,
    x: &'a [f64],
    value: &'a [f32],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low: Vec<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    high: Vec<f32>,
    #[serde(skip_serializing_if = "<[f32]>::is_empty")]
    unsmoothed: &'a [f32],
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    at: f64,
}

#[derive(Serialize)]
struct Part<'a> {
    name: &'a str,
    from: f64,
    to: f64,
}

/// An array.
#[derive(Serialize)]
struct Block<'a> {
    array: &'a str,
    step: u64,
    axes: &'a [&'static str],
    shape: &'a [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [f32]>,
}

fn curves(lines: &Lines) -> Shape<'_> {
    let curves = lines.series.iter().map(|series| {
        let (low, high) = series.band.iter().copied().unzip();
        Curve { name: &series.name, x: &series.x, value: &series.y, low, high, unsmoothed: &series.raw }
    });
    Shape::Curves {
        curves: curves.collect(),
        references: lines.references.iter().map(|(at, name)| Named { name, at: *at }).collect(),
        marks: lines.marks.iter().map(|(at, name)| Named { name, at: *at }).collect(),
        spans: lines
            .spans
            .iter()
            .map(|span| Part { name: &span.name, from: span.from, to: span.to })
            .collect(),
    }
}

fn matrix(grid: &Grid) -> Shape<'_> {
    Shape::Matrix {
        rows: (0..grid.rows).map(|at| name(&grid.row_names, at)).collect(),
        columns: (0..grid.columns).map(|at| name(&grid.column_names, at)).collect(),
        values: grid.values.chunks(grid.columns.max(1)).collect(),
        texts: &grid.texts,
    }
}

fn bars(bars: &Bars) -> Shape<'_> {
    Shape::Bars {
        bars: bars.bars.iter().map(|bar| bar.0.as_str()).collect(),
        values: bars.bars.iter().map(|bar| bar.1).collect(),
        marked: bars.marked.iter().filter_map(|at| Some(bars.bars.get(*at)?.0.as_str())).collect(),
        marked_name: &bars.marked_name,
        line: &bars.overlay,
        line_name: &bars.overlay_name,
    }
}

/// What is said of a chart, with its numbers or without.
fn of(data: &ChartData, with_numbers: bool) -> Of<'_> {
    let (title, x, y, shape) = match &data.reading {
        Reading::Lines(lines) => (&lines.title, &lines.x_label, &lines.y_label, curves(lines)),
        Reading::Grid(grid) => (&grid.title, &grid.x_label, &grid.y_label, matrix(grid)),
        Reading::Bars(all) => (&all.title, &all.x_label, &all.y_label, bars(all)),
    };
    Of { chart: data.chart, step: data.step, title, x, y, shape: with_numbers.then_some(shape) }
}

impl Document {
    /// The document, with its numbers or without.
    fn json(&self, with_numbers: bool) -> Result<String, anyhow::Error> {
        let taken = Taking {
            charts: self.charts.iter().map(|data| of(data, with_numbers)).collect(),
            arrays: self
                .arrays
                .iter()
                .map(|Taken { step, array }| Block {
                    array: &array.name,
                    step: *step,
                    axes: &array.axes,
                    shape: &array.shape,
                    values: with_numbers.then_some(&array.values[..]),
                })
                .collect(),
        };
        let taken = serde_json::to_string(&taken).context("the data cannot be written as JSON")?;
        // As in the file of the run, which is written by hand.
        let about = self.about.json_about().join(",");
        let taken = taken.trim_start_matches('{');
        Ok(format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},{about},{taken}"))
    }

    /// The table of all charts.
    pub fn to_csv(&self) -> String {
        csv(&self.about, &self.charts)
    }

    /// All of it as one object; a number that is not finite is null.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_json(&self) -> Result<String, anyhow::Error> {
        Ok(self.json(true)? + "\n")
    }

    /// All of it as arrays.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_npz(&self) -> Result<Vec<u8>, anyhow::Error> {
        let about = self.json(false)?;
        let mut arrays =
            vec![Array { name: "about".into(), shape: vec![], values: Values::Text(vec![about]) }];
        for data in &self.charts {
            arrays.extend(of_chart(data));
        }
        for Taken { step, array } in &self.arrays {
            let name = format!("{}/{step}", array.name);
            let values = Values::Single(array.values.clone());
            arrays.push(Array { name, shape: array.shape.clone(), values });
        }
        archive(&arrays).context("the data cannot be written as npz")
    }
}

/// A matrix as two axes with the names of its rows and columns; anything else as the columns of the table.
fn of_chart(data: &ChartData) -> Vec<Array> {
    let array = |what: &str, shape: Vec<usize>, values| Array {
        name: format!("{}/{}/{what}", data.chart, data.step),
        shape,
        values,
    };
    if let Reading::Grid(grid) = &data.reading {
        let names = |names: &[String], count: usize| {
            Values::Text((0..count).map(|at| name(names, at).into_owned()).collect())
        };
        // Where there are no weights yet, a matrix may have a size and no numbers.
        let shape = if grid.values.is_empty() { vec![0, 0] } else { vec![grid.rows, grid.columns] };
        return vec![
            array("values", shape, Values::Single(grid.values.clone())),
            array("rows", vec![grid.rows], names(&grid.row_names, grid.rows)),
            array("columns", vec![grid.columns], names(&grid.column_names, grid.columns)),
        ];
    }
    let lines = data.data();
    let count = vec![lines.len()];
    let texts = |of: &dyn Fn(usize) -> String| Values::Text((0..lines.len()).map(of).collect());
    let single = |of: &dyn Fn(usize) -> Option<f32>| {
        Values::Single((0..lines.len()).map(|at| of(at).unwrap_or(f32::NAN)).collect())
    };
    let x = match &data.reading {
        Reading::Bars(_) => texts(&|at| match &lines[at].x {
            Place::Name(name) => name.to_string(),
            other => other.to_string(),
        }),
        _ => Values::Double(
            lines.iter().map(|datum| if let Place::Number(x) = datum.x { x } else { f64::NAN }).collect(),
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
