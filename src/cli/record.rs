//! `lab record`: records the presets' runs as curves with few points, which the gallery of the page draws.
//!
//! # Why
//! A card shows what the page would have shown: readings of the same charts, thinned. Golden runs keep only
//! the first losses, up to a tolerance; a recording goes to the end of the run, or as far as its time limit
//! allows.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::PathBuf;
use vivarium_model::chart;
use vivarium_model::tasks::groups::charts as groups_charts;
use vivarium_model::tasks::markov::charts as markov_charts;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_view::display::charts::ChartOfRun;

use anyhow::Context;
use clap::Args;

use super::headless::HeadlessRun;
use super::{CommandError, LARGE_PRESETS};
use vivarium_labs::PRESETS;
use vivarium_model::chart::Chart;
use vivarium_model::chart::ChartKind;
use vivarium_model::platform::now_ms;
use vivarium_model::run::DeviceChoice;
use vivarium_player::Player;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_view::presets::Preset;
use vivarium_view::presets::recorded::{DurationClass, PresetRecording, RecordedCurve, parse};

/// Command-line arguments of `lab record`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Presets to record. Without names: all presets that are new or have changed since they were recorded.
    presets: Vec<String>,
    /// Time limit for one preset, in seconds.
    #[arg(long, default_value_t = 120.0)]
    seconds: f64,
    /// Time limit for one preset that is made for a GPU, in seconds.
    #[arg(long, default_value_t = 30.0)]
    large_seconds: f64,
    /// The file of recorded curves.
    #[arg(long, default_value = "src/view/presets/recorded.txt")]
    file: PathBuf,
}

/// Largest number of points of a curve in the file of recorded curves; more points are thinned.
const MAX_CURVE_POINTS: usize = 60;
/// Largest number of curves of a recorded chart over training steps or over a swept setting.
const MAX_CURVES: usize = 3;
/// Largest number of curves of a recorded chart whose horizontal axis is the initialisation.
const MAX_START_CURVES: usize = 6;
/// If a run or sweep is not finished in time, its curves are recorded only if more than this share of its
/// steps or runs, from 0 to 1, was trained.
const MIN_SHARE: f64 = 0.05;
/// Largest number of horizontal reference lines of a recorded chart; lines far from the curves are left out.
const MAX_REFERENCE_LINES: usize = 3;

/// Exceptions to the usual choice of [`card_chart`]: slugs of presets, and for each the chart that is drawn
/// on its card, since the usual one would show less of the claim.
const PRESET_CHARTS: &[(&str, Chart)] = &[
    ("grokking-progress", groups_charts::PROGRESS),
    ("z23-outputs", chart::LOSS),
    ("s3-margins", groups_charts::MARGINS),
    ("disjoint-polynet", chart::ACCURACY),
    ("disjoint-polynet-all-inputs", parity_charts::PLATEAU),
    ("noise-49", chart::ACCURACY),
    // Half of the control networks never reach the target, so their median is missing.
    ("lottery-ticket", chart::ACCURACY),
    ("other-chains", markov_charts::OTHERS),
    ("other-chains-minimal", markov_charts::OTHERS),
    ("unigrams-in-the-way", markov_charts::TRUTH),
];

/// The chart that is drawn on the card of a preset in the gallery of the page.
pub fn card_chart(preset: &Preset) -> Chart {
    let link = preset.link();
    if let Some((_, chart)) = PRESET_CHARTS.iter().find(|(slug, _)| *slug == preset.slug) {
        return *chart;
    }
    let usual: &[Chart] = match () {
        _ if link.view.show.contains(&chart::ENDS) => &[chart::ENDS],
        _ if !link.spec.run.sweep.is_empty() => &[chart::SWEEP],
        _ if !preset.group.charts.is_empty() => preset.group.charts,
        _ => &[markov_charts::TRUTH, chart::LOSS, chart::ACCURACY],
    };
    let shown = &link.view.show;
    let any = || shown.iter().find(|chart| chart.info().kind == ChartKind::Lines);
    *usual.iter().find(|chart| shown.contains(chart)).or_else(any).unwrap_or(&chart::LOSS)
}

/// A number rounded to four significant digits, which is more than a card can show.
fn round_to_four_digits(value: f64) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(f32::NAN)
}

/// A curve with at most [`MAX_CURVE_POINTS`] of its measured points, evenly spaced on the drawn horizontal
/// axis.
/// `log` tells whether the x axis and the y axis are logarithmic. None with fewer than two points.
fn thin_curve(series: &Series, log: [bool; 2]) -> Option<RecordedCurve> {
    let mut points: Vec<(f64, f32)> = vec![];
    for (i, y) in series.y.iter().enumerate() {
        let to = if series.stairs { series.x.get(i + 1) } else { None };
        points.extend([series.x.get(i), to].into_iter().flatten().map(|x| (*x, *y)));
    }
    points.retain(|(x, y)| x.is_finite() && y.is_finite() && !(log[1] && *y <= 0.0));
    // Step 0 is drawn where step 1 is.
    let place = |x: f64| match log[0] {
        true => libm::log(if x == 0.0 { 1.0 } else { x }),
        false => x,
    };
    let (first, last) = (place(points.first()?.0), place(points.last()?.0));
    let mut kept: Vec<(f64, f32)> = vec![];
    if points.len() <= MAX_CURVE_POINTS {
        kept = points;
    } else {
        for i in 0..MAX_CURVE_POINTS {
            let wanted = first + (last - first) * i as f64 / (MAX_CURVE_POINTS - 1) as f64;
            let at = points.partition_point(|(x, _)| place(*x) < wanted).min(points.len() - 1);
            if kept.last().is_none_or(|(x, _)| *x < points[at].0) {
                kept.push(points[at]);
            }
        }
    }
    if kept.len() < 2 {
        return None;
    }
    let (x, y) = kept.into_iter().map(|(x, y)| (round_x(x), round_to_four_digits(f64::from(y)))).unzip();
    Some(RecordedCurve { role: series.role, x, y })
}

/// A horizontal coordinate of a recorded curve: whole numbers unchanged, others rounded to four significant
/// digits.
fn round_x(x: f64) -> f32 {
    if x.fract() == 0.0 { x as f32 } else { round_to_four_digits(x) }
}

/// The thinned curves of a chart for the card of a preset, at most [`MAX_CURVES`], or [`MAX_START_CURVES`] if
/// the horizontal axis is the initialisation. Curves for comparison come last, so that they are left out
/// first.
fn card_curves(lines: &LineChart) -> Vec<RecordedCurve> {
    let log = [lines.log_x, lines.log_y];
    let drawn = lines.series.iter().filter(|series| !series.faint && !series.scatter);
    // Curves for comparison are dropped first.
    let (others, told): (Vec<_>, Vec<_>) = drawn.partition(|series| series.role == Role::Other);
    let chosen = told.into_iter().chain(others).filter_map(|series| thin_curve(series, log));
    chosen.take(if lines.x_label == "initialisation" { MAX_START_CURVES } else { MAX_CURVES }).collect()
}

/// Number of finished runs and of all runs of a sweep; for a single run, number of training steps made and of
/// its last step.
fn progress_counts(player: &Player) -> (u64, u64) {
    match &player.run.sweep {
        Some(sweep) => (sweep.solved_steps.len() as u64, sweep.cells.len() as u64),
        None => (player.run.step, player.run.spec().run.steps),
    }
}

/// Finished share of the run or of the sweep, from 0 to 1.
fn progress_share(player: &Player) -> f64 {
    let run = player.run.step as f64 / player.run.spec().run.steps.max(1) as f64;
    player
        .run
        .sweep
        .as_ref()
        .map_or(run, |sweep| (sweep.solved_steps.len() as f64 + run) / sweep.cells.len().max(1) as f64)
}

/// Page without a browser that opens the preset's run on the CPU and shows only the chart of the preset's
/// card.
fn open_page(preset: &Preset) -> HeadlessRun {
    let mut link = preset.link();
    link.spec.run.device = DeviceChoice::Cpu;
    link.view.show = vec![card_chart(preset)];
    HeadlessRun::open(&link)
}

/// Trains the preset on the CPU for at most `seconds` seconds and records the curves of the chart on the
/// preset's card.
///
/// # Errors
/// When a device stops working.
pub fn record_preset(preset: &Preset, seconds: f64) -> Result<PresetRecording, CommandError> {
    let chart = card_chart(preset);
    let limit = preset.link().view.speed;
    let mut page = open_page(preset);
    let begin = now_ms();
    let is_over = page.finish_while(|_| now_ms() - begin < 1e3 * seconds)?;
    let took = (now_ms() - begin) / 1e3;
    let player = page.player();
    let (reached, of) = progress_counts(player);
    let of = if is_over { reached } else { of };
    let Reading::Lines(lines) = chart.reading(&player.run) else {
        return Err(anyhow::anyhow!("{} has no curves", chart.slug()).into());
    };
    let curves = if is_over || progress_share(player) > MIN_SHARE { card_curves(&lines) } else { vec![] };
    let heights = curves
        .iter()
        .flat_map(|curve| &curve.y)
        .fold((f32::MAX, f32::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
    // A reference line far from the curves would flatten them.
    let near = |height: f64| {
        let (low, high) = (f64::from(heights.0), f64::from(heights.1));
        height >= low - 0.1 * (high - low) && height <= high + 0.1 * (high - low)
    };
    let near = lines.reference_lines.iter().filter(|(height, _)| near(*height)).take(MAX_REFERENCE_LINES);
    // A run plays at the speed of its link, a sweep as fast as possible.
    let watched = if limit > 0 && player.run.sweep.is_none() { reached as f64 / limit as f64 } else { 0.0 };
    let left = if is_over { 1.0 } else { 1.0 / progress_share(player).max(1e-6) };
    Ok(PresetRecording {
        slug: preset.slug.into(),
        link: preset.link.into(),
        time: DurationClass::of(took.max(watched) * left),
        recorded_until: reached,
        run_length: of,
        chart: chart.slug().into(),
        log: [lines.log_x, lines.log_y],
        lines: near.map(|(height, name)| (round_to_four_digits(*height), name.clone())).collect(),
        curves,
    })
}

/// Runs `lab record`.
///
/// # Errors
/// An unknown preset, a device that stops working, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let named = &arguments.presets;
    super::open::find_presets(named)?;
    let path = &arguments.file;
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let old = parse(&old).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
    let mut all: Vec<PresetRecording> = vec![];
    for preset in PRESETS {
        let known = old.iter().find(|one| one.slug == preset.slug && one.link == preset.link);
        let wanted =
            if named.is_empty() { known.is_none() } else { named.iter().any(|name| name == preset.slug) };
        if !wanted {
            all.extend(known.cloned());
            continue;
        }
        let seconds =
            if LARGE_PRESETS.contains(&preset.slug) { arguments.large_seconds } else { arguments.seconds };
        let begin = now_ms();
        let one = record_preset(preset, seconds)?;
        println!(
            "{}: {} curves of {}, {} of {}, {} ({:.1} s)",
            preset.slug,
            one.curves.len(),
            one.chart,
            one.recorded_until,
            one.run_length,
            one.time.slug(),
            (now_ms() - begin) / 1e3
        );
        all.push(one);
    }
    let text: String = all.iter().map(PresetRecording::to_text).collect();
    let text = format!("# Written by `lab record`: thinned curves of the presets' runs.\n{text}");
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::find_preset;

    #[test]
    fn thinning_keeps_measured_points_evenly_on_the_drawn_axis() {
        let x: Vec<f64> = (0..=1000).map(f64::from).collect();
        let y: Vec<f32> = x.iter().map(|x| (2.0 * x) as f32).collect();
        let series = Series { x, y, ..Default::default() };
        for log in [false, true] {
            let curve = thin_curve(&series, [log, false]).unwrap();
            assert!(curve.x.len() <= MAX_CURVE_POINTS && curve.x.len() > 30, "{}", curve.x.len());
            assert!(
                curve.x.iter().zip(&curve.y).all(|(x, y)| *y == round_to_four_digits(2.0 * f64::from(*x)))
            );
            assert_eq!((curve.x[0], curve.x.last()), (0.0, Some(&1000.0)));
            let before = curve.x.iter().filter(|x| **x < 100.0).count();
            assert_eq!(before > 20, log, "{before}");
        }
    }

    #[test]
    fn stairs_become_corners_and_gaps_are_left_out() {
        let stairs =
            Series { x: vec![0.0, 5.0, 10.0], y: vec![3.0, 4.0], stairs: true, ..Default::default() };
        let curve = thin_curve(&stairs, [false; 2]).unwrap();
        assert_eq!((curve.x, curve.y), (vec![0.0, 5.0, 5.0, 10.0], vec![3.0, 3.0, 4.0, 4.0]));
        let gaps = Series { x: vec![1.0, 2.0, 3.0], y: vec![1.0, f32::NAN, 3.0], ..Default::default() };
        assert_eq!(thin_curve(&gaps, [false; 2]).unwrap().x, [1.0, 3.0]);
        assert_eq!(
            thin_curve(&Series { y: vec![1.0], x: vec![0.0], ..Default::default() }, [false; 2]),
            None
        );
    }

    #[test]
    fn every_preset_has_a_chart_with_curves_that_applies() {
        for preset in PRESETS {
            let chart = card_chart(preset);
            assert_eq!(chart.info().kind, ChartKind::Lines, "{}", preset.slug);
            let page = open_page(preset);
            assert!(chart.applies(&page.player().run).is_ok(), "{} {}", preset.slug, chart.slug());
        }
    }

    /// A program whose numbers have changed cannot keep the old curves unseen.
    #[test]
    fn the_first_points_of_cheap_presets_are_as_recorded() {
        let all = parse(include_str!("../view/presets/recorded.txt")).unwrap();
        for slug in ["parity-20", "z23", "induction", "sine-1", "s3", "minimal-theory"] {
            let preset = find_preset(slug).unwrap();
            let old = all.iter().find(|one| one.slug == slug).unwrap();
            let until = old.curves[0].x[3] as u64;
            let mut page = open_page(preset);
            page.finish_while(|player| player.run.step <= until).unwrap();
            let Reading::Lines(now) = card_chart(preset).reading(&page.player().run) else {
                panic!("curves")
            };
            for curve in &old.curves {
                let series = now.series.iter().find(|series| series.role == curve.role).unwrap();
                for (x, y) in curve.x.iter().zip(&curve.y).take(4) {
                    let at = series.x.iter().position(|place| *place as f32 == *x).unwrap();
                    let apart = (series.y[at] - y).abs() / y.abs().max(1e-3);
                    assert!(apart < 2e-3, "{slug} at step {x}: recorded {y}, now {}", series.y[at]);
                }
            }
        }
    }
}
