//! `lab docs`: the generated tables of the README, between markers.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::Path;

use anyhow::{Context, anyhow};

use super::Trouble;
use crate::analysis::chart::Chart;
use crate::catalog::Entry;
use crate::permalink::View;
use crate::presets::PRESETS;
use crate::run::Run;
use crate::settings::{Knob, Settings};

fn entry_rows(entries: &[Entry]) -> String {
    let rows = entries.iter().map(|e| {
        let sources: Vec<_> = e.info.sources.iter().map(|s| format!("[{}]({})", s.cite, s.url)).collect();
        let keys: Vec<_> = e.knobs.iter().map(|k| format!("`{}`", k.key)).collect();
        format!(
            "| {} | `{}` | {} | {} | {} |\n",
            e.info.name,
            e.info.slug,
            e.info.about,
            keys.join(" "),
            sources.join(", ")
        )
    });
    format!(
        "| name | key | what it is | settings | source |\n|---|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn knob_rows(knobs: &[Knob]) -> String {
    let rows =
        knobs.iter().map(|k| format!("| `{}` | {} | {} | {} |\n", k.key, k.label, k.help, k.expected()));
    format!("| key | setting | what it does | values |\n|---|---|---|---|\n{}", rows.collect::<String>())
}

fn preset_rows() -> String {
    let rows = PRESETS.iter().map(|p| {
        let instance = format!("{} {}", p.instance, p.time);
        format!("| `{}` | {} | {} | {} | {} |\n", p.slug, p.claim, p.source, instance.trim(), p.budget)
    });
    format!(
        "| preset | claim | source | instance | budget, steps |\n|---|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn chart_rows() -> String {
    let rows = Chart::ALL.iter().map(|chart| chart.info());
    let rows = rows.map(|about| format!("| `{}` | {} | {} |\n", about.slug, about.name, about.help));
    format!("| key | chart | what it shows |\n|---|---|---|\n{}", rows.collect::<String>())
}

/// Every generated table with the name of its markers.
pub fn tables() -> Vec<(&'static str, String)> {
    vec![
        ("tasks", entry_rows(crate::tasks::Task::ENTRIES)),
        ("models", entry_rows(crate::models::Model::ENTRIES)),
        ("optimizers", entry_rows(crate::optim::Optimizer::ENTRIES)),
        ("run", knob_rows(Run::KNOBS)),
        ("view", knob_rows(View::KNOBS)),
        ("charts", chart_rows()),
        ("presets", preset_rows()),
    ]
}

/// `text` with every generated table refreshed.
///
/// # Errors
/// When a table's markers are missing.
pub fn refresh(text: &str) -> Result<String, anyhow::Error> {
    tables().into_iter().try_fold(text.to_string(), |text, (name, table)| {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (before, rest) =
            text.split_once(&open).ok_or_else(|| anyhow!("the marker <!-- {name} --> is missing"))?;
        let (_, after) =
            rest.split_once(&close).ok_or_else(|| anyhow!("the marker <!-- /{name} --> is missing"))?;
        Ok(format!("{before}{open}{table}{close}{after}"))
    })
}

/// Runs `lab docs`.
///
/// # Errors
/// When a marker is missing, or with `check` when a table is out of date.
pub fn docs(file: &Path, check: bool) -> Result<(), Trouble> {
    let old = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let new = refresh(&old)?;
    match (old == new, check) {
        (true, _) => println!("{} is up to date", file.display()),
        (false, true) => {
            return Err(anyhow!("{} is out of date; `cargo lab docs` refreshes it", file.display()).into());
        }
        (false, false) => {
            std::fs::write(file, new).with_context(|| format!("cannot write {}", file.display()))?;
            println!("{} refreshed", file.display());
        }
    }
    Ok(())
}
