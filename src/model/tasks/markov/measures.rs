//! The measures of Markov chains in context.

use crate::tasks::measures::{MeasureSlot, SEQUENCE_TRAINING_MEASURES, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::{EDELMAN_2024_MARKOV, OLSSON_2022};
use vivarium_science::markov::{ChainFamily, ChainMeasure};

/// Definitions of all measures of the task on Markov chains, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] =
    &[&SEQUENCE_TRAINING_MEASURES, &TEST_MEASURES, &FURTHER_MEASURES];

/// Names of the measures in CSV and JSON files for test chains of the family `test`. Test accuracy is the progress
/// towards the best strategy: n-grams of order `order`, or of order 1 if symbols are independent.
pub(super) fn measure_names(test: ChainFamily, order: usize) -> MeasureNames {
    let best = if test == ChainFamily::Independent { 1 } else { order.clamp(1, TEST_MEASURES.len() - 1) };
    let [loss, accuracy] = names_of(&SEQUENCE_TRAINING_MEASURES);
    MeasureNames {
        names: [loss, accuracy, TEST_MEASURES[0].name, TEST_NAMES[best]],
        further_names: &FURTHER_NAMES,
        further_measures: ChainMeasure::OPTIONS,
        largest_margin: None,
    }
}

/// Names of the test measures in files: the loss, then the progress towards the n-gram strategy of each order from 1.
const TEST_NAMES: [&str; 5] = names_of(&TEST_MEASURES);
/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 10] = names_of(&FURTHER_MEASURES);

/// Definitions of the test loss, then of the progress towards the n-gram strategy of each order from 1 to 4.
const TEST_MEASURES: [MeasureInfo; 5] = [
    MeasureInfo::new(MeasureSlot::TestLoss, "kl_to_truth", units::NATS, "Mean KL(truth ‖ network) at the last symbol of the held-out sequences, where the truth is the distribution of the next symbol in the sequence's own chain.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::TestAccuracy, "share_of_unigram", "share; 0 is the uniform strategy, 1 is the unigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the uniform and of the unigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::TestAccuracy, "share_of_bigram", "share; 0 is the unigram strategy, 1 is the bigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the unigram and of the bigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::TestAccuracy, "share_of_trigram", "share; 0 is the bigram strategy, 1 is the trigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the bigram and of the trigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::TestAccuracy, "share_of_tetragram", "share; 0 is the trigram strategy, 1 is the tetragram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the trigram and of the tetragram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").with_sources(&[EDELMAN_2024_MARKOV]),
];

/// Definitions of the measures of held-out sequences besides loss and accuracy, in the order of [`ChainMeasure`].
const FURTHER_MEASURES: [MeasureInfo; 10] = [
    MeasureInfo::new(MeasureSlot::Further, "kl_from_uniform", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the uniform distribution.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_from_unigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the unigram strategy, which counts symbols.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_from_bigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the bigram strategy, which counts what followed the last symbol.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_from_trigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the trigram strategy, which counts what followed the last two symbols.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_from_tetragram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the tetragram strategy, which counts what followed the last three symbols.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "previous_token_attention", units::FRACTION, "Mean attention to the previous symbol over the held-out sequences, of the head in the first layer with the largest such mean.").with_sources(&[OLSSON_2022]),
    MeasureInfo::new(MeasureSlot::Further, "induction_attention", units::FRACTION, "Mean attention from the last symbol to the symbols that followed its earlier occurrences, of the head outside the first layer with the largest such mean.").with_sources(&[OLSSON_2022]),
    MeasureInfo::new(MeasureSlot::Further, "kl_to_truth_on_dirichlet", units::NATS, "The same as kl_to_truth on sequences of chains with Dirichlet rows, whatever the setting test is. Only for n = 2.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_to_truth_on_iid", units::NATS, "The same as kl_to_truth on sequences of independent symbols, whatever the setting test is. Only for n = 2.").with_sources(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(MeasureSlot::Further, "kl_to_truth_on_ds", units::NATS, "The same as kl_to_truth on sequences of doubly stochastic chains, whatever the setting test is. Only for n = 2.").with_sources(&[EDELMAN_2024_MARKOV]),
];
