//! A button with a word on it.

use leptos::prelude::*;

/// Button with the text `word` that calls `press` when clicked, unless it is disabled. A disabled button stays focusable,
/// so that a press that disables the button does not take the focus away.
pub fn button(
    testid: &str,
    word: &'static str,
    is_disabled: Box<dyn Fn() -> bool + Send + Sync>,
    press: Box<dyn Fn()>,
) -> AnyView {
    let is_disabled = Signal::derive(is_disabled);
    let click = move |_| {
        if !is_disabled.get_untracked() {
            press();
        }
    };
    view! {
        <button class="button" type="button" data-testid=testid.to_string()
            aria-disabled=move || is_disabled.get().to_string() on:click=click prop:textContent=word>
        </button>
    }
    .into_any()
}
