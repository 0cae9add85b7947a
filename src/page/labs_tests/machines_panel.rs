//! Actions of the lab's panel on a page: changes of the machine.

use crate::opened::open_page;
use crate::state::{Action, State};
use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::action::*;
use vivarium_labs::machines::panel::editor::Draft;
use vivarium_model::permalink::encode;
use vivarium_science::machines::library;

fn open(rest: &str) -> State {
    open_page(&format!("#v1/turing-machine{rest}"))
}

fn of(state: &State) -> &MachineState {
    state.player.run.lab_state().unwrap()
}

/// The link after this action, and how many runs it has begun.
fn act(state: &mut State, what: MachineAction) -> (String, u64) {
    let runs = state.player.run.run_count;
    if let Some(change) = request(of(state), what) {
        state.apply(Action::Request(change));
    }
    (encode(&state.player.run.link).replace("#v1/turing-machine", ""), state.player.run.run_count - runs)
}

fn example(slug: &str) -> MachineAction {
    MachineAction::RunExample(slug.into())
}

#[test]
fn blocks_are_looked_at_without_another_run() {
    let mut state = open("");
    for stage in [3, 0, 7] {
        let (link, runs) = act(&mut state, MachineAction::SelectBlock(stage));
        assert_eq!((link, runs), (format!("?layer={stage}"), 0));
        assert_eq!(of(&state).shown_block(&state.player.run.link.view), stage);
    }
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/turing-machine");
}

#[test]
fn every_example_is_one_change() {
    let mut state = open("");
    let mut before = encode(&state.player.run.link);
    for of_library in &library::EXAMPLES {
        let runs = act(&mut state, example(of_library.slug)).1;
        assert_eq!(runs, 1, "{}", of_library.slug);
        assert!(state.conflicts.is_empty() && state.invalid_inputs.is_empty(), "{}", of_library.slug);
        let shown = of(&state);
        assert_eq!((machine_slug(shown), describe_machine(shown)), (of_library.slug, of_library.about()));
        let program = &shown.program;
        assert_eq!((program.steps, program.start), (of_library.steps, of_library.start));
        let after = encode(&state.player.run.link);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.player.run.link), before, "{}", of_library.slug);
        act(&mut state, example(of_library.slug));
        before = after;
    }
    // What is no example changes nothing.
    assert_eq!(act(&mut state, example("astrology")).1, 0);
}

#[test]
fn rules_become_ones_own_in_one_change() {
    let mut state = open("?m=increment&t=14&steps=14");
    let program = of(&state).program.clone();
    let (link, runs) = act(&mut state, MachineAction::EditRules);
    assert_eq!(runs, 1);
    assert!(link.contains("m=own") && link.contains("input=10111") && link.contains("cell=2"), "{link}");
    assert_eq!(of(&state).program, program);
    assert_eq!(machine_slug(of(&state)), CUSTOM);
    assert_eq!(act(&mut state, MachineAction::EditRules).1, 0, "it is already");
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/turing-machine?m=increment&t=14&steps=14");
}

#[test]
fn a_machine_that_was_written_runs_and_one_undo_brings_the_other_back() {
    for start in ["", "?m=own&input=111", "?m=palindrome&t=60&steps=60&input=01"] {
        let mut state = open(start);
        let before = encode(&state.player.run.link);
        let rules = "go 0 → 1 R go\ngo 1 → 0 R go\ngo _ → _ S halt";
        let draft = Draft { rules: rules.into(), input: "0110".into(), cell: "9".into() };
        let (link, runs) = act(&mut state, MachineAction::RunDraft(draft.clone()));
        assert_eq!((runs, state.conflicts.len(), state.invalid_inputs.len()), (1, 0, 0), "{link}");
        assert!(link.contains("m=own&rules=go~_~~_~S~halt;go~0~~1~R~go;go~1~~0~R~go"), "{link}");
        assert!(link.contains("input=0110") && link.contains("cell=9"), "{link}");
        assert!(draft.matches_program(&of(&state).program) && machine_slug(of(&state)) == CUSTOM);
        assert_eq!(describe_machine(of(&state)), "This machine uses your own rules.");
        // The same again is no change.
        assert_eq!(act(&mut state, MachineAction::RunDraft(draft)).1, 0);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.player.run.link), before);
    }
}

#[test]
fn a_machine_with_an_error_does_not_run() {
    let mut state = open("");
    let draft = Draft { rules: "a 0 → 1".into(), ..Draft::from_program(&of(&state).program) };
    assert_eq!(act(&mut state, MachineAction::RunDraft(draft)), (String::new(), 0));
    assert!(state.player.message.starts_with("This machine cannot run yet"), "{}", state.player.message);
}
