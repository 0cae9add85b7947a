//! The link and the command line of the run, to be copied.

use leptos::prelude::*;

use crate::browser;
use crate::shell::deferred::{Deferred, Part};
use crate::store::Store;
use vivarium_model::permalink::encode;
use vivarium_page::files;
use vivarium_ui::icon::{Icon, Name};
use vivarium_ui::text::element_text;

/// The link of the run and its command line, each with a button that copies it.
#[component]
pub fn Links() -> impl IntoView {
    let store = Store::here();
    let link = store.memo(|state| encode(&state.player.run.link));
    let address = move || browser::address_of(&link.get());
    let commands = store.memo(files::repeating_commands);
    let command = move |which: usize| Signal::derive(move || commands.with(|texts| texts[which].clone()));
    let teach = RwSignal::new(false);
    view! {
        <section class="links" aria-label=tr!("Links and command for this run")>
            <CopyField testid="copy-link" icon=Name::Link word=tr!("Copy link") text=Signal::derive(address)
                about=tr!("This address contains all settings of the run. If you open the address elsewhere, the same run starts.") />
            <CopyField testid="copy-command" icon=Name::Terminal word=tr!("Copy command") text=command(0)
                about=tr!("A terminal command that trains the same run and gives the same numbers.") />
            <CopyField testid="copy-python" icon=Name::Terminal word=tr!("Copy Python") text=command(1)
                about=tr!("Python code that trains the same run with the package vivarium, for example in a notebook.") />
            <button class="button" type="button" data-testid="teach" on:click=move |_| teach.set(true)>
                {tr!("Link for a class, QR code, HTML for another page")}
            </button>
            <p class="print-only" translate="no" prop:textContent=element_text(address)></p>
        </section>
        <Deferred part=Part::Teacher(teach) />
    }
    .into_any()
}

/// A text with a button that copies it.
#[component]
pub fn CopyField(
    /// Test id.
    testid: &'static str,
    /// Icon.
    icon: Name,
    /// Label of the button.
    word: &'static str,
    /// The text.
    text: Signal<String>,
    /// Description.
    about: &'static str,
) -> impl IntoView {
    let state = RwSignal::new(word);
    let field = NodeRef::<leptos::html::Input>::new();
    let copy = move |_| {
        browser::copy_text(&text.get_untracked(), move |worked| {
            state.set(if worked { tr!("Copied") } else { tr!("Press Ctrl+C") });
            if !worked && let Some(field) = field.get_untracked() {
                // No clipboard here: the text is selected, and the keyboard can copy it.
                let _ = field.focus();
                field.select();
            }
            set_timeout(move || state.set(word), std::time::Duration::from_millis(2500));
        });
    };
    view! {
        <div class="copy-field">
            <input class="copy-field__text" type="text" readonly aria-label=about title=about prop:value=text node_ref=field />
            <button class="button" type="button" data-testid=testid on:click=copy>
                <Icon name=icon />
                <span aria-live="polite" prop:textContent=state></span>
            </button>
        </div>
    }
    .into_any()
}
