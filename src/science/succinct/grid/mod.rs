//! Learning algorithms as programs on a grid, and a recurrent convolutional network that runs them (Goel, Kakade, Kalai and
//! Zhang 2022, "Recurrent convolutional neural networks learn succinct learning algorithms", section 4 and appendix B).
//!
//! ```text
//! training   SGD writes example i as row i of the memory layer: W = y[x, 1]/3
//! test       image W·diag([x, 1]); one filter with a 3 × 3 window, layer after layer, is a cellular automaton that runs a program
//! output     f = the sum of the head over the cells of the table; the program's prediction, where it halts as it should
//! ```
//!
//! | module | what it gives |
//! |---|---|
//! | `program`, `text` | [`Program`], and its text form |
//! | `grid` | [`Grid`]: the XOR form of a [data set](super::Data) with a test input, the working tape, and the prediction |
//! | `walk` | [`Walk`]: the program, one step after another |
//! | `code`, `automaton` | [`Automaton`]: the same program as a cellular automaton, its [`Cell`]s as numbers of base 3 |
//! | `output` | [`Output`]: f of definition 5, from the walk |
//! | `tape` | [`Tape`]: the training, step by step, in exact numbers |
//! | `library` | a dictator learner, and parity by Gaussian elimination |
//!
//! Only the table W is learned. The filter is given: no run of this module searches for one.
//!
//! ```
//! use std::sync::Arc;
//! use vivarium_science::succinct::grid::{Automaton, Grid, library};
//! use vivarium_science::succinct::{Drawn, Family};
//! let program = Arc::new(library::PARITY.program().unwrap());
//! let drawn = Drawn::new(Family::Parity, 3, 9, 0.0, 5, 0).unwrap();
//! assert_eq!(drawn.data.rank(), 3);
//! let x = drawn.query(0);
//! let mut network = Automaton::new(program, &Grid::new(&drawn.data, &x).unwrap()).unwrap();
//! assert!(network.run(2000));
//! assert_eq!(network.output() / network.codes().unit(), i64::from(drawn.concept.label(&x)));
//! ```

mod automaton;
mod code;
#[expect(clippy::module_inception, reason = "a grid is what the module is about")]
mod grid;
pub mod library;
mod output;
#[cfg(test)]
mod paper_tests;
mod program;
mod tape;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub use automaton::{Automaton, local_rule, output};
pub use code::{Cell, Codes, Phase, readout, slope};
pub use grid::{EMPTY, Grid, MINUS, MOST_TAPE, PLUS};
pub use output::Output;
pub use program::{BITS, BLANK, HALT, Move, Program, Rule};
pub use tape::{Around, BORDER, Image, Step, Tape, UNIT, derivative, filter};
pub use walk::{End, Walk};
