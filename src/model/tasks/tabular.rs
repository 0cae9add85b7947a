//! Tabular data: each row of a table is an example, and its label is the class of one column.
//!
//! A table is generated with the three properties that make tables hard for networks (Edelman 2024, section 6.4.2;
//! Grinsztajn, Oyallon and Varoquaux 2022), each of which is a setting, or it is a CSV file of a person's, which stays
//! in the browser: a link names it by a number that follows from its contents.
//!
//! ```text
//! x_i ~ N(0, 1),  s_i(x) = ±(−1)^⌊pieces · Φ(x_i)⌋ for the k columns i of S,  y = sign Σ s_i(x)  or  y = Π s_i(x)
//! ```
//!
//! (i) Columns mean something each by itself: a rotation of all of them (`turned`) takes that away. (ii) All but k of n
//! columns say nothing. (iii) The label jumps at `pieces − 1` places of each relevant column. Their number is
//! even, so that both labels are equally likely; with labels flipped with probability p no learner errs less than p.
//!
//! # Why
//! As in appendix C.3.3, columns have mean 0 and deviation 1, a tenth of the rows is held out, the sample is drawn from
//! the others, and every replica has a split and a sample of its own: medians are over them.
//!
//! ```
//! use vivarium_model::tasks::{Batch, Sampler, Tabular};
//! let task = Tabular { k: 1, n: 3, pieces: 2, support: vec![2], m: 40, ..Default::default() };
//! let mut batch = Batch::default();
//! task.finite_sample(0, 0, 0, 40, &mut batch);
//! let side = |e: usize| batch.x[e * 3 + 1].signum() * batch.y[e];
//! assert!((1..40).all(|e| side(e) == side(0)));
//! ```

pub mod uploaded;

use std::sync::{Arc, Mutex, PoisonError};

use super::{Batch, Examples, Form, MeasureInfo, Preset, Sampler, TaskConfig, measures, pytorch};
use uploaded::UploadedTable;
use vivarium_core::bounds::MOST_SAMPLE;
use vivarium_core::catalog::Info;
use vivarium_core::math::{dot, normalize, orthogonalize};
use vivarium_core::pytorch::{Part, ToPyTorch, from_one};
use vivarium_core::rng::{Order, Purpose, Stream};
use vivarium_core::settings::{Problem, Range};
use vivarium_core::sources::{EDELMAN_2024_FRONTIER, GRINSZTAJN_2022};
use vivarium_core::{choices, settings};

choices! {
    /// Where the table comes from.
    pub enum Origin {
        /// Drawn from the seed.
        Generated = "generated", "Generated";
        /// A CSV file that was opened here.
        Uploaded = "own", "A CSV file";
    }
}

choices! {
    /// What the label is of the step functions of the relevant columns.
    pub enum Rule {
        /// What most of them say: each column tells something by itself.
        Majority = "majority", "Majority of steps";
        /// Their product: nothing short of all of them tells anything.
        Parity = "parity", "Parity of steps";
    }
}

choices! {
    /// Whether the columns are those that the label depends on.
    pub enum Turned {
        /// They are.
        No = "no", "Not rotated";
        /// They are mixtures of them all, by a random rotation.
        Yes = "yes", "Rotated at random";
    }
}

settings! {
    /// The label is the class of a row of a table.
    pub struct Tabular {
        /// Whether the table is generated or read from your CSV file; open the file on this page or with `--table`.
        origin: Origin = Origin::Generated, "data", "Table", Range::Choice(Origin::OPTIONS);
        /// Number that identifies the CSV file; a link contains only this number, not the file.
        csv: u64 = 0, "csv", "Number of the CSV file", Range::Int(0, MOST_NUMBER), only when "data" = "own";
        /// Number of rows of the table; a tenth of the rows is held out.
        rows: usize = 4000, "rows", "Rows", Range::Int(40, 100_000), only when "data" = "generated";
        /// Number of columns of the table, without the label.
        n: usize = 20, "n", "Columns n", Range::Int(2, 256), only when "data" = "generated";
        /// Number of columns that the label depends on; all other columns are uninformative.
        k: usize = 3, "k", "Relevant columns k", Range::Int(1, 9), only when "data" = "generated";
        /// Numbers of the relevant columns, counted from 1; if empty, the seed chooses the columns.
        support: Vec<usize> = vec![], "s", "Relevant set S", Range::List(1, 256), only when "data" = "generated";
        /// Each relevant column has a step function with values −1 and 1; the label is the majority or parity of these values.
        rule: Rule = Rule::Majority, "rule", "Label", Range::Choice(Rule::OPTIONS), only when "data" = "generated";
        /// Number of equally probable intervals of a column's values; on each interval the step function is constant.
        pieces: usize = 2, "pieces", "Pieces per column", Range::Int(2, 64), only when "data" = "generated";
        /// Whether a random rotation mixes all columns; after the rotation, no single column is informative.
        turned: Turned = Turned::No, "turned", "Rotation of the columns", Range::Choice(Turned::OPTIONS), only when "data" = "generated";
        /// Probability p that a row has the wrong label, held-out rows included.
        noise: f64 = 0.0, "noise", "Label noise p", Range::Real(0.0, 0.5), only when "data" = "generated";
        /// Number of training rows of each network, sampled from the rows that are not held out; 0 means all of these rows.
        m: usize = 300, "m", "Sample size m", Range::Int(0, 100_000), "rows";
    }
}

/// Largest number of a CSV file: what a browser's numbers hold exactly.
pub const MOST_NUMBER: u64 = (1 << 53) - 1;
/// One row of so many is held out (Edelman 2024, appendix C.3.3).
const HELD_OUT: usize = 10;

/// Draws from the stream of a table's relevant columns, by what they are for.
const SIGNS: u64 = 1;
const ROTATION: u64 = 2;

impl Tabular {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "tabular",
        name: "Tabular data",
        about: "The label is the class of a row in a table. The table is generated, or it is a CSV file that stays in this browser.",
        sources: &[EDELMAN_2024_FRONTIER, GRINSZTAJN_2022],
    };

    /// The CSV file that the settings name, if it has been opened.
    pub fn uploaded(&self) -> Option<Arc<UploadedTable>> {
        (self.origin == Origin::Uploaded).then(|| uploaded::find(self.csv)).flatten()
    }

    /// Rows of the table; one where there is none.
    pub fn table_rows(&self) -> usize {
        match self.origin {
            Origin::Generated => self.rows,
            Origin::Uploaded => self.uploaded().map_or(1, |table| table.y.len()),
        }
    }

    /// Rows that are held out.
    pub fn tested(&self) -> usize {
        (self.table_rows() / HELD_OUT).max(1)
    }

    /// Rows that samples are drawn from.
    pub fn pool(&self) -> usize {
        self.table_rows().saturating_sub(self.tested()).max(1)
    }

    /// Rows of a sample.
    fn size(&self) -> usize {
        if self.m == 0 { self.pool() } else { self.m }
    }

    /// The places of the rows in the order of `replica`: first those that are held out, then its sample.
    fn split(&self, seed: u64, replica: u32) -> Order {
        Stream::new(seed, Purpose::Split, replica).order(0, self.table_rows() as u32)
    }

    /// Appends these rows of the table.
    fn take(&self, seed: u64, rows: impl Iterator<Item = usize>, out: &mut Batch) {
        match self.origin {
            Origin::Uploaded => {
                let Some(table) = self.uploaded() else { return };
                for row in rows {
                    out.x.extend_from_slice(&table.x[row * table.columns..(row + 1) * table.columns]);
                    out.y.push(table.y[row]);
                }
            }
            Origin::Generated => {
                let maker = Maker::new(self, seed);
                rows.for_each(|row| maker.row(row, out));
            }
        }
    }

    /// Appends the rows at these places of the order of `replica`.
    fn places(&self, seed: u64, replica: u32, places: std::ops::Range<usize>, out: &mut Batch) {
        let order = self.split(seed, replica);
        self.take(seed, places.map(|place| order.place(place as u32) as usize), out);
    }
}

/// What makes the rows of a generated table.
struct Maker<'a> {
    task: &'a Tabular,
    values: Stream,
    flips: Stream,
    /// The relevant columns, each with the sign of its first piece.
    steps: Vec<(usize, f32)>,
    rotation: Option<Arc<Vec<f32>>>,
}

impl<'a> Maker<'a> {
    fn new(task: &'a Tabular, seed: u64) -> Self {
        let [values, flips, support] =
            [Purpose::Sample, Purpose::Noise, Purpose::Support].map(|purpose| Stream::new(seed, purpose, 0));
        let sign = |at: usize| if support.word(SIGNS, at as u32) >> 31 == 0 { 1.0 } else { -1.0 };
        let steps = task.support(seed).into_iter().enumerate().map(|(at, column)| (column, sign(at)));
        let rotation = (task.turned == Turned::Yes).then(|| rotation(seed, task.n));
        Maker { task, values, flips, steps: steps.collect(), rotation }
    }

    /// The label of a row before rotation and noise.
    fn label(&self, x: &[f32]) -> f32 {
        let piece = |x: f32| (self.task.pieces as f64 * normal_cdf(f64::from(x))) as usize;
        let step = |(column, first): &(usize, f32)| match piece(x[*column]) % 2 {
            0 => *first,
            _ => -first,
        };
        match self.task.rule {
            Rule::Majority => self.steps.iter().map(step).sum::<f32>().signum(),
            Rule::Parity => self.steps.iter().map(step).product(),
        }
    }

    fn row(&self, row: usize, out: &mut Batch) {
        let start = out.x.len();
        out.x.extend((0..self.task.n as u32).map(|i| self.values.normal(row as u64, i)));
        let flip = if self.flips.chance(row as u64, 0, self.task.noise) { -1.0 } else { 1.0 };
        out.y.push(flip * self.label(&out.x[start..]));
        if let Some(rotation) = &self.rotation {
            let x = out.x.split_off(start);
            let turned = rotation.chunks_exact(x.len());
            out.x.extend(turned.map(|row| dot(row, &x)));
        }
    }
}

/// Φ: the share of a standard normal variable below `x`. By erfc, not by `math::normal_cdf`: labels were drawn with its last
/// digits.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// A random rotation, `[size, size]`: rows of normal numbers, made orthogonal one after the other.
///
/// # Why
/// Rows so made are uniform among all rotations and reflections, since normal numbers have no direction. The last one is
/// kept, because every part of a sample asks for it.
fn rotation(seed: u64, size: usize) -> Arc<Vec<f32>> {
    type Known = ((u64, usize), Arc<Vec<f32>>);
    static LAST: Mutex<Option<Known>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = last.as_ref().filter(|(of, _)| *of == (seed, size)) {
        return known.clone();
    }
    let stream = Stream::new(seed, Purpose::Support, 0);
    let mut rows: Vec<Vec<f64>> = vec![];
    for row in 0..size {
        let place = |i: usize| (row * size + i) as u32;
        let mut fresh: Vec<f64> = (0..size).map(|i| f64::from(stream.normal(ROTATION, place(i)))).collect();
        orthogonalize(&mut fresh, rows.iter());
        normalize(&mut fresh);
        rows.push(fresh);
    }
    let made = Arc::new(rows.concat().into_iter().map(|x| x as f32).collect::<Vec<f32>>());
    *last = Some(((seed, size), made.clone()));
    made
}

impl Tabular {
    /// The columns of which the label is a function, before any rotation.
    pub(crate) fn support(&self, seed: u64) -> Vec<usize> {
        if self.support.is_empty() {
            return Stream::new(seed, Purpose::Support, 0).subset(self.n, self.k.min(self.n));
        }
        let mut support: Vec<usize> = self.support.iter().map(|i| i - 1).collect();
        support.sort_unstable();
        support
    }

    fn problems_of_generated(&self) -> Vec<Problem> {
        let mut problems = vec![];
        if self.k > self.n {
            problems.push(Problem::new("k", &self.k.to_string(), tr!("at most n = {n}", n = self.n)));
        }
        if self.rule == Rule::Majority && self.k.is_multiple_of(2) {
            let expected = tr!("an odd number for a majority, so that there is no tie");
            problems.push(Problem::new("k", &self.k.to_string(), expected));
        }
        if !self.pieces.is_multiple_of(2) {
            let expected = tr!("an even number, so that both labels are equally likely");
            problems.push(Problem::new("pieces", &self.pieces.to_string(), expected));
        }
        let fits = self.support.len() == self.k && self.support.iter().all(|i| *i <= self.n);
        if !self.support.is_empty() && !fits {
            let found = self.support.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!("k = {k} different numbers from 1 to n = {n}", k = self.k, n = self.n);
            problems.push(Problem::new("s", &found, expected));
        }
        problems
    }
}

impl ToPyTorch for Tabular {
    fn to_pytorch(&self, seed: u64) -> Result<Part, String> {
        if self.origin == Origin::Uploaded {
            return Err(tr!("The PyTorch script supports generated tables only, not CSV files.").into());
        }
        let code = vec![pytorch::SAMPLE, include_str!("pytorch/tabular.py"), pytorch::SIGNS];
        let settings = vec![("relevant", from_one(&self.support(seed))), ("sample", self.size().to_string())];
        Ok(Part { code, settings, ..Part::default() })
    }
}

impl TaskConfig for Tabular {
    fn own_data(&self) -> Option<(usize, Vec<f32>)> {
        let own = self.uploaded()?;
        Some((own.columns, own.numbers()))
    }

    fn own_number(&self) -> Option<u64> {
        (self.origin == Origin::Uploaded).then_some(self.csv)
    }

    fn has_own_data(&self) -> bool {
        self.uploaded().is_some()
    }

    fn mend(&mut self) {
        self.k = super::odd(self.k.min(self.n));
        self.m = self.m.min(self.pool());
    }

    fn default_run(&self) -> Preset {
        &[
            ("model", "deep-mlp"),
            ("widths", "100.100"),
            ("act", "relu"),
            ("init", "sparse"),
            ("opt", "adam"),
            ("loss", "ce"),
            ("batch", "64"),
            ("steps", "300"),
            ("target", "0.9"),
            ("halt", "steps"),
            ("every", "10"),
            ("replicas", "10"),
        ]
    }

    fn default_view(&self) -> Preset {
        &[("show", "loss.accuracy"), ("speed", "100"), ("cells", "accuracy")]
    }
}

impl Tabular {
    /// Charts of this task alone: those of networks on bits say all that is drawn of it.
    pub const CHARTS: &[crate::chart::Chart] = &[];

    /// What its numbers are called and defined as.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::OF_SIGNS];
}

impl Examples for Tabular {
    fn form(&self) -> Form {
        Form::Row
    }

    fn inputs(&self) -> usize {
        match self.origin {
            Origin::Generated => self.n,
            Origin::Uploaded => self.uploaded().map_or(1, |table| table.columns),
        }
    }

    fn held_out_size(&self) -> Option<usize> {
        Some(self.tested())
    }

    fn splits(&self) -> bool {
        true
    }

    fn sample_size(&self) -> Option<usize> {
        Some(self.size())
    }

    fn noise(&self) -> f64 {
        if self.origin == Origin::Generated { self.noise } else { 0.0 }
    }

    fn relevant(&self, seed: u64) -> Vec<usize> {
        match (self.origin, self.turned) {
            (Origin::Generated, Turned::No) => self.support(seed),
            _ => vec![],
        }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = match self.origin {
            Origin::Generated => self.problems_of_generated(),
            Origin::Uploaded if self.uploaded().is_none() => {
                let expected = tr!(
                    "generated, since the CSV file of this link is not open on this page; if you open the file, the other settings of the link do not change"
                );
                return vec![Problem::new("data", Origin::Uploaded.slug(), expected)];
            }
            Origin::Uploaded => vec![],
        };
        let columns = self.inputs();
        let most = (self.pool() as u64).min(MOST_SAMPLE / columns as u64);
        if self.size() as u64 > most {
            let expected = tr!("at most {most} for n = {n}", most, n = columns);
            problems.push(Problem::new("m", &self.m.to_string(), expected));
        }
        problems
    }
}

impl Sampler for Tabular {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let (order, first) = (self.split(seed, replica), self.tested());
        let visits = self.visits(seed, replica, step, size);
        self.take(seed, visits.into_iter().map(|at| order.place((first + at) as u32) as usize), out);
    }

    fn held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.held_out_of(seed, 0, from, size, out);
    }

    fn held_out_of(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.places(seed, replica, from..(from + size).min(self.tested()), out);
    }

    fn finite_sample(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let first = self.tested();
        self.places(seed, replica, first + from..first + (from + size).min(self.size()), out);
    }

    fn visits(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        if size == self.size() {
            // The whole sample at every step: its order makes no difference.
            return (0..size).collect();
        }
        super::epochs(Stream::new(seed, Purpose::Order, replica), self.size(), step, size)
    }
}

#[cfg(test)]
mod tests;
