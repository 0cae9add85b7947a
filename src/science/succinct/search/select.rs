//! Finding a rule by random restarts and validation (the small version of Goel, Kakade, Kalai and Zhang
//! 2022, corollary 2; search space and tasks are ours).
//!
//! ```text
//! exhaustive   accuracy of all 19,683 rules on the same queries
//! restarts     draw R rules; keep the one with most points on V validation queries (the first of equals)
//!              its accuracy on all other queries, mean over repetitions
//! transfer     accuracy of the same rule on the same task at another size
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
//! One exhaustive scoring keeps each rule's answers, two bits for each query: a restart is then a few words to look at, and
//! thousands of repetitions take no time. In each repetition other queries of the same scoring are the validation queries,
//! and all the rest are the test: no query is in both. So it can be seen that more than 100 restarts make halfspaces worse:
//! no rule is good, and 60 queries choose those that are lucky on these 60.
//!
//! A rule may be good at one size only. Where cells change sign at every step the answer depends on whether m + 1 is even:
//! `+0+-0000-` has accuracy 1.00 on single bits at m = 15, and 0.00 at m = 40.

use super::error::SearchError;
use super::limits::{MOST_LOOKS, MOST_RESTARTS, RULES};
use super::rule::Rule;
use super::run::Readout;
use super::scores::Scores;
use super::sliced::Sliced;
use super::task::Task;
use vivarium_core::rng::{Purpose, Stream};

/// A search by random restarts, repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    /// Queries by which the best rule is chosen.
    pub validation: u32,
    /// How often the whole search is repeated, with other validation queries and other rules.
    pub repetitions: u32,
    /// Of which all draws are.
    pub seed: u64,
}

/// What a number of restarts gives on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Number of restarts.
    pub restarts: u32,
    /// Mean accuracy of the chosen rule on its validation queries, 0 to 1: too high, since it is chosen by it.
    pub validation: f64,
    /// Mean accuracy of the chosen rule on all other queries, 0 to 1.
    pub mean: f64,
    /// Standard error of that mean from the number of repetitions; that of the queries themselves is not in it.
    pub error: f64,
}

impl Scores {
    /// What a search finds with each of these numbers of restarts: in a repetition, more restarts go on where fewer end.
    ///
    /// # Errors
    /// [`SearchError::Restarts`], [`SearchError::Validation`] and [`SearchError::Looks`] for numbers outside of the limits.
    pub fn search(&self, restarts: &[u32], search: Search) -> Result<Vec<Found>, SearchError> {
        let Search { validation, repetitions, seed } = search;
        if let Some(wrong) = restarts.iter().find(|count| !(1..=MOST_RESTARTS).contains(*count)) {
            return Err(SearchError::Restarts(*wrong));
        }
        if !(1..self.queries()).contains(&validation) {
            return Err(SearchError::Validation {
                most: self.queries().saturating_sub(1),
                found: validation,
            });
        }
        let most = restarts.iter().copied().max().unwrap_or(0);
        let looks = u64::from(most).saturating_mul(u64::from(repetitions));
        if !restarts.is_empty() && !(1..=MOST_LOOKS).contains(&looks) {
            return Err(SearchError::Looks(looks));
        }
        let mut order: Vec<usize> = (0..restarts.len()).collect();
        order.sort_by_key(|at| restarts[*at]);
        let mut sums = vec![(0.0, 0.0, 0.0); restarts.len()];
        for repetition in 0..repetitions {
            let mask = self.chosen(validation, seed, repetition);
            let mut ends = order.iter().peekable();
            let mut best = (0, None);
            for index in 0..most {
                let number = usize::try_from(restart(seed, repetition, index).number()).unwrap_or(0);
                let halves = self.halves_among(number, &mask);
                if halves > best.0 || best.1.is_none() {
                    best = (halves, Some(number));
                }
                while let Some(at) = ends.next_if(|at| restarts[**at] == index + 1) {
                    let all = best.1.map_or(0, |number| self.halves()[number]);
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
            Found { restarts: *restarts, validation: chosen / count, mean, error: (variance / count).sqrt() }
        });
        Ok(found.collect())
    }

    /// The validation queries of a repetition, as bits.
    fn chosen(&self, validation: u32, seed: u64, repetition: u32) -> Vec<u64> {
        let stream = Stream::new(seed, Purpose::Split, 0);
        // The beginning of a shuffle (Fisher and Yates).
        let mut order: Vec<u32> = (0..self.queries()).collect();
        let mut mask = vec![0; self.words()];
        for at in 0..validation {
            let pick = at + stream.below(u64::from(repetition), at, self.queries() - at);
            let (at, pick) = (usize::try_from(at).unwrap_or(0), usize::try_from(pick).unwrap_or(0));
            order.swap(at, pick);
            let query = usize::try_from(order[at]).unwrap_or(0);
            mask[query / 64] |= 1 << (query % 64);
        }
        mask
    }
}

/// The rule that restart `index` of a repetition draws, uniform over all rules.
pub fn restart(seed: u64, repetition: u32, index: u32) -> Rule {
    Rule::wrapped(Stream::new(seed, Purpose::Weights, 0).below(u64::from(repetition), index, RULES))
}

/// The accuracy of a rule, 0 to 1, on `count` fresh queries of the task, which may have another size than the one that the
/// rule was chosen for.
///
/// # Errors
/// Those of [`Task::queries`].
pub fn transfer(
    rule: Rule,
    task: Task,
    readout: Readout,
    seed: u64,
    count: usize,
) -> Result<f64, SearchError> {
    let queries = task.queries(seed, 0, count)?;
    Ok(Sliced::new(&queries)?.accuracy(rule, readout))
}

/// How much worse than the best of `restarts` rules the chosen one is at most, with probability 1 − `delta` or more:
/// 2 √(ln(2 M / δ) / 2 N) for M restarts and N validation queries (section B.5). By Hoeffding's inequality this holds with
/// 1 − δ; the paper has 1 − δ / 2 for the same bound.
///
/// Infinite for no validation query, and above 1 where it says nothing.
pub fn excess(restarts: u32, validation: u32, delta: f64) -> f64 {
    2.0 * (libm::log(2.0 * f64::from(restarts) / delta) / (2.0 * f64::from(validation))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Family;

    fn scores(family: Family, readout: Readout) -> Scores {
        let task = Task::new(family, 7, 15, 0.0).unwrap();
        Scores::new(&task.queries(2, 0, 448).unwrap(), readout).unwrap()
    }

    /// Four standard deviations of the difference between the table's 400 queries and as many here.
    fn band(expected: f64) -> f64 {
        4.0 * (expected.max(0.5) * (1.0 - expected) / 400.0 * 2.0).sqrt() + 0.01
    }

    const RESTARTS: [u32; 6] = [10, 30, 100, 300, 1_000, 3_000];
    const SEARCH: Search = Search { validation: 60, repetitions: 200, seed: 1 };

    fn check_curve(scores: &Scores, table: [f64; 6]) -> Vec<Found> {
        let found = scores.search(&RESTARTS, SEARCH).unwrap();
        for (found, expected) in found.iter().zip(table) {
            // The table is of one sample of 400 queries.
            let allowed = band(expected).min(0.06) + 3.0 * found.error;
            assert!((found.mean - expected).abs() < allowed, "{found:?} {expected} {allowed}");
        }
        assert!(found[5].mean > found[0].mean + 0.05);
        found
    }

    #[test]
    fn single_bits_are_learned_by_a_few_rules() {
        let scores = scores(Family::Dictator, Readout::All);
        assert!((scores.accuracy(Rule::IDENTITY) - 0.938).abs() < band(0.938));
        assert!((scores.accuracy(Rule::CONSENSUS) - 0.994).abs() < band(0.994));
        assert!(scores.accuracy(scores.best()) >= 0.99);
        // 109 in the table.
        assert!((85..=140).contains(&scores.at_least(0.95)), "{}", scores.at_least(0.95));
        check_curve(&scores, [0.780, 0.884, 0.948, 0.961, 0.970, 0.971]);
    }

    #[test]
    fn no_rule_learns_halfspaces_well() {
        let scores = scores(Family::HalfSpace, Readout::All);
        assert!((scores.accuracy(Rule::IDENTITY) - 0.781).abs() < band(0.781));
        assert!((scores.accuracy(Rule::CONSENSUS) - 0.665).abs() < band(0.665));
        assert!((scores.accuracy(scores.best()) - 0.799).abs() < band(0.799));
        assert_eq!(scores.at_least(0.95), 0);
        let found = check_curve(&scores, [0.638, 0.705, 0.768, 0.773, 0.779, 0.781]);
        // Choosing among more rules by 60 queries chooses luck.
        assert!(found[5].mean < found[2].mean && found[5].validation > found[2].validation, "{found:?}");
    }

    #[test]
    fn reading_the_bottom_row_needs_more_restarts_and_ends_higher() {
        let scores = scores(Family::Dictator, Readout::Bottom);
        assert_eq!(scores.at_least(0.95), 68);
        check_curve(&scores, [0.633, 0.687, 0.804, 0.890, 0.987, 0.998]);
    }

    #[test]
    fn named_rules_have_the_accuracies_of_the_table_at_both_sizes() {
        let table = [
            (Family::Dictator, 0.0, [0.938, 0.994], [0.951, 1.000]),
            (Family::HalfSpace, 0.0, [0.781, 0.665], [0.780, 0.586]),
            (Family::Constant, 0.0, [0.934, 0.986], [0.961, 1.000]),
            (Family::Dictator, 0.1, [0.881, 0.836], [0.917, 0.751]),
        ];
        for (family, noise, small, large) in table {
            let task = Task::new(family, 7, 15, noise).unwrap();
            for (task, expected) in [(task, small), (task.resized(15, 40).unwrap(), large)] {
                for (rule, expected) in [Rule::IDENTITY, Rule::CONSENSUS].into_iter().zip(expected) {
                    let found = transfer(rule, task, Readout::All, 3, 2_000).unwrap();
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
        let rule = Rule::read("+0+-0000-").unwrap();
        let task = Task::new(Family::Dictator, 7, 15, 0.0).unwrap();
        assert!(transfer(rule, task, Readout::All, 1, 400).unwrap() > 0.97);
        assert!(transfer(rule, task.resized(15, 40).unwrap(), Readout::All, 1, 400).unwrap() < 0.03);
        assert!(transfer(rule, task.resized(15, 41).unwrap(), Readout::All, 1, 400).unwrap() > 0.97);
    }

    #[test]
    fn a_search_chooses_by_validation_and_is_measured_elsewhere() {
        let task = Task::new(Family::Dictator, 2, 3, 0.0).unwrap();
        let scores = Scores::new(&task.queries(1, 0, 80).unwrap(), Readout::All).unwrap();
        let search = Search { validation: 20, repetitions: 1, seed: 9 };
        let found = scores.search(&[50, 5], search).unwrap();
        for found in found {
            let mask = scores.chosen(20, 9, 0);
            assert_eq!(mask.iter().map(|word| word.count_ones()).sum::<u32>(), 20);
            let rules = (0..found.restarts).map(|index| restart(9, 0, index).number() as usize);
            let on = |number: usize| scores.halves_among(number, &mask);
            let best =
                rules.reduce(|best, number| if on(number) > on(best) { number } else { best }).unwrap();
            let expected = f64::from(scores.halves()[best] - on(best)) / 120.0;
            assert_eq!((found.mean, found.error), (expected, 0.0));
            assert_eq!(found.validation, f64::from(on(best)) / 40.0);
        }
    }

    #[test]
    fn searches_are_bounded() {
        let queries = Task::new(Family::Constant, 1, 2, 0.0).unwrap().queries(1, 0, 10).unwrap();
        let scores = Scores::new(&queries, Readout::Bottom).unwrap();
        let search = Search { validation: 5, repetitions: 2, seed: 1 };
        assert_eq!(scores.search(&[], search), Ok(vec![]));
        assert_eq!(scores.search(&[0], search), Err(SearchError::Restarts(0)));
        assert_eq!(scores.search(&[100_001], search), Err(SearchError::Restarts(100_001)));
        for validation in [0, 10] {
            let expected = SearchError::Validation { most: 9, found: validation };
            assert_eq!(scores.search(&[1], Search { validation, ..search }), Err(expected));
        }
        for (repetitions, looks) in [(0, 0), (u32::MAX, 42_949_672_950)] {
            let found = scores.search(&[10], Search { repetitions, ..search });
            assert_eq!(found, Err(SearchError::Looks(looks)));
        }
        assert!((excess(3_000, 60, 0.05) - 0.624).abs() < 1e-3);
    }
}
