//! Logits of a block of pairs: the loss, and its slopes.

use super::TOGETHER;
use crate::cpu::dense::panels;
use crate::cpu::group_net::softmax::{Answer, smooth};
use crate::cpu::one_hidden_layer::Row;
use crate::cpu::wide::wide;

/// Logits of at most [`TOGETHER`] pairs, and then the loss's slopes in their place.
#[derive(Debug, Clone)]
pub struct Logits {
    classes: usize,
    /// `[panel of classes][pair]`, [`TOGETHER`] rows to a panel.
    pub rows: Vec<Row>,
    /// Those of one pair.
    one: Vec<Row>,
}

/// What measuring gives, summed over pairs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judged {
    /// Cross-entropy; no number if a logit has none.
    pub loss: f64,
    /// Pairs whose label has the largest logit.
    pub right: usize,
}

impl Logits {
    /// Room for logits of so many classes.
    pub fn new(classes: usize) -> Self {
        let one = vec![Row::ZERO; panels(classes)];
        Logits { classes, rows: vec![Row::ZERO; one.len() * TOGETHER], one }
    }

    /// Puts the slopes of the cross-entropy with label smoothing, times `share`, in the place of the logits.
    pub fn slopes(&mut self, labels: &[u32], smoothing: f32, share: f32) {
        slopes(&mut self.rows, self.classes, labels, (smoothing, share), &mut self.one);
    }

    /// Adds what the logits of pairs with these labels are worth.
    pub fn judge(&mut self, labels: &[u32], judged: &mut Judged) {
        judge(&self.rows, self.classes, labels, judged, &mut self.one);
    }

    /// The logits of pair `at`.
    #[cfg(test)]
    pub fn of(&self, at: usize) -> Vec<f32> {
        let rows = self.rows.iter().skip(at).step_by(TOGETHER);
        rows.flat_map(|row| row.0).take(self.classes).collect()
    }
}

/// Copies the logits of pair `at`.
#[inline(always)]
fn take(rows: &[Row], at: usize, one: &mut [Row]) {
    for (one, row) in one.iter_mut().zip(rows.iter().skip(at).step_by(TOGETHER)) {
        *one = *row;
    }
}

wide! {
    /// As [`Logits::slopes`].
    fn slopes(rows: &mut [Row], classes: usize, labels: &[u32], by: (f32, f32), one: &mut [Row]) {
        let (smoothing, share) = by;
        for (at, label) in labels.iter().enumerate() {
            let label = *label as usize;
            take(rows, at, one);
            Answer::new(one, classes, label).slopes(one, label);
            if smoothing > 0.0 {
                smooth(one, classes, label, smoothing);
            }
            for (one, row) in one.iter().zip(rows.iter_mut().skip(at).step_by(TOGETHER)) {
                *row = *one * share;
            }
        }
    }
}

wide! {
    /// As [`Logits::judge`].
    fn judge(rows: &[Row], classes: usize, labels: &[u32], judged: &mut Judged, one: &mut [Row]) {
        for (at, label) in labels.iter().enumerate() {
            take(rows, at, one);
            // What is no number, or has no end, would be lost among the largest.
            let is_broken = one.iter().fold(Row::ZERO, |sum, f| sum + f.map(|f| f * 0.0)).sum().is_nan();
            let answer = Answer::new(one, classes, *label as usize);
            judged.loss += f64::from(if is_broken { f32::NAN } else { answer.loss() });
            judged.right += usize::from(!is_broken && answer.margin > 0.0);
        }
    }
}
