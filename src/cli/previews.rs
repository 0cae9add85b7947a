//! `lab previews`: writes a preview page with a picture for every preset, for links that are shared.
//!
//! # Why
//! The part of an address after the `#` never reaches a server, so all links look alike where they are
//! pasted. A page `p/<preset>.html` has its own address, title, description and recorded curve, and forwards
//! to the link at once. It needs no support by the server and no script.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::CommandError;
use vivarium_core::language::escape_html;
use vivarium_labs::{PRESETS, find_preset};
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::picture::{Figure, FigureLayout, figure_indexed_png};
use vivarium_view::presets::Preset;
use vivarium_view::presets::recorded::{PresetRecording, parse};

/// Command-line arguments of `lab previews`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The file of recorded curves.
    #[arg(long, default_value = "src/view/presets/recorded.txt")]
    file: PathBuf,
    /// Folder for the preview pages. The picture of the page itself is written next to this folder.
    #[arg(long, default_value = "www/p")]
    folder: PathBuf,
}

/// Width and height of a preview picture in pixels, as social networks expect.
pub const PREVIEW_SIZE: (u32, u32) = (480, 252);
/// Picture pixels per pixel of [`PREVIEW_SIZE`] in the picture of the front page; in the pictures of presets
/// it is 1. The picture shows four charts, so it is more than twice as wide and high as those.
const FRONT_PICTURE_SCALE: f64 = 1.25;
/// Slugs of the presets whose recorded curves are shown in the picture for the front page.
const FRONT_PICTURE_PRESETS: [&str; 4] = ["parity-20", "memorise-understand", "induction-k3-slow", "no-luck"];

/// Security policy of the preview pages as HTML: they load nothing and run nothing. It also holds on hosts
/// that do not send our headers.
const SECURITY_META: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; \
                      form-action 'none'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";

/// HTML of the preview page of a preset; with `has_picture` the page names the picture of the preset,
/// otherwise that of the front page.
pub fn format_page(preset: &Preset, has_picture: bool) -> String {
    let (name, claim, link) = (escape_html(preset.name), escape_html(preset.claim), escape_html(preset.link));
    let picture = if has_picture { format!("{}.png", preset.slug) } else { "../preview.png".into() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{SECURITY_META}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name} · Vivarium</title>\n\
         <meta name=\"description\" content=\"{claim}\">\n<meta property=\"og:title\" content=\"{name}\">\n\
         <meta property=\"og:description\" content=\"{claim}\">\n<meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:image\" content=\"{picture}\">\n\
         <meta property=\"og:image:alt\" content=\"A recorded run of this experiment.\">\n\
         <meta name=\"twitter:card\" content=\"summary_large_image\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url=../{link}\">\n</head>\n<body>\n\
         <p><a href=\"../{link}\">{name}</a></p>\n<p>{claim}</p>\n</body>\n</html>\n"
    )
}

/// A line chart with axes of the recorded curves of a preset.
fn build_chart(preset: &Preset, recorded: &PresetRecording) -> Reading {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == recorded.chart).map(|chart| chart.info().name);
    let mut series: Vec<Series> = recorded
        .curves
        .iter()
        .map(|curve| Series {
            role: curve.role,
            x: curve.x.iter().map(|x| f64::from(*x)).collect(),
            y: curve.y.clone(),
            ..Default::default()
        })
        .collect();
    let is_over_steps = !["sweep", "times", "margins", "startgaps"].contains(&recorded.chart.as_str());
    // Curves for comparison are drawn below.
    series.sort_by_key(|series| series.role != Role::Other);
    Reading::Lines(LineChart {
        title: preset.name.into(),
        // In these charts, the horizontal axis is not the training step.
        x_label: if is_over_steps { "step" } else { "" }.into(),
        y_label: chart.unwrap_or_default().into(),
        log_x: recorded.log[0],
        log_y: recorded.log[1],
        reference_lines: recorded
            .lines
            .iter()
            .map(|(height, name)| (f64::from(*height), name.clone()))
            .collect(),
        series,
        ..Default::default()
    })
}

/// PNG file with the recorded curves of some presets, `columns` charts in a row; `scale` is picture pixels
/// per pixel of [`PREVIEW_SIZE`].
fn draw_picture(
    presets: &[(&Preset, &PresetRecording)],
    columns: usize,
    scale: f64,
) -> Result<Vec<u8>, CommandError> {
    let readings: Vec<Reading> = presets.iter().map(|(preset, one)| build_chart(preset, one)).collect();
    let figure = Figure {
        readings: &readings,
        title: "",
        columns,
        chart_size: PREVIEW_SIZE,
        layout: FigureLayout::default(),
    };
    Ok(figure_indexed_png(&figure, &Theme::light().with_scale(scale)).context("cannot draw")?)
}

/// Runs `lab previews`.
///
/// # Errors
/// No recorded curves, or files that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let file = &arguments.file;
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let all = parse(&text).map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    let of = |preset: &Preset| all.iter().find(|one| one.slug == preset.slug && !one.curves.is_empty());
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let write = |path: &Path, bytes: &[u8]| -> Result<(), CommandError> {
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(())
    };
    let mut sum = 0;
    for preset in PRESETS {
        let page = format_page(preset, of(preset).is_some());
        sum += page.len();
        write(&folder.join(format!("{}.html", preset.slug)), page.as_bytes())?;
        if let Some(one) = of(preset) {
            let png = draw_picture(&[(preset, one)], 1, 1.0)?;
            sum += png.len();
            write(&folder.join(format!("{}.png", preset.slug)), &png)?;
        }
    }
    let front: Vec<_> = FRONT_PICTURE_PRESETS
        .iter()
        .filter_map(|slug| find_preset(slug))
        .filter_map(|p| Some((p, of(p)?)))
        .collect();
    let png = draw_picture(&front, 2, FRONT_PICTURE_SCALE)?;
    sum += png.len();
    write(&folder.with_file_name("preview.png"), &png)?;
    println!("{} pages, {} KiB with their pictures", PRESETS.len(), sum.div_ceil(1024));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WWW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www");

    /// `lab previews` writes them anew.
    #[test]
    fn every_preset_has_its_page_and_its_picture_and_nothing_else_has() {
        let all = parse(include_str!("../view/presets/recorded.txt")).unwrap();
        let (mut sum, mut files) = (0, 0);
        for preset in PRESETS {
            let one = all.iter().find(|one| one.slug == preset.slug).unwrap();
            let page = format_page(preset, !one.curves.is_empty());
            let path = format!("{WWW}/p/{}", preset.slug);
            assert_eq!(std::fs::read_to_string(format!("{path}.html")).unwrap(), page);
            sum += page.len();
            files += 1;
            if one.curves.is_empty() {
                continue;
            }
            let png = std::fs::read(format!("{path}.png")).unwrap();
            let (width, height) = PREVIEW_SIZE;
            assert_eq!(png[16..24], [width.to_be_bytes(), height.to_be_bytes()].concat());
            assert!(png.len() <= 8192, "{}: {}", preset.slug, png.len());
            sum += png.len();
            files += 1;
        }
        assert_eq!(std::fs::read_dir(format!("{WWW}/p")).unwrap().count(), files);
        sum += std::fs::read(format!("{WWW}/preview.png")).unwrap().len();
        // Claims name the share or the median that is checked, which takes some words.
        assert!(sum < 5500 * PRESETS.len(), "{sum}");
    }

    #[test]
    fn a_page_leads_to_the_link_and_is_escaped() {
        let page = format_page(&PRESETS[0], true);
        let link = "../#v1/sparse-parity?n=20&amp;width=64&amp;every=10&amp;speed=200";
        assert!(
            page.contains(&format!("content=\"0; url={link}\""))
                && page.contains(&format!("href=\"{link}\""))
        );
        assert!(!page.contains("<script"));
    }
}
