//! Encoding links: the settings that differ from the lab's defaults; fast for many similar runs.
//!
//! # Why
//! Writing one link requires all defaults of its lab, model and optimizer, and comparing each setting with them. The
//! map of a sweep has up to 1,024 links that differ in two settings: written one by one they took 75 to 114 ms in a
//! browser, in one task. So a [`LinkEncoder`] does that work once for each model and optimizer, and for each run only
//! compares the settings that differ. Links that are created when the pointer enters a cell would cost less still, but
//! until then they are none: a screen reader does not list them, and a finger that is held on one opens no menu.
//! 2026-11-23.

use super::{Link, ViewSettings};
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSettings, RunSpec};
use vivarium_core::settings::{Field, SettingInfo, Settings, Value};
use vivarium_science::markov::theory::TheorySettings;

/// Writes a link as text, starting with `#v1/`; settings with their default values are left out.
pub fn encode(link: &Link) -> String {
    LinkEncoder::new(link, &[]).encode(&link.spec)
}

/// Encodes the links of many runs with the same view that differ in few settings, as those of a sweep.
///
/// ```
/// use vivarium_model::permalink::{LinkEncoder, decode, encode};
/// let link = decode("#v1/sparse-parity?n=20&y=log").0;
/// let mut encoder = LinkEncoder::new(&link, &["width"]);
/// let mut wide = link.spec.clone();
/// wide.parse("width", "64").unwrap();
/// assert_eq!(encoder.encode(&link.spec), encode(&link));
/// assert_eq!(encoder.encode(&wide), "#v1/sparse-parity?n=20&width=64&y=log");
/// ```
pub struct LinkEncoder<'a> {
    /// Link that provides the settings of view and theory and the teacher's keys (lock, hide, embed, at) of all encoded
    /// links.
    link: &'a Link,
    /// Keys of the settings in which encoded runs with the same task, model and optimizer may differ.
    keys: &'a [&'a str],
    /// Templates of links for the combinations of task, model and optimizer that have occurred.
    templates: Vec<LinkTemplate>,
}

/// Parts of a link that are equal for all runs with one task, model and optimizer, and the settings in which these runs
/// differ.
struct LinkTemplate {
    /// Slugs of task, model and optimizer.
    entries: [&'static str; 3],
    /// Parts of the link after `?`, keys with their values, in the order in which they are written.
    parts: Vec<LinkPart>,
}

/// Part of a link between two `&`, a key with its value: the same text for all runs, or the value of a setting of each
/// run.
enum LinkPart {
    /// Text that is the same for all runs.
    Fixed(String),
    /// Key of a setting in which the runs differ, and its default.
    Varying(&'static str, Value),
}

impl<'a> LinkEncoder<'a> {
    /// Creates an encoder for runs with the view of `link`. Runs with equal task, model and optimizer may differ only
    /// in the settings with these keys.
    pub fn new(link: &'a Link, keys: &'a [&'a str]) -> Self {
        LinkEncoder { link, keys, templates: vec![] }
    }

    /// Encodes the link with `spec` as its run, as [`encode`] does.
    pub fn encode(&mut self, spec: &RunSpec) -> String {
        let entries = [spec.task.info(), spec.model.info(), spec.optimizer.info()].map(|info| info.slug);
        let known = self.templates.iter().position(|outline| outline.entries == entries);
        let at = known.unwrap_or_else(|| {
            let parts = self.build_parts(spec);
            self.templates.push(LinkTemplate { entries, parts });
            self.templates.len() - 1
        });
        let written = |part: &LinkPart| match part {
            LinkPart::Fixed(text) => Some(text.clone()),
            LinkPart::Varying(key, default) => {
                let value = spec.value(key).filter(|value| value != default)?;
                Some(format!("{key}={value}"))
            }
        };
        let parts: Vec<String> = self.templates[at].parts.iter().filter_map(written).collect();
        let query = if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) };
        format!("#v1/{}{query}", entries[0])
    }

    /// Builds the parts after `?` of the link of the run `spec`, for all runs with the same task, model and optimizer.
    fn build_parts(&self, spec: &RunSpec) -> Vec<LinkPart> {
        let mut parts = vec![];
        let mut usual = RunSpec::default_of_lab(spec.task.info().slug).unwrap_or_default();
        for (key, chosen, default) in [
            (MODEL_KEY, spec.model.info().slug, usual.model.info().slug),
            (OPTIMIZER_KEY, spec.optimizer.info().slug, usual.optimizer.info().slug),
        ] {
            if chosen != default {
                parts.push(LinkPart::Fixed(format!("{key}={chosen}")));
                // Against the defaults of the chosen entries: another optimizer brings its own.
                let _ = usual.parse(key, chosen);
            }
        }
        let RunSpec { task, model, optimizer, run } = spec;
        push_changed_settings(&mut parts, task.settings(), &task.fields(), &usual.task.fields(), self.keys);
        push_changed_settings(
            &mut parts,
            model.settings(),
            &model.fields(),
            &usual.model.fields(),
            self.keys,
        );
        push_changed_settings(
            &mut parts,
            optimizer.settings(),
            &optimizer.fields(),
            &usual.optimizer.fields(),
            self.keys,
        );
        push_changed_settings(
            &mut parts,
            RunSettings::SETTINGS,
            &run.fields(),
            &usual.run.fields(),
            self.keys,
        );
        let Link { view, theory, teacher_keys: reserved, .. } = self.link;
        push_changed_settings(
            &mut parts,
            ViewSettings::SETTINGS,
            &view.fields(),
            &ViewSettings::default_of_task(task).fields(),
            &[],
        );
        let usual = TheorySettings::default();
        for setting in task.config().theory_settings() {
            if let Some(value) =
                theory.value(setting.key).filter(|v| usual.value(setting.key).as_ref() != Some(v))
            {
                parts.push(LinkPart::Fixed(format!("{}={value}", setting.key)));
            }
        }
        parts.extend(reserved.iter().map(|(key, value)| LinkPart::Fixed(format!("{key}={value}"))));
        parts
    }
}

/// Appends to `parts` the settings that differ from their defaults, and the settings in `keys`, which may differ
/// between runs. Settings, values and defaults belong to one catalog entry (such as a task) and are in the same order.
fn push_changed_settings(
    parts: &mut Vec<LinkPart>,
    settings: &'static [SettingInfo],
    values: &[&dyn Field],
    defaults: &[&dyn Field],
    keys: &[&str],
) {
    for ((setting, value), default) in settings.iter().zip(values).zip(defaults) {
        let default = default.to_value();
        if keys.contains(&setting.key) {
            parts.push(LinkPart::Varying(setting.key, default));
            continue;
        }
        let value = value.to_value();
        if value != default {
            parts.push(LinkPart::Fixed(format!("{}={value}", setting.key)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;
    use crate::sweep::cells;
    use crate::tasks::Task;

    /// The link of `link`, setting by setting and each found by its key: slow, and plainly what a link is.
    fn plainly(link: &Link) -> String {
        let mut usual = RunSpec::default_of_lab(link.spec.task.info().slug).unwrap();
        let mut parts = vec![];
        for key in [MODEL_KEY, OPTIMIZER_KEY] {
            let value = link.spec.value(key).unwrap();
            if usual.value(key).unwrap() != value {
                parts.push(format!("{key}={value}"));
                usual.set(key, &value).unwrap();
            }
        }
        let keys = link.spec.settings().into_iter().map(|(_, setting)| setting.key);
        let of_run = keys.map(|key| (key, link.spec.value(key), usual.value(key)));
        let view = ViewSettings::default_of_task(&link.spec.task);
        let of_view = ViewSettings::SETTINGS
            .iter()
            .map(|setting| (setting.key, link.view.value(setting.key), view.value(setting.key)));
        let theory = TheorySettings::default();
        let settings = link.spec.task.config().theory_settings().iter();
        let of_theory =
            settings.map(|setting| (setting.key, link.theory.value(setting.key), theory.value(setting.key)));
        for (key, value, default) in of_run.chain(of_view).chain(of_theory) {
            assert!(value.is_some() && default.is_some(), "{key}");
            if value != default {
                parts.push(format!("{key}={}", value.unwrap()));
            }
        }
        parts.extend(link.teacher_keys.iter().map(|(key, value)| format!("{key}={value}")));
        let query = if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) };
        format!("#v1/{}{query}", link.spec.task.info().slug)
    }

    /// Writes the links of all runs of this sweep, and holds each against the one that is written by itself.
    fn check(text: &str) -> (Vec<String>, usize) {
        let (link, notices) = decode(text);
        assert!(notices.is_empty(), "{text}: {notices:?}");
        assert_eq!(encode(&link), text);
        assert_eq!(plainly(&link), text);
        let run = &link.spec.run;
        let keys = [run.sweep.key.as_str(), run.series.key.as_str()];
        let mut encoder = LinkEncoder::new(&link, &keys);
        let cells = cells(&link.spec);
        assert_eq!(cells.len(), crate::run::cells::count_runs_usize(&link.spec), "{text}");
        let all = cells.into_iter().map(|cell| {
            let written = encoder.encode(&cell.spec);
            let of_cell = Link { spec: cell.spec, ..link.clone() };
            assert_eq!(written, plainly(&of_cell), "{text}");
            assert_eq!(written, encode(&of_cell), "{text}");
            assert_eq!(decode(&written), (of_cell, vec![]), "{written}");
            written
        });
        (all.collect(), encoder.templates.len())
    }

    /// One axis and two, keys of the task, the model, the optimizer and the run, and the choice of model and optimizer, on
    /// which other defaults depend. 50, 100, 0.1 and 0.001 are among the defaults.
    #[test]
    fn links_of_a_sweep_are_those_that_each_run_has_by_itself() {
        for (link, outlines) in [
            ("#v1/sparse-parity?lr=0.5&sweep=n:20_50_80", 1),
            ("#v1/sparse-parity?sweep=n:20_50&series=width:64_100_200", 1),
            ("#v1/sparse-parity?width=64&sweep=steps:100_20000&series=lr:0.001_0.1", 1),
            ("#v1/sparse-parity?sweep=lr:0.001_0.1_1&series=opt:sgd_adam&y=log", 2),
            ("#v1/sparse-parity?lr=0.5&mom=0.9&sweep=opt:sgd_adam&series=wd:0_0.01", 2),
            ("#v1/sparse-parity?width=64&sweep=model:mlp_deep-mlp_polynet&series=seed:0_1", 3),
            ("#v1/sparse-parity?sweep=act:relu_power&series=model:mlp_deep-mlp", 2),
            ("#v1/sparse-parity?noise=0.1&sweep=model:mlp_polynet&series=opt:adam_sgd", 4),
            ("#v1/groups?opt=sgd&sweep=steps:400_600&series=lr:0.01_0.1", 1),
            ("#v1/teacher-student?sweep=opt:sgd_adam&series=n:50_100", 2),
        ] {
            assert_eq!(check(link).1, outlines, "{link}");
        }
    }

    #[test]
    fn links_of_every_labs_sweeps_are_right() {
        for entry in Task::ENTRIES {
            let slug = entry.info.slug;
            assert_eq!(check(&format!("#v1/{slug}?sweep=lr:0.002_0.01_0.1&series=seed:0_7")).1, 1);
            assert_eq!(check(&format!("#v1/{slug}?sweep=seed:0_7&show=loss&x=log&lock=seed&at=30")).1, 1);
        }
    }

    #[test]
    fn what_is_the_default_of_what_a_run_has_is_left_out() {
        let found = check("#v1/sparse-parity?sweep=lr:0.001_0.1&series=opt:sgd_adam").0;
        assert_eq!(
            found,
            [
                "#v1/sparse-parity?lr=0.001",
                "#v1/sparse-parity?opt=adam",
                "#v1/sparse-parity",
                "#v1/sparse-parity?opt=adam&lr=0.1",
            ]
        );
    }

    #[test]
    fn theory_and_what_a_teacher_says_are_in_the_links_of_all_runs() {
        let rest = "seq=0.1.1&tt=40&lock=t&hide=presets&embed=";
        let found = check(&format!("#v1/markov?model=minimal-markov&sweep=alpha:0.5_1&{rest}")).0;
        assert_eq!(
            found,
            [
                format!("#v1/markov?model=minimal-markov&alpha=0.5&{rest}"),
                format!("#v1/markov?model=minimal-markov&{rest}"),
            ]
        );
    }

    /// The defaults, which take longest, are worked out once.
    #[test]
    fn a_thousand_links_have_one_outline() {
        let (links, outlines) = check("#v1/sparse-parity?sweep=lr:log:0.001..1:32&series=seed:lin:1..32:32");
        assert_eq!((links.len(), outlines), (1024, 1));
    }
}
