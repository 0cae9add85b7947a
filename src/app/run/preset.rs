//! Which run this is: a preset with its claim, or the person's own.

use leptos::prelude::*;

use crate::app::files::openers::openers;
use crate::app::state::{Action, State};
use crate::app::store::Store;
use crate::display::instance::{departures, kept};
use crate::labs::{find, preset_groups};
use crate::language::translated;

/// What the card says: claim, source, departures from the source, and settings as in the source.
fn card(state: &State) -> (String, String, String, String) {
    match state.preset() {
        Some(preset) => {
            let time =
                if preset.time.is_empty() { String::new() } else { format!(" {}", translated(preset.time)) };
            let claim = match state.is_predicting() {
                true => tr!("The result of this run is shown after your prediction."),
                false => translated(preset.claim),
            };
            (claim.into(), preset.source.into(), format!("{}{time}", departures(preset)), kept(preset))
        }
        None => {
            let info = state.run.link.spec.task.info();
            let source = info.sources.first().map(|s| s.cite).unwrap_or_default();
            (
                // What there is to learn stands below.
                tr!("{task}, with your own settings.", task = translated(info.name)),
                source.into(),
                tr!("The address of this page contains all settings.").into(),
                String::new(),
            )
        }
    }
}

/// The menu of presets.
#[component]
pub fn Presets() -> impl IntoView {
    let store = Store::here();
    let chosen = store.memo(|state| state.preset().map(|preset| preset.slug));
    let choose = move |event| {
        if let Some(preset) = find(&event_target_value(&event)) {
            store.act(Action::Choose(preset));
        }
    };
    view! {
        <div class="presets">
            <label class="presets__label" for="preset">{tr!("Experiment")}</label>
            <select class="presets__select" id="preset" data-testid="preset" on:change=choose>
                <option value="" prop:selected=move || chosen.get().is_none() disabled hidden>
                    {tr!("Your own settings")}
                </option>
                {preset_groups()
                    .map(|presets| {
                        let options = presets.iter().map(|preset| {
                            let selected = move || chosen.get() == Some(preset.slug);
                            view! { <option value=preset.slug prop:selected=selected>{translated(preset.name)}</option> }
                        });
                        view! { <optgroup label=translated(presets[0].group.name)>{options.collect_view()}</optgroup> }
                    })
                    .collect_view()}
            </select>
        </div>
    }
    .into_any()
}

/// What the chosen run shows, and where that comes from.
#[component]
pub fn Story() -> impl IntoView {
    let store = Store::here();
    let card = store.memo(card);
    let advice =
        store.memo(|state| openers().map_or(vec![], |openers| (openers.advice)(&state.run.link.spec)));
    view! {
        <section class="story" aria-label=tr!("Result of this run")>
            // Markup: `Store::explained`, which escapes texts.
            <p class="story__claim" data-testid="claim" inner_html=move || card.with(|c| store.explained(&c.0))></p>
            <p class="story__source">
                <cite>{move || card.with(|c| c.1.clone())}</cite>
                " "
                // Markup: likewise.
                <span inner_html=move || card.with(|c| store.explained(&c.2))></span>
            </p>
            {move || card.with(|c| (!c.3.is_empty()).then(|| {
                let kept = store.explained(&c.3);
                view! {
                    <details class="story__kept">
                        <summary>{tr!("Settings as in the source")}</summary>
                        // Markup: likewise.
                        <p inner_html=kept></p>
                    </details>
                }
            }))}
            {move || advice.with(|advice| (!advice.is_empty()).then(|| {
                let advice = store.explained(&advice.join(" "));
                // Markup: likewise.
                view! { <p class="story__advice" role="note" data-testid="advice" inner_html=advice></p> }
            }))}
        </section>
    }
    .into_any()
}
