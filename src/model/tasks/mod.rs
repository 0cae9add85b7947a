//! Tasks: what is learned, and how the examples are drawn.
#![doc = include_str!("README.md")]

pub mod boolean_circuit;
mod data;
mod form;
#[cfg(not(target_family = "wasm"))]
pub mod given;
pub mod groups;
pub mod in_context_learning;
pub mod in_context_regression;
pub mod machine_traces;
pub mod markov;
pub mod measures;
mod parity;
mod remembered;
pub mod sparse_boolean;
pub mod sparse_parity;
pub mod sparse_token_regression;
pub mod succinct_learning;
pub mod tabular;
pub mod teacher_student;
pub mod turing_machine;

use std::ops::Range;

use crate::chart::Chart;
pub use data::TaskData;
pub use form::ExampleForm;
pub use measures::{MeasureInfo, MeasureNames};
pub use parity::ParityExamples;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::{InvalidSetting, SettingInfo, Value};

vivarium_core::catalog! {
    /// Every task, with its settings.
    pub enum Task {
        /// Parity of a few hidden bits.
        sparse_parity::SparseParity,
        /// The product of two elements of a group.
        groups::Groups,
        /// The next symbol of a Markov chain.
        markov::MarkovChain,
        /// A Boolean function of a few hidden bits.
        sparse_boolean::SparseBoolean,
        /// Rows of a table.
        tabular::Tabular,
        teacher_student::TeacherStudent,
        /// A function of the tokens that a token names.
        sparse_token_regression::SparseTokenRegression,
        /// Examples for gradient descent inside a transformer with constructed weights.
        in_context_regression::InContextRegression,
        /// A function that is learned in the prompt.
        in_context_learning::InContextLearning,
        /// Steps of a Turing machine.
        turing_machine::TuringMachine,
        /// A circuit computed by a network with constructed weights.
        boolean_circuit::BooleanCircuit,
        /// Traces of a Turing machine.
        machine_traces::MachineTraces,
        /// Examples from which a program inside a network learns.
        succinct_learning::SuccinctLearning,
    }
    /// Charts that only runs of one task have, one list per task in the order of the tasks.
    pub const CHARTS: [&[Chart]];
    /// Definitions of the measures of each task, several lists per task in the order of the tasks; the further measures
    /// of a task (those besides loss, accuracy and margin) are one list.
    pub const MEASURES: [&[&[MeasureInfo]]];
    /// Kind, sizes and validity of this task's examples, without drawing any.
    pub fn examples(&self) -> &dyn Examples;
    /// Drawing of this task's training and held-out examples.
    pub fn sampler(&self) -> &dyn Sampler;
    /// Defaults and checks of this task's settings, for page, links and forms.
    pub fn config(&self) -> &dyn TaskConfig;
    /// Settings of this task as a trait object that can repair invalid combinations of them.
    pub fn config_mut(&mut self) -> &mut dyn TaskConfig;
    /// Part of a PyTorch script that draws the task's examples.
    pub fn script(&self) -> &dyn ToPyTorch;
}

impl Task {
    /// Kind of this task's examples, with the specification from which they are drawn.
    pub fn data(&self) -> TaskData {
        self.examples().data()
    }
}

vivarium_core::choices! {
    /// Whether a constant 1 is appended to each input.
    pub enum ConstantInput {
        /// The constant is appended.
        Yes = "yes", "Yes";
        /// The constant is not appended.
        No = "no", "No";
    }
}

/// Default values of settings, each as (key, value as written in a link).
pub type SettingDefaults = &'static [(&'static str, &'static str)];

/// Batch of examples: inputs in rows, and a label for each: −1 or +1, a class number, or a real number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// Inputs, one row per example, `[examples, columns]`; the rows of prompts and sequences also contain their labels.
    pub x: Vec<f32>,
    /// Labels, `[examples]`; for prompts and sequences only one label of each, since the rows of `x` contain all
    /// labels.
    pub y: Vec<f32>,
}

impl Batch {
    /// Number of examples in the batch.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether the batch contains no example.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// Removes all examples from the batch, but keeps its memory for new ones.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
    }

    /// Appends the examples of the batch `source` with these indices (from 0); each row of inputs has `columns`
    /// numbers.
    pub fn append_rows(&mut self, source: &Batch, columns: usize, indices: impl IntoIterator<Item = usize>) {
        for at in indices {
            self.x.extend_from_slice(&source.x[at * columns..][..columns]);
            self.y.push(source.y[at]);
        }
    }
}

/// Kind, sizes and validity of a task's examples, without drawing any.
///
/// # Why
/// The WebAssembly file that the page loads first validates runs, estimates their cost and shows their settings, but
/// draws no example. So the functions that it needs are a separate trait: a trait object links all functions of its
/// trait, and drawing examples was a tenth of that file.
pub trait Examples {
    /// Kind of this task's examples, with the specification from which they are drawn.
    fn data(&self) -> TaskData;
    /// Number of rows of the first layer's weights: as many as one input has numbers or, if inputs are symbols or
    /// elements of a group, as there are different ones.
    fn inputs(&self) -> usize;
    /// Number of numbers by which one example is stored in [`Batch::x`], the length of a row.
    fn columns(&self) -> usize {
        self.inputs()
    }
    /// Number of predictions that a network makes for one example: one, or in a sequence or prompt one per position.
    fn prediction_count(&self) -> usize {
        1
    }
    /// Number of classes if the label is a class (a symbol or an element of a group); None if it is ±1 or a real
    /// number.
    fn classes(&self) -> Option<usize> {
        None
    }
    /// Whether the training set consists of all possible inputs, each visited once per epoch, so that none is held out.
    fn trains_on_all_inputs(&self) -> bool {
        false
    }
    /// Number of held-out examples that exist; None if any number of them can be drawn.
    fn held_out_count(&self) -> Option<usize> {
        None
    }
    /// Whether each replica has its own held-out examples, which are the rows that its training set leaves out.
    fn has_held_out_per_replica(&self) -> bool {
        false
    }
    /// Number of examples of the fixed training set of a replica; None if every training step draws fresh examples.
    fn training_set_size(&self) -> Option<usize>;
    /// Number of consecutive replicas that share a training set; of these, only the first to reach the target counts in
    /// statistics of times.
    fn replicas_per_training_set(&self) -> usize {
        1
    }
    /// Probability, from 0 to 1, that the label of a training example is flipped.
    fn noise(&self) -> f64 {
        0.0
    }
    /// Indices, from 0, of the input coordinates on which the label depends in a run with the seed `_seed`, for marking
    /// in charts; empty if there are no such coordinates.
    fn relevant(&self, _seed: u64) -> Vec<usize> {
        vec![]
    }
    /// Errors for settings of this task that are valid one by one but not together.
    fn invalid_settings(&self) -> Vec<InvalidSetting>;
    /// Names in CSV and JSON files of loss, accuracy and the further measures of this task.
    fn measure_names(&self) -> MeasureNames {
        MeasureNames::default()
    }
}

/// Drawing of a task's examples. All methods are pure functions of their arguments.
pub trait Sampler: Examples {
    /// Appends the `size` training examples of training step `step` in the replica with the index `replica` (from 0) to
    /// `out`, as the run with this seed draws them.
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch);
    /// Appends the examples with the indices `_examples` (from 0) of the training batch of step `_step` to `_out`, if
    /// the task can draw them without the rest of the batch; returns false, and appends nothing, if it cannot.
    fn sample_range(
        &self,
        _seed: u64,
        _replica: u32,
        _step: u64,
        _examples: Range<usize>,
        _out: &mut Batch,
    ) -> bool {
        false
    }
    /// Appends the held-out examples number `from` to `from + size − 1` (from 0) to `out`. They are shared by all
    /// replicas and their labels carry no noise, except where [replicas have their
    /// own](Examples::has_held_out_per_replica).
    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch);
    /// Appends the held-out examples number `from` to `from + size − 1` (from 0) of one replica to `out`; the default
    /// takes the examples shared by all replicas.
    fn append_held_out_of_replica(
        &self,
        seed: u64,
        _replica: u32,
        from: usize,
        size: usize,
        out: &mut Batch,
    ) {
        self.append_held_out(seed, from, size, out);
    }
    /// Appends the examples number `from` to `from + size − 1` (from 0) of the fixed training set of `replica` to
    /// `out`; nothing if the task has none.
    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch);
    /// Indices, in the fixed training set of `replica`, of the `size` examples in the batch of `step`: every example
    /// once per epoch, in an order that changes with the epoch. Empty without a fixed training set.
    fn batch_indices(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        let order = RandomStream::new(seed, Purpose::Order, replica);
        self.training_set_size().map_or(vec![], |all| epoch_indices(order, all, step, size))
    }
    /// Variance of a label without noise in a run with the seed `_seed`, by which losses are divided in tasks with real
    /// labels; None in other tasks.
    fn label_variance(&self, _seed: u64) -> Option<f64> {
        None
    }
}

/// Defaults and checks of a task's settings, for page, links and forms; learners do not use them.
pub trait TaskConfig {
    /// Settings, as (key, value), that the default run of this task has instead of the general defaults.
    fn default_run(&self) -> SettingDefaults {
        &[]
    }
    /// Settings of the view, as (key, value), that a run of this task has instead of the general defaults.
    fn default_view(&self) -> SettingDefaults {
        &[]
    }
    /// Declarations of the settings of the theory that the page shows next to a run of this task; only links of this
    /// task contain them.
    fn theory_settings(&self) -> &'static [SettingInfo] {
        &[]
    }
    /// Whether the setting `_key` has no effect with the current values of several other settings; a dependence on one
    /// other setting is part of the setting's declaration.
    fn has_no_effect(&self, _key: &str) -> bool {
        false
    }
    /// Description of valid values for the view's setting `_key` if `_value` is invalid for this task; None if it is
    /// valid.
    fn expected_view_value(&self, _key: &str, _value: &Value) -> Option<String> {
        None
    }
    /// Advice on which settings make the network smaller, for the error message that the chosen network does not fit
    /// into memory.
    fn smaller_network_hint(&self) -> &'static str {
        tr!("a smaller network, which fits into a browser's memory")
    }
    /// Uploaded data that a worker needs before the run starts, and that a link cannot contain: the number of columns
    /// besides the label, and the numbers of [`UploadedTable::to_floats`](tabular::uploaded::UploadedTable::to_floats).
    /// None if the run uses no uploaded data or they are not open.
    fn uploaded_data(&self) -> Option<(usize, Vec<f32>)> {
        let table = self.uploaded_data_id().and_then(tabular::uploaded::find_table)?;
        Some((table.columns, table.to_floats()))
    }
    /// Whether the task can be about a table that the user uploads.
    fn can_use_uploaded_data(&self) -> bool {
        false
    }
    /// Hash of the uploaded data that the settings refer to, whether or not the data are open in this program; None if
    /// the settings refer to none.
    fn uploaded_data_id(&self) -> Option<u64> {
        None
    }
    /// Hash of the uploaded data that the settings name, also if the run does not use them because they are not open in
    /// this program; None if the settings name none.
    fn named_data_id(&self) -> Option<u64> {
        None
    }
    /// Whether the uploaded data that the settings refer to are open in this program.
    fn has_uploaded_data(&self) -> bool {
        self.uploaded_data_id().and_then(tabular::uploaded::find_table).is_some()
    }
    /// Adapts settings that a link does not state to the uploaded data; `_is_stated` says whether the link states the
    /// setting with a key. Does nothing by default, and if the data are not open in this program.
    fn follow_uploaded_data(&mut self, _is_stated: &dyn Fn(&str) -> bool) {}
    /// Rough number of floating-point operations for the theory that the page computes before a run of this task
    /// starts.
    fn theory_operations(&self) -> u64 {
        0
    }
    /// Changes invalid combinations of this task's settings to the nearest valid ones, where resetting a setting to its
    /// default is not enough; does nothing by default.
    fn repair(&mut self) {}
}

/// Parts of PyTorch scripts that tasks share.
mod pytorch {
    /// Part of a PyTorch script that draws the examples of a step, from the fixed training set or freshly.
    pub const EXAMPLES_SCRIPT: &str = include_str!("pytorch/sample.py");
    /// Part of a PyTorch script that draws uniform bits with labels.
    pub const UNIFORM_BITS_SCRIPT: &str = include_str!("pytorch/bits.py");
    /// Part of a PyTorch script with the losses for labels ±1.
    pub const SIGN_LOSSES_SCRIPT: &str = include_str!("pytorch/signs.py");
    /// Part of a PyTorch script with the losses for labels that are classes.
    pub const CLASS_LOSSES_SCRIPT: &str = include_str!("pytorch/classes.py");
}

/// Indices, from 0, of the `size` training examples in the batch of training step `step`: each of `example_count`
/// examples occurs once per epoch, in an order that `stream` draws anew for each epoch.
fn epoch_indices(stream: RandomStream, example_count: usize, step: u64, size: usize) -> Vec<usize> {
    let (m, first) = (example_count as u64, step * size as u64);
    let mut epoch = first / m;
    let mut order = stream.epoch_order(epoch, m as u32);
    let visits = (first..first + size as u64).map(|visit| {
        if visit / m != epoch {
            epoch = visit / m;
            order = stream.epoch_order(epoch, m as u32);
        }
        order.position((visit % m) as u32) as usize
    });
    visits.collect()
}

/// Largest odd number below `number`, at least 1: a number of relevant bits that is valid for every function, majority
/// included.
fn previous_odd(number: usize) -> usize {
    number.saturating_sub(1) | 1
}
