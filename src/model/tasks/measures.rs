//! Names of the measures in files, and their definitions.
//!
//! # Why
//! A column named `test_accuracy` that contains the progress of a network from unigrams to bigrams would mislead
//! everybody who reads it in another program. So each task names its measures: a [`MeasureInfo`] has name, unit,
//! definition and source in one place, the task's own file. The columns of CSV, the fields of JSON and the table in the
//! README of `record` are generated from it. Files with the [earlier names](EARLIER_NAMES) are read, too.
//!
//! A [`MeasureNames`] has only names: the page writes no definitions, which its program therefore does not contain.

use super::Task;
use vivarium_core::settings::ChoiceOption;
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023, Source};

/// Field of a [`Measurement`](crate::protocol::Measurement) that holds the values of a measure of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureSlot {
    /// [`Measurement::train_loss`](crate::protocol::Measurement::train_loss).
    TrainLoss,
    /// [`Measurement::train_accuracy`](crate::protocol::Measurement::train_accuracy).
    TrainAccuracy,
    /// [`Measurement::test_loss`](crate::protocol::Measurement::test_loss).
    TestLoss,
    /// [`Measurement::test_accuracy`](crate::protocol::Measurement::test_accuracy).
    TestAccuracy,
    /// [`Measurement::margin`](crate::protocol::Measurement::margin).
    Margin,
    /// Margin divided by the maximum margin, which is computed when a file is written.
    MarginOverMax,
    /// One of [`Measurement::measures`](crate::protocol::Measurement::measures).
    Further,
}

/// Definition of a measure of a task: a column of CSV and a field of JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureInfo {
    /// Field of a measurement that holds the values of the measure.
    pub slot: MeasureSlot,
    /// Name of the measure: its column in CSV and its field in JSON.
    pub name: &'static str,
    /// Unit of the measure and range of its values, as text for the documentation of files.
    pub unit: &'static str,
    /// Definition of the measure in one or two sentences, for the documentation of files.
    pub about: &'static str,
    /// Publications that define the measure; empty if there is none.
    pub sources: &'static [Source],
}

impl MeasureInfo {
    /// Creates the definition of a measure without sources.
    pub const fn new(slot: MeasureSlot, name: &'static str, unit: &'static str, about: &'static str) -> Self {
        MeasureInfo { slot, name, unit, about, sources: &[] }
    }

    /// Returns the definition with these sources.
    pub const fn with_sources(self, sources: &'static [Source]) -> Self {
        MeasureInfo { sources, ..self }
    }
}

/// Units and ranges of the measures of several tasks.
pub mod units {
    /// Unit text of a fraction of examples or of another total.
    pub const FRACTION: &str = "share, 0 to 1";
    /// Unit text of a cross-entropy or divergence.
    pub const NATS: &str = "nats, at least 0";
    /// Unit text of the fraction of a variance that is explained; 0 for predicting the mean.
    pub const R2: &str = "share, at most 1; negative if worse than the mean";
    /// Unit text of a squared error relative to the variance of a label.
    pub const LABEL_VARIANCES: &str = "variances of a label, at least 0";
    /// Unit text of a distance without unit.
    pub const DISTANCE: &str = "no unit, at least 0";
    /// Unit text of a count.
    pub const COUNT: &str = "whole number, at least 0";
}

/// Unit and range of a loss in tasks in which the loss function is a setting.
pub const LOSS_UNIT: &str = "unit of the loss, at least 0; the correlation loss has no lower bound";

/// Loss and accuracy in training and on held-out examples, for tasks with labels ±1 and a choice of the loss function.
///
/// Outputs are computed in single precision. An output that is 0 in exact arithmetic may keep a rounding error, and then
/// counts by its sign: for untrained neurons with weights ±1/√10 and no bias, a third of the outputs are exactly 0, and
/// the accuracy differs by 0.003 from that of exact arithmetic.
pub const SIGN_LABEL_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "train_loss",
        LOSS_UNIT,
        "Mean of the loss function that the setting loss names, over the next training batch; with a fixed sample, over the sample or its first examples. Without the penalty of the model, if it has one.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "train_accuracy",
        units::FRACTION,
        "Share of the same training examples for which the output has the sign of the label; with label noise, of the noisy label. An output of 0 counts as one half.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "test_loss",
        LOSS_UNIT,
        "Mean of the same loss function over held-out examples, which are never trained on.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "test_accuracy",
        units::FRACTION,
        "Share of the held-out examples for which the output has the sign of the label. An output of 0 counts as one half.",
    ),
];

/// Relative squared error and R² in training and on held-out prompts, for tasks with real labels in prompts.
pub const PROMPT_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "train_mse_over_variance",
        units::LABEL_VARIANCES,
        "Mean squared error of the predictions for training prompts, divided by the variance of a label. All positions of a prompt count.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "train_r2",
        units::R2,
        "Share of the variance of the labels that the predictions for training prompts explain: 1 − train_mse_over_variance.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "test_mse_over_variance",
        units::LABEL_VARIANCES,
        "Mean squared error of the predictions for held-out prompts, divided by the variance of a label.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "test_r2",
        units::R2,
        "Share of the variance of the labels that the predictions for held-out prompts explain: 1 − test_mse_over_variance.",
    ),
];

/// Definitions of cross-entropy and accuracy on training sequences, for tasks that predict the next symbol.
pub const SEQUENCE_TRAINING_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "train_cross_entropy",
        units::NATS,
        "Mean cross-entropy of the predictions at all positions of the next training batch.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "train_accuracy",
        units::FRACTION,
        "Share of all positions of the next training batch at which the most probable symbol is the next symbol. If the next symbol and another symbol have the same largest probability, the position counts as wrong.",
    ),
];

/// Definition of the normalised margin of a network with a weight penalty.
pub const MARGIN_MEASURE: MeasureInfo = MeasureInfo::new(
    MeasureSlot::Margin,
    "margin",
    "no unit; positive if every training example is right",
    "Normalised margin of a network with a penalty: the smallest difference over the training examples between the output of the right class and the largest other output, divided by ‖θ‖^D with ‖θ‖ = (Σ‖ω‖^ν)^(1/ν), the norm of the penalty. D is the network's degree of homogeneity: 3 for z², 2 for ReLU, k + 1 for z^k. Not a number if all outputs of the network are equal up to 0.00001, as in a network that the penalty has driven to zero.",
)
.with_sources(&[EDELMAN_2024_GROUPS, MORWANI_2023]);

/// Names of training loss, training accuracy, test loss, test accuracy and margin in files of format version 1, which
/// were the same for all tasks.
pub const EARLIER_NAMES: [&str; 5] = ["train_loss", "train_accuracy", "test_loss", "test_accuracy", "margin"];

/// Names of the measures of a run in CSV and JSON files, its further measures, and its maximum margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureNames {
    /// Names of training loss, training accuracy, test loss and test accuracy, in this order.
    pub names: [&'static str; 4],
    /// Names of the further measures (those besides loss, accuracy and margin), in the order of
    /// [`Measurement::measures`](crate::protocol::Measurement::measures); empty if files name them by their
    /// [slugs](MeasureNames::further_measures).
    pub further_names: &'static [&'static str],
    /// Further measures (those besides loss, accuracy and margin), in the order of
    /// [`Measurement::measures`](crate::protocol::Measurement::measures). Slugs are unique over all tasks, and are the
    /// names in files of format version 1.
    pub further_measures: &'static [ChoiceOption],
    /// Maximum margin γ* that a network of the run can have, if a closed form is known.
    pub largest_margin: Option<f64>,
}

impl Default for MeasureNames {
    fn default() -> Self {
        MeasureNames::EARLIER
    }
}

impl MeasureNames {
    /// Names of loss, accuracy and margin in files of format version 1, for tasks without further measures.
    pub const EARLIER: MeasureNames = MeasureNames {
        names: [EARLIER_NAMES[0], EARLIER_NAMES[1], EARLIER_NAMES[2], EARLIER_NAMES[3]],
        further_names: &[],
        further_measures: &[],
        largest_margin: None,
    };

    /// Returns the same further measures with the names that files of format version 1 use.
    pub fn with_earlier_names(self) -> MeasureNames {
        MeasureNames { further_measures: self.further_measures, ..MeasureNames::EARLIER }
    }

    /// Whether the task has measures besides loss, accuracy and margin.
    pub fn has_further_measures(&self) -> bool {
        !self.further_measures.is_empty()
    }

    /// Name in JSON of further measure number `index`, from 0; empty if there is none.
    pub fn json_name(&self, index: usize) -> &'static str {
        let slug = self.further_measures.get(index).map_or("", |measure| measure.slug);
        self.further_names.get(index).copied().unwrap_or(slug)
    }
}

/// Names in files of the given measures, in the same order.
pub const fn names_of<const N: usize>(measures: &[MeasureInfo; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = measures[at].name;
        at += 1;
    }
    names
}

/// Name of a measure in files, and the field of a measurement that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedSlot {
    /// Name of a column of CSV or of a field of JSON.
    pub name: &'static str,
    /// Field of a measurement that holds the values under this name.
    pub slot: MeasureSlot,
    /// For a further measure: its index, from 0, among the further measures of its task, and the number of these
    /// measures. (0, 0) for other measures.
    pub further: (usize, usize),
}

/// Names in files of the measures of all tasks, with the fields that hold them. The page reads files by names alone, so
/// that its WebAssembly does not contain the texts of the definitions.
const NAMED_SLOTS: [NamedSlot; count_named_slots()] = list_named_slots();

/// Names of the measures of all tasks, for reading a file before its task is known. A name that several tasks share
/// stands for the same field in all of them, and is listed several times.
pub fn named_slots() -> &'static [NamedSlot] {
    &NAMED_SLOTS
}

/// Number of measures with a name in files, over all tasks.
const fn count_named_slots() -> usize {
    let (mut count, mut task) = (0, 0);
    while task < Task::MEASURES.len() {
        let mut list = 0;
        while list < Task::MEASURES[task].len() {
            count += Task::MEASURES[task][list].len();
            list += 1;
        }
        task += 1;
    }
    count
}

/// Collects the names in files of the measures of all tasks, with the fields that hold them.
const fn list_named_slots() -> [NamedSlot; count_named_slots()] {
    let mut names =
        [NamedSlot { name: "", slot: MeasureSlot::Further, further: (0, 0) }; count_named_slots()];
    let (mut at, mut task) = (0, 0);
    while task < Task::MEASURES.len() {
        let mut list = 0;
        while list < Task::MEASURES[task].len() {
            let measures = Task::MEASURES[task][list];
            let mut place = 0;
            while place < measures.len() {
                let is_further = matches!(measures[place].slot, MeasureSlot::Further);
                let further = if is_further { (place, measures.len()) } else { (0, 0) };
                names[at] = NamedSlot { name: measures[place].name, slot: measures[place].slot, further };
                at += 1;
                place += 1;
            }
            list += 1;
        }
        task += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_column_and_stands_for_one_number() {
        for named in named_slots() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(named.name.chars().all(is_plain) && named.name.len() > 3, "{}", named.name);
            for other in super::named_slots().iter().filter(|other| other.name == named.name) {
                let is_further = |named: &NamedSlot| named.slot == MeasureSlot::Further;
                assert!(
                    is_further(named) || is_further(other) || named.slot == other.slot,
                    "{} is {:?} in one task and {:?} in another",
                    named.name,
                    named.slot,
                    other.slot
                );
                assert!(!is_further(named) || named.further == other.further, "{}", named.name);
            }
            // Earlier names mean what they meant.
            let earlier = EARLIER_NAMES.iter().position(|name| *name == named.name);
            let slots = [
                MeasureSlot::TrainLoss,
                MeasureSlot::TrainAccuracy,
                MeasureSlot::TestLoss,
                MeasureSlot::TestAccuracy,
                MeasureSlot::Margin,
            ];
            assert!(earlier.is_none_or(|at| slots[at] == named.slot), "{}", named.name);
        }
        assert_eq!(NAMED_SLOTS[0].name, "train_loss");
    }

    #[test]
    fn every_measure_is_defined_in_one_or_two_sentences() {
        for measure in Task::MEASURES.iter().copied().flatten().copied().flatten() {
            let MeasureInfo { name, unit, about, .. } = *measure;
            assert!(about.len() > 20 && about.ends_with('.') && !unit.is_empty(), "{name}");
            let sentences = about.matches(". ").count() + 1;
            assert!(sentences <= 3, "{name} has {sentences} sentences");
            assert!(about.chars().next().is_some_and(|first| !first.is_lowercase()), "{name}");
        }
    }

    /// Further measures are in the order of the numbers of a measurement.
    #[test]
    fn further_measures_have_a_name_each() {
        for entry in Task::ENTRIES {
            let task = Task::from_slug(entry.info.slug).unwrap();
            let measures = task.examples().measure_names();
            assert_eq!(measures.further_names.len(), measures.further_measures.len(), "{}", entry.info.slug);
            for (which, name) in measures.further_names.iter().enumerate() {
                let named = named_slots()
                    .iter()
                    .find(|named| named.name == *name && named.slot == MeasureSlot::Further);
                assert_eq!(named.unwrap().further, (which, measures.further_measures.len()), "{name}");
                assert_eq!(measures.json_name(which), *name);
                assert_eq!(
                    measures.with_earlier_names().json_name(which),
                    measures.further_measures[which].slug
                );
            }
        }
    }
}
