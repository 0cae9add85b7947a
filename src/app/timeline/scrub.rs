//! The slider that shows earlier steps of the run.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::state::Action;
use vivarium_view::display::words::format_thousands;

/// The slider over the steps trained so far, and the button that goes to the latest one.
#[component]
pub fn Scrub() -> impl IntoView {
    let store = Store::here();
    let at = store.memo(|state| (state.player.latest_step(), state.player.run.step));
    let words = move || {
        let (end, step) = at.get();
        tr!("Step {step} of {end}", step = format_thousands(step), end = format_thousands(end))
    };
    let idle = store.memo(|state| !state.player.can_scrub());
    let at_end = store.memo(|state| state.player.latest_run.is_none());
    let is_arrow = |key: &str, names: [&str; 2]| names.contains(&key);
    view! {
        <div class="scrub">
            <input class="setting__slider scrub__bar" type="range" data-testid="scrub" aria-label=tr!("Step shown") min="0" disabled=idle
                title=tr!("Show an earlier step: drag here or over a curve, or press [ and ]")
                max=move || at.get().0 aria-valuetext=words prop:value=move || at.get().1.to_string()
                style:--filled=move || {
                    let (end, step) = at.get();
                    format!("{}%", 100 * step / end.max(1))
                }
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse() {
                        store.act(Action::Scrub(step));
                    }
                }
                on:keydown=move |event| {
                    let key = event.key();
                    let later = is_arrow(&key, ["ArrowRight", "ArrowUp"]);
                    if later || is_arrow(&key, ["ArrowLeft", "ArrowDown"]) {
                        event.prevent_default();
                        store.act(Action::ScrubBy(later));
                    }
                } />
            <button class="button scrub__end" type="button" data-testid="scrub-end" title=tr!("Show the newest step (Esc)")
                aria-disabled=move || at_end.get().to_string() on:click=move |_| store.act(Action::ShowLatestStep)>
                {tr!("Back to the newest step")}
            </button>
        </div>
    }
    .into_any()
}
