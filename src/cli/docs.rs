//! `lab docs`: the generated tables in the READMEs of the source folders, between markers.
//!
//! # Why
//! Each of these READMEs is also the documentation of its module, so it has to be valid for GitHub and for
//! rustdoc, which reads `[CLS]` as a link and `|w|` as two cells: [`escape_cell`] escapes both.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::Path;

use anyhow::{Context, anyhow};

use super::markdown::{escape_cell, format_code, format_table};
use super::{CommandError, tensors};
use vivarium_core::catalog::CatalogEntry;
use vivarium_core::settings::{SettingInfo, Settings};
use vivarium_labs::PRESETS;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::run::RunSettings;
use vivarium_model::tasks::{MeasureInfo, Task};
use vivarium_view::display::instance::describe_source_comparison;

/// Path of the README with the table of optimizers, from the root of the repository.
const OPTIMIZERS_README: &str = "src/model/optim/README.md";

/// A README of the repository with the text that its generated tables should have now.
#[derive(Debug)]
pub struct Readme {
    /// Path of the README from the root of the repository, with `/` between folders.
    pub path: &'static str,
    /// Generated Markdown tables: the name in the markers `<!-- name -->` and `<!-- /name -->`, and the text
    /// between them.
    pub tables: Vec<(&'static str, String)>,
}

/// Every README with its generated tables, as they should be now.
pub fn build_readmes() -> Vec<Readme> {
    let links = vec![
        ("run", settings_table(RunSettings::SETTINGS)),
        ("view", settings_table(ViewSettings::SETTINGS)),
        ("charts", chart_table()),
    ];
    vec![
        Readme { path: "src/model/tasks/README.md", tables: vec![("tasks", catalogue_table(Task::ENTRIES))] },
        Readme {
            path: "src/model/models/README.md",
            tables: vec![("models", catalogue_table(Model::ENTRIES))],
        },
        Readme { path: "src/model/models/TENSORS.md", tables: vec![("tensors", tensors::format_sections())] },
        Readme { path: OPTIMIZERS_README, tables: vec![("optimizers", catalogue_table(Optimizer::ENTRIES))] },
        Readme { path: "src/model/permalink/README.md", tables: links },
        Readme { path: "src/view/presets/README.md", tables: vec![("presets", preset_table())] },
        Readme { path: "src/view/record/README.md", tables: vec![("measures", measure_table())] },
    ]
}

impl Readme {
    /// `text` with the tables between the markers replaced by those of this README.
    ///
    /// # Errors
    /// When a table's markers are missing.
    pub fn refresh_tables(&self, text: &str) -> Result<String, anyhow::Error> {
        self.tables.iter().try_fold(text.to_string(), |text, (name, table)| {
            let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
            let missing = |marker: &str| anyhow!("the marker {} is missing", marker.trim_end());
            let (before, rest) = text.split_once(&open).ok_or_else(|| missing(&open))?;
            let (_, after) = rest.split_once(&close).ok_or_else(|| missing(&close))?;
            Ok(format!("{before}{open}{table}{close}{after}"))
        })
    }
}

/// Markdown table of the tasks, models or optimizers of a catalogue: name, slug, description, keys of
/// settings, sources.
fn catalogue_table(entries: &[CatalogEntry]) -> String {
    let rows = entries.iter().map(|entry| {
        let sources: Vec<_> =
            entry.info.sources.iter().map(|s| format!("[{}]({})", escape_cell(s.cite), s.url)).collect();
        let keys: Vec<_> = entry.settings.iter().map(|setting| format_code(setting.key)).collect();
        let info = &entry.info;
        vec![
            escape_cell(info.name),
            format_code(info.slug),
            escape_cell(info.about),
            keys.join(" "),
            sources.join(", "),
        ]
    });
    format_table(&["name", "key", "what it is", "settings", "source"], rows)
}

/// Markdown table of all measures with the tasks that have them; equal definitions share a row.
fn measure_table() -> String {
    let mut rows: Vec<(MeasureInfo, Vec<String>)> = vec![];
    for (entry, lists) in Task::ENTRIES.iter().zip(Task::MEASURES) {
        for measure in lists.iter().copied().flatten() {
            match rows.iter_mut().find(|(known, _)| known == measure) {
                Some((_, tasks)) => tasks.push(format_code(entry.info.slug)),
                None => rows.push((*measure, vec![format_code(entry.info.slug)])),
            }
        }
    }
    let rows = rows.into_iter().map(|(measure, tasks)| {
        let sources: Vec<_> =
            measure.sources.iter().map(|s| format!("[{}]({})", escape_cell(s.cite), s.url)).collect();
        vec![
            format_code(measure.name),
            tasks.join(", "),
            escape_cell(measure.unit),
            escape_cell(measure.about),
            sources.join(", "),
        ]
    });
    format_table(&["measure", "task", "unit and range", "what it is", "source"], rows)
}

/// Markdown table with a row for each setting: key in links, label, help text and accepted values.
fn settings_table(settings: &[SettingInfo]) -> String {
    let rows = settings.iter().map(|k| {
        vec![
            format_code(k.key),
            escape_cell(k.label),
            escape_cell(k.help),
            escape_cell(&k.describe_expected()),
        ]
    });
    format_table(&["key", "setting", "what it does", "values"], rows)
}

/// Markdown table with a row for each chart of the page.
fn chart_table() -> String {
    let infos = Chart::ALL.iter().map(|chart| chart.info());
    let rows = infos.map(|info| {
        vec![
            format_code(info.slug),
            escape_cell(info.name),
            escape_cell(info.help),
            escape_cell(info.passage),
        ]
    });
    format_table(&["key", "chart", "what it shows", "source"], rows)
}

/// Markdown table with a row for each preset.
fn preset_table() -> String {
    let rows = PRESETS.iter().map(|preset| {
        let instance = format!("{} {}", describe_source_comparison(preset), preset.duration_note);
        let texts = [preset.claim, preset.source, instance.trim()].map(escape_cell);
        [format_code(preset.slug)].into_iter().chain(texts).chain([preset.max_steps.to_string()]).collect()
    });
    format_table(&["preset", "claim", "source", "instance", "budget, steps"], rows)
}

/// Runs `lab docs`: refreshes the generated tables in the READMEs of the repository at `root`; with `check`,
/// only compares them.
///
/// # Errors
/// When a marker is missing, or with `check` when a table is out of date.
pub fn docs(root: &Path, check: bool) -> Result<(), CommandError> {
    for readme in build_readmes() {
        let file = root.join(readme.path);
        let old =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let new = readme.refresh_tables(&old).with_context(|| readme.path)?;
        match (old == new, check) {
            (true, _) => println!("{} is up to date", readme.path),
            (false, true) => {
                return Err(anyhow!("{} is out of date; `cargo lab docs` refreshes it", readme.path).into());
            }
            (false, false) => {
                std::fs::write(&file, new).with_context(|| format!("cannot write {}", file.display()))?;
                println!("{} refreshed", readme.path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_marker_is_stated() {
        let readme = Readme { path: "README.md", tables: vec![("models", "new\n".into())] };
        assert_eq!(
            readme.refresh_tables("a\n<!-- models -->\nold\n<!-- /models -->\nb").unwrap(),
            "a\n<!-- models -->\nnew\n<!-- /models -->\nb"
        );
        assert_eq!(
            readme.refresh_tables("").unwrap_err().to_string(),
            "the marker <!-- models --> is missing"
        );
    }
}
