//! Axis of a sweep: a setting with the values that it takes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::format_real;

/// Axis of a sweep: the key of a setting and its values, as texts of a permalink; no values if the key is empty.
///
/// A link may give numbers as a range, `lr:log:0.01..1:5` or `n:lin:10..40:4`: spacing, ends and count. The axis stores
/// the values, and writes a range only where it is shorter and means these values, whether the setting has whole or
/// real numbers.
///
/// # Why
/// The range is searched once, when the axis is created: the page writes its link at every change, and to
/// compute a thousand values takes milliseconds in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "AxisFields")]
pub struct SweepAxis {
    /// Key of the swept setting; empty for no axis.
    pub key: String,
    /// Values of the swept setting as texts of a permalink, in the order of the sweep.
    pub values: Vec<String>,
    /// Text of the range that a link contains instead of the list of values; `None` if the list is written.
    #[serde(skip)]
    range: Option<String>,
}

/// Serialized fields of a [`SweepAxis`].
#[derive(Deserialize)]
#[serde(rename = "Axis")]
struct AxisFields {
    /// Key of the swept setting.
    key: String,
    /// Values of the swept setting, as texts of a permalink.
    values: Vec<String>,
}

impl From<AxisFields> for SweepAxis {
    fn from(AxisFields { key, values }: AxisFields) -> Self {
        SweepAxis::new(key, values)
    }
}

/// Largest number of values of one axis of a sweep; an axis with more is invalid.
pub const MAX_AXIS_VALUES: usize = 1000;

/// Smallest number of values of an axis that a link writes as a range; fewer are written as a list, which is as clear.
const MIN_VALUES_IN_RANGE: usize = 8;

/// Largest length of the list of an axis's values in a link, in bytes, so that a link with two such lists can be read
/// back.
const MAX_LIST_LENGTH: usize = 2500;

/// Spacing of the numbers of a range of values in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
}

impl Spacing {
    /// Linear and logarithmic spacing, each with its name in a link.
    pub const ALL: [(Spacing, &'static str); 2] = [(Spacing::Linear, "lin"), (Spacing::Log, "log")];

    /// Lists `count` numbers from `from` to `to`, with equal differences or ratios: the ends as given and the others
    /// rounded to four significant digits, or with `is_whole` all rounded to whole numbers, without repetitions. None
    /// if an end is not finite, or not positive for ratios, or if `count` is not from 2 to [`MAX_AXIS_VALUES`].
    pub fn list_numbers(self, from: f64, to: f64, count: usize, is_whole: bool) -> Option<Vec<String>> {
        let mut numbers: Vec<String> = self.iter_numbers(from, to, count, is_whole)?.collect();
        numbers.dedup();
        Some(numbers)
    }

    /// Iterator over the numbers that [`Spacing::list_numbers`] lists, as texts, without removing repetitions; None for
    /// an invalid range.
    fn iter_numbers(
        self,
        from: f64,
        to: f64,
        count: usize,
        is_whole: bool,
    ) -> Option<impl Iterator<Item = String>> {
        let possible = from.is_finite() && to.is_finite() && (2..=MAX_AXIS_VALUES).contains(&count);
        if !possible || (self == Spacing::Log && (from <= 0.0 || to <= 0.0)) {
            return None;
        }
        let one = move |at: usize| {
            let share = at as f64 / (count - 1) as f64;
            let number = match (self, at) {
                (_, 0) => from,
                (_, at) if at == count - 1 => to,
                (Spacing::Linear, _) => from + share * (to - from),
                (Spacing::Log, _) => from * libm::pow(to / from, share),
            };
            if is_whole {
                return format!("{}", libm::round(number));
            }
            // The ends keep the digits that were given.
            let is_end = at == 0 || at == count - 1;
            format_real(if is_end { number } else { format!("{number:.3e}").parse().unwrap_or(number) })
        };
        #[cfg(test)]
        let one = move |at: usize| {
            COMPUTED_COUNT.set(COMPUTED_COUNT.get() + 1);
            one(at)
        };
        Some((0..count).map(one))
    }
}

#[cfg(test)]
thread_local! {
    /// Number of values of ranges that this thread has computed so far, for tests.
    static COMPUTED_COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl SweepAxis {
    /// Creates the axis of a sweep over the setting with this key and these values.
    pub fn new(key: String, values: Vec<String>) -> Self {
        let range = find_range(&values);
        SweepAxis { key, values, range }
    }

    /// Whether the axis has no values, so that no setting is swept.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Expands the range in the text of an axis, such as `n:lin:10..40:4`, to the list `n:10_20_30_40`, with whole
    /// numbers where `is_whole` is true for the key; None if the text contains no valid range.
    pub fn expand_range(text: &str, is_whole: impl Fn(&str) -> bool) -> Option<String> {
        let (key, range) = text.split_once(':')?;
        let (word, range) = range.split_once(':')?;
        let (ends, count) = range.split_once(':')?;
        let (from, to) = ends.split_once("..")?;
        let (spread, _) = Spacing::ALL.into_iter().find(|(_, name)| *name == word)?;
        let values =
            spread.list_numbers(from.parse().ok()?, to.parse().ok()?, count.parse().ok()?, is_whole(key))?;
        Some(format!("{key}:{}", values.join("_")))
    }

    /// Range that a link contains instead of the list of values: a shorter text that means these values, whether the
    /// setting has whole or real numbers; None if there is none.
    pub fn range(&self) -> Option<&str> {
        self.range.as_deref()
    }

    /// Parses an axis of a link: an empty text for no axis, or `key:value_value`, a key and its values. `None` if the
    /// text is invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(SweepAxis::default());
        }
        let (key, values) = text.split_once(':')?;
        let axis = SweepAxis::new(key.into(), values.split('_').map(String::from).collect());
        axis.is_valid().then_some(axis)
    }

    /// Whether key and values have only allowed characters, and count and lengths are within the limits.
    pub(super) fn is_valid(&self) -> bool {
        let word = |text: &str, longest: usize, extra: &str| {
            (1..=longest).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
        };
        let short = || list_length(&self.values) <= MAX_LIST_LENGTH || self.range.is_some();
        let all = self.values.len() <= MAX_AXIS_VALUES && self.values.iter().all(|v| word(v, 24, ".-+"));
        if self.key.is_empty() {
            self.is_empty()
        } else {
            word(&self.key, 8, "") && !self.is_empty() && all && short()
        }
    }
}

impl fmt::Display for SweepAxis {
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

/// Length in bytes of the list of these values in a link, separated by underscores.
fn list_length(values: &[String]) -> usize {
    values.iter().map(|value| value.len() + 1).sum::<usize>().saturating_sub(1)
}

/// Whether all values, as texts of a permalink, are whole numbers.
fn are_whole_numbers(values: &[String]) -> bool {
    values.iter().all(|value| value.parse::<u64>().is_ok())
}

/// Finds the text of a range, such as `lin:10..80:8`, that is shorter than the list of `values` and means these values,
/// whether the setting has whole or real numbers; `None` if there is none.
fn find_range(values: &[String]) -> Option<String> {
    let count = values.len();
    let (from, to) = (values.first()?, values.last()?);
    let (low, high) = (from.parse().ok()?, to.parse().ok()?);
    // A range has no value twice in a row.
    if count < MIN_VALUES_IN_RANGE || values.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    // Fractions are for real numbers alone; whole numbers may be either, and must come out the same.
    let kinds: &[bool] = if are_whole_numbers(values) { &[false, true] } else { &[false] };
    // As far as they are the same: most lists end at their second value.
    let is = |spread: Spacing, whole| {
        let all = spread.iter_numbers(low, high, count, whole);
        all.is_some_and(|all| all.zip(values).all(|(number, value)| number == *value))
    };
    let means = |spread: Spacing| kinds.iter().all(|whole| is(spread, *whole));
    let (_, word) = Spacing::ALL.into_iter().find(|(spread, _)| means(*spread))?;
    let range = format!("{word}:{from}..{to}:{count}");
    (range.len() < list_length(values)).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, whole: bool) -> String {
        let spelt = SweepAxis::expand_range(text, |_| whole);
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

    /// The ends keep their digits, though 0.3 · (0.7 / 0.3) is 0.7000000000000001.
    #[test]
    fn the_ends_of_a_range_are_not_rounded() {
        assert_eq!(values("lr:log:0.3..0.7:3", false), "0.3_0.4583_0.7");
        assert_eq!(values("lr:lin:0.12345..0.56789:3", false), "0.12345_0.3457_0.56789");
    }

    #[test]
    fn eight_values_are_the_fewest_of_a_range() {
        let text = |values: Vec<u32>| {
            let values = values.iter().map(u32::to_string).collect();
            SweepAxis::new("m".into(), values).to_string()
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
            ["longkeys:1", "longerkey:1", "n&:1", "n:1", ":1"].map(|text| SweepAxis::parse(text).is_some());
        assert_eq!(is_read, [true, false, false, true, false]);
    }

    /// A link gives back the values it was made of, whichever way it writes them.
    #[test]
    fn a_range_is_written_only_where_it_means_the_same() {
        let text = |key: &str, values: &[String]| SweepAxis::new(key.into(), values.to_vec()).to_string();
        for spread in Spacing::ALL.map(|(spread, _)| spread) {
            for whole in [false, true] {
                for (from, to) in [(1.0, 100.0), (10.0, 40.0), (0.001, 1.0), (3.0, 3.5), (64.0, 1.0)] {
                    for count in [2, 4, 7, 9, 25, 100] {
                        let Some(values) = spread.list_numbers(from, to, count, whole) else { continue };
                        let axis = SweepAxis::new("lr".into(), values.clone());
                        let written = axis.to_string();
                        for knob_is_whole in [whole, !whole] {
                            if knob_is_whole && !are_whole_numbers(&values) {
                                continue;
                            }
                            let spelt = SweepAxis::expand_range(&written, |_| knob_is_whole)
                                .unwrap_or(written.clone());
                            assert_eq!(SweepAxis::parse(&spelt).unwrap().values, values, "{written}");
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
        let rates = Spacing::Log.list_numbers(0.001, 1.0, 10, false).unwrap();
        assert_eq!(text("lr", &rates), "lr:log:0.001..1:10");
        let ranges = [&rates[..], &even[..4]]
            .map(|values| SweepAxis::new("lr".into(), values.to_vec()).range().map(String::from));
        assert_eq!(ranges, [Some("log:0.001..1:10".to_string()), None]);
        assert_eq!(text("n", &[&even[..], &["7".to_string()]].concat()), "n:10_20_30_40_50_60_70_80_90_7");
        let long: Vec<String> = (0..900).map(|i| format!("{}", 1000 + i * i)).collect();
        assert!(!SweepAxis::new("n".into(), long).is_valid(), "no link could hold it");
    }

    /// Earlier implementation, as a reference: builds whole lists and compares them with the values.
    fn by_lists(values: &[String]) -> Option<String> {
        let count = values.len();
        let (from, to) = (values.first()?, values.last()?);
        let (low, high) = (from.parse().ok()?, to.parse().ok()?);
        if count < MIN_VALUES_IN_RANGE {
            return None;
        }
        let kinds: &[bool] = if are_whole_numbers(values) { &[false, true] } else { &[false] };
        let is = |spread: Spacing, whole: bool| {
            spread.list_numbers(low, high, count, whole).is_some_and(|all| all == values)
        };
        let means = |spread: Spacing| kinds.iter().all(|whole| is(spread, *whole));
        let (_, word) = Spacing::ALL.into_iter().find(|(spread, _)| means(*spread))?;
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
        for spread in Spacing::ALL.map(|(spread, _)| spread) {
            for whole in [false, true] {
                for (from, to) in
                    [(1.0, 100.0), (10.0, 40.0), (0.001, 1.0), (64.0, 1.0), (5.0, 5.0), (-3.0, 4.0)]
                {
                    for count in [2, 7, 8, 9, 25, 100, 1000] {
                        let Some(mut values) = spread.list_numbers(from, to, count, whole) else { continue };
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
        let text = SweepAxis::expand_range("seed:lin:1..1000:1000", |_| true).unwrap();
        COMPUTED_COUNT.set(0);
        let axis = SweepAxis::parse(&text).unwrap();
        // Once as whole numbers and once as real ones.
        assert_eq!(COMPUTED_COUNT.replace(0), 2000);
        let copies: Vec<SweepAxis> = (0..50).map(|_| axis.clone()).collect();
        assert!(copies.iter().all(|copy| copy.to_string() == "seed:lin:1..1000:1000" && copy.is_valid()));
        assert_eq!(COMPUTED_COUNT.replace(0), 0);
        let uneven: Vec<String> = (1..=500).map(|i| (i * i).to_string()).collect();
        let list = SweepAxis::new("seed".into(), uneven);
        // Each spread differs at its second value.
        assert!(COMPUTED_COUNT.replace(0) <= 4 && list.range().is_none());
        // What comes out of a message is the same.
        let text = serde_json::to_string(&axis).unwrap();
        assert!(text.starts_with(r#"{"key":"seed","values":["1","2""#) && !text.contains("range"), "{text}");
        assert_eq!(serde_json::from_str::<SweepAxis>(&text).unwrap(), axis);
    }
}
