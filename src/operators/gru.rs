//! Gated recurrent units: the state at each position, computed from the state at the position before it.
//!
//! ```text
//! c = h_{t−1} w + b                                      a [positions, 3 · units], w [units, 3 · units], b [1, 3 · units]
//! r = σ(a_r + c_r)    u = σ(a_u + c_u)    n = tanh(a_n + r c_n)            r, u, n: the thirds of row t of a, and of c
//! out_t = h_t = (1 − u) n + u h_{t−1}                    h_{−1} = 0, out [positions, units]
//! g_t = grad_out_t + u_{t+1} g_{t+1} + d_{t+1} wᵀ        at the last position g_t = grad_out_t
//! grad_n = g (1 − u) (1 − n²)    grad_u = g (h_{t−1} − n) u (1 − u)    grad_r = grad_n c_n r (1 − r)
//! grad_a_t = (grad_r, grad_u, grad_n)    d_t = (grad_r, grad_u, r grad_n)
//! grad_w += h_{t−1}ᵀ d_t    grad_b += d_t
//! ```
//!
//! Cho et al. 2014, section 2.3, in the form of PyTorch's `GRU`: r multiplies the product with w and its bias, not the state. Both
//! call the gate u z.
//!
//! # Why
//! In vectors the examples of a block are computed side by side, position by position, so that the product with w has full
//! tiles. The gradient of w is one product for all positions of an example.

use crate::matrix::Matrix;
use crate::simd::{
    LANES, Panels, PanelsMut, Row, Source, TILE_ROWS, accumulate_weight_gradient, multiply, panels,
    row_by_row, sigmoid, tanh, wide,
};

/// Smallest number of examples of a block, whose gates are computed side by side.
pub const EXAMPLES: usize = 8;

/// Gates at a position, number by number.
struct Gates {
    c: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
    n: Vec<f64>,
}

/// The gates at a position with these inputs, after the state `before`.
fn gates(a: &[f64], before: &Matrix, w: &Matrix, bias: &Matrix) -> Gates {
    let units = w.rows;
    let mut c = before.multiply(w);
    c.add(bias);
    let logistic = |x: f64| 1.0 / (1.0 + libm::exp(-x));
    let gate = |first: usize| (first..first + units).map(|at| logistic(a[at] + c.values[at])).collect();
    let (r, u): (Vec<f64>, Vec<f64>) = (gate(0), gate(units));
    let n = (0..units).map(|k| libm::tanh(a[2 * units + k] + r[k] * c.values[2 * units + k])).collect();
    Gates { c: c.values, r, u, n }
}

/// The states at all positions.
pub fn forward(a: &Matrix, w: &Matrix, bias: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows, w.rows);
    let mut before = Matrix::zeros(1, w.rows);
    for t in 0..a.rows {
        let Gates { u, n, .. } = gates(a.row(t), &before, w, bias);
        let states = before.values.iter_mut().zip(u.iter().zip(&n));
        states.for_each(|(h, (u, n))| *h = (1.0 - u) * n + u * *h);
        out.row_mut(t).copy_from_slice(&before.values);
    }
    out
}

/// The gradients of a, w and the bias; `out` is the result of [`forward`].
pub fn backward(a: &Matrix, w: &Matrix, bias: &Matrix, out: &Matrix, grad_output: &Matrix) -> [Matrix; 3] {
    let [mut grad_a, mut grad_w, mut grad_bias] = [a, w, bias].map(Matrix::zeros_like);
    let units = w.rows;
    let mut grad_state = vec![0.0; units];
    for t in (0..a.rows).rev() {
        let mut before = Matrix::zeros(1, units);
        if t > 0 {
            before.values.copy_from_slice(out.row(t - 1));
        }
        let Gates { c, r, u, n } = gates(a.row(t), &before, w, bias);
        let mut d = Matrix::zeros(1, 3 * units);
        for k in 0..units {
            let g = grad_output.row(t)[k] + grad_state[k];
            let grad_n = g * (1.0 - u[k]) * (1.0 - n[k] * n[k]);
            let grad_u = g * (before.values[k] - n[k]) * u[k] * (1.0 - u[k]);
            let grad_r = grad_n * c[2 * units + k] * r[k] * (1.0 - r[k]);
            for (part, (of_input, of_product)) in
                [(grad_r, grad_r), (grad_u, grad_u), (grad_n, r[k] * grad_n)].into_iter().enumerate()
            {
                grad_a.row_mut(t)[part * units + k] = of_input;
                d.values[part * units + k] = of_product;
            }
            grad_state[k] = g * u[k];
        }
        let of_products = d.multiply(&w.transposed());
        grad_state.iter_mut().zip(&of_products.values).for_each(|(sum, product)| *sum += product);
        grad_w.add(&before.transposed().multiply(&d));
        grad_bias.add(&d);
    }
    [grad_a, grad_w, grad_bias]
}

/// Positions of an example, and units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Positions of an example.
    pub positions: usize,
    /// Units.
    pub units: usize,
}

impl Sizes {
    /// Panels of units.
    fn panels(self) -> usize {
        panels(self.units)
    }

    /// Rows of the workspace for so many examples in values with this stride: r, u, c_n and n of each sample, and a state and a c
    /// of each example.
    ///
    /// The backward pass replaces them by the parts of d, and by the gradient of n.
    pub fn workspace_rows(self, stride: usize, examples: usize) -> usize {
        4 * self.panels() * (stride + examples.next_multiple_of(TILE_ROWS))
    }
}

wide! {
    /// Writes the states of `examples` examples, and what the backward pass needs into the workspace.
    ///
    /// # Shapes
    /// `a` is `[third][panel of units][sample]`, `w` is `[third][panel of units][unit]`, the bias has one row, and `out` is
    /// `[panel of units][sample]`, with the positions of an example one after the other. The workspace holds
    /// [`Sizes::workspace_rows`].
    pub fn forward_simd(
        a: Panels<'_>,
        w: Panels<'_>,
        bias: Source<'_>,
        sizes: Sizes,
        workspace: &mut [Row],
        out: &mut PanelsMut<'_>,
        examples: usize,
    ) {
        let (panels, stride, tiled) = (sizes.panels(), out.stride, examples.next_multiple_of(TILE_ROWS));
        let (all, rest) = workspace.split_at_mut(4 * panels * stride);
        let (state, c) = rest[..4 * panels * tiled].split_at_mut(panels * tiled);
        state.fill(Row::ZERO);
        for position in 0..sizes.positions {
            for (panel, c) in c.chunks_exact_mut(tiled).enumerate() {
                c.fill(bias.row(panel, 0));
            }
            multiply(Panels::new(state, tiled), w, sizes.units, &mut PanelsMut::new(c, tiled), tiled, true);
            for panel in 0..panels {
                for example in 0..examples {
                    row_by_row();
                    let sample = example * sizes.positions + position;
                    let part = |number: usize| number * panels + panel;
                    let a = |number: usize| a.rows[part(number) * a.stride + sample];
                    let c = |number: usize| c[part(number) * tiled + example];
                    let (r, u, c_n) = (sigmoid(a(0) + c(0)), sigmoid(a(1) + c(1)), c(2));
                    let n = tanh(a(2) + r.zip(c_n, |r, c| r * c));
                    all[part(0) * stride + sample] = r;
                    all[part(1) * stride + sample] = u;
                    all[part(2) * stride + sample] = c_n;
                    all[part(3) * stride + sample] = n;
                    let state = &mut state[panel * tiled + example];
                    *state = n.zip(u, |n, u| (1.0 - u) * n) + u.zip(*state, |u, h| u * h);
                    out.rows[panel * stride + sample] = *state;
                }
            }
        }
    }
}

wide! {
    /// Replaces in the workspace what [`forward_simd`] has written by gradients.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `transposed` is `[panel of units][third, unit]`, `states` are the result.
    pub fn backward_simd(
        transposed: Panels<'_>,
        states: Panels<'_>,
        grad_output: Panels<'_>,
        sizes: Sizes,
        workspace: &mut [Row],
        examples: usize,
    ) {
        let (panels, stride, tiled) = (sizes.panels(), states.stride, examples.next_multiple_of(TILE_ROWS));
        let (all, rest) = workspace.split_at_mut(4 * panels * stride);
        let (grad_state, d) = rest[..4 * panels * tiled].split_at_mut(panels * tiled);
        grad_state.fill(Row::ZERO);
        d.fill(Row::ZERO);
        for position in (0..sizes.positions).rev() {
            for panel in 0..panels {
                for example in 0..examples {
                    row_by_row();
                    let sample = example * sizes.positions + position;
                    let part = |number: usize| number * panels + panel;
                    let at = |number: usize| part(number) * stride + sample;
                    let (r, u, c, n) = (all[at(0)], all[at(1)], all[at(2)], all[at(3)]);
                    let before = match position {
                        0 => Row::ZERO,
                        _ => states.rows[panel * stride + sample - 1],
                    };
                    let grad_state = &mut grad_state[panel * tiled + example];
                    let g = grad_output.rows[panel * grad_output.stride + sample] + *grad_state;
                    let grad_n = g.zip(u, |g, u| g * (1.0 - u)).zip(n, |g, n| g * (1.0 - n * n));
                    let grad_u = g.zip(before - n, |g, d| g * d).zip(u, |g, u| g * u * (1.0 - u));
                    let grad_r = grad_n.zip(c, |g, c| g * c).zip(r, |g, r| g * r * (1.0 - r));
                    let grad_c = grad_n.zip(r, |g, r| g * r);
                    (all[at(0)], all[at(1)], all[at(2)], all[at(3)]) = (grad_r, grad_u, grad_c, grad_n);
                    d[part(0) * tiled + example] = grad_r;
                    d[part(1) * tiled + example] = grad_u;
                    d[part(2) * tiled + example] = grad_c;
                    *grad_state = g.zip(u, |g, u| g * u);
                }
            }
            let grad_state = &mut PanelsMut::new(grad_state, tiled);
            multiply(Panels::new(d, tiled), transposed, 3 * panels * LANES, grad_state, tiled, true);
        }
    }
}

wide! {
    /// Adds the gradient of a after [`backward_simd`], or writes it.
    pub fn add_gradient(
        sizes: Sizes,
        workspace: &[Row],
        stride: usize,
        grad_a: &mut PanelsMut<'_>,
        count: usize,
        overwrites: bool,
    ) {
        let panels = sizes.panels();
        for panel in 0..3 * panels {
            // The gradient of n is behind the parts of d.
            let from = if panel < 2 * panels { panel } else { panel + panels };
            let source = &workspace[from * stride..][..count];
            for (target, gradient) in grad_a.panel(panel, count).iter_mut().zip(source) {
                row_by_row();
                *target = if overwrites { *gradient } else { *target + *gradient };
            }
        }
    }
}

/// d of all samples after [`backward_simd`].
pub fn gradient_of_products(sizes: Sizes, workspace: &[Row], stride: usize) -> Panels<'_> {
    Panels::new(&workspace[..3 * sizes.panels() * stride], stride)
}

/// Adds the gradient of w after [`backward_simd`].
pub fn add_gradient_of_weights(
    sizes: Sizes,
    states: Panels<'_>,
    workspace: &[Row],
    grad_w: &mut PanelsMut<'_>,
    examples: usize,
) {
    let d = gradient_of_products(sizes, workspace, states.stride);
    for first in (0..examples).map(|example| example * sizes.positions) {
        let (before, d, count) = (states.from(first), d.from(first + 1), sizes.positions - 1);
        accumulate_weight_gradient(before, d, 3 * sizes.panels(), sizes.units, grad_w, count);
    }
}

/// The state after a position on tensors.
///
/// # Shapes
/// `a` is `[replicas, batch, 3 · units]`, the state `[replicas, batch, units]`, `w` `[replicas, units, 3 · units]` and the bias
/// `[replicas, 1, 3 · units]`.
#[cfg(feature = "train")]
pub fn next_state_tensors(
    a: burn::tensor::Tensor<3>,
    state: burn::tensor::Tensor<3>,
    w: burn::tensor::Tensor<3>,
    bias: burn::tensor::Tensor<3>,
) -> burn::tensor::Tensor<3> {
    use burn::tensor::activation::sigmoid;
    let units = state.dims()[2];
    let third = |x: &burn::tensor::Tensor<3>, number: usize| x.clone().narrow(2, number * units, units);
    let c = state.clone().matmul(w) + bias;
    let [r, u] = [0, 1].map(|number| sigmoid(third(&a, number) + third(&c, number)));
    let n = (third(&a, 2) + r * third(&c, 2)).tanh();
    n.clone() + u * (state - n)
}

/// The states on tensors.
///
/// # Shapes
/// `a` is `[replicas, batch · positions, 3 · units]`, the others as in [`next_state_tensors`]; the result is
/// `[replicas, batch · positions, units]`.
#[cfg(feature = "train")]
pub fn forward_tensors(
    a: burn::tensor::Tensor<3>,
    w: burn::tensor::Tensor<3>,
    bias: burn::tensor::Tensor<3>,
    positions: usize,
) -> burn::tensor::Tensor<3> {
    use burn::tensor::Tensor;
    let ([replicas, rows, _], [_, units, _]) = (a.dims(), w.dims());
    let batch = rows / positions;
    // All examples of a position side by side.
    let a = a.reshape([replicas, batch, positions, 3 * units]);
    let mut state = Tensor::<3>::zeros([replicas, batch, units], &w.device());
    let mut states = vec![];
    for t in 0..positions {
        let a = a.clone().narrow(2, t, 1).reshape([replicas, batch, 3 * units]);
        state = next_state_tensors(a, state, w.clone(), bias.clone());
        states.push(state.clone().reshape([replicas, batch, 1, units]));
    }
    Tensor::cat(states, 2).reshape([replicas, rows, units])
}
