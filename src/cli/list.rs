//! `lab list` and `lab link`: what there is, and what a link means.

#![expect(clippy::print_stdout, reason = "these commands print")]

use super::print::{Described, write_json};
use super::{Trouble, json, open};
use vivarium_core::catalog::Entry;
use vivarium_core::settings::{Knob, Settings, Value};
use vivarium_labs::{PRESETS, cannot_learn};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{View, encode};
use vivarium_model::run::cells::MOST_CELLS;
use vivarium_model::run::{Run, Section};
use vivarium_view::record::preamble::relevant;

fn settings(knobs: &[Knob]) {
    for knob in knobs {
        println!("      {:<9} {} ({})", knob.key, knob.help, knob.expected());
    }
}

fn entries(heading: &str, entries: &[Entry]) {
    println!("{heading}");
    for entry in entries {
        println!("  {:<15} {}: {}", entry.info.slug, entry.info.name, entry.info.about);
        settings(entry.knobs);
    }
}

/// Runs `lab list`.
///
/// # Errors
/// When the JSON cannot be written.
pub fn list(format: Described) -> Result<(), Trouble> {
    if format == Described::Json {
        return Ok(write_json(&json::listed())?);
    }
    entries("Tasks", vivarium_model::tasks::Task::ENTRIES);
    entries("Models (model=…)", vivarium_model::models::Model::ENTRIES);
    entries("Optimizers (opt=…)", vivarium_model::optim::Optimizer::ENTRIES);
    println!("Run");
    settings(Run::KNOBS);
    println!("View");
    settings(View::KNOBS);
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

fn print_value(knob: &Knob, value: Option<Value>) {
    let value = value.map(|v| v.to_string()).filter(|v| !v.is_empty()).unwrap_or("(none)".into());
    println!("  {:<9} {:<12} {}", knob.key, value, knob.label);
}

/// Runs `lab link`.
///
/// # Errors
/// [`Trouble::BadLink`] when a part of it cannot be read. JSON is printed all the same, with these parts in it.
pub fn explain(text: &str, format: Described) -> Result<(), Trouble> {
    if format == Described::Json {
        let (link, bad) = open::read(text, MOST_CELLS)?;
        write_json(&json::explained(&link, &bad))?;
        return open::all_read(link, &bad).map(drop);
    }
    let link = open::link(text)?;
    println!("{}", encode(&link));
    println!(
        "{}, {}, {}",
        link.spec.task.info().name,
        link.spec.model.info().name,
        link.spec.optimizer.info().name
    );
    let knobs = link.spec.knobs();
    for section in Section::ALL {
        println!("{}", section.label());
        for (_, knob) in knobs.iter().filter(|(s, _)| *s == section) {
            print_value(knob, link.spec.value(knob.key));
        }
    }
    println!("View");
    for knob in View::KNOBS {
        print_value(knob, link.view.value(knob.key));
    }
    let relevant: Vec<String> = relevant(&link.spec).iter().map(usize::to_string).collect();
    println!("Relevant coordinates: {}", relevant.join(", "));
    for reason in cannot_learn(&link.spec) {
        println!("{reason}");
    }
    Ok(())
}
