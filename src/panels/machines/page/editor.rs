//! The editor: choose a machine or write one, and run it.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::{HtmlSelectElement, KeyboardEvent};

use crate::machines::page::context::{PanelContext, SendAction};
use crate::text_editor::{ErrorDisplay, TextEditor, find_text_area};
use vivarium_labs::machines::panel::action::{self, CUSTOM, MachineAction};
use vivarium_labs::machines::panel::editor::{self, Draft, DraftError, EditorField, ParsedDraft, RuleRow};
use vivarium_labs::text_editor::TextError;
use vivarium_science::machines::{MachineProgram, library};
use vivarium_ui::browser::{get_property, on_settled};
use vivarium_ui::button::button;
use vivarium_ui::effect::effect;
use vivarium_ui::text::element_text;

/// DOM id of the text box with the rules of the Turing machine.
const RULES_ID: &str = "machine-rules";
/// Time for which the copy button shows whether copying succeeded.
const COPY_MESSAGE_TIME: Duration = Duration::from_millis(2500);

/// State of the editor in which the user writes a Turing machine: the draft, its parse result, and the machine of the
/// run. Copies share the same signals.
#[derive(Clone, Copy)]
struct MachineEditor {
    /// Access to the displayed run and the lab's data.
    panel: PanelContext,
    /// The Turing machine, with input, of the run on display; `None` while another lab's run is.
    running: Memo<Option<MachineProgram>>,
    /// Texts in the editor's fields: rules, input and start cell.
    draft: RwSignal<Draft>,
    /// Turing machine that the draft describes, or the error that makes the draft invalid.
    parsed: Memo<Result<ParsedDraft, DraftError>>,
    /// Whether the draft describes the Turing machine and input of the displayed run.
    is_unchanged: Memo<bool>,
}

impl MachineEditor {
    fn new(panel: PanelContext) -> MachineEditor {
        let program = panel.memo_per_run(|state| MachineProgram::clone(&state.program));
        let draft = RwSignal::new(
            program.with_untracked(|program| program.as_ref().map(Draft::from_program)).unwrap_or_default(),
        );
        let runs = Memo::new(move |_| {
            program.with(|program| {
                program.as_ref().is_some_and(|program| draft.with(|draft| draft.matches_program(program)))
            })
        });
        let read = Memo::new(move |_| {
            let steps = program.with(|program| program.as_ref().map_or(1, |program| program.steps));
            draft.with(|draft| draft.parse(steps))
        });
        // Another machine, for example after an undo, replaces the draft; the same machine in the user's own notation,
        // with comments, stays.
        let take = move || {
            program.with(|program| {
                if let Some(program) = program
                    && !draft.with_untracked(|draft| draft.matches_program(program))
                {
                    draft.set(Draft::from_program(program));
                }
            });
        };
        effect(take);
        MachineEditor { panel, running: program, draft, parsed: read, is_unchanged: runs }
    }

    /// The error in one part of the draft: rules, input or start cell; `None` if that part is valid.
    fn error(self, part: EditorField) -> Memo<Option<TextError>> {
        Memo::new(move |_| {
            self.parsed.with(|parsed| {
                let error = parsed.as_ref().err().filter(|error| error.editor_field == part);
                error.map(|error| error.error.clone())
            })
        })
    }

    /// Sets the text of one part of the draft: rules, input or start cell.
    fn set_part(self, part: EditorField, text: String) {
        self.draft.update(|draft| *draft = draft.with_text(part, text));
    }

    /// Requests a run of the Turing machine, with its input, that the draft describes.
    fn request_run(self) {
        self.panel.send_action(MachineAction::RunDraft(self.draft.get_untracked()));
    }

    /// Replaces the draft by the Turing machine and input of the displayed run.
    fn reset(self) {
        if let Some(program) = self.running.get_untracked() {
            self.draft.set(Draft::from_program(&program));
        }
    }
}

/// Draws the editor, with a menu of example machines and the rule table of the run.
pub(super) fn draw_editor(panel: PanelContext) -> AnyView {
    let machine_editor = MachineEditor::new(panel);
    let locked = {
        let fields = ["m", "rules"].map(|key| panel.context.field(key));
        move || fields.iter().any(|field| field.with(|field| field.is_locked))
    };
    let about = panel.memo_per_run(action::describe_machine);
    view! {
        <fieldset class="machine-editor" disabled=locked data-testid="machine-editor">
            <legend class="visually-hidden">{tr!("Machine")}</legend>
            {draw_machine_chooser(panel)}
            <p class="card__text" data-testid="machine-about" prop:textContent=about></p>
            <div class="machine-editor__parts">
                <div class="machine-editor__part">
                    {draw_rules_editor(machine_editor)}
                    <div class="machine-editor__fields">
                        {draw_field(machine_editor, EditorField::Input, "machine-input", tr!("Input, from the start cell to the right"))}
                        {draw_field(machine_editor, EditorField::Cell, "machine-cell", tr!("Start cell (0: the page chooses a cell)"))}
                    </div>
                    {draw_buttons(machine_editor)}
                </div>
                <div class="machine-editor__part">{draw_rule_table(machine_editor)}</div>
            </div>
        </fieldset>
    }
    .into_any()
}

/// Draws the menu of the library's example machines.
fn draw_machine_chooser(panel: PanelContext) -> AnyView {
    let chosen = panel.memo_per_run(action::machine_slug);
    let slug = move || chosen.get().unwrap_or(CUSTOM);
    let choose = move |event: web_sys::Event| {
        panel.send_action(MachineAction::RunExample(event_target_value(&event)));
        // What the page does not take is not chosen.
        event_target::<HtmlSelectElement>(&event).set_value(untrack(slug));
    };
    let examples = library::EXAMPLES.iter().map(|example| (example.slug, example.name()));
    let option = move |(of, name): (&'static str, &'static str)| {
        view! { <option value=of selected=move || slug() == of>{name}</option> }
    };
    view! {
        <div class="machine-editor__chooser">
            <label class="editor__label" for="machine-example">{tr!("Machine")}</label>
            <select class="presets__select" id="machine-example" data-testid="machine-example" on:change=choose
                prop:value=slug>
                {examples.chain([(CUSTOM, tr!("Own rules"))]).map(option).collect_view()}
            </select>
        </div>
    }
    .into_any()
}

/// Draws the editor of the rules, with the error in them.
fn draw_rules_editor(machine_editor: MachineEditor) -> AnyView {
    let error = machine_editor.error(EditorField::Rules);
    let errors = Memo::new(move |_| error.get().into_iter().collect::<Vec<_>>());
    let text = Memo::new(move |_| machine_editor.draft.with(|draft| draft.rules.clone()));
    let notation = Memo::new(move |_| {
        let steps =
            machine_editor.running.with(|program| program.as_ref().map_or(1, |program| program.steps));
        machine_editor.draft.with(|draft| draft.describe(steps))
    });
    let on_input = Callback::new(move |text: String| machine_editor.set_part(EditorField::Rules, text));
    let on_ctrl_enter = Callback::new(move |()| machine_editor.request_run());
    view! {
        <TextEditor id=RULES_ID class="setting__input machine-editor__rules" rows=10 label=tr!("Rules, one per line")
            placeholder=tr!("A 0 → 1 R B") text on_input on_ctrl_enter errors errors_id="machine-error"
            display=ErrorDisplay::First("machine-line") note_ids="machine-notation machine-help">
            <p class="machine-editor__notation" id="machine-notation" data-testid="machine-notation"
                prop:textContent=notation></p>
            <p class="machine-editor__notation" id="machine-help">
                {tr!("A 0 → 1 R B means: in state A, if the symbol read is 0, write 1, move right and go to state B. The arrow is -> or →, and the move is L, R or S (stay). The notations of morphett.info and turingmachinesimulator.com are also accepted. _ is the blank. * stands for all symbols or states that have no separate rule. Ctrl+Enter runs the machine.")}
            </p>
        </TextEditor>
    }
    .into_any()
}

/// Draws the one-line field for the input or the start cell, and the error in it.
fn draw_field(
    machine_editor: MachineEditor,
    part: EditorField,
    id: &'static str,
    label: &'static str,
) -> AnyView {
    let error = machine_editor.error(part);
    let text = move || {
        machine_editor.draft.with(|draft| match part {
            EditorField::Input => draft.input.clone(),
            _ => draft.cell.clone(),
        })
    };
    let mode = if part == EditorField::Cell { "numeric" } else { "text" };
    let error_id = format!("{id}-error");
    let on_key = move |event: KeyboardEvent| {
        // Within the composition of a character, Enter chooses the character.
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            machine_editor.request_run();
        }
    };
    view! {
        <div class="machine-editor__field">
            <label class="editor__label" for=id>{label}</label>
            <input class="setting__input editor__input" id=id data-testid=id type="text" inputmode=mode autocomplete="off"
                autocapitalize="off" spellcheck="false" aria-describedby=error_id.clone()
                aria-invalid=move || error.with(Option::is_some).to_string() prop:value=text on:keydown=on_key
                on:input=move |event| machine_editor.set_part(part, event_target_value(&event)) />
            <p class="setting__error" id=error_id.clone() role="status" data-testid=error_id.clone()
                prop:textContent=element_text(move || error.with(|error| error.as_ref().map(|error| error.message.clone())))>
            </p>
        </div>
    }
    .into_any()
}

/// Draws the buttons that run the draft, discard it and copy its rules.
fn draw_buttons(machine_editor: MachineEditor) -> AnyView {
    let copied = RwSignal::new(None::<bool>);
    let word = move || match copied.get() {
        None => tr!("Copy rules"),
        Some(true) => tr!("Copied"),
        Some(false) => tr!("Press Ctrl+C"),
    };
    let copy_rules = move |_| {
        copy_to_clipboard(&machine_editor.draft.with_untracked(|draft| draft.rules.clone()), move |worked| {
            copied.try_set(Some(worked));
            if !worked && let Some(text_area) = find_text_area(RULES_ID) {
                // No clipboard here: the text is selected, and the keyboard can copy it.
                let _ = text_area.focus();
                text_area.select();
            }
            set_timeout(
                move || {
                    copied.try_set(None);
                },
                COPY_MESSAGE_TIME,
            );
        });
    };
    let state = move || match (machine_editor.is_unchanged.get(), machine_editor.parsed.with(Result::is_ok)) {
        (true, _) => tr!("The current run uses this machine."),
        (false, true) => {
            tr!("The current run uses another machine. Press “Run this machine” to run this one.")
        }
        (false, false) => tr!("This machine cannot run until the mistake is corrected."),
    };
    view! {
        <div class="editor__buttons" role="group" aria-label=tr!("Actions for the rules")>
            <button class="button button--main" type="button" data-testid="machine-run"
                disabled=move || machine_editor.is_unchanged.get() || machine_editor.parsed.with(Result::is_err) on:click=move |_| machine_editor.request_run()>
                {tr!("Run this machine")}
            </button>
            {button("machine-discard", tr!("Discard changes"), Box::new(move || machine_editor.is_unchanged.get()),
                Box::new(move || machine_editor.reset()))}
            <button class="button" type="button" data-testid="machine-copy" on:click=copy_rules>
                <span aria-live="polite" prop:textContent=element_text(word)></span>
            </button>
        </div>
        <p class="card__text" role="status" data-testid="machine-state" prop:textContent=element_text(state)></p>
    }
    .into_any()
}

/// Copies `text` to the clipboard; calls `done` with whether that succeeded.
fn copy_to_clipboard(text: &str, done: impl FnOnce(bool) + 'static) {
    // Outside of a secure context there is no clipboard, whatever web-sys says.
    if get_property(&window().navigator(), "clipboard").is_undefined() {
        return done(false);
    }
    let promise = window().navigator().clipboard().write_text(text);
    on_settled(&promise, move |outcome| done(outcome.is_ok()));
}

/// Draws the rule table of the machine in this run; the rule of the simulator's last step is marked.
fn draw_rule_table(machine_editor: MachineEditor) -> AnyView {
    let applied = machine_editor.panel.memo(|state, _| editor::applied_rule(&state.run, state.step));
    let rows = Memo::new(move |_| {
        machine_editor
            .running
            .with(|program| program.as_ref().map(|program| editor::rule_table(&program.machine)))
    });
    let row = move |RuleRow { case, words }: RuleRow| {
        let is_applied = Memo::new(move |_| applied.get().flatten() == Some(case));
        let [state, read, write, step, next] = words;
        view! {
            <tr translate="no" class:rules__applied=is_applied aria-current=move || is_applied.get().then_some("true")>
                <th scope="row">{state}</th>
                <td>{read}</td>
                <td>"→ "{write}</td>
                <td>{step}</td>
                <td>{next}</td>
                <td class="rules__mark" aria-hidden="true">{move || is_applied.get().then_some("◀")}</td>
            </tr>
        }
    };
    view! {
        <div class="rules" role="region" tabindex="0" aria-label=tr!("Rule table of the machine in this run")>
            <table class="rules__table" data-testid="machine-table">
                <caption class="rules__caption">
                    {tr!("Rules of the machine in this run; the simulator's last step applied the marked rule.")}
                </caption>
                <thead>
                    <tr>
                        <th scope="col">{tr!("State")}</th>
                        <th scope="col">{tr!("Read")}</th>
                        <th scope="col">{tr!("Write")}</th>
                        <th scope="col">{tr!("Move")}</th>
                        <th scope="col">{tr!("Next")}</th>
                        <td></td>
                    </tr>
                </thead>
                <tbody>{move || rows.get().map(|rows| rows.into_iter().map(row).collect_view())}</tbody>
            </table>
        </div>
    }
    .into_any()
}
