//! Actions of the panel of Markov chains on a page: own sequences, own chains and heads that are off.

use crate::state::{Action, State};
use vivarium_labs::markov::panel::action::{SequenceAction, displayed_chain};
use vivarium_labs::markov::panel::change::*;
use vivarium_labs::markov::state::{MarkovState, SequenceOrigin};
use vivarium_model::permalink::encode;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

fn look(state: &mut State, what: SequenceAction) -> String {
    let runs = state.player.run.run_count;
    let requested =
        request(state.player.run.lab_state::<MarkovState>().unwrap(), &state.player.run.link.view, what)
            .unwrap();
    assert_eq!(state.apply(Action::Request(requested)), []);
    assert_eq!(state.player.run.run_count, runs, "nothing restarts");
    encode(&state.player.run.link).replace("#v1/markov", "")
}

fn word(state: &State) -> String {
    vivarium_plot::analysis::chains::join_symbols(
        &state.player.run.lab_state::<MarkovState>().unwrap().inspected.symbols,
    )
}

#[test]
fn an_own_sequence_grows_and_shrinks_and_is_undone() {
    let mut state = open("#v1/markov?t=4");
    let held_out = word(&state);
    assert_eq!(look(&mut state, SequenceAction::SetSequence("abb".into())), "?t=4&seq=0.1.1");
    assert_eq!(look(&mut state, SequenceAction::Append(1)), "?t=4&seq=0.1.1.1");
    assert_eq!(look(&mut state, SequenceAction::Append(0)), "?t=4&seq=1.1.1.0");
    assert_eq!(look(&mut state, SequenceAction::RemoveLast), "?t=4&seq=1.1.1");
    assert_eq!((word(&state), state.undo.len()), ("bbb".into(), 1));
    state.apply(Action::Undo);
    assert_eq!((word(&state), encode(&state.player.run.link).as_str()), (held_out, "#v1/markov?t=4"));
    assert_eq!(state.player.message, "Undone: the change of the setting “own sequence”.");
    look(&mut state, SequenceAction::SetSequence("a".into()));
    look(&mut state, SequenceAction::RemoveLast);
    assert_eq!(
        (word(&state), state.player.message.as_str()),
        ("a".into(), "A sequence must have at least one symbol.")
    );
}

#[test]
fn what_is_no_sequence_stays_a_draft() {
    let mut state = open("#v1/markov");
    look(&mut state, SequenceAction::SetSequence("abc".into()));
    assert_eq!((state.invalid_inputs.len(), state.player.run.link.view.markov.sequence.len()), (1, 0));
    look(&mut state, SequenceAction::SetSequence("ab".into()));
    assert!(state.invalid_inputs.is_empty());
    state.apply(Action::Edit("seq".into(), "0.5".into()));
    assert!(
        state.invalid_inputs[0].error.expected.contains("numbers from 0 to k − 1 as symbols, where k = 2"),
        "{:?}",
        state.invalid_inputs
    );
    assert_eq!(
        (word(&state).as_str(), state.player.run.link.view.markov.sequence.as_slice()),
        ("ab", [0, 1].as_slice())
    );
    state.apply(Action::Edit("chain".into(), "90.20.30.70".into()));
    assert!(
        state.invalid_inputs.iter().any(|d| d.key == "chain")
            && state.player.run.link.view.markov.chain.is_empty()
    );
}

#[test]
fn rows_of_an_own_chain_always_sum_to_a_hundred() {
    let mut state = open("#v1/markov?k=3");
    look(&mut state, SequenceAction::SetSequence("abc".into()));
    let link = look(&mut state, SequenceAction::SetEntry { row: 1, column: 2, percent: 80 });
    assert_eq!(link, "?k=3&chain=34.33.33.10.10.80.34.33.33");
    let chains = state.player.run.lab_state::<MarkovState>().unwrap();
    assert_eq!((chains.inspected.origin, chains.inspected.symbols.len()), (SequenceOrigin::Drawn(1), 50));
    let before = word(&state);
    look(&mut state, SequenceAction::SelectSequence(2));
    assert_ne!(word(&state), before);
    look(&mut state, SequenceAction::SetEntry { row: 1, column: 2, percent: 100 });
    assert_eq!(state.player.run.link.view.markov.chain[3..6], [0, 0, 100]);
    look(&mut state, SequenceAction::SetEntry { row: 1, column: 2, percent: 35 });
    assert_eq!(state.player.run.link.view.markov.chain[3..6], [33, 32, 35]);
    for number in 0..50 {
        look(&mut state, SequenceAction::RandomChain(number));
        let rows = state.player.run.link.view.markov.chain.chunks(3);
        assert!(rows.clone().all(|row| row.iter().sum::<usize>() == 100 && row.iter().all(|p| *p > 0)));
    }
    assert!(state.invalid_inputs.is_empty());
    assert_eq!(look(&mut state, SequenceAction::RemoveChain), "?k=3&example=2");
}

#[test]
fn rows_that_are_no_chain_are_refused_with_the_reason() {
    let mut state = open("#v1/markov");
    look(&mut state, SequenceAction::SetSequence("ab".into()));
    for (text, why) in [
        ("90 20, 30 70", "row 1"),
        ("90 10 30", "3"),
        ("100 0 / 0 100", "2 separate sets"),
        ("90 10 x 70", "whole numbers"),
    ] {
        look(&mut state, SequenceAction::SetRows(text.into()));
        let draft = state.invalid_inputs.iter().find(|draft| draft.key == "chain").unwrap();
        assert!(draft.error.expected.contains(why), "{:?}", draft.error);
        assert_eq!((word(&state).as_str(), state.player.run.link.view.markov.chain.len()), ("ab", 0));
    }
    assert_eq!(look(&mut state, SequenceAction::SetRows("90 10 / 30 70 %".into())), "?chain=90.10.30.70");
    assert!(
        state.invalid_inputs.is_empty()
            && state.player.run.lab_state::<MarkovState>().unwrap().inspected.origin
                == SequenceOrigin::Drawn(1)
    );
}

#[test]
fn the_chain_on_show_is_what_one_goes_on_from() {
    let mut state = open("#v1/markov?k=3");
    let shown = |state: &State| {
        displayed_chain(state.player.run.lab_state::<MarkovState>().unwrap(), &state.player.run.link.view)
    };
    let held_out = shown(&state).unwrap();
    assert!(held_out.chunks(3).all(|row| row.iter().sum::<usize>() == 100));
    let chain = state.player.run.lab_state::<MarkovState>().unwrap().inspected.chain.clone().unwrap();
    let close = |at: usize| (held_out[at] as f64 - 100.0 * chain.probability(at / 3, at % 3)).abs() < 1.0;
    assert!((0..9).all(close), "{held_out:?}");
    look(&mut state, SequenceAction::CopyChain);
    assert_eq!(state.player.run.link.view.markov.chain, held_out);
    look(&mut state, SequenceAction::RemoveChain);
    look(&mut state, SequenceAction::SetEntryText { row: 2, column: 0, text: " 40 %".into() });
    assert_eq!(
        (state.player.run.link.view.markov.chain[6], &state.player.run.link.view.markov.chain[..6]),
        (40, &held_out[..6])
    );
    for text in ["101", "-1", "4.5", "x", ""] {
        look(&mut state, SequenceAction::SetEntryText { row: 2, column: 0, text: text.into() });
        assert_eq!(state.invalid_inputs[0].error.expected, "a whole number of percent from 0 to 100");
        assert_eq!(
            (state.invalid_inputs.len(), state.player.run.link.view.markov.chain[6]),
            (1, 40),
            "{text}"
        );
    }
    look(&mut state, SequenceAction::RemoveChain);
    assert!(state.invalid_inputs.is_empty());
    look(&mut state, SequenceAction::SetSequence("ab".into()));
    assert_eq!(shown(&state), None, "nobody knows the chain of an own sequence");
    look(&mut state, SequenceAction::CopyChain);
    assert_eq!(state.player.run.link.view.markov.chain, [34, 33, 33, 34, 33, 33, 34, 33, 33]);
}

#[test]
fn heads_are_switched_off_and_on() {
    let mut state = open("#v1/markov");
    let logits =
        |state: &State| state.player.run.lab_state::<MarkovState>().unwrap().inspected.trace.logits.clone();
    let whole = logits(&state);
    assert_eq!(look(&mut state, SequenceAction::ToggleHead(2)), "?off=2");
    assert_ne!(logits(&state), whole);
    assert_eq!(look(&mut state, SequenceAction::ToggleHead(1)), "?off=1.2");
    look(&mut state, SequenceAction::ToggleHead(1));
    assert_eq!(look(&mut state, SequenceAction::ToggleHead(2)), "");
    assert_eq!(logits(&state), whole);
    assert_eq!(look(&mut state, SequenceAction::ToggleHead(1)), "?off=1");
    assert_eq!(look(&mut state, SequenceAction::EnableAllHeads), "");
    assert_eq!(logits(&state), whole);
    assert_eq!(look(&mut state, SequenceAction::SelectHead(2)), "?head=2");
    assert_eq!(look(&mut state, SequenceAction::SelectPosition(7)), "?place=7&head=2");
}

#[test]
fn another_number_of_symbols_drops_what_it_cannot_have() {
    let mut state = open("#v1/markov?k=3&seq=0.1.2&chain=34.33.33.34.33.33.34.33.33");
    assert!(state.notices.is_empty(), "{:?}", state.notices);
    state.apply(Action::Edit("k".into(), "2".into()));
    assert_eq!(encode(&state.player.run.link), "#v1/markov");
    let keys: Vec<&str> = state.notices.iter().map(|n| n.key.as_str()).collect();
    assert_eq!(keys, ["seq", "chain"]);
}
