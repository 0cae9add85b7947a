//! Sentences that compare a preset's run with the experiment of its source.

use std::sync::OnceLock;

use super::words::{MISSING, format_setting_value, join_list, setting_symbol, uncapitalize};
use crate::presets::Preset;
use crate::presets::ledger::SettingsComparison;
use vivarium_core::language::translated;
use vivarium_core::settings::Range;
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_model::tasks::Task;

/// Sentences that compare the run of a preset with the publication's experiment that the preset reproduces.
pub struct SourceComparison {
    /// Settings equal to those of the publication: "As in the source: n = 50 and k = 3."; empty if the run is no
    /// experiment of a publication.
    pub same_as_source: String,
    /// Settings that differ from the publication: "Different from the source: B = 32 instead of 64. The source does not
    /// state: η = 0.1.", followed by the preset's own remarks.
    pub departures: String,
}

impl SourceComparison {
    /// Compares the preset's run with its source; decodes the preset's link once.
    pub fn compare(preset: &Preset) -> Self {
        let spec = preset.link().spec;
        let (mut kept, mut sentences) = (String::new(), vec![]);
        if let Some(experiment) = preset.experiment {
            let ledger = SettingsComparison::compare(&spec, experiment);
            let same = format_settings(&spec, &ledger.equal);
            if !same.is_empty() {
                kept = tr!("As in the source: {settings}.", settings = same);
            }
            let changed = ledger.different.iter().map(|(key, stated)| format_change(&spec, key, stated));
            let changed: Vec<String> =
                changed.chain(preset.departures.iter().map(format_departure)).collect();
            if !changed.is_empty() {
                sentences.push(tr!("Different from the source: {settings}.", settings = changed.join("; ")));
            }
            let chosen = format_settings(&spec, &ledger.not_stated);
            if !chosen.is_empty() {
                sentences.push(tr!("The source does not state: {settings}.", settings = chosen));
            }
        }
        if !preset.remarks.is_empty() {
            sentences.push(translated(preset.remarks).into());
        }
        Self { same_as_source: kept, departures: sentences.join(" ") }
    }
}

/// Sentences on how the preset's run agrees with and departs from the publication's experiment, in one text.
pub fn describe_source_comparison(preset: &Preset) -> String {
    let SourceComparison { same_as_source: kept, departures } = SourceComparison::compare(preset);
    [kept, departures].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether the run `spec` is the run `other` with a later end: with more steps, or beyond the target at which `other`
/// ends. `target_step` is the step at which `other` reaches its target.
pub fn goes_on_from(spec: &RunSpec, other: &RunSpec, target_step: u64) -> bool {
    let passes_target = (other.run.halt, spec.run.halt) == (StopCondition::Target, StopCondition::Steps);
    let end = if passes_target { target_step.min(other.run.steps) } else { other.run.steps };
    if spec.run.steps <= end
        || (&spec.task, &spec.model, &spec.optimizer) != (&other.task, &other.model, &other.optimizer)
    {
        return false;
    }
    let mut run = spec.run.clone();
    (run.steps, run.halt) = (other.run.steps, other.run.halt);
    run == other.run
}

/// Whether a run has the settings with which its lab opens, or is such a run that goes on beyond its end.
pub fn has_default_settings(spec: &RunSpec) -> bool {
    // The page calls this many times a second, and a lab's default settings are parsed from texts.
    /// Default run of each lab, in the order of the catalog of tasks.
    static DEFAULTS: OnceLock<Vec<RunSpec>> = OnceLock::new();
    let slugs = || Task::ENTRIES.iter().map(|entry| entry.info.slug);
    let defaults = DEFAULTS.get_or_init(|| slugs().filter_map(RunSpec::default_of_lab).collect());
    // Nobody has recorded at which step these runs reach their target.
    defaults.iter().any(|usual| usual == spec || goes_on_from(spec, usual, 0))
}

/// Name of the run with which a lab opens: "Sparse parity: the default run"; `None` for other runs.
pub fn default_run_name(spec: &RunSpec) -> Option<String> {
    has_default_settings(spec).then(|| tr!("{lab}: the default run", lab = translated(spec.task.info().name)))
}

/// Sentence that names the task of a run without a preset, and says whether the run has its lab's default settings.
pub fn describe_unlisted_settings(spec: &RunSpec) -> String {
    let task = translated(spec.task.info().name);
    match has_default_settings(spec) {
        true => tr!("{task}, with the default settings.", task),
        false => tr!("{task}, with your own settings.", task),
    }
}

/// Lists the settings with the keys `keys` and their values in the run: "n = 50 and k = 3"; skips settings with an
/// empty value.
fn format_settings(spec: &RunSpec, keys: &[&str]) -> String {
    let keys = keys.iter().filter(|key| spec.value(key).is_some_and(|value| !value.to_string().is_empty()));
    join_list(&keys.map(|key| format_current(spec, key)).collect::<Vec<_>>())
}

/// Formats the setting `key` with its value in the run: "B = 32", "biases = hidden biases only".
fn format_current(spec: &RunSpec, key: &str) -> String {
    format!("{} = {}", setting_symbol(spec, key), format_value_in_sentence(spec, key, &value_text(spec, key)))
}

/// Formats a value given as link text, without a capital that only begins an option's label in a menu.
fn format_value_in_sentence(spec: &RunSpec, key: &str, text: &str) -> String {
    let value = format_setting_value(spec, key, text);
    match spec.setting(key).map(|setting| setting.range) {
        Some(Range::Choice(_)) => uncapitalize(&value),
        _ => value,
    }
}

/// Formats a setting that differs from the publication: "B = 32 instead of 64 or 128"; `stated` holds the publication's
/// values, separated by ` | `.
fn format_change(spec: &RunSpec, key: &str, stated: &str) -> String {
    let stated = stated.split(" | ").map(|text| format_value_in_sentence(spec, key, text));
    let source = stated.reduce(|values, value| tr!("{values} or {value}", values, value)).unwrap_or_default();
    tr!("{here} instead of {source}", here = format_current(spec, key), source)
}

/// Formats a departure that is no setting, given as (name, value in the publication, value here): "dropout: none
/// instead of 0.1".
fn format_departure((what, source, here): &(&'static str, &'static str, &'static str)) -> String {
    let [what, source, here] = [what, source, here].map(|text| translated(text));
    tr!("{what}: {here} instead of {source}", what, here, source)
}

/// Value of the setting `key` in the run, as text in the form that links use; a dash if the value is empty.
fn value_text(spec: &RunSpec, key: &str) -> String {
    let text = spec.value(key).map(|value| value.to_string()).unwrap_or_default();
    if text.is_empty() { MISSING.into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn default_settings_are_not_called_the_users_own() {
        for entry in Task::ENTRIES {
            let sentence = |link: &str| describe_unlisted_settings(&decode(link).0.spec);
            let lab = format!("#v1/{}", entry.info.slug);
            assert_eq!(sentence(&lab), format!("{}, with the default settings.", entry.info.name));
            let mut longer = decode(&lab).0.spec;
            assert_eq!(default_run_name(&longer), Some(format!("{}: the default run", entry.info.name)));
            longer.run.steps *= 2;
            assert_eq!(default_run_name(&longer), default_run_name(&decode(&lab).0.spec), "it goes on");
            if longer.run.halt == StopCondition::Target {
                (longer.run.steps, longer.run.halt) = (40, StopCondition::Steps);
                assert!(default_run_name(&longer).is_some(), "it goes on from its target at step 20");
            }
            longer.run.seed += 1;
            assert_eq!(default_run_name(&longer), None);
            let changed = format!("{lab}?seed=17");
            assert_eq!(sentence(&changed), format!("{}, with your own settings.", entry.info.name));
        }
    }
}
