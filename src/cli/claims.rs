//! `lab claims`: checks the presets' claims and prints the measured values.

#![expect(clippy::print_stdout, reason = "this command prints")]

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::print::DescriptionFormat;
use super::science::{NetworkValues, Verdict, expectation_to_json};
use super::{CommandError, open, science};
use vivarium_labs::PRESETS;
use vivarium_model::platform::now_ms;
use vivarium_view::presets::Preset;

/// Command-line arguments of `lab claims`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Presets to check. Without names: all presets except those that need a GPU or take hours.
    presets: Vec<String>,
    /// Number of networks that are trained for each preset whose link has one network. With fewer than twenty
    /// a share of networks is coarser than in the claim, so that a claim about shares may fail by chance.
    #[arg(long, default_value_t = science::REPLICAS as u64, value_parser = clap::value_parser!(u64).range(1..=science::REPLICAS as u64))]
    networks: u64,
    /// Check on the GPU if there is one.
    #[arg(long)]
    gpu: bool,
    /// How results are printed. JSON has the value of every network.
    #[arg(long, value_enum, default_value = "text")]
    format: DescriptionFormat,
}

/// JSON object of one preset: its claim, the device, the seconds it took, and the result of each expectation.
#[derive(Serialize)]
struct CheckedPreset<'a> {
    /// Slug of the preset.
    preset: &'a str,
    /// Claim that the preset demonstrates, in one sentence.
    claim: &'a str,
    /// Source of the claim: author, year and section.
    source: &'a str,
    /// Link of the preset's run.
    link: &'a str,
    /// Name of the device that trained the networks.
    device: &'a str,
    /// Seconds that training and measuring the preset took.
    seconds: f64,
    /// Whether all expectations hold.
    holds: bool,
    /// Result of each expectation of the claim, in the order of the preset.
    results: Vec<CheckedExpectation<'a>>,
}

/// JSON object of one expectation of a claim with its measured value.
#[derive(Serialize)]
struct CheckedExpectation<'a> {
    /// The expectation as a JSON object with its kind, measure and bounds, as in `lab list --format json`.
    expect: Value,
    /// Whether the expectation holds.
    holds: bool,
    /// The measured number that is compared with the bounds of the expectation; None if it was not measured
    /// or is not finite.
    found: Option<f64>,
    /// One sentence with the measured number and the bounds that the claim expects.
    text: &'a str,
    /// Values of the single networks, one entry for each run that the expectation is about.
    runs: &'a [NetworkValues],
}

/// JSON object of a checked preset in one line; `seconds` is the time that training and measuring took,
/// `verdicts` has one result for each expectation of the preset, in order.
fn format_json_line(
    preset: &Preset,
    device: &str,
    seconds: f64,
    verdicts: &[Verdict],
) -> Result<String, CommandError> {
    let judged = preset.expectations.iter().zip(verdicts).map(|(expect, verdict)| CheckedExpectation {
        expect: expectation_to_json(expect),
        holds: verdict.holds,
        found: verdict.measured,
        text: &verdict.text,
        runs: &verdict.network_values,
    });
    let checked = CheckedPreset {
        preset: preset.slug,
        claim: preset.claim,
        source: preset.source,
        link: preset.link,
        device,
        seconds,
        holds: verdicts.iter().all(|verdict| verdict.holds),
        results: judged.collect(),
    };
    Ok(serde_json::to_string(&checked).context("cannot write the results")?)
}

/// Slugs of presets too large for a processor: `lab claims` checks them only if they are named.
pub const LARGE_PRESETS: &[&str] =
    &["transformer-full", "scaling-full", "z71", "s5", "grokking-113", "unigrams-in-the-way"];

/// Slugs of presets whose claims take hours on a processor (twenty networks each): `lab claims` checks them
/// only if they are named.
/// Their first steps are quick, so they have recorded runs.
pub const LONG_PRESETS: &[&str] = &["paper-mlp", "paper-gru"];

/// Whether `lab claims` without names checks this preset: all but [`LARGE_PRESETS`] and [`LONG_PRESETS`].
pub fn is_checked_by_default(preset: &Preset) -> bool {
    !LARGE_PRESETS.contains(&preset.slug) && !LONG_PRESETS.contains(&preset.slug)
}

/// Runs `lab claims`.
///
/// # Errors
/// When a claim does not hold, or a device stops working.
pub fn claims(arguments: &Arguments) -> Result<(), CommandError> {
    let named = &arguments.presets;
    open::find_presets(named)?;
    let chosen = PRESETS.iter().filter(|p| {
        if named.is_empty() { is_checked_by_default(p) } else { named.iter().any(|name| name == p.slug) }
    });
    let (mut broken, mut is_first) = (0, true);
    for preset in chosen {
        let begin = now_ms();
        let mut spec = preset.link().spec;
        spec.parse("device", if arguments.gpu { "gpu" } else { "cpu" })
            .map_err(|problem| CommandError::bad_link(problem.to_string()))?;
        let device = open::open_device(&spec)?;
        let verdicts = science::check_preset(preset, arguments.networks as usize, &device)?;
        let seconds = (now_ms() - begin) / 1e3;
        broken += verdicts.iter().filter(|verdict| !verdict.holds).count();
        if arguments.format == DescriptionFormat::Json {
            // Printed preset by preset, so that a stopped command has printed the finished ones.
            print!(
                "{}{}",
                if is_first { "[\n" } else { ",\n" },
                format_json_line(preset, &device.report().name, seconds, &verdicts)?
            );
            is_first = false;
            continue;
        }
        println!("{} ({seconds:.1} s)", preset.slug);
        for verdict in verdicts {
            println!("  {} {}", if verdict.holds { "yes" } else { "NO " }, verdict.text);
        }
    }
    if arguments.format == DescriptionFormat::Json {
        println!("{}", if is_first { "[]" } else { "\n]" });
    }
    if broken > 0 {
        return Err(anyhow::anyhow!("{broken} expected results were not found").into());
    }
    Ok(())
}
