//! A table in Python: columns as arrays, and all of it for libraries that read Arrow.

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::arrays::column_to_python;
use super::arrow::stream_capsule;
use super::columns::DataColumns;
use vivarium_core::settings::format_thousands;

/// A table that pandas, Polars, DuckDB and PyArrow read without copying it.
#[pyclass(frozen, module = "vivarium", mapping)]
pub struct Table(pub Arc<DataColumns>);

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.0.columns().iter().map(|column| column.name.as_str()).collect()
    }

    /// The names of the columns, so that `dict(table)` holds an array for each.
    fn keys(&self) -> Vec<&str> {
        self.column_names()
    }

    fn __len__(&self) -> usize {
        self.0.row_count()
    }

    /// A column as a NumPy array, or as a list of words.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.0.find(name).ok_or_else(|| missing_column_error(name, &self.column_names()))?;
        column_to_python(py, &found.values, &[self.0.row_count()])
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.find(name).is_some()
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows for the columns' own types whatever was asked for.
        drop(requested_schema);
        stream_capsule(py, Arc::clone(&self.0))
    }

    fn __repr__(&self) -> String {
        let rows = self.0.row_count();
        let word = if rows == 1 { "row" } else { "rows" };
        format!(
            "<vivarium.Table of {} {word}: {}>",
            format_thousands(rows as u64),
            self.column_names().join(", ")
        )
    }
}

/// The `KeyError` for the column name `name`, which does not exist; `names` are the names of the existing
/// columns.
pub fn missing_column_error(name: &str, names: &[&str]) -> PyErr {
    PyKeyError::new_err(format!("There is no column {name}. The columns are {}.", names.join(", ")))
}
