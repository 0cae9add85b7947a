//! Links and settings from Python.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use super::errors::{link_error, to_exception};
use vivarium_cli::open;
use vivarium_core::settings::InvalidSetting;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::MAX_SWEEP_RUNS;

/// Reads a link, the name of a preset, or the path of a file, and then sets each key of `settings` to its value.
///
/// # Errors
/// A sentence for each part that cannot be read.
pub fn read_link(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Link> {
    let text = link.str()?.to_string();
    // An address of the page is the link behind its sign.
    let text = text.find("#v1/").map_or(text.as_str(), |at| &text[at..]);
    let mut link =
        open::read_link_within(text, MAX_SWEEP_RUNS).map_err(|trouble| to_exception(py, trouble))?;
    let mut problems = vec![];
    for (key, value) in settings.into_iter().flatten() {
        problems.extend(parse_setting(&mut link.spec, &key.to_string(), &value)?);
    }
    if settings.is_some() && problems.is_empty() {
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
