//! The gallery in place of the run, and the strip at the page's foot that leads to it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent};

use crate::browser;
use crate::store::Store;
use crate::tour::passage::pressed;
use vivarium_page::gallery::place::Place;
use vivarium_page::gallery::{GalleryAction, strip};
use vivarium_page::state::Action;
use vivarium_ui::browser::{focus, get};

/// The gallery, where it is open.
#[component]
pub fn Gallery() -> impl IntoView {
    let store = Store::here();
    let is_open = store.memo(|state| state.gallery.is_open);
    let fill = move |event: Event| {
        let Some(field) = event.target() else { return };
        let word = |key: &str| get(&field, key).as_string().unwrap_or_default();
        let name = get(&get(&field, "dataset"), "filter").as_string();
        if let Some(name) = name {
            store.act(Action::Gallery(GalleryAction::Filter(name, word("value"))));
        }
    };
    let press = move |event: MouseEvent| {
        if pressed(&event).is_some() {
            store.act(Action::Gallery(GalleryAction::Close));
        } else if let Some(link) = pressed_card(&event) {
            let filter = store.peek(|state| state.gallery.filter.clone());
            let place = Place { scroll: browser::scrolled(), link, filter };
            // The browser follows the link only after this, so the entry is still that of the gallery.
            browser::note_in_history(&place.written());
        }
    };
    show_from_place(store, is_open);
    move || {
        is_open.get().then(|| {
            let head = store.peek(|state| state.gallery.head());
            // The cards are a long text: it is made when it changes, and not at every step of the run beneath.
            let version = store.memo(|state| state.gallery.version);
            let cards = move || {
                version.get();
                store.peek(|state| state.gallery.cards())
            };
            view! {
                <main class="gallery" data-testid="gallery-view" on:input=fill on:click=press>
                    // Markup: `Gallery::head` and `Gallery::cards`, written with `Html`, which escapes texts.
                    <div inner_html=head></div>
                    // Markup: the same.
                    <div class="gallery__cards" inner_html=cards></div>
                </main>
            }
        })
    }
}

/// The link of the card that was pressed.
fn pressed_card(event: &MouseEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(".exhibit__name").ok()??.get_attribute("href")
}

/// Shows the gallery, when it opens, where it was left by a card, if the entry of the history says so; else from its top.
fn show_from_place(store: Store, is_open: Memo<bool>) {
    // How far the page was scrolled for the place.
    let restored = StoredValue::new(None::<f64>);
    let show = move || {
        let noted = browser::noted_in_history();
        let place = noted.and_then(|text| store.peek(|state| Place::read(&text, &state.gallery.filter)));
        let Some(place) = place else {
            restored.set_value(None);
            return show_top();
        };
        // The focus first: it scrolls, too.
        focus(&format!(".exhibit__name[href=\"{}\"]", place.link));
        browser::scroll_to(place.scroll);
        restored.set_value(Some(browser::scrolled()));
    };
    follow_focus(is_open, show);
    // After a reload the curves come later than the cards, and bring words that make some cards higher. Whoever has
    // scrolled meanwhile stays there.
    let has_curves = store.memo(|state| matches!(state.gallery.recorded, Some(Ok(_))));
    Effect::new(move |_| {
        if has_curves.get() && is_open.get_untracked() {
            request_animation_frame(move || {
                if restored.get_value() == Some(browser::scrolled()) {
                    show();
                }
            });
        }
    });
}

/// Shows a view in place of the run from its top, and goes on from its heading.
pub fn show_top() {
    browser::scroll_to(0.0);
    focus(".gallery__title");
}

/// Whoever moves by keyboard, or listens, goes on where a view opens in place of the run, which `show` does, or where the
/// run is shown again.
pub fn follow_focus(is_open: Memo<bool>, show: impl Fn() + Copy + 'static) {
    let was_open = StoredValue::new(false);
    Effect::new(move |_| {
        let now = is_open.get();
        if now {
            was_open.set_value(true);
            request_animation_frame(show);
        } else if was_open.get_value() {
            was_open.set_value(false);
            request_animation_frame(|| {
                browser::scroll_to(0.0);
                focus("[data-testid=gallery]");
            });
        }
    });
}

/// Stories, and the way to the gallery.
#[component]
pub fn Strip() -> impl IntoView {
    // Markup: `strip`, written with `Html`, which escapes texts.
    view! { <nav class="more" aria-label=tr!("Stories and experiments") inner_html=strip()></nav> }.into_any()
}
