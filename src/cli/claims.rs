//! `lab claims`: the presets' claims, each with what was found.

#![expect(clippy::print_stdout, reason = "this command prints")]

use clap::Args;

use super::{Trouble, open, science};
use crate::labs::PRESETS;
use crate::platform::now_ms;
use crate::presets::Preset;

/// What `lab claims` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Presets to check. Without names: all presets except those that need a GPU or take hours.
    presets: Vec<String>,
    /// Check on the GPU if there is one.
    #[arg(long)]
    gpu: bool,
}

/// Presets too large for a processor: they are checked where they are named.
pub const LARGE: &[&str] = &[
    "transformer-full",
    "scaling-full",
    "z71",
    "s5",
    "grokking-113",
    "unigrams-in-the-way",
    "transformer-parity",
];

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
    let unknown = named.iter().find(|name| PRESETS.iter().all(|p| p.slug != name.as_str()));
    if let Some(name) = unknown {
        return Err(Trouble::BadLink(vec![format!(
            "there is no preset {name}; `lab list` lists all presets"
        )]));
    }
    let chosen = PRESETS.iter().filter(|p| {
        if named.is_empty() { is_affordable(p) } else { named.iter().any(|name| name == p.slug) }
    });
    let mut broken = 0;
    for preset in chosen {
        let begin = now_ms();
        let mut spec = preset.link().spec;
        spec.parse("device", if arguments.gpu { "gpu" } else { "cpu" })
            .map_err(|problem| Trouble::BadLink(vec![problem.to_string()]))?;
        let verdicts = science::check(preset, &open::device(&spec)?)?;
        println!("{} ({:.1} s)", preset.slug, (now_ms() - begin) / 1e3);
        for verdict in verdicts {
            println!("  {} {}", if verdict.holds { "yes" } else { "NO " }, verdict.text);
            broken += usize::from(!verdict.holds);
        }
    }
    if broken > 0 {
        return Err(anyhow::anyhow!("{broken} expected results were not found").into());
    }
    Ok(())
}
