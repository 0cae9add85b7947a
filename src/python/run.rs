//! A run in Python.

use std::sync::Arc;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::arrays::array;
use super::columns::{Columns, Values};
use super::errors::{Diverged, bad_link, exception};
use super::figures::{self, Page};
use super::table::{Table, missing};
use super::trainer::{Post, Trainer};
use super::{links, readings};
use vivarium_cli::Trouble;
use vivarium_cli::disk::{Native, replace};
use vivarium_core::settings::thousands;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::{Ending, Row};
use vivarium_model::tasks::Measures;
use vivarium_view::display::Phase;
use vivarium_view::record;

/// A run, which is trained as far as somebody asks. It is its own result: what has been measured, the weights and the
/// charts are those of the step at which it stands.
///
/// Iterate over it for its measurements, in order: each is trained for when it is asked for. `finish` trains to the end.
#[pyclass(frozen, module = "vivarium")]
pub struct Run {
    post: Arc<Post>,
    link: Link,
    measures: Measures,
}

/// Begins the run of a link, a preset or a file; nothing is trained yet.
#[pyfunction]
#[pyo3(signature = (link, *, show=None, held_out=None, **settings))]
pub fn run(
    py: Python<'_>,
    link: &Bound<'_, PyAny>,
    show: Option<Vec<String>>,
    held_out: Option<usize>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Run> {
    let mut link = links::read(py, link, settings)?;
    if !link.spec.run.sweep.is_empty() {
        return Err(bad_link(
            py,
            vec!["This link describes a sweep. vivarium.sweep trains its runs.".into()],
        ));
    }
    if let Some(show) = show {
        link.view.show = charts(py, &show)?;
        if link.view.show.is_empty() {
            return Err(bad_link(py, vec!["At least one chart must be shown.".into()]));
        }
    }
    let (cost, seconds) = (link.spec.cost(), vivarium_model::run::cost::seconds(&link.spec));
    if cost.is_dear(seconds) {
        let sentence = format!("This run needs {}.", cost.needs(seconds));
        let text = std::ffi::CString::new(sentence)?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    let post = Post::open(py, link.clone(), held_out)?.map_err(|trouble| exception(py, trouble))?;
    let measures = link.spec.measures();
    Ok(Run { post: Arc::new(post), link, measures })
}

/// The chart of that name in links.
fn chart(name: &str) -> Result<Chart, Trouble> {
    Chart::find(name).ok_or_else(|| Trouble::bad(format!("There is no chart {name}.")))
}

/// The charts of these names.
fn charts(py: Python<'_>, names: &[String]) -> PyResult<Vec<Chart>> {
    let found: Result<Vec<Chart>, Trouble> = names.iter().map(|name| chart(name)).collect();
    found.map_err(|trouble| exception(py, trouble))
}

/// What is said where the loss is no longer finite.
fn diverged(sentence: Option<String>) -> PyResult<()> {
    sentence.map_or(Ok(()), |sentence| Err(Diverged::new_err(sentence)))
}

impl Run {
    /// What `order` says, in the run's thread.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        order: impl FnOnce(&mut Trainer) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.post.ask(py, order)
    }

    /// The same where it can fail.
    fn try_ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        order: impl FnOnce(&mut Trainer) -> Result<T, Trouble> + Send + 'static,
    ) -> PyResult<T> {
        self.post.ask(py, order)?.map_err(|trouble| exception(py, trouble))
    }

    fn columns(&self, py: Python<'_>) -> PyResult<(Columns, usize)> {
        let measures = self.measures;
        self.ask(py, move |trainer| trainer.columns(&measures))
    }

    fn train_to(&self, py: Python<'_>, until: Option<u64>) -> PyResult<()> {
        let said = self.try_ask(py, move |trainer| trainer.train(until).map(|_| trainer.diverged()))?;
        diverged(said)
    }

    fn said(&self, py: Python<'_>) -> PyResult<String> {
        let (step, ending) = (self.step(py)?, self.ending(py)?);
        let last = thousands(self.link.spec.run.steps);
        let ending = ending.map_or(String::new(), |ending| format!(", ended: {ending}"));
        Ok(format!("<vivarium.Run {} step {} of {last}{ending}>", self.link(), thousands(step)))
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
        for (_, knob) in spec.knobs() {
            if let Some(value) = spec.value(knob.key) {
                all.set_item(knob.key, value.to_string())?;
            }
        }
        Ok(all)
    }

    /// Training steps made.
    #[getter]
    fn step(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |trainer| trainer.step())
    }

    /// Why the run has ended: "target", "last step" or "diverged"; None while it has not.
    #[getter]
    fn ending(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.ask(py, |trainer| match trainer.state().run.phase {
            Phase::Finished(Ending::Target) => Some("target"),
            Phase::Finished(_) => Some("last step"),
            Phase::Diverged { .. } => Some("diverged"),
            _ => None,
        })
    }

    /// For each network, the step at which it reached the target; None where it has not.
    #[getter]
    fn solved(&self, py: Python<'_>) -> PyResult<Vec<Option<u64>>> {
        let replicas = self.link.spec.run.replicas;
        self.ask(py, move |trainer| {
            let mut all = vec![None; replicas];
            for (replica, step) in &trainer.state().run.solved {
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
        self.ask(py, |trainer| trainer.state().run.relevant.clone())
    }

    /// The device and the program that train.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<(String, String)> {
        self.ask(py, |trainer| trainer.place())
    }

    /// The measurements from the first one on. Those that are not there yet are trained for.
    fn __iter__(&self) -> Rows {
        let next = std::sync::atomic::AtomicUsize::new(0);
        Rows { post: Arc::clone(&self.post), measures: self.measures, next }
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
        let (columns, count) = self.columns(py)?;
        let all = PyDict::new(py);
        for column in columns.all() {
            if let Some(values) = shaped(py, &columns, &column.name, count)? {
                all.set_item(&column.name, values)?;
            }
        }
        Ok(all)
    }

    /// One of the measures as an array `[measurements, replicas]`, or the steps.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (columns, count) = self.columns(py)?;
        let names: Vec<&str> = columns.all().iter().map(|column| column.name.as_str()).collect();
        shaped(py, &columns, name, count)?.ok_or_else(|| missing(name, &names))
    }

    /// All measurements as a table with a row for each measurement and network, as the command line's CSV.
    #[getter]
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table(Arc::new(self.columns(py)?.0)))
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        super::arrow::capsule(py, Arc::new(self.columns(py)?.0))
    }

    /// The weights of all networks at this step, by their names: arrays `[replicas, rows, columns]`.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let checkpoint = self.try_ask(py, Trainer::checkpoint)?;
        let all = PyDict::new(py);
        for (parameter, values) in checkpoint.spec.parameters().iter().zip(&checkpoint.weights.parameters) {
            all.set_item(&parameter.name, array(py, values, &parameter.shape)?)?;
        }
        Ok(all)
    }

    /// Writes the weights into a safetensors file, which the page and `lab run --resume` open.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let bytes = self.try_ask(py, Trainer::file)?;
        replace(&Native, &path, &bytes).map_err(|error| exception(py, Trouble::Other(error)))
    }

    /// The charts of this run: their names in links, with their titles.
    #[getter]
    fn charts(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, String)>> {
        self.ask(py, |trainer| {
            let run = &trainer.state().run;
            let all = Chart::ALL.iter().filter(|chart| chart.applies(run).is_ok());
            all.map(|chart| (chart.slug(), chart.title(run))).collect()
        })
    }

    /// What a chart shows at this step, as numbers: the page's probes, as arrays.
    fn reading<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let chart = chart(name).map_err(|trouble| exception(py, trouble))?;
        let reading =
            self.try_ask(py, move |trainer| trainer.with_chart(chart, |state| chart.reading(&state.run)))?;
        readings::dictionary(py, &reading)
    }

    /// The charts as the text of an SVG file: those on show, or these.
    #[pyo3(signature = (show=None, *, dark=false))]
    fn svg(&self, py: Python<'_>, show: Option<Vec<String>>, dark: bool) -> PyResult<String> {
        let Some(show) = show else {
            return self.try_ask(py, move |trainer| figures::of_run(trainer.state(), dark));
        };
        let charts = charts(py, &show)?;
        self.try_ask(py, move |trainer| {
            let reading = |chart: &Chart| {
                let chart = *chart;
                trainer.with_chart(chart, |state| chart.reading(&state.run))
            };
            let readings: Vec<_> = charts.iter().map(reading).collect::<Result<_, _>>()?;
            Ok(figures::of_readings(&readings, trainer.state().run.spec(), dark))
        })
    }

    /// The live page with this run in a frame; `address` is where the page is served.
    fn page(&self, address: &str) -> Page {
        Page::new(address, &self.link)
    }

    /// What Jupyter shows: the charts of what has been trained.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Jupyter leaves out what it does not want.
        drop((include, exclude));
        let svg = self.ask(py, |trainer| figures::of_run(trainer.state(), false).ok())?;
        figures::bundle(py, svg, self.said(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.said(py)
    }
}

/// A column of measurements as an array `[measurements, replicas]`, or the step of each measurement; none for the numbers
/// of the replicas and where there is no such column.
fn shaped<'py>(
    py: Python<'py>,
    columns: &Columns,
    name: &str,
    count: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let replicas = columns.rows() / count.max(1);
    match columns.find(name).map(|column| &column.values) {
        Some(Values::F32(values)) => Ok(Some(array(py, values, &[count, replicas])?)),
        Some(Values::U64(values)) if name == "step" => {
            let steps: Vec<u64> = values.iter().step_by(replicas.max(1)).copied().collect();
            Ok(Some(array(py, &steps, &[count])?))
        }
        _ => Ok(None),
    }
}

/// The measurements of a run, one after the other.
#[pyclass(frozen, module = "vivarium")]
pub struct Rows {
    post: Arc<Post>,
    measures: Measures,
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
        let told =
            self.post.ask(py, move |trainer| trainer.row(number).map(|row| (row, trainer.diverged())))?;
        let (row, said) = told.map_err(|trouble| exception(py, trouble))?;
        match row {
            Some(row) => {
                self.next.store(number + 1, Relaxed);
                dictionary(py, &self.measures, &row).map(Some)
            }
            None => diverged(said).map(|()| None),
        }
    }
}

fn dictionary<'py>(py: Python<'py>, measures: &Measures, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("step", row.step)?;
    for column in record::columns(measures, std::iter::once(row)) {
        let values = column.of(row).to_vec();
        all.set_item(&column.key, array(py, &values, &[values.len()])?)?;
    }
    Ok(all)
}
