//! The process of searches among cell rules: a step of the run is a restart, which tries one rule and keeps the one that answers
//! most validation queries right.
//!
//! # Why
//! The arrays of the state hold all results of a search, so that it continues from a file as if it had never stopped.
//!
//! # Speed
//! One of two hyperthreads of an AMD EPYC with AVX-512 (2026-11-26), d = 7 and m = 15, all 19,683 rules on 400 queries: 0.30 s
//! natively, 0.69 s in Chromium from the press of Play to the last step on the page. That is 5.5·10¹⁰ cell updates a second, 64
//! queries in a word; numpy with a table of nine entries and an array for all queries makes 4.9·10⁸. All of it lies in the
//! nearest caches, so that memory bandwidth is no limit.

use super::process::Process;
use vivarium_model::models::Family;
use vivarium_model::models::cell_rules::{
    BEST, CLOUD, GOOD, MOST_TESTS, RULE, SIDE, numbers, place, rule_of,
};
use vivarium_model::models::family::SearchOfRules;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::succinct::search::{
    BitSlicedQueries, CellRule, MAX_BATCH_CELLS, Query, QueryDistribution, RuleAnswers, SearchError,
};
use vivarium_science::succinct::{LearningMetric, LearningProblem, MAX_EXAMPLE_INPUTS, MAX_EXAMPLES};

/// Numbers of queries that a replica has for itself: half of them for its own size, half for twice the size.
const QUERIES_OF_REPLICA: u64 = 1 << 20;

/// The searches of a run.
pub struct RuleSearchProcess {
    net: SearchOfRules,
    task: QueryDistribution,
    seed: u64,
    tests: usize,
    replicas: Vec<ReplicaQueries>,
    /// Workspace: the answers of the latest rule.
    answers: RuleAnswers,
    ahead: Ahead,
}

/// What a GPU has judged before the loop comes to it.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// The restart of the first numbers.
    pub from: u64,
    /// For each replica and restart, points on validation queries and on test queries, in halves.
    pub points: Vec<Vec<[u32; 2]>>,
}

impl Ahead {
    /// The points of a restart, where they are known.
    fn of(&self, replica: usize, step: u64) -> Option<[u32; 2]> {
        let at = usize::try_from(step.checked_sub(self.from)?).ok()?;
        self.points.get(replica)?.get(at).copied()
    }

    /// The restart after those that are known.
    #[cfg(feature = "fused")]
    pub fn until(&self) -> u64 {
        self.from + self.points.first().map_or(0, Vec::len) as u64
    }
}

/// Queries of one replica.
struct ReplicaQueries {
    /// Validation queries, and after them those of the test.
    queries: BitSlicedQueries,
    /// Queries of twice the size; none before the first measurement of a rule.
    twice: Option<BitSlicedQueries>,
    /// The rule that was measured last, with its accuracy on the test and at twice the size.
    measured: Option<(CellRule, [f64; 2])>,
}

/// State of one search: the arrays of [`vivarium_model::models::cell_rules`].
#[derive(Debug, Clone, PartialEq)]
pub struct SearchState {
    rule: [f32; 9],
    best: [f32; 3],
    cloud: Vec<f32>,
}

impl SearchState {
    /// The best rule so far; none before the first restart.
    fn rule(&self) -> Option<CellRule> {
        (self.best[1] > 0.0).then(|| rule_of(&self.rule))
    }
}

/// Points in halves on the first so many queries, and on the others.
fn parts(judged: &RuleAnswers, first: usize) -> [u32; 2] {
    let ones = |words: &[u64]| {
        words.iter().enumerate().fold([0; 2], |[before, after], (at, word)| {
            let mask = match first.saturating_sub(64 * at) {
                0 => 0,
                some if some >= 64 => u64::MAX,
                some => (1 << some) - 1,
            };
            [before + (word & mask).count_ones(), after + (word & !mask).count_ones()]
        })
    };
    let ([right, right_after], [tied, tied_after]) = (ones(&judged.correct), ones(&judged.tied));
    [2 * right + tied, 2 * right_after + tied_after]
}

impl RuleSearchProcess {
    /// Points on the validation queries and on the test queries, in halves.
    fn judge(&mut self, number: usize, rule: CellRule) -> Option<[u32; 2]> {
        let own = self.replicas.get_mut(number)?;
        own.queries.evaluate(rule, self.net.readout(), &mut self.answers);
        Some(parts(&self.answers, self.net.validation))
    }

    /// Accuracy on the validation queries, the test queries and all of them.
    fn accuracies(&self, [valid, test]: [u32; 2]) -> [f64; 3] {
        let share = |halves: u32, queries: usize| f64::from(halves) / (2 * queries.max(1)) as f64;
        let all = share(valid + test, self.net.validation + self.tests);
        [share(valid, self.net.validation), share(test, self.tests), all]
    }

    /// The queries of a search, those for validation first.
    pub(crate) fn queries(&self, number: u64) -> Result<Vec<Query>, SearchError> {
        self.task.queries(self.seed, number * QUERIES_OF_REPLICA, self.net.validation + self.tests)
    }

    /// The settings of the searches.
    #[cfg(feature = "fused")]
    pub(crate) fn net(&self) -> &SearchOfRules {
        &self.net
    }

    /// What a GPU has judged; to be replaced.
    #[cfg(feature = "fused")]
    pub(crate) fn ahead(&mut self) -> &mut Ahead {
        &mut self.ahead
    }

    /// The accuracy of a rule on the test queries, and at twice the size or the largest one there may be.
    fn tested(&mut self, number: usize, rule: CellRule) -> Option<[f64; 2]> {
        if let Some((measured, accuracies)) = self.replicas.get(number)?.measured
            && measured == rule
        {
            return Some(accuracies);
        }
        let points = self.judge(number, rule)?;
        let [_, test, _] = self.accuracies(points);
        let (task, seed, tests) = (self.task, self.seed, self.tests);
        let [bits, examples] =
            [(2 * task.bits()).min(MAX_EXAMPLE_INPUTS), (2 * task.examples()).min(MAX_EXAMPLES)];
        let own = self.replicas.get_mut(number)?;
        if own.twice.is_none() {
            let first = number as u64 * QUERIES_OF_REPLICA + QUERIES_OF_REPLICA / 2;
            let larger = task.with_size(bits, examples).ok()?;
            let count = tests.min(most_queries(larger));
            own.twice = BitSlicedQueries::new(&larger.queries(seed, first, count).ok()?).ok();
        }
        let twice = own.twice.as_mut()?.accuracy(rule, self.net.readout());
        own.measured = Some((rule, [test, twice]));
        Some([test, twice])
    }
}

/// How many queries of a task may be drawn at once.
fn most_queries(task: QueryDistribution) -> usize {
    let cells = (task.examples() as u64 + 1) * (task.bits() as u64 + 1);
    usize::try_from(MAX_BATCH_CELLS / cells).unwrap_or(usize::MAX)
}

/// The kind of problem as the search knows it.
///
/// # Errors
/// Those of the search.
pub fn task_of(problem: &LearningProblem) -> Result<QueryDistribution, SearchError> {
    QueryDistribution::new(problem.family, problem.inputs, problem.examples, problem.noise)
}

impl Process for RuleSearchProcess {
    type State = SearchState;

    fn new(spec: &RunSpec) -> Result<(Self, SearchState), String> {
        let Some(Family::RuleSearch(net)) = spec.model.config().family() else {
            return Err(format!("{} searches for no rule", spec.model.info().name));
        };
        let TaskData::Program(problem) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let say = |error: SearchError| error.to_string();
        let task = task_of(&problem).map_err(say)?;
        let room = most_queries(task).saturating_sub(net.validation);
        let tests = spec.held_out_count().min(MOST_TESTS).min(room).max(1);
        let state = SearchState { rule: [0.0; 9], best: [0.0; 3], cloud: vec![0.0; SIDE * SIDE] };
        let mut process = RuleSearchProcess {
            replicas: vec![],
            seed: spec.run.seed,
            answers: RuleAnswers::default(),
            ahead: Ahead::default(),
            tests,
            task,
            net,
        };
        let of_replica = |number: u64| {
            let queries = process.queries(number)?;
            Ok(ReplicaQueries { queries: BitSlicedQueries::new(&queries)?, twice: None, measured: None })
        };
        let replicas: Result<Vec<ReplicaQueries>, SearchError> =
            (0..spec.run.replicas as u64).map(of_replica).collect();
        process.replicas = replicas.map_err(say)?;
        Ok((process, state))
    }

    fn step(&mut self, state: &mut SearchState, _spec: &RunSpec, (replica, step): (usize, u64)) {
        let tried = self.net.tried(self.seed, replica, step);
        let evaluated = self.ahead.of(replica, step);
        let Some((rule, points)) =
            tried.and_then(|rule| Some((rule, evaluated.or_else(|| self.judge(replica, rule))?)))
        else {
            return;
        };
        let [valid, test, all] = self.accuracies(points);
        let [points, _] = points;
        if let Some(count) = state.cloud.get_mut(place(valid) * SIDE + place(test)) {
            *count += 1.0;
        }
        if all >= GOOD {
            state.best[2] += 1.0;
        }
        // The first of equal ones stays.
        if points as f32 > state.best[0] || state.best[1] == 0.0 {
            state.rule = numbers(rule);
            state.best = [points as f32, step as f32 + 1.0, state.best[2]];
        }
    }

    fn measure(
        &mut self,
        state: &mut SearchState,
        (replica, step): (usize, u64),
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let rule = state.rule();
        let tried: f32 = state.cloud.iter().sum();
        let valid = state.best[0] / (2 * self.net.validation) as f32;
        let tested = rule.and_then(|rule| self.tested(replica, rule));
        let [test, twice] = tested.unwrap_or([0.5; 2]).map(|accuracy| accuracy as f32);
        // Before the first restart an answer is a guess.
        let valid = if rule.is_some() { valid } else { 0.5 };
        row.train_loss.push(1.0 - valid);
        row.train_accuracy.push(valid);
        row.test_loss.push(1.0 - test);
        row.test_accuracy.push(test);
        row.measures.resize(LearningMetric::ALL.len(), vec![]);
        let measures = LearningMetric::ALL.iter().map(|measured| match measured {
            LearningMetric::GoodRuleShare if step > 0 => state.best[2] / tried.max(1.0),
            LearningMetric::TwiceSizeAccuracy if rule.is_some() => twice,
            LearningMetric::BestRestart if rule.is_some() => state.best[1],
            _ => f32::NAN,
        });
        row.measures.iter_mut().zip(measures).for_each(|(all, one)| all.push(one));
    }

    fn save(state: &SearchState, which: usize) -> Vec<f32> {
        match which {
            RULE => state.rule.to_vec(),
            BEST => state.best.to_vec(),
            _ => state.cloud.clone(),
        }
    }

    fn load(state: &mut SearchState, which: usize, values: &[f32]) {
        match which {
            RULE => state.rule.copy_from_slice(values),
            BEST => state.best.copy_from_slice(values),
            CLOUD => state.cloud = values.to_vec(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;
    use vivarium_science::succinct::search::{ReadoutCells, RuleScores, predict};

    type RuleSearchLearner = ProcessLearner<RuleSearchProcess>;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/succinct-learning?model=cell-rules&{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    fn measured(row: &Measurement, which: LearningMetric) -> &[f32] {
        &row.measures[which as usize]
    }

    #[test]
    fn an_exhaustive_search_finds_what_the_scores_say() {
        let spec = spec("tried=all&inputs=4&examples=6&valid=20&held=64");
        let mut learner = RuleSearchLearner::new(&spec).unwrap();
        learner.train(&spec, 0, 19_700);
        let row = learner.measure_now(19_700, 64);
        let task = task_of(&spec.task.data().learning_problem().unwrap()).unwrap();
        let queries = task.queries(spec.run.seed, 0, 84).unwrap();
        let (valid, test) = queries.split_at(20);
        let scores = RuleScores::new(valid, ReadoutCells::All).unwrap();
        let best = scores.best();
        assert_eq!(learner.replicas[0].state.rule(), Some(best));
        assert_eq!(measured(&row, LearningMetric::BestRestart)[0], best.number() as f32 + 1.0);
        let points =
            |query: &vivarium_science::succinct::search::Query| match predict(query, best, ReadoutCells::All)
            {
                Some(label) => f32::from(u8::from(label == query.label)),
                None => 0.5,
            };
        let expected = test.iter().map(points).sum::<f32>() / 64.0;
        assert!((row.test_accuracy[0] - expected).abs() < 1e-6);
        assert!((f64::from(row.train_accuracy[0]) - scores.accuracy(best)).abs() < 1e-6);
        let all = RuleScores::new(&queries, ReadoutCells::All).unwrap();
        let good = all.count_at_least(GOOD) as f32 / 19_683.0;
        assert!((measured(&row, LearningMetric::GoodRuleShare)[0] - good).abs() < 1e-7);
        assert_eq!(learner.replicas[0].state.cloud.iter().sum::<f32>(), 19_683.0);
    }

    #[test]
    fn what_is_kept_and_taken_up_again_goes_on_with_the_same_bits() {
        let spec = spec("replicas=3&read=bottom&held=100");
        let (mut whole, mut first) =
            (RuleSearchLearner::new(&spec).unwrap(), RuleSearchLearner::new(&spec).unwrap());
        whole.train(&spec, 0, 300);
        first.train(&spec, 0, 120);
        let kept = ready(first.weights());
        let mut second = RuleSearchLearner::new(&spec).unwrap();
        second.load(&kept);
        second.train(&spec, 120, 200);
        second.remember(200);
        second.train(&spec, 200, 300);
        assert_eq!(ready(second.weights()), ready(whole.weights()));
        let (a, b) = (second.measure_now(300, 100), whole.measure_now(300, 100));
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
        ready(second.restore());
        second.train(&spec, 200, 300);
        assert_eq!(ready(second.weights()), ready(whole.weights()));
        // Searches differ in rules and in queries.
        assert!(
            a.train_accuracy[0] >= 0.5
                && measured(&a, LearningMetric::TwiceSizeAccuracy).iter().all(|share| *share <= 1.0)
        );
        assert_ne!(whole.replicas[0].state.cloud, whole.replicas[1].state.cloud);
    }

    #[test]
    fn the_largest_problems_have_as_many_queries_as_there_is_room_for() {
        let spec = spec("inputs=31&examples=100&valid=1000&held=4096");
        let mut learner = RuleSearchLearner::new(&spec).unwrap();
        assert_eq!(learner.network.process.tests, (1 << 23) / (101 * 32) - 1000);
        let [test, twice] = learner.network.process.tested(0, CellRule::CONSENSUS).unwrap();
        assert!(test > 0.9 && twice > 0.9, "{test} {twice}");
    }

    #[test]
    fn points_are_those_of_the_two_parts() {
        let judged = RuleAnswers { correct: vec![u64::MAX, 0b101], tied: vec![0, 0b010] };
        assert_eq!(parts(&judged, 60), [120, 8 + 4 + 1]);
        assert_eq!(parts(&judged, 64), [128, 5]);
        assert_eq!(parts(&judged, 66), [128 + 2 + 1, 2]);
        for rule in [CellRule::IDENTITY, CellRule::CONSENSUS, CellRule::from_number(12_345).unwrap()] {
            assert_eq!(rule_of(&numbers(rule)), rule);
        }
    }
}
