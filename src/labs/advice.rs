//! Advice texts that several labs share.

use vivarium_core::settings::format_thousands;

/// A warning if a run has too few training labels to identify the `k` relevant bits among `n`; none if 2^labels is at
/// least the number of sets of `k` bits.
pub fn describe_too_few_labels((n, k): (usize, usize), labels: u64) -> Option<String> {
    let sets = (0..k as u64).fold(1u64, |sets, i| sets.saturating_mul(n as u64 - i) / (i + 1));
    let apart = 1u64.checked_shl(labels.try_into().ok()?)?;
    (labels < 63 && apart < sets).then(|| {
        tr!(
            "With {labels} training labels, at most {apart} sets of bits can be distinguished, but there are {sets} possible sets: the relevant bits can hardly be learned.",
            labels,
            apart = format_thousands(apart),
            sets = format_thousands(sets)
        )
    })
}
