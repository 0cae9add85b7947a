//! Colours and sizes of all charts; the same values as the `--chart-…` tokens of `styles/tokens.css`.
//!
//! # Why
//! Blue for training and orange-red for held-out, after Okabe and Ito (2008), "Color universal design",
//! <https://jfly.uni-koeln.de/color/>, darkened until they also read as text on white. They differ for all
//! common kinds of colour blindness; marks differ by form as well (a named line, a triangle).

use plotters::style::RGBColor;

/// How a backend differs from a canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quirks {
    /// What the backend calls the size of a font of one pixel per em.
    pub text_size: f64,
    /// How far down text must be moved to be centred on its capitals, in em.
    pub text_drop: f64,
    /// Whether curves must be put together from single pieces, because thick ones come out wrong.
    pub pieces: bool,
}

impl Quirks {
    /// A canvas has none.
    pub const CANVAS: Quirks = Quirks { text_size: 1.0, text_drop: 0.0, pieces: false };
}

/// Colours, sizes and limits of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Behind everything.
    pub bg: RGBColor,
    /// Titles and legends.
    pub ink: RGBColor,
    /// Numbers and names of axes, the axis line, reference lines.
    pub quiet: RGBColor,
    /// Grid lines, frames, cells without a number.
    pub grid: RGBColor,
    /// Curves measured on what is trained on.
    pub train: RGBColor,
    /// Curves measured on held-out examples.
    pub test: RGBColor,
    /// Other curves, and bars.
    pub other: RGBColor,
    /// What is pointed at.
    pub mark: RGBColor,
    /// The most negative cell of a grid.
    pub negative: RGBColor,
    /// A zero cell of a grid.
    pub zero: RGBColor,
    /// The most positive cell of a grid.
    pub positive: RGBColor,
    /// Font family, as CSS writes it; natively only "sans-serif" is there.
    pub family: &'static str,
    /// Size of titles.
    pub title_px: f64,
    /// Size of legends and names of axes.
    pub label_px: f64,
    /// Size of numbers on axes.
    pub tick_px: f64,
    /// Width of a curve.
    pub stroke: f64,
    /// Backend pixels per CSS pixel, the browser's `devicePixelRatio`: multiplies fonts, strokes and margins.
    pub scale: f64,
    /// Whether the title is drawn; false where it stands beside the chart already.
    pub titles: bool,
    /// Most cells of a grid that are drawn one by one; more are gathered, so that a frame stays quick.
    pub cells: usize,
    /// What is special about this backend.
    pub quirks: Quirks,
}

const fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Theme {
    /// Dark on white.
    pub const fn light() -> Theme {
        Theme {
            bg: rgb(0xffffff),
            ink: rgb(0x1b1f24),
            quiet: rgb(0x59636e),
            grid: rgb(0xe7eaee),
            train: rgb(0x0072b2),
            test: rgb(0xc24a00),
            other: rgb(0x7d8792),
            mark: rgb(0x8f1f6d),
            negative: rgb(0x00568f),
            zero: rgb(0xffffff),
            positive: rgb(0xb84300),
            family: "sans-serif",
            title_px: 13.0,
            label_px: 12.0,
            tick_px: 11.0,
            stroke: 1.6,
            scale: 1.0,
            titles: true,
            cells: 6000,
            quirks: Quirks::CANVAS,
        }
    }

    /// Light on nearly black.
    pub const fn dark() -> Theme {
        Theme {
            bg: rgb(0x15181c),
            ink: rgb(0xe6e9ed),
            quiet: rgb(0x9aa5b1),
            grid: rgb(0x2b3138),
            train: rgb(0x56b4e9),
            test: rgb(0xf0a030),
            other: rgb(0x7c8794),
            mark: rgb(0xff9fd8),
            negative: rgb(0x5cbcf5),
            zero: rgb(0x15181c),
            positive: rgb(0xff9d3c),
            ..Theme::light()
        }
    }

    /// The same for a screen of so many pixels per CSS pixel.
    pub fn scaled(self, scale: f64) -> Theme {
        Theme { scale, ..self }
    }

    /// The colours by the names of their tokens, without the leading `--chart-`.
    pub const fn colours(&self) -> [(&'static str, RGBColor); 11] {
        [
            ("bg", self.bg),
            ("ink", self.ink),
            ("quiet", self.quiet),
            ("grid", self.grid),
            ("train", self.train),
            ("test", self.test),
            ("other", self.other),
            ("mark", self.mark),
            ("negative", self.negative),
            ("zero", self.zero),
            ("positive", self.positive),
        ]
    }

    /// Colours of a diverging scale from `negative` over `zero` to `positive`, `2 · half + 1` of them, in
    /// even steps as the eye sees them.
    pub(super) fn diverging(&self, half: usize) -> Vec<RGBColor> {
        (0..=2 * half)
            .map(|i| {
                let end = if i < half { self.negative } else { self.positive };
                mix(self.zero, end, i.abs_diff(half) as f64 / half as f64)
            })
            .collect()
    }
}

impl Default for Theme {
    fn default() -> Self {
        Theme::light()
    }
}

/// The colour at `share` of the way from one to another, in OKLab (Ottosson 2020,
/// <https://bottosson.github.io/posts/oklab/>), so that equal steps look equal.
pub(super) fn mix(from: RGBColor, to: RGBColor, share: f64) -> RGBColor {
    let (a, b) = (oklab(from), oklab(to));
    let lab = [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * share);
    let [l, m, s] = [
        lab[0] + 0.396_337_777_4 * lab[1] + 0.215_803_757_3 * lab[2],
        lab[0] - 0.105_561_345_8 * lab[1] - 0.063_854_172_8 * lab[2],
        lab[0] - 0.089_484_177_5 * lab[1] - 1.291_485_548_0 * lab[2],
    ]
    .map(|v| v * v * v);
    let [r, g, b] = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
    .map(|v| {
        let v = v.clamp(0.0, 1.0);
        let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * libm::pow(v, 1.0 / 2.4) - 0.055 };
        (v * 255.0).round() as u8
    });
    RGBColor(r, g, b)
}

fn linear(colour: RGBColor) -> [f64; 3] {
    [colour.0, colour.1, colour.2].map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
    })
}

fn oklab(colour: RGBColor) -> [f64; 3] {
    let [r, g, b] = linear(colour);
    let [l, m, s] = [
        0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b,
        0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b,
        0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b,
    ]
    .map(libm::cbrt);
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast ratio of WCAG 2.2.
    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let luminance = |c| {
            let [r, g, b] = linear(c);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_curves_stand_out() {
        for theme in [Theme::light(), Theme::dark()] {
            for text in [theme.ink, theme.quiet, theme.mark] {
                assert!(contrast(text, theme.bg) >= 4.5, "{text:?}");
            }
            for curve in [theme.train, theme.test, theme.other, theme.negative, theme.positive] {
                assert!(contrast(curve, theme.bg) >= 3.0, "{curve:?}");
            }
        }
    }

    #[test]
    fn the_scale_has_its_ends_and_zero_in_the_middle() {
        let theme = Theme::dark();
        let scale = theme.diverging(20);
        assert_eq!(
            (scale.len(), scale[0], scale[20], scale[40]),
            (41, theme.negative, theme.zero, theme.positive)
        );
    }

    /// The declarations of all rules that name this selector, outside of at-rules.
    fn declarations(css: &str, selector: &str) -> Vec<(String, String)> {
        let mut text = String::new();
        let mut rest = css;
        while let Some((before, after)) = rest.split_once("/*") {
            text.push_str(before);
            rest = after.split_once("*/").map_or("", |(_, after)| after);
        }
        text.push_str(rest);
        let (mut depth, mut head, mut body, mut found) = (0, String::new(), String::new(), vec![]);
        for c in text.chars() {
            match c {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        if head.split(',').any(|s| s.trim() == selector) {
                            found.extend(body.split(';').filter_map(|d| {
                                d.split_once(':').map(|(k, v)| (k.trim().to_string(), v.trim().to_string()))
                            }));
                        }
                        (head, body) = Default::default();
                    }
                }
                ';' if depth == 0 => head.clear(),
                c if depth == 0 => head.push(c),
                c => body.push(c),
            }
        }
        found
    }

    #[test]
    fn the_tokens_of_the_page_are_the_same() {
        let css = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/styles/tokens.css")).unwrap();
        for (theme, selector) in [(Theme::light(), ":root"), (Theme::dark(), ":root[data-theme=\"dark\"]")] {
            let declared = declarations(&css, selector);
            for (name, RGBColor(r, g, b)) in theme.colours() {
                let token = format!("--chart-{name}");
                let value = declared.iter().rev().find(|(k, _)| *k == token).map(|(_, v)| v.to_lowercase());
                assert_eq!(value, Some(format!("#{r:02x}{g:02x}{b:02x}")), "{token} in {selector}");
            }
        }
    }
}
