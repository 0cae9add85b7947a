//! Links and settings from Python.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use super::errors::{bad_link, exception};
use vivarium_cli::open;
use vivarium_core::settings::Problem;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::MOST_AT_ALL;

/// The run of a link, of a preset or of a file, with these settings in place of its own.
///
/// # Errors
/// A sentence for each part that cannot be read.
pub fn read(py: Python<'_>, link: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Link> {
    let text = link.str()?.to_string();
    // An address of the page is the link behind its sign.
    let text = text.find("#v1/").map_or(text.as_str(), |at| &text[at..]);
    let mut link = open::link_within(text, MOST_AT_ALL).map_err(|trouble| exception(py, trouble))?;
    let mut problems = vec![];
    for (key, value) in settings.into_iter().flatten() {
        problems.extend(set(&mut link.spec, &key.to_string(), &value)?);
    }
    if settings.is_some() && problems.is_empty() {
        // One setting may need another one, so all are looked at together.
        problems = link.spec.problems();
    }
    match problems.is_empty() {
        true => Ok(link),
        false => Err(bad_link(py, problems.iter().map(Problem::to_string).collect())),
    }
}

/// Sets a setting; what is wrong with its value, if anything.
fn set(spec: &mut RunSpec, key: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Problem>> {
    let text = match value.cast::<PyBool>() {
        Ok(value) => if value.is_true() { "on" } else { "off" }.to_string(),
        Err(_) => value.str()?.to_string(),
    };
    Ok(spec.parse(key, &text).err())
}
