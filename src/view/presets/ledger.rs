//! What publications state about their experiments, and every setting in which a preset's run departs from them.
//!
//! # Why
//! A sentence that is written by hand forgets departures: a smaller number of held-out examples, a missing dropout. So an
//! [`Experiment`] lists the settings that a publication states, as keys and values of a link, and the settings that the
//! publication leaves open. A preset names its experiment. Which settings are kept, changed or chosen by us follows from the
//! preset's link, and a test refuses a setting that the experiment does not account for.

use super::Preset;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

/// What a publication states about the settings of one of its experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// Passage that states the settings: author, year, sections, figures.
    pub passage: &'static str,
    /// Experiment whose settings hold here too, except for those that are listed here.
    pub like: Option<&'static Experiment>,
    /// Settings that the publication states: the key and the value of a link. Where the publication tries several values,
    /// they are separated by ` | `.
    pub stated: &'static [(&'static str, &'static str)],
    /// Keys of settings that the publication does not state.
    pub unstated: &'static [&'static str],
}

/// An experiment without any setting, of which others state their own.
pub const NOTHING_STATED: Experiment = Experiment { passage: "", like: None, stated: &[], unstated: &[] };

/// What an experiment says about a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    /// The publication states these values, separated by ` | `.
    Stated(&'static str),
    /// The publication states no value.
    Unstated,
}

impl Experiment {
    /// What is known about the setting behind `key`; nothing where the experiment does not account for the setting.
    pub fn statement(&self, key: &str) -> Option<Statement> {
        let stated = self.stated.iter().find(|(of, _)| *of == key).map(|(_, value)| Statement::Stated(value));
        let unstated = || self.unstated.contains(&key).then_some(Statement::Unstated);
        stated.or_else(unstated).or_else(|| self.like?.statement(key))
    }
}

/// Settings that decide how a run is repeated, measured, ended or computed. An experiment may state them and need not.
pub const BOOKKEEPING: [&str; 16] = [
    "seed", "replicas", "inits", "steps", "target", "halt", "every", "lrs", "sweep", "series", "further",
    "by", "limit", "device", "learner", "ls",
];

/// The settings of a preset's run, compared with its [`Experiment`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Keys of the settings that are as the publication states.
    pub kept: Vec<&'static str>,
    /// Keys of the settings with another value than the publication states, each with the stated values.
    pub changed: Vec<(&'static str, &'static str)>,
    /// Keys of the settings for which the publication states no value.
    pub chosen: Vec<&'static str>,
    /// Keys of the settings that the experiment does not account for; empty for every preset.
    pub missing: Vec<&'static str>,
}

impl Ledger {
    /// Compares the settings of `spec` that have an effect with `experiment`. Settings with several values, as in a sweep, are
    /// left out.
    pub fn of(spec: &RunSpec, experiment: &Experiment) -> Self {
        let mut ledger = Ledger::default();
        let further = spec.run.further.iter();
        let swept: Vec<&str> = [&spec.run.sweep, &spec.run.series]
            .into_iter()
            .chain(further)
            .map(|axis| axis.key.as_str())
            .collect();
        let keys =
            [MODEL_KEY, OPTIMIZER_KEY].into_iter().chain(spec.knobs().into_iter().map(|(_, knob)| knob.key));
        let has_effect = |key: &&str| spec.applies(key) && (*key != "held" || holds_out(spec));
        for key in keys.filter(|key| !swept.contains(key)).filter(has_effect) {
            match experiment.statement(key) {
                Some(Statement::Stated(values))
                    if values.split(" | ").any(|text| has_value(spec, key, text)) =>
                {
                    ledger.kept.push(key);
                }
                Some(Statement::Stated(values)) => ledger.changed.push((key, values)),
                Some(Statement::Unstated) => ledger.chosen.push(key),
                None if BOOKKEEPING.contains(&key) => {}
                None => ledger.missing.push(key),
            }
        }
        ledger
    }
}

/// Whether the number of held-out examples has an effect: not where nothing is held out, and not where all that is held out
/// is measured.
fn holds_out(spec: &RunSpec) -> bool {
    let examples = spec.task.examples();
    examples
        .held_out_size()
        .is_none_or(|most| most > spec.run.held_out && Some(most) != examples.sample_size())
}

/// Whether the setting behind `key` has the value that is written as `text` in a link.
fn has_value(spec: &RunSpec, key: &str, text: &str) -> bool {
    let value = spec.value(key);
    match spec.knob(key) {
        Some(knob) => knob.parse(text).is_ok_and(|stated| Some(stated) == value),
        // Model and optimizer.
        None => value.is_some_and(|value| value.to_string() == text),
    }
}

impl Preset {
    /// The settings of the preset's run compared with the publication's; nothing where the run is no experiment of a
    /// publication.
    pub fn ledger(&self) -> Option<Ledger> {
        self.experiment.map(|experiment| Ledger::of(&self.link().spec, experiment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Experiment = Experiment {
        passage: "section 1",
        stated: &[("n", "50"), ("batch", "32 | 64"), ("lr", "0.1")],
        unstated: &["width"],
        ..NOTHING_STATED
    };
    const SPECIAL: Experiment =
        Experiment { passage: "section 2", like: Some(&BASE), stated: &[("n", "20")], ..NOTHING_STATED };

    #[test]
    fn an_experiment_adds_to_the_one_that_it_is_like() {
        assert_eq!(SPECIAL.statement("n"), Some(Statement::Stated("20")));
        assert_eq!(SPECIAL.statement("lr"), Some(Statement::Stated("0.1")));
        assert_eq!(SPECIAL.statement("width"), Some(Statement::Unstated));
        assert_eq!(SPECIAL.statement("k"), None);
    }

    #[test]
    fn settings_are_kept_changed_chosen_or_missing() {
        let spec = vivarium_model::permalink::decode("#v1/sparse-parity?n=50&batch=64&lr=0.2").0.spec;
        let ledger = Ledger::of(&spec, &BASE);
        assert_eq!(ledger.kept, ["n", "batch"]);
        assert_eq!(ledger.changed, [("lr", "0.1")]);
        assert_eq!(ledger.chosen, ["width"]);
        assert!(ledger.missing.contains(&"k") && !ledger.missing.contains(&"seed"));
        let ledger = Ledger::of(&spec, &SPECIAL);
        assert_eq!(ledger.changed, [("n", "20"), ("lr", "0.1")]);
    }

    #[test]
    fn swept_settings_are_left_out() {
        let spec =
            vivarium_model::permalink::decode("#v1/sparse-parity?sweep=lr:0.1_0.2&series=n:20_50").0.spec;
        let ledger = Ledger::of(&spec, &BASE);
        assert_eq!((ledger.kept.as_slice(), ledger.changed.as_slice()), (&["batch"][..], &[][..]));
    }
}
