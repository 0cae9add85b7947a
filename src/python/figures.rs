//! Pictures for a notebook: the charts that the page shows, and the page itself in a frame.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use vivarium_cli::{Trouble, plot};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_page::share::teaching::{LessonEdit, frame};
use vivarium_page::share::titles::run_name;
use vivarium_page::state::State;
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::picture::{Figure, figure_svg};

/// What is on show in a run, as the text of an SVG file: what `lab plot` draws.
///
/// # Errors
/// A sentence for each chart, where none of them applies.
pub fn of_run(state: &State, dark: bool) -> Result<String, Trouble> {
    let (shown, left_out) = plot::charts(state);
    if shown.is_empty() {
        return Err(Trouble::BadLink(left_out));
    }
    let readings: Vec<Reading> = shown.iter().map(|chart| chart.reading(&state.run)).collect();
    Ok(of_readings(&readings, state.run.spec(), dark))
}

/// These readings of a run as the text of an SVG file.
pub fn of_readings(readings: &[Reading], spec: &RunSpec, dark: bool) -> String {
    let title = encode(&Link::of(spec.clone()));
    let columns = plot::columns(readings.len());
    let figure = Figure { readings, title: &title, columns, panel: (480, 320), form: Default::default() };
    figure_svg(&figure, &if dark { Theme::dark() } else { Theme::light() })
}

/// What Jupyter shows: the picture, and a line of text where there are no pictures.
///
/// # Errors
/// When Python has no memory for it.
pub fn bundle<'py>(py: Python<'py>, svg: Option<String>, text: String) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("text/plain", text)?;
    if let Some(svg) = svg {
        all.set_item("image/svg+xml", svg)?;
    }
    Ok(all)
}

/// The live page with one run, as HTML for a notebook or for another page.
#[pyclass(frozen, module = "vivarium")]
pub struct Page {
    /// The HTML: a frame.
    #[pyo3(get)]
    html: String,
    /// The address that the frame shows.
    #[pyo3(get)]
    address: String,
}

impl Page {
    /// The page at `address` with the run of a link.
    pub fn new(address: &str, link: &Link) -> Page {
        let mut wish = LessonEdit::of(link);
        wish.take("embed", "on");
        let before = address.split('#').next().unwrap_or_default();
        let address = format!("{before}{}", encode(&wish.link(link)));
        let html = frame(&address, &run_name(&link.spec), link.view.show.len());
        Page { html, address }
    }
}

#[pymethods]
impl Page {
    /// What Jupyter shows.
    fn _repr_html_(&self) -> &str {
        &self.html
    }

    fn __repr__(&self) -> String {
        format!("<vivarium.Page {}>", self.address)
    }
}
