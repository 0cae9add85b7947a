//! Linear map of every row to one number: the form in vectors of [`linear`](crate::linear) with one column.
//!
//! ```text
//! out = x · w + Σ_i onto_i                       x [inputs], w [inputs], out and onto_i numbers
//! grad_x = grad_out w      grad_w += grad_out x
//! ```
//!
//! # Why
//! A product of matrices would fill the one column up to a row of lanes. Here the inputs are in the lanes, sixteen products at
//! once, and a number is in the first lane of a row that is otherwise zero.

use crate::simd::{Panels, PanelsMut, Row, Source, row_by_row, wide};

wide! {
    /// Writes x · w + Σ onto of `count` samples.
    ///
    /// # Shapes
    /// `x` is `[panel of inputs][sample]`, `w` is `[panel of inputs]`, `out` is `[sample]`.
    pub fn forward_simd(x: Panels<'_>, w: &[Row], onto: &[Source<'_>], out: &mut [Row], count: usize) {
        let out = &mut out[..count];
        // The sums of each lane over the panels, then over the lanes.
        out.fill(Row::ZERO);
        for (panel, w) in w.iter().enumerate() {
            for (sum, x) in out.iter_mut().zip(x.panel(panel, count)) {
                row_by_row();
                *sum = *sum + x.zip(*w, |x, w| x * w);
            }
        }
        for (sample, out) in out.iter_mut().enumerate() {
            let sum = out.sum();
            *out = Row::ZERO;
            out.0[0] = onto.iter().fold(sum, |sum, onto| sum + onto.row(0, sample).0[0]);
        }
    }
}

wide! {
    /// Writes grad_out w of `count` samples into the gradient of x, or adds it.
    ///
    /// # Shapes
    /// As in [`forward_simd`].
    pub fn backward_simd(grad_output: &[Row], w: &[Row], grad_x: &mut PanelsMut<'_>, count: usize, overwrites: bool) {
        for (grad_x, w) in grad_x.rows.chunks_exact_mut(grad_x.stride).zip(w) {
            for (grad_x, grad_output) in grad_x[..count].iter_mut().zip(grad_output) {
                row_by_row();
                let product = *w * grad_output.0[0];
                *grad_x = if overwrites { product } else { *grad_x + product };
            }
        }
    }
}

wide! {
    /// Adds grad_out x of `count` samples to the gradient of w.
    ///
    /// # Shapes
    /// As in [`forward_simd`].
    pub fn backward_simd_weights(grad_output: &[Row], x: Panels<'_>, grad_w: &mut [Row], count: usize) {
        for (panel, grad_w) in grad_w.iter_mut().enumerate() {
            let products = x.panel(panel, count).iter().zip(grad_output);
            *grad_w = products.fold(*grad_w, |sum, (x, grad_output)| sum + *x * grad_output.0[0]);
        }
    }
}
