//! What a person does in the panel: change a bit of the input, choose a circuit, write one. All of it asks for another run, is
//! in the link, and can be undone.

use super::editor;
use crate::circuits::CircuitState;
use vivarium_core::settings::Value;
use vivarium_science::circuits::{CircuitKind, MAX_INPUTS};
use vivarium_view::ui::request::Request;

/// What can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelAction {
    /// Change this bit of the input, from 0.
    Toggle(usize),
    /// Take this circuit of the list.
    Example(usize),
    /// Take the circuit of this text.
    Write(String),
}

/// Gates of the random circuit of the list.
const GATES: &str = "12";

/// Circuits to begin with: what they are called, and their settings.
pub const EXAMPLES: [(&str, CircuitKind, &str, &str); 8] = [
    (text!("Parity of 4 bits"), CircuitKind::Parity, "4", "1"),
    (text!("Parity of 8 bits, pair by pair"), CircuitKind::Tree, "8", "1"),
    (text!("Carry bit of the sum of two 3-bit numbers"), CircuitKind::Adder, "3", "1"),
    (text!("Majority of 5 bits"), CircuitKind::Majority, "5", "1"),
    (text!("12 random gates"), CircuitKind::Random, "4", "1"),
    (text!("Copying a bit through 20 layers"), CircuitKind::Relay, "4", "20"),
    (text!("Product of 25 weights"), CircuitKind::Toy, "4", "25"),
    (text!("Own circuit"), CircuitKind::Own, "4", "1"),
];

/// Whether the circuit on the page is number `at` of the list, with its size.
pub fn is_shown(state: &CircuitState, at: usize) -> bool {
    let drawn = &state.drawn;
    let is = |number: usize, text: &str| text.parse() == Ok(number);
    EXAMPLES.get(at).is_some_and(|(_, named, bits, depth)| {
        drawn.kind == *named
            && match named {
                CircuitKind::Toy | CircuitKind::Relay => is(drawn.depth, depth),
                CircuitKind::Own => true,
                CircuitKind::Random => is(drawn.bits, bits) && is(drawn.gates, GATES),
                _ => is(drawn.bits, bits),
            }
    })
}

/// What the page is asked for by this deed; nothing where nothing would change.
pub fn request(state: &CircuitState, what: PanelAction) -> Option<Request> {
    match what {
        PanelAction::Toggle(_) if state.drawn.kind == CircuitKind::Toy => {
            Some(Request::Say(tr!("The product of weights has one input, and this input is always 1.")))
        }
        PanelAction::Toggle(at) => {
            let mut bits = state.bits.clone();
            let bit = bits.get_mut(at)?;
            *bit = !*bit;
            Some(Request::edit("in", dotted(&bits)))
        }
        PanelAction::Example(at) => {
            let (_, named, bits, depth) = EXAMPLES.get(at)?;
            let settings = [("circuit", named.slug()), ("n", bits), ("levels", depth), ("gates", GATES)];
            Some(together(state, 1, settings.map(|(key, text)| (key, text.to_string())).to_vec()))
        }
        PanelAction::Write(text) => match editor::checked(&text) {
            Ok(circuit) => {
                let text = Value::Text(editor::lines(&text).trim_end().into()).to_string();
                let settings = vec![("circuit", CircuitKind::Own.slug().to_string()), ("text", text)];
                Some(together(state, circuit.input_count(), settings))
            }
            Err(_) => None,
        },
    }
}

/// These settings as one change, one restart and one undo, with no input given: an input that is too long for every circuit
/// on the way keeps the page from beginning a run before all of them are there.
fn together(state: &CircuitState, inputs: usize, settings: Vec<(&'static str, String)>) -> Request {
    let long = (MAX_INPUTS - 2..=MAX_INPUTS).find(|long| ![inputs, state.bits.len()].contains(long));
    let long = dotted(&vec![true; long.unwrap_or(MAX_INPUTS)]);
    let ends = [("in", String::new())];
    Request::Edit([("in", long)].into_iter().chain(settings).chain(ends).collect())
}

/// "1.0.1".
fn dotted(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// The text of the circuit that is shown.
pub fn text(state: &CircuitState) -> String {
    match state.drawn.kind {
        CircuitKind::Own => editor::lines(&state.drawn.text),
        _ => state.circuit.to_string(),
    }
}
