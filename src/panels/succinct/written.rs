//! An editor for the text of a program, with an error message for each invalid line.

use leptos::prelude::*;

use crate::succinct::news::{PanelContext, SendAction};
use vivarium_labs::succinct::panel::action::{self, SuccinctAction};
use vivarium_labs::succinct::panel::editor;
use vivarium_ui::button::button;
use vivarium_ui::effect::effect;

/// Draws the editor for the text of a program, with an error message for each invalid line.
pub(super) fn draw_editor(panel: PanelContext) -> AnyView {
    let shown = Memo::new(move |_| panel.see(|state, _| action::program_text(state)).flatten());
    // The edited text; `None` while it is the text of the run's program.
    let draft = RwSignal::new(None::<String>);
    // A new program on the page replaces the edited text.
    effect(move || {
        shown.with(|_| ());
        draft.set(None);
    });
    let text = Memo::new(move |_| draft.get().or_else(|| shown.get()).unwrap_or_default());
    let mistakes =
        Memo::new(move |_| text.with(|text| editor::parse_program(text).err().unwrap_or_default()));
    let is_same = move || draft.with(|draft| draft.is_none()) || shown.get().as_ref() == Some(&text.get());
    let run = move || panel.send_action(SuccinctAction::WriteProgram(text.get_untracked()));
    let listed = move || {
        let one = |mistake: editor::ProgramTextError| view! { <li>{mistake.message}</li> };
        mistakes.get().into_iter().map(one).collect_view()
    };
    let problem = panel.rejected_text("grid");
    view! {
        <label class="editing__label" for="succinct-text">
            {tr!("Write one rule per line: state, symbols read, an arrow (→ or ->), symbol written, move (U, D, L, R or S for up, down, left, right or stay) and next state. _ is the blank, and + and - are 1 and −1. You can also write * in place of a symbol. In place of the symbols read, * stands for all symbols that have no separate rule in this state. In place of the symbol written, * means that the symbol does not change. // begins a comment. The program starts in the state of the first rule, with the head on the bottom-right cell of the table. The move of the first step must be S. Once the program is in the state HALT, the answer is the + or - in the top-left cell of the table; all other cells of the table must be blank, and the head must be outside of the table or on the top-left cell.")}
        </label>
        <textarea class="knob__box knob__box--lines succinct-text" id="succinct-text"
            data-testid="program-text" spellcheck="false" autocomplete="off" rows="10"
            aria-invalid=move || (!mistakes.with(Vec::is_empty)).to_string() aria-describedby="succinct-mistakes"
            prop:value=move || text.get() on:input=move |event| draft.set(Some(event_target_value(&event)))></textarea>
        <ul class="succinct-mistakes" id="succinct-mistakes" role="status" data-testid="program-mistakes">{listed}</ul>
        <p class="knob__problem" role="status" data-testid="grid-problem">{problem}</p>
        <div class="editing__buttons" role="group" aria-label=tr!("Actions for the text in the editor")>
            {button("run-program", tr!("Run this program"),
                Box::new(move || is_same() || !mistakes.with(Vec::is_empty)), Box::new(run))}
            {button("drop-program", tr!("Discard the changes"), Box::new(is_same), Box::new(move || draft.set(None)))}
        </div>
    }
    .into_any()
}
