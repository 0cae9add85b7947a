//! What a person does to the prompt that is looked into, and the table of it. All of it is in the link and can be undone;
//! none of it restarts the run.

use crate::lookup::{LookupState, words};
use vivarium_core::settings::real;
use vivarium_core::sorting;
use vivarium_model::permalink::View;
use vivarium_view::display::words::{decimal, percent, thousands};
use vivarium_view::ui::request::Request;

/// Held-out prompts that can be looked into.
pub const EXAMPLES: usize = 64;
/// Most boxes of a table that shows all positions; larger prompts show the chosen position and those that it names.
const MOST_BOXES: usize = 160;
/// Most changes of one kind that a link holds.
const MOST_CHANGES: usize = 64;

/// What can be done to what is looked into.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptAction {
    /// Have this position, from 0, name this one, as it was typed, from 1.
    Name {
        /// Position, from 0.
        place: usize,
        /// Which of its names, from 0.
        which: usize,
        /// What was typed.
        text: String,
    },
    /// Give the token of this position, from 0, this number, as it was typed.
    Number {
        /// Position, from 0.
        place: usize,
        /// Which of its numbers, from 0.
        which: usize,
        /// What was typed.
        text: String,
    },
    /// Look into the answer at this position, from 0.
    Place(usize),
    /// Look into this held-out prompt, from 1, as it was drawn.
    Example(usize),
    /// Take all changes back.
    AsDrawn,
    /// Give the network another head.
    AddHead(usize),
}

/// Changes with this one, as they stand in a link; nothing where there are too many.
fn with(changes: &[(u64, f64)], at: usize, value: f64) -> Option<String> {
    let mut all: Vec<(u64, f64)> = changes.iter().copied().filter(|(place, _)| *place != at as u64).collect();
    all.push((at as u64, value));
    sorting::sort_by_key(&mut all, |(place, _)| *place);
    let written = |(place, value): &(u64, f64)| format!("{place}:{}", real(*value));
    (all.len() <= MOST_CHANGES).then(|| all.iter().map(written).collect::<Vec<_>>().join("_"))
}

/// What the page is asked for by this deed.
pub fn request(state: &LookupState, view: &View, what: PromptAction) -> Request {
    let prompts = &state.prompts;
    let changed =
        |key: &'static str, changes: &[(u64, f64)], at: usize, value: f64| match with(changes, at, value) {
            Some(text) => Request::edit(key, text),
            None => Request::Say(tr!(
                "A link can contain at most 64 changes to a prompt. Undo some of your changes first."
            )),
        };
    match what {
        PromptAction::Name { place, which, text } => {
            let name = text.trim().parse().ok().filter(|name| (1..=prompts.length).contains(name));
            match name {
                Some(name) => changed("named", &view.named, place * prompts.names + which + 1, name as f64),
                None => {
                    let expected = tr!("a position from 1 to {last}", last = prompts.length);
                    Request::Refuse { key: "named", text, expected }
                }
            }
        }
        PromptAction::Number { place, which, text } => {
            // As it is written here, and as it is typed.
            let number = text.trim().replace('−', "-").replace(',', ".").parse::<f64>().ok();
            match number.filter(|number| number.abs() <= 100.0) {
                Some(number) => changed("tokens", &view.tokens, place * prompts.dim + which + 1, number),
                None => {
                    let expected = tr!("a number from −100 to 100").into();
                    Request::Refuse { key: "tokens", text, expected }
                }
            }
        }
        PromptAction::Place(place) => Request::edit("place", (place + 1).to_string()),
        PromptAction::Example(example) => {
            Request::Edit(cleared(view, Some(("example", example.to_string()))))
        }
        PromptAction::AsDrawn => Request::Edit(cleared(view, None)),
        PromptAction::AddHead(heads) => Request::edit("h", (heads + 1).to_string()),
    }
}

/// The edits that take all changes back, with another one.
fn cleared(view: &View, more: Option<(&'static str, String)>) -> Vec<(&'static str, String)> {
    let changes = [("named", view.named.is_empty()), ("tokens", view.tokens.is_empty())];
    let some = changes.into_iter().filter(|(_, is_empty)| !is_empty).map(|(key, _)| (key, String::new()));
    some.chain(more).collect()
}

/// The positions that the table shows, from 0, in rising order: all of them, or of a large prompt the chosen one and those
/// that it names.
pub fn shown(state: &LookupState, view: &View) -> Vec<usize> {
    let prompts = &state.prompts;
    if prompts.length * (prompts.dim + prompts.names) <= MOST_BOXES {
        return (0..prompts.length).collect();
    }
    let place = state.place(view);
    let mut all = state.named(place).to_vec();
    all.push(place);
    all.sort_unstable();
    all.dedup();
    all
}

/// Where the prompt comes from.
pub fn origin(state: &LookupState) -> String {
    let (number, length) = (state.inspected.example, state.prompts.length);
    match state.inspected.changed {
        false => {
            tr!("Held-out prompt {number} of {all}: {length} positions.", number, all = EXAMPLES, length)
        }
        true => tr!("Held-out prompt {number} of {all}, with your changes.", number, all = EXAMPLES),
    }
}

/// How many pairs of random codes are too much alike for theory; nothing where codes are not random.
pub fn code_pairs(state: &LookupState) -> Option<String> {
    let (count, length) = (state.strong_pairs? as u64, state.prompts.length as u64);
    Some(tr!(
        "For {count} of {all} pairs of positions, the scalar product of the codes of the two positions has an absolute value above 1/2 (for the codes before they are scaled). Assumption 3 of the paper excludes such pairs.",
        count = thousands(count),
        all = thousands(length * (length - 1) / 2)
    ))
}

/// What is said of a run's codes: [`code_pairs`], and how much of the attention named tokens get where it is set by hand.
pub fn about_codes(state: &LookupState) -> Option<String> {
    let all: Vec<String> = [code_pairs(state), words::by_hand(state)].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// A number of a token as it stands in its box: three decimals, or as it was entered.
pub fn number(value: f32) -> String {
    let short = format!("{value:.3}");
    if short.parse() == Ok(value) { real(f64::from(value)) } else { short }
}

/// Truth and answer at a position.
pub fn answer(state: &LookupState, place: usize) -> [String; 2] {
    let of = |all: &Vec<f64>| all.get(place).map_or(String::new(), |number| decimal(*number as f32));
    [&state.inspected.truth, &state.inspected.answers].map(of)
}

/// The share of its attention that a head has on a position, while the chosen one is answered.
pub fn share(state: &LookupState, head: usize, place: usize) -> f64 {
    state.inspected.attention.get(head).and_then(|shares| shares.get(place)).copied().unwrap_or(0.0)
}

/// What the network makes of the chosen position.
pub fn about(state: &LookupState, view: &View) -> String {
    let place = state.place(view);
    let [truth, answer] = answer(state, place);
    let said = tr!(
        "Position {place} contains the names {names}. The label of this position is {truth}; the network's answer is {answer}.",
        place = place + 1,
        names = vivarium_view::display::words::list(
            &state.named(place).iter().map(|name| (name + 1).to_string()).collect::<Vec<_>>()
        ),
        truth,
        answer
    );
    let squares = state.inspected.truth.iter().zip(&state.inspected.answers).map(|(y, o)| (y - o).powi(2));
    let error = squares.sum::<f64>() / (state.prompts.length as f64 * state.variance);
    match error.is_finite() {
        true => tr!(
            "{said} Over the whole prompt the relative error is {error}.",
            said,
            error = decimal(error as f32)
        ),
        false => said,
    }
}

/// How much a head looks at the tokens that the chosen position names, for the head of its column.
pub fn on_names(state: &LookupState, view: &View, head: usize) -> String {
    let mut names = state.named(state.place(view)).to_vec();
    names.sort_unstable();
    names.dedup();
    percent(names.into_iter().map(|name| share(state, head, name)).sum::<f64>() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_were_entered() {
        assert_eq!([1.5f32, -2.0, 0.123_456, 0.125].map(number), ["1.5", "-2", "0.123", "0.125"]);
    }
}
