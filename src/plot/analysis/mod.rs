//! Probes: plain arrays in, a [`Reading`] out, which the charts draw by its shape.

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
pub mod majority;
pub mod movement;
pub mod neurons;
pub mod parity_neurons;
pub mod progress;
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

/// What a probe has read.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Curves over a common axis.
    Lines(Lines),
    /// A matrix of signed numbers.
    Grid(Grid),
    /// One bar per category.
    Bars(Bars),
}

impl Reading {
    /// The title, which is also the accessible name.
    pub fn title(&self) -> &str {
        match self {
            Reading::Lines(lines) => &lines.title,
            Reading::Grid(grid) => &grid.title,
            Reading::Bars(bars) => &bars.title,
        }
    }

    /// The same under another title.
    pub fn titled(mut self, title: String) -> Self {
        let old = match &mut self {
            Reading::Lines(lines) => &mut lines.title,
            Reading::Grid(grid) => &mut grid.title,
            Reading::Bars(bars) => &mut bars.title,
        };
        *old = title;
        self
    }
}

/// Curves over a common axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    /// Title in sentence case.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Ends of the horizontal axis; grown to the data if `None`.
    pub x_range: Option<(f64, f64)>,
    /// Ends of the vertical axis; grown to the data if `None`.
    pub y_range: Option<(f64, f64)>,
    /// Whether the horizontal axis is logarithmic. An axis of steps, and one on which zero occurs, begins at
    /// one, where zero is drawn then; any other begins near the smallest place.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic; what is not positive is not drawn.
    pub log_y: bool,
    /// The curves.
    pub series: Vec<Series>,
    /// Horizontal reference lines: a height and its name.
    pub references: Vec<(f64, String)>,
    /// Vertical marks: a place and its name ("solved").
    pub marks: Vec<(f64, String)>,
    /// Parts of the horizontal axis with a pale background.
    pub spans: Vec<Span>,
    /// What an axis of steps shows instead of them: how many there are in a step, and what they are called. Places stay
    /// steps.
    pub counted: Option<(f64, String)>,
}

impl Lines {
    /// What the horizontal axis shows: its name, and how much of it there is in what places count.
    pub fn axis(&self) -> (&str, f64) {
        match &self.counted {
            Some((each, name)) if self.is_over_steps() => (name, *each),
            _ => (&self.x_label, 1.0),
        }
    }
}

/// A part of the horizontal axis, drawn as a pale background and named in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Name in the legend, the same for parts that mean the same.
    pub name: String,
    /// Which colour of the theme it is a pale shade of.
    pub role: Role,
}

/// One curve, or the median of several with a band around it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Which colour of the theme it takes.
    pub role: Role,
    /// Places, rising, in any order for a scatter; stairs may have one more than values, where the last stair
    /// ends.
    pub x: Vec<f64>,
    /// Values, one per place.
    pub y: Vec<f32>,
    /// Lower and upper edge of the band, one pair per place; empty for a single curve.
    pub band: Vec<(f32, f32)>,
    /// Whether each value is marked by a dot, unless they would touch.
    pub points: bool,
    /// Whether each value holds from its place to the next, as counts of a histogram do.
    pub stairs: bool,
    /// Whether the values are dots that no line joins.
    pub scatter: bool,
    /// Whether it ends where it leaves the vertical axis; otherwise it goes on along the edge, as if its value stood still.
    pub ends: bool,
    /// How many curves lie on top of it wherever they agree: it is drawn so much wider that its rim is seen then.
    pub under: usize,
    /// Whether it is what comes after the step that is shown: paler than its role, and not in the legend.
    pub faint: bool,
    /// Which muted colour it has instead of its role's: that of another run.
    pub tint: Option<usize>,
    /// Whether it is not drawn now; it keeps its colour.
    pub hidden: bool,
    /// Values before they were smoothed, drawn thin and pale behind; empty where nothing is smoothed.
    pub raw: Vec<f32>,
    /// The single curves that it is the median of, if it is one.
    pub each: Option<replicas::Each>,
}

/// What a curve means, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Measured on what is trained on.
    #[default]
    Train,
    /// Measured on held-out examples.
    Test,
    /// A coordinate that matters, among others that do not.
    Relevant,
    /// Something else, drawn quietly; thin and pale among many curves.
    Other,
}

/// A matrix of signed numbers, drawn as coloured cells with zero in the middle of the scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// Title in sentence case.
    pub title: String,
    /// Name of the columns' axis.
    pub x_label: String,
    /// Name of the rows' axis.
    pub y_label: String,
    /// Rows; row 0 is drawn on top.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// `[rows, columns]`.
    pub values: Vec<f32>,
    /// Rows to point at.
    pub marked_rows: Vec<usize>,
    /// Names of the rows, which stand for their numbers; empty if they have none.
    pub row_names: Vec<String>,
    /// Names of the columns, which stand for their numbers; empty if they have none.
    pub column_names: Vec<String>,
    /// What a printed picture says in each cell, line by line, where there is room; empty if nothing.
    pub texts: Vec<String>,
    /// What is written over the cells where they have nothing to show; empty if nothing.
    pub note: String,
    /// Blocks to outline: rows and columns.
    pub outlines: Vec<(Range<usize>, Range<usize>)>,
}

impl Grid {
    /// Largest absolute value, which the colour scale ends at; 0 for an empty grid.
    pub fn limit(&self) -> f32 {
        self.values.iter().filter(|v| v.is_finite()).fold(0.0, |m, v| m.max(v.abs()))
    }
}

/// One bar per category.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Title in sentence case.
    pub title: String,
    /// Name of the categories' axis.
    pub x_label: String,
    /// Name and unit of the height.
    pub y_label: String,
    /// Names and heights.
    pub bars: Vec<(String, f32)>,
    /// Categories to point at.
    pub marked: Vec<usize>,
    /// What they are called in the legend; empty leaves them out of it.
    pub marked_name: String,
    /// A second height per bar, drawn as a line over them; empty if there is none.
    pub overlay: Vec<f32>,
    /// What the line is called in the legend.
    pub overlay_name: String,
}
