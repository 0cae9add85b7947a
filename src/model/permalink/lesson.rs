//! The teacher's part of a link: what is hidden or locked, where the run waits, and whether only a chart is shown.
//!
//! # Why
//! It changes no number and no default, so it stands apart from the settings, as it was written. Hiding is a courtesy to
//! a class, not a secret: whoever edits the address sees everything.

use super::Link;
use crate::permalink::View;
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use vivarium_core::settings::{Problem, Settings};
use vivarium_science::markov::theory::TheorySettings;

/// Parts of the page that can be hidden, each with its words.
pub const PARTS: [(&str, &str); 9] = [
    ("presets", text!("Menu of experiments")),
    ("stories", text!("Stories")),
    ("claim", text!("What the run shows")),
    ("settings", text!("All settings")),
    ("charts", text!("Buttons that show or hide charts")),
    ("numbers", text!("Newest measurements")),
    ("inside", text!("Inside the network")),
    ("theory", text!("Theory")),
    ("links", text!("Link and command")),
];

/// What a teacher's key keeps of `value`, and what is wrong with the rest.
pub(super) fn read(spec: &RunSpec, key: &str, value: &str) -> (Option<String>, Option<Problem>) {
    let bad = |found: &str, expected: &str| Some(Problem::new(key, found, expected));
    match key {
        "lock" | "hide" => {
            let is_part = |name: &str| key == "hide" && PARTS.iter().any(|(part, _)| *part == name);
            let names = value.split([',', '.']).filter(|name| !name.is_empty());
            let (known, unknown): (Vec<&str>, Vec<&str>) =
                names.partition(|name| is_part(name) || is_knob(spec, name));
            let expected = match key {
                "lock" => tr!("keys of settings of this run"),
                _ => tr!("keys of settings of this run, or parts of the page"),
            };
            let kept = (!known.is_empty()).then(|| known.join(","));
            let problem =
                if unknown.is_empty() && kept.is_some() { None } else { bad(&unknown.join(","), expected) };
            (kept, problem)
        }
        "embed" => match value {
            "" | "1" | "on" => (Some(value.into()), None),
            _ => (None, bad(value, tr!("“on”, or no value"))),
        },
        "at" => match value.parse::<u64>() {
            Ok(step) if (1..=1_000_000_000).contains(&step) => (Some(step.to_string()), None),
            _ => (None, bad(value, tr!("the number of a step, 1 or more"))),
        },
        _ => (
            Some(value.into()),
            bad(
                value,
                tr!("no value, because this key has no effect yet; the link keeps the value that was found"),
            ),
        ),
    }
}

fn is_knob(spec: &RunSpec, key: &str) -> bool {
    let of = |knobs: &[vivarium_core::settings::Knob]| knobs.iter().any(|knob| knob.key == key);
    [MODEL_KEY, OPTIMIZER_KEY].contains(&key)
        || spec.knob(key).is_some()
        || of(View::KNOBS)
        || of(TheorySettings::KNOBS)
}

impl Link {
    /// Forgets the names of settings that the run has lost since the teacher's keys were read, as those of a model that
    /// was put back or that another one has taken the place of; which they are.
    pub fn repair_lesson(&mut self) -> Vec<Problem> {
        let mut problems = vec![];
        for (key, value) in std::mem::take(&mut self.reserved) {
            let (kept, problem) = read(&self.spec, &key, &value);
            // Of what is kept whole everything has been said.
            problems.extend(problem.filter(|_| kept.as_ref() != Some(&value)));
            self.reserved.extend(kept.map(|kept| (key, kept)));
        }
        problems
    }

    fn reserved(&self, key: &str) -> Option<&str> {
        self.reserved.iter().find(|(of, _)| of == key).map(|(_, value)| value.as_str())
    }

    fn names(&self, key: &str, name: &str) -> bool {
        self.reserved(key).is_some_and(|value| value.split(',').any(|of| of == name))
    }

    /// Whether the setting or the part of the page of this name is not to be seen.
    pub fn hides(&self, name: &str) -> bool {
        self.names("hide", name)
    }

    /// Whether what this name stands for is not to be changed.
    pub fn locks(&self, name: &str) -> bool {
        self.names("lock", name) || self.hides(name)
    }

    /// Whether only a chart and what drives it are shown, inside another page.
    pub fn is_embedded(&self) -> bool {
        self.reserved("embed").is_some()
    }

    /// The step at which the run waits when it is opened.
    pub fn at(&self) -> Option<u64> {
        self.reserved("at")?.parse().ok()
    }

    /// The same without the teacher's key `key`.
    pub fn without(mut self, key: &str) -> Link {
        self.reserved.retain(|(of, _)| of != key);
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::permalink::{decode, encode};

    #[test]
    fn a_teachers_link_says_what_is_hidden_locked_and_where_it_waits() {
        let text = "#v1/sparse-parity?n=20&hide=presets,noise&lock=n,k&at=300&embed=";
        let (link, notices) = decode(text);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&link), text);
        assert!(link.hides("presets") && link.hides("noise") && !link.hides("n") && !link.hides("no"));
        assert!(link.locks("n") && link.locks("noise") && !link.locks("width"));
        assert_eq!((link.at(), link.is_embedded()), (Some(300), true));
        let plain = link.without("at").without("embed").without("hide").without("lock");
        assert_eq!(encode(&plain), "#v1/sparse-parity?n=20");
        assert!(!plain.locks("n") && !plain.is_embedded() && plain.at().is_none());
    }

    #[test]
    fn settings_of_a_model_that_was_put_back_are_neither_locked_nor_hidden() {
        let (link, notices) =
            decode("#v1/teacher-student?model=modular-transformer&lock=dmlp,seed&hide=dattn&axes=1");
        let keys: Vec<&str> = notices.iter().map(|notice| notice.key.as_str()).collect();
        assert_eq!(keys, ["model", "lock", "hide", "axes"]);
        assert_eq!(encode(&link), "#v1/teacher-student?lock=seed&axes=1");
        assert_eq!(decode(&encode(&link)).0, link);
    }

    #[test]
    fn what_it_cannot_mean_is_listed_and_the_rest_is_kept() {
        for (bad, kept, keys) in [
            ("lock=n,astrology", "lock=n", vec!["lock"]),
            ("lock=presets", "", vec!["lock"]),
            ("hide=", "", vec!["hide"]),
            ("hide=seed.presets", "hide=seed,presets", vec![]),
            ("at=0", "", vec!["at"]),
            ("at=soon", "", vec!["at"]),
            ("at=-5", "", vec!["at"]),
            ("embed=yes", "", vec!["embed"]),
            ("embed=1", "embed=1", vec![]),
            ("axes=0_1", "axes=0_1", vec!["axes"]),
            ("lock=<b>", "", vec!["lock"]),
            ("lock=k&lock=n", "lock=k", vec!["lock"]),
        ] {
            let (link, notices) = decode(&format!("#v1/sparse-parity?{bad}"));
            let expected = if kept.is_empty() { String::new() } else { format!("?{kept}") };
            assert_eq!(encode(&link), format!("#v1/sparse-parity{expected}"), "{bad}");
            assert_eq!(notices.iter().map(|n| n.key.as_str()).collect::<Vec<_>>(), keys, "{bad}");
        }
        // Settings are those of the chosen model and lab.
        assert!(decode("#v1/markov?lock=heads,tt").1.is_empty());
        assert_eq!(decode("#v1/sparse-parity?lock=heads").1.len(), 1);
    }
}
