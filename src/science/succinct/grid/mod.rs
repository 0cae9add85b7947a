//! Learning algorithms as programs on a grid, and a recurrent convolutional network that runs them (Goel, Kakade, Kalai and
//! Zhang 2022, "Recurrent convolutional neural networks learn succinct learning algorithms", section 4 and appendix B).
//!
//! ```text
//! training   SGD writes example i as row i of the memory layer: W = y[x, 1]/3
//! test       image W·diag([x, 1]); one filter with a 3 × 3 window, layer after layer, is a cellular automaton that runs a program
//! output     f = the sum of the head over the cells of the table; the program's prediction if it halts as specified
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `program`, `text` | [`GridProgram`] and its text form |
//! | `grid` | [`Grid`]: the XOR form of a [data set](super::Dataset) with a test input, the working tape, and the prediction |
//! | `run` | [`ProgramRun`]: step-by-step execution of a program |
//! | `code`, `automaton` | [`Automaton`]: the program as a cellular automaton, with [`AutomatonCell`]s encoded in base 3 |
//! | `output` | [`NetworkOutput`]: f of definition 5, computed from a run |
//! | `training` | [`TableTraining`]: SGD that writes the table, in exact arithmetic |
//! | `library` | example programs: a dictator learner, and parity by Gaussian elimination |
//!
//! Only the table W is learned. The filter is given, not searched for.
//!
//! ```
//! use std::sync::Arc;
//! use vivarium_science::succinct::grid::{Automaton, Grid, library};
//! use vivarium_science::succinct::{SampledProblem, ConceptFamily};
//! let program = Arc::new(library::PARITY.parse_program().unwrap());
//! let drawn = SampledProblem::new(ConceptFamily::Parity, 3, 9, 0.0, 5, 0).unwrap();
//! assert_eq!(drawn.data.rank(), 3);
//! let x = drawn.test_input(0);
//! let mut network = Automaton::new(program, &Grid::new(&drawn.data, &x).unwrap()).unwrap();
//! assert!(network.run(2000));
//! assert_eq!(network.output() / network.codes().denominator(), i64::from(drawn.concept.label(&x)));
//! ```

mod automaton;
mod code;
#[expect(clippy::module_inception, reason = "the module is named after its main type")]
mod grid;
pub mod library;
mod output;
#[cfg(test)]
mod paper_tests;
mod program;
mod run;
#[cfg(test)]
mod tests;
mod text;
mod training;

pub use automaton::{Automaton, local_rule, output};
pub use code::{AutomatonCell, CellCodes, CellPhase, readout, readout_derivative};
pub use grid::{BLANK_INDEX, Grid, MAX_TAPE_COLUMNS, MINUS_INDEX, PLUS_INDEX};
pub use output::NetworkOutput;
pub use program::{BASE_SYMBOLS, BLANK, GridMove, GridProgram, GridRule, HALT};
pub use run::{ProgramRun, RunEnd};
pub use training::{
    BORDER, SgdStep, TABLE_DENOMINATOR, TableTraining, TapePadding, ValueImage, derivative, filter,
};
