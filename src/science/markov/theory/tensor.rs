//! The tensor T of the bilinear form, and the laws of chains that it is an expectation over.

use super::quadrature::gauss_legendre;
use vivarium_core::math::add_scaled;

/// Nodes of the quadrature in each direction.
const NODES: usize = 60;

/// Laws of the chain P = \[\[a, 1 − a\], \[1 − b, b\]\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// a and b uniform in (0, 1), independently: rows of a flat Dirichlet law.
    Independent,
    /// a = b uniform in (½ − ε, ½ + ε), with 0 < ε ≤ ½: doubly stochastic, so that both symbols are equally frequent.
    Equal {
        /// Half the width ε.
        epsilon: f64,
    },
    /// This a and this b.
    Chain(f64, f64),
}

/// T\[m, l, d\] for contexts of one length: the loss's bilinear form in W and v.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Symbols t of a context.
    length: usize,
    /// `[2, 2, length]`, distances from 0.
    values: Vec<f64>,
}

impl Tensor {
    /// T of chains of this law, by quadrature.
    ///
    /// # Why
    /// Near a = b = 1 the stationary law depends on the direction, so that nodes on the square converge slowly. On the
    /// triangle a > b with 1 − a = u r and 1 − b = u (Duffy 1982) everything is a polynomial in u and smooth in r; the other
    /// triangle is the same with the symbols exchanged. 60 by 60 nodes then give 13 digits at t = 256, in 7 ms.
    pub fn new(law: Law, length: usize) -> Self {
        Tensor::with_nodes(law, length, NODES)
    }

    /// The same with another number of nodes.
    pub(super) fn with_nodes(law: Law, length: usize, nodes: usize) -> Self {
        let mut sums = Sums::new(length);
        match law {
            Law::Independent => {
                let nodes = gauss_legendre(nodes);
                for (u, du) in &nodes {
                    for (r, dr) in &nodes {
                        // Half of it for each of the two triangles.
                        sums.add_both(1.0 - u * r, 1.0 - u, u * du * dr);
                    }
                }
            }
            Law::Equal { epsilon } => {
                for (x, dx) in gauss_legendre(nodes) {
                    let a = 0.5 + epsilon * (2.0 * x - 1.0);
                    sums.add_both(a, a, 0.5 * dx);
                }
            }
            Law::Chain(a, b) => sums.add(a, b, 1.0),
        }
        let mut values = sums.values;
        if !matches!(law, Law::Chain(..)) {
            // The second row is the first with the symbols exchanged, which these laws do not tell apart.
            for l in 0..2 {
                let from = (1 - l) * length;
                values.copy_within(from..from + length, (2 + l) * length);
            }
        }
        let scale = 1.0 / length as f64;
        values.iter_mut().for_each(|value| *value *= scale);
        Tensor { length, values }
    }

    /// Symbols t of a context.
    pub fn length(&self) -> usize {
        self.length
    }

    /// T\[m, l, ·\] over distances from 0; m is the row of W.
    pub fn entry(&self, m: usize, l: usize) -> &[f64] {
        &self.values[(2 * m + l) * self.length..][..self.length]
    }

    /// Σ_d T\[m, l, d\] v_d: minus the loss's gradient with respect to W.
    pub fn of_kernel(&self, lags: &[f64]) -> [[f64; 2]; 2] {
        let sum = |m, l| self.entry(m, l).iter().zip(lags).map(|(t, v)| t * v).sum();
        [[sum(0, 0), sum(0, 1)], [sum(1, 0), sum(1, 1)]]
    }

    /// Σ_ml W\[m, l\] T\[m, l, d\], `[length]`: minus the loss's gradient with respect to v.
    pub fn of_lags(&self, kernel: &[[f64; 2]; 2]) -> Vec<f64> {
        let mut out = vec![0.0; self.length];
        for (m, row) in kernel.iter().enumerate() {
            for (l, weight) in row.iter().enumerate() {
                add_scaled(&mut out, *weight, self.entry(m, l));
            }
        }
        out
    }
}

/// Sums over chains of t·T.
struct Sums {
    length: usize,
    /// `[2, 2, length]`.
    values: Vec<f64>,
    /// λ^d.
    powers: Vec<f64>,
    /// s_N at distance d = t − N.
    series: Vec<f64>,
    /// N(N + 1)/2 at the same.
    triangles: Vec<f64>,
}

impl Sums {
    fn new(length: usize) -> Self {
        let triangle = |d: usize| (length - d) as f64 * (length - d + 1) as f64 / 2.0;
        Sums {
            length,
            values: vec![0.0; 4 * length],
            powers: vec![0.0; length],
            series: vec![0.0; length],
            triangles: (0..length).map(triangle).collect(),
        }
    }

    /// λ^d and s_N = Σ_{q<N} (N − q) λ^q for every distance.
    ///
    /// # Why
    /// s_N − s_{N−1} = Σ_{q<N} λ^q = 1 + λ (s_{N−1} − s_{N−2}): two sums per distance, and no quotient by 1 − λ or λ as in the
    /// closed forms (I), (II) and (III) of equation E.17, which lose their digits near λ = 1 and λ = 0.
    fn advance(&mut self, lambda: f64) {
        let (mut power, mut geometric, mut sum) = (1.0, 0.0, 0.0);
        for (at, power_at) in self.powers.iter_mut().enumerate() {
            *power_at = power;
            power *= lambda;
            geometric = 1.0 + lambda * geometric;
            sum += geometric;
            self.series[self.length - 1 - at] = sum;
        }
    }

    /// Adds `weight` times what the chain gives to row m, column l, and with `both` of its entries exchanged.
    fn add_entry(&mut self, m: usize, l: usize, [constant, series, power, product]: [f64; 4]) {
        let values = &mut self.values[(2 * m + l) * self.length..][..self.length];
        let tables = self.powers.iter().zip(&self.series).zip(&self.triangles);
        for (value, ((p, s), triangle)) in values.iter_mut().zip(tables) {
            *value += triangle * (constant + power * p) + s * (series + product * p);
        }
    }

    /// Adds the chain (a, b) to all four entries.
    fn add(&mut self, a: f64, b: f64, weight: f64) {
        self.advance(a + b - 1.0);
        for (m, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            self.add_entry(m, l, factors(a, b, m, l).map(|f| f * weight));
        }
    }

    /// Adds the chains (a, b) and (b, a) to the first row: the second is the first with the symbols exchanged.
    fn add_both(&mut self, a: f64, b: f64, weight: f64) {
        self.advance(a + b - 1.0);
        for l in 0..2 {
            let (own, other) = (factors(a, b, 0, l), factors(a, b, 1, 1 - l));
            self.add_entry(0, l, std::array::from_fn(|i| weight * (own[i] + other[i])));
        }
    }
}

/// What multiplies N(N + 1)/2, s_N, λ^d N(N + 1)/2 and λ^d s_N in t·T\[m, l, d\] of one chain.
///
/// With Π the matrix whose rows are π, P^n = Π + λ^n (1 − Π) and S_N = Σ_{q<N} (N − q) P^q = N(N + 1)/2 Π + s_N (1 − Π);
/// both go into Σ_i (P_mi − ½) π_l (P^d)_li (S_N)_im.
fn factors(a: f64, b: f64, m: usize, l: usize) -> [f64; 4] {
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
