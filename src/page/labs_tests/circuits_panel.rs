//! Actions of the lab's panel on a page: changes of the circuit.

use crate::opened::open_page;
use crate::state::{Action, State};
use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::*;
use vivarium_model::permalink::encode;

fn open(rest: &str) -> State {
    open_page(&format!("#v1/boolean-circuit{rest}"))
}

fn of(state: &State) -> &CircuitState {
    state.player.run.lab_state().unwrap()
}

/// The link after this action, and how many runs it has begun.
fn act(state: &mut State, what: PanelAction) -> (String, u64) {
    let runs = state.player.run.run_count;
    if let Some(request) = build_request(of(state), what) {
        state.apply(Action::Request(request));
    }
    (encode(&state.player.run.link).replace("#v1/boolean-circuit", ""), state.player.run.run_count - runs)
}

#[test]
fn a_bit_is_changed_and_changed_back() {
    let mut state = open("");
    assert_eq!(act(&mut state, PanelAction::ToggleBit(1)), ("?in=1.0.1.1".into(), 1));
    assert_eq!(of(&state).input, [true, false, true, true]);
    assert_eq!(act(&mut state, PanelAction::ToggleBit(1)), ("?in=1.1.1.1".into(), 1));
    assert_eq!(act(&mut state, PanelAction::ToggleBit(9)).1, 0);
    let mut toy = open("?circuit=toy&levels=4");
    assert_eq!(act(&mut toy, PanelAction::ToggleBit(0)), ("?circuit=toy&levels=4".into(), 0));
    assert!(toy.player.message.contains("one input"), "{}", toy.player.message);
}

#[test]
fn a_circuit_of_the_list_is_one_change() {
    for from in
        ["?n=12&in=1.1.1.1.1.1.1.1.1.1.1.1", "?circuit=toy&levels=100", "?circuit=adder&n=3", "?circuit=own"]
    {
        for (at, (name, named, ..)) in EXAMPLES.iter().enumerate() {
            let mut state = open(from);
            let (link, runs) = act(&mut state, PanelAction::LoadExample(at));
            assert!(
                runs <= 1 && state.invalid_inputs.is_empty() && state.conflicts.is_empty(),
                "{from} {name}: {link}"
            );
            assert_eq!(of(&state).spec.kind, *named, "{from} {name}: {link}");
            let shown: Vec<usize> =
                (0..EXAMPLES.len()).filter(|other| is_current_example(of(&state), *other)).collect();
            assert_eq!(shown, [at], "{from} {name}");
            if runs == 1 {
                state.apply(Action::Undo);
                assert_eq!(encode(&state.player.run.link), format!("#v1/boolean-circuit{from}"), "{name}");
            }
        }
    }
}

#[test]
fn a_circuit_is_written() {
    let mut state = open("?n=3");
    assert_eq!(circuit_text(of(&state)).lines().count(), 8);
    let written = PanelAction::LoadText("s = a and b; out = not s\n".into());
    assert_eq!(act(&mut state, written), ("?circuit=own&n=3&text=s~=~a~and~b;out~=~not~s".into(), 1));
    assert_eq!(circuit_text(of(&state)), "s = a and b\nout = not s");
    assert_eq!(act(&mut state, PanelAction::LoadText("s = a xor b".into())).1, 0);
    assert_eq!(
        act(&mut state, PanelAction::LoadText("s = not a".into())).0,
        "?circuit=own&n=3&text=s~=~not~a"
    );
    state.apply(Action::Undo);
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/boolean-circuit?n=3");
}
