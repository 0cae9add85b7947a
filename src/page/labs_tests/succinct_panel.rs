//! Actions of the lab's panel on a page: changes of the program and of its input.

use crate::opened::open_page;
use crate::state::{Action, State};
use vivarium_labs::succinct::SuccinctState;
use vivarium_labs::succinct::panel::action::*;
use vivarium_model::permalink::encode;

const LAB: &str = "#v1/succinct-learning";

fn open(rest: &str) -> State {
    open_page(&format!("{LAB}{rest}"))
}

fn of(state: &State) -> &SuccinctState {
    state.player.run.lab_state().unwrap()
}

/// The link after this action, and how many runs it has begun.
fn act(state: &mut State, what: SuccinctAction) -> (String, u64) {
    let (runs, seed) = (state.player.run.run_count, state.player.run.link.spec.run.seed);
    if let Some(change) = request(of(state), seed, what) {
        state.apply(Action::Request(change));
    }
    assert!(state.invalid_inputs.is_empty() && state.conflicts.is_empty(), "{:?}", state.conflicts);
    (encode(&state.player.run.link).replace(LAB, ""), state.player.run.run_count - runs)
}

#[test]
fn a_number_is_changed_and_changed_back() {
    let mut state = open("?inputs=4");
    let before = of(&state).query.clone();
    let (link, runs) = act(&mut state, SuccinctAction::ToggleInput(1));
    let mut changed = before.clone();
    changed[1] = -changed[1];
    assert_eq!((link, runs), (format!("?inputs=4&query={}", encode_bits(&changed)), 1));
    assert_eq!(of(&state).query, changed);
    assert_eq!(
        act(&mut state, SuccinctAction::ToggleInput(1)),
        (format!("?inputs=4&query={}", encode_bits(&before)), 1)
    );
    assert_eq!(act(&mut state, SuccinctAction::ToggleInput(9)).1, 0);
    assert_eq!(act(&mut state, SuccinctAction::ResetInput), ("?inputs=4".into(), 1));
    assert_eq!(of(&state).query, before);
    assert_eq!(act(&mut state, SuccinctAction::ResetInput).1, 0);
}

#[test]
fn an_example_is_one_change() {
    for from in [
        "",
        "?inputs=12&query=1.1.1.1.1.1.1.1.1.1.1.1&steps=500",
        "?concept=parity&inputs=4&query=1.0.0.1&program=parity&steps=1100",
        "?inputs=31&examples=100",
        "?program=own",
    ] {
        for (at, example) in EXAMPLES.iter().enumerate() {
            let mut state = open(from);
            let (link, runs) = act(&mut state, SuccinctAction::RunExample(at));
            assert!(runs <= 1, "{from} {}: {link}", example.name);
            let own = of(&state).program_state().unwrap();
            assert_eq!(own.net.program, example.program, "{from} {}: {link}", example.name);
            for (key, text) in example.settings {
                assert_eq!(
                    state.player.run.link.spec.value(key).unwrap().to_string(),
                    *text,
                    "{from} {link}"
                );
            }
            if runs == 1 {
                state.apply(Action::Undo);
                assert_eq!(encode(&state.player.run.link), format!("{LAB}{from}"), "{}", example.name);
            }
        }
    }
}

#[test]
fn an_own_program_keeps_the_rest() {
    let mut state = open("?concept=parity&inputs=4&query=1.0.0.1&steps=300");
    let (link, runs) = act(&mut state, SuccinctAction::RunExample(2));
    assert_eq!((link.as_str(), runs), ("?concept=parity&inputs=4&query=1.0.0.1&program=own&steps=300", 1));
}

#[test]
fn a_program_is_written() {
    let mut state = open("?inputs=2&query=1.0");
    assert!(program_text(of(&state)).unwrap().starts_with("start +- → * S L0\n"));
    let written = SuccinctAction::WriteProgram("a * → * S b\r\nb * → * S HALT // the end\n".into());
    let expected = "?inputs=2&query=1.0&program=own&grid=a~*~~*~S~b;b~*~~*~S~HALT~//~the~end";
    assert_eq!(act(&mut state, written.clone()), (expected.into(), 1));
    assert_eq!(program_text(of(&state)).unwrap(), "a * → * S b\nb * → * S HALT // the end");
    // The same again is no change, and a text with a mistake is no program.
    assert_eq!(act(&mut state, written).1, 0);
    assert_eq!(act(&mut state, SuccinctAction::WriteProgram("a + → * S".into())).1, 0);
    assert_eq!(
        act(&mut state, SuccinctAction::WriteProgram("a * → * L a".into())).1,
        0,
        "its first step moves"
    );
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), format!("{LAB}?inputs=2&query=1.0"));
}

#[test]
fn a_search_goes_on_to_other_problems() {
    let mut state = open("?model=cell-rules&seed=3");
    assert_eq!(program_text(of(&state)), None);
    assert_eq!(act(&mut state, SuccinctAction::NextProblem), ("?model=cell-rules&seed=4".into(), 1));
    let (link, runs) = act(&mut state, SuccinctAction::DoubleSize);
    assert_eq!((link.as_str(), runs), ("?model=cell-rules&inputs=12&examples=16&seed=4", 1));
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), format!("{LAB}?model=cell-rules&seed=4"));
    let mut large = open("?model=cell-rules&inputs=20&examples=100");
    assert_eq!(double_size(of(&large)), Some([31, 100]));
    assert_eq!(act(&mut large, SuccinctAction::DoubleSize).1, 1);
    assert_eq!(double_size(of(&large)), None);
    assert_eq!(act(&mut large, SuccinctAction::DoubleSize).1, 0);
    let mut last = open("?model=cell-rules&seed=9007199254740991");
    assert_eq!(act(&mut last, SuccinctAction::NextProblem), ("?model=cell-rules".into(), 1));
}
