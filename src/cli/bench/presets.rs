//! `lab bench --presets`: every preset that is trained, on one core, beside the PyTorch script that is exported for it.
//!
//! # Why
//! The benches of single labs have programs of their own for PyTorch, written to be fast. Here the peer is what
//! somebody gets who asks the page for a script: plain formulas, in the settings of the preset. Both make the same
//! steps with nothing measured between the two ends of a window, ours by the learner that the page would choose on
//! the processor. They are timed in turns, never at once: PyTorch waits in a process of its own for its next script.
//! The table is written after every row, so that a bench that takes half an hour can be stopped and continued.
//!
//! # Speed
//! `tests/golden/peers.md` (2026-11-26, one core of an Intel Xeon): the median preset is trained 9.0 times as fast as by
//! PyTorch, and 23 of 158 less than three times as fast, 1.27 times at least. Those are tables, pairs modulo 71 and 113, GRUs and
//! decoders, whose steps are products of large matrices: ours make 95 to 98 of the 126 GFLOP/s that the core has without fused
//! multiplication, which a browser does not have, and PyTorch fuses.

pub mod cores;
mod python;
mod table;

use anyhow::Context;

use self::python::PyTorch;
use self::table::{Machine, Report, Row, Speed};
use super::{Arguments, Rates, count, headed, rate};
use crate::Trouble;
use crate::disk::{Native, replace};
use crate::open;
use vivarium_labs::PRESETS;
use vivarium_model::run::time::{duration, seconds_of_one};
use vivarium_model::run::{DeviceChoice, RunSpec};
use vivarium_model::sweep::cell;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::learners::{Place, entry};
use vivarium_training::session::trial::endless;
use vivarium_view::presets::Preset;
use vivarium_view::record::{Environment, torch};

/// Measuring time for one row in seconds, unless another is asked for.
pub const SECONDS: f64 = 1.0;
/// Presets with a step that takes longer than this are not tried, in seconds.
const SLOWEST_ESTIMATE: f64 = 4.0;

/// A preset's run, or the first run of its sweep.
fn first_run(preset: &Preset) -> RunSpec {
    let spec = preset.link().spec;
    match spec.run.sweep.is_empty() {
        true => spec,
        false => cell(&spec, 0).map_or(spec, |cell| cell.spec),
    }
}

/// Whether the preset is trained by gradients or by a rule of learning, and not executed, searched or grown.
fn is_trained(preset: &Preset) -> bool {
    entry(&first_run(preset), Place::Anywhere).is_none()
}

/// The run of `preset` on the processor, which measures next to nothing on its way and never ends.
fn work(preset: &Preset) -> RunSpec {
    let mut spec = endless(&first_run(preset));
    spec.run.device = DeviceChoice::Cpu;
    spec
}

/// What a row calls the preset.
fn title(preset: &Preset) -> String {
    let of_sweep = if preset.link().spec.run.sweep.is_empty() { "" } else { ", first run" };
    format!("`{}`{of_sweep}", preset.slug)
}

/// The presets of these names, or all that are trained.
fn chosen(names: &[String]) -> Result<Vec<&'static Preset>, Trouble> {
    if names.is_empty() {
        return Ok(PRESETS.iter().filter(|preset| is_trained(preset)).collect());
    }
    let named = open::presets(names)?;
    match named.iter().find(|preset| !is_trained(preset)) {
        Some(preset) => Err(Trouble::bad(format!("the preset {} is not trained", preset.slug))),
        None => Ok(named),
    }
}

/// Runs `lab bench --presets`, for presets of these names.
///
/// # Errors
/// A name that no preset has, a file that cannot be read or written or is of another machine, or no PyTorch.
#[expect(clippy::print_stderr, reason = "what goes on is no part of the table")]
pub fn compare(arguments: &Arguments, names: &[String]) -> Result<(), Trouble> {
    let presets = chosen(names)?;
    let mut report = Report::default();
    if let Some(path) = arguments.output.as_ref().filter(|path| path.is_file()) {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        report = Report::read(&text).with_context(|| format!("{} is no table of presets", path.display()))?;
    }
    let mut pytorch = match arguments.peers {
        true => Some(PyTorch::start(&arguments.python, arguments.seconds())?),
        false => None,
    };
    let version = pytorch.as_ref().map(|pytorch| pytorch.version.clone());
    let now = Machine::here(Environment::program(), version);
    if arguments.again && names.is_empty() {
        report = Report::default();
    }
    report.machine = Some(match report.machine.take() {
        None => now,
        Some(old) => {
            old.and(now).map_err(|why| anyhow::anyhow!("{why}: choose another file for --output"))?
        }
    });
    // Rows of presets that there are no longer, or that are no longer trained.
    let titles: Vec<String> = PRESETS.iter().filter(|preset| is_trained(preset)).map(title).collect();
    report.rows.retain(|row| titles.contains(&row.preset));
    let device = Device::cpu();
    for (number, preset) in presets.iter().enumerate() {
        let title = title(preset);
        if !arguments.again && report.has(&title, arguments.peers) {
            continue;
        }
        let row = row(preset, &title, &device, arguments.seconds(), pytorch.as_mut());
        eprintln!("{}/{} {row}", number + 1, presets.len());
        report.put(row);
        if let Some(path) = &arguments.output {
            replace(&Native, path, report.markdown().as_bytes())?;
        }
    }
    let named: Vec<String> = presets.iter().map(|preset| self::title(preset)).collect();
    report.rows.retain(|row| named.contains(&row.preset));
    print(&report);
    Ok(())
}

/// Times one preset. What cannot be timed is said in its row.
fn row(preset: &Preset, title: &str, device: &Device, seconds: f64, pytorch: Option<&mut PyTorch>) -> Row {
    let spec = work(preset);
    let (learner, ours) = ours(&spec, device, seconds);
    let theirs = match pytorch {
        Some(pytorch) if ours.is_ok() => {
            torch::script(&spec).and_then(|script| pytorch.time(preset.slug, &script))
        }
        _ => Err(String::new()),
    };
    Row::new(title, &learner, &ours, &theirs)
}

/// The name of the learner and its speed, or why there is none.
fn ours(spec: &RunSpec, device: &Device, seconds: f64) -> (String, Result<Speed, String>) {
    let about = seconds_of_one(spec) / spec.run.steps as f64;
    if about > SLOWEST_ESTIMATE {
        return (String::new(), Err(format!("a step takes about {}", duration(about))));
    }
    match rate(spec, device, 1, seconds) {
        Ok((learner, rates)) => (learner, speed(&rates)),
        Err(why) => (String::new(), Err(why.to_string())),
    }
}

/// The median of windows with the lowest and the highest, or why there is none.
fn speed(rates: &Rates) -> Result<Speed, String> {
    match (rates.sorted.first(), rates.sorted.last()) {
        (Some(low), Some(high)) => Ok(Speed { median: rates.median(), low: *low, high: *high }),
        _ if rates.ended => Err("the run diverges before it is measured".into()),
        _ => Err(format!("a step takes more than {} s", count(super::SLOWEST_STEP))),
    }
}

/// Prints the table and what it comes to.
#[expect(clippy::print_stdout, reason = "this command prints")]
fn print(report: &Report) {
    let mut table = headed(table::HEADINGS, 2);
    for row in &report.rows {
        table.add_row(row.cells());
    }
    println!("{}\n{table}\n{}", report.about(), report.summary());
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::find;
    use vivarium_model::run::Halt;

    #[test]
    fn the_work_is_that_of_the_preset_without_its_measurements() {
        let mut trained = 0;
        for preset in PRESETS.iter().filter(|preset| is_trained(preset)) {
            let (own, work) = (first_run(preset), work(preset));
            assert!(work.run.sweep.is_empty() && work.run.series.is_empty(), "{}", preset.slug);
            assert_eq!(work.problems(), [], "{}", preset.slug);
            let what = |spec: &RunSpec| {
                let run = (spec.run.replicas, spec.run.loss, spec.run.learner, spec.run.seed);
                (spec.task.clone(), spec.model.clone(), spec.optimizer.clone(), spec.batch(), run)
            };
            assert_eq!(what(&own), what(&work), "{}", preset.slug);
            assert!(work.run.every == 100_000 && work.run.halt == Halt::Steps, "{}", preset.slug);
            trained += 1;
        }
        assert!(trained > PRESETS.len() / 2 && trained < PRESETS.len(), "{trained}");
    }

    #[test]
    fn names_choose_presets_that_are_trained() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let slugs = |presets: Vec<&'static Preset>| presets.iter().map(|p| p.slug).collect::<Vec<_>>();
        assert_eq!(slugs(chosen(&names(&["z23", "parity-20"])).unwrap()), ["z23", "parity-20"]);
        let why = |name: &str| chosen(&names(&[name])).unwrap_err().to_string();
        assert_eq!(why("z23x"), "there is no preset z23x; `lab list` lists all presets");
        let executed = PRESETS.iter().find(|preset| !is_trained(preset)).unwrap();
        assert_eq!(why(executed.slug), format!("the preset {} is not trained", executed.slug));
        assert!(slugs(chosen(&[]).unwrap()).contains(&"z23"));
    }

    #[test]
    fn a_sweep_is_named_and_has_its_first_run() {
        let sweep = PRESETS.iter().find(|p| !p.link().spec.run.sweep.is_empty() && is_trained(p)).unwrap();
        assert_eq!(title(sweep), format!("`{}`, first run", sweep.slug));
        assert_eq!(title(find("z23").unwrap()), "`z23`");
        let cells = vivarium_model::sweep::cells(&sweep.link().spec);
        assert_eq!(first_run(sweep), cells[0].spec);
    }

    #[test]
    fn a_row_has_a_speed_or_a_reason() {
        let device = Device::cpu();
        let small = find("parity-20").unwrap();
        let one = row(small, "`parity-20`", &device, 0.02, None);
        assert!(
            one.learner.starts_with("fused") && one.is_measured(false) && !one.is_measured(true),
            "{one}"
        );
        let mut huge = work(small);
        for (key, value) in [("n", "512"), ("width", "4096"), ("batch", "4096"), ("replicas", "4096")] {
            huge.parse(key, value).unwrap();
        }
        let (learner, speed) = ours(&huge, &device, 0.02);
        assert_eq!(learner, "");
        assert!(speed.unwrap_err().starts_with("a step takes about "));
    }

    #[test]
    fn windows_are_a_speed_or_a_reason() {
        let rates = |sorted: &[f64], ended| Rates { sorted: sorted.to_vec(), ended };
        let found = speed(&rates(&[1.0, 2.0, 3.0, 4.0, 9.0], false)).unwrap();
        assert_eq!((found.median, found.low, found.high), (3.0, 1.0, 9.0));
        assert_eq!(speed(&rates(&[], false)).unwrap_err(), "a step takes more than 1.00 s");
        assert_eq!(speed(&rates(&[], true)).unwrap_err(), "the run diverges before it is measured");
    }
}
