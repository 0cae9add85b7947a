//! Settings of published experiments, and their comparison with the settings of a preset's run.
//!
//! # Why
//! A sentence that is written by hand forgets departures: a smaller number of held-out examples, a missing dropout. So an
//! [`Experiment`] lists the settings that a publication states, as keys and values of a link, and the settings that the
//! publication leaves open. A preset names its experiment. Which settings are kept, changed or chosen by us follows from the
//! preset's link, and a test refuses a setting that the experiment does not account for.

use super::Preset;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

/// Settings of an experiment as a publication states them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// Passage of the publication that states the settings: author, year, sections, figures.
    pub passage: &'static str,
    /// Experiment whose settings also hold here, except for those in `stated` and `unstated`.
    pub based_on: Option<&'static Experiment>,
    /// Settings that the publication states, as key and value of a link; several tried values are separated by ` | `.
    pub stated: &'static [(&'static str, &'static str)],
    /// Keys of settings that the publication leaves open.
    pub unstated: &'static [&'static str],
}

/// Experiment without settings, whose fields other experiments take over by struct update.
pub const EMPTY_EXPERIMENT: Experiment =
    Experiment { passage: "", based_on: None, stated: &[], unstated: &[] };

/// Statement of a publication about one setting of its experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingStatement {
    /// The publication states these values, separated by ` | `.
    Stated(&'static str),
    /// The publication states no value.
    Unstated,
}

impl Experiment {
    /// Statement about the setting `key`, also from [`Experiment::based_on`]; `None` if the experiment does not mention
    /// the setting.
    pub fn find_statement(&self, key: &str) -> Option<SettingStatement> {
        let stated =
            self.stated.iter().find(|(of, _)| *of == key).map(|(_, value)| SettingStatement::Stated(value));
        let unstated = || self.unstated.contains(&key).then_some(SettingStatement::Unstated);
        stated.or_else(unstated).or_else(|| self.based_on?.find_statement(key))
    }
}

/// Keys of settings that decide how a run is repeated, measured, ended or computed; an [`Experiment`] need not mention
/// them.
pub const OPTIONAL_KEYS: [&str; 16] = [
    "seed", "replicas", "inits", "steps", "target", "halt", "every", "lrs", "sweep", "series", "further",
    "by", "limit", "device", "learner", "ls",
];

/// Result of comparing the settings of a preset's run with its [`Experiment`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsComparison {
    /// Keys of settings whose value equals that of the publication.
    pub equal: Vec<&'static str>,
    /// Keys of settings whose value differs from the publication's, each with the values stated in the publication.
    pub different: Vec<(&'static str, &'static str)>,
    /// Keys of settings for which the publication states no value.
    pub not_stated: Vec<&'static str>,
    /// Keys of settings that the [`Experiment`] does not mention; tests require that every preset has none.
    pub unaccounted: Vec<&'static str>,
}

impl SettingsComparison {
    /// Compares the settings of `spec` that have an effect with `experiment`; skips swept settings.
    pub fn compare(spec: &RunSpec, experiment: &Experiment) -> Self {
        let mut ledger = SettingsComparison::default();
        let further = spec.run.further.iter();
        let swept: Vec<&str> = [&spec.run.sweep, &spec.run.series]
            .into_iter()
            .chain(further)
            .map(|axis| axis.key.as_str())
            .collect();
        let keys = [MODEL_KEY, OPTIMIZER_KEY]
            .into_iter()
            .chain(spec.settings().into_iter().map(|(_, setting)| setting.key));
        let has_effect =
            |key: &&str| spec.has_effect(key) && (*key != "held" || held_out_count_matters(spec));
        for key in keys.filter(|key| !swept.contains(key)).filter(has_effect) {
            match experiment.find_statement(key) {
                Some(SettingStatement::Stated(values))
                    if values.split(" | ").any(|text| has_value(spec, key, text)) =>
                {
                    ledger.equal.push(key);
                }
                Some(SettingStatement::Stated(values)) => ledger.different.push((key, values)),
                Some(SettingStatement::Unstated) => ledger.not_stated.push(key),
                None if OPTIONAL_KEYS.contains(&key) => {}
                None => ledger.unaccounted.push(key),
            }
        }
        ledger
    }
}

/// Whether the setting of the number of held-out examples has an effect: not if the task has at most this many held-out
/// examples, which are then all measured, nor if their number equals that of the training examples, as it does where
/// the network trains on all examples and nothing is held out.
fn held_out_count_matters(spec: &RunSpec) -> bool {
    let examples = spec.task.examples();
    examples
        .held_out_count()
        .is_none_or(|most| most > spec.run.held_out && Some(most) != examples.training_set_size())
}

/// Whether the run's setting `key` has the value that a link writes as `text`.
fn has_value(spec: &RunSpec, key: &str, text: &str) -> bool {
    let value = spec.value(key);
    match spec.setting(key) {
        Some(setting) => setting.parse(text).is_ok_and(|stated| Some(stated) == value),
        // Model and optimizer.
        None => value.is_some_and(|value| value.to_string() == text),
    }
}

impl Preset {
    /// Compares the settings of the preset's run with the publication's; `None` if the run is no experiment of a
    /// publication.
    pub fn compare_with_source(&self) -> Option<SettingsComparison> {
        self.experiment.map(|experiment| SettingsComparison::compare(&self.link().spec, experiment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Experiment = Experiment {
        passage: "section 1",
        stated: &[("n", "50"), ("batch", "32 | 64"), ("lr", "0.1")],
        unstated: &["width"],
        ..EMPTY_EXPERIMENT
    };
    const SPECIAL: Experiment = Experiment {
        passage: "section 2",
        based_on: Some(&BASE),
        stated: &[("n", "20")],
        ..EMPTY_EXPERIMENT
    };

    #[test]
    fn an_experiment_adds_to_the_one_that_it_is_like() {
        assert_eq!(SPECIAL.find_statement("n"), Some(SettingStatement::Stated("20")));
        assert_eq!(SPECIAL.find_statement("lr"), Some(SettingStatement::Stated("0.1")));
        assert_eq!(SPECIAL.find_statement("width"), Some(SettingStatement::Unstated));
        assert_eq!(SPECIAL.find_statement("k"), None);
    }

    #[test]
    fn settings_are_kept_changed_chosen_or_missing() {
        let spec = vivarium_model::permalink::decode("#v1/sparse-parity?n=50&batch=64&lr=0.2").0.spec;
        let ledger = SettingsComparison::compare(&spec, &BASE);
        assert_eq!(ledger.equal, ["n", "batch"]);
        assert_eq!(ledger.different, [("lr", "0.1")]);
        assert_eq!(ledger.not_stated, ["width"]);
        assert!(ledger.unaccounted.contains(&"k") && !ledger.unaccounted.contains(&"seed"));
        let ledger = SettingsComparison::compare(&spec, &SPECIAL);
        assert_eq!(ledger.different, [("n", "20"), ("lr", "0.1")]);
    }

    #[test]
    fn swept_settings_are_left_out() {
        let spec =
            vivarium_model::permalink::decode("#v1/sparse-parity?sweep=lr:0.1_0.2&series=n:20_50").0.spec;
        let ledger = SettingsComparison::compare(&spec, &BASE);
        assert_eq!((ledger.equal.as_slice(), ledger.different.as_slice()), (&["batch"][..], &[][..]));
    }
}
