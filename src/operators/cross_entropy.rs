//! Cross-entropy of a logit for each class, with label smoothing ε.
//!
//! ```text
//! p = softmax(f)                                 f [classes]
//! loss = −Σ_c y[c] ln p[c]                       y = (1 − ε) onehot(label) + ε / classes
//! grad_f = p − y
//! ```

use crate::simd::{LANES, Row, exp, wide};

/// The loss of these logits, and its gradient.
pub fn forward_backward(logits: &[f64], label: usize, smoothing: f64) -> (f64, Vec<f64>) {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|f| libm::exp(f - max)).sum();
    let log_sum = max + libm::log(sum);
    let even = smoothing / logits.len() as f64;
    let target = |class: usize| if class == label { 1.0 - smoothing + even } else { even };
    let loss = logits.iter().enumerate().map(|(class, f)| target(class) * (log_sum - f)).sum();
    let gradient = logits.iter().enumerate().map(|(class, f)| libm::exp(f - log_sum) - target(class));
    (loss, gradient.collect())
}

/// Softmax of the logits of one example, with regard to its label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelSoftmax {
    /// The label's logit less the largest other one.
    pub margin: f32,
    /// exp of the label's logit less the largest logit.
    label_power: f32,
    /// The sum of exp of the others.
    other_powers: f32,
}

impl LabelSoftmax {
    /// Replaces the first `classes` logits by exp of the logit less the largest one, but 0 for the label; what is beyond the
    /// classes becomes 0.
    #[inline(always)]
    pub fn new(logits: &mut [Row], classes: usize, label: usize) -> Self {
        let lowest = f32::NEG_INFINITY;
        let own = logits[label / LANES].0[label % LANES];
        logits[label / LANES].0[label % LANES] = lowest;
        if let Some(last) = logits.last_mut() {
            for lane in last.0.iter_mut().skip(classes - (classes - 1) / LANES * LANES) {
                *lane = lowest;
            }
        }
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let mut other = logits.iter().fold(Row([lowest; LANES]), |max, row| max.zip(*row, larger));
        let mut half = LANES / 2;
        while half > 0 {
            for l in 0..half {
                other.0[l] = larger(other.0[l], other.0[l + half]);
            }
            half /= 2;
        }
        let max = larger(other.0[0], own);
        logits[label / LANES].0[label % LANES] = own;
        for row in logits.iter_mut() {
            *row = exp(row.map(|f| f - max));
        }
        let label_power = std::mem::take(&mut logits[label / LANES].0[label % LANES]);
        let other_powers = logits.iter().fold(Row::ZERO, |sum, row| sum + *row).sum();
        LabelSoftmax { margin: own - other.0[0], label_power, other_powers }
    }

    /// −ln softmax of the label, with the digits of small ones.
    #[inline(always)]
    pub fn loss(self) -> f32 {
        if self.margin > 0.0 {
            libm::log1pf(self.other_powers)
        } else {
            libm::logf(self.label_power + self.other_powers) - self.margin
        }
    }

    /// Replaces what [`LabelSoftmax::new`] left by the gradient of the loss.
    #[inline(always)]
    pub fn write_gradient(self, logits: &mut [Row], label: usize) {
        let scale = 1.0 / (self.label_power + self.other_powers);
        for row in logits.iter_mut() {
            *row = *row * scale;
        }
        // Not probability − 1, which would cancel.
        logits[label / LANES].0[label % LANES] = -self.other_powers * scale;
    }
}

/// Changes the gradient for a label into that for the label with smoothing ε.
#[inline(always)]
pub fn smooth(gradient: &mut [Row], classes: usize, label: usize, smoothing: f32) {
    let even = smoothing / classes as f32;
    for class in 0..classes {
        gradient[class / LANES].0[class % LANES] -= even;
    }
    gradient[label / LANES].0[label % LANES] += smoothing;
}

/// Sums over the examples of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// Cross-entropy; NaN if a logit is not finite.
    pub loss: f64,
    /// Examples whose label has the largest logit.
    pub correct: usize,
}

/// Copies the logits of one example of a block.
#[inline(always)]
fn copy_example(logits: &[Row], stride: usize, example: usize, one: &mut [Row]) {
    for (one, row) in one.iter_mut().zip(logits.iter().skip(example).step_by(stride)) {
        *one = *row;
    }
}

wide! {
    /// Writes the gradient of the loss, times `scale`, of a block of examples.
    ///
    /// # Shapes
    /// `logits` and `gradient` are `[panel of classes][example]` with this stride; `one` has a row for each panel. `by` is ε and the scale.
    pub fn backward_simd(
        logits: &[Row],
        stride: usize,
        classes: usize,
        labels: &[u32],
        by: (f32, f32),
        gradient: &mut [Row],
        one: &mut [Row],
    ) {
        let (smoothing, scale) = by;
        for (example, label) in labels.iter().enumerate() {
            let label = *label as usize;
            copy_example(logits, stride, example, one);
            LabelSoftmax::new(one, classes, label).write_gradient(one, label);
            if smoothing > 0.0 {
                smooth(one, classes, label, smoothing);
            }
            for (one, row) in one.iter().zip(gradient.iter_mut().skip(example).step_by(stride)) {
                *row = *one * scale;
            }
        }
    }
}

wide! {
    /// Adds the losses of a block of examples without label smoothing.
    ///
    /// # Shapes
    /// As in [`backward_simd`].
    pub fn measure_simd(logits: &[Row], stride: usize, classes: usize, labels: &[u32], measured: &mut Measured, one: &mut [Row]) {
        for (example, label) in labels.iter().enumerate() {
            copy_example(logits, stride, example, one);
            // A logit that is not finite would not show in the largest one.
            let is_finite = !one.iter().fold(Row::ZERO, |sum, f| sum + f.map(|f| f * 0.0)).sum().is_nan();
            let softmax = LabelSoftmax::new(one, classes, *label as usize);
            measured.loss += f64::from(if is_finite { softmax.loss() } else { f32::NAN });
            measured.correct += usize::from(is_finite && softmax.margin > 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_keep_their_digits() {
        for (logits, label) in [
            (vec![20.0f32, 0.0, 1.0], 0usize),
            (vec![-3.0; 17], 16),
            (vec![1.0, 2.0, 30.0], 1),
            (vec![0.5], 0),
        ] {
            let exact: f64 = logits.iter().map(|f| libm::exp(f64::from(f - logits[label]))).sum();
            let others: f64 = exact - 1.0;
            let mut rows = vec![Row::ZERO; logits.len().div_ceil(LANES)];
            for (c, f) in logits.iter().enumerate() {
                rows[c / LANES].0[c % LANES] = *f;
            }
            let softmax = LabelSoftmax::new(&mut rows, logits.len(), label);
            let close = |a: f32, b: f64| assert!((f64::from(a) - b).abs() <= 4e-7 * b.abs(), "{a} {b}");
            close(softmax.loss(), libm::log1p(others));
            softmax.write_gradient(&mut rows, label);
            for (c, f) in logits.iter().enumerate() {
                let p = libm::exp(f64::from(f - logits[label])) / exact;
                close(rows[c / LANES].0[c % LANES], if c == label { -others / exact } else { p });
            }
            assert!(rows[rows.len() - 1].0[(logits.len() - 1) % LANES + 1..].iter().all(|v| *v == 0.0));
        }
    }
}
