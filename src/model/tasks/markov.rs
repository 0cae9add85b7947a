//! Markov chains in context: every sequence has a different chain, and its next symbols are to be predicted from those
//! before (Edelman 2024, section 8.2).
//!
//! An example's row holds `length + 1` symbols, from 0; its label is the last of them. A network predicts after each of
//! the first `length`.
//!
//! [`ChainSequences`] draws them.
//!
//! ```
//! use vivarium_model::tasks::{Batch, MarkovChain, Sampler};
//! let (task, mut batch) = (MarkovChain::default(), Batch::default());
//! task.sample(0, 0, 0, 4, &mut batch);
//! assert_eq!((batch.x.len(), batch.y.len()), (4 * 51, 4));
//! assert!(batch.y.iter().all(|label| [0.0, 1.0].contains(label)));
//! ```

pub mod charts;
mod measures;
mod view;

use crate::chart::Chart;
use std::ops::Range as Span;
pub use view::MarkovView;

use super::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData, pytorch,
};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range, SettingInfo, Settings, Value};
use vivarium_core::sources::{EDELMAN_2024_HEADS, EDELMAN_2024_MARKOV};
use vivarium_science::markov::theory::TheorySettings;
use vivarium_science::markov::{
    Chain, ChainFamily, ChainSequences, MAX_CONTEXTS, context_count, validate_symbols,
};

settings! {
    /// Predicting the next symbol of a Markov chain that is drawn anew for every sequence.
    pub struct MarkovChain {
        /// Number of different symbols.
        symbols: usize = 2, "k", "Symbols k", Range::Int(2, 8);
        /// Number of symbols in a context; the network predicts the next symbol after each symbol of the context.
        length: usize = 50, "t", "Context length t", Range::Int(2, 256), "symbols";
        /// Each symbol depends on the previous n − 1 symbols; with n = 2, the sequence is a Markov chain.
        order: usize = 2, "gram", "Order n of the n-grams", Range::Int(2, 4);
        /// Distribution of the transition matrices in training.
        train: ChainFamily = ChainFamily::Dirichlet, "data", "Chains", Range::Choice(ChainFamily::OPTIONS);
        /// Rows of transition matrices have a Dirichlet distribution with parameter α; at α = 1 all possible rows are equally likely.
        alpha: f64 = 1.0, "alpha", "Concentration α", Range::Real(0.05, 20.0);
        /// Share of doubly stochastic chains in a mixture; for n > 2, of chains without signal of lower order.
        share: f64 = 0.5, "mix", "Share of doubly stochastic chains", Range::Real(0.0, 1.0);
        /// Distribution of the transition matrices of the test sequences.
        test: ChainFamily = ChainFamily::Dirichlet, "test", "Test chains", Range::Choice(ChainFamily::OPTIONS);
    }
}

impl MarkovChain {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "markov",
        name: "Markov chains in context",
        about: "Every sequence comes from a different random chain. A network predicts the next symbol from the earlier symbols.",
        sources: &[EDELMAN_2024_MARKOV, EDELMAN_2024_HEADS],
    };

    /// Specification, from the settings of this task, of the sequences and of the Markov chains from which they are
    /// drawn.
    pub fn sequence_spec(&self) -> ChainSequences {
        let MarkovChain { symbols, length, order, train, alpha, share, test } = *self;
        ChainSequences {
            symbols,
            length,
            order,
            train_family: train,
            test_family: test,
            alpha,
            mixture_weight: share,
        }
    }

    /// Appends the symbols of the held-out sequences `examples` of chains of the family `chains`, as
    /// [`ChainSequences::append_held_out_sequences`] does.
    pub fn append_held_out_sequences(
        &self,
        chains: ChainFamily,
        seed: u64,
        examples: Span<usize>,
        out: &mut Vec<u8>,
    ) {
        self.sequence_spec().append_held_out_sequences(chains, seed, examples, out);
    }

    /// Transition matrix from which held-out sequence number `example` (from 0) is drawn, as
    /// [`ChainSequences::held_out_chain`] returns it.
    pub fn held_out_chain(&self, chains: ChainFamily, seed: u64, example: usize) -> Chain {
        self.sequence_spec().held_out_chain(chains, seed, example)
    }

    /// Appends sequences as examples; `sequences` holds their symbols one after the other, each `length + 1` symbols.
    fn append_sequences(&self, sequences: &[u8], out: &mut Batch) {
        out.x.extend(sequences.iter().map(|symbol| f32::from(*symbol)));
        out.y.extend(sequences.chunks(self.length + 1).map(|sequence| f32::from(sequence[self.length])));
    }
}

impl ToPyTorch for MarkovChain {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[pytorch::CLASS_LOSSES_SCRIPT, include_str!("pytorch/sequences.py")]))
    }
}

impl TaskConfig for MarkovChain {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "attention-only"),
            ("opt", "adam"),
            ("lr", "0.005"),
            ("b2", "0.95"),
            ("loss", "ce"),
            ("steps", "400"),
            ("target", "0.5"),
            ("halt", "steps"),
            ("every", "5"),
            ("held", "256"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "kl.strategies.map.distances"), ("speed", "60")]
    }

    fn theory_settings(&self) -> &'static [SettingInfo] {
        TheorySettings::SETTINGS
    }

    fn has_no_effect(&self, key: &str) -> bool {
        let is_mixture = |family| matches!(family, ChainFamily::Mixture | ChainFamily::LowerOrderMixture);
        key == "mix" && !is_mixture(self.train) && !is_mixture(self.test)
    }

    fn expected_view_value(&self, key: &str, value: &Value) -> Option<String> {
        let Value::List(numbers) = value else { return None };
        let numbers: Vec<usize> = numbers.iter().map(|number| *number as usize).collect();
        let k = self.symbols;
        match key {
            "seq" => {
                let flaw = validate_symbols(&numbers, k).err()?;
                Some(tr!("numbers from 0 to k − 1 as symbols, where k = {k}; {flaw}", k, flaw))
            }
            "chain" if !numbers.is_empty() => {
                let flaw = Chain::from_percent(k, &numbers).err()?;
                Some(tr!("{k} rows of {k} numbers, where each row sums to 100; {flaw}", k, flaw))
            }
            _ => None,
        }
    }
}

impl MarkovChain {
    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;
}

impl Examples for MarkovChain {
    fn measure_names(&self) -> MeasureNames {
        measures::measure_names(self.test, self.order)
    }

    fn data(&self) -> TaskData {
        TaskData::Sequences(self.sequence_spec())
    }

    fn inputs(&self) -> usize {
        self.symbols
    }

    fn columns(&self) -> usize {
        self.length + 1
    }

    fn prediction_count(&self) -> usize {
        self.length
    }

    fn classes(&self) -> Option<usize> {
        Some(self.symbols)
    }

    fn training_set_size(&self) -> Option<usize> {
        None
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut errors = vec![];
        if context_count(self.symbols, self.order) > MAX_CONTEXTS {
            let fits = |order: &usize| context_count(self.symbols, *order) <= MAX_CONTEXTS;
            let most = (2..self.order).rfind(fits).unwrap_or(2);
            let expected = tr!(
                "at most {most} for k = {k}, because a chain must have at most {all} contexts",
                most,
                k = self.symbols,
                all = MAX_CONTEXTS
            );
            errors.push(InvalidSetting::new("gram", &self.order.to_string(), expected));
        }
        for (key, chains) in [("data", self.train), ("test", self.test)] {
            if !chains.supports_order(self.order) {
                let fits = ChainFamily::ALL.iter().filter(|family| family.supports_order(self.order));
                let options = fits.map(|family| family.slug()).collect::<Vec<_>>().join(", ");
                let expected = if self.order == 2 {
                    tr!("one of {options} for n = 2, because the other options are for n > 2", options)
                } else {
                    tr!(
                        "one of {options} for n = {n}, because the other options are for Markov chains (n = 2)",
                        options,
                        n = self.order
                    )
                };
                errors.push(InvalidSetting::new(key, chains.slug(), expected));
            }
        }
        if self.length < self.order {
            let expected = tr!("at least n = {n}", n = self.order);
            errors.push(InvalidSetting::new("t", &self.length.to_string(), expected));
        }
        errors
    }
}

impl Sampler for MarkovChain {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let mut sequences = vec![];
        self.sequence_spec().append_training_sequences(seed, replica, step, size, &mut sequences);
        self.append_sequences(&sequences, out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let mut sequences = vec![];
        self.append_held_out_sequences(self.test, seed, from..from + size, &mut sequences);
        self.append_sequences(&sequences, out);
    }

    // Every batch is fresh: there is no sample to visit.
    fn append_training_set(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    const FAMILIES: [ChainFamily; 6] = [
        ChainFamily::Dirichlet,
        ChainFamily::Independent,
        ChainFamily::DoublyStochastic,
        ChainFamily::Mixture,
        ChainFamily::NoLowerOrder,
        ChainFamily::LowerOrderMixture,
    ];

    #[test]
    fn a_batch_is_a_function_of_seed_replica_and_step() {
        let task = MarkovChain { symbols: 3, length: 20, ..Default::default() };
        let draw = |seed, replica, step, size| {
            let mut batch = Batch::default();
            task.sample(seed, replica, step, size, &mut batch);
            batch
        };
        let base = draw(1, 0, 0, 40);
        assert_eq!((base.x.len(), base.len()), (40 * 21, 40));
        assert!(base.x.iter().all(|x| [0.0, 1.0, 2.0].contains(x)));
        assert!((0..40).all(|e| base.y[e] == base.x[e * 21 + 20]));
        assert_eq!(base, draw(1, 0, 0, 40));
        for other in [draw(2, 0, 0, 40), draw(1, 1, 0, 40), draw(1, 0, 1, 40), draw(1, 0, 1 << 32, 40)] {
            assert_ne!(base.x, other.x);
        }
        // A larger batch begins with the smaller one.
        assert_eq!(base.x, draw(1, 0, 0, 500).x[..40 * 21]);
    }

    #[test]
    fn sequences_are_those_of_their_chains_one_by_one() {
        for (train, order, alpha) in [
            (0, 2, 1.0),
            (0, 2, 0.3),
            (1, 2, 1.0),
            (2, 2, 1.0),
            (3, 2, 1.0),
            (0, 3, 1.0),
            (0, 4, 2.0),
            (4, 3, 1.0),
            (4, 4, 1.0),
            (5, 3, 1.0),
            (5, 4, 0.3),
        ] {
            let task = MarkovChain {
                symbols: 3,
                length: 9,
                order,
                train: FAMILIES[train],
                alpha,
                ..Default::default()
            };
            let mut sequences = vec![];
            let drawn = task.sequence_spec();
            drawn.append_training_sequences(5, 2, 3, 130, &mut sequences);
            assert_eq!(sequences.len(), 1300);
            for e in [0, 1, 2, 3, 77, 129] {
                let mut words = vec![0; drawn.words_per_sequence()];
                RandomStream::new(5, Purpose::Batch, 2).fill_u32(3, (e * words.len()) as u32, &mut words);
                let expected = drawn.training_chain(5, 2, 3, e).draw_sequence(&words);
                assert_eq!(sequences[e * 10..][..10], expected, "{train} {order} {e}");
            }
        }
    }

    #[test]
    fn held_out_sequences_are_of_the_distribution_of_the_test_and_can_be_read_in_parts() {
        for (number, test) in FAMILIES.into_iter().enumerate() {
            assert_eq!(ChainFamily::ALL[number], test);
            let order = if test.supports_order(2) { 2 } else { 3 };
            let task = MarkovChain { symbols: 4, order, test, ..Default::default() };
            assert!(task.invalid_settings().is_empty());
            let (mut whole, mut parts, mut sequences) = (Batch::default(), Batch::default(), vec![]);
            task.append_held_out(1, 0, 90, &mut whole);
            for (from, size) in [(0, 7), (7, 1), (8, 82)] {
                task.append_held_out(1, from, size, &mut parts);
            }
            assert_eq!(whole, parts);
            task.append_held_out_sequences(test, 1, 0..90, &mut sequences);
            assert!(sequences.iter().zip(&whole.x).all(|(a, b)| f32::from(*a) == *b));
            let mut words = vec![0; task.sequence_spec().words_per_sequence()];
            RandomStream::new(1, Purpose::HeldOut, 0).fill_u32(
                number as u64,
                (33 * words.len()) as u32,
                &mut words,
            );
            assert_eq!(sequences[33 * 51..][..51], task.held_out_chain(test, 1, 33).draw_sequence(&words));
        }
    }

    #[test]
    fn impossible_settings_are_named_and_mended() {
        for (query, key, found, expected) in [
            ("k=5&gram=4", "gram", "4", "at most 3 for k = 5, because a chain must have at most 64 contexts"),
            (
                "gram=3&data=ds",
                "data",
                "ds",
                "one of dirichlet, no-lower, lower-mixture for n = 3, because the other options are for Markov chains (n = 2)",
            ),
            (
                "gram=3&test=iid",
                "test",
                "iid",
                "one of dirichlet, no-lower, lower-mixture for n = 3, because the other options are for Markov chains (n = 2)",
            ),
            ("t=3&gram=4", "t", "3", "at least n = 4"),
            (
                "data=no-lower",
                "data",
                "no-lower",
                "one of dirichlet, iid, ds, mixture for n = 2, because the other options are for n > 2",
            ),
            (
                "gram=2&test=lower-mixture",
                "test",
                "lower-mixture",
                "one of dirichlet, iid, ds, mixture for n = 2, because the other options are for n > 2",
            ),
        ] {
            let (link, notices) = crate::permalink::decode(&format!("#v1/markov?{query}"));
            let notice = &notices[0];
            assert_eq!((notice.key.as_str(), notice.found.as_str()), (key, found), "{query}");
            assert_eq!(notice.expected, expected);
            assert!(notices.len() == 1 && link.spec.invalid_settings().is_empty(), "{query}: {notices:?}");
        }
        for fine in [
            "k=8",
            "k=4&gram=4",
            "k=8&gram=3",
            "t=4&gram=4",
            "data=mixture&test=ds&k=8",
            "gram=3&data=no-lower&test=lower-mixture&k=8",
            "gram=4&data=lower-mixture&test=no-lower&k=4",
        ] {
            assert!(crate::permalink::decode(&format!("#v1/markov?{fine}")).1.is_empty(), "{fine}");
        }
    }

    #[test]
    fn the_share_of_a_mixture_is_idle_without_one() {
        for (query, applies) in [
            ("", false),
            ("data=ds&test=iid", false),
            ("data=mixture", true),
            ("test=mixture", true),
            ("gram=3&data=no-lower", false),
            ("gram=3&data=lower-mixture", true),
            ("gram=3&test=lower-mixture", true),
        ] {
            let spec = crate::permalink::decode(&format!("#v1/markov?{query}")).0.spec;
            assert_eq!((spec.has_effect("mix"), spec.has_effect("alpha")), (applies, true), "{query}");
        }
    }

    /// A batch is drawn for every training step. `lab bench --chains` measures how fast.
    #[test]
    fn a_batch_takes_few_random_numbers() {
        let drawn = MarkovChain { symbols: 3, length: 100, ..Default::default() }.sequence_spec();
        // One for each of 101 symbols, and two for each of the three rows of the chain.
        assert_eq!((drawn.words_per_sequence(), drawn.words_per_chain(drawn.train_family)), (101, 3 * 2));
    }
}
