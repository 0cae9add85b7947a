//! Keeps the keyboard focus on the page when the focused element disappears or is disabled.
//!
//! # Why
//! A browser then moves the focus to the body: the next Tab begins at the top of the page, and a screen reader loses its
//! place. Parts of the page that are HTML strings, such as a passage of a story, are replaced whenever their text changes;
//! the focus goes to the same control in the new text. Where a press has removed the control, the focus goes to the nearest
//! part of the page around the control, and not to another control, which would answer to the next press of Space.

use std::cell::RefCell;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, FocusOptions, HtmlElement, MutationObserver, MutationObserverInit};

/// Attributes by which a control is found again in a new text, the most specific one first.
const IDENTIFYING_ATTRIBUTES: [&str; 6] = ["id", "data-press", "data-testid", "data-at", "href", "class"];

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
    let on_change = Closure::<dyn Fn()>::new(|| {
        // In a frame, the reader may be typing in the page around the frame.
        if is_focus_lost()
            && document().has_focus().unwrap_or(true)
            && let Some(control) = FOCUSED.with_borrow(|path| same_control(path))
        {
            focus_without_scrolling(&control);
        }
    });
    if let (Ok(observer), Some(body)) =
        (MutationObserver::new(on_change.as_ref().unchecked_ref()), document().body())
    {
        let changes = MutationObserverInit::new();
        changes.set_child_list(true);
        changes.set_subtree(true);
        let _ = observer.observe_with_options(&body, &changes);
        // The browser keeps the observer as long as the page is open.
        on_change.forget();
    }
}

/// Whether no element has the keyboard focus.
fn is_focus_lost() -> bool {
    let body = document().body();
    document().active_element().is_none_or(|now| body.as_deref() == Some(&now))
}

/// The control in the place of an element that was removed from the page; `path` holds that element and the elements that
/// were around it, from the nearest one. None if the element is on the page, or the page has no such control.
fn same_control(path: &[Element]) -> Option<HtmlElement> {
    let lost = path.first().filter(|lost| !lost.is_connected())?;
    let around = path.iter().find(|element| element.is_connected())?;
    let (name, value) =
        IDENTIFYING_ATTRIBUTES.iter().find_map(|name| Some((name, lost.get_attribute(name)?)))?;
    // The rows of a list have buttons and fields of one class; those of another row would answer to the next press.
    if *name == "class" && lost.matches("button, input, select, textarea").unwrap_or(true) {
        return None;
    }
    let candidates = around.query_selector_all(&format!("{}[{name}]", lost.local_name())).ok()?;
    let is_same = |element: &HtmlElement| {
        element.get_attribute(name).as_ref() == Some(&value)
            // A closed dialog and a hidden view cannot take the focus.
            && is_shown(element)
            // Several elements may have one class.
            && (*name != "class" || element.text_content() == lost.text_content())
    };
    (0..candidates.length()).find_map(|i| candidates.get(i)?.dyn_into().ok().filter(is_same))
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
    if !is_focus_lost() {
        return;
    }
    let body = document().body();
    let path = FOCUSED.with(RefCell::take);
    let Some(lost) = path.first() else { return };
    // A press beside all controls takes the focus away on purpose.
    if is_shown(lost) && !lost.matches(":disabled").unwrap_or(false) {
        return;
    }
    let around = path.into_iter().skip(1).find(is_shown);
    // If only the body is left, the focus goes to the shown view.
    let around = around
        .filter(|around| body.as_deref() != Some(around))
        .or_else(|| document().query_selector("main:not([hidden])").ok().flatten());
    if let Some(around) = around.and_then(|around| around.dyn_into::<HtmlElement>().ok()) {
        focus_without_scrolling(&around);
    }
}

/// Gives an element the focus, which need not be a control; the page does not scroll to it.
fn focus_without_scrolling(element: &HtmlElement) {
    // Buttons, links and fields take the focus by themselves, and stay within reach of Tab.
    if element.tab_index() < 0 && !element.has_attribute("tabindex") {
        let _ = element.set_attribute("tabindex", "-1");
    }
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
}
