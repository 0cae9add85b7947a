//! The sentences on how a preset's run compares with the experiment of its source.

use super::words::{MISSING, list, setting, setting_value};
use crate::presets::Preset;
use crate::presets::ledger::Ledger;
use vivarium_core::language::translated;
use vivarium_model::run::RunSpec;

/// The sentences on a preset's instance.
pub struct Instance {
    /// "As in the source: n = 50 and k = 3.", or empty where the run is no experiment of a publication.
    pub kept: String,
    /// "Different from the source: B = 32 instead of 64. The source does not state: η = 0.1.", then the preset's own remarks.
    pub departures: String,
}

impl Instance {
    /// Compares the preset's run with its source. Decodes the preset's link once.
    pub fn of(preset: &Preset) -> Self {
        let spec = preset.link().spec;
        let (mut kept, mut sentences) = (String::new(), vec![]);
        if let Some(experiment) = preset.experiment {
            let ledger = Ledger::of(&spec, experiment);
            let same = settings(&spec, &ledger.kept);
            if !same.is_empty() {
                kept = tr!("As in the source: {settings}.", settings = same);
            }
            let changed = ledger.changed.iter().map(|(key, stated)| changed(&spec, key, stated));
            let changed: Vec<String> = changed.chain(preset.departs.iter().map(departure)).collect();
            if !changed.is_empty() {
                sentences.push(tr!("Different from the source: {settings}.", settings = changed.join("; ")));
            }
            let chosen = settings(&spec, &ledger.chosen);
            if !chosen.is_empty() {
                sentences.push(tr!("The source does not state: {settings}.", settings = chosen));
            }
        }
        if !preset.instance.is_empty() {
            sentences.push(translated(preset.instance).into());
        }
        Self { kept, departures: sentences.join(" ") }
    }
}

/// Both texts of the preset's [`Instance`], one after the other.
pub fn instance(preset: &Preset) -> String {
    let Instance { kept, departures } = Instance::of(preset);
    [kept, departures].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Settings with their values in the run, as a list; a setting with an empty value, such as no list of bits, says nothing.
fn settings(spec: &RunSpec, keys: &[&str]) -> String {
    let keys = keys.iter().filter(|key| spec.value(key).is_some_and(|value| !value.to_string().is_empty()));
    list(&keys.map(|key| current(spec, key)).collect::<Vec<_>>())
}

/// "B = 32": a setting with its value in the run.
fn current(spec: &RunSpec, key: &str) -> String {
    setting(spec, key, &text(spec, key))
}

/// "B = 32 instead of 64 or 128".
fn changed(spec: &RunSpec, key: &str, stated: &str) -> String {
    let stated = stated.split(" | ").map(|text| setting_value(spec, key, text));
    let source = stated.reduce(|values, value| tr!("{values} or {value}", values, value)).unwrap_or_default();
    tr!("{here} instead of {source}", here = current(spec, key), source)
}

/// "dropout: none instead of 0.1".
fn departure((what, source, here): &(&'static str, &'static str, &'static str)) -> String {
    let [what, source, here] = [what, source, here].map(|text| translated(text));
    tr!("{what}: {here} instead of {source}", what, here, source)
}

/// The value of the setting behind `key`, as in a link.
fn text(spec: &RunSpec, key: &str) -> String {
    let text = spec.value(key).map(|value| value.to_string()).unwrap_or_default();
    if text.is_empty() { MISSING.into() } else { text }
}
