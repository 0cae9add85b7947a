//! The editor on the page: choose a machine or write one, and have it run.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlSelectElement, HtmlTextAreaElement, KeyboardEvent};

use crate::machines::page::news::{News, Requests};
use vivarium_labs::machines::panel::action::{self, OWN, PanelAction};
use vivarium_labs::machines::panel::editor::{self, Draft, Flaw, Part, RuleRow, Written};
use vivarium_science::machines::{MachineProgram, library};
use vivarium_ui::browser::{by_id, get, settle};
use vivarium_ui::button::button;
use vivarium_ui::effect::effect;

/// The id of the box with the rules.
const RULES: &str = "machine-rules";
/// Time for which a button says what came of it.
const SAID: Duration = Duration::from_millis(2500);

/// What is written, and whether it can run.
#[derive(Clone, Copy)]
struct Hand {
    news: News,
    /// What runs.
    program: Memo<Option<MachineProgram>>,
    draft: RwSignal<Draft>,
    read: Memo<Result<Written, Flaw>>,
    /// Whether the draft is what runs.
    runs: Memo<bool>,
}

impl Hand {
    fn new(news: News) -> Hand {
        let program = news.once_per_run(|state| MachineProgram::clone(&state.program));
        let draft = RwSignal::new(
            program.with_untracked(|program| program.as_ref().map(Draft::of)).unwrap_or_default(),
        );
        let runs = Memo::new(move |_| {
            program.with(|program| {
                program.as_ref().is_some_and(|program| draft.with(|draft| draft.says(program)))
            })
        });
        let read = Memo::new(move |_| {
            let steps = program.with(|program| program.as_ref().map_or(1, |program| program.steps));
            draft.with(|draft| draft.read(steps))
        });
        // Another machine than the one that was written, as after an undo, takes its place; the same one in a person's own
        // notation, with comments, stays as it stands.
        let take = move || {
            program.with(|program| {
                if let Some(program) = program
                    && !draft.with_untracked(|draft| draft.says(program))
                {
                    draft.set(Draft::of(program));
                }
            });
        };
        effect(take);
        Hand { news, program, draft, read, runs }
    }

    fn flaw(self, part: Part) -> Memo<Option<Flaw>> {
        let read = self.read;
        Memo::new(move |_| read.with(|read| read.as_ref().err().filter(|flaw| flaw.part == part).cloned()))
    }

    fn write(self, part: Part, text: String) {
        self.draft.update(|draft| *draft = draft.with(part, text));
    }

    fn run(self) {
        self.news.request(PanelAction::Run(self.draft.get_untracked()));
    }

    fn discard(self) {
        if let Some(program) = self.program.get_untracked() {
            self.draft.set(Draft::of(&program));
        }
    }
}

/// The editor.
pub(super) fn writing(news: News) -> AnyView {
    let hand = Hand::new(news);
    let locked = {
        let fields = ["m", "rules"].map(|key| news.context.field(key));
        move || fields.iter().any(|field| field.with(|field| field.is_locked))
    };
    let about = news.once_per_run(action::about);
    view! {
        <fieldset class="writing" disabled=locked data-testid="machine-editor">
            <legend class="spoken">{tr!("Machine")}</legend>
            {chooser(news)}
            <p class="card__text" data-testid="machine-about">{about}</p>
            <div class="writing__parts">
                <div class="writing__part">
                    {rules(hand)}
                    <div class="writing__fields">
                        {field(hand, Part::Input, "machine-input", tr!("Input, from the start cell to the right"))}
                        {field(hand, Part::Cell, "machine-cell", tr!("Start cell (0: the page chooses a cell)"))}
                    </div>
                    {buttons(hand)}
                </div>
                <div class="writing__part">{table(hand)}</div>
            </div>
        </fieldset>
    }
    .into_any()
}

/// Chooses a machine of the library.
fn chooser(news: News) -> AnyView {
    let chosen = news.once_per_run(action::chosen);
    let slug = move || chosen.get().unwrap_or(OWN);
    let choose = move |event: web_sys::Event| {
        news.request(PanelAction::Example(event_target_value(&event)));
        // What the page does not take is not chosen.
        event_target::<HtmlSelectElement>(&event).set_value(untrack(slug));
    };
    let examples = library::EXAMPLES.iter().map(|example| (example.slug, example.name()));
    let option = move |(of, name): (&'static str, &'static str)| {
        view! { <option value=of selected=move || slug() == of>{name}</option> }
    };
    view! {
        <div class="writing__chooser">
            <label class="editing__label" for="machine-example">{tr!("Machine")}</label>
            <select class="presets__select" id="machine-example" data-testid="machine-example" on:change=choose
                prop:value=slug>
                {examples.chain([(OWN, tr!("Own rules"))]).map(option).collect_view()}
            </select>
        </div>
    }
    .into_any()
}

/// The box with the rules, and what is wrong with them.
fn rules(hand: Hand) -> AnyView {
    let flaw = hand.flaw(Part::Rules);
    let text = move || hand.draft.with(|draft| draft.rules.clone());
    let notation = Memo::new(move |_| {
        let steps = hand.program.with(|program| program.as_ref().map_or(1, |program| program.steps));
        hand.draft.with(|draft| draft.about(steps))
    });
    // Where the line stands in the box; none of a text on one line.
    let range = Memo::new(move |_| {
        let line = flaw.with(|flaw| flaw.as_ref().and_then(|flaw| flaw.line))?;
        Some(line).zip(hand.draft.with(|draft| editor::line_range(&draft.rules, line)))
    });
    let go = move || {
        let Some((_, (start, end))) = range.get_untracked() else { return };
        if let Some(of) = by_id(RULES).and_then(|of| of.dyn_into::<HtmlTextAreaElement>().ok()) {
            // The line is named in the sentence as well.
            let _ = of.focus();
            let _ = of.set_selection_range(start, end);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            hand.run();
        }
    };
    let to_line = move || {
        range.get().map(|(line, _)| {
            view! {
                <button class="button" type="button" data-testid="machine-line" on:click=move |_| go()>
                    {tr!("Go to line {line}", line)}
                </button>
            }
        })
    };
    view! {
        <label class="editing__label" for=RULES>{tr!("Rules, one per line")}</label>
        <textarea class="knob__box writing__rules" id=RULES data-testid=RULES rows="10" spellcheck="false"
            autocomplete="off" autocapitalize="off" placeholder=tr!("A 0 → 1 R B")
            aria-describedby="machine-flaw machine-notation machine-help"
            aria-invalid=move || flaw.with(Option::is_some).to_string() prop:value=text on:keydown=on_key
            on:input=move |event| hand.write(Part::Rules, event_target_value(&event))></textarea>
        <p class="knob__problem" id="machine-flaw" role="status" data-testid="machine-flaw">
            {move || flaw.with(|flaw| flaw.as_ref().map(|flaw| flaw.sentence.clone()))}
        </p>
        {to_line}
        <p class="writing__notation" id="machine-notation" data-testid="machine-notation">{notation}</p>
        <p class="writing__notation" id="machine-help">
            {tr!("A 0 → 1 R B means: in state A, if the symbol read is 0, write 1, move right and go to state B. The arrow is -> or →, and the move is L, R or S (stay). The notations of morphett.info and turingmachinesimulator.com are also accepted. _ is the blank. * stands for all symbols or states that have no separate rule. Ctrl+Enter runs the machine.")}
        </p>
    }
    .into_any()
}

/// A field of one line.
fn field(hand: Hand, part: Part, id: &'static str, label: &'static str) -> AnyView {
    let flaw = hand.flaw(part);
    let text = move || {
        hand.draft.with(|draft| match part {
            Part::Input => draft.input.clone(),
            _ => draft.cell.clone(),
        })
    };
    let mode = if part == Part::Cell { "numeric" } else { "text" };
    let flaw_id = format!("{id}-flaw");
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            hand.run();
        }
    };
    view! {
        <div class="writing__field">
            <label class="editing__label" for=id>{label}</label>
            <input class="knob__box editing__box" id=id data-testid=id type="text" inputmode=mode autocomplete="off"
                autocapitalize="off" spellcheck="false" aria-describedby=flaw_id.clone()
                aria-invalid=move || flaw.with(Option::is_some).to_string() prop:value=text on:keydown=on_key
                on:input=move |event| hand.write(part, event_target_value(&event)) />
            <p class="knob__problem" id=flaw_id.clone() role="status" data-testid=flaw_id.clone()>
                {move || flaw.with(|flaw| flaw.as_ref().map(|flaw| flaw.sentence.clone()))}
            </p>
        </div>
    }
    .into_any()
}

/// Runs what is written, goes back to what runs, and copies the rules.
fn buttons(hand: Hand) -> AnyView {
    let copied = RwSignal::new(None::<bool>);
    let word = move || match copied.get() {
        None => tr!("Copy rules"),
        Some(true) => tr!("Copied"),
        Some(false) => tr!("Press Ctrl+C"),
    };
    let copy_rules = move |_| {
        copy(&hand.draft.with_untracked(|draft| draft.rules.clone()), move |worked| {
            copied.try_set(Some(worked));
            let field = by_id(RULES).and_then(|of| of.dyn_into::<HtmlTextAreaElement>().ok());
            if let Some(field) = field.filter(|_| !worked) {
                // No clipboard here: the text is selected, and the keyboard can copy it.
                let _ = field.focus();
                field.select();
            }
            set_timeout(
                move || {
                    copied.try_set(None);
                },
                SAID,
            );
        });
    };
    let state = move || match (hand.runs.get(), hand.read.with(Result::is_ok)) {
        (true, _) => tr!("The current run uses this machine."),
        (false, true) => {
            tr!("The current run uses another machine. Press “Run this machine” to run this one.")
        }
        (false, false) => tr!("This machine cannot run until the mistake is corrected."),
    };
    view! {
        <div class="editing__buttons" role="group" aria-label=tr!("Actions for the rules")>
            <button class="button button--main" type="button" data-testid="machine-run"
                disabled=move || hand.runs.get() || hand.read.with(Result::is_err) on:click=move |_| hand.run()>
                {tr!("Run this machine")}
            </button>
            {button("machine-discard", tr!("Discard changes"), Box::new(move || hand.runs.get()),
                Box::new(move || hand.discard()))}
            <button class="button" type="button" data-testid="machine-copy" on:click=copy_rules>
                <span aria-live="polite">{word}</span>
            </button>
        </div>
        <p class="card__text" role="status" data-testid="machine-state">{state}</p>
    }
    .into_any()
}

/// Copies `text`; `done` learns whether it worked.
fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    // Outside of a secure context there is no clipboard, whatever web-sys says.
    if get(&window().navigator(), "clipboard").is_undefined() {
        return done(false);
    }
    let promise = window().navigator().clipboard().write_text(text);
    settle(&promise, move |outcome| done(outcome.is_ok()));
}

/// The rules of the machine that runs, with the one that the last step has applied.
fn table(hand: Hand) -> AnyView {
    let applied = hand.news.memo(|state, _| editor::applied(&state.run, state.step));
    let rows = Memo::new(move |_| {
        hand.program.with(|program| program.as_ref().map(|program| editor::table(&program.machine)))
    });
    let row = move |RuleRow { case, words }: RuleRow| {
        let is_applied = Memo::new(move |_| applied.get().flatten() == Some(case));
        let [state, read, write, step, next] = words;
        view! {
            <tr class:rules__applied=is_applied aria-current=move || is_applied.get().then_some("true")>
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
