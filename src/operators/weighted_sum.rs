//! Sum of values over positions, weighted by a softmax of scores or by the positive parts of the scores.
//!
//! ```text
//! A[i, g] = exp s[i, g] / Σ_i' exp s[i', g]      softmax; s [positions, heads]
//! A[i, g] = max(0, s[i, g]) / positions          ReLU (Wortsman et al. 2023, arXiv:2309.08586)
//! out[g, j] = Σ_i A[i, g] v[i, g, j]             v [positions, heads · size], out [1, heads · size]
//! grad_v[i, g, j] = A[i, g] grad_out[g, j]       grad_A[i, g] = Σ_j grad_out[g, j] v[i, g, j]
//! grad_s[i, g] = A[i, g] (grad_A[i, g] − Σ_i' A[i', g] grad_A[i', g])      softmax
//! grad_s[i, g] = grad_A[i, g] / positions where s[i, g] > 0, else 0        ReLU
//! ```

use crate::attention_scores::Heads;
use crate::matrix::Matrix;
use crate::simd::{BLOCK, LANES, Panels, PanelsMut, Row, Source, SourceMut, exp, row_by_row, wide};

/// How scores become weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Weights that sum to one.
    Softmax,
    /// Positive scores, divided by the number of positions.
    Relu,
}

/// The attention weights, `[positions, heads]`.
pub fn weights(scores: &Matrix, weighting: Weighting) -> Matrix {
    let mut weights = Matrix::zeros_like(scores);
    if weighting == Weighting::Relu {
        let positions = scores.rows as f64;
        let relu = |(weight, score): (&mut f64, &f64)| {
            *weight = if *score > 0.0 { score / positions } else { score * 0.0 + 0.0 };
        };
        weights.values.iter_mut().zip(&scores.values).for_each(relu);
        return weights;
    }
    for head in 0..scores.columns {
        let column = |row: usize| scores.row(row)[head];
        let max = (0..scores.rows).map(column).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..scores.rows).map(|row| libm::exp(column(row) - max)).sum();
        for row in 0..scores.rows {
            weights.row_mut(row)[head] = libm::exp(column(row) - max) / sum;
        }
    }
    weights
}

/// The weighted sum of `values`.
pub fn forward(scores: &Matrix, values: &Matrix, weighting: Weighting) -> Matrix {
    let (weights, size) = (weights(scores, weighting), values.columns / scores.columns);
    let mut sum = Matrix::zeros(1, values.columns);
    for row in 0..values.rows {
        for (column, value) in values.row(row).iter().enumerate() {
            sum.values[column] += weights.row(row)[column / size] * value;
        }
    }
    sum
}

/// The gradients of scores and values.
pub fn backward(scores: &Matrix, values: &Matrix, weighting: Weighting, grad_output: &Matrix) -> [Matrix; 2] {
    let (weights, size) = (weights(scores, weighting), values.columns / scores.columns);
    let (mut grad_scores, mut grad_values) = (Matrix::zeros_like(scores), Matrix::zeros_like(values));
    for row in 0..values.rows {
        for (column, grad) in grad_output.values.iter().enumerate() {
            grad_values.row_mut(row)[column] = weights.row(row)[column / size] * grad;
            grad_scores.row_mut(row)[column / size] += grad * values.row(row)[column];
        }
    }
    if weighting == Weighting::Relu {
        for (grad, weight) in grad_scores.values.iter_mut().zip(&weights.values) {
            *grad = if *weight > 0.0 { *grad / scores.rows as f64 } else { 0.0 };
        }
        return [grad_scores, grad_values];
    }
    for head in 0..scores.columns {
        let mean: f64 = (0..scores.rows).map(|row| weights.row(row)[head] * grad_scores.row(row)[head]).sum();
        for row in 0..scores.rows {
            let grad = &mut grad_scores.row_mut(row)[head];
            *grad = weights.row(row)[head] * (*grad - mean);
        }
    }
    [grad_scores, grad_values]
}

/// Rows that attention weights of a block of examples fill.
pub fn workspace_rows(heads: usize, positions: usize) -> usize {
    2 * heads.div_ceil(LANES) * positions * BLOCK
}

/// The weight that head `head` gives to position `position` of example `example`.
#[inline(always)]
pub fn weight(workspace: &[Row], positions: usize, head: usize, position: usize, example: usize) -> f32 {
    workspace[(head / LANES * positions + position) * BLOCK + example].0[head % LANES]
}

wide! {
    /// Writes the weighted sums of `count` examples, and their weights into the workspace.
    ///
    /// # Shapes
    /// Scores and values have a source for each position; `out` is `[head][panel][example]`. The workspace holds
    /// [`workspace_rows`]: weights `[panel of heads][position][example]`, then the same for their gradients.
    pub fn forward_simd(
        scores: &[Source<'_>],
        values: &[Source<'_>],
        heads: Heads,
        weighting: Weighting,
        workspace: &mut [Row],
        out: &mut PanelsMut<'_>,
        count: usize,
    ) {
        let positions = scores.len();
        let panels = heads.count.div_ceil(LANES);
        for (panel, weights) in workspace.chunks_exact_mut(positions * BLOCK).take(panels).enumerate() {
            for (score, weights) in scores.iter().zip(weights.chunks_exact_mut(BLOCK)) {
                weights.iter_mut().zip(score.samples(panel, count)).for_each(|(weight, score)| *weight = score);
            }
            if weighting == Weighting::Relu {
                let share = 1.0 / positions as f32;
                for weight in weights.iter_mut() {
                    row_by_row();
                    *weight = weight.map(|score| if score > 0.0 { score * share } else { score * 0.0 + 0.0 });
                }
                continue;
            }
            for example in 0..count {
                row_by_row();
                let larger = |a: f32, b: f32| if b > a { b } else { a };
                let of = |position: usize| position * BLOCK + example;
                let max = (1..positions).fold(weights[example], |max, at| max.zip(weights[of(at)], larger));
                let mut sum = Row::ZERO;
                for position in 0..positions {
                    let power = exp(weights[of(position)] - max);
                    sum = sum + power;
                    weights[of(position)] = power;
                }
                for position in 0..positions {
                    weights[of(position)] = weights[of(position)].zip(sum, |power, sum| power / sum);
                }
            }
        }
        for (panel, out) in out.rows.chunks_exact_mut(out.stride).enumerate() {
            let head = panel / heads.panels();
            for (position, values) in values.iter().enumerate() {
                let weights = &workspace[(head / LANES * positions + position) * BLOCK..][..count];
                for ((sum, value), weight) in out.iter_mut().zip(values.samples(panel, count)).zip(weights) {
                    row_by_row();
                    let term = value * weight.0[head % LANES];
                    *sum = if position == 0 { term } else { *sum + term };
                }
            }
        }
    }
}

wide! {
    /// Writes the gradient of the weights of one position into the workspace.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `grad_output` has the layout of `out`, `values` are those of `position`.
    pub fn backward_simd_weights(
        values: Source<'_>,
        heads: Heads,
        position: Position,
        grad_output: Panels<'_>,
        workspace: &mut [Row],
        count: usize,
    ) {
        let Position { index: position, count: positions } = position;
        let gradients = &mut workspace[heads.count.div_ceil(LANES) * positions * BLOCK..];
        for head in 0..heads.count {
            let first = head * heads.panels();
            let gradients = &mut gradients[(head / LANES * positions + position) * BLOCK..][..count];
            for (example, gradient) in gradients.iter_mut().enumerate() {
                row_by_row();
                let mut sum = Row::ZERO;
                for panel in first..first + heads.panels() {
                    let grad = grad_output.rows[panel * grad_output.stride + example];
                    sum = sum + values.row(panel, example).zip(grad, |v, d| v * d);
                }
                gradient.0[head % LANES] = sum.sum();
            }
        }
    }
}

wide! {
    /// Replaces the gradients of weights in the workspace by those of scores.
    ///
    /// # Shapes
    /// As in [`forward_simd`].
    pub fn backward_simd_scores(heads: Heads, weighting: Weighting, positions: usize, workspace: &mut [Row], count: usize) {
        let panels = heads.count.div_ceil(LANES);
        let (weights, gradients) = workspace.split_at_mut(panels * positions * BLOCK);
        let blocks = weights.chunks_exact(positions * BLOCK).zip(gradients.chunks_exact_mut(positions * BLOCK));
        for (panel, (weights, gradients)) in blocks.enumerate() {
            if weighting == Weighting::Relu {
                let share = 1.0 / positions as f32;
                for (gradient, weight) in gradients.iter_mut().zip(weights) {
                    row_by_row();
                    *gradient = gradient.zip(*weight, |g, weight| if weight > 0.0 { g * share } else { 0.0 });
                }
                continue;
            }
            // Beyond the last head there are weights too, of scores that are zero.
            let used = (heads.count - panel * LANES).min(LANES);
            for example in 0..count {
                row_by_row();
                let mut mean = Row::ZERO;
                for position in 0..positions {
                    let at = position * BLOCK + example;
                    mean = mean + weights[at].zip(gradients[at], |weight, gradient| weight * gradient);
                }
                for position in 0..positions {
                    let at = position * BLOCK + example;
                    let mut gradient = (gradients[at] - mean).zip(weights[at], |gradient, weight| gradient * weight);
                    gradient.0[used..].fill(0.0);
                    gradients[at] = gradient;
                }
            }
        }
    }
}

wide! {
    /// Adds the gradients of the scores and of the values of one position, or writes them.
    ///
    /// # Shapes
    /// As in [`backward_simd_weights`], after [`backward_simd_scores`].
    pub fn backward_simd_position(
        heads: Heads,
        position: Position,
        grad_output: Panels<'_>,
        workspace: &[Row],
        gradient: &mut SourceMut<'_>,
        part: Part,
        count: usize,
    ) {
        let Position { index: position, count: positions } = position;
        let (weights, gradients) = workspace.split_at(heads.count.div_ceil(LANES) * positions * BLOCK);
        let panels = match part.is_scores {
            true => heads.count.div_ceil(LANES),
            false => grad_output.rows.len() / grad_output.stride,
        };
        for panel in 0..panels {
            let head = panel / heads.panels();
            let block = if part.is_scores { panel } else { head / LANES };
            let first = (block * positions + position) * BLOCK;
            let d = &grad_output.rows[panel * grad_output.stride..];
            let row = |example: usize| match part.is_scores {
                true => gradients[first + example],
                false => d[example] * weights[first + example].0[head % LANES],
            };
            let target = &mut gradient.rows[panel * gradient.stride..][..gradient.stride];
            if gradient.is_constant {
                let mut sum = target[0];
                for example in 0..count {
                    row_by_row();
                    sum = sum + row(example);
                }
                target[0] = sum;
                continue;
            }
            for (example, index) in gradient.index[..count].iter().enumerate() {
                row_by_row();
                let target = &mut target[*index as usize];
                *target = if part.overwrites { Row::ZERO } else { *target } + row(example);
            }
        }
    }
}

/// A position among those of a weighted sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Number of the position, from 0.
    pub index: usize,
    /// Number of positions.
    pub count: usize,
}

/// The input whose gradient is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Whether it is the scores, and not the values.
    pub is_scores: bool,
    /// Whether the gradient is written, and not added.
    pub overwrites: bool,
}

/// The weighted sum on tensors.
///
/// # Shapes
/// Scores, one for each position, are `[replicas, batch or 1, heads]`, values `[replicas, batch or 1, heads · size]`; the result
/// is `[replicas, batch, heads · size]`.
#[cfg(feature = "train")]
pub fn forward_tensors(
    scores: Vec<burn::tensor::Tensor<3>>,
    values: Vec<burn::tensor::Tensor<3>>,
    weighting: Weighting,
) -> burn::tensor::Tensor<3> {
    use burn::tensor::Tensor;
    use burn::tensor::activation::{relu, softmax};
    let batch = scores.iter().chain(&values).map(|tensor| tensor.dims()[1]).max().unwrap_or(1);
    let [replicas, _, heads] = scores[0].dims();
    let size = values[0].dims()[2] / heads;
    let score =
        |score: Tensor<3>| score.expand([replicas, batch, heads]).reshape([replicas, batch, heads, 1]);
    let positions = scores.len();
    let scores = Tensor::cat(scores.into_iter().map(score).collect(), 3);
    let weights = match weighting {
        Weighting::Softmax => softmax(scores, 3),
        Weighting::Relu => relu(scores) / positions as f32,
    };
    let weighted = |(position, values): (usize, Tensor<3>)| {
        let values = values.expand([replicas, batch, heads * size]).reshape([replicas, batch, heads, size]);
        values * weights.clone().narrow(3, position, 1)
    };
    let terms = values.into_iter().enumerate().map(weighted).reduce(|sum, term| sum + term);
    match terms {
        Some(sum) => sum.reshape([replicas, batch, heads * size]),
        None => unreachable!("a weighted sum has at least one position"),
    }
}
