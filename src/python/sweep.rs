//! Sweeps in Python.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::columns::Columns;
use super::errors::{bad_link, exception};
use super::figures;
use super::links;
use super::table::Table;
use super::trainer::heard;
use vivarium_cli::disk::Native;
use vivarium_cli::journal::{Found, Journal, Shard};
use vivarium_cli::print::Names;
use vivarium_cli::{Trouble, pool, sweeps};
use vivarium_core::settings::thousands;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::count;
use vivarium_plot::analysis::Reading;
use vivarium_training::session::Options;

/// A sweep whose runs have all ended: when each network reached the target.
#[pyclass(frozen, module = "vivarium", mapping)]
pub struct Sweep {
    link: Link,
    columns: Arc<Columns>,
    readings: Vec<Reading>,
    summary: String,
}

/// Trains all runs of a sweep, on all cores, and returns when they have ended.
#[pyfunction]
#[pyo3(signature = (link, *, output=None, threads=None, progress=None, **settings))]
pub fn sweep(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    output: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Sweep> {
    let link = links::read(py, link, settings)?;
    if link.spec.run.sweep.is_empty() {
        let sentence = "This link describes a single run, which vivarium.run trains. The link of a sweep lists values \
                        of a setting, for example sweep=n:10_20_40.";
        return Err(bad_link(py, vec![sentence.into()]));
    }
    let path = output.clone().unwrap_or_else(temporary);
    let threads = threads.unwrap_or_else(vivarium_model::platform::cores).max(1);
    let made = watched(py, progress, count(&link.spec), |stop, done| {
        let made = train(&link.spec, &path, threads, stop, done);
        if output.is_none() {
            // It is not there if the sweep could not begin.
            let _ = std::fs::remove_file(&path);
        }
        made
    })?;
    let (columns, readings, summary) = made.map_err(|trouble| exception(py, trouble))?;
    Ok(Sweep { link, columns: Arc::new(columns), readings, summary })
}

/// A file for a sweep whose file nobody wants.
fn temporary() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(format!("vivarium-sweep-{process}-{number}.csv"))
}

/// What a sweep comes to: its table, its figure and what is printed of it.
type Made = (Columns, Vec<Reading>, String);

/// Trains the runs that are not in the file at `path` yet, and counts them in `done`.
fn train(
    spec: &RunSpec,
    path: &Path,
    threads: usize,
    stop: &AtomicBool,
    done: &AtomicUsize,
) -> Result<Made, Trouble> {
    /// What shells have for a program that Ctrl-C has ended.
    const CODE: u8 = 130;
    let mut journal = Journal::open(&Native, path, spec, Shard::WHOLE, Names::New)?;
    let pending = journal.found.missing();
    done.store(journal.found.runs(), Ordering::Relaxed);
    let options = Options { stop_solved: true, ..Options::default() };
    let asked = || stop.load(Ordering::Relaxed).then_some(CODE);
    pool::make(spec, &pending, threads, options, &asked, |number, cell, outcome| {
        let lines = journal.lines(number, cell, outcome);
        journal.add(number, &lines)?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })?;
    let found = journal.finish()?;
    let text = std::fs::read_to_string(path).map_err(anyhow::Error::from)?;
    let columns = Columns::of_csv(&text).map_err(anyhow::Error::from)?;
    let (readings, summary) = shown(spec, &found)?;
    Ok((columns, readings, summary))
}

/// The figure and the text of a sweep; nothing of one that has too many runs to be shown.
fn shown(spec: &RunSpec, found: &Found) -> Result<(Vec<Reading>, String), Trouble> {
    if count(spec) > sweeps::MOST_SHOWN {
        return Ok((vec![], String::new()));
    }
    Ok((sweeps::readings(found)?.0, sweeps::printed(found)?))
}

/// Does `work` in another thread without Python's lock, while this one tells `progress` and sees whether somebody has
/// pressed Ctrl-C.
fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    all: usize,
    work: impl FnOnce(&AtomicBool, &AtomicUsize) -> T + Send,
) -> PyResult<T> {
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (told, mut hears) = channel();
        let (stop, done) = (&stop, &done);
        scope.spawn(move || drop(told.send(work(stop, done))));
        let (mut seen, mut interrupted) = (usize::MAX, None);
        loop {
            let (back, heard) = heard(py, hears);
            hears = back;
            if interrupted.is_none() {
                let now = done.load(Ordering::Relaxed);
                let news = progress.as_ref().filter(|_| now != std::mem::replace(&mut seen, now));
                let told = news.map_or(Ok(()), |progress| progress.call1((now, all)).map(drop));
                if let Err(error) = told.and_then(|()| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some(error);
                }
            }
            match (heard, interrupted.take()) {
                (Ok(made), None) => return Ok(made),
                (Ok(_), Some(error)) => return Err(error),
                (Err(RecvTimeoutError::Timeout), kept) => interrupted = kept,
                (Err(RecvTimeoutError::Disconnected), _) => {
                    return Err(PyRuntimeError::new_err("The sweep has ended because of an internal error."));
                }
            }
        }
    })
}

#[pymethods]
impl Sweep {
    /// The link of the sweep.
    #[getter]
    fn link(&self) -> String {
        encode(&self.link)
    }

    /// The results as a table with a row for each network: the CSV file that `lab sweep` writes.
    #[getter]
    fn table(&self) -> Table {
        Table(Arc::clone(&self.columns))
    }

    /// For each run, how many networks reached the target, and when; and the fitted power laws. As `lab sweep` prints it.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// The figure as the text of an SVG file.
    #[pyo3(signature = (*, dark=false))]
    fn svg(&self, py: Python<'_>, dark: bool) -> PyResult<String> {
        if self.readings.is_empty() {
            let most = thousands(sweeps::MOST_SHOWN as u64);
            return Err(bad_link(py, vec![format!("A figure shows at most {most} runs.")]));
        }
        Ok(figures::of_readings(&self.readings, &self.link.spec, dark))
    }

    /// A column of the table as a NumPy array, or as a list of words.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Bound::new(py, self.table())?.get_item(name)
    }

    fn __len__(&self) -> usize {
        self.columns.rows()
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        super::arrow::capsule(py, Arc::clone(&self.columns))
    }

    /// What Jupyter shows: the figure.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        drop((include, exclude));
        let svg =
            (!self.readings.is_empty()).then(|| figures::of_readings(&self.readings, &self.link.spec, false));
        figures::bundle(py, svg, self.__repr__())
    }

    fn __str__(&self) -> &str {
        &self.summary
    }

    fn __repr__(&self) -> String {
        let (runs, networks) = (count(&self.link.spec) as u64, self.columns.rows() as u64);
        let (runs, networks) = (thousands(runs), thousands(networks));
        format!("<vivarium.Sweep {} {runs} runs, {networks} networks>", self.link())
    }
}
