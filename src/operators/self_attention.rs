//! Attention of each position of an example to all positions, or to those before it and itself, with several heads.
//!
//! ```text
//! s[i, j, g] = Σ_c q[i, g, c] (k[j, g, c] + r[i − j, g, c]) / √size      i, j: positions, g: heads, c: components of a head
//! A[i, j, g] = exp s[i, j, g] / Σ_j' exp s[i, j', g], or max(0, s[i, j, g]) / n      j, j' < n
//! out[i, g, c] = Σ_j A[i, j, g] v[j, g, c]           n = i + 1 if causal, else positions
//! grad_q[i, g, c] = Σ_j grad_s[i, j, g] k[j, g, c] / √size
//! grad_k[j, g, c] = Σ_i grad_s[i, j, g] q[i, g, c] / √size
//! grad_s, grad_v as of the weighted sum              q, k, v, out [positions, heads · size]
//! grad_r[d, g, c] = Σ_i grad_s[i, i − d, g] q[i, g, c] / √size           r [positions, heads · size], if there is one
//! ```
//!
//! Vaswani et al. 2017, section 3.2; with vectors r of distances, which causal attention alone has, Shaw et al. 2018.
//!
//! # Why
//! In vectors the queries, keys and values of a head are copied into matrices with full tiles, of which scores, weights and
//! gradients are [products](crate::simd::products), as those of a linear map.

use std::ops::Range;

use crate::attention;
use crate::attention_scores::Heads;
use crate::matrix::Matrix;
use crate::simd::{
    LANES, Panels, PanelsMut, Row, accumulate_weight_gradient, exp, multiply, panels, row_by_row, transpose,
    wide,
};
use crate::weighted_sum::Weighting;

/// Positions of an example, heads, and which positions are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Positions of an example.
    pub positions: usize,
    /// Heads.
    pub heads: Heads,
    /// How scores become weights.
    pub weighting: Weighting,
    /// Whether a position attends to itself and those before it alone.
    pub is_causal: bool,
}

/// Positions that position `i` attends to.
fn seen(i: usize, positions: usize, is_causal: bool) -> usize {
    if is_causal { i + 1 } else { positions }
}

/// The first rows of a matrix.
fn first_rows(x: &Matrix, rows: usize) -> Matrix {
    Matrix { rows, columns: x.columns, values: x.values[..rows * x.columns].to_vec() }
}

fn row(x: &Matrix, row: usize) -> Matrix {
    Matrix { rows: 1, columns: x.columns, values: x.row(row).to_vec() }
}

/// The keys of the positions that position `i` sees, each with the vector of its distance.
fn keys_of(keys: &Matrix, distances: Option<&Matrix>, i: usize, seen: usize) -> Matrix {
    let mut keys = first_rows(keys, seen);
    if let Some(distances) = distances {
        for j in 0..seen {
            keys.row_mut(j).iter_mut().zip(distances.row(i - j)).for_each(|(key, r)| *key += r);
        }
    }
    keys
}

/// Attention of each position; `all` are queries, keys and values, and vectors of distances if there are any.
pub fn forward(all: &[&Matrix], heads: usize, weighting: Weighting, is_causal: bool) -> Matrix {
    let (query, values) = (all[0], all[2]);
    let mut out = Matrix::zeros_like(values);
    for i in 0..query.rows {
        let seen = seen(i, query.rows, is_causal);
        let keys = keys_of(all[1], all.get(3).copied(), i, seen);
        let own = attention::forward(&row(query, i), &keys, &first_rows(values, seen), heads, weighting);
        out.row_mut(i).copy_from_slice(&own.values);
    }
    out
}

/// The gradients of queries, keys and values, and of the vectors of distances if there are any.
pub fn backward(
    all: &[&Matrix],
    heads: usize,
    weighting: Weighting,
    is_causal: bool,
    grad_output: &Matrix,
) -> Vec<Matrix> {
    let (query, values) = (all[0], all[2]);
    let mut gradients: Vec<Matrix> = all.iter().map(|input| Matrix::zeros_like(input)).collect();
    for i in 0..query.rows {
        let seen = seen(i, query.rows, is_causal);
        let keys = keys_of(all[1], all.get(3).copied(), i, seen);
        let (values, grad) = (first_rows(values, seen), row(grad_output, i));
        let of_position = attention::backward(&row(query, i), &keys, &values, heads, weighting, &grad);
        gradients[0].row_mut(i).copy_from_slice(&of_position[0].values);
        for (sum, gradient) in gradients[1..3].iter_mut().zip(&of_position[1..]) {
            sum.values.iter_mut().zip(&gradient.values).for_each(|(sum, gradient)| *sum += gradient);
        }
        if let Some(sum) = gradients.get_mut(3) {
            for j in 0..seen {
                let gradient = of_position[1].row(j);
                sum.row_mut(i - j).iter_mut().zip(gradient).for_each(|(sum, gradient)| *sum += gradient);
            }
        }
    }
    gradients
}

impl Sizes {
    /// Rows of a panel of positions.
    fn stride(self) -> usize {
        self.positions.next_multiple_of(LANES)
    }

    /// Rows of a matrix of vectors of a head, `[panel of components][position]`.
    fn vectors(self) -> usize {
        self.heads.panels() * self.stride()
    }

    /// Rows of a matrix of weights, `[panel of seen positions][position]`.
    fn weights(self) -> usize {
        panels(self.positions) * self.stride()
    }

    /// The first position that sees a key of this panel.
    fn first_seeing(self, panel: usize) -> usize {
        if self.is_causal { panel * LANES } else { 0 }
    }

    /// The first position that has a distance of this panel, in the order of [`pack_distances`].
    fn first_at_distances(self, panel: usize) -> usize {
        self.stride() - (panel + 1) * LANES
    }

    /// The panels of keys that positions of this block see.
    fn seen_panels(self, block: usize) -> Range<usize> {
        0..if self.is_causal { block + 1 } else { self.stride() / LANES }
    }

    /// Rows of the workspace for so many examples: the weights of each head, three gradients of each, the gradient of the
    /// vectors of distances of each head, and matrices of one head.
    pub fn workspace_rows(self, examples: usize) -> usize {
        examples * self.heads.count * (self.weights() + 3 * self.vectors())
            + 2 * self.weights()
            + (6 + self.heads.count) * self.vectors()
    }

    /// The workspace in its parts: weights and gradients of all examples and heads, and matrices of one head.
    fn split(self, workspace: &mut [Row], examples: usize) -> [&mut [Row]; 3] {
        let all = examples * self.heads.count;
        let (weights, rest) = workspace.split_at_mut(all * self.weights());
        let (gradients, rest) = rest.split_at_mut((all * 3 + self.heads.count) * self.vectors());
        [weights, gradients, rest]
    }

    /// All weights of an example, `[heads, positions, seen positions]`.
    pub fn all_weights(self, workspace: &[Row], example: usize) -> Vec<f32> {
        let Sizes { positions, heads, .. } = self;
        let mut all = Vec::with_capacity(heads.count * positions * positions);
        for head in 0..heads.count {
            let own = &workspace[(example * heads.count + head) * self.weights()..][..self.weights()];
            for i in 0..positions {
                all.extend((0..positions).map(|j| own[j / LANES * self.stride() + i].0[j % LANES]));
            }
        }
        all
    }
}

/// Copies the vectors of a head of an example, times `scale`, into a matrix with full tiles.
#[inline(always)]
fn pack(x: Panels<'_>, sizes: Sizes, [example, head]: [usize; 2], scale: f32, out: &mut [Row]) {
    let first = example * sizes.positions;
    for (panel, out) in out.chunks_exact_mut(sizes.stride()).enumerate() {
        let rows = x.from(first).panel(head * sizes.heads.panels() + panel, sizes.positions);
        for (out, row) in out.iter_mut().zip(rows) {
            row_by_row();
            *out = *row * scale;
        }
        out[sizes.positions..].fill(Row::ZERO);
    }
}

/// As [`pack`] for the vectors of distances of a head, the largest distance first: row `stride` − 1 − d has distance d.
///
/// # Why
/// Then the numbers of position i for all distances are those for all keys, moved by `stride` − 1 − i places.
#[inline(always)]
fn pack_distances(distances: Panels<'_>, sizes: Sizes, head: usize, out: &mut [Row]) {
    for (panel, out) in out.chunks_exact_mut(sizes.stride()).enumerate() {
        out.fill(Row::ZERO);
        let rows = distances.panel(head * sizes.heads.panels() + panel, sizes.positions);
        out.iter_mut().rev().zip(rows).for_each(|(out, row)| *out = *row);
    }
}

/// The numbers of two rows of lanes, one after the other, from number `first` of the first row on.
#[inline(always)]
fn lanes_from(rows: [Row; 2], first: usize) -> Row {
    let mut both = [0.0; 2 * LANES];
    let (low, high) = both.split_at_mut(LANES);
    low.copy_from_slice(&rows[0].0);
    high.copy_from_slice(&rows[1].0);
    both[first..].first_chunk::<LANES>().map_or(Row::ZERO, |lanes| Row(*lanes))
}

/// Products of vectors of a head with others: of each panel of the result the rows from `first(panel)` on.
///
/// # Shapes
/// `x` is `[panel of components][position]`, `transposed` is `[panel of others][component]`, `out` is `[panel of others][position]`.
#[inline(always)]
fn multiply_panels(
    x: &[Row],
    transposed: &[Row],
    sizes: Sizes,
    first: impl Fn(usize) -> usize,
    out: &mut [Row],
) {
    let (stride, inputs) = (sizes.stride(), sizes.heads.panels() * LANES);
    for (panel, (others, out)) in
        transposed.chunks_exact(inputs).zip(out.chunks_exact_mut(stride)).enumerate()
    {
        let first = first(panel);
        let out = &mut PanelsMut::new(&mut out[first..], stride);
        multiply(
            Panels::new(x, stride).from(first),
            Panels::new(others, inputs),
            inputs,
            out,
            stride - first,
            false,
        );
    }
}

/// Sums of vectors of a head weighted by a matrix, written or added; the weights of the block of positions number `block` are
/// zero outside of the panels `used(block)`.
///
/// # Shapes
/// `weights` is `[panel of vectors][position]`, `x` is `[panel of components][vector]`, `out` is `[panel of components][position]`.
#[inline(always)]
fn multiply_blocks(
    weights: &[Row],
    x: &[Row],
    sizes: Sizes,
    used: impl Fn(usize) -> Range<usize>,
    out: &mut [Row],
    adds: bool,
) {
    let stride = sizes.stride();
    for block in 0..stride / LANES {
        let (first, used) = (block * LANES, used(block));
        let weights = Panels::new(&weights[used.start * stride..], stride).from(first);
        let x = Panels::new(&x[used.start * LANES..], stride);
        let out = &mut PanelsMut::new(&mut out[first..], stride);
        multiply(weights, x, used.len() * LANES, out, LANES, adds);
    }
}

/// Adds the gradient of vectors of a head that were weighted by a matrix; of the matrix's panel `panel` the positions from
/// `first(panel)` on are used.
///
/// # Shapes
/// As in [`multiply_blocks`]; `d` is the gradient of its `out`.
#[inline(always)]
fn accumulate_panels(
    weights: &[Row],
    d: &[Row],
    sizes: Sizes,
    first: impl Fn(usize) -> usize,
    gradient: &mut [Row],
) {
    let stride = sizes.stride();
    for (panel, weights) in weights.chunks_exact(stride).enumerate() {
        let (first, count) = (first(panel), sizes.positions.saturating_sub(first(panel)));
        let gradient = &mut PanelsMut::new(&mut gradient[panel * LANES..], stride);
        let (weights, d) = (Panels::new(&weights[first..], stride), Panels::new(d, stride).from(first));
        accumulate_weight_gradient(weights, d, sizes.heads.panels(), LANES, gradient, count);
    }
}

/// Replaces the scores of a position by weights; beyond the positions that are seen they are 0.
#[inline(always)]
fn weigh(scores: &mut [Row], stride: usize, i: usize, count: usize, weighting: Weighting) {
    let rows = count.div_ceil(LANES);
    let is_seen = |panel: usize, lane: usize| panel * LANES + lane < count;
    for panel in rows..scores.len().div_ceil(stride) {
        scores[panel * stride + i] = Row::ZERO;
    }
    if weighting == Weighting::Relu {
        let by = 1.0 / count as f32;
        for panel in 0..rows {
            let row = &mut scores[panel * stride + i];
            let weights = row.map(|score| if score > 0.0 { score * by } else { score * 0.0 + 0.0 });
            *row = Row(std::array::from_fn(|l| if is_seen(panel, l) { weights.0[l] } else { 0.0 }));
        }
        return;
    }
    let lowest = f32::NEG_INFINITY;
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut max = Row([lowest; LANES]);
    for panel in 0..rows {
        let row = &mut scores[panel * stride + i];
        *row = Row(std::array::from_fn(|l| if is_seen(panel, l) { row.0[l] } else { lowest }));
        max = max.zip(*row, larger);
    }
    let max = max.0.iter().copied().fold(lowest, larger);
    let mut sum = Row::ZERO;
    for panel in 0..rows {
        let row = &mut scores[panel * stride + i];
        *row = exp(row.map(|score| score - max));
        sum = sum + *row;
    }
    let sum = sum.sum();
    for panel in 0..rows {
        let row = &mut scores[panel * stride + i];
        *row = row.map(|power| power / sum);
    }
}

wide! {
    /// Writes attention of `examples` examples, and their weights into the workspace.
    ///
    /// # Shapes
    /// `query`, `keys` and `values` are `[head][panel][example][position]`, and `out` likewise. The workspace holds
    /// [`Sizes::workspace_rows`].
    pub fn forward_simd(
        query: Panels<'_>,
        keys: Panels<'_>,
        values: Panels<'_>,
        distances: Option<Panels<'_>>,
        sizes: Sizes,
        workspace: &mut [Row],
        out: &mut PanelsMut<'_>,
        examples: usize,
    ) {
        let Sizes { positions, heads, weighting, is_causal } = sizes;
        let (stride, vectors) = (sizes.stride(), sizes.vectors());
        let scale = 1.0 / (heads.size as f32).sqrt();
        let most = workspace_examples(sizes, workspace.len());
        let [all_weights, _, rest] = sizes.split(workspace, most);
        let (q, rest) = rest.split_at_mut(vectors);
        let (k, rest) = rest.split_at_mut(vectors);
        let (v, rest) = rest.split_at_mut(vectors);
        let (transposed, rest) = rest.split_at_mut(vectors);
        let (r, rest) = rest.split_at_mut(vectors);
        let (result, rest) = rest.split_at_mut(vectors);
        let by_distance = &mut rest[..sizes.weights()];
        for example in 0..examples {
            for head in 0..heads.count {
                let own = [example, head];
                pack(query, sizes, own, scale, q);
                pack(keys, sizes, own, 1.0, k);
                pack(values, sizes, own, 1.0, v);
                let first = (example * heads.count + head) * sizes.weights();
                let weights = &mut all_weights[first..][..sizes.weights()];
                transpose(k, stride, LANES, 0..stride / LANES, transposed);
                multiply_panels(q, transposed, sizes, |panel| sizes.first_seeing(panel), weights);
                if let Some(distances) = distances {
                    pack_distances(distances, sizes, head, r);
                    transpose(r, stride, LANES, 0..stride / LANES, transposed);
                    multiply_panels(q, transposed, sizes, |panel| sizes.first_at_distances(panel), by_distance);
                    for i in 0..positions {
                        let moved = stride - 1 - i;
                        let row = |panel: usize| by_distance.get(panel * stride + i).copied().unwrap_or(Row::ZERO);
                        for panel in 0..=i / LANES {
                            let from = panel + moved / LANES;
                            let score = &mut weights[panel * stride + i];
                            *score = *score + lanes_from([row(from), row(from + 1)], moved % LANES);
                        }
                    }
                }
                for i in 0..positions {
                    weigh(weights, stride, i, seen(i, positions, is_causal), weighting);
                }
                // Rows behind the last position belong to no position.
                for rows in weights.chunks_exact_mut(stride) {
                    rows[positions..].fill(Row::ZERO);
                }
                multiply_blocks(weights, v, sizes, |block| sizes.seen_panels(block), result, false);
                for (panel, rows) in result.chunks_exact(stride).enumerate() {
                    let at = (head * heads.panels() + panel) * out.stride + example * positions;
                    out.rows[at..][..positions].copy_from_slice(&rows[..positions]);
                }
            }
        }
    }
}

/// Number of examples for which a workspace of so many rows is large enough.
fn workspace_examples(sizes: Sizes, rows: usize) -> usize {
    let one = sizes.workspace_rows(1) - sizes.workspace_rows(0);
    (rows - sizes.workspace_rows(0)) / one
}

wide! {
    /// Writes the gradients of queries, keys and values into the workspace.
    ///
    /// # Shapes
    /// As in [`forward_simd`], after it; `grad_output` has the layout of `out`.
    pub fn backward_simd(
        query: Panels<'_>,
        keys: Panels<'_>,
        values: Panels<'_>,
        distances: Option<Panels<'_>>,
        sizes: Sizes,
        grad_output: Panels<'_>,
        workspace: &mut [Row],
        examples: usize,
    ) {
        let Sizes { positions, heads, weighting, is_causal } = sizes;
        let (stride, vectors) = (sizes.stride(), sizes.vectors());
        let scale = 1.0 / (heads.size as f32).sqrt();
        let most = workspace_examples(sizes, workspace.len());
        let [all_weights, all_gradients, rest] = sizes.split(workspace, most);
        let (grad_scores, rest) = rest.split_at_mut(sizes.weights());
        let (q, rest) = rest.split_at_mut(vectors);
        let (k, rest) = rest.split_at_mut(vectors);
        let (v, rest) = rest.split_at_mut(vectors);
        let (transposed, rest) = rest.split_at_mut(vectors);
        let (r, rest) = rest.split_at_mut(vectors);
        let (d, rest) = rest.split_at_mut(vectors);
        let by_distance = &mut rest[..sizes.weights()];
        let (all_gradients, grad_distances) = all_gradients.split_at_mut(most * heads.count * 3 * vectors);
        grad_distances.fill(Row::ZERO);
        for example in 0..examples {
            for head in 0..heads.count {
                let own = [example, head];
                pack(query, sizes, own, scale, q);
                pack(keys, sizes, own, 1.0, k);
                pack(values, sizes, own, 1.0, v);
                pack(grad_output, sizes, own, 1.0, d);
                let at = example * heads.count + head;
                let weights = &all_weights[at * sizes.weights()..][..sizes.weights()];
                let gradients = &mut all_gradients[at * 3 * vectors..][..3 * vectors];
                gradients.fill(Row::ZERO);
                let (grad_q, gradients) = gradients.split_at_mut(vectors);
                let (grad_k, grad_v) = gradients.split_at_mut(vectors);
                transpose(v, stride, LANES, 0..stride / LANES, transposed);
                multiply_panels(d, transposed, sizes, |panel| sizes.first_seeing(panel), grad_scores);
                for i in 0..positions {
                    let count = seen(i, positions, is_causal);
                    let by = 1.0 / count as f32;
                    let rows = || (i..weights.len()).step_by(stride).take(count.div_ceil(LANES));
                    (i..weights.len()).step_by(stride).skip(count.div_ceil(LANES)).for_each(|at| grad_scores[at] = Row::ZERO);
                    if weighting == Weighting::Relu {
                        for at in rows() {
                            row_by_row();
                            grad_scores[at] = grad_scores[at].zip(weights[at], |g, weight| if weight > 0.0 { g * by } else { 0.0 });
                        }
                        continue;
                    }
                    let mut mean = Row::ZERO;
                    for at in rows() {
                        mean = mean + weights[at].zip(grad_scores[at], |weight, g| weight * g);
                    }
                    let mean = mean.sum();
                    for at in rows() {
                        row_by_row();
                        grad_scores[at] = grad_scores[at].zip(weights[at], |g, weight| (g - mean) * weight);
                    }
                }
                // Rows behind the last position belong to no position.
                for rows in grad_scores.chunks_exact_mut(stride) {
                    rows[positions..].fill(Row::ZERO);
                }
                accumulate_panels(weights, d, sizes, |panel| sizes.first_seeing(panel), grad_v);
                accumulate_panels(grad_scores, q, sizes, |panel| sizes.first_seeing(panel), grad_k);
                multiply_blocks(grad_scores, k, sizes, |block| sizes.seen_panels(block), grad_q, false);
                if let Some(distances) = distances {
                    pack_distances(distances, sizes, head, r);
                    by_distance.fill(Row::ZERO);
                    for i in 0..positions {
                        let moved = stride - 1 - i;
                        for panel in moved / LANES..stride / LANES {
                            let from = panel - moved / LANES;
                            let before = from.checked_sub(1).map_or(Row::ZERO, |before| grad_scores[before * stride + i]);
                            let rows = [before, grad_scores[from * stride + i]];
                            by_distance[panel * stride + i] = lanes_from(rows, LANES - moved % LANES);
                        }
                    }
                    let grad_r = &mut grad_distances[head * vectors..][..vectors];
                    accumulate_panels(by_distance, q, sizes, |panel| sizes.first_at_distances(panel), grad_r);
                    let all = stride / LANES;
                    multiply_blocks(by_distance, r, sizes, |block| all - block - 1..all, grad_q, true);
                }
                for row in grad_q.iter_mut() {
                    row_by_row();
                    *row = *row * scale;
                }
            }
        }
    }
}

wide! {
    /// Adds one of the three gradients that [`backward_simd`] wrote, or writes it.
    ///
    /// # Shapes
    /// `gradient` has the layout of `query`; `which` is 0 for queries, 1 for keys, 2 for values.
    pub fn add_gradient(sizes: Sizes, which: usize, workspace: &[Row], gradient: &mut PanelsMut<'_>, examples: usize, overwrites: bool) {
        let (heads, stride, vectors) = (sizes.heads, sizes.stride(), sizes.vectors());
        let most = workspace_examples(sizes, workspace.len());
        let all = &workspace[most * heads.count * sizes.weights()..];
        for example in 0..examples {
            for head in 0..heads.count {
                let own = &all[((example * heads.count + head) * 3 + which) * vectors..][..vectors];
                for (panel, rows) in own.chunks_exact(stride).enumerate() {
                    let at = (head * heads.panels() + panel) * gradient.stride + example * sizes.positions;
                    for (sum, row) in gradient.rows[at..][..sizes.positions].iter_mut().zip(rows) {
                        row_by_row();
                        *sum = if overwrites { *row } else { *sum + *row };
                    }
                }
            }
        }
    }
}

wide! {
    /// Adds the gradient of the vectors of distances that [`backward_simd`] wrote.
    ///
    /// # Shapes
    /// `gradient` is `[head][panel][distance]`.
    pub fn add_gradient_of_distances(sizes: Sizes, workspace: &[Row], gradient: &mut PanelsMut<'_>) {
        let (heads, stride, vectors) = (sizes.heads, sizes.stride(), sizes.vectors());
        let all = workspace_examples(sizes, workspace.len()) * heads.count;
        let own = &workspace[all * (sizes.weights() + 3 * vectors)..][..heads.count * vectors];
        for (panel, rows) in own.chunks_exact(stride).enumerate() {
            let sums = gradient.panel(panel, sizes.positions);
            // The largest distance comes first.
            for (sum, row) in sums.iter_mut().zip(rows.iter().rev()) {
                row_by_row();
                *sum = *sum + *row;
            }
        }
    }
}

/// Attention on tensors.
///
/// # Shapes
/// Queries, keys and values are `[replicas, batch · positions, heads · size]`, and so is the result.
#[cfg(feature = "train")]
pub fn forward_tensors(
    all: [burn::tensor::Tensor<3>; 3],
    distances: Option<burn::tensor::Tensor<3>>,
    positions: usize,
    heads: usize,
    weighting: Weighting,
    is_causal: bool,
) -> burn::tensor::Tensor<3> {
    use burn::tensor::activation::{relu, softmax};
    use burn::tensor::{Tensor, TensorData};
    /// Added to the score of a position that is not seen; −∞ would have no gradient on some GPUs.
    const HIDDEN: f32 = -1e9;
    let [replicas, rows, columns] = all[0].dims();
    let size = columns / heads;
    let device = all[0].device();
    let [q, k, v] = all.map(|x| {
        let x = x.reshape([replicas * rows / positions, positions, heads, size]);
        x.swap_dims(1, 2) // [replicas · batch, heads, positions, size]
    });
    let mut scores = q.clone().matmul(k.swap_dims(2, 3));
    if let Some(distances) = distances {
        let batch = rows / positions;
        let r = distances.reshape([replicas, positions, heads, size]).swap_dims(1, 2);
        // Heads before examples, so that all examples of a head meet its distances in one product.
        let q = q.reshape([replicas, batch, heads, positions * size]).swap_dims(1, 2);
        let q = q.reshape([replicas, heads, batch * positions, size]);
        let products = q.matmul(r.swap_dims(2, 3)).reshape([replicas, heads, batch, positions * positions]);
        let products = products.swap_dims(1, 2).reshape([replicas * batch, heads, positions, positions]);
        scores = scores + skewed(products);
    }
    let scores = scores / (size as f32).sqrt();
    // For position i and seen position j.
    let each = |value: &dyn Fn(usize, usize) -> f32| {
        let all = (0..positions * positions).map(|at| value(at / positions, at % positions)).collect();
        Tensor::<4>::from_data(TensorData::new(all, [1, 1, positions, positions]), &device)
    };
    let is_seen = |i: usize, j: usize| j < seen(i, positions, is_causal);
    let weights = match weighting {
        Weighting::Softmax if is_causal => {
            softmax(scores + each(&|i, j| if is_seen(i, j) { 0.0 } else { HIDDEN }), 3)
        }
        Weighting::Softmax => softmax(scores, 3),
        Weighting::Relu => {
            let share = |i: usize| 1.0 / seen(i, positions, is_causal) as f32;
            relu(scores) * each(&|i, j| if is_seen(i, j) { share(i) } else { 0.0 })
        }
    };
    weights.matmul(v).swap_dims(1, 2).reshape([replicas, rows, columns])
}

/// Entry (i, j) is entry (i, i − j) of each matrix where j ≤ i, and another number elsewhere (Huang et al. 2018, "Music
/// Transformer", section 3.4.1).
///
/// # Why
/// A gather would do less work, but its gradient adds numbers up by float atomics on GPUs, in an order that differs from run to
/// run.
///
/// # Shapes
/// `rows` and the result are `[any, heads, length, length]`.
#[cfg(feature = "train")]
fn skewed(rows: burn::tensor::Tensor<4>) -> burn::tensor::Tensor<4> {
    use burn::tensor::Tensor;
    let [any, heads, length, _] = rows.dims();
    let zeros = rows.clone().narrow(3, 0, 1).zeros_like();
    let padded = Tensor::cat(vec![zeros, rows.flip([3])], 3); // [any, heads, length, length + 1]
    padded.reshape([any, heads, length + 1, length]).narrow(2, 1, length)
}
