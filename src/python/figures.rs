//! Pictures for a notebook: the charts that the page shows, and the page itself in a frame.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use vivarium_cli::{CommandError, plot};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_page::share::teaching::{LessonForm, iframe_html};
use vivarium_page::share::titles::run_name;
use vivarium_player::Player;
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::picture::{Figure, figure_svg};
use vivarium_view::display::charts::ChartOfRun;

/// Draws the charts that a run shows as one SVG image, as `lab plot` does; `dark` chooses dark colours.
///
/// # Errors
/// A sentence for each chart on show if none of them applies to the run.
pub fn run_svg(player: &Player, dark: bool) -> Result<String, CommandError> {
    let (shown, left_out) = plot::applicable_charts(player);
    if shown.is_empty() {
        return Err(CommandError::BadLink(left_out));
    }
    let readings: Vec<Reading> = shown.iter().map(|chart| chart.reading(&player.run)).collect();
    Ok(readings_svg(&readings, player.run.spec(), dark))
}

/// Draws the charts in `readings`, which are of the run `spec`, as one SVG image; `dark` chooses dark colours.
pub fn readings_svg(readings: &[Reading], spec: &RunSpec, dark: bool) -> String {
    let title = encode(&Link::from_spec(spec.clone()));
    let columns = plot::figure_columns(readings.len());
    let figure =
        Figure { readings, title: &title, columns, chart_size: (480, 320), layout: Default::default() };
    figure_svg(&figure, &if dark { Theme::dark() } else { Theme::light() })
}

/// The dictionary that Jupyter displays, by MIME type: the SVG image if there is one, and `text` for terminals.
///
/// # Errors
/// When Python has no memory for it.
pub fn mime_bundle<'py>(py: Python<'py>, svg: Option<String>, text: String) -> PyResult<Bound<'py, PyDict>> {
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
    /// The web page served at `address`, opened with the run of a link.
    pub fn new(address: &str, link: &Link) -> Page {
        let mut lesson = LessonForm::from_link(link);
        lesson.set_field("embed", "on");
        let before = address.split('#').next().unwrap_or_default();
        let address = format!("{before}{}", encode(&lesson.lesson_link(link)));
        let html = iframe_html(&address, &run_name(&link.spec), link.view.show.len());
        Page { html, address }
    }
}

#[pymethods]
impl Page {
    /// Picture that Jupyter shows.
    fn _repr_html_(&self) -> &str {
        &self.html
    }

    fn __repr__(&self) -> String {
        format!("<vivarium.Page {}>", self.address)
    }
}
