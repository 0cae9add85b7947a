//! Example circuits, and an editor for the text of a circuit with an error message for each invalid line.

use leptos::prelude::*;

use crate::circuits::news::{PanelContext, SendAction};
use vivarium_core::language::translated;
use vivarium_labs::circuits::panel::action::{self, EXAMPLES, PanelAction};
use vivarium_labs::circuits::panel::editor;
use vivarium_ui::button::button;
use vivarium_ui::effect::effect;

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
    // The edited text; `None` while it is the text of the run's circuit.
    let draft = RwSignal::new(None::<String>);
    // A new circuit on the page replaces the edited text.
    effect(move || {
        shown.with(|_| ());
        draft.set(None);
    });
    let text = Memo::new(move |_| draft.get().or_else(|| shown.get()).unwrap_or_default());
    let mistakes =
        Memo::new(move |_| text.with(|text| editor::parse_circuit_text(text).err().unwrap_or_default()));
    let is_same = move || draft.with(|draft| draft.is_none()) || shown.get().as_ref() == Some(&text.get());
    let run = move || panel.send_action(PanelAction::LoadText(text.get_untracked()));
    let listed = move || {
        let one = |mistake: editor::CircuitTextError| view! { <li>{mistake.sentence}</li> };
        mistakes.get().into_iter().map(one).collect_view()
    };
    let problem = panel.rejected_text("text");
    view! {
        <label class="editing__label" for="circuit-text">
            {tr!("Write one gate per line, in one of these forms: s = a and b, s = a or b, s = not a, s = a. The output is the gate with the name “out”. If no gate has this name, the output is the gate in the last line.")}
        </label>
        <textarea class="knob__box knob__box--lines written__text" id="circuit-text"
            data-testid="circuit-text" spellcheck="false" autocomplete="off" rows="8"
            aria-invalid=move || (!mistakes.with(Vec::is_empty)).to_string() aria-describedby="circuit-mistakes"
            prop:value=move || text.get() on:input=move |event| draft.set(Some(event_target_value(&event)))></textarea>
        <ul class="written__mistakes" id="circuit-mistakes" role="status" data-testid="circuit-mistakes">{listed}</ul>
        <p class="knob__problem" role="status" data-testid="text-problem">{problem}</p>
        <div class="editing__buttons" role="group" aria-label=tr!("Actions for the text in the editor")>
            {button("run-circuit", tr!("Run this circuit"),
                Box::new(move || is_same() || !mistakes.with(Vec::is_empty)), Box::new(run))}
            {button("drop-circuit", tr!("Discard the changes"), Box::new(is_same), Box::new(move || draft.set(None)))}
        </div>
    }
    .into_any()
}
