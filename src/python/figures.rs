//! Pictures for a notebook: the charts that the page shows, and the page itself in a frame.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use vivarium_cli::{CommandError, plot};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::RunSpec;
use vivarium_page::share::teaching::{LessonForm, iframe_html};
use vivarium_page::share::titles::run_name;
use vivarium_player::Player;
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::picture::{Figure, figure_png_bytes, figure_svg};
use vivarium_view::display::charts::ChartOfRun;

/// Pixels per CSS pixel of a figure's PNG image in a notebook: about 200 per inch on the page of an exported PDF.
const PNG_SCALE: f64 = 1.5;

/// Images of one figure for a notebook.
pub struct FigureImages {
    /// The text of an SVG file, which browsers show.
    svg: String,
    /// The bytes of a PNG file for notebooks that are exported to PDF, where LaTeX reads no SVG; `None` if the figure is too
    /// large for pixels.
    png: Option<Vec<u8>>,
}

/// The charts that a run shows, as `lab plot` draws them.
///
/// # Errors
/// A sentence for each chart on show if none of them applies to the run.
fn shown_readings(player: &Player) -> Result<Vec<Reading>, CommandError> {
    let (shown, left_out) = plot::applicable_charts(player);
    match shown.is_empty() {
        true => Err(CommandError::BadLink(left_out)),
        false => Ok(shown.iter().map(|chart| chart.reading(&player.run)).collect()),
    }
}

/// Draws the charts that a run shows as one SVG image, as `lab plot` does; `dark` chooses dark colours.
///
/// # Errors
/// A sentence for each chart on show if none of them applies to the run.
pub fn run_svg(player: &Player, dark: bool) -> Result<String, CommandError> {
    Ok(readings_svg(&shown_readings(player)?, player.run.spec(), dark))
}

/// Draws the charts that a run shows as images for a notebook; `None` if none of them applies to the run.
pub fn run_images(player: &Player) -> Option<FigureImages> {
    Some(readings_images(&shown_readings(player).ok()?, player.run.spec()))
}

/// Calls `draw` with the figure of the charts in `readings`, under the link to their run `spec`.
fn with_figure<T>(readings: &[Reading], spec: &RunSpec, draw: impl FnOnce(&Figure) -> T) -> T {
    let title = encode(&Link::from_spec(spec.clone()));
    let columns = plot::figure_columns(readings.len());
    draw(&Figure { readings, title: &title, columns, chart_size: (480, 320), layout: Default::default() })
}

/// Draws the charts in `readings`, which are of the run `spec`, as one SVG image; `dark` chooses dark colours.
pub fn readings_svg(readings: &[Reading], spec: &RunSpec, dark: bool) -> String {
    let theme = if dark { Theme::dark() } else { Theme::light() };
    with_figure(readings, spec, |figure| figure_svg(figure, &theme))
}

/// Draws the charts in `readings`, which are of the run `spec`, as images for a notebook.
pub fn readings_images(readings: &[Reading], spec: &RunSpec) -> FigureImages {
    let theme = Theme::light().with_scale(PNG_SCALE);
    let png = with_figure(readings, spec, |figure| figure_png_bytes(figure, &theme).ok());
    FigureImages { svg: readings_svg(readings, spec, false), png }
}

/// The dictionary that Jupyter displays, by MIME type: the images if there are any, and `text` for terminals.
///
/// # Errors
/// When Python has no memory for it.
pub fn mime_bundle<'py>(
    py: Python<'py>,
    images: Option<FigureImages>,
    text: String,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("text/plain", text)?;
    let Some(FigureImages { svg, png }) = images else { return Ok(all) };
    all.set_item("image/svg+xml", svg)?;
    if let Some(png) = png {
        // A notebook is a text: Jupyter takes the bytes of an image in base 64.
        let encoded = py.import("base64")?.call_method1("b64encode", (PyBytes::new(py, &png),))?;
        all.set_item("image/png", encoded.call_method1("decode", ("ascii",))?)?;
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
        let html = iframe_html(&address, &run_name(&link.spec), lesson.frame_content(link));
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
