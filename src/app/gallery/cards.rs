//! The gallery in place of the run, and the strip at the page's foot that leads to it.

use leptos::prelude::*;
use web_sys::{Event, MouseEvent};

use super::{GalleryAction, strip};
use crate::app::browser;
use crate::app::state::Action;
use crate::app::store::Store;
use crate::app::tour::passage::pressed;
use crate::ui::browser::{focus, get};

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
        }
    };
    follow_focus(is_open);
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

/// Whoever moves by keyboard, or listens, goes on where a view opens in place of the run, or where the run is shown again.
pub fn follow_focus(is_open: Memo<bool>) {
    let was_open = StoredValue::new(false);
    Effect::new(move |_| {
        let now = is_open.get();
        if now || was_open.get_value() {
            was_open.set_value(now);
            request_animation_frame(move || {
                browser::scroll_up();
                focus(if now { ".gallery__title" } else { "[data-testid=gallery]" });
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
