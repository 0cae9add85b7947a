//! Named networks of one lab, timed on every device and learner and in PyTorch.

use super::{
    Arguments, CommandError, format_number, measure_rate_or_report, new_table, print_device,
    run_pytorch_script,
};
use vivarium_model::permalink::decode;
use vivarium_model::protocol::DeviceKind;
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_training::launch::device::Device;

/// Networks of one lab whose training speed is compared.
#[derive(Debug)]
pub struct BenchmarkNetworks {
    /// Slug of the lab.
    pub lab: &'static str,
    /// Text that is printed above the table of results.
    pub caption: &'static str,
    /// For each network its name in the table, and its settings as in a link, which the PyTorch script takes,
    /// too.
    pub networks: &'static [(&'static str, &'static str)],
    /// Heading of the table column with the size of each network, and key of the setting that is this size,
    /// such as `width`.
    pub size_column: (&'static str, &'static str),
    /// Lists of options for the PyTorch script, which runs once for each list; the settings of the networks
    /// follow them.
    pub script_options: &'static [&'static [&'static str]],
}

/// Measured speed of one learner on one network.
struct MeasuredRate {
    /// Settings of the network as in a link, by which the row of PyTorch is found.
    link: &'static str,
    /// Kind of the device on which the learner trained the network.
    kind: DeviceKind,
    /// Median training steps per second over five time windows; NaN if a step takes too long to be timed.
    steps_per_s: f64,
}

/// A line of JSON from `tests/peers/torch_bench.py`: the speed of PyTorch on one network.
#[derive(Debug, serde::Deserialize)]
struct PyTorchNetworkRow {
    /// Version and execution mode of PyTorch, such as "PyTorch 2.9.0 eager, 1 thread".
    peer: String,
    /// Device on which PyTorch ran: `cpu`, or `cuda: ` and the name of the GPU.
    device: String,
    /// Settings of the timed network as in a link, without lab.
    link: String,
    /// Median training steps per second of PyTorch over five time windows.
    steps_per_s: f64,
    /// Training steps per second in the slowest time window.
    low: f64,
    /// Training steps per second in the fastest time window.
    high: f64,
}

impl PyTorchNetworkRow {
    /// Kind of the device on which PyTorch ran: the processor or a GPU.
    fn device_kind(&self) -> DeviceKind {
        if self.device == "cpu" { DeviceKind::Cpu } else { DeviceKind::Gpu }
    }
}

impl BenchmarkNetworks {
    /// The run that times the network with the settings `link`, trained by `learner`: it is measured only
    /// every 100,000 steps, and its last step is too far to be reached.
    pub fn benchmark_run(&self, link: &str, learner: LearnerChoice) -> RunSpec {
        let endless = "halt=steps&steps=10000000&every=100000";
        let mut spec = decode(&format!("#v1/{}?{link}&{endless}", self.lab)).0.spec;
        spec.run.learner = learner;
        spec
    }

    /// Measures all networks on all devices and learners and prints the table; also that of PyTorch with
    /// `--peers`.
    ///
    /// # Errors
    /// When a device stops working.
    pub fn print_comparison(&self, devices: &[Device], arguments: &Arguments) -> Result<(), CommandError> {
        println!("{}; median of five windows, lowest – highest", self.caption);
        let (heading, key) = self.size_column;
        let headings =
            ["device", "network", heading, "learner", "steps/s", "low – high", "GFLOP/s", "of peak"];
        let mut table = new_table(headings, 4);
        let mut made = vec![];
        for device in devices {
            let peak = print_device(device)?;
            let report = device.report();
            for &(network, link) in self.networks {
                for learner in [LearnerChoice::Fused, LearnerChoice::Autodiff] {
                    let spec = self.benchmark_run(link, learner);
                    let Some((name, rates)) =
                        measure_rate_or_report(&spec, device, arguments.measuring_seconds(), network)?
                    else {
                        continue;
                    };
                    let [steps, spread, flops, share] = rates.format_cells(&spec, peak);
                    let size = spec.value(key).map(|size| size.to_string()).unwrap_or_default();
                    // Without a kernel for the network, the fused learner falls back to autodiff, which has its own row.
                    let stands_in = learner == LearnerChoice::Fused && !name.starts_with("fused");
                    table.add_row([
                        report.name.clone(),
                        network.into(),
                        size,
                        name,
                        steps,
                        spread,
                        flops,
                        share,
                    ]);
                    made.push(MeasuredRate { link, kind: report.kind, steps_per_s: rates.median() });
                    if stands_in {
                        break;
                    }
                }
            }
        }
        println!("\n{table}");
        if arguments.peers {
            self.print_pytorch_comparison(arguments, &made);
        }
        Ok(())
    }

    /// Measures PyTorch on the networks of this lab and prints its speed next to `rates`, those of our
    /// fastest learner on the same kind of device.
    fn print_pytorch_comparison(&self, arguments: &Arguments, rates: &[MeasuredRate]) {
        let headings = ["network", "peer", "device", "steps/s", "low – high", "ours", "ours / theirs"];
        let mut table = new_table(headings, 3);
        for way in self.script_options {
            let mut options = way.to_vec();
            options.extend(self.networks.iter().map(|(_, link)| *link));
            for row in run_pytorch_script::<PyTorchNetworkRow>(arguments, &options) {
                let network =
                    self.networks.iter().find(|(_, link)| *link == row.link).map_or("", |(name, _)| *name);
                let ours = max_rate(rates, &row.link, row.device_kind());
                table.add_row([
                    network.to_string(),
                    row.peer,
                    row.device,
                    format_number(row.steps_per_s),
                    format!("{} – {}", format_number(row.low), format_number(row.high)),
                    ours.map(format_number).unwrap_or_default(),
                    ours.map(|ours| format_number(ours / row.steps_per_s)).unwrap_or_default(),
                ]);
            }
        }
        if table.row_count() > 0 {
            println!("\n{table}");
        }
    }
}

/// Training steps per second of our fastest learner on the network with the settings `link` and on devices of
/// the kind `kind`; None if none was timed.
fn max_rate(rates: &[MeasuredRate], link: &str, kind: DeviceKind) -> Option<f64> {
    let same = rates.iter().filter(|made| made.link == link && made.kind == kind);
    same.map(|made| made.steps_per_s).filter(|rate| rate.is_finite()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_compared_with_the_fastest_on_its_kind_of_device() {
        let one = |link, kind, steps_per_s| MeasuredRate { link, kind, steps_per_s };
        let made = [
            one("a", DeviceKind::Cpu, 2.0),
            one("a", DeviceKind::Cpu, f64::NAN),
            one("a", DeviceKind::Cpu, 3.0),
            one("a", DeviceKind::Gpu, 9.0),
            one("b", DeviceKind::Cpu, 7.0),
            one("c", DeviceKind::Cpu, f64::NAN),
        ];
        assert_eq!(max_rate(&made, "a", DeviceKind::Cpu), Some(3.0));
        assert_eq!(max_rate(&made, "a", DeviceKind::Gpu), Some(9.0));
        assert_eq!(max_rate(&made, "c", DeviceKind::Cpu), None);
    }
}
