//! Which circuit a run is about, as plain data, and what is measured of its network.

use super::circuit::Circuit;
use super::error::CircuitError;
use super::layered::Layered;
use super::named::Order;
use super::network::{Network, Rounding};
use vivarium_core::choices;

choices! {
    /// The circuits of runs.
    pub enum Named {
        /// [`Circuit::parity`], one bit after the other.
        Parity = "parity", "Parity, computed bit by bit";
        /// [`Circuit::parity`], in pairs.
        Tree = "tree", "Parity, computed pair by pair";
        /// [`Circuit::carry`].
        Adder = "adder", "Carry of an adder";
        /// [`Circuit::majority`].
        Majority = "majority", "Majority";
        /// [`Circuit::random`].
        Random = "random", "Random gates";
        /// [`Circuit::relay`].
        Relay = "relay", "Chain of ID gates";
        /// [`Network::toy`].
        Toy = "toy", "Product of weights that are all 1";
        /// A circuit that is written down.
        Own = "own", "Own circuit";
    }
}

choices! {
    /// What is measured besides errors and agreement, in the order of files.
    pub enum Measured {
        /// The least norm of a perturbation that changes the answer, found so far.
        Least = "least-norm", "Least norm found";
        /// The smallest norm of random noise that changes the answer.
        Noise = "noise-norm", "Smallest noise";
        /// The lower bound of theorem D.6, whose perturbations may change the parameters of rounding too.
        Bound = "bound", "Bound of theorem D.6";
        /// The lower bound by the proof of theorem D.6 with E₁ = 0, where the parameters of rounding are held.
        Held = "held-bound", "Bound by the proof of theorem D.6, rounding fixed";
        /// The margin where it is known exactly.
        Exact = "exact-margin", "Exact margin";
        /// The largest deviation of a gate's value from 0 and 1, before rounding, with the noise of the step.
        Deviation = "deviation", "Largest deviation";
        /// Iterations that the search has made.
        Iterations = "iterations", "Iterations of the search";
        /// The formula of theorem D.6 for κ_ξ = 0, a smaller bound where the parameters of rounding are held.
        Formula = "formula-bound", "Bound by the formula of theorem D.6, rounding fixed";
    }
}

/// A circuit, how deep it is made, and which inputs are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Which circuit it is.
    pub named: Named,
    /// Bits of a parity or a majority, bits of each number of an adder, or inputs of random gates.
    pub bits: usize,
    /// Random gates.
    pub gates: usize,
    /// Which random gates.
    pub seed: u64,
    /// Layers that the circuit has at least, the inputs among them; weights of the toy.
    pub depth: usize,
    /// The text of one's own circuit.
    pub text: String,
    /// The input that all replicas have; none where each has one of its own.
    pub shown: Vec<bool>,
}

impl Drawn {
    /// The circuit as it is written; of the toy the chain of ID gates that it stands for.
    pub fn circuit(&self) -> Result<Circuit, CircuitError> {
        match self.named {
            Named::Parity => Circuit::parity(self.bits, Order::Chain),
            Named::Tree => Circuit::parity(self.bits, Order::Tree),
            Named::Adder => Circuit::carry(self.bits),
            Named::Majority => Circuit::majority(self.bits),
            Named::Random => Circuit::random(self.bits, self.gates, self.seed),
            Named::Relay => Circuit::relay(self.depth.max(2)),
            Named::Toy => Circuit::relay(self.depth.saturating_add(1)),
            Named::Own => self.text.parse(),
        }
    }

    /// The circuit in layers, at least as many as are wanted.
    pub fn layered(&self) -> Result<Layered, CircuitError> {
        let layered = self.circuit()?.layered()?;
        if self.named == Named::Toy { Ok(layered) } else { layered.deepened(self.depth) }
    }

    /// The network that computes it.
    pub fn network(&self, rounding: Rounding) -> Result<Network, CircuitError> {
        match self.named {
            Named::Toy => Network::toy(self.depth, rounding),
            _ => Network::new(&self.layered()?, rounding),
        }
    }

    /// How many bits an input has, at least 1: of a circuit that cannot be, some number.
    pub fn inputs(&self) -> usize {
        let inputs = match self.named {
            Named::Adder => self.bits.saturating_mul(2),
            Named::Relay | Named::Toy => 1,
            Named::Own => self.circuit().map_or(1, |circuit| circuit.inputs()),
            _ => self.bits,
        };
        inputs.max(1)
    }

    /// The input of a replica: the one that is shown, or else row after row of the truth table from the last, where all bits
    /// are 1. The toy has no other input.
    pub fn row(&self, replica: usize) -> Vec<bool> {
        if self.named == Named::Toy {
            return vec![true];
        }
        let inputs = self.inputs();
        if self.shown.len() == inputs {
            return self.shown.clone();
        }
        let is_zero =
            |place: usize| (replica as u64).checked_shr(place as u32).is_some_and(|rest| rest & 1 == 1);
        (0..inputs).rev().map(|place| !is_zero(place)).collect()
    }

    /// Linear layers of the network that give the values of layers 1, 2, … of the circuit.
    pub fn gate_layers(&self, network: &Network) -> Vec<usize> {
        let last = network.layers().len().saturating_sub(1);
        match self.named {
            Named::Toy => (0..last).collect(),
            _ => (1..last).step_by(2).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(named: Named) -> Drawn {
        let text = "p = a or b\nq = a and b\nr = not q\nout = p and r".into();
        Drawn { named, bits: 3, gates: 9, seed: 1, depth: 12, text, shown: vec![] }
    }

    #[test]
    fn every_circuit_is_drawn_and_has_its_layers_values() {
        for named in Named::ALL {
            let drawn = drawn(*named);
            let (circuit, layered) = (drawn.circuit().unwrap(), drawn.layered().unwrap());
            assert_eq!(circuit.inputs(), drawn.inputs());
            assert!(layered.depth() >= 12);
            for rounding in [Rounding::Off, Rounding::On] {
                let network = drawn.network(rounding).unwrap();
                let layers = drawn.gate_layers(&network);
                assert_eq!(layers.len() + 1, layered.depth(), "{named:?}");
                for replica in 0..4 {
                    let bits = drawn.row(replica);
                    let (trace, values) = (network.trace(&bits).unwrap(), layered.values(&bits).unwrap());
                    for (at, values) in layers.iter().zip(&values[1..]) {
                        let numbers = values.iter().map(|bit| f64::from(u8::from(*bit)));
                        assert_eq!(trace.layers[*at].rounded, numbers.collect::<Vec<_>>(), "{named:?}");
                    }
                    assert_eq!(network.answer(&bits), circuit.evaluate(&bits));
                }
            }
        }
    }

    #[test]
    fn replicas_take_the_rows_in_turn_from_the_last() {
        let mut drawn = drawn(Named::Parity);
        let rows = |drawn: &Drawn| [0, 1, 6, 7, 8].map(|replica| drawn.row(replica));
        let [t, f] = [true, false];
        let expected = [vec![t, t, t], vec![t, t, f], vec![f, f, t], vec![f, f, f], vec![t, t, t]];
        assert_eq!(rows(&drawn), expected);
        drawn.shown = vec![f, t, f];
        assert_eq!(rows(&drawn), [vec![f, t, f], vec![f, t, f], vec![f, t, f], vec![f, t, f], vec![f, t, f]]);
        // An input of another length is refused elsewhere.
        drawn.shown = vec![f];
        assert_eq!(rows(&drawn), expected);
        (drawn.named, drawn.bits) = (Named::Parity, 64);
        assert_eq!(drawn.row(1)[63], f);
        assert_eq!(Drawn { named: Named::Toy, ..drawn }.row(1), [t]);
    }
}
