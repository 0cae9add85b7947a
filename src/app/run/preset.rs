//! Which run this is: a preset with its claim, or the person's own.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_labs::{find, preset_groups};
use vivarium_page::files::openers::openers;
use vivarium_page::state::{Action, State};
use vivarium_view::display::instance::Instance;

/// What the texts of the card depend on.
#[derive(Clone, PartialEq)]
struct Chosen {
    preset: Option<&'static str>,
    task: &'static str,
    citation: &'static str,
    is_predicting: bool,
}

impl Chosen {
    fn of(state: &State) -> Self {
        let task = state.run.link.spec.task.info();
        Self {
            preset: state.preset().map(|preset| preset.slug),
            task: task.name,
            citation: task.sources.first().map(|source| source.cite).unwrap_or_default(),
            is_predicting: state.is_predicting(),
        }
    }
}

/// The texts of the card on the chosen run.
#[derive(Clone, PartialEq)]
struct Card {
    claim: String,
    citation: &'static str,
    departures: String,
    /// Settings that are as in the source.
    kept: String,
}

impl Card {
    fn of(chosen: &Chosen) -> Self {
        let Some(preset) = chosen.preset.and_then(find) else {
            return Self {
                // The settings' questions stand below.
                claim: tr!("{task}, with your own settings.", task = translated(chosen.task)),
                citation: chosen.citation,
                departures: tr!("The address of this page contains all settings.").into(),
                kept: String::new(),
            };
        };
        let Instance { kept, mut departures } = Instance::of(preset);
        if !preset.time.is_empty() {
            departures = format!("{departures} {}", translated(preset.time));
        }
        let claim = match chosen.is_predicting {
            true => tr!("The result of this run is shown after your prediction."),
            false => translated(preset.claim),
        };
        Self { claim: claim.into(), citation: preset.source, departures, kept }
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
    // Comparing a preset with its source decodes links: only when another run is chosen, and not with every message.
    let chosen = store.memo(Chosen::of);
    let card = Memo::new(move |_| chosen.with(Card::of));
    let advice =
        store.memo(|state| openers().map_or(vec![], |openers| (openers.advice)(&state.run.link.spec)));
    view! {
        <section class="story" aria-label=tr!("Result of this run")>
            // Markup: `Store::explained`, which escapes texts.
            <p class="story__claim" data-testid="claim" inner_html=move || card.with(|c| store.explained(&c.claim))></p>
            <p class="story__source">
                <cite>{move || card.with(|c| c.citation)}</cite>
                " "
                // Markup: likewise.
                <span inner_html=move || card.with(|c| store.explained(&c.departures))></span>
            </p>
            {move || card.with(|c| (!c.kept.is_empty()).then(|| {
                let kept = store.explained(&c.kept);
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
