//! What the commands have in common: reading a link or a preset's name, and opening a device.

use indicatif::{ProgressBar, ProgressStyle};

use super::Trouble;
use crate::permalink::{Link, RESERVED, decode};
use crate::presets::Preset;
use crate::run::{DeviceChoice, RunSpec};
use crate::settings::Problem;
use crate::training::check::checked_gpu;
use crate::training::choose::{engine, prefers_gpu};
use crate::training::device::Device;

/// The run behind a link or a preset's name.
///
/// # Errors
/// [`Trouble::BadLink`] with a sentence for each part that cannot be read.
pub fn link(text: &str) -> Result<Link, Trouble> {
    if let Some(preset) = Preset::find(text) {
        return Ok(preset.link());
    }
    let (link, notices) = decode(text);
    let kept = |notice: &Problem| {
        RESERVED.contains(&notice.key.as_str()) && link.reserved.iter().any(|r| r.0 == notice.key)
    };
    let bad: Vec<String> = notices.iter().filter(|n| !kept(n)).map(Problem::to_string).collect();
    if bad.is_empty() { Ok(link) } else { Err(Trouble::BadLink(bad)) }
}

/// The device that the run asks for; `Auto` takes the GPU where it is worth it and there is one.
///
/// # Errors
/// When a GPU was asked for and there is none, or it gives wrong numbers.
pub fn device(spec: &RunSpec) -> Result<Device, Trouble> {
    if !prefers_gpu(spec) {
        return Ok(Device::cpu());
    }
    match pollster::block_on(checked_gpu(&[engine(spec).0])) {
        Ok(gpu) if spec.run.device == DeviceChoice::Gpu || !gpu.report().simulated => Ok(gpu),
        Ok(_) => Ok(Device::cpu()),
        Err(failure) if spec.run.device == DeviceChoice::Gpu => Err(failure.into()),
        Err(_) => Ok(Device::cpu()),
    }
}

/// A bar on the error stream, so that metrics can be piped away; hidden where nobody watches.
pub fn bar(steps: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    let style = "{bar:30} {human_pos} of {human_len} steps, {per_sec}, {eta} left {msg}";
    bar.with_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
