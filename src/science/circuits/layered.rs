//! A circuit in layers (section 3 of the paper): every gate reads the layer before its own alone, and ID gates carry a
//! value up to the last layer that is read.
//!
//! ```text
//! layer 0      the inputs
//! layer l      gates whose longest path from an input has length l, and ID gates
//! depth q      layers, the inputs among them;  width r: gates of the widest layer;  size s: gates of all layers
//! ```
//!
//! A gate on which the output does not depend is left out. The last layer is the output alone.

use super::circuit::{Circuit, Kind};
use super::error::CircuitError;
use super::limits::MOST_SIZE;

/// A gate of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The signal of the circuit whose value it gives.
    pub signal: usize,
    /// What it computes; none for an input.
    pub kind: Option<Kind>,
    /// Places in the layer before; NOT and ID have the same one twice, and an input has none.
    pub reads: [usize; 2],
    /// Whether it is an ID gate that layers need and nobody has written.
    pub is_carried: bool,
}

/// A circuit in layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layered {
    layers: Vec<Vec<Place>>,
}

impl Circuit {
    /// The same circuit in layers.
    pub fn layered(&self) -> Result<Layered, CircuitError> {
        Layered::new(self)
    }
}

impl Layered {
    /// The layers of a circuit.
    pub(super) fn new(circuit: &Circuit) -> Result<Self, CircuitError> {
        let (inputs, levels, output) = (circuit.inputs(), circuit.levels(), circuit.output());
        // The last layer in which a signal must stand; none where the output does not depend on it.
        let mut last: Vec<Option<usize>> = vec![None; levels.len()];
        last[output] = Some(levels[output]);
        let mut by_level: Vec<usize> = (inputs..levels.len()).collect();
        by_level.sort_by_key(|signal| std::cmp::Reverse(levels[*signal]));
        for signal in by_level {
            if last[signal].is_some() {
                for read in circuit.gates()[signal - inputs].reads {
                    last[read] = last[read].max(Some(levels[signal] - 1));
                }
            }
        }
        // Every input stands in layer 0, whether it is read or not.
        last[..inputs].iter_mut().for_each(|last| *last = (*last).max(Some(0)));
        let spans = last.iter().zip(levels).filter_map(|(last, level)| Some((*last)? - level + 1));
        check_size(spans.map(|span| span as u64).sum())?;

        let mut layers: Vec<Vec<Place>> = Vec::with_capacity(levels[output] + 1);
        let mut places = vec![0; levels.len()];
        for at in 0..=levels[output] {
            let stands =
                |signal: &usize| levels[*signal] <= at && last[*signal].is_some_and(|last| at <= last);
            let signals: Vec<usize> = (0..levels.len()).filter(stands).collect();
            let place = |signal: usize| match levels[signal] {
                0 if at == 0 => Place { signal, kind: None, reads: [0; 2], is_carried: false },
                level if level == at => {
                    let gate = &circuit.gates()[signal - inputs];
                    let reads = gate.reads.map(|read| places[read]);
                    Place { signal, kind: Some(gate.kind), reads, is_carried: false }
                }
                _ => Place { signal, kind: Some(Kind::Id), reads: [places[signal]; 2], is_carried: true },
            };
            let layer: Vec<Place> = signals.into_iter().map(place).collect();
            layer.iter().enumerate().for_each(|(at, place)| places[place.signal] = at);
            layers.push(layer);
        }
        Ok(Layered { layers })
    }

    /// The same with layers of one ID gate after the output, so that its depth is at least `depth`.
    ///
    /// The paper makes all circuits of a class equally deep in this way (proof of theorem 3.1).
    pub fn deepened(mut self, depth: usize) -> Result<Self, CircuitError> {
        let more = depth.saturating_sub(self.depth());
        check_size((self.size() as u64).saturating_add(more as u64))?;
        let signal = self.layers.last().and_then(|layer| layer.first()).map_or(0, |place| place.signal);
        let id = Place { signal, kind: Some(Kind::Id), reads: [0; 2], is_carried: true };
        self.layers.resize(self.depth() + more, vec![id]);
        Ok(self)
    }

    /// All layers, the inputs first.
    pub fn layers(&self) -> &[Vec<Place>] {
        &self.layers
    }

    /// Depth q: layers, the inputs among them.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Width r: gates of the widest layer, which may be that of the inputs.
    pub fn width(&self) -> usize {
        self.layers.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Size s: gates of all layers, inputs and ID gates among them.
    pub fn size(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// How many parameters its network has, those of rounding apart.
    pub fn parameters(&self) -> u64 {
        let size = |below: usize, own: usize| (own as u64).saturating_mul(below as u64 + own as u64 + 2);
        let pairs = self.layers.windows(2).map(|pair| size(pair[0].len(), pair[1].len()));
        pairs.fold(2, u64::saturating_add)
    }

    /// How many gates of a kind all layers have.
    pub fn count(&self, kind: Kind) -> usize {
        self.layers.iter().flatten().filter(|place| place.kind == Some(kind)).count()
    }

    /// The values of all layers for an input, which has as many bits as the first layer has gates.
    pub fn values(&self, bits: &[bool]) -> Result<Vec<Vec<bool>>, CircuitError> {
        let expected = self.layers.first().map_or(0, Vec::len);
        if bits.len() != expected {
            return Err(CircuitError::Bits { expected, found: bits.len() });
        }
        let mut all = vec![bits.to_vec()];
        for (layer, before) in self.layers.iter().skip(1).zip(0..) {
            let below: &Vec<bool> = &all[before];
            let value = |place: &Place| {
                place.kind.is_some_and(|kind| kind.value(below[place.reads[0]], below[place.reads[1]]))
            };
            let layer = layer.iter().map(value).collect();
            all.push(layer);
        }
        Ok(all)
    }
}

fn check_size(size: u64) -> Result<(), CircuitError> {
    (size <= MOST_SIZE as u64).then_some(()).ok_or(CircuitError::TooLarge(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layered(text: &str) -> Layered {
        text.parse::<Circuit>().unwrap().layered().unwrap()
    }

    #[test]
    fn id_gates_carry_values_up() {
        let xor = layered("p = a or b; q = a and b; r = not q; out = p and r");
        let sizes: Vec<_> = xor.layers().iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 2, 2, 1]);
        assert_eq!((xor.depth(), xor.width(), xor.size()), (4, 2, 7));
        assert_eq!(Kind::ALL.map(|kind| xor.count(kind)), [2, 1, 1, 1]);
        let carried: Vec<_> = xor.layers().iter().flatten().filter(|place| place.is_carried).collect();
        // p, signal 2, in layer 2.
        assert_eq!(carried, [&Place { signal: 2, kind: Some(Kind::Id), reads: [0; 2], is_carried: true }]);
    }

    #[test]
    fn what_the_output_does_not_need_is_left_out() {
        let circuit = layered("inputs a b z; out = a and b; later = not out; other = not b");
        assert_eq!((circuit.depth(), circuit.width(), circuit.size()), (2, 3, 4));
        assert_eq!(circuit.values(&[true, true, false]).unwrap(), [vec![true, true, false], vec![true]]);
        assert!(circuit.values(&[true]).is_err());
    }

    #[test]
    fn a_deeper_circuit_has_id_gates_at_its_end() {
        let circuit = layered("out = a and b");
        let deep = circuit.clone().deepened(10).unwrap();
        assert_eq!((deep.depth(), deep.width(), deep.size()), (10, 2, 11));
        for bits in [[true, true], [true, false]] {
            let last = |of: &Layered| of.values(&bits).unwrap().pop();
            assert_eq!(last(&deep), last(&circuit));
        }
        assert_eq!(circuit.clone().deepened(1).unwrap(), circuit);
        assert!(matches!(circuit.deepened(usize::MAX), Err(CircuitError::TooLarge(_))));
    }

    #[test]
    fn layers_that_carry_too_much_are_refused() {
        // 64 inputs are carried past 330 gates.
        let text: String = (0..330).map(|i| format!("g{} = not g{i};", i + 1)).collect();
        let all: String = (1..64).map(|i| format!("h{i} = h{} and x{i};", i - 1)).collect();
        let circuit: Circuit = format!("{text} h0 = id g330; {all}").parse().unwrap();
        assert!(matches!(circuit.layered(), Err(CircuitError::TooLarge(found)) if found > 20_000));
    }
}
