//! Conversion of actions on the inspected sequence into changes of the link's keys.

use super::action::{
    SequenceAction, displayed_chain, encode_numbers, parse_symbols, random_chain, rescale_row, round_to_sum,
};
use crate::markov::state::MarkovState;
use vivarium_core::settings::entry::parse_whole_entry;
use vivarium_model::permalink::ViewSettings;
use vivarium_view::ui::request::Request;

/// Converts a user action in the panel into an edit of the link that the page carries out; `None` for an entry outside
/// the transition matrix.
pub fn request(state: &MarkovState, view: &ViewSettings, action: SequenceAction) -> Option<Request> {
    let (k, t) = (state.task.symbols, state.task.length);
    let even = || round_to_sum(&vec![1.0; k], 100).repeat(k);
    let now = || state.inspected.symbols.iter().map(|symbol| usize::from(*symbol));
    let (key, text) = match action {
        SequenceAction::SetSequence(text) => match parse_symbols(&text, k) {
            Ok(symbols) => ("seq", encode_numbers(symbols)),
            Err(expected) => return Some(Request::Refuse { key: "seq", text, expected }),
        },
        SequenceAction::Append(symbol) => {
            let longer: Vec<usize> = now().chain([usize::from(symbol)]).collect();
            ("seq", encode_numbers(longer[longer.len().saturating_sub(t)..].iter().copied()))
        }
        SequenceAction::RemoveLast if now().len() < 2 => {
            return Some(Request::ShowMessage(tr!("A sequence must have at least one symbol.")));
        }
        SequenceAction::RemoveLast => ("seq", encode_numbers(now().take(now().len() - 1))),
        SequenceAction::SetEntry { row, column, percent } => {
            let mut chain = displayed_chain(state, view).unwrap_or_else(even);
            if row >= k || column >= k {
                return None;
            }
            let changed = rescale_row(&chain[row * k..][..k], column, percent);
            chain[row * k..][..k].copy_from_slice(&changed);
            ("chain", encode_numbers(chain))
        }
        SequenceAction::SetEntryText { row, column, text } => {
            let digits = text.trim().trim_end_matches('%').trim_end();
            let percent = parse_whole_entry(digits).and_then(|percent| usize::try_from(percent).ok());
            return match percent.filter(|percent| *percent <= 100) {
                Some(percent) => request(state, view, SequenceAction::SetEntry { row, column, percent }),
                None => {
                    let expected = tr!("a whole number of percent from 0 to 100").into();
                    Some(Request::Refuse { key: "chain", text, expected })
                }
            };
        }
        SequenceAction::SetRows(text) => {
            let separators = |sign: char| sign.is_whitespace() || ",.;/|%".contains(sign);
            let words: Vec<&str> = text.split(separators).filter(|word| !word.is_empty()).collect();
            ("chain", words.join("."))
        }
        SequenceAction::CopyChain => {
            ("chain", encode_numbers(displayed_chain(state, view).unwrap_or_else(even)))
        }
        SequenceAction::RandomChain(number) => ("chain", encode_numbers(random_chain(k, number))),
        SequenceAction::RemoveChain => ("chain", String::new()),
        SequenceAction::ToggleHead(head) => {
            let mut off = view.markov.off.clone();
            match off.iter().position(|other| *other == head) {
                Some(at) => drop(off.remove(at)),
                None => off.push(head),
            }
            off.sort_unstable();
            ("off", encode_numbers(off))
        }
        SequenceAction::EnableAllHeads => ("off", String::new()),
        SequenceAction::SelectPosition(place) => ("place", place.to_string()),
        SequenceAction::SelectHead(head) => ("head", head.to_string()),
        SequenceAction::SelectSequence(example) => ("example", example.to_string()),
    };
    let mut edits = vec![(key, text)];
    // A sequence entered by the user would hide the new example or chain.
    if ["example", "chain"].contains(&key) && !view.markov.sequence.is_empty() {
        edits.push(("seq", String::new()));
    }
    Some(Request::Edit(edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_are_symbols() {
        assert_eq!(parse_symbols("aB, 0 1.b", 2), Ok(vec![0, 1, 0, 1, 1]));
        let wrong = parse_symbols("abx", 2).unwrap_err();
        assert_eq!(wrong, "symbols from a to b, or from 0 to 1; “x” is not one of these symbols");
        assert!(parse_symbols("012", 3).is_ok() && parse_symbols("3", 3).is_err());
    }
}
