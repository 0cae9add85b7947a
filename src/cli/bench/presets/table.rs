//! The table of presets: its rows, its summary, and the file that keeps it.
//!
//! # Why
//! A person reads the file, and a later run of the command continues it. So a row consists of the written
//! cells, and the summary is computed from these cells: a row that was read and one that was just measured
//! are equal.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::format_number;
use crate::markdown;
use vivarium_core::math::median;

/// Headings of the columns in the table of `lab bench --presets`.
pub const HEADINGS: [&str; 5] = ["preset", "learner", "steps/s", "PyTorch, steps/s", "ours / theirs"];

/// Text of a table cell for a speed or a ratio that was not measured.
const NO_NUMBER: &str = "–";
/// Ratio of our speed to that of PyTorch that every preset should reach; the summary below the table counts
/// the presets below it.
const TARGET_FACTOR: f64 = 3.0;
/// Start of the line in the report with processor, versions and day of the measurements.
const MACHINE_PREFIX: &str = "Measured with one thread each on ";

/// Title and introduction of the report of `lab bench --presets` in Markdown.
const FILE_HEAD: &str = "# Presets beside PyTorch

Training steps per second of every preset that is trained, and of the PyTorch script that `lab script` writes for the \
same run. Nothing is measured during these steps. Each number is the median of five windows, with the lowest and the \
highest in parentheses. Of a sweep, the first run is timed.

`lab bench --presets --peers --output tests/golden/peers.md` writes this table.
";

/// Training speed in steps per second, measured in several time windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepsPerSecond {
    /// Training steps per second: median of the time windows.
    pub median: f64,
    /// Training steps per second in the slowest time window.
    pub low: f64,
    /// Training steps per second in the fastest time window.
    pub high: f64,
}

/// A row of the table of `lab bench --presets`: the texts of its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct PresetRow {
    /// Name of the preset in the table: its slug in backticks, and ", first run" for a sweep.
    pub preset: String,
    /// Name of our learner (such as fused kernels or autodiff) that trains the preset.
    pub learner: String,
    /// Training steps per second of our learner as text: median and range of the time windows, or a dash with
    /// the reason why there is none.
    ours: String,
    /// Training steps per second of PyTorch as text: median and range of the time windows, or a dash with the
    /// reason why there is none.
    theirs: String,
    /// Our training steps per second divided by those of PyTorch as text, or a dash if either is missing.
    factor: String,
}

/// A training speed as a table cell: median, and in parentheses the slowest and fastest time window; or a
/// dash and the reason why there is none.
fn format_speed(speed: &Result<StepsPerSecond, String>) -> String {
    match speed {
        Ok(speed) => format!(
            "{} ({} – {})",
            format_number(speed.median),
            format_number(speed.low),
            format_number(speed.high)
        ),
        Err(why) if why.is_empty() => NO_NUMBER.into(),
        Err(why) => {
            let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
            markdown::escape_cell(&format!("{NO_NUMBER} ({})", line.trim_end_matches('.')))
        }
    }
}

/// Number at the start of a table cell; None if there is none.
fn parse_number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.replace(',', "").parse().ok()
}

impl PresetRow {
    /// The row of a preset from both speeds, or from the reasons why there are none.
    pub fn new(
        preset: &str,
        learner: &str,
        ours: &Result<StepsPerSecond, String>,
        theirs: &Result<StepsPerSecond, String>,
    ) -> PresetRow {
        let factor = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => format_number(ours.median / theirs.median),
            _ => NO_NUMBER.into(),
        };
        let learner = if learner.is_empty() { NO_NUMBER.into() } else { markdown::escape_cell(learner) };
        PresetRow {
            preset: preset.into(),
            learner,
            ours: format_speed(ours),
            theirs: format_speed(theirs),
            factor,
        }
    }

    /// Whether the row has our speed, and with `with_peers` also the ratio of our speed to that of PyTorch.
    pub fn is_measured(&self, with_peers: bool) -> bool {
        parse_number(if with_peers { &self.factor } else { &self.ours }).is_some()
    }

    /// Texts of the cells in the order of [`HEADINGS`]: preset, learner, our speed, speed of PyTorch, ratio.
    pub fn cells(&self) -> Vec<String> {
        [&self.preset, &self.learner, &self.ours, &self.theirs, &self.factor].map(String::clone).to_vec()
    }

    /// Parses a line of a Markdown table; None if it is not a row of a preset.
    fn parse(line: &str) -> Option<PresetRow> {
        let inside = line.strip_prefix("| ")?.strip_suffix(" |")?;
        // A bar in a text is escaped.
        let cells: Vec<String> = inside.split(" | ").map(String::from).collect();
        let [preset, learner, ours, theirs, factor] = cells.try_into().ok()?;
        preset.starts_with('`').then_some(PresetRow { preset, learner, ours, theirs, factor })
    }
}

impl fmt::Display for PresetRow {
    /// Writes the row in one line for the progress of the command: preset, learner, both speeds and their
    /// ratio.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let PresetRow { preset, learner, ours, theirs, factor } = self;
        write!(f, "{preset}: {learner} {ours}, PyTorch {theirs}: {factor}")
    }
}

/// Machine, versions and day of the speed measurements in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchMachine {
    /// Name of the processor.
    cpu: String,
    /// Name and version of the program that wrote the report.
    program: String,
    /// Version of PyTorch; None if PyTorch was not measured.
    pytorch: Option<String>,
    /// The last day on which a row was measured, such as "2026-11-26".
    date: String,
}

impl BenchMachine {
    /// The processor of this machine on the current day, with the given versions of this program and of
    /// PyTorch.
    pub fn current(program: String, pytorch: Option<String>) -> BenchMachine {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        BenchMachine {
            cpu: parse_cpu_name(&info),
            program,
            pytorch,
            date: format_date(since.as_secs() / 86_400),
        }
    }

    /// Combines the machine of a report's old rows with that of its new rows, `latest`.
    ///
    /// # Errors
    /// A sentence if processor or versions differ, so that the speeds cannot be compared.
    pub fn merge(self, latest: BenchMachine) -> Result<BenchMachine, String> {
        let is_other = matches!((&self.pytorch, &latest.pytorch), (Some(old), Some(new)) if old != new);
        if is_other || self.cpu != latest.cpu || self.program != latest.program {
            return Err(format!("the table was measured on {self}, and not on {latest}"));
        }
        Ok(BenchMachine { pytorch: latest.pytorch.clone().or(self.pytorch), ..latest })
    }

    /// Parses the line of the report that begins with [`MACHINE_PREFIX`]; None for other lines.
    fn parse(line: &str) -> Option<BenchMachine> {
        let inside = line.strip_prefix(MACHINE_PREFIX)?.strip_suffix('.')?;
        let parts: Vec<String> = inside.split("; ").map(String::from).collect();
        let [cpu, program, pytorch, date] = parts.try_into().ok()?;
        let pytorch = pytorch.strip_prefix("PyTorch ").map(String::from);
        Some(BenchMachine { cpu, program, pytorch, date })
    }
}

impl fmt::Display for BenchMachine {
    /// Writes processor, program, version of PyTorch and day, separated by semicolons, as the line of the
    /// report has them.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let pytorch = match &self.pytorch {
            Some(version) => format!("PyTorch {version}"),
            None => "without PyTorch".into(),
        };
        write!(f, "{}; {}; {pytorch}; {}", self.cpu, self.program, self.date)
    }
}

/// Name of the processor from the contents of `/proc/cpuinfo`, or its architecture if there is none.
fn parse_cpu_name(info: &str) -> String {
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    // A semicolon separates the fields of the line.
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().replace(';', ","))
}

/// Date `days` days after 1970-01-01, such as "2026-11-26".
///
/// H. Hinnant, "chrono-compatible low-level date algorithms" (2013), civil_from_days. Years begin in March.
fn format_date(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

/// The table of `lab bench --presets`, with the machine on which it was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PresetReport {
    /// Processor, versions and day of the measurements; None before the first row.
    pub machine: Option<BenchMachine>,
    /// Rows in ascending order of the ratio of our speed to that of PyTorch; those without a ratio come last.
    pub rows: Vec<PresetRow>,
}

impl PresetReport {
    /// Parses the file of an earlier report.
    ///
    /// # Errors
    /// When the file has no line about the machine.
    pub fn parse(text: &str) -> Result<PresetReport, anyhow::Error> {
        let machine = text.lines().find_map(BenchMachine::parse);
        anyhow::ensure!(machine.is_some(), "it does not say what it was measured on");
        Ok(PresetReport { machine, rows: text.lines().filter_map(PresetRow::parse).collect() })
    }

    /// Whether the report has a row for the preset with the name `preset` that has our speed and, with
    /// `with_peers`, also the ratio to the speed of PyTorch.
    pub fn has_row(&self, preset: &str, with_peers: bool) -> bool {
        self.rows.iter().any(|row| row.preset == preset && row.is_measured(with_peers))
    }

    /// Inserts a row by its ratio of our speed to that of PyTorch; an earlier row of the same preset is
    /// removed.
    pub fn insert_row(&mut self, row: PresetRow) {
        self.rows.retain(|old| old.preset != row.preset);
        self.rows.push(row);
        let key = |row: &PresetRow| parse_number(&row.factor).unwrap_or(f64::INFINITY);
        self.rows.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.preset.cmp(&b.preset)));
    }

    /// The line of the report with processor, versions and day of the measurements; empty before the first
    /// row.
    pub fn format_machine(&self) -> String {
        self.machine.as_ref().map(|machine| format!("{MACHINE_PREFIX}{machine}.")).unwrap_or_default()
    }

    /// One line with the number of rows, the smallest and the median ratio of our speed to that of PyTorch,
    /// and the number of rows with a ratio below [`TARGET_FACTOR`].
    pub fn summary(&self) -> String {
        let rows = self.rows.len();
        let rows = if rows == 1 { "1 row".into() } else { format!("{rows} rows") };
        let mut factors: Vec<f64> = self.rows.iter().filter_map(|row| parse_number(&row.factor)).collect();
        factors.sort_by(f64::total_cmp);
        let Some(least) = factors.first() else {
            return format!("{rows}, none with a number for both.");
        };
        let median = median(&factors).unwrap_or(f64::NAN);
        let below = factors.iter().filter(|factor| **factor < TARGET_FACTOR).count();
        format!(
            "{rows}, {} with a number for both; ours / theirs: smallest {}, median {}, {below} below {TARGET_FACTOR}.",
            factors.len(),
            format_number(*least),
            format_number(median)
        )
    }

    /// The report as a Markdown file.
    pub fn to_markdown(&self) -> String {
        let table = markdown::format_table(&HEADINGS, self.rows.iter().map(PresetRow::cells));
        format!("{FILE_HEAD}\n{}\n\n{table}\n{}\n", self.format_machine(), self.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> BenchMachine {
        let text = |text: &str| text.to_string();
        BenchMachine {
            cpu: text("Some CPU @ 2.0GHz"),
            program: text("Vivarium 0.1.0"),
            pytorch: Some(text("2.15.0")),
            date: text("2026-11-26"),
        }
    }

    fn speed(median: f64) -> Result<StepsPerSecond, String> {
        Ok(StepsPerSecond { median, low: 0.9 * median, high: 1.1 * median })
    }

    fn row(preset: &str, ours: f64, theirs: f64) -> PresetRow {
        PresetRow::new(&format!("`{preset}`"), "fused loop", &speed(ours), &speed(theirs))
    }

    fn report() -> PresetReport {
        let mut report = PresetReport { machine: Some(machine()), rows: vec![] };
        let refused = Err("The script | [of this] run\nis not there.".into());
        report.insert_row(PresetRow::new("`d`, first run", "Burn autodiff", &speed(12.34), &refused));
        report.insert_row(PresetRow::new(
            "`e`",
            "",
            &Err("a step takes more than 1.00 s".into()),
            &Err(String::new()),
        ));
        report.insert_row(row("a", 87_000.0, 3_700.0));
        report.insert_row(row("b", 100.0, 50.0));
        report.insert_row(row("c", 9.0, 10.0));
        report
    }

    #[test]
    fn a_table_has_rows_by_factor_and_reasons_at_the_end() {
        let text = report().to_markdown();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(
            rows,
            [
                "| `c` | fused loop | 9.00 (8.10 – 9.90) | 10.0 (9.00 – 11.0) | 0.90 |",
                "| `b` | fused loop | 100 (90.0 – 110) | 50.0 (45.0 – 55.0) | 2.00 |",
                "| `a` | fused loop | 87,000 (78,300 – 95,700) | 3,700 (3,330 – 4,070) | 23.5 |",
                "| `d`, first run | Burn autodiff | 12.3 (11.1 – 13.6) | – (The script \\| \\[of this\\] run is not \
                 there) | – |",
                "| `e` | – | – (a step takes more than 1.00 s) | – | – |",
            ]
        );
        let about =
            "Measured with one thread each on Some CPU @ 2.0GHz; Vivarium 0.1.0; PyTorch 2.15.0; 2026-11-26.";
        assert!(
            text.starts_with("# ") && text.contains(&format!("\n\n{about}\n\n| preset | learner | ")),
            "{text}"
        );
    }

    #[test]
    fn a_summary_counts_rows_with_both_numbers() {
        let mut report = report();
        let factors = "ours / theirs: smallest";
        assert_eq!(
            report.summary(),
            format!("5 rows, 3 with a number for both; {factors} 0.90, median 2.00, 2 below 3.")
        );
        report.insert_row(row("f", 40.0, 10.0));
        assert_eq!(
            report.summary(),
            format!("6 rows, 4 with a number for both; {factors} 0.90, median 3.00, 2 below 3.")
        );
        assert!(report.to_markdown().ends_with(&format!("|\n\n{}\n", report.summary())));
        report.rows.truncate(1);
        assert_eq!(
            report.summary(),
            format!("1 row, 1 with a number for both; {factors} 0.90, median 0.90, 1 below 3.")
        );
        assert_eq!(PresetReport::default().summary(), "0 rows, none with a number for both.");
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_continued() {
        let written = report();
        let mut read = PresetReport::parse(&written.to_markdown()).unwrap();
        assert_eq!(read, written);
        // What has a number for both is kept; the others are tried again, without PyTorch those without ours.
        let kept = |report: &PresetReport, with_peers| {
            ["`a`", "`b`", "`c`", "`d`, first run", "`e`", "`f`"]
                .map(|preset| report.has_row(preset, with_peers))
        };
        assert_eq!(kept(&read, true), [true, true, true, false, false, false]);
        assert_eq!(kept(&read, false), [true, true, true, true, false, false]);
        read.insert_row(row("e", 8.0, 4.0));
        assert_eq!((read.rows.len(), read.rows[2].preset.as_str()), (5, "`e`"));
        assert_eq!(PresetReport::parse(&read.to_markdown()).unwrap(), read);
        let why = PresetReport::parse("| `a` | b | 1 | 2 | 3 |\n").unwrap_err().to_string();
        assert_eq!(why, "it does not say what it was measured on");
    }

    #[test]
    fn rows_of_another_machine_or_version_are_not_mixed() {
        let (old, today) = (machine(), BenchMachine { date: "2026-12-01".into(), ..machine() });
        assert_eq!(old.clone().merge(today.clone()), Ok(today.clone()));
        let without = BenchMachine { pytorch: None, ..today.clone() };
        assert_eq!(old.clone().merge(without.clone()), Ok(today.clone()));
        assert_eq!(without.clone().merge(today.clone()), Ok(today.clone()));
        assert!(without.to_string().ends_with("; without PyTorch; 2026-12-01"));
        assert_eq!(BenchMachine::parse(&format!("{MACHINE_PREFIX}{without}.")), Some(without));
        for other in [
            BenchMachine { cpu: "x".into(), ..today.clone() },
            BenchMachine { program: "x".into(), ..today.clone() },
            BenchMachine { pytorch: Some("x".into()), ..today.clone() },
        ] {
            let why = format!("the table was measured on {old}, and not on {other}");
            assert_eq!(old.clone().merge(other), Err(why));
        }
    }

    #[test]
    fn a_processor_has_its_name_and_a_day_its_date() {
        let info = "processor\t: 0\nmodel name\t: Some CPU; fast\nmodel name\t: Other\n";
        assert_eq!(parse_cpu_name(info), "Some CPU, fast");
        assert_eq!(parse_cpu_name("processor : 0\n"), std::env::consts::ARCH);
        // Seconds since 1970, as `date -u -d` gives them.
        let days =
            [0, 951_782_400, 951_868_800, 1_767_139_200, 1_795_651_200].map(|s: u64| format_date(s / 86_400));
        assert_eq!(days, ["1970-01-01", "2000-02-29", "2000-03-01", "2025-12-31", "2026-11-26"]);
    }
}
