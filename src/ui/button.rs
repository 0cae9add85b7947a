//! A button with a word on it.

use leptos::prelude::*;

/// Button with the text `word` that calls `press` when clicked.
pub fn button(
    testid: &str,
    word: &'static str,
    is_disabled: Box<dyn Fn() -> bool + Send + Sync>,
    press: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button class="button" type="button" data-testid=testid.to_string() disabled=is_disabled
            on:click=move |_| press()>
            {word}
        </button>
    }
    .into_any()
}
