//! What a person's deeds to the sequence that is looked into ask of the page: which keys of the link change.

use super::action::{SequenceAction, dotted, random_chain, rescaled, shown_chain, symbols_in, whole};
use crate::labs::markov::state::MarkovState;
use crate::permalink::View;
use crate::ui::request::Request;

/// What the page is asked for by this deed; nothing where it does not concern the chain.
pub fn request(chains: &MarkovState, view: &View, what: SequenceAction) -> Option<Request> {
    let (k, t) = (chains.task.symbols, chains.task.length);
    let even = || whole(&vec![1.0; k], 100).repeat(k);
    let now = || chains.inspected.symbols.iter().map(|symbol| usize::from(*symbol));
    let (key, text) = match what {
        SequenceAction::Sequence(text) => match symbols_in(&text, k) {
            Ok(symbols) => ("seq", dotted(symbols)),
            Err(expected) => return Some(Request::Refuse { key: "seq", text, expected }),
        },
        SequenceAction::Append(symbol) => {
            let longer: Vec<usize> = now().chain([usize::from(symbol)]).collect();
            ("seq", dotted(longer[longer.len().saturating_sub(t)..].iter().copied()))
        }
        SequenceAction::Shorten if now().len() < 2 => {
            return Some(Request::Say(tr!("A sequence must have at least one symbol.")));
        }
        SequenceAction::Shorten => ("seq", dotted(now().take(now().len() - 1))),
        SequenceAction::Entry { row, column, percent } => {
            let mut chain = shown_chain(chains, view).unwrap_or_else(even);
            if row >= k || column >= k {
                return None;
            }
            let changed = rescaled(&chain[row * k..][..k], column, percent);
            chain[row * k..][..k].copy_from_slice(&changed);
            ("chain", dotted(chain))
        }
        SequenceAction::Typed { row, column, text } => {
            let digits = text.trim().trim_end_matches('%').trim_end();
            return match digits.parse().ok().filter(|percent| *percent <= 100) {
                Some(percent) => request(chains, view, SequenceAction::Entry { row, column, percent }),
                None => {
                    let expected = tr!("a whole number of percent from 0 to 100").into();
                    Some(Request::Refuse { key: "chain", text, expected })
                }
            };
        }
        SequenceAction::Rows(text) => {
            let separators = |sign: char| sign.is_whitespace() || ",.;/|%".contains(sign);
            let words: Vec<&str> = text.split(separators).filter(|word| !word.is_empty()).collect();
            ("chain", words.join("."))
        }
        SequenceAction::OwnChain => ("chain", dotted(shown_chain(chains, view).unwrap_or_else(even))),
        SequenceAction::RandomChain(number) => ("chain", dotted(random_chain(k, number))),
        SequenceAction::NoChain => ("chain", String::new()),
        SequenceAction::ToggleHead(head) => {
            let mut off = view.off.clone();
            match off.iter().position(|other| *other == head) {
                Some(at) => drop(off.remove(at)),
                None => off.push(head),
            }
            off.sort_unstable();
            ("off", dotted(off))
        }
        SequenceAction::AllHeads => ("off", String::new()),
        SequenceAction::Place(place) => ("place", place.to_string()),
        SequenceAction::Head(head) => ("head", head.to_string()),
        SequenceAction::Example(example) => ("example", example.to_string()),
    };
    let mut edits = vec![(key, text)];
    // Another example or chain is to be seen, which an own sequence would hide.
    if ["example", "chain"].contains(&key) && !view.sequence.is_empty() {
        edits.push(("seq", String::new()));
    }
    Some(Request::Edit(edits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{Action, State};
    use crate::labs::markov::state::Origin;
    use crate::permalink::encode;

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    fn look(state: &mut State, what: SequenceAction) -> String {
        let runs = state.run.runs;
        let asked = request(state.run.state::<MarkovState>().unwrap(), &state.run.link.view, what).unwrap();
        assert_eq!(state.apply(Action::Request(asked)), []);
        assert_eq!(state.run.runs, runs, "nothing restarts");
        encode(&state.run.link).replace("#v1/markov", "")
    }

    fn word(state: &State) -> String {
        crate::analysis::chains::word(&state.run.state::<MarkovState>().unwrap().inspected.symbols)
    }

    #[test]
    fn letters_and_digits_are_symbols() {
        assert_eq!(symbols_in("aB, 0 1.b", 2), Ok(vec![0, 1, 0, 1, 1]));
        let wrong = symbols_in("abx", 2).unwrap_err();
        assert_eq!(wrong, "symbols from a to b, or from 0 to 1; “x” is not one of these symbols");
        assert!(symbols_in("012", 3).is_ok() && symbols_in("3", 3).is_err());
    }

    #[test]
    fn an_own_sequence_grows_and_shrinks_and_is_undone() {
        let mut state = open("#v1/markov?t=4");
        let held_out = word(&state);
        assert_eq!(look(&mut state, SequenceAction::Sequence("abb".into())), "?t=4&seq=0.1.1");
        assert_eq!(look(&mut state, SequenceAction::Append(1)), "?t=4&seq=0.1.1.1");
        assert_eq!(look(&mut state, SequenceAction::Append(0)), "?t=4&seq=1.1.1.0");
        assert_eq!(look(&mut state, SequenceAction::Shorten), "?t=4&seq=1.1.1");
        assert_eq!((word(&state), state.undo.len()), ("bbb".into(), 1));
        state.apply(Action::Undo);
        assert_eq!((word(&state), encode(&state.run.link).as_str()), (held_out, "#v1/markov?t=4"));
        assert_eq!(state.message, "Undone: the change of the setting “own sequence”.");
        look(&mut state, SequenceAction::Sequence("a".into()));
        look(&mut state, SequenceAction::Shorten);
        assert_eq!(
            (word(&state), state.message.as_str()),
            ("a".into(), "A sequence must have at least one symbol.")
        );
    }

    #[test]
    fn what_is_no_sequence_stays_a_draft() {
        let mut state = open("#v1/markov");
        look(&mut state, SequenceAction::Sequence("abc".into()));
        assert_eq!((state.drafts.len(), state.run.link.view.sequence.len()), (1, 0));
        look(&mut state, SequenceAction::Sequence("ab".into()));
        assert!(state.drafts.is_empty());
        state.apply(Action::Edit("seq".into(), "0.5".into()));
        assert!(
            state.drafts[0].problem.expected.contains("numbers from 0 to k − 1 as symbols, where k = 2"),
            "{:?}",
            state.drafts
        );
        assert_eq!(
            (word(&state).as_str(), state.run.link.view.sequence.as_slice()),
            ("ab", [0, 1].as_slice())
        );
        state.apply(Action::Edit("chain".into(), "90.20.30.70".into()));
        assert!(state.drafts.iter().any(|d| d.key == "chain") && state.run.link.view.chain.is_empty());
    }

    #[test]
    fn rows_of_an_own_chain_always_sum_to_a_hundred() {
        let mut state = open("#v1/markov?k=3");
        look(&mut state, SequenceAction::Sequence("abc".into()));
        let link = look(&mut state, SequenceAction::Entry { row: 1, column: 2, percent: 80 });
        assert_eq!(link, "?k=3&chain=34.33.33.10.10.80.34.33.33");
        let chains = state.run.state::<MarkovState>().unwrap();
        assert_eq!((chains.inspected.origin, chains.inspected.symbols.len()), (Origin::Drawn(1), 50));
        let before = word(&state);
        look(&mut state, SequenceAction::Example(2));
        assert_ne!(word(&state), before);
        look(&mut state, SequenceAction::Entry { row: 1, column: 2, percent: 100 });
        assert_eq!(state.run.link.view.chain[3..6], [0, 0, 100]);
        look(&mut state, SequenceAction::Entry { row: 1, column: 2, percent: 35 });
        assert_eq!(state.run.link.view.chain[3..6], [33, 32, 35]);
        for number in 0..50 {
            look(&mut state, SequenceAction::RandomChain(number));
            let rows = state.run.link.view.chain.chunks(3);
            assert!(rows.clone().all(|row| row.iter().sum::<usize>() == 100 && row.iter().all(|p| *p > 0)));
        }
        assert!(state.drafts.is_empty());
        assert_eq!(look(&mut state, SequenceAction::NoChain), "?k=3&example=2");
    }

    #[test]
    fn rows_that_are_no_chain_are_refused_with_the_reason() {
        let mut state = open("#v1/markov");
        look(&mut state, SequenceAction::Sequence("ab".into()));
        for (text, why) in [
            ("90 20, 30 70", "row 1"),
            ("90 10 30", "3"),
            ("100 0 / 0 100", "2 separate sets"),
            ("90 10 x 70", "whole numbers"),
        ] {
            look(&mut state, SequenceAction::Rows(text.into()));
            let draft = state.drafts.iter().find(|draft| draft.key == "chain").unwrap();
            assert!(draft.problem.expected.contains(why), "{:?}", draft.problem);
            assert_eq!((word(&state).as_str(), state.run.link.view.chain.len()), ("ab", 0));
        }
        assert_eq!(look(&mut state, SequenceAction::Rows("90 10 / 30 70 %".into())), "?chain=90.10.30.70");
        assert!(
            state.drafts.is_empty()
                && state.run.state::<MarkovState>().unwrap().inspected.origin == Origin::Drawn(1)
        );
    }

    #[test]
    fn the_chain_on_show_is_what_one_goes_on_from() {
        let mut state = open("#v1/markov?k=3");
        let shown =
            |state: &State| shown_chain(state.run.state::<MarkovState>().unwrap(), &state.run.link.view);
        let held_out = shown(&state).unwrap();
        assert!(held_out.chunks(3).all(|row| row.iter().sum::<usize>() == 100));
        let chain = state.run.state::<MarkovState>().unwrap().inspected.chain.clone().unwrap();
        let close = |at: usize| (held_out[at] as f64 - 100.0 * chain.probability(at / 3, at % 3)).abs() < 1.0;
        assert!((0..9).all(close), "{held_out:?}");
        look(&mut state, SequenceAction::OwnChain);
        assert_eq!(state.run.link.view.chain, held_out);
        look(&mut state, SequenceAction::NoChain);
        look(&mut state, SequenceAction::Typed { row: 2, column: 0, text: " 40 %".into() });
        assert_eq!((state.run.link.view.chain[6], &state.run.link.view.chain[..6]), (40, &held_out[..6]));
        for text in ["101", "-1", "4.5", "x", ""] {
            look(&mut state, SequenceAction::Typed { row: 2, column: 0, text: text.into() });
            assert_eq!(state.drafts[0].problem.expected, "a whole number of percent from 0 to 100");
            assert_eq!((state.drafts.len(), state.run.link.view.chain[6]), (1, 40), "{text}");
        }
        look(&mut state, SequenceAction::NoChain);
        assert!(state.drafts.is_empty());
        look(&mut state, SequenceAction::Sequence("ab".into()));
        assert_eq!(shown(&state), None, "nobody knows the chain of an own sequence");
        look(&mut state, SequenceAction::OwnChain);
        assert_eq!(state.run.link.view.chain, [34, 33, 33, 34, 33, 33, 34, 33, 33]);
    }

    #[test]
    fn heads_are_switched_off_and_on() {
        let mut state = open("#v1/markov");
        let logits = |state: &State| state.run.state::<MarkovState>().unwrap().inspected.look.logits.clone();
        let whole = logits(&state);
        assert_eq!(look(&mut state, SequenceAction::ToggleHead(2)), "?off=2");
        assert_ne!(logits(&state), whole);
        assert_eq!(look(&mut state, SequenceAction::ToggleHead(1)), "?off=1.2");
        look(&mut state, SequenceAction::ToggleHead(1));
        assert_eq!(look(&mut state, SequenceAction::ToggleHead(2)), "");
        assert_eq!(logits(&state), whole);
        assert_eq!(look(&mut state, SequenceAction::ToggleHead(1)), "?off=1");
        assert_eq!(look(&mut state, SequenceAction::AllHeads), "");
        assert_eq!(logits(&state), whole);
        assert_eq!(look(&mut state, SequenceAction::Head(2)), "?head=2");
        assert_eq!(look(&mut state, SequenceAction::Place(7)), "?place=7&head=2");
    }

    #[test]
    fn another_number_of_symbols_drops_what_it_cannot_have() {
        let mut state = open("#v1/markov?k=3&seq=0.1.2&chain=34.33.33.34.33.33.34.33.33");
        assert!(state.notices.is_empty(), "{:?}", state.notices);
        state.apply(Action::Edit("k".into(), "2".into()));
        assert_eq!(encode(&state.run.link), "#v1/markov");
        let keys: Vec<&str> = state.notices.iter().map(|n| n.key.as_str()).collect();
        assert_eq!(keys, ["seq", "chain"]);
    }
}
