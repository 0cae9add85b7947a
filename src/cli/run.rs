//! `lab run`: a run's metrics as a table or as CSV; those of a sweep are in [`super::sweep`].

mod begin;
mod keep;

use std::path::PathBuf;

use clap::Args;

use begin::Beginning;

use super::disk::{Disk, Native, replace, try_out};
use super::output::{KEY, Mark, Output};
use super::print::{Format, Names, Print, environment};
use super::rows::Rows;
use super::{Trouble, open, signals, sweep};
use vivarium_core::settings::thousands;
use vivarium_model::permalink::Link;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Ending, Event};
use vivarium_plot::analysis::curves::spread;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_training::session::{Options, Session};
use vivarium_view::display::sweep::Sweep;
use vivarium_view::record::{Environment, Record};

/// What `lab run` takes.
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
    format: Format,
    /// Names of the measures in CSV and JSON. `old` writes the format of the previous version; the next version will not
    /// have this option.
    #[arg(long, value_enum, default_value = "new")]
    names: Names,
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

/// The link with what the arguments change in its run.
fn link(arguments: &Arguments) -> Result<Link, Trouble> {
    let mut link = open::link(&arguments.link)?;
    let spec = &mut link.spec;
    // With no steps to train, the link says how long the run would be.
    if let Some(steps) = arguments.steps.filter(|steps| *steps > 0) {
        open::set(spec, "steps", &steps.to_string())?;
    }
    if let Some(device) = &arguments.device {
        open::set(spec, "device", device)?;
    }
    Ok(link)
}

/// What one run can be asked for and a sweep, which is many, cannot.
fn only_of_one_run(arguments: &Arguments) -> Result<(), Trouble> {
    let Arguments { checkpoint, resume, weights, .. } = arguments;
    let given = [("--checkpoint", checkpoint), ("--resume", resume), ("--weights", weights)];
    let sentence =
        |name: &str| format!("{name} can be used only with a single run, and this link is a sweep");
    let given = given.into_iter().filter(|(_, file)| file.is_some());
    let bad: Vec<String> = given.map(|(name, _)| sentence(name)).collect();
    if bad.is_empty() { Ok(()) } else { Err(Trouble::BadLink(bad)) }
}

/// What must stand beside `--steps 0`, and what must not.
fn what_no_steps_need(arguments: &Arguments) -> Result<(), Trouble> {
    let why = match (&arguments.checkpoint, &arguments.resume) {
        _ if !arguments.only_initial() => return Ok(()),
        (None, _) => "--steps 0 trains nothing: name a file for the initial weights with --checkpoint",
        (_, Some(_)) => {
            "--steps 0 writes initial weights and --resume continues a run: use only one of the two"
        }
        _ => return Ok(()),
    };
    Err(Trouble::bad(why))
}

impl Arguments {
    /// Whether nothing is trained, and the initial weights are all that is wanted.
    fn only_initial(&self) -> bool {
        self.steps == Some(0)
    }
}

/// How a run's time is cut.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Milliseconds until what was measured is printed.
    slice_ms: f64,
    /// Most steps in which that is done.
    steps: u64,
    /// The clock in milliseconds, by which it is known when a checkpoint is due.
    now_ms: fn() -> f64,
}

/// As it is for a person.
const PACE: Pace = Pace { slice_ms: 50.0, steps: u64::MAX, now_ms };

/// Milliseconds in which a stopped run comes to its next measurement, or is saved where it stands.
const GRACE_MS: f64 = 1000.0;

/// Runs `lab run`.
///
/// # Errors
/// A bad link, no device, a file that cannot be written, or that it was stopped.
pub fn run(arguments: &Arguments) -> Result<(), Trouble> {
    signals::listen()?;
    run_on(arguments, &Native, PACE)
}

fn run_on(arguments: &Arguments, disk: &dyn Disk, pace: Pace) -> Result<(), Trouble> {
    let link = link(arguments)?;
    what_no_steps_need(arguments)?;
    let swept = Sweep::of(&link.spec);
    if swept.is_some() {
        only_of_one_run(arguments)?;
    }
    let beginning = Beginning::read(arguments, &link.spec)?;
    // Before an hour of training, not after it.
    let mut output = Output::open(disk, arguments.output.as_deref())?;
    if let Some(path) = &arguments.checkpoint {
        try_out(disk, path)?;
    }
    let Some(swept) = swept else { return one(arguments, &link, &beginning, output, disk, pace) };
    output.begin()?;
    let Arguments { held_out, format, names, quiet, .. } = *arguments;
    let made = sweep::sweep(&link, swept, Print { held_out, format, names, quiet }, &mut output);
    match made {
        Ok(()) => Ok(output.finish()?),
        Err(trouble @ Trouble::Stopped(..)) => {
            output.finish()?;
            Err(trouble)
        }
        Err(trouble) => {
            say_where(&output);
            Err(trouble)
        }
    }
}

/// A run in progress, with what is kept of it.
struct Training<'a> {
    arguments: &'a Arguments,
    disk: &'a dyn Disk,
    session: Session,
    environment: Environment,
    rows: Rows,
    output: Output<'a>,
    keep: keep::Keep,
}

/// One run.
#[expect(clippy::print_stderr, reason = "the closing line is for the person, not for the pipe")]
fn one(
    arguments: &Arguments,
    link: &Link,
    beginning: &Beginning,
    output: Output<'_>,
    disk: &dyn Disk,
    pace: Pace,
) -> Result<(), Trouble> {
    let spec = &link.spec;
    let (cost, seconds) = (spec.cost(), vivarium_model::run::cost::seconds(spec));
    if !arguments.quiet && !arguments.only_initial() && cost.is_dear(seconds) {
        eprintln!("this run needs {}", cost.needs(seconds));
    }
    beginning.told().iter().filter(|_| !arguments.quiet).for_each(|sentence| eprintln!("{sentence}"));
    let device = open::device(spec)?;
    let cores = arguments.threads.unwrap_or_else(vivarium_model::platform::cores);
    let options = Options { held_out_limit: arguments.held_out, cores, ..Default::default() };
    let session = beginning.session(spec, &device, options)?;
    let environment = beginning.in_environment(environment(&device.report().name, session.learner()));
    let rows = Rows::new(arguments.format, arguments.names, spec);
    let keep =
        keep::Keep::new(&arguments.keep, arguments.checkpoint.as_deref(), session.step(), spec.run.steps)?;
    let mut training = Training { arguments, disk, session, environment, rows, output, keep };
    training.begin(link, beginning.resumed())?;
    let bar = open::bar(spec.run.steps, arguments.quiet);
    let (begin, from) = (now_ms(), training.session.step());
    let trained = training.train(pace, &bar);
    bar.finish_and_clear();
    let seconds = (now_ms() - begin) / 1e3;
    let ended = trained.and_then(|ended| {
        let record = training.record(link, ended.reason());
        training.end(&record, ended).map(|()| ended)
    });
    let ended = ended.inspect_err(|_| say_where(&training.output))?;
    let (session, step) = (&training.session, training.session.step());
    match ended {
        Ended::Stopped(code) => return Err(Trouble::Stopped(stopped(step, arguments), code)),
        Ended::Unread => return Ok(()),
        Ended::Initial => {
            let path = arguments.checkpoint.iter().filter(|_| !arguments.quiet);
            path.for_each(|path| eprintln!("The initial weights are in {}.", path.display()));
            return training.keep.check();
        }
        Ended::Run(_) => {}
    }
    if !arguments.quiet {
        let rate = (step - from) as f64 / seconds;
        eprintln!(
            "{} {} ({}, {seconds:.1} s, {rate:.0} steps/s)",
            closing(ended.reason(), step, session.solved()),
            device.report().name,
            session.learner()
        );
    }
    if let Some(missed) = training.keep.missed(step) {
        eprintln!("{missed}");
    }
    training.keep.check()?;
    if ended.reason() == Some(Ending::Diverged) {
        return Err(Trouble::Other(anyhow::anyhow!(
            "the loss is no longer finite (NaN or infinite); try a lower learning rate"
        )));
    }
    Ok(())
}

/// Why training is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The run has ended.
    Run(Ending),
    /// It was asked to stop, and this is the exit code of that.
    Stopped(u8),
    /// Who read its metrics has gone, and there is nothing else to train for.
    Unread,
    /// It has been measured at its start, and nothing is to be trained.
    Initial,
}

impl Ended {
    /// Why the run has ended, if it has.
    fn reason(self) -> Option<Ending> {
        if let Ended::Run(reason) = self { Some(reason) } else { None }
    }
}

impl Training<'_> {
    /// Begins the text, or goes on in the one that the checkpoint's run had begun.
    fn begin(&mut self, link: &Link, resumed: Option<Option<Mark>>) -> Result<(), Trouble> {
        let head = self.rows.head(&self.record(link, None));
        match resumed {
            None => self.output.begin()?,
            Some(mark) => {
                if self.output.go_on(mark, self.arguments.format, &head)? {
                    mark.into_iter().for_each(|mark| self.rows.go_on(mark.step));
                    return Ok(());
                }
            }
        }
        Ok(self.output.write(&head)?)
    }

    /// The run's file, without its measurements.
    fn record(&self, link: &Link, ending: Option<Ending>) -> Record {
        let whole = link.spec.held_out();
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

    /// Trains until the run has ended or is stopped.
    #[expect(clippy::print_stderr, reason = "the run goes on, and the person should know")]
    fn train(&mut self, pace: Pace, bar: &indicatif::ProgressBar) -> Result<Ended, Trouble> {
        let every_ms = 1e3 * self.arguments.checkpoint_every;
        let mut saved = (pace.now_ms)();
        let mut until = f64::INFINITY;
        self.keep_here(bar);
        loop {
            let is_due = self.arguments.checkpoint.is_some() && (pace.now_ms)() - saved >= every_ms;
            let is_stopped = until.is_finite();
            let (step, every) = (self.session.step(), self.session.spec().run.every);
            // Up to where it is measured: the run is known to be well there.
            let most = if is_due || is_stopped { every - step % every } else { pace.steps };
            let most = if self.arguments.only_initial() { 0 } else { most.min(self.keep.most(step)) };
            let mut reason = None;
            let mut text = String::new();
            for event in pollster::block_on(self.session.advance(pace.slice_ms, most))? {
                match event {
                    Event::Metrics(rows) => text += &self.rows.lines(&rows),
                    Event::Finished { reason: why, .. } => reason = Some(why),
                    _ => {}
                }
            }
            bar.suspend(|| self.output.write(&text))?;
            bar.set_position(self.session.step());
            self.keep_here(bar);
            if let Some(reason) = reason {
                return Ok(Ended::Run(reason));
            }
            if self.output.nobody_reads() && self.arguments.checkpoint.is_none() {
                return Ok(Ended::Unread);
            }
            let is_measured = self.rows.last() == Some(self.session.step());
            if is_measured && self.arguments.only_initial() {
                return Ok(Ended::Initial);
            }
            if let Some(code) = signals::stop() {
                until = until.min((pace.now_ms)() + GRACE_MS);
                if self.arguments.checkpoint.is_none() || is_measured || (pace.now_ms)() >= until {
                    return Ok(Ended::Stopped(code));
                }
            } else if is_due && is_measured {
                // A disk that is full now may have room later, and the checkpoint before is still there.
                if let Err(why) = self.mark().and_then(|mark| self.save(mark)) {
                    bar.suspend(|| {
                        eprintln!(
                            "The checkpoint at step {} was not written: {why:#}.",
                            thousands(self.session.step())
                        )
                    });
                }
                saved = (pace.now_ms)();
            }
        }
    }

    /// How far the text has come, if it is a file's.
    fn mark(&self) -> Result<Option<Mark>, anyhow::Error> {
        self.output.mark(self.arguments.format, self.rows.last())
    }

    /// Writes the checkpoint, if one is wanted, with how far the text had come.
    fn save(&self, mark: Option<Mark>) -> Result<(), anyhow::Error> {
        let Some(path) = &self.arguments.checkpoint else { return Ok(()) };
        self.save_to(path, mark, ", so the previous checkpoint is kept")
    }

    /// Writes the checkpoint of --keep, if this step was asked for.
    #[expect(clippy::print_stderr, reason = "the run goes on, and the person should know")]
    fn keep_here(&mut self, bar: &indicatif::ProgressBar) {
        let step = self.session.step();
        let Some(path) = self.keep.take(step) else { return };
        if let Err(why) = self.mark().and_then(|mark| self.save_to(&path, mark, "")) {
            let (path, step) = (path.display(), thousands(step));
            bar.suspend(|| eprintln!("{path}, the checkpoint at step {step}, was not written: {why:#}."));
            self.keep.fail(self.session.step());
        }
    }

    /// The same in this file. What follows if the weights are not finite ends the sentence that says so.
    fn save_to(&self, path: &std::path::Path, mark: Option<Mark>, then: &str) -> Result<(), anyhow::Error> {
        let checkpoint = pollster::block_on(self.session.checkpoint())?;
        if !self.session.finished() && !is_well(&checkpoint) {
            anyhow::bail!("the weights are no longer finite{then}");
        }
        let more: Vec<(&str, String)> = mark.iter().map(|mark| (KEY, mark.to_string())).collect();
        replace(self.disk, path, &checkpoint.encode_with(&more)?)
    }

    /// Ends the text, lets it take its place, and writes the last checkpoint.
    fn end(&mut self, record: &Record, ended: Ended) -> Result<(), Trouble> {
        let is_over = ended.reason().is_some();
        let mark = self.mark()?;
        if !is_over {
            self.save(mark)?;
        }
        self.output.write(&self.rows.tail(record))?;
        self.output.finish()?;
        // It is the last word: where it is, the text has taken its place.
        if is_over {
            self.save(mark)?;
        }
        Ok(())
    }
}

/// Whether at least one of its networks can go on.
fn is_well(checkpoint: &Checkpoint) -> bool {
    let replicas = checkpoint.spec.run.replicas;
    let is_finite = |replica: usize| {
        checkpoint.weights.parameters.iter().all(|values| {
            let length = values.len() / replicas;
            values[replica * length..(replica + 1) * length].iter().all(|value| value.is_finite())
        })
    };
    (0..replicas).any(is_finite)
}

/// Says where the metrics are that have not taken their place.
#[expect(clippy::print_stderr, reason = "it is said besides what went wrong")]
fn say_where(output: &Output<'_>) {
    if let Some(part) = output.part() {
        eprintln!("The metrics up to this step are in {}.", part.display());
    }
}

/// What is said of a run that was stopped.
fn stopped(step: u64, arguments: &Arguments) -> String {
    let metrics = arguments.output.as_ref();
    let metrics = metrics
        .map(|path| format!(" The metrics up to this step are in {}.", path.display()))
        .unwrap_or_default();
    let weights = arguments.checkpoint.as_ref();
    let weights = weights.map(|path| format!(" --resume {} continues from this step.", path.display()));
    format!("Stopped at step {}.{metrics}{}", thousands(step), weights.unwrap_or_default())
}

/// How the run ended, in one sentence.
fn closing(ending: Option<Ending>, step: u64, solved: &[Option<u64>]) -> String {
    let (times, all): (Vec<u64>, _) = (solved.iter().flatten().copied().collect(), solved.len());
    let found = match (times.len(), all) {
        (0, _) => "The target accuracy was not reached.".to_string(),
        (1, 1) => format!("Target accuracy reached at step {}.", times[0]),
        (some, all) => {
            let steps: Vec<f32> = times.iter().map(|s| *s as f32).collect();
            let (middle, low, high) = spread(&steps);
            format!(
                "Target accuracy reached by {some} of {all} replicas, at steps {low} to {high}, median {middle}."
            )
        }
    };
    match ending {
        Some(Ending::Diverged) => {
            format!("The loss became infinite or NaN; the last finite loss is at step {step}. {found}")
        }
        _ => format!("{step} steps. {found}"),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
