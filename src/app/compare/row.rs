//! The compared runs, in a row below what drives the run.

use leptos::prelude::*;

use crate::browser::files;
use crate::library::list::tint;
use crate::store::Store;
use vivarium_page::files::Export;
use vivarium_page::library::LibraryAction;
use vivarium_page::state::{Action, State};
use vivarium_ui::browser::{focus, keep_in_tab, kept_in_tab};

/// What the compared runs are kept under as long as the tab is open.
const KEY: &str = "compared";

/// A compared run as the row shows it.
#[derive(Clone, PartialEq)]
struct Line {
    id: String,
    words: String,
    tint: String,
}

/// The runs, and what must be said of those that are not drawn.
fn seen(state: &State) -> (Vec<Line>, String) {
    let comparison = state.comparison();
    let notes: Vec<String> = comparison.runs.iter().filter_map(|named| state.why_not_drawn(named)).collect();
    let line = |named: &vivarium_page::compare::NamedRun| Line {
        id: named.of.id.clone(),
        words: match named.is_same {
            true => tr!("{name} (the run of this page)", name = named.name),
            false => named.name.clone(),
        },
        tint: tint(named.of.tint),
    };
    (comparison.runs.iter().map(line).collect(), notes.join(" "))
}

/// Which runs are compared outlasts a reload of the page.
fn keep_ids(store: Store) {
    let ids = store.memo(|state| state.compared_ids().join("\n"));
    Effect::new(move |before: Option<()>| {
        let now = ids.get();
        if before.is_some() {
            return keep_in_tab(KEY, &now);
        }
        let kept: Vec<String> = kept_in_tab(KEY).unwrap_or_default().lines().map(String::from).collect();
        if !kept.is_empty() {
            store.act(Action::Library(LibraryAction::Recall(kept)));
        }
    });
}

/// The row; nothing while no run is compared.
#[component]
pub fn Compared() -> impl IntoView {
    let store = Store::here();
    keep_ids(store);
    let is_shown = store.memo(|state| state.library.compared().next().is_some());
    let act = move |wish: LibraryAction| {
        store.act(Action::Library(wish));
        // The button that was pressed is gone; the next one takes its place.
        request_animation_frame(move || {
            let is_empty = store.peek(|state| state.library.compared().next().is_none());
            focus(if is_empty { "[data-testid=compare]" } else { ".compared .switch" });
        });
    };
    let save = move |_| {
        let file = store.peek(|state| Export::Compared.file(state, &files::system()));
        if let Ok(file) = &file {
            files::save(file);
        }
    };
    let shown = move || {
        let seen = store.memo(seen);
        let lines = move || {
            let line = move |line: Line| {
                let label = tr!("Stop comparing {name}", name = line.words);
                let id = line.id;
                view! {
                    <li class="compared__run">
                        <i class="compared__swatch" style:--tint=line.tint></i>
                        <span>{line.words}</span>
                        <button class="switch" type="button" title=label.clone() aria-label=label
                            on:click=move |_| act(LibraryAction::Overlay(id.clone()))>
                            "×"
                        </button>
                    </li>
                }
            };
            seen.with(|(lines, _)| lines.clone()).into_iter().map(line).collect_view()
        };
        let cannot_save = store.memo(|state| Export::Compared.unavailable(state).unwrap_or_default());
        view! {
            <section class="compared" aria-label=tr!("Compared runs") data-testid="compared">
                <ul class="compared__list">{lines}</ul>
                <button class="switch" type="button" data-testid="compared-csv" aria-label=Export::Compared.word()
                    title=move || match cannot_save.get() {
                        "" => Export::Compared.about(),
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
                <p class="compared__note" role="status" data-testid="compared-note">
                    {move || seen.with(|(_, note)| note.clone())}
                </p>
            </section>
        }
    };
    move || is_shown.get().then(shown)
}
