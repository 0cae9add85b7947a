//! What an example is: the words that charts and measurements choose by it.

/// What an example is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    #[default]
    /// Numbers ±1, with a sign for a label.
    Bits,
    /// A row of a table: a number in each column, with a sign for a label.
    Row,
    /// Two elements, with an element for a label.
    Pair,
    /// Symbols one after the other, each of which is to be predicted from those before it.
    Sequence,
    /// States and symbols of a machine one after the other, each to be predicted from those before it.
    Trace,
    /// Tokens, each with names of others, and a number for each of them to predict.
    Prompt,
    /// Points of one function that a network is fitted to, and no others.
    Fit,
    /// Points of a function, each label of which is to be predicted from the points before it.
    Points,
    /// Steps of one machine, which a network that is written down makes.
    Steps,
    /// Inputs of a circuit that a network is written down for.
    Circuit,
    /// Examples from which a program inside a network learns.
    Program,
}

impl Form {
    /// Bits alone.
    pub const BITS: &[Form] = &[Form::Bits];

    /// Whether what is about examples of the form `other` can be asked about these. A row of a table is read as bits are.
    pub fn is_a(self, other: Form) -> bool {
        self == other || (self, other) == (Form::Row, Form::Bits)
    }

    /// Whether an input is bits, each −1 or +1.
    pub fn has_bits(self) -> bool {
        self == Form::Bits
    }

    /// What an input is in a row of the first layer's weights, where the model's own word would be wrong.
    pub fn input(self) -> Option<&'static str> {
        (self == Form::Row).then_some(text!("column"))
    }

    /// Why a chart or a measurement of examples of this form is not there for other runs.
    pub fn only(self) -> &'static str {
        match self {
            Form::Bits | Form::Row => tr!("Available only for networks with bits as inputs."),
            Form::Pair => tr!("Available only for networks with pairs of elements as inputs."),
            Form::Sequence => tr!("Available only for networks with sequences as inputs."),
            Form::Trace => tr!("Available only for networks with traces of a Turing machine as inputs."),
            Form::Fit => tr!("Available only for transformers that perform gradient descent."),
            Form::Prompt => tr!("Available only for networks with prompts of tokens as inputs."),
            Form::Steps => tr!("Available only for transformers that run a Turing machine."),
            Form::Program => tr!("Available only for networks that contain a learning algorithm."),
            Form::Circuit => tr!("Available only for networks that compute a Boolean circuit."),
            Form::Points => {
                tr!("Available only for networks that learn a function from the points in their prompt.")
            }
        }
    }
}
