//! Which settings can be together, and how those that cannot are mended.

use super::cells::{self, MOST_CELLS};
use super::{MODEL_KEY, Run, RunSpec};
use crate::models::Model;
use vivarium_core::settings::Problem;

impl RunSpec {
    /// What cannot be in this combination of settings, each of which is in range by itself.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems_within(MOST_CELLS)
    }

    /// The same where a sweep may stand for up to `most` runs.
    pub fn problems_within(&self, most: usize) -> Vec<Problem> {
        self.problems_and(|| cells::problems(self, most))
    }

    /// Puts settings that cannot be together back to defaults, or to the nearest that can, and says which.
    pub fn repair(&mut self) -> Vec<Problem> {
        self.repair_within(MOST_CELLS)
    }

    /// The same where a sweep may stand for up to `most` runs.
    pub fn repair_within(&mut self, most: usize) -> Vec<Problem> {
        let (mut repaired, is_possible) = self.put_back(most, None);
        if is_possible {
            return repaired;
        }
        if !self.problems_within(most).is_empty() {
            self.task.config_mut().mend();
            self.model.config_mut().mend(self.task.examples().inputs());
        }
        if !self.problems_within(most).is_empty() {
            // A step of a whole sample, or of many networks, is mended by a smaller network alone.
            let slug = self.model.info().slug;
            let fresh = Model::from_slug(slug).filter(|model| model.suits(&self.task));
            let usual = RunSpec::of_lab(self.task.info().slug).map(|usual| usual.model);
            if let Some(model) = fresh.or(usual) {
                self.model = model;
                self.model.config_mut().mend(self.task.examples().inputs());
            }
            let expected = self.task.config().smaller_network();
            repaired.push(Problem::new(MODEL_KEY, slug, expected));
            // What could be seen only now, since sizes of what cannot be are no sizes.
            repaired.extend(self.put_back(most, Some(MODEL_KEY)).0);
        }
        if !self.problems_within(most).is_empty() {
            // Defaults of one lab may contradict settings that were kept, as a batch of the whole sample where there is none.
            let found = tr!("settings that contradict each other");
            let usual = RunSpec::of_lab(self.task.info().slug).unwrap_or_default();
            *self = RunSpec { run: Run { seed: self.run.seed, ..usual.run }, ..usual };
            let expected = tr!("settings that fit together; all settings are at their defaults now");
            repaired.push(Problem::new("link", found, expected));
        }
        repaired
    }

    /// Puts settings that cannot be together back to their defaults, one after the other and each once, but for the
    /// setting `skipped`; says which, and whether nothing is left.
    fn put_back(&mut self, most: usize, skipped: Option<&str>) -> (Vec<Problem>, bool) {
        let mut repaired: Vec<Problem> = vec![];
        // What was lowered to what fits, and may have to go back to its default when others have changed.
        let mut lowered: Vec<String> = vec![];
        loop {
            let problems = self.problems_within(most);
            let is_possible = problems.is_empty();
            let is_new = |p: &Problem| {
                skipped != Some(p.key.as_str())
                    && (repaired.iter().all(|r| r.key != p.key) || lowered.contains(&p.key))
            };
            let Some(problem) = problems.into_iter().find(is_new) else { return (repaired, is_possible) };
            if let Some(beginning) = self.begin_anyhow(&problem) {
                repaired.push(beginning);
                continue;
            }
            let was_lowered = lowered.contains(&problem.key);
            if !was_lowered && let Some(nearest) = self.fit(&problem.key) {
                let expected =
                    tr!("{expected}; the value is {nearest} now", expected = problem.expected, nearest);
                lowered.push(problem.key.clone());
                repaired.push(Problem::new(&problem.key, &problem.found, expected));
                continue;
            }
            let fresh = RunSpec::of_lab(self.task.info().slug).unwrap_or_default();
            let of_model = || Model::from_slug(self.model.info().slug)?.value(&problem.key);
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

    /// Puts the beginning of a run back to its default where `problem` stands in the way of
    /// [constructed initial weights](crate::models::ModelConfig::constructed) and the default of that setting would do so too.
    fn begin_anyhow(&mut self, problem: &Problem) -> Option<Problem> {
        const BEGINNING: &str = "from";
        let blocks = |spec: &RunSpec| {
            let problems = spec.model.config().construction_problems(&spec.task);
            problems.iter().any(|still| still.key == problem.key)
        };
        // Of a task that cannot be, nothing is constructed.
        if !self.task.examples().problems().is_empty() {
            return None;
        }
        if problem.key == BEGINNING || !blocks(self) {
            return None;
        }
        let fresh = Model::from_slug(self.model.info().slug)?;
        let mut mended = self.clone();
        mended.set(&problem.key, &fresh.value(&problem.key)?).ok()?;
        if !blocks(&mended) {
            return None;
        }
        let (found, default) = (self.model.value(BEGINNING)?, fresh.value(BEGINNING)?);
        self.set(BEGINNING, &default).ok()?;
        let expected = tr!(
            "{default}, or another value of {key}: {expected}",
            default,
            key = problem.key,
            expected = problem.expected
        );
        (!blocks(self)).then(|| Problem::new(BEGINNING, &found.to_string(), expected))
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
        let said = |key: &str, found: &str, expected: &str| Problem::new(key, found, expected);
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
        let wrong = |key: &str| Problem::new(key, "what stands there", "something else");
        for key in ["d", "from", "heads"] {
            let mut same = spec.clone();
            assert_eq!(same.begin_anyhow(&wrong(key)), None, "{key}");
            assert_eq!(same, spec, "{key}");
        }
        let mut wide = spec.clone();
        wide.parse("d", "7").unwrap();
        let expected = Problem::new("from", "circuit", "drawn, or another value of d: something else");
        assert_eq!(wide.begin_anyhow(&wrong("d")), Some(expected));
        assert_eq!(["d", "from"].map(|key| wide.value(key).unwrap().to_string()), ["7", "drawn"]);
        // Two heads of a layer are in the way, and one, as is usual, is not.
        let mut heads = spec.clone();
        heads.parse("heads", "2.1").unwrap();
        assert_eq!(heads.begin_anyhow(&wrong("heads")), None);
    }
}
