//! The softmax over symbols at every position, with positions in the lanes.

use super::sequence::Sequence;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::exp;
use vivarium_operators::simd::wide;

/// What measuring a batch gives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Cross-entropy, summed over positions; no number if a logit has none.
    pub loss: f64,
    /// Positions whose label has the largest logit.
    pub right: usize,
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

wide! {
    /// Turns logits into the slopes of `scale` times the cross-entropy.
    ///
    /// # Shapes
    /// `logits` is `[block][symbol]`, with `rows` rows in a block, of which the first ones are symbols.
    pub fn slopes(sequence: &Sequence, alphabet: usize, rows: usize, scale: f32, logits: &mut [Row]) {
        for (block, logits) in logits.chunks_exact_mut(rows).enumerate() {
            let logits = &mut logits[..alphabet];
            let labels = labels(sequence, block);
            let top = logits.iter().fold(Row([f32::NEG_INFINITY; LANES]), |top, row| top.zip(*row, larger));
            // What is missing to the probability of the label, without a difference that would cancel.
            let (mut own, mut others) = (Row::ZERO, Row::ZERO);
            for (a, row) in logits.iter_mut().enumerate() {
                *row = exp(*row - top);
                let hit = hits(labels, a);
                own = own + row.zip(hit, |e, hit| e * hit);
                others = others + row.zip(hit, |e, hit| e * (1.0 - hit));
            }
            let mut each = (own + others).map(|total| scale / total);
            let inside = sequence.span.length - block * LANES;
            each.0.iter_mut().skip(inside).for_each(|lane| *lane = 0.0);
            for (a, row) in logits.iter_mut().enumerate() {
                let hit = hits(labels, a);
                let slope = row.zip(hit, |e, hit| e * (1.0 - hit)) - others.zip(hit, |o, hit| o * hit);
                *row = slope.zip(each, |d, each| d * each);
            }
        }
    }
}

wide! {
    /// Turns those slopes into the ones for labels with smoothing ε: the label's share, and an even one of every symbol.
    ///
    /// # Shapes
    /// As [`slopes`].
    pub fn smooth(
        sequence: &Sequence,
        alphabet: usize,
        rows: usize,
        scale: f32,
        smoothing: f32,
        slopes: &mut [Row],
    ) {
        let (own, share) = (scale * smoothing, scale * smoothing / alphabet as f32);
        for (block, slopes) in slopes.chunks_exact_mut(rows).enumerate() {
            let labels = labels(sequence, block);
            let inside = sequence.span.length - block * LANES;
            let mut even = Row([share; LANES]);
            even.0.iter_mut().skip(inside).for_each(|lane| *lane = 0.0);
            for (a, row) in slopes[..alphabet].iter_mut().enumerate() {
                let mut hit = hits(labels, a);
                hit.0.iter_mut().skip(inside).for_each(|lane| *lane = 0.0);
                *row = *row - even + hit * own;
            }
        }
    }
}

#[inline(always)]
fn labels(sequence: &Sequence, block: usize) -> [u8; LANES] {
    sequence.next.as_chunks::<LANES>().0[block]
}

/// 1 where the label is `symbol`.
#[inline(always)]
fn hits(labels: [u8; LANES], symbol: usize) -> Row {
    Row(labels.map(|label| if usize::from(label) == symbol { 1.0 } else { 0.0 }))
}

/// Adds what the logits of a sequence are worth.
pub fn tally(sequence: &Sequence, alphabet: usize, rows: usize, logits: &[Row], tally: &mut Tally) {
    for i in 0..sequence.span.length {
        let at = |a: usize| f64::from(logits[i / LANES * rows + a].0[i % LANES]);
        let label = usize::from(sequence.next[i]);
        let others = (0..alphabet).filter(|a| *a != label);
        let most = others.clone().fold(f64::NEG_INFINITY, |most, a| if at(a) > most { at(a) } else { most });
        let rest: f64 = others.map(|a| libm::exp(at(a) - at(label))).sum();
        tally.loss += if rest.is_finite() { libm::log1p(rest) } else { most - at(label) };
        tally.right += usize::from(at(label) > most);
    }
}
