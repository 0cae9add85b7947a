//! Turing machines, and a transformer that runs them: written down weight by weight, never trained (Wei, Chen and Ma 2022,
//! "Statistically meaningful approximation: a case study on approximating Turing machines with transformers", section 4).
//!
//! ```text
//! one decoder token = one step of the machine, and no tape:
//! symbol under the head = what the last step that wrote this cell wrote there, else the input, else the blank
//! blocks   apply S | move | visited? | one search for each bit of the step's number | fetch
//! step 0   before the machine's first step: the same blocks fetch the first symbol of the input
//! ```
//!
//! A [`Machine`] is read from a [text](text::Notation); a [`Program`] adds input, start cell and steps; a [`Run`] is what an
//! ordinary [simulator](Simulator) with a tape makes of it; [`Construction`] writes the weights, in tokens with a [`Layout`];
//! [`Transformer`] executes them, and so does a [script](pytorch); [`library`] has machines to begin with.
//!
//! ```
//! use vivarium_science::machines::{Construction, How, Run, Transformer, library};
//! let example = &library::EXAMPLES[0];
//! let machine = example.machine().unwrap();
//! let input = machine.read(example.input).unwrap();
//! let run = Run::new(&machine, &input, example.start, example.steps).unwrap();
//! let construction = Construction::new(&machine, run.position_bits()).unwrap();
//! let mut transformer = Transformer::new(construction.into(), &input, run.start, How::default()).unwrap();
//! while transformer.steps() < example.steps {
//!     transformer.advance();
//! }
//! assert_eq!(transformer.first_wrong(&run), None);
//! ```

mod attention;
mod construction;
mod layer;
mod layout;
pub mod library;
mod limits;
mod machine;
mod measured;
mod mistake;
mod parts;
mod phase;
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

pub use attention::{Attention, Choice, Look};
pub use construction::{Block, Construction, Cost, Counts, PURPOSE, Tensor};
pub use layer::{Affine, deviation, round};
pub use layout::{Group, Layout};
pub use limits::{
    MOST_CELL, MOST_LETTERS, MOST_POSITION_BITS, MOST_RULES, MOST_STATES, MOST_STEPS, MOST_SYMBOLS, MOST_TEXT,
};
pub use machine::{ACCEPTING, BLANK, Machine, Move, REJECTING, Rule, Verdict};
pub use measured::{Course, Measured, Standing, finite};
pub use mistake::Mistake;
pub use parts::{Part, Parts};
pub use phase::Phase;
pub use program::Program;
pub use random::RandomMachine;
pub use simulator::{Halt, Moment, Run, Simulator};
pub use traces::{TraceMeasure, Traces};
pub use transformer::{How, Stage, Trace, Transformer};
pub use weights::{Noising, Shape, Sizes};
