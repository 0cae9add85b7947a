//! `lab list` prints the catalogue, and `lab link` explains the settings of a link.

#![expect(clippy::print_stdout, reason = "these commands print")]

use super::print::{DescriptionFormat, write_json};
use super::{CommandError, json, open};
use vivarium_core::catalog::CatalogEntry;
use vivarium_core::settings::{SettingInfo, Settings, Value};
use vivarium_labs::{PRESETS, cannot_learn};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{ViewSettings, encode};
use vivarium_model::run::cells::MAX_PAGE_SWEEP_RUNS;
use vivarium_model::run::{FormSection, RunSettings};
use vivarium_view::record::preamble::relevant_numbers;

/// Prints one line for each setting: its key in links, its help text and its accepted values.
fn print_settings(settings: &[SettingInfo]) {
    for setting in settings {
        println!("      {:<9} {} ({})", setting.key, setting.help, setting.describe_expected());
    }
}

/// Prints the tasks, models or optimizers in `entries` with their settings, under a heading.
fn print_entries(heading: &str, entries: &[CatalogEntry]) {
    println!("{heading}");
    for entry in entries {
        println!("  {:<15} {}: {}", entry.info.slug, entry.info.name, entry.info.about);
        print_settings(entry.settings);
    }
}

/// Runs `lab list`.
///
/// # Errors
/// When the JSON cannot be written.
pub fn list(format: DescriptionFormat) -> Result<(), CommandError> {
    if format == DescriptionFormat::Json {
        return Ok(write_json(&json::describe_catalogue())?);
    }
    print_entries("Tasks", vivarium_model::tasks::Task::ENTRIES);
    print_entries("Models (model=…)", vivarium_model::models::Model::ENTRIES);
    print_entries("Optimizers (opt=…)", vivarium_model::optim::Optimizer::ENTRIES);
    println!("Run");
    print_settings(RunSettings::SETTINGS);
    println!("View");
    print_settings(ViewSettings::SETTINGS);
    println!("Charts (show=…)");
    for about in Chart::ALL.iter().map(|chart| chart.info()) {
        println!("  {:<15} {}: {}", about.slug, about.name, about.help);
    }
    println!("Presets");
    for preset in PRESETS {
        println!("  {:<15} {}\n      {}\n      {}", preset.slug, preset.name, preset.claim, preset.link);
    }
    Ok(())
}

/// Prints the key, the value and the label of a setting of a link; the value None is printed as "(none)".
fn print_setting(setting: &SettingInfo, value: Option<Value>) {
    let value = value.map(|v| v.to_string()).filter(|v| !v.is_empty()).unwrap_or("(none)".into());
    println!("  {:<9} {:<12} {}", setting.key, value, setting.label);
}

/// Runs `lab link`: prints every setting of the link `text`.
///
/// # Errors
/// [`CommandError::BadLink`] when a part of the link cannot be read; JSON is printed even then, and lists
/// these parts.
pub fn explain_link(text: &str, format: DescriptionFormat) -> Result<(), CommandError> {
    if format == DescriptionFormat::Json {
        let (link, bad) = open::parse_link(text, MAX_PAGE_SWEEP_RUNS)?;
        write_json(&json::describe_link(&link, &bad))?;
        return open::require_readable(link, &bad).map(drop);
    }
    let link = open::read_link(text)?;
    println!("{}", encode(&link));
    println!(
        "{}, {}, {}",
        link.spec.task.info().name,
        link.spec.model.info().name,
        link.spec.optimizer.info().name
    );
    let settings = link.spec.settings();
    for section in FormSection::ALL {
        println!("{}", section.label());
        for (_, setting) in settings.iter().filter(|(s, _)| *s == section) {
            print_setting(setting, link.spec.value(setting.key));
        }
    }
    println!("View");
    for setting in ViewSettings::SETTINGS {
        print_setting(setting, link.view.value(setting.key));
    }
    let relevant: Vec<String> = relevant_numbers(&link.spec).iter().map(usize::to_string).collect();
    println!("Relevant coordinates: {}", relevant.join(", "));
    for reason in cannot_learn(&link.spec) {
        println!("{reason}");
    }
    Ok(())
}
