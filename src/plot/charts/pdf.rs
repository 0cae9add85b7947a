//! A figure as a PDF page (ISO 32000-1:2008): lines stay lines, and text stays text in an embedded font.
//!
//! # Why
//! Converting the SVG with `svg2pdf` and `usvg` brings 34 crates for a few lines, circles and words, and sets text in
//! whatever font the machine has. The strokes of a chart come here directly; `pdf-writer` writes them, and `subsetter`
//! leaves of the bundled font the letters that occur. There is no date in the file, so the same figure is the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{
    CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, TextRenderingMode, UnicodeCmap,
};
use pdf_writer::{Content, Filter, Name, Pdf, Rect, Ref, Str, TextStr};
use plotters::drawing::IntoDrawingArea;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};
use subsetter::GlyphRemapper;
use ttf_parser::Face;

use super::figure::Figure;
use super::picture::FONT_SUBSTITUTES;
use super::{BackendQuirks, Theme};

/// Integer units of the plotters backend per CSS pixel of a PDF file.
const UNITS_PER_PIXEL: u32 = 8;
/// Number of points, the unit of length in PDF, per inch.
const POINTS_PER_INCH: f64 = 72.0;
/// Number of CSS pixels per inch.
const PIXELS_PER_INCH: f64 = 96.0;
/// Distance from the middle of capitals down to the baseline, in em.
const BASELINE_OFFSET: f64 = 0.35;
/// Width in em of the outline that makes a letter bold: the bundled font has one weight.
const BOLD_STROKE_WIDTH: f64 = 0.032;
/// Distance of the control points of a Bézier quarter circle from its ends, relative to the radius.
const CIRCLE_CONTROL: f32 = 0.552_284_8;
/// Character that is drawn instead of one that the font lacks.
const MISSING_CHARACTER: char = '?';

/// Name by which drawing operators of the page refer to the font in the PDF file.
const FONT: Name<'static> = Name(b"F1");
/// PostScript name of the embedded subset of the font.
const FONT_NAME: Name<'static> = Name(b"VIVARI+Ubuntu-Light");
/// Character collection of the embedded font: Adobe-Identity-0, in which character codes are glyph numbers.
const CID_SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Content of a PDF page with one embedded font subset.
pub(super) struct PdfPage {
    /// Drawing operators of the page written so far.
    content: Content,
    /// Width and height of the page in backend units, of which a CSS pixel has [`UNITS_PER_PIXEL`].
    size: (u32, u32),
    /// The bundled font, from which glyph numbers and widths are read.
    face: Face<'static>,
    /// Glyph numbers in the embedded subset of the font, for each glyph of the whole font that the page uses.
    glyphs: GlyphRemapper,
    /// For each glyph number of the subset, its character and width in thousandths of an em.
    used_characters: BTreeMap<u16, (char, f32)>,
    /// Opacities that the drawing operators of the page use, in percent.
    opacities: BTreeSet<u8>,
}

impl PdfPage {
    /// An empty page of this width and height in backend units; fails if the bundled font cannot be read.
    fn new(size: (u32, u32)) -> Result<Self, io::Error> {
        let face = Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0).map_err(io::Error::other)?;
        let (content, glyphs) = (Content::new(), GlyphRemapper::new());
        Ok(PdfPage {
            content,
            size,
            face,
            glyphs,
            used_characters: BTreeMap::new(),
            opacities: BTreeSet::new(),
        })
    }

    /// Saves the graphics state of the page and sets opacity and colour of the next path or text.
    fn begin_paint(&mut self, colour: BackendColor) {
        let percent = (colour.alpha * 100.0).round().clamp(0.0, 100.0) as u8;
        self.content.save_state();
        if percent < 100 {
            self.opacities.insert(percent);
            self.content.set_parameters(Name(opacity_name(percent).as_bytes()));
        }
        let [red, green, blue] =
            [colour.rgb.0, colour.rgb.1, colour.rgb.2].map(|part| f32::from(part) / 255.0);
        self.content.set_fill_rgb(red, green, blue).set_stroke_rgb(red, green, blue);
    }

    /// Fills the current path if `is_filled`, otherwise strokes it `width` backend units wide, and restores the
    /// graphics state that [`begin_paint`](Self::begin_paint) saved.
    fn end_paint(&mut self, is_filled: bool, width: u32) {
        match is_filled {
            true => self.content.fill_nonzero(),
            false => self.content.set_line_width(width.max(1) as f32).stroke(),
        };
        self.content.restore_state();
    }

    /// Appends line segments through the points to the current path of the page; false if there are no points.
    fn append_path(&mut self, points: impl IntoIterator<Item = BackendCoord>) -> bool {
        let mut points = points.into_iter();
        let Some((x, y)) = points.next() else { return false };
        self.content.move_to(x as f32, y as f32);
        points.for_each(|(x, y)| {
            self.content.line_to(x as f32, y as f32);
        });
        true
    }

    /// Encodes a text as glyph numbers of the subset (two bytes each), and returns its width in em.
    fn encode_text(&mut self, text: &str) -> (Vec<u8>, f64) {
        let em = f64::from(self.face.units_per_em());
        let (mut codes, mut wide) = (vec![], 0.0);
        for letter in text.chars() {
            let own = self.face.glyph_index(letter).map(|glyph| (letter, glyph));
            let Some((letter, glyph)) =
                own.or_else(|| Some((MISSING_CHARACTER, self.face.glyph_index(MISSING_CHARACTER)?)))
            else {
                continue;
            };
            let width = f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / em;
            let code = self.glyphs.remap(glyph.0);
            self.used_characters.insert(code, (letter, (1000.0 * width) as f32));
            codes.extend(code.to_be_bytes());
            wide += width;
        }
        (codes, wide)
    }

    /// Bytes of the PDF file, with a page of this width and height in points.
    fn into_pdf(self, title: &str, (width, height): (f64, f64)) -> Result<Vec<u8>, io::Error> {
        let [catalog, tree, page, content, info] = [1, 2, 3, 4, 5].map(Ref::new);
        let [font, cid, descriptor, data, cmap] = [6, 7, 8, 9, 10].map(Ref::new);
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(tree).lang(TextStr("en"));
        pdf.pages(tree).kids([page]).count(1);
        let mut sheet = pdf.page(page);
        sheet.parent(tree).media_box(Rect::new(0.0, 0.0, width as f32, height as f32)).contents(content);
        let mut resources = sheet.resources();
        resources.fonts().pair(FONT, font);
        let mut states = resources.ext_g_states();
        for percent in &self.opacities {
            let name = opacity_name(*percent);
            let mut state =
                states.insert(Name(name.as_bytes())).start::<pdf_writer::writers::ExtGraphicsState>();
            state.non_stroking_alpha(f32::from(*percent) / 100.0);
            state.stroking_alpha(f32::from(*percent) / 100.0);
        }
        drop(states);
        drop(resources);
        drop(sheet);
        pdf.document_info(info).title(TextStr(title)).producer(TextStr("Vivarium"));

        pdf.type0_font(font)
            .base_font(FONT_NAME)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(cmap);
        let mut widths = pdf.cid_font(cid);
        widths
            .subtype(CidFontType::Type2)
            .base_font(FONT_NAME)
            .system_info(CID_SYSTEM)
            .font_descriptor(descriptor)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let mut each = widths.widths();
        for (code, (_, width)) in &self.used_characters {
            each.same(*code, *code, *width);
        }
        drop(each);
        drop(widths);
        let per_mille = |length: i16| f32::from(length) * 1000.0 / f32::from(self.face.units_per_em());
        let bounds = self.face.global_bounding_box();
        pdf.font_descriptor(descriptor)
            .name(FONT_NAME)
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(
                per_mille(bounds.x_min),
                per_mille(bounds.y_min),
                per_mille(bounds.x_max),
                per_mille(bounds.y_max),
            ))
            .italic_angle(0.0)
            .ascent(per_mille(self.face.ascender()))
            .descent(per_mille(self.face.descender()))
            .cap_height(per_mille(self.face.capital_height().unwrap_or(700)))
            .stem_v(60.0)
            .font_file2(data);
        let letters = subsetter::subset(epaint_default_fonts::UBUNTU_LIGHT, 0, &self.glyphs);
        let letters = letters.map_err(io::Error::other)?;
        let packed = compress_stream(&letters)?;
        let mut stream = pdf.stream(data, &packed);
        stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), letters.len() as i32);
        drop(stream);
        let mut unicode = UnicodeCmap::new(Name(b"Letters"), CID_SYSTEM);
        for (code, (letter, _)) in &self.used_characters {
            unicode.pair(*code, *letter);
        }
        let unicode = unicode.finish();
        pdf.cmap(cmap, unicode.as_slice());
        let strokes = compress_stream(self.content.finish().as_slice())?;
        pdf.stream(content, &strokes).filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }
}

/// Compresses the bytes of a PDF stream by zlib, for the filter `FlateDecode`.
fn compress_stream(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(vec![], Compression::best());
    encoder.write_all(data)?;
    encoder.finish()
}

/// Name by which drawing operators refer to an opacity in the PDF file, such as "A20" for 20 %.
fn opacity_name(percent: u8) -> String {
    format!("A{percent}")
}

/// Plotters backend that draws on a PDF page.
struct PdfBackend<'a>(&'a mut PdfPage);

/// Result of a drawing operation on the PDF backend.
type PdfResult = Result<(), DrawingErrorKind<io::Error>>;

impl DrawingBackend for PdfBackend<'_> {
    type ErrorType = io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.0.size
    }

    fn ensure_prepared(&mut self) -> PdfResult {
        Ok(())
    }

    fn present(&mut self) -> PdfResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> PdfResult {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> PdfResult {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> PdfResult {
        self.0.begin_paint(style.color());
        self.0.content.rect(left as f32, top as f32, (right - left) as f32, (bottom - top) as f32);
        self.0.end_paint(fill, style.stroke_width());
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> PdfResult {
        self.0.begin_paint(style.color());
        if self.0.append_path(path) {
            self.0.end_paint(false, style.stroke_width());
        } else {
            self.0.content.restore_state();
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> PdfResult {
        self.0.begin_paint(style.color());
        let (x, y, r) = (x as f32, y as f32, radius as f32);
        let k = r * CIRCLE_CONTROL;
        let content = &mut self.0.content;
        content.move_to(x + r, y);
        content.cubic_to(x + r, y + k, x + k, y + r, x, y + r);
        content.cubic_to(x - k, y + r, x - r, y + k, x - r, y);
        content.cubic_to(x - r, y - k, x - k, y - r, x, y - r);
        content.cubic_to(x + k, y - r, x + r, y - k, x + r, y);
        content.close_path();
        self.0.end_paint(fill, style.stroke_width());
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> PdfResult {
        self.0.begin_paint(style.color());
        if self.0.append_path(points) {
            self.0.content.close_path();
            self.0.end_paint(true, 0);
        } else {
            self.0.content.restore_state();
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> PdfResult {
        let (codes, wide) = self.0.encode_text(text);
        let em = style.size();
        let before = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => wide * em / 2.0,
            HPos::Right => wide * em,
        };
        let (x, y, drop) = (f64::from(x), f64::from(y), BASELINE_OFFSET * em);
        // The page counts downwards here, so letters are turned over.
        let matrix = match style.transform() {
            FontTransform::Rotate270 => [0.0, -1.0, -1.0, 0.0, x + drop, y + before],
            FontTransform::Rotate90 => [0.0, 1.0, 1.0, 0.0, x - drop, y - before],
            FontTransform::Rotate180 => [-1.0, 0.0, 0.0, 1.0, x + before, y - drop],
            FontTransform::None => [1.0, 0.0, 0.0, -1.0, x - before, y + drop],
        };
        self.0.begin_paint(style.color());
        let content = &mut self.0.content;
        content.begin_text().set_font(FONT, em as f32);
        if matches!(style.style(), FontStyle::Bold) {
            content.set_line_width((BOLD_STROKE_WIDTH * em) as f32);
            content.set_text_rendering_mode(TextRenderingMode::FillStroke);
        }
        content.set_text_matrix(matrix.map(|part| part as f32)).show(Str(&codes)).end_text().restore_state();
        Ok(())
    }
}

/// Draws a figure on a new page.
fn draw_page(figure: &Figure, theme: &Theme) -> Result<PdfPage, io::Error> {
    let mut sheet = PdfPage::new(figure.size_in_units(UNITS_PER_PIXEL))?;
    let scale = f64::from(UNITS_PER_PIXEL) * figure.layout.zoom;
    let quirks = BackendQuirks { substitutes: FONT_SUBSTITUTES, ..BackendQuirks::CANVAS };
    let theme = Theme { scale, quirks, ..theme.clone() };
    let (points, height) = (points_per_unit(), f64::from(sheet.size.1));
    sheet.content.transform([points, 0.0, 0.0, -points, 0.0, points * height].map(|part| part as f32));
    sheet.content.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
    {
        let area = PdfBackend(&mut sheet).into_drawing_area();
        figure.draw(&area, &theme).map_err(io::Error::other)?;
    }
    Ok(sheet)
}

/// Number of points, the unit of length of PDF, per backend unit.
fn points_per_unit() -> f64 {
    POINTS_PER_INCH / PIXELS_PER_INCH / f64::from(UNITS_PER_PIXEL)
}

/// Width and height of the page of a figure, in points.
fn page_size(figure: &Figure) -> (f64, f64) {
    match &figure.layout.size {
        Some(paper) => {
            let (width, height) = paper.in_inches();
            (POINTS_PER_INCH * width, POINTS_PER_INCH * height)
        }
        None => {
            let (width, height) = figure.size();
            (
                POINTS_PER_INCH / PIXELS_PER_INCH * f64::from(width),
                POINTS_PER_INCH / PIXELS_PER_INCH * f64::from(height),
            )
        }
    }
}

/// Encodes a figure as a PDF file of one page; the theme's scale is ignored.
///
/// # Errors
/// If the bundled font cannot be read.
pub fn figure_pdf(figure: &Figure, theme: &Theme) -> io::Result<Vec<u8>> {
    draw_page(figure, theme)?.into_pdf(figure.accessible_name(), page_size(figure))
}

#[cfg(test)]
mod tests {
    use super::super::figure::{FigureLayout, LengthUnit, PictureSize};
    use super::super::samples::samples;
    use super::*;
    use crate::analysis::{LineChart, Reading, Series};

    /// The texts that a sheet shows, read from its strokes: each string of letters by the characters that they have.
    fn texts(figure: &Figure) -> Vec<String> {
        let sheet = draw_page(figure, &Theme::light()).unwrap();
        let letters = sheet.used_characters.clone();
        let strokes = sheet.content.finish().into_vec();
        let mut found = vec![];
        // Strings stand before the operator that shows them: in brackets with escapes, or in hexadecimal.
        let mut at = 0;
        while let Some(length) = strokes[at..].windows(4).position(|four| four == b" Tm\n") {
            let begin = at + length + 4;
            let (codes, end) = string(&strokes, begin);
            let letter = |code: &[u8]| letters[&u16::from_be_bytes([code[0], code[1]])].0;
            found.push(codes.chunks(2).map(letter).collect());
            at = end;
        }
        found
    }

    /// The bytes of the string that begins here, and where it ends.
    fn string(bytes: &[u8], begin: usize) -> (Vec<u8>, usize) {
        let (mut codes, mut at, mut depth) = (vec![], begin + 1, 1);
        if bytes[begin] == b'<' {
            let end = begin + bytes[begin..].iter().position(|byte| *byte == b'>').unwrap();
            let digits = std::str::from_utf8(&bytes[begin + 1..end]).unwrap();
            let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
            return ((0..digits.len() / 2).map(byte).collect(), end + 1);
        }
        assert_eq!(bytes[begin], b'(');
        loop {
            match bytes[at] {
                b'\\' => {
                    at += 1;
                    codes.push(match bytes[at] {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'b' => 8,
                        b'f' => 12,
                        b'0'..=b'7' => {
                            let digits = std::str::from_utf8(&bytes[at..at + 3]).unwrap();
                            at += 2;
                            u8::from_str_radix(digits, 8).unwrap()
                        }
                        other => other,
                    });
                }
                b')' if depth == 1 => return (codes, at + 1),
                byte => {
                    depth += i32::from(byte == b'(') - i32::from(byte == b')');
                    codes.push(byte);
                }
            }
            at += 1;
        }
    }

    fn figure<'a>(readings: &'a [Reading], form: FigureLayout<'a>) -> Figure<'a> {
        Figure { readings, title: "#v1/sparse-parity?n=20", columns: 2, chart_size: (320, 180), layout: form }
    }

    #[test]
    fn a_page_has_the_size_that_was_requested() {
        let readings: Vec<Reading> = samples().into_iter().take(2).map(|sample| sample.1).collect();
        let of = |form: FigureLayout| {
            String::from_utf8_lossy(&figure_pdf(&figure(&readings, form), &Theme::light()).unwrap())
                .into_owned()
        };
        for (width, height, unit, expected) in [
            (3.3, 2.4, LengthUnit::Inch, "/MediaBox [0 0 237.6 172.8]"),
            (2.54, 5.08, LengthUnit::Centimetre, "/MediaBox [0 0 72 144]"),
            (640.0, 480.0, LengthUnit::Pixel, "/MediaBox [0 0 480 360]"),
        ] {
            let text = of(FigureLayout {
                size: Some(PictureSize { width, height, unit }),
                ..FigureLayout::default()
            });
            assert!(text.starts_with("%PDF-1.") && text.contains(expected), "{expected}");
            assert!(text.contains("/FontFile2") && text.contains("/ToUnicode"));
        }
        // Two charts of 320 by 180 CSS pixels below a title.
        assert!(of(FigureLayout::default()).contains("/MediaBox [0 0 480 157.5]"));
    }

    #[test]
    fn text_stays_text() {
        let lines = LineChart {
            title: "Loss (held out) \\ 5 ∝ n".into(),
            x_label: "step".into(),
            y_label: "nats".into(),
            series: vec![Series {
                name: "exponent 0.61, 95 % interval 0.55 to 0.66".into(),
                x: vec![0.0, 1.0],
                y: vec![0.0, 1.0],
                ..Default::default()
            }],
            ..Default::default()
        };
        let readings = [Reading::Lines(lines)];
        let found = texts(&figure(&readings, FigureLayout::default()));
        for text in [
            "#v1/sparse-parity?n=20",
            "Loss (held out) \\ 5 ~ n",
            "step",
            "nats",
            "exponent 0.61, 95 % interval 0.55 to 0.66",
        ] {
            assert!(found.iter().any(|other| other == text), "{text} in {found:?}");
        }
    }

    /// Every sample, in every theme, without a date: the same bytes twice. What a PDF is small by is its font.
    #[test]
    fn every_chart_can_be_a_page_and_is_the_same_page_again() {
        for (name, reading) in samples() {
            let readings = [reading];
            for theme in [Theme::light(), Theme::dark(), Theme::print()] {
                let one = figure_pdf(&figure(&readings, FigureLayout::default()), &theme).unwrap();
                assert!(
                    one == figure_pdf(&figure(&readings, FigureLayout::default()), &theme).unwrap(),
                    "{name}"
                );
                assert!(one.ends_with(b"%%EOF") && one.len() < 200_000, "{name}: {} bytes", one.len());
            }
        }
    }
}
