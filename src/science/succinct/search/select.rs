//! Searching a rule by random restarts and validation (a small version of Goel, Kakade, Kalai and Zhang 2022, corollary 2;
//! search space and queries are ours).
//!
//! ```text
//! exhaustive   accuracy of all 19,683 rules on the same queries
//! restarts     draw R rules; choose the one with the largest accuracy on V validation queries (the first of equals);
//!              then its accuracy on all other queries, mean over repetitions
//! transfer     accuracy of the chosen rule on queries of another size
//! ```
//!
//! Mean accuracy at d = 7, m = 15 with 60 validation queries (eight seeds, 400 queries and 300 repetitions each):
//!
//! ```text
//! restarts R                10      30     100     300   1,000   3,000
//! bit, all cells         0.750   0.886   0.947   0.964   0.978   0.982
//! halfspace, all cells   0.642   0.732   0.786   0.781   0.770   0.762
//! bit, bottom row        0.629   0.695   0.788   0.901   0.995   0.998
//! ```
//!
//! Of the 19,683 rules, 102 to 127 learn single bits with accuracy 0.95 or more (all cells; 400 queries, eight seeds), and
//! 68 with the bottom row read; none learns halfspaces so well, or single bits from noisy labels.
//!
//! # Why
//! One exhaustive scoring stores each rule's answers, two bits per query, so that a restart reads a few words and thousands of
//! repetitions are fast. Each repetition has other validation queries of the same scoring, and the remaining queries are the
//! test. For half-spaces more than 100 restarts decrease the test accuracy: no rule is good, and the 60 validation queries
//! select rules that are accurate on these 60 by chance.
//!
//! A rule may be good at one size only. If cells change their sign at every step, the answer depends on whether m + 1 is even:
//! `+0+-0000-` has accuracy 1.00 on single bits at m = 15, and 0.00 at m = 40.

use super::error::SearchError;
use super::limits::{MAX_RESTARTS, MAX_RULE_DRAWS, RULE_COUNT};
use super::rule::CellRule;
use super::run::ReadoutCells;
use super::scores::RuleScores;
use super::sliced::BitSlicedQueries;
use super::task::QueryDistribution;
use vivarium_core::rng::{Purpose, RandomStream};

/// Settings of repeated searches for a good rule: each draws random rules and chooses the best on validation
/// queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartSearch {
    /// Number of validation queries, by which the best rule is chosen.
    pub validation: u32,
    /// Number of repetitions of the search, each with other validation queries and other rules.
    pub repetitions: u32,
    /// Seed of the choice of validation queries and of the random rules.
    pub seed: u64,
}

/// Mean accuracies of the rules that searches with one number of restarts chose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestartResult {
    /// Number of restarts of each search: rules drawn, of which the best on the validation queries is chosen.
    pub restarts: u32,
    /// Mean accuracy of the chosen rule on the validation queries, 0 to 1; biased upwards, because the rule is
    /// chosen by it.
    pub validation_accuracy: f64,
    /// Mean accuracy of the chosen rule on the test queries, which are all queries that are no validation queries, 0 to 1.
    pub test_accuracy: f64,
    /// Standard error of `test_accuracy` over the repetitions, without the sampling error of the queries.
    pub standard_error: f64,
}

impl RuleScores {
    /// Runs the repeated searches `search` with each of the numbers of restarts in `restarts`, and returns one
    /// result for each number, in the same order. Within a repetition, the first restarts of a longer search are
    /// those of a shorter one.
    ///
    /// # Errors
    /// [`SearchError::RestartCount`], [`SearchError::ValidationCount`] and [`SearchError::TooManyRuleDraws`] for numbers
    /// outside of the limits.
    pub fn search_restarts(
        &self,
        restarts: &[u32],
        search: RestartSearch,
    ) -> Result<Vec<RestartResult>, SearchError> {
        let RestartSearch { validation, repetitions, seed } = search;
        if let Some(wrong) = restarts.iter().find(|count| !(1..=MAX_RESTARTS).contains(*count)) {
            return Err(SearchError::RestartCount(*wrong));
        }
        if !(1..self.queries()).contains(&validation) {
            return Err(SearchError::ValidationCount {
                max: self.queries().saturating_sub(1),
                found: validation,
            });
        }
        let max_restarts = restarts.iter().copied().max().unwrap_or(0);
        let rule_draws = u64::from(max_restarts).saturating_mul(u64::from(repetitions));
        if !restarts.is_empty() && !(1..=MAX_RULE_DRAWS).contains(&rule_draws) {
            return Err(SearchError::TooManyRuleDraws(rule_draws));
        }
        let mut order: Vec<usize> = (0..restarts.len()).collect();
        order.sort_by_key(|at| restarts[*at]);
        let mut sums = vec![(0.0, 0.0, 0.0); restarts.len()];
        for repetition in 0..repetitions {
            let mask = self.draw_validation_mask(validation, seed, repetition);
            let mut ends = order.iter().peekable();
            let mut best = (0, None);
            for index in 0..max_restarts {
                let number = usize::try_from(draw_rule(seed, repetition, index).number()).unwrap_or(0);
                let halves = self.half_points_among(number, &mask);
                if halves > best.0 || best.1.is_none() {
                    best = (halves, Some(number));
                }
                while let Some(at) = ends.next_if(|at| restarts[**at] == index + 1) {
                    let all = best.1.map_or(0, |number| self.half_points()[number]);
                    let accuracy = f64::from(all - best.0) / (2.0 * f64::from(self.queries() - validation));
                    sums[*at].0 += accuracy;
                    sums[*at].1 += accuracy * accuracy;
                    sums[*at].2 += f64::from(best.0) / (2.0 * f64::from(validation));
                }
            }
        }
        let count = f64::from(repetitions);
        let found = restarts.iter().zip(sums).map(|(restarts, (sum, squares, chosen))| {
            let mean = sum / count;
            let variance = (squares / count - mean * mean).max(0.0);
            RestartResult {
                restarts: *restarts,
                validation_accuracy: chosen / count,
                test_accuracy: mean,
                standard_error: (variance / count).sqrt(),
            }
        });
        Ok(found.collect())
    }

    /// Draws the `validation` validation queries of repetition number `repetition`, as a bit mask over all queries.
    fn draw_validation_mask(&self, validation: u32, seed: u64, repetition: u32) -> Vec<u64> {
        let stream = RandomStream::new(seed, Purpose::Split, 0);
        // The first steps of a Fisher–Yates shuffle.
        let mut order: Vec<u32> = (0..self.queries()).collect();
        let mut mask = vec![0; self.words()];
        for at in 0..validation {
            let pick = at + stream.draw_below(u64::from(repetition), at, self.queries() - at);
            let (at, pick) = (usize::try_from(at).unwrap_or(0), usize::try_from(pick).unwrap_or(0));
            order.swap(at, pick);
            let query = usize::try_from(order[at]).unwrap_or(0);
            mask[query / 64] |= 1 << (query % 64);
        }
        mask
    }
}

/// Draws the rule of restart `index` of a repetition, uniform over all rules.
pub fn draw_rule(seed: u64, repetition: u32, index: u32) -> CellRule {
    CellRule::from_number_modulo(RandomStream::new(seed, Purpose::Weights, 0).draw_below(
        u64::from(repetition),
        index,
        RULE_COUNT,
    ))
}

/// Measures the accuracy of a rule, 0 to 1, on `count` new queries of `task`, which may have another size than the
/// queries by which the rule was chosen.
///
/// # Errors
/// Those of [`QueryDistribution::queries`].
pub fn measure_transfer(
    rule: CellRule,
    task: QueryDistribution,
    readout: ReadoutCells,
    seed: u64,
    count: usize,
) -> Result<f64, SearchError> {
    let queries = task.queries(seed, 0, count)?;
    Ok(BitSlicedQueries::new(&queries)?.accuracy(rule, readout))
}

/// Bound on the test error of the chosen rule minus that of the best of `restarts` rules, valid with probability 1
/// − `delta` or more: 2 √(ln(2 M / δ) / 2 N) for M = `restarts` and N = `validation` queries (Goel, Kakade, Kalai
/// and Zhang 2022, section B.5). By Hoeffding's inequality this holds with 1 − δ; the paper has 1 − δ / 2 for the
/// same bound.
///
/// The bound is infinite without validation queries, and useless above 1.
pub fn excess_error_bound(restarts: u32, validation: u32, delta: f64) -> f64 {
    2.0 * (libm::log(2.0 * f64::from(restarts) / delta) / (2.0 * f64::from(validation))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::ConceptFamily;

    fn scores(family: ConceptFamily, readout: ReadoutCells) -> RuleScores {
        let task = QueryDistribution::new(family, 7, 15, 0.0).unwrap();
        RuleScores::new(&task.queries(2, 0, 448).unwrap(), readout).unwrap()
    }

    /// Four standard deviations of the difference between the table's 400 queries and as many here.
    fn band(expected: f64) -> f64 {
        4.0 * (expected.max(0.5) * (1.0 - expected) / 400.0 * 2.0).sqrt() + 0.01
    }

    const RESTARTS: [u32; 6] = [10, 30, 100, 300, 1_000, 3_000];
    const SEARCH: RestartSearch = RestartSearch { validation: 60, repetitions: 200, seed: 1 };

    fn check_curve(scores: &RuleScores, table: [f64; 6]) -> Vec<RestartResult> {
        let found = scores.search_restarts(&RESTARTS, SEARCH).unwrap();
        for (found, expected) in found.iter().zip(table) {
            // The table is of one sample of 400 queries.
            let allowed = band(expected).min(0.06) + 3.0 * found.standard_error;
            assert!((found.test_accuracy - expected).abs() < allowed, "{found:?} {expected} {allowed}");
        }
        assert!(found[5].test_accuracy > found[0].test_accuracy + 0.05);
        found
    }

    #[test]
    fn single_bits_are_learned_by_a_few_rules() {
        let scores = scores(ConceptFamily::Dictator, ReadoutCells::All);
        assert!((scores.accuracy(CellRule::IDENTITY) - 0.938).abs() < band(0.938));
        assert!((scores.accuracy(CellRule::CONSENSUS) - 0.994).abs() < band(0.994));
        assert!(scores.accuracy(scores.best()) >= 0.99);
        // 109 in the table.
        assert!((85..=140).contains(&scores.count_at_least(0.95)), "{}", scores.count_at_least(0.95));
        check_curve(&scores, [0.780, 0.884, 0.948, 0.961, 0.970, 0.971]);
    }

    #[test]
    fn no_rule_learns_halfspaces_well() {
        let scores = scores(ConceptFamily::HalfSpace, ReadoutCells::All);
        assert!((scores.accuracy(CellRule::IDENTITY) - 0.781).abs() < band(0.781));
        assert!((scores.accuracy(CellRule::CONSENSUS) - 0.665).abs() < band(0.665));
        assert!((scores.accuracy(scores.best()) - 0.799).abs() < band(0.799));
        assert_eq!(scores.count_at_least(0.95), 0);
        let found = check_curve(&scores, [0.638, 0.705, 0.768, 0.773, 0.779, 0.781]);
        // Choosing among more rules by 60 queries chooses luck.
        assert!(
            found[5].test_accuracy < found[2].test_accuracy
                && found[5].validation_accuracy > found[2].validation_accuracy,
            "{found:?}"
        );
    }

    #[test]
    fn the_bottom_row_needs_more_restarts_and_reaches_a_higher_accuracy() {
        let scores = scores(ConceptFamily::Dictator, ReadoutCells::Bottom);
        assert_eq!(scores.count_at_least(0.95), 68);
        check_curve(&scores, [0.633, 0.687, 0.804, 0.890, 0.987, 0.998]);
    }

    #[test]
    fn named_rules_have_the_expected_accuracies_at_both_sizes() {
        let table = [
            (ConceptFamily::Dictator, 0.0, [0.938, 0.994], [0.951, 1.000]),
            (ConceptFamily::HalfSpace, 0.0, [0.781, 0.665], [0.780, 0.586]),
            (ConceptFamily::Constant, 0.0, [0.934, 0.986], [0.961, 1.000]),
            (ConceptFamily::Dictator, 0.1, [0.881, 0.836], [0.917, 0.751]),
        ];
        for (family, noise, small, large) in table {
            let task = QueryDistribution::new(family, 7, 15, noise).unwrap();
            for (task, expected) in [(task, small), (task.with_size(15, 40).unwrap(), large)] {
                for (rule, expected) in [CellRule::IDENTITY, CellRule::CONSENSUS].into_iter().zip(expected) {
                    let found = measure_transfer(rule, task, ReadoutCells::All, 3, 2_000).unwrap();
                    // Three standard deviations of the table's 400 queries, and of those here.
                    let allowed =
                        3.0 * (found * (1.0 - found) * (1.0 / 400.0 + 1.0 / 2_000.0)).sqrt() + 0.002;
                    assert!((found - expected).abs() < allowed, "{family:?} {rule:?}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_rule_may_be_good_at_one_size_only() {
        let rule = CellRule::parse("+0+-0000-").unwrap();
        let task = QueryDistribution::new(ConceptFamily::Dictator, 7, 15, 0.0).unwrap();
        assert!(measure_transfer(rule, task, ReadoutCells::All, 1, 400).unwrap() > 0.97);
        assert!(
            measure_transfer(rule, task.with_size(15, 40).unwrap(), ReadoutCells::All, 1, 400).unwrap()
                < 0.03
        );
        assert!(
            measure_transfer(rule, task.with_size(15, 41).unwrap(), ReadoutCells::All, 1, 400).unwrap()
                > 0.97
        );
    }

    #[test]
    fn a_search_chooses_by_validation_and_is_tested_on_other_queries() {
        let task = QueryDistribution::new(ConceptFamily::Dictator, 2, 3, 0.0).unwrap();
        let scores = RuleScores::new(&task.queries(1, 0, 80).unwrap(), ReadoutCells::All).unwrap();
        let search = RestartSearch { validation: 20, repetitions: 1, seed: 9 };
        let found = scores.search_restarts(&[50, 5], search).unwrap();
        for found in found {
            let mask = scores.draw_validation_mask(20, 9, 0);
            assert_eq!(mask.iter().map(|word| word.count_ones()).sum::<u32>(), 20);
            let rules = (0..found.restarts).map(|index| draw_rule(9, 0, index).number() as usize);
            let on = |number: usize| scores.half_points_among(number, &mask);
            let best =
                rules.reduce(|best, number| if on(number) > on(best) { number } else { best }).unwrap();
            let expected = f64::from(scores.half_points()[best] - on(best)) / 120.0;
            assert_eq!((found.test_accuracy, found.standard_error), (expected, 0.0));
            assert_eq!(found.validation_accuracy, f64::from(on(best)) / 40.0);
        }
    }

    #[test]
    fn numbers_of_a_search_out_of_range_are_rejected() {
        let queries =
            QueryDistribution::new(ConceptFamily::Constant, 1, 2, 0.0).unwrap().queries(1, 0, 10).unwrap();
        let scores = RuleScores::new(&queries, ReadoutCells::Bottom).unwrap();
        let search = RestartSearch { validation: 5, repetitions: 2, seed: 1 };
        assert_eq!(scores.search_restarts(&[], search), Ok(vec![]));
        assert_eq!(scores.search_restarts(&[0], search), Err(SearchError::RestartCount(0)));
        assert_eq!(scores.search_restarts(&[100_001], search), Err(SearchError::RestartCount(100_001)));
        for validation in [0, 10] {
            let expected = SearchError::ValidationCount { max: 9, found: validation };
            assert_eq!(scores.search_restarts(&[1], RestartSearch { validation, ..search }), Err(expected));
        }
        for (repetitions, rule_draws) in [(0, 0), (u32::MAX, 42_949_672_950)] {
            let found = scores.search_restarts(&[10], RestartSearch { repetitions, ..search });
            assert_eq!(found, Err(SearchError::TooManyRuleDraws(rule_draws)));
        }
        assert!((excess_error_bound(3_000, 60, 0.05) - 0.624).abs() < 1e-3);
    }
}
