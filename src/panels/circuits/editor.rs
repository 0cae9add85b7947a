//! Example circuits, and an editor for the text of a circuit with an error message for each invalid line.

use leptos::prelude::*;

use crate::circuits::context::{PanelContext, SendAction};
use crate::text_editor::{ErrorDisplay, TextDraft, TextEditor};
use vivarium_core::language::translated;
use vivarium_labs::circuits::panel::action::{self, EXAMPLES, PanelAction};
use vivarium_labs::circuits::panel::editor;

/// Draws one button per example circuit; a click opens a run of that circuit.
pub(super) fn draw_example_buttons(panel: PanelContext) -> AnyView {
    let one = move |(at, (name, named, ..)): (
        usize,
        (&'static str, vivarium_science::circuits::CircuitKind, &str, &str),
    )| {
        let is_shown = panel.memo(move |state, _| action::is_current_example(state, at));
        view! {
            <button class="button" type="button" data-testid=format!("example-{}", named.slug())
                aria-pressed=move || (is_shown.get() == Some(true)).to_string() on:click=move |_| panel.send_action(PanelAction::LoadExample(at))>
                {translated(name)}
            </button>
        }
    };
    view! {
        <div class="circuit-bits" role="group" aria-label=tr!("Example circuits") data-testid="circuit-examples">
            {EXAMPLES.into_iter().enumerate().map(one).collect_view()}
        </div>
    }
    .into_any()
}

/// Draws the editor for the text of a circuit, with an error message for each invalid line.
pub(super) fn draw_editor(panel: PanelContext) -> AnyView {
    let shown = panel.memo(|state, _| action::circuit_text(state));
    let draft = TextDraft::new(shown, |text| editor::parse_circuit_text(text).err().unwrap_or_default());
    let run = move |text: String| panel.send_action(PanelAction::LoadText(text));
    let rejected = panel.rejected_text("text");
    view! {
        <TextEditor id="circuit-text" class="setting__input setting__input--multiline circuit-editor__text" rows=8
            label=tr!("Write one gate per line, in one of these forms: s = a and b, s = a or b, s = not a, s = a. The output is the gate with the name “out”. If no gate has this name, the output is the gate in the last line.")
            text=draft.text on_input=draft.on_input() errors=draft.errors errors_id="circuit-errors"
            display=ErrorDisplay::List("circuit-editor__errors")>
            <p class="setting__error" role="status" data-testid="text-error" prop:textContent=rejected></p>
            {draft.draw_buttons("run-circuit", tr!("Run this circuit"), "drop-circuit", run)}
        </TextEditor>
    }
    .into_any()
}
