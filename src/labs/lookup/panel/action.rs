//! Actions of the user on the inspected prompt, and its table. All changes are in the link and can be undone; only
//! another head restarts the run.

use crate::lookup::{LookupState, texts};
use vivarium_core::settings::entry::{parse_real_entry, parse_whole_entry};
use vivarium_core::settings::format_real;
use vivarium_core::sorting;
use vivarium_model::permalink::ViewSettings;
use vivarium_view::display::words::{format_decimal, format_percent, format_thousands};
use vivarium_view::ui::request::Request;

/// Number of held-out prompts among which the user can choose the inspected one.
pub const HELD_OUT_PROMPTS: usize = 64;
/// Maximum number of input fields in a table of all positions of a prompt; for longer prompts the table has only the
/// selected position and the positions that it names.
const MAX_TABLE_FIELDS: usize = 160;
/// Maximum number of changed token entries in a link, and likewise of changed names.
const MAX_CHANGES: usize = 64;

/// User action in the panel: change, select or restore the inspected prompt, or restart the run with one more head.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptAction {
    /// Sets the position that one name of a position refers to; the text is a number from 1.
    SetName {
        /// Position, from 0, whose name is set.
        place: usize,
        /// Index, from 0, of the name among the names of the position.
        name_index: usize,
        /// Number of the named position, from 1, as the user typed it.
        text: String,
    },
    /// Sets one entry of the token at a position.
    SetTokenEntry {
        /// Position, from 0, whose token is changed.
        place: usize,
        /// Index, from 0, of the entry in the token.
        entry_index: usize,
        /// New value of the token entry, as the user typed it.
        text: String,
    },
    /// Selects the position, from 0, whose answer is inspected.
    SelectPosition(usize),
    /// Selects the held-out prompt with this number, from 1, without changes.
    SelectPrompt(usize),
    /// Removes all changes that the user has made to the inspected prompt.
    UndoChanges,
    /// Restarts the run with one attention head more than this number of heads.
    AddHead(usize),
}

/// Adds the change of entry number `at` (from 1) to `value` to `changes`, in place of an earlier change of this entry,
/// and encodes all of them for a link as "3:0.5_7:1", entry and value; `None` if there are more than [`MAX_CHANGES`].
fn encode_changes(changes: &[(u64, f64)], at: usize, value: f64) -> Option<String> {
    let mut all: Vec<(u64, f64)> = changes.iter().copied().filter(|(place, _)| *place != at as u64).collect();
    all.push((at as u64, value));
    sorting::sort_by_key(&mut all, |(place, _)| *place);
    let written = |(place, value): &(u64, f64)| format!("{place}:{}", format_real(*value));
    (all.len() <= MAX_CHANGES).then(|| all.iter().map(written).collect::<Vec<_>>().join("_"))
}

/// Converts a user action on the inspected prompt into an edit of the link that the page carries out.
pub fn request(state: &LookupState, view: &ViewSettings, action: PromptAction) -> Request {
    let prompts = &state.prompts;
    let changed = |key: &'static str, changes: &[(u64, f64)], at: usize, value: f64| match encode_changes(
        changes, at, value,
    ) {
        Some(text) => Request::edit(key, text),
        None => Request::ShowMessage(tr!(
            "A link can contain at most 64 changes to a prompt. Undo some of your changes first."
        )),
    };
    match action {
        PromptAction::SetName { place, name_index: which, text } => {
            let name = parse_whole_entry(&text).and_then(|name| usize::try_from(name).ok());
            let name = name.filter(|name| (1..=prompts.length).contains(name));
            match name {
                Some(name) => {
                    changed("named", &view.prompt.named, place * prompts.names + which + 1, name as f64)
                }
                None => {
                    let expected = tr!("a position from 1 to {last}", last = prompts.length);
                    Request::Refuse { key: "named", text, expected }
                }
            }
        }
        PromptAction::SetTokenEntry { place, entry_index: which, text } => {
            let expected = tr!("a number from −100 to 100");
            let error = match parse_real_entry(&text) {
                Ok(number) if number.abs() <= 100.0 => {
                    return changed("tokens", &view.prompt.tokens, place * prompts.dim + which + 1, number);
                }
                Ok(_) => None,
                Err(error) => error,
            };
            let expected = error.map_or(expected.into(), |error| error.describe(expected));
            Request::Refuse { key: "tokens", text, expected }
        }
        PromptAction::SelectPosition(place) => Request::edit("place", (place + 1).to_string()),
        PromptAction::SelectPrompt(example) => {
            Request::Edit(edits_without_changes(view, Some(("example", example.to_string()))))
        }
        PromptAction::UndoChanges => Request::Edit(edits_without_changes(view, None)),
        PromptAction::AddHead(heads) => Request::edit("h", (heads + 1).to_string()),
    }
}

/// Link edits, as (key, value), that remove the user's changes to the prompt, followed by the edit `more`.
fn edits_without_changes(
    view: &ViewSettings,
    more: Option<(&'static str, String)>,
) -> Vec<(&'static str, String)> {
    let changes = [("named", view.prompt.named.is_empty()), ("tokens", view.prompt.tokens.is_empty())];
    let some = changes.into_iter().filter(|(_, is_empty)| !is_empty).map(|(key, _)| (key, String::new()));
    some.chain(more).collect()
}

/// Positions of the inspected prompt, from 0, that the table of tokens, names and outputs shows, ascending: all
/// positions, or for a long prompt the selected position and the positions that it names.
pub fn table_positions(state: &LookupState, view: &ViewSettings) -> Vec<usize> {
    let prompts = &state.prompts;
    if prompts.length * (prompts.dim + prompts.names) <= MAX_TABLE_FIELDS {
        return (0..prompts.length).collect();
    }
    let place = state.shown_position(view);
    let mut all = state.names_at(place).to_vec();
    all.push(place);
    all.sort_unstable();
    all.dedup();
    all
}

/// Sentence on where the inspected prompt comes from: number of the held-out prompt, and whether the user has changed
/// it.
pub fn describe_origin(state: &LookupState) -> String {
    let (number, length) = (state.inspected.example, state.prompts.length);
    match state.inspected.changed {
        false => {
            tr!(
                "Held-out prompt {number} of {all}: {length} positions.",
                number,
                all = HELD_OUT_PROMPTS,
                length
            )
        }
        true => tr!("Held-out prompt {number} of {all}, with your changes.", number, all = HELD_OUT_PROMPTS),
    }
}

/// Sentence with the number of pairs of positions whose codes are too similar for assumption 3 of Mousavi-Hosseini et
/// al. 2025 (scalar product above 1/2 in absolute value); `None` unless codes are random.
pub fn describe_code_pairs(state: &LookupState) -> Option<String> {
    let (count, length) = (state.correlated_code_pairs? as u64, state.prompts.length as u64);
    Some(tr!(
        "For {count} of {all} pairs of positions, the scalar product of the codes of the two positions has an absolute value above 1/2 (for the codes before they are scaled). Assumption 3 of the paper excludes such pairs.",
        count = format_thousands(count),
        all = format_thousands(length * (length - 1) / 2)
    ))
}

/// Sentences on the codes (positional encodings) of positions and on attention weights set by hand; `None` if neither
/// codes are random nor weights set by hand.
pub fn describe_codes(state: &LookupState) -> Option<String> {
    let all: Vec<String> = [describe_code_pairs(state), texts::describe_hand_set_attention(state)]
        .into_iter()
        .flatten()
        .collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Formats a token entry for its input field: rounded to three decimals, or exactly if three decimals are exact.
pub fn format_number(value: f32) -> String {
    let short = format!("{value:.3}");
    if short.parse() == Ok(value) { format_real(f64::from(value)) } else { short }
}

/// Label, and output of the first network, at a position (from 0) of the inspected prompt, as text; two empty texts
/// beyond the last position.
pub fn format_label_and_output(state: &LookupState, position: usize) -> [String; 2] {
    let of =
        |all: &Vec<f64>| all.get(position).map_or(String::new(), |number| format_decimal(*number as f32));
    [&state.inspected.labels, &state.inspected.outputs].map(of)
}

/// Attention weight of head number `head` (from 0) on the key at `position` (from 0), for the selected query position;
/// 0 without such a head.
pub fn attention_weight(state: &LookupState, head: usize, position: usize) -> f64 {
    state.inspected.attention.get(head).and_then(|shares| shares.get(position)).copied().unwrap_or(0.0)
}

/// Sentences on the selected position: its names, label and output, and the relative error over the whole prompt (mean
/// squared error divided by the variance of a label).
pub fn describe_position(state: &LookupState, view: &ViewSettings) -> String {
    let place = state.shown_position(view);
    let [truth, answer] = format_label_and_output(state, place);
    let said = tr!(
        "Position {place} contains the names {names}. The label of this position is {truth}; the network's answer is {answer}.",
        place = place + 1,
        names = vivarium_view::display::words::join_list(
            &state.names_at(place).iter().map(|name| (name + 1).to_string()).collect::<Vec<_>>()
        ),
        truth,
        answer
    );
    let squares = state.inspected.labels.iter().zip(&state.inspected.outputs).map(|(y, o)| (y - o).powi(2));
    let error = squares.sum::<f64>() / (state.prompts.length as f64 * state.label_variance);
    match error.is_finite() {
        true => tr!(
            "{said} Over the whole prompt the relative error is {error}.",
            said,
            error = format_decimal(error as f32)
        ),
        false => said,
    }
}

/// Sum of the attention weights of head number `head` (from 0) on the tokens that the selected position names, as a
/// percentage.
pub fn format_attention_on_names(state: &LookupState, view: &ViewSettings, head: usize) -> String {
    let mut names = state.names_at(state.shown_position(view)).to_vec();
    names.sort_unstable();
    names.dedup();
    format_percent(names.into_iter().map(|name| attention_weight(state, head, name)).sum::<f64>() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_were_entered() {
        assert_eq!([1.5f32, -2.0, 0.123_456, 0.125].map(format_number), ["1.5", "-2", "0.123", "0.125"]);
    }
}
