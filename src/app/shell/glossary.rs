//! The box that explains the terms of the glossary.
//!
//! # Why
//! Texts with terms are HTML strings that are rewritten at any time, so the page listens once, at its window. The box
//! is moved into the open dialog, since an open dialog makes everything outside of it inert; a fixed position keeps it
//! out of scrolling elements. The popover API would only add the top layer.
//!
//! A pointer that rests on a term opens the box until it leaves term and box. A press, by finger, mouse or key, opens
//! it until the next press, until the focus moves, or until the term scrolls away; Escape closes the box and nothing
//! else.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, Node, PointerEvent};

use vivarium_core::language::translated;
use vivarium_ui::browser::element_by_id;
use vivarium_view::display::glossary::TERMS;

/// CSS selector of a glossary term in a text.
const TERM_SELECTOR: &str = ".term";

/// DOM id and CSS class of the box with the explanation of a glossary term.
const BOX_ID: &str = "definition";

/// CSS selector of the box with the explanation of a glossary term.
const BOX_SELECTOR: &str = "#definition";

/// Time for which the pointer must rest before the explanation of a term opens or closes.
const HOVER_DELAY: Duration = Duration::from_millis(200);

/// Distance of the explanation from its term and from the edges of the page, in CSS pixels.
const BOX_GAP: f64 = 6.0;

/// Names of the events of the document by which explanations of terms open and close.
const EVENTS: [&str; 7] =
    ["pointerover", "mousedown", "pointerdown", "click", "focusin", "keydown", "scroll"];

/// The glossary term whose explanation is shown.
#[derive(Clone)]
struct ShownTerm {
    /// HTML element of the term in a text, whose explanation is shown.
    term: Element,
    /// Whether the term was pressed, so that the box stays when the pointer leaves.
    stays: bool,
}

thread_local! {
    /// Whether the document's listeners for glossary terms have been installed.
    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
    /// The glossary term whose explanation is shown; None if none is.
    static SHOWN_TERM: RefCell<Option<ShownTerm>> = const { RefCell::new(None) };
    /// Number of elements that the pointer has entered; if it does not change, the pointer rests.
    static HOVER_COUNT: Cell<u32> = const { Cell::new(0) };
}

/// Installs the listeners that open and close explanations of glossary terms, for as long as the page is open.
pub fn listen() {
    if IS_LISTENING.replace(true) {
        return;
    }
    let on_event = Closure::<dyn Fn(Event)>::new(|event: Event| handle_event(&event));
    for event in EVENTS {
        // Before all other listeners, so that Escape closes nothing but the box, and since "scroll" does not rise.
        let _ = window().add_event_listener_with_callback_and_bool(
            event,
            on_event.as_ref().unchecked_ref(),
            true,
        );
    }
    on_event.forget();
}

/// Handles an event of the document: opens or closes the explanation of a glossary term.
fn handle_event(event: &Event) {
    let target = event.target();
    let element = target.as_ref().and_then(|target| target.dyn_ref::<Element>());
    let near = |selector: &str| element.and_then(|element| element.closest(selector).ok().flatten());
    let term = near(TERM_SELECTOR);
    let shown = SHOWN_TERM.with_borrow(Clone::clone);
    let is_shown = |one: &Element| shown.as_ref().is_some_and(|shown| shown.term == *one);
    match event.type_().as_str() {
        "pointerover" => {
            HOVER_COUNT.set(HOVER_COUNT.get().wrapping_add(1));
            let is_finger =
                event.dyn_ref::<PointerEvent>().is_some_and(|event| event.pointer_type() == "touch");
            if is_finger || shown.as_ref().is_some_and(|shown| shown.stays) {
                return;
            }
            match term {
                Some(term) if !is_shown(&term) => after_hover_delay(move || show_explanation(term, false)),
                None if shown.is_some() && near(BOX_SELECTOR).is_none() => {
                    after_hover_delay(hide_explanation)
                }
                _ => {}
            }
        }
        // The help of a setting is shown while the setting has the focus, and would be gone before the press ends.
        "mousedown" if near(".setting__help .term").is_some() => event.prevent_default(),
        "pointerdown" if term.is_none() && near(BOX_SELECTOR).is_none() => hide_explanation(),
        "click" => {
            if let Some(term) = term {
                // Within a label a press would go on to the label's setting.
                event.prevent_default();
                toggle_pinned(term);
            }
        }
        "focusin" if !term.as_ref().is_some_and(is_shown) && near(BOX_SELECTOR).is_none() => {
            hide_explanation()
        }
        "keydown" => {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let key = event.key();
            if let Some(term) = term.filter(|_| key == "Enter" || key == " ") {
                // The page's own shortcuts have the same keys.
                event.prevent_default();
                event.stop_propagation();
                toggle_pinned(term);
            } else if shown.is_some() && key == "Escape" {
                event.prevent_default();
                event.stop_propagation();
                hide_explanation();
            } else if key.chars().count() == 1 && key != " " && !event.ctrl_key() && !event.meta_key() {
                // A shortcut may take the term away.
                hide_explanation();
            }
        }
        "scroll" => {
            let scrolled = target.as_ref().and_then(|target| target.dyn_ref::<Node>());
            let moves = |shown: &ShownTerm| scrolled.is_some_and(|node| node.contains(Some(&shown.term)));
            if shown.as_ref().is_some_and(moves) {
                hide_explanation();
            }
        }
        _ => {}
    }
}

/// Shows the explanation of a pressed term until the next press; if it is shown in this way already, hides it.
fn toggle_pinned(term: Element) {
    let is_open =
        SHOWN_TERM.with_borrow(|shown| shown.as_ref().is_some_and(|shown| shown.stays && shown.term == term));
    if is_open { hide_explanation() } else { show_explanation(term, true) }
}

/// Calls `action` after [`HOVER_DELAY`] if the pointer has rested and no term was pressed meanwhile.
fn after_hover_delay(action: impl FnOnce() + 'static) {
    let over = HOVER_COUNT.get();
    let if_it_rests = move || {
        let stays = SHOWN_TERM.with_borrow(|shown| shown.as_ref().is_some_and(|shown| shown.stays));
        if HOVER_COUNT.get() == over && !stays {
            action();
        }
    };
    set_timeout(if_it_rests, HOVER_DELAY);
}

/// Returns the box for the explanation, moved into the dialog or page that contains the term.
fn box_element(term: &Element) -> Option<HtmlElement> {
    let place = element_by_id(BOX_ID).or_else(|| {
        let place: HtmlElement = document().create_element("div").ok()?.dyn_into().ok()?;
        place.set_id(BOX_ID);
        place.set_class_name(BOX_ID);
        let _ = place.set_attribute("role", "note");
        // A screen reader does not announce a description that is set after the focus.
        let _ = place.set_attribute("aria-live", "polite");
        Some(place)
    })?;
    let home = term.closest("dialog, main, body").ok()??;
    if place.parent_element().as_ref() != Some(&home) {
        home.append_child(&place).ok()?;
    }
    Some(place)
}

/// Shows the explanation of a term; with `stays`, until the next press.
fn show_explanation(term: Element, stays: bool) {
    hide_explanation();
    let means = || TERMS.get(term.get_attribute("data-term")?.parse::<usize>().ok()?);
    let (Some(means), Some(place)) = (means(), box_element(&term)) else { return };
    place.set_hidden(false);
    place.set_text_content(Some(translated(means.definition)));
    let page = document().document_element();
    let (width, height) =
        page.map_or((0.0, 0.0), |page| (f64::from(page.client_width()), f64::from(page.client_height())));
    let (word, own) = (term.get_bounding_client_rect(), place.get_bounding_client_rect());
    let left = word.left().min(width - own.width() - BOX_GAP).max(BOX_GAP);
    let below = word.bottom() + BOX_GAP;
    let top =
        if below + own.height() + BOX_GAP > height { word.top() - own.height() - BOX_GAP } else { below };
    for (edge, pixels) in [("left", left), ("top", top.max(BOX_GAP))] {
        let _ = place.style().set_property(edge, &format!("{pixels}px"));
    }
    let _ = term.set_attribute("aria-expanded", "true");
    let _ = term.set_attribute("aria-describedby", BOX_ID);
    SHOWN_TERM.set(Some(ShownTerm { term, stays }));
}

/// Hides the explanation of a glossary term, if one is shown.
fn hide_explanation() {
    let Some(ShownTerm { term, .. }) = SHOWN_TERM.take() else { return };
    let _ = term.set_attribute("aria-expanded", "false");
    let _ = term.remove_attribute("aria-describedby");
    if let Some(place) = element_by_id(BOX_ID) {
        place.set_hidden(true);
    }
}
