//! The view of presenter mode: its buttons, full screen, focus, and the font size of a passage.
//!
//! # Why
//! The page stays as it is and is laid out anew by `styles/present.css`, which follows two attributes of the root. So
//! no chart and no passage is made a second time.

use js_sys::{Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlDialogElement, HtmlElement};

use crate::browser;
use crate::presenter::cover::Cover;
use crate::store::Store;
use vivarium_model::platform::now_ms;
use vivarium_page::gallery::update::run_address;
use vivarium_page::presenter::{PresenterAction, ScreenCover as Covered, fullscreen_exit_action};
use vivarium_page::state::{Action, State};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{focus_selector, get_property, on_settled, set_root_attribute};

/// CSS selector of the button that enters presenter mode; it receives the focus after the mode is left.
const ENTER_BUTTON: &str = "[data-testid=presenter]";
/// Font sizes of a story's passage, as multiples of the font size of presenter mode, the largest first.
const TYPE_SIZES: [&str; 6] = ["1.25", "1.15", "1.05", "0.95", "0.85", "0.75"];

/// The bar of presenter mode while it is on.
#[component]
pub fn PresenterBar() -> impl IntoView {
    let (store, appearance) = (Store::here(), Appearance::here());
    let is_on = store.memo(|state| state.presenter.is_some());
    let is_inside = store.memo(|state| state.presenter.is_some_and(|presenter| presenter.shows_panels));
    let before = StoredValue::new_local(None::<HtmlElement>);
    Effect::new(move |was_on: Option<bool>| {
        let (is_on, was_on) = (is_on.get(), was_on.unwrap_or(false));
        if is_on != was_on {
            set_root_attribute("data-presenter", if is_on { "on" } else { "off" });
            appearance.set_enlarged(is_on);
            match is_on {
                true => enter_mode(store, before),
                false => leave_mode(store, before),
            }
        }
        is_on
    });
    let presents_picture = store.memo(State::presents_picture);
    Effect::new(move |_| {
        let presented = match (is_inside.get(), presents_picture.get()) {
            (true, _) => "inside",
            (false, true) => "picture",
            (false, false) => "charts",
        };
        set_root_attribute("data-presented", presented);
    });
    leave_with_fullscreen(store);
    fit_passages(store);
    let cover = store.memo(|state| {
        let cover = state.presenter.and_then(|presenter| presenter.cover);
        cover.map(|cover| match cover {
            Covered::Black => String::new(),
            Covered::QrCode => browser::address_of(&run_address(state)),
        })
    });
    let uncover = Callback::new(move |()| store.act(Action::Presenter(PresenterAction::Uncover)));
    let one = move |testid, word, hint, what| {
        view! {
            <button class="button" type="button" data-testid=testid title=hint
                on:click=move |_| store.act(Action::Presenter(what))>{word}</button>
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
                    on:click=move |_| store.act(Action::Presenter(PresenterAction::TogglePanels))>{tr!("Panels")}</button>
                {one("presenter-black", tr!("Black"), tr!("Black screen (B or .)"), PresenterAction::Cover(Covered::Black))}
                {one("presenter-code", tr!("QR code"), tr!("Show the address as a QR code on the whole screen (Q)"),
                    PresenterAction::Cover(Covered::QrCode))}
                {one("presenter-leave", tr!("Exit"), tr!("Leave presenter mode (Esc)"), PresenterAction::Exit)}
            </section>
        })}
        <Cover shown=cover close=uncover />
    }
    .into_any()
}

/// Enters full screen, moves the focus to the bar, and stores in `before` the element that had it.
fn enter_mode(store: Store, before: StoredValue<Option<HtmlElement>, LocalStorage>) {
    let active = document().active_element().and_then(|active| active.dyn_into::<HtmlElement>().ok());
    before.set_value(active);
    request_fullscreen(store);
    // The bar is on the page by then.
    request_animation_frame(|| focus_selector(".presenter"));
}

/// Leaves full screen, and moves the focus back to `before`, or to the button that enters the mode.
fn leave_mode(store: Store, before: StoredValue<Option<HtmlElement>, LocalStorage>) {
    exit_fullscreen();
    let before = before.try_update_value(Option::take).flatten();
    // What took the mode's place has the focus itself.
    if store.peek(|state| state.is_run_hidden()) {
        return;
    }
    request_animation_frame(move || {
        let is_there = before.is_some_and(|before| {
            let _ = before.focus();
            // Neither the body nor what is hidden takes it.
            before.tag_name() != "BODY" && document().active_element().as_ref() == Some(&before)
        });
        if !is_there {
            focus_selector(ENTER_BUTTON);
        }
    });
}

/// Whether the browser shows an element of the page in full screen.
fn is_fullscreen() -> bool {
    get_property(&document(), "fullscreenElement").is_object()
}

/// Requests full screen; if the browser refuses, the mode stays in the window.
fn request_fullscreen(store: Store) {
    let Some(root) = document().document_element() else { return };
    // Long after the press, as where this program had to be fetched first, the browser would refuse with a warning.
    let activation = get_property(&window().navigator(), "userActivation");
    if activation.is_object() && !get_property(&activation, "isActive").is_truthy() {
        return;
    }
    let Ok(ask) = get_property(&root, "requestFullscreen").dyn_into::<Function>() else { return };
    let Ok(promise) = ask.call0(&root) else { return };
    on_settled(&Promise::resolve(&promise), move |_| {
        // Somebody was faster than the browser.
        if store.peek(|state| state.presenter.is_none()) {
            exit_fullscreen();
        }
    });
}

/// Leaves the browser's full screen.
fn exit_fullscreen() {
    let document = document();
    if is_fullscreen()
        && let Ok(exit) = get_property(&document, "exitFullscreen").dyn_into::<Function>()
        && let Ok(promise) = exit.call0(&document)
    {
        on_settled(&Promise::resolve(&promise), |_| {});
    }
}

/// Closes the dialog that is on top of presenter mode, if one is open. Returns whether one was open.
fn close_dialog() -> bool {
    let dialog = document().query_selector("dialog[open]:not(.cover)").ok().flatten();
    let dialog = dialog.and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    dialog.is_some_and(|dialog| {
        dialog.close();
        true
    })
}

/// Leaves presenter mode when the browser leaves full screen, as after Escape, which the page may not see. A press of
/// Escape that closes a cover of the screen ends full screen, too, but not the mode.
fn leave_with_fullscreen(store: Store) {
    let (was_full, uncovered_ms) = (StoredValue::new(false), StoredValue::new(f64::NEG_INFINITY));
    let is_covered = store.memo(|state| state.presenter.is_some_and(|presenter| presenter.cover.is_some()));
    Effect::new(move |was_covered: Option<bool>| {
        let is_covered = is_covered.get();
        if was_covered == Some(true) && !is_covered {
            uncovered_ms.set_value(now_ms());
        }
        is_covered
    });
    window_event_listener_untyped("fullscreenchange", move |_| {
        let now = is_fullscreen();
        let is_left = was_full.get_value() && !now && store.peek(|state| state.presenter.is_some());
        // A dialog is on top of the mode, and is closed alone.
        if is_left && !close_dialog() {
            let since_uncovered_ms = now_ms() - uncovered_ms.get_value();
            if let Some(action) = fullscreen_exit_action(is_covered.get_untracked(), since_uncovered_ms) {
                store.act(Action::Presenter(action));
            }
        }
        was_full.set_value(now);
    });
}

/// Chooses the font size of each passage of a story so that it fits the screen, whenever the passage changes.
fn fit_passages(store: Store) {
    let passage = store.memo(|state| {
        let tour = state.tour.as_ref().filter(|_| state.presenter.is_some());
        tour.map(|t| {
            (t.slug, t.passage_index, t.story.is_some(), t.guesses.len(), t.explained_questions.len())
        })
    });
    Effect::new(move |_| {
        if passage.get().is_some() {
            // The passage is on the page by then.
            request_animation_frame(fit_passage);
        }
    });
    window_event_listener_untyped("resize", move |_| {
        if passage.with_untracked(Option::is_some) {
            fit_passage();
        }
    });
}

/// Sets the largest of [`TYPE_SIZES`] with which the whole passage is visible.
fn fit_passage() {
    let passage = document().query_selector(".tour").ok().flatten();
    let Some(passage) = passage.and_then(|passage| passage.dyn_into::<HtmlElement>().ok()) else { return };
    for size in TYPE_SIZES {
        let _ = passage.style().set_property("--font-scale", size);
        if passage.scroll_height() <= passage.client_height() {
            return;
        }
    }
}
