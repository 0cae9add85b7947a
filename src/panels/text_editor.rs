//! The text editor of the panels: a text area with the errors of its text, and buttons.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, KeyboardEvent};

use vivarium_labs::text_editor::{TextError, line_range};
use vivarium_ui::browser::element_by_id;
use vivarium_ui::button::button;
use vivarium_ui::effect::effect;
use vivarium_ui::text::element_text;

/// Form in which the errors of a text are shown below its text area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorDisplay {
    /// List of all errors, with this CSS class.
    List(&'static str),
    /// Only the first error, with a button that selects its line; the button has this test id.
    First(&'static str),
}

/// A labelled text area for a text in a formal notation, with the errors of the text.
#[component]
pub fn TextEditor(
    /// DOM id and test id of the text area.
    id: &'static str,
    /// CSS classes of the text area.
    class: &'static str,
    /// Height of the text area, as a number of lines.
    rows: u32,
    /// Label above the text area.
    label: &'static str,
    /// Example that is shown while the text area is empty.
    #[prop(optional)]
    placeholder: Option<&'static str>,
    /// Text in the text area.
    text: Memo<String>,
    /// Called with the new text after each change by the user.
    on_input: Callback<String>,
    /// Called when the user presses Ctrl+Enter in the text area.
    #[prop(optional)]
    on_ctrl_enter: Option<Callback<()>>,
    /// Errors of the text.
    errors: Memo<Vec<TextError>>,
    /// DOM id and test id of the element that shows the errors.
    errors_id: &'static str,
    /// Form in which the errors are shown.
    display: ErrorDisplay,
    /// DOM ids, separated by spaces, of elements that describe the text area for screen readers in addition to the
    /// errors.
    #[prop(optional)]
    note_ids: Option<&'static str>,
    /// Notes, status sentences and buttons below the errors.
    children: Children,
) -> impl IntoView {
    let described_by = [errors_id].into_iter().chain(note_ids).collect::<Vec<_>>().join(" ");
    let on_key = move |event: KeyboardEvent| {
        let is_ctrl_enter = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
        if let Some(on_ctrl_enter) = on_ctrl_enter.filter(|_| is_ctrl_enter) {
            event.prevent_default();
            on_ctrl_enter.run(());
        }
    };
    let shown_errors = match display {
        ErrorDisplay::List(class) => draw_error_list(errors, errors_id, class),
        ErrorDisplay::First(testid) => draw_first_error(errors, errors_id, testid, id, text),
    };
    view! {
        <label class="editor__label" for=id>{label}</label>
        <textarea class=class id=id data-testid=id rows=rows spellcheck="false" autocomplete="off" autocapitalize="off"
            placeholder=placeholder aria-describedby=described_by
            aria-invalid=move || (!errors.with(Vec::is_empty)).to_string()
            prop:value=move || text.get() on:keydown=on_key
            on:input=move |event| on_input.run(event_target_value(&event))></textarea>
        {shown_errors}
        {children()}
    }
    .into_any()
}

/// Draws a list of all errors of a text; `id` is its DOM id and test id, `class` its CSS classes.
fn draw_error_list(errors: Memo<Vec<TextError>>, id: &'static str, class: &'static str) -> AnyView {
    let items = move || {
        let item = |error: TextError| view! { <li prop:textContent=error.message></li> };
        errors.get().into_iter().map(item).collect_view()
    };
    view! { <ul class=class id=id role="status" data-testid=id>{items}</ul> }.into_any()
}

/// Draws the first error of `text`; `id` is the DOM id and test id of its message. If the error has a line, a button
/// with the test id `testid` selects this line in the text area with the DOM id `text_area_id`.
fn draw_first_error(
    errors: Memo<Vec<TextError>>,
    id: &'static str,
    testid: &'static str,
    text_area_id: &'static str,
    text: Memo<String>,
) -> AnyView {
    let message = move || errors.with(|errors| errors.first().map(|error| error.message.clone()));
    // None if the text has fewer lines.
    let range = Memo::new(move |_| {
        let line = errors.with(|errors| errors.first()?.line)?;
        Some(line).zip(text.with(|text| line_range(text, line)))
    });
    let select_line = move || {
        let Some((_, (start, end))) = range.get_untracked() else { return };
        if let Some(text_area) = find_text_area(text_area_id) {
            // The line is named in the sentence as well.
            let _ = text_area.focus();
            let _ = text_area.set_selection_range(start, end);
        }
    };
    let line_button = move || {
        range.get().map(|(line, _)| {
            view! {
                <button class="button" type="button" data-testid=testid on:click=move |_| select_line()
                    prop:textContent=tr!("Go to line {line}", line)></button>
            }
        })
    };
    view! {
        <p class="setting__error" id=id role="status" data-testid=id prop:textContent=element_text(message)></p>
        {line_button}
    }
    .into_any()
}

/// Returns the text area with this DOM id; `None` if the document has none.
pub fn find_text_area(id: &str) -> Option<HtmlTextAreaElement> {
    element_by_id(id)?.dyn_into().ok()
}

/// Text of the displayed run that the user can edit, with its errors. Copies share the same signals.
#[derive(Clone, Copy)]
pub struct TextDraft {
    /// Text in the editor.
    pub text: Memo<String>,
    /// Errors of the text in the editor.
    pub errors: Memo<Vec<TextError>>,
    /// Text of the displayed run; `None` while another lab's run is displayed.
    original: Memo<Option<String>>,
    /// Text as edited by the user; `None` while the text is that of the run.
    edited: RwSignal<Option<String>>,
}

impl TextDraft {
    /// Draft of the text `original` of the displayed run, whose errors `check` returns; a new text of the run replaces
    /// the edited text.
    pub fn new(original: Memo<Option<String>>, check: fn(&str) -> Vec<TextError>) -> TextDraft {
        let edited = RwSignal::new(None::<String>);
        effect(move || {
            original.with(|_| ());
            edited.set(None);
        });
        let text = Memo::new(move |_| edited.get().or_else(|| original.get()).unwrap_or_default());
        let errors = Memo::new(move |_| text.with(|text| check(text)));
        TextDraft { text, errors, original, edited }
    }

    /// Callback that replaces the text in the editor, for changes by the user.
    pub fn on_input(self) -> Callback<String> {
        Callback::new(move |text| self.edited.set(Some(text)))
    }

    /// Whether the text in the editor is the text of the displayed run; subscribes the caller to changes.
    fn is_unchanged(self) -> bool {
        self.edited.with(Option::is_none) || self.original.get().as_ref() == Some(&self.text.get())
    }

    /// Draws two buttons, each given by its test id: one with the text `run_word` that calls `run` with the text in the
    /// editor, and one that discards the changes.
    pub fn draw_buttons(
        self,
        run_testid: &'static str,
        run_word: &'static str,
        discard_testid: &'static str,
        run: impl Fn(String) + 'static,
    ) -> AnyView {
        let cannot_run = move || self.is_unchanged() || !self.errors.with(Vec::is_empty);
        view! {
            <div class="editor__buttons" role="group" aria-label=tr!("Actions for the text in the editor")>
                {button(run_testid, run_word, Box::new(cannot_run), Box::new(move || run(self.text.get_untracked())))}
                {button(discard_testid, tr!("Discard the changes"), Box::new(move || self.is_unchanged()),
                    Box::new(move || self.edited.set(None)))}
            </div>
        }
        .into_any()
    }
}
