//! The tensor T of the bilinear form, and the distributions of chains over which it is an expectation.

use super::quadrature::gauss_legendre;
use vivarium_core::math::add_scaled;

/// Number of quadrature nodes in each of the two dimensions of the chains (a, b).
const QUADRATURE_NODES: usize = 60;

/// Distributions of the chain P = \[\[a, 1 − a\], \[1 − b, b\]\] on two symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TwoSymbolDistribution {
    /// a and b are independent and uniform in (0, 1): each row has a flat Dirichlet distribution.
    Independent,
    /// a = b is uniform in (½ − ε, ½ + ε), with 0 < ε ≤ ½: doubly stochastic, so that both symbols are equally
    /// frequent.
    Equal {
        /// Half-width ε of the interval.
        epsilon: f64,
    },
    /// The single chain with this a and this b.
    Fixed(f64, f64),
}

/// The tensor T\[m, l, d\] for contexts of one length: the expected loss is a constant minus Σ T\[m, l, d\] W_ml
/// v_d, where W and v are the weights of [`MinimalModel`](super::MinimalModel), m is the current symbol, and l the
/// symbol that lies the distance d before a counted one.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientTensor {
    /// Number t of symbols in a context.
    length: usize,
    /// The entries T\[m, l, d\] for the symbols m (row of W) and l (column of W) and the distances d from 0, `[2,
    /// 2, length]`.
    values: Vec<f64>,
}

impl GradientTensor {
    /// Computes the tensor T for chains of this distribution and contexts of `length` symbols, by quadrature.
    ///
    /// # Why
    /// Near a = b = 1 the stationary distribution depends on the direction, so that quadrature on the square
    /// converges slowly. On the triangle a > b with 1 − a = u r and 1 − b = u (Duffy 1982), the integrand is a
    /// polynomial in u and smooth in r; the other triangle follows by exchanging the symbols. 60 by 60 nodes then
    /// give 13 digits at t = 256, in 7 ms.
    pub fn compute(distribution: TwoSymbolDistribution, length: usize) -> Self {
        GradientTensor::compute_with_nodes(distribution, length, QUADRATURE_NODES)
    }

    /// Computes the tensor T with `nodes` quadrature nodes in each of the two dimensions of the chains (a, b).
    pub(super) fn compute_with_nodes(
        distribution: TwoSymbolDistribution,
        length: usize,
        nodes: usize,
    ) -> Self {
        let mut sums = TensorSums::new(length);
        match distribution {
            TwoSymbolDistribution::Independent => {
                let nodes = gauss_legendre(nodes);
                for (u, du) in &nodes {
                    for (r, dr) in &nodes {
                        // Each triangle contributes half of the expectation.
                        sums.add_with_swapped_symbols(1.0 - u * r, 1.0 - u, u * du * dr);
                    }
                }
            }
            TwoSymbolDistribution::Equal { epsilon } => {
                for (x, dx) in gauss_legendre(nodes) {
                    let a = 0.5 + epsilon * (2.0 * x - 1.0);
                    sums.add_with_swapped_symbols(a, a, 0.5 * dx);
                }
            }
            TwoSymbolDistribution::Fixed(a, b) => sums.add(a, b, 1.0),
        }
        let mut values = sums.values;
        if !matches!(distribution, TwoSymbolDistribution::Fixed(..)) {
            // These distributions are symmetric in the symbols: the second row is the first with the symbols
            // exchanged.
            for l in 0..2 {
                let from = (1 - l) * length;
                values.copy_within(from..from + length, (2 + l) * length);
            }
        }
        let scale = 1.0 / length as f64;
        values.iter_mut().for_each(|value| *value *= scale);
        GradientTensor { length, values }
    }

    /// Number t of symbols in a context.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The entries T\[m, l, d\] for all distances d, `[length]`; m is the row of the model's matrix W and l its
    /// column.
    pub fn entry(&self, m: usize, l: usize) -> &[f64] {
        &self.values[(2 * m + l) * self.length..][..self.length]
    }

    /// Negative gradient of the loss with respect to W: Σ_d T\[m, l, d\] v_d, where `lags` is v.
    pub fn kernel_gradient(&self, lags: &[f64]) -> [[f64; 2]; 2] {
        let sum = |m, l| self.entry(m, l).iter().zip(lags).map(|(t, v)| t * v).sum();
        [[sum(0, 0), sum(0, 1)], [sum(1, 0), sum(1, 1)]]
    }

    /// Negative gradient of the loss with respect to v: Σ_ml W\[m, l\] T\[m, l, d\], `[length]`, where `kernel` is W.
    pub fn lag_gradient(&self, kernel: &[[f64; 2]; 2]) -> Vec<f64> {
        let mut out = vec![0.0; self.length];
        for (m, row) in kernel.iter().enumerate() {
            for (l, weight) in row.iter().enumerate() {
                add_scaled(&mut out, *weight, self.entry(m, l));
            }
        }
        out
    }
}

/// Accumulates t·T over chains, where T is the tensor of [`GradientTensor`] and t the context length.
struct TensorSums {
    /// Number t of symbols in a context.
    length: usize,
    /// The sum of t·T over the chains so far, `[2, 2, length]`.
    values: Vec<f64>,
    /// λ^d for each distance d, `[length]`, where λ = a + b − 1 is the second eigenvalue of the current chain.
    powers: Vec<f64>,
    /// The sum s_N = Σ_{q<N} (N − q) λ^q with N = t − d for each distance d, `[length]`.
    series: Vec<f64>,
    /// N(N + 1)/2 with N = t − d for each distance d, `[length]`.
    triangles: Vec<f64>,
}

impl TensorSums {
    /// Sums over no chains yet, all 0, for contexts of `length` symbols.
    fn new(length: usize) -> Self {
        let triangle = |d: usize| (length - d) as f64 * (length - d + 1) as f64 / 2.0;
        TensorSums {
            length,
            values: vec![0.0; 4 * length],
            powers: vec![0.0; length],
            series: vec![0.0; length],
            triangles: (0..length).map(triangle).collect(),
        }
    }

    /// For a chain with second eigenvalue λ, computes λ^d and s_N = Σ_{q<N} (N − q) λ^q, N = t − d, for every
    /// distance d.
    ///
    /// # Why
    /// s_N − s_{N−1} = Σ_{q<N} λ^q = 1 + λ (s_{N−1} − s_{N−2}) takes two additions per distance and no division by 1
    /// − λ or λ. The closed forms (I), (II) and (III) of equation E.17 divide, and lose their digits near λ = 1 and λ
    /// = 0.
    fn compute_powers(&mut self, lambda: f64) {
        let (mut power, mut geometric, mut sum) = (1.0, 0.0, 0.0);
        for (at, power_at) in self.powers.iter_mut().enumerate() {
            *power_at = power;
            power *= lambda;
            geometric = 1.0 + lambda * geometric;
            sum += geometric;
            self.series[self.length - 1 - at] = sum;
        }
    }

    /// Adds one chain's contribution to the entries (m, l) of t·T for all distances; the last argument has the four
    /// [`tensor_factors`] of the chain for m and l.
    fn add_entry(&mut self, m: usize, l: usize, [constant, series, power, product]: [f64; 4]) {
        let values = &mut self.values[(2 * m + l) * self.length..][..self.length];
        let tables = self.powers.iter().zip(&self.series).zip(&self.triangles);
        for (value, ((p, s), triangle)) in values.iter_mut().zip(tables) {
            *value += triangle * (constant + power * p) + s * (series + product * p);
        }
    }

    /// Adds `weight` times the contribution of the chain (a, b) to all entries of t·T.
    fn add(&mut self, a: f64, b: f64, weight: f64) {
        self.compute_powers(a + b - 1.0);
        for (m, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            self.add_entry(m, l, tensor_factors(a, b, m, l).map(|f| f * weight));
        }
    }

    /// Adds `weight` times the contributions of the chains (a, b) and (b, a) to the entries of t·T with m = 0. The
    /// second chain is the first with the symbols exchanged.
    fn add_with_swapped_symbols(&mut self, a: f64, b: f64, weight: f64) {
        self.compute_powers(a + b - 1.0);
        for l in 0..2 {
            let (first, swapped) = (tensor_factors(a, b, 0, l), tensor_factors(a, b, 1, 1 - l));
            self.add_entry(0, l, std::array::from_fn(|i| weight * (first[i] + swapped[i])));
        }
    }
}

/// Four factors in t·T\[m, l, d\] for the chain (a, b): those of N(N + 1)/2, s_N, λ^d N(N + 1)/2 and λ^d s_N, with
/// N = t − d, λ = a + b − 1 and s_N = Σ_{q<N} (N − q) λ^q.
///
/// With Π the matrix whose rows are the stationary distribution π of the chain's matrix P,
/// P^n = Π + λ^n (1 − Π) and S_N = Σ_{q<N} (N − q) P^q = N(N + 1)/2 Π + s_N (1 − Π);
/// both go into Σ_i (P_mi − ½) π_l (P^d)_li (S_N)_im.
fn tensor_factors(a: f64, b: f64, m: usize, l: usize) -> [f64; 4] {
    let chain = [[a, 1.0 - a], [1.0 - b, b]];
    let stationary = [(1.0 - b) / (2.0 - a - b), (1.0 - a) / (2.0 - a - b)];
    let mut out = [0.0; 4];
    for i in 0..2 {
        let outer = (chain[m][i] - 0.5) * stationary[l];
        let (from, to) = (f64::from(l == i) - stationary[i], f64::from(i == m) - stationary[m]);
        out[0] += outer * stationary[i] * stationary[m];
        out[1] += outer * stationary[i] * to;
        out[2] += outer * from * stationary[m];
        out[3] += outer * from * to;
    }
    out
}
