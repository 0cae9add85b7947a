//! Tasks: what there is to learn, and where the examples come from.
#![doc = include_str!("README.md")]

pub mod boolean_circuit;
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
use std::sync::Arc;

use crate::chart::Chart;
pub use form::Form;
pub use measures::{MeasureInfo, Measures};
pub use parity::ParityExamples;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::settings::{Knob, Problem, Value};
use vivarium_science::circuits;
use vivarium_science::descent;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::machines::{self, TraceSettings};
use vivarium_science::markov::ChainSequences;
use vivarium_science::succinct::LearningProblem;
use vivarium_science::tokens::TokenPrompts;

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
        /// A function of tokens that are named.
        sparse_token_regression::SparseTokenRegression,
        /// Examples that a written-down transformer fits a network to.
        in_context_regression::InContextRegression,
        /// A function that is learned in the prompt.
        in_context_learning::InContextLearning,
        /// Steps of a Turing machine.
        turing_machine::TuringMachine,
        /// A circuit that a written-down network computes.
        boolean_circuit::BooleanCircuit,
        /// Traces of a Turing machine.
        machine_traces::MachineTraces,
        /// Examples from which a program inside a network learns.
        succinct_learning::SuccinctLearning,
    }
    /// The charts of each task.
    pub const CHARTS: [&[Chart]];
    /// The measures of each task, in lists; further measures are a list of their own.
    pub const MEASURES: [&[&[MeasureInfo]]];
    /// What is known of the task's examples before one is drawn.
    pub fn examples(&self) -> &dyn Examples;
    /// What draws them.
    pub fn sampler(&self) -> &dyn Sampler;
    /// What page, links and forms ask of the task.
    pub fn config(&self) -> &dyn TaskConfig;
    /// The same for putting its settings right.
    pub fn config_mut(&mut self) -> &mut dyn TaskConfig;
    /// The task's part of a PyTorch script.
    pub fn script(&self) -> &dyn ToPyTorch;
}

vivarium_core::choices! {
    /// Whether inputs have a last number 1.
    pub enum Constant {
        /// They have.
        Yes = "yes", "Yes";
        /// They have not.
        No = "no", "No";
    }
}

/// Values of settings by key, as they stand in a link.
pub type Preset = &'static [(&'static str, &'static str)];

/// Examples: inputs row by row, and a label for each: −1 or +1, or where the task has classes the number of one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// Inputs, `[examples, columns]`.
    pub x: Vec<f32>,
    /// Labels, `[examples]`; of prompts those of the first position, since all of them are in the rows of `x`.
    pub y: Vec<f32>,
}

impl Batch {
    /// Number of examples.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
    }

    /// Appends the examples at these places of `whole`, whose rows have `columns` numbers.
    pub fn visit(&mut self, whole: &Batch, columns: usize, places: impl IntoIterator<Item = usize>) {
        for at in places {
            self.x.extend_from_slice(&whole.x[at * columns..][..columns]);
            self.y.push(whole.y[at]);
        }
    }
}

/// What is known of a task's examples before one is drawn.
///
/// # Why
/// The page's first program refuses runs, counts what they take and shows their form, and draws no example. So what it
/// asks is a trait of its own: whoever has the examples of a task as one value has all of their functions, and drawing
/// them is a tenth of what that program was.
pub trait Examples {
    /// What an example is.
    fn form(&self) -> Form {
        Form::default()
    }
    /// Rows of a first layer: numbers in one input, or elements that an input may be where inputs are elements.
    fn inputs(&self) -> usize;
    /// Numbers in one row of [`Batch::x`].
    fn columns(&self) -> usize {
        self.inputs()
    }
    /// Predictions that an example asks for: one, or for a sequence one after each symbol of its context.
    fn length(&self) -> usize {
        1
    }
    /// Classes of the labels; none where a label is a sign.
    fn classes(&self) -> Option<usize> {
        None
    }
    /// Whether training takes every input that there is, each once in an epoch.
    fn takes_all_inputs(&self) -> bool {
        false
    }
    /// Held-out examples that there are; none where as many can be drawn as are wanted.
    fn held_out_size(&self) -> Option<usize> {
        None
    }
    /// Whether each replica has held-out examples of its own, which are what its sample leaves of some data.
    fn splits(&self) -> bool {
        false
    }
    /// Size of the finite sample, or `None` if every batch is fresh.
    fn sample_size(&self) -> Option<usize>;
    /// Replicas in a row that share their data, so that the best of them stands for all.
    fn tries(&self) -> usize {
        1
    }
    /// Probability that a training label is flipped.
    fn noise(&self) -> f64 {
        0.0
    }
    /// Input coordinates that matter, from 0, for marking in charts; none where no coordinate matters more than another.
    fn relevant(&self, _seed: u64) -> Vec<usize> {
        vec![]
    }
    /// What cannot be in these settings, each with what would be right.
    fn problems(&self) -> Vec<Problem>;
    /// Bits whose parity the label is, in a task that is about parities of uniform inputs.
    fn parity(&self) -> Option<usize> {
        self.parity_examples().map(|examples| examples.relevant)
    }
    /// What kernels draw by themselves, in a task that is about parities of uniform inputs.
    fn parity_examples(&self) -> Option<ParityExamples> {
        None
    }
    /// What sequences are drawn, in a task on sequences of Markov chains.
    fn chain_sequences(&self) -> Option<ChainSequences> {
        None
    }
    /// What traces are drawn, in a task on traces of a machine.
    fn traces(&self) -> Option<TraceSettings> {
        None
    }
    /// What prompts are drawn, in a task on prompts.
    fn prompts(&self) -> Option<TokenPrompts> {
        None
    }
    /// What examples of one function are drawn, in a task that fits one network to them.
    fn regression(&self) -> Option<descent::DescentPrompts> {
        None
    }
    /// What machine runs, in a task about one.
    fn program(&self) -> Option<Arc<machines::MachineProgram>> {
        None
    }
    /// What files call the numbers of a measurement, and what there is besides loss and accuracy.
    fn measures(&self) -> Measures {
        Measures::default()
    }
    /// Which circuit it is, in a task about a circuit.
    fn circuit(&self) -> Option<circuits::CircuitSpec> {
        None
    }
    /// What is to be learned from which examples, in a task for networks that contain a learning algorithm.
    fn learning_problem(&self) -> Option<LearningProblem> {
        None
    }
    /// What prompts are drawn, in a task on functions that are learned in the prompt.
    fn function_prompts(&self) -> Option<FunctionPrompts> {
        None
    }
}

/// The examples themselves. All of it is a function of the arguments alone.
pub trait Sampler: Examples {
    /// Appends the training examples of `step` in `replica` to `out`.
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch);
    /// Appends these examples of the training batch of `step` to `out`, if the task can draw them without the others; whether it
    /// can.
    fn sample_some(
        &self,
        _seed: u64,
        _replica: u32,
        _step: u64,
        _examples: Range<usize>,
        _out: &mut Batch,
    ) -> bool {
        false
    }
    /// Appends examples `from..from + size` of the held-out batch to `out`; it is shared by all
    /// replicas and its labels carry no noise, except where [replicas have their own](Examples::splits).
    fn held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch);
    /// The same as [`Sampler::held_out`] for one replica.
    fn held_out_of(&self, seed: u64, _replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.held_out(seed, from, size, out);
    }
    /// Appends examples `from..from + size` of the finite sample of `replica` to `out`, if the task has one.
    fn finite_sample(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch);
    /// Which examples of the finite sample of `replica` make the batch of `step`: every example once per
    /// epoch, in an order that changes with the epoch. Only for tasks with a finite sample.
    fn visits(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        let order = Stream::new(seed, Purpose::Order, replica);
        self.sample_size().map_or(vec![], |all| epochs(order, all, step, size))
    }
    /// The variance of a label without noise, in a task whose labels are real numbers: measures are relative to it.
    fn label_variance(&self, _seed: u64) -> Option<f64> {
        None
    }
}

/// What page, links and forms ask of a task, and no trainer: its usual run and view, and how its settings are put right.
pub trait TaskConfig {
    /// The run that a bare link to this task stands for: what differs from the defaults of a run.
    fn default_run(&self) -> Preset {
        &[]
    }
    /// How such a run is shown: what differs from the defaults of a view.
    fn default_view(&self) -> Preset {
        &[]
    }
    /// Settings of theory beside the run, which are in the links of this task alone.
    fn theory_knobs(&self) -> &'static [Knob] {
        &[]
    }
    /// Whether the setting `key` has no effect with the others as they are, where its declaration cannot say so because that
    /// depends on several settings.
    fn is_idle(&self, _key: &str) -> bool {
        false
    }
    /// What would be right for the setting `key` of the view where its value cannot be for this task.
    fn view_problem(&self, _key: &str, _value: &Value) -> Option<String> {
        None
    }
    /// What a network is to be that fits into memory where the chosen one does not.
    fn smaller_network(&self) -> &'static str {
        tr!("a smaller network, which fits into a browser's memory")
    }
    /// Data of a person's own that a trainer needs before the run, which no link can hold: the number of columns besides
    /// the label, and all numbers row by row.
    fn own_data(&self) -> Option<(usize, Vec<f32>)> {
        None
    }
    /// The number of these data, if a run is about some, whether or not they are there.
    fn own_number(&self) -> Option<u64> {
        None
    }
    /// Whether these data are there.
    fn has_own_data(&self) -> bool {
        false
    }
    /// Operations, roughly, of what the page computes of the task before the run begins.
    fn theory(&self) -> u64 {
        0
    }
    /// Brings settings that cannot be together to the nearest that can, where no default does.
    fn mend(&mut self) {}
}

/// Parts of PyTorch scripts that tasks share.
mod pytorch {
    /// The examples of a step, of those that there are or of fresh ones.
    pub const SAMPLE: &str = include_str!("pytorch/sample.py");
    /// Uniform bits with labels.
    pub const BITS: &str = include_str!("pytorch/bits.py");
    /// Losses of labels that are signs.
    pub const SIGNS: &str = include_str!("pytorch/signs.py");
    /// Losses of labels that are classes.
    pub const CLASSES: &str = include_str!("pytorch/classes.py");
}

/// Which of `size` examples the batch of `step` visits: every one of `m` once per epoch, in an order of the epoch's.
fn epochs(stream: Stream, m: usize, step: u64, size: usize) -> Vec<usize> {
    let (m, first) = (m as u64, step * size as u64);
    let mut epoch = first / m;
    let mut order = stream.order(epoch, m as u32);
    let visits = (first..first + size as u64).map(|visit| {
        if visit / m != epoch {
            epoch = visit / m;
            order = stream.order(epoch, m as u32);
        }
        order.place((visit % m) as u32) as usize
    });
    visits.collect()
}

/// The next smaller odd number, which is right for every function of so many bits.
fn odd(number: usize) -> usize {
    number.saturating_sub(1) | 1
}
