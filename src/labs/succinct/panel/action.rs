//! Actions in the panel: to change the test input, choose a program or write one, and take another problem for
//! a search. All of it asks for another run, is in the link, and can be undone.

use super::editor;
use crate::succinct::SuccinctState;
use vivarium_core::settings::Value;
use vivarium_model::models::recurrent_conv::Chosen;
use vivarium_view::ui::request::Request;

/// User action in the panel: change the test input, the program or the learning problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuccinctAction {
    /// Flips the sign of the entry with this index, from 0, of the test input.
    ToggleInput(usize),
    /// Restores the test input as sampled.
    ResetInput,
    /// Runs the learning program with this index, from 0, in [`EXAMPLES`].
    RunExample(usize),
    /// Runs the program with this text.
    WriteProgram(String),
    /// Restarts the run with another learning problem of the same kind, from the next seed.
    NextProblem,
    /// Restarts the run with twice as many inputs and training examples.
    DoubleSize,
}

/// Learning program that a button of the panel runs, with the settings of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleProgram {
    /// Name on the button that runs the learning program, in English.
    pub name: &'static str,
    /// Value of the model's setting that selects this learning program.
    pub program: Chosen,
    /// Settings of a run of this program, as (key, value in link notation).
    pub settings: &'static [(&'static str, &'static str)],
}

/// Learning programs, in the order of their buttons in the panel.
pub const EXAMPLES: [ExampleProgram; 3] = [
    ExampleProgram {
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
    ExampleProgram {
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
    ExampleProgram { name: text!("Own program"), program: Chosen::Own, settings: &[("program", "own")] },
];

/// Maximum number of inputs d and maximum number of training examples m of a learning problem, in this order.
const MAX_SIZE: [usize; 2] = [31, 100];
/// Number of possible seeds of a run; seeds count from 0.
const SEED_COUNT: u64 = 1 << 53;

/// Converts a user action in the panel into an edit of the link that the page carries out; `seed` is that of the run.
/// `None` if nothing changes.
pub fn request(state: &SuccinctState, seed: u64, action: SuccinctAction) -> Option<Request> {
    match action {
        SuccinctAction::ToggleInput(at) => {
            let mut query = state.query.clone();
            let number = query.get_mut(at)?;
            *number = -*number;
            Some(Request::edit("query", encode_bits(&query)))
        }
        SuccinctAction::ResetInput => Some(Request::edit("query", "")),
        SuccinctAction::RunExample(at) => {
            let settings = EXAMPLES.get(at)?.settings.iter().map(|(key, text)| (*key, text.to_string()));
            Some(combine_settings(state, settings.collect()))
        }
        SuccinctAction::WriteProgram(text) => {
            editor::parse_program(&text).ok()?;
            let rules = Value::Text(editor::normalize_text(&text)).to_string();
            Some(combine_settings(state, vec![("program", Chosen::Own.slug().to_string()), ("grid", rules)]))
        }
        SuccinctAction::NextProblem => {
            Some(Request::edit("seed", (seed.saturating_add(1) % SEED_COUNT).to_string()))
        }
        SuccinctAction::DoubleSize => {
            let [inputs, examples] = double_size(state)?;
            let settings = vec![("inputs", inputs.to_string()), ("examples", examples.to_string())];
            Some(combine_settings(state, settings))
        }
    }
}

/// Twice the number of inputs and twice the number of examples, in this order, each at most its maximum in
/// [`MAX_SIZE`]; `None` if both maxima are reached.
pub fn double_size(state: &SuccinctState) -> Option<[usize; 2]> {
    let now = [state.problem.inputs, state.problem.examples];
    let larger = [0, 1].map(|which| (2 * now[which]).min(MAX_SIZE[which]));
    (larger != now).then_some(larger)
}

/// Request that changes settings, given as (key, value in link notation), in one edit, with one restart and one undo.
///
/// A test input that is too long for both sizes is set first, so that the page starts no run before all settings are
/// changed. A test input set by the user is kept if it still fits.
fn combine_settings(state: &SuccinctState, settings: Vec<(&'static str, String)>) -> Request {
    let before = state.problem.inputs;
    let wanted = settings.iter().find(|(key, _)| *key == "inputs").and_then(|(_, text)| text.parse().ok());
    let after = wanted.unwrap_or(before);
    let [most, _] = MAX_SIZE;
    let length = (most - 2..=most).find(|length| ![before, after].contains(length)).unwrap_or(most);
    let long = ("query", encode_bits(&vec![1; length]));
    let shown = if before == after { encode_bits(&state.problem.fixed_input) } else { String::new() };
    Request::Edit([long].into_iter().chain(settings).chain([("query", shown)]).collect())
}

/// Encodes the entries ±1 of a test input in the notation of a link, "1.0.1": 1 for 1 and 0 for −1.
pub fn encode_bits(numbers: &[i8]) -> String {
    numbers.iter().map(|number| if *number > 0 { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// Text of the rules of the running program; `None` for a search.
pub fn program_text(state: &SuccinctState) -> Option<String> {
    state.program_state().map(|own| editor::normalize_text(own.net.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::settings::{Range, Settings};
    use vivarium_model::tasks::SuccinctLearning;

    #[test]
    fn the_largest_problem_is_that_of_the_settings() {
        for (key, most) in ["inputs", "examples"].into_iter().zip(MAX_SIZE) {
            let slider = SuccinctLearning::SETTINGS.iter().find(|setting| setting.key == key).unwrap();
            assert_eq!(slider.range, Range::Int(1, most as u64), "{key}");
        }
    }
}
