//! Named networks of one lab, timed on every device and learner and beside PyTorch.

use super::{Arguments, Trouble, ask, count, headed, introduce, rate_or_say};
use vivarium_model::permalink::decode;
use vivarium_model::protocol::DeviceKind;
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_training::launch::device::Device;

/// What is timed.
#[derive(Debug)]
pub struct Networks {
    /// The lab, as in a link.
    pub lab: &'static str,
    /// A line above the table.
    pub about: &'static str,
    /// Networks, each with its name and its settings as in a link; the script beside the tests takes the same.
    pub all: &'static [(&'static str, &'static str)],
    /// Heading and key of the setting that has a column of its own.
    pub column: (&'static str, &'static str),
    /// Options of the script before the links, for every time that it is run.
    pub script: &'static [&'static [&'static str]],
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

impl Networks {
    /// The run of `link` that measures nothing on its way and never ends.
    pub fn work(&self, link: &str, learner: LearnerChoice) -> RunSpec {
        let endless = "halt=steps&steps=10000000&every=100000";
        let mut spec = decode(&format!("#v1/{}?{link}&{endless}", self.lab)).0.spec;
        spec.run.learner = learner;
        spec
    }

    /// Prints the table, and PyTorch's if it is asked for.
    ///
    /// # Errors
    /// When a device stops working.
    pub fn compare(&self, devices: &[Device], arguments: &Arguments) -> Result<(), Trouble> {
        println!("{}; median of five windows, lowest – highest", self.about);
        let (heading, key) = self.column;
        let headings =
            ["device", "network", heading, "learner", "steps/s", "low – high", "GFLOP/s", "of peak"];
        let mut table = headed(headings, 4);
        let mut made = vec![];
        for device in devices {
            let peak = introduce(device)?;
            let report = device.report();
            for &(network, link) in self.all {
                for learner in [LearnerChoice::Fused, LearnerChoice::Autodiff] {
                    let spec = self.work(link, learner);
                    let Some((name, rates)) = rate_or_say(&spec, device, arguments.seconds(), network)?
                    else {
                        continue;
                    };
                    let [steps, spread, flops, share] = rates.cells(&spec, peak);
                    let size = spec.value(key).map(|size| size.to_string()).unwrap_or_default();
                    // Where kernels do not cover a network, autodiff stands in for them, and has its row already.
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
                    made.push(Made { link, kind: report.kind, steps_per_s: rates.median() });
                    if stands_in {
                        break;
                    }
                }
            }
        }
        println!("\n{table}");
        if arguments.peers {
            self.peers(arguments, &made);
        }
        Ok(())
    }

    /// PyTorch on the same networks, beside the fastest of our learners on a device of the same kind.
    fn peers(&self, arguments: &Arguments, made: &[Made]) {
        let headings = ["network", "peer", "device", "steps/s", "low – high", "ours", "ours / theirs"];
        let mut table = headed(headings, 3);
        for way in self.script {
            let mut options = way.to_vec();
            options.extend(self.all.iter().map(|(_, link)| *link));
            for row in ask::<Peer>(arguments, &options) {
                let network =
                    self.all.iter().find(|(_, link)| *link == row.link).map_or("", |(name, _)| *name);
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
        }
        if table.row_count() > 0 {
            println!("\n{table}");
        }
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
