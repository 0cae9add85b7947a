//! A Boolean circuit of AND, OR, NOT and ID gates, given as a list of gates in any order.

use std::collections::BTreeMap;

use super::error::CircuitError;
use super::limits::{MOST_GATES, MOST_IN_TABLE, MOST_INPUTS};

/// The name of the gate that is the output, wherever it stands.
pub const OUTPUT: &str = "out";

/// What a gate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 1 if both inputs are 1.
    And,
    /// 1 if at least one input is 1.
    Or,
    /// 1 if the input is 0.
    Not,
    /// The input itself.
    Id,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::And, Kind::Or, Kind::Not, Kind::Id];

    /// Its word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Kind::And => "and",
            Kind::Or => "or",
            Kind::Not => "not",
            Kind::Id => "id",
        }
    }

    /// How many values it reads.
    pub fn reads(self) -> usize {
        match self {
            Kind::And | Kind::Or => 2,
            Kind::Not | Kind::Id => 1,
        }
    }

    /// What it gives. NOT and ID read `a` alone.
    pub fn value(self, a: bool, b: bool) -> bool {
        match self {
            Kind::And => a && b,
            Kind::Or => a || b,
            Kind::Not => !a,
            Kind::Id => a,
        }
    }
}

/// A gate as it is written: its name, its kind and the names of what it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The name of its value.
    pub name: String,
    /// What it computes.
    pub kind: Kind,
    /// Names of inputs or gates, [`Kind::reads`] of them.
    pub reads: Vec<String>,
}

impl Line {
    /// A gate with two inputs.
    pub fn two(name: impl Into<String>, a: &str, kind: Kind, b: &str) -> Self {
        Line { name: name.into(), kind, reads: vec![a.into(), b.into()] }
    }

    /// A gate with one input.
    pub fn one(name: impl Into<String>, kind: Kind, a: &str) -> Self {
        Line { name: name.into(), kind, reads: vec![a.into()] }
    }
}

/// A gate of a circuit. Signals are counted through: first the inputs, then the gates as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// What it computes.
    pub kind: Kind,
    /// The signals that it reads; NOT and ID have the same one twice.
    pub reads: [usize; 2],
}

/// A Boolean circuit with one output.
///
/// The output is the gate named [`OUTPUT`], or else the last gate.
///
/// ```
/// use vivarium_science::circuits::Circuit;
/// let circuit: Circuit = "s = a and b; c = not s; out = c or a".parse().unwrap();
/// assert_eq!(circuit.evaluate(&[true, true]), Ok(true));
/// assert_eq!(circuit.to_string(), "s = a and b\nc = not s\nout = c or a");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circuit {
    /// Names of the inputs, then of the gates.
    names: Vec<String>,
    inputs: usize,
    gates: Vec<Gate>,
    /// Gates from 0, each after all that it reads.
    order: Vec<usize>,
    /// Length of the longest path from an input to each signal.
    levels: Vec<usize>,
    output: usize,
}

impl Circuit {
    /// The circuit with these gates. Inputs are what is listed, or else the names that no gate has, in the order in
    /// which they are first read.
    pub fn new(inputs: Option<Vec<String>>, lines: &[Line]) -> Result<Self, CircuitError> {
        let numbered: Vec<_> = (1..).zip(lines.iter().cloned()).collect();
        Self::numbered(inputs.map(|names| (0, names)), &numbered)
    }

    /// The same with the numbers of lines that errors name.
    pub(super) fn numbered(
        listed: Option<(usize, Vec<String>)>,
        lines: &[(usize, Line)],
    ) -> Result<Self, CircuitError> {
        if let Some((line, _)) = lines.get(MOST_GATES) {
            return Err(CircuitError::TooManyGates(*line));
        }
        // The line that assigns a name, and the gate's number.
        let mut assigned: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (gate, (line, of)) in lines.iter().enumerate() {
            check_name(*line, &of.name)?;
            of.reads.iter().try_for_each(|name| check_name(*line, name))?;
            if of.reads.len() != of.kind.reads() {
                return Err(CircuitError::Form(*line));
            }
            if let Some((first, _)) = assigned.insert(&of.name, (*line, gate)) {
                return Err(CircuitError::Twice { line: *line, name: of.name.clone(), first });
            }
        }
        if lines.is_empty() {
            return Err(CircuitError::Empty);
        }
        let is_listed = listed.is_some();
        let (list_line, listed) = listed.unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        for name in listed {
            check_name(list_line, &name)?;
            if names.len() >= MOST_INPUTS {
                return Err(CircuitError::TooManyInputs(list_line));
            }
            if let Some((line, _)) = assigned.get(name.as_str()) {
                return Err(CircuitError::Assigned { line: *line, name });
            }
            if place.insert(name.clone(), names.len()).is_some() {
                return Err(CircuitError::InputTwice { line: list_line, name });
            }
            names.push(name);
        }
        for (line, of) in lines {
            for name in &of.reads {
                if assigned.contains_key(name.as_str()) || place.contains_key(name) {
                    continue;
                }
                if is_listed {
                    return Err(CircuitError::Unknown { line: *line, name: name.clone() });
                }
                if names.len() >= MOST_INPUTS {
                    return Err(CircuitError::TooManyInputs(*line));
                }
                place.insert(name.clone(), names.len());
                names.push(name.clone());
            }
        }
        let inputs = names.len();
        let signal = |name: &String| match assigned.get(name.as_str()) {
            Some((_, gate)) => inputs + gate,
            None => place.get(name).copied().unwrap_or_default(),
        };
        let mut gates = Vec::with_capacity(lines.len());
        for (_, of) in lines {
            let (first, last) = (of.reads.first().map_or(0, signal), of.reads.last().map_or(0, signal));
            gates.push(Gate { kind: of.kind, reads: [first, last] });
            names.push(of.name.clone());
        }
        let output = assigned.get(OUTPUT).map_or(lines.len() - 1, |(_, gate)| *gate);
        let (order, levels) = sorted(inputs, &gates).map_err(|gate| {
            let (line, of) = &lines[gate];
            CircuitError::Cycle { line: *line, name: of.name.clone() }
        })?;
        Ok(Circuit { names, inputs, gates, order, levels, output: inputs + output })
    }

    /// How many inputs it has.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Its gates as they are written, without ID gates that layers need.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The name of a signal, if there is such a signal.
    pub fn name(&self, signal: usize) -> &str {
        self.names.get(signal).map_or("", String::as_str)
    }

    /// Names of all signals, inputs first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The signal that is the output.
    pub fn output(&self) -> usize {
        self.output
    }

    /// Length of the longest path from an input to each signal; 0 for inputs.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The value of every signal for an input.
    pub fn values(&self, bits: &[bool]) -> Result<Vec<bool>, CircuitError> {
        if bits.len() != self.inputs {
            return Err(CircuitError::Bits { expected: self.inputs, found: bits.len() });
        }
        let mut values = bits.to_vec();
        values.resize(self.names.len(), false);
        for gate in &self.order {
            let Gate { kind, reads: [a, b] } = self.gates[*gate];
            values[self.inputs + gate] = kind.value(values[a], values[b]);
        }
        Ok(values)
    }

    /// The output for an input.
    pub fn evaluate(&self, bits: &[bool]) -> Result<bool, CircuitError> {
        Ok(self.values(bits)?[self.output])
    }

    /// The outputs for all inputs, in the order of [`Circuit::row`].
    pub fn truth_table(&self) -> Result<Vec<bool>, CircuitError> {
        if self.inputs > MOST_IN_TABLE {
            return Err(CircuitError::Table(self.inputs));
        }
        (0..1 << self.inputs).map(|row| self.evaluate(&self.row(row))).collect()
    }

    /// The input of a row of the truth table. The first input is the highest bit of the row's number.
    pub fn row(&self, row: usize) -> Vec<bool> {
        let bit = |place: usize| (row as u64).checked_shr(place as u32).is_some_and(|rest| rest & 1 == 1);
        (0..self.inputs).rev().map(bit).collect()
    }
}

/// Whether a word can be the name of a signal.
fn check_name(line: usize, name: &str) -> Result<(), CircuitError> {
    let is_reserved = Kind::ALL.iter().any(|kind| name.eq_ignore_ascii_case(kind.word()));
    let fits = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.len() <= 32
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && !is_reserved
        && !name.eq_ignore_ascii_case("inputs");
    // A word of any length may have been pasted here.
    let shown = || name.chars().take(40).collect();
    fits.then_some(()).ok_or_else(|| CircuitError::Name { line, name: shown() })
}

/// The gates, each after what it reads, and the levels of all signals; or a gate of a cycle.
fn sorted(inputs: usize, gates: &[Gate]) -> Result<(Vec<usize>, Vec<usize>), usize> {
    let mut levels = vec![0; inputs + gates.len()];
    let mut is_known = vec![true; inputs];
    is_known.resize(levels.len(), false);
    let mut order = Vec::with_capacity(gates.len());
    // Each round takes every gate whose inputs are known: at most as many rounds as gates.
    loop {
        let before = order.len();
        for (at, gate) in gates.iter().enumerate() {
            let [a, b] = gate.reads;
            if !is_known[inputs + at] && is_known[a] && is_known[b] {
                levels[inputs + at] = 1 + levels[a].max(levels[b]);
                is_known[inputs + at] = true;
                order.push(at);
            }
        }
        if order.len() == gates.len() {
            return Ok((order, levels));
        }
        if order.len() == before {
            break;
        }
    }
    // Whoever is not known reads one who is not known: after as many steps as there are gates one is in a cycle.
    let unknown = |at: &usize| *at >= inputs && !is_known[*at];
    let mut at = (inputs..levels.len()).find(unknown).unwrap_or(inputs);
    for _ in gates {
        at = gates[at - inputs].reads.into_iter().find(unknown).unwrap_or(at);
    }
    // The earliest line of that cycle.
    let (start, mut first) = (at, at);
    for _ in gates {
        at = gates[at - inputs].reads.into_iter().find(unknown).unwrap_or(at);
        if at == start {
            break;
        }
        first = first.min(at);
    }
    Err(first - inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_compute_what_their_names_say() {
        let rows = [(false, false), (false, true), (true, false), (true, true)];
        let table = |kind: Kind| rows.map(|(a, b)| kind.value(a, b));
        assert_eq!(table(Kind::And), [false, false, false, true]);
        assert_eq!(table(Kind::Or), [false, true, true, true]);
        assert_eq!(table(Kind::Not), [true, true, false, false]);
        assert_eq!(table(Kind::Id), [false, false, true, true]);
    }

    #[test]
    fn gates_may_stand_in_any_order() {
        let circuit: Circuit = "out = p and r; r = not q; q = a and b; p = a or b".parse().unwrap();
        assert_eq!(circuit.truth_table().unwrap(), [false, true, true, false]);
        assert_eq!(circuit.names(), ["a", "b", "out", "r", "q", "p"]);
        assert_eq!(circuit.levels(), [0, 0, 3, 2, 1, 1]);
        assert_eq!((circuit.inputs(), circuit.output(), circuit.name(2)), (2, 2, "out"));
        assert_eq!(circuit.row(1), [false, true]);
        assert_eq!(circuit.name(99), "");
    }

    #[test]
    fn the_output_is_named_or_last() {
        let table = |text: &str| text.parse::<Circuit>().unwrap().truth_table().unwrap();
        assert_eq!(table("out = not a; b = id out"), [true, false]);
        assert_eq!(table("u = not a; b = id u; c = not b"), [false, true]);
    }

    #[test]
    fn what_is_no_circuit_is_refused() {
        let gate = |name: &str, read: &str| Line::one(name, Kind::Not, read);
        assert_eq!(Circuit::new(None, &[]), Err(CircuitError::Empty));
        let broken = Line { name: "a".into(), kind: Kind::And, reads: vec!["b".into()] };
        assert_eq!(Circuit::new(None, &[gate("x", "y"), broken]), Err(CircuitError::Form(2)));
        let many: Vec<_> = (0..=MOST_GATES).map(|i| gate(&format!("g{i}"), "x")).collect();
        assert_eq!(Circuit::new(None, &many), Err(CircuitError::TooManyGates(401)));
        let wide: Vec<_> = (0..=MOST_INPUTS).map(|i| gate(&format!("g{i}"), &format!("x{i}"))).collect();
        assert_eq!(Circuit::new(None, &wide), Err(CircuitError::TooManyInputs(65)));
        let circuit = Circuit::new(None, &wide[..13]).unwrap();
        assert_eq!(circuit.truth_table(), Err(CircuitError::Table(13)));
        assert_eq!(circuit.evaluate(&[true]), Err(CircuitError::Bits { expected: 13, found: 1 }));
    }

    #[test]
    fn a_cycle_is_named_by_its_first_line() {
        let cycle = |text: &str| text.parse::<Circuit>().unwrap_err();
        let of = |line, name: &str| CircuitError::Cycle { line, name: name.into() };
        assert_eq!(cycle("a = not a"), of(1, "a"));
        // The first line reads the cycle but is not part of it.
        assert_eq!(cycle("out = b and x; c = not b; b = x or d; d = c and x"), of(2, "c"));
    }
}
