//! An editor for the text of a program, with an error message for each invalid line.

use leptos::prelude::*;

use crate::succinct::context::{PanelContext, SendAction};
use crate::text_editor::{ErrorDisplay, TextDraft, TextEditor};
use vivarium_labs::succinct::panel::action::{self, SuccinctAction};
use vivarium_labs::succinct::panel::editor;

/// Draws the editor for the text of a program, with an error message for each invalid line.
pub(super) fn draw_editor(panel: PanelContext) -> AnyView {
    let shown = Memo::new(move |_| panel.see(|state, _| action::program_text(state)).flatten());
    let draft = TextDraft::new(shown, |text| editor::parse_program(text).err().unwrap_or_default());
    let run = move |text: String| panel.send_action(SuccinctAction::WriteProgram(text));
    let rejected = panel.rejected_text("grid");
    view! {
        <TextEditor id="program-text" class="setting__input setting__input--multiline succinct-text" rows=10
            label=tr!("Write one rule per line: state, symbols read, an arrow (→ or ->), symbol written, move (U, D, L, R or S for up, down, left, right or stay) and next state. _ is the blank, and + and - are 1 and −1. You can also write * in place of a symbol. In place of the symbols read, * stands for all symbols that have no separate rule in this state. In place of the symbol written, * means that the symbol does not change. // begins a comment. The program starts in the state of the first rule, with the head on the bottom-right cell of the table. The move of the first step must be S. Once the program is in the state HALT, the answer is the + or - in the top-left cell of the table; all other cells of the table must be blank, and the head must be outside of the table or on the top-left cell.")
            text=draft.text on_input=draft.on_input() errors=draft.errors errors_id="program-errors"
            display=ErrorDisplay::List("succinct-errors")>
            <p class="setting__error" role="status" data-testid="grid-error" prop:textContent=rejected></p>
            {draft.draw_buttons("run-program", tr!("Run this program"), "drop-program", run)}
        </TextEditor>
    }
    .into_any()
}
