//! The form as data: which fields there are, of which kind, with which words. Views only render it.

use vivarium_core::catalog::Entry;
use vivarium_core::settings::{Knob, Settings};
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::View;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec, Section};
use vivarium_science::markov::theory::TheorySettings;
use vivarium_view::ui::field::{Field, SPEED_KEY};

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
    let here = |(of, knob): &(Section, &Knob)| *of == section && knob.key != FURTHER_KEY;
    fields.extend(spec.knobs().into_iter().filter(here).map(|(_, knob)| Field::of(knob)));
    if section == Section::Run {
        // How a run is shown is set where it is driven and seen, except for what happens on opening.
        let elsewhere = |key: &str| {
            [SPEED_KEY, CELLS_KEY].contains(&key) || SHOWN_KEYS.contains(&key) || PANEL_KEYS.contains(&key)
        };
        fields.extend(View::KNOBS.iter().filter(|k| !elsewhere(k.key)).map(Field::of));
    }
    fields
}

/// Key of the settings that only a sweep on the command line has.
pub const FURTHER_KEY: &str = "further";

/// Key of what a sweep's map shows, which is chosen above the map.
pub const CELLS_KEY: &str = "cells";

/// Key of the charts that are shown.
pub const SHOW_KEY: &str = "show";

/// Keys of what the toolbar above the charts holds.
pub const SHOWN_KEYS: [&str; 5] = [SHOW_KEY, "x", "y", COUNT_KEY, SMOOTH_KEY];

/// Keys of the view that labs' panels set.
pub const PANEL_KEYS: [&str; 10] =
    ["example", "seq", "chain", "place", "head", "off", "named", "tokens", "layer", "shift"];

/// Key of what the axis of the steps counts.
pub const COUNT_KEY: &str = "count";

/// Key of the smoothing of curves.
pub const SMOOTH_KEY: &str = "smooth";

/// The theory's knob behind `key`.
pub fn theory_knob(key: &str) -> Option<&'static Knob> {
    TheorySettings::KNOBS.iter().find(|knob| knob.key == key)
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
    if let Some(value) = TheorySettings::default().value(key) {
        return Some(value.to_string());
    }
    let mut base = RunSpec::of_lab(spec.task.info().slug)?;
    if key != MODEL_KEY && key != OPTIMIZER_KEY {
        for chooser in [MODEL_KEY, OPTIMIZER_KEY] {
            base.set(chooser, &spec.value(chooser)?).ok()?;
        }
    }
    Some(base.value(key)?.typed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_view::ui::field::Control;

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
            let expected = usize::from(knob.key != FURTHER_KEY);
            assert_eq!(all.iter().filter(|f| f.key == knob.key).count(), expected, "{}", knob.key);
        }
        for knob in View::KNOBS {
            let elsewhere = speed_field().is_some_and(|f| f.key == knob.key)
                || knob.key == CELLS_KEY
                || SHOWN_KEYS.contains(&knob.key)
                || PANEL_KEYS.contains(&knob.key);
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
}
