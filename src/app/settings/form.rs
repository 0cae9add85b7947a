//! The form as data: which fields there are, of which kind, with which words. Views only render it.

use crate::app::charts::scale::Scale;
use crate::app::looking::LOOKED_KEYS;
use crate::catalog::Entry;
use crate::language::translated;
use crate::markov::theory::Explorer;
use crate::models::Model;
use crate::optim::Optimizer;
use crate::permalink::View;
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec, Section};
use crate::settings::{Choice, Knob, Range, Settings, real};

/// How a field is entered.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A box for the number, with a slider where one suits the range.
    Number(Option<Scale>),
    /// One of a few options: slug and label.
    Select(Vec<(&'static str, &'static str)>),
    /// Text with an example of what may stand there.
    Text(&'static str),
    /// Text of several lines, likewise.
    Lines(&'static str),
}

/// One field of the form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Permanent key.
    pub key: &'static str,
    /// The field's term.
    pub label: &'static str,
    /// One sentence on what it is.
    pub help: String,
    /// What may stand there, in words.
    pub range: String,
    /// Unit, or "".
    pub unit: &'static str,
    /// How it is entered.
    pub control: Control,
}

impl Field {
    fn of(knob: &Knob) -> Field {
        let control = match knob.range {
            Range::Int(..) | Range::Real(..) => Control::Number(Scale::of(knob)),
            Range::Choice(options) => Control::Select(pairs(options)),
            Range::List(..) => Control::Text("e.g. 2.7.15"),
            Range::Sizes(..) => Control::Text(tr!("e.g. 10.10.1")),
            Range::Numbers(..) => Control::Text(tr!("e.g. 0.1.1.0")),
            Range::Table(_) => Control::Lines(tr!("e.g. 0 1 2\n1 2 0\n2 0 1")),
            Range::Schedule(..) => Control::Text(tr!("e.g. 500:0.05")),
            Range::Axis => Control::Text(tr!("e.g. n:10_20_40")),
            Range::Set(_) => Control::Text(tr!("e.g. loss.accuracy")),
        };
        Field {
            key: knob.key,
            label: translated(knob.label),
            help: translated(knob.help).into(),
            range: range(knob),
            unit: translated(knob.unit),
            control,
        }
    }

    fn entries(
        key: &'static str,
        label: &'static str,
        entries: &'static [Entry],
        chosen: &str,
        suits: impl Fn(&Entry) -> bool,
    ) -> Field {
        let about = entries.iter().find(|e| e.info.slug == chosen).map_or("", |e| translated(e.info.about));
        Field {
            key,
            label,
            help: about.into(),
            range: String::new(),
            unit: "",
            control: Control::Select(
                entries.iter().filter(|e| suits(e)).map(|e| (e.info.slug, translated(e.info.name))).collect(),
            ),
        }
    }
}

fn pairs(options: &'static [Choice]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|o| (o.slug, translated(o.label))).collect()
}

/// The range in words, for people: options are visible anyway, and numbers carry separators.
fn range(knob: &Knob) -> String {
    use crate::display::words::thousands;
    let unit = if knob.unit.is_empty() { String::new() } else { format!(" {}", translated(knob.unit)) };
    match knob.range {
        Range::Int(low, high) if high > 1_000_000_000_000 => tr!("A whole number from {low} on.", low),
        Range::Int(low, high) => {
            tr!("From {low} to {high}{unit}.", low = thousands(low), high = thousands(high), unit)
        }
        Range::Real(low, high) => {
            tr!("From {low} to {high}{unit}.", low = real(low), high = real(high), unit)
        }
        Range::Choice(_) => String::new(),
        Range::List(..) => tr!("Different whole numbers with dots between, or nothing.").into(),
        Range::Sizes(low, high, most) => {
            tr!(
                "One to {most} numbers from {low} to {high}{unit}, with dots between.",
                most,
                low,
                high = thousands(high),
                unit
            )
        }
        Range::Numbers(low, high, most) => {
            tr!(
                "At most {most} numbers from {low} to {high}{unit}, with dots between.",
                most,
                low,
                high = thousands(high),
                unit
            )
        }
        Range::Table(most) => tr!("A square table of at most {most} rows: numbers, or names.", most),
        Range::Schedule(..) => tr!("Rising steps with values, like 500:0.1_900:0.02.").into(),
        Range::Axis => tr!("A setting's key and its values, like n:10_20_40, or nothing.").into(),
        Range::Set(_) => format!("{}.", crate::display::words::capital(&knob.expected())),
    }
}

/// The fields of a section of the form; which model and optimizer is chosen decides what they are.
pub fn fields(spec: &RunSpec, section: Section) -> Vec<Field> {
    let mut fields = match section {
        Section::Model => {
            let slug = spec.model.info().slug;
            let suits = |entry: &Entry| entry.info.slug == slug || Model::suit(entry.info.slug, &spec.task);
            vec![Field::entries(MODEL_KEY, tr!("Model"), Model::ENTRIES, slug, suits)]
        }
        Section::Optimizer => {
            let slug = spec.optimizer.info().slug;
            vec![Field::entries(OPTIMIZER_KEY, tr!("Optimizer"), Optimizer::ENTRIES, slug, |_| true)]
        }
        Section::Task | Section::Run => vec![],
    };
    fields.extend(spec.knobs().into_iter().filter(|(s, _)| *s == section).map(|(_, knob)| Field::of(knob)));
    if section == Section::Run {
        // How a run is shown is set where it is driven and seen, except for what happens on opening.
        let elsewhere = |key: &str| {
            [SPEED_KEY, CELLS_KEY].contains(&key) || SHOWN_KEYS.contains(&key) || LOOKED_KEYS.contains(&key)
        };
        fields.extend(View::KNOBS.iter().filter(|k| !elsewhere(k.key)).map(Field::of));
    }
    fields
}

/// Key of the speed limit, whose slider stands in the transport bar.
pub const SPEED_KEY: &str = "speed";

/// Key of what a sweep's map shows, which is chosen above the map.
pub const CELLS_KEY: &str = "cells";

/// Key of the charts that are shown.
pub const SHOW_KEY: &str = "show";

/// Keys of what the toolbar above the charts holds.
pub const SHOWN_KEYS: [&str; 4] = [SHOW_KEY, "x", "y", SMOOTH_KEY];

/// Key of the smoothing of curves.
pub const SMOOTH_KEY: &str = "smooth";

/// The fields of the theory beside the minimal model.
pub fn theory_fields() -> Vec<Field> {
    Explorer::KNOBS.iter().map(Field::of).collect()
}

/// The theory's knob behind `key`.
pub fn theory_knob(key: &str) -> Option<&'static Knob> {
    Explorer::KNOBS.iter().find(|knob| knob.key == key)
}

/// The field of the speed limit.
pub fn speed_field() -> Option<Field> {
    View::KNOBS.iter().find(|k| k.key == SPEED_KEY).map(Field::of)
}

/// The default of `key` for the chosen task, model and optimizer, as text.
pub fn default_text(spec: &RunSpec, key: &str) -> Option<String> {
    if let Some(value) = View::of(&spec.task).value(key) {
        return Some(value.to_string());
    }
    if let Some(value) = Explorer::default().value(key) {
        return Some(value.to_string());
    }
    let mut base = RunSpec::of_lab(spec.task.info().slug)?;
    if key != MODEL_KEY && key != OPTIMIZER_KEY {
        for chooser in [MODEL_KEY, OPTIMIZER_KEY] {
            base.set(chooser, &spec.value(chooser)?).ok()?;
        }
    }
    Some(base.value(key)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_of_every_choice_is_in_the_form_once() {
        for model in Model::ENTRIES {
            for opt in Optimizer::ENTRIES {
                let mut spec = RunSpec::default();
                spec.parse(MODEL_KEY, model.info.slug).unwrap();
                spec.parse(OPTIMIZER_KEY, opt.info.slug).unwrap();
                check_form(&spec);
            }
        }
    }

    fn check_form(spec: &RunSpec) {
        let all: Vec<Field> = Section::ALL.into_iter().flat_map(|s| fields(spec, s)).collect();
        for (_, knob) in spec.knobs() {
            assert_eq!(all.iter().filter(|f| f.key == knob.key).count(), 1, "{}", knob.key);
        }
        for knob in View::KNOBS {
            let elsewhere = speed_field().is_some_and(|f| f.key == knob.key)
                || knob.key == CELLS_KEY
                || SHOWN_KEYS.contains(&knob.key)
                || LOOKED_KEYS.contains(&knob.key);
            assert!(elsewhere != all.iter().any(|f| f.key == knob.key), "{}", knob.key);
        }
        for field in &all {
            assert!(!field.label.is_empty() && field.help.ends_with('.'), "{}", field.key);
            assert!(!field.range.contains('!'));
            if let Control::Select(options) = &field.control {
                assert!(!options.is_empty());
            }
        }
    }

    #[test]
    fn defaults_belong_to_the_chosen_model_and_optimizer() {
        let mut spec = RunSpec::default();
        assert_eq!(default_text(&spec, "lr").unwrap(), "0.1");
        spec.parse(OPTIMIZER_KEY, "adam").unwrap();
        assert_eq!(default_text(&spec, "lr").unwrap(), "0.001");
        assert_eq!(default_text(&spec, OPTIMIZER_KEY).unwrap(), "sgd");
        assert_eq!(default_text(&spec, SPEED_KEY).unwrap(), "400");
        assert_eq!(default_text(&spec, "colour"), None);
        assert_eq!(default_text(&spec, "bias").unwrap(), "both");
        spec.parse(MODEL_KEY, "polynet").unwrap();
        assert_eq!(default_text(&spec, "bias").unwrap(), "yes");
        assert_eq!(default_text(&spec, "width"), None);
    }

    #[test]
    fn ranges_are_said_in_words() {
        let spec = RunSpec::default();
        let text = |key: &str| range(spec.knob(key).unwrap());
        assert_eq!(text("width"), "From 1 to 4,096 neurons.");
        assert_eq!(text("noise"), "From 0 to 0.5.");
        assert_eq!(text("seed"), "A whole number from 0 on.");
    }
}
