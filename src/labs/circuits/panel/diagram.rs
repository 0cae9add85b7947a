//! The circuit as a layered diagram: where its gates stand, how they are joined, and which of them are lit.

use vivarium_science::circuits::{Circuit, GateKind, LayeredCircuit, is_correct};
use vivarium_view::display::words::thousands;

/// Most gates and inputs that are drawn.
pub const MOST_DRAWN: usize = 900;
/// Width of a layer and height of a gate's place, in the drawing's own units.
const STEP: (f64, f64) = (84.0, 34.0);
/// Half the width and height of a gate's box.
const HALF: (f64, f64) = (26.0, 12.0);

/// A gate of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct GateBox {
    /// Layer, the inputs being layer 0, and place in it.
    pub at: (usize, usize),
    /// Its middle.
    pub middle: (f64, f64),
    /// What is written in it: "and", or the name of an input.
    pub word: String,
    /// The name of its value.
    pub name: String,
    /// Whether it only carries a value up, and is drawn as a dot.
    pub is_carried: bool,
}

/// A wire from a gate to one of a later layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    /// Layer and place of the gate whose value it carries.
    pub from: (usize, usize),
    /// The `d` of its path.
    pub path: String,
}

/// The drawing of a circuit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagram {
    /// Its width and height.
    pub size: (f64, f64),
    /// Gates and inputs, layer by layer.
    pub boxes: Vec<GateBox>,
    /// Wires.
    pub wires: Vec<Wire>,
}

/// How a gate stands with the input that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lit {
    /// Whether the network's value is above ½.
    pub is_on: bool,
    /// Whether the circuit's value is another one.
    pub is_wrong: bool,
}

/// The drawing of a circuit in layers.
///
/// # Errors
/// A sentence that says why it is not drawn.
pub fn diagram(circuit: &Circuit, layered: &LayeredCircuit) -> Result<Diagram, String> {
    let size = layered.size();
    if size > MOST_DRAWN {
        return Err(tr!(
            "The circuit has {size} gates and inputs in its layers. These are too many to be drawn: the limit is {most}.",
            size = thousands(size as u64),
            most = thousands(MOST_DRAWN as u64)
        ));
    }
    let tallest = layered.width() as f64;
    let middle = |layer: usize, at: usize| {
        let own = layered.layers()[layer].len() as f64;
        let down = (tallest - own) / 2.0 + at as f64 + 0.5;
        (STEP.0 * (layer as f64 + 0.5), STEP.1 * down)
    };
    let mut drawing =
        Diagram { size: (STEP.0 * layered.depth() as f64, STEP.1 * tallest), ..Default::default() };
    for (layer, places) in layered.layers().iter().enumerate() {
        for (at, place) in places.iter().enumerate() {
            let name = circuit.signal_name(place.signal).to_string();
            let word = place.kind.map_or(name.clone(), |kind| kind.keyword().into());
            let (x, y) = middle(layer, at);
            let half = if place.is_inserted { 0.0 } else { HALF.0 };
            let reads = &place.inputs[..place.kind.map_or(0, GateKind::input_count)];
            for (which, read) in reads.iter().enumerate() {
                if which == 1 && reads[0] == *read {
                    continue;
                }
                let below = &layered.layers()[layer - 1][*read];
                let (from_x, from_y) = middle(layer - 1, *read);
                let from_x = from_x + if below.is_inserted { 0.0 } else { HALF.0 };
                // Two wires of one gate end apart from each other.
                let end = y + if reads.len() == 2 { [-4.0, 4.0][which] } else { 0.0 };
                let bend = (from_x + x - half) / 2.0;
                let path = format!(
                    "M{from_x:.0} {from_y:.0}C{bend:.0} {from_y:.0} {bend:.0} {end:.0} {:.0} {end:.0}",
                    x - half
                );
                drawing.wires.push(Wire { from: (layer - 1, *read), path });
            }
            drawing.boxes.push(GateBox {
                at: (layer, at),
                middle: (x, y),
                word,
                name,
                is_carried: place.is_inserted,
            });
        }
    }
    Ok(drawing)
}

/// The corner, width and height of a gate's box.
pub fn corner((x, y): (f64, f64)) -> [f64; 4] {
    [x - HALF.0, y - HALF.1, 2.0 * HALF.0, 2.0 * HALF.1]
}

/// Which gates are lit, layer by layer.
pub fn lit(given: &[&[f64]], values: &[Vec<bool>]) -> Vec<Vec<Lit>> {
    let layer = |(given, values): (&&[f64], &Vec<bool>)| {
        let gates = given.iter().zip(values);
        let lit = |(given, value): (&f64, &bool)| Lit {
            is_on: *given > 0.5,
            is_wrong: !is_correct(given - 0.5, *value),
        };
        gates.map(lit).collect()
    };
    given.iter().zip(values).map(layer).collect()
}

/// What is said of the drawing: the input, what the circuit and its network answer, and how many gates are wrong.
pub fn about(input: &str, answer: bool, lit: &[Vec<Lit>]) -> String {
    let wrong = lit.iter().flatten().filter(|gate| gate.is_wrong).count();
    let answer = u8::from(answer);
    match wrong {
        0 => tr!(
            "For the input {input} the circuit gives {answer}, and all gates of the network agree with the circuit.",
            input,
            answer
        ),
        1 => tr!(
            "For the input {input} the circuit gives {answer}. In the network, 1 gate has a wrong value.",
            input,
            answer
        ),
        _ => tr!(
            "For the input {input} the circuit gives {answer}. In the network, {wrong} gates have wrong values.",
            input,
            answer,
            wrong
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::circuits::ParityOrder;

    fn drawn(circuit: &Circuit) -> Diagram {
        diagram(circuit, &circuit.to_layers().unwrap()).unwrap()
    }

    #[test]
    fn every_gate_has_a_place_of_its_own_and_wires_end_there() {
        for circuit in [
            Circuit::parity(4, ParityOrder::Chain),
            Circuit::carry(3),
            Circuit::majority(5),
            Circuit::random(6, 30, 3),
            "out = a and a".parse(),
        ] {
            let circuit = circuit.unwrap();
            let (layered, drawing) = (circuit.to_layers().unwrap(), drawn(&circuit));
            assert_eq!(drawing.boxes.len(), layered.size());
            let mut middles: Vec<String> =
                drawing.boxes.iter().map(|of| format!("{:.1} {:.1}", of.middle.0, of.middle.1)).collect();
            middles.sort();
            middles.dedup();
            assert_eq!(middles.len(), layered.size());
            let (width, height) = drawing.size;
            for of in &drawing.boxes {
                let [x, y, wide, high] = corner(of.middle);
                assert!(x >= 0.0 && y >= 0.0 && x + wide <= width && y + high <= height, "{of:?}");
            }
            let reads = layered.layers().iter().flatten();
            let wires = reads.map(|place| match place.kind {
                Some(kind) if kind.input_count() == 2 && place.inputs[0] != place.inputs[1] => 2,
                Some(_) => 1,
                None => 0,
            });
            assert_eq!(drawing.wires.len(), wires.sum::<usize>());
            assert!(drawing.wires.iter().all(|wire| !wire.path.contains("NaN")));
        }
    }

    #[test]
    fn boxes_say_what_gates_do() {
        let drawing = drawn(&"p = a or b; q = a and b; r = not q; out = p and r".parse().unwrap());
        let words: Vec<&str> = drawing.boxes.iter().map(|of| of.word.as_str()).collect();
        assert_eq!(words, ["a", "b", "or", "and", "id", "not", "and"]);
        assert_eq!(drawing.boxes.iter().filter(|of| of.is_carried).count(), 1);
        assert_eq!(drawing.boxes[6].name, "out");
    }

    #[test]
    fn what_is_too_large_is_not_drawn() {
        let circuit = Circuit::parity(32, ParityOrder::Chain).unwrap();
        let said = diagram(&circuit, &circuit.to_layers().unwrap()).err().unwrap_or_default();
        assert!(said.contains("too many to be drawn"), "{said}");
    }

    #[test]
    fn gates_are_lit_by_the_network_and_wrong_by_the_circuit() {
        let given: [&[f64]; 2] = [&[1.0, 0.0], &[0.7]];
        let all = lit(&given, &[vec![true, false], vec![false]]);
        let on = Lit { is_on: true, is_wrong: false };
        assert_eq!(all, [vec![on, Lit::default()], vec![Lit { is_on: true, is_wrong: true }]]);
        assert_eq!(
            about("10", true, &all),
            "For the input 10 the circuit gives 1. In the network, 1 gate has a wrong value."
        );
        assert!(about("10", false, &all[..1]).ends_with("all gates of the network agree with the circuit."));
    }
}
