//! What the panel of the lab does to a page: deeds at the prompt.

use crate::opened::opened;
use crate::state::{Action, State};
use vivarium_labs::lookup::LookupState;
use vivarium_labs::lookup::panel::action::*;
use vivarium_model::permalink::encode;

fn open(rest: &str) -> State {
    opened(&format!("#v1/sparse-token-regression{rest}"))
}

fn look(state: &mut State, what: PromptAction) -> String {
    let runs = state.run.runs;
    let asked = request(of(state), &state.run.link.view, what);
    assert_eq!(state.apply(Action::Request(asked)), []);
    assert_eq!(state.run.runs, runs, "nothing restarts");
    encode(&state.run.link).replace("#v1/sparse-token-regression", "")
}

fn of(state: &State) -> &LookupState {
    state.run.state::<LookupState>().unwrap()
}

fn typed(text: &str) -> String {
    text.into()
}

#[test]
fn the_written_attention_answers_as_it_is_asked() {
    let mut state = open("?begin=construction");
    let is_right = |state: &State| {
        let seen = &of(state).inspected;
        seen.truth.iter().zip(&seen.answers).all(|(y, answer)| (y - answer).abs() < 0.05)
    };
    assert!(is_right(&state), "{:?}", of(&state).inspected);
    let before = of(&state).inspected.clone();
    let other = (1..=8).find(|name| !of(&state).named(7).contains(&(name - 1))).unwrap();
    let link = look(&mut state, PromptAction::Name { place: 7, which: 0, text: format!(" {other} ") });
    assert_eq!(link, format!("?begin=construction&named=15:{other}"));
    assert!(is_right(&state) && of(&state).inspected.changed);
    assert_ne!(of(&state).inspected.answers[7], before.answers[7]);
    assert_eq!(of(&state).inspected.answers[..7], before.answers[..7], "no other position asks for it");
    // The head of the first name looks at the new token.
    assert!(share(of(&state), 0, other - 1) > 0.99);
    assert_eq!(on_names(of(&state), &state.run.link.view, 1), "100.0 %");
    let link = look(&mut state, PromptAction::Number { place: other - 1, which: 0, text: typed("−1,5") });
    assert_eq!(link, format!("?begin=construction&named=15:{other}&tokens={other}:-1.5"));
    assert!(is_right(&state) && of(&state).token(other - 1) == [-1.5]);
    state.apply(Action::Undo);
    assert_eq!(state.message, "Undone: the change of the setting “changed numbers in tokens”.");
    let link = look(&mut state, PromptAction::Example(3));
    assert_eq!(link, "?begin=construction&example=3");
    assert!(is_right(&state) && !of(&state).inspected.changed);
    assert_eq!(origin(of(&state)), "Held-out prompt 3 of 64: 8 positions.");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let mut state = open("");
    for text in ["0", "9", "x", "", "2.5"] {
        look(&mut state, PromptAction::Name { place: 0, which: 1, text: typed(text) });
        assert_eq!(state.drafts[0].problem.expected, "a position from 1 to 8");
    }
    for text in ["101", "-100.5", "NaN", "a"] {
        look(&mut state, PromptAction::Number { place: 0, which: 0, text: typed(text) });
        let draft = state.drafts.iter().find(|draft| draft.key == "tokens").unwrap();
        assert_eq!(draft.problem.expected, "a number from −100 to 100");
    }
    assert!(state.run.link.view.named.is_empty() && state.run.link.view.tokens.is_empty());
    let all: Vec<String> = (1..=64).map(|at| format!("{at}:1")).collect();
    let mut full = open(&format!("?n=100&named={}", all.join("_")));
    look(&mut full, PromptAction::Name { place: 99, which: 0, text: typed("3") });
    assert!(full.message.starts_with("A link can contain at most 64 changes"), "{}", full.message);
    assert_eq!(look(&mut full, PromptAction::AsDrawn), "?n=100");
}

#[test]
fn of_a_large_prompt_the_chosen_position_and_its_names_are_shown() {
    let mut state = open("?n=100&q=3");
    look(&mut state, PromptAction::Place(49));
    let rows = shown(of(&state), &state.run.link.view);
    assert!(rows.len() <= 4 && rows.contains(&49) && rows.is_sorted(), "{rows:?}");
    assert!(of(&state).named(49).iter().all(|name| rows.contains(name)));
    assert_eq!(shown(of(&open("")), &state.run.link.view).len(), 8);
    let said = about(of(&state), &state.run.link.view);
    assert!(
        said.starts_with("Position 50 contains the names ") && said.contains("the network's answer is"),
        "{said}"
    );
}

/// The cells of a longer table ask once more when the prompt has got shorter.
#[test]
fn beyond_a_prompt_there_is_nothing_and_no_panic() {
    let state = open("?n=4&q=1");
    for place in [4, 7, usize::MAX] {
        assert!(of(&state).named(place).is_empty() && of(&state).token(place).is_empty());
        assert_eq!(answer(of(&state), place), ["", ""]);
        assert_eq!([share(of(&state), 0, place), share(of(&state), 9, place)], [0.0, 0.0]);
    }
    assert!(of(&state).named(3).len() == 1 && of(&state).token(3).len() == 1);
}

#[test]
fn a_head_more_is_another_run() {
    let mut state = open("?h=1");
    let asked = request(of(&state), &state.run.link.view, PromptAction::AddHead(1));
    state.apply(Action::Request(asked));
    assert_eq!(encode(&state.run.link), "#v1/sparse-token-regression");
}
