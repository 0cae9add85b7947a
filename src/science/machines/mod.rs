//! Turing machines, and a transformer that runs them, with weights set by hand, not trained (Wei, Chen and Ma 2022,
//! "Statistically meaningful approximation: a case study on approximating Turing machines with transformers", section 4).
//!
//! ```text
//! one decoder token is one step of the machine; no token stores the tape:
//! symbol under the head = symbol that the last step on this cell wrote, else symbol of the input, else blank
//! blocks   apply S | move | visited? | one search for each bit of the step's number | fetch
//! step 0   before the machine's first step: the same blocks fetch the first symbol of the input
//! ```
//!
//! A [`Machine`] is parsed from a [text](text::Notation). A [`MachineProgram`] adds input, start cell and number of steps. A
//! [`MachineRun`] is a run of an ordinary [simulator](Simulator) with a tape. [`Construction`] holds the transformer's weights,
//! for tokens with a [`ResidualLayout`]; [`Transformer`] executes the weights, and so does a [PyTorch script](pytorch).
//! [`library`] contains example machines.
//!
//! ```
//! use vivarium_science::machines::{Construction, ExecutionMode, MachineRun, Transformer, library};
//! let example = &library::EXAMPLES[0];
//! let machine = example.parse_machine().unwrap();
//! let input = machine.parse_input(example.input).unwrap();
//! let run = MachineRun::new(&machine, &input, example.start, example.steps).unwrap();
//! let construction = Construction::new(&machine, run.position_bits()).unwrap();
//! let mut transformer = Transformer::new(construction.into(), &input, run.start, ExecutionMode::default()).unwrap();
//! while transformer.steps() < example.steps {
//!     transformer.advance();
//! }
//! assert_eq!(transformer.first_wrong_step(&run), None);
//! ```

mod attention;
mod block_kind;
mod construction;
mod error;
mod layer;
mod layout;
pub mod library;
mod limits;
mod machine;
mod metrics;
mod parameter_breakdown;
mod program;
pub mod pytorch;
#[cfg(test)]
mod pytorch_tests;
pub mod random;
mod simulator;
#[cfg(test)]
mod softmax_tests;
#[cfg(test)]
mod tests;
pub mod text;
#[cfg(test)]
mod text_tests;
pub mod traces;
mod transformer;
mod weights;

pub use attention::{Attention, AttentionMode, AttentionTrace};
pub use block_kind::BlockKind;
pub use construction::{BlockCounts, Construction, NOISE_PURPOSE, NamedTensor, RunCost, TransformerBlock};
pub use error::MachineError;
pub use layer::{Affine, deviation, round};
pub use layout::{ResidualLayout, TokenGroup};
pub use limits::{
    MAX_CELL, MAX_MACHINE_TEXT_BYTES, MAX_POSITION_BITS, MAX_RULES, MAX_RUN_STEPS, MAX_STATE_NAME_LENGTH,
    MAX_STATES, MAX_SYMBOLS,
};
pub use machine::{ACCEPTING, BLANK, HeadMove, Machine, REJECTING, TransitionRule, Verdict};
pub use metrics::{MachineMetric, StepMetrics, TransformerEvaluator, clamp_to_f32};
pub use parameter_breakdown::{ParameterBreakdown, ParameterStats};
pub use program::MachineProgram;
pub use random::RandomMachine;
pub use simulator::{HaltReason, MachineRun, Simulator, StepRecord};
pub use traces::{TraceMetric, TraceSettings};
pub use transformer::{BlockTrace, ExecutionMode, StepTrace, Transformer};
pub use weights::{ConstructionSizes, NoiseAdder, TensorShape};
