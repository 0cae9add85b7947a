//! The process of circuits as networks: a step of the run is one iteration of the search for the least perturbation of all
//! weights, in every replica, each with an input or noise of its own.
//!
//! # Why
//! The network itself never changes, so that the state of a replica is its search alone.

use std::sync::Arc;

use super::process::Process;
use vivarium_model::models::Family;
use vivarium_model::models::circuit_network::{narrow, noise, wide};
use vivarium_model::models::family::GateNetwork;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::circuits::{
    self, Circuit, CircuitKind, CircuitMetric, CircuitSpec, LayeredCircuit, LeastNormSearch, Rounding,
};

/// Most rows of a truth table on which answers are measured.
const MOST_ROWS: usize = 256;

/// Arrays of a search.
type Parts = [Vec<f32>; LeastNormSearch::PART_NAMES.len()];

/// The network of a run with its circuit.
pub struct CircuitProcess {
    net: GateNetwork,
    drawn: CircuitSpec,
    seed: u64,
    network: circuits::ReluNetwork,
    circuit: Circuit,
    layered: LayeredCircuit,
    gate_layers: Vec<usize>,
    /// The bounds of theorem D.6 for each replica's input; none without rounding.
    bounds: Vec<Option<circuits::MarginBounds>>,
}

/// State of one replica.
#[derive(Debug, Clone)]
pub struct CircuitState {
    /// The matrices, equal in all replicas.
    matrices: Arc<Vec<Vec<f32>>>,
    search: Search,
}

/// A search, or its arrays before the first step or measurement after they were loaded.
#[derive(Debug, Clone)]
enum Search {
    Loaded(Box<Parts>),
    Live(Box<LeastNormSearch>),
}

impl Search {
    fn parts(&self) -> Parts {
        match self {
            Search::Loaded(parts) => (**parts).clone(),
            Search::Live(search) => search.to_parts().map(|part| narrow(&part)),
        }
    }
}

impl CircuitProcess {
    /// The search of replica `replica`, unless its arrays are those of no search.
    fn search<'a>(&self, replica: usize, state: &'a mut CircuitState) -> Option<&'a mut LeastNormSearch> {
        if let Search::Loaded(parts) = &state.search {
            let parts = parts.each_ref().map(|part| wide(part));
            let (bits, settings) = (self.drawn.replica_input(replica), self.net.search(self.seed, replica));
            let parts = parts.each_ref().map(Vec::as_slice);
            let search = LeastNormSearch::from_parts(&self.network, &bits, settings, parts).ok()?;
            state.search = Search::Live(Box::new(search));
        }
        match &mut state.search {
            Search::Live(search) => Some(search),
            Search::Loaded(_) => None,
        }
    }

    /// The margin where it is known exactly.
    fn exact(&self) -> Option<f64> {
        let of = match (self.drawn.kind, self.net.rounding()) {
            (CircuitKind::Toy, Rounding::On) => circuits::rounded_toy_margin,
            (CircuitKind::Toy, Rounding::Off) => circuits::toy_margin,
            _ => return None,
        };
        of(self.drawn.depth).ok()
    }

    /// Mean squared error of all gates' values, the share that is right, and the largest deviation from 0 and 1.
    fn gates(&self, theta: &[f64], bits: &[bool]) -> Option<[f64; 3]> {
        let (trace, truth) =
            (self.network.trace_at(theta, bits).ok()?, self.layered.evaluate_layers(bits).ok()?);
        let [mut error, mut right, mut count, mut most] = [0.0, 0.0, 0.0, 0.0];
        for (at, truth) in self.gate_layers.iter().zip(truth.iter().skip(1)) {
            most = f64::max(most, trace.deviation(*at));
            for (value, bit) in trace.layers[*at].rounded.iter().zip(truth) {
                let apart = value - f64::from(u8::from(*bit));
                error += apart * apart;
                right += f64::from(u8::from(circuits::is_correct(value - 0.5, *bit)));
                count += 1.0;
            }
        }
        Some([error / f64::max(count, 1.0), right / f64::max(count, 1.0), most])
    }

    /// Mean squared error of the output, where without noise it is ±1, and the share of answers that are right, over at most
    /// so many rows of the truth table.
    fn answers(&self, theta: &[f64], most: usize) -> [f64; 2] {
        let own = self.network.output(&self.drawn.replica_input(0)).unwrap_or(1.0).abs();
        // Of more inputs only the rows that begin with zeros have a number here.
        let rows = 1u64 << self.circuit.input_count().min(30);
        let count = rows.min(most.clamp(1, MOST_ROWS) as u64);
        let [mut error, mut right] = [0.0; 2];
        for at in 0..count {
            // Evenly spaced, the last one among them.
            let bits = self.table_row((rows - 1 - at * rows / count) as usize);
            let truth = self.circuit.evaluate(&bits).unwrap_or(false);
            let output = self.network.output_at(theta, &bits).unwrap_or(0.0);
            let apart = output / own - if truth { 1.0 } else { -1.0 };
            error += apart * apart;
            right += f64::from(u8::from(circuits::is_correct(output, truth)));
        }
        [error / count as f64, right / count as f64]
    }

    /// A row of the truth table; the toy has one alone.
    fn table_row(&self, row: usize) -> Vec<bool> {
        match self.drawn.kind {
            CircuitKind::Toy => vec![true],
            _ => self.circuit.truth_table_row(row),
        }
    }
}

/// The bounds of theorem D.6 for an input; none without rounding.
fn bounds(network: &circuits::ReluNetwork, bits: &[bool]) -> Option<circuits::MarginBounds> {
    network.compute_margin_bounds(bits).ok().flatten()
}

impl Process for CircuitProcess {
    type State = CircuitState;

    fn new(spec: &RunSpec) -> Result<(Self, CircuitState), String> {
        let Some(Family::Circuit(net)) = spec.model.config().family() else {
            return Err(format!("{} is trained, not executed", spec.model.info().name));
        };
        let TaskData::Circuit(drawn) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let say = |error: circuits::CircuitError| error.to_string();
        let network = drawn.build_network(net.rounding()).map_err(say)?;
        let entries =
            |matrix: circuits::NamedMatrix| matrix.entries.iter().map(|entry| *entry as f32).collect();
        let state = CircuitState {
            matrices: Arc::new(network.matrices().into_iter().map(entries).collect()),
            search: Search::Loaded(Box::default()),
        };
        let process = CircuitProcess {
            seed: spec.run.seed,
            circuit: drawn.build_circuit().map_err(say)?,
            layered: drawn.build_layered().map_err(say)?,
            gate_layers: drawn.gate_layer_indices(&network),
            bounds: (0..spec.run.replicas)
                .map(|number| bounds(&network, &drawn.replica_input(number)))
                .collect(),
            network,
            drawn,
            net,
        };
        Ok((process, state))
    }

    fn step(&mut self, state: &mut CircuitState, _spec: &RunSpec, (replica, _): (usize, u64)) {
        if let Some(search) = self.search(replica, state) {
            search.advance(&self.network);
        }
    }

    fn measure(
        &mut self,
        state: &mut CircuitState,
        (replica, step): (usize, u64),
        held_out: usize,
        row: &mut Measurement,
    ) {
        let bits = self.drawn.replica_input(replica);
        let bounds = self.bounds.get(replica).copied().flatten();
        let search = self.search(replica, state);
        let found = |of: fn(&LeastNormSearch) -> Option<f64>| search.as_deref().and_then(of);
        let [least, smallest] = [found(LeastNormSearch::norm), found(LeastNormSearch::noise_norm)];
        let iterations = search.as_deref().map_or(0, LeastNormSearch::iterations);
        let sigma = self.net.sigma;
        let theta = match sigma > 0.0 {
            true => self
                .network
                .perturb(&noise(&self.network, self.net.search(self.seed, replica).seed, step), sigma),
            false => self.network.theta().to_vec(),
        };
        let [error, agree, deviation] = self.gates(&theta, &bits).unwrap_or([0.0, 1.0, 0.0]);
        let [squared, right] = self.answers(&theta, held_out);
        row.train_loss.push(error as f32);
        row.train_accuracy.push(agree as f32);
        row.test_loss.push(squared as f32);
        row.test_accuracy.push(right as f32);
        let known = |number: Option<f64>| number.map_or(f32::NAN, |number| number as f32);
        row.measures.resize(CircuitMetric::ALL.len(), vec![]);
        let measures = CircuitMetric::ALL.iter().map(|measured| match measured {
            CircuitMetric::LeastNorm => known(least),
            CircuitMetric::NoiseNorm => known(smallest),
            CircuitMetric::TheoremBound => known(bounds.map(|all| all.theorem)),
            CircuitMetric::ProofBound => known(bounds.map(|all| all.proof)),
            CircuitMetric::ExactMargin => known(self.exact()),
            CircuitMetric::Deviation => deviation as f32,
            CircuitMetric::Iterations => iterations as f32,
            CircuitMetric::FormulaBound => known(bounds.map(|all| all.fixed_rounding)),
        });
        row.measures.iter_mut().zip(measures).for_each(|(all, one)| all.push(one));
    }

    fn save(state: &CircuitState, which: usize) -> Vec<f32> {
        match which.checked_sub(state.matrices.len()) {
            None => state.matrices[which].clone(),
            Some(part) => match &state.search {
                Search::Loaded(parts) => parts[part].clone(),
                Search::Live(search) => narrow(&search.to_parts()[part]),
            },
        }
    }

    /// The matrices stay as they are constructed.
    fn load(state: &mut CircuitState, which: usize, values: &[f32]) {
        let Some(part) = which.checked_sub(state.matrices.len()) else { return };
        if let Search::Live(_) = &state.search {
            state.search = Search::Loaded(Box::new(state.search.parts()));
        }
        if let Search::Loaded(parts) = &mut state.search {
            parts[part] = values.to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::process::ProcessLearner;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

    type CircuitLearner = ProcessLearner<CircuitProcess>;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/boolean-circuit?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    fn measured(row: &Measurement, which: CircuitMetric) -> &[f32] {
        &row.measures[which as usize]
    }

    #[test]
    fn a_run_comes_down_to_the_exact_margin_of_the_toy() {
        for (link, exact) in [("circuit=toy&levels=25&round=no", 0.1367), ("circuit=toy&levels=25", 0.4907)] {
            let spec = spec(link);
            let mut learner = CircuitLearner::new(&spec).unwrap();
            let before = learner.measure_now(0, 64);
            assert!(measured(&before, CircuitMetric::LeastNorm)[0] <= 0.5 + 1e-6);
            learner.train(&spec, 0, 300);
            let after = learner.measure_now(300, 64);
            let found = measured(&after, CircuitMetric::LeastNorm)[0];
            assert!((found - exact).abs() < 5e-4, "{link}: {found}");
            assert!((measured(&after, CircuitMetric::ExactMargin)[0] - exact).abs() < 5e-4);
            assert_eq!(measured(&after, CircuitMetric::TheoremBound)[0].is_nan(), link.ends_with("no"));
            assert_eq!(
                (after.train_loss[0], after.train_accuracy[0], after.test_accuracy[0]),
                (0.0, 1.0, 1.0)
            );
        }
    }

    /// With all parameters 0 every output is 0, which is an error for both labels.
    #[test]
    fn an_output_of_zero_is_wrong_for_every_row() {
        for link in ["n=4", "n=4&round=no", "circuit=majority&n=3"] {
            let (runs, _) = CircuitProcess::new(&spec(link)).unwrap();
            let zeros = vec![0.0; runs.network.theta().len()];
            assert_eq!(runs.answers(&zeros, 64), [1.0, 0.0], "{link}");
            assert_eq!(runs.answers(runs.network.theta(), 64), [0.0, 1.0], "{link}");
        }
    }

    #[test]
    fn what_is_kept_and_taken_up_again_goes_on_with_the_same_bits() {
        for link in ["replicas=3", "circuit=majority&n=3&round=no&replicas=2&sigma=0.1&in=1.0.1"] {
            let spec = spec(link);
            let (mut whole, mut first) =
                (CircuitLearner::new(&spec).unwrap(), CircuitLearner::new(&spec).unwrap());
            whole.train(&spec, 0, 80);
            first.train(&spec, 0, 50);
            let kept = ready(first.weights());
            let mut second = CircuitLearner::new(&spec).unwrap();
            second.load(&kept);
            second.train(&spec, 50, 60);
            second.remember(60);
            second.train(&spec, 60, 80);
            assert_eq!(ready(second.weights()), ready(whole.weights()), "{link}");
            let (a, b) = (second.measure_now(80, 64), whole.measure_now(80, 64));
            assert_eq!(format!("{a:?}"), format!("{b:?}"), "{link}");
            ready(second.restore());
            second.train(&spec, 60, 80);
            assert_eq!(ready(second.weights()), ready(whole.weights()), "{link}");
        }
    }

    #[test]
    fn replicas_have_their_own_inputs_or_noise() {
        let of = |link: &str| {
            let spec = spec(link);
            let mut learner = CircuitLearner::new(&spec).unwrap();
            learner.train(&spec, 0, 8);
            learner.measure_now(8, 64)
        };
        let own = of("replicas=4&n=3");
        assert_eq!(measured(&own, CircuitMetric::TheoremBound).len(), 4);
        let same = of("replicas=4&n=3&in=1.1.1");
        let noise = measured(&same, CircuitMetric::NoiseNorm);
        assert!(noise[0] != noise[1] && noise[1] != noise[2], "{noise:?}");
        let bounds = measured(&same, CircuitMetric::TheoremBound);
        assert!(bounds.iter().all(|bound| *bound == bounds[0] && *bound > 0.0));
    }

    #[test]
    fn noise_is_survived_with_rounding_alone() {
        let of = |round: &str| {
            let spec = spec(&format!("n=8&sigma=0.03&round={round}"));
            let mut learner = CircuitLearner::new(&spec).unwrap();
            learner.measure_now(3, 64)
        };
        let (with, without) = (of("yes"), of("no"));
        assert_eq!((with.train_loss[0], with.train_accuracy[0], with.test_accuracy[0]), (0.0, 1.0, 1.0));
        assert!(without.train_loss[0] > 0.001, "{without:?}");
        assert!(
            measured(&with, CircuitMetric::Deviation)[0] < measured(&without, CircuitMetric::Deviation)[0]
        );
    }
}
