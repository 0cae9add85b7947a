//! Functions that several commands share: reading links and files, finding presets, opening devices, progress
//! bars.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::CommandError;
use vivarium_core::settings::InvalidSetting;
use vivarium_labs::find_preset;
use vivarium_model::permalink::{Link, TEACHER_KEYS, decode_within};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::run::cells::MAX_PAGE_SWEEP_RUNS;
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_model::tasks::Task;
use vivarium_training::launch::choose::{Engine, engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_view::presets::Preset;
use vivarium_view::record::{RunFile, dataset};

/// Finds presets by their slugs, in the order of `names`.
///
/// # Errors
/// [`CommandError::BadLink`] if there is no preset with a name.
pub fn find_presets(names: &[String]) -> Result<Vec<&'static Preset>, CommandError> {
    let missing = |name: &String| format!("there is no preset {name}; `lab list` lists all presets");
    names.iter().map(|name| find_preset(name).ok_or_else(|| CommandError::bad_link(missing(name)))).collect()
}

/// Reads a link, the name of a preset, or the link in a file of a run or of weights.
///
/// # Errors
/// [`CommandError::BadLink`] with a sentence for each part that cannot be read, or the error in the file.
pub fn read_link(text: &str) -> Result<Link, CommandError> {
    read_link_within(text, MAX_PAGE_SWEEP_RUNS)
}

/// Reads a link as [`read_link`] does, for a sweep of up to `max_runs` runs.
///
/// # Errors
/// As [`read_link`].
pub fn read_link_within(text: &str, max_runs: usize) -> Result<Link, CommandError> {
    let (link, bad) = parse_link(text, max_runs)?;
    require_readable(link, &bad)
}

/// The link, if no part of it is unreadable.
///
/// # Errors
/// [`CommandError::BadLink`] with a sentence for each unreadable part.
pub fn require_readable(link: Link, unreadable: &[InvalidSetting]) -> Result<Link, CommandError> {
    if unreadable.is_empty() {
        Ok(link)
    } else {
        Err(CommandError::BadLink(unreadable.iter().map(InvalidSetting::to_string).collect()))
    }
}

/// Reads a link, the name of a preset, or a file of a run or of weights, for a sweep of up to `max_runs`
/// runs. Returns the link and its parts that could not be read.
///
/// # Errors
/// The error in the file.
pub fn parse_link(text: &str, max_runs: usize) -> Result<(Link, Vec<InvalidSetting>), CommandError> {
    if let Some(preset) = find_preset(text) {
        return Ok((preset.link(), vec![]));
    }
    if let Some(file) = read_run_file(text)? {
        let link = match file {
            RunFile::Run(record) => record.link,
            RunFile::Weights(header) => Link::from_spec(header.spec),
        };
        return Ok((link, vec![]));
    }
    let (link, notices) = decode_within(&add_table_key(text), max_runs);
    let kept = |notice: &InvalidSetting| {
        TEACHER_KEYS.contains(&notice.key.as_str()) && link.teacher_keys.iter().any(|r| r.0 == notice.key)
    };
    let bad = notices.into_iter().filter(|notice| !kept(notice)).collect();
    Ok((link, bad))
}

/// Number of the CSV table that this process opened, the value of the key `csv` in links; empty before a
/// table is opened.
static OPENED_TABLE: OnceLock<u64> = OnceLock::new();

/// Opens the CSV file at `path` as the table of runs on tables; `label` is the name of the column with the
/// labels, or None to choose it by the usual names.
///
/// # Errors
/// When the file cannot be read or parsed, or has no such column.
#[expect(clippy::print_stderr, reason = "what is left out of a file is said where it is read")]
pub fn open_table(path: &Path, label: Option<&str>) -> Result<(), anyhow::Error> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let read = |label| {
        dataset::read_bytes(&bytes, label).map_err(|flaw| anyhow::anyhow!("{}: {flaw}", path.display()))
    };
    let mut table = read(None)?;
    if let Some(name) = label {
        let column = table.all.iter().position(|other| other == name);
        let column = column.with_context(|| {
            format!("{} has no column {name}; its columns are {}", path.display(), table.all.join(", "))
        })?;
        table = read(Some(column))?;
    }
    table.notes.iter().for_each(|note| eprintln!("{note}"));
    // A command opens at most one table.
    let _ = OPENED_TABLE.set(table.table.register());
    Ok(())
}

/// The link `text` with the number of the opened table, if the link is for runs on tables and names no table.
fn add_table_key(text: &str) -> String {
    // Tasks with a setting for the number of a table.
    let mut readers =
        Task::ENTRIES.iter().filter(|task| task.settings.iter().any(|setting| setting.key == "csv"));
    let reads_one = readers.any(|task| text.starts_with(&format!("#v1/{}", task.info.slug)));
    match OPENED_TABLE.get() {
        Some(number) if reads_one && !text.contains("csv=") => {
            let sign = if text.contains('?') { '&' } else { '?' };
            let source = if text.contains("data=own") { "" } else { "data=own&" };
            format!("{text}{sign}{source}csv={number}")
        }
        _ => text.into(),
    }
}

/// Reads the file at `path` with a run or with weights; None if there is no such file.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_run_file(path: &str) -> Result<Option<RunFile>, CommandError> {
    if !std::path::Path::new(path).is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
    let file = RunFile::read(&bytes).map_err(|flaw| anyhow::anyhow!("{path} cannot be opened: {flaw}"))?;
    Ok(Some(file))
}

/// A sentence for the user if the run in a file began with other weights than those that its link draws; None
/// otherwise, and for links and presets.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn describe_other_start(path: &str) -> Result<Option<String>, CommandError> {
    let file = if find_preset(path).is_some() { None } else { read_run_file(path)? };
    let weights = match file {
        None => return Ok(None),
        Some(RunFile::Run(record)) => record.environment.weights_file,
        Some(RunFile::Weights(header)) => header.initial_weights_file[0].clone(),
    };
    let told = || {
        format!(
            "The run in {path} began with the weights in {weights}. The run of its link is trained instead, with initial \
             weights drawn from the seed of the link."
        )
    };
    Ok((!weights.is_empty()).then(told))
}

/// Sets the setting `key` of a run to the value `text` of a command-line argument.
///
/// # Errors
/// [`CommandError::BadLink`] when the value is invalid, or does not fit the other settings.
pub fn override_setting(spec: &mut RunSpec, key: &str, text: &str) -> Result<(), CommandError> {
    let bad = |problem: &InvalidSetting| CommandError::bad_link(problem.to_string());
    spec.parse(key, text).map_err(|problem| bad(&problem))?;
    spec.invalid_settings().first().map_or(Ok(()), |problem| Err(bad(problem)))
}

/// Opens the device that the run asks for; `Auto` chooses a GPU if there is one and the run is faster on it.
///
/// # Errors
/// When a GPU is required and there is none, or it computes wrong numbers.
pub fn open_device(spec: &RunSpec) -> Result<Device, CommandError> {
    // A simulated GPU would not be chosen either.
    let nowhere = spec.run.device == DeviceChoice::Auto && !may_have_gpu();
    if nowhere || !prefers_gpu(spec) {
        return Ok(Device::cpu());
    }
    match pollster::block_on(checked_gpu(&[engine(spec).0])) {
        Ok(gpu) if spec.run.device == DeviceChoice::Gpu || !gpu.report().simulated => Ok(gpu),
        Ok(_) => Ok(Device::cpu()),
        Err(failure) if spec.run.device == DeviceChoice::Gpu => Err(failure.into()),
        Err(_) => Ok(Device::cpu()),
    }
}

/// Cache of opened devices, so that a GPU is checked only once for several runs.
#[derive(Default)]
pub struct DeviceCache(Vec<(DeviceKey, Device)>);

/// Key of a cached device: whether the run prefers a GPU, and the engine (own kernels or autodiff) that
/// trains the run.
type DeviceKey = (bool, Engine);

impl DeviceCache {
    /// The device of the run, opened by [`open_device`] the first time.
    ///
    /// # Errors
    /// As [`open_device`].
    pub fn find_or_open(&mut self, spec: &RunSpec) -> Result<Device, CommandError> {
        let wish = (prefers_gpu(spec), engine(spec).0);
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == wish) {
            return Ok(known.clone());
        }
        let device = open_device(spec)?;
        self.0.push((wish, device.clone()));
        Ok(device)
    }

    /// Names of the opened devices, in alphabetical order, without duplicates.
    pub fn device_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(_, device)| device.report().name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Progress bar over `length` training steps, on standard error; invisible if `is_hidden` or without a
/// terminal.
pub fn step_bar(length: u64, is_hidden: bool) -> ProgressBar {
    build_bar("{bar:30} {human_pos} of {human_len} steps, {per_sec}, {eta} left {msg}", length, is_hidden)
}

/// Progress bar over the `length` runs of a sweep, without a rate, on standard error; invisible if
/// `is_hidden`.
pub fn run_bar(length: u64, is_hidden: bool) -> ProgressBar {
    build_bar("{bar:30} {human_pos} of {human_len} runs {msg}", length, is_hidden)
}

/// Progress bar over the `length` runs of a sweep with runs per second and remaining time, on standard error;
/// invisible if `is_hidden`.
pub fn sweep_bar(length: u64, is_hidden: bool) -> ProgressBar {
    build_bar("{bar:30} {human_pos} of {human_len} runs, {per_sec}, {eta} left", length, is_hidden)
}

/// A progress bar of `length` steps or runs; `style` is a template of the crate `indicatif`.
fn build_bar(style: &str, length: u64, is_hidden: bool) -> ProgressBar {
    if is_hidden {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys without an effect are kept as they are; meaningless ones are refused.
    #[test]
    fn a_teachers_keys_are_kept_or_refused() {
        let kept = read_link("#v1/sparse-parity?axes=0_1").unwrap();
        assert_eq!(kept.teacher_keys, [("axes".to_string(), "0_1".to_string())]);
        for (part, begins) in [("at=soon", "at = soon: "), ("embed=maybe", "embed = maybe: ")] {
            let said = read_link(&format!("#v1/sparse-parity?{part}&axes=0_1")).unwrap_err().to_string();
            assert!(said.starts_with(begins) && said.lines().count() == 1, "{said}");
        }
    }
}
