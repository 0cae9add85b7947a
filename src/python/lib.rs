//! The Python module: runs and sweeps of the command line as objects of a notebook.
#![doc = include_str!("README.md")]

mod arrays;
mod arrow;
mod columns;
mod errors;
mod figures;
mod links;
mod readings;
mod run;
mod sweep;
mod table;
mod trainer;

/// Vivarium: train small neural networks, the same runs and the same numbers as on the page.
#[pyo3::pymodule]
mod native {
    #[pymodule_export]
    use super::errors::{Diverged, LinkError, TrainingError};
    #[pymodule_export]
    use super::figures::Page;
    #[pymodule_export]
    use super::run::{Rows, Run, run};
    #[pymodule_export]
    use super::sweep::{Sweep, sweep};
    #[pymodule_export]
    use super::table::Table;
    use pyo3::prelude::*;

    /// Sets the attribute of the Python module for the program version, which is also written into files.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
