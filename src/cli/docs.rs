//! `lab docs`: the generated tables in the READMEs of the source folders, between markers.
//!
//! # Why
//! Each of these READMEs is also the documentation of its module, so it has to be valid for GitHub and for rustdoc,
//! which takes `[CLS]` for a link and `|w|` for two cells: [`cell`] escapes both.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::Path;

use anyhow::{Context, anyhow};

use super::markdown::{cell, code, table};
use super::{Trouble, tensors};
use vivarium_core::catalog::Entry;
use vivarium_core::settings::{Knob, Settings};
use vivarium_labs::PRESETS;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::View;
use vivarium_model::run::Run;
use vivarium_model::tasks::{MeasureInfo, Task};
use vivarium_view::display::instance::instance;

/// The README with the table of optimizers.
const OPTIMIZERS: &str = "src/model/optim/README.md";

/// A README with generated tables.
#[derive(Debug)]
pub struct Readme {
    /// Where it is, from the root of the repository.
    pub path: &'static str,
    /// The tables, each with the name of its markers.
    pub tables: Vec<(&'static str, String)>,
}

/// Every README with generated tables.
pub fn readmes() -> Vec<Readme> {
    let links = vec![("run", knobs(Run::KNOBS)), ("view", knobs(View::KNOBS)), ("charts", charts())];
    vec![
        Readme { path: "src/model/tasks/README.md", tables: vec![("tasks", entries(Task::ENTRIES))] },
        Readme { path: "src/model/models/README.md", tables: vec![("models", entries(Model::ENTRIES))] },
        Readme { path: "src/model/models/TENSORS.md", tables: vec![("tensors", tensors::sections())] },
        Readme { path: OPTIMIZERS, tables: vec![("optimizers", entries(Optimizer::ENTRIES))] },
        Readme { path: "src/model/permalink/README.md", tables: links },
        Readme { path: "src/view/presets/README.md", tables: vec![("presets", presets())] },
        Readme { path: "src/view/record/README.md", tables: vec![("measures", measures())] },
    ]
}

impl Readme {
    /// `text` with the tables of this README refreshed.
    ///
    /// # Errors
    /// When a table's markers are missing.
    pub fn refresh(&self, text: &str) -> Result<String, anyhow::Error> {
        self.tables.iter().try_fold(text.to_string(), |text, (name, table)| {
            let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
            let missing = |marker: &str| anyhow!("the marker {} is missing", marker.trim_end());
            let (before, rest) = text.split_once(&open).ok_or_else(|| missing(&open))?;
            let (_, after) = rest.split_once(&close).ok_or_else(|| missing(&close))?;
            Ok(format!("{before}{open}{table}{close}{after}"))
        })
    }
}

fn entries(entries: &[Entry]) -> String {
    let rows = entries.iter().map(|entry| {
        let sources: Vec<_> =
            entry.info.sources.iter().map(|s| format!("[{}]({})", cell(s.cite), s.url)).collect();
        let keys: Vec<_> = entry.knobs.iter().map(|knob| code(knob.key)).collect();
        let info = &entry.info;
        vec![cell(info.name), code(info.slug), cell(info.about), keys.join(" "), sources.join(", ")]
    });
    table(&["name", "key", "what it is", "settings", "source"], rows)
}

/// Every measure with the tasks that have it; one that several tasks define in the same words has one row.
fn measures() -> String {
    let mut rows: Vec<(MeasureInfo, Vec<String>)> = vec![];
    for (entry, lists) in Task::ENTRIES.iter().zip(Task::MEASURES) {
        for measure in lists.iter().copied().flatten() {
            match rows.iter_mut().find(|(known, _)| known == measure) {
                Some((_, tasks)) => tasks.push(code(entry.info.slug)),
                None => rows.push((*measure, vec![code(entry.info.slug)])),
            }
        }
    }
    let rows = rows.into_iter().map(|(measure, tasks)| {
        let sources: Vec<_> =
            measure.sources.iter().map(|s| format!("[{}]({})", cell(s.cite), s.url)).collect();
        vec![
            code(measure.name),
            tasks.join(", "),
            cell(measure.unit),
            cell(measure.about),
            sources.join(", "),
        ]
    });
    table(&["measure", "task", "unit and range", "what it is", "source"], rows)
}

fn knobs(knobs: &[Knob]) -> String {
    let rows = knobs.iter().map(|k| vec![code(k.key), cell(k.label), cell(k.help), cell(&k.expected())]);
    table(&["key", "setting", "what it does", "values"], rows)
}

fn charts() -> String {
    let infos = Chart::ALL.iter().map(|chart| chart.info());
    let rows = infos.map(|info| vec![code(info.slug), cell(info.name), cell(info.help), cell(info.passage)]);
    table(&["key", "chart", "what it shows", "source"], rows)
}

fn presets() -> String {
    let rows = PRESETS.iter().map(|preset| {
        let instance = format!("{} {}", instance(preset), preset.time);
        let texts = [preset.claim, preset.source, instance.trim()].map(cell);
        [code(preset.slug)].into_iter().chain(texts).chain([preset.budget.to_string()]).collect()
    });
    table(&["preset", "claim", "source", "instance", "budget, steps"], rows)
}

/// Runs `lab docs` in the folder of the repository.
///
/// # Errors
/// When a marker is missing, or with `check` when a table is out of date.
pub fn docs(root: &Path, check: bool) -> Result<(), Trouble> {
    for readme in readmes() {
        let file = root.join(readme.path);
        let old =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let new = readme.refresh(&old).with_context(|| readme.path)?;
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
    fn a_missing_marker_is_said() {
        let readme = Readme { path: "README.md", tables: vec![("models", "new\n".into())] };
        assert_eq!(
            readme.refresh("a\n<!-- models -->\nold\n<!-- /models -->\nb").unwrap(),
            "a\n<!-- models -->\nnew\n<!-- /models -->\nb"
        );
        assert_eq!(readme.refresh("").unwrap_err().to_string(), "the marker <!-- models --> is missing");
    }
}
