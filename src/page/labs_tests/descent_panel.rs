//! Actions of the lab's panel on a page: changes of points, tokens and layers.

use crate::opened::open_page;
use crate::state::{Action, State};
use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::*;
use vivarium_model::permalink::encode;

const FOUR: &str = "-1.5:-0.141_-0.5:-0.841_0.5:0.841_1.5:0.141";

fn open(rest: &str) -> State {
    open_page(&format!("#v1/in-context-regression{rest}"))
}

fn of(state: &State) -> &DescentState {
    state.player.run.lab_state().unwrap()
}

/// The link after this action, and how many runs it has begun.
fn act(state: &mut State, what: PanelAction) -> (String, u64) {
    let runs = state.player.run.run_count;
    let request = build_request(of(state), what);
    state.apply(Action::Request(request));
    (
        encode(&state.player.run.link).replace("#v1/in-context-regression", ""),
        state.player.run.run_count - runs,
    )
}

#[test]
fn layers_and_tokens_are_looked_at_without_another_run() {
    let mut state = open("");
    let seen = |link: &str| (link.to_string(), 0);
    assert_eq!(act(&mut state, PanelAction::ShowLayer(3)), seen("?layer=3"));
    assert_eq!(act(&mut state, PanelAction::ShowLayer(4)), seen("?layer=4"));
    assert_eq!((of(&state).trace.layer, of(&state).trace.token_index), (4, 0));
    assert_eq!(act(&mut state, PanelAction::ShowToken(3)), seen("?place=3&layer=4"));
    assert_eq!(of(&state).trace.token_index, 2);
    assert_eq!(act(&mut state, PanelAction::ShowTypedToken(" 16 ".into())), seen("?place=16&layer=4"));
    for text in ["17", "0", "x", "", "1.5", "-1"] {
        assert_eq!(act(&mut state, PanelAction::ShowTypedToken(text.into())), seen("?place=16&layer=4"));
        let draft = state.invalid_inputs.iter().find(|draft| draft.key == "place").unwrap();
        assert_eq!(draft.error.expected, "an example from 1 to 16");
    }
    // The query is said, and the first example, which a bare link shows, is not.
    assert_eq!(act(&mut state, PanelAction::ShowToken(0)), seen("?place=0&layer=4"));
    assert_eq!(of(&state).trace.token_index, 16);
    assert!(state.invalid_inputs.is_empty());
    assert_eq!(act(&mut state, PanelAction::ShowToken(1)), seen("?layer=4"));
    // Tokens are one change, and layers are one.
    state.apply(Action::Undo);
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/in-context-regression");
}

#[test]
fn drawn_examples_become_points_in_one_change() {
    let mut state = open("?n=4");
    assert!(!has_own_points(of(&state)) && is_one_dimensional(of(&state)));
    assert_eq!(shown_points(of(&state)).len(), 4);
    assert_eq!(
        describe_points(of(&state)),
        "4 examples, generated from the settings. Your first change turns these examples into your own points."
    );
    assert_eq!(act(&mut state, PanelAction::ConvertToPoints), (format!("?n=4&f=points&points={FOUR}"), 1));
    assert!(has_own_points(of(&state)) && state.invalid_inputs.is_empty());
    assert_eq!(describe_points(of(&state)), "4 points of your own; at most 64 points are possible.");
    assert_eq!(act(&mut state, PanelAction::ConvertToPoints).1, 0, "they are already");
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/in-context-regression?n=4");
    // Whatever is done to drawn examples begins with them.
    let added = act(&mut state, PanelAction::AddPoint([0.25, 9.876_54]));
    assert_eq!(added, (format!("?n=4&f=points&points={FOUR}_0.25:9.877"), 1));
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), "#v1/in-context-regression?n=4");
}

#[test]
fn points_are_added_moved_and_removed() {
    let mut state = open("?f=points&points=0:1_1:2");
    let points = |text: &str, runs: u64| (format!("?f=points&points={text}"), runs);
    assert_eq!(act(&mut state, PanelAction::MovePoint(0, [-0.5, 1e9])), points("-0.5:100_1:2", 1));
    assert_eq!(act(&mut state, PanelAction::MovePoint(7, [0.0; 2])), points("-0.5:100_1:2", 0));
    assert_eq!(act(&mut state, PanelAction::RemovePoint(0)), points("1:2", 1));
    assert_eq!(describe_points(of(&state)), "1 point of your own; at most 64 points are possible.");
    assert_eq!(act(&mut state, PanelAction::RemovePoint(0)), points("1:2", 0));
    assert!(state.player.message.starts_with("At least one point must stay"), "{}", state.player.message);
    // The drawing reaches from −1.5 to 1.5, and the widest gap is on the left.
    assert_eq!(act(&mut state, PanelAction::AddFreePoint), points("1:2_-0.25:2", 1));
    let full: Vec<String> = (0..64).map(|i| format!("{i}:0")).collect();
    let mut full = open(&format!("?f=points&points={}", full.join("_")));
    for what in [PanelAction::AddPoint([0.5; 2]), PanelAction::AddFreePoint] {
        assert_eq!(act(&mut full, what).1, 0);
        assert!(full.player.message.starts_with("No more than 64 points"), "{}", full.player.message);
    }
    assert_eq!(act(&mut full, PanelAction::RemovePoint(63)).1, 1);
}

#[test]
fn many_examples_leave_64_points_and_inputs_of_two_numbers_none() {
    let mut state = open("?n=200");
    assert!(describe_points(of(&state)).contains("turns 64 of these examples"));
    act(&mut state, PanelAction::ConvertToPoints);
    assert_eq!(shown_points(of(&state)).len(), 64);
    let mut wide = open("?dim=2&spread=normal");
    for what in [PanelAction::ConvertToPoints, PanelAction::AddPoint([0.0; 2]), PanelAction::RemovePoint(0)] {
        assert_eq!(act(&mut wide, what), ("?dim=2&spread=normal".into(), 0));
        assert_eq!(wide.player.message, NO_PLOT_REASON);
    }
    assert_eq!((shown_points(of(&wide)), describe_points(of(&wide)).as_str()), (vec![], NO_PLOT_REASON));
    assert_eq!(token_name(of(&wide), 4), "example 5");
}

#[test]
fn tokens_have_names() {
    let state = open("?n=4");
    assert_eq!(token_name(of(&state), 0), "example 1 at (−1.50, −0.141)");
    assert_eq!(token_name(of(&state), 4), "the query");
}
