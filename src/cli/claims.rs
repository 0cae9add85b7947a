//! `lab claims`: the presets' claims, each with what was found.

#![expect(clippy::print_stdout, reason = "this command prints")]

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::print::Described;
use super::science::{Networks, Verdict, expectation};
use super::{Trouble, open, science};
use vivarium_labs::PRESETS;
use vivarium_model::platform::now_ms;
use vivarium_view::presets::Preset;

/// What `lab claims` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Presets to check. Without names: all presets except those that need a GPU or take hours.
    presets: Vec<String>,
    /// Check on the GPU if there is one.
    #[arg(long)]
    gpu: bool,
    /// How results are printed. JSON has the value of every network.
    #[arg(long, value_enum, default_value = "text")]
    format: Described,
}

/// A preset with what was found of its claim, as JSON.
#[derive(Serialize)]
struct Checked<'a> {
    preset: &'a str,
    claim: &'a str,
    source: &'a str,
    link: &'a str,
    device: &'a str,
    seconds: f64,
    /// Whether all of it holds.
    holds: bool,
    results: Vec<Judged<'a>>,
}

/// One expectation of a claim, as JSON.
#[derive(Serialize)]
struct Judged<'a> {
    /// The expectation, as `lab list --format json` has it.
    expect: Value,
    holds: bool,
    found: Option<f64>,
    text: &'a str,
    runs: &'a [Networks],
}

/// A line of JSON for this preset.
fn line(preset: &Preset, device: &str, seconds: f64, verdicts: &[Verdict]) -> Result<String, Trouble> {
    let judged = preset.expect.iter().zip(verdicts).map(|(expect, verdict)| Judged {
        expect: expectation(expect),
        holds: verdict.holds,
        found: verdict.found,
        text: &verdict.text,
        runs: &verdict.networks,
    });
    let checked = Checked {
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

/// Presets too large for a processor: they are checked where they are named.
pub const LARGE: &[&str] =
    &["transformer-full", "scaling-full", "z71", "s5", "grokking-113", "unigrams-in-the-way"];

/// Presets whose claims take hours on a processor, with twenty networks each: they too are checked where they are named.
/// Their first steps are quick, so that they have recorded runs.
pub const LONG: &[&str] = &["paper-mlp", "paper-gru"];

/// Whether the preset is checked although it is not named.
pub fn is_affordable(preset: &Preset) -> bool {
    !LARGE.contains(&preset.slug) && !LONG.contains(&preset.slug)
}

/// Runs `lab claims`.
///
/// # Errors
/// When a claim does not hold, or a device stops working.
pub fn claims(arguments: &Arguments) -> Result<(), Trouble> {
    let named = &arguments.presets;
    open::presets(named)?;
    let chosen = PRESETS.iter().filter(|p| {
        if named.is_empty() { is_affordable(p) } else { named.iter().any(|name| name == p.slug) }
    });
    let (mut broken, mut is_first) = (0, true);
    for preset in chosen {
        let begin = now_ms();
        let mut spec = preset.link().spec;
        spec.parse("device", if arguments.gpu { "gpu" } else { "cpu" })
            .map_err(|problem| Trouble::bad(problem.to_string()))?;
        let device = open::device(&spec)?;
        let verdicts = science::check(preset, &device)?;
        let seconds = (now_ms() - begin) / 1e3;
        broken += verdicts.iter().filter(|verdict| !verdict.holds).count();
        if arguments.format == Described::Json {
            // As each preset is ready: whoever stops the command has the lines before.
            print!(
                "{}{}",
                if is_first { "[\n" } else { ",\n" },
                line(preset, &device.report().name, seconds, &verdicts)?
            );
            is_first = false;
            continue;
        }
        println!("{} ({seconds:.1} s)", preset.slug);
        for verdict in verdicts {
            println!("  {} {}", if verdict.holds { "yes" } else { "NO " }, verdict.text);
        }
    }
    if arguments.format == Described::Json {
        println!("{}", if is_first { "[]" } else { "\n]" });
    }
    if broken > 0 {
        return Err(anyhow::anyhow!("{broken} expected results were not found").into());
    }
    Ok(())
}
