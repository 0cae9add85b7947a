//! The measures of products in a table.

use crate::tasks::measures::{MARGIN_MEASURE, MeasureSlot, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};

/// Definitions of all measures of the task on groups, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] =
    &[&TRAINING_MEASURES, &HELD_OUT_MEASURES, &ALL_PAIRS_MEASURES, &[MARGIN_MEASURE, MARGIN_OVER_MAX]];

/// Names of the measures in CSV and JSON files, depending on whether some pairs are held out.
pub(super) fn measure_names(has_held_out: bool) -> MeasureNames {
    let [train_loss, train_accuracy] = names_of(&TRAINING_MEASURES);
    let [loss, accuracy] =
        if has_held_out { names_of(&HELD_OUT_MEASURES) } else { names_of(&ALL_PAIRS_MEASURES) };
    MeasureNames { names: [train_loss, train_accuracy, loss, accuracy], ..MeasureNames::default() }
}

/// Definitions of loss and accuracy on the training pairs of elements.
const TRAINING_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "train_cross_entropy",
        units::NATS,
        "Mean cross-entropy over the training pairs, without the penalty.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "train_accuracy",
        units::FRACTION,
        "Share of the training pairs for which the output of the right element is larger than every other output.",
    ),
];

/// Definitions of loss and accuracy on the held-out pairs of elements.
const HELD_OUT_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "test_cross_entropy",
        units::NATS,
        "Mean cross-entropy over the pairs that are held out.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "test_accuracy",
        units::FRACTION,
        "Share of the held-out pairs for which the output of the right element is larger than every other output.",
    ),
];

/// Definitions of loss and accuracy on all pairs of elements, for runs in which none is held out.
const ALL_PAIRS_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "cross_entropy_on_all_pairs",
        units::NATS,
        "Mean cross-entropy over all pairs, if all of them are trained on. It is no measure of generalisation.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "accuracy_on_all_pairs",
        units::FRACTION,
        "Share of all pairs that are right, if all of them are trained on. It is no measure of generalisation.",
    ),
];

/// Definition of the normalised margin divided by the maximum margin, for tables of groups.
const MARGIN_OVER_MAX: MeasureInfo = MeasureInfo::new(MeasureSlot::MarginOverMax, "margin_over_max", "share, at most 1", "The margin divided by the largest margin of any such network, for all pairs, squares and ν = 3: 2 / (3 √(3|G|) Σ D^2.5 / t) for a group under the condition of theorem 7.9, with the sum over all non-trivial irreducible real representations of dimension D, and t = 1 (real type). We extended the theorem to t = 2 (complex type) and t = 4 (quaternionic type). For addition modulo an odd p this is √(2/27) / (√p (p − 1)), which theorem 7.7 states for primes.").with_sources(&[EDELMAN_2024_GROUPS, MORWANI_2023]);

#[cfg(test)]
mod tests {
    use crate::tasks::Groups;
    use crate::tasks::groups::GroupOperation;
    use vivarium_science::groups::Irreps;
    use vivarium_science::groups::theory::RealCharacters;

    #[test]
    fn largest_margins_are_those_of_the_characters() {
        let of =
            |operation: GroupOperation, n: usize| Groups { operation, n, letters: n, ..Groups::default() };
        let mut tasks =
            vec![Groups { factors: vec![2, 3, 4], operation: GroupOperation::Product, ..Groups::default() }];
        tasks.push(Groups { operation: GroupOperation::Product, ..Groups::default() });
        for n in 2..=9 {
            tasks.extend(
                [GroupOperation::Add, GroupOperation::Subtract, GroupOperation::Dihedral]
                    .map(|all| of(all, n)),
            );
        }
        for letters in 2..=5 {
            tasks
                .extend([GroupOperation::Symmetric, GroupOperation::Alternating].map(|all| of(all, letters)));
        }
        tasks.push(of(GroupOperation::Quaternion, 3));
        for task in tasks {
            let group = task.group().unwrap();
            let characters = RealCharacters::from_group(&group, &Irreps::compute(&group)).ok();
            let expected = characters.and_then(|characters| characters.closed_form_margin());
            let found = task.max_margin();
            let error = found.zip(expected).map_or(0.0, |(found, expected)| (found / expected - 1.0).abs());
            assert!(
                found.is_some() == expected.is_some() && error < 1e-12,
                "{task:?}: {found:?} {expected:?}"
            );
        }
        for operation in [
            GroupOperation::Multiply,
            GroupOperation::Quadratic,
            GroupOperation::Random,
            GroupOperation::Table,
        ] {
            assert_eq!(of(operation, 5).max_margin(), None);
        }
    }
}
