//! Golden pictures, bounds on strokes, and readings that nobody wants to draw.

use plotters::drawing::IntoDrawingArea;
use proptest::prelude::*;

use super::picture::{Figure, FigureLayout, chart_png, chart_svg, figure_svg};
use super::samples::*;
use super::*;
use crate::analysis::{AxisSpan, BarChart, Heatmap, LineChart, Role, Series};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/charts");

/// Compares with the stored picture, or stores it with `BLESS=1`.
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
fn golden(name: &str, picture: &str) {
    let path = format!("{GOLDEN}/{name}.svg");
    if std::env::var("BLESS").is_ok_and(|v| v == "1") {
        std::fs::create_dir_all(GOLDEN).unwrap();
        return std::fs::write(path, picture).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == picture, "{path} is another picture; look at it after `BLESS=1 cargo test charts`");
}

#[test]
fn pictures_are_as_stored() {
    for (name, reading) in samples() {
        golden(name, &chart_svg(&reading, &Theme::light(), 320, 180));
        if ["accuracy", "weights", "trajectories"].contains(&name) {
            golden(&format!("{name}-dark"), &chart_svg(&reading, &Theme::dark(), 320, 180));
        }
    }
    let readings =
        [Reading::Lines(loss_chart()), Reading::Lines(accuracy_chart()), Reading::Bars(degree_bars())];
    let figure = Figure {
        readings: &readings,
        title: "Parity of 3 of 30 bits",
        columns: 2,
        chart_size: (280, 160),
        layout: FigureLayout::default(),
    };
    golden("figure", &figure_svg(&figure, &Theme::light()));
}

#[test]
fn one_large_weight_stays_visible() {
    let picture = chart_svg(&Reading::Grid(one_large_weight()), &Theme::light(), 320, 180);
    let cells = picture.lines().filter(|l| l.starts_with("<rect") && l.contains("#00568F")).count();
    assert_eq!(cells, 2, "the cell, and the end of the colour scale");
}

/// Names of reference lines are whole and inside the picture, also in a font that is wider than estimated.
#[test]
fn names_of_reference_lines_fit_at_every_width() {
    for name in [
        "predicting the mean",
        "least possible loss",
        "margin predicted for this λ: 0.873",
        "same activation, weights ±1/√n",
    ] {
        let mut lines = loss_chart();
        lines.marks.clear();
        lines.y_label = "margin as a share of γ* = 0.00258".into();
        lines.reference_lines = vec![(0.6, name.into())];
        // The charts of a page that is 320 to 1440 pixels wide.
        for width in (240..=1440).step_by(10) {
            let picture = chart_svg(&Reading::Lines(lines.clone()), &Theme::light(), width, 220);
            let before = picture.split(&format!(">\n{name}\n</text>")).next().unwrap_or_default();
            assert!(before.len() < picture.len(), "{name} is missing at width {width}");
            let start = before.rfind("<text").unwrap_or_default();
            let value = |key: &str| {
                let after = before[start..].split_once(&format!(" {key}=\"")).map_or("", |(_, after)| after);
                after.split('"').next().unwrap_or_default()
            };
            let number = |key: &str| value(key).parse::<f64>().unwrap_or(f64::NAN);
            let (x, size) = (number("x"), number("font-size"));
            // DejaVu Sans, a wide font, has about 0.53 em for a letter of these names on average.
            let wide = name.chars().count() as f64 * 0.53 * size;
            let left = match value("text-anchor") {
                "start" => x,
                "middle" => x - wide / 2.0,
                _ => x - wide,
            };
            // Four units for a pixel, as the view box of the picture says.
            let whole = f64::from(width) * 4.0;
            assert!(
                left >= 0.0 && left + wide <= whole,
                "{name} at width {width}: {left}, {wide} of {whole}"
            );
        }
    }
}

#[test]
fn a_scatter_is_dots_without_a_line() {
    let of = |scatter| {
        let mut one = sample_series("dots", Role::Test, 30, noise);
        one.x.reverse();
        let lines = LineChart { series: vec![Series { scatter, ..one }], ..Default::default() };
        chart_svg(&Reading::Lines(lines), &Theme::light(), 320, 180)
    };
    let count = |picture: &str, tag: &str| picture.lines().filter(|l| l.starts_with(tag)).count();
    // 31 values, and one dot in the legend.
    assert_eq!((count(&of(true), "<circle"), count(&of(true), "<polyline")), (32, 0));
    assert_eq!(count(&of(false), "<circle"), 0);
}

#[test]
fn rows_and_columns_have_names_where_they_fit() {
    let grid = weight_heatmap(3, 4, &[1]);
    let named = |name: &str| Heatmap {
        row_names: (0..3).map(|i| format!("{name} {i}")).collect(),
        column_names: (0..4).map(|i| format!("class {i}")).collect(),
        ..grid.clone()
    };
    let texts = |grid: &Heatmap, width| chart_svg(&Reading::Grid(grid.clone()), &Theme::light(), width, 180);
    let has = |picture: &str, name: &str| !places(picture, name).is_empty();
    let wide = texts(&named("irrep"), 480);
    assert!((0..3).all(|i| has(&wide, &format!("irrep {i}"))));
    assert!((0..4).all(|i| has(&wide, &format!("class {i}"))) && !has(&wide, "4"));
    let narrow = texts(&named("irrep"), 240);
    assert!(has(&narrow, "class 0") && !has(&narrow, "class 1") && has(&narrow, "class 2"));
    let long = texts(&named("a name that is far too long for a row"), 320);
    assert!(has(&long, "1") && has(&long, "3"), "numbers instead");
}

/// As many lines in all cells as fit into each, in a colour that can be read.
#[test]
fn cells_say_what_there_is_room_for() {
    let grid = Heatmap {
        texts: (0..12).map(|i| format!("{i}/20\n{i}0 to {i}9 %")).collect(),
        values: (0..12).map(|i| i as f32 / 11.0).collect(),
        ..weight_heatmap(3, 4, &[])
    };
    let drawn = |width, height| chart_svg(&Reading::Grid(grid.clone()), &Theme::light(), width, height);
    let has = |picture: &str, text: &str| !places(picture, text).is_empty();
    let large = drawn(640, 320);
    assert!((0..12).all(|i| has(&large, &format!("{i}/20")) && has(&large, &format!("{i}0 to {i}9 %"))));
    assert!(large.contains("fill=\"#FFFFFF\"") && large.contains("fill=\"#000000\""), "{large}");
    let narrow = drawn(320, 240);
    assert!(has(&narrow, "0/20") && has(&narrow, "11/20") && !has(&narrow, "00 to 09 %"));
    assert!(!has(&drawn(200, 120), "0/20"));
}

#[test]
fn what_the_bundled_font_has_not_is_written_otherwise() {
    let drawn = |name: &str| {
        let path = std::env::temp_dir().join(format!("vivarium-font-{}.png", std::process::id()));
        let lines = LineChart { title: name.into(), ..loss_chart() };
        chart_png(&Reading::Lines(lines), &Theme::light(), 400, 240, &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        bytes
    };
    assert!(drawn("t ∝ n") == drawn("t ~ n"));
    assert!(drawn("t ∝ n") != drawn("t + n"));
    assert!(drawn("Σ‖ω‖³, 2 ⊗ 3") == drawn("Σ||ω||³, 2 × 3"));
}

#[test]
fn a_png_has_the_pixels_that_were_requested() {
    let path = std::env::temp_dir().join(format!("vivarium-chart-{}.png", std::process::id()));
    let theme = Theme { scale: 1.5, ..Theme::dark() };
    chart_png(&Reading::Lines(loss_chart()), &theme, 200, 120, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(&bytes[1..4], b"PNG");
    assert_eq!((bytes[16..20].to_vec(), bytes[20..24].to_vec()), (vec![0, 0, 1, 44], vec![0, 0, 0, 180]));
    assert!(chart_png(&Reading::Lines(loss_chart()), &theme, 20_000, 20_000, &path).is_err());
}

#[test]
fn a_title_that_the_page_writes_has_its_room() {
    for width in [180, 320, 640] {
        for (name, reading) in samples() {
            let drawn = chart_svg(&reading, &Theme::light(), width, 180);
            let left = chart_svg(&reading, &Theme { titles: false, ..Theme::light() }, width, 180);
            let rest: Vec<&str> = left.lines().collect();
            let more: Vec<&str> = drawn.lines().filter(|line| !rest.contains(line)).collect();
            // An element of a text takes three lines: its tag, the text, its end.
            assert!(more.len() <= 3 && more.concat().contains(reading.title()), "{name}: {more:?}");
        }
    }
}

/// Where texts of this name begin: the lines of their elements' tags.
fn places(picture: &str, name: &str) -> Vec<String> {
    let lines: Vec<&str> = picture.lines().collect();
    let named = lines.windows(2).filter(|pair| pair[1].trim() == name);
    named.map(|pair| pair[0].split("y=").nth(1).unwrap_or_default().into()).collect()
}

#[test]
fn names_of_neighbouring_marks_stand_at_different_heights_and_too_many_are_left_out() {
    let marked = |count: u8| LineChart {
        x_label: "step".into(),
        x_range: Some((0.0, 1000.0)),
        series: vec![Series { x: vec![0.0, 1000.0], y: vec![0.0, 0.1], ..Default::default() }],
        marks: (0..count).map(|i| (500.0 + f64::from(i), "0 of 20".to_string())).collect(),
        ..Default::default()
    };
    let of =
        |count: u8| places(&chart_svg(&Reading::Lines(marked(count)), &Theme::light(), 320, 180), "0 of 20");
    let (one, three) = (of(1), of(3));
    assert_eq!((one.len(), three.len()), (1, 3));
    assert!(one[0] == three[0] && of(30).len() < 30);
}

#[test]
fn a_frame_is_a_bounded_number_of_strokes() {
    let long = LineChart {
        series: vec![sample_series("long", Role::Train, 100_000, |i| 1.0 + noise(i)); 2],
        ..loss_chart()
    };
    for (reading, most) in
        [(Reading::Grid(weight_heatmap(512, 4096, &[1, 2, 3])), 6500), (Reading::Lines(long), 150)]
    {
        let picture = chart_svg(&reading, &Theme::light(), 900, 400);
        let strokes = picture.lines().filter(|l| l.starts_with('<')).count();
        assert!(strokes < most, "{strokes}");
        let points = picture.lines().filter(|l| l.starts_with("<polyline")).map(|l| l.matches(',').count());
        assert!(points.max().unwrap_or(0) <= 2 * 900 * 4);
    }
}

fn numbers() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -2.0f32..2.0,
        2 => any::<f32>(),
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, f32::MAX, f32::MIN_POSITIVE]),
    ]
}

fn ranges() -> impl Strategy<Value = Option<(f64, f64)>> {
    prop::option::of((wide(), wide()))
}

fn wide() -> impl Strategy<Value = f64> {
    prop_oneof![3 => 0.0..20_000.0f64, 1 => any::<f64>(), 1 => numbers().prop_map(f64::from)]
}

fn any_series() -> impl Strategy<Value = Series> {
    let band = prop::collection::vec((numbers(), numbers()), 0..30);
    let role = any_role();
    let x = prop::collection::vec(wide(), 0..30);
    (".{0,12}", role, x, prop::collection::vec(numbers(), 0..30), band, any::<[bool; 4]>()).prop_map(
        |(name, role, x, y, band, [points, stairs, scatter, ends])| Series {
            name,
            role,
            x,
            y,
            band,
            points,
            stairs,
            scatter,
            is_clipped: ends,
            covering_curves: 9 * usize::from(ends && points),
            faint: points && stairs,
            hidden: stairs && scatter,
            unsmoothed: vec![],
            muted_colour: None,
            replica_curves: None,
        },
    )
}

fn any_role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![Role::Train, Role::Test, Role::Relevant, Role::Other])
}

fn any_reading() -> impl Strategy<Value = Reading> {
    let named = || prop::collection::vec((wide(), ".{0,20}"), 0..4);
    let curves = prop::collection::vec(any_series(), 0..9);
    let span = (wide(), wide(), ".{0,20}", any_role()).prop_map(|(from, to, name, role)| AxisSpan {
        from,
        to,
        name,
        role,
    });
    let spans = prop::collection::vec(span, 0..4);
    let lines = (".{0,40}", ranges(), ranges(), any::<[bool; 4]>(), curves, named(), named(), spans)
        .prop_map(|(title, x_range, y_range, flags, series, references, marks, spans)| {
            let [log_x, log_y, steps, counts] = flags;
            let x_label = if steps { "step" } else { "n" }.into();
            let counted = counts.then(|| (64.0, "sequences seen".into()));
            Reading::Lines(LineChart {
                title,
                x_label,
                y_label: "y".into(),
                x_range,
                y_range,
                log_x,
                log_y,
                series,
                reference_lines: references,
                marks,
                spans,
                step_unit: counted,
            })
        });
    let grid = (0usize..40, 0usize..300, prop::collection::vec(numbers(), 1..50), any::<bool>()).prop_map(
        |(rows, columns, some, fits)| {
            let length = if fits { rows * columns } else { rows };
            let values = some.iter().copied().cycle().take(length).collect();
            Reading::Grid(Heatmap {
                rows,
                columns,
                values,
                marked_rows: vec![0, 5, 6, 39, usize::MAX],
                row_names: if fits { vec!["a row".into(); rows] } else { vec![] },
                column_names: if fits { vec!["column".into(); columns] } else { vec!["x".into(); 3] },
                ..weight_heatmap(0, 0, &[])
            })
        },
    );
    let overlay = prop::collection::vec(numbers(), 0..1000);
    let bars = (prop::collection::vec((".{0,9}", numbers()), 0..900), any::<usize>(), overlay).prop_map(
        |(bars, marked, overlay)| {
            Reading::Bars(BarChart { bars, marked: vec![marked, 3], overlay, ..degree_bars() })
        },
    );
    prop_oneof![3 => lines, 1 => grid, 1 => bars]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn anything_can_be_drawn_at_any_size(
        reading in any_reading(),
        (width, height) in prop_oneof![(1u32..120, 1u32..120), (1u32..2000, 1u32..1500)],
        titles in any::<bool>(),
    ) {
        let picture = chart_svg(&reading, &Theme { titles, ..Theme::dark() }, width, height);
        prop_assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"));
    }
}

#[test]
fn the_largest_and_the_smallest_picture() {
    for (_, reading) in samples() {
        for (width, height) in [(0, 0), (1, 1), (40, 2), (2, 40), (2000, 1500)] {
            chart_svg(&reading, &Theme::light(), width, height);
        }
    }
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut text = String::new();
        let area = plotters::backend::SVGBackend::with_string(&mut text, (300, 160)).into_drawing_area();
        draw(&area, &Reading::Lines(loss_chart()), &Theme { scale, ..Theme::light() }).unwrap();
    }
}
