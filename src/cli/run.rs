//! `lab run`: trains a run and prints its metrics as a table, CSV or JSON; sweeps are in [`super::sweep`].

mod begin;
mod keep;

use std::path::PathBuf;

use clap::Args;

use begin::RunStart;

use super::disk::{Disk, SystemDisk, check_replaceable, replace_file};
use super::output::{CHECKPOINT_KEY, MetricsOutput, OutputMark};
use super::print::{MetricsFormat, NameVersion, SweepOutputOptions, describe_environment};
use super::rows::MeasurementPrinter;
use super::{CommandError, open, signals, sweep};
use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::Link;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{EndReason, Event};
use vivarium_plot::analysis::curves::median_range;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_training::session::{Options, Session};
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::record::{Record, TrainingEnvironment};

/// Command-line arguments of `lab run`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file of a run or of weights.
    link: String,
    /// Last training step, instead of the last step in the link. 0, together with --checkpoint, writes the initial weights
    /// and trains nothing.
    #[arg(long)]
    steps: Option<u64>,
    /// Device, instead of the device in the link: auto, cpu or gpu.
    #[arg(long)]
    device: Option<String>,
    /// Largest number of held-out examples in each measurement during the run. The page uses a limit on the CPU.
    #[arg(long, value_name = "EXAMPLES")]
    held_out: Option<usize>,
    /// How metrics are printed.
    #[arg(long, value_enum, default_value = "table")]
    format: MetricsFormat,
    /// Names of the measures in CSV and JSON. `old` writes the format of the previous version; the next version will not
    /// have this option.
    #[arg(long, value_enum, default_value = "new")]
    names: NameVersion,
    /// File for the metrics, instead of standard output. Until the run ends, the name of the file ends in .part.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Checkpoint: a file for the weights (safetensors), written every minute, on Ctrl-C and at the end.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints. Each checkpoint is written at the next measurement.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, requires = "checkpoint")]
    checkpoint_every: f64,
    /// Steps at which a further checkpoint is written, beside the one of --checkpoint: run.step-100.safetensors.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', requires = "checkpoint")]
    keep: Vec<u64>,
    /// Continue the run of this checkpoint. The link must state the same run: only its last step, its device and its
    /// charts may differ. The metrics file of the run is continued as well.
    #[arg(long, value_name = "FILE", conflicts_with = "weights")]
    resume: Option<PathBuf>,
    /// Begin the run of the link with the weights in this file (safetensors), and with an optimizer without memory. Names
    /// and shapes of the parameters must be those of the link's network.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Number of threads for a run on the processor; without it, one thread for each core. The numbers of the run are the
    /// same with any number of threads.
    #[arg(long)]
    threads: Option<usize>,
    /// No progress bar and no closing line.
    #[arg(long, short)]
    quiet: bool,
}

/// The link with the last step and the device of the arguments.
fn read_link(arguments: &Arguments) -> Result<Link, CommandError> {
    let mut link = open::read_link(&arguments.link)?;
    let spec = &mut link.spec;
    // `--steps 0` keeps the last step of the link.
    if let Some(steps) = arguments.steps.filter(|steps| *steps > 0) {
        open::override_setting(spec, "steps", &steps.to_string())?;
    }
    if let Some(device) = &arguments.device {
        open::override_setting(spec, "device", device)?;
    }
    Ok(link)
}

/// Checks that a sweep has no options that only a single run can have.
fn check_single_run_options(arguments: &Arguments) -> Result<(), CommandError> {
    let Arguments { checkpoint, resume, weights, .. } = arguments;
    let given = [("--checkpoint", checkpoint), ("--resume", resume), ("--weights", weights)];
    let sentence =
        |name: &str| format!("{name} can be used only with a single run, and this link is a sweep");
    let given = given.into_iter().filter(|(_, file)| file.is_some());
    let bad: Vec<String> = given.map(|(name, _)| sentence(name)).collect();
    if bad.is_empty() { Ok(()) } else { Err(CommandError::BadLink(bad)) }
}

/// Checks that `--steps 0` comes with `--checkpoint` and without `--resume`.
fn check_zero_steps(arguments: &Arguments) -> Result<(), CommandError> {
    let why = match (&arguments.checkpoint, &arguments.resume) {
        _ if !arguments.writes_only_initial() => return Ok(()),
        (None, _) => "--steps 0 trains nothing: name a file for the initial weights with --checkpoint",
        (_, Some(_)) => {
            "--steps 0 writes initial weights and --resume continues a run: use only one of the two"
        }
        _ => return Ok(()),
    };
    Err(CommandError::bad_link(why))
}

impl Arguments {
    /// Whether only the initial weights are written and nothing is trained (`--steps 0`).
    fn writes_only_initial(&self) -> bool {
        self.steps == Some(0)
    }
}

/// Length of the time slices in which `lab run` trains, and the clock that measures them.
#[derive(Debug, Clone, Copy)]
struct TrainingPace {
    /// Length of a time slice, in milliseconds of training; measurements are printed after each slice.
    slice_ms: f64,
    /// Largest number of training steps in a time slice; `u64::MAX` for no limit.
    max_steps: u64,
    /// Clock in milliseconds, which decides when a checkpoint is due and how long a stopped run goes on.
    now_ms: fn() -> f64,
}

/// Time slices of 50 ms by the clock of the system, without a limit on their steps.
const DEFAULT_PACE: TrainingPace = TrainingPace { slice_ms: 50.0, max_steps: u64::MAX, now_ms };

/// Milliseconds that a run stopped by a signal has to reach its next measurement; then it is saved at the
/// current step.
const STOP_GRACE_MS: f64 = 1000.0;

/// Runs `lab run`: trains a run or a sweep and prints its metrics.
///
/// # Errors
/// A bad link, no device, a file that cannot be written, or that it was stopped.
pub fn run(arguments: &Arguments) -> Result<(), CommandError> {
    signals::register_handlers()?;
    run_with_disk(arguments, &SystemDisk, DEFAULT_PACE)
}

/// Runs `lab run` with the file operations `disk` and the time slices `pace`.
fn run_with_disk(arguments: &Arguments, disk: &dyn Disk, pace: TrainingPace) -> Result<(), CommandError> {
    let link = read_link(arguments)?;
    check_zero_steps(arguments)?;
    let swept = SweepProgress::of(&link.spec);
    if swept.is_some() {
        check_single_run_options(arguments)?;
    }
    let beginning = RunStart::read(arguments, &link.spec)?;
    // Errors of the output should come before an hour of training.
    let mut output = MetricsOutput::open(disk, arguments.output.as_deref())?;
    if let Some(path) = &arguments.checkpoint {
        check_replaceable(disk, path)?;
    }
    let Some(swept) = swept else {
        return train_single_run(arguments, &link, &beginning, output, disk, pace);
    };
    output.clear()?;
    let Arguments { held_out, format, names, quiet, .. } = *arguments;
    let made =
        sweep::run_sweep(&link, swept, SweepOutputOptions { held_out, format, names, quiet }, &mut output);
    match made {
        Ok(()) => Ok(output.replace_target()?),
        Err(trouble @ CommandError::Stopped(..)) => {
            output.replace_target()?;
            Err(trouble)
        }
        Err(trouble) => {
            report_part_file(&output);
            Err(trouble)
        }
    }
}

/// A single run in progress, with the writer of its metrics and its checkpoints.
struct TrainingRun<'a> {
    /// Command-line arguments of `lab run`.
    arguments: &'a Arguments,
    /// File operations through which checkpoints are written.
    disk: &'a dyn Disk,
    /// Training session with the networks (replicas) of the run.
    session: Session,
    /// Program, device, learner and operating system, which are written into the file of the run.
    environment: TrainingEnvironment,
    /// Formats the measurements as text: table, CSV or JSON.
    printer: MeasurementPrinter,
    /// Writer of the metrics text: to a file or to standard output.
    output: MetricsOutput<'a>,
    /// Steps of `--keep` at which checkpoints are still to be written.
    kept_steps: keep::KeptSteps,
}

/// Trains a single run, prints its metrics and writes its checkpoints.
#[expect(clippy::print_stderr, reason = "the closing line is for the person, not for the pipe")]
fn train_single_run(
    arguments: &Arguments,
    link: &Link,
    start: &RunStart,
    output: MetricsOutput<'_>,
    disk: &dyn Disk,
    pace: TrainingPace,
) -> Result<(), CommandError> {
    let spec = &link.spec;
    let (cost, seconds) = (spec.estimate_cost(), vivarium_model::run::cost::estimate_seconds(spec));
    if !arguments.quiet && !arguments.writes_only_initial() && cost.needs_confirmation(seconds) {
        eprintln!("this run needs {}", cost.describe_needs(seconds));
    }
    start.describe().iter().filter(|_| !arguments.quiet).for_each(|sentence| eprintln!("{sentence}"));
    let device = open::open_device(spec)?;
    let cores = arguments.threads.unwrap_or_else(vivarium_model::platform::core_count);
    let options = Options { held_out_limit: arguments.held_out, cores, ..Default::default() };
    let session = start.start_session(spec, &device, options)?;
    let environment =
        start.add_to_environment(describe_environment(&device.report().name, session.learner()));
    let rows = MeasurementPrinter::new(arguments.format, arguments.names, spec);
    let keep = keep::KeptSteps::new(
        &arguments.keep,
        arguments.checkpoint.as_deref(),
        session.step(),
        spec.run.steps,
    )?;
    let mut training =
        TrainingRun { arguments, disk, session, environment, printer: rows, output, kept_steps: keep };
    training.start_output(link, start.resumed_mark())?;
    let bar = open::step_bar(spec.run.steps, arguments.quiet);
    let (begin, from) = (now_ms(), training.session.step());
    let trained = training.train(pace, &bar);
    bar.finish_and_clear();
    let seconds = (now_ms() - begin) / 1e3;
    let ended = trained.and_then(|ended| {
        let record = training.build_record(link, ended.reason());
        training.finish_output(&record, ended).map(|()| ended)
    });
    let ended = ended.inspect_err(|_| report_part_file(&training.output))?;
    let (session, step) = (&training.session, training.session.step());
    match ended {
        TrainingEnd::Stopped(code) => {
            return Err(CommandError::Stopped(describe_stop(step, arguments), code));
        }
        TrainingEnd::OutputClosed => return Ok(()),
        TrainingEnd::InitialWeights => {
            let path = arguments.checkpoint.iter().filter(|_| !arguments.quiet);
            path.for_each(|path| eprintln!("The initial weights are in {}.", path.display()));
            return training.kept_steps.check_failed();
        }
        TrainingEnd::Finished(_) => {}
    }
    if !arguments.quiet {
        let rate = (step - from) as f64 / seconds;
        eprintln!(
            "{} {} ({}, {seconds:.1} s, {rate:.0} steps/s)",
            describe_end(ended.reason(), step, session.solved()),
            device.report().name,
            session.learner()
        );
    }
    if let Some(missed) = training.kept_steps.describe_missed(step) {
        eprintln!("{missed}");
    }
    training.kept_steps.check_failed()?;
    if ended.reason() == Some(EndReason::Diverged) {
        return Err(CommandError::Other(anyhow::anyhow!(
            "the loss is no longer finite (NaN or infinite); try a lower learning rate"
        )));
    }
    Ok(())
}

/// Reason why `lab run` stops training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrainingEnd {
    /// The run has ended.
    Finished(EndReason),
    /// A signal stopped it; the exit code of the signal.
    Stopped(u8),
    /// The reader of the metrics has gone, and no checkpoint is wanted.
    OutputClosed,
    /// `--steps 0`: the initial weights are measured, and nothing is trained.
    InitialWeights,
}

impl TrainingEnd {
    /// Reason why the run ended (target, last step or divergence); None if training was stopped before the
    /// end of the run.
    fn reason(self) -> Option<EndReason> {
        if let TrainingEnd::Finished(reason) = self { Some(reason) } else { None }
    }
}

impl TrainingRun<'_> {
    /// Writes the header of the metrics of a new run (`resumed` is None), or prepares the text to be continued after the
    /// place that the checkpoint of a resumed run has marked. `Some(None)` is a checkpoint without such a mark.
    fn start_output(&mut self, link: &Link, resumed: Option<Option<OutputMark>>) -> Result<(), CommandError> {
        let head = self.printer.format_head(&self.build_record(link, None));
        match resumed {
            None => self.output.clear()?,
            Some(mark) => {
                if self.output.resume(mark, self.arguments.format, &head)? {
                    mark.into_iter().for_each(|mark| self.printer.resume_after(mark.step));
                    return Ok(());
                }
            }
        }
        Ok(self.output.write(&head)?)
    }

    /// Description of the run for the file of its metrics, without measurements; `ending` is None before the
    /// end of the run.
    fn build_record(&self, link: &Link, ending: Option<EndReason>) -> Record {
        let whole = link.spec.held_out_count();
        Record {
            link: link.clone(),
            environment: self.environment.clone(),
            step: self.session.step(),
            ending,
            held_out: self.arguments.held_out.unwrap_or(whole).min(whole),
            solved: self.session.solved().to_vec(),
            rows: vec![],
            times: vec![],
        }
    }

    /// Trains until the run has ended or is stopped; prints measurements and writes checkpoints meanwhile.
    #[expect(clippy::print_stderr, reason = "the run goes on, and the person should know")]
    fn train(
        &mut self,
        pace: TrainingPace,
        bar: &indicatif::ProgressBar,
    ) -> Result<TrainingEnd, CommandError> {
        let every_ms = 1e3 * self.arguments.checkpoint_every;
        let mut saved = (pace.now_ms)();
        let mut until = f64::INFINITY;
        self.save_kept_checkpoint(bar);
        loop {
            let is_due = self.arguments.checkpoint.is_some() && (pace.now_ms)() - saved >= every_ms;
            let is_stopped = until.is_finite();
            let (step, every) = (self.session.step(), self.session.spec().run.every);
            // Up to the next measurement, where the run is known to be finite.
            let most = if is_due || is_stopped { every - step % every } else { pace.max_steps };
            let most = if self.arguments.writes_only_initial() {
                0
            } else {
                most.min(self.kept_steps.steps_to_next(step))
            };
            let mut reason = None;
            let mut text = String::new();
            for event in pollster::block_on(self.session.advance(pace.slice_ms, most))? {
                match event {
                    Event::Metrics(rows) => text += &self.printer.format_measurements(&rows),
                    Event::Finished { reason: why, .. } => reason = Some(why),
                    _ => {}
                }
            }
            bar.suspend(|| self.output.write(&text))?;
            bar.set_position(self.session.step());
            self.save_kept_checkpoint(bar);
            if let Some(reason) = reason {
                return Ok(TrainingEnd::Finished(reason));
            }
            if self.output.is_closed() && self.arguments.checkpoint.is_none() {
                return Ok(TrainingEnd::OutputClosed);
            }
            let is_measured = self.printer.last_step() == Some(self.session.step());
            if is_measured && self.arguments.writes_only_initial() {
                return Ok(TrainingEnd::InitialWeights);
            }
            if let Some(code) = signals::stop_code() {
                until = until.min((pace.now_ms)() + STOP_GRACE_MS);
                if self.arguments.checkpoint.is_none() || is_measured || (pace.now_ms)() >= until {
                    return Ok(TrainingEnd::Stopped(code));
                }
            } else if is_due && is_measured {
                // A full disk may have room later, and the previous checkpoint is still there.
                if let Err(why) = self.sync_and_mark().and_then(|mark| self.save_checkpoint(mark)) {
                    bar.suspend(|| {
                        eprintln!(
                            "The checkpoint at step {} was not written: {why:#}.",
                            format_thousands(self.session.step())
                        )
                    });
                }
                saved = (pace.now_ms)();
            }
        }
    }

    /// Waits until the metrics are on the disk, and returns their mark for a checkpoint; None if they are not
    /// in a file.
    fn sync_and_mark(&self) -> Result<Option<OutputMark>, anyhow::Error> {
        self.output.sync_and_mark(self.arguments.format, self.printer.last_step())
    }

    /// Writes the checkpoint of `--checkpoint`, with `mark`, the state of the metrics text, in its header;
    /// does nothing without the option.
    fn save_checkpoint(&self, mark: Option<OutputMark>) -> Result<(), anyhow::Error> {
        let Some(path) = &self.arguments.checkpoint else { return Ok(()) };
        self.write_checkpoint(path, mark, ", so the previous checkpoint is kept")
    }

    /// Writes a checkpoint if `--keep` names the current step. An error is printed, and training goes on.
    #[expect(clippy::print_stderr, reason = "the run goes on, and the person should know")]
    fn save_kept_checkpoint(&mut self, bar: &indicatif::ProgressBar) {
        let step = self.session.step();
        let Some(path) = self.kept_steps.take_path(step) else { return };
        if let Err(why) = self.sync_and_mark().and_then(|mark| self.write_checkpoint(&path, mark, "")) {
            let (path, step) = (path.display(), format_thousands(step));
            bar.suspend(|| eprintln!("{path}, the checkpoint at step {step}, was not written: {why:#}."));
            self.kept_steps.add_failed_step(self.session.step());
        }
    }

    /// Writes a checkpoint to `path`, with the mark of the metrics in its header.
    ///
    /// # Errors
    /// When it cannot be written, or the weights of no network are finite; the text `consequence` is then
    /// appended to the message.
    fn write_checkpoint(
        &self,
        path: &std::path::Path,
        mark: Option<OutputMark>,
        consequence: &str,
    ) -> Result<(), anyhow::Error> {
        let checkpoint = pollster::block_on(self.session.checkpoint())?;
        if !self.session.finished() && !has_finite_replica(&checkpoint) {
            anyhow::bail!("the weights are no longer finite{consequence}");
        }
        let more: Vec<(&str, String)> = mark.iter().map(|mark| (CHECKPOINT_KEY, mark.to_string())).collect();
        replace_file(self.disk, path, &checkpoint.encode_with(&more)?)
    }

    /// Finishes the metrics, replaces the target file with them, and writes the last checkpoint.
    fn finish_output(&mut self, record: &Record, end: TrainingEnd) -> Result<(), CommandError> {
        let is_over = end.reason().is_some();
        let mark = self.sync_and_mark()?;
        if !is_over {
            self.save_checkpoint(mark)?;
        }
        self.output.write(&self.printer.format_tail(record))?;
        self.output.replace_target()?;
        // The last checkpoint of a finished run is written last: if it exists, the text has replaced its target.
        if is_over {
            self.save_checkpoint(mark)?;
        }
        Ok(())
    }
}

/// Whether all weights of at least one replica of the checkpoint are finite, so that it is worth saving.
fn has_finite_replica(checkpoint: &Checkpoint) -> bool {
    let replicas = checkpoint.spec.run.replicas;
    let is_finite = |replica: usize| {
        checkpoint.weights.parameters.iter().all(|values| {
            let length = values.len() / replicas;
            values[replica * length..(replica + 1) * length].iter().all(|value| value.is_finite())
        })
    };
    (0..replicas).any(is_finite)
}

/// Prints the path of the part file that has the metrics of an unfinished run; prints nothing once it has
/// replaced its target.
#[expect(clippy::print_stderr, reason = "it is said besides what went wrong")]
fn report_part_file(output: &MetricsOutput<'_>) {
    if let Some(part) = output.part_path() {
        eprintln!("The metrics up to this step are in {}.", part.display());
    }
}

/// Message for a run that a signal stopped at training step `step`: where its metrics are, and how to
/// continue it.
fn describe_stop(step: u64, arguments: &Arguments) -> String {
    let metrics = arguments.output.as_ref();
    let metrics = metrics
        .map(|path| format!(" The metrics up to this step are in {}.", path.display()))
        .unwrap_or_default();
    let weights = arguments.checkpoint.as_ref();
    let weights = weights.map(|path| format!(" --resume {} continues from this step.", path.display()));
    format!("Stopped at step {}.{metrics}{}", format_thousands(step), weights.unwrap_or_default())
}

/// A sentence on how the run ended at `step`; `solved` has for each replica the step at which it reached the
/// target, None if never.
fn describe_end(ending: Option<EndReason>, step: u64, solved: &[Option<u64>]) -> String {
    let (times, all): (Vec<u64>, _) = (solved.iter().flatten().copied().collect(), solved.len());
    let found = match (times.len(), all) {
        (0, _) => "The target accuracy was not reached.".to_string(),
        (1, 1) => format!("Target accuracy reached at step {}.", times[0]),
        (some, all) => {
            let steps: Vec<f32> = times.iter().map(|s| *s as f32).collect();
            let (middle, low, high) = median_range(&steps);
            format!(
                "Target accuracy reached by {some} of {all} replicas, at steps {low} to {high}, median {middle}."
            )
        }
    };
    match ending {
        Some(EndReason::Diverged) => {
            format!("The loss became infinite or NaN; the last finite loss is at step {step}. {found}")
        }
        _ => format!("{step} steps. {found}"),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
