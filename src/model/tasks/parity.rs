//! Examples with parities as labels, drawn as packed bits, 32 examples at a time.

use vivarium_core::rng::RandomStream;

/// Specification of examples: uniform input bits, and the parity of some of them as the label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParityExamples {
    /// Number n of bits of each input.
    pub inputs: usize,
    /// Number k of bits of each input whose parity is the label.
    pub relevant_bits: usize,
    /// Number of examples of the fixed training set; 0 if every step draws a fresh batch.
    pub training_set_size: usize,
    /// Probability, from 0 to 1, that the label of a training example is flipped.
    pub noise: f64,
    /// Whether the training set consists of all 2ⁿ inputs, in place of drawn ones.
    pub all_inputs: bool,
}

impl ParityExamples {
    /// Fills `out` with the examples `32·block` to `32·block + 31` of `stream` at `step` as packed bits: a word for
    /// each input bit and one for the labels, where a set bit means −1. The label is the parity of the bits `relevant`.
    #[inline(always)]
    pub fn fill_block(
        &self,
        stream: &RandomStream,
        step: u64,
        block: usize,
        relevant: &[usize],
        out: &mut [u32],
    ) {
        let (words, label) = out.split_at_mut(self.inputs);
        stream.fill_u32(step, (block * self.inputs) as u32, words);
        label[0] = relevant.iter().fold(0, |label, i| label ^ words[*i]);
    }

    /// Draws which labels of the examples `32·block` to `32·block + 31` are flipped at `step`, as a bit mask, each with
    /// probability `noise` of the settings; the argument `noise` is the random stream.
    pub fn draw_label_flips(&self, noise: &RandomStream, step: u64, block: usize) -> u32 {
        if self.noise == 0.0 {
            return 0;
        }
        let mut words = [0; 32];
        noise.fill_u32(step, 32 * block as u32, &mut words);
        let bound = self.noise * 4_294_967_296.0;
        (0..32).fold(0, |flips, e| flips | u32::from(f64::from(words[e]) < bound) << e)
    }
}
