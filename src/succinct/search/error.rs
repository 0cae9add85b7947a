//! What can be wrong with a rule, a task or a search, each as a sentence for the person who asked for it.

use super::limits::{MOST_BITS, MOST_CELLS, MOST_EXAMPLES, MOST_LOOKS, MOST_QUERIES, MOST_RESTARTS, RULES};
use std::fmt;

/// Why there is no such rule, task or search.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchError {
    /// A number that no rule has.
    Number(u32),
    /// A text that is no rule.
    Text(String),
    /// Inputs with no bit, or with too many.
    Bits(usize),
    /// No example, or too many.
    Examples(usize),
    /// A probability of wrong labels that is none, or above one half.
    Noise(f64),
    /// No query, or too many.
    Queries(usize),
    /// Images that have too many cells together.
    Cells(u64),
    /// Queries of different sizes in one batch.
    Mixed,
    /// No restart, or too many.
    Restarts(u32),
    /// No validation query, or more than there are.
    Validation {
        /// Queries that there are.
        most: u32,
        /// How many were asked for.
        found: u32,
    },
    /// No repetition, or restarts and repetitions that are too many together.
    Looks(u64),
    /// Scores that are not finished.
    Unfinished,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = match self {
            SearchError::Number(found) => {
                tr!("rules have numbers from 0 to {last}, not {found}", last = RULES - 1, found)
            }
            SearchError::Text(found) => {
                tr!("a rule is written as nine signs, each −, 0 or +, and not as: {found}", found)
            }
            SearchError::Bits(found) => {
                tr!("an input has from 1 to {most} bits, not {found}", most = MOST_BITS, found)
            }
            SearchError::Examples(found) => {
                tr!("there are from 1 to {most} examples, not {found}", most = MOST_EXAMPLES, found)
            }
            SearchError::Noise(found) => {
                tr!("the probability of a wrong label lies from 0 to 0.5, not at {found}", found)
            }
            SearchError::Queries(found) => {
                tr!("there are from 1 to {most} queries, not {found}", most = MOST_QUERIES, found)
            }
            SearchError::Cells(found) => {
                tr!("all images together have at most {most} cells, not {found}", most = MOST_CELLS, found)
            }
            SearchError::Mixed => tr!("all queries of a batch must have the same size").to_string(),
            SearchError::Restarts(found) => {
                tr!("a search has from 1 to {most} restarts, not {found}", most = MOST_RESTARTS, found)
            }
            SearchError::Validation { most, found } => {
                tr!("there are from 1 to {most} validation queries, not {found}", most, found)
            }
            SearchError::Looks(found) => {
                tr!(
                    "restarts times repetitions are from 1 to {most}, and here they would be {found}",
                    most = MOST_LOOKS,
                    found
                )
            }
            SearchError::Unfinished => tr!("not all rules have been scored yet").to_string(),
        };
        f.write_str(&text)
    }
}

impl std::error::Error for SearchError {}
