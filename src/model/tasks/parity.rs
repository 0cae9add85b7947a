//! Examples whose label is a parity, as kernels draw them: bits, 32 examples at a time.

use vivarium_core::rng::Stream;

/// What is drawn: uniform inputs with the parity of some of their bits as the label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParityExamples {
    /// Bits n in each input.
    pub inputs: usize,
    /// How many of them enter the parity.
    pub relevant: usize,
    /// Examples that are drawn once and visited again and again; 0 draws a fresh batch every step.
    pub sample: usize,
    /// Probability that a training label is flipped.
    pub noise: f64,
    /// Whether the sample is all 2ⁿ inputs instead.
    pub all_inputs: bool,
}

impl ParityExamples {
    /// Examples `32·block` to `32·block + 31` of `stream` at `step` as bits: a word for every input and one for
    /// the labels, where a set bit means −1. The label is the parity of the bits `relevant`.
    #[inline(always)]
    pub fn block(&self, stream: &Stream, step: u64, block: usize, relevant: &[usize], out: &mut [u32]) {
        let (words, label) = out.split_at_mut(self.inputs);
        stream.words(step, (block * self.inputs) as u32, words);
        label[0] = relevant.iter().fold(0, |label, i| label ^ words[*i]);
    }

    /// Which labels of block `block` are flipped at `step`: each with probability p.
    pub fn flips(&self, noise: &Stream, step: u64, block: usize) -> u32 {
        if self.noise == 0.0 {
            return 0;
        }
        let mut words = [0; 32];
        noise.words(step, 32 * block as u32, &mut words);
        let bound = self.noise * 4_294_967_296.0;
        (0..32).fold(0, |flips, e| flips | u32::from(f64::from(words[e]) < bound) << e)
    }
}
