//! `lab bench --groups`: full-batch training of networks on pairs of group elements, on every device and learner.
//!
//! # Why
//! A step on all d² pairs is three products of d² × m × d, 6 d³ m operations, and needs no data but its own
//! weights, so training alone is timed: nothing is measured between the two ends of a window. PyTorch runs the
//! same networks beside it, with its own Adam and each sum of embeddings broadcast, not looked up.
//!
//! # Speed
//! PyTorch 2.11, eager, x² with Adam on all pairs, steps/s on an NVIDIA H200 and on 16 processor cores:
//!
//! ```text
//! d, m        23, 200   71, 500   113, 512
//! H200            541       484        478
//! 16 cores        553        52         23
//! ```
//!
//! On that GPU it is bound by the number of its launches, whatever the size.

use super::{Arguments, Trouble, ask, count, headed, introduce, rate_or_say};
use crate::permalink::decode;
use crate::protocol::DeviceKind;
use crate::run::{LearnerChoice, RunSpec};
use crate::training::device::Device;

/// Networks, each with its name and its settings as in a link; the script beside the tests takes the same.
const NETWORKS: [(&str, &str); 6] = [
    ("p = 23, x²", "n=23&width=200"),
    ("p = 23, ReLU", "n=23&width=200&act=relu&nu=2&lambda=1e-4"),
    ("p = 71, x²", "n=71&width=500&lambda=1e-4"),
    ("p = 113, x²", "n=113&width=512&lambda=1e-4"),
    ("S5, x²", "op=symmetric&letters=5&width=2000&lambda=1e-5"),
    ("S5, x², batch 1,000", "op=symmetric&letters=5&width=2000&lambda=1e-5&batch=1000"),
];

/// The run of `link` that measures nothing on its way and never ends.
fn work(link: &str, learner: LearnerChoice) -> RunSpec {
    let mut spec = decode(&format!("#v1/groups?{link}&halt=steps&steps=10000000&every=100000")).0.spec;
    spec.run.learner = learner;
    spec
}

/// What one learner makes of one network.
struct Made {
    link: &'static str,
    kind: DeviceKind,
    steps_per_s: f64,
}

/// A row of the script beside the tests.
#[derive(Debug, serde::Deserialize)]
struct Peer {
    peer: String,
    device: String,
    link: String,
    steps_per_s: f64,
    low: f64,
    high: f64,
}

impl Peer {
    fn kind(&self) -> DeviceKind {
        if self.device == "cpu" { DeviceKind::Cpu } else { DeviceKind::Gpu }
    }
}

/// Prints the table, and PyTorch's if it is asked for.
///
/// # Errors
/// When a device stops working.
pub fn groups(devices: &[Device], arguments: &Arguments) -> Result<(), Trouble> {
    println!(
        "All pairs of group elements unless a batch is named, Adam; median of five windows, lowest – highest"
    );
    let headings = ["device", "network", "m", "learner", "steps/s", "low – high", "GFLOP/s", "of peak"];
    let mut table = headed(headings, 4);
    let mut made = vec![];
    for device in devices {
        let peak = introduce(device);
        let report = device.report();
        for (network, link) in NETWORKS {
            for learner in [LearnerChoice::Fused, LearnerChoice::Autodiff] {
                let spec = work(link, learner);
                let Some((name, rates)) = rate_or_say(&spec, device, arguments.seconds, network)? else {
                    continue;
                };
                let [steps, spread, flops, share] = rates.cells(&spec, peak);
                let width = spec.value("width").map(|width| width.to_string()).unwrap_or_default();
                // Where kernels do not cover a network, autodiff stands in for them, and has its row already.
                let stands_in = learner == LearnerChoice::Fused && !name.starts_with("fused");
                table.add_row([
                    report.name.clone(),
                    network.into(),
                    width,
                    name,
                    steps,
                    spread,
                    flops,
                    share,
                ]);
                made.push(Made { link, kind: report.kind, steps_per_s: rates.median() });
                if stands_in {
                    break;
                }
            }
        }
    }
    println!("\n{table}");
    if arguments.peers {
        peers(arguments, &made);
    }
    Ok(())
}

/// PyTorch on the same networks, beside the fastest of our learners on a device of the same kind.
fn peers(arguments: &Arguments, made: &[Made]) {
    let mut options = vec!["--groups"];
    options.extend(NETWORKS.map(|(_, link)| link));
    let headings = ["network", "peer", "device", "steps/s", "low – high", "ours", "ours / theirs"];
    let mut table = headed(headings, 3);
    for row in ask::<Peer>(arguments, &options) {
        let network = NETWORKS.iter().find(|(_, link)| *link == row.link).map_or("", |(name, _)| *name);
        let ours = fastest(made, &row.link, row.kind());
        table.add_row([
            network.to_string(),
            row.peer,
            row.device,
            count(row.steps_per_s),
            format!("{} – {}", count(row.low), count(row.high)),
            ours.map(count).unwrap_or_default(),
            ours.map(|ours| count(ours / row.steps_per_s)).unwrap_or_default(),
        ]);
    }
    if table.row_count() > 0 {
        println!("\n{table}");
    }
}

/// Steps per second of the fastest learner of a network on a kind of device, if any was fast enough.
fn fastest(made: &[Made], link: &str, kind: DeviceKind) -> Option<f64> {
    let same = made.iter().filter(|made| made.link == link && made.kind == kind);
    same.map(|made| made.steps_per_s).filter(|rate| rate.is_finite()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::optimizers::Optimizer;

    #[test]
    fn every_network_is_what_its_link_says() {
        for (name, link) in NETWORKS {
            let (decoded, notices) = decode(&format!("#v1/groups?{link}"));
            assert!(notices.is_empty() && decoded.spec.problems().is_empty(), "{name}");
            let spec = work(link, LearnerChoice::Fused);
            assert!(spec.problems().is_empty(), "{name}");
            assert!(matches!(&spec.optimizer, Optimizer::Adam(adam) if adam.lr == 0.01), "{name}");
            // 6 · pairs · order · width, and all pairs unless the name says how many.
            let order = spec.task.sampler().inputs();
            let pairs = if name.contains("batch") { 1000 } else { order * order };
            let width: usize = spec.value("width").unwrap().to_string().parse().unwrap();
            assert_eq!(spec.step_flops(), (6 * pairs * order * width) as f64, "{name}");
        }
    }

    #[test]
    fn the_script_knows_the_same_networks() {
        let script = include_str!("../../../tests/peers/torch_bench.py");
        for (name, link) in NETWORKS {
            assert!(script.contains(&format!("    \"{link}\",\n")), "{name}");
        }
    }

    #[test]
    fn a_peer_is_compared_with_the_fastest_on_its_kind_of_device() {
        let one = |link, kind, steps_per_s| Made { link, kind, steps_per_s };
        let made = [
            one("a", DeviceKind::Cpu, 2.0),
            one("a", DeviceKind::Cpu, f64::NAN),
            one("a", DeviceKind::Cpu, 3.0),
            one("a", DeviceKind::Gpu, 9.0),
            one("b", DeviceKind::Cpu, 7.0),
            one("c", DeviceKind::Cpu, f64::NAN),
        ];
        assert_eq!(fastest(&made, "a", DeviceKind::Cpu), Some(3.0));
        assert_eq!(fastest(&made, "a", DeviceKind::Gpu), Some(9.0));
        assert_eq!(fastest(&made, "c", DeviceKind::Cpu), None);
    }
}
