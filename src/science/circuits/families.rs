//! Circuits that have a name: parity, adder, majority, a relay, and random ones.

use super::circuit::{Circuit, Kind, Line, OUTPUT};
use super::error::{CircuitError, within};
use super::limits::{MOST_GATES, MOST_IN_ADDER, MOST_IN_MAJORITY, MOST_IN_PARITY, MOST_IN_RANDOM};
use vivarium_core::rng::{Purpose, Stream};

/// In which order a parity takes its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// One bit after the other: depth 3(n − 1) + 1.
    Chain,
    /// In pairs, then pairs of pairs: depth 3⌈log₂ n⌉ + 1.
    Tree,
}

/// Gates that are written one after the other, with names of their own.
#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn push(&mut self, kind: Kind, a: &str, b: &str) -> String {
        let name = format!("g{}", self.0.len() + 1);
        let line = match kind.reads() {
            2 => Line::two(&*name, a, kind, b),
            _ => Line::one(&*name, kind, a),
        };
        self.0.push(line);
        name
    }

    /// (a or b) and not (a and b), in three layers.
    fn xor(&mut self, a: &str, b: &str) -> String {
        let either = self.push(Kind::Or, a, b);
        let both = self.push(Kind::And, a, b);
        let not_both = self.push(Kind::Not, &both, &both);
        self.push(Kind::And, &either, &not_both)
    }

    /// The circuit whose last gate is the output; an ID gate is the output where there is no gate.
    fn circuit(mut self, inputs: Vec<String>) -> Result<Circuit, CircuitError> {
        if self.0.is_empty() {
            let only = inputs.first().cloned().unwrap_or_default();
            self.push(Kind::Id, &only, &only);
        }
        if let Some(last) = self.0.last_mut() {
            last.name = OUTPUT.into();
        }
        Circuit::new(Some(inputs), &self.0)
    }
}

/// x1 … xn.
fn names(letter: char, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{letter}{i}")).collect()
}

impl Circuit {
    /// 1 if an odd number of `bits` bits is 1.
    pub fn parity(bits: usize, order: Order) -> Result<Self, CircuitError> {
        let inputs = names('x', within(bits, 1, MOST_IN_PARITY)?);
        let (mut lines, mut left) = (Lines::default(), inputs.clone());
        while left.len() > 1 {
            match order {
                Order::Chain => {
                    let sum = lines.xor(&left[0], &left[1]);
                    left.splice(..2, [sum]);
                }
                Order::Tree => {
                    let pair = |pair: &[String]| match pair {
                        [a, b] => lines.xor(a, b),
                        odd => odd.concat(),
                    };
                    left = left.chunks(2).map(pair).collect();
                }
            }
        }
        lines.circuit(inputs)
    }

    /// Bit `place` of the sum of two numbers of `bits` bits, the lowest being bit 0 and the carry bit `bits`.
    ///
    /// It is a ripple-carry adder. Inputs are a_n … a_1 and then b_n … b_1, the highest bits first, as numbers are
    /// written; gates that only other bits of the sum need are left out.
    pub fn adder(bits: usize, place: usize) -> Result<Self, CircuitError> {
        within(bits, 1, MOST_IN_ADDER)?;
        within(place, 0, bits)?;
        let [a, b] = ['a', 'b'].map(|letter| names(letter, bits));
        let mut lines = Lines::default();
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
                    let both = lines.push(Kind::And, &a[i], &b[i]);
                    let passed = lines.push(Kind::And, &sum, &carry);
                    Some(lines.push(Kind::Or, &both, &passed))
                }
                _ if is_sum => None,
                _ => Some(lines.push(Kind::And, &a[i], &b[i])),
            };
        }
        lines.circuit(a.into_iter().rev().chain(b.into_iter().rev()).collect())
    }

    /// The carry of the sum of two numbers of `bits` bits, which is its highest bit.
    pub fn carry(bits: usize) -> Result<Self, CircuitError> {
        Self::adder(bits, bits)
    }

    /// 1 if more than half of `bits` bits are 1.
    ///
    /// ```text
    /// T(i, k) = T(i − 1, k) or (T(i − 1, k − 1) and x_i)      at least k of the first i bits are 1
    /// ```
    pub fn majority(bits: usize) -> Result<Self, CircuitError> {
        let inputs = names('x', within(bits, 1, MOST_IN_MAJORITY)?);
        let needed = bits / 2 + 1;
        let mut lines = Lines::default();
        // Entry k − 1 is T(i, k), for k up to i. What can no longer reach the end is not written.
        let mut least: Vec<String> = Vec::new();
        for (i, x) in inputs.iter().enumerate() {
            let lowest = (needed + i + 1).saturating_sub(bits).max(1);
            let mut next = least.clone();
            next.resize((i + 1).min(needed), String::new());
            for k in lowest..=(i + 1).min(needed) {
                let with = match k {
                    1 => x.clone(),
                    _ => lines.push(Kind::And, &least[k - 2], x),
                };
                next[k - 1] = match least.get(k - 1) {
                    Some(without) => lines.push(Kind::Or, without, &with),
                    None => with,
                };
            }
            least = next;
        }
        lines.circuit(inputs)
    }

    /// The single input, passed on by ID gates through `depth` layers, that of the input among them.
    pub fn relay(depth: usize) -> Result<Self, CircuitError> {
        let mut lines = Lines::default();
        let mut last = "x1".to_string();
        for _ in 1..within(depth, 2, MOST_GATES + 1)? {
            last = lines.push(Kind::Id, &last, &last);
        }
        lines.circuit(names('x', 1))
    }

    /// A random circuit of `gates` gates, from `inputs` − 1 on, every one of which the output depends on.
    ///
    /// # Why
    /// Where gates read any signals, most of them are read by no gate that leads to the output. Here each gate reads at
    /// least one signal that no gate has read yet, and two where otherwise several would be left at the end.
    pub fn random(inputs: usize, gates: usize, seed: u64) -> Result<Self, CircuitError> {
        within(inputs, 1, MOST_IN_RANDOM)?;
        within(gates, (inputs - 1).max(1), MOST_GATES)?;
        let stream = Stream::new(seed, Purpose::Function, 0);
        let names = names('x', inputs);
        let (mut lines, mut all, mut unread) = (Lines::default(), names.clone(), names.clone());
        for gate in 0..gates {
            let below = |index: u32, bound: usize| stream.below(gate as u64, index, bound as u32) as usize;
            let must_join = unread.len() > gates - gate;
            let kind = match below(0, 8) {
                0..=2 => Kind::And,
                3..=5 => Kind::Or,
                _ if must_join => Kind::ALL[below(1, 2)],
                _ => Kind::Not,
            };
            let kind = if all.len() == 1 { Kind::Not } else { kind };
            let first = unread.swap_remove(below(2, unread.len()));
            let mut second = first.clone();
            if kind.reads() == 2 {
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
        lines.circuit(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the circuit computes `f` for every input.
    fn computes(circuit: &Circuit, f: impl Fn(&[bool]) -> bool) {
        for (row, value) in circuit.truth_table().unwrap().into_iter().enumerate() {
            assert_eq!(value, f(&circuit.row(row)), "{circuit} {row}");
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
    fn named_circuits_compute_what_their_names_say() {
        for n in 1..=8 {
            computes(&Circuit::parity(n, Order::Chain).unwrap(), |bits| ones(bits) % 2 == 1);
            computes(&Circuit::parity(n, Order::Tree).unwrap(), |bits| ones(bits) % 2 == 1);
            computes(&Circuit::majority(n).unwrap(), |bits| 2 * ones(bits) > bits.len());
        }
        for n in 1..=4 {
            for place in 0..=n {
                let sum = |bits: &[bool]| number(&bits[..n]) + number(&bits[n..]);
                computes(&Circuit::adder(n, place).unwrap(), |bits| sum(bits) >> place & 1 == 1);
            }
        }
        for depth in 2..6 {
            let relay = Circuit::relay(depth).unwrap();
            computes(&relay, |bits| bits[0]);
            assert_eq!((relay.layered().unwrap().depth(), relay.layered().unwrap().width()), (depth, 1));
        }
    }

    #[test]
    fn depth_width_and_size_are_counted_as_in_the_paper() {
        let counts = |circuit: Result<Circuit, CircuitError>| {
            let layered = circuit.unwrap().layered().unwrap();
            (layered.depth(), layered.width(), layered.size())
        };
        assert_eq!(counts(Circuit::parity(2, Order::Chain)), (4, 2, 2 + 2 + 2 + 1));
        // Layers 4, (2+2)·3 steps…: the chain carries the inputs that wait.
        assert_eq!(counts(Circuit::parity(4, Order::Chain)), (10, 4, 4 + 4 + 4 + 3 + 3 + 3 + 2 + 2 + 2 + 1));
        assert_eq!(counts(Circuit::parity(4, Order::Tree)), (7, 4, 4 + 4 + 4 + 2 + 2 + 2 + 1));
        assert_eq!(counts(Circuit::parity(32, Order::Tree)).0, 16);
        assert_eq!(counts(Circuit::parity(16, Order::Chain)).0, 46);
        assert_eq!(counts(Circuit::carry(1)), (2, 2, 3));
        assert_eq!(counts(Circuit::relay(7)), (7, 1, 7));
        // The largest that are allowed.
        for circuit in [
            Circuit::parity(MOST_IN_PARITY, Order::Chain),
            Circuit::carry(MOST_IN_ADDER),
            Circuit::adder(MOST_IN_ADDER, MOST_IN_ADDER - 1),
            Circuit::majority(MOST_IN_MAJORITY),
            Circuit::relay(MOST_GATES + 1),
        ] {
            assert!(counts(circuit).2 <= super::super::limits::MOST_SIZE);
        }
    }

    #[test]
    fn a_random_circuit_needs_all_its_gates() {
        for seed in 0..40 {
            for (inputs, gates) in [(1, 1), (1, 5), (2, 1), (4, 3), (5, 12), (8, 40), (16, 100)] {
                let circuit = Circuit::random(inputs, gates, seed).unwrap();
                assert_eq!((circuit.inputs(), circuit.gates().len()), (inputs, gates));
                let layered = circuit.layered().unwrap();
                let written = layered.layers().iter().skip(1).flatten().filter(|place| !place.is_carried);
                assert_eq!(written.count(), gates, "{circuit}");
                assert_eq!(circuit.to_string().parse::<Circuit>().unwrap(), circuit);
            }
        }
        let of = |seed| Circuit::random(6, 20, seed).unwrap();
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }

    #[test]
    fn numbers_outside_of_their_bounds_are_refused() {
        let refused = |circuit: Result<Circuit, CircuitError>| {
            assert!(matches!(circuit, Err(CircuitError::Number { .. })), "{circuit:?}");
        };
        refused(Circuit::parity(0, Order::Tree));
        refused(Circuit::parity(33, Order::Chain));
        refused(Circuit::adder(17, 0));
        refused(Circuit::adder(3, 4));
        refused(Circuit::majority(usize::MAX));
        refused(Circuit::relay(1));
        refused(Circuit::random(0, 5, 0));
        refused(Circuit::random(8, 6, 0));
        refused(Circuit::random(8, MOST_GATES + 1, 0));
    }
}
