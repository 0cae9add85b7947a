//! `lab bench`: training steps per second of every learner and device, and the share of the peak speed of the
//! device.

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

use super::{CommandError, science};
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::run::{LearnerChoice, RunSpec, StopCondition};
use vivarium_training::launch::choose::Engine;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::{Options, Session};

/// Command-line arguments of `lab bench`.
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
    device: Option<device::DeviceSelection>,
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
    /// With --science, --presets or --device: also write the table to this file. --presets keeps the rows of the file;
    /// --device writes JSON if the name of the file ends in .json.
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
    /// Measuring time of one table row, in seconds: `--seconds`, or the default of the chosen benchmark.
    fn measuring_seconds(&self) -> f64 {
        let usual = if self.presets.is_some() || self.cores.is_some() {
            presets::DEFAULT_MEASURING_SECONDS
        } else {
            3.0
        };
        self.seconds.unwrap_or(usual)
    }
}

/// Longest training step in seconds that is timed: if the second step of a run takes longer, its row of the
/// table has no numbers.
const MAX_STEP_SECONDS: f64 = 1.0;

/// The run that `lab bench` times: (50,3)-parity (the label is the parity of 3 hidden bits of 50), batch 32,
/// hinge loss, plain SGD, fresh data in every step, `width` hidden units and `replicas` networks, trained by
/// `learner`.
fn benchmark_run(width: usize, replicas: usize, learner: LearnerChoice) -> RunSpec {
    let link = format!("#v1/sparse-parity?width={width}&halt=steps&steps=10000000&every=100000&held=64");
    let mut spec = decode(&link).0.spec;
    (spec.run.replicas, spec.run.learner) = (replicas, learner);
    spec
}

/// Training speed of one table row, measured in five time windows.
struct StepRates {
    /// Training steps per second in each of the five time windows, ascending; empty where a step takes longer
    /// than [`MAX_STEP_SECONDS`].
    sorted: Vec<f64>,
    /// Whether the run diverged before all windows were measured.
    ended_early: bool,
}

impl StepRates {
    /// Median steps per second over the windows; NaN without windows.
    fn median(&self) -> f64 {
        self.sorted.get(self.sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Steps per second in the slowest and in the fastest time window as text, "low – high"; empty without
    /// windows.
    fn format_range(&self) -> String {
        match (self.sorted.first(), self.sorted.last()) {
            (Some(low), Some(high)) => format!("{} – {}", format_number(*low), format_number(*high)),
            _ => String::new(),
        }
    }

    /// Table cells: median steps/s of the run `spec`, its range over the time windows, GFLOP/s, and the share
    /// of `peak`, the peak speed of the device in FLOP/s. Without windows: a dash and three empty cells.
    fn format_cells(&self, spec: &RunSpec, peak: f64) -> [String; 4] {
        let median = self.median();
        if median.is_nan() {
            return ["–".into(), String::new(), String::new(), String::new()];
        }
        let flops = median * spec.step_flops();
        let share = format!("{:.1} %", 100.0 * flops / peak);
        [format_number(median), self.format_range(), format!("{:.2}", flops / 1e9), share]
    }
}

/// Runs `lab bench`.
///
/// # Errors
/// When a device stops working.
pub fn bench(arguments: &Arguments) -> Result<(), CommandError> {
    if arguments.science {
        return compare_with_programs(arguments);
    }
    if let Some(which) = arguments.device {
        return device::bench_devices(which, arguments.json, arguments.output.as_deref());
    }
    if let Some(names) = &arguments.presets {
        return presets::compare_presets(arguments, names);
    }
    if let Some(names) = &arguments.cores {
        return presets::cores::compare_cores(names, arguments.measuring_seconds());
    }
    let mut devices = vec![Device::cpu()];
    match pollster::block_on(checked_gpu(&[Engine::Fused, Engine::Autodiff])) {
        Ok(gpu) => devices.push(gpu),
        Err(failure) => println!("GPU: {failure}"),
    }
    if arguments.groups {
        return groups::NETWORKS.print_comparison(&devices, arguments);
    }
    if arguments.chains {
        return chains::NETWORKS.print_comparison(&devices, arguments);
    }
    if arguments.prompts {
        return prompts::NETWORKS.print_comparison(&devices, arguments);
    }
    if arguments.points {
        return points::NETWORKS.print_comparison(&devices, arguments);
    }
    if arguments.sweeps {
        return throughput::print_throughput(&devices, arguments);
    }
    println!(
        "(50,3)-parity, batch 32, ReLU, hinge, SGD, fresh data; median of five windows, lowest – highest"
    );
    for device in &devices {
        let peak = print_device(device)?;
        println!("{}", measure_table(device, peak, arguments)?);
        if arguments.memory_steps > 0 {
            println!("{}", measure_memory_growth(device, arguments.memory_steps)?);
        }
    }
    if arguments.peers {
        print_pytorch_rates(arguments);
    }
    Ok(())
}

/// Prints the name of `device` and its peak speed, which is measured, and returns this peak in FLOP/s.
fn print_device(device: &Device) -> Result<f64, CommandError> {
    let simulated = if device.report().simulated { ", simulated on the CPU" } else { "" };
    let peaks = pollster::block_on(device.peaks())?;
    print!("\n{}{simulated}: {:.1} GFLOP/s at most", device.report().name, peaks.flops / 1e9);
    if let Some(one) = peaks.workgroup_flops {
        print!(", {:.1} in one workgroup", one / 1e9);
    }
    println!();
    Ok(peaks.flops)
}

/// An empty text table with these column headings; all columns after the first `text_columns` are
/// right-aligned.
fn new_table<const N: usize>(headings: [&str; N], text_columns: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_header(headings);
    for column in table.column_iter_mut().skip(text_columns) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Runs `lab bench --science`: compares our results with those of independent programs, and prints each
/// comparison when it is done.
fn compare_with_programs(arguments: &Arguments) -> Result<(), CommandError> {
    let rows = science::compare_all(&Device::cpu(), &arguments.only, |row| {
        let sign = if row.agrees { "  " } else { "NO" };
        println!(
            "{sign} {}: independent program {}, here {} ({:.1} s)",
            row.name, row.reference_result, row.our_result, row.seconds
        );
        if !row.reason().is_empty() {
            println!("     {}", row.reason());
        }
    })?;
    if let Some(path) = &arguments.output {
        std::fs::write(path, science::format_markdown(&rows))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match rows.iter().filter(|row| !row.is_settled_or_known()).count() {
        0 => Ok(()),
        apart => Err(anyhow::anyhow!("{apart} results differ from those of the independent programs").into()),
    }
}

/// Measures the parity networks of `lab bench` on `device`, with each learner, width and number of replicas;
/// `peak` is the peak speed of the device in FLOP/s.
fn measure_table(device: &Device, peak: f64, arguments: &Arguments) -> Result<Table, CommandError> {
    let headings =
        ["learner", "width", "replicas", "steps/s", "low – high", "replica-steps/s", "GFLOP/s", "of peak"];
    let mut table = new_table(headings, 1);
    for learner in [LearnerChoice::Fused, LearnerChoice::Autodiff] {
        for width in &arguments.widths {
            for replicas in &arguments.replicas {
                let spec = benchmark_run(*width, *replicas, learner);
                if !spec.invalid_settings().is_empty() {
                    continue;
                }
                let what = format!("width {width}, {replicas} replicas");
                let Some((name, rates)) =
                    measure_rate_or_report(&spec, device, arguments.measuring_seconds(), &what)?
                else {
                    continue;
                };
                let [steps, spread, flops, share] = rates.format_cells(&spec, peak);
                let median = rates.median();
                let total =
                    if median.is_nan() { String::new() } else { format_number(median * *replicas as f64) };
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

/// Name of the learner and training speed of `spec` on one core, measured for about `seconds` seconds. None
/// if the run itself fails; its error is then printed after `label`, a text that names the run.
fn measure_rate_or_report(
    spec: &RunSpec,
    device: &Device,
    seconds: f64,
    label: &str,
) -> Result<Option<(String, StepRates)>, CommandError> {
    match measure_rate(spec, device, 1, seconds) {
        Ok(measured) => Ok(Some(measured)),
        Err(CommandError::Run(failure)) => {
            println!("{label}: {failure}");
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// A number as text, rounded to three significant digits, with thousands separators.
fn format_number(value: f64) -> String {
    let digits = if value >= 100.0 { 0 } else { 2 - value.max(0.1).log10().floor() as usize };
    let text = format!("{value:.digits$}");
    match text.contains('.') || value < 1e3 {
        true => text,
        false => vivarium_core::settings::format_thousands(value.round() as u64),
    }
}

/// Trains `spec` on `cores` cores for about `seconds` seconds, after a warm-up. Returns the name of the
/// learner and its speed.
/// The first layer is read back at the end of each window, which waits for the device.
fn measure_rate(
    spec: &RunSpec,
    device: &Device,
    cores: usize,
    seconds: f64,
) -> Result<(String, StepRates), CommandError> {
    let mut session = Session::start(spec, device, Options { cores, ..Options::default() })?;
    let name = session.learner().split(',').next().unwrap_or_default().to_string();
    let mut sorted = vec![];
    pollster::block_on(async {
        // The first step includes compilation and the first measurement.
        while session.step() < 1 && !session.finished() {
            session.advance(1.0, 1).await?;
        }
        session.first_layer().await?;
        let begin = now_ms();
        session.advance(1.0, 1).await?;
        session.first_layer().await?;
        if now_ms() - begin > MAX_STEP_SECONDS * 1e3 {
            return Ok::<_, CommandError>(());
        }
        let warm = now_ms() + (seconds * 200.0).min(1e3);
        while now_ms() < warm && !session.finished() {
            session.advance(50.0, u64::MAX).await?;
        }
        session.first_layer().await?;
        for _ in 0..5 {
            let (begin, from) = (now_ms(), session.step());
            while now_ms() - begin < seconds * 200.0 && !session.finished() {
                // A step limit, since launches of autodiff are asynchronous and would pile up.
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
    Ok((name, StepRates { sorted, ended_early: session.finished() }))
}

/// A line of JSON from `tests/peers/torch_bench.py`: the speed of PyTorch on the parity network.
#[derive(Debug, serde::Deserialize)]
struct PyTorchRow {
    /// Version and execution mode of PyTorch, such as "PyTorch 2.9.0 eager".
    peer: String,
    /// Device on which PyTorch ran: `cpu`, or `cuda: ` and the name of the GPU.
    device: String,
    /// Number of networks that PyTorch trained together.
    replicas: usize,
    /// Width of the hidden layer.
    width: usize,
    /// Median training steps per second over five time windows; each step trains all networks once.
    steps_per_s: f64,
    /// Training steps per second in the slowest time window.
    low: f64,
    /// Training steps per second in the fastest time window.
    high: f64,
}

/// Measures PyTorch on the parity networks of `lab bench` and prints a table of its steps per second.
fn print_pytorch_rates(arguments: &Arguments) {
    let headings = ["peer", "device", "width", "replicas", "steps/s", "low – high", "replica-steps/s"];
    let mut table = new_table(headings, 2);
    for row in run_pytorch_script::<PyTorchRow>(arguments, &[]) {
        table.add_row([
            row.peer,
            row.device,
            row.width.to_string(),
            row.replicas.to_string(),
            format_number(row.steps_per_s),
            format!("{} – {}", format_number(row.low), format_number(row.high)),
            format_number(row.steps_per_s * row.replicas as f64),
        ]);
    }
    if table.row_count() > 0 {
        println!("\n{table}");
    }
}

/// Runs `tests/peers/torch_bench.py` with these command-line options and parses its output, one JSON object
/// of type `Row` in each line. Empty if the script cannot run; the reason is printed.
fn run_pytorch_script<Row: serde::de::DeserializeOwned>(arguments: &Arguments, options: &[&str]) -> Vec<Row> {
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/peers/torch_bench.py");
    let seconds = arguments.measuring_seconds().to_string();
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

/// Resident memory of this process in MiB; None where the system does not report it.
fn resident_mib() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: f64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * 4096.0 / f64::from(1 << 20))
}

/// One sentence with the resident memory of this process after `steps / 20` and after `steps` training steps
/// of a parity network on `device`.
fn measure_memory_growth(device: &Device, steps: u64) -> Result<String, CommandError> {
    let mut spec = decode("#v1/sparse-parity?n=20&width=64&held=1024").0.spec;
    (spec.run.steps, spec.run.halt) = (10_000_000, StopCondition::Steps);
    let mut session = Session::start(&spec, device, Options::default())?;
    let mut run_to = |until: u64| {
        while session.step() < until {
            pollster::block_on(session.advance(50.0, until - session.step()))?;
        }
        Ok::<_, CommandError>(resident_mib())
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
