//! The process of transformers whose layers are gradient descent: a step of the run is 2N + 4 layers, in every replica, and a
//! step of direct descent next to them.
//!
//! # Why
//! The state of a replica is that of the comparison of both descents. The transformer itself, with its tokens, is built again
//! from this state where it is not in memory: both follow from settings and weights alone.

use super::process::Process;
use vivarium_core::bounds::saturating_product;
use vivarium_model::models::Family;
use vivarium_model::models::family::InTokens;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::descent::{
    ComparisonMeasure, ComparisonState, DescentComparison, DescentPrompts, corollary_bound,
};

/// Largest count of numbers in the tokens of all replicas for which every comparison stays in memory: 32 MiB in double
/// precision. Above this count there is one comparison at a time, and the next replica builds its own.
const MAX_STORED_NUMBERS: u64 = 1 << 22;

/// The transformers of a run with their examples.
pub struct DescentProcess {
    net: InTokens,
    draw: DescentPrompts,
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    /// Whether every replica has a comparison in memory.
    stores_all: bool,
    /// Comparisons of the replicas, or one comparison.
    comparisons: Vec<Option<ReplicaComparison>>,
    /// Replica of the only comparison, where there is one.
    replica: usize,
}

/// Comparison of both descents in one replica, at its learning rate.
struct ReplicaComparison {
    comparison: DescentComparison,
    /// The variance of its labels.
    variance: f64,
}

impl ReplicaComparison {
    fn new(net: &InTokens, draw: &DescentPrompts, spec: &RunSpec, number: usize, rate: f64) -> Self {
        let (seed, inits) = (spec.run.seed, spec.run.inits);
        let examples = draw.draw_examples(seed, number as u32);
        // Replicas may share initial weights in turn.
        let from = if inits == 0 { number } else { number % inits };
        let start = net.start(draw, seed, from as u32);
        ReplicaComparison {
            variance: examples.label_variance(),
            comparison: DescentComparison::new(&net.plan(draw, rate), examples, &start),
        }
    }
}

impl DescentProcess {
    /// The comparison of replica `replica` at this state and learning rate.
    fn comparison_at(
        &mut self,
        replica: usize,
        rate: f64,
        state: &ComparisonState,
    ) -> &mut ReplicaComparison {
        let slot = if self.stores_all { replica } else { 0 };
        let is_of_another = !self.stores_all && self.replica != replica;
        self.replica = replica;
        if is_of_another
            || self.comparisons[slot].as_ref().is_some_and(|own| own.comparison.plan().learning_rate != rate)
        {
            self.comparisons[slot] = None;
        }
        let (net, draw, spec) = (&self.net, &self.draw, &self.spec);
        let own = self.comparisons[slot]
            .get_or_insert_with(|| ReplicaComparison::new(net, draw, spec, replica, rate));
        if own.comparison.state() != state {
            own.comparison.resume(state.clone());
        }
        own
    }
}

impl Process for DescentProcess {
    type State = ComparisonState;

    fn new(spec: &RunSpec) -> Result<(Self, ComparisonState), String> {
        let Some(Family::Descent(net)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let TaskData::Fit(draw) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let sizes = net.plan(&draw, 1.0).compute_sizes(draw.example_count());
        let numbers = saturating_product([spec.run.replicas as u64, sizes.token_dim, sizes.token_count]);
        let stores_all = numbers <= MAX_STORED_NUMBERS;
        let count = if stores_all { spec.run.replicas } else { 1 };
        let zeros = vec![0.0; net.network(&draw).weight_count()];
        let process = DescentProcess {
            net,
            draw,
            spec: spec.clone(),
            stores_all,
            comparisons: (0..count).map(|_| None).collect(),
            replica: 0,
        };
        Ok((process, ComparisonState::initial(&zeros)))
    }

    fn step(&mut self, state: &mut ComparisonState, spec: &RunSpec, (replica, step): (usize, u64)) {
        if self.spec.run.schedule != spec.run.schedule {
            self.spec = spec.clone();
        }
        let own = self.comparison_at(replica, spec.learning_rate(step), state);
        own.comparison.step();
        state.clone_from(own.comparison.state());
    }

    fn measure(
        &mut self,
        state: &mut ComparisonState,
        (replica, step): (usize, u64),
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let slot = if self.stores_all { replica } else { 0 };
        let spec = &self.spec;
        let changes = spec.run.schedule.iter().filter(|(from, _)| *from < step).map(|(_, rate)| *rate);
        let largest = changes.fold(spec.learning_rate(0), f64::max);
        let rate = self.comparisons[slot]
            .as_ref()
            .map_or(spec.learning_rate(step), |own| own.comparison.plan().learning_rate);
        let own = self.comparison_at(replica, rate, state);
        let mut measured = own.comparison.measure();
        // The corollary holds for one learning rate: with the largest so far its bound holds.
        measured.corollary = corollary_bound(largest, measured.step, measured.error, measured.lipschitz);
        // L_n is half of the mean squared error.
        let explained = |loss: f64| (1.0 - 2.0 * loss / own.variance) as f32;
        row.train_loss.push(measured.token_loss as f32);
        row.train_accuracy.push(explained(measured.token_loss));
        row.test_loss.push(measured.direct_loss as f32);
        row.test_accuracy.push(explained(measured.direct_loss));
        row.measures.resize(ComparisonMeasure::ALL.len(), vec![]);
        row.measures.iter_mut().zip(measured.measures()).for_each(|(all, one)| all.push(one));
    }

    fn save(state: &ComparisonState, which: usize) -> Vec<f32> {
        std::mem::take(&mut state.to_tensors()[which])
    }

    fn load(state: &mut ComparisonState, which: usize, values: &[f32]) {
        let tensors = state.to_tensors();
        let mut tensors = tensors.each_ref().map(Vec::as_slice);
        tensors[which] = values;
        *state = ComparisonState::from_tensors(tensors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

    type DescentLearner = ProcessLearner<DescentProcess>;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/in-context-regression?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    /// Section 5.1 of the summary: 100 steps with ReLUs and δ = 1e-4.
    #[test]
    fn the_learner_makes_the_steps_of_the_table() {
        let spec = spec("");
        let mut learner = DescentLearner::new(&spec).unwrap();
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
            let (mut whole, mut first) =
                (DescentLearner::new(&spec).unwrap(), DescentLearner::new(&spec).unwrap());
            whole.train(&spec, 0, 4);
            first.train(&spec, 0, 2);
            let kept = ready(first.weights());
            let mut second = DescentLearner::new(&spec).unwrap();
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
        let mut learner = DescentLearner::new(&changed).unwrap();
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
