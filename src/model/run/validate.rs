//! Validation and repair of a run's settings.

use super::cells::{self, MAX_PAGE_SWEEP_RUNS};
use super::{MODEL_KEY, RunSettings, RunSpec};
use crate::models::Model;
use vivarium_core::settings::InvalidSetting;

impl RunSpec {
    /// Errors for settings of this run that are valid one by one but not together.
    pub fn invalid_settings(&self) -> Vec<InvalidSetting> {
        self.invalid_settings_within(MAX_PAGE_SWEEP_RUNS)
    }

    /// Errors as [`RunSpec::invalid_settings`] finds them, if a sweep may have up to `max_runs` runs.
    pub fn invalid_settings_within(&self, max_runs: usize) -> Vec<InvalidSetting> {
        self.invalid_settings_and(|| cells::invalid_sweep_settings(self, max_runs))
    }

    /// Resets invalid combinations of settings to defaults, or to the nearest valid value, and returns an error for
    /// each.
    pub fn repair(&mut self) -> Vec<InvalidSetting> {
        self.repair_within(MAX_PAGE_SWEEP_RUNS)
    }

    /// Repairs the settings as [`RunSpec::repair`] does, if a sweep may have up to `max_runs` runs.
    pub fn repair_within(&mut self, max_runs: usize) -> Vec<InvalidSetting> {
        let (mut repaired, is_possible) = self.reset_invalid_settings(max_runs, None);
        if is_possible {
            return repaired;
        }
        if !self.invalid_settings_within(max_runs).is_empty() {
            self.task.config_mut().repair();
            self.model.config_mut().mend(self.task.examples().inputs());
        }
        if !self.invalid_settings_within(max_runs).is_empty() {
            // A step on a whole training set, or of many networks, can only be repaired by a smaller network.
            let slug = self.model.info().slug;
            let fresh = Model::proposed(slug, &self.task).filter(|model| model.suits(&self.task));
            let usual = RunSpec::default_of_lab(self.task.info().slug).map(|usual| usual.model);
            if let Some(model) = fresh.or(usual) {
                self.model = model;
                self.model.config_mut().mend(self.task.examples().inputs());
            }
            let expected = self.task.config().smaller_network_hint();
            repaired.push(InvalidSetting::new(MODEL_KEY, slug, expected));
            // Further errors, found only now, since invalid settings have no meaningful sizes.
            repaired.extend(self.reset_invalid_settings(max_runs, Some(MODEL_KEY)).0);
        }
        if !self.invalid_settings_within(max_runs).is_empty() {
            // Defaults of one lab may contradict settings that were kept, as a batch of the whole sample where there is none.
            let found = tr!("settings that contradict each other");
            let usual = RunSpec::default_of_lab(self.task.info().slug).unwrap_or_default();
            *self = RunSpec { run: RunSettings { seed: self.run.seed, ..usual.run }, ..usual };
            let expected = tr!("settings that fit together; all settings are at their defaults now");
            repaired.push(InvalidSetting::new("link", found, expected));
        }
        repaired
    }

    /// Resets invalid settings to their defaults, one after the other and each once, except the setting `skipped`;
    /// returns their errors, and whether the run is valid now.
    fn reset_invalid_settings(
        &mut self,
        max_runs: usize,
        skipped: Option<&str>,
    ) -> (Vec<InvalidSetting>, bool) {
        let mut repaired: Vec<InvalidSetting> = vec![];
        // Settings that were lowered to fit into memory, and may need their default after others have changed.
        let mut lowered: Vec<String> = vec![];
        loop {
            let errors = self.invalid_settings_within(max_runs);
            let is_possible = errors.is_empty();
            let is_new = |p: &InvalidSetting| {
                skipped != Some(p.key.as_str())
                    && (repaired.iter().all(|r| r.key != p.key) || lowered.contains(&p.key))
            };
            let Some(problem) = errors.into_iter().find(is_new) else { return (repaired, is_possible) };
            if let Some(beginning) = self.reset_initialization(&problem) {
                repaired.push(beginning);
                continue;
            }
            let was_lowered = lowered.contains(&problem.key);
            if !was_lowered && let Some(nearest) = self.lower_to_fit(&problem.key) {
                let expected =
                    tr!("{expected}; the value is {nearest} now", expected = problem.expected, nearest);
                lowered.push(problem.key.clone());
                repaired.push(InvalidSetting::new(&problem.key, &problem.found, expected));
                continue;
            }
            let fresh = RunSpec::default_of_lab(self.task.info().slug).unwrap_or_default();
            let of_model = || Model::proposed(self.model.info().slug, &self.task)?.value(&problem.key);
            if let Some(default) = fresh.value(&problem.key).or_else(of_model) {
                // The default was checked when it was declared.
                let _ = self.set(&problem.key, &default);
            }
            lowered.retain(|key| *key != problem.key);
            match repaired.iter().position(|r| was_lowered && r.key == problem.key) {
                Some(before) => repaired[before].expected = problem.expected,
                None => repaired.push(problem),
            }
        }
    }

    /// Resets the setting that chooses constructed initial weights if `problem` prevents
    /// [constructing](crate::models::ModelConfig::constructed) them, and resetting the setting that `problem` names
    /// would not help.
    fn reset_initialization(&mut self, problem: &InvalidSetting) -> Option<InvalidSetting> {
        /// Key of the setting that chooses between drawn and constructed initial weights.
        const INITIALIZATION_KEY: &str = "from";
        let blocks = |spec: &RunSpec| {
            let errors = spec.model.config().construction_problems(&spec.task);
            errors.iter().any(|still| still.key == problem.key)
        };
        // Nothing is constructed for a task with invalid settings.
        if !self.task.examples().invalid_settings().is_empty() {
            return None;
        }
        if problem.key == INITIALIZATION_KEY || !blocks(self) {
            return None;
        }
        let fresh = Model::proposed(self.model.info().slug, &self.task)?;
        let mut repaired = self.clone();
        repaired.set(&problem.key, &fresh.value(&problem.key)?).ok()?;
        if !blocks(&repaired) {
            return None;
        }
        let (found, default) = (self.model.value(INITIALIZATION_KEY)?, fresh.value(INITIALIZATION_KEY)?);
        self.set(INITIALIZATION_KEY, &default).ok()?;
        let expected = tr!(
            "{default}, or another value of {key}: {expected}",
            default,
            key = problem.key,
            expected = problem.expected
        );
        (!blocks(self)).then(|| InvalidSetting::new(INITIALIZATION_KEY, &found.to_string(), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    /// Networks of largest margin on Z_49 have 4 · 48 = 192 neurons. 4096 of 100 neurons, with 3 · 49 · 100 weights each, do
    /// not fit, so that there are as many as do; with 200 neurons, of which there is room for half as many, these do not.
    #[test]
    fn what_was_lowered_goes_back_to_its_default_and_is_named_once() {
        let (link, notices) =
            decode("#v1/groups?n=49&width=100&from=maximum&loss=hinge&batch=32&replicas=4096");
        let said = |key: &str, found: &str, expected: &str| InvalidSetting::new(key, found, expected);
        assert_eq!(
            notices,
            [
                said("loss", "hinge", "ce, since the labels are classes"),
                said(
                    "replicas",
                    "4096",
                    "fewer networks of this size, because this many would not fit into a browser's memory",
                ),
                said("width", "100", "at least 192 neurons for this initial network"),
            ]
        );
        let value = |key: &str| link.spec.value(key).map(|value| value.to_string()).unwrap_or_default();
        assert_eq!(
            ["loss", "replicas", "width", "from", "batch"].map(value),
            ["ce", "1", "200", "maximum", "32"]
        );
    }

    /// The induction head on two symbols is written into 6 components, for which neither 7 nor the usual 16 will do.
    #[test]
    fn only_what_blocks_a_construction_takes_its_beginning_back() {
        let spec = decode("#v1/markov?d=6&from=circuit").0.spec;
        let wrong = |key: &str| InvalidSetting::new(key, "what stands there", "something else");
        for key in ["d", "from", "heads"] {
            let mut same = spec.clone();
            assert_eq!(same.reset_initialization(&wrong(key)), None, "{key}");
            assert_eq!(same, spec, "{key}");
        }
        let mut wide = spec.clone();
        wide.parse("d", "7").unwrap();
        let expected = InvalidSetting::new("from", "circuit", "drawn, or another value of d: something else");
        assert_eq!(wide.reset_initialization(&wrong("d")), Some(expected));
        assert_eq!(["d", "from"].map(|key| wide.value(key).unwrap().to_string()), ["7", "drawn"]);
        // Two heads of a layer are in the way, and one, as is usual, is not.
        let mut heads = spec.clone();
        heads.parse("heads", "2.1").unwrap();
        assert_eq!(heads.reset_initialization(&wrong("heads")), None);
    }
}
