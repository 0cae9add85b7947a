//! How a figure looks: its size, its letters, its colours, and the kinds of files that it can be.

use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::Trouble;
use super::disk::{Native, replace};
use vivarium_plot::analysis::Reading;
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::pdf::figure_pdf;
use vivarium_plot::charts::picture::{Figure, Form, Paper, Unit, figure_png, figure_svg};

/// Least and largest side of a figure, in inches.
const SIDES: (f64, f64) = (0.5, 60.0);
/// Smallest and largest letters, in points.
const LETTERS: (f64, f64) = (3.0, 72.0);
/// Points per inch, and CSS pixels per inch.
const POINTS: f64 = 72.0;
const PIXELS: f64 = 96.0;
/// Least width of a chart beside others, in the pixels of a chart with usual letters.
const NARROWEST: f64 = 220.0;

/// How a figure looks.
#[derive(Debug, Clone, Args)]
pub struct Look {
    /// Size of the whole figure, for example 3.3x2.4in, 8x6cm or 640x480px. Without this option, the figure is as large as its charts.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = paper)]
    size: Option<Paper>,
    /// Size of the names of axes and curves, for example 8pt. Numbers on axes are a twelfth smaller, titles a twelfth larger; margins and lines follow.
    #[arg(long, value_name = "SIZE", value_parser = letters)]
    font_size: Option<Letters>,
    /// No titles, neither the link above the figure nor the names of charts. Heat maps keep their names, because nothing else says what their colours show.
    #[arg(long)]
    no_title: bool,
    /// Colours of curves: those of the page, or dark colours with dashes and marks that remain distinct in black and white.
    #[arg(long, value_enum, default_value = "page")]
    colours: Colours,
    /// Dark background.
    #[arg(long)]
    dark: bool,
}

/// Which colours a figure has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colours {
    /// The colours of the page.
    Page,
    /// For paper (the blue and the red of Paul Tol's scheme "high contrast", with black): curves also differ by dashes and marks.
    Print,
}

/// A size of letters, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Letters(f64);

/// From "3.3x2.4in".
fn paper(text: &str) -> Result<Paper, String> {
    let wrong = || {
        format!(
            "{text} is not a size: expected a width, an x, a height and a unit (in, cm or px), for example 3.3x2.4in"
        )
    };
    let units = [Unit::Inch, Unit::Centimetre, Unit::Pixel];
    let (numbers, unit) =
        units.into_iter().find_map(|unit| Some((text.strip_suffix(unit.name())?, unit))).ok_or_else(wrong)?;
    let sides = numbers.split_once(['x', '×']);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|side| side.is_finite());
    let (width, height) =
        sides.and_then(|(width, height)| Some((number(width)?, number(height)?))).ok_or_else(wrong)?;
    let paper = Paper { width, height, unit };
    let (low, high) = SIDES;
    let fits = |side: f64| (low..=high).contains(&side);
    match fits(paper.inches().0) && fits(paper.inches().1) {
        true => Ok(paper),
        false => Err(format!("{text}: each side of a figure can be {low} to {high} inches long")),
    }
}

/// From "8pt".
fn letters(text: &str) -> Result<Letters, String> {
    let points = |(end, each): (&str, f64)| Some(each * text.strip_suffix(end)?.trim().parse::<f64>().ok()?);
    let size = [("pt", 1.0), ("px", POINTS / PIXELS)].into_iter().find_map(points);
    let size = size.ok_or_else(|| {
        format!(
            "{text} is not a size of letters: expected a number with its unit (pt or px), for example 8pt"
        )
    })?;
    let (low, high) = LETTERS;
    match (low..=high).contains(&size) {
        true => Ok(Letters(size)),
        false => Err(format!("{text}: letters can be {low} to {high} points high")),
    }
}

/// What kind of file a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// SVG.
    Svg,
    /// PNG.
    Png,
    /// PDF.
    Pdf,
}

impl Kind {
    /// By the ending of the file's name.
    ///
    /// # Errors
    /// Another ending.
    pub fn of(path: &Path) -> Result<Kind, Trouble> {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
        match end.as_str() {
            "svg" => Ok(Kind::Svg),
            "png" => Ok(Kind::Png),
            "pdf" => Ok(Kind::Pdf),
            _ => Err(Trouble::bad(format!("{} should end in .svg, .png or .pdf", path.display()))),
        }
    }
}

impl Default for Look {
    fn default() -> Self {
        Look { size: None, font_size: None, no_title: false, colours: Colours::Page, dark: false }
    }
}

impl Look {
    /// What cannot be together.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(&self) -> Result<(), Trouble> {
        match self.dark && self.colours == Colours::Print {
            true => Err(Trouble::bad("--dark is for screens and --colours print for paper: use one of them")),
            false => Ok(()),
        }
    }

    fn zoom(&self) -> f64 {
        self.font_size.map_or(1.0, |Letters(points)| points * PIXELS / POINTS / Theme::light().label_px)
    }

    fn theme(&self) -> Theme {
        match self.colours {
            _ if self.dark => Theme::dark(),
            Colours::Page => Theme::light(),
            Colours::Print => Theme::print(),
        }
    }

    /// Charts per row, if there are `usual` of them where there is room.
    fn columns(&self, usual: usize) -> usize {
        let Some(paper) = &self.size else { return usual };
        let room = PIXELS * paper.inches().0 / self.zoom();
        usual.min((room / NARROWEST) as usize).max(1)
    }

    /// Draws charts into a file, `columns` of them in a row if there is room.
    ///
    /// # Errors
    /// If the file cannot be written, or the picture would be very large.
    pub fn draw(
        &self,
        path: &Path,
        mut readings: Vec<Reading>,
        title: &str,
        columns: usize,
        panel: (u32, u32),
    ) -> Result<(), Trouble> {
        let kind = Kind::of(path)?;
        let named: Vec<String> = readings.iter().map(|reading| reading.title().to_string()).collect();
        let name = if self.no_title { named.join(", ") } else { title.to_string() };
        if self.no_title {
            readings = readings.into_iter().map(untitled).collect();
        }
        let form = Form { paper: self.size, zoom: self.zoom(), name: &name };
        let title = if self.no_title { "" } else { title };
        let figure = Figure { readings: &readings, title, columns: self.columns(columns), panel, form };
        let theme = self.theme();
        let cannot = || format!("cannot write {}", path.display());
        match kind {
            Kind::Svg => replace(&Native, path, figure_svg(&figure, &theme).as_bytes())?,
            Kind::Pdf => replace(&Native, path, &figure_pdf(&figure, &theme).with_context(cannot)?)?,
            // Paper is printed in finer dots than a screen has.
            Kind::Png => {
                let scale = if self.size.is_some() { 300.0 / PIXELS } else { 2.0 };
                figure_png(&figure, &theme.scaled(scale), path).with_context(cannot)?;
            }
        }
        Ok(())
    }
}

/// A chart without its title. Its vertical axis has a name then, and a map keeps its own.
fn untitled(reading: Reading) -> Reading {
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
    use vivarium_plot::analysis::{Grid, Lines, Series};

    #[test]
    fn sizes_are_read_with_their_units() {
        let of = |width, height, unit| Ok(Paper { width, height, unit });
        assert_eq!(paper("3.3x2.4in"), of(3.3, 2.4, Unit::Inch));
        assert_eq!(paper("8 x 6cm"), of(8.0, 6.0, Unit::Centimetre));
        assert_eq!(paper("640×480px"), of(640.0, 480.0, Unit::Pixel));
        for bad in ["3", "3x4", "3in", "x4in", "axbin", "3x4mm", "NaNx4in", "3x4x5in", ""] {
            assert!(paper(bad).unwrap_err().contains("for example 3.3x2.4in"), "{bad}");
        }
        for large in ["0.1x4in", "3x61in", "-3x4in", "10x10px"] {
            assert!(paper(large).unwrap_err().contains("0.5 to 60 inches"), "{large}");
        }
        assert_eq!((letters("8pt"), letters("16px")), (Ok(Letters(8.0)), Ok(Letters(12.0))));
        assert!(letters("8").unwrap_err().contains("for example 8pt"));
        assert!(letters("1pt").unwrap_err().contains("3 to 72 points"));
    }

    fn svg(name: &str, look: &Look, readings: Vec<Reading>) -> String {
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
        Reading::Lines(Lines {
            title: "Loss".into(),
            x_label: "step".into(),
            y_label: "loss".into(),
            series: vec![of("one"), of("two")],
            ..Default::default()
        })
    }

    fn map() -> Reading {
        Reading::Grid(Grid {
            title: "Seeds".into(),
            rows: 1,
            columns: 1,
            values: vec![1.0],
            ..Default::default()
        })
    }

    #[test]
    fn the_head_of_the_svg_has_the_size() {
        let look = Look { size: Some(paper("3.3x2.4in").unwrap()), ..Look::default() };
        let text = svg("size", &look, vec![curve()]);
        // 4 units to each of 96 pixels per inch: 316.8 pixels are 1267.2 units.
        assert!(text.starts_with("<svg width=\"3.3in\" height=\"2.4in\" viewBox=\"0 0 1267 922\""), "{text}");
        let look = Look { size: Some(paper("640x480px").unwrap()), ..Look::default() };
        let text = svg("pixels", &look, vec![curve(), map()]);
        assert!(text.starts_with("<svg width=\"640\" height=\"480\" viewBox=\"0 0 2560 1920\""), "{text}");
    }

    #[test]
    fn letters_have_the_size_that_was_asked_for() {
        let look = Look {
            size: Some(paper("3.3x2.4in").unwrap()),
            font_size: Some(letters("8pt").unwrap()),
            ..Look::default()
        };
        let text = svg("letters", &look, vec![curve()]);
        // 8 points are 32/3 pixels of 4 units.
        let sizes: Vec<f64> = text
            .split("font-size=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect();
        assert!(sizes.iter().any(|size| (size - 128.0 / 3.0).abs() < 1e-6), "{sizes:?}");
        assert!(!svg("usual", &Look::default(), vec![curve()]).contains("font-size=\"42.6"));
    }

    #[test]
    fn without_titles_axes_have_names_and_maps_their_titles() {
        let look = Look { no_title: true, ..Look::default() };
        let text = svg("untitled", &look, vec![curve(), map()]);
        let head = text.split("<style>").next().unwrap();
        assert!(head.contains("<title>Loss, Seeds</title>"), "{head}");
        let drawn: Vec<&str> = text.split("<style>").nth(1).unwrap().lines().map(str::trim).collect();
        assert!(!drawn.contains(&"#v1/sparse-parity") && !drawn.contains(&"Loss"), "{drawn:?}");
        assert!(drawn.contains(&"loss") && drawn.contains(&"Seeds"));
        let titled = svg("titled", &Look::default(), vec![curve(), map()]);
        let drawn: Vec<&str> = titled.lines().map(str::trim).collect();
        assert!(drawn.contains(&"#v1/sparse-parity") && drawn.contains(&"Loss"));
    }

    #[test]
    fn curves_in_print_are_dashed() {
        let count = |text: &str| text.lines().filter(|line| line.starts_with("<polyline")).count();
        let page = svg("page", &Look::default(), vec![curve()]);
        let print = svg("print", &Look { colours: Colours::Print, ..Look::default() }, vec![curve()]);
        assert!(count(&page) == 2 && count(&print) > 20, "{} {}", count(&page), count(&print));
        assert!(print.contains("#BB5566") && !page.contains("#BB5566"));
        assert!(Look { colours: Colours::Print, dark: true, ..Look::default() }.check().is_err());
    }

    #[test]
    fn charts_stand_below_each_other_where_there_is_no_room() {
        let of = |size: &str| Look { size: Some(paper(size).unwrap()), ..Look::default() };
        assert_eq!(["3.3x5in", "7x3in", "20x5in"].map(|size| of(size).columns(3)), [1, 3, 3]);
        let small = Look { font_size: Some(Letters(6.0)), ..of("3.3x5in") };
        assert_eq!((small.columns(3), Look::default().columns(2)), (2, 2));
    }

    #[test]
    fn files_are_of_the_kind_that_their_names_say() {
        assert_eq!(Kind::of(Path::new("a/run.PDF")).unwrap(), Kind::Pdf);
        for bad in ["run.gif", "run", "svg"] {
            let said = Kind::of(Path::new(bad)).unwrap_err().to_string();
            assert_eq!(said, format!("{bad} should end in .svg, .png or .pdf"));
        }
    }
}
