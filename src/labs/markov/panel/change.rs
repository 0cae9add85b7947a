//! What a person's deeds to the sequence that is looked into ask of the page: which keys of the link change.

use super::action::{SequenceAction, dotted, random_chain, rescaled, shown_chain, symbols_in, whole};
use crate::markov::state::MarkovState;
use vivarium_model::permalink::View;
use vivarium_view::ui::request::Request;

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

    #[test]
    fn letters_and_digits_are_symbols() {
        assert_eq!(symbols_in("aB, 0 1.b", 2), Ok(vec![0, 1, 0, 1, 1]));
        let wrong = symbols_in("abx", 2).unwrap_err();
        assert_eq!(wrong, "symbols from a to b, or from 0 to 1; “x” is not one of these symbols");
        assert!(symbols_in("012", 3).is_ok() && symbols_in("3", 3).is_err());
    }
}
