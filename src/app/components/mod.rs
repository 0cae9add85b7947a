//! What is on the page. Components show the state and pass on what a person does; they decide nothing.

mod chain;
mod files;
mod form;
mod heads;
mod help;
mod icon;
mod inside;
mod knob;
mod library;
mod numbers;
mod plot;
mod readouts;
mod scrub;
mod sheet;
mod story;
mod sweep;
mod teacher;
mod theme;
mod theory;
mod toolbar;
mod tour;
mod transport;

use leptos::prelude::*;

use super::browser;
use super::state::Action;
use super::store::Store;
use files::{Files, drops};
use form::Form;
use help::{Help, shortcuts};
use inside::Inside;
use library::{Library, Offer};
use numbers::{Numbers, Shown};
use plot::Plots;
use readouts::Readouts;
use story::{Presets, Story};
use sweep::{SweepForm, SweepMap};
use theme::{Appearance, PresentButton, ThemeButton};
use theory::Theory;
use tour::{Tour, Tours};
use transport::{Links, Transport};

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::open();
    let appearance = Appearance::provide();
    Shown::provide();
    drops(store);
    let hidden = store.memo(|state| {
        let hidden = crate::permalink::PARTS.iter().filter(|(part, _)| state.link.hides(part));
        hidden.map(|(part, _)| *part).collect::<Vec<_>>().join(" ")
    });
    let embedded = store.memo(|state| state.link.is_embedded());
    Effect::new(move |_| {
        browser::mark_root("data-hide", &hidden.get());
        browser::mark_root("data-embed", if embedded.get() { "on" } else { "off" });
    });
    let [help, files, tours] = [(); 3].map(|()| RwSignal::new(false));
    shortcuts(store, help, files, appearance);
    view! {
        <header class="masthead">
            <h1 class="masthead__name">"Vivarium"</h1>
            <p class="masthead__point">{POINT}</p>
            <Presets />
            <div class="masthead__tools">
                <button class="button" type="button" data-testid="stories" on:click=move |_| tours.set(true)>
                    "Stories"
                </button>
                <PresentButton appearance />
                <ThemeButton appearance />
                <button class="tool" type="button" aria-label="Save and open files" title="Save and open files (S)"
                    data-testid="files" on:click=move |_| files.set(true)>
                    <icon::Icon name=icon::Name::Files />
                </button>
                <button class="tool" type="button" aria-label="Help and shortcuts" title="Help and shortcuts (?)"
                    data-testid="help" on:click=move |_| help.set(true)>
                    <icon::Icon name=icon::Name::Help />
                </button>
            </div>
        </header>
        <Notices />
        <Offer />
        <main class="bench">
            <Tour />
            <div class="stage">
                <Story />
                <Transport />
                <SweepMap />
                <Plots appearance />
                <Readouts />
                <Inside appearance />
                <Theory appearance />
                <Links />
                <Library />
            </div>
            <aside class="panel" aria-label="Settings">
                <SweepForm />
                <Form />
            </aside>
        </main>
        <Help open=help />
        <Numbers />
        <Files open=files appearance />
        <Tours open=tours />
    }
    .into_any()
}

/// What the page is, in one sentence.
const POINT: &str = "A small neural network learns here, in your browser, while you watch.";

/// What was ignored in the link.
#[component]
fn Notices() -> impl IntoView {
    let store = Store::here();
    let notices = store.memo(|state| state.notices.iter().map(ToString::to_string).collect::<Vec<_>>());
    move || {
        let notices = notices.get();
        (!notices.is_empty()).then(|| {
            view! {
                <section class="notice" role="alert" data-testid="notice">
                    <div class="notice__text">
                        <p class="notice__head">"Some of this link could not be used; the rest was kept."</p>
                        <ul>{notices.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ul>
                    </div>
                    <button class="button" type="button" on:click=move |_| store.act(Action::DismissNotices)>
                        "Dismiss"
                    </button>
                </section>
            }
        })
    }
}
