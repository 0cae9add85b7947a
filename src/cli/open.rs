//! What the commands have in common: reading a link or a preset's name, and opening a device.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::Trouble;
use vivarium_core::settings::Problem;
use vivarium_labs::find;
use vivarium_model::permalink::{Link, RESERVED, decode_within};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::run::cells::MOST_CELLS;
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_model::tasks::Task;
use vivarium_training::launch::choose::{Engine, engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_view::presets::Preset;
use vivarium_view::record::{File, dataset};

/// The presets of these names, in their order.
///
/// # Errors
/// [`Trouble::BadLink`] where there is none of a name.
pub fn presets(names: &[String]) -> Result<Vec<&'static Preset>, Trouble> {
    let missing = |name: &String| format!("there is no preset {name}; `lab list` lists all presets");
    names.iter().map(|name| find(name).ok_or_else(|| Trouble::bad(missing(name)))).collect()
}

/// The run behind a link, a preset's name, or a file of a run or of weights.
///
/// # Errors
/// [`Trouble::BadLink`] with a sentence for each part that cannot be read, or what is wrong with the file.
pub fn link(text: &str) -> Result<Link, Trouble> {
    link_within(text, MOST_CELLS)
}

/// The same where a sweep may stand for up to `most` runs.
///
/// # Errors
/// As [`link`].
pub fn link_within(text: &str, most: usize) -> Result<Link, Trouble> {
    let (link, bad) = read(text, most)?;
    all_read(link, &bad)
}

/// The link, unless parts of it cannot be read.
///
/// # Errors
/// [`Trouble::BadLink`] with a sentence for each of these parts.
pub fn all_read(link: Link, bad: &[Problem]) -> Result<Link, Trouble> {
    if bad.is_empty() {
        Ok(link)
    } else {
        Err(Trouble::BadLink(bad.iter().map(Problem::to_string).collect()))
    }
}

/// What can be read of a link, and the parts that cannot be.
///
/// # Errors
/// What is wrong with a file.
pub fn read(text: &str, most: usize) -> Result<(Link, Vec<Problem>), Trouble> {
    if let Some(preset) = find(text) {
        return Ok((preset.link(), vec![]));
    }
    if let Some(file) = file(text)? {
        let link = match file {
            File::Run(record) => record.link,
            File::Weights(header) => Link::of(header.spec),
        };
        return Ok((link, vec![]));
    }
    let (link, notices) = decode_within(&with_table(text), most);
    let kept = |notice: &Problem| {
        RESERVED.contains(&notice.key.as_str()) && link.reserved.iter().any(|r| r.0 == notice.key)
    };
    let bad = notices.into_iter().filter(|notice| !kept(notice)).collect();
    Ok((link, bad))
}

/// The number of the table that was opened.
static TABLE: OnceLock<u64> = OnceLock::new();

/// Opens a CSV file, with the column of that name as its label, for runs on tables.
///
/// # Errors
/// What is wrong with it.
#[expect(clippy::print_stderr, reason = "what is left out of a file is said where it is read")]
pub fn table(path: &Path, label: Option<&str>) -> Result<(), anyhow::Error> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let read =
        |label| dataset::read(&bytes, label).map_err(|flaw| anyhow::anyhow!("{}: {flaw}", path.display()));
    let mut table = read(None)?;
    if let Some(name) = label {
        let column = table.all.iter().position(|other| other == name);
        let column = column.with_context(|| {
            format!("{} has no column {name}; its columns are {}", path.display(), table.all.join(", "))
        })?;
        table = read(Some(column))?;
    }
    table.notes.iter().for_each(|note| eprintln!("{note}"));
    // It is opened once.
    let _ = TABLE.set(table.table.open());
    Ok(())
}

/// The link, about the table that was opened if it names none.
fn with_table(text: &str) -> String {
    // Of the tasks, those with a setting for the number of a table.
    let mut readers = Task::ENTRIES.iter().filter(|task| task.knobs.iter().any(|knob| knob.key == "csv"));
    let reads_one = readers.any(|task| text.starts_with(&format!("#v1/{}", task.info.slug)));
    match TABLE.get() {
        Some(number) if reads_one && !text.contains("csv=") => {
            let sign = if text.contains('?') { '&' } else { '?' };
            let source = if text.contains("data=own") { "" } else { "data=own&" };
            format!("{text}{sign}{source}csv={number}")
        }
        _ => text.into(),
    }
}

/// The file of that name, if there is one.
///
/// # Errors
/// What is wrong with it.
pub fn file(path: &str) -> Result<Option<File>, Trouble> {
    if !std::path::Path::new(path).is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
    let file = File::read(&bytes).map_err(|flaw| anyhow::anyhow!("{path} cannot be opened: {flaw}"))?;
    Ok(Some(file))
}

/// What a person is told where only the link is taken of a file of a run or of weights, although the run began with other
/// weights than those that the link draws.
///
/// # Errors
/// What is wrong with the file.
pub fn other_start(path: &str) -> Result<Option<String>, Trouble> {
    let file = if find(path).is_some() { None } else { file(path)? };
    let weights = match file {
        None => return Ok(None),
        Some(File::Run(record)) => record.environment.weights,
        Some(File::Weights(header)) => header.initial[0].clone(),
    };
    let told = || {
        format!(
            "The run in {path} began with the weights in {weights}. The run of its link is trained instead, with initial \
             weights drawn from the seed of the link."
        )
    };
    Ok((!weights.is_empty()).then(told))
}

/// Takes what an argument says instead of the link.
///
/// # Errors
/// [`Trouble::BadLink`] when the setting cannot be that, or not together with the others.
pub fn set(spec: &mut RunSpec, key: &str, text: &str) -> Result<(), Trouble> {
    let bad = |problem: &Problem| Trouble::bad(problem.to_string());
    spec.parse(key, text).map_err(|problem| bad(&problem))?;
    spec.problems().first().map_or(Ok(()), |problem| Err(bad(problem)))
}

/// The device that the run asks for; `Auto` takes the GPU where it is worth it and there is one.
///
/// # Errors
/// When a GPU was asked for and there is none, or it gives wrong numbers.
pub fn device(spec: &RunSpec) -> Result<Device, Trouble> {
    // One that is only simulated would not be taken either.
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

/// The devices of several runs, each opened once: the trial of a GPU takes its time.
#[derive(Default)]
pub struct Devices(Vec<(Wish, Device)>);

/// What a device is chosen by.
type Wish = (bool, Engine);

impl Devices {
    /// As [`device`].
    ///
    /// # Errors
    /// As [`device`].
    pub fn device(&mut self, spec: &RunSpec) -> Result<Device, Trouble> {
        let wish = (prefers_gpu(spec), engine(spec).0);
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == wish) {
            return Ok(known.clone());
        }
        let device = device(spec)?;
        self.0.push((wish, device.clone()));
        Ok(device)
    }

    /// The names of those that were opened, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(_, device)| device.report().name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A bar on the error stream, so that metrics can be piped away; hidden where nobody watches.
pub fn bar(length: u64, quiet: bool) -> ProgressBar {
    styled("{bar:30} {human_pos} of {human_len} steps, {per_sec}, {eta} left {msg}", length, quiet)
}

/// The same for the runs of a sweep, which are too slow to be counted by the second.
pub fn bar_of_runs(length: u64, quiet: bool) -> ProgressBar {
    styled("{bar:30} {human_pos} of {human_len} runs {msg}", length, quiet)
}

/// The same with the time that is left, for a sweep on all cores.
pub fn bar_of_sweep(length: u64, quiet: bool) -> ProgressBar {
    styled("{bar:30} {human_pos} of {human_len} runs, {per_sec}, {eta} left", length, quiet)
}

fn styled(style: &str, length: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has no effect yet is kept as it stands; what means nothing is refused.
    #[test]
    fn a_teachers_keys_are_kept_or_refused() {
        let kept = link("#v1/sparse-parity?axes=0_1").unwrap();
        assert_eq!(kept.reserved, [("axes".to_string(), "0_1".to_string())]);
        for (part, begins) in [("at=soon", "at = soon: "), ("embed=maybe", "embed = maybe: ")] {
            let said = link(&format!("#v1/sparse-parity?{part}&axes=0_1")).unwrap_err().to_string();
            assert!(said.starts_with(begins) && said.lines().count() == 1, "{said}");
        }
    }
}
