//! The menu of presets, and the card with the claim of the current run.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_labs::{find_preset, preset_groups};
use vivarium_page::files::openers::openers;
use vivarium_page::state::{Action, State};
use vivarium_ui::text::element_text;
use vivarium_view::display::instance::{SourceComparison, default_run_name, describe_unlisted_settings};

/// Values on which the texts of the card about the current run depend.
#[derive(Clone, PartialEq)]
struct CardInputs {
    /// Slug (permanent name) of the preset with the settings of the current run; None if there is no such preset.
    preset: Option<&'static str>,
    /// Sentence on the current run if its settings are those of no preset.
    unlisted: String,
    /// Citation of the publication that defines the task.
    citation: &'static str,
    /// Whether the open story asks for a prediction first, so that the claim of the preset is hidden.
    is_predicting: bool,
}

impl CardInputs {
    /// Reads the values on which the card depends from the state.
    fn of(state: &State) -> Self {
        let spec = &state.player.run.link.spec;
        let (preset, task) = (state.preset(), spec.task.info());
        Self {
            preset: preset.map(|preset| preset.slug),
            unlisted: if preset.is_none() { describe_unlisted_settings(spec) } else { String::new() },
            citation: task.sources.first().map(|source| source.cite).unwrap_or_default(),
            is_predicting: state.is_predicting(),
        }
    }
}

/// Texts of the card that describes the current run: claim, source and settings.
#[derive(Clone, PartialEq)]
struct CardTexts {
    /// Claim of the preset, or a sentence on the task if the run is no preset.
    claim: String,
    /// Citation of the source of the claim, or of the task's source.
    citation: &'static str,
    /// Sentence on the settings that differ from those in the source.
    departures: String,
    /// Sentence on the settings that are the same as in the source.
    same_as_source: String,
}

impl CardTexts {
    /// Builds the texts of the card about the current run.
    fn of(inputs: &CardInputs) -> Self {
        let Some(preset) = inputs.preset.and_then(find_preset) else {
            return Self {
                // The settings' questions stand below.
                claim: inputs.unlisted.clone(),
                citation: inputs.citation,
                departures: tr!("The address of this page contains all settings.").into(),
                same_as_source: String::new(),
            };
        };
        let SourceComparison { same_as_source, mut departures } = SourceComparison::compare(preset);
        if !preset.duration_note.is_empty() {
            departures = format!("{departures} {}", translated(preset.duration_note));
        }
        let claim = match inputs.is_predicting {
            true => tr!("The result of this run is shown after your prediction."),
            false => translated(preset.claim),
        };
        Self { claim: claim.into(), citation: preset.source, departures, same_as_source }
    }
}

/// View of the menu of presets (predefined runs).
#[component]
pub fn Presets() -> impl IntoView {
    let store = Store::here();
    let chosen = store.memo(|state| state.preset().map(|preset| preset.slug));
    let default_name = store.memo(|state| default_run_name(&state.player.run.link.spec));
    let choose = move |event| {
        if let Some(preset) = find_preset(&event_target_value(&event)) {
            store.act(Action::ChoosePreset(preset));
        }
    };
    view! {
        <div class="presets">
            <label class="presets__label" for="preset">{tr!("Experiment")}</label>
            <select class="presets__select" id="preset" data-testid="preset" on:change=choose>
                <option value="" prop:selected=move || chosen.get().is_none() disabled hidden
                    prop:textContent=element_text(move || default_name.get().unwrap_or_else(|| tr!("Your own settings").into()))>
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

/// The card with the claim of the current run and its source.
#[component]
pub fn Story() -> impl IntoView {
    let store = Store::here();
    // Comparing a preset with its source decodes links: only when another run is chosen, and not with every message.
    let chosen = store.memo(CardInputs::of);
    let card = Memo::new(move |_| chosen.with(CardTexts::of));
    let advice = store.memo(|state| {
        openers().map_or(vec![], |openers| (openers.learning_obstacles)(&state.player.run.link.spec))
    });
    view! {
        <section class="story" aria-label=tr!("Result of this run")>
            // Markup: `Store::explained`, which escapes texts.
            <p class="story__claim" data-testid="claim" inner_html=move || card.with(|c| store.explained(&c.claim))></p>
            <p class="story__source">
                <cite prop:textContent=element_text(move || card.with(|c| c.citation))></cite>
                " "
                // Markup: likewise.
                <span inner_html=move || card.with(|c| store.explained(&c.departures))></span>
            </p>
            {move || card.with(|c| (!c.same_as_source.is_empty()).then(|| {
                let same_as_source = store.explained(&c.same_as_source);
                view! {
                    <details class="story__settings">
                        <summary>{tr!("Settings as in the source")}</summary>
                        // Markup: likewise.
                        <p inner_html=same_as_source></p>
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
