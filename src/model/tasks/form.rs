//! Forms of examples, and the texts that depend on them.

/// Form of a task's examples, by which charts and probes are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleForm {
    /// Bits ±1, with a label ±1.
    Bits,
    /// A row of a table: a number in each column, with a label ±1.
    Row,
    /// Two elements of a group or table, with their product as the label.
    Pair,
    /// A sequence of symbols, each to be predicted from those before it.
    Sequence,
    /// A sequence of states and symbols of a machine, each to be predicted from those before it.
    Trace,
    /// A prompt of tokens, each of which names other tokens, with a real label for each token.
    Prompt,
    /// Points of one function, to which one network is fitted inside a transformer.
    Fit,
    /// A prompt of points of a function, each label to be predicted from the points before it.
    Points,
    /// Steps of one machine, which a network with constructed weights executes.
    Steps,
    /// Inputs of a circuit that a network with constructed weights computes.
    Circuit,
    /// Examples from which a program inside a network learns.
    Program,
}

impl ExampleForm {
    /// List with the form [`ExampleForm::Bits`] alone, for charts and probes that apply to inputs of bits only.
    pub const BITS: &[ExampleForm] = &[ExampleForm::Bits];

    /// Whether charts and probes for examples of the form `other` also apply to examples of this form: a row of a table
    /// is treated like bits.
    pub fn counts_as(self, other: ExampleForm) -> bool {
        self == other || (self, other) == (ExampleForm::Row, ExampleForm::Bits)
    }

    /// Whether the inputs of an example are bits ±1 (false for rows of a table).
    pub fn has_bits(self) -> bool {
        self == ExampleForm::Bits
    }

    /// Name of one input in labels of the first-layer weights, such as "column" for tables; None to use the model's
    /// name for it.
    pub fn input_word(self) -> Option<&'static str> {
        (self == ExampleForm::Row).then_some(text!("column"))
    }

    /// Explains why a chart or probe for this form is not available for runs of other forms.
    pub fn unavailable_reason(self) -> &'static str {
        match self {
            ExampleForm::Bits | ExampleForm::Row => tr!("Available only for networks with bits as inputs."),
            ExampleForm::Pair => tr!("Available only for networks with pairs of elements as inputs."),
            ExampleForm::Sequence => tr!("Available only for networks with sequences as inputs."),
            ExampleForm::Trace => {
                tr!("Available only for networks with traces of a Turing machine as inputs.")
            }
            ExampleForm::Fit => tr!("Available only for transformers that perform gradient descent."),
            ExampleForm::Prompt => tr!("Available only for networks with prompts of tokens as inputs."),
            ExampleForm::Steps => tr!("Available only for transformers that run a Turing machine."),
            ExampleForm::Program => tr!("Available only for networks that contain a learning algorithm."),
            ExampleForm::Circuit => tr!("Available only for networks that compute a Boolean circuit."),
            ExampleForm::Points => {
                tr!("Available only for networks that learn a function from the points in their prompt.")
            }
        }
    }
}
