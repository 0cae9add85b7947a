//! The circuit as a layered diagram: positions of the gates, wires between them, and the state of each gate.

use vivarium_science::circuits::{Circuit, GateKind, LayeredCircuit, is_correct};
use vivarium_view::display::words::format_thousands;

/// Maximum number of gates and inputs together in a circuit's diagram; for larger circuits no diagram is drawn.
pub const MAX_GATES: usize = 900;
/// Horizontal distance between adjacent layers of the diagram, and vertical distance between adjacent gates of a layer,
/// in SVG units.
const CELL_SIZE: (f64, f64) = (84.0, 34.0);
/// Half the width and half the height of a gate's box, in SVG units.
const BOX_HALF_SIZE: (f64, f64) = (26.0, 12.0);

/// A box in the circuit's diagram, which stands for a gate or for an input.
#[derive(Debug, Clone, PartialEq)]
pub struct GateBox {
    /// Layer of the gate (0 for the inputs) and its index within the layer, from 0.
    pub position: (usize, usize),
    /// Horizontal and vertical coordinate of the box's centre, in SVG units.
    pub center: (f64, f64),
    /// Text in the box: the kind of gate, such as "and", or the name of an input, such as "x1".
    pub label: String,
    /// Name, such as "s", of the gate's value in the text that describes the circuit.
    pub signal_name: String,
    /// Whether this is an inserted ID gate that only carries a value to the next layer; it is drawn as a dot.
    pub is_relay: bool,
}

/// A wire from a gate or input to a gate of the next layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    /// Layer (0 for the inputs) and index within the layer, from 0, of the gate whose value the wire carries.
    pub from: (usize, usize),
    /// The `d` attribute of the SVG path that draws the wire as a curve.
    pub path: String,
}

/// Layout of a circuit's diagram in layers: its size, the boxes of gates and the wires between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagram {
    /// Width and height of the diagram, in SVG units.
    pub size: (f64, f64),
    /// Boxes of the inputs and gates, layer by layer from the inputs on.
    pub boxes: Vec<GateBox>,
    /// Wires between boxes of adjacent layers, one for each input of each gate; a gate that reads the same signal twice
    /// has one wire.
    pub wires: Vec<Wire>,
}

/// State of a gate in the network for the input shown: on or off, right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GateState {
    /// Whether the gate's value in the network is above ½.
    pub is_on: bool,
    /// Whether the gate's value in the network is not on the side of ½ where its value in the circuit, 0 or 1, is.
    pub is_wrong: bool,
}

/// Lays out the diagram of a layered circuit.
///
/// # Errors
/// A sentence with the reason, if the circuit has more than [`MAX_GATES`] gates and inputs.
pub fn build_diagram(circuit: &Circuit, layered: &LayeredCircuit) -> Result<Diagram, String> {
    let size = layered.size();
    if size > MAX_GATES {
        return Err(tr!(
            "The circuit has {size} gates and inputs in its layers. These are too many to be drawn: the limit is {most}.",
            size = format_thousands(size as u64),
            most = format_thousands(MAX_GATES as u64)
        ));
    }
    let tallest = layered.width() as f64;
    let middle = |layer: usize, at: usize| {
        let own = layered.layers()[layer].len() as f64;
        let down = (tallest - own) / 2.0 + at as f64 + 0.5;
        (CELL_SIZE.0 * (layer as f64 + 0.5), CELL_SIZE.1 * down)
    };
    let mut drawing =
        Diagram { size: (CELL_SIZE.0 * layered.depth() as f64, CELL_SIZE.1 * tallest), ..Default::default() };
    for (layer, places) in layered.layers().iter().enumerate() {
        for (at, place) in places.iter().enumerate() {
            let name = circuit.signal_name(place.signal).to_string();
            let word = place.kind.map_or(name.clone(), |kind| kind.keyword().into());
            let (x, y) = middle(layer, at);
            let half = if place.is_inserted { 0.0 } else { BOX_HALF_SIZE.0 };
            let reads = &place.inputs[..place.kind.map_or(0, GateKind::input_count)];
            for (which, read) in reads.iter().enumerate() {
                if which == 1 && reads[0] == *read {
                    continue;
                }
                let below = &layered.layers()[layer - 1][*read];
                let (from_x, from_y) = middle(layer - 1, *read);
                let from_x = from_x + if below.is_inserted { 0.0 } else { BOX_HALF_SIZE.0 };
                // The two wires into one gate end at different heights.
                let end = y + if reads.len() == 2 { [-4.0, 4.0][which] } else { 0.0 };
                let bend = (from_x + x - half) / 2.0;
                let path = format!(
                    "M{from_x:.0} {from_y:.0}C{bend:.0} {from_y:.0} {bend:.0} {end:.0} {:.0} {end:.0}",
                    x - half
                );
                drawing.wires.push(Wire { from: (layer - 1, *read), path });
            }
            drawing.boxes.push(GateBox {
                position: (layer, at),
                center: (x, y),
                label: word,
                signal_name: name,
                is_relay: place.is_inserted,
            });
        }
    }
    Ok(drawing)
}

/// The box of a gate with this centre: x and y of the upper left corner, width and height, in SVG units.
pub fn gate_rect((x, y): (f64, f64)) -> [f64; 4] {
    [x - BOX_HALF_SIZE.0, y - BOX_HALF_SIZE.1, 2.0 * BOX_HALF_SIZE.0, 2.0 * BOX_HALF_SIZE.1]
}

/// The state of each gate and input, `[layers][gates]` with the inputs as layer 0: whether its value in the ReLU
/// network, from `network_values`, is above ½, and whether it is on the wrong side of ½ for the circuit's value, from
/// `circuit_values`. Both arguments are `[layers][gates]`.
pub fn gate_states(network_values: &[&[f64]], circuit_values: &[Vec<bool>]) -> Vec<Vec<GateState>> {
    let layer = |(given, values): (&&[f64], &Vec<bool>)| {
        let gates = given.iter().zip(values);
        let lit = |(given, value): (&f64, &bool)| GateState {
            is_on: *given > 0.5,
            is_wrong: !is_correct(given - 0.5, *value),
        };
        gates.map(lit).collect()
    };
    network_values.iter().zip(circuit_values).map(layer).collect()
}

/// Summary of the circuit's diagram: the input bits `input` as text, the circuit's answer, and the number of gates
/// whose value in the network is wrong.
pub fn describe_diagram(input: &str, answer: bool, states: &[Vec<GateState>]) -> String {
    let wrong = states.iter().flatten().filter(|gate| gate.is_wrong).count();
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

    fn diagram_of(circuit: &Circuit) -> Diagram {
        build_diagram(circuit, &circuit.to_layers().unwrap()).unwrap()
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
            let (layered, drawing) = (circuit.to_layers().unwrap(), diagram_of(&circuit));
            assert_eq!(drawing.boxes.len(), layered.size());
            let mut middles: Vec<String> =
                drawing.boxes.iter().map(|of| format!("{:.1} {:.1}", of.center.0, of.center.1)).collect();
            middles.sort();
            middles.dedup();
            assert_eq!(middles.len(), layered.size());
            let (width, height) = drawing.size;
            for of in &drawing.boxes {
                let [x, y, wide, high] = gate_rect(of.center);
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
        let drawing = diagram_of(&"p = a or b; q = a and b; r = not q; out = p and r".parse().unwrap());
        let words: Vec<&str> = drawing.boxes.iter().map(|of| of.label.as_str()).collect();
        assert_eq!(words, ["a", "b", "or", "and", "id", "not", "and"]);
        assert_eq!(drawing.boxes.iter().filter(|of| of.is_relay).count(), 1);
        assert_eq!(drawing.boxes[6].signal_name, "out");
    }

    #[test]
    fn what_is_too_large_is_not_drawn() {
        let circuit = Circuit::parity(32, ParityOrder::Chain).unwrap();
        let said = build_diagram(&circuit, &circuit.to_layers().unwrap()).err().unwrap_or_default();
        assert!(said.contains("too many to be drawn"), "{said}");
    }

    #[test]
    fn gates_are_lit_by_the_network_and_wrong_by_the_circuit() {
        let given: [&[f64]; 2] = [&[1.0, 0.0], &[0.7]];
        let all = gate_states(&given, &[vec![true, false], vec![false]]);
        let on = GateState { is_on: true, is_wrong: false };
        assert_eq!(all, [vec![on, GateState::default()], vec![GateState { is_on: true, is_wrong: true }]]);
        assert_eq!(
            describe_diagram("10", true, &all),
            "For the input 10 the circuit gives 1. In the network, 1 gate has a wrong value."
        );
        assert!(
            describe_diagram("10", false, &all[..1])
                .ends_with("all gates of the network agree with the circuit.")
        );
    }
}
