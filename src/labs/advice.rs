//! Advice that several labs give.

use vivarium_core::settings::thousands;

/// Whether all labels of a run together hold less than it takes to name the relevant bits.
pub fn too_few((n, k): (usize, usize), labels: u64) -> Option<String> {
    let sets = (0..k as u64).fold(1u64, |sets, i| sets.saturating_mul(n as u64 - i) / (i + 1));
    let apart = 1u64.checked_shl(labels.try_into().ok()?)?;
    (labels < 63 && apart < sets).then(|| {
        tr!(
            "With {labels} training labels, at most {apart} sets of bits can be distinguished, but there are {sets} possible sets: the relevant bits can hardly be learned.",
            labels,
            apart = thousands(apart),
            sets = thousands(sets)
        )
    })
}
