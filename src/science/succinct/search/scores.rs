//! The accuracy of every rule on the same queries.
//!
//! # Why
//! The answers of each rule are stored, two bits per query, so that a search need not run the rules again.

use super::error::SearchError;
use super::limits::RULE_COUNT;
use super::rule::CellRule;
use super::run::ReadoutCells;
use super::sliced::{BitSlicedQueries, RuleAnswers};
use super::task::Query;

/// Computes the [`RuleScores`] a few rules at a time, so that the page stays responsive.
#[derive(Debug, Clone)]
pub struct RuleScoring {
    /// The queries on which the rules are scored, bit-sliced: 64 queries per word.
    sliced: BitSlicedQueries,
    /// The cells of the image after a run whose sum gives a rule's answer.
    readout: ReadoutCells,
    /// Number, from 0, of the rule that is scored next.
    next: u32,
    /// Answers of the rules so far: for each rule, bit masks of the queries with a correct answer and of those with
    /// a sum of 0, `[rules][2][words]`.
    rule_answers: Vec<u64>,
    /// Half points of the rules so far: two for a correct answer, one if the sum of the cells is 0.
    halves: Vec<u32>,
}

/// For every rule, which queries of a batch it answers correctly. Points are counted in halves: two half points for a correct
/// answer, one if the sum of the cells is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleScores {
    /// Number of 64-bit words of a bit mask with one bit per query.
    words: usize,
    /// Number of queries on which the rules were scored.
    queries: u32,
    /// For each rule, bit masks of the queries with a correct answer and of those with a sum of 0,
    /// `[RULE_COUNT][2][words]`.
    rule_answers: Vec<u64>,
    /// Half points of each rule over all queries, `[RULE_COUNT]`.
    halves: Vec<u32>,
}

impl RuleScoring {
    /// Prepares the scoring of all rules on these queries.
    ///
    /// # Errors
    /// Those of [`BitSlicedQueries::new`].
    pub fn new(queries: &[Query], readout: ReadoutCells) -> Result<Self, SearchError> {
        Ok(RuleScoring {
            sliced: BitSlicedQueries::new(queries)?,
            readout,
            next: 0,
            rule_answers: Vec::new(),
            halves: Vec::new(),
        })
    }

    /// Scores up to `rules` further rules in the order of their numbers; returns whether all rules are scored.
    pub fn advance(&mut self, rules: u32) -> bool {
        let end = self.next.saturating_add(rules).min(RULE_COUNT);
        let mut rule_answers = RuleAnswers::default();
        for number in self.next..end {
            self.sliced.evaluate(CellRule::from_number_modulo(number), self.readout, &mut rule_answers);
            self.halves.push(rule_answers.half_points());
            self.rule_answers.extend_from_slice(&rule_answers.correct);
            self.rule_answers.extend_from_slice(&rule_answers.tied);
        }
        self.next = end;
        self.next == RULE_COUNT
    }

    /// Number of rules scored so far, out of [`RULE_COUNT`].
    pub fn scored_count(&self) -> u32 {
        self.next
    }

    /// Half points of each scored rule, in the order of the rules' numbers: two for a correct answer, one if the
    /// sum of the cells is 0.
    pub fn half_points(&self) -> &[u32] {
        &self.halves
    }

    /// The scores of all rules, when the scoring is complete.
    ///
    /// # Errors
    /// [`SearchError::UnfinishedScoring`] if not all rules are scored.
    pub fn finish(self) -> Result<RuleScores, SearchError> {
        if self.next < RULE_COUNT {
            return Err(SearchError::UnfinishedScoring);
        }
        let queries = u32::try_from(self.sliced.queries()).unwrap_or(u32::MAX);
        Ok(RuleScores {
            words: self.sliced.words(),
            queries,
            rule_answers: self.rule_answers,
            halves: self.halves,
        })
    }
}

impl RuleScores {
    /// Computes the scores of all rules on these queries.
    ///
    /// # Errors
    /// Those of [`RuleScoring::new`].
    pub fn new(queries: &[Query], readout: ReadoutCells) -> Result<Self, SearchError> {
        let mut scoring = RuleScoring::new(queries, readout)?;
        scoring.advance(RULE_COUNT);
        scoring.finish()
    }

    /// Number of queries on which the rules were scored.
    pub fn queries(&self) -> u32 {
        self.queries
    }

    /// Half points of each rule, in the order of the rules' numbers: two for a correct answer, one if the sum of
    /// the cells is 0.
    pub fn half_points(&self) -> &[u32] {
        &self.halves
    }

    /// Accuracy of a rule: the share of queries that it answers correctly, 0 to 1; a sum of 0 counts as one half.
    pub fn accuracy(&self, rule: CellRule) -> f64 {
        let number = usize::try_from(rule.number()).unwrap_or(0);
        f64::from(self.halves[number]) / (2.0 * f64::from(self.queries))
    }

    /// Number of rules whose accuracy is at least `accuracy`, from 0 to 1.
    pub fn count_at_least(&self, accuracy: f64) -> usize {
        let min = 2.0 * accuracy * f64::from(self.queries);
        // Tolerance for floating-point errors, for example in 0.95 · 400.
        self.halves.iter().filter(|halves| f64::from(**halves) >= min - 1e-9).count()
    }

    /// The rule with the largest accuracy; of equal ones the first.
    pub fn best(&self) -> CellRule {
        let mut best = (0, 0);
        for (halves, number) in self.halves.iter().zip(0..) {
            if *halves > best.0 {
                best = (*halves, number);
            }
        }
        CellRule::from_number_modulo(best.1)
    }

    /// Number of 64-bit words of a bit mask with one bit per query.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Half points of rule `number` on the queries whose bits in `mask` are 1.
    pub(super) fn half_points_among(&self, number: usize, mask: &[u64]) -> u32 {
        let rule_answers = &self.rule_answers[2 * number * self.words..2 * (number + 1) * self.words];
        let (right, tied) = rule_answers.split_at(self.words);
        let ones = |words: &[u64]| -> u32 {
            words.iter().zip(mask).map(|(word, mask)| (word & mask).count_ones()).sum()
        };
        2 * ones(right) + ones(tied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::ConceptFamily;
    use crate::succinct::search::QueryDistribution;

    #[test]
    fn scoring_in_parts_equals_scoring_at_once() {
        let queries =
            QueryDistribution::new(ConceptFamily::Constant, 1, 2, 0.0).unwrap().queries(1, 0, 10).unwrap();
        let mut scoring = RuleScoring::new(&queries, ReadoutCells::Bottom).unwrap();
        assert!(!scoring.advance(100));
        assert_eq!((scoring.scored_count(), scoring.half_points().len()), (100, 100));
        assert_eq!(scoring.clone().finish(), Err(SearchError::UnfinishedScoring));
        assert!(scoring.advance(u32::MAX));
        let scores = scoring.finish().unwrap();
        assert_eq!(scores, RuleScores::new(&queries, ReadoutCells::Bottom).unwrap());
        assert_eq!(scores.count_at_least(0.0), 19_683);
        let all = [(1 << 10) - 1];
        for (number, halves) in scores.half_points().iter().enumerate() {
            assert_eq!(scores.half_points_among(number, &all), *halves);
            assert_eq!(
                scores.half_points_among(number, &[0b111]) + scores.half_points_among(number, &[!0b111]),
                *halves
            );
        }
        let best = scores.best();
        assert!(
            scores
                .half_points()
                .iter()
                .all(|halves| f64::from(*halves) <= scores.accuracy(best) * 20.0 + 1e-9)
        );
    }
}
