//! `lab bench`: steps per second of training alone, on the CPU and on the GPU if there is one.

#![expect(clippy::print_stdout, reason = "this command prints")]

use clap::Args;

use super::Trouble;
use crate::permalink::decode;
use crate::platform::now_ms;
use crate::training::check::checked_gpu;
use crate::training::choose::Engine;
use crate::training::device::Device;
use crate::training::session::{Options, Session};

/// What `lab bench` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Seconds per measurement.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Steps over which memory is watched on the CPU.
    #[arg(long, default_value_t = 200_000)]
    steps: u64,
}

/// Sizes that are measured: the thesis's, a wide one, and many replicas.
const RUNS: [(&str, &str); 4] = [
    ("(20,3), width 64, batch 32", "#v1/sparse-parity?n=20&width=64"),
    ("(50,3), width 100, batch 32", "#v1/sparse-parity"),
    ("(50,3), width 1000, batch 1024", "#v1/sparse-parity?width=1000&batch=1024"),
    ("(50,3), width 100, batch 32, 64 replicas", "#v1/sparse-parity?replicas=64"),
];

/// Runs `lab bench`.
///
/// # Errors
/// When a device stops working.
pub fn bench(arguments: &Arguments) -> Result<(), Trouble> {
    let mut devices = vec![Device::cpu()];
    match pollster::block_on(checked_gpu(&[Engine::Fused, Engine::Autodiff])) {
        Ok(gpu) => devices.push(gpu),
        Err(failure) => println!("GPU: {failure}"),
    }
    let mut memory = vec![];
    for device in devices {
        let report = device.report();
        println!(
            "{}{}",
            report.name,
            if report.simulated { ", simulated on the CPU" } else { "" }
        );
        for (name, link) in RUNS {
            println!("  {name:<42} {:>9.0} steps/s", rate(link, &device, arguments.seconds)?);
        }
        memory.push(flatness(&device, arguments.steps)?);
    }
    memory.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Steps per second of training alone, after a short warm-up; the last measurement waits for the device.
fn rate(link: &str, device: &Device, seconds: f64) -> Result<f64, Trouble> {
    let mut spec = decode(link).0.spec;
    spec.run.halt = crate::run::Halt::Steps;
    (spec.run.steps, spec.run.every, spec.run.held_out) = (10_000_000, 100_000, 64);
    let mut session = Session::start(&spec, device, Options::default())?;
    pollster::block_on(async {
        for _ in 0..3 {
            session.advance(200.0, 20).await?;
        }
        session.measure().await?;
        let (begin, from) = (now_ms(), session.step());
        while now_ms() - begin < seconds * 1e3 {
            session.advance(50.0, 20).await?;
        }
        session.measure().await?;
        Ok((session.step() - from) as f64 / (now_ms() - begin) * 1e3)
    })
}

/// Memory of this process in MiB, where the system tells.
fn resident_mib() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: f64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * 4096.0 / f64::from(1 << 20))
}

/// How memory changes over a long run; a simulated GPU is too slow for that.
fn flatness(device: &Device, steps: u64) -> Result<String, Trouble> {
    let name = &device.report().name;
    if device.report().simulated {
        return Ok(format!("{name}: memory not watched, too slow"));
    }
    let mut spec = decode("#v1/sparse-parity?n=20&width=64&held=1024").0.spec;
    (spec.run.steps, spec.run.halt) = (10_000_000, crate::run::Halt::Steps);
    let mut session = Session::start(&spec, device, Options::default())?;
    let mut run_to = |until: u64| {
        while session.step() < until {
            pollster::block_on(session.advance(50.0, until - session.step()))?;
        }
        Ok::<_, Trouble>(resident_mib())
    };
    let (before, after) = (run_to(steps / 20)?, run_to(steps)?);
    Ok(match (before, after) {
        (Some(before), Some(after)) => {
            format!("{name}: memory {before:.1} MiB after {} steps, {after:.1} MiB after {steps}", steps / 20)
        }
        _ => format!("{name}: this system does not tell how much memory a process has"),
    })
}
