//! `lab previews`: for every preset a page of its own that says what its link shows, with a picture, for whoever shares it.
//!
//! # Why
//! What stands behind the `#` of an address never reaches a server, so that all links look alike where they are pasted,
//! whatever they show. A page `p/<preset>.html` has an address of its own, a title, a description and the recorded curve,
//! and leads on to the link at once. It works without a server's help and without a script.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::Trouble;
use vivarium_labs::{PRESETS, find};
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::{Lines, Reading, Role, Series};
use vivarium_plot::charts::Theme;
use vivarium_plot::charts::picture::{Figure, Form, figure_indexed};
use vivarium_view::presets::Preset;
use vivarium_view::presets::recorded::{Recorded, parse};

/// What `lab previews` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The file of recorded curves.
    #[arg(long, default_value = "src/view/presets/recorded.txt")]
    file: PathBuf,
    /// Folder for the preview pages. The picture of the page itself is written next to this folder.
    #[arg(long, default_value = "www/p")]
    folder: PathBuf,
}

/// Width and height of a preview in pixels, as those who show it want them.
pub const SIZE: (u32, u32) = (480, 252);
/// Pixels per CSS pixel in the picture of the page itself, which is twice as wide and as high as others and so larger.
const FRONT_SCALE: f64 = 1.25;
/// Presets whose curves are the picture of the page itself.
const FRONT: [&str; 4] = ["parity-20", "memorise-understand", "induction-k3-slow", "no-luck"];

/// Text inside of markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// What binds these pages on a host that sends no headers of ours: they load nothing and run nothing.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; \
                      form-action 'none'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";

/// The page of a preset, with its own picture or that of all.
pub fn page(preset: &Preset, has_picture: bool) -> String {
    let (name, claim, link) = (escaped(preset.name), escaped(preset.claim), escaped(preset.link));
    let picture = if has_picture { format!("{}.png", preset.slug) } else { "../preview.png".into() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{POLICY}\
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

/// The recorded curves as a chart with axes.
fn reading(preset: &Preset, one: &Recorded) -> Reading {
    let chart = Chart::ALL.iter().find(|chart| chart.slug() == one.chart).map(|chart| chart.info().name);
    let mut series: Vec<Series> = one
        .curves
        .iter()
        .map(|curve| Series {
            role: curve.role,
            x: curve.x.iter().map(|x| f64::from(*x)).collect(),
            y: curve.y.clone(),
            ..Default::default()
        })
        .collect();
    // What it is compared with, below.
    series.sort_by_key(|series| series.role != Role::Other);
    Reading::Lines(Lines {
        title: preset.name.into(),
        // Steps are on the other axis of what they took.
        x_label: if ["sweep", "times"].contains(&one.chart.as_str()) { "" } else { "step" }.into(),
        y_label: chart.unwrap_or_default().into(),
        log_x: one.log[0],
        log_y: one.log[1],
        references: one.lines.iter().map(|(height, name)| (f64::from(*height), name.clone())).collect(),
        series,
        ..Default::default()
    })
}

/// A picture of some presets' recorded curves, so many side by side, as the bytes of a PNG file.
fn picture(of: &[(&Preset, &Recorded)], columns: usize, scale: f64) -> Result<Vec<u8>, Trouble> {
    let readings: Vec<Reading> = of.iter().map(|(preset, one)| reading(preset, one)).collect();
    let figure = Figure { readings: &readings, title: "", columns, panel: SIZE, form: Form::default() };
    Ok(figure_indexed(&figure, &Theme::light().scaled(scale)).context("cannot draw")?)
}

/// Runs `lab previews`.
///
/// # Errors
/// No recorded curves, or files that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let file = &arguments.file;
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let all = parse(&text).map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    let of = |preset: &Preset| all.iter().find(|one| one.slug == preset.slug && !one.curves.is_empty());
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let write = |path: &Path, bytes: &[u8]| -> Result<(), Trouble> {
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(())
    };
    let mut sum = 0;
    for preset in PRESETS {
        let page = page(preset, of(preset).is_some());
        sum += page.len();
        write(&folder.join(format!("{}.html", preset.slug)), page.as_bytes())?;
        if let Some(one) = of(preset) {
            let png = picture(&[(preset, one)], 1, 1.0)?;
            sum += png.len();
            write(&folder.join(format!("{}.png", preset.slug)), &png)?;
        }
    }
    let front: Vec<_> =
        FRONT.iter().filter_map(|slug| find(slug)).filter_map(|p| Some((p, of(p)?))).collect();
    let png = picture(&front, 2, FRONT_SCALE)?;
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
            let page = page(preset, !one.curves.is_empty());
            let path = format!("{WWW}/p/{}", preset.slug);
            assert_eq!(std::fs::read_to_string(format!("{path}.html")).unwrap(), page);
            sum += page.len();
            files += 1;
            if one.curves.is_empty() {
                continue;
            }
            let png = std::fs::read(format!("{path}.png")).unwrap();
            let (width, height) = SIZE;
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
        let page = page(&PRESETS[0], true);
        let link = "../#v1/sparse-parity?n=20&amp;width=64&amp;every=10&amp;speed=200";
        assert!(
            page.contains(&format!("content=\"0; url={link}\""))
                && page.contains(&format!("href=\"{link}\""))
        );
        assert!(!page.contains("<script"));
        assert_eq!(escaped("<\"&"), "&lt;&quot;&amp;");
    }
}
