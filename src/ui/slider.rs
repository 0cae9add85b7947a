//! A slider over whole numbers, with what its position means.

use leptos::prelude::*;

use crate::text::element_text;

/// Slider over the integers from `ends.0` to `ends.1`, bound to the signal `at`; `shown` formats the value.
pub fn slider(
    id: &'static str,
    label: &'static str,
    ends: (u32, u32),
    at: RwSignal<u32>,
    shown: fn(u32) -> String,
) -> AnyView {
    let share = move || 100 * (at.get() - ends.0) / (ends.1 - ends.0);
    view! {
        <div class="setting">
            <label class="setting__label" for=id>{label} " " <span class="setting__unit"
                prop:textContent=element_text(move || shown(at.get()))></span></label>
            <input class="setting__slider" type="range" id=id data-testid=id min=ends.0.to_string() max=ends.1.to_string()
                step="1" aria-valuetext=move || shown(at.get()) prop:value=move || at.get().to_string()
                style:--filled=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(value) = event_target_value(&event).parse::<u32>() {
                        at.set(value.clamp(ends.0, ends.1));
                    }
                } />
        </div>
    }
    .into_any()
}
