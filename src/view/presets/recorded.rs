//! Recorded curves of the presets' runs, which the gallery draws: what `lab record` writes and the page reads.
//!
//! ```text
//! preset parity-20
//! link #v1/sparse-parity?n=20&width=64&every=10&speed=200
//! time seconds
//! steps 770 770
//! chart loss
//! line 1 chance
//! x 0 10 20
//! test 1.001 0.9985 1.002
//! ```
//!
//! `steps` gives the last recorded step and the last step of the run, which are equal if the run was recorded to its
//! end. A preset without curves has the first lines only.
//!
//! # Why
//! Plain lines of words, because the page reads them: a JSON reader for one more type would enlarge the program that
//! every visitor downloads. A file of its own, because few visits need it.

use vivarium_core::choices;
use vivarium_plot::analysis::Role;

choices! {
    /// How long a run takes whoever watches it, on one core of a processor and with the speed limit of its link.
    pub enum DurationClass {
        /// Under twenty seconds.
        Seconds = "seconds", "Seconds";
        /// Under a minute and a half.
        Minute = "minute", "A minute";
        /// Under half an hour.
        Minutes = "minutes", "Minutes";
        /// Longer.
        Hours = "hours", "Hours";
    }
}

impl DurationClass {
    /// Class of a run that takes this many seconds: the limits between the classes are 20 s, 90 s and 1800 s.
    pub fn of(seconds: f64) -> DurationClass {
        match seconds {
            s if s < 20.0 => DurationClass::Seconds,
            s if s < 90.0 => DurationClass::Minute,
            s if s < 1800.0 => DurationClass::Minutes,
            _ => DurationClass::Hours,
        }
    }

    /// Label of the class, in English, such as "A minute".
    pub fn label(self) -> &'static str {
        Self::OPTIONS[self as usize].label
    }
}

/// The number of recorded steps of the preset with this permanent name; `None` if it was not recorded to its end.
///
/// # Why
/// The page needs this number before the file of recordings is fetched. The table is computed from that file when the
/// program is compiled, so the two agree.
pub fn recorded_steps(slug: &str) -> Option<u64> {
    let wanted = hash(slug.as_bytes(), 0, slug.len());
    LENGTHS
        .iter()
        .find(|(hash, _)| *hash == wanted)
        .map(|(_, steps)| u64::from(*steps))
        .filter(|steps| *steps > 0)
}

/// The file of recordings.
const RECORDED: &[u8] = include_bytes!("recorded.txt");

/// Beginning of the line with the name of a preset.
const PRESET_LINE: &[u8] = b"\npreset ";

/// Beginning of the line with the steps of a preset.
const STEPS_LINE: &[u8] = b"\nsteps ";

/// For each recorded preset the hash of its permanent name and its recorded steps; 0 if the recording stops early.
#[allow(
    long_running_const_eval,
    reason = "the file has 200 KiB, which takes the compiler less than a second"
)]
static LENGTHS: [(u32, u32); count_presets()] = read_lengths();

/// Whether `RECORDED` has these bytes at this position.
const fn is_at(bytes: &[u8], at: usize) -> bool {
    let mut i = 0;
    while i < bytes.len() {
        if at + i >= RECORDED.len() || RECORDED[at + i] != bytes[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Number of presets in the file of recordings.
#[allow(long_running_const_eval, reason = "as for the table")]
const fn count_presets() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < RECORDED.len() {
        if RECORDED[at] == b'\n' && is_at(PRESET_LINE, at) {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Hash of the bytes from `from` up to `to` (FNV-1a, 32 bits).
const fn hash(bytes: &[u8], from: usize, to: usize) -> u32 {
    let (mut hash, mut at) = (0x811c_9dc5u32, from);
    while at < to {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// The number that the digits of `RECORDED` from `at` on write, and the position after them.
const fn read_number(mut at: usize) -> (u32, usize) {
    let mut number = 0u32;
    while at < RECORDED.len() && RECORDED[at].is_ascii_digit() {
        number = number.saturating_mul(10).saturating_add((RECORDED[at] - b'0') as u32);
        at += 1;
    }
    (number, at)
}

/// Reads the table of [`recorded_steps`] from the file of recordings.
#[allow(long_running_const_eval, reason = "as for the table")]
const fn read_lengths() -> [(u32, u32); count_presets()] {
    let mut lengths = [(0, 0); count_presets()];
    let (mut count, mut at) = (0, 0);
    while at < RECORDED.len() {
        if RECORDED[at] == b'\n' && is_at(PRESET_LINE, at) {
            let from = at + PRESET_LINE.len();
            let mut end = from;
            while end < RECORDED.len() && RECORDED[end] != b'\n' {
                end += 1;
            }
            lengths[count].0 = hash(RECORDED, from, end);
            count += 1;
            at = end;
        } else if RECORDED[at] == b'\n' && count > 0 && is_at(STEPS_LINE, at) {
            let (recorded, end) = read_number(at + STEPS_LINE.len());
            let (all, end) = read_number(end + 1);
            lengths[count - 1].1 = if recorded == all { recorded } else { 0 };
            at = end;
        } else {
            at += 1;
        }
    }
    lengths
}

/// Recorded curves of one preset's run, as the gallery draws them.
#[derive(Debug, Clone, PartialEq)]
pub struct PresetRecording {
    /// Permanent name of the preset that was recorded.
    pub slug: String,
    /// Link of the preset when it was recorded.
    pub link: String,
    /// Class of the duration of the preset's run.
    pub time: DurationClass,
    /// Last recorded step; in a sweep, number of recorded runs.
    pub recorded_until: u64,
    /// Last step of the whole run, or number of runs of the sweep.
    pub run_length: u64,
    /// Permanent name of the chart whose curves were recorded.
    pub chart: String,
    /// Whether the horizontal and the vertical axis are logarithmic.
    pub log: [bool; 2],
    /// Horizontal reference lines of the recorded chart, as (height, name).
    pub lines: Vec<(f32, String)>,
    /// Recorded curves; empty if the run was too long to record.
    pub curves: Vec<RecordedCurve>,
}

/// A recorded curve of a chart, as the gallery draws it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCurve {
    /// Role of the curve, which decides its colour.
    pub role: Role,
    /// Horizontal coordinates of the recorded points (training steps, or swept values), increasing.
    pub x: Vec<f32>,
    /// Heights of the recorded points, one per horizontal coordinate.
    pub y: Vec<f32>,
}

/// Names of the curve roles in files of recordings and as CSS classes.
const ROLE_NAMES: [(&str, Role); 4] =
    [("train", Role::Train), ("test", Role::Test), ("relevant", Role::Relevant), ("other", Role::Other)];

/// Name of a curve role in files and as a CSS class.
pub fn role_name(role: Role) -> &'static str {
    ROLE_NAMES.iter().find(|(_, of)| *of == role).map_or("other", |(name, _)| *name)
}

impl PresetRecording {
    /// Whether the run was recorded to its end.
    pub fn is_complete(&self) -> bool {
        self.recorded_until >= self.run_length
    }

    /// Writes the recording in the text format of the file of recordings, one keyword with arguments per line.
    pub fn to_text(&self) -> String {
        let mut out = format!("preset {}\nlink {}\ntime {}\n", self.slug, self.link, self.time.slug());
        let mut line = |word: &str, rest: &str| out.push_str(&format!("{word} {rest}\n"));
        line("steps", &format!("{} {}", self.recorded_until, self.run_length));
        if !self.chart.is_empty() {
            line("chart", &self.chart);
        }
        for (is_log, axis) in self.log.iter().zip(["x", "y"]) {
            if *is_log {
                line("log", axis);
            }
        }
        for (height, name) in &self.lines {
            line("line", &format!("{height} {name}"));
        }
        let mut places: &[f32] = &[];
        for curve in &self.curves {
            if curve.x != places {
                places = &curve.x;
                line("x", &format_numbers(places));
            }
            line(role_name(curve.role), &format_numbers(&curve.y));
        }
        out
    }
}

/// Formats numbers as text, separated by spaces, for the file of recordings.
fn format_numbers(numbers: &[f32]) -> String {
    numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads a file of recorded curves.
///
/// # Errors
/// The number of the first invalid line, in a sentence.
pub fn parse(text: &str) -> Result<Vec<PresetRecording>, String> {
    let mut all: Vec<PresetRecording> = vec![];
    let mut places: Vec<f32> = vec![];
    for (at, line) in text.lines().enumerate() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word.is_empty() || word == "#" {
            continue;
        }
        if parse_line(word, rest, &mut all, &mut places).is_none() {
            return Err(format!("line {} of the recorded curves cannot be read", at + 1));
        }
    }
    Ok(all)
}

/// Parses one line of a file of recordings, keyword `word` with arguments `rest`: "preset" appends a recording to
/// `all`, other keywords fill in the last recording. `places` holds the horizontal coordinates of the latest line "x",
/// which the following curves share. `None` if the line is invalid.
fn parse_line(word: &str, rest: &str, all: &mut Vec<PresetRecording>, places: &mut Vec<f32>) -> Option<()> {
    if word == "preset" {
        all.push(PresetRecording {
            slug: rest.into(),
            link: String::new(),
            time: DurationClass::Seconds,
            recorded_until: 0,
            run_length: 0,
            chart: String::new(),
            log: [false; 2],
            lines: vec![],
            curves: vec![],
        });
        places.clear();
        return Some(());
    }
    let one = all.last_mut()?;
    match word {
        "link" => one.link = rest.into(),
        "time" => one.time = *DurationClass::ALL.iter().find(|time| time.slug() == rest)?,
        "steps" => {
            let (reached, of) = rest.split_once(' ')?;
            (one.recorded_until, one.run_length) = (reached.parse().ok()?, of.parse().ok()?);
        }
        "chart" => one.chart = rest.into(),
        "log" => one.log[usize::from(rest == "y")] = true,
        "line" => {
            let (height, name) = rest.split_once(' ')?;
            one.lines.push((parse_finite(height)?, name.into()));
        }
        "x" => *places = parse_numbers(rest)?,
        role => {
            let (_, role) = *ROLE_NAMES.iter().find(|(name, _)| *name == role)?;
            let y = parse_numbers(rest)?;
            if y.is_empty() || y.len() != places.len() {
                return None;
            }
            one.curves.push(RecordedCurve { role, x: places.clone(), y });
        }
    }
    Some(())
}

/// Parses a finite number from a word of the file of recordings; `None` for other words.
fn parse_finite(word: &str) -> Option<f32> {
    word.parse().ok().filter(|number: &f32| number.is_finite())
}

/// Parses finite numbers separated by spaces, from the file of recordings; `None` if a word is no finite number.
fn parse_numbers(words: &str) -> Option<Vec<f32>> {
    words.split(' ').map(parse_finite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> PresetRecording {
        let x = vec![0.0, 10.0, 25.0];
        PresetRecording {
            slug: "one".into(),
            link: "#v1/markov".into(),
            time: DurationClass::Minute,
            recorded_until: 25,
            run_length: 100,
            chart: "kl".into(),
            log: [true, false],
            lines: vec![(0.25, "one of two".into())],
            curves: vec![
                RecordedCurve { role: Role::Test, x: x.clone(), y: vec![1.0, 0.125, -3e-5] },
                RecordedCurve { role: Role::Train, x, y: vec![2.0, 1.0, 0.5] },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let all = [example(), PresetRecording { slug: "none".into(), curves: vec![], ..example() }];
        let text = format!("# Words.\n\n{}{}", all[0].to_text(), all[1].to_text());
        assert_eq!(parse(&text).unwrap(), all);
        assert!(!all[0].is_complete() && PresetRecording { run_length: 25, ..example() }.is_complete());
    }

    #[test]
    fn the_table_of_lengths_is_that_of_the_file() {
        let all = parse(std::str::from_utf8(RECORDED).unwrap()).unwrap();
        assert!(all.len() > 200 && all.len() == LENGTHS.len());
        for preset in &all {
            let steps = preset.is_complete().then_some(preset.recorded_until);
            assert_eq!(recorded_steps(&preset.slug), steps.filter(|steps| *steps > 0), "{}", preset.slug);
        }
        assert!(recorded_steps("parity-20").is_some_and(|steps| (500..1500).contains(&steps)));
        assert_eq!(recorded_steps("no such preset"), None);
        let mut hashes: Vec<u32> = LENGTHS.iter().map(|(hash, _)| *hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn a_damaged_file_is_refused_with_its_line() {
        let good = example().to_text();
        for (old, new, line) in [
            ("time minute", "time soon", 3),
            ("x 0 10 25", "x 0 10", 9),
            ("x 0 10 25", "x 0 ten 25", 8),
            ("0.125", "NaN", 9),
            ("kl\n", "kl\nsurprise 1\n", 6),
            ("preset one\n", "", 1),
        ] {
            let flaw = parse(&good.replace(old, new)).unwrap_err();
            assert!(flaw.starts_with(&format!("line {line} ")), "{old} → {new}: {flaw}");
        }
    }

    #[test]
    fn times_are_in_classes() {
        assert_eq!(
            [1.0, 20.0, 100.0, 1e5].map(DurationClass::of),
            [DurationClass::Seconds, DurationClass::Minute, DurationClass::Minutes, DurationClass::Hours]
        );
        assert_eq!(DurationClass::Minute.label(), "A minute");
    }
}
