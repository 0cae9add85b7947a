//! What the presets are written with.

use super::{Expect, Group, Measure, Preset};

/// A preset whose run takes some seconds at most.
pub(super) const QUICK: Preset = Preset {
    slug: "",
    name: "",
    group: Group::Start,
    link: "",
    claim: "",
    source: "",
    instance: "",
    expect: &[],
    budget: 0,
    time: "",
};

/// Held-out accuracy first reaches `at_least` within `steps`, in a share of the replicas within `share`.
pub(super) const fn learns(at_least: f32, steps: (u64, u64), share: (f64, f64)) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps, share }
}

/// Held-out accuracy never reaches `at_least` within `steps` steps.
pub(super) const fn never(at_least: f32, steps: u64) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps: (0, steps), share: (0.0, 0.0) }
}

pub(super) const ALL: (f64, f64) = (1.0, 1.0);

/// Presets in all parts together.
pub(super) const fn count(parts: &[&[Preset]]) -> usize {
    let (mut all, mut part) = (0, 0);
    while part < parts.len() {
        all += parts[part].len();
        part += 1;
    }
    all
}

/// The parts one after the other.
pub(super) const fn joined<const ALL: usize>(parts: &[&[Preset]]) -> [Preset; ALL] {
    let mut presets = [QUICK; ALL];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            presets[at] = parts[part][i];
            if cfg!(feature = "ui") {
                // A page shows claims and checks none: a quarter of the table that every visitor would fetch.
                presets[at].expect = &[];
            }
            at += 1;
            i += 1;
        }
        part += 1;
    }
    presets
}
