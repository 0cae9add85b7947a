//! The learner of transformers whose layers are gradient descent: a step of the run is 2N + 4 layers, in every replica, and a
//! step of direct descent beside them.
//!
//! # Why
//! It is a learner like the others, so that transport, links, sweeps and files are there for a transformer that is written down
//! too. The transformer itself, with its tokens, is made again from the state of a replica where it is not at hand: both
//! follow from settings and weights alone.

use super::learner::{CpuLearner, CpuNetwork};
use vivarium_core::bounds::saturating_product;
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_model::models::Family;
use vivarium_model::models::family::InTokens;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::descent::{
    ComparisonMeasure, ComparisonState, DescentComparison, DescentPrompts, corollary_bound,
};

/// Steps all replicas of one transformer on the processor.
pub type DescentCpu = CpuLearner<DescentRuns>;

/// Most numbers of the tokens of all replicas that are kept: 32 MiB in double precision. Above that there is one race at a
/// time, and replicas that take turns have it made anew.
const MOST_KEPT: u64 = 1 << 22;

/// The transformers of a run with their examples.
pub struct DescentRuns {
    net: InTokens,
    draw: DescentPrompts,
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    /// Whether every replica keeps its race.
    keeps: bool,
    races: Vec<Option<Runner>>,
    /// The replica whose turn it is.
    turn: usize,
}

/// A replica's race, at its learning rate.
struct Runner {
    race: DescentComparison,
    /// The variance of its labels.
    variance: f64,
}

impl Runner {
    fn new(net: &InTokens, draw: &DescentPrompts, spec: &RunSpec, number: usize, rate: f64) -> Self {
        let (seed, inits) = (spec.run.seed, spec.run.inits);
        let examples = draw.draw_examples(seed, number as u32);
        // Replicas may share initial weights in turn.
        let from = if inits == 0 { number } else { number % inits };
        let start = net.start(draw, seed, from as u32);
        Runner {
            variance: examples.label_variance(),
            race: DescentComparison::new(&net.plan(draw, rate), examples, &start),
        }
    }
}

/// What one replica is at.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    state: ComparisonState,
}

impl ReplicaState for Stepped {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        let mut parts = self.state.to_tensors();
        let own = std::mem::take(&mut parts[which]);
        // No optimizer remembers anything.
        if part == 0 { own } else { vec![0.0; own.len()] }
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        if part == 0 {
            let mut parts = self.state.to_tensors();
            parts[which] = values.to_vec();
            self.state = ComparisonState::from_tensors(parts.each_ref().map(Vec::as_slice));
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

impl DescentRuns {
    /// The race of replica `number`, at this state and learning rate.
    fn at(&mut self, number: usize, rate: f64, state: &ComparisonState) -> &mut Runner {
        let slot = if self.keeps { number } else { 0 };
        let is_of_another = !self.keeps && self.turn != number;
        self.turn = number;
        if is_of_another
            || self.races[slot].as_ref().is_some_and(|runner| runner.race.plan().learning_rate != rate)
        {
            self.races[slot] = None;
        }
        let (net, draw, spec) = (&self.net, &self.draw, &self.spec);
        let runner = self.races[slot].get_or_insert_with(|| Runner::new(net, draw, spec, number, rate));
        if runner.race.state() != state {
            runner.race.resume(state.clone());
        }
        runner
    }
}

impl CpuNetwork for DescentRuns {
    type Replica = Stepped;

    fn new(spec: &RunSpec) -> Result<(Self, Stepped), String> {
        let Some(Family::Descent(net)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let TaskData::Fit(draw) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let sizes = net.plan(&draw, 1.0).compute_sizes(draw.example_count());
        let keeps =
            saturating_product([spec.run.replicas as u64, sizes.token_dim, sizes.token_count]) <= MOST_KEPT;
        let count = if keeps { spec.run.replicas } else { 1 };
        let zeros = vec![0.0; net.network(&draw).weight_count()];
        let runs = DescentRuns {
            net,
            draw,
            spec: spec.clone(),
            keeps,
            races: (0..count).map(|_| None).collect(),
            turn: 0,
        };
        Ok((runs, Stepped { state: ComparisonState::initial(&zeros) }))
    }

    /// Examples are drawn once; here it is told whose turn it is.
    fn draw(&mut self, spec: &RunSpec, number: usize, _step: u64) {
        if self.spec.run.schedule != spec.run.schedule {
            self.spec = spec.clone();
        }
        if !self.keeps && self.turn != number {
            self.races[0] = None;
        }
        self.turn = number;
    }

    fn step(&mut self, replica: &mut Stepped, spec: &RunSpec, step: u64, _update: &Update) {
        let runner = self.at(self.turn, spec.learning_rate(step), &replica.state);
        runner.race.step();
        replica.state.clone_from(runner.race.state());
    }

    fn measure(
        &mut self,
        replica: &mut Stepped,
        number: usize,
        step: u64,
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let slot = if self.keeps { number } else { 0 };
        let spec = &self.spec;
        let changes = spec.run.schedule.iter().filter(|(from, _)| *from < step).map(|(_, rate)| *rate);
        let largest = changes.fold(spec.learning_rate(0), f64::max);
        let now = self.races[slot]
            .as_ref()
            .map_or(spec.learning_rate(step), |runner| runner.race.plan().learning_rate);
        let runner = self.at(number, now, &replica.state);
        let mut standing = runner.race.measure();
        // The corollary knows one learning rate: with the largest so far its bound holds.
        standing.corollary = corollary_bound(largest, standing.step, standing.error, standing.lipschitz);
        // L_n is half of the mean squared error.
        let explained = |loss: f64| (1.0 - 2.0 * loss / runner.variance) as f32;
        row.train_loss.push(standing.token_loss as f32);
        row.train_accuracy.push(explained(standing.token_loss));
        row.test_loss.push(standing.direct_loss as f32);
        row.test_accuracy.push(explained(standing.direct_loss));
        row.measures.resize(ComparisonMeasure::ALL.len(), vec![]);
        row.measures.iter_mut().zip(standing.measures()).for_each(|(all, one)| all.push(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/in-context-regression?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    /// Section 5.1 of the summary: 100 steps with ReLUs and δ = 1e-4.
    #[test]
    fn the_learner_makes_the_steps_of_the_table() {
        let spec = spec("");
        let mut learner = DescentCpu::new(&spec).unwrap();
        let before = learner.measure_now(0, 16);
        learner.train(&spec, 0, 100);
        let after = learner.measure_now(100, 16);
        let measured = |row: &Measurement, which: ComparisonMeasure| row.measures[which as usize][0];
        assert_eq!(measured(&before, ComparisonMeasure::Distance), 0.0);
        assert!(measured(&after, ComparisonMeasure::Distance) < 2e-3);
        assert!(
            measured(&after, ComparisonMeasure::Corollary) >= measured(&after, ComparisonMeasure::Distance)
        );
        assert!(measured(&after, ComparisonMeasure::Moved) > 0.1);
        assert!(after.train_loss[0] < 0.5 * before.train_loss[0]);
        assert!((after.train_loss[0] - after.test_loss[0]).abs() < 1e-3);
        assert!(after.train_accuracy[0] > before.train_accuracy[0]);
        assert!(after.measures.iter().flatten().all(|number| number.is_finite()));
    }

    #[test]
    fn what_is_kept_and_taken_up_again_goes_on_with_the_same_bits() {
        for link in [
            "replicas=3&spread=normal",
            "replicas=2&act=tanh&inits=1&spread=uniform",
            "n=250&hidden=40.40.40&replicas=5",
        ] {
            let spec = spec(link);
            let (mut whole, mut first) = (DescentCpu::new(&spec).unwrap(), DescentCpu::new(&spec).unwrap());
            whole.train(&spec, 0, 4);
            first.train(&spec, 0, 2);
            let kept = ready(first.weights());
            let mut second = DescentCpu::new(&spec).unwrap();
            second.load(&kept);
            second.train(&spec, 2, 3);
            second.remember(3);
            second.train(&spec, 3, 4);
            assert_eq!(ready(second.weights()), ready(whole.weights()), "{link}");
            assert_eq!(second.measure_now(4, 64), whole.measure_now(4, 64), "{link}");
            ready(second.restore());
            second.train(&spec, 3, 4);
            assert_eq!(ready(second.weights()), ready(whole.weights()), "{link}");
        }
    }

    #[test]
    fn a_learning_rate_of_the_persons_own_is_taken_up() {
        let changed = spec("lrs=2:0.01_3:0");
        let mut learner = DescentCpu::new(&changed).unwrap();
        let mut distances = vec![];
        let mut before = learner.replicas[0].state.tokens.clone();
        for step in 0..4 {
            learner.train(&changed, step, step + 1);
            let now = learner.replicas[0].state.tokens.clone();
            distances.push(vivarium_science::descent::euclidean_distance(&now, &before));
            before = now;
        }
        assert!(distances[2] < 0.2 * distances[1], "{distances:?}");
        // Each token's weights are added to and taken from scratch, and nothing moves them.
        assert!(distances[3] < 1e-12, "{distances:?}");
        let row = learner.measure_now(4, 16);
        assert!(row.measures.iter().flatten().all(|number| number.is_finite()));
    }
}
