//! The dialog in which a lecture is made: its entries, its title, its link and its file.
//!
//! # Why
//! The draft belongs to this dialog, and not to the page's state: no run depends on it, and the first program stays as
//! small as it is. The browser stores it after every change, in the form of a link.

use js_sys::{Array, JSON};
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::HtmlInputElement;

use crate::browser;
use crate::browser::files::save_file;
use crate::lecture::LectureDialog;
use crate::share::links::CopyField;
use crate::store::Store;
use vivarium_core::settings::entry::parse_whole_entry;
use vivarium_page::files::ExportFile;
use vivarium_page::lecture::draft::{DraftAction, LectureDraft, entry_name};
use vivarium_page::lecture::{
    Lecture, LectureAction, LectureEntry, LectureError, MAX_ENTRIES, MAX_FILE_BYTES, MAX_NOTE_LENGTH,
    MAX_TITLE_LENGTH,
};
use vivarium_page::state::Action;
use vivarium_ui::browser::{focus_selector, get_property, read_stored, write_stored};
use vivarium_ui::dialog::ModalDialog;
use vivarium_ui::file_button::FileButton;
use vivarium_ui::icon::Name;
use vivarium_ui::text::element_text;
use vivarium_view::display::words::format_thousands;

/// Key of the browser's local storage for the lecture that is edited.
const DRAFT_KEY: &str = "vivarium.lecture";

/// Length in characters above which some programs shorten links.
const SAFE_LINK_LENGTH: usize = 2_000;

/// The lecture that is edited. Copies are handles to the same draft.
#[derive(Clone, Copy)]
struct Editor {
    /// Store of the page.
    store: Store,
    /// Lecture that is edited, with its history.
    draft: RwSignal<LectureDraft>,
    /// Message on the last file or link; empty if there is none.
    message: RwSignal<String>,
    /// Text that the browser had stored after this page has read or written it last.
    stored: StoredValue<Option<String>>,
}

impl Editor {
    /// Carries out a change of the lecture, and stores the lecture in the browser.
    fn change(self, action: DraftAction) {
        self.message.set(String::new());
        self.draft.update(|draft| draft.apply(action));
        write_stored(DRAFT_KEY, &self.draft.with_untracked(|draft| draft.lecture.encode()));
        // A full or blocked storage keeps the text from before.
        self.stored.set_value(read_stored(DRAFT_KEY));
    }

    /// Takes over the lecture that the browser has stored, which another tab may have changed.
    fn load_stored(self) {
        let text = read_stored(DRAFT_KEY);
        if self.stored.with_value(|before| *before == text) {
            return;
        }
        let stored = LectureDraft::from_stored(text.as_deref().unwrap_or_default()).lecture;
        self.stored.set_value(text);
        let is_other = self.draft.with_untracked(|draft| draft.lecture != stored);
        if is_other && stored != Lecture::default() {
            self.draft.update(|draft| draft.apply(DraftAction::Replace(stored)));
        }
    }

    /// Moves an entry by one place, and the focus with it.
    fn move_entry(self, at: usize, is_down: bool) {
        self.change(DraftAction::Move(at, is_down));
        let last = self.draft.with_untracked(|draft| draft.lecture.entries.len()).saturating_sub(1);
        let to = if is_down { (at + 1).min(last) } else { at.saturating_sub(1) };
        let direction = if is_down { "down" } else { "up" };
        request_animation_frame(move || focus_selector(&format!("[data-testid=lecture-{direction}-{to}]")));
    }

    /// Offers the lecture as a file.
    fn save(self) {
        let file = self.draft.with_untracked(|draft| ExportFile {
            name: "lecture.json".into(),
            media_type: "application/json",
            bytes: draft.lecture.to_json().into_bytes(),
        });
        self.message.set(match save_file(&file) {
            true => tr!("Saved {name}.", name = file.name),
            false => tr!("The browser did not save {name}.", name = file.name),
        });
    }

    /// Shows the lecture from its first entry, and closes the dialog.
    fn start(self, dialog: LectureDialog) {
        let lecture = self.draft.with_untracked(|draft| draft.lecture.clone());
        if lecture.entries.is_empty() {
            self.message.set(LectureError::Empty.to_string());
            return;
        }
        dialog.open.set(false);
        self.store.act(Action::Lecture(LectureAction::Start(Box::new(lecture))));
    }
}

/// Reads a lecture from the content of a file.
fn read_lecture(json: &str) -> Result<Lecture, LectureError> {
    let object = JSON::parse(json).map_err(|_| LectureError::OtherFile)?;
    let text = |from: &JsValue, key: &str| get_property(from, key).as_string();
    let entries = get_property(&object, "entries");
    if !Array::is_array(&entries) {
        return Err(LectureError::OtherFile);
    }
    let entries = Array::from(&entries);
    if entries.length() as usize > MAX_ENTRIES {
        return Err(LectureError::ManyEntries);
    }
    let entries: Vec<_> = entries.iter().map(|entry| (text(&entry, "link"), text(&entry, "note"))).collect();
    Lecture::from_file(text(&object, "format"), text(&object, "title"), &entries)
}

/// The dialog in which a lecture is made.
#[component]
pub fn LectureEditor() -> impl IntoView {
    let (store, dialog) = (Store::here(), LectureDialog::here());
    let stored = read_stored(DRAFT_KEY);
    let draft = RwSignal::new(LectureDraft::from_stored(stored.as_deref().unwrap_or_default()));
    let editor =
        Editor { store, draft, message: RwSignal::new(String::new()), stored: StoredValue::new(stored) };
    Effect::new(move |_| {
        if dialog.open.get() {
            editor.message.set(String::new());
            editor.load_stored();
        }
    });
    view! {
        <ModalDialog open=dialog.open title=tr!("Lecture")>{move || content(editor, dialog)}</ModalDialog>
    }
    .into_any()
}

/// Creates the content of the dialog.
fn content(editor: Editor, dialog: LectureDialog) -> AnyView {
    let Editor { store, draft, message, .. } = editor;
    let version = Memo::new(move |_| draft.with(|draft| draft.version));
    let can_undo = Memo::new(move |_| draft.with(LectureDraft::can_undo));
    let has_entries = Memo::new(move |_| draft.with(|draft| !draft.lecture.entries.is_empty()));
    let address = Memo::new(move |_| browser::address_of(&draft.with(|draft| draft.lecture.address())));
    let error = Memo::new(move |_| draft.with(|draft| draft.error.clone()));
    let shows_passage = store.memo(|state| state.tour.is_some());
    let link = NodeRef::<Input>::new();
    let add_shown = move |_| editor.change(DraftAction::Add(store.peek(|state| state.current_entry())));
    let add_link = move |_| {
        let Some(field) = link.get_untracked() else { return };
        editor.change(DraftAction::AddAddress(field.value()));
        if draft.with_untracked(|draft| draft.error.is_empty()) {
            field.set_value("");
        }
    };
    let undo = move |_| editor.change(DraftAction::Undo);
    let long_link = move || {
        let length = address.with(|address| address.len());
        (length > SAFE_LINK_LENGTH).then(|| {
            tr!(
                "The link has {count} characters. Some mail and chat programs shorten links of more than {safe} characters; a file can be sent instead.",
                count = format_thousands(length as u64),
                safe = format_thousands(SAFE_LINK_LENGTH as u64)
            )
        })
    };
    view! {
        <div class="lecture-editor" data-testid="lecture-editor">
            <p>{tr!("A lecture is a list of runs and passages of stories. In presenter mode, Page Down opens the next entry: the page trains the run to its step and pauses there. This browser keeps the lecture until you change it.")}</p>
            {ended_lecture(editor, dialog)}
            <div class="lecture-editor__buttons">
                <button class="button button--main" type="button" data-testid="lecture-add" on:click=add_shown
                    prop:textContent=element_text(move || if shows_passage.get() { tr!("Add this passage") } else { tr!("Add this run") })>
                </button>
                <button class="button" type="button" data-testid="lecture-undo" aria-disabled=move || (!can_undo.get()).to_string()
                    on:click=undo>
                    {tr!("Undo")}
                </button>
            </div>
            <form class="lecture-editor__link" on:submit=move |event| { event.prevent_default(); add_link(()); }>
                <input class="lecture-editor__field" type="text" node_ref=link data-testid="lecture-link"
                    aria-label=tr!("Link of a run or of a passage") placeholder=tr!("Link of a run or of a passage") />
                <button class="button" type="submit" data-testid="lecture-add-link">{tr!("Add this link")}</button>
            </form>
            <p class="lecture-editor__error" role="alert" data-testid="lecture-error" prop:textContent=error></p>
            // New elements for each version: a field keeps the text that was typed into it.
            <For each=move || [version.get()] key=|version| *version let:_version>
                {draft.with_untracked(|draft| list(editor, draft))}
            </For>
            {move || has_entries.get().then(|| view! {
                <div class="lecture-editor__result">
                    <CopyField testid="copy-lecture" icon=Name::Link word=tr!("Copy link") text=address.into()
                        about=tr!("The link of the lecture, with all entries and notes.") />
                    <p class="lecture-editor__hint" data-testid="lecture-length" prop:textContent=element_text(long_link)></p>
                </div>
            })}
            <div class="lecture-editor__buttons">
                <button class="button button--main" type="button" data-testid="lecture-start" on:click=move |_| editor.start(dialog)>
                    {tr!("Start the lecture")}
                </button>
                <button class="button" type="button" data-testid="lecture-save" on:click=move |_| editor.save()>
                    {tr!("Save as a file")}
                </button>
                {file_button(editor)}
            </div>
            <p class="lecture-editor__hint" role="status" data-testid="lecture-message" prop:textContent=message></p>
        </div>
    }
    .into_any()
}

/// Creates the line with the lecture that was left last: it can be resumed or edited.
fn ended_lecture(editor: Editor, dialog: LectureDialog) -> AnyView {
    let ended = editor.store.memo(|state| {
        state.ended_lecture.as_ref().map(|progress| (progress.lecture.title.clone(), progress.place()))
    });
    let edit = move |_| {
        let lecture =
            editor.store.peek(|state| state.ended_lecture.as_ref().map(|progress| progress.lecture.clone()));
        if let Some(lecture) = lecture {
            editor.change(DraftAction::Replace(lecture));
        }
    };
    let resume = move |_| {
        dialog.open.set(false);
        editor.store.act(Action::Lecture(LectureAction::Resume));
    };
    let line = move || {
        ended.get().map(|(title, place)| {
            let text = match title.is_empty() {
                true => tr!("You have left a lecture at entry {place}.", place),
                false => tr!("You have left the lecture “{title}” at entry {place}.", title, place),
            };
            view! {
                <div class="lecture-editor__buttons" data-testid="lecture-left">
                    <span prop:textContent=text></span>
                    <button class="button" type="button" data-testid="lecture-resume" on:click=resume>{tr!("Resume the lecture")}</button>
                    <button class="button" type="button" data-testid="lecture-edit" on:click=edit>{tr!("Edit this lecture")}</button>
                </div>
            }
        })
    };
    line.into_any()
}

/// Creates the title and the list of entries. It is built anew after every change other than typing.
fn list(editor: Editor, draft: &LectureDraft) -> AnyView {
    let count = draft.lecture.entries.len();
    let entries: Vec<AnyView> =
        draft.lecture.entries.iter().enumerate().map(|(at, entry)| row(editor, entry, at, count)).collect();
    view! {
        <label class="form-field">
            <span>{tr!("Title of the lecture")}</span>
            <input type="text" maxlength=MAX_TITLE_LENGTH.to_string() data-testid="lecture-name"
                prop:value=draft.lecture.title.clone()
                on:input=move |event| editor.change(DraftAction::SetTitle(event_target_value(&event))) />
        </label>
        <ol class="lecture-list" data-testid="lecture-list">{entries}</ol>
    }
    .into_any()
}

/// Returns the step at which the run of the entry waits; an empty text for its beginning.
fn step_text(entry: Option<&LectureEntry>) -> String {
    entry.and_then(LectureEntry::wait_step).map(|step| step.to_string()).unwrap_or_default()
}

/// Creates the row of the entry with the index `at` out of `count` entries.
fn row(editor: Editor, entry: &LectureEntry, at: usize, count: usize) -> AnyView {
    let number = at + 1;
    let is_passage = entry.is_passage();
    let step = step_text(Some(entry));
    let set_step = move |field: HtmlInputElement| {
        let step = parse_whole_entry(&field.value()).filter(|step| *step > 0);
        editor.change(DraftAction::SetStep(at, step));
        // The list is not built anew: the focus is on its way to another element of it.
        field.set_value(&editor.draft.with_untracked(|draft| step_text(draft.lecture.entries.get(at))));
    };
    let remove = move || {
        editor.change(DraftAction::Remove(at));
        request_animation_frame(|| focus_selector("[data-testid=lecture-undo]"));
    };
    let testid = |name: &str| format!("lecture-{name}-{at}");
    let [move_up, move_down] = [false, true].map(|is_down| move || editor.move_entry(at, is_down));
    let buttons = vec![
        entry_button(testid("up"), "↑", tr!("Move entry {number} up", number), at == 0, move_up),
        entry_button(
            testid("down"),
            "↓",
            tr!("Move entry {number} down", number),
            number == count,
            move_down,
        ),
        entry_button(testid("remove"), "×", tr!("Remove entry {number}", number), false, remove),
    ];
    view! {
        <li class="lecture-entry" data-testid=format!("lecture-entry-{at}")>
            <div class="lecture-entry__head">
                <span class="lecture-entry__name" prop:textContent=entry_name(entry)></span>
                {(!is_passage).then(|| view! {
                    <label class="lecture-entry__step">
                        <span>{tr!("Pause at step")}</span>
                        <input class="setting__input" type="text" inputmode="numeric" autocomplete="off" value=step placeholder="0"
                            data-testid=format!("lecture-step-{at}") on:change:target=move |event| set_step(event.target()) />
                    </label>
                })}
                <span class="lecture-entry__buttons">{buttons}</span>
            </div>
            <textarea class="lecture-entry__note" rows="2" maxlength=MAX_NOTE_LENGTH.to_string()
                aria-label=tr!("Note for entry {number}", number) placeholder=tr!("Note, shown below the run (N hides it)")
                data-testid=format!("lecture-note-{at}") prop:value=entry.note.clone()
                on:input=move |event| editor.change(DraftAction::SetNote(at, event_target_value(&event)))></textarea>
        </li>
    }
    .into_any()
}

/// Creates a button of an entry, with a sign as its content and a label for its purpose.
fn entry_button(
    testid: String,
    sign: &'static str,
    label: String,
    is_off: bool,
    press: impl Fn() + 'static,
) -> AnyView {
    view! {
        <button class="button" type="button" data-testid=testid aria-label=label.clone() title=label
            aria-disabled=is_off.to_string() on:click=move |_| press()>{sign}</button>
    }
    .into_any()
}

/// Creates the button that opens a file with a lecture.
fn file_button(editor: Editor) -> AnyView {
    let choice = FileButton {
        word: tr!("Open a file"),
        accept: ".json",
        max_head_bytes: MAX_FILE_BYTES,
        id: "lecture",
    };
    choice.view_with(move |name, read| {
        let lecture = read.and_then(|file| {
            let bytes = file.bytes().ok_or_else(|| LectureError::TooLong.to_string())?;
            let text = std::str::from_utf8(bytes).map_err(|_| LectureError::OtherFile.to_string())?;
            read_lecture(text).map_err(|error| error.to_string())
        });
        match lecture {
            Ok(lecture) => {
                editor.change(DraftAction::Replace(lecture));
                editor
                    .message
                    .set(tr!("The page has opened {name}. Undo restores the lecture before.", name));
            }
            Err(why) => editor.message.set(why),
        }
    })
}
