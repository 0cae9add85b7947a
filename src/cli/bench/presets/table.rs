//! The table of presets: its rows, what they come to, and the file that keeps them.
//!
//! # Why
//! The file is what a person reads, and what a later run of the command goes on with. So a row is the cells that are
//! written, and sums are made of what stands in the cells: a row that was read and one that was just measured are the
//! same.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::count;
use crate::markdown;
use vivarium_core::math::median;

/// The columns.
pub const HEADINGS: [&str; 5] = ["preset", "learner", "steps/s", "PyTorch, steps/s", "ours / theirs"];

/// What a cell has where there is no number.
const NONE: &str = "–";
/// Factor that every row should have at least.
const GOAL: f64 = 3.0;
/// How the line about the machine begins.
const MACHINE: &str = "Measured with one thread each on ";

/// The head of the file.
const HEAD: &str = "# Presets beside PyTorch

Training steps per second of every preset that is trained, and of the PyTorch script that `lab script` writes for the \
same run. Nothing is measured during these steps. Each number is the median of five windows, with the lowest and the \
highest in parentheses. Of a sweep, the first run is timed.

`lab bench --presets --peers --output tests/golden/peers.md` writes this table.
";

/// Steps per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// The median of the windows.
    pub median: f64,
    /// The slowest window.
    pub low: f64,
    /// The fastest window.
    pub high: f64,
}

/// A row, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The preset, as code.
    pub preset: String,
    /// What trains it here.
    pub learner: String,
    /// Steps per second here, or a dash with the reason.
    ours: String,
    /// Steps per second of PyTorch, or a dash with the reason.
    theirs: String,
    /// How many times as many steps it makes here.
    factor: String,
}

/// A speed as a cell, or a dash and the reason.
fn cell(speed: &Result<Speed, String>) -> String {
    match speed {
        Ok(speed) => format!("{} ({} – {})", count(speed.median), count(speed.low), count(speed.high)),
        Err(why) if why.is_empty() => NONE.into(),
        Err(why) => {
            let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
            markdown::cell(&format!("{NONE} ({})", line.trim_end_matches('.')))
        }
    }
}

/// The number that a cell begins with.
fn number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.replace(',', "").parse().ok()
}

impl Row {
    /// The row of a preset with both speeds, or reasons why there are none.
    pub fn new(
        preset: &str,
        learner: &str,
        ours: &Result<Speed, String>,
        theirs: &Result<Speed, String>,
    ) -> Row {
        let factor = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => count(ours.median / theirs.median),
            _ => NONE.into(),
        };
        let learner = if learner.is_empty() { NONE.into() } else { markdown::cell(learner) };
        Row { preset: preset.into(), learner, ours: cell(ours), theirs: cell(theirs), factor }
    }

    /// Whether it has all that is measured, or all but PyTorch.
    pub fn is_measured(&self, with_peers: bool) -> bool {
        number(if with_peers { &self.factor } else { &self.ours }).is_some()
    }

    /// Its cells.
    pub fn cells(&self) -> Vec<String> {
        [&self.preset, &self.learner, &self.ours, &self.theirs, &self.factor].map(String::clone).to_vec()
    }

    /// A line of a table in Markdown as a row.
    fn read(line: &str) -> Option<Row> {
        let inside = line.strip_prefix("| ")?.strip_suffix(" |")?;
        // A bar in a text is escaped.
        let cells: Vec<String> = inside.split(" | ").map(String::from).collect();
        let [preset, learner, ours, theirs, factor] = cells.try_into().ok()?;
        preset.starts_with('`').then_some(Row { preset, learner, ours, theirs, factor })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Row { preset, learner, ours, theirs, factor } = self;
        write!(f, "{preset}: {learner} {ours}, PyTorch {theirs}: {factor}")
    }
}

/// What the rows were measured on.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The processor.
    cpu: String,
    /// Name and version of this program.
    program: String,
    /// The version of PyTorch, if it was asked.
    pytorch: Option<String>,
    /// The last day on which a row was measured.
    date: String,
}

impl Machine {
    /// This machine, today.
    pub fn here(program: String, pytorch: Option<String>) -> Machine {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Machine { cpu: cpu(&info), program, pytorch, date: date(since.as_secs() / 86_400) }
    }

    /// This one, with rows of `now` beside its own.
    ///
    /// # Errors
    /// A sentence, where their numbers cannot be compared.
    pub fn and(self, now: Machine) -> Result<Machine, String> {
        let is_other = matches!((&self.pytorch, &now.pytorch), (Some(old), Some(new)) if old != new);
        if is_other || self.cpu != now.cpu || self.program != now.program {
            return Err(format!("the table was measured on {self}, and not on {now}"));
        }
        Ok(Machine { pytorch: now.pytorch.clone().or(self.pytorch), ..now })
    }

    /// The line about a machine that a file has.
    fn read(line: &str) -> Option<Machine> {
        let inside = line.strip_prefix(MACHINE)?.strip_suffix('.')?;
        let parts: Vec<String> = inside.split("; ").map(String::from).collect();
        let [cpu, program, pytorch, date] = parts.try_into().ok()?;
        let pytorch = pytorch.strip_prefix("PyTorch ").map(String::from);
        Some(Machine { cpu, program, pytorch, date })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let pytorch = match &self.pytorch {
            Some(version) => format!("PyTorch {version}"),
            None => "without PyTorch".into(),
        };
        write!(f, "{}; {}; {pytorch}; {}", self.cpu, self.program, self.date)
    }
}

/// The processor's name in the system's file about it, or else what kind it is.
fn cpu(info: &str) -> String {
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    // A semicolon separates it from what comes next.
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().replace(';', ","))
}

/// The day that comes so many days after 1970-01-01: H. Hinnant, "chrono-compatible low-level date algorithms" (2013),
/// civil_from_days. Years begin in March.
fn date(days: u64) -> String {
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

/// All rows and what they were measured on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// What they were measured on; none before the first row.
    pub machine: Option<Machine>,
    /// The rows, by their factor; those without one at the end.
    pub rows: Vec<Row>,
}

impl Report {
    /// What a file has.
    ///
    /// # Errors
    /// That it was not written by this command.
    pub fn read(text: &str) -> Result<Report, anyhow::Error> {
        let machine = text.lines().find_map(Machine::read);
        anyhow::ensure!(machine.is_some(), "it does not say what it was measured on");
        Ok(Report { machine, rows: text.lines().filter_map(Row::read).collect() })
    }

    /// Whether there is a row of this preset with all that is measured.
    pub fn has(&self, preset: &str, with_peers: bool) -> bool {
        self.rows.iter().any(|row| row.preset == preset && row.is_measured(with_peers))
    }

    /// Takes a row in, in place of the one that the preset had.
    pub fn put(&mut self, row: Row) {
        self.rows.retain(|old| old.preset != row.preset);
        self.rows.push(row);
        let key = |row: &Row| number(&row.factor).unwrap_or(f64::INFINITY);
        self.rows.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.preset.cmp(&b.preset)));
    }

    /// The line about the machine.
    pub fn about(&self) -> String {
        self.machine.as_ref().map(|machine| format!("{MACHINE}{machine}.")).unwrap_or_default()
    }

    /// What the rows come to, in one line.
    pub fn summary(&self) -> String {
        let rows = self.rows.len();
        let rows = if rows == 1 { "1 row".into() } else { format!("{rows} rows") };
        let mut factors: Vec<f64> = self.rows.iter().filter_map(|row| number(&row.factor)).collect();
        factors.sort_by(f64::total_cmp);
        let Some(least) = factors.first() else {
            return format!("{rows}, none with a number for both.");
        };
        let median = median(&factors).unwrap_or(f64::NAN);
        let below = factors.iter().filter(|factor| **factor < GOAL).count();
        format!(
            "{rows}, {} with a number for both; ours / theirs: smallest {}, median {}, {below} below {GOAL}.",
            factors.len(),
            count(*least),
            count(median)
        )
    }

    /// The file.
    pub fn markdown(&self) -> String {
        let table = markdown::table(&HEADINGS, self.rows.iter().map(Row::cells));
        format!("{HEAD}\n{}\n\n{table}\n{}\n", self.about(), self.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let text = |text: &str| text.to_string();
        Machine {
            cpu: text("Some CPU @ 2.0GHz"),
            program: text("Vivarium 0.1.0"),
            pytorch: Some(text("2.15.0")),
            date: text("2026-11-26"),
        }
    }

    fn speed(median: f64) -> Result<Speed, String> {
        Ok(Speed { median, low: 0.9 * median, high: 1.1 * median })
    }

    fn row(preset: &str, ours: f64, theirs: f64) -> Row {
        Row::new(&format!("`{preset}`"), "fused loop", &speed(ours), &speed(theirs))
    }

    fn report() -> Report {
        let mut report = Report { machine: Some(machine()), rows: vec![] };
        let refused = Err("The script | [of this] run\nis not there.".into());
        report.put(Row::new("`d`, first run", "Burn autodiff", &speed(12.34), &refused));
        report.put(Row::new("`e`", "", &Err("a step takes more than 1.00 s".into()), &Err(String::new())));
        report.put(row("a", 87_000.0, 3_700.0));
        report.put(row("b", 100.0, 50.0));
        report.put(row("c", 9.0, 10.0));
        report
    }

    #[test]
    fn a_table_has_rows_by_factor_and_reasons_at_the_end() {
        let text = report().markdown();
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
        report.put(row("f", 40.0, 10.0));
        assert_eq!(
            report.summary(),
            format!("6 rows, 4 with a number for both; {factors} 0.90, median 3.00, 2 below 3.")
        );
        assert!(report.markdown().ends_with(&format!("|\n\n{}\n", report.summary())));
        report.rows.truncate(1);
        assert_eq!(
            report.summary(),
            format!("1 row, 1 with a number for both; {factors} 0.90, median 0.90, 1 below 3.")
        );
        assert_eq!(Report::default().summary(), "0 rows, none with a number for both.");
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_continued() {
        let written = report();
        let mut read = Report::read(&written.markdown()).unwrap();
        assert_eq!(read, written);
        // What has a number for both is kept; the others are tried again, without PyTorch those without ours.
        let kept = |report: &Report, with_peers| {
            ["`a`", "`b`", "`c`", "`d`, first run", "`e`", "`f`"].map(|preset| report.has(preset, with_peers))
        };
        assert_eq!(kept(&read, true), [true, true, true, false, false, false]);
        assert_eq!(kept(&read, false), [true, true, true, true, false, false]);
        read.put(row("e", 8.0, 4.0));
        assert_eq!((read.rows.len(), read.rows[2].preset.as_str()), (5, "`e`"));
        assert_eq!(Report::read(&read.markdown()).unwrap(), read);
        let why = Report::read("| `a` | b | 1 | 2 | 3 |\n").unwrap_err().to_string();
        assert_eq!(why, "it does not say what it was measured on");
    }

    #[test]
    fn rows_of_another_machine_or_version_are_not_mixed() {
        let (old, today) = (machine(), Machine { date: "2026-12-01".into(), ..machine() });
        assert_eq!(old.clone().and(today.clone()), Ok(today.clone()));
        let without = Machine { pytorch: None, ..today.clone() };
        assert_eq!(old.clone().and(without.clone()), Ok(today.clone()));
        assert_eq!(without.clone().and(today.clone()), Ok(today.clone()));
        assert!(without.to_string().ends_with("; without PyTorch; 2026-12-01"));
        assert_eq!(Machine::read(&format!("{MACHINE}{without}.")), Some(without));
        for other in [
            Machine { cpu: "x".into(), ..today.clone() },
            Machine { program: "x".into(), ..today.clone() },
            Machine { pytorch: Some("x".into()), ..today.clone() },
        ] {
            let why = format!("the table was measured on {old}, and not on {other}");
            assert_eq!(old.clone().and(other), Err(why));
        }
    }

    #[test]
    fn a_processor_has_its_name_and_a_day_its_date() {
        let info = "processor\t: 0\nmodel name\t: Some CPU; fast\nmodel name\t: Other\n";
        assert_eq!(cpu(info), "Some CPU, fast");
        assert_eq!(cpu("processor : 0\n"), std::env::consts::ARCH);
        // Seconds since 1970, as `date -u -d` gives them.
        let days = [0, 951_782_400, 951_868_800, 1_767_139_200, 1_795_651_200].map(|s: u64| date(s / 86_400));
        assert_eq!(days, ["1970-01-01", "2000-02-29", "2000-03-01", "2025-12-31", "2026-11-26"]);
    }
}
