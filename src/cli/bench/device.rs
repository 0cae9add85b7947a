//! `lab bench --device`: the table of the page's bench, without a browser.

use std::path::Path;

use crate::Trouble;
use crate::disk::{Native, replace};
use vivarium_model::protocol::{DeviceKind, Failure, Speed};
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_training::launch::choose::Engine;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::trial::Trial;
use vivarium_view::record::Environment;
use vivarium_view::record::bench::{BenchDevice, BenchRow, BenchTable, NETWORKS, WINDOW_MS};

/// What `--device` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum BenchedDevice {
    /// The processor alone.
    Cpu,
    /// The GPU alone.
    Gpu,
    /// Both, as on the page.
    Both,
}

/// Times the networks of the page's bench on `which`, prints the table as Markdown or as JSON, and writes it to `output`.
///
/// # Errors
/// No GPU where one is asked for, a device that stops working, or a file that cannot be written.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this command prints")]
pub fn time(which: BenchedDevice, as_json: bool, output: Option<&Path>) -> Result<(), Trouble> {
    let mut table = BenchTable { program: Environment::program(), ..Default::default() };
    if which != BenchedDevice::Gpu {
        time_networks(&mut table, &Device::cpu(), &[LearnerChoice::Auto])?;
    }
    if which != BenchedDevice::Cpu {
        match pollster::block_on(checked_gpu(&[Engine::Fused, Engine::Autodiff])) {
            Ok(gpu) => time_networks(&mut table, &gpu, &[LearnerChoice::Fused, LearnerChoice::Autodiff])?,
            Err(failure) if which == BenchedDevice::Gpu => return Err(failure.into()),
            Err(failure) => eprintln!("The GPU was not timed: {failure}"),
        }
    }
    let text = if as_json { table.json() + "\n" } else { table.markdown() };
    print!("{text}");
    match output {
        Some(path) => Ok(replace(&Native, path, text.as_bytes())?),
        None => Ok(()),
    }
}

#[expect(clippy::print_stderr, reason = "what goes on is no part of the table")]
fn time_networks(table: &mut BenchTable, device: &Device, learners: &[LearnerChoice]) -> Result<(), Trouble> {
    let report = device.report();
    let peaks = pollster::block_on(device.peaks())?;
    table.devices.push(BenchDevice::new(report, &peaks));
    let all = learners.iter().flat_map(|learner| NETWORKS.iter().map(move |network| (learner, network)));
    for (learner, network) in all {
        let spec = network.run(*learner);
        let found = match speed(&spec, device) {
            Err(Failure::GpuLost(why)) => return Err(Failure::GpuLost(why).into()),
            found => found.map_err(|failure| failure.to_string()),
        };
        // Where kernels do not cover a network, autodiff stands in for them, and has its row besides.
        let stands_in = report.kind == DeviceKind::Gpu
            && *learner == LearnerChoice::Fused
            && found.as_ref().map_or(true, |speed| speed.learner.starts_with("Burn"));
        if !stands_in {
            let row = BenchRow::new(network, &spec, &report.name, found.as_ref().map_err(String::as_str));
            eprintln!("{}: {}: {}", row.device, row.network, row.steps_per_s.unwrap_or(f64::NAN));
            table.rows.push(row);
        }
    }
    Ok(())
}

/// How fast a run goes; on the processor on all cores, as in a page whose helpers have come.
fn speed(spec: &RunSpec, device: &Device) -> Result<Speed, Failure> {
    let mut trial = Trial::start(spec, device, vivarium_model::platform::cores(), WINDOW_MS, None)?;
    pollster::block_on(async {
        loop {
            if let Some(speed) = trial.advance(50.0).await? {
                return Ok(speed);
            }
        }
    })
}
