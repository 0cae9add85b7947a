//! What a person does in the panel: change a bit of the input, choose a circuit, write one. All of it asks for another run, is
//! in the link, and can be undone.

use super::editor;
use crate::circuits::{MOST_INPUTS, Named};
use crate::labs::circuits::CircuitState;
use crate::settings::Value;
use crate::ui::request::Request;

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
pub const EXAMPLES: [(&str, Named, &str, &str); 8] = [
    (text!("Parity of 4 bits"), Named::Parity, "4", "1"),
    (text!("Parity of 8 bits, pair by pair"), Named::Tree, "8", "1"),
    (text!("Carry bit of the sum of two 3-bit numbers"), Named::Adder, "3", "1"),
    (text!("Majority of 5 bits"), Named::Majority, "5", "1"),
    (text!("12 random gates"), Named::Random, "4", "1"),
    (text!("Copying a bit through 20 layers"), Named::Relay, "4", "20"),
    (text!("Product of 25 weights"), Named::Toy, "4", "25"),
    (text!("Own circuit"), Named::Own, "4", "1"),
];

/// Whether the circuit on the page is number `at` of the list, with its size.
pub fn is_shown(state: &CircuitState, at: usize) -> bool {
    let drawn = &state.drawn;
    let is = |number: usize, text: &str| text.parse() == Ok(number);
    EXAMPLES.get(at).is_some_and(|(_, named, bits, depth)| {
        drawn.named == *named
            && match named {
                Named::Toy | Named::Relay => is(drawn.depth, depth),
                Named::Own => true,
                Named::Random => is(drawn.bits, bits) && is(drawn.gates, GATES),
                _ => is(drawn.bits, bits),
            }
    })
}

/// What the page is asked for by this deed; nothing where nothing would change.
pub fn request(state: &CircuitState, what: PanelAction) -> Option<Request> {
    match what {
        PanelAction::Toggle(_) if state.drawn.named == Named::Toy => {
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
                let settings = vec![("circuit", Named::Own.slug().to_string()), ("text", text)];
                Some(together(state, circuit.inputs(), settings))
            }
            Err(_) => None,
        },
    }
}

/// These settings as one change, one restart and one undo, with no input given: an input that is too long for every circuit
/// on the way keeps the page from beginning a run before all of them are there.
fn together(state: &CircuitState, inputs: usize, settings: Vec<(&'static str, String)>) -> Request {
    let long = (MOST_INPUTS - 2..=MOST_INPUTS).find(|long| ![inputs, state.bits.len()].contains(long));
    let long = dotted(&vec![true; long.unwrap_or(MOST_INPUTS)]);
    let ends = [("in", String::new())];
    Request::Edit([("in", long)].into_iter().chain(settings).chain(ends).collect())
}

/// "1.0.1".
fn dotted(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// The text of the circuit that is shown.
pub fn text(state: &CircuitState) -> String {
    match state.drawn.named {
        Named::Own => editor::lines(&state.drawn.text),
        _ => state.circuit.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::opened::opened;
    use crate::app::state::{Action, State};
    use crate::permalink::encode;

    fn open(rest: &str) -> State {
        opened(&format!("#v1/boolean-circuit{rest}"))
    }

    fn of(state: &State) -> &CircuitState {
        state.run.state().unwrap()
    }

    /// The link after this deed, and how many runs it has begun.
    fn act(state: &mut State, what: PanelAction) -> (String, u64) {
        let runs = state.run.runs;
        if let Some(asked) = request(of(state), what) {
            state.apply(Action::Request(asked));
        }
        (encode(&state.run.link).replace("#v1/boolean-circuit", ""), state.run.runs - runs)
    }

    #[test]
    fn a_bit_is_changed_and_changed_back() {
        let mut state = open("");
        assert_eq!(act(&mut state, PanelAction::Toggle(1)), ("?in=1.0.1.1".into(), 1));
        assert_eq!(of(&state).bits, [true, false, true, true]);
        assert_eq!(act(&mut state, PanelAction::Toggle(1)), ("?in=1.1.1.1".into(), 1));
        assert_eq!(act(&mut state, PanelAction::Toggle(9)).1, 0);
        let mut toy = open("?circuit=toy&levels=4");
        assert_eq!(act(&mut toy, PanelAction::Toggle(0)), ("?circuit=toy&levels=4".into(), 0));
        assert!(toy.message.contains("one input"), "{}", toy.message);
    }

    #[test]
    fn a_circuit_of_the_list_is_one_change() {
        for from in [
            "?n=12&in=1.1.1.1.1.1.1.1.1.1.1.1",
            "?circuit=toy&levels=100",
            "?circuit=adder&n=3",
            "?circuit=own",
        ] {
            for (at, (name, named, ..)) in EXAMPLES.iter().enumerate() {
                let mut state = open(from);
                let (link, runs) = act(&mut state, PanelAction::Example(at));
                assert!(
                    runs <= 1 && state.drafts.is_empty() && state.conflicts.is_empty(),
                    "{from} {name}: {link}"
                );
                assert_eq!(of(&state).drawn.named, *named, "{from} {name}: {link}");
                let shown: Vec<usize> =
                    (0..EXAMPLES.len()).filter(|other| is_shown(of(&state), *other)).collect();
                assert_eq!(shown, [at], "{from} {name}");
                if runs == 1 {
                    state.apply(Action::Undo);
                    assert_eq!(encode(&state.run.link), format!("#v1/boolean-circuit{from}"), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_circuit_is_written() {
        let mut state = open("?n=3");
        assert_eq!(text(of(&state)).lines().count(), 8);
        let written = PanelAction::Write("s = a and b; out = not s\n".into());
        assert_eq!(act(&mut state, written), ("?circuit=own&n=3&text=s~=~a~and~b;out~=~not~s".into(), 1));
        assert_eq!(text(of(&state)), "s = a and b\nout = not s");
        assert_eq!(act(&mut state, PanelAction::Write("s = a xor b".into())).1, 0);
        assert_eq!(
            act(&mut state, PanelAction::Write("s = not a".into())).0,
            "?circuit=own&n=3&text=s~=~not~a"
        );
        state.apply(Action::Undo);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), "#v1/boolean-circuit?n=3");
    }
}
