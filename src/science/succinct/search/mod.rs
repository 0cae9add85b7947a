//! Searching a learning algorithm by random restarts and validation, in a small space of rules (ours, after Goel, Kakade, Kalai
//! and Zhang 2022, "Recurrent convolutional neural networks learn succinct learning algorithms", corollary 2 and section 5).
//!
//! ```text
//! image    examples and test input in XOR form, (m + 1) × (d + 1) cells of −1 or +1
//! rule     new value of a cell as a function of the cell and the cell above it: 3⁹ = 19,683 learning algorithms
//! answer   the sign of the cells' sum after m + 1 steps
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `rule` | [`CellRule`], with its number, its text and its description |
//! | `task` | a [`QueryDistribution`] of a [family](super::ConceptFamily) of concepts, its [queries](Query) and the [`CellImage`] of each |
//! | `run` | running a rule on one image: the reference implementation |
//! | `sliced` | running a rule on 64 queries per word: the fast implementation |
//! | `scores` | [`RuleScores`]: accuracies of all rules, computed [in parts](RuleScoring) |
//! | `select` | [searches](RuleScores::search_restarts) by random restarts, [`measure_transfer`] to other sizes |
//! | [`odds`] | probability of drawing the paper's filter at random |
//! | `point_network` | lemma 5 in one dimension: a ReLU network with given values and slopes |
//! | `limits`, `error` | maximum sizes, and [`SearchError`] |
//!
//! ```
//! use vivarium_science::succinct::ConceptFamily;
//! use vivarium_science::succinct::search::{ReadoutCells, CellRule, QueryDistribution, measure_transfer, predict};
//! let task = QueryDistribution::new(ConceptFamily::Dictator, 7, 15, 0.0).unwrap();
//! let query = task.query(1, 0);
//! assert_eq!(predict(&query, CellRule::CONSENSUS, ReadoutCells::All), Some(query.label));
//! // The same rule learns larger problems.
//! assert!(measure_transfer(CellRule::CONSENSUS, task.with_size(15, 40).unwrap(), ReadoutCells::All, 1, 200).unwrap() > 0.99);
//! ```

mod error;
mod limits;
pub mod odds;
mod point_network;
mod rule;
mod run;
mod scores;
mod select;
mod sliced;
mod task;

pub use error::SearchError;
pub use limits::{
    MAX_BATCH_CELLS, MAX_COORDINATE, MAX_POINTS, MAX_QUERIES, MAX_RESTARTS, MAX_RULE_DRAWS, MIN_POINT_GAP,
    RULE_COUNT,
};
pub use point_network::{
    BUMP_UNITS, InterpolationPoint, PointError, PointLayer, PointNetwork, THRESHOLD_UNITS,
};
pub use rule::{CellRule, CellValue};
pub use run::{ReadoutCells, predict};
pub use scores::{RuleScores, RuleScoring};
pub use select::{RestartResult, RestartSearch, draw_rule, excess_error_bound, measure_transfer};
pub use sliced::{BitSlicedQueries, RuleAnswers};
pub use task::{CellImage, Query, QueryDistribution};
