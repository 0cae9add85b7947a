//! What a person does in the panel: change the test input, choose a program or write one, and take another problem for a
//! search. All of it asks for another run, is in the link, and can be undone.

use super::editor;
use crate::succinct::SuccinctState;
use vivarium_core::settings::Value;
use vivarium_model::models::recurrent_conv::Chosen;
use vivarium_view::ui::request::Request;

/// What can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelAction {
    /// Change this number of the test input, from 0.
    Toggle(usize),
    /// Take the test input that is drawn.
    Draw,
    /// Take this entry of [`EXAMPLES`].
    Example(usize),
    /// Take the program of this text.
    Write(String),
    /// Take another problem of the same kind.
    Another,
    /// Take a problem of twice the size.
    Twice,
}

/// Settings to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What it is called, in English.
    pub name: &'static str,
    /// The program.
    pub program: Chosen,
    /// The settings, as a link has them.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Settings to begin with, in the order of their buttons.
pub const EXAMPLES: [Example; 3] = [
    Example {
        name: text!("Dictator learner"),
        program: Chosen::Dictator,
        settings: &[
            ("concept", "dictator"),
            ("program", "dictator"),
            ("inputs", "6"),
            ("examples", "8"),
            ("steps", "200"),
        ],
    },
    Example {
        name: text!("Parity by elimination"),
        program: Chosen::Parity,
        settings: &[
            ("concept", "parity"),
            ("program", "parity"),
            ("inputs", "4"),
            ("examples", "8"),
            ("steps", "1100"),
        ],
    },
    Example { name: text!("Own program"), program: Chosen::Own, settings: &[("program", "own")] },
];

/// Most inputs and most examples of a run.
const MOST: [usize; 2] = [31, 100];
/// How many seeds there are.
const SEEDS: u64 = 1 << 53;

/// What the page is asked for by this deed in a run from this seed; nothing where nothing can be done.
pub fn request(state: &SuccinctState, seed: u64, what: PanelAction) -> Option<Request> {
    match what {
        PanelAction::Toggle(at) => {
            let mut query = state.query.clone();
            let number = query.get_mut(at)?;
            *number = -*number;
            Some(Request::edit("query", dotted(&query)))
        }
        PanelAction::Draw => Some(Request::edit("query", "")),
        PanelAction::Example(at) => {
            let settings = EXAMPLES.get(at)?.settings.iter().map(|(key, text)| (*key, text.to_string()));
            Some(together(state, settings.collect()))
        }
        PanelAction::Write(text) => {
            editor::checked(&text).ok()?;
            let rules = Value::Text(editor::lines(&text)).to_string();
            Some(together(state, vec![("program", Chosen::Own.slug().to_string()), ("grid", rules)]))
        }
        PanelAction::Another => Some(Request::edit("seed", (seed.saturating_add(1) % SEEDS).to_string())),
        PanelAction::Twice => {
            let [inputs, examples] = twice(state)?;
            let settings = vec![("inputs", inputs.to_string()), ("examples", examples.to_string())];
            Some(together(state, settings))
        }
    }
}

/// Inputs and examples of a problem of twice the size, as far as a run may be as large; none where it would be the same.
pub fn twice(state: &SuccinctState) -> Option<[usize; 2]> {
    let now = [state.problem.inputs, state.problem.examples];
    let larger = [0, 1].map(|which| (2 * now[which]).min(MOST[which]));
    (larger != now).then_some(larger)
}

/// These settings as one change, one restart and one undo: a test input that is too long for every problem on the way keeps
/// the page from beginning a run before all of them are there. A test input that was set stays where it still fits.
fn together(state: &SuccinctState, settings: Vec<(&'static str, String)>) -> Request {
    let before = state.problem.inputs;
    let wanted = settings.iter().find(|(key, _)| *key == "inputs").and_then(|(_, text)| text.parse().ok());
    let after = wanted.unwrap_or(before);
    let [most, _] = MOST;
    let length = (most - 2..=most).find(|length| ![before, after].contains(length)).unwrap_or(most);
    let long = ("query", dotted(&vec![1; length]));
    let shown = if before == after { dotted(&state.problem.fixed_input) } else { String::new() };
    Request::Edit([long].into_iter().chain(settings).chain([("query", shown)]).collect())
}

/// "1.0.1": a 1 for 1 and a 0 for −1.
pub fn dotted(numbers: &[i8]) -> String {
    numbers.iter().map(|number| if *number > 0 { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// The text of the program that runs; none of a search.
pub fn text(state: &SuccinctState) -> Option<String> {
    state.on_table().map(|own| editor::lines(own.net.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::settings::{Range, Settings};
    use vivarium_model::tasks::SuccinctLearning;

    #[test]
    fn the_largest_problem_is_that_of_the_settings() {
        for (key, most) in ["inputs", "examples"].into_iter().zip(MOST) {
            let knob = SuccinctLearning::KNOBS.iter().find(|knob| knob.key == key).unwrap();
            assert_eq!(knob.range, Range::Int(1, most as u64), "{key}");
        }
    }
}
