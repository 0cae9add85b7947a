//! The measures of Markov chains in context.

use crate::tasks::measures::{OF_SEQUENCES, Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::{EDELMAN_2024_MARKOV, OLSSON_2022};
use vivarium_science::markov::{ChainFamily, ChainMeasure};

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_SEQUENCES, &ON_TEST, &FURTHER];

/// The names for a test on these chains with n-grams of this order. The strategy of the order is the best one, unless
/// symbols are independent.
pub(super) fn of(test: ChainFamily, order: usize) -> Measures {
    let best = if test == ChainFamily::Independent { 1 } else { order.clamp(1, ON_TEST.len() - 1) };
    let [loss, accuracy] = names(&OF_SEQUENCES);
    Measures {
        names: [loss, accuracy, ON_TEST[0].name, NAMES[best]],
        further: &FURTHER_NAMES,
        more: ChainMeasure::OPTIONS,
        largest_margin: None,
    }
}

const NAMES: [&str; 5] = names(&ON_TEST);
const FURTHER_NAMES: [&str; 10] = names(&FURTHER);

/// The loss that counts, and the share of the way to the strategy of each order from 1.
const ON_TEST: [MeasureInfo; 5] = [
    MeasureInfo::new(Slot::TestLoss, "kl_to_truth", units::NATS, "Mean KL(truth ‖ network) at the last symbol of the held-out sequences, where the truth is the distribution of the next symbol in the sequence's own chain.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::TestAccuracy, "share_of_unigram", "share; 0 is the uniform strategy, 1 is the unigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the uniform and of the unigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::TestAccuracy, "share_of_bigram", "share; 0 is the unigram strategy, 1 is the bigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the unigram and of the bigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::TestAccuracy, "share_of_trigram", "share; 0 is the bigram strategy, 1 is the trigram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the bigram and of the trigram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::TestAccuracy, "share_of_tetragram", "share; 0 is the trigram strategy, 1 is the tetragram strategy", "Share of the way from one strategy to the next: (L_before − kl_to_truth) / (L_before − L_best), where L is the mean KL(truth ‖ strategy) over the held-out sequences, of the trigram and of the tetragram strategy. A strategy adds α to each count if the test chains have Dirichlet rows, and 1 otherwise. If a strategy of lower order predicts these sequences better, as in short contexts, L_best is the smallest L and L_before that of the order below.").from(&[EDELMAN_2024_MARKOV]),
];

/// In the order of [`ChainMeasure`].
const FURTHER: [MeasureInfo; 10] = [
    MeasureInfo::new(Slot::Further, "kl_from_uniform", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the uniform distribution.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_from_unigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the unigram strategy, which counts symbols.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_from_bigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the bigram strategy, which counts what followed the last symbol.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_from_trigram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the trigram strategy, which counts what followed the last two symbols.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_from_tetragram", units::NATS, "Mean KL(strategy ‖ network) at the last symbol of the held-out sequences, where the strategy is the tetragram strategy, which counts what followed the last three symbols.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "previous_token_attention", units::SHARE, "Mean attention to the previous symbol over the held-out sequences, of the head in the first layer with the largest such mean.").from(&[OLSSON_2022]),
    MeasureInfo::new(Slot::Further, "induction_attention", units::SHARE, "Mean attention from the last symbol to the symbols that followed its earlier occurrences, of the head outside the first layer with the largest such mean.").from(&[OLSSON_2022]),
    MeasureInfo::new(Slot::Further, "kl_to_truth_on_dirichlet", units::NATS, "The same as kl_to_truth on sequences of chains with Dirichlet rows, whatever the setting test is. Only for n = 2.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_to_truth_on_iid", units::NATS, "The same as kl_to_truth on sequences of independent symbols, whatever the setting test is. Only for n = 2.").from(&[EDELMAN_2024_MARKOV]),
    MeasureInfo::new(Slot::Further, "kl_to_truth_on_ds", units::NATS, "The same as kl_to_truth on sequences of doubly stochastic chains, whatever the setting test is. Only for n = 2.").from(&[EDELMAN_2024_MARKOV]),
];
