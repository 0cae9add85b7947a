//! The gallery, and the list of stories with a link to the gallery at the foot of the page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent};

use crate::browser;
use crate::gallery::tiles::Tiles;
use crate::store::Store;
use crate::tour::passage::pressed_button;
use vivarium_page::gallery::place::GalleryPosition;
use vivarium_page::gallery::{GalleryAction, stories_html};
use vivarium_page::state::Action;
use vivarium_ui::browser::{focus_selector, get_property};

/// The gallery of presets and stories; empty unless it is open.
#[component]
pub fn Gallery() -> impl IntoView {
    let store = Store::here();
    let is_open = store.memo(|state| state.gallery.is_open);
    let fill = move |event: Event| {
        let Some(field) = event.target() else { return };
        let word = |key: &str| get_property(&field, key).as_string().unwrap_or_default();
        let name = get_property(&get_property(&field, "dataset"), "filter").as_string();
        if let Some(name) = name {
            store.act(Action::Gallery(GalleryAction::Filter(name, word("value"))));
        }
    };
    let press = move |event: MouseEvent| {
        if pressed_button(&event).is_some() {
            store.act(Action::Gallery(GalleryAction::Close));
        } else if let Some(link) = clicked_card_link(&event) {
            let filter = store.peek(|state| state.gallery.filter.clone());
            let place = GalleryPosition { scroll: browser::scroll_position(), link, filter };
            // The browser follows the link only after this, so the entry is still that of the gallery.
            browser::set_history_state(&place.encode());
        }
    };
    restore_scroll_position(store, is_open);
    move || {
        is_open.get().then(|| {
            let head = store.peek(|state| state.gallery.heading_html());
            // The cards are a long text: it is made when it changes, and not at every step of the run beneath.
            let version = store.memo(|state| state.gallery.version);
            let cards = move || {
                version.get();
                store.peek(|state| state.gallery.cards_html())
            };
            view! {
                <main class="gallery" data-testid="gallery-view" on:input=fill on:click=press>
                    // Markup: `Gallery::heading_html` and `Gallery::cards_html`, written with `Html`, which escapes.
                    <div inner_html=head></div>
                    <Tiles />
                    // Markup: the same.
                    <div class="gallery__cards" inner_html=cards></div>
                </main>
            }
        })
    }
}

/// Returns the link of the gallery card that was clicked, or the DOM id of the link of the tile; None for a click elsewhere.
fn clicked_card_link(event: &MouseEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let link = target.closest(".gallery-card__name, .tile__name").ok()??;
    link.get_attribute("id").or_else(|| link.get_attribute("href"))
}

/// Scrolls the gallery, when it opens, to the position stored in the history, or else to its top.
fn restore_scroll_position(store: Store, is_open: Memo<bool>) {
    // Whether the gallery is at a position of the history, and the user has done nothing since.
    let is_restored = StoredValue::new(false);
    for event in ["wheel", "touchmove", "keydown", "pointerdown"] {
        window_event_listener_untyped(event, move |_| {
            let _ = is_restored.try_set_value(false);
        });
    }
    let show = move || {
        let noted = browser::history_state();
        let place =
            noted.and_then(|text| store.peek(|state| GalleryPosition::decode(&text, &state.gallery.filter)));
        let Some(place) = place else {
            is_restored.set_value(false);
            return scroll_to_view_top();
        };
        // The focus first: it scrolls, too.
        focus_selector(&place.selector());
        browser::scroll_to(place.scroll);
        is_restored.set_value(true);
    };
    follow_focus(is_open, show);
    // After a reload the curves come later than the cards, and bring words that make some cards higher. A user who has
    // scrolled meanwhile stays there.
    let has_curves = store.memo(|state| matches!(state.gallery.recorded, Some(Ok(_))));
    Effect::new(move |_| {
        if has_curves.get() && is_open.get_untracked() {
            request_animation_frame(move || {
                if is_restored.get_value() {
                    show();
                }
            });
        }
    });
}

/// Scrolls to the top of the gallery or the benchmark, which take the place of the run, and focuses its heading.
pub fn scroll_to_view_top() {
    browser::scroll_to(0.0);
    focus_selector(".gallery__title");
}

/// Calls `show` when the gallery or the benchmark opens in place of the run, and moves the focus back to the run when
/// it closes, for keyboards and screen readers.
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
                focus_selector("[data-testid=gallery]");
            });
        }
    });
}

/// The list of stories and the link to the gallery at the foot of the page.
#[component]
pub fn StoryTeaser() -> impl IntoView {
    // Markup: `stories_html`, written with `Html`, which escapes texts.
    view! { <nav class="teaser" aria-label=tr!("Stories and experiments") inner_html=stories_html()></nav> }
        .into_any()
}
