//! What a person does in the panel: choose a block, which changes what is shown, and choose or write a machine, which asks for
//! another run. All of it is in the link and can be undone.

use super::editor::{Draft, Written};
use crate::machines::MachineState;
use vivarium_science::machines::library::{self, MachineExample};
use vivarium_view::ui::request::Request;

/// An input that no machine knows, since its only symbol separates rules.
///
/// # Why
/// Settings are taken one after the other, and each of them would start a run of its own where what stands beside it is
/// possible too. With this input nothing is possible: it comes first and the input that is meant last, so that all of it is
/// one change, one restart and one undo.
const NONE: &str = ";";

/// The slug of a person's own rules among the machines.
pub const OWN: &str = "own";

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum PanelAction {
    /// Show the token after this block of the step, from 1; 0 shows it before the first one.
    Stage(usize),
    /// Run the machine of the library that has this slug, as the library has it.
    Example(String),
    /// Take the machine that runs as one's own rules.
    Own,
    /// Run this machine.
    Run(Draft),
}

/// What the page is asked for by this deed.
pub fn request(state: &MachineState, what: PanelAction) -> Option<Request> {
    let steps = state.program.steps;
    Some(match what {
        PanelAction::Stage(stage) => Request::edit("layer", stage.to_string()),
        PanelAction::Example(slug) if slug == OWN => return request(state, PanelAction::Own),
        PanelAction::Example(slug) => library::find_example(&slug).map(of_library)?,
        PanelAction::Own => Draft::of(&state.program).read(steps).ok().map(own)?,
        PanelAction::Run(draft) => match draft.read(steps) {
            Ok(written) => own(written),
            Err(_) => Request::Say(tr!("This machine cannot run yet. The editor shows the mistake.")),
        },
    })
}

/// Has a machine of a person's own run.
fn own(written: Written) -> Request {
    let [rules, (key, input), cell] = written.texts();
    Request::Edit(vec![(key, NONE.into()), ("m", OWN.into()), rules, cell, (key, input)])
}

/// Has a machine of the library run with its own input, from its own cell, for as many steps as it has there.
fn of_library(example: &MachineExample) -> Request {
    let steps = example.steps.to_string();
    Request::Edit(vec![
        ("input", NONE.into()),
        ("m", example.slug.into()),
        ("cell", "0".into()),
        ("t", steps.clone()),
        ("steps", steps),
        ("input", String::new()),
    ])
}

/// The slug of the machine that runs, as the chooser shows it.
pub fn chosen(state: &MachineState) -> &'static str {
    state.example.map_or(OWN, |example| example.slug)
}

/// What the machine that runs does, in a sentence.
pub fn about(state: &MachineState) -> &'static str {
    state.example.map_or(tr!("This machine uses your own rules."), MachineExample::about)
}
