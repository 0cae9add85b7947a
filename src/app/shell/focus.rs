//! Keeps the keyboard focus on the page when the focused element disappears or is disabled.
//!
//! # Why
//! A browser then moves the focus to the body: the next Tab begins at the top of the page, and a screen reader loses its
//! place. The focus goes to the nearest part of the page around the lost element instead, and not to another control, which
//! would answer to the next press of Space.

use std::cell::RefCell;

use js_sys::{Function, Object, Reflect};
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

thread_local! {
    /// The element that had the focus last, and the elements around it, from the nearest one.
    static FOCUSED: RefCell<Vec<Element>> = const { RefCell::new(vec![]) };
}

/// Listens to the focus and to presses, for as long as the page is open.
pub fn keep_focus() {
    window_event_listener(ev::focusin, |event| {
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let path = std::iter::successors(target, |element| element.parent_element()).collect();
        FOCUSED.with(|focused| focused.replace(path));
    });
    window_event_listener(ev::click, |_| restore_soon());
    window_event_listener(ev::keydown, |_| restore_soon());
}

/// Restores the focus, if it is lost, once the page has shown the effect of a press.
fn restore_soon() {
    request_animation_frame(|| {
        restore();
        // A part of the page that is drawn again may need another frame.
        request_animation_frame(restore);
    });
}

/// Whether an element is on the page and has a size.
fn is_shown(element: &Element) -> bool {
    let area = element.get_bounding_client_rect();
    element.is_connected() && (area.width() > 0.0 || area.height() > 0.0)
}

/// Moves the focus to the nearest part of the page around the element that has lost it.
fn restore() {
    let body = document().body();
    let is_lost = document().active_element().is_none_or(|now| body.as_deref() == Some(&now));
    if !is_lost {
        return;
    }
    let path = FOCUSED.with(RefCell::take);
    let Some(lost) = path.first() else { return };
    // A press beside all controls takes the focus away on purpose.
    if is_shown(lost) && !lost.matches(":disabled").unwrap_or(false) {
        return;
    }
    let around = path.iter().skip(1).find(|element| is_shown(element));
    let Some(around) = around.and_then(|element| element.dyn_ref::<HtmlElement>()) else { return };
    if body.as_ref() == Some(around) {
        return focus_without_scrolling(document().query_selector("main:not([hidden])").ok().flatten());
    }
    focus_without_scrolling(Some(around.clone().into()));
}

/// Gives an element the focus, which need not be a control; the page does not scroll to it.
fn focus_without_scrolling(element: Option<Element>) {
    let Some(element) = element else { return };
    if !element.has_attribute("tabindex") {
        let _ = element.set_attribute("tabindex", "-1");
    }
    let options = Object::new();
    let _ = Reflect::set(&options, &"preventScroll".into(), &JsValue::TRUE);
    let focus =
        Reflect::get(&element, &"focus".into()).ok().and_then(|focus| focus.dyn_into::<Function>().ok());
    if let Some(focus) = focus {
        let _ = focus.call1(&element, &options);
    }
}
