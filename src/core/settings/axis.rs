//! A setting with the values that it takes one after the other: what a sweep goes through.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::real;

/// A knob's key with the values it is to take, as they stand in a permalink; none where the key is empty.
///
/// A link may give numbers as a range, `lr:log:0.01..1:5` or `n:lin:10..40:4`: the ends and how many. What is kept is the
/// values, and a range is written only where it is shorter and stands for the same values whatever the knob.
///
/// # Why
/// Whether there is such a range is found once, when the axis is made: the page writes its link at every change, and to
/// work out a thousand values takes milliseconds in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Plain")]
pub struct Axis {
    /// The knob.
    pub key: String,
    /// What it is set to, in order.
    pub values: Vec<String>,
    /// The range that is written for them.
    #[serde(skip)]
    range: Option<String>,
}

/// An axis as it comes out of a file or a message.
#[derive(Deserialize)]
#[serde(rename = "Axis")]
struct Plain {
    key: String,
    values: Vec<String>,
}

impl From<Plain> for Axis {
    fn from(Plain { key, values }: Plain) -> Self {
        Axis::new(key, values)
    }
}

/// Most values of an axis.
pub const MOST_VALUES: usize = 1000;

/// Fewest values that are written as a range: fewer are as clear as a list.
const FEWEST_IN_RANGE: usize = 8;

/// Longest list of values, in characters, so that a link with two of them can be read back.
const LONGEST_LIST: usize = 2500;

/// How the numbers of a range are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
}

impl Spread {
    /// Both, with the words of a link.
    pub const ALL: [(Spread, &'static str); 2] = [(Spread::Linear, "lin"), (Spread::Log, "log")];

    /// `count` numbers from `from` to `to`, each rounded to four digits, or to a whole number and then without
    /// repetitions; none where there is no such range.
    pub fn numbers(self, from: f64, to: f64, count: usize, whole: bool) -> Option<Vec<String>> {
        let mut numbers: Vec<String> = self.each(from, to, count, whole)?.collect();
        numbers.dedup();
        Some(numbers)
    }

    /// The same one by one, with repetitions.
    fn each(self, from: f64, to: f64, count: usize, whole: bool) -> Option<impl Iterator<Item = String>> {
        let possible = from.is_finite() && to.is_finite() && (2..=MOST_VALUES).contains(&count);
        if !possible || (self == Spread::Log && (from <= 0.0 || to <= 0.0)) {
            return None;
        }
        let one = move |at: usize| {
            let share = at as f64 / (count - 1) as f64;
            let number = match (self, at) {
                (_, 0) => from,
                (_, at) if at == count - 1 => to,
                (Spread::Linear, _) => from + share * (to - from),
                (Spread::Log, _) => from * libm::pow(to / from, share),
            };
            if whole {
                return format!("{}", libm::round(number));
            }
            // The ends are numbers that somebody gave, with as many digits as they have.
            let is_end = at == 0 || at == count - 1;
            real(if is_end { number } else { format!("{number:.3e}").parse().unwrap_or(number) })
        };
        #[cfg(test)]
        let one = move |at: usize| {
            MADE.set(MADE.get() + 1);
            one(at)
        };
        Some((0..count).map(one))
    }
}

#[cfg(test)]
thread_local! {
    /// Values of ranges that this thread has worked out.
    static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Axis {
    /// These values of a knob.
    pub fn new(key: String, values: Vec<String>) -> Self {
        let range = find_range(&values);
        Axis { key, values, range }
    }

    /// Whether there is nothing to go through.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The text of an axis with its range spelt out, as whole numbers where `whole` says so of the key; nothing if it holds
    /// no range.
    pub fn spelt(text: &str, whole: impl Fn(&str) -> bool) -> Option<String> {
        let (key, range) = text.split_once(':')?;
        let (word, range) = range.split_once(':')?;
        let (ends, count) = range.split_once(':')?;
        let (from, to) = ends.split_once("..")?;
        let (spread, _) = Spread::ALL.into_iter().find(|(_, name)| *name == word)?;
        let values = spread.numbers(from.parse().ok()?, to.parse().ok()?, count.parse().ok()?, whole(key))?;
        Some(format!("{key}:{}", values.join("_")))
    }

    /// The range that stands for the values, if there is one that is shorter and means them for any knob that has them.
    pub fn range(&self) -> Option<&str> {
        self.range.as_deref()
    }

    /// The axis that `text` stands for: nothing, or `key:value_value`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Axis::default());
        }
        let (key, values) = text.split_once(':')?;
        let axis = Axis::new(key.into(), values.split('_').map(String::from).collect());
        axis.is_sound().then_some(axis)
    }

    pub(super) fn is_sound(&self) -> bool {
        let word = |text: &str, longest: usize, extra: &str| {
            (1..=longest).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
        };
        let short = || length(&self.values) <= LONGEST_LIST || self.range.is_some();
        let all = self.values.len() <= MOST_VALUES && self.values.iter().all(|v| word(v, 24, ".-+"));
        if self.key.is_empty() {
            self.is_empty()
        } else {
            word(&self.key, 8, "") && !self.is_empty() && all && short()
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        match &self.range {
            Some(range) => write!(f, "{}:{range}", self.key),
            None => write!(f, "{}:{}", self.key, self.values.join("_")),
        }
    }
}

/// Characters of the list of these values.
fn length(values: &[String]) -> usize {
    values.iter().map(|value| value.len() + 1).sum::<usize>().saturating_sub(1)
}

fn are_whole(values: &[String]) -> bool {
    values.iter().all(|value| value.parse::<u64>().is_ok())
}

/// The range that stands for these values, if there is one that is shorter and means them for any knob that has them.
fn find_range(values: &[String]) -> Option<String> {
    let count = values.len();
    let (from, to) = (values.first()?, values.last()?);
    let (low, high) = (from.parse().ok()?, to.parse().ok()?);
    // A range has nothing twice in a row.
    if count < FEWEST_IN_RANGE || values.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    // Fractions are for real numbers alone; whole numbers may be either, and must come out the same.
    let kinds: &[bool] = if are_whole(values) { &[false, true] } else { &[false] };
    // As far as they are the same: most lists end at their second value.
    let is = |spread: Spread, whole| {
        let all = spread.each(low, high, count, whole);
        all.is_some_and(|all| all.zip(values).all(|(number, value)| number == *value))
    };
    let means = |spread: Spread| kinds.iter().all(|whole| is(spread, *whole));
    let (_, word) = Spread::ALL.into_iter().find(|(spread, _)| means(*spread))?;
    let range = format!("{word}:{from}..{to}:{count}");
    (range.len() < length(values)).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, whole: bool) -> String {
        let spelt = Axis::spelt(text, |_| whole);
        spelt.map_or("none".into(), |text| text.split_once(':').map(|(_, v)| v.to_string()).unwrap())
    }

    #[test]
    fn ranges_are_spelt_out_by_differences_and_by_ratios() {
        assert_eq!(values("n:lin:10..45:4", true), "10_22_33_45");
        assert_eq!(values("noise:lin:0..0.4:5", false), "0_0.1_0.2_0.3_0.4");
        assert_eq!(values("lr:log:0.01..1:5", false), "0.01_0.03162_0.1_0.3162_1");
        assert_eq!(values("width:log:1..8:8", true), "1_2_3_4_6_8", "what repeats is there once");
        assert_eq!(values("n:lin:40..10:4", true), "40_30_20_10");
        for bad in [
            "n:10_20",
            "n:lin:10..20",
            "n:lin:10..20:1",
            "n:lin:10..20:1001",
            "n:lin:..20:3",
            "n:log:0..20:3",
            "n:log:20..0:3",
            "n:cube:1..20:3",
            "n:lin:1..inf:3",
        ] {
            assert_eq!(values(bad, true), "none", "{bad}");
        }
    }

    /// The ends are what somebody gave, digit by digit, though 0.3 · (0.7 / 0.3) is 0.7000000000000001.
    #[test]
    fn the_ends_of_a_range_are_not_rounded() {
        assert_eq!(values("lr:log:0.3..0.7:3", false), "0.3_0.4583_0.7");
        assert_eq!(values("lr:lin:0.12345..0.56789:3", false), "0.12345_0.3457_0.56789");
    }

    #[test]
    fn eight_values_are_the_fewest_of_a_range() {
        let text = |values: Vec<u32>| {
            let values = values.iter().map(u32::to_string).collect();
            Axis::new("m".into(), values).to_string()
        };
        assert_eq!(text((1..=7).map(|i| 10 * i).collect()), "m:10_20_30_40_50_60_70");
        assert_eq!(text((1..=8).map(|i| 10 * i).collect()), "m:lin:10..80:8");
        // The range of four digits, which would be read as 10000, 21429, 32857, … by a setting of whole numbers.
        let rounded = vec![10_000, 21_430, 32_860, 44_290, 55_710, 67_140, 78_570, 90_000];
        assert_eq!(text(rounded), "m:10000_21430_32860_44290_55710_67140_78570_90000");
    }

    #[test]
    fn keys_of_axes_are_words() {
        let is_read =
            ["longkeys:1", "longerkey:1", "n&:1", "n:1", ":1"].map(|text| Axis::parse(text).is_some());
        assert_eq!(is_read, [true, false, false, true, false]);
    }

    /// A link gives back the values it was made of, whichever way it writes them.
    #[test]
    fn a_range_is_written_only_where_it_means_the_same() {
        let text = |key: &str, values: &[String]| Axis::new(key.into(), values.to_vec()).to_string();
        for spread in Spread::ALL.map(|(spread, _)| spread) {
            for whole in [false, true] {
                for (from, to) in [(1.0, 100.0), (10.0, 40.0), (0.001, 1.0), (3.0, 3.5), (64.0, 1.0)] {
                    for count in [2, 4, 7, 9, 25, 100] {
                        let Some(values) = spread.numbers(from, to, count, whole) else { continue };
                        let axis = Axis::new("lr".into(), values.clone());
                        let written = axis.to_string();
                        for knob_is_whole in [whole, !whole] {
                            if knob_is_whole && !are_whole(&values) {
                                continue;
                            }
                            let spelt = Axis::spelt(&written, |_| knob_is_whole).unwrap_or(written.clone());
                            assert_eq!(Axis::parse(&spelt).unwrap().values, values, "{written}");
                        }
                    }
                }
            }
        }
        let even: Vec<String> = (1..=9).map(|i| format!("{}", 10 * i)).collect();
        assert_eq!(text("n", &even), "n:lin:10..90:9");
        assert_eq!(text("n", &even[..4]), "n:10_20_30_40");
        let ratios: Vec<String> = (0..9).map(|i| format!("{}", 1 << i)).collect();
        assert_eq!(text("n", &ratios), "n:log:1..256:9");
        let rates = Spread::Log.numbers(0.001, 1.0, 10, false).unwrap();
        assert_eq!(text("lr", &rates), "lr:log:0.001..1:10");
        let ranges = [&rates[..], &even[..4]]
            .map(|values| Axis::new("lr".into(), values.to_vec()).range().map(String::from));
        assert_eq!(ranges, [Some("log:0.001..1:10".to_string()), None]);
        assert_eq!(text("n", &[&even[..], &["7".to_string()]].concat()), "n:10_20_30_40_50_60_70_80_90_7");
        let long: Vec<String> = (0..900).map(|i| format!("{}", 1000 + i * i)).collect();
        assert!(!Axis::new("n".into(), long).is_sound(), "no link could hold it");
    }

    /// As it was found before: whole lists were made, and held against the values.
    fn by_lists(values: &[String]) -> Option<String> {
        let count = values.len();
        let (from, to) = (values.first()?, values.last()?);
        let (low, high) = (from.parse().ok()?, to.parse().ok()?);
        if count < FEWEST_IN_RANGE {
            return None;
        }
        let kinds: &[bool] = if are_whole(values) { &[false, true] } else { &[false] };
        let is = |spread: Spread, whole: bool| {
            spread.numbers(low, high, count, whole).is_some_and(|all| all == values)
        };
        let means = |spread: Spread| kinds.iter().all(|whole| is(spread, *whole));
        let (_, word) = Spread::ALL.into_iter().find(|(spread, _)| means(*spread))?;
        let range = format!("{word}:{from}..{to}:{count}");
        (range.len() < values.join("_").len()).then_some(range)
    }

    #[test]
    fn the_range_is_the_one_that_whole_lists_gave() {
        let mut ranges = 0;
        let mut check = |values: &[String]| {
            let expected = by_lists(values);
            assert_eq!(find_range(values), expected, "{values:?}");
            ranges += usize::from(expected.is_some());
        };
        for spread in Spread::ALL.map(|(spread, _)| spread) {
            for whole in [false, true] {
                for (from, to) in
                    [(1.0, 100.0), (10.0, 40.0), (0.001, 1.0), (64.0, 1.0), (5.0, 5.0), (-3.0, 4.0)]
                {
                    for count in [2, 7, 8, 9, 25, 100, 1000] {
                        let Some(mut values) = spread.numbers(from, to, count, whole) else { continue };
                        check(&values);
                        // One that is another number, the same in other words, or there twice.
                        let middle = values.len() / 2;
                        let known = values[middle].clone();
                        for other in ["7.5".to_string(), format!("{known}.0"), values[0].clone()] {
                            values[middle] = other;
                            check(&values);
                        }
                        values[middle] = known.clone();
                        values.insert(middle, known);
                        check(&values);
                    }
                }
            }
        }
        check(&[]);
        check(&["relu".to_string(), "sign".into()]);
        assert!(ranges > 30, "{ranges}");
    }

    #[test]
    fn a_thousand_values_are_worked_out_once() {
        let text = Axis::spelt("seed:lin:1..1000:1000", |_| true).unwrap();
        MADE.set(0);
        let axis = Axis::parse(&text).unwrap();
        // Once as whole numbers and once as real ones.
        assert_eq!(MADE.replace(0), 2000);
        let copies: Vec<Axis> = (0..50).map(|_| axis.clone()).collect();
        assert!(copies.iter().all(|copy| copy.to_string() == "seed:lin:1..1000:1000" && copy.is_sound()));
        assert_eq!(MADE.replace(0), 0);
        let uneven: Vec<String> = (1..=500).map(|i| (i * i).to_string()).collect();
        let list = Axis::new("seed".into(), uneven);
        // Each spread differs at its second value.
        assert!(MADE.replace(0) <= 4 && list.range().is_none());
        // What comes out of a message is the same.
        let text = serde_json::to_string(&axis).unwrap();
        assert!(text.starts_with(r#"{"key":"seed","values":["1","2""#) && !text.contains("range"), "{text}");
        assert_eq!(serde_json::from_str::<Axis>(&text).unwrap(), axis);
    }
}
