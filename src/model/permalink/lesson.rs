//! The teacher's part of a link: hidden and locked controls, the step at which the run waits, and embedding.
//!
//! # Why
//! It changes no number and no default, so it is kept apart from the settings, as it was written. Hiding is a courtesy
//! to a class, not a secret: whoever edits the address sees everything.

use super::Link;
use crate::permalink::ViewSettings;
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use vivarium_core::settings::{InvalidSetting, Settings};
use vivarium_science::markov::theory::TheorySettings;

/// Parts of the page that can be hidden, each with its key and its name on the page.
pub const HIDEABLE_PARTS: [(&str, &str); 9] = [
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

/// Value of the key "view" that opens charts, settings and numbers.
const DETAILS: &str = "details";

/// Value of the key "view" that opens the moving picture of the run.
const PICTURE: &str = "picture";

/// Parses the value of a teacher's key (lock, hide, embed, at, view or axes): returns the valid part, if any, and an error
/// for the rest.
pub(super) fn parse_teacher_value(
    spec: &RunSpec,
    key: &str,
    value: &str,
) -> (Option<String>, Option<InvalidSetting>) {
    let bad = |found: &str, expected: &str| Some(InvalidSetting::new(key, found, expected));
    match key {
        "lock" | "hide" => {
            let is_part = |name: &str| key == "hide" && HIDEABLE_PARTS.iter().any(|(part, _)| *part == name);
            let names = value.split([',', '.']).filter(|name| !name.is_empty());
            let (known, unknown): (Vec<&str>, Vec<&str>) =
                names.partition(|name| is_part(name) || is_setting_key(spec, name));
            let expected = match key {
                "lock" => tr!("keys of settings of this run"),
                _ => tr!("keys of settings of this run, or parts of the page"),
            };
            let kept = (!known.is_empty()).then(|| known.join(","));
            let error =
                if unknown.is_empty() && kept.is_some() { None } else { bad(&unknown.join(","), expected) };
            (kept, error)
        }
        "embed" => match value {
            "" | "1" | "on" => (Some(value.into()), None),
            _ => (None, bad(value, tr!("“on”, or no value"))),
        },
        "at" => match value.parse::<u64>() {
            Ok(step) if (1..=1_000_000_000).contains(&step) => (Some(step.to_string()), None),
            _ => (None, bad(value, tr!("the number of a step, 1 or more"))),
        },
        "view" => match value {
            DETAILS | PICTURE => (Some(value.into()), None),
            _ => (None, bad(value, tr!("“details” or “picture”"))),
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

/// Whether `key` is the key of a setting of the run, of its view or of its theory.
fn is_setting_key(spec: &RunSpec, key: &str) -> bool {
    let of =
        |settings: &[vivarium_core::settings::SettingInfo]| settings.iter().any(|setting| setting.key == key);
    [MODEL_KEY, OPTIMIZER_KEY].contains(&key)
        || spec.setting(key).is_some()
        || of(ViewSettings::SETTINGS)
        || of(TheorySettings::SETTINGS)
}

impl Link {
    /// Removes names that no longer exist, such as settings of a replaced model, from the values of the teacher's keys
    /// (lock, hide), and returns an error for each changed key.
    pub fn repair_teacher_keys(&mut self) -> Vec<InvalidSetting> {
        let mut errors = vec![];
        for (key, value) in std::mem::take(&mut self.teacher_keys) {
            let (kept, error) = parse_teacher_value(&self.spec, &key, &value);
            // A value that is kept entirely was reported before.
            errors.extend(error.filter(|_| kept.as_ref() != Some(&value)));
            self.teacher_keys.extend(kept.map(|kept| (key, kept)));
        }
        errors
    }

    /// Value of the teacher's key `key` (lock, hide, embed, at, view or axes); None if the link lacks it.
    fn teacher_value(&self, key: &str) -> Option<&str> {
        self.teacher_keys.iter().find(|(of, _)| of == key).map(|(_, value)| value.as_str())
    }

    /// Whether the comma-separated list in the teacher's key `key` (lock or hide) contains `name`.
    fn lists_name(&self, key: &str, name: &str) -> bool {
        self.teacher_value(key).is_some_and(|value| value.split(',').any(|of| of == name))
    }

    /// Whether the link hides the setting with the key `name` or the part of the page of that name.
    pub fn hides(&self, name: &str) -> bool {
        self.lists_name("hide", name)
    }

    /// Whether the link hides the setting with the key `name` or the part of the page of that name, or makes it
    /// unchangeable.
    pub fn locks(&self, name: &str) -> bool {
        self.lists_name("lock", name) || self.hides(name)
    }

    /// Whether the link shows only a chart and its controls, inside another page.
    pub fn is_embedded(&self) -> bool {
        self.teacher_value("embed").is_some()
    }

    /// Whether the link opens the moving picture of the run (true) or its charts, settings and numbers (false); None if
    /// the link states neither.
    pub fn shows_picture(&self) -> Option<bool> {
        self.teacher_value("view").map(|value| value == PICTURE)
    }

    /// Step to which the run is trained, and at which it waits, when the link is opened; None if the link states none.
    pub fn start_step(&self) -> Option<u64> {
        self.teacher_value("at")?.parse().ok()
    }

    /// Returns the link without the teacher's key `key` (lock, hide, embed, at, view or axes).
    pub fn without_teacher_key(mut self, key: &str) -> Link {
        self.teacher_keys.retain(|(of, _)| of != key);
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::permalink::{decode, encode};

    #[test]
    fn a_link_opens_the_picture_or_the_details() {
        let view = |link: &str| decode(link).0.shows_picture();
        assert_eq!(
            ["?view=details", "?view=picture", "", "?view=charts"]
                .map(|keys| view(&format!("#v1/markov{keys}"))),
            [Some(false), Some(true), None, None]
        );
        let (link, notices) = decode("#v1/markov?view=charts");
        assert_eq!((notices.len(), notices[0].expected.as_str()), (1, "“details” or “picture”"));
        assert!(!encode(&link).contains("view"));
        assert_eq!(encode(&decode("#v1/markov?view=details").0), "#v1/markov?view=details");
    }

    #[test]
    fn a_teachers_link_says_what_is_hidden_locked_and_where_it_waits() {
        let text = "#v1/sparse-parity?n=20&hide=presets,noise&lock=n,k&at=300&embed=";
        let (link, notices) = decode(text);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&link), text);
        assert!(link.hides("presets") && link.hides("noise") && !link.hides("n") && !link.hides("no"));
        assert!(link.locks("n") && link.locks("noise") && !link.locks("width"));
        assert_eq!((link.start_step(), link.is_embedded()), (Some(300), true));
        let plain = link
            .without_teacher_key("at")
            .without_teacher_key("embed")
            .without_teacher_key("hide")
            .without_teacher_key("lock");
        assert_eq!(encode(&plain), "#v1/sparse-parity?n=20");
        assert!(!plain.locks("n") && !plain.is_embedded() && plain.start_step().is_none());
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
