//! Sweeps in Python.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::columns::DataColumns;
use super::errors::{link_error, to_exception};
use super::figures;
use super::links::{self, TableArguments};
use super::table::Table;
use super::trainer::receive;
use vivarium_cli::disk::SystemDisk;
use vivarium_cli::journal::{Journal, Shard, SweepIndex};
use vivarium_cli::print::NameVersion;
use vivarium_cli::{CommandError, pool, sweeps};
use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::count_runs_usize;
use vivarium_plot::analysis::Reading;
use vivarium_training::session::Options;

/// A sweep whose runs have all ended: when each network reached the target.
#[pyclass(frozen, module = "vivarium", mapping)]
pub struct Sweep {
    /// The link of the sweep.
    link: Link,
    /// The results as a table, one row per network: settings of its run, steps, losses and accuracies.
    columns: Arc<DataColumns>,
    /// The charts of the figure of the sweep: success rates and times to the target; empty if there are too
    /// many runs for a figure.
    readings: Vec<Reading>,
    /// Text that `lab sweep` prints: success rates and median times of each run, and fitted power laws.
    summary: String,
}

/// Trains all runs of a sweep, on all cores, and returns when they have ended.
#[pyfunction]
#[pyo3(signature = (link, *, output=None, threads=None, progress=None, table=None, label=None, **settings))]
#[expect(clippy::too_many_arguments, reason = "Python has keyword arguments")]
pub fn sweep(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    output: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
    table: Option<Bound<'_, PyAny>>,
    label: Option<String>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Sweep> {
    let link = links::read_link(py, link, &TableArguments { table, label }, settings)?;
    if link.spec.run.sweep.is_empty() {
        let sentence = "This link describes a single run, which vivarium.run trains. The link of a sweep lists values \
                        of a setting, for example sweep=n:10_20_40.";
        return Err(link_error(py, vec![sentence.into()]));
    }
    let path = output.clone().unwrap_or_else(temporary_path);
    let threads = threads.unwrap_or_else(vivarium_model::platform::core_count).max(1);
    let made = run_with_progress(py, progress, count_runs_usize(&link.spec), |stop, done| {
        let made = train_missing_runs(&link.spec, &path, threads, stop, done);
        if output.is_none() {
            // It is not there if the sweep could not begin.
            let _ = std::fs::remove_file(&path);
        }
        made
    })?;
    let (columns, readings, summary) = made.map_err(|trouble| to_exception(py, trouble))?;
    Ok(Sweep { link, columns: Arc::new(columns), readings, summary })
}

/// Path of a temporary file for a sweep without an output file.
fn temporary_path() -> PathBuf {
    /// Number of paths of temporary files that this process has made so far.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(format!("vivarium-sweep-{process}-{number}.csv"))
}

/// The results of a sweep: the table with a row per network, the charts of the figure, and the summary that
/// `lab sweep` prints.
type SweepOutcome = (DataColumns, Vec<Reading>, String);

/// Trains the runs of a sweep whose results the file at `path` lacks, and appends their results to it.
///
/// `done` counts the finished runs; `stop` ends the sweep early.
fn train_missing_runs(
    spec: &RunSpec,
    path: &Path,
    threads: usize,
    stop: &AtomicBool,
    done: &AtomicUsize,
) -> Result<SweepOutcome, CommandError> {
    /// Exit code of a program that Ctrl-C has ended, by the convention of shells.
    const INTERRUPT_EXIT_CODE: u8 = 130;
    let mut journal = Journal::open(&SystemDisk, path, spec, Shard::WHOLE, NameVersion::New)?;
    let pending = journal.index.missing_runs();
    done.store(journal.index.run_count(), Ordering::Relaxed);
    let options = Options { stop_solved: true, ..Options::default() };
    let asked = || stop.load(Ordering::Relaxed).then_some(INTERRUPT_EXIT_CODE);
    pool::train_runs(spec, &pending, threads, options, &asked, |number, cell, outcome| {
        let lines = journal.format_lines(number, cell, outcome);
        journal.add_run(number, &lines)?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })?;
    let found = journal.finish()?;
    let text = std::fs::read_to_string(path).map_err(anyhow::Error::from)?;
    let columns = DataColumns::parse_csv(&text).map_err(anyhow::Error::from)?;
    let (readings, summary) = figure_and_summary(spec, &found)?;
    Ok((columns, readings, summary))
}

/// The charts of the figure of a sweep, and the summary that `lab sweep` prints; both empty if the sweep has too many
/// runs for a figure.
fn figure_and_summary(spec: &RunSpec, found: &SweepIndex) -> Result<(Vec<Reading>, String), CommandError> {
    if count_runs_usize(spec) > sweeps::MAX_FIGURE_RUNS {
        return Ok((vec![], String::new()));
    }
    Ok((sweeps::build_figure(found)?.0, sweeps::format_sweep(found)?))
}

/// Runs `work` in another thread without Python's lock. Meanwhile calls `progress` with the numbers of finished runs
/// and of all runs (`run_count`), and checks for Ctrl-C. `work` gets a flag that is set to stop it, and the counter
/// of finished runs.
fn run_with_progress<T: Send>(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    run_count: usize,
    work: impl FnOnce(&AtomicBool, &AtomicUsize) -> T + Send,
) -> PyResult<T> {
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (told, mut hears) = channel();
        let (stop, done) = (&stop, &done);
        scope.spawn(move || drop(told.send(work(stop, done))));
        let (mut seen, mut interrupted) = (usize::MAX, None);
        loop {
            let (back, heard) = receive(py, hears);
            hears = back;
            if interrupted.is_none() {
                let now = done.load(Ordering::Relaxed);
                let news = progress.as_ref().filter(|_| now != std::mem::replace(&mut seen, now));
                let told = news.map_or(Ok(()), |progress| progress.call1((now, run_count)).map(drop));
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
            let most = format_thousands(sweeps::MAX_FIGURE_RUNS as u64);
            return Err(link_error(py, vec![format!("A figure shows at most {most} runs.")]));
        }
        Ok(figures::readings_svg(&self.readings, &self.link.spec, dark))
    }

    /// A column of the table as a NumPy array, or as a list of words.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Bound::new(py, self.table())?.get_item(name)
    }

    fn __len__(&self) -> usize {
        self.columns.row_count()
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        super::arrow::stream_capsule(py, Arc::clone(&self.columns))
    }

    /// Figure that Jupyter shows.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        drop((include, exclude));
        let images =
            (!self.readings.is_empty()).then(|| figures::readings_images(&self.readings, &self.link.spec));
        figures::mime_bundle(py, images, self.__repr__())
    }

    fn __str__(&self) -> &str {
        &self.summary
    }

    fn __repr__(&self) -> String {
        let (runs, networks) = (count_runs_usize(&self.link.spec) as u64, self.columns.row_count() as u64);
        let (runs, networks) = (format_thousands(runs), format_thousands(networks));
        format!("<vivarium.Sweep {} {runs} runs, {networks} networks>", self.link())
    }
}
