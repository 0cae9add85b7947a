//! Actions of the lab's panel on a page: changes of the prompt.

use crate::opened::open_page;
use crate::state::{Action, State};
use vivarium_labs::lookup::LookupState;
use vivarium_labs::lookup::panel::action::*;
use vivarium_model::permalink::encode;

fn open(rest: &str) -> State {
    open_page(&format!("#v1/sparse-token-regression{rest}"))
}

fn look(state: &mut State, what: PromptAction) -> String {
    let runs = state.player.run.run_count;
    let change = request(of(state), &state.player.run.link.view, what);
    assert_eq!(state.apply(Action::Request(change)), []);
    assert_eq!(state.player.run.run_count, runs, "nothing restarts");
    encode(&state.player.run.link).replace("#v1/sparse-token-regression", "")
}

fn of(state: &State) -> &LookupState {
    state.player.run.lab_state::<LookupState>().unwrap()
}

fn typed(text: &str) -> String {
    text.into()
}

#[test]
fn the_written_attention_answers_its_query() {
    let mut state = open("?begin=construction");
    let is_right = |state: &State| {
        let seen = &of(state).inspected;
        seen.labels.iter().zip(&seen.outputs).all(|(y, answer)| (y - answer).abs() < 0.05)
    };
    assert!(is_right(&state), "{:?}", of(&state).inspected);
    let before = of(&state).inspected.clone();
    let other = (1..=8).find(|name| !of(&state).names_at(7).contains(&(name - 1))).unwrap();
    let link =
        look(&mut state, PromptAction::SetName { place: 7, name_index: 0, text: format!(" {other} ") });
    assert_eq!(link, format!("?begin=construction&named=15:{other}"));
    assert!(is_right(&state) && of(&state).inspected.changed);
    assert_ne!(of(&state).inspected.outputs[7], before.outputs[7]);
    assert_eq!(of(&state).inspected.outputs[..7], before.outputs[..7], "no other position asks for it");
    // The head of the first name looks at the new token.
    assert!(attention_weight(of(&state), 0, other - 1) > 0.99);
    assert_eq!(format_attention_on_names(of(&state), &state.player.run.link.view, 1), "100.0 %");
    let link = look(
        &mut state,
        PromptAction::SetTokenEntry { place: other - 1, entry_index: 0, text: typed("−1,5") },
    );
    assert_eq!(link, format!("?begin=construction&named=15:{other}&tokens={other}:-1.5"));
    assert!(is_right(&state) && of(&state).token_at(other - 1) == [-1.5]);
    state.apply(Action::Undo);
    assert_eq!(state.player.message, "Undone: the change of the setting “changed numbers in tokens”.");
    let link = look(&mut state, PromptAction::SelectPrompt(3));
    assert_eq!(link, "?begin=construction&example=3");
    assert!(is_right(&state) && !of(&state).inspected.changed);
    assert_eq!(describe_origin(of(&state)), "Held-out prompt 3 of 64: 8 positions.");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let mut state = open("");
    for text in ["0", "9", "x", "", "2.5"] {
        look(&mut state, PromptAction::SetName { place: 0, name_index: 1, text: typed(text) });
        assert_eq!(state.invalid_inputs[0].error.expected, "a position from 1 to 8");
    }
    for text in ["101", "-100.5", "NaN", "a"] {
        look(&mut state, PromptAction::SetTokenEntry { place: 0, entry_index: 0, text: typed(text) });
        let draft = state.invalid_inputs.iter().find(|draft| draft.key == "tokens").unwrap();
        assert_eq!(draft.error.expected, "a number from −100 to 100");
    }
    look(&mut state, PromptAction::SetTokenEntry { place: 0, entry_index: 0, text: typed("1,234") });
    let draft = state.invalid_inputs.iter().find(|draft| draft.key == "tokens").unwrap();
    assert_eq!(draft.error.expected, "a number from −100 to 100. Do you mean 1.234 or 1234?");
    assert!(
        state.player.run.link.view.prompt.named.is_empty()
            && state.player.run.link.view.prompt.tokens.is_empty()
    );
    let all: Vec<String> = (1..=64).map(|at| format!("{at}:1")).collect();
    let mut full = open(&format!("?n=100&named={}", all.join("_")));
    look(&mut full, PromptAction::SetName { place: 99, name_index: 0, text: typed("3") });
    assert!(
        full.player.message.starts_with("A link can contain at most 64 changes"),
        "{}",
        full.player.message
    );
    assert_eq!(look(&mut full, PromptAction::UndoChanges), "?n=100");
}

#[test]
fn of_a_large_prompt_the_chosen_position_and_its_names_are_shown() {
    let mut state = open("?n=100&q=3");
    look(&mut state, PromptAction::SelectPosition(49));
    let rows = table_positions(of(&state), &state.player.run.link.view);
    assert!(rows.len() <= 4 && rows.contains(&49) && rows.is_sorted(), "{rows:?}");
    assert!(of(&state).names_at(49).iter().all(|name| rows.contains(name)));
    assert_eq!(table_positions(of(&open("")), &state.player.run.link.view).len(), 8);
    let sentence = describe_position(of(&state), &state.player.run.link.view);
    assert!(
        sentence.starts_with("Position 50 contains the names ")
            && sentence.contains("the network's answer is"),
        "{sentence}"
    );
}

/// The cells of a longer table ask once more when the prompt has got shorter.
#[test]
fn beyond_a_prompt_there_is_nothing_and_no_panic() {
    let state = open("?n=4&q=1");
    for place in [4, 7, usize::MAX] {
        assert!(of(&state).names_at(place).is_empty() && of(&state).token_at(place).is_empty());
        assert_eq!(format_label_and_output(of(&state), place), ["", ""]);
        assert_eq!(
            [attention_weight(of(&state), 0, place), attention_weight(of(&state), 9, place)],
            [0.0, 0.0]
        );
    }
    assert!(of(&state).names_at(3).len() == 1 && of(&state).token_at(3).len() == 1);
}

#[test]
fn a_head_more_is_another_run() {
    let mut state = open("?h=1");
    let change = request(of(&state), &state.player.run.link.view, PromptAction::AddHead(1));
    state.apply(Action::Request(change));
    assert_eq!(encode(&state.player.run.link), "#v1/sparse-token-regression");
}
