//! Explains a term of the glossary where it stands, in one box for the whole page.
//!
//! # Why
//! Texts with terms are markup and are written anew at any time, so the page listens once, at its window. The box is
//! moved into the dialog that is open, since an open dialog makes everything outside of it inert; there, and in the
//! page, a fixed place takes it out of whatever scrolls. The popover API would do no more, but for the top layer.
//!
//! A pointer that rests on a term opens the box until it leaves term and box. A press, by finger, mouse or key, opens it
//! until the next press, until the focus moves on, or until the term scrolls away; Escape closes it and nothing else.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, Node, PointerEvent};

use vivarium_core::language::translated;
use vivarium_ui::browser::by_id;
use vivarium_view::display::glossary::TERMS;

/// What is a term, by the style sheet's name.
const TERM: &str = ".term";

/// The box's id, which is also its class.
const BOX: &str = "meaning";

/// The box as a selector.
const IN_BOX: &str = "#meaning";

/// How long a pointer rests before anything opens or closes.
const REST: Duration = Duration::from_millis(200);

/// Between the box and its term, and the edges of the page, in pixels.
const GAP: f64 = 6.0;

/// What the page hears of.
const EVENTS: [&str; 7] =
    ["pointerover", "mousedown", "pointerdown", "click", "focusin", "keydown", "scroll"];

/// The term that is explained.
#[derive(Clone)]
struct Shown {
    term: Element,
    /// Whether it was pressed, so that the box stays when the pointer leaves.
    stays: bool,
}

thread_local! {
    static LISTENS: Cell<bool> = const { Cell::new(false) };
    static SHOWN: RefCell<Option<Shown>> = const { RefCell::new(None) };
    /// Counts what the pointer has come over, so that it is known whether it still rests.
    static OVER: Cell<u32> = const { Cell::new(0) };
}

/// Listens from now on, for as long as the page is open.
pub fn listen() {
    if LISTENS.replace(true) {
        return;
    }
    let on_event = Closure::<dyn Fn(Event)>::new(|event: Event| hear(&event));
    for event in EVENTS {
        // Before anybody else, so that Escape closes nothing but the box, and since "scroll" does not rise.
        let _ = window().add_event_listener_with_callback_and_bool(
            event,
            on_event.as_ref().unchecked_ref(),
            true,
        );
    }
    on_event.forget();
}

fn hear(event: &Event) {
    let target = event.target();
    let element = target.as_ref().and_then(|target| target.dyn_ref::<Element>());
    let near = |selector: &str| element.and_then(|element| element.closest(selector).ok().flatten());
    let term = near(TERM);
    let shown = SHOWN.with_borrow(Clone::clone);
    let is_shown = |one: &Element| shown.as_ref().is_some_and(|shown| shown.term == *one);
    match event.type_().as_str() {
        "pointerover" => {
            OVER.set(OVER.get().wrapping_add(1));
            let is_finger =
                event.dyn_ref::<PointerEvent>().is_some_and(|event| event.pointer_type() == "touch");
            if is_finger || shown.as_ref().is_some_and(|shown| shown.stays) {
                return;
            }
            match term {
                Some(term) if !is_shown(&term) => when_rested(move || show(term, false)),
                None if shown.is_some() && near(IN_BOX).is_none() => when_rested(hide),
                _ => {}
            }
        }
        // The help of a setting is shown while the setting has the focus, and would be gone before the press ends.
        "mousedown" if near(".knob__help .term").is_some() => event.prevent_default(),
        "pointerdown" if term.is_none() && near(IN_BOX).is_none() => hide(),
        "click" => {
            if let Some(term) = term {
                // Within a label a press would go on to the label's setting.
                event.prevent_default();
                press(term);
            }
        }
        "focusin" if !term.as_ref().is_some_and(is_shown) && near(IN_BOX).is_none() => hide(),
        "keydown" => {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let key = event.key();
            if let Some(term) = term.filter(|_| key == "Enter" || key == " ") {
                // The page's own shortcuts have the same keys.
                event.prevent_default();
                event.stop_propagation();
                press(term);
            } else if shown.is_some() && key == "Escape" {
                event.prevent_default();
                event.stop_propagation();
                hide();
            } else if key.chars().count() == 1 && key != " " && !event.ctrl_key() && !event.meta_key() {
                // A shortcut may take the term away.
                hide();
            }
        }
        "scroll" => {
            let scrolled = target.as_ref().and_then(|target| target.dyn_ref::<Node>());
            let moves = |shown: &Shown| scrolled.is_some_and(|node| node.contains(Some(&shown.term)));
            if shown.as_ref().is_some_and(moves) {
                hide();
            }
        }
        _ => {}
    }
}

/// Shows the term until the next press, or hides the one that was shown so.
fn press(term: Element) {
    let is_open =
        SHOWN.with_borrow(|shown| shown.as_ref().is_some_and(|shown| shown.stays && shown.term == term));
    if is_open { hide() } else { show(term, true) }
}

/// Does something if until then the pointer has not moved on, and no term has been pressed.
fn when_rested(deed: impl FnOnce() + 'static) {
    let over = OVER.get();
    let if_it_rests = move || {
        let stays = SHOWN.with_borrow(|shown| shown.as_ref().is_some_and(|shown| shown.stays));
        if OVER.get() == over && !stays {
            deed();
        }
    };
    set_timeout(if_it_rests, REST);
}

/// The box, in the dialog or page that a term is in.
fn home(term: &Element) -> Option<HtmlElement> {
    let place = by_id(BOX).or_else(|| {
        let place: HtmlElement = document().create_element("div").ok()?.dyn_into().ok()?;
        place.set_id(BOX);
        place.set_class_name(BOX);
        let _ = place.set_attribute("role", "note");
        // Whoever listens is not told of a description that comes after the focus.
        let _ = place.set_attribute("aria-live", "polite");
        Some(place)
    })?;
    let home = term.closest("dialog, main, body").ok()??;
    if place.parent_element().as_ref() != Some(&home) {
        home.append_child(&place).ok()?;
    }
    Some(place)
}

/// Explains a term, unless it has been taken from the page.
fn show(term: Element, stays: bool) {
    hide();
    let means = || TERMS.get(term.get_attribute("data-term")?.parse::<usize>().ok()?);
    let (Some(means), Some(place)) = (means(), home(&term)) else { return };
    place.set_hidden(false);
    place.set_text_content(Some(translated(means.means)));
    let page = document().document_element();
    let (width, height) =
        page.map_or((0.0, 0.0), |page| (f64::from(page.client_width()), f64::from(page.client_height())));
    let (word, own) = (term.get_bounding_client_rect(), place.get_bounding_client_rect());
    let left = word.left().min(width - own.width() - GAP).max(GAP);
    let below = word.bottom() + GAP;
    let top = if below + own.height() + GAP > height { word.top() - own.height() - GAP } else { below };
    for (edge, pixels) in [("left", left), ("top", top.max(GAP))] {
        let _ = place.style().set_property(edge, &format!("{pixels}px"));
    }
    let _ = term.set_attribute("aria-expanded", "true");
    let _ = term.set_attribute("aria-describedby", BOX);
    SHOWN.set(Some(Shown { term, stays }));
}

fn hide() {
    let Some(Shown { term, .. }) = SHOWN.take() else { return };
    let _ = term.set_attribute("aria-expanded", "false");
    let _ = term.remove_attribute("aria-describedby");
    if let Some(place) = by_id(BOX) {
        place.set_hidden(true);
    }
}
