//! A scene as the text of an SVG file, for tests and for files.

use std::fmt::Write;

use super::{Anchor, Area, Colour, Ink, Item, Point, Scene, Shape, Stroke, UNKNOWN_CELL};
use crate::charts::Theme;

/// The scene as an SVG file, with coordinates to a tenth of a CSS pixel. The targets are not drawn.
pub fn to_svg(scene: &Scene, theme: &Theme) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"{2}\">\n",
        number(scene.width),
        number(scene.height),
        theme.font_family
    );
    let ground = Item {
        shape: Shape::Box(Area::new(0.0, 0.0, scene.width, scene.height), 0.0),
        stroke: None,
        fill: Some(Ink::Background.into()),
    };
    for item in std::iter::once(&ground).chain(&scene.items) {
        write_item(&mut out, item, theme);
    }
    out.push_str("</svg>\n");
    out
}

/// A coordinate to a tenth of a pixel, without trailing zeros.
fn number(value: f32) -> String {
    // A negative zero would be written with its sign.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths}")
}

/// A colour in hexadecimal notation.
fn hex(colour: Colour, theme: &Theme) -> String {
    let [red, green, blue] = colour.to_rgb(theme);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Attributes of the line and the filling of a shape.
fn paint(stroke: Option<Stroke>, fill: Option<Colour>, theme: &Theme) -> String {
    let fill = fill.map_or("none".into(), |colour| hex(colour, theme));
    let mut out = format!(" fill=\"{fill}\"");
    if let Some(Stroke { colour, width, dash }) = stroke {
        let _ = write!(out, " stroke=\"{}\" stroke-width=\"{}\"", hex(colour, theme), number(width));
        if let Some((dash, gap)) = dash {
            let _ = write!(out, " stroke-dasharray=\"{} {}\"", number(dash), number(gap));
        }
    }
    out
}

/// Appends one shape to the text.
fn write_item(out: &mut String, Item { shape, stroke, fill }: &Item, theme: &Theme) {
    let paint = paint(*stroke, *fill, theme);
    let place = |point: &Point| format!("{},{}", number(point.x), number(point.y));
    // Writing to a text does not fail.
    let _ = match shape {
        Shape::Path(points) => {
            let points = points.iter().map(place).collect::<Vec<_>>().join(" ");
            writeln!(out, "<polyline points=\"{points}\"{paint}/>")
        }
        Shape::Curve([from, one, two, to]) => {
            let [from, one, two, to] = [from, one, two, to].map(place);
            writeln!(out, "<path d=\"M{from} C{one} {two} {to}\"{paint}/>")
        }
        Shape::Circle(centre, radius) => {
            let [x, y, radius] = [centre.x, centre.y, *radius].map(number);
            writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{paint}/>")
        }
        Shape::Arc(centre, radius, [from, to]) => {
            let end = |angle: f32| {
                Point::new(centre.x + radius * libm::cosf(angle), centre.y + radius * libm::sinf(angle))
            };
            let large = u8::from((to - from).abs() > std::f32::consts::PI);
            let sweep = u8::from(to > from);
            let (first, last, r) = (place(&end(*from)), place(&end(*to)), number(*radius));
            let begin = match fill {
                Some(_) => format!("M{} L{first}", place(centre)),
                None => format!("M{first}"),
            };
            let close = if fill.is_some() { " Z" } else { "" };
            writeln!(out, "<path d=\"{begin} A{r} {r} 0 {large} {sweep} {last}{close}\"{paint}/>")
        }
        Shape::Box(area, radius) => {
            let [x, y, width, height, radius] =
                [area.left, area.top, area.width, area.height, *radius].map(number);
            writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"{paint}/>"
            )
        }
        Shape::Text { text, at, size, anchor, bold } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let weight = if *bold { " font-weight=\"bold\"" } else { "" };
            let [x, y, size] = [at.x, at.y, *size].map(number);
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                 dominant-baseline=\"central\"{weight}{paint}>{}</text>",
                vivarium_core::language::escape_html(text)
            )
        }
        Shape::Cells { area, columns, values } => {
            let columns = (*columns).max(1);
            let rows = values.len().div_ceil(columns).max(1);
            let (width, height) = (area.width / columns as f32, area.height / rows as f32);
            values.iter().enumerate().try_for_each(|(at, value)| {
                let cell = Area::new(
                    area.left + (at % columns) as f32 * width,
                    area.top + (at / columns) as f32 * height,
                    width,
                    height,
                );
                let [x, y, width, height] = [cell.left, cell.top, cell.width, cell.height].map(number);
                let colour = hex(cell_colour(*value), theme);
                writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
                )
            })
        }
    };
}

/// The colour of a cell of [`Shape::Cells`] with this value.
pub fn cell_colour(value: f32) -> Colour {
    match value.is_nan() || value >= UNKNOWN_CELL {
        true => Ink::Grid.at(1.0),
        false => Ink::of_sign(value).at(value.abs().min(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::TargetKind;
    use super::*;

    #[test]
    fn every_shape_is_written() {
        let mut scene = Scene::new(40.0, 30.0);
        let at = Point::new(10.04, -0.0);
        scene.line(at, Point::new(20.0, 5.26), Stroke::new(Ink::Text, 1.4).dashed(3.0, 2.0));
        scene.stroke(Shape::Curve([at; 4]), Stroke::new(Ink::Mark, 2.0));
        scene.fill_and_stroke(Shape::Circle(at, 3.0), Ink::Positive.at(0.5), Stroke::new(Ink::Grid, 1.0));
        scene.fill(Shape::Arc(at, 5.0, [0.0, 1.0]), Ink::First);
        scene.stroke(Shape::Arc(at, 5.0, [0.0, 4.0]), Stroke::new(Ink::Second, 1.0));
        scene.fill(Shape::Box(Area::new(1.0, 2.0, 3.0, 4.0), 1.0), Ink::Third);
        scene.bold_text("a < b", at, 12.0, Anchor::Middle, Ink::Quiet);
        scene.fill(
            Shape::Cells {
                area: Area::new(0.0, 0.0, 4.0, 2.0),
                columns: 2,
                values: vec![-1.0, 0.0, f32::NAN],
            },
            Ink::Text,
        );
        scene.target("t", "Target", "", TargetKind::Press, Area::new(0.0, 0.0, 9.0, 9.0));
        let text = to_svg(&scene, &Theme::light());
        for part in [
            "<polyline points=\"10,0 20,5.3\" fill=\"none\" stroke=\"#1b1f24\" stroke-width=\"1.4\" \
             stroke-dasharray=\"3 2\"/>",
            "<path d=\"M10,0 C10,0 10,0 10,0\"",
            "<circle cx=\"10\" cy=\"0\" r=\"3\"",
            "A5 5 0 0 1",
            "A5 5 0 1 1",
            " Z\" fill=\"#0072b2\"",
            "rx=\"1\"",
            "font-weight=\"bold\"",
            ">a &lt; b</text>",
            "fill=\"#00568f\"/>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches("<rect").count(), 5, "background, box and three cells");
        assert!(!text.contains("Target"));
    }
}
