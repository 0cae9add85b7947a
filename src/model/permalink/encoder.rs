//! Writing links: the settings that are not as the lab has them, those of many runs at once where they are alike.
//!
//! # Why
//! To write one link is to work out all defaults of its lab, model and optimizer, and to compare each setting with them. The
//! map of a sweep has up to 1,024 links that differ in two settings: written one by one they took 75 to 114 ms in a browser,
//! in one task. So an [`Encoder`] does that work once for each model and optimizer, and for each run only looks at the
//! settings that differ. Links that are made when somebody points at a cell would cost less still, but until then they are
//! none: a screen reader does not list them, and a finger that is held on one opens no menu. 2026-11-23.

use super::{Link, View};
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, Run, RunSpec};
use vivarium_core::settings::{Field, Knob, Settings, Value};
use vivarium_science::markov::theory::TheorySettings;

/// The link of `link`, starting with `#v1/`.
pub fn encode(link: &Link) -> String {
    Encoder::new(link, &[]).encode(&link.spec)
}

/// Writes the links of runs that are shown in the same way and are alike, as those of a sweep.
///
/// ```
/// use vivarium_model::permalink::{Encoder, decode, encode};
/// let link = decode("#v1/sparse-parity?n=20&y=log").0;
/// let mut encoder = Encoder::new(&link, &["width"]);
/// let mut wide = link.spec.clone();
/// wide.parse("width", "64").unwrap();
/// assert_eq!(encoder.encode(&link.spec), encode(&link));
/// assert_eq!(encoder.encode(&wide), "#v1/sparse-parity?n=20&width=64&y=log");
/// ```
pub struct Encoder<'a> {
    link: &'a Link,
    keys: &'a [&'a str],
    outlines: Vec<Outline>,
}

/// What the links of all runs with one task, model and optimizer share.
struct Outline {
    /// The slugs of the three.
    entries: [&'static str; 3],
    parts: Vec<Part>,
}

/// A piece of a link between two `&`.
enum Part {
    /// The same in all of them.
    Same(String),
    /// A setting in which they differ, with its default.
    Differs(&'static str, Value),
}

impl<'a> Encoder<'a> {
    /// For runs that are shown as `link` says. Those of the same task, model and optimizer may differ from each other in the
    /// settings behind `keys`, and in nothing else.
    pub fn new(link: &'a Link, keys: &'a [&'a str]) -> Self {
        Encoder { link, keys, outlines: vec![] }
    }

    /// What [`encode`] writes of the link with `spec` as its run.
    pub fn encode(&mut self, spec: &RunSpec) -> String {
        let entries = [spec.task.info(), spec.model.info(), spec.optimizer.info()].map(|info| info.slug);
        let known = self.outlines.iter().position(|outline| outline.entries == entries);
        let at = known.unwrap_or_else(|| {
            let parts = self.parts(spec);
            self.outlines.push(Outline { entries, parts });
            self.outlines.len() - 1
        });
        let written = |part: &Part| match part {
            Part::Same(text) => Some(text.clone()),
            Part::Differs(key, default) => {
                let value = spec.value(key).filter(|value| value != default)?;
                Some(format!("{key}={value}"))
            }
        };
        let parts: Vec<String> = self.outlines[at].parts.iter().filter_map(written).collect();
        let query = if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) };
        format!("#v1/{}{query}", entries[0])
    }

    /// The link of `spec`, piece by piece.
    fn parts(&self, spec: &RunSpec) -> Vec<Part> {
        let mut parts = vec![];
        let mut usual = RunSpec::of_lab(spec.task.info().slug).unwrap_or_default();
        for (key, chosen, default) in [
            (MODEL_KEY, spec.model.info().slug, usual.model.info().slug),
            (OPTIMIZER_KEY, spec.optimizer.info().slug, usual.optimizer.info().slug),
        ] {
            if chosen != default {
                parts.push(Part::Same(format!("{key}={chosen}")));
                // Against the defaults of the chosen entries: another optimizer brings its own.
                let _ = usual.parse(key, chosen);
            }
        }
        let RunSpec { task, model, optimizer, run } = spec;
        changed(&mut parts, task.knobs(), &task.fields(), &usual.task.fields(), self.keys);
        changed(&mut parts, model.knobs(), &model.fields(), &usual.model.fields(), self.keys);
        changed(&mut parts, optimizer.knobs(), &optimizer.fields(), &usual.optimizer.fields(), self.keys);
        changed(&mut parts, Run::KNOBS, &run.fields(), &usual.run.fields(), self.keys);
        let Link { view, theory, reserved, .. } = self.link;
        changed(&mut parts, View::KNOBS, &view.fields(), &View::of(task).fields(), &[]);
        let usual = TheorySettings::default();
        for knob in task.config().theory_knobs() {
            if let Some(value) = theory.value(knob.key).filter(|v| usual.value(knob.key).as_ref() != Some(v))
            {
                parts.push(Part::Same(format!("{}={value}", knob.key)));
            }
        }
        parts.extend(reserved.iter().map(|(key, value)| Part::Same(format!("{key}={value}"))));
        parts
    }
}

/// Adds the settings that are not as their defaults, and those behind `keys`, which may be in some runs. Knobs, values and
/// defaults are those of one entry, in one order, so that none is searched for by its key.
fn changed(
    parts: &mut Vec<Part>,
    knobs: &'static [Knob],
    values: &[&dyn Field],
    defaults: &[&dyn Field],
    keys: &[&str],
) {
    for ((knob, value), default) in knobs.iter().zip(values).zip(defaults) {
        let default = default.to_value();
        if keys.contains(&knob.key) {
            parts.push(Part::Differs(knob.key, default));
            continue;
        }
        let value = value.to_value();
        if value != default {
            parts.push(Part::Same(format!("{}={value}", knob.key)));
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
        let mut usual = RunSpec::of_lab(link.spec.task.info().slug).unwrap();
        let mut parts = vec![];
        for key in [MODEL_KEY, OPTIMIZER_KEY] {
            let value = link.spec.value(key).unwrap();
            if usual.value(key).unwrap() != value {
                parts.push(format!("{key}={value}"));
                usual.set(key, &value).unwrap();
            }
        }
        let keys = link.spec.knobs().into_iter().map(|(_, knob)| knob.key);
        let of_run = keys.map(|key| (key, link.spec.value(key), usual.value(key)));
        let view = View::of(&link.spec.task);
        let of_view =
            View::KNOBS.iter().map(|knob| (knob.key, link.view.value(knob.key), view.value(knob.key)));
        let theory = TheorySettings::default();
        let knobs = link.spec.task.config().theory_knobs().iter();
        let of_theory = knobs.map(|knob| (knob.key, link.theory.value(knob.key), theory.value(knob.key)));
        for (key, value, default) in of_run.chain(of_view).chain(of_theory) {
            assert!(value.is_some() && default.is_some(), "{key}");
            if value != default {
                parts.push(format!("{key}={}", value.unwrap()));
            }
        }
        parts.extend(link.reserved.iter().map(|(key, value)| format!("{key}={value}")));
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
        let mut encoder = Encoder::new(&link, &keys);
        let cells = cells(&link.spec);
        assert_eq!(cells.len(), crate::run::cells::count(&link.spec), "{text}");
        let all = cells.into_iter().map(|cell| {
            let written = encoder.encode(&cell.spec);
            let of_cell = Link { spec: cell.spec, ..link.clone() };
            assert_eq!(written, plainly(&of_cell), "{text}");
            assert_eq!(written, encode(&of_cell), "{text}");
            assert_eq!(decode(&written), (of_cell, vec![]), "{written}");
            written
        });
        (all.collect(), encoder.outlines.len())
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
