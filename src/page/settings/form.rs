//! The form as data: fields, kinds and labels. Views only render it.

use vivarium_core::catalog::CatalogEntry;
use vivarium_core::settings::{SettingInfo, Settings};
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::run::{FormSection, MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use vivarium_science::markov::theory::TheorySettings;
use vivarium_view::ui::field::{Field, SPEED_KEY};

/// Returns the form fields in the section `section` of the settings form for a run with the settings `spec`.
pub fn section_fields(spec: &RunSpec, section: FormSection) -> Vec<Field> {
    let mut fields = match section {
        FormSection::Model => {
            let slug = spec.model.info().slug;
            let suits =
                |entry: &CatalogEntry| entry.info.slug == slug || Model::suit(entry.info.slug, &spec.task);
            vec![Field::of_catalog(MODEL_KEY, tr!("Model"), Model::ENTRIES, slug, suits)]
        }
        FormSection::Optimizer => {
            let slug = spec.optimizer.info().slug;
            vec![Field::of_catalog(OPTIMIZER_KEY, tr!("Optimizer"), Optimizer::ENTRIES, slug, |_| true)]
        }
        FormSection::Task | FormSection::Run => vec![],
    };
    let here =
        |(of, setting): &(FormSection, &SettingInfo)| *of == section && setting.key != COMMAND_LINE_KEY;
    fields.extend(spec.settings().into_iter().filter(here).map(|(_, setting)| Field::of(setting)));
    if section == FormSection::Run {
        // The view is set in the toolbars, except for the setting of what happens on opening.
        let elsewhere = |key: &str| {
            [SPEED_KEY, MAP_VALUE_KEY].contains(&key)
                || TOOLBAR_KEYS.contains(&key)
                || PANEL_KEYS.contains(&key)
        };
        fields.extend(ViewSettings::SETTINGS.iter().filter(|k| !elsewhere(k.key)).map(Field::of));
    }
    fields
}

/// Key of the run setting that the form leaves out because only sweeps of the command line use it.
pub const COMMAND_LINE_KEY: &str = "further";

/// Key of the view setting that selects the quantity in the cells of a sweep's map.
pub const MAP_VALUE_KEY: &str = "cells";

/// Key of the view setting that lists the shown charts.
pub const CHARTS_KEY: &str = "show";

/// Keys of the view settings that are set in the toolbar above the charts.
pub const TOOLBAR_KEYS: [&str; 5] = [CHARTS_KEY, "x", "y", STEP_AXIS_KEY, SMOOTHING_KEY];

/// Keys of the view settings that are set in the panels of labs.
pub const PANEL_KEYS: [&str; 10] =
    ["example", "seq", "chain", "place", "head", "off", "named", "tokens", "layer", "shift"];

/// Key of the view setting that makes horizontal axes count steps or training examples.
pub const STEP_AXIS_KEY: &str = "count";

/// Key of the view setting for the smoothing of curves.
pub const SMOOTHING_KEY: &str = "smooth";

/// Returns the setting of the theory panel with this key; None if there is none.
pub fn theory_setting(key: &str) -> Option<&'static SettingInfo> {
    TheorySettings::SETTINGS.iter().find(|setting| setting.key == key)
}

/// Returns the form field of the setting that limits the training speed; None if there is no such setting.
pub fn speed_field() -> Option<Field> {
    ViewSettings::SETTINGS.iter().find(|k| k.key == SPEED_KEY).map(Field::of)
}

/// Returns the default value of the setting `key` as text, for the task, model and optimizer of `spec`; None for an
/// unknown key.
pub fn default_value_text(spec: &RunSpec, key: &str) -> Option<String> {
    if let Some(value) = ViewSettings::default_of_task(&spec.task).value(key) {
        return Some(value.to_string());
    }
    if let Some(value) = TheorySettings::default().value(key) {
        return Some(value.to_string());
    }
    let mut base = RunSpec::default_of_lab(spec.task.info().slug)?;
    if key != MODEL_KEY && key != OPTIMIZER_KEY {
        for chooser in [MODEL_KEY, OPTIMIZER_KEY] {
            base.set(chooser, &spec.value(chooser)?).ok()?;
        }
    }
    Some(base.value(key)?.form_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_view::ui::field::Control;

    #[test]
    fn every_setting_of_every_choice_is_in_the_form_once() {
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
        let all: Vec<Field> = FormSection::ALL.into_iter().flat_map(|s| section_fields(spec, s)).collect();
        for (_, setting) in spec.settings() {
            let expected = usize::from(setting.key != COMMAND_LINE_KEY);
            assert_eq!(all.iter().filter(|f| f.key == setting.key).count(), expected, "{}", setting.key);
        }
        for setting in ViewSettings::SETTINGS {
            let elsewhere = speed_field().is_some_and(|f| f.key == setting.key)
                || setting.key == MAP_VALUE_KEY
                || TOOLBAR_KEYS.contains(&setting.key)
                || PANEL_KEYS.contains(&setting.key);
            assert!(elsewhere != all.iter().any(|f| f.key == setting.key), "{}", setting.key);
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
        assert_eq!(default_value_text(&spec, "lr").unwrap(), "0.1");
        spec.parse(OPTIMIZER_KEY, "adam").unwrap();
        assert_eq!(default_value_text(&spec, "lr").unwrap(), "0.001");
        assert_eq!(default_value_text(&spec, OPTIMIZER_KEY).unwrap(), "sgd");
        assert_eq!(default_value_text(&spec, SPEED_KEY).unwrap(), "400");
        assert_eq!(default_value_text(&spec, "colour"), None);
        assert_eq!(default_value_text(&spec, "bias").unwrap(), "both");
        spec.parse(MODEL_KEY, "polynet").unwrap();
        assert_eq!(default_value_text(&spec, "bias").unwrap(), "yes");
        assert_eq!(default_value_text(&spec, "width"), None);
    }
}
