//! Functions that several commands share: reading links and files, finding presets, opening devices, progress
//! bars.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::CommandError;
use vivarium_core::settings::InvalidSetting;
use vivarium_labs::find_preset;
use vivarium_model::permalink::{Link, TEACHER_KEYS, decode_on_table, decode_within, encode};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::run::cells::MAX_PAGE_SWEEP_RUNS;
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_training::launch::choose::{Engine, engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_view::presets::Preset;
use vivarium_view::record::dataset::{self, TableChoices};
use vivarium_view::record::head::MAX_FILE_BYTES;
use vivarium_view::record::{FileError, RunFile};

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
/// runs. Returns the link and its parts that could not be read. If the process has opened a table, runs on
/// tables train on it.
///
/// # Errors
/// The error in the file.
#[expect(clippy::print_stderr, reason = "a table that a run does not use is reported where the run is read")]
pub fn parse_link(text: &str, max_runs: usize) -> Result<(Link, Vec<InvalidSetting>), CommandError> {
    let table = OPENED_TABLE.get();
    let (link, bad) = parse_link_on(text, max_runs, table)?;
    if let Some(table) = table.filter(|_| !trains_on_table(&link)) {
        /// Set once the sentence is printed; a command may read its link twice.
        static IS_REPORTED: OnceLock<()> = OnceLock::new();
        if IS_REPORTED.set(()).is_ok() {
            eprintln!("The run of this link does not train on a table; it does not use {}.", table.name());
        }
    }
    Ok((link, bad))
}

/// Whether the run of a link trains on a table.
pub fn trains_on_table(link: &Link) -> bool {
    link.spec.task.config().can_use_uploaded_data()
}

/// Reads a link as [`parse_link`] does. A run on tables trains on `table`, if one is given, unless the link names
/// another table.
///
/// # Errors
/// The error in the file, or [`CommandError::BadLink`] if the link is the file of a run on a generated table.
pub fn parse_link_on(
    text: &str,
    max_runs: usize,
    table: Option<&OpenedTable>,
) -> Result<(Link, Vec<InvalidSetting>), CommandError> {
    if let Some(preset) = find_preset(text) {
        let link = preset.link();
        let table = table.filter(|_| trains_on_table(&link));
        return Ok(match table {
            Some(table) => decode_on_table(&encode(&link), max_runs, Some(table.number)),
            None => (link, vec![]),
        });
    }
    if let Some(link) = read_file_link(text, table)? {
        return Ok((link, vec![]));
    }
    check_quotation_marks(text)?;
    if let Some(table) = table
        && let Some(number) = decode_within(text, max_runs).0.spec.task.config().named_data_id()
        && number != table.number
    {
        table.register_all_readings();
    }
    let (link, notices) = decode_on_table(text, max_runs, table.map(|table| table.number));
    let kept = |notice: &InvalidSetting| {
        TEACHER_KEYS.contains(&notice.key.as_str()) && link.teacher_keys.iter().any(|r| r.0 == notice.key)
    };
    let bad = notices.into_iter().filter(|notice| !kept(notice)).collect();
    Ok((link, bad))
}

/// The link in the file at `path` with a run or with weights; None if there is no such file. A file of a run on
/// a table needs this table.
fn read_file_link(path: &str, table: Option<&OpenedTable>) -> Result<Option<Link>, CommandError> {
    let mut file = read_run_file(path);
    if let Some(table) = table.filter(|_| file.is_err()) {
        // The run may be on a table that other choices give.
        table.register_all_readings();
        file = read_run_file(path);
    }
    let link = match file? {
        None => return Ok(None),
        Some(RunFile::Run(record)) => record.link,
        Some(RunFile::Weights(header)) => Link::from_spec(header.spec),
    };
    let task = link.spec.task.config();
    if table.is_some() && task.can_use_uploaded_data() && task.uploaded_data_id().is_none() {
        let sentence =
            format!("{path} is the file of a run on a generated table, so --table has no effect with it");
        return Err(CommandError::bad_link(sentence));
    }
    Ok(Some(link))
}

/// Checks that no quotation mark stands before a link: the command prompt of Windows passes single quotation
/// marks on, and ends the link at its first "&".
///
/// # Errors
/// [`CommandError::BadLink`] with the way to quote a link.
pub fn check_quotation_marks(text: &str) -> Result<(), CommandError> {
    let first = text.trim_start().chars().next().filter(|sign| "'\"`‘’“”".contains(*sign));
    match first {
        None => Ok(()),
        Some(sign) => Err(CommandError::bad_link(format!(
            "The link begins with the quotation mark {sign}, which is no part of it. Write the link between straight double \
             quotation marks, which every shell removes: lab run \"#v1/…\""
        ))),
    }
}

/// CSV table that this process opened for its links; empty before a table is opened.
static OPENED_TABLE: OnceLock<OpenedTable> = OnceLock::new();

/// Contents of a CSV file: a path, or its bytes.
#[derive(Debug, Clone)]
pub enum TableSource {
    /// Path of the file.
    Path(PathBuf),
    /// Bytes of a table that another program has written as CSV.
    Bytes(Vec<u8>),
}

/// CSV table that is open in this process, so that runs can train on it.
#[derive(Debug, Clone)]
pub struct OpenedTable {
    /// File of the table.
    source: TableSource,
    /// Choices by which the table is read, with the label.
    choices: TableChoices,
    /// Number of the table, the value of the key `csv` in links.
    pub number: u64,
    /// Sentences on what was left out or assumed.
    pub notes: Vec<String>,
}

impl OpenedTable {
    /// Reads a CSV file; `label` is the name of the column with the labels, or None to choose it by the usual names.
    ///
    /// # Errors
    /// When the file cannot be read or parsed, or has no such column.
    pub fn open(
        source: TableSource,
        label: Option<&str>,
        choices: TableChoices,
    ) -> Result<OpenedTable, anyhow::Error> {
        let (bytes, name) = (source.read()?, source.name());
        let mut choices = choices;
        if let Some(label) = label {
            let names = dataset::read_names(&bytes[..], &choices)
                .map_err(|flaw| anyhow::anyhow!("{name}: {flaw}"))?;
            let column = dataset::find_column(&names, label).map_err(|same| match same.is_empty() {
                true => anyhow::anyhow!("{name} has no column {label}; its columns are {}", names.join(", ")),
                false => {
                    let same: Vec<&str> = same.iter().map(|at| names[*at].as_str()).collect();
                    anyhow::anyhow!(
                        "{name} has several columns {label}; choose one of them by its number: {}",
                        same.join(", ")
                    )
                }
            })?;
            choices.label = Some(column);
        }
        let table = dataset::read_with(&bytes[..], &choices).map_err(|flaw| match &flaw {
            FileError::Label(refused) => anyhow::anyhow!(
                "{name}: with the label {}, {flaw}. Choose another label with --label; the columns are {}",
                refused.all[refused.label],
                refused.all.join(", ")
            ),
            _ => anyhow::anyhow!("{name}: {flaw}"),
        })?;
        choices.label = Some(table.label);
        let (number, notes) = (table.number, table.notes);
        table.table.register_as(number);
        Ok(OpenedTable { source, choices, number, notes })
    }

    /// Name of the file, for sentences.
    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Registers all tables that the file and its label give by other choices and by the rules of earlier versions, so
    /// that a link to one of them can be read.
    fn register_all_readings(&self) {
        let Ok(bytes) = self.source.read() else { return };
        for choices in self.choices.variants() {
            if let Ok(table) = dataset::read_with(&bytes[..], &choices) {
                table.table.register_as(table.number);
            }
        }
    }
}

impl TableSource {
    /// Bytes of the CSV file.
    fn read(&self) -> Result<Cow<'_, [u8]>, anyhow::Error> {
        match self {
            TableSource::Path(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
                Ok(bytes.into())
            }
            TableSource::Bytes(bytes) => Ok(bytes.into()),
        }
    }

    /// Name of the file, for sentences.
    fn name(&self) -> String {
        match self {
            TableSource::Path(path) => path.display().to_string(),
            TableSource::Bytes(_) => "the table".into(),
        }
    }
}

/// Path that stands for the standard input, as in other programs.
const STANDARD_INPUT: &str = "-";

/// Opens the CSV file at `path`, or the standard input if `path` is "-", as the table of runs on tables;
/// `label` is the name of the column with the labels, or None to choose a column by the usual names.
///
/// # Errors
/// When the file cannot be read or parsed, or has no such column.
#[expect(clippy::print_stderr, reason = "what is left out of a file is reported where the file is read")]
pub fn open_table(path: &Path, label: Option<&str>, choices: TableChoices) -> Result<(), anyhow::Error> {
    let source = match path == Path::new(STANDARD_INPUT) {
        true => {
            let mut bytes = vec![];
            let mut input = std::io::stdin().lock().take(MAX_FILE_BYTES + 1);
            input.read_to_end(&mut bytes).context("cannot read the standard input")?;
            anyhow::ensure!(
                bytes.len() as u64 <= MAX_FILE_BYTES,
                "the table has more than {} MiB",
                MAX_FILE_BYTES >> 20
            );
            TableSource::Bytes(bytes)
        }
        false => TableSource::Path(path.into()),
    };
    let table = OpenedTable::open(source, label, choices)?;
    table.notes.iter().for_each(|note| eprintln!("{note}"));
    // A command opens at most one table.
    let _ = OPENED_TABLE.set(table);
    Ok(())
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

    /// The command prompt of Windows passes a single quotation mark on, and ends the argument at "&".
    #[test]
    fn a_quotation_mark_before_a_link_is_refused() {
        for text in ["'#v1/sparse-parity?n=20", " “#v1/sparse-parity?n=20", "'#v1/sparse-parity'"] {
            let error = read_link(text).unwrap_err().to_string();
            assert!(error.contains("begins with the quotation mark"), "{error}");
        }
        assert!(read_link("#v1/sparse-parity?n=20").is_ok());
    }

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
