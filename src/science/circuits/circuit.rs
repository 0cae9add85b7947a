//! A Boolean circuit of AND, OR, NOT and ID gates, given as a list of gates in any order.

use std::collections::BTreeMap;

use super::error::CircuitError;
use super::limits::{MAX_GATES, MAX_INPUTS, MAX_TRUTH_TABLE_INPUTS};

/// Name of the output gate. A circuit without a gate of this name has its last gate as output.
pub const OUTPUT: &str = "out";

/// The kind of a gate: its Boolean function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GateKind {
    /// 1 if both inputs are 1.
    And,
    /// 1 if at least one input is 1.
    Or,
    /// 1 if the input is 0.
    Not,
    /// The input itself.
    Id,
}

impl GateKind {
    /// All kinds of gates, in the order of their declaration.
    pub const ALL: [GateKind; 4] = [GateKind::And, GateKind::Or, GateKind::Not, GateKind::Id];

    /// The keyword of the kind in the text form of a circuit: `and`, `or`, `not` or `id`.
    pub fn keyword(self) -> &'static str {
        match self {
            GateKind::And => "and",
            GateKind::Or => "or",
            GateKind::Not => "not",
            GateKind::Id => "id",
        }
    }

    /// Number of inputs of a gate of this kind: 1 or 2.
    pub fn input_count(self) -> usize {
        match self {
            GateKind::And | GateKind::Or => 2,
            GateKind::Not | GateKind::Id => 1,
        }
    }

    /// The output bit of a gate of this kind for the inputs `a` and `b`. NOT and ID ignore `b`.
    pub fn apply(self, a: bool, b: bool) -> bool {
        match self {
            GateKind::And => a && b,
            GateKind::Or => a || b,
            GateKind::Not => !a,
            GateKind::Id => a,
        }
    }
}

/// One gate of a circuit's text: its name, its kind and the names of its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateDefinition {
    /// Name of the gate's output signal, which other gates use as input.
    pub name: String,
    /// The Boolean function that the gate computes.
    pub kind: GateKind,
    /// Names of the gate's inputs, each a circuit input or another gate; [`GateKind::input_count`] names.
    pub inputs: Vec<String>,
}

impl GateDefinition {
    /// A gate with the two inputs `a` and `b`, written `name = a kind b`.
    pub fn binary(name: impl Into<String>, a: &str, kind: GateKind, b: &str) -> Self {
        GateDefinition { name: name.into(), kind, inputs: vec![a.into(), b.into()] }
    }

    /// A gate with the input `a`, written `name = kind a`.
    pub fn unary(name: impl Into<String>, kind: GateKind, a: &str) -> Self {
        GateDefinition { name: name.into(), kind, inputs: vec![a.into()] }
    }
}

/// A gate of a [`Circuit`]. Signals are numbered from 0: first the circuit's inputs, then the gates in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The Boolean function that the gate computes.
    pub kind: GateKind,
    /// Indices of the signals that the gate reads; a NOT or ID gate has its one input twice.
    pub inputs: [usize; 2],
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
    /// Name of each signal: first the circuit's inputs, then its gates in the order of the text, `[inputs +
    /// gates]`.
    names: Vec<String>,
    /// Number of inputs of the circuit.
    inputs: usize,
    /// The gates in the order of the circuit's text; gate g, from 0, is signal `inputs` + g.
    gates: Vec<Gate>,
    /// Indices into `gates`, each gate after the gates that it reads.
    topological_order: Vec<usize>,
    /// For each signal, the number of gates on the longest path from an input to it; 0 for inputs.
    levels: Vec<usize>,
    /// Index of the signal that is the circuit's output: inputs are numbered first, from 0, then gates.
    output: usize,
}

impl Circuit {
    /// Builds the circuit with these gates. Without a list of `inputs`, the inputs are the names that no gate defines, in the
    /// order in which gates first read them.
    ///
    /// # Errors
    /// A name is invalid, undefined or defined twice, a gate depends on its own value, or there are too many gates or inputs.
    pub fn new(inputs: Option<Vec<String>>, lines: &[GateDefinition]) -> Result<Self, CircuitError> {
        let numbered: Vec<_> = (1..).zip(lines.iter().cloned()).collect();
        Self::with_line_numbers(inputs.map(|names| (0, names)), &numbered)
    }

    /// Builds a circuit as [`Circuit::new`] does. `listed` holds the input names with the line that lists them, if
    /// one does; `lines` holds each gate with its line number, which errors report.
    pub(super) fn with_line_numbers(
        listed: Option<(usize, Vec<String>)>,
        lines: &[(usize, GateDefinition)],
    ) -> Result<Self, CircuitError> {
        if let Some((line, _)) = lines.get(MAX_GATES) {
            return Err(CircuitError::TooManyGates(*line));
        }
        // For each gate's name: the line that defines it, and the gate's index.
        let mut assigned: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (gate, (line, of)) in lines.iter().enumerate() {
            check_name(*line, &of.name)?;
            of.inputs.iter().try_for_each(|name| check_name(*line, name))?;
            if of.inputs.len() != of.kind.input_count() {
                return Err(CircuitError::MalformedGate(*line));
            }
            if let Some((first, _)) = assigned.insert(&of.name, (*line, gate)) {
                return Err(CircuitError::DuplicateGate { line: *line, name: of.name.clone(), first });
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
            if names.len() >= MAX_INPUTS {
                return Err(CircuitError::TooManyInputs(list_line));
            }
            if let Some((line, _)) = assigned.get(name.as_str()) {
                return Err(CircuitError::AssignedInput { line: *line, name });
            }
            if place.insert(name.clone(), names.len()).is_some() {
                return Err(CircuitError::DuplicateInput { line: list_line, name });
            }
            names.push(name);
        }
        for (line, of) in lines {
            for name in &of.inputs {
                if assigned.contains_key(name.as_str()) || place.contains_key(name) {
                    continue;
                }
                if is_listed {
                    return Err(CircuitError::UnknownName { line: *line, name: name.clone() });
                }
                if names.len() >= MAX_INPUTS {
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
            let (first, last) = (of.inputs.first().map_or(0, signal), of.inputs.last().map_or(0, signal));
            gates.push(Gate { kind: of.kind, inputs: [first, last] });
            names.push(of.name.clone());
        }
        let output = assigned.get(OUTPUT).map_or(lines.len() - 1, |(_, gate)| *gate);
        let (order, levels) = sort_topologically(inputs, &gates).map_err(|gate| {
            let (line, of) = &lines[gate];
            CircuitError::Cycle { line: *line, name: of.name.clone() }
        })?;
        Ok(Circuit { names, inputs, gates, topological_order: order, levels, output: inputs + output })
    }

    /// Number of inputs of the circuit.
    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// The gates in the order of the text, without the ID gates that [`Circuit::to_layers`] inserts.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The name of a signal; empty if there is no such signal.
    pub fn signal_name(&self, signal: usize) -> &str {
        self.names.get(signal).map_or("", String::as_str)
    }

    /// Names of all signals: the inputs, then the gates in the order of the text.
    pub fn signal_names(&self) -> &[String] {
        &self.names
    }

    /// Index of the signal that is the circuit's output: inputs are numbered first, from 0, then gates.
    pub fn output_signal(&self) -> usize {
        self.output
    }

    /// For each signal, the number of gates on the longest path from an input to it; 0 for inputs.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// Evaluates the circuit: the bit of every signal, `[inputs + gates]`, for the input bits `bits`.
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn evaluate_signals(&self, bits: &[bool]) -> Result<Vec<bool>, CircuitError> {
        if bits.len() != self.inputs {
            return Err(CircuitError::InputLength { expected: self.inputs, found: bits.len() });
        }
        let mut values = bits.to_vec();
        values.resize(self.names.len(), false);
        for gate in &self.topological_order {
            let Gate { kind, inputs: [a, b] } = self.gates[*gate];
            values[self.inputs + gate] = kind.apply(values[a], values[b]);
        }
        Ok(values)
    }

    /// Evaluates the circuit: its output bit for the input bits `bits`.
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn evaluate(&self, bits: &[bool]) -> Result<bool, CircuitError> {
        Ok(self.evaluate_signals(bits)?[self.output])
    }

    /// The output bits for all 2ⁿ inputs, in the order of [`Circuit::truth_table_row`].
    ///
    /// # Errors
    /// The circuit has more than [`MAX_TRUTH_TABLE_INPUTS`] inputs.
    pub fn truth_table(&self) -> Result<Vec<bool>, CircuitError> {
        if self.inputs > MAX_TRUTH_TABLE_INPUTS {
            return Err(CircuitError::TruthTableTooLong(self.inputs));
        }
        (0..1 << self.inputs).map(|row| self.evaluate(&self.truth_table_row(row))).collect()
    }

    /// The input bits of a row of the truth table: the binary digits of `row`, the highest bit first.
    pub fn truth_table_row(&self, row: usize) -> Vec<bool> {
        let bit = |place: usize| (row as u64).checked_shr(place as u32).is_some_and(|rest| rest & 1 == 1);
        (0..self.inputs).rev().map(bit).collect()
    }
}

/// Checks that `name` can be the name of a signal; an error reports `line`, a line number from 1.
fn check_name(line: usize, name: &str) -> Result<(), CircuitError> {
    let is_reserved = GateKind::ALL.iter().any(|kind| name.eq_ignore_ascii_case(kind.keyword()));
    let fits = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.len() <= 32
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && !is_reserved
        && !name.eq_ignore_ascii_case("inputs");
    // A pasted word can be very long, so the error shows its beginning only.
    let shown = || name.chars().take(40).collect();
    fits.then_some(()).ok_or_else(|| CircuitError::InvalidName { line, name: shown() })
}

/// Sorts the gates of a circuit with `inputs` inputs so that each comes after the gates that it reads (a topological
/// order).
///
/// Returns the indices of the gates in this order, and the level of every signal: the number of gates on the longest path
/// to it. The error is the index of a gate on a cycle.
fn sort_topologically(inputs: usize, gates: &[Gate]) -> Result<(Vec<usize>, Vec<usize>), usize> {
    let mut levels = vec![0; inputs + gates.len()];
    let mut is_known = vec![true; inputs];
    is_known.resize(levels.len(), false);
    let mut order = Vec::with_capacity(gates.len());
    // Each pass appends every gate whose inputs already have a level: at most as many passes as gates.
    loop {
        let before = order.len();
        for (at, gate) in gates.iter().enumerate() {
            let [a, b] = gate.inputs;
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
    // A gate without a level reads a gate without a level. Following these for as many steps as there are gates ends in a
    // cycle.
    let unknown = |at: &usize| *at >= inputs && !is_known[*at];
    let mut at = (inputs..levels.len()).find(unknown).unwrap_or(inputs);
    for _ in gates {
        at = gates[at - inputs].inputs.into_iter().find(unknown).unwrap_or(at);
    }
    // The gate of that cycle that the text defines first.
    let (start, mut first) = (at, at);
    for _ in gates {
        at = gates[at - inputs].inputs.into_iter().find(unknown).unwrap_or(at);
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
    fn gates_compute_the_function_of_their_kind() {
        let rows = [(false, false), (false, true), (true, false), (true, true)];
        let table = |kind: GateKind| rows.map(|(a, b)| kind.apply(a, b));
        assert_eq!(table(GateKind::And), [false, false, false, true]);
        assert_eq!(table(GateKind::Or), [false, true, true, true]);
        assert_eq!(table(GateKind::Not), [true, true, false, false]);
        assert_eq!(table(GateKind::Id), [false, false, true, true]);
    }

    #[test]
    fn gates_may_be_defined_in_any_order() {
        let circuit: Circuit = "out = p and r; r = not q; q = a and b; p = a or b".parse().unwrap();
        assert_eq!(circuit.truth_table().unwrap(), [false, true, true, false]);
        assert_eq!(circuit.signal_names(), ["a", "b", "out", "r", "q", "p"]);
        assert_eq!(circuit.levels(), [0, 0, 3, 2, 1, 1]);
        assert_eq!((circuit.input_count(), circuit.output_signal(), circuit.signal_name(2)), (2, 2, "out"));
        assert_eq!(circuit.truth_table_row(1), [false, true]);
        assert_eq!(circuit.signal_name(99), "");
    }

    #[test]
    fn the_output_is_the_gate_named_out_or_else_the_last_gate() {
        let table = |text: &str| text.parse::<Circuit>().unwrap().truth_table().unwrap();
        assert_eq!(table("out = not a; b = id out"), [true, false]);
        assert_eq!(table("u = not a; b = id u; c = not b"), [false, true]);
    }

    #[test]
    fn invalid_circuits_are_rejected() {
        let gate = |name: &str, read: &str| GateDefinition::unary(name, GateKind::Not, read);
        assert_eq!(Circuit::new(None, &[]), Err(CircuitError::Empty));
        let broken = GateDefinition { name: "a".into(), kind: GateKind::And, inputs: vec!["b".into()] };
        assert_eq!(Circuit::new(None, &[gate("x", "y"), broken]), Err(CircuitError::MalformedGate(2)));
        let many: Vec<_> = (0..=MAX_GATES).map(|i| gate(&format!("g{i}"), "x")).collect();
        assert_eq!(Circuit::new(None, &many), Err(CircuitError::TooManyGates(401)));
        let wide: Vec<_> = (0..=MAX_INPUTS).map(|i| gate(&format!("g{i}"), &format!("x{i}"))).collect();
        assert_eq!(Circuit::new(None, &wide), Err(CircuitError::TooManyInputs(65)));
        let circuit = Circuit::new(None, &wide[..13]).unwrap();
        assert_eq!(circuit.truth_table(), Err(CircuitError::TruthTableTooLong(13)));
        assert_eq!(circuit.evaluate(&[true]), Err(CircuitError::InputLength { expected: 13, found: 1 }));
    }

    #[test]
    fn the_error_for_a_cycle_names_the_first_line_of_the_cycle() {
        let cycle = |text: &str| text.parse::<Circuit>().unwrap_err();
        let of = |line, name: &str| CircuitError::Cycle { line, name: name.into() };
        assert_eq!(cycle("a = not a"), of(1, "a"));
        // The gate of line 1 reads a gate of the cycle but is not in the cycle.
        assert_eq!(cycle("out = b and x; c = not b; b = x or d; d = c and x"), of(2, "c"));
    }
}
