//! `lab bench --device`: the table of the page's bench, without a browser.

use std::path::Path;

use crate::CommandError;
use crate::disk::{SystemDisk, replace_file};
use vivarium_model::protocol::{DeviceKind, RunError, TrainingSpeed};
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_training::launch::choose::Engine;
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::trial::Trial;
use vivarium_view::record::TrainingEnvironment;
use vivarium_view::record::bench::{BenchDevice, BenchRow, BenchTable, NETWORKS, TIMING_WINDOW_MS};

/// Devices to time: the value of `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceSelection {
    /// The processor alone.
    Cpu,
    /// The GPU alone.
    Gpu,
    /// Both, as on the page.
    Both,
}

/// Times the networks of the page's benchmark on `selection`, prints the table as Markdown or JSON, and
/// writes it to `output`, as JSON if the name of the file ends in `.json`.
///
/// # Errors
/// No GPU where one is asked for, a device that stops working, or a file that cannot be written.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this command prints")]
pub fn bench_devices(
    selection: DeviceSelection,
    as_json: bool,
    output: Option<&Path>,
) -> Result<(), CommandError> {
    let mut table = BenchTable { program: TrainingEnvironment::program(), ..Default::default() };
    if selection != DeviceSelection::Gpu {
        add_network_rows(&mut table, &Device::cpu(), &[LearnerChoice::Auto])?;
    }
    if selection != DeviceSelection::Cpu {
        match pollster::block_on(checked_gpu(&[Engine::Fused, Engine::Autodiff])) {
            Ok(gpu) => add_network_rows(&mut table, &gpu, &[LearnerChoice::Fused, LearnerChoice::Autodiff])?,
            Err(failure) if selection == DeviceSelection::Gpu => return Err(failure.into()),
            Err(failure) => eprintln!("The GPU was not timed: {failure}"),
        }
    }
    print!("{}", table_text(&table, as_json));
    match output {
        Some(path) => {
            let text = table_text(&table, as_json || path.extension().is_some_and(|end| end == "json"));
            Ok(replace_file(&SystemDisk, path, text.as_bytes())?)
        }
        None => Ok(()),
    }
}

/// The table as JSON or as Markdown, ending in a new line.
fn table_text(table: &BenchTable, as_json: bool) -> String {
    if as_json { table.to_json() + "\n" } else { table.to_markdown() }
}

/// Times all networks of the page's benchmark on one device with each of `learners`, and adds the rows to the
/// table.
#[expect(clippy::print_stderr, reason = "what goes on is no part of the table")]
fn add_network_rows(
    table: &mut BenchTable,
    device: &Device,
    learners: &[LearnerChoice],
) -> Result<(), CommandError> {
    let report = device.report();
    let peaks = pollster::block_on(device.peaks())?;
    table.devices.push(BenchDevice::new(report, &peaks));
    let all = learners.iter().flat_map(|learner| NETWORKS.iter().map(move |network| (learner, network)));
    for (learner, network) in all {
        let spec = network.spec_for(*learner);
        let found = match measure_speed(&spec, device) {
            Err(RunError::GpuLost(why)) => return Err(RunError::GpuLost(why).into()),
            found => found.map_err(|failure| failure.to_string()),
        };
        // Without a kernel for the network, the fused learner falls back to autodiff, which has its own row.
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

/// Training speed of the run `spec` on `device`; on the processor with all cores.
fn measure_speed(spec: &RunSpec, device: &Device) -> Result<TrainingSpeed, RunError> {
    let mut trial =
        Trial::start(spec, device, vivarium_model::platform::core_count(), TIMING_WINDOW_MS, None)?;
    pollster::block_on(async {
        loop {
            if let Some(speed) = trial.advance(50.0).await? {
                return Ok(speed);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown_or_json() {
        let table = BenchTable { program: "Vivarium".into(), ..Default::default() };
        let read: serde_json::Value = serde_json::from_str(&table_text(&table, true)).unwrap();
        assert_eq!(read["program"], "Vivarium");
        assert!(table_text(&table, false).contains("Program: Vivarium"));
    }
}
