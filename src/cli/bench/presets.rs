//! `lab bench --presets`: every preset that is trained, on one core, compared with its exported PyTorch
//! script.
//!
//! # Why
//! The benchmarks of single labs have their own PyTorch programs, written to be fast. Here PyTorch runs the
//! script that the page exports: plain formulas with the settings of the preset. Both make the same steps
//! without measurements within a window; our side uses the learner that the page would choose on the
//! processor. They are timed in turns, never at once: the Python process waits for its next script. The table
//! is written after every row, so that a benchmark of half an hour can be stopped and continued.
//!
//! # Speed
//! `tests/golden/peers.md` (2026-11-26, one core of an Intel Xeon): the median preset is trained 9.0 times as
//! fast as by PyTorch, and 23 of 158 less than three times as fast, 1.27 times at least. These 23 are tables,
//! pairs modulo 71 and 113, GRUs and decoders, whose steps are products of large matrices: our kernels reach
//! 95 to 98 of the 126 GFLOP/s that the core has without fused multiply-add. A browser does not have this
//! instruction, and PyTorch uses it.

pub mod cores;
mod python;
mod table;

use anyhow::Context;

use self::python::PyTorchTimer;
use self::table::{BenchMachine, PresetReport, PresetRow, StepsPerSecond};
use super::{Arguments, StepRates, format_number, measure_rate, new_table};
use crate::CommandError;
use crate::disk::{SystemDisk, replace_file};
use crate::open;
use vivarium_labs::PRESETS;
use vivarium_model::run::time::{estimate_run_seconds, format_duration};
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_model::sweep::cell;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::learners::{Place, entry};
use vivarium_training::session::trial::endless;
use vivarium_view::presets::Preset;
use vivarium_view::record::{TrainingEnvironment, torch};

/// Measuring time of one preset in seconds, where `--seconds` is not given.
pub const DEFAULT_MEASURING_SECONDS: f64 = 1.0;
/// Longest training step, estimated in seconds, that is timed: a preset with longer steps gets a row without
/// a speed.
const MAX_ESTIMATED_STEP_SECONDS: f64 = 4.0;

/// Settings of the preset's run, or of the first run of its sweep.
fn first_run(preset: &Preset) -> RunSpec {
    let spec = preset.link().spec;
    match spec.run.sweep.is_empty() {
        true => spec,
        false => cell(&spec, 0).map_or(spec, |cell| cell.spec),
    }
}

/// Whether the preset is trained by gradients or another learning rule, and not executed, searched or grown.
fn is_trained(preset: &Preset) -> bool {
    entry(&first_run(preset), Place::Anywhere).is_none()
}

/// The run that times `preset` on the processor: it has few measurements, and its last step is too far to be
/// reached.
fn benchmark_run(preset: &Preset) -> RunSpec {
    let mut spec = endless(&first_run(preset));
    spec.run.device = DeviceChoice::Cpu;
    spec
}

/// Name of the preset in the table: its slug in backticks, with ", first run" if it is a sweep.
fn format_title(preset: &Preset) -> String {
    let of_sweep = if preset.link().spec.run.sweep.is_empty() { "" } else { ", first run" };
    format!("`{}`{of_sweep}", preset.slug)
}

/// The presets with these slugs; without slugs, all presets that are trained.
///
/// # Errors
/// When there is no such preset, or it is not trained.
fn select_presets(names: &[String]) -> Result<Vec<&'static Preset>, CommandError> {
    if names.is_empty() {
        return Ok(PRESETS.iter().filter(|preset| is_trained(preset)).collect());
    }
    let named = open::find_presets(names)?;
    match named.iter().find(|preset| !is_trained(preset)) {
        Some(preset) => Err(CommandError::bad_link(format!("the preset {} is not trained", preset.slug))),
        None => Ok(named),
    }
}

/// Runs `lab bench --presets`: times the presets with these names, or all that are trained.
///
/// # Errors
/// When there is no such preset, a file cannot be read or written or is from another machine, or PyTorch
/// cannot be started.
#[expect(clippy::print_stderr, reason = "what goes on is no part of the table")]
pub fn compare_presets(arguments: &Arguments, names: &[String]) -> Result<(), CommandError> {
    let presets = select_presets(names)?;
    let mut report = PresetReport::default();
    if let Some(path) = arguments.output.as_ref().filter(|path| path.is_file()) {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        report = PresetReport::parse(&text)
            .with_context(|| format!("{} is no table of presets", path.display()))?;
    }
    let mut pytorch = match arguments.peers {
        true => Some(PyTorchTimer::start(&arguments.python, arguments.measuring_seconds())?),
        false => None,
    };
    let version = pytorch.as_ref().map(|pytorch| pytorch.version.clone());
    let now = BenchMachine::current(TrainingEnvironment::program(), version);
    if arguments.again && names.is_empty() {
        report = PresetReport::default();
    }
    report.machine = Some(match report.machine.take() {
        None => now,
        Some(old) => {
            old.merge(now).map_err(|why| anyhow::anyhow!("{why}: choose another file for --output"))?
        }
    });
    // Removes rows of presets that no longer exist or are no longer trained.
    let titles: Vec<String> = PRESETS.iter().filter(|preset| is_trained(preset)).map(format_title).collect();
    report.rows.retain(|row| titles.contains(&row.preset));
    let device = Device::cpu();
    for (number, preset) in presets.iter().enumerate() {
        let title = format_title(preset);
        if !arguments.again && report.has_row(&title, arguments.peers) {
            continue;
        }
        let row = measure_row(preset, &title, &device, arguments.measuring_seconds(), pytorch.as_mut());
        eprintln!("{}/{} {row}", number + 1, presets.len());
        report.insert_row(row);
        if let Some(path) = &arguments.output {
            replace_file(&SystemDisk, path, report.to_markdown().as_bytes())?;
        }
    }
    let named: Vec<String> = presets.iter().map(|preset| self::format_title(preset)).collect();
    report.rows.retain(|row| named.contains(&row.preset));
    print_report(&report);
    Ok(())
}

/// Trains one preset for about `seconds` seconds with our learner and, if given, with `pytorch`, and returns
/// the row of their speeds; `title` is the name of the preset in the table. A cell of a speed that cannot be
/// measured has the reason.
fn measure_row(
    preset: &Preset,
    title: &str,
    device: &Device,
    seconds: f64,
    pytorch: Option<&mut PyTorchTimer>,
) -> PresetRow {
    let spec = benchmark_run(preset);
    let (learner, ours) = measure_learner(&spec, device, seconds);
    let theirs = match pytorch {
        Some(pytorch) if ours.is_ok() => {
            torch::write_script(&spec).and_then(|script| pytorch.time_preset(preset.slug, &script))
        }
        _ => Err(String::new()),
    };
    PresetRow::new(title, &learner, &ours, &theirs)
}

/// Name of our learner for a run and its training speed on one core, measured for about `seconds` seconds, or
/// the reason why the speed cannot be measured.
fn measure_learner(
    spec: &RunSpec,
    device: &Device,
    seconds: f64,
) -> (String, Result<StepsPerSecond, String>) {
    let about = estimate_run_seconds(spec) / spec.run.steps as f64;
    if about > MAX_ESTIMATED_STEP_SECONDS {
        return (String::new(), Err(format!("a step takes about {}", format_duration(about))));
    }
    match measure_rate(spec, device, 1, seconds) {
        Ok((learner, rates)) => (learner, summarize_windows(&rates)),
        Err(why) => (String::new(), Err(why.to_string())),
    }
}

/// Median, lowest and highest training steps per second of the time windows, or the reason why there are
/// none.
fn summarize_windows(rates: &StepRates) -> Result<StepsPerSecond, String> {
    match (rates.sorted.first(), rates.sorted.last()) {
        (Some(low), Some(high)) => Ok(StepsPerSecond { median: rates.median(), low: *low, high: *high }),
        _ if rates.ended_early => Err("the run diverges before it is measured".into()),
        _ => Err(format!("a step takes more than {} s", format_number(super::MAX_STEP_SECONDS))),
    }
}

/// Prints the table of presets with their speeds, and its summary.
#[expect(clippy::print_stdout, reason = "this command prints")]
fn print_report(report: &PresetReport) {
    let mut table = new_table(table::HEADINGS, 2);
    for row in &report.rows {
        table.add_row(row.cells());
    }
    println!("{}\n{table}\n{}", report.format_machine(), report.summary());
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::find_preset;
    use vivarium_model::run::StopCondition;

    #[test]
    fn the_work_is_that_of_the_preset_without_its_measurements() {
        let mut trained = 0;
        for preset in PRESETS.iter().filter(|preset| is_trained(preset)) {
            let (own, work) = (first_run(preset), benchmark_run(preset));
            assert!(work.run.sweep.is_empty() && work.run.series.is_empty(), "{}", preset.slug);
            assert_eq!(work.invalid_settings(), [], "{}", preset.slug);
            let what = |spec: &RunSpec| {
                let run = (spec.run.replicas, spec.run.loss, spec.run.learner, spec.run.seed);
                (spec.task.clone(), spec.model.clone(), spec.optimizer.clone(), spec.batch_size(), run)
            };
            assert_eq!(what(&own), what(&work), "{}", preset.slug);
            assert!(work.run.every == 100_000 && work.run.halt == StopCondition::Steps, "{}", preset.slug);
            trained += 1;
        }
        assert!(trained > PRESETS.len() / 2 && trained < PRESETS.len(), "{trained}");
    }

    #[test]
    fn names_choose_presets_that_are_trained() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let slugs = |presets: Vec<&'static Preset>| presets.iter().map(|p| p.slug).collect::<Vec<_>>();
        assert_eq!(slugs(select_presets(&names(&["z23", "parity-20"])).unwrap()), ["z23", "parity-20"]);
        let why = |name: &str| select_presets(&names(&[name])).unwrap_err().to_string();
        assert_eq!(why("z23x"), "there is no preset z23x; `lab list` lists all presets");
        let executed = PRESETS.iter().find(|preset| !is_trained(preset)).unwrap();
        assert_eq!(why(executed.slug), format!("the preset {} is not trained", executed.slug));
        assert!(slugs(select_presets(&[]).unwrap()).contains(&"z23"));
    }

    #[test]
    fn a_sweep_is_named_and_has_its_first_run() {
        let sweep = PRESETS.iter().find(|p| !p.link().spec.run.sweep.is_empty() && is_trained(p)).unwrap();
        assert_eq!(format_title(sweep), format!("`{}`, first run", sweep.slug));
        assert_eq!(format_title(find_preset("z23").unwrap()), "`z23`");
        let cells = vivarium_model::sweep::cells(&sweep.link().spec);
        assert_eq!(first_run(sweep), cells[0].spec);
    }

    #[test]
    fn a_row_has_a_speed_or_a_reason() {
        let device = Device::cpu();
        let small = find_preset("parity-20").unwrap();
        let one = measure_row(small, "`parity-20`", &device, 0.02, None);
        assert!(
            one.learner.starts_with("fused") && one.is_measured(false) && !one.is_measured(true),
            "{one}"
        );
        let mut huge = benchmark_run(small);
        for (key, value) in [("n", "512"), ("width", "4096"), ("batch", "4096"), ("replicas", "4096")] {
            huge.parse(key, value).unwrap();
        }
        let (learner, speed) = measure_learner(&huge, &device, 0.02);
        assert_eq!(learner, "");
        assert!(speed.unwrap_err().starts_with("a step takes about "));
    }

    #[test]
    fn windows_are_a_speed_or_a_reason() {
        let rates = |sorted: &[f64], ended| StepRates { sorted: sorted.to_vec(), ended_early: ended };
        let found = summarize_windows(&rates(&[1.0, 2.0, 3.0, 4.0, 9.0], false)).unwrap();
        assert_eq!((found.median, found.low, found.high), (3.0, 1.0, 9.0));
        assert_eq!(summarize_windows(&rates(&[], false)).unwrap_err(), "a step takes more than 1.00 s");
        assert_eq!(
            summarize_windows(&rates(&[], true)).unwrap_err(),
            "the run diverges before it is measured"
        );
    }
}
