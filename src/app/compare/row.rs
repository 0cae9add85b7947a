//! The row of compared runs, below the main buttons.

use leptos::prelude::*;

use crate::browser::files;
use crate::library::list::css_colour;
use crate::store::Store;
use vivarium_page::files::Export;
use vivarium_page::library::LibraryAction;
use vivarium_page::state::{Action, State};
use vivarium_ui::browser::{focus_selector, read_tab_stored, write_tab_stored};
use vivarium_ui::text::element_text;

/// Key in the tab's session storage of the ids of the compared runs.
const STORAGE_KEY: &str = "compared";

/// A compared run as the row above the charts lists it: id, name and colour.
#[derive(Clone, PartialEq)]
struct RunLine {
    /// Id of the compared run.
    id: String,
    /// Name of the compared run, different from the names of the other compared runs.
    words: String,
    /// CSS colour of the compared run's curves.
    tint: String,
}

/// Returns (compared runs, sentences on the compared runs that no chart draws).
fn row_content(state: &State) -> (Vec<RunLine>, String) {
    let comparison = state.comparison();
    let notes: Vec<String> =
        comparison.runs.iter().filter_map(|named| state.not_drawn_reason(named)).collect();
    let line = |named: &vivarium_page::compare::NamedRun| RunLine {
        id: named.run.id.clone(),
        words: match named.is_part_of_own {
            true => tr!("{name} (the run of this page)", name = named.name),
            false => named.name.clone(),
        },
        tint: css_colour(named.run.colour),
    };
    (comparison.runs.iter().map(line).collect(), notes.join(" "))
}

/// Keeps the ids of the compared runs in the tab's storage, so that a reload of the page compares them again.
fn persist_compared_ids(store: Store) {
    let ids = store.memo(|state| state.compared_ids().join("\n"));
    Effect::new(move |before: Option<()>| {
        let now = ids.get();
        if before.is_some() {
            return write_tab_stored(STORAGE_KEY, &now);
        }
        let stored: Vec<String> =
            read_tab_stored(STORAGE_KEY).unwrap_or_default().lines().map(String::from).collect();
        if !stored.is_empty() {
            store.act(Action::Library(LibraryAction::AddCompared(stored)));
        }
    });
}

/// The row of compared runs; empty while no run is compared.
#[component]
pub fn Compared() -> impl IntoView {
    let store = Store::here();
    persist_compared_ids(store);
    let is_shown = store.memo(|state| state.library.compared_runs().next().is_some());
    let act = move |action: LibraryAction| {
        store.act(Action::Library(action));
        // The button that was pressed is gone; the next one takes its place.
        request_animation_frame(move || {
            let is_empty = store.peek(|state| state.library.compared_runs().next().is_none());
            focus_selector(if is_empty { "[data-testid=compare]" } else { ".compared .switch" });
        });
    };
    let save = move |_| {
        let file = store.peek(|state| Export::ComparedCsv.build(state, &files::user_agent()));
        if let Ok(file) = file {
            let wants_commas = files::wants_decimal_commas();
            files::save_file(&if wants_commas { file.with_decimal_commas() } else { file });
        }
    };
    let shown = move || {
        let seen = store.memo(row_content);
        let lines = move || {
            let line = move |line: RunLine| {
                let label = tr!("Stop comparing {name}", name = line.words);
                let id = line.id;
                view! {
                    <li class="compared__run">
                        <i class="compared__swatch" style:--tint=line.tint></i>
                        <span prop:textContent=line.words></span>
                        <button class="switch" type="button" title=label.clone() aria-label=label
                            on:click=move |_| act(LibraryAction::ToggleCompared(id.clone()))>
                            "×"
                        </button>
                    </li>
                }
            };
            seen.with(|(lines, _)| lines.clone()).into_iter().map(line).collect_view()
        };
        let [csv, cannot_save] = [
            store.memo(|state| Export::ComparedCsv.description(state)),
            store.memo(|state| Export::ComparedCsv.unavailable_reason(state).unwrap_or_default()),
        ];
        view! {
            <section class="compared" aria-label=tr!("Compared runs") data-testid="compared-runs">
                <ul class="compared__list">{lines}</ul>
                <button class="switch" type="button" data-testid="compared-csv" aria-label=store.peek(|state| Export::ComparedCsv.label(state))
                    title=move || match cannot_save.get() {
                        "" => csv.get(),
                        why => why,
                    }
                    aria-disabled=move || (!cannot_save.get().is_empty()).to_string() on:click=save>
                    "CSV"
                </button>
                <button class="switch" type="button" data-testid="stop-comparing"
                    title=tr!("Draw only the run of this page. The compared runs stay in the list of kept runs")
                    on:click=move |_| act(LibraryAction::StopComparing)>
                    {tr!("Stop comparing")}
                </button>
                <p class="compared__note" role="status" data-testid="compared-note"
                    prop:textContent=element_text(move || seen.with(|(_, note)| note.clone()))></p>
            </section>
        }
    };
    move || is_shown.get().then(shown)
}
