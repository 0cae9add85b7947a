//! The minimal model, one sequence after the other.
//!
//! ```text
//! L[q, a] = Σ_{s≤q, x_s = a} v_{q−s}      Z[q, m] = Σ_a W[m, a] L[q, a]      logits_{p,i} = Σ_{q≤p, x_q = i} Z[q, x_p]
//! ```
//!
//! L takes one addition for each pair of places, and the rest none: the last sum runs along the sequence.

use super::attention::Span;
use super::axis::number;
use super::sequence::Sequence;
use super::symbols;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::minimal_markov::{KERNEL, LAGS};
use vivarium_operators::simd::wide;

/// The model with what it keeps of one sequence.
#[derive(Debug, Clone)]
pub struct Minimal {
    alphabet: usize,
    span: Span,
    /// W.
    kernel: Vec<f32>,
    of_kernel: Vec<Row>,
    /// v after [`LANES`] zeros.
    lags: Vec<f32>,
    of_lags: Vec<Row>,
    /// L, `[symbol][block]`.
    pasts: Vec<Row>,
    /// Z, or the slopes in it, `[symbol][block]`.
    pulls: Vec<Row>,
    /// Slopes in L, with [`LANES`] zeros after the positions of each symbol.
    of_pasts: Vec<f32>,
    /// Sums along the sequence, `[symbol that follows][symbol that looks]`.
    sums: Vec<f32>,
    /// Logits or the slopes in them, `[block][symbol]`.
    pub logits: Vec<Row>,
}

impl Minimal {
    /// A model whose parameters are zero.
    pub fn new(alphabet: usize, length: usize) -> Self {
        let span = Span::new(length);
        let rows = vec![Row::ZERO; alphabet * span.blocks];
        Minimal {
            alphabet,
            span,
            kernel: vec![0.0; alphabet * alphabet],
            of_kernel: vec![Row::ZERO; alphabet * alphabet],
            lags: vec![0.0; LANES + span.stride()],
            of_lags: vec![Row::ZERO; span.blocks],
            pasts: rows.clone(),
            pulls: rows.clone(),
            of_pasts: vec![0.0; alphabet * (span.stride() + LANES)],
            sums: vec![0.0; alphabet * alphabet],
            logits: rows,
        }
    }

    /// Takes the parameters.
    #[inline(always)]
    pub fn load(&mut self, parameters: &[Vec<Row>]) {
        for (n, w) in self.kernel.iter_mut().enumerate() {
            *w = number(&parameters[KERNEL], n);
        }
        for (n, v) in self.lags[LANES..][..self.span.length].iter_mut().enumerate() {
            *v = number(&parameters[LAGS], n);
        }
        self.of_kernel.fill(Row::ZERO);
        self.of_lags.fill(Row::ZERO);
    }

    /// Writes the gradients.
    #[inline(always)]
    pub fn unload(&self, gradients: &mut [Vec<Row>]) {
        for (n, slope) in self.of_kernel.iter().enumerate() {
            gradients[KERNEL][n / LANES].0[n % LANES] = slope.sum();
        }
        gradients[LAGS].copy_from_slice(&self.of_lags);
    }

    /// Logits of all positions.
    pub fn forward(&mut self, sequence: &Sequence) {
        minimal_forward(self, sequence);
    }

    /// Adds the gradient of `scale` times the cross-entropy of a sequence whose forward pass has just been made, with label
    /// smoothing ε.
    pub fn backward(&mut self, sequence: &Sequence, scale: f32, smoothing: f32) {
        minimal_backward(self, sequence, scale, smoothing);
    }
}

wide! {
    /// As [`Minimal::forward`].
    fn minimal_forward(this: &mut Minimal, sequence: &Sequence) {
        let (k, blocks, width) = (this.alphabet, this.span.blocks, this.lags.len());
        for block in 0..blocks {
            for a in 0..k {
                let [past] = sequence.convolve::<1>(a, block, &this.lags, width);
                this.pasts[a * blocks + block] = past;
            }
            for m in 0..k {
                let weights = &this.kernel[m * k..(m + 1) * k];
                let past = |sum: Row, (a, w): (usize, &f32)| sum + this.pasts[a * blocks + block] * *w;
                this.pulls[m * blocks + block] = weights.iter().enumerate().fold(Row::ZERO, past);
            }
        }
        this.sums.fill(0.0);
        for (p, x) in sequence.symbols[..this.span.length].iter().map(|x| usize::from(*x)).enumerate() {
            let (block, lane) = (p / LANES, p % LANES);
            for (m, sum) in this.sums[x * k..(x + 1) * k].iter_mut().enumerate() {
                *sum += this.pulls[m * blocks + block].0[lane];
            }
            for i in 0..k {
                this.logits[block * k + i].0[lane] = this.sums[i * k + x];
            }
        }
    }
}

wide! {
    /// As [`Minimal::backward`].
    fn minimal_backward(this: &mut Minimal, sequence: &Sequence, scale: f32, smoothing: f32) {
        let (k, blocks, width) = (this.alphabet, this.span.blocks, this.lags.len());
        symbols::slopes(sequence, k, k, scale, &mut this.logits);
        if smoothing > 0.0 {
            symbols::smooth(sequence, k, k, scale, smoothing, &mut this.logits);
        }
        this.sums.fill(0.0);
        this.pulls.fill(Row::ZERO);
        for (p, x) in sequence.symbols[..this.span.length].iter().map(|x| usize::from(*x)).enumerate().rev() {
            let (block, lane) = (p / LANES, p % LANES);
            for i in 0..k {
                this.sums[i * k + x] += this.logits[block * k + i].0[lane];
            }
            for (m, sum) in this.sums[x * k..(x + 1) * k].iter().enumerate() {
                this.pulls[m * blocks + block].0[lane] = *sum;
            }
        }
        for block in 0..blocks {
            for a in 0..k {
                let (past, mut slope) = (this.pasts[a * blocks + block], Row::ZERO);
                for m in 0..k {
                    let pull = this.pulls[m * blocks + block];
                    slope = slope + pull * this.kernel[m * k + a];
                    let of = &mut this.of_kernel[m * k + a];
                    *of = *of + pull.zip(past, |d, l| d * l);
                }
                let at = a * width + block * LANES;
                this.of_pasts[at..at + LANES].copy_from_slice(&slope.0);
            }
        }
        for (block, of) in this.of_lags.iter_mut().enumerate() {
            for a in 0..k {
                let [more] = sequence.correlate::<1>(a, block, &this.of_pasts[a * width..(a + 1) * width], width);
                *of = *of + more;
            }
        }
    }
}
