//! Analysis functions: from plain arrays to a [`Reading`], the data of a chart.

pub mod attention;
pub mod binomial;
pub mod bootstrap;
pub mod chains;
pub mod convergence;
pub mod curves;
pub mod data_table;
pub mod disjoint;
pub mod ends;
pub mod gap;
pub mod gradient;
pub mod heads;
mod histogram;
pub mod majority;
pub mod movement;
pub mod neurons;
pub mod packed;
pub mod parity_neurons;
pub mod progress;
pub mod rank;
pub mod recovery;
pub mod replicas;
pub mod resources;
pub mod scaling;
mod smoothing;
pub mod sparsity;
pub mod spectrum;
pub mod theory;
pub mod thinned;
pub mod threshold;
pub mod tickets;
pub mod walsh;
pub mod weights;
mod zoom;

use std::ops::Range;

/// Data of one chart, measured on a network or a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// A line chart.
    Lines(LineChart),
    /// A heat map.
    Grid(Heatmap),
    /// A bar chart.
    Bars(BarChart),
}

impl Reading {
    /// Title of the chart, which is also its accessible name.
    pub fn title(&self) -> &str {
        match self {
            Reading::Lines(lines) => &lines.title,
            Reading::Grid(grid) => &grid.title,
            Reading::Bars(bars) => &bars.title,
        }
    }

    /// Replaces the title of the chart.
    pub fn with_title(mut self, title: String) -> Self {
        let old = match &mut self {
            Reading::Lines(lines) => &mut lines.title,
            Reading::Grid(grid) => &mut grid.title,
            Reading::Bars(bars) => &mut bars.title,
        };
        *old = title;
        self
    }
}

/// Data of a line chart: curves over a common horizontal axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// Title in sentence case.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Ends (low, high) of the horizontal axis; `None` to fit them to the data.
    pub x_range: Option<(f64, f64)>,
    /// Ends (low, high) of the vertical axis; `None` to fit them to the data.
    pub y_range: Option<(f64, f64)>,
    /// Whether the horizontal axis is logarithmic. An axis of steps, or one with a value of zero, begins at one,
    /// where zero is drawn too; any other begins near the smallest x.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic; values that are not positive are not drawn.
    pub log_y: bool,
    /// Curves of the chart, over the common horizontal axis.
    pub series: Vec<Series>,
    /// Horizontal reference lines: the y value of each, and the name written next to it.
    pub reference_lines: Vec<(f64, String)>,
    /// Vertical lines over the whole plot: the x value of each, and its name, such as "solution found".
    pub marks: Vec<(f64, String)>,
    /// Intervals of the horizontal axis, such as phases of training, that get a pale background.
    pub spans: Vec<AxisSpan>,
    /// Other unit, such as examples, for the tick numbers of an axis of training steps: units per step, and the axis
    /// label. The x values remain steps; `None` if the ticks show steps.
    pub step_unit: Option<(f64, String)>,
}

impl LineChart {
    /// Label of the horizontal axis, and the factor from x values to the numbers written at its ticks: 1, or the units
    /// per step of `step_unit`.
    pub fn x_label_and_scale(&self) -> (&str, f64) {
        match &self.step_unit {
            Some((each, name)) if self.is_over_steps() => (name, *each),
            _ => (&self.x_label, 1.0),
        }
    }
}

/// An interval of the horizontal axis of a line chart, such as a phase of training, drawn as a pale background and
/// named in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisSpan {
    /// First x value of the interval.
    pub from: f64,
    /// Last x value of the interval.
    pub to: f64,
    /// Name in the legend; intervals of the same meaning share it.
    pub name: String,
    /// Colour role of the interval; the background is a pale shade of its colour.
    pub role: Role,
}

/// One curve of a line chart, or the median of several with a band around it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name of the curve in the legend; empty for no legend entry.
    pub name: String,
    /// Meaning of the curve, which determines its colour.
    pub role: Role,
    /// The x values, ascending unless it is a scatter plot. A staircase may have one more than y values, for the end
    /// of its last step.
    pub x: Vec<f64>,
    /// The y values, one per x value; not a number where the curve has a gap.
    pub y: Vec<f32>,
    /// Lower and upper edge of the band, one pair per x value; empty for no band.
    pub band: Vec<(f32, f32)>,
    /// Whether each value is marked by a dot, where there is room for separate dots.
    pub points: bool,
    /// Whether the curve is a staircase, constant from each x value to the next, as in a histogram.
    pub stairs: bool,
    /// Whether only dots are drawn, without a line.
    pub scatter: bool,
    /// Whether the line may leave the range of the vertical axis, as a curve of theory does. Every line is cut at the
    /// edge of the plot; where a line that may not leaves the plot at the top, an arrowhead marks it.
    pub is_clipped: bool,
    /// Number of curves that cover this one where they agree; for each of them it is drawn one line width wider, so
    /// that it remains visible.
    pub covering_curves: usize,
    /// Whether the curve shows steps after the displayed one: drawn paler and not in the legend.
    pub faint: bool,
    /// Index in `MUTED_COLOURS`, which repeats, of the colour that replaces the role's colour for a curve of another
    /// run; `None` to use the role's colour.
    pub muted_colour: Option<usize>,
    /// Whether the curve is switched off; it keeps its colour.
    pub hidden: bool,
    /// Values before smoothing, drawn thin and pale behind the curve; empty if not smoothed.
    pub unsmoothed: Vec<f32>,
    /// Which replicas have the curve as their median; `None` for a curve that is no median.
    pub replica_curves: Option<replicas::ReplicaCurves>,
}

/// Meaning of a curve of a line chart, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Measured on training data.
    #[default]
    Train,
    /// Measured on held-out data.
    Test,
    /// Belongs to a relevant coordinate, among others that are not.
    Relevant,
    /// Anything else; drawn thin and pale if there are many curves.
    Other,
}

/// Data of a heat map: a matrix of signed numbers, with zero in the middle of the colour scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heatmap {
    /// Title in sentence case.
    pub title: String,
    /// Name of the column axis.
    pub x_label: String,
    /// Name of the row axis.
    pub y_label: String,
    /// Number of rows; row 0 is drawn on top.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Numbers in the cells, row by row, `[rows, columns]`; NaN for an empty cell.
    pub values: Vec<f32>,
    /// Indices, from 0 at the top, of the rows to highlight.
    pub marked_rows: Vec<usize>,
    /// Row names, drawn instead of row numbers; empty for numbers.
    pub row_names: Vec<String>,
    /// Column names, drawn instead of column numbers; empty for numbers.
    pub column_names: Vec<String>,
    /// Text inside each cell, in the order of `values`, line by line, on printed charts with enough room; empty for
    /// none.
    pub texts: Vec<String>,
    /// Text drawn over the cells, which explains why the heat map is empty; empty for none.
    pub note: String,
    /// Blocks of cells to outline: range of row indices and range of column indices.
    pub outlines: Vec<(Range<usize>, Range<usize>)>,
}

impl Heatmap {
    /// Largest absolute value, the end of the colour scale; 0 for an empty heat map.
    pub fn max_magnitude(&self) -> f32 {
        self.values.iter().filter(|v| v.is_finite()).fold(0.0, |m, v| m.max(v.abs()))
    }
}

/// Data of a bar chart: one bar per category.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BarChart {
    /// Title in sentence case.
    pub title: String,
    /// Name of the category axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Name and height of each bar.
    pub bars: Vec<(String, f32)>,
    /// Indices in `bars`, from 0, of the bars to highlight.
    pub marked: Vec<usize>,
    /// Legend name of the highlighted bars; empty for no legend entry.
    pub marked_name: String,
    /// A second height per bar, drawn as a line over the bars; empty for none.
    pub overlay: Vec<f32>,
    /// Legend name of the overlay line.
    pub overlay_name: String,
}
