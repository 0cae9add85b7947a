//! Appearance of figures: size, font, colours and file format.

use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::CommandError;
use super::disk::{SystemDisk, replace_file};
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::pdf::figure_pdf;
use vivarium_plot::charts::picture::{Figure, FigureLayout, LengthUnit, PictureSize, figure_png, figure_svg};

/// Smallest and largest width or height of a figure that `--size` accepts, in inches.
const SIDE_LIMITS_INCHES: (f64, f64) = (0.5, 60.0);
/// Smallest and largest font size that `--font-size` accepts, in points.
const FONT_LIMITS_POINTS: (f64, f64) = (3.0, 72.0);
/// Typographic points per inch.
const POINTS_PER_INCH: f64 = 72.0;
/// CSS pixels per inch.
const PIXELS_PER_INCH: f64 = 96.0;
/// A figure has fewer charts per row if they would be narrower than this, in CSS pixels at the default font
/// size.
const MIN_CHART_WIDTH: f64 = 220.0;

/// Command-line options for size, font and colours of a figure.
#[derive(Debug, Clone, Args)]
pub struct FigureStyle {
    /// Size of the whole figure, for example 3.3x2.4in, 8x6cm or 640x480px. Without this option, the figure is as large as its charts.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_paper_size)]
    size: Option<PictureSize>,
    /// Size of the names of axes and curves, for example 8pt. Numbers on axes are a twelfth smaller, titles a twelfth larger; margins and lines follow.
    #[arg(long, value_name = "SIZE", value_parser = parse_font_size)]
    font_size: Option<FontSize>,
    /// No titles, neither the link above the figure nor the names of charts. Heat maps keep their names, because nothing else says what their colours show.
    #[arg(long)]
    no_title: bool,
    /// Colours of curves: those of the page, or dark colours with dashes and marks that remain distinct in black and white.
    #[arg(long, value_enum, default_value = "page")]
    colours: ColourScheme,
    /// Dark background.
    #[arg(long)]
    dark: bool,
}

/// Colour scheme of the curves of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColourScheme {
    /// The colours of the page.
    Page,
    /// For paper (the blue and the red of Paul Tol's scheme "high contrast", with black): curves also differ by dashes and marks.
    Print,
}

/// Font size of the names of axes and curves in a figure, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FontSize(f64);

/// Parses the size of a figure, such as "3.3x2.4in".
fn parse_paper_size(text: &str) -> Result<PictureSize, String> {
    let wrong = || {
        format!(
            "{text} is not a size: expected a width, an x, a height and a unit (in, cm or px), for example 3.3x2.4in"
        )
    };
    let units = [LengthUnit::Inch, LengthUnit::Centimetre, LengthUnit::Pixel];
    let (numbers, unit) = units
        .into_iter()
        .find_map(|unit| Some((text.strip_suffix(unit.css_name())?, unit)))
        .ok_or_else(wrong)?;
    let sides = numbers.split_once(['x', '×']);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|side| side.is_finite());
    let (width, height) =
        sides.and_then(|(width, height)| Some((number(width)?, number(height)?))).ok_or_else(wrong)?;
    let paper = PictureSize { width, height, unit };
    let (low, high) = SIDE_LIMITS_INCHES;
    let fits = |side: f64| (low..=high).contains(&side);
    match fits(paper.in_inches().0) && fits(paper.in_inches().1) {
        true => Ok(paper),
        false => Err(format!("{text}: each side of a figure can be {low} to {high} inches long")),
    }
}

/// Parses a font size, such as "8pt".
fn parse_font_size(text: &str) -> Result<FontSize, String> {
    let points = |(end, each): (&str, f64)| Some(each * text.strip_suffix(end)?.trim().parse::<f64>().ok()?);
    let size = [("pt", 1.0), ("px", POINTS_PER_INCH / PIXELS_PER_INCH)].into_iter().find_map(points);
    let size = size.ok_or_else(|| {
        format!(
            "{text} is not a size of letters: expected a number with its unit (pt or px), for example 8pt"
        )
    })?;
    let (low, high) = FONT_LIMITS_POINTS;
    match (low..=high).contains(&size) {
        true => Ok(FontSize(size)),
        false => Err(format!("{text}: letters can be {low} to {high} points high")),
    }
}

/// File format of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFormat {
    /// SVG.
    Svg,
    /// PNG.
    Png,
    /// PDF.
    Pdf,
}

impl FigureFormat {
    /// The format that the extension of a file name stands for.
    ///
    /// # Errors
    /// An unknown extension.
    pub fn from_path(path: &Path) -> Result<FigureFormat, CommandError> {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
        match end.as_str() {
            "svg" => Ok(FigureFormat::Svg),
            "png" => Ok(FigureFormat::Png),
            "pdf" => Ok(FigureFormat::Pdf),
            _ => Err(CommandError::bad_link(format!("{} should end in .svg, .png or .pdf", path.display()))),
        }
    }
}

impl Default for FigureStyle {
    /// The style of a figure without command-line options.
    fn default() -> Self {
        FigureStyle { size: None, font_size: None, no_title: false, colours: ColourScheme::Page, dark: false }
    }
}

impl FigureStyle {
    /// Checks that the options can be combined.
    ///
    /// # Errors
    /// A sentence about two options that exclude each other.
    pub fn check(&self) -> Result<(), CommandError> {
        match self.dark && self.colours == ColourScheme::Print {
            true => Err(CommandError::bad_link(
                "--dark is for screens and --colours print for paper: use one of them",
            )),
            false => Ok(()),
        }
    }

    /// Font size of the figure, divided by that of the page; 1 without `--font-size`.
    fn zoom(&self) -> f64 {
        self.font_size.map_or(1.0, |FontSize(points)| {
            points * PIXELS_PER_INCH / POINTS_PER_INCH / Theme::light().label_px
        })
    }

    /// Colours of the figure, as a theme of the page.
    fn theme(&self) -> Theme {
        match self.colours {
            _ if self.dark => Theme::dark(),
            ColourScheme::Page => Theme::light(),
            ColourScheme::Print => Theme::print(),
        }
    }

    /// Number of charts per row: `max_columns`, or fewer if the charts would be narrower than
    /// [`MIN_CHART_WIDTH`].
    fn fit_columns(&self, max_columns: usize) -> usize {
        let Some(paper) = &self.size else { return max_columns };
        let room = PIXELS_PER_INCH * paper.in_inches().0 / self.zoom();
        max_columns.min((room / MIN_CHART_WIDTH) as usize).max(1)
    }

    /// Draws charts into the file at `path` under the title `title`, at most `columns` charts in a row, each
    /// of `panel` pixels (width, height).
    ///
    /// # Errors
    /// When the file cannot be written, or the picture would be too large.
    pub fn draw(
        &self,
        path: &Path,
        mut readings: Vec<Reading>,
        title: &str,
        columns: usize,
        panel: (u32, u32),
    ) -> Result<(), CommandError> {
        let kind = FigureFormat::from_path(path)?;
        let named: Vec<String> = readings.iter().map(|reading| reading.title().to_string()).collect();
        let name = if self.no_title { named.join(", ") } else { title.to_string() };
        if self.no_title {
            readings = readings.into_iter().map(remove_title).collect();
        }
        let form = FigureLayout { size: self.size, zoom: self.zoom(), name: &name };
        let title = if self.no_title { "" } else { title };
        let figure = Figure {
            readings: &readings,
            title,
            columns: self.fit_columns(columns),
            chart_size: panel,
            layout: form,
        };
        let theme = self.theme();
        let cannot = || format!("cannot write {}", path.display());
        match kind {
            FigureFormat::Svg => replace_file(&SystemDisk, path, figure_svg(&figure, &theme).as_bytes())?,
            FigureFormat::Pdf => {
                replace_file(&SystemDisk, path, &figure_pdf(&figure, &theme).with_context(cannot)?)?
            }
            // Print has a finer resolution than a screen.
            FigureFormat::Png => {
                let scale = if self.size.is_some() { 300.0 / PIXELS_PER_INCH } else { 2.0 };
                figure_png(&figure, &theme.with_scale(scale), path).with_context(cannot)?;
            }
        }
        Ok(())
    }
}

/// Removes the title of a chart: the title becomes the label of the vertical axis if that has none. Heat maps
/// keep their titles.
fn remove_title(reading: Reading) -> Reading {
    match reading {
        Reading::Lines(mut lines) => {
            if lines.y_label.is_empty() {
                lines.y_label = std::mem::take(&mut lines.title);
            }
            lines.title.clear();
            Reading::Lines(lines)
        }
        Reading::Bars(mut bars) => {
            if bars.y_label.is_empty() {
                bars.y_label = std::mem::take(&mut bars.title);
            }
            bars.title.clear();
            Reading::Bars(bars)
        }
        grid @ Reading::Grid(_) => grid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_plot::analysis::{Heatmap, LineChart, Series};

    #[test]
    fn sizes_are_read_with_their_units() {
        let of = |width, height, unit| Ok(PictureSize { width, height, unit });
        assert_eq!(parse_paper_size("3.3x2.4in"), of(3.3, 2.4, LengthUnit::Inch));
        assert_eq!(parse_paper_size("8 x 6cm"), of(8.0, 6.0, LengthUnit::Centimetre));
        assert_eq!(parse_paper_size("640×480px"), of(640.0, 480.0, LengthUnit::Pixel));
        for bad in ["3", "3x4", "3in", "x4in", "axbin", "3x4mm", "NaNx4in", "3x4x5in", ""] {
            assert!(parse_paper_size(bad).unwrap_err().contains("for example 3.3x2.4in"), "{bad}");
        }
        for large in ["0.1x4in", "3x61in", "-3x4in", "10x10px"] {
            assert!(parse_paper_size(large).unwrap_err().contains("0.5 to 60 inches"), "{large}");
        }
        assert_eq!(
            (parse_font_size("8pt"), parse_font_size("16px")),
            (Ok(FontSize(8.0)), Ok(FontSize(12.0)))
        );
        assert!(parse_font_size("8").unwrap_err().contains("for example 8pt"));
        assert!(parse_font_size("1pt").unwrap_err().contains("3 to 72 points"));
    }

    fn svg(name: &str, look: &FigureStyle, readings: Vec<Reading>) -> String {
        let path = std::env::temp_dir().join(format!("vivarium-look-{name}-{}.svg", std::process::id()));
        look.draw(&path, readings, "#v1/sparse-parity", 2, (480, 320)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        text
    }

    fn curve() -> Reading {
        let of = |name: &str| Series {
            name: name.into(),
            x: vec![0.0, 1.0, 2.0],
            y: vec![0.0, 1.0, 0.5],
            ..Default::default()
        };
        Reading::Lines(LineChart {
            title: "Loss".into(),
            x_label: "step".into(),
            y_label: "loss".into(),
            series: vec![of("one"), of("two")],
            ..Default::default()
        })
    }

    fn map() -> Reading {
        Reading::Grid(Heatmap {
            title: "Seeds".into(),
            rows: 1,
            columns: 1,
            values: vec![1.0],
            ..Default::default()
        })
    }

    #[test]
    fn the_head_of_the_svg_has_the_size() {
        let look =
            FigureStyle { size: Some(parse_paper_size("3.3x2.4in").unwrap()), ..FigureStyle::default() };
        let text = svg("size", &look, vec![curve()]);
        // 4 units to each of 96 pixels per inch: 316.8 pixels are 1267.2 units.
        assert!(text.starts_with("<svg width=\"3.3in\" height=\"2.4in\" viewBox=\"0 0 1267 922\""), "{text}");
        let look =
            FigureStyle { size: Some(parse_paper_size("640x480px").unwrap()), ..FigureStyle::default() };
        let text = svg("pixels", &look, vec![curve(), map()]);
        assert!(text.starts_with("<svg width=\"640\" height=\"480\" viewBox=\"0 0 2560 1920\""), "{text}");
    }

    #[test]
    fn letters_have_the_size_that_was_requested() {
        let look = FigureStyle {
            size: Some(parse_paper_size("3.3x2.4in").unwrap()),
            font_size: Some(parse_font_size("8pt").unwrap()),
            ..FigureStyle::default()
        };
        let text = svg("letters", &look, vec![curve()]);
        // 8 points are 32/3 pixels of 4 units.
        let sizes: Vec<f64> = text
            .split("font-size=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect();
        assert!(sizes.iter().any(|size| (size - 128.0 / 3.0).abs() < 1e-6), "{sizes:?}");
        assert!(!svg("usual", &FigureStyle::default(), vec![curve()]).contains("font-size=\"42.6"));
    }

    #[test]
    fn without_titles_axes_have_names_and_maps_their_titles() {
        let look = FigureStyle { no_title: true, ..FigureStyle::default() };
        let text = svg("untitled", &look, vec![curve(), map()]);
        let head = text.split("<style>").next().unwrap();
        assert!(head.contains("<title>Loss, Seeds</title>"), "{head}");
        let drawn: Vec<&str> = text.split("<style>").nth(1).unwrap().lines().map(str::trim).collect();
        assert!(!drawn.contains(&"#v1/sparse-parity") && !drawn.contains(&"Loss"), "{drawn:?}");
        assert!(drawn.contains(&"loss") && drawn.contains(&"Seeds"));
        let titled = svg("titled", &FigureStyle::default(), vec![curve(), map()]);
        let drawn: Vec<&str> = titled.lines().map(str::trim).collect();
        assert!(drawn.contains(&"#v1/sparse-parity") && drawn.contains(&"Loss"));
    }

    #[test]
    fn curves_in_print_are_dashed() {
        let count = |text: &str| text.lines().filter(|line| line.starts_with("<polyline")).count();
        let page = svg("page", &FigureStyle::default(), vec![curve()]);
        let print = svg(
            "print",
            &FigureStyle { colours: ColourScheme::Print, ..FigureStyle::default() },
            vec![curve()],
        );
        assert!(count(&page) == 2 && count(&print) > 20, "{} {}", count(&page), count(&print));
        assert!(print.contains("#BB5566") && !page.contains("#BB5566"));
        assert!(
            FigureStyle { colours: ColourScheme::Print, dark: true, ..FigureStyle::default() }
                .check()
                .is_err()
        );
    }

    #[test]
    fn charts_stand_below_each_other_where_there_is_no_room() {
        let of = |size: &str| FigureStyle {
            size: Some(parse_paper_size(size).unwrap()),
            ..FigureStyle::default()
        };
        assert_eq!(["3.3x5in", "7x3in", "20x5in"].map(|size| of(size).fit_columns(3)), [1, 3, 3]);
        let small = FigureStyle { font_size: Some(FontSize(6.0)), ..of("3.3x5in") };
        assert_eq!((small.fit_columns(3), FigureStyle::default().fit_columns(2)), (2, 2));
    }

    #[test]
    fn files_are_of_the_kind_that_their_names_say() {
        assert_eq!(FigureFormat::from_path(Path::new("a/run.PDF")).unwrap(), FigureFormat::Pdf);
        for bad in ["run.gif", "run", "svg"] {
            let said = FigureFormat::from_path(Path::new(bad)).unwrap_err().to_string();
            assert_eq!(said, format!("{bad} should end in .svg, .png or .pdf"));
        }
    }
}
