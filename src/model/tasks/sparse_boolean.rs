//! Sparse Boolean functions: the label is a function of `k` hidden bits out of `n`.
//!
//! Bits b ∈ {0, 1}ⁿ are independent, each 1 with probability p, and for a set I of k places
//!
//! ```text
//! y = f(Σ_{i∈I} b_i)    AND: all of them, OR: any, majority: more than half, parity: an odd number
//! ```
//!
//! with p such that both labels are as likely: p = (1/2)^{1/k} for AND, 1 − (1/2)^{1/k} for OR, else 1/2 (Edelman
//! 2024, section 4.6 and appendix A.3.1; Edelman, Goel, Kakade and Zhang 2022). In a row of x a 1 is +1 and a 0 is −1.
//! A [`Formula`] may be any other function of the bits at these places, from the first to the last; its p is 1/2.
//!
//! A training set that is consistent with another set of k positions is drawn anew, as in appendix A.3.1: no learner
//! could tell which is meant. For a conjunction these are the sets of places that are 1 in all positive examples,
//! without a subset in a negative one. For a function of a person's own, each set is tried in the order of its places.
//! After [`MAX_DRAWS`] samples of that kind, which is where m labels say too little, the last one is taken as it is,
//! and so is one for which more than [`MAX_SETS`] sets would have to be tried.
//!
//! ```
//! use vivarium_model::tasks::{Batch, Sampler, SparseBoolean};
//! let task = SparseBoolean { n: 10, k: 2, support: vec![3, 7], m: 40, ..Default::default() };
//! let mut batch = Batch::default();
//! task.append_training_set(0, 0, 0, 40, &mut batch);
//! let and = |e: usize| batch.x[e * 10 + 2].min(batch.x[e * 10 + 6]);
//! assert!((0..40).all(|e| and(e) == batch.y[e]));
//! ```

pub mod charts;
pub mod formula;

use std::cell::RefCell;

use super::remembered::BoundedCache;
use super::{
    Batch, Examples, MeasureInfo, Sampler, SettingDefaults, TaskConfig, TaskData, measures, pytorch,
};
use crate::chart::Chart;
use formula::{Formula, MAX_FORMULA_CHARACTERS, MAX_RELEVANT_BITS, TruthTable};
use vivarium_core::bounds::{self, MAX_TRAINING_SET_ENTRIES};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch, one_based_list, string_literal};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{ABBE_2023, EDELMAN_2022, EDELMAN_2024_VARIABLES};
use vivarium_core::{choices, settings};

choices! {
    /// Boolean function of the relevant bits.
    pub enum BooleanFunction {
        /// 1 if all relevant bits are 1.
        And = "and", "AND";
        /// 1 if any relevant bit is 1.
        Or = "or", "OR";
        /// 1 if more than half of the relevant bits are 1.
        Majority = "majority", "Majority";
        /// 1 if an odd number of relevant bits is 1.
        Parity = "parity", "Parity";
        /// A formula or truth table that the user enters.
        Own = "own", "Own function";
    }
}

settings! {
    /// The label is a Boolean function of `k` hidden bits out of `n`.
    pub struct SparseBoolean {
        /// Function of the relevant bits. A bit is 1 with the probability that makes both labels equally likely (own function: 1/2).
        function: BooleanFunction = BooleanFunction::And, "fn", "Function", Range::Choice(BooleanFunction::OPTIONS);
        /// Formula such as (x1 ^ x2) & x3, with & | ^ ~ (or and, or, xor, not) and maj(x1, x2, x3); or a truth table such as 0110.
        formula: Formula = Formula::default(), "own", "Own function", Range::Formula(MAX_FORMULA_CHARACTERS), only when "fn" = "own";
        /// Number of bits in each input: the context length T.
        n: usize = 100, "n", "Context length T", Range::Int(2, 2048), "bits";
        /// Number of relevant bits; the label depends only on these bits.
        k: usize = 3, "k", "Relevant bits s", Range::Int(1, MAX_RELEVANT_BITS as u64), only when "fn" = "and" | "or" | "majority" | "parity";
        /// Positions of the relevant bits, counted from 1; if empty, the seed chooses them.
        support: Vec<usize> = vec![], "s", "Relevant set I", Range::List(1, 2048);
        /// Number of training examples, sampled once and used again and again; 0 means new examples at every step.
        m: usize = 100, "m", "Sample size m", Range::Int(0, 100_000), "examples";
        /// Number of networks with different initial weights per sample; a sample is solved if at least one network reaches the target.
        tries: usize = 1, "tries", "Restarts per sample", Range::Int(1, 64), "networks";
    }
}

/// Largest number of times that a fixed training set is drawn anew until it determines the relevant bits uniquely; the
/// last draw is used in any case.
pub const MAX_DRAWS: u64 = 100;
/// Largest number of candidate sets of relevant bits that are tried on a training set to find out whether it determines
/// them.
pub const MAX_SETS: usize = 1 << 18;

/// Largest number of training sets for which the number of the accepted draw is cached: twice the largest number of
/// replicas of a run.
const MAX_CACHED_DRAWS: usize = 1 << 13;

#[cfg(test)]
thread_local! {
    /// Number of searches for an accepted draw of a training set in this thread, for tests.
    static SEARCH_COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl SparseBoolean {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "sparse-boolean",
        name: "Sparse Boolean functions",
        about: "The label is the AND, OR, majority or parity of k relevant bits of the input, or your own function of them. The network is not told which bits are relevant. You can also train on a small sample.",
        sources: &[EDELMAN_2024_VARIABLES, EDELMAN_2022, ABBE_2023],
    };

    /// Probability that a bit of a random input is 1, from 0 to 1.
    pub fn probability_of_one(&self) -> f64 {
        let root = libm::pow(0.5, 1.0 / self.k as f64);
        match self.function {
            BooleanFunction::And => root,
            BooleanFunction::Or => 1.0 - root,
            BooleanFunction::Majority | BooleanFunction::Parity | BooleanFunction::Own => 0.5,
        }
    }

    /// Number k of input bits on which the label depends, also if a formula defines the function.
    pub fn relevant_bit_count(&self) -> usize {
        match self.function {
            BooleanFunction::Own => {
                self.formula.truth_table().map_or(self.k, |table| table.len().trailing_zeros() as usize)
            }
            _ => self.k,
        }
    }

    /// Label of each combination of the k relevant bits: in the index of an entry, bit k − i (bit 0 is the lowest) is
    /// the i-th relevant bit, i from 1 to k.
    pub fn truth_table(&self) -> TruthTable {
        let rows = 0..1usize << self.relevant_bit_count();
        match self.function {
            // An invalid formula has no examples.
            BooleanFunction::Own => {
                self.formula.truth_table().unwrap_or_else(|_| rows.map(|_| false).collect())
            }
            _ => rows.map(|row| self.evaluate_builtin(row.count_ones() as usize)).collect(),
        }
    }

    /// Fraction of the more common label: the accuracy of the best constant guess.
    pub fn majority_fraction(&self) -> f64 {
        if self.function != BooleanFunction::Own {
            // Bits are 1 so often that both labels are as common.
            return 0.5;
        }
        let table = self.truth_table();
        let ones = table.iter().filter(|label| **label).count() as f64 / table.len() as f64;
        ones.max(1.0 - ones)
    }

    /// Value of the AND, OR, majority or parity of the relevant bits if `ones` of them are 1.
    fn evaluate_builtin(&self, ones: usize) -> bool {
        match self.function {
            BooleanFunction::And => ones == self.k,
            BooleanFunction::Or => ones > 0,
            BooleanFunction::Majority => 2 * ones > self.k,
            BooleanFunction::Parity | BooleanFunction::Own => ones % 2 == 1,
        }
    }

    /// Appends the examples with the indices `examples` that `stream` draws at `step`; `places` are the positions, from
    /// 0, of the relevant bits.
    fn append_examples(
        &self,
        stream: RandomStream,
        step: u64,
        examples: impl Iterator<Item = usize>,
        places: &[usize],
        out: &mut Batch,
    ) {
        let (bound, table) = (self.probability_of_one() * 4_294_967_296.0, self.truth_table());
        let mut words = vec![0; self.n];
        for example in examples {
            stream.fill_u32(step, (example * self.n) as u32, &mut words);
            let start = out.x.len();
            out.x.extend(words.iter().map(|word| if f64::from(*word) < bound { 1.0 } else { -1.0 }));
            out.y.push(label_of(&table, places, &out.x[start..]));
        }
    }

    /// Appends the examples with the indices `examples` (from 0) of fixed training set number `sample`.
    fn append_sample_examples(
        &self,
        seed: u64,
        sample: u32,
        examples: impl ExactSizeIterator<Item = usize>,
        out: &mut Batch,
    ) {
        if examples.len() > 0 {
            let stream = RandomStream::new(seed, Purpose::Sample, sample);
            self.append_examples(
                stream,
                self.accepted_draw(seed, sample),
                examples,
                &self.relevant(seed),
                out,
            );
        }
    }

    /// Number, from 0, of the first draw of training set number `sample` that determines the relevant bits uniquely; of
    /// the last draw if none does.
    ///
    /// # Why
    /// Trying all sets on a training set takes up to half a second, and every batch needs the result. Each example is
    /// drawn separately, so that only the number of the draw has to be cached.
    fn accepted_draw(&self, seed: u64, sample: u32) -> u64 {
        /// Function or formula, [n, k, m], positions of the relevant bits in the settings, seed, and number of the
        /// training set.
        type CacheKey = (String, [usize; 3], Vec<usize>, u64, u32);
        thread_local! {
            /// Numbers of the accepted draws that this thread has found.
            static CACHE: RefCell<BoundedCache<CacheKey, u64>> = const { RefCell::new(BoundedCache::new(MAX_CACHED_DRAWS)) };
        }
        let function = match self.function {
            BooleanFunction::Own => self.formula.0.clone(),
            known => known.slug().to_string(),
        };
        let key = (function, [self.n, self.k, self.m], self.support.clone(), seed, sample);
        CACHE
            .with_borrow_mut(|known| known.get_or_compute(key, 1, || self.search_accepted_draw(seed, sample)))
    }

    /// Searches the number, from 0, of the first draw of training set number `sample` that determines the relevant
    /// bits; the last of [`MAX_DRAWS`] draws is accepted anyway.
    fn search_accepted_draw(&self, seed: u64, sample: u32) -> u64 {
        #[cfg(test)]
        SEARCH_COUNT.set(SEARCH_COUNT.get() + 1);
        let (stream, places) = (RandomStream::new(seed, Purpose::Sample, sample), self.relevant(seed));
        let (mut batch, last) = (Batch::default(), MAX_DRAWS - 1);
        let is_accepted = |attempt: &u64| {
            batch.clear();
            self.append_examples(stream, *attempt, 0..self.m, &places, &mut batch);
            self.determines_relevant_bits(&batch)
        };
        (0..last).find(is_accepted).unwrap_or(last)
    }

    /// Whether only one set of positions is consistent with the examples of `sample`, as far as the first [`MAX_SETS`]
    /// candidate sets show.
    pub fn determines_relevant_bits(&self, sample: &Batch) -> bool {
        let rows = || sample.x.chunks_exact(self.n).zip(&sample.y);
        // A place of a conjunction is 1 wherever the label is, and one of a disjunction 0 wherever it is.
        let sure = match self.function {
            BooleanFunction::And => Some(1.0),
            BooleanFunction::Or => Some(-1.0),
            BooleanFunction::Majority | BooleanFunction::Parity | BooleanFunction::Own => None,
        };
        let fits = |i: &usize| {
            sure.is_none_or(|sure| rows().filter(|(_, y)| **y == sure).all(|(x, _)| x[*i] == sure))
        };
        let candidates: Vec<usize> = (0..self.n).filter(fits).collect();
        let (table, k, count) = (self.truth_table(), self.relevant_bit_count(), candidates.len());
        let mut chosen: Vec<usize> = (0..k.min(count)).collect();
        let (mut fitting, mut tried) = (0, 0);
        while chosen.len() == k && tried < MAX_SETS {
            let places: Vec<usize> = chosen.iter().map(|at| candidates[*at]).collect();
            fitting += usize::from(rows().all(|(x, y)| label_of(&table, &places, x) == *y));
            if fitting > 1 {
                return false;
            }
            tried += 1;
            // The next set in the order of its places: the last place that can move does.
            let Some(moving) = (0..k).rev().find(|j| chosen[*j] < count - k + j) else { break };
            let from = chosen[moving] + 1;
            (moving..k).for_each(|j| chosen[j] = from + j - moving);
        }
        true
    }

    /// Number of the training set of replica number `replica` (both from 0): consecutive replicas share one.
    fn sample_index(&self, replica: u32) -> u32 {
        replica / self.tries as u32
    }
}

/// Label ±1 of the input `x` by the truth table `table`; `places` are the positions, from 0, of the relevant bits.
fn label_of(table: &[bool], places: &[usize], x: &[f32]) -> f32 {
    let row = places.iter().fold(0, |row, i| row << 1 | usize::from(x[*i] > 0.0));
    // If there are more positions than the function has bits, which invalid settings may have, the last ones count.
    if table[row & (table.len() - 1)] { 1.0 } else { -1.0 }
}

impl ToPyTorch for SparseBoolean {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        let truth: String = self.truth_table().iter().map(|label| if *label { '1' } else { '0' }).collect();
        let settings = vec![
            ("relevant", one_based_list(&self.relevant(seed))),
            ("ones", settings::format_real(self.probability_of_one())),
            ("truth", string_literal(&truth)),
        ];
        let code =
            vec![pytorch::EXAMPLES_SCRIPT, include_str!("pytorch/boolean.py"), pytorch::SIGN_LOSSES_SCRIPT];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for SparseBoolean {
    fn repair(&mut self) {
        if self.function == BooleanFunction::Own
            && (self.formula.truth_table().is_err() || self.relevant_bit_count() > self.n)
        {
            self.formula = Formula::default();
        }
        if self.function == BooleanFunction::Own && self.relevant_bit_count() > self.n {
            self.function = BooleanFunction::And;
        }
        self.k = super::previous_odd(self.k.min(self.n));
    }

    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "cls-transformer"),
            ("opt", "adam"),
            ("wd", "1e-4"),
            ("loss", "ce"),
            ("batch", "0"),
            ("steps", "300"),
            ("target", "0.99"),
            ("every", "5"),
            ("held", "1024"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "loss.accuracy.attention"), ("speed", "20")]
    }
}

impl SparseBoolean {
    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = &[&measures::SIGN_LABEL_MEASURES];
}

impl Examples for SparseBoolean {
    fn data(&self) -> TaskData {
        TaskData::Bits(None)
    }

    fn inputs(&self) -> usize {
        self.n
    }

    fn replicas_per_training_set(&self) -> usize {
        self.tries
    }

    fn training_set_size(&self) -> Option<usize> {
        (self.m > 0).then_some(self.m)
    }

    fn relevant(&self, seed: u64) -> Vec<usize> {
        if self.support.is_empty() {
            return RandomStream::new(seed, Purpose::Support, 0)
                .draw_subset(self.n, self.relevant_bit_count().min(self.n));
        }
        let mut support: Vec<usize> = self.support.iter().map(|i| i - 1).collect();
        support.sort_unstable();
        support
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut errors = vec![];
        if self.function == BooleanFunction::Own {
            let wrong = |expected: String| vec![InvalidSetting::new("own", &self.formula.0, expected)];
            if let Err(mistake) = self.formula.truth_table() {
                return wrong(tr!("a function of the relevant bits. The mistake: {mistake}", mistake));
            }
            if self.relevant_bit_count() > self.n {
                return wrong(tr!("a function of at most T = {n} bits", n = self.n));
            }
        }
        let k = self.relevant_bit_count();
        if k > self.n {
            errors.push(InvalidSetting::new("k", &self.k.to_string(), tr!("at most T = {n}", n = self.n)));
        }
        if self.function == BooleanFunction::Majority && self.k.is_multiple_of(2) {
            let expected = tr!("an odd number for a majority, so that there is no tie");
            errors.push(InvalidSetting::new("k", &self.k.to_string(), expected));
        }
        let fits = self.support.len() == k && self.support.iter().all(|i| *i <= self.n);
        if !self.support.is_empty() && !fits {
            let found = self.support.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!("s = {k} different numbers from 1 to T = {n}", k, n = self.n);
            errors.push(InvalidSetting::new("s", &found, expected));
        }
        if bounds::saturating_product([self.m, self.n]) > MAX_TRAINING_SET_ENTRIES {
            let expected = tr!(
                "at most {most} for T = {n}",
                most = MAX_TRAINING_SET_ENTRIES / self.n as u64,
                n = self.n
            );
            errors.push(InvalidSetting::new("m", &self.m.to_string(), expected));
        }
        errors
    }
}

impl Sampler for SparseBoolean {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        if self.m == 0 {
            let stream = RandomStream::new(seed, Purpose::Batch, self.sample_index(replica));
            return self.append_examples(stream, step, 0..size, &self.relevant(seed), out);
        }
        let visits = self.batch_indices(seed, replica, step, size);
        self.append_sample_examples(seed, self.sample_index(replica), visits.into_iter(), out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let stream = RandomStream::new(seed, Purpose::HeldOut, 0);
        self.append_examples(stream, 0, from..from + size, &self.relevant(seed), out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.append_sample_examples(seed, self.sample_index(replica), from..(from + size).min(self.m), out);
    }

    fn batch_indices(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        if size == self.m {
            // The whole sample at every step: its order makes no difference.
            return (0..size).collect();
        }
        super::epoch_indices(
            RandomStream::new(seed, Purpose::Order, self.sample_index(replica)),
            self.m,
            step,
            size,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(task: &SparseBoolean, replica: u32) -> Batch {
        let mut batch = Batch::default();
        task.append_training_set(3, replica, 0, task.m, &mut batch);
        batch
    }

    #[test]
    fn labels_are_the_function_and_balanced() {
        let built_in =
            BooleanFunction::ALL.iter().copied().filter(|function| *function != BooleanFunction::Own);
        for function in built_in {
            for k in [1, 3, 5] {
                let task = SparseBoolean { function, n: 12, k, m: 0, ..Default::default() };
                let mut batch = Batch::default();
                task.append_held_out(7, 0, 8192, &mut batch);
                let places = task.relevant(7);
                for (x, y) in batch.x.chunks(12).zip(&batch.y) {
                    assert!(x.iter().all(|x| x.abs() == 1.0));
                    let ones = places.iter().filter(|i| x[**i] == 1.0).count();
                    let expected = match function {
                        BooleanFunction::And => ones == k,
                        BooleanFunction::Or => ones >= 1,
                        BooleanFunction::Majority => ones > k / 2,
                        BooleanFunction::Parity => [1, 3, 5].contains(&ones),
                        BooleanFunction::Own => unreachable!("it is no built-in function"),
                    };
                    assert_eq!(*y == 1.0, expected);
                }
                let mean = batch.y.iter().sum::<f32>() / 8192.0;
                assert!(mean.abs() < 0.05, "{function:?} {k}: {mean}");
                let ones = batch.x.iter().filter(|x| **x == 1.0).count() as f64 / (8192.0 * 12.0);
                assert!((ones - task.probability_of_one()).abs() < 0.01, "{function:?} {k}: {ones}");
            }
        }
        assert!((SparseBoolean::default().probability_of_one() - 0.793_700_526).abs() < 1e-9);
    }

    /// Counted on examples, the share of the more common label is the one that is computed.
    #[test]
    fn the_larger_share_is_that_of_the_more_common_label() {
        let share = |task: &SparseBoolean| {
            let mut batch = Batch::default();
            task.append_held_out(7, 0, 8192, &mut batch);
            let ones = batch.y.iter().filter(|y| **y == 1.0).count() as f64 / 8192.0;
            ones.max(1.0 - ones)
        };
        let own = [
            ("(x1 ^ x2) & x3", 0.75),
            ("~x1 | x2 ^ x3", 0.75),
            ("x1 & x2 & x3 & x4", 0.9375),
            ("0111", 0.75),
            ("00010111", 0.5),
            ("x1", 0.5),
        ];
        for (formula, expected) in own {
            let formula = Formula(formula.into());
            let task =
                SparseBoolean { function: BooleanFunction::Own, formula, n: 12, m: 0, ..Default::default() };
            assert_eq!(task.majority_fraction(), expected, "{:?}", task.formula);
            assert!((share(&task) - expected).abs() < 0.02, "{:?}: {}", task.formula, share(&task));
        }
        for function in
            [BooleanFunction::And, BooleanFunction::Or, BooleanFunction::Majority, BooleanFunction::Parity]
        {
            let task = SparseBoolean { function, n: 12, m: 0, ..Default::default() };
            assert_eq!(task.majority_fraction(), 0.5, "{function:?}");
            assert!(share(&task) < 0.525, "{function:?}: {}", share(&task));
        }
    }

    /// How many sets of places fit a sample, all of them tried.
    fn fitting(task: &SparseBoolean, batch: &Batch) -> usize {
        let all = (0..1u32 << task.n).filter(|set| set.count_ones() as usize == task.k);
        let is_fitting = |set: &u32| {
            let places: Vec<usize> = (0..task.n).filter(|i| set >> i & 1 == 1).collect();
            batch.x.chunks(task.n).zip(&batch.y).all(|(x, y)| label_of(&task.truth_table(), &places, x) == *y)
        };
        all.filter(is_fitting).count()
    }

    #[test]
    fn a_sample_is_stated_where_no_other_set_fits() {
        let mut told = 0;
        for function in BooleanFunction::ALL.iter().copied() {
            for seed in 0..40 {
                let task = SparseBoolean { function, n: 10, k: 3, m: 14, ..Default::default() };
                let (mut batch, stream) = (Batch::default(), RandomStream::new(seed, Purpose::Sample, 0));
                task.append_examples(stream, 0, 0..task.m, &task.relevant(seed), &mut batch);
                let fits = fitting(&task, &batch);
                assert!(fits >= 1);
                assert_eq!(task.determines_relevant_bits(&batch), fits == 1, "{function:?} {seed}");
                told += usize::from(fits == 1);
            }
        }
        assert!((20..180).contains(&told), "both kinds are tried: {told}");
    }

    #[test]
    fn samples_that_another_set_fits_are_drawn_anew() {
        for function in BooleanFunction::ALL.iter().copied() {
            let task = SparseBoolean { function, n: 14, m: 16, ..Default::default() };
            assert!((0..8).all(|replica| fitting(&task, &sample(&task, replica)) == 1), "{function:?}");
        }
        // Two labels cannot name three of a hundred places, and are taken as they are.
        let task = SparseBoolean { m: 2, ..Default::default() };
        assert!(!task.determines_relevant_bits(&sample(&task, 0)) && sample(&task, 0).len() == 2);
    }

    /// As it was drawn before: whole, and anew at every call.
    fn whole(task: &SparseBoolean, seed: u64, sample: u32) -> (Batch, u64) {
        let (stream, places) = (RandomStream::new(seed, Purpose::Sample, sample), task.relevant(seed));
        let mut batch = Batch::default();
        for attempt in 0..MAX_DRAWS {
            batch.clear();
            task.append_examples(stream, attempt, 0..task.m, &places, &mut batch);
            if task.determines_relevant_bits(&batch) {
                return (batch, attempt);
            }
        }
        (batch, MAX_DRAWS - 1)
    }

    #[test]
    fn a_sample_is_looked_for_once_and_is_the_same_bit_for_bit() {
        let (mut samples, mut anew) = (0, 0);
        SEARCH_COUNT.set(0);
        for function in BooleanFunction::ALL.iter().copied() {
            for (n, m, support) in [(10, 9, vec![]), (9, 12, vec![2, 5, 9]), (7, 2, vec![])] {
                let task = SparseBoolean { function, n, m, support, tries: 2, ..Default::default() };
                for (seed, replica) in [(1, 0), (1, 5), (8, 0)] {
                    let (expected, attempt) = whole(&task, seed, replica / 2);
                    samples += 1;
                    anew += u64::from(attempt > 0);
                    let mut found = Batch::default();
                    task.append_training_set(seed, replica, 0, m, &mut found);
                    assert_eq!(found, expected, "{function:?} {n} {m} {seed}");
                    // In parts, and in the order in which they are visited.
                    found.clear();
                    (0..m)
                        .step_by(4)
                        .for_each(|from| task.append_training_set(seed, replica, from, 4, &mut found));
                    assert_eq!(found, expected);
                    for step in 0..6 {
                        found.clear();
                        task.sample(seed, replica, step, 5, &mut found);
                        let visits = task.batch_indices(seed, replica, step, 5);
                        let x: Vec<f32> =
                            visits.iter().flat_map(|at| expected.x[at * n..][..n].to_vec()).collect();
                        assert_eq!((found.x.clone(), found.len()), (x, 5));
                        assert!(visits.iter().zip(&found.y).all(|(at, y)| expected.y[*at] == *y));
                    }
                }
            }
        }
        assert_eq!(SEARCH_COUNT.get(), samples);
        assert!(anew > 5, "some are drawn more than once: {anew}");
        let none = SparseBoolean { m: 0, ..Default::default() };
        let mut found = Batch::default();
        none.append_training_set(0, 0, 0, 10, &mut found);
        assert!(found.is_empty() && SEARCH_COUNT.get() == samples);
    }

    #[test]
    fn networks_in_a_row_share_a_sample() {
        let task = SparseBoolean { n: 20, m: 30, tries: 3, ..Default::default() };
        let samples: Vec<Batch> = (0..7).map(|replica| sample(&task, replica)).collect();
        for (a, b) in [(0, 2), (3, 5)] {
            assert_eq!(samples[a], samples[b]);
        }
        assert!(samples[2] != samples[3] && samples[5] != samples[6]);
        let alone = SparseBoolean { tries: 1, ..task.clone() };
        assert_eq!(samples[3], sample(&alone, 1));
        let batch = |task: &SparseBoolean, replica, size| {
            let mut batch = Batch::default();
            task.sample(3, replica, 4, size, &mut batch);
            batch
        };
        assert_eq!(batch(&task, 4, 8), batch(&task, 5, 8));
        assert_eq!(batch(&task, 4, 30), samples[4]);
        let fresh = SparseBoolean { m: 0, ..task };
        assert_eq!(batch(&fresh, 0, 8), batch(&fresh, 2, 8));
        assert_ne!(batch(&fresh, 2, 8), batch(&fresh, 3, 8));
    }

    #[test]
    fn impossible_settings_are_named_and_mended() {
        for (query, key) in [("n=2", "k"), ("fn=majority&k=4", "k"), ("s=1.2", "s"), ("m=5000&n=2048", "m")] {
            let (link, notices) = crate::permalink::decode(&format!("#v1/sparse-boolean?{query}"));
            assert_eq!(notices.first().map(|n| n.key.as_str()), Some(key), "{query}: {notices:?}");
            assert!(link.spec.invalid_settings().is_empty(), "{query}: {:?}", link.spec.invalid_settings());
        }
    }
}
