//! Links and settings from Python.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use super::errors::{link_error, to_exception};
use vivarium_cli::CommandError;
use vivarium_cli::open::{self, OpenedTable, TableSource};
use vivarium_core::settings::InvalidSetting;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::MAX_SWEEP_RUNS;
use vivarium_view::record::dataset::TableChoices;

/// The table of a run in Python, and the name of its label column.
pub struct TableArguments<'py> {
    /// A path, a DataFrame of pandas or a DataFrame of Polars; of a run on a group also the text of its Cayley table.
    pub table: Option<Bound<'py, PyAny>>,
    /// Name of the column with the labels; `None` to choose it by the usual names.
    pub label: Option<String>,
}

impl TableArguments<'_> {
    /// Opens the table, so that runs can train on it.
    ///
    /// # Errors
    /// When the table is of an unknown type, or cannot be used.
    fn open(&self, py: Python<'_>) -> PyResult<Option<OpenedTable>> {
        let Some(table) = &self.table else { return Ok(None) };
        let (source, has_header) = match table.extract::<PathBuf>() {
            Ok(path) => (TableSource::Path(path), None),
            Err(_) => (TableSource::Bytes(write_csv(py, table)?.into_bytes()), Some(true)),
        };
        let choices = TableChoices { has_header, ..TableChoices::default() };
        let opened = OpenedTable::open(source, self.label.as_deref(), choices);
        opened.map(Some).map_err(|error| match error.root_cause().is::<std::io::Error>() {
            true => to_exception(py, CommandError::Other(error)),
            false => link_error(py, vec![format!("{error:#}")]),
        })
    }
}

/// Text of a DataFrame as CSV with the names of its columns, without an index.
///
/// # Errors
/// When the object is no DataFrame.
fn write_csv(py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = if table.hasattr("to_csv")? {
        let options = PyDict::new(py);
        options.set_item("index", false)?;
        table.call_method("to_csv", (), Some(&options))?
    } else if table.hasattr("write_csv")? {
        table.call_method0("write_csv")?
    } else {
        return Err(PyTypeError::new_err("table is a path, or a DataFrame of pandas or Polars"));
    };
    text.extract()
}

/// Reads a link, the name of a preset, or the path of a file, and then sets each key of `settings` to its value. A run on
/// tables trains on the table of `arguments`, if there is one.
///
/// # Errors
/// A sentence for each part that cannot be read.
pub fn read_link(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    arguments: &TableArguments<'_>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Link> {
    let text = link.str()?.to_string();
    open::check_quotation_marks(&text).map_err(|trouble| to_exception(py, trouble))?;
    // An address of the page is the link behind its sign.
    let text = text.find("#v1/").map_or(text.as_str(), |at| &text[at..]);
    let is_on_table = open::parse_link_on(text, MAX_SWEEP_RUNS, None)
        .map_or(true, |(link, _)| open::trains_on_table(&link));
    let table = if is_on_table { arguments.open(py)? } else { None };
    for note in table.iter().flat_map(|table| &table.notes) {
        let text = std::ffi::CString::new(note.as_str())?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    let read = open::parse_link_on(text, MAX_SWEEP_RUNS, table.as_ref());
    let read = read.and_then(|(link, unreadable)| open::require_readable(link, &unreadable));
    let mut link = read.map_err(|trouble| to_exception(py, trouble))?;
    let mut problems = vec![];
    if arguments.label.is_some() && table.is_none() {
        let sentence = "label names a column of a table, and there is no table: give it with table.";
        return Err(link_error(py, vec![sentence.into()]));
    }
    for (key, value) in settings.into_iter().flatten() {
        problems.extend(parse_setting(&mut link.spec, &key.to_string(), &value)?);
    }
    match arguments.table.as_ref().filter(|_| !is_on_table) {
        // A group may have a setting of this name.
        Some(text) if text.is_instance_of::<PyString>() => {
            problems.extend(parse_setting(&mut link.spec, "table", text)?);
        }
        Some(_) => {
            let sentence =
                "This run does not train on a table. The link of a run on a table begins with #v1/tabular.";
            return Err(link_error(py, vec![sentence.into()]));
        }
        None => {}
    }
    if (settings.is_some() || arguments.table.is_some()) && problems.is_empty() {
        // One setting may need another one, so all are looked at together.
        problems = link.spec.invalid_settings();
    }
    match problems.is_empty() {
        true => Ok(link),
        false => Err(link_error(py, problems.iter().map(InvalidSetting::to_string).collect())),
    }
}

/// Parses a Python value and assigns it to the setting `key`; returns why the value is invalid, or else `None`.
fn parse_setting(
    spec: &mut RunSpec,
    key: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<InvalidSetting>> {
    let text = match value.cast::<PyBool>() {
        Ok(value) => if value.is_true() { "on" } else { "off" }.to_string(),
        Err(_) => value.str()?.to_string(),
    };
    Ok(spec.parse(key, &text).err())
}
