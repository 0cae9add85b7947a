//! What the page knows of a run: the circuit, its network, the values of all gates for the input that is shown, and the least
//! perturbation found so far.

use super::probes::PERTURBATION;
use vivarium_model::models::Family;
use vivarium_model::models::circuit_network::{CircuitNetwork, noise};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::circuits::{Circuit, CircuitSpec, ForwardTrace, LayeredCircuit, ReluNetwork};
use vivarium_view::display::LabState;

/// Most rows of a truth table that are shown.
const MOST_ROWS: usize = 64;

/// What is known of a run of a circuit: that of its first replica.
#[derive(Debug, Clone)]
pub struct CircuitState {
    /// Which circuit it is.
    pub drawn: CircuitSpec,
    /// The circuit.
    pub circuit: Circuit,
    /// The circuit in layers.
    pub layered: LayeredCircuit,
    /// Its network.
    pub network: ReluNetwork,
    /// Linear layers that give the values of layers 1, 2, … of the circuit.
    pub gate_layers: Vec<usize>,
    /// The input that is shown.
    pub bits: Vec<bool>,
    /// What the circuit's gates give for it, layer by layer, the inputs first.
    pub values: Vec<Vec<bool>>,
    /// What the network's layers give for it, with the noise of the newest step.
    pub trace: ForwardTrace,
    /// The smallest perturbation found by then; empty before the first step.
    pub delta: Vec<f64>,
    /// Steps made when it was found.
    pub step: u64,
    /// The network's settings.
    pub net: CircuitNetwork,
    seed: u64,
}

/// A row of a truth table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// The input.
    pub bits: Vec<bool>,
    /// What the circuit says.
    pub truth: bool,
    /// The network's output, with the noise of the newest step.
    pub output: f64,
}

impl CircuitState {
    /// Of a run, before its first step; none of a run that is refused.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        let examples = spec.task.examples();
        if !examples.problems().is_empty() {
            return None;
        }
        let drawn = examples.circuit()?;
        let Some(Family::Circuit(net)) = spec.model.config().family() else { return None };
        let network = drawn.build_network(net.rounding()).ok()?;
        let (circuit, layered, bits) =
            (drawn.build_circuit().ok()?, drawn.build_layered().ok()?, drawn.replica_input(0));
        let mut state = CircuitState {
            values: layered.evaluate_layers(&bits).ok()?,
            trace: network.trace(&bits).ok()?,
            gate_layers: drawn.gate_layer_indices(&network),
            delta: vec![],
            step: 0,
            seed: spec.run.seed,
            drawn,
            circuit,
            layered,
            network,
            bits,
            net,
        };
        state.measure();
        Some(state)
    }

    /// θ with the noise of the newest step.
    fn theta(&self) -> Vec<f64> {
        match self.net.sigma > 0.0 {
            true => self.network.perturb(&noise(&self.network, self.seed, self.step), self.net.sigma),
            false => self.network.theta().to_vec(),
        }
    }

    /// The network's output for an input, with the noise of the newest step.
    pub fn output(&self, bits: &[bool]) -> Option<f64> {
        self.network.output_at(&self.theta(), bits).ok()
    }

    /// Computes the values of the newest step.
    fn measure(&mut self) {
        if let Ok(trace) = self.network.trace_at(&self.theta(), &self.bits) {
            self.trace = trace;
        }
    }

    /// The largest deviation from 0 and 1 in each layer of gates, before rounding and after it.
    pub fn deviations(&self) -> Vec<[f64; 2]> {
        let after = |at: usize| {
            let values = self.trace.layers.get(at).map_or(&[][..], |layer| &layer.rounded);
            values.iter().fold(0.0, |most: f64, value| value.abs().min((value - 1.0).abs()).max(most))
        };
        self.gate_layers.iter().map(|at| [self.trace.deviation(*at), after(*at)]).collect()
    }

    /// The values that the network's gates give, layer by layer, the inputs first.
    pub fn given(&self) -> Vec<&[f64]> {
        let layers = self.gate_layers.iter();
        let layers = layers.map(|at| self.trace.layers.get(*at).map_or(&[][..], |layer| &layer.rounded[..]));
        std::iter::once(&self.trace.inputs[..]).chain(layers).collect()
    }

    /// ‖δ‖ in each layer of gates, and last in the output.
    pub fn parts(&self) -> Vec<f64> {
        let mut parts = vec![0.0; self.gate_layers.len() + 1];
        for (at, layer) in self.network.layers().iter().enumerate() {
            // A layer of gates is the linear layers up to the one that gives its values.
            let place = self.gate_layers.partition_point(|last| *last < at);
            let numbers = self.delta.get(layer.free_range()).unwrap_or(&[]);
            parts[place.min(self.gate_layers.len())] +=
                numbers.iter().map(|delta| delta * delta).sum::<f64>();
        }
        parts.into_iter().map(f64::sqrt).collect()
    }

    /// Rows of the truth table, the first ones of a large one.
    pub fn table(&self) -> Vec<TableRow> {
        let theta = self.theta();
        let rows = 1usize << self.circuit.input_count().min(6);
        let row = |at: usize| {
            let bits = match self.drawn.replica_input(0).len() {
                1 if self.network.input_count() == 1
                    && self.drawn.kind == vivarium_science::circuits::CircuitKind::Toy =>
                {
                    vec![true]
                }
                _ => self.circuit.truth_table_row(at),
            };
            let truth = self.circuit.evaluate(&bits).ok()?;
            Some(TableRow { output: self.network.output_at(&theta, &bits).ok()?, truth, bits })
        };
        let mut rows: Vec<TableRow> = (0..rows.min(MOST_ROWS)).filter_map(row).collect();
        rows.dedup_by(|b, a| b.bits == a.bits);
        rows
    }
}

impl LabState for CircuitState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn found(&mut self, step: u64, finding: &Finding, _link: &Link) {
        let numbers = &finding.numbers;
        // A finding of another run has other sizes.
        let fits = numbers.is_empty() || numbers.len() == self.network.theta().len();
        if finding.probe == PERTURBATION.id() && fits {
            self.delta = numbers.iter().map(|delta| f64::from(*delta)).collect();
            self.step = step;
            self.measure();
        }
    }
}
