//! Presenter mode as it is seen: its bar of buttons, the whole screen, the focus, and the size of a passage.
//!
//! # Why
//! The page stays as it is and is laid out anew by `styles/present.css`, which follows two attributes of the root. So
//! no chart and no passage is made a second time.

use js_sys::{Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::browser;
use crate::presenter::cover::Cover;
use crate::store::Store;
use vivarium_page::gallery::update::address;
use vivarium_page::presenter::{Cover as Covered, PresenterAction};
use vivarium_page::state::Action;
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{focus, get, mark_root, settle};

/// The button that enters, to which the focus goes back.
const ENTRY: &str = "[data-testid=presenter]";
/// Sizes of a passage's type, the largest first, as shares of the mode's type.
const SIZES: [&str; 6] = ["1.25", "1.15", "1.05", "0.95", "0.85", "0.75"];

/// The bar of presenter mode while it is on, and what follows from its coming and going.
#[component]
pub fn PresenterBar() -> impl IntoView {
    let (store, appearance) = (Store::here(), Appearance::here());
    let is_on = store.memo(|state| state.presenter.is_some());
    let is_inside = store.memo(|state| state.presenter.is_some_and(|presenter| presenter.is_inside));
    let before = StoredValue::new_local(None::<HtmlElement>);
    Effect::new(move |was_on: Option<bool>| {
        let (is_on, was_on) = (is_on.get(), was_on.unwrap_or(false));
        if is_on != was_on {
            mark_root("data-presenter", if is_on { "on" } else { "off" });
            appearance.enlarge(is_on);
            match is_on {
                true => enter(store, before),
                false => leave(store, before),
            }
        }
        is_on
    });
    Effect::new(move |_| mark_root("data-presented", if is_inside.get() { "inside" } else { "charts" }));
    follow_the_browser(store);
    follow_the_passage(store);
    let cover = store.memo(|state| {
        let cover = state.presenter.and_then(|presenter| presenter.cover);
        cover.map(|cover| match cover {
            Covered::Black => String::new(),
            Covered::Code => browser::address_of(&address(state)),
        })
    });
    let uncover = Callback::new(move |()| store.act(Action::Present(PresenterAction::Uncover)));
    let one = move |testid, word, hint, what| {
        view! {
            <button class="button" type="button" data-testid=testid title=hint
                on:click=move |_| store.act(Action::Present(what))>{word}</button>
        }
        .into_any()
    };
    view! {
        {move || is_on.get().then(|| view! {
            <section class="presenter" tabindex="-1" aria-label=tr!("Presenter mode") data-testid="presenter-bar">
                {one("presenter-chart", tr!("Next chart"), tr!("Show the next chart (C)"), PresenterAction::NextChart)}
                <button class="button presenter__inside" type="button" data-testid="presenter-inside"
                    title=tr!("Show the panels of this lab instead of the charts (I)")
                    aria-pressed=move || is_inside.get().to_string()
                    on:click=move |_| store.act(Action::Present(PresenterAction::Inside))>{tr!("Panels")}</button>
                {one("presenter-black", tr!("Black"), tr!("Black screen (B or .)"), PresenterAction::Cover(Covered::Black))}
                {one("presenter-code", tr!("QR code"), tr!("Show the address as a QR code on the whole screen (Q)"),
                    PresenterAction::Cover(Covered::Code))}
                {one("presenter-leave", tr!("Exit"), tr!("Leave presenter mode (Esc)"), PresenterAction::Leave)}
            </section>
        })}
        <Cover shown=cover close=uncover />
    }
    .into_any()
}

/// Takes the whole screen and the focus, and remembers in `before` where that was.
fn enter(store: Store, before: StoredValue<Option<HtmlElement>, LocalStorage>) {
    let active = document().active_element().and_then(|active| active.dyn_into::<HtmlElement>().ok());
    before.set_value(active);
    fill_screen(store);
    // The bar is on the page by then.
    request_animation_frame(|| focus(".presenter"));
}

/// Gives the screen back, and the focus to where it was, or to the button that enters.
fn leave(store: Store, before: StoredValue<Option<HtmlElement>, LocalStorage>) {
    give_back_screen();
    let before = before.try_update_value(Option::take).flatten();
    // What took the mode's place has the focus itself.
    if store.peek(|state| state.is_covered()) {
        return;
    }
    request_animation_frame(move || {
        let is_there = before.is_some_and(|before| {
            let _ = before.focus();
            // Neither the body nor what is hidden takes it.
            before.tag_name() != "BODY" && document().active_element().as_ref() == Some(&before)
        });
        if !is_there {
            focus(ENTRY);
        }
    });
}

/// Whether an element has the whole screen.
fn is_full() -> bool {
    get(&document(), "fullscreenElement").is_object()
}

/// Asks for the whole screen. A browser may refuse, or not know of it: then the mode is in the window, and nothing is
/// wrong.
fn fill_screen(store: Store) {
    let Some(root) = document().document_element() else { return };
    // Long after the press, as where this program had to be fetched first, the browser would refuse with a warning.
    let activation = get(&window().navigator(), "userActivation");
    if activation.is_object() && !get(&activation, "isActive").is_truthy() {
        return;
    }
    let Ok(ask) = get(&root, "requestFullscreen").dyn_into::<Function>() else { return };
    let Ok(promise) = ask.call0(&root) else { return };
    settle(&Promise::resolve(&promise), move |_| {
        // Somebody was faster than the browser.
        if store.peek(|state| state.presenter.is_none()) {
            give_back_screen();
        }
    });
}

fn give_back_screen() {
    let document = document();
    if is_full()
        && let Ok(exit) = get(&document, "exitFullscreen").dyn_into::<Function>()
        && let Ok(promise) = exit.call0(&document)
    {
        settle(&Promise::resolve(&promise), |_| {});
    }
}

/// Leaves the mode when the browser gives the screen back, as on Escape, of which the page hears nothing then.
fn follow_the_browser(store: Store) {
    let was_full = StoredValue::new(false);
    window_event_listener_untyped("fullscreenchange", move |_| {
        let now = is_full();
        if was_full.get_value() && !now && store.peek(|state| state.presenter.is_some()) {
            store.act(Action::Present(PresenterAction::Leave));
        }
        was_full.set_value(now);
    });
}

/// Sets each passage in the largest type in which all of it is seen.
fn follow_the_passage(store: Store) {
    let news = store.memo(|state| {
        let tour = state.tour.as_ref().filter(|_| state.presenter.is_some());
        tour.map(|t| (t.slug, t.at, t.story.is_some(), t.guesses.len(), t.explained.len()))
    });
    Effect::new(move |_| {
        if news.get().is_some() {
            // The passage is on the page by then.
            request_animation_frame(fit);
        }
    });
    window_event_listener_untyped("resize", move |_| {
        if news.with_untracked(Option::is_some) {
            fit();
        }
    });
}

fn fit() {
    let passage = document().query_selector(".tour").ok().flatten();
    let Some(passage) = passage.and_then(|passage| passage.dyn_into::<HtmlElement>().ok()) else { return };
    for size in SIZES {
        let _ = passage.style().set_property("--fit", size);
        if passage.scroll_height() <= passage.client_height() {
            return;
        }
    }
}
