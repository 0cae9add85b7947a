//! Actions in the panel: to select a block, which changes the display, and to choose or write a machine, which starts
//! another run. All of it is in the link and can be undone.

use super::editor::{Draft, ParsedDraft};
use crate::machines::MachineState;
use vivarium_science::machines::library::{self, MachineExample};
use vivarium_view::ui::request::Request;

/// Input text for the tape that every machine rejects, because its only character separates rules.
///
/// # Why
///
/// Settings are changed one after another, and each change would start a run if the settings were valid. With this
/// input they are invalid: it is set first and the actual input last, so that the whole edit is one change, one restart
/// and one undo.
const INVALID_INPUT: &str = ";";

/// Value that stands in the menu of machines for a machine with rules written by the user.
pub const CUSTOM: &str = "own";

/// User action in the panel: select a block of the transformer, or choose or write a Turing machine.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineAction {
    /// Shows the token after this block of the step, from 1; 0 shows it before the first block.
    SelectBlock(usize),
    /// Runs the machine of the library with this slug, with the library's input.
    RunExample(String),
    /// Copies the running machine into the editor as the user's own rules.
    EditRules,
    /// Runs the machine in the editor.
    RunDraft(Draft),
}

/// Converts a user action in the panel into an edit of the link that the page carries out; `None` if nothing changes.
pub fn request(state: &MachineState, action: MachineAction) -> Option<Request> {
    let steps = state.program.steps;
    Some(match action {
        MachineAction::SelectBlock(stage) => Request::edit("layer", stage.to_string()),
        MachineAction::RunExample(slug) if slug == CUSTOM => return request(state, MachineAction::EditRules),
        MachineAction::RunExample(slug) => library::find_example(&slug).map(request_example)?,
        MachineAction::EditRules => {
            Draft::from_program(&state.program).parse(steps).ok().map(request_custom_machine)?
        }
        MachineAction::RunDraft(draft) => match draft.parse(steps) {
            Ok(written) => request_custom_machine(written),
            Err(_) => Request::ShowMessage(tr!("This machine cannot run yet. The editor shows the mistake.")),
        },
    })
}

/// Request to run the machine of a parsed draft, which the user has written.
fn request_custom_machine(draft: ParsedDraft) -> Request {
    let [rules, (key, input), cell] = draft.link_settings();
    Request::Edit(vec![(key, INVALID_INPUT.into()), ("m", CUSTOM.into()), rules, cell, (key, input)])
}

/// Request to run a machine of the library with the library's input, start cell and number of steps.
fn request_example(example: &MachineExample) -> Request {
    let steps = example.steps.to_string();
    Request::Edit(vec![
        ("input", INVALID_INPUT.into()),
        ("m", example.slug.into()),
        ("cell", "0".into()),
        ("t", steps.clone()),
        ("steps", steps),
        ("input", String::new()),
    ])
}

/// Value of the running machine in the menu of machines: its slug in the library, or [`CUSTOM`].
pub fn machine_slug(state: &MachineState) -> &'static str {
    state.example.map_or(CUSTOM, |example| example.slug)
}

/// Sentence on what the running machine computes.
pub fn describe_machine(state: &MachineState) -> &'static str {
    state.example.map_or(tr!("This machine uses your own rules."), MachineExample::about)
}
