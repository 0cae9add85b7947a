//! Actions of the user in the panel: change a bit of the input, choose a circuit, or enter one. Each of them requests
//! another run, is part of the link, and can be undone.

use super::editor;
use crate::circuits::CircuitState;
use vivarium_core::settings::Value;
use vivarium_science::circuits::{CircuitKind, MAX_INPUTS};
use vivarium_view::ui::request::Request;

/// Action of the user in the circuit panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelAction {
    /// Flip the input bit with this index, from 0.
    ToggleBit(usize),
    /// Load the circuit with this index in [`EXAMPLES`].
    LoadExample(usize),
    /// Load the circuit that this text describes.
    LoadText(String),
}

/// Number of gates of the random circuit among the [`EXAMPLES`], as the text of the setting.
const RANDOM_GATE_COUNT: &str = "12";

/// Circuits that the user can load in the panel: name, kind, number of bits and depth, the last two as texts of
/// settings. Depth counts only for a copied bit and for a product of weights; the random circuit has
/// [`RANDOM_GATE_COUNT`] gates.
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

/// Whether the run's circuit has the kind and size of the example with index `at` (from 0) in [`EXAMPLES`].
pub fn is_current_example(state: &CircuitState, at: usize) -> bool {
    let drawn = &state.spec;
    let is = |number: usize, text: &str| text.parse() == Ok(number);
    EXAMPLES.get(at).is_some_and(|(_, named, bits, depth)| {
        drawn.kind == *named
            && match named {
                CircuitKind::Toy | CircuitKind::Relay => is(drawn.depth, depth),
                CircuitKind::Own => true,
                CircuitKind::Random => is(drawn.bits, bits) && is(drawn.gates, RANDOM_GATE_COUNT),
                _ => is(drawn.bits, bits),
            }
    })
}

/// The request to the page for an action in the circuit panel; none for a text that is not a circuit or an index that
/// does not exist.
pub fn build_request(state: &CircuitState, action: PanelAction) -> Option<Request> {
    match action {
        PanelAction::ToggleBit(_) if state.spec.kind == CircuitKind::Toy => Some(Request::ShowMessage(tr!(
            "The product of weights has one input, and this input is always 1."
        ))),
        PanelAction::ToggleBit(at) => {
            let mut bits = state.input.clone();
            let bit = bits.get_mut(at)?;
            *bit = !*bit;
            Some(Request::edit("in", join_bits(&bits)))
        }
        PanelAction::LoadExample(at) => {
            let (_, named, bits, depth) = EXAMPLES.get(at)?;
            let settings =
                [("circuit", named.slug()), ("n", bits), ("levels", depth), ("gates", RANDOM_GATE_COUNT)];
            Some(edit_circuit(state, 1, settings.map(|(key, text)| (key, text.to_string())).to_vec()))
        }
        PanelAction::LoadText(text) => match editor::parse_circuit_text(&text) {
            Ok(circuit) => {
                let text = Value::Text(editor::format_gate_lines(&text).trim_end().into()).to_string();
                let settings = vec![("circuit", CircuitKind::Own.slug().to_string()), ("text", text)];
                Some(edit_circuit(state, circuit.input_count(), settings))
            }
            Err(_) => None,
        },
    }
}

/// A request that changes the circuit's `settings`, pairs (key, value), with one restart and one undo step, and clears
/// the setting of the input bits; `inputs` is the new circuit's number of input bits. It sets an input of invalid
/// length first, which keeps the page from starting a run before all settings have changed.
fn edit_circuit(state: &CircuitState, inputs: usize, settings: Vec<(&'static str, String)>) -> Request {
    let long = (MAX_INPUTS - 2..=MAX_INPUTS).find(|long| ![inputs, state.input.len()].contains(long));
    let long = join_bits(&vec![true; long.unwrap_or(MAX_INPUTS)]);
    let ends = [("in", String::new())];
    Request::Edit([("in", long)].into_iter().chain(settings).chain(ends).collect())
}

/// Input bits joined by dots, as the link writes them: "1.0.1".
fn join_bits(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// The run's circuit as text for the editor, one gate per line.
pub fn circuit_text(state: &CircuitState) -> String {
    match state.spec.kind {
        CircuitKind::Own => editor::format_gate_lines(&state.spec.text),
        _ => state.circuit.to_string(),
    }
}
