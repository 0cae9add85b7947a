//! Several settings, each with the values that it takes: what a sweep on the command line goes through beyond two.
//!
//! In a link they stand behind each other with commas between them, each as an [`Axis`]: `seed:lin:0..9:10,width:16_64`.

use super::{Axis, MOST_VALUES};

/// Most of them: with two values each, and those of two more settings, they are a million runs.
pub const MOST_AXES: usize = 18;

/// Longest text of all of them together, in characters.
const LONGEST: usize = 2500;

/// The text of the axes with their ranges spelt out, as [`Axis::spelt`] does it of one; nothing if there are too many.
pub fn spelt(text: &str, whole: impl Fn(&str) -> bool) -> Option<String> {
    let parts: Vec<&str> = text.split(',').take(MOST_AXES + 1).collect();
    let one = |part: &&str| Axis::spelt(part, &whole).unwrap_or_else(|| part.to_string());
    (parts.len() <= MOST_AXES).then(|| parts.iter().map(one).collect::<Vec<_>>().join(","))
}

/// The axes that `text` stands for: none, or some of which each has a key of its own and a value at least.
pub(super) fn parse(text: &str) -> Option<Vec<Axis>> {
    if text.is_empty() {
        return Some(vec![]);
    }
    // What would be refused is not worked out.
    let values = text.split([',', '_']).take(MOST_VALUES + 1).count();
    if values > MOST_VALUES || text.split(',').take(MOST_AXES + 1).count() > MOST_AXES {
        return None;
    }
    text.split(',').map(|part| Axis::parse(part).filter(|axis| !axis.is_empty())).collect()
}

/// As it stands in a link.
pub(super) fn written(axes: &[Axis]) -> String {
    axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

pub(super) fn are_sound(axes: &[Axis]) -> bool {
    let is_new = |at: usize| axes[..at].iter().all(|other| other.key != axes[at].key);
    axes.len() <= MOST_AXES
        && axes.iter().all(|axis| !axis.is_empty() && axis.is_sound())
        && (0..axes.len()).all(is_new)
        && axes.iter().map(|axis| axis.values.len()).sum::<usize>() <= MOST_VALUES
        && written(axes).len() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_axes_read_back_what_they_print() {
        for text in ["", "n:10_20", "n:10_20,loss:hinge_ce,width:lin:10..80:8"] {
            let full = spelt(text, |_| true).unwrap();
            let axes = parse(&full).unwrap();
            assert!(are_sound(&axes), "{text}");
            assert_eq!(written(&axes), text);
        }
        assert_eq!(spelt("lr:log:0.1..10:3,n:lin:1..3:3", |key| key == "n").unwrap(), "lr:0.1_1_10,n:1_2_3");
    }

    #[test]
    fn too_many_axes_the_same_one_twice_and_empty_ones_are_refused() {
        let is_good = |text: &str| parse(text).is_some_and(|axes| are_sound(&axes));
        let many = |count: usize| (0..count).map(|i| format!("k{i}:1_2")).collect::<Vec<_>>().join(",");
        assert!(is_good(&many(MOST_AXES)) && !is_good(&many(MOST_AXES + 1)));
        assert_eq!(spelt(&many(MOST_AXES + 1), |_| true), None);
        let long = |values: usize| (1..=values).map(|i| i.to_string()).collect::<Vec<_>>().join("_");
        assert!(is_good(&format!("n:{},m:{}", long(500), long(500))));
        assert!(!is_good(&format!("n:{},m:{}", long(500), long(501))));
        for bad in ["n:1_2,n:3", ",", "n:1,", "n:1,,m:2", "n", "n:1_2;m:1", "n:"] {
            assert!(!is_good(bad), "{bad}");
        }
        // No range stands for the squares, and their list is long.
        let squares = |from: usize| (from..from + 190).map(|i| (i * i * 999).to_string()).collect::<Vec<_>>();
        let two = [("n", 1), ("m", 500)].map(|(key, from)| Axis::new(key.into(), squares(from)));
        assert!(two.iter().all(Axis::is_sound) && !are_sound(&two));
    }
}
