//! Tabular data: each row of a table is an example, and its label is the class of one column.
//!
//! A table is generated with the three properties that make tables hard for networks (Edelman 2024, section 6.4.2;
//! Grinsztajn, Oyallon and Varoquaux 2022), each of which is a setting, or it is the user's CSV file, which stays
//! in the browser: a link names it by a number that follows from its contents.
//!
//! ```text
//! x_i ~ N(0, 1),  s_i(x) = ±(−1)^⌊pieces · Φ(x_i)⌋ for the k columns i of S,  y = sign Σ s_i(x)  or  y = Π s_i(x)
//! ```
//!
//! (i) Single columns are informative: a rotation of all of them (`turned`) destroys that. (ii) All but k of n columns
//! are uninformative. (iii) The label jumps at `pieces − 1` values of each relevant column. The number of pieces is
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
//! task.append_training_set(0, 0, 0, 40, &mut batch);
//! let side = |e: usize| batch.x[e * 3 + 1].signum() * batch.y[e];
//! assert!((1..40).all(|e| side(e) == side(0)));
//! ```

pub mod uploaded;

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Batch, Examples, MeasureInfo, Sampler, SettingDefaults, TaskConfig, TaskData, measures, pytorch,
};
use uploaded::UploadedTable;
use vivarium_core::bounds::MAX_TRAINING_SET_ENTRIES;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::math::{dot, normalize, orthogonalize};
use vivarium_core::pytorch::{ScriptPart, ToPyTorch, one_based_list};
use vivarium_core::rng::{EpochOrder, Purpose, RandomStream};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024_FRONTIER, GRINSZTAJN_2022};
use vivarium_core::{choices, settings};

choices! {
    /// Source of the table.
    pub enum TableOrigin {
        /// Drawn from the seed.
        Generated = "generated", "Generated";
        /// A CSV file that was opened here.
        Uploaded = "own", "A CSV file";
    }
}

choices! {
    /// Rule for the label, from the step functions of the relevant columns.
    pub enum LabelRule {
        /// Majority of the steps: each column is informative.
        Majority = "majority", "Majority of steps";
        /// Product of the steps: only all columns together are informative.
        Parity = "parity", "Parity of steps";
    }
}

choices! {
    /// Whether the columns are mixed by a rotation.
    pub enum ColumnRotation {
        /// The label depends on single columns.
        No = "no", "Not rotated";
        /// A random rotation mixes all columns.
        Yes = "yes", "Rotated at random";
    }
}

settings! {
    /// Classification of the rows of a table.
    pub struct Tabular {
        /// Whether the table is generated or read from your CSV file; open the file on this page or with `--table`.
        origin: TableOrigin = TableOrigin::Generated, "data", "Table", Range::Choice(TableOrigin::OPTIONS);
        /// Number that identifies the CSV file; a link contains only this number, not the file.
        csv: u64 = 0, "csv", "Number of the CSV file", Range::Int(0, MAX_TABLE_ID), only when "data" = "own";
        /// Number of rows of the table; a tenth of the rows is held out.
        rows: usize = 4000, "rows", "Rows", Range::Int(40, 100_000), only when "data" = "generated";
        /// Number of columns of the table, without the label.
        n: usize = 20, "n", "Columns n", Range::Int(2, 256), only when "data" = "generated";
        /// Number of columns that the label depends on; all other columns are uninformative.
        k: usize = 3, "k", "Relevant columns k", Range::Int(1, 9), only when "data" = "generated";
        /// Numbers of the relevant columns, counted from 1; if empty, the seed chooses the columns.
        support: Vec<usize> = vec![], "s", "Relevant set S", Range::List(1, 256), only when "data" = "generated";
        /// Each relevant column has a step function with values −1 and 1; the label is the majority or parity of these values.
        rule: LabelRule = LabelRule::Majority, "rule", "Label", Range::Choice(LabelRule::OPTIONS), only when "data" = "generated";
        /// Number of equally probable intervals of a column's values; on each interval the step function is constant.
        pieces: usize = 2, "pieces", "Pieces per column", Range::Int(2, 64), only when "data" = "generated";
        /// Whether a random rotation mixes all columns; after the rotation, no single column is informative.
        turned: ColumnRotation = ColumnRotation::No, "turned", "Rotation of the columns", Range::Choice(ColumnRotation::OPTIONS), only when "data" = "generated";
        /// Probability p that a row has the wrong label, held-out rows included.
        noise: f64 = 0.0, "noise", "Label noise p", Range::Real(0.0, 0.5), only when "data" = "generated";
        /// Number of training rows of each network, sampled from the rows that are not held out; 0 means all of these rows.
        m: usize = 300, "m", "Sample size m", Range::Int(0, 100_000), "rows";
    }
}

/// Key in links of the setting that says whether the table is generated or read from a CSV file.
pub const TABLE_ORIGIN_KEY: &str = <Tabular as vivarium_core::settings::Settings>::SETTINGS[0].key;
/// Key in links of the number that identifies the CSV file.
pub const TABLE_NUMBER_KEY: &str = <Tabular as vivarium_core::settings::Settings>::SETTINGS[1].key;
/// Largest hash by which an uploaded CSV file is identified: the largest integer that JavaScript represents exactly.
pub const MAX_TABLE_ID: u64 = (1 << 53) - 1;
/// Number by which the number of rows is divided to get the number of held-out rows (Edelman 2024, appendix C.3.3).
const HELD_OUT_DIVISOR: usize = 10;

/// Value of `step`, in the random stream of `Purpose::Support`, at which the signs of the relevant columns' step
/// functions are drawn.
const SIGN_DRAWS: u64 = 1;
/// Value of `step`, in the random stream of `Purpose::Support`, at which the rotation of the columns is drawn.
const ROTATION_DRAWS: u64 = 2;

impl Tabular {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "tabular",
        name: "Tabular data",
        about: "The label is the class of a row in a table. The table is generated, or it is a CSV file that stays in this browser.",
        sources: &[EDELMAN_2024_FRONTIER, GRINSZTAJN_2022],
    };

    /// Uploaded table that the settings refer to; None if the table is generated or the file is not open in this
    /// program.
    pub fn uploaded_table(&self) -> Option<Arc<UploadedTable>> {
        self.uploaded_data_id().and_then(uploaded::find_table)
    }

    /// Number of rows of the table, training and held-out rows together; 1 for an uploaded table that is not open in
    /// this program.
    pub fn row_count(&self) -> usize {
        match self.origin {
            TableOrigin::Generated => self.rows,
            TableOrigin::Uploaded => self.uploaded_table().map_or(1, |table| table.y.len()),
        }
    }

    /// Number of held-out rows: one in ten, at least 1.
    pub fn held_out_row_count(&self) -> usize {
        (self.row_count() / HELD_OUT_DIVISOR).max(1)
    }

    /// Number of rows that are not held out, from which training sets are drawn.
    pub fn training_pool_size(&self) -> usize {
        self.row_count().saturating_sub(self.held_out_row_count()).max(1)
    }

    /// Largest number of rows that a training set can have: those that are not held out, as far as they fit into memory.
    fn max_training_row_count(&self) -> u64 {
        (self.training_pool_size() as u64).min(MAX_TRAINING_SET_ENTRIES / self.inputs() as u64)
    }

    /// Number of rows in the training set of one replica.
    fn training_row_count(&self) -> usize {
        if self.m == 0 { self.training_pool_size() } else { self.m }
    }

    /// Random order of the table's rows for `replica`: first its held-out rows, then the rows of its training set.
    fn shuffled_rows(&self, seed: u64, replica: u32) -> EpochOrder {
        RandomStream::new(seed, Purpose::Split, replica).epoch_order(0, self.row_count() as u32)
    }

    /// Appends the rows of the table with the indices `rows` (from 0) as examples.
    fn append_rows(&self, seed: u64, rows: impl Iterator<Item = usize>, out: &mut Batch) {
        match self.origin {
            TableOrigin::Uploaded => {
                let Some(table) = self.uploaded_table() else { return };
                for row in rows {
                    out.x.extend_from_slice(&table.x[row * table.columns..(row + 1) * table.columns]);
                    out.y.push(table.y[row]);
                }
            }
            TableOrigin::Generated => {
                let maker = RowGenerator::new(self, seed);
                rows.for_each(|row| maker.append_row(row, out));
            }
        }
    }

    /// Appends the rows at the positions `places` (from 0) in the order of [`Tabular::shuffled_rows`] of `replica`.
    fn append_rows_at(&self, seed: u64, replica: u32, places: std::ops::Range<usize>, out: &mut Batch) {
        let order = self.shuffled_rows(seed, replica);
        self.append_rows(seed, places.map(|place| order.position(place as u32) as usize), out);
    }
}

/// Generator of the rows of a table with random columns and a known label rule.
struct RowGenerator<'a> {
    /// Settings of the generated table, such as its numbers of rows and columns.
    task: &'a Tabular,
    /// Random stream from which the column values of all rows are drawn.
    values: RandomStream,
    /// Random stream that determines which labels are flipped by the label noise.
    flips: RandomStream,
    /// Relevant columns (index from 0), each with the sign ±1 of the first piece of its step function.
    steps: Vec<(usize, f32)>,
    /// Rotation matrix of the columns, `[n, n]`, if the settings ask for one.
    rotation: Option<Arc<Vec<f32>>>,
}

impl<'a> RowGenerator<'a> {
    /// Prepares the generation of the rows of the table that `seed` determines.
    fn new(task: &'a Tabular, seed: u64) -> Self {
        let [values, flips, support] = [Purpose::Sample, Purpose::Noise, Purpose::Support]
            .map(|purpose| RandomStream::new(seed, purpose, 0));
        let sign = |at: usize| if support.draw_u32(SIGN_DRAWS, at as u32) >> 31 == 0 { 1.0 } else { -1.0 };
        let steps = task.support(seed).into_iter().enumerate().map(|(at, column)| (column, sign(at)));
        let rotation = (task.turned == ColumnRotation::Yes).then(|| random_rotation(seed, task.n));
        RowGenerator { task, values, flips, steps: steps.collect(), rotation }
    }

    /// Label ±1 of a row by its values before the rotation, without label noise.
    fn label(&self, x: &[f32]) -> f32 {
        let piece = |x: f32| (self.task.pieces as f64 * normal_cdf(f64::from(x))) as usize;
        let step = |(column, first): &(usize, f32)| match piece(x[*column]) % 2 {
            0 => *first,
            _ => -first,
        };
        match self.task.rule {
            LabelRule::Majority => self.steps.iter().map(step).sum::<f32>().signum(),
            LabelRule::Parity => self.steps.iter().map(step).product(),
        }
    }

    /// Appends row number `row` (from 0) of the generated table as an example.
    fn append_row(&self, row: usize, out: &mut Batch) {
        let start = out.x.len();
        out.x.extend((0..self.task.n as u32).map(|i| self.values.draw_normal(row as u64, i)));
        let flip = if self.flips.draw_bool(row as u64, 0, self.task.noise) { -1.0 } else { 1.0 };
        out.y.push(flip * self.label(&out.x[start..]));
        if let Some(rotation) = &self.rotation {
            let x = out.x.split_off(start);
            let turned = rotation.chunks_exact(x.len());
            out.x.extend(turned.map(|row| dot(row, &x)));
        }
    }
}

/// Standard normal distribution function Φ(x). It uses erfc, unlike `math::normal_cdf`, since existing labels depend on
/// its last digits.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Random rotation, `[size, size]`: rows of normal numbers, orthogonalized one after the other.
///
/// # Why
/// The result is uniform among all rotations and reflections, since normal vectors have no preferred direction. The
/// last one is cached, because every part of a training set needs it.
fn random_rotation(seed: u64, size: usize) -> Arc<Vec<f32>> {
    /// Random seed and size n of a rotation of the columns, and its matrix `[n, n]`.
    type CachedRotation = ((u64, usize), Arc<Vec<f32>>);
    /// Rotation that was computed last, with its seed and size.
    static LAST_ROTATION: Mutex<Option<CachedRotation>> = Mutex::new(None);
    let mut last = LAST_ROTATION.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = last.as_ref().filter(|(of, _)| *of == (seed, size)) {
        return known.clone();
    }
    let stream = RandomStream::new(seed, Purpose::Support, 0);
    let mut rows: Vec<Vec<f64>> = vec![];
    for row in 0..size {
        let place = |i: usize| (row * size + i) as u32;
        let mut fresh: Vec<f64> =
            (0..size).map(|i| f64::from(stream.draw_normal(ROTATION_DRAWS, place(i)))).collect();
        orthogonalize(&mut fresh, rows.iter());
        normalize(&mut fresh);
        rows.push(fresh);
    }
    let made = Arc::new(rows.concat().into_iter().map(|x| x as f32).collect::<Vec<f32>>());
    *last = Some(((seed, size), made.clone()));
    made
}

impl Tabular {
    /// Indices, from 0 and increasing, of the columns on which the label depends, before any rotation.
    pub(crate) fn support(&self, seed: u64) -> Vec<usize> {
        if self.support.is_empty() {
            return RandomStream::new(seed, Purpose::Support, 0).draw_subset(self.n, self.k.min(self.n));
        }
        let mut support: Vec<usize> = self.support.iter().map(|i| i - 1).collect();
        support.sort_unstable();
        support
    }

    /// Errors in the settings of a generated table, such as more relevant columns than there are columns.
    fn invalid_generated_settings(&self) -> Vec<InvalidSetting> {
        let mut errors = vec![];
        if self.k > self.n {
            errors.push(InvalidSetting::new("k", &self.k.to_string(), tr!("at most n = {n}", n = self.n)));
        }
        if self.rule == LabelRule::Majority && self.k.is_multiple_of(2) {
            let expected = tr!("an odd number for a majority, so that there is no tie");
            errors.push(InvalidSetting::new("k", &self.k.to_string(), expected));
        }
        if !self.pieces.is_multiple_of(2) {
            let expected = tr!("an even number, so that both labels are equally likely");
            errors.push(InvalidSetting::new("pieces", &self.pieces.to_string(), expected));
        }
        let fits = self.support.len() == self.k && self.support.iter().all(|i| *i <= self.n);
        if !self.support.is_empty() && !fits {
            let found = self.support.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!("k = {k} different numbers from 1 to n = {n}", k = self.k, n = self.n);
            errors.push(InvalidSetting::new("s", &found, expected));
        }
        errors
    }
}

impl ToPyTorch for Tabular {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        if self.origin == TableOrigin::Uploaded {
            return Err(tr!("The PyTorch script supports generated tables only, not CSV files.").into());
        }
        let code =
            vec![pytorch::EXAMPLES_SCRIPT, include_str!("pytorch/tabular.py"), pytorch::SIGN_LOSSES_SCRIPT];
        let settings = vec![
            ("relevant", one_based_list(&self.support(seed))),
            ("sample", self.training_row_count().to_string()),
        ];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for Tabular {
    fn can_use_uploaded_data(&self) -> bool {
        true
    }

    fn uploaded_data_id(&self) -> Option<u64> {
        (self.origin == TableOrigin::Uploaded).then_some(self.csv)
    }

    fn named_data_id(&self) -> Option<u64> {
        (self.csv != 0).then_some(self.csv)
    }

    fn follow_uploaded_data(&mut self, is_stated: &dyn Fn(&str) -> bool) {
        if self.has_uploaded_data() && !is_stated("m") {
            self.m = self.m.min(self.max_training_row_count() as usize);
        }
    }

    fn repair(&mut self) {
        self.k = super::previous_odd(self.k.min(self.n));
        self.m = self.m.min(self.training_pool_size());
    }

    fn default_run(&self) -> SettingDefaults {
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

    fn default_view(&self) -> SettingDefaults {
        &[("show", "loss.accuracy"), ("speed", "100"), ("cells", "accuracy")]
    }
}

impl Tabular {
    /// Empty list: this task uses the charts of networks on bits.
    pub const CHARTS: &[crate::chart::Chart] = &[];

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::SIGN_LABEL_MEASURES];
}

impl Examples for Tabular {
    fn data(&self) -> TaskData {
        TaskData::Rows
    }

    fn inputs(&self) -> usize {
        match self.origin {
            TableOrigin::Generated => self.n,
            TableOrigin::Uploaded => self.uploaded_table().map_or(1, |table| table.columns),
        }
    }

    fn held_out_count(&self) -> Option<usize> {
        Some(self.held_out_row_count())
    }

    fn has_held_out_per_replica(&self) -> bool {
        true
    }

    fn training_set_size(&self) -> Option<usize> {
        Some(self.training_row_count())
    }

    fn noise(&self) -> f64 {
        if self.origin == TableOrigin::Generated { self.noise } else { 0.0 }
    }

    fn relevant(&self, seed: u64) -> Vec<usize> {
        match (self.origin, self.turned) {
            (TableOrigin::Generated, ColumnRotation::No) => self.support(seed),
            _ => vec![],
        }
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut errors = match self.origin {
            TableOrigin::Generated => self.invalid_generated_settings(),
            TableOrigin::Uploaded if self.uploaded_table().is_none() => {
                let expected = tr!(
                    "generated, since the CSV file of this link is not open on this page; if you open the file, the other settings of the link do not change"
                );
                return vec![InvalidSetting::new(TABLE_ORIGIN_KEY, TableOrigin::Uploaded.slug(), expected)];
            }
            TableOrigin::Uploaded => vec![],
        };
        let columns = self.inputs();
        let most = self.max_training_row_count();
        if self.training_row_count() as u64 > most {
            let expected = tr!("at most {most} for n = {n}", most, n = columns);
            errors.push(InvalidSetting::new("m", &self.m.to_string(), expected));
        }
        errors
    }
}

impl Sampler for Tabular {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let (order, first) = (self.shuffled_rows(seed, replica), self.held_out_row_count());
        let visits = self.batch_indices(seed, replica, step, size);
        self.append_rows(
            seed,
            visits.into_iter().map(|at| order.position((first + at) as u32) as usize),
            out,
        );
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_held_out_of_replica(seed, 0, from, size, out);
    }

    fn append_held_out_of_replica(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.append_rows_at(seed, replica, from..(from + size).min(self.held_out_row_count()), out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        let first = self.held_out_row_count();
        self.append_rows_at(
            seed,
            replica,
            first + from..first + (from + size).min(self.training_row_count()),
            out,
        );
    }

    fn batch_indices(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        if size == self.training_row_count() {
            // The whole sample at every step: its order makes no difference.
            return (0..size).collect();
        }
        super::epoch_indices(
            RandomStream::new(seed, Purpose::Order, replica),
            self.training_row_count(),
            step,
            size,
        )
    }
}

#[cfg(test)]
mod tests;
