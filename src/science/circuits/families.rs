//! Families of circuits: parities, adders, majorities, relays and random circuits.

use super::circuit::{Circuit, GateDefinition, GateKind, OUTPUT};
use super::error::{CircuitError, check_range};
use super::limits::{MAX_ADDER_BITS, MAX_GATES, MAX_MAJORITY_BITS, MAX_PARITY_BITS, MAX_RANDOM_INPUTS};
use vivarium_core::rng::{Purpose, RandomStream};

/// Order in which a parity circuit combines its input bits by XOR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParityOrder {
    /// One bit after the other; n bits give depth 3(n − 1) + 1.
    Chain,
    /// In pairs, then pairs of pairs; n bits give depth 3⌈log₂ n⌉ + 1.
    Tree,
}

/// The gates of a circuit under construction, named `g1`, `g2`, ….
#[derive(Default)]
struct GateList(Vec<GateDefinition>);

impl GateList {
    /// Appends a gate and returns its name. NOT and ID ignore `b`.
    fn push(&mut self, kind: GateKind, a: &str, b: &str) -> String {
        let name = format!("g{}", self.0.len() + 1);
        let line = match kind.input_count() {
            2 => GateDefinition::binary(&*name, a, kind, b),
            _ => GateDefinition::unary(&*name, kind, a),
        };
        self.0.push(line);
        name
    }

    /// Appends the gates of `a` xor `b` = (a or b) and not (a and b), in three layers; returns the name of the gate
    /// with the result.
    fn xor(&mut self, a: &str, b: &str) -> String {
        let either = self.push(GateKind::Or, a, b);
        let both = self.push(GateKind::And, a, b);
        let not_both = self.push(GateKind::Not, &both, &both);
        self.push(GateKind::And, &either, &not_both)
    }

    /// Builds the circuit, with the last gate as output. Without gates, the output is an ID gate of the first input.
    fn into_circuit(mut self, inputs: Vec<String>) -> Result<Circuit, CircuitError> {
        if self.0.is_empty() {
            let only = inputs.first().cloned().unwrap_or_default();
            self.push(GateKind::Id, &only, &only);
        }
        if let Some(last) = self.0.last_mut() {
            last.name = OUTPUT.into();
        }
        Circuit::new(Some(inputs), &self.0)
    }
}

/// Names of `count` signals, numbered from 1: for the letter x they are `x1`, `x2`, ….
fn numbered_names(letter: char, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{letter}{i}")).collect()
}

impl Circuit {
    /// Builds a parity circuit: its output is 1 if an odd number of its `bits` input bits is 1.
    ///
    /// # Errors
    /// `bits` is 0 or greater than [`MAX_PARITY_BITS`].
    pub fn parity(bits: usize, order: ParityOrder) -> Result<Self, CircuitError> {
        let inputs = numbered_names('x', check_range(bits, 1, MAX_PARITY_BITS)?);
        let (mut lines, mut left) = (GateList::default(), inputs.clone());
        while left.len() > 1 {
            match order {
                ParityOrder::Chain => {
                    let sum = lines.xor(&left[0], &left[1]);
                    left.splice(..2, [sum]);
                }
                ParityOrder::Tree => {
                    let pair = |pair: &[String]| match pair {
                        [a, b] => lines.xor(a, b),
                        odd => odd.concat(),
                    };
                    left = left.chunks(2).map(pair).collect();
                }
            }
        }
        lines.into_circuit(inputs)
    }

    /// Builds a ripple-carry adder: its output is bit `place` of the sum of two numbers of `bits` bits. Bit 0 is the lowest,
    /// and bit `bits` is the carry.
    ///
    /// The inputs are a_n … a_1 and then b_n … b_1, the highest bits first. Gates that only other bits of the sum need are
    /// left out.
    ///
    /// # Errors
    /// `bits` is 0 or greater than [`MAX_ADDER_BITS`], or `place` is greater than `bits`.
    pub fn adder(bits: usize, place: usize) -> Result<Self, CircuitError> {
        check_range(bits, 1, MAX_ADDER_BITS)?;
        check_range(place, 0, bits)?;
        let [a, b] = ['a', 'b'].map(|letter| numbered_names(letter, bits));
        let mut lines = GateList::default();
        let mut carry: Option<String> = None;
        for i in 0..(place + 1).min(bits) {
            let is_sum = i == place;
            // The lowest bits have no carry, and a bit's sum is needed for its own output or a later carry.
            let sum = match (&carry, is_sum) {
                (None, false) => None,
                _ => Some(lines.xor(&a[i], &b[i])),
            };
            carry = match (carry, sum) {
                (Some(carry), Some(sum)) if is_sum => Some(lines.xor(&sum, &carry)),
                (Some(carry), Some(sum)) => {
                    let both = lines.push(GateKind::And, &a[i], &b[i]);
                    let passed = lines.push(GateKind::And, &sum, &carry);
                    Some(lines.push(GateKind::Or, &both, &passed))
                }
                _ if is_sum => None,
                _ => Some(lines.push(GateKind::And, &a[i], &b[i])),
            };
        }
        lines.into_circuit(a.into_iter().rev().chain(b.into_iter().rev()).collect())
    }

    /// Builds an [adder](Circuit::adder) whose output is the carry: the highest bit of the sum of two numbers of `bits` bits.
    ///
    /// # Errors
    /// `bits` is 0 or greater than [`MAX_ADDER_BITS`].
    pub fn carry(bits: usize) -> Result<Self, CircuitError> {
        Self::adder(bits, bits)
    }

    /// Builds a majority circuit: its output is 1 if more than half of its `bits` input bits are 1.
    ///
    /// ```text
    /// T(i, k) = T(i − 1, k) or (T(i − 1, k − 1) and x_i)      at least k of the first i bits are 1
    /// ```
    ///
    /// # Errors
    /// `bits` is 0 or greater than [`MAX_MAJORITY_BITS`].
    pub fn majority(bits: usize) -> Result<Self, CircuitError> {
        let inputs = numbered_names('x', check_range(bits, 1, MAX_MAJORITY_BITS)?);
        let needed = bits / 2 + 1;
        let mut lines = GateList::default();
        // Entry k − 1 is T(i, k), for k up to i. Terms that the output does not need are not computed.
        let mut at_least: Vec<String> = Vec::new();
        for (i, x) in inputs.iter().enumerate() {
            let lowest = (needed + i + 1).saturating_sub(bits).max(1);
            let mut next = at_least.clone();
            next.resize((i + 1).min(needed), String::new());
            for k in lowest..=(i + 1).min(needed) {
                let with = match k {
                    1 => x.clone(),
                    _ => lines.push(GateKind::And, &at_least[k - 2], x),
                };
                next[k - 1] = match at_least.get(k - 1) {
                    Some(without) => lines.push(GateKind::Or, without, &with),
                    None => with,
                };
            }
            at_least = next;
        }
        lines.into_circuit(inputs)
    }

    /// Builds a relay: ID gates copy the single input through `depth` layers, including the layer of the input.
    ///
    /// # Errors
    /// `depth` is less than 2 or greater than [`MAX_GATES`] + 1.
    pub fn relay(depth: usize) -> Result<Self, CircuitError> {
        let mut lines = GateList::default();
        let mut last = "x1".to_string();
        for _ in 1..check_range(depth, 2, MAX_GATES + 1)? {
            last = lines.push(GateKind::Id, &last, &last);
        }
        lines.into_circuit(numbered_names('x', 1))
    }

    /// Builds a random circuit of `gates` gates; its output depends on every gate.
    ///
    /// # Why
    /// If every gate read arbitrary signals, the output would not depend on most gates. Here each gate reads at least one
    /// signal that no gate has read yet, and two if otherwise several unread signals would remain.
    ///
    /// # Errors
    /// `inputs` is 0 or greater than [`MAX_RANDOM_INPUTS`], or `gates` is less than `inputs` − 1 or greater than [`MAX_GATES`].
    pub fn random(inputs: usize, gates: usize, seed: u64) -> Result<Self, CircuitError> {
        check_range(inputs, 1, MAX_RANDOM_INPUTS)?;
        check_range(gates, (inputs - 1).max(1), MAX_GATES)?;
        let stream = RandomStream::new(seed, Purpose::Function, 0);
        let names = numbered_names('x', inputs);
        let (mut lines, mut all, mut unread) = (GateList::default(), names.clone(), names.clone());
        for gate in 0..gates {
            let below =
                |index: u32, bound: usize| stream.draw_below(gate as u64, index, bound as u32) as usize;
            let must_join = unread.len() > gates - gate;
            let kind = match below(0, 8) {
                0..=2 => GateKind::And,
                3..=5 => GateKind::Or,
                _ if must_join => GateKind::ALL[below(1, 2)],
                _ => GateKind::Not,
            };
            let kind = if all.len() == 1 { GateKind::Not } else { kind };
            let first = unread.swap_remove(below(2, unread.len()));
            let mut second = first.clone();
            if kind.input_count() == 2 {
                let others: Vec<&String> = match must_join {
                    true => unread.iter().collect(),
                    false => all.iter().filter(|name| **name != first).collect(),
                };
                second = others[below(3, others.len())].clone();
                unread.retain(|name| *name != second);
            }
            let name = lines.push(kind, &first, &second);
            all.push(name.clone());
            unread.push(name);
        }
        lines.into_circuit(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the circuit computes `f` for every input.
    fn assert_computes(circuit: &Circuit, f: impl Fn(&[bool]) -> bool) {
        for (row, value) in circuit.truth_table().unwrap().into_iter().enumerate() {
            assert_eq!(value, f(&circuit.truth_table_row(row)), "{circuit} {row}");
        }
        assert_eq!(circuit.to_string().parse::<Circuit>().unwrap(), *circuit);
    }

    fn number(bits: &[bool]) -> u64 {
        bits.iter().fold(0, |number, bit| 2 * number + u64::from(*bit))
    }

    fn ones(bits: &[bool]) -> usize {
        bits.iter().filter(|bit| **bit).count()
    }

    #[test]
    fn every_family_computes_its_function() {
        for n in 1..=8 {
            assert_computes(&Circuit::parity(n, ParityOrder::Chain).unwrap(), |bits| ones(bits) % 2 == 1);
            assert_computes(&Circuit::parity(n, ParityOrder::Tree).unwrap(), |bits| ones(bits) % 2 == 1);
            assert_computes(&Circuit::majority(n).unwrap(), |bits| 2 * ones(bits) > bits.len());
        }
        for n in 1..=4 {
            for place in 0..=n {
                let sum = |bits: &[bool]| number(&bits[..n]) + number(&bits[n..]);
                assert_computes(&Circuit::adder(n, place).unwrap(), |bits| sum(bits) >> place & 1 == 1);
            }
        }
        for depth in 2..6 {
            let relay = Circuit::relay(depth).unwrap();
            assert_computes(&relay, |bits| bits[0]);
            assert_eq!((relay.to_layers().unwrap().depth(), relay.to_layers().unwrap().width()), (depth, 1));
        }
    }

    #[test]
    fn depth_width_and_size_follow_the_definitions_of_the_paper() {
        let counts = |circuit: Result<Circuit, CircuitError>| {
            let layered = circuit.unwrap().to_layers().unwrap();
            (layered.depth(), layered.width(), layered.size())
        };
        assert_eq!(counts(Circuit::parity(2, ParityOrder::Chain)), (4, 2, 2 + 2 + 2 + 1));
        // In a chain, ID gates copy the inputs that are not used yet.
        assert_eq!(
            counts(Circuit::parity(4, ParityOrder::Chain)),
            (10, 4, 4 + 4 + 4 + 3 + 3 + 3 + 2 + 2 + 2 + 1)
        );
        assert_eq!(counts(Circuit::parity(4, ParityOrder::Tree)), (7, 4, 4 + 4 + 4 + 2 + 2 + 2 + 1));
        assert_eq!(counts(Circuit::parity(32, ParityOrder::Tree)).0, 16);
        assert_eq!(counts(Circuit::parity(16, ParityOrder::Chain)).0, 46);
        assert_eq!(counts(Circuit::carry(1)), (2, 2, 3));
        assert_eq!(counts(Circuit::relay(7)), (7, 1, 7));
        // The largest circuits that are allowed.
        for circuit in [
            Circuit::parity(MAX_PARITY_BITS, ParityOrder::Chain),
            Circuit::carry(MAX_ADDER_BITS),
            Circuit::adder(MAX_ADDER_BITS, MAX_ADDER_BITS - 1),
            Circuit::majority(MAX_MAJORITY_BITS),
            Circuit::relay(MAX_GATES + 1),
        ] {
            assert!(counts(circuit).2 <= super::super::limits::MAX_LAYERED_GATES);
        }
    }

    #[test]
    fn the_output_of_a_random_circuit_depends_on_all_its_gates() {
        for seed in 0..40 {
            for (inputs, gates) in [(1, 1), (1, 5), (2, 1), (4, 3), (5, 12), (8, 40), (16, 100)] {
                let circuit = Circuit::random(inputs, gates, seed).unwrap();
                assert_eq!((circuit.input_count(), circuit.gates().len()), (inputs, gates));
                let layered = circuit.to_layers().unwrap();
                let written = layered.layers().iter().skip(1).flatten().filter(|place| !place.is_inserted);
                assert_eq!(written.count(), gates, "{circuit}");
                assert_eq!(circuit.to_string().parse::<Circuit>().unwrap(), circuit);
            }
        }
        let of = |seed| Circuit::random(6, 20, seed).unwrap();
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }

    #[test]
    fn numbers_out_of_range_are_rejected() {
        let refused = |circuit: Result<Circuit, CircuitError>| {
            assert!(matches!(circuit, Err(CircuitError::NumberOutOfRange { .. })), "{circuit:?}");
        };
        refused(Circuit::parity(0, ParityOrder::Tree));
        refused(Circuit::parity(33, ParityOrder::Chain));
        refused(Circuit::adder(17, 0));
        refused(Circuit::adder(3, 4));
        refused(Circuit::majority(usize::MAX));
        refused(Circuit::relay(1));
        refused(Circuit::random(0, 5, 0));
        refused(Circuit::random(8, 6, 0));
        refused(Circuit::random(8, MAX_GATES + 1, 0));
    }
}
