//! Sparse parity: the label is the product of `k` hidden coordinates out of `n`.
//!
//! Inputs are uniform on {−1, +1}ⁿ; for a set S of k coordinates the label is
//!
//! ```text
//! χ_S(x) = ∏_{i∈S} x_i
//! ```
//!
//! (Edelman 2024, section 5.2; Barak et al. 2022). Any two parities are uncorrelated, so a guess of S
//! that is wrong in a single coordinate has no correlation with the label.
//!
//! ```
//! use vivarium_model::tasks::{Batch, Sampler, SparseParity};
//! let task = SparseParity { n: 10, k: 2, support: vec![3, 7], ..Default::default() };
//! let mut batch = Batch::default();
//! task.sample(0, 0, 0, 32, &mut batch);
//! assert!((0..32).all(|e| batch.x[e * 10 + 2] * batch.x[e * 10 + 6] == batch.y[e]));
//! ```

pub mod charts;
mod measures;

use super::parity::ParityExamples;
use super::{Batch, Examples, MeasureInfo, MeasureNames, Sampler, TaskConfig, TaskData, pytorch};
use crate::chart::Chart;
use vivarium_core::bounds::{self, MAX_TRAINING_SET_ENTRIES};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch, one_based_list};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{BARAK_2022, EDELMAN_2024};
use vivarium_core::{choices, settings};

choices! {
    /// Possible positions of the relevant bits.
    pub enum SupportLayout {
        /// Any k of the n bits.
        Anywhere = "anywhere", "Anywhere";
        /// One in each of k blocks of consecutive bits: the disjoint parity of Edelman 2024, section 5.4.2.
        Blocks = "blocks", "One in each of k blocks";
    }
}

choices! {
    /// Choice of the training inputs.
    pub enum TrainingInputs {
        /// Uniform random inputs, fresh or from a fixed training set.
        Fresh = "fresh", "Drawn at random";
        /// All 2ⁿ inputs once per epoch: the whole population of Edelman 2024, section 7.5.
        Cube = "cube", "All 2^n inputs";
    }
}

settings! {
    /// The label is the parity of `k` hidden bits out of `n`.
    pub struct SparseParity {
        /// Number of bits in each input.
        n: usize = 50, "n", "Input bits n", Range::Int(2, 512);
        /// Number of relevant bits; the label is the product of these bits.
        k: usize = 3, "k", "Relevant bits k", Range::Int(1, 8);
        /// Positions of the relevant bits, counted from 1; if empty, the seed chooses them.
        support: Vec<usize> = vec![], "s", "Relevant set S", Range::List(1, 512);
        /// Possible positions of the relevant bits; no effect if the relevant set S is given.
        layout: SupportLayout = SupportLayout::Anywhere, "layout", "Positions of S", Range::Choice(SupportLayout::OPTIONS);
        /// Training inputs: random inputs, or all 2^n inputs, each once per epoch (for n up to 16).
        data: TrainingInputs = TrainingInputs::Fresh, "data", "Training inputs", Range::Choice(TrainingInputs::OPTIONS);
        /// Number of training examples, sampled once and used again and again; 0 means new examples at every step.
        m: usize = 0, "m", "Sample size m", Range::Int(0, 100_000), "examples", only when "data" = "fresh";
        /// Probability p that a training label is flipped; label noise multiplies the correlation of label and parity by 1 − 2p.
        noise: f64 = 0.0, "noise", "Label noise p", Range::Real(0.0, 0.5), only when "data" = "fresh";
    }
}

/// Largest number n of bits for which training on all 2ⁿ inputs is possible: 16, with 65,536 inputs.
const MAX_CUBE_BITS: usize = 16;
/// Odd number near 2³² divided by the golden ratio, by which indices of inputs are multiplied: its multiples modulo a
/// power of two visit all numbers, evenly spread (Knuth 1998, section 6.4).
const GOLDEN_RATIO_MULTIPLIER: usize = 0x9E37_79B1;

impl SparseParity {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "sparse-parity",
        name: "Sparse parity",
        about: "The label is the product of k relevant bits among the n bits of the input. The network is not told which bits are relevant. Fewer than k relevant bits contain no information about the label.",
        sources: &[EDELMAN_2024, BARAK_2022],
    };

    /// Specification, from the settings of this task, of the examples: bits, parity, training set and noise.
    fn parity_spec(&self) -> ParityExamples {
        ParityExamples {
            inputs: self.n,
            relevant_bits: self.k,
            training_set_size: self.m,
            noise: self.noise,
            all_inputs: self.data == TrainingInputs::Cube,
        }
    }

    /// Number 2ⁿ of all inputs if the network is trained on all of them; else None.
    fn cube_size(&self) -> Option<usize> {
        (self.data == TrainingInputs::Cube && self.n <= MAX_CUBE_BITS).then(|| 1 << self.n)
    }

    /// Appends the inputs with the numbers `numbers` and their parities: bit i (from 0) of a number is set where
    /// coordinate x_i is −1.
    fn append_points(&self, numbers: impl Iterator<Item = usize>, relevant: &[usize], out: &mut Batch) {
        for number in numbers {
            out.x.extend((0..self.n).map(|i| bit_sign(number as u32, i)));
            let label = relevant.iter().fold(0, |label, i| label ^ (number >> i) & 1);
            out.y.push(bit_sign(label as u32, 0));
        }
    }

    /// Appends the examples with the indices `examples` that `stream` draws at `step`; if `noise` is given, labels are
    /// flipped by it.
    fn append_examples(
        &self,
        stream: RandomStream,
        noise: Option<RandomStream>,
        step: u64,
        examples: std::ops::Range<usize>,
        relevant: &[usize],
        out: &mut Batch,
    ) {
        let (drawn, mut words) = (self.parity_spec(), vec![0; self.n + 1]);
        let mut from = examples.start;
        while from < examples.end {
            let (block, first) = (from / 32, from % 32);
            let until = examples.end.min(32 * block + 32);
            drawn.fill_block(&stream, step, block, relevant, &mut words);
            words[self.n] ^= noise.map_or(0, |noise| drawn.draw_label_flips(&noise, step, block));
            for at in first..first + (until - from) {
                out.x.extend(words[..self.n].iter().map(|word| bit_sign(*word, at)));
                out.y.push(bit_sign(words[self.n], at));
            }
            from = until;
        }
    }
}

impl SparseParity {
    /// Errors for settings that do not go together with training on all 2ⁿ inputs.
    fn invalid_cube_settings(&self) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        if self.n > MAX_CUBE_BITS {
            let expected = tr!(
                "fresh for n = {n}, because training on all 2^n inputs is possible only up to n = {most}",
                n = self.n,
                most = MAX_CUBE_BITS
            );
            problems.push(InvalidSetting::new("data", TrainingInputs::Cube.slug(), expected));
        }
        if self.m > 0 {
            let expected = tr!("0, since with data = cube the sample is all 2^n inputs");
            problems.push(InvalidSetting::new("m", &self.m.to_string(), expected));
        }
        if self.noise > 0.0 {
            let expected = tr!("0, since with data = cube every label is correct");
            problems.push(InvalidSetting::new("noise", &self.noise.to_string(), expected));
        }
        problems
    }
}

/// Bit `at` (0 is the lowest) of `word` as +1 (unset) or −1 (set), so that the xor of bits is the product of signs.
#[inline]
fn bit_sign(word: u32, at: usize) -> f32 {
    1.0 - 2.0 * ((word >> at) & 1) as f32
}

impl ToPyTorch for SparseParity {
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String> {
        let code = vec![
            pytorch::EXAMPLES_SCRIPT,
            include_str!("pytorch/parity.py"),
            pytorch::UNIFORM_BITS_SCRIPT,
            pytorch::SIGN_LOSSES_SCRIPT,
        ];
        let settings = vec![("relevant", one_based_list(&self.relevant(seed)))];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for SparseParity {
    fn repair(&mut self) {
        self.k = self.k.min(self.n);
    }
}

impl SparseParity {
    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;
}

impl Examples for SparseParity {
    fn measure_names(&self) -> MeasureNames {
        measures::measure_names(self.cube_size().is_some())
    }

    fn data(&self) -> TaskData {
        TaskData::Bits(Some(self.parity_spec()))
    }

    fn trains_on_all_inputs(&self) -> bool {
        self.cube_size().is_some()
    }

    fn inputs(&self) -> usize {
        self.n
    }

    fn held_out_count(&self) -> Option<usize> {
        self.cube_size()
    }

    fn training_set_size(&self) -> Option<usize> {
        self.cube_size().or((self.m > 0).then_some(self.m))
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn relevant(&self, seed: u64) -> Vec<usize> {
        if self.support.is_empty() {
            let (stream, k) = (RandomStream::new(seed, Purpose::Support, 0), self.k.min(self.n));
            return match self.layout {
                SupportLayout::Anywhere => stream.draw_subset(self.n, k),
                SupportLayout::Blocks => {
                    // The blocks of `models::disjoint_polynet`; of equal length if k divides n.
                    let start = |block: usize| block * self.n / k;
                    let within = |i: usize| stream.draw_below(0, i as u32, (start(i + 1) - start(i)) as u32);
                    (0..k).map(|i| start(i) + within(i) as usize).collect()
                }
            };
        }
        let mut support: Vec<usize> = self.support.iter().map(|i| i - 1).collect();
        support.sort_unstable();
        support
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        if self.k > self.n {
            problems.push(InvalidSetting::new("k", &self.k.to_string(), tr!("at most n = {n}", n = self.n)));
        }
        if !self.support.is_empty()
            && (self.support.len() != self.k || self.support.iter().any(|i| *i > self.n))
        {
            let found = self.support.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!("k = {k} different numbers from 1 to n = {n}", k = self.k, n = self.n);
            problems.push(InvalidSetting::new("s", &found, expected));
        }
        if self.data == TrainingInputs::Cube {
            problems.extend(self.invalid_cube_settings());
        }
        if bounds::saturating_product([self.m, self.n]) > MAX_TRAINING_SET_ENTRIES {
            let expected = tr!(
                "at most {most} for n = {n}",
                most = MAX_TRAINING_SET_ENTRIES / self.n as u64,
                n = self.n
            );
            problems.push(InvalidSetting::new("m", &self.m.to_string(), expected));
        }
        problems
    }
}

impl Sampler for SparseParity {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        if self.training_set_size().is_some() {
            for at in self.batch_indices(seed, replica, step, size) {
                self.append_training_set(seed, replica, at, 1, out);
            }
            return;
        }
        let (stream, noise) =
            [Purpose::Batch, Purpose::Noise].map(|p| RandomStream::new(seed, p, replica)).into();
        self.append_examples(stream, Some(noise), step, 0..size, &self.relevant(seed), out);
    }

    fn batch_indices(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize> {
        if let Some(all) = self.cube_size().filter(|all| *all == size) {
            // Every input at every step: their order makes no difference.
            return (0..all).collect();
        }
        let size_of_all = self.training_set_size().unwrap_or(self.m);
        super::epoch_indices(RandomStream::new(seed, Purpose::Order, replica), size_of_all, step, size)
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        if let Some(all) = self.cube_size() {
            // In such an order that those which are measured stand for all where they are fewer.
            let numbers = from..(from + size).min(all);
            let spread = numbers.map(|number| number.wrapping_mul(GOLDEN_RATIO_MULTIPLIER) % all);
            return self.append_points(spread, &self.relevant(seed), out);
        }
        let stream = RandomStream::new(seed, Purpose::HeldOut, 0);
        self.append_examples(stream, None, 0, from..from + size, &self.relevant(seed), out);
    }

    fn append_training_set(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch) {
        if self.cube_size().is_some() {
            return self.append_points(from..from + size, &self.relevant(seed), out);
        }
        let (stream, noise) =
            [Purpose::Sample, Purpose::Noise].map(|p| RandomStream::new(seed, p, replica)).into();
        self.append_examples(stream, Some(noise), 0, from..from + size, &self.relevant(seed), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(task: &SparseParity, step: u64, size: usize) -> Batch {
        let mut batch = Batch::default();
        task.sample(3, 0, step, size, &mut batch);
        batch
    }

    fn true_label(task: &SparseParity, batch: &Batch, e: usize) -> f32 {
        task.relevant(3).iter().map(|i| batch.x[e * task.n + i]).product()
    }

    #[test]
    fn labels_are_parities_and_inputs_are_signs() {
        let task = SparseParity { n: 13, k: 4, ..Default::default() };
        let batch = sample(&task, 9, 75);
        assert!(batch.x.iter().all(|x| x.abs() == 1.0));
        assert!((0..75).all(|e| true_label(&task, &batch, e) == batch.y[e]));
        let mean: f32 = sample(&task, 1, 4096).x.iter().sum::<f32>() / (4096.0 * 13.0);
        assert!(mean.abs() < 0.02);
    }

    #[test]
    fn every_wrong_guess_of_the_set_is_uncorrelated() {
        let task = SparseParity { n: 8, k: 2, support: vec![2, 5], ..Default::default() };
        let batch = sample(&task, 0, 8192);
        let correlation = |i: usize, j: usize| {
            (0..8192).map(|e| batch.x[e * 8 + i] * batch.x[e * 8 + j] * batch.y[e]).sum::<f32>() / 8192.0
        };
        assert_eq!(correlation(1, 4), 1.0);
        for (i, j) in [(1, 3), (0, 4), (6, 7)] {
            assert!(correlation(i, j).abs() < 0.05);
        }
    }

    #[test]
    fn noise_flips_that_share_of_training_labels_and_no_held_out_one() {
        let task = SparseParity { n: 10, noise: 0.2, ..Default::default() };
        let batch = sample(&task, 0, 8192);
        let flipped = (0..8192).filter(|e| true_label(&task, &batch, *e) != batch.y[*e]).count();
        assert!((flipped as f64 / 8192.0 - 0.2).abs() < 0.02, "{flipped}");
        let mut held_out = Batch::default();
        task.append_held_out(3, 0, 500, &mut held_out);
        assert!((0..500).all(|e| true_label(&task, &held_out, e) == held_out.y[e]));
    }

    #[test]
    fn a_finite_sample_is_visited_once_per_epoch() {
        let task = SparseParity { n: 16, m: 96, noise: 0.3, ..Default::default() };
        let mut whole = Batch::default();
        task.append_training_set(3, 0, 0, 96, &mut whole);
        let row = |b: &Batch, e: usize| (b.x[e * 16..(e + 1) * 16].to_vec(), b.y[e]);
        let mut rows: Vec<_> = (0..96).map(|e| row(&whole, e)).collect();
        let mut seen: Vec<_> = (0..3)
            .flat_map(|step| {
                let b = sample(&task, step, 32);
                (0..32).map(|e| row(&b, e)).collect::<Vec<_>>()
            })
            .collect();
        let key = |a: &(Vec<f32>, f32), b: &(Vec<f32>, f32)| a.partial_cmp(b).unwrap();
        rows.sort_by(key);
        seen.sort_by(key);
        assert_eq!(rows, seen);
    }

    #[test]
    fn a_held_out_batch_can_be_read_in_parts() {
        let task = SparseParity { n: 7, ..Default::default() };
        let (mut whole, mut parts) = (Batch::default(), Batch::default());
        task.append_held_out(1, 0, 100, &mut whole);
        for (from, size) in [(0, 10), (10, 45), (55, 45)] {
            task.append_held_out(1, from, size, &mut parts);
        }
        assert_eq!(whole, parts);
    }

    #[test]
    fn in_blocks_every_block_has_one_relevant_bit_anywhere_in_it() {
        for (n, k) in [(30, 3), (31, 4), (5, 5), (8, 1)] {
            let task = SparseParity { n, k, layout: SupportLayout::Blocks, ..Default::default() };
            let mut seen = vec![false; n];
            for seed in 0..400 {
                let relevant = task.relevant(seed);
                assert_eq!(relevant.len(), k);
                for (block, bit) in relevant.into_iter().enumerate() {
                    assert!((block * n / k..(block + 1) * n / k).contains(&bit), "{n}, {k}: {bit}");
                    seen[bit] = true;
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{n}, {k}");
        }
        let given =
            SparseParity { support: vec![1, 2, 3], layout: SupportLayout::Blocks, ..Default::default() };
        assert_eq!(given.relevant(0), [0, 1, 2]);
    }

    #[test]
    fn the_cube_has_every_input_once_in_the_order_of_its_bits() {
        let task = SparseParity { n: 6, k: 3, data: TrainingInputs::Cube, ..Default::default() };
        assert_eq!((task.training_set_size(), task.held_out_count()), (Some(64), Some(64)));
        let number = |x: &[f32]| x.iter().enumerate().map(|(i, x)| usize::from(*x < 0.0) << i).sum::<usize>();
        let numbers = |batch: &Batch| batch.x.chunks(6).map(number).collect::<Vec<_>>();
        let sorted = |batch: &Batch| {
            let mut numbers = numbers(batch);
            numbers.sort_unstable();
            numbers
        };
        let all: Vec<usize> = (0..64).collect();
        let whole = sample(&task, 5, 64);
        assert_eq!(numbers(&whole), all);
        assert!((0..64).all(|e| true_label(&task, &whole, e) == whole.y[e]));
        assert_eq!(whole.y.iter().sum::<f32>(), 0.0);
        // In parts it is an epoch, in an order of its own.
        let mut parts = Batch::default();
        (0..4).for_each(|step| task.sample(3, 0, step, 16, &mut parts));
        assert_eq!(sorted(&parts), all);
        assert_ne!(numbers(&parts), all);
        assert!((0..64).all(|e| true_label(&task, &parts, e) == parts.y[e]));
        let mut held_out = Batch::default();
        for from in [0, 40] {
            task.append_held_out(3, from, 40, &mut held_out);
        }
        assert_eq!(sorted(&held_out), all);
        let mut some = Batch::default();
        task.append_training_set(3, 1, 17, 5, &mut some);
        assert_eq!(numbers(&some), all[17..22]);
    }

    /// A part of the held-out inputs stands for all: no bit and no label is the same in all of it.
    #[test]
    fn the_first_held_out_inputs_of_the_cube_are_balanced() {
        let task = SparseParity {
            n: 16,
            k: 3,
            support: vec![14, 15, 16],
            data: TrainingInputs::Cube,
            ..Default::default()
        };
        let mut batch = Batch::default();
        task.append_held_out(0, 0, 8192, &mut batch);
        for i in 0..16 {
            let mean: f32 = batch.x.iter().skip(i).step_by(16).sum::<f32>() / 8192.0;
            assert!(mean.abs() < 0.05, "bit {i}: {mean}");
        }
        assert!(batch.y.iter().sum::<f32>().abs() < 0.05 * 8192.0);
    }

    #[test]
    fn a_cube_with_a_sample_noise_or_too_many_bits_is_refused_and_mended() {
        for (query, key, found) in [
            ("n=17&data=cube", "data", "cube"),
            ("n=10&data=cube&m=64", "m", "64"),
            ("n=10&data=cube&noise=0.1", "noise", "0.1"),
        ] {
            let (link, notices) = crate::permalink::decode(&format!("#v1/sparse-parity?{query}"));
            assert_eq!((notices[0].key.as_str(), notices[0].found.as_str()), (key, found), "{query}");
            assert!(notices.len() == 1 && link.spec.invalid_settings().is_empty(), "{query}");
        }
        let (link, notices) = crate::permalink::decode("#v1/sparse-parity?n=16&data=cube&batch=0");
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!((link.spec.batch_size(), link.spec.held_out_count()), (65_536, 8192));
        assert!(!link.spec.has_effect("m") && !link.spec.has_effect("noise"));
    }

    #[test]
    fn impossible_settings_are_named() {
        let keys =
            |task: SparseParity| task.invalid_settings().iter().map(|p| p.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(SparseParity { n: 3, k: 4, ..Default::default() }), ["k"]);
        assert_eq!(keys(SparseParity { support: vec![1, 2], ..Default::default() }), ["s"]);
        assert_eq!(keys(SparseParity { support: vec![1, 2, 51], ..Default::default() }), ["s"]);
        assert!(SparseParity { support: vec![9, 4, 50], ..Default::default() }.invalid_settings().is_empty());
    }
}
