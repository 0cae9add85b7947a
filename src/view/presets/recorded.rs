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
//! `steps` are how far the recording went and how far the run goes; for runs and sweeps that were recorded to their end
//! both are the same. Of a preset without curves there are the first lines only.
//!
//! # Why
//! Lines of words, because the page reads them: a reader of JSON for one more type would make its program larger, which
//! everybody downloads. Not part of the program, because few visits want them.

use vivarium_core::choices;
use vivarium_plot::analysis::Role;

choices! {
    /// How long a run takes whoever watches it, on one core of a processor and with the speed limit of its link.
    pub enum Time {
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

impl Time {
    /// The class of so many seconds.
    pub fn of(seconds: f64) -> Time {
        match seconds {
            s if s < 20.0 => Time::Seconds,
            s if s < 90.0 => Time::Minute,
            s if s < 1800.0 => Time::Minutes,
            _ => Time::Hours,
        }
    }

    /// What this is called in the form.
    pub fn label(self) -> &'static str {
        Self::OPTIONS[self as usize].label
    }
}

/// What was recorded of one preset.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The preset's name.
    pub slug: String,
    /// Its link when it was recorded.
    pub link: String,
    /// How long it takes.
    pub time: Time,
    /// Step, or run of a sweep, at which the recording ends.
    pub reached: u64,
    /// Step, or run of a sweep, at which the run would end.
    pub of: u64,
    /// Name of the chart that the curves are of.
    pub chart: String,
    /// Whether each axis is logarithmic: of the steps, and of the values.
    pub log: [bool; 2],
    /// Heights with names, for comparison.
    pub lines: Vec<(f32, String)>,
    /// The curves; none where the budget of the recording did not reach for one.
    pub curves: Vec<Curve>,
}

/// One recorded curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it means, which decides its colour.
    pub role: Role,
    /// Places, rising.
    pub x: Vec<f32>,
    /// Values, one per place.
    pub y: Vec<f32>,
}

/// Names of the roles, in a file and as classes of a style sheet.
const ROLES: [(&str, Role); 4] =
    [("train", Role::Train), ("test", Role::Test), ("relevant", Role::Relevant), ("other", Role::Other)];

/// The name of a role.
pub fn role_name(role: Role) -> &'static str {
    ROLES.iter().find(|(_, of)| *of == role).map_or("other", |(name, _)| *name)
}

impl Recorded {
    /// Whether the run was recorded to its end.
    pub fn is_whole(&self) -> bool {
        self.reached >= self.of
    }

    /// Its lines of the file.
    pub fn text(&self) -> String {
        let mut out = format!("preset {}\nlink {}\ntime {}\n", self.slug, self.link, self.time.slug());
        let mut line = |word: &str, rest: &str| out.push_str(&format!("{word} {rest}\n"));
        line("steps", &format!("{} {}", self.reached, self.of));
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
                line("x", &words(places));
            }
            line(role_name(curve.role), &words(&curve.y));
        }
        out
    }
}

fn words(numbers: &[f32]) -> String {
    numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads a file of recorded curves.
///
/// # Errors
/// A sentence with the number of the first line that cannot be meant.
pub fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    let mut all: Vec<Recorded> = vec![];
    let mut places: Vec<f32> = vec![];
    for (at, line) in text.lines().enumerate() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word.is_empty() || word == "#" {
            continue;
        }
        if read(word, rest, &mut all, &mut places).is_none() {
            return Err(format!("line {} of the recorded curves cannot be read", at + 1));
        }
    }
    Ok(all)
}

fn read(word: &str, rest: &str, all: &mut Vec<Recorded>, places: &mut Vec<f32>) -> Option<()> {
    if word == "preset" {
        all.push(Recorded {
            slug: rest.into(),
            link: String::new(),
            time: Time::Seconds,
            reached: 0,
            of: 0,
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
        "time" => one.time = *Time::ALL.iter().find(|time| time.slug() == rest)?,
        "steps" => {
            let (reached, of) = rest.split_once(' ')?;
            (one.reached, one.of) = (reached.parse().ok()?, of.parse().ok()?);
        }
        "chart" => one.chart = rest.into(),
        "log" => one.log[usize::from(rest == "y")] = true,
        "line" => {
            let (height, name) = rest.split_once(' ')?;
            one.lines.push((finite(height)?, name.into()));
        }
        "x" => *places = numbers(rest)?,
        role => {
            let (_, role) = *ROLES.iter().find(|(name, _)| *name == role)?;
            let y = numbers(rest)?;
            if y.is_empty() || y.len() != places.len() {
                return None;
            }
            one.curves.push(Curve { role, x: places.clone(), y });
        }
    }
    Some(())
}

fn finite(word: &str) -> Option<f32> {
    word.parse().ok().filter(|number: &f32| number.is_finite())
}

fn numbers(words: &str) -> Option<Vec<f32>> {
    words.split(' ').map(finite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Recorded {
        let x = vec![0.0, 10.0, 25.0];
        Recorded {
            slug: "one".into(),
            link: "#v1/markov".into(),
            time: Time::Minute,
            reached: 25,
            of: 100,
            chart: "kl".into(),
            log: [true, false],
            lines: vec![(0.25, "one of two".into())],
            curves: vec![
                Curve { role: Role::Test, x: x.clone(), y: vec![1.0, 0.125, -3e-5] },
                Curve { role: Role::Train, x, y: vec![2.0, 1.0, 0.5] },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let all = [example(), Recorded { slug: "none".into(), curves: vec![], ..example() }];
        let text = format!("# Words.\n\n{}{}", all[0].text(), all[1].text());
        assert_eq!(parse(&text).unwrap(), all);
        assert!(!all[0].is_whole() && Recorded { of: 25, ..example() }.is_whole());
    }

    #[test]
    fn a_damaged_file_is_refused_with_its_line() {
        let good = example().text();
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
            [1.0, 20.0, 100.0, 1e5].map(Time::of),
            [Time::Seconds, Time::Minute, Time::Minutes, Time::Hours]
        );
        assert_eq!(Time::Minute.label(), "A minute");
    }
}
