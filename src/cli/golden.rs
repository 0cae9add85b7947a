//! `lab golden`: compares the presets' first steps with recorded runs, so that no change of the numbers goes
//! unnoticed. Of a sweep, the first run is recorded.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::{CommandError, LARGE_PRESETS};
use vivarium_kernels::plan::Network;
use vivarium_labs::PRESETS;
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_model::sweep::cells;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};
use vivarium_view::presets::Preset;

/// Command-line arguments of `lab golden`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Presets to compare. Without names: all presets.
    presets: Vec<String>,
    /// Replace the records that differ. Give the reason in the commit message.
    #[arg(long)]
    bless: bool,
    /// Folder of the recorded runs.
    #[arg(long, default_value = "tests/golden/runs")]
    folder: PathBuf,
}

/// A recorded run of a preset: the first losses of the first replica, and the step at which this replica
/// reached the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenRun {
    /// Link of the preset whose run, or whose sweep's first run, is recorded.
    pub link: String,
    /// Device on which the run was recorded: `flex` stands for the CPU.
    pub device: String,
    /// Training steps at which the losses were recorded, ascending.
    pub steps: Vec<u64>,
    /// Training loss of the first replica at each of the recorded steps, on the batch of that step.
    pub train_loss: Vec<f32>,
    /// Held-out loss of the first replica before each of the recorded steps.
    pub test_loss: Vec<f32>,
    /// Step at which the first replica reached the target accuracy, 0 if never; None where the whole run
    /// takes too long to record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<u64>,
}

/// Largest relative difference between a recorded loss and the new one: on CPUs with other vector widths,
/// sums are rounded differently.
pub const LOSS_TOLERANCE: f32 = 1e-4;
/// Largest relative difference between the recorded step at which the target was reached and the new one:
/// rounding differences grow along a run.
pub const SOLVED_STEP_TOLERANCE: f64 = 0.25;

/// A run of at most this many floating-point operations is recorded to its end, which takes about a second;
/// of larger runs only the first 20 steps are recorded.
const MAX_WHOLE_RUN_FLOPS: f64 = 6e10;
/// Lower bound on the floating-point operations that are counted for a training step through autodiff: as
/// many as our own kernels compute in the time of autodiff's smallest step.
const MIN_AUTODIFF_STEP_FLOPS: f64 = 5e6;

/// Whether a run is recorded to its end, and not only its first 20 steps.
fn is_recorded_whole(spec: &RunSpec) -> bool {
    let least = if Network::of(spec).is_ok() { 0.0 } else { MIN_AUTODIFF_STEP_FLOPS };
    spec.step_flops().max(least) * spec.run.steps as f64 <= MAX_WHOLE_RUN_FLOPS
}

/// Training steps at which train loss and held-out loss of a preset are recorded; 0 is before the first
/// update.
const RECORDED_STEPS: [u64; 6] = [0, 1, 2, 5, 10, 20];

/// Path of the TOML file in `folder` with the recorded run of a preset.
pub fn golden_path(folder: &Path, preset: &Preset) -> PathBuf {
    folder.join(format!("{}.toml", preset.slug))
}

impl GoldenRun {
    /// Runs the preset, or the first run of its sweep, on the CPU and records it.
    ///
    /// # Errors
    /// As `Session::finish`.
    pub fn record(preset: &Preset) -> Result<GoldenRun, CommandError> {
        let spec = cells(&preset.link().spec).into_iter().next().map_or(preset.link().spec, |cell| cell.spec);
        let mut first = spec.clone();
        (first.run.every, first.run.steps, first.run.halt) = (1, 20, StopCondition::Steps);
        let device = Device::cpu();
        let early = pollster::block_on(Session::start(&first, &device, Options::default())?.finish(|_| {}))?;
        let whole = match is_recorded_whole(&spec) {
            true => {
                Some(pollster::block_on(Session::start(&spec, &device, Options::default())?.finish(|_| {}))?)
            }
            false => None,
        };
        let at = |of: fn(&vivarium_model::protocol::Measurement) -> f32| {
            RECORDED_STEPS.iter().map(|s| of(&early.rows[*s as usize])).collect()
        };
        Ok(GoldenRun {
            link: preset.link.to_string(),
            device: "flex".into(),
            steps: RECORDED_STEPS.to_vec(),
            train_loss: at(|row| row.train_loss[0]),
            test_loss: at(|row| row.test_loss[0]),
            solved: whole.map(|whole| whole.solved[0].unwrap_or(0)),
        })
    }

    /// Reads a recorded run from a TOML file.
    ///
    /// # Errors
    /// When there is none or it is damaged.
    pub fn read(path: &Path) -> Result<GoldenRun, anyhow::Error> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    /// A sentence for each loss, link or target step of `new_run` that differs from this record by more than
    /// the tolerances.
    pub fn describe_differences(&self, new_run: &GoldenRun) -> Vec<String> {
        let mut lines = vec![];
        if self.link != new_run.link {
            lines.push(format!("link: recorded {}, now {}", self.link, new_run.link));
        }
        for (name, old, new) in [
            ("train loss", &self.train_loss, &new_run.train_loss),
            ("test loss", &self.test_loss, &new_run.test_loss),
        ] {
            for ((step, a), b) in self.steps.iter().zip(old).zip(new) {
                let is_same = (a - b).abs() <= LOSS_TOLERANCE * a.abs().max(1e-3);
                if !is_same {
                    lines.push(format!("{name} at step {step}: recorded {a}, now {b}"));
                }
            }
        }
        match (self.solved, new_run.solved) {
            (Some(old), Some(new))
                if (old as f64 - new as f64).abs() <= SOLVED_STEP_TOLERANCE * old as f64 => {}
            (None, None) => {}
            (old, new) => lines.push(format!("solved at step {old:?}, now {new:?}")),
        }
        lines
    }
}

/// Runs `lab golden`: trains presets again and compares them with their recorded runs.
///
/// # Errors
/// When a run differs from its record and is not blessed.
pub fn golden(arguments: &Arguments) -> Result<(), CommandError> {
    let mut differing = 0;
    let chosen =
        |p: &&Preset| arguments.presets.is_empty() || arguments.presets.iter().any(|name| name == p.slug);
    for preset in PRESETS.iter().filter(|p| !LARGE_PRESETS.contains(&p.slug)).filter(chosen) {
        let path = golden_path(&arguments.folder, preset);
        let now = GoldenRun::record(preset)?;
        let lines = match GoldenRun::read(&path) {
            Ok(old) => old.describe_differences(&now),
            Err(error) => vec![format!("{error:#}")],
        };
        println!(
            "{}: {}",
            preset.slug,
            if lines.is_empty() { "as recorded".into() } else { lines.join("; ") }
        );
        if arguments.bless && !lines.is_empty() {
            let text = toml::to_string(&now).context("cannot write TOML")?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        } else {
            differing += usize::from(!lines.is_empty());
        }
    }
    if differing > 0 {
        return Err(anyhow::anyhow!(
            "{differing} presets differ from their records; --bless replaces these records"
        )
        .into());
    }
    Ok(())
}
