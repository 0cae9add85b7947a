//! Specification of a run's circuit as plain data, and the metrics of its network.

use super::circuit::Circuit;
use super::error::CircuitError;
use super::families::ParityOrder;
use super::layered::LayeredCircuit;
use super::network::{ReluNetwork, Rounding};
use vivarium_core::choices;

choices! {
    /// The family of circuits, such as parity or adder, from which a run takes its circuit.
    pub enum CircuitKind {
        /// Parity of the bits, combined one after the other: [`Circuit::parity`] with [`ParityOrder::Chain`].
        Parity = "parity", "Parity, computed bit by bit";
        /// Parity of the bits, combined in pairs: [`Circuit::parity`] with [`ParityOrder::Tree`].
        Tree = "tree", "Parity, computed pair by pair";
        /// Carry bit of a ripple-carry adder: [`Circuit::carry`].
        Adder = "adder", "Carry of an adder";
        /// Majority of the bits: [`Circuit::majority`].
        Majority = "majority", "Majority";
        /// A random circuit: [`Circuit::random`].
        Random = "random", "Random gates";
        /// A chain of ID gates that copy the input: [`Circuit::relay`].
        Relay = "relay", "Chain of ID gates";
        /// The toy network, a product of weights: [`ReluNetwork::toy`].
        Toy = "toy", "Product of weights that are all 1";
        /// A circuit whose text the user writes.
        Own = "own", "Own circuit";
    }
}

choices! {
    /// Metrics of a run of a circuit's network besides errors and accuracies, in the order of their columns in
    /// files.
    pub enum CircuitMetric {
        /// Smallest norm found so far of a perturbation that changes the answer.
        LeastNorm = "least-norm", "Least norm found";
        /// Smallest norm of random noise that changes the answer.
        NoiseNorm = "noise-norm", "Smallest noise";
        /// Lower bound of theorem D.6 on the margin, for perturbations that may change the parameters of rounding too.
        TheoremBound = "bound", "Bound of theorem D.6";
        /// Lower bound by the proof of theorem D.6 with E₁ = 0, for fixed parameters of rounding.
        ProofBound = "held-bound", "Bound by the proof of theorem D.6, rounding fixed";
        /// Exact margin, known for the toy network only.
        ExactMargin = "exact-margin", "Exact margin";
        /// The largest deviation of a gate's value from 0 and 1, before rounding, with the noise of the step.
        Deviation = "deviation", "Largest deviation";
        /// Number of iterations of the search.
        Iterations = "iterations", "Iterations of the search";
        /// Lower bound by the formula of theorem D.6 with κ_ξ = 0, for fixed parameters of rounding; smaller than `ProofBound`.
        FormulaBound = "formula-bound", "Bound by the formula of theorem D.6, rounding fixed";
    }
}

/// Specification of a run's circuit: its family and size, and the input bits of each replica of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitSpec {
    /// Family of circuits to which the run's circuit belongs.
    pub kind: CircuitKind,
    /// Number of input bits of a parity, a majority or a random circuit; number of bits of each summand of an adder.
    pub bits: usize,
    /// Number of gates of the circuit if it is a random one.
    pub gates: usize,
    /// Seed that determines the circuit if it is a random one.
    pub seed: u64,
    /// Minimum number of layers of the circuit, including layer 0 with the inputs; for the toy network, the number of
    /// weights.
    pub depth: usize,
    /// Text of the circuit if `kind` is [`CircuitKind::Own`].
    pub text: String,
    /// Input bits of all replicas. Empty or with a wrong length, each replica has its own row of the truth table.
    pub fixed_input: Vec<bool>,
}

impl CircuitSpec {
    /// Builds the circuit; for the toy, the chain of ID gates that it represents.
    ///
    /// # Errors
    /// A number is out of range, or the text is not a circuit.
    pub fn build_circuit(&self) -> Result<Circuit, CircuitError> {
        match self.kind {
            CircuitKind::Parity => Circuit::parity(self.bits, ParityOrder::Chain),
            CircuitKind::Tree => Circuit::parity(self.bits, ParityOrder::Tree),
            CircuitKind::Adder => Circuit::carry(self.bits),
            CircuitKind::Majority => Circuit::majority(self.bits),
            CircuitKind::Random => Circuit::random(self.bits, self.gates, self.seed),
            CircuitKind::Relay => Circuit::relay(self.depth.max(2)),
            CircuitKind::Toy => Circuit::relay(self.depth.saturating_add(1)),
            CircuitKind::Own => self.text.parse(),
        }
    }

    /// Builds the circuit in layers, padded to at least `depth` layers.
    ///
    /// # Errors
    /// Those of [`CircuitSpec::build_circuit`], and too many gates in layers.
    pub fn build_layered(&self) -> Result<LayeredCircuit, CircuitError> {
        let layered = self.build_circuit()?.to_layers()?;
        if self.kind == CircuitKind::Toy { Ok(layered) } else { layered.pad_to_depth(self.depth) }
    }

    /// Builds the network that computes the circuit.
    ///
    /// # Errors
    /// Those of [`CircuitSpec::build_layered`], and too many parameters.
    pub fn build_network(&self, rounding: Rounding) -> Result<ReluNetwork, CircuitError> {
        match self.kind {
            CircuitKind::Toy => ReluNetwork::toy(self.depth, rounding),
            _ => ReluNetwork::new(&self.build_layered()?, rounding),
        }
    }

    /// Number of input bits, at least 1; 1 if the text is not a circuit.
    pub fn input_count(&self) -> usize {
        let inputs = match self.kind {
            CircuitKind::Adder => self.bits.saturating_mul(2),
            CircuitKind::Relay | CircuitKind::Toy => 1,
            CircuitKind::Own => self.build_circuit().map_or(1, |circuit| circuit.input_count()),
            _ => self.bits,
        };
        inputs.max(1)
    }

    /// The input bits of replica `replica`, from 0: `fixed_input` if it has the right length, or else a row of the
    /// truth table. Replica 0 has the last row (all bits 1), replica 1 the row before it. The toy has the single input
    /// 1.
    pub fn replica_input(&self, replica: usize) -> Vec<bool> {
        if self.kind == CircuitKind::Toy {
            return vec![true];
        }
        let inputs = self.input_count();
        if self.fixed_input.len() == inputs {
            return self.fixed_input.clone();
        }
        let is_zero =
            |place: usize| (replica as u64).checked_shr(place as u32).is_some_and(|rest| rest & 1 == 1);
        (0..inputs).rev().map(|place| !is_zero(place)).collect()
    }

    /// For each layer 1, 2, … of the circuit, the index, from 0, of the linear layer of `network` whose outputs are the
    /// values of the layer's gates.
    pub fn gate_layer_indices(&self, network: &ReluNetwork) -> Vec<usize> {
        let last = network.layers().len().saturating_sub(1);
        match self.kind {
            CircuitKind::Toy => (0..last).collect(),
            _ => (1..last).step_by(2).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(kind: CircuitKind) -> CircuitSpec {
        let text = "p = a or b\nq = a and b\nr = not q\nout = p and r".into();
        CircuitSpec { kind, bits: 3, gates: 9, seed: 1, depth: 12, text, fixed_input: vec![] }
    }

    #[test]
    fn the_network_of_every_family_computes_the_values_of_the_layers() {
        for named in CircuitKind::ALL {
            let spec = spec(*named);
            let (circuit, layered) = (spec.build_circuit().unwrap(), spec.build_layered().unwrap());
            assert_eq!(circuit.input_count(), spec.input_count());
            assert!(layered.depth() >= 12);
            for rounding in [Rounding::Off, Rounding::On] {
                let network = spec.build_network(rounding).unwrap();
                let layers = spec.gate_layer_indices(&network);
                assert_eq!(layers.len() + 1, layered.depth(), "{named:?}");
                for replica in 0..4 {
                    let bits = spec.replica_input(replica);
                    let (trace, values) =
                        (network.trace(&bits).unwrap(), layered.evaluate_layers(&bits).unwrap());
                    for (at, values) in layers.iter().zip(&values[1..]) {
                        let numbers = values.iter().map(|bit| f64::from(u8::from(*bit)));
                        assert_eq!(trace.layers[*at].rounded, numbers.collect::<Vec<_>>(), "{named:?}");
                    }
                    assert_eq!(network.predict(&bits), circuit.evaluate(&bits));
                }
            }
        }
    }

    #[test]
    fn replicas_have_the_rows_of_the_truth_table_backwards_from_the_last() {
        let mut spec = spec(CircuitKind::Parity);
        let rows = |spec: &CircuitSpec| [0, 1, 6, 7, 8].map(|replica| spec.replica_input(replica));
        let [t, f] = [true, false];
        let expected = [vec![t, t, t], vec![t, t, f], vec![f, f, t], vec![f, f, f], vec![t, t, t]];
        assert_eq!(rows(&spec), expected);
        spec.fixed_input = vec![f, t, f];
        assert_eq!(rows(&spec), [vec![f, t, f], vec![f, t, f], vec![f, t, f], vec![f, t, f], vec![f, t, f]]);
        // The task rejects an input of the wrong length; here it counts as empty.
        spec.fixed_input = vec![f];
        assert_eq!(rows(&spec), expected);
        (spec.kind, spec.bits) = (CircuitKind::Parity, 64);
        assert_eq!(spec.replica_input(1)[63], f);
        assert_eq!(CircuitSpec { kind: CircuitKind::Toy, ..spec }.replica_input(1), [t]);
    }
}
