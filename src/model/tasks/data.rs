//! Kinds of data, with the specifications from which examples are drawn.

use std::sync::Arc;

use super::form::ExampleForm;
use super::parity::ParityExamples;
use vivarium_science::circuits::CircuitSpec;
use vivarium_science::descent::DescentPrompts;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::machines::{MachineProgram, TraceSettings};
use vivarium_science::markov::ChainSequences;
use vivarium_science::succinct::LearningProblem;
use vivarium_science::tokens::TokenPrompts;

/// Kind of a task's examples, with the specification from which they are drawn. Each variant belongs to one
/// [`ExampleForm`].
#[derive(Debug, Clone, PartialEq)]
pub enum TaskData {
    /// Bits ±1 with a label ±1: the specification of inputs, parity, training set and noise, from which GPU kernels
    /// draw examples; None in tasks that are not parities of uniform inputs.
    Bits(Option<ParityExamples>),
    /// Rows of a table, with a label ±1.
    Rows,
    /// Pairs of elements of a group or table.
    Pairs,
    /// Sequences of symbols, and the Markov chains from which they are drawn.
    Sequences(ChainSequences),
    /// Traces of a Turing machine.
    Traces(TraceSettings),
    /// Prompts of tokens, each of which names other tokens.
    Prompts(TokenPrompts),
    /// Examples of one function, and gradient descent on them inside a transformer.
    Fit(DescentPrompts),
    /// Prompts of points of a function that is learned in context.
    Points(FunctionPrompts),
    /// Steps of a Turing machine with its input tape and start cell, which a transformer runs; None while a setting of
    /// the machine is invalid.
    Steps(Option<Arc<MachineProgram>>),
    /// Inputs of a Boolean circuit that a network computes.
    Circuit(CircuitSpec),
    /// Concept and examples for a learning algorithm inside a network.
    Program(LearningProblem),
}

impl TaskData {
    /// Form of an example of this data, by which charts and probes are chosen.
    pub fn form(&self) -> ExampleForm {
        match self {
            TaskData::Bits(_) => ExampleForm::Bits,
            TaskData::Rows => ExampleForm::Row,
            TaskData::Pairs => ExampleForm::Pair,
            TaskData::Sequences(_) => ExampleForm::Sequence,
            TaskData::Traces(_) => ExampleForm::Trace,
            TaskData::Prompts(_) => ExampleForm::Prompt,
            TaskData::Fit(_) => ExampleForm::Fit,
            TaskData::Points(_) => ExampleForm::Points,
            TaskData::Steps(_) => ExampleForm::Steps,
            TaskData::Circuit(_) => ExampleForm::Circuit,
            TaskData::Program(_) => ExampleForm::Program,
        }
    }
}

/// Writes methods of [`TaskData`], each of which returns the specification in one variant. Each entry consists of the
/// method's name, the pattern of the variant, the name that the pattern binds, and the type of the specification.
macro_rules! specifications {
    ($($(#[$doc:meta])+ $method:ident: $pattern:pat => $bound:ident: $of:ty;)+) => {
        impl TaskData {$(
            $(#[$doc])+
            pub fn $method(self) -> Option<$of> {
                match self {
                    $pattern => Some($bound),
                    _ => None,
                }
            }
        )+}
    };
}

specifications! {
    /// Sequences of Markov chains; None for other data.
    chain_sequences: TaskData::Sequences(drawn) => drawn: ChainSequences;
    /// Traces of a Turing machine; None for other data.
    traces: TaskData::Traces(drawn) => drawn: TraceSettings;
    /// Prompts of tokens; None for other data.
    prompts: TaskData::Prompts(drawn) => drawn: TokenPrompts;
    /// Examples for gradient descent inside a transformer; None for other data.
    descent_prompts: TaskData::Fit(drawn) => drawn: DescentPrompts;
    /// Prompts of points of a function; None for other data.
    function_prompts: TaskData::Points(drawn) => drawn: FunctionPrompts;
    /// Turing machine that a transformer runs; None for other data, and while a setting of the machine is invalid.
    machine_program: TaskData::Steps(Some(program)) => program: Arc<MachineProgram>;
    /// Boolean circuit that a network computes; None for other data.
    circuit: TaskData::Circuit(drawn) => drawn: CircuitSpec;
    /// Concept and examples for a learning algorithm; None for other data.
    learning_problem: TaskData::Program(problem) => problem: LearningProblem;
}
