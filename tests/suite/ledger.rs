//! The ledger: no preset hides a setting in which its run departs from the experiment of its source.

use vivarium::chart::Chart;
use vivarium::cli::science;
use vivarium::display::instance::describe_source_comparison;
use vivarium::labs::{PRESETS, find_preset};
use vivarium::markov::Strategy;
use vivarium::models::Model;
use vivarium::optim::Optimizer;
use vivarium::presets::ledger::{Experiment, OPTIONAL_KEYS, SettingsComparison};
use vivarium::presets::{Expectation, ExpectedMeasure, Preset};
use vivarium::run::{MODEL_KEY, OPTIMIZER_KEY, RunSettings, RunSpec};
use vivarium::settings::{SettingInfo, Settings};
use vivarium::tasks::Task;
use vivarium::training::launch::device::Device;

/// Experiments with the presets that are instances of them.
fn experiments() -> impl Iterator<Item = (&'static Preset, &'static Experiment)> {
    PRESETS.iter().filter_map(|preset| Some((preset, preset.experiment?)))
}

/// An experiment and those that it is like.
fn lineage(experiment: &'static Experiment) -> impl Iterator<Item = &'static Experiment> {
    std::iter::successors(Some(experiment), |experiment| experiment.based_on)
}

/// Every setting of the catalogs.
fn settings() -> Vec<&'static SettingInfo> {
    let entries = [Task::ENTRIES, Model::ENTRIES, Optimizer::ENTRIES].into_iter().flatten();
    entries.flat_map(|entry| entry.settings).chain(RunSettings::SETTINGS).collect()
}

#[test]
fn experiments_account_for_every_setting_of_their_presets() {
    let missing: Vec<String> = experiments()
        .filter_map(|(preset, _)| {
            let missing = preset.compare_with_source()?.unaccounted;
            (!missing.is_empty()).then(|| format!("{}: {}", preset.slug, missing.join(" ")))
        })
        .collect();
    assert!(missing.is_empty(), "neither stated nor unstated:\n{}", missing.join("\n"));
}

#[test]
fn experiments_name_their_passage_and_settings_that_exist() {
    let settings = settings();
    let is_key = |key: &str| {
        [MODEL_KEY, OPTIMIZER_KEY].contains(&key) || settings.iter().any(|setting| setting.key == key)
    };
    for (preset, experiment) in experiments() {
        assert!(!experiment.passage.is_empty(), "{}", preset.slug);
        for experiment in lineage(experiment) {
            for key in experiment.stated.iter().map(|(key, _)| key).chain(experiment.unstated) {
                assert!(is_key(key), "{}: {key}", preset.slug);
                let times = experiment.stated.iter().filter(|(other, _)| other == key).count()
                    + experiment.unstated.iter().filter(|other| *other == key).count();
                assert_eq!(times, 1, "{}: {key} is listed {times} times", preset.slug);
            }
        }
        let spec = preset.link().spec;
        for (key, values) in preset.compare_with_source().unwrap().different {
            for text in values.split(" | ") {
                let is_value = match spec.setting(key) {
                    Some(setting) => setting.parse(text).is_ok() || is_larger(setting, text),
                    None => RunSpec::default().parse(key, text).is_ok() || is_slug(key, text),
                };
                assert!(
                    is_value,
                    "{}: {key} cannot be {text}; a value outside its range is listed in `departs`",
                    preset.slug
                );
            }
        }
    }
}

/// Whether this is a whole number of a setting of whole numbers: publications train larger networks than a run here.
fn is_larger(setting: &SettingInfo, text: &str) -> bool {
    matches!(setting.range, vivarium::settings::Range::Int(..)) && text.parse::<u64>().is_ok()
}

fn is_slug(key: &str, text: &str) -> bool {
    let entries = if key == MODEL_KEY { Model::ENTRIES } else { Optimizer::ENTRIES };
    entries.iter().any(|entry| entry.info.slug == text)
}

/// Each setting that is kept is changed, one after the other: the ledger and the sentence have to say so.
#[test]
fn a_changed_setting_is_a_departure() {
    let mut changes = 0;
    for (preset, experiment) in experiments() {
        let spec = preset.link().spec;
        let before = SettingsComparison::compare(&spec, experiment);
        for key in before.equal.iter().filter(|key| ![MODEL_KEY, OPTIMIZER_KEY].contains(key)) {
            let others = ["0", "1", "2", "3", "5", "7", "0.5", "0.25", "64", "100"];
            let options: Vec<&str> = match spec.setting(key).map(|setting| setting.range) {
                Some(vivarium::settings::Range::Choice(options)) => options.iter().map(|o| o.slug).collect(),
                _ => others.to_vec(),
            };
            for text in options {
                let mut other = spec.clone();
                if other.parse(key, text).is_err() || other.value(key) == spec.value(key) {
                    continue;
                }
                let after = SettingsComparison::compare(&other, experiment);
                let is_stated = after.equal.contains(key);
                let is_changed = after.different.iter().any(|(changed, _)| changed == key);
                assert!(is_stated != is_changed, "{}: {key} = {text}", preset.slug);
                changes += usize::from(is_changed);
            }
        }
    }
    assert!(changes > PRESETS.len(), "{changes} settings were changed");
}

#[test]
fn the_sentence_lists_every_departure() {
    for (preset, _) in experiments() {
        let (ledger, text) = (preset.compare_with_source().unwrap(), describe_source_comparison(preset));
        let departures = ledger.different.len() + preset.departures.len();
        assert_eq!(text.contains("Different from the source: "), departures > 0, "{}: {text}", preset.slug);
        assert!(text.matches(" instead of ").count() >= departures, "{}: {text}", preset.slug);
        for (what, source, here) in preset.departures {
            assert!(text.contains(&format!("{what}: {here} instead of {source}")), "{}: {text}", preset.slug);
        }
    }
    let parity = experiments().into_iter().find(|(preset, _)| preset.slug == "parity-20").unwrap().0;
    let text = describe_source_comparison(parity);
    assert!(text.contains("biases = hidden biases and output bias instead of hidden biases only"), "{text}");
}

#[test]
fn bookkeeping_is_about_settings_of_runs() {
    for key in OPTIONAL_KEYS {
        assert!(RunSettings::SETTINGS.iter().any(|setting| setting.key == key), "{key}");
    }
}

#[test]
fn presets_name_their_source_and_what_is_ours() {
    let nameless: Vec<&str> =
        PRESETS.iter().filter(|preset| preset.source.is_empty()).map(|preset| preset.slug).collect();
    assert!(nameless.is_empty(), "without a source: {nameless:?}");
    // Without an experiment no settings can be compared, so a sentence has to say why there is none.
    let silent: Vec<&str> = PRESETS
        .iter()
        .filter(|preset| preset.experiment.is_none() && preset.remarks.is_empty())
        .map(|preset| preset.slug)
        .collect();
    assert!(silent.is_empty(), "neither an experiment nor remarks: {silent:?}");
}

#[test]
fn charts_that_refer_to_a_publication_name_the_passage() {
    let refers = |help: &str| {
        ["thesis", "paper", "theorem", "proposition", "lemma", "et al."]
            .iter()
            .any(|word| help.contains(word))
    };
    let missing: Vec<&str> = Chart::ALL
        .iter()
        .map(|chart| chart.info())
        .filter(|info| refers(info.help) && info.passage.is_empty())
        .map(|info| info.slug)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Remarks of the preset `induction`: within its steps, the learning rate of appendix E.2 does not leave the uniform
/// strategy.
#[test]
fn the_learning_rate_of_the_thesis_needs_more_steps_than_the_induction_preset() {
    let preset = find_preset("induction").unwrap();
    assert!(preset.remarks.contains("the learning rate of the source, 0.00003"));
    let run = |lr: &str| {
        let mut spec = preset.link().spec;
        spec.parse("lr", lr).unwrap();
        spec.run.replicas = 2;
        let uniform = ExpectedMeasure::OverLine(Strategy::Uniform);
        let expected = [Expectation::Median { measure: uniform, step: spec.run.steps, between: (0.97, 1.1) }];
        science::check_run(spec, &expected, &Device::cpu()).unwrap().remove(0)
    };
    let (slow, ours) = (run("0.00003"), run("0.005"));
    assert!(slow.holds, "{}", slow.text);
    assert!(!ours.holds, "{}", ours.text);
}
