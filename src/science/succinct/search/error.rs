//! Errors of rules, queries and searches; each error displays as a sentence for the user.

use super::super::error::SuccinctError;
use super::limits::{MAX_BATCH_CELLS, MAX_QUERIES, MAX_RESTARTS, MAX_RULE_DRAWS, RULE_COUNT};

/// Why a rule, a batch of queries or a search cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The number of a rule is not below [`RULE_COUNT`].
    #[error("{}", tr!("the number of a rule must be from 0 to {last}, but it is {found}", last = RULE_COUNT - 1, found = .0))]
    RuleNumber(u32),
    /// The text of a rule does not consist of nine signs.
    #[error("{}", tr!("a rule must consist of nine signs, each −, 0 or +; found: {found}", found = .0))]
    RuleText(String),
    /// Invalid sizes, noise, inputs or labels.
    #[error(transparent)]
    Dataset(#[from] SuccinctError),
    /// The number of queries is 0 or greater than [`MAX_QUERIES`].
    #[error("{}", tr!("the number of queries must be from 1 to {most}, but it is {found}", most = MAX_QUERIES, found = .0))]
    QueryCount(usize),
    /// The images of all queries have more than [`MAX_BATCH_CELLS`] cells together.
    #[error("{}", tr!("all queries together must have at most {most} cells, but they have {found} cells", most = MAX_BATCH_CELLS, found = .0))]
    TooManyCells(u64),
    /// The queries of a batch have different sizes.
    #[error("{}", tr!("all queries of a batch must have the same size"))]
    MixedSizes,
    /// The number of restarts is 0 or greater than [`MAX_RESTARTS`].
    #[error("{}", tr!("the number of restarts must be from 1 to {most}, but it is {found}", most = MAX_RESTARTS, found = .0))]
    RestartCount(u32),
    /// The number of validation queries is 0, or leaves no query for the test.
    #[error("{}", tr!("the number of validation queries must be from 1 to {most}, but it is {found}", most = max, found))]
    ValidationCount {
        /// Largest allowed number.
        max: u32,
        /// Requested number.
        found: u32,
    },
    /// The number of restarts times repetitions is 0 or greater than [`MAX_RULE_DRAWS`].
    #[error("{}", tr!("the number of restarts times the number of repetitions must be from 1 to {most}, but it is {found}", most = MAX_RULE_DRAWS, found = .0))]
    TooManyRuleDraws(u64),
    /// Not all rules are scored yet.
    #[error("{}", tr!("not all rules have been scored yet"))]
    UnfinishedScoring,
}
