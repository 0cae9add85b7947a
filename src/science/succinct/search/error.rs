//! What can be wrong with a rule, a task or a search, each as a sentence for the person who asked for it.

use super::super::mistake::Mistake;
use super::limits::{MOST_CELLS, MOST_LOOKS, MOST_QUERIES, MOST_RESTARTS, RULES};

/// Why there is no such rule, task or search.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A number that no rule has.
    #[error("{}", tr!("the number of a rule must be from 0 to {last}, but it is {found}", last = RULES - 1, found = .0))]
    Number(u32),
    /// A text that is no rule.
    #[error("{}", tr!("a rule must consist of nine signs, each −, 0 or +; found: {found}", found = .0))]
    Text(String),
    /// Sizes, a noise or a test input that no data set has.
    #[error(transparent)]
    Data(#[from] Mistake),
    /// No query, or too many.
    #[error("{}", tr!("the number of queries must be from 1 to {most}, but it is {found}", most = MOST_QUERIES, found = .0))]
    Queries(usize),
    /// Images that have too many cells together.
    #[error("{}", tr!("all queries together must have at most {most} cells, but they have {found} cells", most = MOST_CELLS, found = .0))]
    Cells(u64),
    /// Queries of different sizes in one batch.
    #[error("{}", tr!("all queries of a batch must have the same size"))]
    Mixed,
    /// No restart, or too many.
    #[error("{}", tr!("the number of restarts must be from 1 to {most}, but it is {found}", most = MOST_RESTARTS, found = .0))]
    Restarts(u32),
    /// No validation query, or more than there are.
    #[error("{}", tr!("the number of validation queries must be from 1 to {most}, but it is {found}", most, found))]
    Validation {
        /// Queries that there are.
        most: u32,
        /// How many were asked for.
        found: u32,
    },
    /// No repetition, or restarts and repetitions that are too many together.
    #[error("{}", tr!("the number of restarts times the number of repetitions must be from 1 to {most}, but it is {found}", most = MOST_LOOKS, found = .0))]
    Looks(u64),
    /// Scores that are not finished.
    #[error("{}", tr!("not all rules have been scored yet"))]
    Unfinished,
}
