//! The bench: how fast a device trains a few networks, as a table that people send each other.
//!
//! # Why
//! No machine of ours has the GPU of whoever reads this. So the page and `lab bench --device` time the same networks in the
//! same way, and what they write can be read again, from Markdown as well as from JSON: by the page, which shows two devices
//! beside each other, and by whoever collects them in `tests/golden/devices.md`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use vivarium_core::settings::thousands;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::{DeviceReport, Peaks, Speed};
use vivarium_model::run::{LearnerChoice, RunSpec};

/// For how long a network is timed, in milliseconds.
pub const WINDOW_MS: f64 = 600.0;
/// Most rows, and most letters of a word, that are read from a text that somebody pastes.
const MOST_ROWS: usize = 1000;
const MOST_LETTERS: usize = 200;

/// A network that is timed: the name in the table, and its run as a link.
pub struct Network {
    /// What the table calls it.
    pub name: &'static str,
    /// Its run.
    pub link: &'static str,
}

/// The networks that are timed: of each family one that is small and one that is large for a browser.
pub static NETWORKS: &[Network] = &[
    Network { name: "Parity, 100 neurons", link: "#v1/sparse-parity?n=50&k=3&width=100" },
    Network {
        name: "Parity, 100 neurons, 64 replicas",
        link: "#v1/sparse-parity?n=50&k=3&width=100&replicas=64",
    },
    Network {
        name: "Parity, 100 neurons, 1,024 replicas",
        link: "#v1/sparse-parity?n=50&k=3&width=100&replicas=1024",
    },
    Network { name: "Parity, 1,000 neurons", link: "#v1/sparse-parity?n=50&k=3&width=1000" },
    Network { name: "Addition modulo 23, 200 neurons", link: "#v1/groups?n=23&width=200" },
    Network { name: "Addition modulo 71, 500 neurons", link: "#v1/groups?n=71&width=500&lambda=1e-4" },
    Network { name: "Markov chains, k = 2, T = 50", link: "#v1/markov" },
    Network { name: "Markov chains, k = 3, T = 100", link: "#v1/markov?k=3&t=100&batch=64" },
    Network { name: "Attention that looks up two names", link: "#v1/sparse-token-regression" },
    Network { name: "Decoder of two layers on points", link: "#v1/in-context-learning" },
];

impl Network {
    /// The run, to be timed with `learner`.
    pub fn run(&self, learner: LearnerChoice) -> RunSpec {
        let mut spec = decode(self.link).0.spec;
        spec.run.learner = learner;
        spec
    }
}

/// What a device was found to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchDevice {
    /// Its name.
    pub name: String,
    /// Whether it is a GPU that a processor simulates.
    pub simulated: bool,
    /// Multiplications and additions per second at most, in thousands of millions: of one core where it is a processor.
    pub gflops: f64,
    /// Of a GPU, the same in one workgroup.
    pub workgroup_gflops: Option<f64>,
    /// Of a GPU, what a launch takes, in microseconds.
    pub launch_us: Option<f64>,
}

impl BenchDevice {
    /// What was found of the device that says this of itself.
    pub fn new(report: &DeviceReport, peaks: &Peaks) -> Self {
        BenchDevice {
            name: word(&report.name),
            simulated: report.simulated,
            gflops: peaks.flops / 1e9,
            workgroup_gflops: peaks.workgroup_flops.map(|flops| flops / 1e9),
            launch_us: peaks.launch_ms.map(|ms| ms * 1e3),
        }
    }
}

/// How fast one network is trained on one device by one learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// The network.
    pub network: String,
    /// The device.
    pub device: String,
    /// The learner; or why there is none.
    pub learner: String,
    /// Steps per second, each of which is a step of every replica; none where the network was not trained.
    pub steps_per_s: Option<f64>,
    /// Multiplications and additions of these steps per second, in thousands of millions.
    pub gflops: Option<f64>,
}

impl BenchRow {
    /// What was found of `network` on the device of that name, with `spec` as it was timed.
    pub fn new(network: &Network, spec: &RunSpec, device: &str, found: Result<&Speed, &str>) -> Self {
        let timed = found.ok().filter(|speed| speed.steps_per_s > 0.0);
        let learner = match found {
            Ok(speed) => speed.learner.split(',').next().unwrap_or_default(),
            Err(why) => why,
        };
        let [device, learner] = [device, learner].map(word);
        BenchRow {
            network: network.name.into(),
            device,
            learner,
            steps_per_s: timed.map(|speed| speed.steps_per_s),
            gflops: timed.map(|speed| speed.steps_per_s * spec.step_flops() / 1e9),
        }
    }

    /// What tells it from other rows of a table: the network, whether it was a GPU, and whether Burn trained it.
    fn place(&self, devices: &[BenchDevice]) -> (String, bool, bool) {
        let is_gpu =
            devices.iter().any(|device| device.name == self.device && device.workgroup_gflops.is_some());
        (self.network.clone(), is_gpu, self.learner.starts_with("Burn"))
    }
}

/// What a bench has found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchTable {
    /// The program: a browser, or the command line.
    pub program: String,
    /// The devices.
    pub devices: Vec<BenchDevice>,
    /// What was timed.
    pub rows: Vec<BenchRow>,
}

/// The heading of the devices in Markdown.
const DEVICES: &str = "| device | maximum GFLOP/s | in one workgroup | µs per launch |";
/// The heading of the rows in Markdown.
const ROWS: &str = "| network | device | learner | steps/s | GFLOP/s | of maximum |";
/// How a line begins that names the program.
const PROGRAM: &str = "Program: ";
/// What follows the name of a device that is simulated.
const SIMULATED: &str = " (simulated)";

impl BenchTable {
    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("{PROGRAM}{}\n\n{DEVICES}\n|---|---:|---:|---:|\n", self.program);
        for device in &self.devices {
            let name =
                if device.simulated { format!("{}{SIMULATED}", device.name) } else { device.name.clone() };
            let [most, one, launch] =
                [Some(device.gflops), device.workgroup_gflops, device.launch_us].map(cell);
            let _ = writeln!(text, "| {name} | {most} | {one} | {launch} |");
        }
        let _ = write!(text, "\n{ROWS}\n|---|---|---|---:|---:|---:|\n");
        for row in &self.rows {
            let BenchRow { network, device, learner, .. } = row;
            let [steps, gflops] = [row.steps_per_s, row.gflops].map(cell);
            let share = self.share(row).map(|share| format!("{share} %")).unwrap_or_default();
            let _ = writeln!(text, "| {network} | {device} | {learner} | {steps} | {gflops} | {share} |");
        }
        text
    }

    /// The part that a row makes of what its device computes at most: of one core where it is a processor, where some
    /// cores make more than the whole. So does a device that did something else while its most was measured.
    pub fn part(&self, row: &BenchRow) -> Option<f64> {
        let device = self.devices.iter().find(|device| device.name == row.device)?;
        Some(row.gflops? / device.gflops)
    }

    /// The same in per cent, as it is written.
    pub fn share(&self, row: &BenchRow) -> Option<String> {
        self.part(row).map(|part| digits(100.0 * part))
    }

    /// The table as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The table in a text, which is Markdown, or JSON that `of_json` reads: a browser has a reader of its own.
    ///
    /// # Errors
    /// A sentence that says what is missing.
    pub fn parse(
        text: &str,
        of_json: impl Fn(&str) -> Result<BenchTable, String>,
    ) -> Result<BenchTable, String> {
        let found = match text.trim_start().starts_with('{') {
            true => of_json(text)
                .map_err(|why| tr!("The text is not a results table of the benchmark: {why}.", why))?,
            false => BenchTable::of_markdown(text),
        };
        let longest = |row: &BenchRow| {
            let words = [&row.network, &row.device, &row.learner].map(|word| word.chars().count());
            words.into_iter().max().unwrap_or_default()
        };
        match &found.rows {
            rows if rows.is_empty() => {
                Err(tr!("The text is not a results table of the benchmark: it has no rows with speeds.")
                    .into())
            }
            rows if rows.len() > MOST_ROWS || rows.iter().any(|row| longest(row) > MOST_LETTERS) => {
                Err(tr!("The table is too long to be a results table of the benchmark.").into())
            }
            _ => Ok(found),
        }
    }

    fn of_markdown(text: &str) -> BenchTable {
        let mut table = BenchTable::default();
        let mut heading = "";
        for line in text.lines().map(str::trim).take(4 * MOST_ROWS) {
            if let Some(program) = line.strip_prefix(PROGRAM) {
                table.program = program.chars().take(MOST_LETTERS).collect();
            }
            let inside = line.strip_prefix('|').unwrap_or(line);
            let inside = inside.strip_suffix('|').unwrap_or(inside);
            let cells: Vec<&str> = inside.split('|').map(str::trim).collect();
            match (heading, cells.as_slice()) {
                _ if line == DEVICES || line == ROWS => heading = line,
                _ if cells.iter().all(|cell| cell.chars().all(|c| c == '-' || c == ':')) => {}
                (DEVICES, [name, most, one, launch]) => {
                    let plain = name.strip_suffix(SIMULATED);
                    table.devices.extend(number(most).map(|gflops| BenchDevice {
                        name: plain.unwrap_or(name).to_string(),
                        simulated: plain.is_some(),
                        gflops,
                        workgroup_gflops: number(one),
                        launch_us: number(launch),
                    }));
                }
                (ROWS, [network, device, learner, steps, gflops, _]) => table.rows.push(BenchRow {
                    network: network.to_string(),
                    device: device.to_string(),
                    learner: learner.to_string(),
                    steps_per_s: number(steps),
                    gflops: number(gflops),
                }),
                _ => heading = "",
            }
        }
        table
    }

    /// How many times as fast a row is as the same network on a device of the same kind in another table.
    pub fn times(&self, row: &BenchRow, other: &BenchTable) -> Option<f64> {
        let place = row.place(&self.devices);
        let same = other.rows.iter().find(|theirs| theirs.place(&other.devices) == place)?;
        Some(row.steps_per_s? / same.steps_per_s.filter(|speed| *speed > 0.0)?)
    }
}

/// A word of a table, without what would end its cell, and no longer than is read again.
fn word(text: &str) -> String {
    let plain = |letter: char| match letter {
        '|' => '/',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.chars().take(MOST_LETTERS).map(plain).collect()
}

/// A number with three digits that count.
fn digits(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value >= 999.5 {
        return thousands(value.round() as u64);
    }
    let places = [99.95, 9.995, 0.9995].iter().position(|least| value >= *least).unwrap_or(3);
    format!("{value:.places$}")
}

/// A number with three digits that count, or a dash where there is none.
pub fn cell(value: Option<f64>) -> String {
    value.map_or("–".into(), digits)
}

fn number(text: &str) -> Option<f64> {
    text.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::protocol::DeviceKind;

    fn parse(text: &str) -> Result<BenchTable, String> {
        BenchTable::parse(text, |text| serde_json::from_str(text).map_err(|why| why.to_string()))
    }

    fn table() -> BenchTable {
        let report = |kind, name: &str, simulated| DeviceReport { kind, name: name.into(), simulated };
        let cpu = Peaks { flops: 1.26e11, workgroup_flops: None, launch_ms: None };
        let gpu = Peaks { flops: 2.5e12, workgroup_flops: Some(4.2e10), launch_ms: Some(0.0123) };
        let (slow, fast) = (&NETWORKS[0], &NETWORKS[1]);
        let spec = slow.run(LearnerChoice::Auto);
        let speed = |steps_per_s, learner: &str| Speed { steps_per_s, learner: learner.into() };
        BenchTable {
            program: "a browser".into(),
            devices: vec![
                BenchDevice::new(&report(DeviceKind::Cpu, "CPU", false), &cpu),
                BenchDevice::new(&report(DeviceKind::Gpu, "WebGPU: M2", true), &gpu),
            ],
            rows: vec![
                BenchRow::new(slow, &spec, "CPU", Ok(&speed(62_345.6, "fused loop, SIMD"))),
                BenchRow::new(slow, &spec, "WebGPU: M2", Ok(&speed(1_234.0, "fused kernels, many"))),
                BenchRow::new(slow, &spec, "WebGPU: M2", Ok(&speed(100.0, "Burn autodiff, step by step"))),
                BenchRow::new(fast, &spec, "WebGPU: M2", Err("needs a | buffer")),
            ],
        }
    }

    #[test]
    fn the_networks_are_possible_runs_with_names_of_their_own() {
        let mut names: Vec<&str> = NETWORKS.iter().map(|network| network.name).collect();
        for network in NETWORKS {
            let (link, notices) = decode(network.link);
            assert!(notices.is_empty() && link.spec.problems().is_empty(), "{}", network.name);
            assert!(!network.name.contains('|'));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NETWORKS.len());
    }

    #[test]
    fn a_table_is_read_again_from_json_exactly_and_from_markdown_to_three_digits() {
        let table = table();
        assert_eq!(parse(&table.json()), Ok(table.clone()));
        let again = parse(&format!("Some words\n\n{}\nmore", table.markdown())).unwrap();
        assert_eq!(again.program, "a browser");
        assert_eq!(again.devices[1].launch_us, Some(12.3));
        assert_eq!((again.devices[1].simulated, again.devices[0].simulated), (true, false));
        let speeds: Vec<_> = again.rows.iter().map(|row| row.steps_per_s).collect();
        assert_eq!(speeds, [Some(62_346.0), Some(1234.0), Some(100.0), None]);
        assert_eq!(again.markdown(), table.markdown());
        // As programs that format Markdown write it.
        let formatted =
            table.markdown().replace("---:", " ---: ").replace("|---", "| --- ").replace("|  |", "||");
        assert_eq!(parse(&formatted).unwrap().markdown(), table.markdown());
        let long = BenchRow::new(
            &NETWORKS[0],
            &NETWORKS[0].run(LearnerChoice::Auto),
            "a|b\nc",
            Err(&"é".repeat(999)),
        );
        assert_eq!((long.device.as_str(), long.learner.chars().count()), ("a/b c", MOST_LETTERS));
        let with_long = BenchTable { rows: vec![long], ..table };
        assert_eq!(parse(&with_long.markdown()).unwrap().rows, with_long.rows);
    }

    #[test]
    fn the_markdown_says_what_was_found() {
        let text = table().markdown();
        for line in [
            "Program: a browser",
            "| CPU | 126 | – | – |",
            "| WebGPU: M2 (simulated) | 2,500 | 42.0 | 12.3 |",
            // 2 · 2 · 32 · (50 · 100 + …) operations of each of 62,346 steps.
            "| Parity, 100 neurons | CPU | fused loop | 62,346 |",
            "| Parity, 100 neurons, 64 replicas | WebGPU: M2 | needs a / buffer | – | – |  |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let row = &table().rows[0];
        let flops = 62_345.6 * NETWORKS[0].run(LearnerChoice::Auto).step_flops();
        assert!((row.gflops.unwrap() - flops / 1e9).abs() < 1e-9);
        assert_eq!(table().share(row), Some(digits(100.0 * flops / 1.26e11)));
    }

    #[test]
    fn two_tables_are_compared_network_by_network_and_learner_by_learner() {
        let (mine, mut theirs) = (table(), table());
        theirs.devices[1].name = "Vulkan: H200".into();
        for row in &mut theirs.rows {
            row.device = row.device.replace("WebGPU: M2", "Vulkan: H200");
            row.steps_per_s = row.steps_per_s.map(|speed| 2.0 * speed);
        }
        let times: Vec<_> = mine.rows.iter().map(|row| mine.times(row, &theirs)).collect();
        assert_eq!(times, [Some(0.5), Some(0.5), Some(0.5), None]);
        theirs.rows.remove(0);
        assert_eq!(mine.times(&mine.rows[0], &theirs), None, "the processor is not compared with a GPU");
    }

    #[test]
    fn a_text_that_is_no_table_is_refused_with_a_sentence() {
        let said = |text: &str| parse(text).unwrap_err();
        assert_eq!(
            said("hello"),
            "The text is not a results table of the benchmark: it has no rows with speeds."
        );
        assert!(said("{\"program\": 3}").starts_with("The text is not a results table of the benchmark: "));
        assert!(
            said("{\"program\": \"a\", \"devices\": [], \"rows\": []}").ends_with("no rows with speeds.")
        );
        let row = "| a | b | c | 1 | 2 | 3 % |\n";
        let long = format!("{ROWS}\n|---|\n{}", row.repeat(MOST_ROWS + 1));
        assert_eq!(said(&long), "The table is too long to be a results table of the benchmark.");
        let wide = format!("{ROWS}\n{}", row.replace('a', &"a".repeat(MOST_LETTERS + 1)));
        assert_eq!(said(&wide), "The table is too long to be a results table of the benchmark.");
    }

    /// The page leaves runs to the processor where the GPU is simulated: the tables bear that out.
    #[test]
    fn the_collected_tables_are_of_these_networks_and_no_simulated_gpu_is_faster() {
        let collected = include_str!("../../../tests/golden/devices.md");
        let mut compared = 0;
        for part in collected.split("\n## ").skip(1) {
            let table = parse(part).unwrap();
            for network in NETWORKS {
                assert!(table.rows.iter().any(|row| row.network == network.name), "{}", network.name);
            }
            let simulated = |row: &&BenchRow| {
                table.devices.iter().any(|device| device.simulated && device.name == row.device)
            };
            for row in table.rows.iter().filter(simulated) {
                let of_cpu = |other: &&BenchRow| other.network == row.network && other.device == "CPU";
                let cpu = table.rows.iter().find(of_cpu).unwrap().steps_per_s.unwrap();
                assert!(cpu > 0.9 * row.steps_per_s.unwrap(), "{}: {cpu}", row.network);
                compared += 1;
            }
        }
        assert!(compared >= NETWORKS.len());
    }

    #[test]
    fn numbers_have_three_digits() {
        let said =
            [0.0123, 0.5, 0.9996, 1.0, 12.34, 99.94, 99.96, 123.4, 999.4, 999.6, 1e6, f64::NAN].map(digits);
        assert_eq!(
            said,
            [
                "0.012",
                "0.500",
                "1.00",
                "1.00",
                "12.3",
                "99.9",
                "100",
                "123",
                "999",
                "1,000",
                "1,000,000",
                "–"
            ]
        );
    }
}
