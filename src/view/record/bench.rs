//! Benchmark of devices: the training speed of a few networks, as a table that users can exchange.
//!
//! # Why
//! No machine of ours has the GPU of whoever reads this. So the page and `lab bench --device` time the same networks in the
//! same way, and what they write can be read again, from Markdown as well as from JSON: by the page, which shows two devices
//! beside each other, and by whoever collects them in `tests/golden/devices.md`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::{DeviceInfo, PeakPerformance, TrainingSpeed};
use vivarium_model::run::{LearnerChoice, RunSpec};

/// Milliseconds for which the benchmark trains each network to measure its speed.
pub const TIMING_WINDOW_MS: f64 = 600.0;
/// Largest number of rows of a pasted table of benchmark results; a longer table is rejected.
const MAX_ROWS: usize = 1000;
/// Largest number of characters of a cell in a pasted table of benchmark results; a table with a longer cell is
/// rejected.
const MAX_WORD_CHARS: usize = 200;

/// A network whose training speed is timed by the benchmark.
pub struct BenchNetwork {
    /// Name of the timed network in the table of benchmark results.
    pub name: &'static str,
    /// Settings of the run that trains the timed network, as a link.
    pub link: &'static str,
}

/// Networks timed by the benchmark: a small and a large one of each family.
pub static NETWORKS: &[BenchNetwork] = &[
    BenchNetwork { name: "Parity, 100 neurons", link: "#v1/sparse-parity?n=50&k=3&width=100" },
    BenchNetwork {
        name: "Parity, 100 neurons, 64 replicas",
        link: "#v1/sparse-parity?n=50&k=3&width=100&replicas=64",
    },
    BenchNetwork {
        name: "Parity, 100 neurons, 1,024 replicas",
        link: "#v1/sparse-parity?n=50&k=3&width=100&replicas=1024",
    },
    BenchNetwork { name: "Parity, 1,000 neurons", link: "#v1/sparse-parity?n=50&k=3&width=1000" },
    BenchNetwork { name: "Addition modulo 23, 200 neurons", link: "#v1/groups?n=23&width=200" },
    BenchNetwork { name: "Addition modulo 71, 500 neurons", link: "#v1/groups?n=71&width=500&lambda=1e-4" },
    BenchNetwork { name: "Markov chains, k = 2, T = 50", link: "#v1/markov" },
    BenchNetwork { name: "Markov chains, k = 3, T = 100", link: "#v1/markov?k=3&t=100&batch=64" },
    BenchNetwork { name: "Attention that looks up two names", link: "#v1/sparse-token-regression" },
    BenchNetwork { name: "Decoder of two layers on points", link: "#v1/in-context-learning" },
];

impl BenchNetwork {
    /// Settings of the run that trains this network when it is timed with `learner`.
    pub fn spec_for(&self, learner: LearnerChoice) -> RunSpec {
        let mut spec = decode(self.link).0.spec;
        spec.run.learner = learner;
        spec
    }
}

/// A device measured by the benchmark: a processor or a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchDevice {
    /// Name of the device in the benchmark's table of results.
    pub name: String,
    /// Whether the device is a GPU simulated by a processor.
    pub simulated: bool,
    /// Peak speed in 10⁹ multiplications and additions per second; for a processor, of one core.
    pub gflops: f64,
    /// Peak speed of one workgroup of a GPU, in 10⁹ multiplications and additions per second; `None` for processors.
    pub workgroup_gflops: Option<f64>,
    /// Time to launch a kernel, in microseconds; `None` for processors.
    pub launch_us: Option<f64>,
}

impl BenchDevice {
    /// Builds the entry from the report of the device and its measured peak speeds.
    pub fn new(report: &DeviceInfo, peaks: &PeakPerformance) -> Self {
        BenchDevice {
            name: clean_word(&report.name),
            simulated: report.simulated,
            gflops: peaks.flops / 1e9,
            workgroup_gflops: peaks.workgroup_flops.map(|flops| flops / 1e9),
            launch_us: peaks.launch_ms.map(|ms| ms * 1e3),
        }
    }
}

/// Training speed of one network on one device with one learner (the code that computes the training steps).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// Name of the timed network.
    pub network: String,
    /// Name of the device (processor or GPU) on which the network was timed.
    pub device: String,
    /// Name of the learner (the code that computed the steps), or the reason why the network was not timed.
    pub learner: String,
    /// Training steps per second, each of which advances all replicas; `None` if the network was not trained.
    pub steps_per_s: Option<f64>,
    /// Speed in 10⁹ multiplications and additions per second of all replicas together; `None` if the network was not
    /// trained.
    pub gflops: Option<f64>,
}

impl BenchRow {
    /// Builds the row from the measured speed, or from the reason why the network was not timed.
    pub fn new(
        network: &BenchNetwork,
        spec: &RunSpec,
        device: &str,
        result: Result<&TrainingSpeed, &str>,
    ) -> Self {
        let timed = result.ok().filter(|speed| speed.steps_per_s > 0.0);
        let learner = match result {
            Ok(speed) => speed.learner.split(',').next().unwrap_or_default(),
            Err(why) => why,
        };
        let [device, learner] = [device, learner].map(clean_word);
        BenchRow {
            network: network.name.into(),
            device,
            learner,
            steps_per_s: timed.map(|speed| speed.steps_per_s),
            gflops: timed.map(|speed| speed.steps_per_s * spec.step_flops() / 1e9),
        }
    }

    /// Key by which rows of two tables are matched: network, whether the device is a GPU, and whether Burn is the
    /// learner.
    fn matching_key(&self, devices: &[BenchDevice]) -> (String, bool, bool) {
        let is_gpu =
            devices.iter().any(|device| device.name == self.device && device.workgroup_gflops.is_some());
        (self.network.clone(), is_gpu, self.learner.starts_with("Burn"))
    }
}

/// Results of a benchmark: measured devices and training speeds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchTable {
    /// Name of the program that ran the benchmark: a browser, or the command line.
    pub program: String,
    /// Devices (processors and GPUs) of which the benchmark measured the peak speed.
    pub devices: Vec<BenchDevice>,
    /// Training speeds, one row per combination of network, device and learner.
    pub rows: Vec<BenchRow>,
}

/// Heading of the table of measured devices in Markdown.
const DEVICES_HEADING: &str = "| device | maximum GFLOP/s | in one workgroup | µs per launch |";
/// Heading of the table of training speeds in Markdown.
const ROWS_HEADING: &str = "| network | device | learner | steps/s | GFLOP/s | of maximum |";
/// Prefix of the Markdown line that names the program which ran the benchmark.
const PROGRAM_PREFIX: &str = "Program: ";
/// Suffix, in the Markdown table, of the name of a GPU that a processor simulates.
const SIMULATED_SUFFIX: &str = " (simulated)";

impl BenchTable {
    /// Formats the results as two Markdown tables, one of devices and one of training speeds.
    pub fn to_markdown(&self) -> String {
        let mut text =
            format!("{PROGRAM_PREFIX}{}\n\n{DEVICES_HEADING}\n|---|---:|---:|---:|\n", self.program);
        for device in &self.devices {
            let name = if device.simulated {
                format!("{}{SIMULATED_SUFFIX}", device.name)
            } else {
                device.name.clone()
            };
            let [most, one, launch] =
                [Some(device.gflops), device.workgroup_gflops, device.launch_us].map(format_cell);
            let _ = writeln!(text, "| {name} | {most} | {one} | {launch} |");
        }
        let _ = write!(text, "\n{ROWS_HEADING}\n|---|---|---|---:|---:|---:|\n");
        for row in &self.rows {
            let BenchRow { network, device, learner, .. } = row;
            let [steps, gflops] = [row.steps_per_s, row.gflops].map(format_cell);
            let share =
                self.format_fraction_of_maximum(row).map(|share| format!("{share} %")).unwrap_or_default();
            let _ = writeln!(text, "| {network} | {device} | {learner} | {steps} | {gflops} | {share} |");
        }
        text
    }

    /// Speed of a row divided by the peak speed of its device; `None` without either number. Exceeds 1 where several
    /// cores are used, or where the peak was measured too low.
    pub fn fraction_of_maximum(&self, row: &BenchRow) -> Option<f64> {
        let device = self.devices.iter().find(|device| device.name == row.device)?;
        Some(row.gflops? / device.gflops)
    }

    /// Speed of a row as a percentage of the peak speed of its device, as text; `None` without either number.
    pub fn format_fraction_of_maximum(&self, row: &BenchRow) -> Option<String> {
        self.fraction_of_maximum(row).map(|part| format_three_digits(100.0 * part))
    }

    /// Formats the results of the benchmark as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Parses the results of a benchmark from Markdown, or from JSON with the parser `of_json`, since a browser has its
    /// own JSON parser.
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
            false => BenchTable::parse_markdown(text),
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
            rows if rows.len() > MAX_ROWS || rows.iter().any(|row| longest(row) > MAX_WORD_CHARS) => {
                Err(tr!("The table is too long to be a results table of the benchmark.").into())
            }
            _ => Ok(found),
        }
    }

    /// Parses benchmark results from Markdown; skips lines that belong to neither of the two tables.
    fn parse_markdown(text: &str) -> BenchTable {
        let mut table = BenchTable::default();
        let mut heading = "";
        for line in text.lines().map(str::trim).take(4 * MAX_ROWS) {
            if let Some(program) = line.strip_prefix(PROGRAM_PREFIX) {
                table.program = program.chars().take(MAX_WORD_CHARS).collect();
            }
            let inside = line.strip_prefix('|').unwrap_or(line);
            let inside = inside.strip_suffix('|').unwrap_or(inside);
            let cells: Vec<&str> = inside.split('|').map(str::trim).collect();
            match (heading, cells.as_slice()) {
                _ if line == DEVICES_HEADING || line == ROWS_HEADING => heading = line,
                _ if cells.iter().all(|cell| cell.chars().all(|c| c == '-' || c == ':')) => {}
                (DEVICES_HEADING, [name, most, one, launch]) => {
                    let plain = name.strip_suffix(SIMULATED_SUFFIX);
                    table.devices.extend(parse_number(most).map(|gflops| BenchDevice {
                        name: plain.unwrap_or(name).to_string(),
                        simulated: plain.is_some(),
                        gflops,
                        workgroup_gflops: parse_number(one),
                        launch_us: parse_number(launch),
                    }));
                }
                (ROWS_HEADING, [network, device, learner, steps, gflops, _]) => table.rows.push(BenchRow {
                    network: network.to_string(),
                    device: device.to_string(),
                    learner: learner.to_string(),
                    steps_per_s: parse_number(steps),
                    gflops: parse_number(gflops),
                }),
                _ => heading = "",
            }
        }
        table
    }

    /// Speed of a row divided by the speed in the table `other` of the row with the same network, kind of device
    /// (processor or GPU) and kind of learner (Burn or not); `None` if `other` has no such row.
    pub fn speedup(&self, row: &BenchRow, other: &BenchTable) -> Option<f64> {
        let place = row.matching_key(&self.devices);
        let same = other.rows.iter().find(|theirs| theirs.matching_key(&other.devices) == place)?;
        Some(row.steps_per_s? / same.steps_per_s.filter(|speed| *speed > 0.0)?)
    }
}

/// Cleans a word for a table cell: replaces `|` and control characters, and cuts it to [`MAX_WORD_CHARS`] characters.
fn clean_word(text: &str) -> String {
    let plain = |letter: char| match letter {
        '|' => '/',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.chars().take(MAX_WORD_CHARS).map(plain).collect()
}

/// Formats a measured speed with three significant digits.
fn format_three_digits(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value >= 999.5 {
        return format_thousands(value.round() as u64);
    }
    let places = [99.95, 9.995, 0.9995].iter().position(|least| value >= *least).unwrap_or(3);
    format!("{value:.places$}")
}

/// Formats a number for a table cell with three significant digits, or a dash for `None`.
pub fn format_cell(value: Option<f64>) -> String {
    value.map_or("–".into(), format_three_digits)
}

/// Parses a finite non-negative number with thousands separators; `None` for other texts.
fn parse_number(text: &str) -> Option<f64> {
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
        let report = |kind, name: &str, simulated| DeviceInfo { kind, name: name.into(), simulated };
        let cpu = PeakPerformance { flops: 1.26e11, workgroup_flops: None, launch_ms: None };
        let gpu = PeakPerformance { flops: 2.5e12, workgroup_flops: Some(4.2e10), launch_ms: Some(0.0123) };
        let (slow, fast) = (&NETWORKS[0], &NETWORKS[1]);
        let spec = slow.spec_for(LearnerChoice::Auto);
        let speed = |steps_per_s, learner: &str| TrainingSpeed { steps_per_s, learner: learner.into() };
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
            assert!(notices.is_empty() && link.spec.invalid_settings().is_empty(), "{}", network.name);
            assert!(!network.name.contains('|'));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NETWORKS.len());
    }

    #[test]
    fn a_table_is_read_again_from_json_exactly_and_from_markdown_to_three_digits() {
        let table = table();
        assert_eq!(parse(&table.to_json()), Ok(table.clone()));
        let again = parse(&format!("Some words\n\n{}\nmore", table.to_markdown())).unwrap();
        assert_eq!(again.program, "a browser");
        assert_eq!(again.devices[1].launch_us, Some(12.3));
        assert_eq!((again.devices[1].simulated, again.devices[0].simulated), (true, false));
        let speeds: Vec<_> = again.rows.iter().map(|row| row.steps_per_s).collect();
        assert_eq!(speeds, [Some(62_346.0), Some(1234.0), Some(100.0), None]);
        assert_eq!(again.to_markdown(), table.to_markdown());
        // As programs that format Markdown write it.
        let formatted =
            table.to_markdown().replace("---:", " ---: ").replace("|---", "| --- ").replace("|  |", "||");
        assert_eq!(parse(&formatted).unwrap().to_markdown(), table.to_markdown());
        let long = BenchRow::new(
            &NETWORKS[0],
            &NETWORKS[0].spec_for(LearnerChoice::Auto),
            "a|b\nc",
            Err(&"é".repeat(999)),
        );
        assert_eq!((long.device.as_str(), long.learner.chars().count()), ("a/b c", MAX_WORD_CHARS));
        let with_long = BenchTable { rows: vec![long], ..table };
        assert_eq!(parse(&with_long.to_markdown()).unwrap().rows, with_long.rows);
    }

    #[test]
    fn the_markdown_says_what_was_found() {
        let text = table().to_markdown();
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
        let flops = 62_345.6 * NETWORKS[0].spec_for(LearnerChoice::Auto).step_flops();
        assert!((row.gflops.unwrap() - flops / 1e9).abs() < 1e-9);
        assert_eq!(
            table().format_fraction_of_maximum(row),
            Some(format_three_digits(100.0 * flops / 1.26e11))
        );
    }

    #[test]
    fn two_tables_are_compared_network_by_network_and_learner_by_learner() {
        let (mine, mut theirs) = (table(), table());
        theirs.devices[1].name = "Vulkan: H200".into();
        for row in &mut theirs.rows {
            row.device = row.device.replace("WebGPU: M2", "Vulkan: H200");
            row.steps_per_s = row.steps_per_s.map(|speed| 2.0 * speed);
        }
        let times: Vec<_> = mine.rows.iter().map(|row| mine.speedup(row, &theirs)).collect();
        assert_eq!(times, [Some(0.5), Some(0.5), Some(0.5), None]);
        theirs.rows.remove(0);
        assert_eq!(mine.speedup(&mine.rows[0], &theirs), None, "the processor is not compared with a GPU");
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
        let long = format!("{ROWS_HEADING}\n|---|\n{}", row.repeat(MAX_ROWS + 1));
        assert_eq!(said(&long), "The table is too long to be a results table of the benchmark.");
        let wide = format!("{ROWS_HEADING}\n{}", row.replace('a', &"a".repeat(MAX_WORD_CHARS + 1)));
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
        let said = [0.0123, 0.5, 0.9996, 1.0, 12.34, 99.94, 99.96, 123.4, 999.4, 999.6, 1e6, f64::NAN]
            .map(format_three_digits);
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
