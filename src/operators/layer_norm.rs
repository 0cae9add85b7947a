//! Layer norm: every row less its mean, divided by its standard deviation, with a gain and a shift for each component.
//!
//! ```text
//! n = (x − mean x) / √(variance x + ε)           x [rows, columns]; mean and variance over the columns of a row
//! out = n · gain + shift                         gain, shift [1, columns], component by component
//! g = grad_out · gain
//! grad_x = (g − mean g − n mean(g · n)) / √(variance x + ε)
//! grad_gain = Σ_rows grad_out · n                grad_shift = Σ_rows grad_out
//! ```
//!
//! Ba, Kiros and Hinton 2016, with the ε = 10⁻⁵ of PyTorch.

use crate::matrix::Matrix;
use crate::simd::{LANES, Panels, PanelsMut, Row, Source, row_by_row, wide};

/// ε, which is added to the variance.
pub const EPSILON: f32 = 1e-5;

/// A row less its mean, divided by its standard deviation, and 1 / √(variance + ε).
fn normalized(x: &[f64]) -> (Vec<f64>, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (variance + f64::from(EPSILON)).sqrt();
    (x.iter().map(|x| (x - mean) * scale).collect(), scale)
}

/// The layer norm of each row.
pub fn forward(x: &Matrix, gain: &Matrix, shift: &Matrix) -> Matrix {
    let mut out = Matrix::zeros_like(x);
    for row in 0..x.rows {
        let (n, _) = normalized(x.row(row));
        let all = n.iter().zip(&gain.values).zip(&shift.values);
        out.row_mut(row).iter_mut().zip(all).for_each(|(out, ((n, gain), shift))| *out = n * gain + shift);
    }
    out
}

/// The gradients of x, gain and shift.
pub fn backward(x: &Matrix, gain: &Matrix, grad_output: &Matrix) -> [Matrix; 3] {
    let [mut grad_x, mut grad_gain] = [x, gain].map(Matrix::zeros_like);
    for row in 0..x.rows {
        let ((n, scale), grad) = (normalized(x.row(row)), grad_output.row(row));
        let g: Vec<f64> = grad.iter().zip(&gain.values).map(|(grad, gain)| grad * gain).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / x.columns as f64;
        let along = mean(&mut g.iter().zip(&n).map(|(g, n)| g * n));
        let mean = mean(&mut g.iter().copied());
        for (column, grad_x) in grad_x.row_mut(row).iter_mut().enumerate() {
            *grad_x = (g[column] - mean - n[column] * along) * scale;
            grad_gain.values[column] += grad[column] * n[column];
        }
    }
    [grad_x, grad_gain, grad_output.sum_of_rows()]
}

/// 1 in the lanes of a panel that are columns, of `columns` in all.
#[inline(always)]
fn is_column(panel: usize, columns: usize) -> Row {
    Row(std::array::from_fn(|lane| if panel * LANES + lane < columns { 1.0 } else { 0.0 }))
}

/// Rows of the workspace for samples of `panels` panels with this stride: the normalized rows, and two rows for each sample.
pub fn workspace_rows(panels: usize, stride: usize) -> usize {
    (panels + 2) * stride
}

// Sums across lanes have loops of their own: beside them the compiler makes no vectors of the rest.

wide! {
    /// Writes the layer norm of `count` samples, and keeps in the workspace what the backward pass needs.
    ///
    /// # Shapes
    /// `x` and `out` are `[panel][sample]`, with the same stride; `gain` and `shift` have one row. The workspace holds
    /// [`workspace_rows`].
    pub fn forward_simd(
        x: Panels<'_>,
        gain: Source<'_>,
        shift: Source<'_>,
        columns: usize,
        workspace: &mut [Row],
        out: &mut PanelsMut<'_>,
        count: usize,
    ) {
        let (stride, panels, by) = (out.stride, columns.div_ceil(LANES), 1.0 / columns as f32);
        let (normalized, others) = workspace.split_at_mut(panels * stride);
        let (scales, sums) = others.split_at_mut(stride);
        let (scales, sums) = (&mut scales[..count], &mut sums[..count]);
        sums.fill(Row::ZERO);
        for panel in 0..panels {
            let inside = is_column(panel, columns);
            for (sum, x) in sums.iter_mut().zip(x.panel(panel, count)) {
                row_by_row();
                *sum = *sum + x.zip(inside, |x, inside| x * inside);
            }
        }
        for sum in sums.iter_mut() {
            *sum = Row([sum.sum() * by; LANES]);
        }
        scales.fill(Row::ZERO);
        for panel in 0..panels {
            let inside = is_column(panel, columns);
            let rows = normalized[panel * stride..][..count].iter_mut().zip(x.panel(panel, count));
            for ((n, x), (mean, squares)) in rows.zip(sums.iter().zip(scales.iter_mut())) {
                row_by_row();
                *n = (*x - *mean).zip(inside, |x, inside| x * inside);
                *squares = *squares + n.map(|x| x * x);
            }
        }
        for squares in scales.iter_mut() {
            *squares = Row([1.0 / (squares.sum() * by + EPSILON).sqrt(); LANES]);
        }
        for panel in 0..panels {
            let (gain, shift) = (gain.row(panel, 0), shift.row(panel, 0));
            let rows = normalized[panel * stride..][..count].iter_mut().zip(out.panel(panel, count));
            for ((n, out), scale) in rows.zip(scales.iter()) {
                row_by_row();
                *n = n.zip(*scale, |n, scale| n * scale);
                *out = n.zip(gain, |n, gain| n * gain) + shift;
            }
        }
    }
}

wide! {
    /// Adds the gradient of the gain.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `grad_output` has the layout of `out`, and `grad_gain` is `[panel]` with this stride.
    pub fn backward_simd_gain(grad_output: Panels<'_>, workspace: &[Row], grad_gain: &mut PanelsMut<'_>, count: usize) {
        for (panel, sums) in grad_gain.rows.chunks_exact_mut(grad_gain.stride).enumerate() {
            let normalized = &workspace[panel * grad_output.stride..][..count];
            for (n, grad) in normalized.iter().zip(grad_output.panel(panel, count)) {
                row_by_row();
                sums[0] = sums[0] + n.zip(*grad, |n, grad| n * grad);
            }
        }
    }
}

wide! {
    /// Adds the gradient of x, or writes it.
    ///
    /// # Shapes
    /// As in [`forward_simd`], after it; `grad_output` and `grad_x` have the layout of `out`.
    pub fn backward_simd(
        grad_output: Panels<'_>,
        gain: Source<'_>,
        columns: usize,
        workspace: &mut [Row],
        grad_x: &mut PanelsMut<'_>,
        count: usize,
        overwrites: bool,
    ) {
        let (stride, panels, by) = (grad_output.stride, columns.div_ceil(LANES), 1.0 / columns as f32);
        let (normalized, others) = workspace.split_at_mut(panels * stride);
        let (scales, sums) = others.split_at_mut(stride);
        let (scales, sums) = (&scales[..count], &mut sums[..count]);
        let product = |a: Row, b: Row| a.zip(b, |a, b| a * b);
        let mut means = [Row::ZERO; crate::simd::BLOCK];
        for first in (0..count).step_by(crate::simd::BLOCK) {
            let samples = first..count.min(first + crate::simd::BLOCK);
            let (means, alongs) = (&mut means[..samples.len()], &mut sums[samples.clone()]);
            means.fill(Row::ZERO);
            alongs.fill(Row::ZERO);
            for panel in 0..panels {
                let gain = gain.row(panel, 0);
                let rows = grad_output.panel(panel, count)[samples.clone()].iter();
                let rows = rows.zip(&normalized[panel * stride..][samples.clone()]);
                for ((grad, n), (mean, along)) in rows.zip(means.iter_mut().zip(alongs.iter_mut())) {
                    row_by_row();
                    let g = product(*grad, gain);
                    *mean = *mean + g;
                    *along = *along + product(g, *n);
                }
            }
            for row in means.iter_mut().chain(alongs.iter_mut()) {
                *row = Row([row.sum() * by; LANES]);
            }
            for panel in 0..panels {
                let (gain, inside) = (gain.row(panel, 0), is_column(panel, columns));
                let rows = grad_output.panel(panel, count)[samples.clone()].iter();
                let rows = rows.zip(&normalized[panel * stride..][samples.clone()]).zip(&scales[samples.clone()]);
                let sums = means.iter().zip(alongs.iter());
                let targets = grad_x.panel(panel, count)[samples.clone()].iter_mut();
                for ((((grad, n), scale), (mean, along)), grad_x) in rows.zip(sums).zip(targets) {
                    row_by_row();
                    let g = product(*grad, gain) - *mean - product(*n, *along);
                    let own = product(product(g, *scale), inside);
                    *grad_x = if overwrites { own } else { *grad_x + own };
                }
            }
        }
    }
}

/// The layer norm on tensors.
///
/// # Shapes
/// `x` is `[replicas, batch or 1, columns]`, `gain` and `shift` are `[replicas, 1, columns]`.
#[cfg(feature = "train")]
pub fn forward_tensors(
    x: burn::tensor::Tensor<3>,
    gain: burn::tensor::Tensor<3>,
    shift: burn::tensor::Tensor<3>,
) -> burn::tensor::Tensor<3> {
    let x = x.clone() - x.mean_dim(2);
    let variance = x.clone().square().mean_dim(2);
    x / (variance + EPSILON).sqrt() * gain + shift
}
