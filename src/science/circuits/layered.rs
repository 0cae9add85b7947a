//! A circuit in layers (Wei, Chen and Ma 2022, section 3): every gate reads only the layer directly below it, and ID gates
//! copy a value from layer to layer up to the last layer that needs it.
//!
//! ```text
//! layer 0      the inputs
//! layer l      gates whose longest path from an input has length l, and ID gates that copy lower values
//! depth q      layers, the inputs among them;  width r: gates of the widest layer;  size s: gates of all layers
//! ```
//!
//! Gates that the output does not depend on are removed. The last layer contains only the output.

use super::circuit::{Circuit, GateKind};
use super::error::CircuitError;
use super::limits::MAX_LAYERED_GATES;

/// A gate in one layer of a [`LayeredCircuit`]: an input, a gate of the circuit, or an ID gate that copies a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerGate {
    /// The [signal](super::Gate) of the circuit whose value this gate computes or copies.
    pub signal: usize,
    /// The gate's Boolean function; `None` for an input of the circuit.
    pub kind: Option<GateKind>,
    /// Indices, from 0, of the two gates of the layer below that this gate reads. NOT and ID read one gate, stored
    /// twice; circuit inputs, in layer 0, have 0.
    pub inputs: [usize; 2],
    /// Whether this ID gate was inserted to copy a value to the next layer, and is not in the circuit's text.
    pub is_inserted: bool,
}

/// A circuit in layers: each gate reads only gates of the layer directly below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayeredCircuit {
    /// The gates of each layer; layer 0 holds the inputs.
    layers: Vec<Vec<LayerGate>>,
}

impl Circuit {
    /// Arranges the circuit in layers.
    ///
    /// # Errors
    /// The layers have more than [`MAX_LAYERED_GATES`] gates.
    pub fn to_layers(&self) -> Result<LayeredCircuit, CircuitError> {
        LayeredCircuit::new(self)
    }
}

impl LayeredCircuit {
    /// Arranges a circuit in layers; an error if there would be too many gates. See [`Circuit::to_layers`].
    pub(super) fn new(circuit: &Circuit) -> Result<Self, CircuitError> {
        let (inputs, levels, output) = (circuit.input_count(), circuit.levels(), circuit.output_signal());
        // The last layer that must contain each signal; `None` if the output does not depend on the signal.
        let mut last: Vec<Option<usize>> = vec![None; levels.len()];
        last[output] = Some(levels[output]);
        let mut by_level: Vec<usize> = (inputs..levels.len()).collect();
        by_level.sort_by_key(|signal| std::cmp::Reverse(levels[*signal]));
        for signal in by_level {
            if last[signal].is_some() {
                for read in circuit.gates()[signal - inputs].inputs {
                    last[read] = last[read].max(Some(levels[signal] - 1));
                }
            }
        }
        // Layer 0 contains every input, even inputs that no gate reads.
        last[..inputs].iter_mut().for_each(|last| *last = (*last).max(Some(0)));
        let spans = last.iter().zip(levels).filter_map(|(last, level)| Some((*last)? - level + 1));
        check_size(spans.map(|span| span as u64).sum())?;

        let mut layers: Vec<Vec<LayerGate>> = Vec::with_capacity(levels[output] + 1);
        let mut places = vec![0; levels.len()];
        for at in 0..=levels[output] {
            let stands =
                |signal: &usize| levels[*signal] <= at && last[*signal].is_some_and(|last| at <= last);
            let signals: Vec<usize> = (0..levels.len()).filter(stands).collect();
            let place = |signal: usize| match levels[signal] {
                0 if at == 0 => LayerGate { signal, kind: None, inputs: [0; 2], is_inserted: false },
                level if level == at => {
                    let gate = &circuit.gates()[signal - inputs];
                    let inputs = gate.inputs.map(|read| places[read]);
                    LayerGate { signal, kind: Some(gate.kind), inputs, is_inserted: false }
                }
                _ => LayerGate {
                    signal,
                    kind: Some(GateKind::Id),
                    inputs: [places[signal]; 2],
                    is_inserted: true,
                },
            };
            let layer: Vec<LayerGate> = signals.into_iter().map(place).collect();
            layer.iter().enumerate().for_each(|(at, place)| places[place.signal] = at);
            layers.push(layer);
        }
        Ok(LayeredCircuit { layers })
    }

    /// Appends layers of one ID gate after the output until the depth is at least `depth`.
    ///
    /// In this way the paper gives all circuits of a class the same depth (proof of theorem 3.1).
    ///
    /// # Errors
    /// The layers would have more than [`MAX_LAYERED_GATES`] gates.
    pub fn pad_to_depth(mut self, depth: usize) -> Result<Self, CircuitError> {
        let more = depth.saturating_sub(self.depth());
        check_size((self.size() as u64).saturating_add(more as u64))?;
        let signal = self.layers.last().and_then(|layer| layer.first()).map_or(0, |place| place.signal);
        let id = LayerGate { signal, kind: Some(GateKind::Id), inputs: [0; 2], is_inserted: true };
        self.layers.resize(self.depth() + more, vec![id]);
        Ok(self)
    }

    /// The gates of each layer; layer 0 holds the inputs.
    pub fn layers(&self) -> &[Vec<LayerGate>] {
        &self.layers
    }

    /// Depth q of the circuit: number of its layers, including layer 0 with the inputs.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Width r: number of gates of the widest layer, which may be layer 0.
    pub fn width(&self) -> usize {
        self.layers.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Size s: number of gates of all layers, including inputs and ID gates.
    pub fn size(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// Number of weights and biases of the [`ReluNetwork`](super::ReluNetwork) that computes the circuit, without
    /// those of rounding.
    pub fn parameter_count(&self) -> u64 {
        let size = |below: usize, own: usize| (own as u64).saturating_mul(below as u64 + own as u64 + 2);
        let pairs = self.layers.windows(2).map(|pair| size(pair[0].len(), pair[1].len()));
        pairs.fold(2, u64::saturating_add)
    }

    /// Number of gates with the Boolean function `kind` in all layers, including inserted ID gates.
    pub fn count_gates(&self, kind: GateKind) -> usize {
        self.layers.iter().flatten().filter(|place| place.kind == Some(kind)).count()
    }

    /// Evaluates the circuit: the bits of each layer, inputs first, for the input bits `bits`.
    ///
    /// # Errors
    /// `bits` does not have one bit per input.
    pub fn evaluate_layers(&self, bits: &[bool]) -> Result<Vec<Vec<bool>>, CircuitError> {
        let expected = self.layers.first().map_or(0, Vec::len);
        if bits.len() != expected {
            return Err(CircuitError::InputLength { expected, found: bits.len() });
        }
        let mut all = vec![bits.to_vec()];
        for (layer, before) in self.layers.iter().skip(1).zip(0..) {
            let below: &Vec<bool> = &all[before];
            let value = |place: &LayerGate| {
                place.kind.is_some_and(|kind| kind.apply(below[place.inputs[0]], below[place.inputs[1]]))
            };
            let layer = layer.iter().map(value).collect();
            all.push(layer);
        }
        Ok(all)
    }
}

/// Returns an error if `size`, the number of gates of all layers, is greater than [`MAX_LAYERED_GATES`].
fn check_size(size: u64) -> Result<(), CircuitError> {
    (size <= MAX_LAYERED_GATES as u64).then_some(()).ok_or(CircuitError::TooManyLayeredGates(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layered(text: &str) -> LayeredCircuit {
        text.parse::<Circuit>().unwrap().to_layers().unwrap()
    }

    #[test]
    fn id_gates_copy_values_to_higher_layers() {
        let xor = layered("p = a or b; q = a and b; r = not q; out = p and r");
        let sizes: Vec<_> = xor.layers().iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 2, 2, 1]);
        assert_eq!((xor.depth(), xor.width(), xor.size()), (4, 2, 7));
        assert_eq!(GateKind::ALL.map(|kind| xor.count_gates(kind)), [2, 1, 1, 1]);
        let carried: Vec<_> = xor.layers().iter().flatten().filter(|place| place.is_inserted).collect();
        // p, signal 2, in layer 2.
        assert_eq!(
            carried,
            [&LayerGate { signal: 2, kind: Some(GateKind::Id), inputs: [0; 2], is_inserted: true }]
        );
    }

    #[test]
    fn gates_that_the_output_does_not_depend_on_are_removed() {
        let circuit = layered("inputs a b z; out = a and b; later = not out; other = not b");
        assert_eq!((circuit.depth(), circuit.width(), circuit.size()), (2, 3, 4));
        assert_eq!(
            circuit.evaluate_layers(&[true, true, false]).unwrap(),
            [vec![true, true, false], vec![true]]
        );
        assert!(circuit.evaluate_layers(&[true]).is_err());
    }

    #[test]
    fn padding_appends_id_gates_after_the_output() {
        let circuit = layered("out = a and b");
        let deep = circuit.clone().pad_to_depth(10).unwrap();
        assert_eq!((deep.depth(), deep.width(), deep.size()), (10, 2, 11));
        for bits in [[true, true], [true, false]] {
            let last = |of: &LayeredCircuit| of.evaluate_layers(&bits).unwrap().pop();
            assert_eq!(last(&deep), last(&circuit));
        }
        assert_eq!(circuit.clone().pad_to_depth(1).unwrap(), circuit);
        assert!(matches!(circuit.pad_to_depth(usize::MAX), Err(CircuitError::TooManyLayeredGates(_))));
    }

    #[test]
    fn layers_with_too_many_id_gates_are_rejected() {
        // ID gates copy 64 inputs through 330 layers.
        let text: String = (0..330).map(|i| format!("g{} = not g{i};", i + 1)).collect();
        let all: String = (1..64).map(|i| format!("h{i} = h{} and x{i};", i - 1)).collect();
        let circuit: Circuit = format!("{text} h0 = id g330; {all}").parse().unwrap();
        assert!(
            matches!(circuit.to_layers(), Err(CircuitError::TooManyLayeredGates(found)) if found > 20_000)
        );
    }
}
