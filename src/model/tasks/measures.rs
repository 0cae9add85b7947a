//! What files call the numbers of a measurement, and what each of these numbers is.
//!
//! # Why
//! A column named `test_accuracy` that holds how far a network is on the way from unigrams to bigrams misleads everybody
//! who reads it in another program. So a task names its measures by what they are: a [`MeasureInfo`] has name, unit,
//! definition and source in one place, the task's own file. The columns of CSV, the fields of JSON and the table in the
//! README of `record` are made from it. Files with the [earlier names](EARLIER) are read, too.
//!
//! A [`Measures`] has names alone: a page writes names and no definitions, which would be in its program otherwise.

use super::Task;
use vivarium_core::settings::Choice;
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023, Source};

/// Which number of a measurement a measure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// [`Row::train_loss`](crate::protocol::Row::train_loss).
    TrainLoss,
    /// [`Row::train_accuracy`](crate::protocol::Row::train_accuracy).
    TrainAccuracy,
    /// [`Row::test_loss`](crate::protocol::Row::test_loss).
    TestLoss,
    /// [`Row::test_accuracy`](crate::protocol::Row::test_accuracy).
    TestAccuracy,
    /// [`Row::margin`](crate::protocol::Row::margin).
    Margin,
    /// The margin divided by the largest one, which is computed when a file is written.
    MarginOverMax,
    /// One of [`Row::measures`](crate::protocol::Row::measures).
    Further,
}

/// A measure of a task: a column of CSV and a field of JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureInfo {
    /// Which number it is.
    pub slot: Slot,
    /// The name of the column and of the field.
    pub name: &'static str,
    /// Its unit and its range.
    pub unit: &'static str,
    /// What it is, in one or two sentences.
    pub about: &'static str,
    /// Where it is defined, if a publication does.
    pub sources: &'static [Source],
}

impl MeasureInfo {
    /// A measure that no publication defines.
    pub const fn new(slot: Slot, name: &'static str, unit: &'static str, about: &'static str) -> Self {
        MeasureInfo { slot, name, unit, about, sources: &[] }
    }

    /// The same with its sources.
    pub const fn from(self, sources: &'static [Source]) -> Self {
        MeasureInfo { sources, ..self }
    }
}

/// Units and ranges that several tasks have.
pub mod units {
    /// A share of something.
    pub const SHARE: &str = "share, 0 to 1";
    /// A cross-entropy or a divergence.
    pub const NATS: &str = "nats, at least 0";
    /// A share of a variance: predicting the mean has 0.
    pub const R2: &str = "share, at most 1; negative if worse than the mean";
    /// A squared error in units of a variance.
    pub const RELATIVE: &str = "variances of a label, at least 0";
    /// A distance without unit.
    pub const DISTANCE: &str = "no unit, at least 0";
    /// A count.
    pub const COUNT: &str = "whole number, at least 0";
}

/// The unit of a loss that is a setting.
pub const LOSS: &str = "unit of the loss, at least 0; the correlation loss has no lower bound";

/// The four numbers of a task with labels −1 and 1, where the loss is a setting.
pub const OF_SIGNS: [MeasureInfo; 4] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "train_loss",
        LOSS,
        "Mean of the loss function that the setting loss names, over the next training batch; with a fixed sample, over the sample or its first examples. Without the penalty of the model, if it has one.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "train_accuracy",
        units::SHARE,
        "Share of the same training examples for which the output has the sign of the label; with label noise, of the noisy label. An output of 0 counts as one half.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "test_loss",
        LOSS,
        "Mean of the same loss function over held-out examples, which are never trained on.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "test_accuracy",
        units::SHARE,
        "Share of the held-out examples for which the output has the sign of the label. An output of 0 counts as one half.",
    ),
];

/// The four numbers of a task with real labels in prompts.
pub const OF_PROMPTS: [MeasureInfo; 4] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "train_mse_over_variance",
        units::RELATIVE,
        "Mean squared error of the predictions for training prompts, divided by the variance of a label. All positions of a prompt count.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "train_r2",
        units::R2,
        "Share of the variance of the labels that the predictions for training prompts explain: 1 − train_mse_over_variance.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "test_mse_over_variance",
        units::RELATIVE,
        "Mean squared error of the predictions for held-out prompts, divided by the variance of a label.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "test_r2",
        units::R2,
        "Share of the variance of the labels that the predictions for held-out prompts explain: 1 − test_mse_over_variance.",
    ),
];

/// The two numbers in training of a task on sequences.
pub const OF_SEQUENCES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "train_cross_entropy",
        units::NATS,
        "Mean cross-entropy of the predictions at all positions of the next training batch.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "train_accuracy",
        units::SHARE,
        "Share of all positions of the next training batch at which the most probable symbol is the next symbol. If the next symbol and another symbol have the same largest probability, the position counts as wrong.",
    ),
];

/// The margin of a network with a penalty.
pub const MARGIN: MeasureInfo = MeasureInfo::new(
    Slot::Margin,
    "margin",
    "no unit; positive if every training example is right",
    "Normalised margin of a network with a penalty: the smallest difference over the training examples between the output of the right class and the largest other output, divided by ‖θ‖^D with ‖θ‖ = (Σ‖ω‖^ν)^(1/ν), the norm of the penalty. D is the network's degree of homogeneity: 3 for z², 2 for ReLU, k + 1 for z^k. Not a number if all outputs of the network are equal up to 0.00001, as in a network that the penalty has driven to zero.",
)
.from(&[EDELMAN_2024_GROUPS, MORWANI_2023]);

/// The names of the version before, in the order of the first five slots; all tasks had them.
pub const EARLIER: [&str; 5] = ["train_loss", "train_accuracy", "test_loss", "test_accuracy", "margin"];

/// What a run's numbers are called in files, and what else is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measures {
    /// Names of loss and accuracy in training and of the two numbers that count, in this order.
    pub names: [&'static str; 4],
    /// Names of the further measures, in the order of [`Row::measures`](crate::protocol::Row::measures); none where
    /// files have them under their [slugs](Measures::more).
    pub further: &'static [&'static str],
    /// The further measures, in the same order; no two tasks have one of the same slug, which is its earlier name.
    pub more: &'static [Choice],
    /// The largest margin that such a network can have, where a closed form is known.
    pub largest_margin: Option<f64>,
}

impl Default for Measures {
    fn default() -> Self {
        Measures::EARLIER
    }
}

impl Measures {
    /// The names of the version before, for tasks without further measures.
    pub const EARLIER: Measures = Measures {
        names: [EARLIER[0], EARLIER[1], EARLIER[2], EARLIER[3]],
        further: &[],
        more: &[],
        largest_margin: None,
    };

    /// The same numbers under the names of the version before.
    pub fn earlier(self) -> Measures {
        Measures { more: self.more, ..Measures::EARLIER }
    }

    /// Whether there is anything besides loss and accuracy.
    pub fn has_more(&self) -> bool {
        !self.more.is_empty()
    }

    /// The name in JSON of the further measure number `which`.
    pub fn field(&self, which: usize) -> &'static str {
        let slug = self.more.get(which).map_or("", |measure| measure.slug);
        self.further.get(which).copied().unwrap_or(slug)
    }
}

/// The names of some measures, in their order.
pub const fn names<const N: usize>(of: &[MeasureInfo; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = of[at].name;
        at += 1;
    }
    names
}

/// A name in a file, and the number of a measurement that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// The number.
    pub slot: Slot,
    /// Place among the further measures of its task, and how many these are; 0 of 0 for any other.
    pub further: (usize, usize),
}

/// The names of all tasks. The definitions are left behind: a page reads files by names alone.
const NAMES: [Named; count()] = all();

/// The names that files have, for those that are read before it is known which task they are of. A name that several
/// tasks have stands for the same number in all of them, and is here several times.
pub fn named() -> &'static [Named] {
    &NAMES
}

const fn count() -> usize {
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

const fn all() -> [Named; count()] {
    let mut names = [Named { name: "", slot: Slot::Further, further: (0, 0) }; count()];
    let (mut at, mut task) = (0, 0);
    while task < Task::MEASURES.len() {
        let mut list = 0;
        while list < Task::MEASURES[task].len() {
            let measures = Task::MEASURES[task][list];
            let mut place = 0;
            while place < measures.len() {
                let is_further = matches!(measures[place].slot, Slot::Further);
                let further = if is_further { (place, measures.len()) } else { (0, 0) };
                names[at] = Named { name: measures[place].name, slot: measures[place].slot, further };
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
        for named in named() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(named.name.chars().all(is_plain) && named.name.len() > 3, "{}", named.name);
            for other in super::named().iter().filter(|other| other.name == named.name) {
                let is_further = |named: &Named| named.slot == Slot::Further;
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
            let earlier = EARLIER.iter().position(|name| *name == named.name);
            let slots =
                [Slot::TrainLoss, Slot::TrainAccuracy, Slot::TestLoss, Slot::TestAccuracy, Slot::Margin];
            assert!(earlier.is_none_or(|at| slots[at] == named.slot), "{}", named.name);
        }
        assert_eq!(NAMES[0].name, "train_loss");
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
            let measures = task.examples().measures();
            assert_eq!(measures.further.len(), measures.more.len(), "{}", entry.info.slug);
            for (which, name) in measures.further.iter().enumerate() {
                let named = named().iter().find(|named| named.name == *name && named.slot == Slot::Further);
                assert_eq!(named.unwrap().further, (which, measures.more.len()), "{name}");
                assert_eq!(measures.field(which), *name);
                assert_eq!(measures.earlier().field(which), measures.more[which].slug);
            }
        }
    }
}
