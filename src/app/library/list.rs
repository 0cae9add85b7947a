//! The list of saved runs, and the offer to resume the last one.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_model::run::RunSpec;
use vivarium_page::library::{LibraryAction, SavedRun};
use vivarium_page::state::{Action, State};
use vivarium_plot::charts::MUTED_COLOURS;
use vivarium_ui::browser::get_property;
use vivarium_ui::file_button::FileButton;
use vivarium_ui::text::element_text;
use vivarium_view::display::words::{describe_difference, format_thousands};
use vivarium_view::record::head::{ACCEPTED_TABLES, HEAD_BYTES};
use vivarium_view::record::saved::parse_saved_link;

/// Describes a saved run in the list: its step, and its settings that differ from those of the current run.
fn describe_run(state: &State, run: &SavedRun, spec: &RunSpec) -> String {
    let step = format_thousands(run.step);
    let difference = describe_difference(state.player.run.spec(), spec);
    if !state.library.is_stored(&run.id) {
        return tr!("not stored; step {step}; {difference}", step, difference);
    }
    tr!("step {step}; {difference}", step, difference)
}

/// The offer to resume the run that was open when the page was closed last, and the request to open the data table of a
/// run that waits for it.
#[component]
pub fn ResumeOffer() -> impl IntoView {
    let store = Store::here();
    let offer = store.memo(|state| {
        state.resume_offer().map(|saved| (saved.id.clone(), saved.name.clone(), format_thousands(saved.step)))
    });
    let file_request = store.memo(State::table_request);
    let offered = move || {
        offer.get().map(|(id, name, step)| {
            let id = StoredValue::new(id);
            view! {
                <section class="notice notice--offer" data-testid="continue-run" aria-label=tr!("Kept run")>
                    <p class="notice__text" prop:textContent=tr!("You were at step {step} of “{name}”.", step, name)></p>
                    <button class="button" type="button"
                        on:click=move |_| store.act(Action::Library(LibraryAction::Resume(id.get_value())))>
                        {tr!("Go on from this step")}
                    </button>
                </section>
            }
        })
    };
    let requested = move || {
        file_request.get().map(|text| {
            let choice = FileButton {
                word: tr!("Open the file"),
                accept: ACCEPTED_TABLES,
                max_head_bytes: HEAD_BYTES,
                id: "file-needed",
            };
            view! {
                <section class="notice notice--offer" data-testid="file-needed" aria-label=tr!("A file is needed")>
                    <p class="notice__text" prop:textContent=text></p>
                    {choice.view(|| {})}
                    <button class="button" type="button"
                        on:click=move |_| store.act(Action::Library(LibraryAction::CancelWaiting))>
                        {tr!("Not now")}
                    </button>
                </section>
            }
        })
    };
    (offered, requested)
}

/// The list of saved runs; while it is folded, its rows do not exist.
#[component]
pub fn Library() -> impl IntoView {
    let (store, open) = (Store::here(), RwSignal::new(false));
    let count = store.memo(|state| state.library.listed_runs().len());
    let warning = store.memo(|state| state.library.warning.clone());
    let damaged = store.memo(|state| state.library.damaged.clone());
    let damaged_entries = move || {
        let entries = damaged.get().into_iter().map(|(key, why)| {
            view! {
                <li class="saved-run" data-testid="damaged-runs">
                    <span class="saved-run__about" prop:textContent=tr!("The kept run {key} cannot be opened: {why}.", key, why)></span>
                    <button class="switch" type="button"
                        on:click=move |_| store.act(Action::Library(LibraryAction::DeleteDamaged(key.clone())))>
                        {tr!("Delete")}
                    </button>
                </li>
            }
        });
        entries.collect_view()
    };
    let is_open = Memo::new(move |_| open.get());
    let lines = move || {
        is_open.get().then(|| {
            let ids = store.memo_after(|state, shown: Option<&Vec<String>>| {
                state.library.list_order(shown.map_or(&[], Vec::as_slice))
            });
            view! {
                <For each=move || ids.get() key=String::clone let:id>
                    <Entry id />
                </For>
            }
        })
    };
    let toggled = move |event: web_sys::Event| {
        if let Some(details) = event.target() {
            open.set(get_property(&details, "open").is_truthy());
        }
        store.act(Action::Library(LibraryAction::Load));
    };
    view! {
        <details class="library" data-testid="library" on:toggle=toggled>
            // The browser says only later that it has unfolded the list.
            <summary class="group__name" on:click=move |_| open.set(true)
                prop:textContent=element_text(move || tr!("Kept runs ({many})", many = count.get()))></summary>
            <p class="library__about">
                {tr!("Runs are stored in this browser, on this device, and are not sent anywhere. If there is no room for another run, that run stays on this page until the page is closed. This page deletes runs only at your request. Pinned runs are listed first, and “Delete all runs that are not pinned” keeps them.")}
            </p>
            <ul class="library__list">
                {lines}
                {damaged_entries}
            </ul>
            <button class="switch" type="button" data-testid="delete-unpinned"
                on:click=move |_| store.act(Action::Library(LibraryAction::DeleteUnpinned))>
                {tr!("Delete all runs that are not pinned")}
            </button>
        </details>
        <p class="library__about" role="status" data-testid="library-error" prop:textContent=warning></p>
    }
    .into_any()
}

/// The row of a saved run in the list of saved runs.
#[component]
fn Entry(
    /// Id of the run.
    id: String,
) -> impl IntoView {
    let store = Store::here();
    let seen = {
        // Read once: what a run is found by says what run it is, and to read a link takes a while.
        let (id, spec) = (id.clone(), parse_saved_link(&id).unwrap_or_default().spec);
        store.memo(move |state| {
            let saved = state.library.find(&id)?;
            let (drawn, about) = (state.library.is_drawn(&id).to_string(), describe_run(state, saved, &spec));
            Some([
                saved.name.clone(),
                saved.pinned.to_string(),
                about,
                drawn,
                css_colour(state.library.colour_of(saved)),
            ])
        })
    };
    // One kind of signal for all: each closure in a view is code of its own. Memos, because a field whose value is set again
    // loses the text that is being typed, even if the value is the same.
    let [name, pinned, words, drawn, tint] = [0, 1, 2, 3, 4].map(|which| {
        Memo::new(move |_| seen.with(|seen| seen.as_ref().map_or(String::new(), |seen| seen[which].clone())))
    });
    let renamed = id.clone();
    let press = |word: &'static str, make: fn(String) -> LibraryAction, pressed: Option<Memo<String>>| {
        let id = id.clone();
        let class = if word.is_empty() { "saved-run__swatch" } else { "switch" };
        let label = if word.is_empty() { tr!("Draw the curves of this run in the charts") } else { word };
        view! {
            <button class=class type="button" title=label aria-label=label aria-pressed=pressed style:--tint=tint
                on:click=move |_| store.act(Action::Library(make(id.clone())))>{word}</button>
        }
        .into_any()
    };
    view! {
        <li class="saved-run">
            {press("", LibraryAction::ToggleCompared, Some(drawn))}
            // A long name is cut off in its field.
            <input class="saved-run__name" type="text" aria-label=tr!("Name of the run") title=name prop:value=name
                on:change:target=move |event| {
                    store.act(Action::Library(LibraryAction::Rename(renamed.clone(), event.target().value())));
                } />
            <span class="saved-run__about" prop:textContent=words></span>
            {press(tr!("Open"), LibraryAction::Resume, None)}
            {press(tr!("Pin"), LibraryAction::Pin, Some(pinned))}
            {press(tr!("Delete"), LibraryAction::Delete, None)}
        </li>
    }
    .into_any()
}

/// Returns the colour of saved runs with this index as a CSS value.
pub fn css_colour(colour: usize) -> String {
    let colour = MUTED_COLOURS[colour % MUTED_COLOURS.len()];
    format!("rgb({} {} {})", colour.0, colour.1, colour.2)
}
