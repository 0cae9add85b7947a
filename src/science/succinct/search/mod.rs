//! Finding a learning algorithm by random restarts and validation, in a space that is small enough to be searched (ours, after
//! Goel, Kakade, Kalai and Zhang 2022, "Recurrent convolutional neural networks learn succinct learning algorithms", corollary 2
//! and section 5).
//!
//! ```text
//! image    examples and test input in XOR form, (m + 1) × (d + 1) cells of −1 or +1
//! rule     what a cell becomes, given itself and the cell above it: 3⁹ = 19,683 learning algorithms
//! answer   the sign of the cells' sum after m + 1 steps
//! ```
//!
//! | module | what it gives |
//! |---|---|
//! | `rule` | [`Rule`], its number, its text and its reading in words |
//! | `task` | a [`Task`] of a [family](super::Family) of concepts, its [queries](Query) and the [`Image`] of each |
//! | `run` | the plain way to run a rule, image by image |
//! | `sliced` | the fast way, 64 queries in each word |
//! | `scores` | [`Scores`] of all rules, made [in parts](Scoring) |
//! | `select` | [searches](Scores::search) by random restarts, [`transfer`] to other sizes |
//! | [`odds`] | how improbable the paper's own random filter is |
//! | `through` | lemma 5 in one dimension: a ReLU network with given values and slopes |
//! | `limits`, `error` | how large all of these may be, and what is said otherwise |
//!
//! ```
//! use vivarium_science::succinct::Family;
//! use vivarium_science::succinct::search::{Readout, Rule, Task, answer, transfer};
//! let task = Task::new(Family::Dictator, 7, 15, 0.0).unwrap();
//! let query = task.query(1, 0);
//! assert_eq!(answer(&query, Rule::CONSENSUS, Readout::All), Some(query.right));
//! // The same rule learns larger problems.
//! assert!(transfer(Rule::CONSENSUS, task.resized(15, 40).unwrap(), Readout::All, 1, 200).unwrap() > 0.99);
//! ```

mod error;
mod limits;
pub mod odds;
mod rule;
mod run;
mod scores;
mod select;
mod sliced;
mod task;
mod through;

pub use error::SearchError;
pub use limits::{
    LEAST_GAP, MOST_CELLS, MOST_LOOKS, MOST_POINTS, MOST_QUERIES, MOST_REACH, MOST_RESTARTS, RULES,
};
pub use rule::{Cell, Rule};
pub use run::{Readout, answer};
pub use scores::{Scores, Scoring};
pub use select::{Found, Search, excess, restart, transfer};
pub use sliced::{Judged, Sliced};
pub use task::{Image, Query, Task};
pub use through::{Layer, Point, Through, ThroughError, UNITS_OF_BUMP, UNITS_OF_THRESHOLD};
