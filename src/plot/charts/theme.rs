//! Colours and sizes of all charts; the same values as the `--chart-…` tokens of `styles/tokens.css`.
//!
//! # Why
//! Blue for training and orange-red for held-out, after Okabe and Ito (2008), "Color universal design",
//! <https://jfly.uni-koeln.de/color/>, darkened until they also read as text on white. They differ for all
//! common kinds of colour blindness; marks differ by form as well (a named line, a triangle).
//! For print: the blue and the red of Paul Tol's scheme "high contrast" (2021, "Colour schemes", SRON/EPS/TN/09-002,
//! section 2), which differ in lightness as well as in hue, with black and a grey. Its yellow is left out, because it is
//! pale on paper. Curves differ by their dashes and by the form of their marks besides, so no colour has to be seen.

use plotters::style::RGBColor;

use super::colour::mix;

/// Colours of curves of other runs, drawn for comparison with the displayed one; different from the colours of all
/// roles and visible on light and dark backgrounds.
pub const MUTED_COLOURS: [RGBColor; 6] = [
    RGBColor(140, 122, 168),
    RGBColor(122, 146, 94),
    RGBColor(170, 128, 96),
    RGBColor(94, 146, 150),
    RGBColor(176, 116, 140),
    RGBColor(132, 138, 112),
];

/// Corrections that a backend of the plotters library needs to draw like an HTML canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackendQuirks {
    /// Font size to request from the backend for text whose em is one pixel.
    pub text_size: f64,
    /// Distance in em by which text must be moved down to be centred on its capitals.
    pub text_offset_em: f64,
    /// Whether curves must be drawn segment by segment, because the backend draws thick paths wrongly.
    pub draws_segments: bool,
    /// Pairs of a character that the font lacks and the text that replaces it.
    pub substitutes: &'static [(&'static str, &'static str)],
}

impl BackendQuirks {
    /// No corrections, for the HTML canvas.
    pub const CANVAS: BackendQuirks =
        BackendQuirks { text_size: 1.0, text_offset_em: 0.0, draws_segments: false, substitutes: &[] };
}

/// Colours, font sizes and line widths of a chart, and limits of the backend that draws it.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Colour of the background.
    pub bg: RGBColor,
    /// Colour of titles and legends.
    pub ink: RGBColor,
    /// Colour of axis numbers, labels and lines, and of reference lines.
    pub quiet: RGBColor,
    /// Colour of grid lines and frames, and of heat map cells without a value.
    pub grid: RGBColor,
    /// Colour of curves measured on training data.
    pub train: RGBColor,
    /// Colour of curves measured on held-out data.
    pub test: RGBColor,
    /// Colour of curves of no special meaning, and of bars.
    pub other: RGBColor,
    /// Colour of vertical marks, and of highlighted rows, bars and other items.
    pub mark: RGBColor,
    /// Colour of the most negative cell of a heat map.
    pub negative: RGBColor,
    /// Colour of zero cells of a heat map.
    pub zero: RGBColor,
    /// Colour of the most positive cell of a heat map.
    pub positive: RGBColor,
    /// Font family of all text in CSS notation; native backends only have "sans-serif".
    pub font_family: &'static str,
    /// Font size of titles in CSS pixels.
    pub title_px: f64,
    /// Font size of legends and axis labels in CSS pixels.
    pub label_px: f64,
    /// Font size of axis numbers in CSS pixels.
    pub tick_px: f64,
    /// Line width of a curve in CSS pixels.
    pub curve_width: f64,
    /// Backend pixels per CSS pixel (`devicePixelRatio` in a browser); scales fonts, lines and margins.
    pub scale: f64,
    /// Whether the title is drawn; false if the page writes it into the space left free.
    pub titles: bool,
    /// Whether space is reserved for title and legend; false if the page writes both above the chart.
    pub legend: bool,
    /// Whether curves differ by dashes and mark shapes instead of paler shades.
    pub dashes: bool,
    /// Maximum number of heat map cells that are drawn; more are pooled, so that drawing stays fast.
    pub max_cells: usize,
    /// Corrections that the plotters backend needs to draw like an HTML canvas.
    pub quirks: BackendQuirks,
}

/// Scale factor of text and lines in presenter mode for a window of this size in CSS pixels: proportional to the
/// window, between 1 and 3. `styles/present.css` has the same formula.
#[cfg(any(all(feature = "ui", target_family = "wasm"), test))]
pub fn presenter_scale(width: f64, height: f64) -> f64 {
    (width / 960.0).min(height / 600.0).clamp(1.0, 3.0)
}

/// Smallest width in CSS pixels, at the usual size of texts, of a chart that is enlarged.
#[cfg(any(all(feature = "ui", target_family = "wasm"), test))]
const MIN_ENLARGED_WIDTH: f64 = 260.0;

/// Factor by which texts and lines of a chart of this width in CSS pixels are enlarged where the page requests the factor
/// `wanted`: only as far as its axes keep their room.
#[cfg(any(all(feature = "ui", target_family = "wasm"), test))]
pub fn limit_scale(wanted: f64, width: f64) -> f64 {
    wanted.min((width / MIN_ENLARGED_WIDTH).max(1.0))
}

/// Colour from a number in the form 0xRRGGBB.
const fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Theme {
    /// The light theme: dark on white.
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
            font_family: "sans-serif",
            title_px: 13.0,
            label_px: 12.0,
            tick_px: 11.0,
            curve_width: 1.6,
            scale: 1.0,
            titles: true,
            legend: true,
            dashes: false,
            max_cells: 6000,
            quirks: BackendQuirks::CANVAS,
        }
    }

    /// The dark theme: light on nearly black.
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

    /// The theme for paper: dark colours of different lightness, and curves that differ by dashes and marks.
    #[cfg(feature = "cli")]
    pub const fn print() -> Theme {
        Theme {
            ink: rgb(0x000000),
            quiet: rgb(0x333333),
            grid: rgb(0xdddddd),
            train: rgb(0xbb5566),
            test: rgb(0x004488),
            other: rgb(0x6e6e6e),
            mark: rgb(0x000000),
            // White to blue is darker the larger a number is; red is only needed where numbers have a sign.
            negative: rgb(0xbb5566),
            positive: rgb(0x004488),
            dashes: true,
            ..Theme::light()
        }
    }

    /// Colour of each pale curve of role `Other` in a chart with too many curves for individual colours.
    pub(super) fn crowd_colour(&self) -> RGBColor {
        mix(self.other, self.bg, 0.35)
    }

    /// The theme for a screen with `scale` backend pixels per CSS pixel.
    pub fn with_scale(self, scale: f64) -> Theme {
        Theme { scale, ..self }
    }

    /// Every colour of the theme, each with the name of its CSS token without the leading `--chart-`.
    pub const fn colours_by_token(&self) -> [(&'static str, RGBColor); 11] {
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

    /// `count` colours from that of zero to that of the most positive cell as (red, green, blue), for pictures drawn
    /// cell by cell.
    pub fn sequential_scale(&self, count: usize) -> Vec<[u8; 3]> {
        let most = count.max(2) - 1;
        self.diverging_scale_bytes(most).split_off(most)
    }

    /// `2 · half + 1` colours from that of the most negative cell over zero to the most positive, as (red, green,
    /// blue).
    pub fn diverging_scale_bytes(&self, half: usize) -> Vec<[u8; 3]> {
        self.diverging_scale(half.max(1))
            .into_iter()
            .map(|RGBColor(red, green, blue)| [red, green, blue])
            .collect()
    }

    /// `2 · half + 1` colours from `negative` over `zero` to `positive`, in perceptually even steps.
    pub(super) fn diverging_scale(&self, half: usize) -> Vec<RGBColor> {
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

#[cfg(test)]
mod tests {
    use super::super::colour::{to_linear_rgb, to_oklab};
    use super::*;

    /// Contrast ratio of WCAG 2.2.
    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let luminance = |c| {
            let [r, g, b] = to_linear_rgb(c);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The curves of print are dark on white, and any two of them differ in lightness, whoever looks.
    #[test]
    #[cfg(feature = "cli")]
    fn colours_of_print_differ_in_grey_and_for_every_eye() {
        let theme = Theme::print();
        let curves = [theme.mark, theme.test, theme.train];
        for (i, a) in curves.iter().enumerate() {
            assert!(contrast(*a, theme.bg) >= 4.0, "{a:?}");
            for b in &curves[i + 1..] {
                assert!(contrast(*a, *b) >= 1.8, "{a:?} {b:?}");
                for cones in &BLINDNESS {
                    let (a, b) = (to_oklab(simulate_cones(*a, cones)), to_oklab(simulate_cones(*b, cones)));
                    assert!((0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt() >= 0.15);
                }
            }
        }
        let scale: Vec<f64> =
            theme.sequential_scale(9).iter().map(|c| to_oklab(RGBColor(c[0], c[1], c[2]))[0]).collect();
        assert!(scale.windows(2).all(|pair| pair[1] < pair[0]), "{scale:?}");
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

    /// As seen without the cones for long, middle or short waves: Machado, Oliveira and Fernandes (2009), "A
    /// physiologically-based model for simulation of color vision deficiency", severity 1.
    const BLINDNESS: [[[f64; 3]; 3]; 3] = [
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    ];

    fn simulate_cones(colour: RGBColor, cones: &[[f64; 3]; 3]) -> RGBColor {
        let light = to_linear_rgb(colour);
        let [r, g, b] = cones.map(|row| {
            let v = row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0);
            let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
            (v * 255.0).round() as u8
        });
        RGBColor(r, g, b)
    }

    #[test]
    fn relevant_curves_stand_out_from_the_others_for_every_eye() {
        const ALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for theme in [Theme::light(), Theme::dark()] {
            for cones in BLINDNESS.iter().chain([&ALL]) {
                for other in [theme.other, theme.crowd_colour()] {
                    let (a, b) =
                        (to_oklab(simulate_cones(theme.mark, cones)), to_oklab(simulate_cones(other, cones)));
                    let apart = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
                    assert!(apart >= 0.15, "{:?} {other:?} {cones:?}", theme.mark);
                }
            }
        }
    }

    #[test]
    fn a_crowd_is_quiet_but_visible() {
        for theme in [Theme::light(), Theme::dark()] {
            let (faint, bg) = (theme.crowd_colour(), theme.bg);
            assert!(contrast(faint, bg) >= 2.0 && contrast(faint, bg) < contrast(theme.other, bg) - 1.0);
            assert!(contrast(theme.mark, faint) >= 3.0);
        }
    }

    #[test]
    fn rising_colours_begin_at_zero() {
        let theme = Theme::light();
        let colours = theme.sequential_scale(5);
        let bytes = |RGBColor(red, green, blue)| [red, green, blue];
        assert_eq!((colours.len(), colours[0], colours[4]), (5, bytes(theme.zero), bytes(theme.positive)));
        let signed = theme.diverging_scale_bytes(4);
        assert_eq!((signed.len(), signed[0], &signed[4..]), (9, bytes(theme.negative), &colours[..]));
    }

    #[test]
    fn the_scale_has_its_ends_and_zero_in_the_middle() {
        let theme = Theme::dark();
        let scale = theme.diverging_scale(20);
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
        let css =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../styles/tokens.css")).unwrap();
        for (theme, selector) in [(Theme::light(), ":root"), (Theme::dark(), ":root[data-theme=\"dark\"]")] {
            let declared = declarations(&css, selector);
            for (name, RGBColor(r, g, b)) in theme.colours_by_token() {
                let token = format!("--chart-{name}");
                let value = declared.iter().rev().find(|(k, _)| *k == token).map(|(_, v)| v.to_lowercase());
                assert_eq!(value, Some(format!("#{r:02x}{g:02x}{b:02x}")), "{token} in {selector}");
            }
        }
    }

    #[test]
    fn narrow_charts_are_enlarged_only_as_far_as_their_axes_have_room() {
        let scales = [(1.0, 100.0), (2.0, 230.0), (2.0, 390.0), (2.0, 700.0), (1.35, 600.0)];
        let limited = scales.map(|(wanted, width)| limit_scale(wanted, width));
        assert_eq!(limited, [1.0, 1.0, 1.5, 2.0, 1.35]);
    }

    #[test]
    fn presenter_mode_takes_the_same_share_of_every_screen() {
        let sizes = [(1440.0, 900.0), (1920.0, 1080.0), (1024.0, 768.0), (390.0, 844.0), (9000.0, 9000.0)];
        let scales = sizes.map(|(width, height)| (100.0 * presenter_scale(width, height)).round() / 100.0);
        assert_eq!(scales, [1.5, 1.8, 1.07, 1.0, 3.0]);
        // The root's type is 15 px = 0.9375 rem usually.
        let css = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../styles/present.css"))
            .unwrap();
        let (width, height, most) = (1500.0 / 960.0, 1500.0 / 600.0, 3.0 * 0.9375);
        let size = format!("clamp(var(--text-l), min({width}vw, {height}vh), {most}rem)");
        assert!(declarations(&css, "[data-presenter=\"on\"]").contains(&("font-size".into(), size)));
    }
}
