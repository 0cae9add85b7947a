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

/// Largest number of settings that a lab chooses for the beginning of the first screen's drawer.
pub const FIRST_SETTING_COUNT: usize = 5;

/// Returns the keys of the settings with which the first screen's drawer begins: those of the lab's list `declared` that
/// the run `spec` has, that have an effect and that are not hidden, at most [`FIRST_SETTING_COUNT`].
pub fn first_setting_keys(
    spec: &RunSpec,
    declared: &[&'static str],
    is_hidden: impl Fn(&str) -> bool,
) -> Vec<&'static str> {
    let settings = spec.settings();
    let is_optimized = spec.model.config().is_optimized();
    let is_shown = |key: &&str| {
        let section = settings.iter().find(|(_, setting)| setting.key == *key).map(|(section, _)| *section);
        section.is_some_and(|section| section != FormSection::Optimizer || is_optimized)
            && spec.has_effect(key)
            && !is_hidden(key)
    };
    declared.iter().copied().filter(is_shown).take(FIRST_SETTING_COUNT).collect()
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
    fn every_lab_chooses_five_settings_of_its_default_run() {
        for lab in vivarium_labs::LABS.all {
            let (slug, declared) = (lab.info().slug, lab.first_settings());
            let spec = RunSpec::default_of_lab(slug).unwrap();
            let keys = first_setting_keys(&spec, declared, |_| false);
            assert_eq!(keys.len(), FIRST_SETTING_COUNT, "{slug}: {keys:?}");
            // All of them have a field that a default run neither hides nor locks.
            let fields = FormSection::ALL.into_iter().flat_map(|section| section_fields(&spec, section));
            let fields: Vec<Field> = fields.filter(|field| keys.contains(&field.key)).collect();
            assert_eq!(fields.len(), keys.len(), "{slug}: a key has no field, or two fields");
            let link = vivarium_model::permalink::decode(&format!("#v1/{slug}")).0;
            assert!(keys.iter().all(|key| !link.hides(key) && !link.locks(key)), "{slug}");
            // A key that the default run lacks is a setting of another model for the same task.
            for (at, key) in declared.iter().enumerate() {
                assert!(!declared[..at].contains(key), "{slug}: {key} twice");
                let has_setting = |entry: &CatalogEntry| {
                    let mut other = spec.clone();
                    Model::suit(entry.info.slug, &spec.task)
                        && other.parse(MODEL_KEY, entry.info.slug).is_ok()
                        && other.setting(key).is_some()
                };
                assert!(Model::ENTRIES.iter().any(has_setting), "{slug}: {key}");
            }
        }
    }

    #[test]
    fn settings_without_effect_or_hidden_ones_make_room_for_the_next() {
        let first = |link: &str| {
            let link = vivarium_model::permalink::decode(link).0;
            let declared = ["width", "widths", "n", "k", "lr", "noise", "wd"];
            first_setting_keys(&link.spec, &declared, |key| link.hides(key)).join(" ")
        };
        assert_eq!(first("#v1/sparse-parity?n=20"), "width n k lr noise");
        assert_eq!(first("#v1/sparse-parity?n=10&k=2&data=cube"), "width n k lr wd");
        assert_eq!(first("#v1/sparse-parity?n=20&hide=width,k"), "n lr noise wd");
        assert_eq!(first("#v1/sparse-parity?model=deep-mlp&n=20&k=4"), "widths n k lr noise");
        // Nothing is optimised, so that the learning rate is not a setting of it.
        assert_eq!(first("#v1/boolean-circuit"), "n");
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
