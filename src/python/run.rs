//! A run in Python.

use std::sync::Arc;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::arrays::numpy_array;
use super::columns::{ColumnValues, DataColumns};
use super::errors::{Diverged, link_error, to_exception};
use super::figures::{self, Page};
use super::links::TableArguments;
use super::table::{Table, missing_column_error};
use super::trainer::{Trainer, TrainerThread};
use super::{links, readings};
use vivarium_cli::CommandError;
use vivarium_cli::disk::{SystemDisk, replace_file};
use vivarium_core::settings::format_thousands;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::{EndReason, Measurement};
use vivarium_model::tasks::MeasureNames;
use vivarium_view::display::RunPhase;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::record;

/// A run, which is trained up to the requested step. The object is its own result: what has been measured, the weights and the
/// charts are those of the step at which it stands.
///
/// Iterate over it for its measurements, in order: each is trained for when it is asked for. `finish` trains to the end.
#[pyclass(frozen, module = "vivarium")]
pub struct Run {
    /// Handle to the thread that trains the run.
    thread: Arc<TrainerThread>,
    /// The link of the run, with its settings and charts.
    link: Link,
    /// Names of the run's losses, accuracies and further measures.
    measures: MeasureNames,
}

/// Begins the run of a link, a preset or a file; nothing is trained yet. A run on tables trains on `table`.
#[pyfunction]
#[pyo3(signature = (link, *, show=None, held_out=None, table=None, label=None, **settings))]
pub fn run(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    show: Option<Vec<String>>,
    held_out: Option<usize>,
    table: Option<Bound<'_, PyAny>>,
    label: Option<String>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Run> {
    let mut link = links::read_link(py, link, &TableArguments { table, label }, settings)?;
    if !link.spec.run.sweep.is_empty() {
        return Err(link_error(
            py,
            vec!["This link describes a sweep. vivarium.sweep trains its runs.".into()],
        ));
    }
    if let Some(show) = show {
        link.view.show = find_charts(py, &show)?;
        if link.view.show.is_empty() {
            return Err(link_error(py, vec!["At least one chart must be shown.".into()]));
        }
    }
    let (cost, seconds) =
        (link.spec.estimate_cost(), vivarium_model::run::cost::estimate_seconds(&link.spec));
    if cost.needs_confirmation(seconds) {
        let sentence = format!("This run needs {}.", cost.describe_needs(seconds));
        let text = std::ffi::CString::new(sentence)?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    let post =
        TrainerThread::open(py, link.clone(), held_out)?.map_err(|trouble| to_exception(py, trouble))?;
    let measures = link.spec.measure_names();
    Ok(Run { thread: Arc::new(post), link, measures })
}

/// The chart with the name `name` in links; an error if there is none.
fn find_chart(name: &str) -> Result<Chart, CommandError> {
    Chart::from_slug(name).ok_or_else(|| CommandError::bad_link(format!("There is no chart {name}.")))
}

/// The charts with the names `names` in links, in this order; raises `LinkError` if there is no such chart.
fn find_charts(py: Python<'_>, names: &[String]) -> PyResult<Vec<Chart>> {
    let found: Result<Vec<Chart>, CommandError> = names.iter().map(|name| find_chart(name)).collect();
    found.map_err(|trouble| to_exception(py, trouble))
}

/// Raises the Python exception `Diverged` with the message `sentence`; `None` raises nothing.
fn check_divergence(sentence: Option<String>) -> PyResult<()> {
    sentence.map_or(Ok(()), |sentence| Err(Diverged::new_err(sentence)))
}

impl Run {
    /// Calls `job` with the trainer, in the run's thread, and returns its result.
    fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Trainer) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.thread.call(py, job)
    }

    /// Calls `job` like [`Run::call`] and raises its error as an exception.
    fn try_call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Trainer) -> Result<T, CommandError> + Send + 'static,
    ) -> PyResult<T> {
        self.thread.call(py, job)?.map_err(|trouble| to_exception(py, trouble))
    }

    /// All measurements of the run as a table, and the number of measurements (a measurement has a row for each
    /// replica).
    fn measurement_columns(&self, py: Python<'_>) -> PyResult<(DataColumns, usize)> {
        let measures = self.measures;
        self.call(py, move |trainer| trainer.columns(&measures))
    }

    /// Trains up to the step `until`, or to the end of the run for `None`; raises `Diverged` if the loss is not
    /// finite.
    fn train_to(&self, py: Python<'_>, until: Option<u64>) -> PyResult<()> {
        let divergence =
            self.try_call(py, move |trainer| trainer.train(until).map(|_| trainer.divergence()))?;
        check_divergence(divergence)
    }

    /// The text of `repr` for the run: link, step and ending.
    fn describe(&self, py: Python<'_>) -> PyResult<String> {
        let (step, ending) = (self.step(py)?, self.ending(py)?);
        let last = format_thousands(self.link.spec.run.steps);
        let ending = ending.map_or(String::new(), |ending| format!(", ended: {ending}"));
        Ok(format!("<vivarium.Run {} step {} of {last}{ending}>", self.link(), format_thousands(step)))
    }
}

#[pymethods]
impl Run {
    /// The link of the run, for the page and for the command line.
    #[getter]
    fn link(&self) -> String {
        encode(&self.link)
    }

    /// Every setting of the run with its value, as text of a link.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        let spec = &self.link.spec;
        for (_, setting) in spec.settings() {
            if let Some(value) = spec.value(setting.key) {
                all.set_item(setting.key, value.to_string())?;
            }
        }
        Ok(all)
    }

    /// Training steps made.
    #[getter]
    fn step(&self, py: Python<'_>) -> PyResult<u64> {
        self.call(py, |trainer| trainer.step())
    }

    /// Why the run has ended: "target", "last step" or "diverged"; None while it has not.
    #[getter]
    fn ending(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.call(py, |trainer| match trainer.player().run.phase {
            RunPhase::Finished(EndReason::Target) => Some("target"),
            RunPhase::Finished(_) => Some("last step"),
            RunPhase::Diverged { .. } => Some("diverged"),
            _ => None,
        })
    }

    /// For each network, the step at which it reached the target; None where it has not.
    #[getter]
    fn solved(&self, py: Python<'_>) -> PyResult<Vec<Option<u64>>> {
        let replicas = self.link.spec.run.replicas;
        self.call(py, move |trainer| {
            let mut all = vec![None; replicas];
            for (replica, step) in &trainer.player().run.solved {
                if let Some(place) = all.get_mut(*replica) {
                    *place = Some(*step);
                }
            }
            all
        })
    }

    /// The input coordinates that the label depends on, counted from 0.
    #[getter]
    fn relevant(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        self.call(py, |trainer| trainer.player().run.relevant.clone())
    }

    /// The device and the program that train.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<(String, String)> {
        self.call(py, |trainer| trainer.device_and_learner())
    }

    /// The measurements from the first one on. Those that are not there yet are trained for.
    fn __iter__(&self) -> Rows {
        let next = std::sync::atomic::AtomicUsize::new(0);
        Rows { thread: Arc::clone(&self.thread), measures: self.measures, next }
    }

    /// Trains up to a step, where the run then waits. A run that has ended stays as it is.
    #[pyo3(signature = (until))]
    fn train<'py>(slf: Bound<'py, Self>, until: u64) -> PyResult<Bound<'py, Self>> {
        slf.get().train_to(slf.py(), Some(until))?;
        Ok(slf)
    }

    /// Trains to the end.
    fn finish<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().train_to(slf.py(), None)?;
        Ok(slf)
    }

    /// All measurements: `step`, and for each measure an array `[measurements, replicas]`.
    #[getter]
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (columns, count) = self.measurement_columns(py)?;
        let all = PyDict::new(py);
        for column in columns.columns() {
            if let Some(values) = measure_array(py, &columns, &column.name, count)? {
                all.set_item(&column.name, values)?;
            }
        }
        Ok(all)
    }

    /// One of the measures as an array `[measurements, replicas]`, or the steps.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (columns, count) = self.measurement_columns(py)?;
        let names: Vec<&str> = columns.columns().iter().map(|column| column.name.as_str()).collect();
        measure_array(py, &columns, name, count)?.ok_or_else(|| missing_column_error(name, &names))
    }

    /// All measurements as a table with a row for each measurement and network, as the command line's CSV.
    #[getter]
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table(Arc::new(self.measurement_columns(py)?.0)))
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        super::arrow::stream_capsule(py, Arc::new(self.measurement_columns(py)?.0))
    }

    /// The weights of all networks at this step, by their names: arrays `[replicas, rows, columns]`.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let checkpoint = self.try_call(py, Trainer::checkpoint)?;
        let all = PyDict::new(py);
        for (parameter, values) in checkpoint.spec.parameters().iter().zip(&checkpoint.weights.parameters) {
            all.set_item(&parameter.name, numpy_array(py, values, &parameter.shape)?)?;
        }
        Ok(all)
    }

    /// Writes the weights into a safetensors file, which the page and `lab run --resume` open.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let bytes = self.try_call(py, Trainer::checkpoint_bytes)?;
        replace_file(&SystemDisk, &path, &bytes).map_err(|error| to_exception(py, CommandError::Other(error)))
    }

    /// The charts of this run: their names in links, with their titles.
    #[getter]
    fn charts(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, String)>> {
        self.call(py, |trainer| {
            let run = &trainer.player().run;
            let all = Chart::ALL.iter().filter(|chart| chart.applies(run).is_ok());
            all.map(|chart| (chart.slug(), chart.title(run))).collect()
        })
    }

    /// Numbers of a chart at this step: the page's probes, as arrays.
    fn reading<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let chart = find_chart(name).map_err(|trouble| to_exception(py, trouble))?;
        let reading =
            self.try_call(py, move |trainer| trainer.with_chart(chart, |state| chart.reading(&state.run)))?;
        readings::reading_to_dict(py, &reading)
    }

    /// The charts as the text of an SVG file: those on show, or these.
    #[pyo3(signature = (show=None, *, dark=false))]
    fn svg(&self, py: Python<'_>, show: Option<Vec<String>>, dark: bool) -> PyResult<String> {
        let Some(show) = show else {
            return self.try_call(py, move |trainer| figures::run_svg(trainer.player(), dark));
        };
        let charts = find_charts(py, &show)?;
        self.try_call(py, move |trainer| {
            let reading = |chart: &Chart| {
                let chart = *chart;
                trainer.with_chart(chart, |state| chart.reading(&state.run))
            };
            let readings: Vec<_> = charts.iter().map(reading).collect::<Result<_, _>>()?;
            Ok(figures::readings_svg(&readings, trainer.player().run.spec(), dark))
        })
    }

    /// The live page with this run in a frame; `address` is where the page is served.
    fn page(&self, address: &str) -> Page {
        Page::new(address, &self.link)
    }

    /// Charts that Jupyter shows of the steps trained so far.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Jupyter leaves out what it does not want.
        drop((include, exclude));
        let images = self.call(py, |trainer| figures::run_images(trainer.player()))?;
        figures::mime_bundle(py, images, self.describe(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.describe(py)
    }
}

/// The column `name` of `columns`, the table of a run with `measurement_count` measurements, as an array
/// `[measurements, replicas]`; the column `step` as an array `[measurements]`.
///
/// `None` if there is no such measure.
fn measure_array<'py>(
    py: Python<'py>,
    columns: &DataColumns,
    name: &str,
    measurement_count: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let replicas = columns.row_count() / measurement_count.max(1);
    match columns.find(name).map(|column| &column.values) {
        Some(ColumnValues::F32(values)) => Ok(Some(numpy_array(py, values, &[measurement_count, replicas])?)),
        Some(ColumnValues::U64(values)) if name == "step" => {
            let steps: Vec<u64> = values.iter().step_by(replicas.max(1)).copied().collect();
            Ok(Some(numpy_array(py, &steps, &[measurement_count])?))
        }
        _ => Ok(None),
    }
}

/// The measurements of a run, one after the other.
#[pyclass(frozen, module = "vivarium")]
pub struct Rows {
    /// Handle to the thread that trains the run whose measurements are iterated over.
    thread: Arc<TrainerThread>,
    /// Names of the run's losses, accuracies and further measures.
    measures: MeasureNames,
    /// Index of the next measurement.
    next: std::sync::atomic::AtomicUsize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next measurement: its step, and for each measure an array with a number for each network.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        use std::sync::atomic::Ordering::Relaxed;
        let number = self.next.load(Relaxed);
        let answer = self
            .thread
            .call(py, move |trainer| trainer.measurement(number).map(|row| (row, trainer.divergence())))?;
        let (row, said) = answer.map_err(|trouble| to_exception(py, trouble))?;
        match row {
            Some(row) => {
                self.next.store(number + 1, Relaxed);
                row_to_dict(py, &self.measures, &row).map(Some)
            }
            None => check_divergence(said).map(|()| None),
        }
    }
}

/// Converts one measurement to a Python dictionary: the step, and for each measure an array `[replicas]`.
fn row_to_dict<'py>(
    py: Python<'py>,
    measures: &MeasureNames,
    row: &Measurement,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("step", row.step)?;
    for column in record::list_columns(measures, std::iter::once(row)) {
        let values = column.values(row).to_vec();
        all.set_item(&column.key, numpy_array(py, &values, &[values.len()])?)?;
    }
    Ok(all)
}
