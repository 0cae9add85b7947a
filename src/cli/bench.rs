//! `lab bench`: steps per second of training alone, for every learner and device, beside what the device can do.

#![expect(clippy::print_stdout, reason = "this command prints")]

mod chains;
mod device;
mod groups;
mod networks;
mod points;
mod presets;
mod prompts;
mod throughput;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets::UTF8_HORIZONTAL_ONLY};

use super::{Trouble, science};
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::run::{Halt, LearnerChoice, RunSpec};
use vivarium_training::launch::choose::Engine;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::{Options, Session};

/// What `lab bench` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Measuring time for one row of the table in seconds, split into five windows: 3 by default, with --presets 1.
    #[arg(long)]
    seconds: Option<f64>,
    /// Numbers of replicas to measure, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 64, 1024])]
    replicas: Vec<usize>,
    /// Widths of the hidden layer to measure, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 100, 1000])]
    widths: Vec<usize>,
    /// Also measure the growth of memory over this many steps; 0 skips this measurement.
    #[arg(long, default_value_t = 0)]
    memory_steps: u64,
    /// Instead, measure full-batch training of networks on pairs of group elements.
    #[arg(long, conflicts_with = "science")]
    groups: bool,
    /// Instead, measure training of networks on sequences of Markov chains.
    #[arg(long, conflicts_with_all = ["groups", "science"])]
    chains: bool,
    /// Instead, measure training of networks on prompts of tokens.
    #[arg(long, conflicts_with_all = ["groups", "chains", "science"])]
    prompts: bool,
    /// Instead, measure training of decoders on points of a function.
    #[arg(long, conflicts_with_all = ["groups", "chains", "prompts", "science"])]
    points: bool,
    /// Instead, measure sweeps: training steps per second of all networks together, by width and number of replicas.
    #[arg(long, conflicts_with_all = ["groups", "chains", "prompts", "points", "science"])]
    sweeps: bool,
    /// Instead, measure the presets of these names on one core, or all that are trained: of a sweep, its first run.
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..,
        conflicts_with_all = ["groups", "chains", "prompts", "points", "sweeps", "science"]
    )]
    presets: Option<Vec<String>>,
    /// Instead, measure on one core and on all cores those presets of which all cores can make a step together, or the
    /// presets of these names.
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..,
        conflicts_with_all = ["groups", "chains", "prompts", "points", "sweeps", "science", "presets"]
    )]
    cores: Option<Vec<String>>,
    /// Instead, time the networks of the page's bench (#bench) on this device, and print the same table.
    #[arg(
        long,
        value_name = "DEVICE",
        conflicts_with_all = ["groups", "chains", "prompts", "points", "sweeps", "science", "presets", "cores"]
    )]
    device: Option<device::BenchedDevice>,
    /// With --device: print the table as JSON.
    #[arg(long, requires = "device")]
    json: bool,
    /// With --presets: measure again what the file already has numbers for.
    #[arg(long, requires = "presets")]
    again: bool,
    /// Instead, compare results of the parity lab, the look-up lab and the in-context labs with the results of
    /// independent programs.
    #[arg(long)]
    science: bool,
    /// With --science: compare only the results with this text in their names.
    #[arg(long, default_value = "")]
    only: String,
    /// With --science, --presets or --device: also write the table to this file. --presets keeps the rows of the file.
    #[arg(long)]
    output: Option<PathBuf>,
    /// Also measure PyTorch on the same work, if PyTorch is installed. With --presets: the script that `lab script` prints.
    #[arg(long)]
    peers: bool,
    /// The Python program that runs PyTorch.
    #[arg(long, default_value = "python3")]
    python: String,
}

impl Arguments {
    /// Measuring time for one row of the table in seconds.
    fn seconds(&self) -> f64 {
        let usual = if self.presets.is_some() || self.cores.is_some() { presets::SECONDS } else { 3.0 };
        self.seconds.unwrap_or(usual)
    }
}

/// Rows whose step would take longer than this are left out, in seconds.
const SLOWEST_STEP: f64 = 1.0;

/// The work: (50,3)-parity, batch 32, hinge, plain SGD, fresh data.
fn work(width: usize, replicas: usize, learner: LearnerChoice) -> RunSpec {
    let link = format!("#v1/sparse-parity?width={width}&halt=steps&steps=10000000&every=100000&held=64");
    let mut spec = decode(&link).0.spec;
    (spec.run.replicas, spec.run.learner) = (replicas, learner);
    spec
}

/// Five windows of one row, as steps per second from low to high.
struct Rates {
    sorted: Vec<f64>,
    /// Whether the run ended before all windows were over, since it diverged.
    ended: bool,
}

impl Rates {
    fn median(&self) -> f64 {
        self.sorted.get(self.sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn spread(&self) -> String {
        match (self.sorted.first(), self.sorted.last()) {
            (Some(low), Some(high)) => format!("{} – {}", count(*low), count(*high)),
            _ => String::new(),
        }
    }

    /// Steps per second of `spec`, how far they spread, Gflop/s, and the share of `peak` in operations per second:
    /// a dash and nothing else where a step takes too long.
    fn cells(&self, spec: &RunSpec, peak: f64) -> [String; 4] {
        let median = self.median();
        if median.is_nan() {
            return ["–".into(), String::new(), String::new(), String::new()];
        }
        let flops = median * spec.step_flops();
        let share = format!("{:.1} %", 100.0 * flops / peak);
        [count(median), self.spread(), format!("{:.2}", flops / 1e9), share]
    }
}

/// Runs `lab bench`.
///
/// # Errors
/// When a device stops working.
pub fn bench(arguments: &Arguments) -> Result<(), Trouble> {
    if arguments.science {
        return instances(arguments);
    }
    if let Some(which) = arguments.device {
        return device::time(which, arguments.json, arguments.output.as_deref());
    }
    if let Some(names) = &arguments.presets {
        return presets::compare(arguments, names);
    }
    if let Some(names) = &arguments.cores {
        return presets::cores::compare(names, arguments.seconds());
    }
    let mut devices = vec![Device::cpu()];
    match pollster::block_on(checked_gpu(&[Engine::Fused, Engine::Autodiff])) {
        Ok(gpu) => devices.push(gpu),
        Err(failure) => println!("GPU: {failure}"),
    }
    if arguments.groups {
        return groups::NETWORKS.compare(&devices, arguments);
    }
    if arguments.chains {
        return chains::NETWORKS.compare(&devices, arguments);
    }
    if arguments.prompts {
        return prompts::NETWORKS.compare(&devices, arguments);
    }
    if arguments.points {
        return points::NETWORKS.compare(&devices, arguments);
    }
    if arguments.sweeps {
        return throughput::compare(&devices, arguments);
    }
    println!(
        "(50,3)-parity, batch 32, ReLU, hinge, SGD, fresh data; median of five windows, lowest – highest"
    );
    for device in &devices {
        let peak = introduce(device)?;
        println!("{}", table(device, peak, arguments)?);
        if arguments.memory_steps > 0 {
            println!("{}", flatness(device, arguments.memory_steps)?);
        }
    }
    if arguments.peers {
        peers(arguments);
    }
    Ok(())
}

/// Prints what `device` is and can do, and returns its operations per second at most.
fn introduce(device: &Device) -> Result<f64, Trouble> {
    let simulated = if device.report().simulated { ", simulated on the CPU" } else { "" };
    let peaks = pollster::block_on(device.peaks())?;
    print!("\n{}{simulated}: {:.1} GFLOP/s at most", device.report().name, peaks.flops / 1e9);
    if let Some(one) = peaks.workgroup_flops {
        print!(", {:.1} in one workgroup", one / 1e9);
    }
    println!();
    Ok(peaks.flops)
}

/// A table with these headings, whose columns from number `text` on are numbers.
fn headed<const N: usize>(headings: [&str; N], text: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_header(headings);
    for column in table.column_iter_mut().skip(text) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The comparison with what was found elsewhere, line by line as it comes.
fn instances(arguments: &Arguments) -> Result<(), Trouble> {
    let rows = science::compare(&Device::cpu(), &arguments.only, |row| {
        let sign = if row.agree { "  " } else { "NO" };
        println!(
            "{sign} {}: independent program {}, here {} ({:.1} s)",
            row.name, row.elsewhere, row.here, row.seconds
        );
        if !row.why().is_empty() {
            println!("     {}", row.why());
        }
    })?;
    if let Some(path) = &arguments.output {
        std::fs::write(path, science::markdown(&rows))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match rows.iter().filter(|row| !row.is_settled()).count() {
        0 => Ok(()),
        apart => Err(anyhow::anyhow!("{apart} results differ from those of the independent programs").into()),
    }
}

fn table(device: &Device, peak: f64, arguments: &Arguments) -> Result<Table, Trouble> {
    let headings =
        ["learner", "width", "replicas", "steps/s", "low – high", "replica-steps/s", "GFLOP/s", "of peak"];
    let mut table = headed(headings, 1);
    for learner in [LearnerChoice::Fused, LearnerChoice::Autodiff] {
        for width in &arguments.widths {
            for replicas in &arguments.replicas {
                let spec = work(*width, *replicas, learner);
                if !spec.problems().is_empty() {
                    continue;
                }
                let what = format!("width {width}, {replicas} replicas");
                let Some((name, rates)) = rate_or_say(&spec, device, arguments.seconds(), &what)? else {
                    continue;
                };
                let [steps, spread, flops, share] = rates.cells(&spec, peak);
                let median = rates.median();
                let total = if median.is_nan() { String::new() } else { count(median * *replicas as f64) };
                table.add_row([
                    name,
                    width.to_string(),
                    replicas.to_string(),
                    steps,
                    spread,
                    total,
                    flops,
                    share,
                ]);
            }
        }
    }
    Ok(table)
}

/// As [`rate`]; a run that fails is told of in a line that begins with `what`, and has no rates.
fn rate_or_say(
    spec: &RunSpec,
    device: &Device,
    seconds: f64,
    what: &str,
) -> Result<Option<(String, Rates)>, Trouble> {
    match rate(spec, device, 1, seconds) {
        Ok(measured) => Ok(Some(measured)),
        Err(Trouble::Run(failure)) => {
            println!("{what}: {failure}");
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// A number with three digits that count.
fn count(value: f64) -> String {
    let digits = if value >= 100.0 { 0 } else { 2 - value.max(0.1).log10().floor() as usize };
    let text = format!("{value:.digits$}");
    match text.contains('.') || value < 1e3 {
        true => text,
        false => vivarium_core::settings::thousands(value.round() as u64),
    }
}

/// Steps per second of training alone on so many cores, after a warm-up, with the name of the learner. Reading weights at the end
/// of each window waits for the device.
fn rate(spec: &RunSpec, device: &Device, cores: usize, seconds: f64) -> Result<(String, Rates), Trouble> {
    let mut session = Session::start(spec, device, Options { cores, ..Options::default() })?;
    let name = session.learner().split(',').next().unwrap_or_default().to_string();
    let mut sorted = vec![];
    pollster::block_on(async {
        // What measures and compiles is over with the first step.
        while session.step() < 1 && !session.finished() {
            session.advance(1.0, 1).await?;
        }
        session.first_layer().await?;
        let begin = now_ms();
        session.advance(1.0, 1).await?;
        session.first_layer().await?;
        if now_ms() - begin > SLOWEST_STEP * 1e3 {
            return Ok::<_, Trouble>(());
        }
        let warm = now_ms() + (seconds * 200.0).min(1e3);
        while now_ms() < warm && !session.finished() {
            session.advance(50.0, u64::MAX).await?;
        }
        session.first_layer().await?;
        for _ in 0..5 {
            let (begin, from) = (now_ms(), session.step());
            while now_ms() - begin < seconds * 200.0 && !session.finished() {
                // Few enough that autodiff's launches do not pile up unseen.
                session.advance(50.0, 200_000).await?;
            }
            session.first_layer().await?;
            if session.finished() {
                break;
            }
            sorted.push((session.step() - from) as f64 / (now_ms() - begin) * 1e3);
        }
        Ok(())
    })?;
    sorted.sort_by(f64::total_cmp);
    Ok((name, Rates { sorted, ended: session.finished() }))
}

/// A row of the script beside the tests.
#[derive(Debug, serde::Deserialize)]
struct Peer {
    peer: String,
    device: String,
    replicas: usize,
    width: usize,
    steps_per_s: f64,
    low: f64,
    high: f64,
}

/// PyTorch on the same work.
fn peers(arguments: &Arguments) {
    let headings = ["peer", "device", "width", "replicas", "steps/s", "low – high", "replica-steps/s"];
    let mut table = headed(headings, 2);
    for row in ask::<Peer>(arguments, &[]) {
        table.add_row([
            row.peer,
            row.device,
            row.width.to_string(),
            row.replicas.to_string(),
            count(row.steps_per_s),
            format!("{} – {}", count(row.low), count(row.high)),
            count(row.steps_per_s * row.replicas as f64),
        ]);
    }
    if table.row_count() > 0 {
        println!("\n{table}");
    }
}

/// Rows of the script that measures PyTorch, run with `options`; where there are none, a line says so. The script
/// says itself why it cannot, and which sizes it leaves out.
fn ask<Row: serde::de::DeserializeOwned>(arguments: &Arguments, options: &[&str]) -> Vec<Row> {
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/peers/torch_bench.py");
    let seconds = arguments.seconds().to_string();
    let ran = Command::new(&arguments.python)
        .arg(&script)
        .args(["--seconds", &seconds])
        .args(options)
        .stderr(std::process::Stdio::inherit())
        .output();
    let output = match ran {
        Ok(output) => output,
        Err(why) => {
            println!("\nPyTorch was not measured: {} cannot be run ({why}).", arguments.python);
            return vec![];
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<Row> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if rows.is_empty() {
        println!("\nPyTorch was not measured.");
    }
    rows
}

/// Memory of this process in MiB, where the system tells.
fn resident_mib() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: f64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * 4096.0 / f64::from(1 << 20))
}

/// How memory changes over a long run.
fn flatness(device: &Device, steps: u64) -> Result<String, Trouble> {
    let mut spec = decode("#v1/sparse-parity?n=20&width=64&held=1024").0.spec;
    (spec.run.steps, spec.run.halt) = (10_000_000, Halt::Steps);
    let mut session = Session::start(&spec, device, Options::default())?;
    let mut run_to = |until: u64| {
        while session.step() < until {
            pollster::block_on(session.advance(50.0, until - session.step()))?;
        }
        Ok::<_, Trouble>(resident_mib())
    };
    let (before, after) = (run_to(steps / 20)?, run_to(steps)?);
    let name = &device.report().name;
    Ok(match (before, after) {
        (Some(before), Some(after)) => {
            format!("{name}: memory {before:.1} MiB after {} steps, {after:.1} MiB after {steps}", steps / 20)
        }
        _ => format!("{name}: this system does not report the memory of a process"),
    })
}
