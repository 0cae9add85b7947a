//! The page's state of a run: the circuit, its network, the values of all gates for the input that is shown, and the
//! smallest perturbation found so far.

use super::probes::PERTURBATION;
use vivarium_model::models::Family;
use vivarium_model::models::circuit_network::{CircuitNetwork, noise};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::circuits::{Circuit, CircuitSpec, ForwardTrace, LayeredCircuit, ReluNetwork};
use vivarium_view::display::LabState;

/// Largest number of parameters of a network for which an example of noise is computed.
const MAX_EXAMPLE_PARAMETERS: usize = 4000;

/// Half of the smallest noise that makes the network's answer to `input` wrong in one of `draws` random directions; `None`
/// if there is none.
pub(super) fn half_flipping_noise(
    network: &ReluNetwork,
    input: &[bool],
    seed: u64,
    draws: usize,
) -> Option<f64> {
    Some(network.find_noise_flips(input, seed, draws).ok()?.first()?.sigma / 2.0)
}

/// Maximum number of rows of the circuit's truth table that the page shows; further inputs are left out.
const MAX_TABLE_ROWS: usize = 64;

/// The page's state of a run on a circuit, for its first replica: circuit, network, gate values and perturbation.
#[derive(Debug, Clone)]
pub struct CircuitState {
    /// Specification of the run's circuit: its family and size, and the input of each replica.
    pub spec: CircuitSpec,
    /// The circuit of the run as a list of gates, not yet arranged in layers.
    pub circuit: Circuit,
    /// The circuit with its gates in layers, where each gate reads only gates of the layer directly below.
    pub layered: LayeredCircuit,
    /// The ReLU network constructed from the circuit. Its parameter vector θ is the constructed one, without
    /// perturbation δ and without noise.
    pub network: ReluNetwork,
    /// For each of the circuit's layers 1, 2, …, the index (from 0) of the network's linear layer that computes the
    /// values of its gates.
    pub gate_layers: Vec<usize>,
    /// The input bits for which the page shows the values of gates.
    pub input: Vec<bool>,
    /// The value of each gate in the Boolean circuit, not in the network, for the input shown: `[layers][gates]`; layer
    /// 0 is the inputs.
    pub values: Vec<Vec<bool>>,
    /// Activations of the ReLU network in all linear layers for the input shown; its parameters contain the noise drawn
    /// for `step`.
    pub trace: ForwardTrace,
    /// The perturbation of the network's parameters with the smallest norm that changes its answer, among those found
    /// by the search up to `step`: one number per parameter; empty before the first step of the search.
    pub delta: Vec<f64>,
    /// Step of the search at which `delta` was read. It also numbers the draw of the noise on the network's parameters.
    pub step: u64,
    /// Settings of the network and of the search: rounding, standard deviation of the noise, and numbers of directions
    /// and starting points.
    pub settings: CircuitNetwork,
    /// Noise with which the deviations of a run without noise are shown; `None` if the run has noise or the network is
    /// large.
    example_sigma: Option<f64>,
    /// Seed of the run, from which the noise on the network's parameters is drawn.
    seed: u64,
}

/// A row of the circuit's truth table: input bits, the circuit's value and the network's output.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// The input bits of this row of the truth table.
    pub input: Vec<bool>,
    /// The value of the Boolean circuit for the input of this row, which the network should reproduce.
    pub expected: bool,
    /// The ReLU network's output for the input of this row, with the noise of the latest step on its parameters; a
    /// positive output means the answer 1.
    pub output: f64,
}

impl CircuitState {
    /// The state of a run on a circuit before the first step of the search; none if its settings are invalid.
    pub fn from_spec(spec: &RunSpec) -> Option<Self> {
        let examples = spec.task.examples();
        if !examples.invalid_settings().is_empty() {
            return None;
        }
        let drawn = examples.data().circuit()?;
        let Some(Family::Circuit(net)) = spec.model.config().family() else { return None };
        let network = drawn.build_network(net.rounding()).ok()?;
        let (circuit, layered, bits) =
            (drawn.build_circuit().ok()?, drawn.build_layered().ok()?, drawn.replica_input(0));
        let has_example = net.sigma <= 0.0 && network.theta().len() <= MAX_EXAMPLE_PARAMETERS;
        let example_sigma =
            if has_example { half_flipping_noise(&network, &bits, spec.run.seed, net.draws) } else { None };
        let mut state = CircuitState {
            example_sigma,
            values: layered.evaluate_layers(&bits).ok()?,
            trace: network.trace(&bits).ok()?,
            gate_layers: drawn.gate_layer_indices(&network),
            delta: vec![],
            step: 0,
            seed: spec.run.seed,
            spec: drawn,
            circuit,
            layered,
            network,
            input: bits,
            settings: net,
        };
        state.update_trace();
        Some(state)
    }

    /// The network's parameters θ plus the noise drawn for the latest step of the search; θ itself if the noise has
    /// standard deviation 0.
    fn noisy_theta(&self) -> Vec<f64> {
        self.theta_with_noise(self.settings.sigma)
    }

    /// The network's parameters θ plus noise of standard deviation `sigma`, drawn for the latest step of the search; θ
    /// itself if `sigma` is 0.
    fn theta_with_noise(&self, sigma: f64) -> Vec<f64> {
        match sigma > 0.0 {
            true => self.network.perturb(&noise(&self.network, self.seed, self.step), sigma),
            false => self.network.theta().to_vec(),
        }
    }

    /// Standard deviation of the noise of [`CircuitState::deviations`]: that of the run, or an example if the run has none;
    /// 0 for a large network without noise.
    pub fn deviation_sigma(&self) -> f64 {
        self.example_sigma.unwrap_or(self.settings.sigma)
    }

    /// The ReLU network's output for the input `bits`, with the noise of the latest step on its parameters; none if
    /// `bits` has the wrong length.
    pub fn compute_output(&self, bits: &[bool]) -> Option<f64> {
        self.network.output_at(&self.noisy_theta(), bits).ok()
    }

    /// Recomputes the activations of the ReLU network for the input shown, with the noise of the latest step on its
    /// parameters.
    fn update_trace(&mut self) {
        if let Ok(trace) = self.network.trace_at(&self.noisy_theta(), &self.input) {
            self.trace = trace;
        }
    }

    /// For each layer of gates, without the inputs, the largest distance of a gate value in the network from the nearer
    /// of 0 and 1, as `[before rounding, after rounding]`; for the input shown, with noise of [`CircuitState::deviation_sigma`].
    pub fn deviations(&self) -> Vec<[f64; 2]> {
        let example = self.example_sigma.map(|sigma| self.theta_with_noise(sigma));
        let example = example.and_then(|theta| self.network.trace_at(&theta, &self.input).ok());
        let trace = example.as_ref().unwrap_or(&self.trace);
        let after = |at: usize| {
            let values = trace.layers.get(at).map_or(&[][..], |layer| &layer.rounded);
            values.iter().fold(0.0, |most: f64, value| value.abs().min((value - 1.0).abs()).max(most))
        };
        self.gate_layers.iter().map(|at| [trace.deviation(*at), after(*at)]).collect()
    }

    /// The values that the ReLU network computes for the circuit's gates on the input shown, after rounding if there is
    /// any: `[layers][gates]`; layer 0 is the inputs.
    pub fn network_values(&self) -> Vec<&[f64]> {
        let layers = self.gate_layers.iter();
        let layers = layers.map(|at| self.trace.layers.get(*at).map_or(&[][..], |layer| &layer.rounded[..]));
        std::iter::once(&self.trace.inputs[..]).chain(layers).collect()
    }

    /// The ℓ₂ norm of the part of the parameter perturbation δ in each layer of gates, and last in the output; all 0
    /// before the first step of the search.
    pub fn layer_delta_norms(&self) -> Vec<f64> {
        let mut parts = vec![0.0; self.gate_layers.len() + 1];
        for (at, layer) in self.network.layers().iter().enumerate() {
            // A layer of gates includes all linear layers up to the one that computes its values.
            let place = self.gate_layers.partition_point(|last| *last < at);
            let numbers = self.delta.get(layer.free_range()).unwrap_or(&[]);
            parts[place.min(self.gate_layers.len())] +=
                numbers.iter().map(|delta| delta * delta).sum::<f64>();
        }
        parts.into_iter().map(f64::sqrt).collect()
    }

    /// The first rows of the truth table, at most [`MAX_TABLE_ROWS`], with the circuit's values and the network's
    /// outputs.
    pub fn truth_table(&self) -> Vec<TableRow> {
        let theta = self.noisy_theta();
        let rows = 1usize << self.circuit.input_count().min(6);
        let row = |at: usize| {
            let bits = match self.spec.replica_input(0).len() {
                1 if self.network.input_count() == 1
                    && self.spec.kind == vivarium_science::circuits::CircuitKind::Toy =>
                {
                    vec![true]
                }
                _ => self.circuit.truth_table_row(at),
            };
            let truth = self.circuit.evaluate(&bits).ok()?;
            Some(TableRow {
                output: self.network.output_at(&theta, &bits).ok()?,
                expected: truth,
                input: bits,
            })
        };
        let mut rows: Vec<TableRow> = (0..rows.min(MAX_TABLE_ROWS)).filter_map(row).collect();
        rows.dedup_by(|b, a| b.input == a.input);
        rows
    }
}

impl LabState for CircuitState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, _link: &Link) {
        let numbers = &finding.numbers;
        // The probe result of another run has other sizes.
        let fits = numbers.is_empty() || numbers.len() == self.network.theta().len();
        if finding.probe == PERTURBATION.id() && fits {
            self.delta = numbers.iter().map(|delta| f64::from(*delta)).collect();
            self.step = step;
            self.update_trace();
        }
    }
}
