//! The accuracy of every rule on the same queries.
//!
//! # Why
//! A scoring keeps each rule's answers, two bits for each query, so that searches over these rules need not run them again.

use super::error::SearchError;
use super::limits::RULES;
use super::rule::Rule;
use super::run::Readout;
use super::sliced::{Judged, Sliced};
use super::task::Query;

/// An exhaustive scoring under way, so that a page can go on drawing meanwhile.
#[derive(Debug, Clone)]
pub struct Scoring {
    sliced: Sliced,
    readout: Readout,
    next: u32,
    judged: Vec<u64>,
    halves: Vec<u32>,
}

/// Which queries each rule answers right. Points are counted in halves: two for a right answer, one for a sum of 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    words: usize,
    queries: u32,
    /// `[RULES][2][words]`, bit q for query q: right answers, and sums of 0.
    judged: Vec<u64>,
    /// `[RULES]`.
    halves: Vec<u32>,
}

impl Scoring {
    /// Begins to score all rules on these queries.
    ///
    /// # Errors
    /// Those of [`Sliced::new`].
    pub fn new(queries: &[Query], readout: Readout) -> Result<Self, SearchError> {
        Ok(Scoring {
            sliced: Sliced::new(queries)?,
            readout,
            next: 0,
            judged: Vec::new(),
            halves: Vec::new(),
        })
    }

    /// Scores up to so many rules more; `true` when all are scored.
    pub fn advance(&mut self, rules: u32) -> bool {
        let end = self.next.saturating_add(rules).min(RULES);
        let mut judged = Judged::default();
        for number in self.next..end {
            self.sliced.judge(Rule::wrapped(number), self.readout, &mut judged);
            self.halves.push(judged.halves());
            self.judged.extend_from_slice(&judged.right);
            self.judged.extend_from_slice(&judged.tied);
        }
        self.next = end;
        self.next == RULES
    }

    /// Number of rules that are scored.
    pub fn scored(&self) -> u32 {
        self.next
    }

    /// Points of each scored rule in halves, in the order of their numbers.
    pub fn halves(&self) -> &[u32] {
        &self.halves
    }

    /// The scores of all rules.
    ///
    /// # Errors
    /// [`SearchError::Unfinished`] before all are scored.
    pub fn finish(self) -> Result<Scores, SearchError> {
        if self.next < RULES {
            return Err(SearchError::Unfinished);
        }
        let queries = u32::try_from(self.sliced.queries()).unwrap_or(u32::MAX);
        Ok(Scores { words: self.sliced.words(), queries, judged: self.judged, halves: self.halves })
    }
}

impl Scores {
    /// The scores of all rules on these queries.
    ///
    /// # Errors
    /// Those of [`Scoring::new`].
    pub fn new(queries: &[Query], readout: Readout) -> Result<Self, SearchError> {
        let mut scoring = Scoring::new(queries, readout)?;
        scoring.advance(RULES);
        scoring.finish()
    }

    /// Number of queries.
    pub fn queries(&self) -> u32 {
        self.queries
    }

    /// Points of each rule in halves, in the order of their numbers.
    pub fn halves(&self) -> &[u32] {
        &self.halves
    }

    /// The part of queries that a rule answers right, 0 to 1; a sum of 0 counts as one half.
    pub fn accuracy(&self, rule: Rule) -> f64 {
        let number = usize::try_from(rule.number()).unwrap_or(0);
        f64::from(self.halves[number]) / (2.0 * f64::from(self.queries))
    }

    /// Number of rules with at least this accuracy.
    pub fn at_least(&self, accuracy: f64) -> usize {
        let least = 2.0 * accuracy * f64::from(self.queries);
        // A part such as 0.95 of 400 must not be missed by a last digit.
        self.halves.iter().filter(|halves| f64::from(**halves) >= least - 1e-9).count()
    }

    /// A rule with most points, of equal ones the first.
    pub fn best(&self) -> Rule {
        let mut best = (0, 0);
        for (halves, number) in self.halves.iter().zip(0..) {
            if *halves > best.0 {
                best = (*halves, number);
            }
        }
        Rule::wrapped(best.1)
    }

    /// Words that hold a bit for each query.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Points of rule `number`, in halves, on the queries of `mask`.
    pub(super) fn halves_among(&self, number: usize, mask: &[u64]) -> u32 {
        let judged = &self.judged[2 * number * self.words..2 * (number + 1) * self.words];
        let (right, tied) = judged.split_at(self.words);
        let ones = |words: &[u64]| -> u32 {
            words.iter().zip(mask).map(|(word, mask)| (word & mask).count_ones()).sum()
        };
        2 * ones(right) + ones(tied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Family;
    use crate::succinct::search::Task;

    #[test]
    fn scoring_goes_in_parts() {
        let queries = Task::new(Family::Constant, 1, 2, 0.0).unwrap().queries(1, 0, 10).unwrap();
        let mut scoring = Scoring::new(&queries, Readout::Bottom).unwrap();
        assert!(!scoring.advance(100));
        assert_eq!((scoring.scored(), scoring.halves().len()), (100, 100));
        assert_eq!(scoring.clone().finish(), Err(SearchError::Unfinished));
        assert!(scoring.advance(u32::MAX));
        let scores = scoring.finish().unwrap();
        assert_eq!(scores, Scores::new(&queries, Readout::Bottom).unwrap());
        assert_eq!(scores.at_least(0.0), 19_683);
        let all = [(1 << 10) - 1];
        for (number, halves) in scores.halves().iter().enumerate() {
            assert_eq!(scores.halves_among(number, &all), *halves);
            assert_eq!(
                scores.halves_among(number, &[0b111]) + scores.halves_among(number, &[!0b111]),
                *halves
            );
        }
        let best = scores.best();
        assert!(
            scores.halves().iter().all(|halves| f64::from(*halves) <= scores.accuracy(best) * 20.0 + 1e-9)
        );
    }
}
