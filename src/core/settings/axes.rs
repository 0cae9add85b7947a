//! Further axes of a sweep: several settings, each with its values, beyond the two that the page can sweep.
//!
//! In a link they are separated by commas, each as a [`SweepAxis`]: `seed:lin:0..9:10,width:16_64`.

use super::{MAX_AXIS_VALUES, SweepAxis};

/// Largest number of axes of a sweep beyond its first two: with two values on each of these 20 axes, a sweep has 2²⁰
/// runs, about a million.
pub const MAX_AXES: usize = 18;

/// Largest length of the text that describes all further axes in a link, in bytes.
const MAX_TEXT_LENGTH: usize = 2500;

/// Expands the ranges in the text of several axes, as [`SweepAxis::expand_range`] does for one; None if there are more
/// than [`MAX_AXES`] axes. `is_whole` says whether the setting with a key has whole numbers as values.
pub fn expand_ranges(text: &str, is_whole: impl Fn(&str) -> bool) -> Option<String> {
    let parts: Vec<&str> = text.split(',').take(MAX_AXES + 1).collect();
    let one = |part: &&str| SweepAxis::expand_range(part, &is_whole).unwrap_or_else(|| part.to_string());
    (parts.len() <= MAX_AXES).then(|| parts.iter().map(one).collect::<Vec<_>>().join(","))
}

/// Parses the text of several axes in a link, each with a key and at least one value. An empty text gives no axes;
/// `None` if an axis is invalid or the text has too many axes or values.
pub(super) fn parse(text: &str) -> Option<Vec<SweepAxis>> {
    if text.is_empty() {
        return Some(vec![]);
    }
    // Too many values are refused before they are parsed.
    let values = text.split([',', '_']).take(MAX_AXIS_VALUES + 1).count();
    if values > MAX_AXIS_VALUES || text.split(',').take(MAX_AXES + 1).count() > MAX_AXES {
        return None;
    }
    text.split(',').map(|part| SweepAxis::parse(part).filter(|axis| !axis.is_empty())).collect()
}

/// Writes the axes as text for a link, separated by commas.
pub(super) fn format_axes(axes: &[SweepAxis]) -> String {
    axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Whether all axes are valid, no two have the same key, and the numbers of axes and values and the length of their
/// text are within the limits.
pub(super) fn are_valid(axes: &[SweepAxis]) -> bool {
    let is_new = |at: usize| axes[..at].iter().all(|other| other.key != axes[at].key);
    axes.len() <= MAX_AXES
        && axes.iter().all(|axis| !axis.is_empty() && axis.is_valid())
        && (0..axes.len()).all(is_new)
        && axes.iter().map(|axis| axis.values.len()).sum::<usize>() <= MAX_AXIS_VALUES
        && format_axes(axes).len() <= MAX_TEXT_LENGTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_axes_read_back_what_they_print() {
        for text in ["", "n:10_20", "n:10_20,loss:hinge_ce,width:lin:10..80:8"] {
            let full = expand_ranges(text, |_| true).unwrap();
            let axes = parse(&full).unwrap();
            assert!(are_valid(&axes), "{text}");
            assert_eq!(format_axes(&axes), text);
        }
        assert_eq!(
            expand_ranges("lr:log:0.1..10:3,n:lin:1..3:3", |key| key == "n").unwrap(),
            "lr:0.1_1_10,n:1_2_3"
        );
    }

    #[test]
    fn too_many_axes_the_same_one_twice_and_empty_ones_are_refused() {
        let is_good = |text: &str| parse(text).is_some_and(|axes| are_valid(&axes));
        let many = |count: usize| (0..count).map(|i| format!("k{i}:1_2")).collect::<Vec<_>>().join(",");
        assert!(is_good(&many(MAX_AXES)) && !is_good(&many(MAX_AXES + 1)));
        assert_eq!(expand_ranges(&many(MAX_AXES + 1), |_| true), None);
        let long = |values: usize| (1..=values).map(|i| i.to_string()).collect::<Vec<_>>().join("_");
        assert!(is_good(&format!("n:{},m:{}", long(500), long(500))));
        assert!(!is_good(&format!("n:{},m:{}", long(500), long(501))));
        for bad in ["n:1_2,n:3", ",", "n:1,", "n:1,,m:2", "n", "n:1_2;m:1", "n:"] {
            assert!(!is_good(bad), "{bad}");
        }
        // No range stands for the squares, and their list is long.
        let squares = |from: usize| (from..from + 190).map(|i| (i * i * 999).to_string()).collect::<Vec<_>>();
        let two = [("n", 1), ("m", 500)].map(|(key, from)| SweepAxis::new(key.into(), squares(from)));
        assert!(two.iter().all(SweepAxis::is_valid) && !are_valid(&two));
    }
}
