//! The measures of products in a table.

use crate::tasks::measures::{MARGIN, Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] =
    &[&IN_TRAINING, &HELD_OUT, &ON_ALL_PAIRS, &[MARGIN, MARGIN_OVER_MAX]];

/// The names where some pairs are held out, or none.
pub(super) fn of(has_held_out: bool) -> Measures {
    let [train_loss, train_accuracy] = names(&IN_TRAINING);
    let [loss, accuracy] = if has_held_out { names(&HELD_OUT) } else { names(&ON_ALL_PAIRS) };
    Measures { names: [train_loss, train_accuracy, loss, accuracy], ..Measures::default() }
}

/// On what is trained on.
const IN_TRAINING: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "train_cross_entropy",
        units::NATS,
        "Mean cross-entropy over the training pairs, without the penalty.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "train_accuracy",
        units::SHARE,
        "Share of the training pairs for which the output of the right element is larger than every other output.",
    ),
];

/// On what is held out.
const HELD_OUT: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TestLoss,
        "test_cross_entropy",
        units::NATS,
        "Mean cross-entropy over the pairs that are held out.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "test_accuracy",
        units::SHARE,
        "Share of the held-out pairs for which the output of the right element is larger than every other output.",
    ),
];

/// Where nothing is held out.
const ON_ALL_PAIRS: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TestLoss,
        "cross_entropy_on_all_pairs",
        units::NATS,
        "Mean cross-entropy over all pairs, if all of them are trained on. It is no measure of generalisation.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "accuracy_on_all_pairs",
        units::SHARE,
        "Share of all pairs that are right, if all of them are trained on. It is no measure of generalisation.",
    ),
];

/// The margin as a share.
const MARGIN_OVER_MAX: MeasureInfo = MeasureInfo::new(Slot::MarginOverMax, "margin_over_max", "share, at most 1", "The margin divided by the largest margin of any such network, for all pairs, squares and ν = 3: 2 / (3 √(3|G|) Σ D^2.5 / t) for a group under the condition of theorem 7.9, with the sum over all non-trivial irreducible real representations of dimension D, and t = 1 (real type). We extended the theorem to t = 2 (complex type) and t = 4 (quaternionic type). For addition modulo an odd p this is √(2/27) / (√p (p − 1)), which theorem 7.7 states for primes.").from(&[EDELMAN_2024_GROUPS, MORWANI_2023]);

#[cfg(test)]
mod tests {
    use crate::tasks::Groups;
    use crate::tasks::groups::Operation;
    use vivarium_science::groups::Irreps;
    use vivarium_science::groups::theory::RealCharacters;

    #[test]
    fn largest_margins_are_those_of_the_characters() {
        let of = |operation: Operation, n: usize| Groups { operation, n, letters: n, ..Groups::default() };
        let mut tasks =
            vec![Groups { factors: vec![2, 3, 4], operation: Operation::Product, ..Groups::default() }];
        tasks.push(Groups { operation: Operation::Product, ..Groups::default() });
        for n in 2..=9 {
            tasks.extend([Operation::Add, Operation::Subtract, Operation::Dihedral].map(|all| of(all, n)));
        }
        for letters in 2..=5 {
            tasks.extend([Operation::Symmetric, Operation::Alternating].map(|all| of(all, letters)));
        }
        tasks.push(of(Operation::Quaternion, 3));
        for task in tasks {
            let group = task.group().unwrap();
            let characters = RealCharacters::from_group(&group, &Irreps::compute(&group)).ok();
            let expected = characters.and_then(|characters| characters.closed_form_margin());
            let found = task.largest_margin();
            let error = found.zip(expected).map_or(0.0, |(found, expected)| (found / expected - 1.0).abs());
            assert!(
                found.is_some() == expected.is_some() && error < 1e-12,
                "{task:?}: {found:?} {expected:?}"
            );
        }
        for operation in [Operation::Multiply, Operation::Quadratic, Operation::Random, Operation::Table] {
            assert_eq!(of(operation, 5).largest_margin(), None);
        }
    }
}
