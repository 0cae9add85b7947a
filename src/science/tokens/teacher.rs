//! The function g that gives the labels, with exact moments of its labels.

use std::f64::consts::PI;

use super::MAX_NAMES;
use vivarium_core::choices;
use vivarium_core::math::{dot, norm, normalize};
use vivarium_core::rng::{Purpose, RandomStream};

choices! {
    /// Families of functions g of the tokens that a position names.
    pub enum TeacherKind {
        /// ⟨u, (x_1, …, x_q)⟩ with a random vector u of length 1.
        Linear = "linear", "Linear";
        /// The mean of all coordinates of the tokens, times √(qd).
        Mean = "mean", "Mean";
        /// Σ (‖x_j‖² − d) / √(qd), which is uncorrelated with every linear function of the tokens.
        Squares = "squares", "Sum of centred squares";
        /// A random network of one hidden layer of ReLUs, shifted and scaled to mean 0 and variance 1.
        Network = "network", "Random two-layer ReLU network";
    }
}

/// A label function g of q named tokens, each a vector of dimension d.
#[derive(Debug, Clone, PartialEq)]
pub struct Teacher {
    /// Number q of tokens that the label function depends on.
    names: usize,
    /// Dimension d of a token.
    dim: usize,
    /// The parameters of the label function g, which depend on its family.
    parameters: TeacherParameters,
}

/// The parameters of a label function g, for each family of functions.
#[derive(Debug, Clone, PartialEq)]
enum TeacherParameters {
    /// The direction u, `[names · dim]`.
    Linear(Vec<f64>),
    /// The scaled mean of all coordinates.
    Mean,
    /// The scaled sum of centred squares.
    Squares,
    /// The random network.
    Network(ReluTeacher),
}

/// A random network g(x) = scale · (Σ_k a_k relu(⟨w_k, x⟩) − mean) of the named tokens x, whose outputs have mean 0
/// and variance 1 for standard normal x.
#[derive(Debug, Clone, PartialEq)]
struct ReluTeacher {
    /// Input weights of each unit, `[units][names · dim]`, unit vectors.
    w: Vec<Vec<f64>>,
    /// Output weights a_k of the units, `[units]`.
    a: Vec<f64>,
    /// Mean of Σ_k a_k relu(⟨w_k, x⟩) over standard normal x.
    mean: f64,
    /// Factor that scales the variance of the network's output to 1.
    scale: f64,
}

/// A network with one hidden layer of ReLUs that computes or approximates the label function g of the named tokens
/// x: Σ_k a_k relu(⟨w_k, x⟩ + b_k) + c (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, assumption 2).
#[derive(Debug, Clone, PartialEq)]
pub struct ReluReadout {
    /// Input weights w_k of the hidden units, column k for unit k, `[names · dim, units]`.
    pub w: Vec<f64>,
    /// Biases b_k of the units, `[units]`.
    pub b: Vec<f64>,
    /// Output weights a_k of the units, `[units]`.
    pub a: Vec<f64>,
    /// Bias c that is added to the readout's output.
    pub c: f64,
}

impl ReluReadout {
    /// Computes the readout's output for the named tokens in sequence, `[names · dim]`.
    pub fn compute_output(&self, tokens: &[f64]) -> f64 {
        let mut sum = self.c;
        for (k, (b, a)) in self.b.iter().zip(&self.a).enumerate() {
            let weights = self.w.iter().skip(k).step_by(self.b.len());
            let z: f64 = weights.zip(tokens).map(|(w, x)| w * x).sum();
            sum += a * (z + b).max(0.0);
        }
        sum
    }

    /// Builds a readout from units, each with its input weights `[names · dim]`, its bias and its output weight.
    fn from_units(units: Vec<(Vec<f64>, f64, f64)>, c: f64) -> Self {
        let inputs = units.first().map_or(0, |(w, ..)| w.len());
        let w = (0..inputs).flat_map(|i| units.iter().map(move |(w, ..)| w[i])).collect();
        ReluReadout {
            w,
            b: units.iter().map(|(_, b, _)| *b).collect(),
            a: units.iter().map(|(.., a)| *a).collect(),
            c,
        }
    }
}

/// Half-width L of the interval from −L to L in which squares are interpolated. A standard normal number is outside
/// with probability 6·10⁻⁵.
const SQUARE_RANGE: f64 = 4.0;

impl Teacher {
    /// Builds g as a network of ReLUs. It is exact except for squares, which are interpolated linearly between
    /// `knots` + 1 equidistant points of \[−4, 4\]; there the error of x² is at most h²/8 in either direction, where
    /// h is their distance.
    pub fn build_readout(&self, knots: usize) -> ReluReadout {
        let inputs = self.names * self.dim;
        let size = libm::sqrt(inputs as f64);
        let positive_and_negative = |u: Vec<f64>| {
            let negative = u.iter().map(|x| -x).collect();
            ReluReadout::from_units(vec![(u, 0.0, 1.0), (negative, 0.0, -1.0)], 0.0)
        };
        match &self.parameters {
            TeacherParameters::Linear(u) => positive_and_negative(u.clone()),
            TeacherParameters::Mean => positive_and_negative(vec![1.0 / size; inputs]),
            TeacherParameters::Squares => {
                let h = 2.0 * SQUARE_RANGE / knots as f64;
                // x² ≈ L² + slope₀ (x + L) + Σ 2h relu(x − x_k), with slope₀ = h − 2L and x_k = kh − L. Subtracting
                // h²/8 centres the error.
                let unit = |i: usize, k: usize| {
                    let mut w = vec![0.0; inputs];
                    w[i] = 1.0;
                    let slope = if k == 0 { h - 2.0 * SQUARE_RANGE } else { 2.0 * h };
                    (w, SQUARE_RANGE - k as f64 * h, slope / size)
                };
                let units = (0..inputs).flat_map(|i| (0..knots).map(move |k| unit(i, k))).collect();
                ReluReadout::from_units(
                    units,
                    inputs as f64 * (SQUARE_RANGE * SQUARE_RANGE - h * h / 8.0 - 1.0) / size,
                )
            }
            TeacherParameters::Network(network) => {
                let units = network.w.iter().zip(&network.a);
                let units = units.map(|(w, a)| (w.clone(), 0.0, network.scale * a)).collect();
                ReluReadout::from_units(units, -network.scale * network.mean)
            }
        }
    }

    /// Draws a label function of this family, of `names` tokens of dimension `dim`, from `seed`; a random network
    /// has `units` hidden units.
    pub fn draw(function: TeacherKind, names: usize, dim: usize, units: usize, seed: u64) -> Self {
        let stream = RandomStream::new(seed, Purpose::Support, 0);
        let vector = |step: u64| {
            unit((0..(names * dim) as u32).map(|i| f64::from(stream.draw_normal(step, i))).collect())
        };
        let kind = match function {
            TeacherKind::Linear => TeacherParameters::Linear(vector(0)),
            TeacherKind::Mean => TeacherParameters::Mean,
            TeacherKind::Squares => TeacherParameters::Squares,
            TeacherKind::Network => {
                let w = (0..units as u64).map(|k| vector(1 + k)).collect();
                let a = (0..units as u32).map(|k| f64::from(stream.draw_normal(0, k))).collect();
                let mut network = ReluTeacher { w, a, mean: 0.0, scale: 1.0 };
                let (mean, square) = network.moments(names, dim, &(0..names).collect::<Vec<_>>());
                network.mean = mean;
                network.scale = 1.0 / libm::sqrt(square - mean * mean);
                TeacherParameters::Network(network)
            }
        };
        Teacher { names, dim, parameters: kind }
    }

    /// Number q of tokens that the label function g depends on.
    pub fn name_count(&self) -> usize {
        self.names
    }

    /// The direction u of a linear function, `[names · dim]`; `None` for other families.
    pub fn linear_direction(&self) -> Option<&[f64]> {
        match &self.parameters {
            TeacherParameters::Linear(u) => Some(u),
            _ => None,
        }
    }

    /// Computes the label function g of the named tokens `tokens`.
    ///
    /// # Shapes
    /// `tokens` is `[names · dim]`.
    pub fn compute_label(&self, tokens: &[f64]) -> f64 {
        let size = libm::sqrt((self.names * self.dim) as f64);
        match &self.parameters {
            TeacherParameters::Linear(u) => dot(u, tokens),
            TeacherParameters::Mean => tokens.iter().sum::<f64>() / size,
            TeacherParameters::Squares => tokens.iter().map(|x| x * x - 1.0).sum::<f64>() / size,
            TeacherParameters::Network(network) => {
                let unit = |(w, a): (&Vec<f64>, &f64)| a * dot(w, tokens).max(0.0);
                let sum: f64 = network.w.iter().zip(&network.a).map(unit).sum();
                network.scale * (sum - network.mean)
            }
        }
    }

    /// Exact covariance of the labels g of two prompts with different names, where coordinates of token j of one
    /// prompt and token l of the other have covariance `shared[j, l]`. If `shared` is the covariance of the tokens'
    /// conditional means given a linear function of the tokens, the result is the variance of the label that this
    /// linear function explains.
    ///
    /// # Shapes
    /// `shared` is `[names, names]`, symmetric, with eigenvalues from 0 to 1.
    pub fn label_covariance(&self, shared: &[f64]) -> f64 {
        self.label_covariance_with_gradient(shared).0
    }

    /// Computes [`Teacher::label_covariance`] and its gradient with respect to the entries of `shared`, `[names,
    /// names]` and symmetric.
    pub fn label_covariance_with_gradient(&self, shared: &[f64]) -> (f64, Vec<f64>) {
        let q = self.names as f64;
        match &self.parameters {
            TeacherParameters::Linear(u) => {
                let gradient = block_inner_products(u, u, self.dim);
                (dot(shared, &gradient), gradient)
            }
            TeacherParameters::Mean => (shared.iter().sum::<f64>() / q, vec![1.0 / q; shared.len()]),
            // Two normal numbers of covariance c have squares of covariance 2c².
            TeacherParameters::Squares => {
                (2.0 * dot(shared, shared) / q, shared.iter().map(|c| 4.0 * c / q).collect())
            }
            TeacherParameters::Network(network) => {
                network.covariance_with_gradient(self.names, self.dim, shared)
            }
        }
    }

    /// Exact variance, over prompts of `positions` tokens, of a label without noise. If `repeated`, names are drawn
    /// independently and may be equal; otherwise they differ.
    ///
    /// # Why
    /// The equal names form a partition of the names. Given the partition, the label is a function of independent
    /// normal tokens, whose first two moments have closed forms; for ReLUs that is the arc-cosine kernel of Cho and
    /// Saul 2009.
    pub fn label_variance(&self, positions: usize, repeated: bool) -> f64 {
        let (mut mean, mut square) = (0.0, 0.0);
        for (share, classes) in name_partitions(self.names, positions, repeated) {
            let (m, s) = self.moments(&classes);
            mean += share * m;
            square += share * s;
        }
        square - mean * mean
    }

    /// Mean and mean square of the label function g, where names with the same class in `classes`, `[names]`, refer
    /// to the same token.
    fn moments(&self, classes: &[usize]) -> (f64, f64) {
        let (q, d) = (self.names as f64, self.dim as f64);
        // Number of names that refer to each token.
        let counts = || (0..self.names).map(|c| classes.iter().filter(|class| **class == c).count() as f64);
        let together = || counts().map(|m| m * m).sum::<f64>();
        match &self.parameters {
            TeacherParameters::Linear(u) => (0.0, merged_dot(u, u, self.dim, classes)),
            TeacherParameters::Mean => (0.0, together() / q),
            // A token that is named m times adds m (‖x‖² − d), of variance 2 m² d.
            TeacherParameters::Squares => (0.0, 2.0 * d * together() / (q * d)),
            TeacherParameters::Network(network) => {
                let (mean, square) = network.moments(self.names, self.dim, classes);
                let (mean, scale) = (mean - network.mean, network.scale);
                // E(f − c)² = E f² − 2c E f + c², with c the mean where all names are different.
                let c = network.mean;
                (scale * mean, scale * scale * (square - 2.0 * c * (mean + c) + c * c))
            }
        }
    }
}

impl ReluTeacher {
    /// Mean and mean square over standard normal tokens of f(x) = Σ_k a_k relu(⟨w_k, x⟩), where names with the same
    /// class in `classes`, `[names]`, refer to the same token.
    fn moments(&self, names: usize, dim: usize, classes: &[usize]) -> (f64, f64) {
        let merged: Vec<Vec<f64>> = self.w.iter().map(|w| sum_by_class(w, names, dim, classes)).collect();
        let norms: Vec<f64> = merged.iter().map(|w| norm(w)).collect();
        let mean = self.a.iter().zip(&norms).map(|(a, norm)| a * norm / libm::sqrt(2.0 * PI)).sum();
        let mut square = 0.0;
        for (k, w) in merged.iter().enumerate() {
            for (l, v) in merged.iter().enumerate() {
                let size = norms[k] * norms[l];
                if size > 0.0 {
                    square += self.a[k] * self.a[l] * size * relu_kernel_with_derivative(dot(w, v) / size).0;
                }
            }
        }
        (mean, square)
    }

    /// Covariance of the network's labels, scale² · (Σ_kl a_k a_l K(⟨w_k, M w_l⟩) − mean²), and its gradient with
    /// respect to `shared`. K is the ReLU kernel of [`relu_kernel_with_derivative`], and M has the entries `shared`
    /// for each coordinate of a token.
    fn covariance_with_gradient(&self, names: usize, dim: usize, shared: &[f64]) -> (f64, Vec<f64>) {
        let (mut sum, mut gradient) = (-self.mean * self.mean, vec![0.0; names * names]);
        for (k, (w, a)) in self.w.iter().zip(&self.a).enumerate() {
            let number = |row: &[f64], i: usize| -> f64 {
                row.iter().zip(w.chunks(dim)).map(|(share, part)| share * part[i]).sum()
            };
            let shared_w: Vec<f64> =
                shared.chunks(names).flat_map(|row| (0..dim).map(move |i| number(row, i))).collect();
            // A pair of different units occurs twice in the sum.
            let mut gradient_w = vec![0.0; w.len()];
            for (l, (v, b)) in self.w[..=k].iter().zip(&self.a).enumerate() {
                let (value, derivative) = relu_kernel_with_derivative(dot(&shared_w, v));
                let weight = if l < k { 2.0 * a * b } else { a * b };
                sum += weight * value;
                gradient_w
                    .iter_mut()
                    .zip(v)
                    .for_each(|(gradient_w, v)| *gradient_w += weight * derivative * v);
            }
            gradient
                .iter_mut()
                .zip(block_inner_products(w, &gradient_w, dim))
                .for_each(|(derivative, increment)| *derivative += increment);
        }
        let scale = self.scale * self.scale;
        let symmetric = |at: usize| (gradient[at] + gradient[at % names * names + at / names]) / 2.0;
        (scale * sum, (0..names * names).map(|at| scale * symmetric(at)).collect())
    }
}

/// The expectation E relu(a) relu(b) for standard normal a and b with this covariance (Cho and Saul 2009), and its
/// derivative with respect to the covariance.
fn relu_kernel_with_derivative(covariance: f64) -> (f64, f64) {
    let cosine = covariance.clamp(-1.0, 1.0);
    let angle = libm::acos(cosine);
    ((libm::sin(angle) + (PI - angle) * cosine) / (2.0 * PI), (PI - angle) / (2.0 * PI))
}

/// The inner products ⟨a_j, b_l⟩ of block j of `a` and block l of `b`, where a block is the `dim` entries of one
/// name, `[names, names]`.
fn block_inner_products(a: &[f64], b: &[f64], dim: usize) -> Vec<f64> {
    a.chunks(dim).flat_map(|a| b.chunks(dim).map(move |b| dot(a, b))).collect()
}

/// Adds up the blocks of `dim` entries whose names have the same class in `classes`, `[names]`. Block c of the
/// result, `[names · dim]`, is the sum for class c.
fn sum_by_class(vector: &[f64], names: usize, dim: usize, classes: &[usize]) -> Vec<f64> {
    let mut merged = vec![0.0; names * dim];
    for (part, class) in vector.chunks(dim).zip(classes) {
        merged[class * dim..][..dim].iter_mut().zip(part).for_each(|(m, x)| *m += x);
    }
    merged
}

/// Inner product of two vectors `[names · dim]`, each first summed over equal names with [`sum_by_class`].
fn merged_dot(a: &[f64], b: &[f64], dim: usize, classes: &[usize]) -> f64 {
    dot(&sum_by_class(a, classes.len(), dim, classes), &sum_by_class(b, classes.len(), dim, classes))
}

/// All ways in which `names` names, drawn independently from `positions` tokens, can coincide, as pairs
/// (probability, class of every name): equal names have the same class. Without `repeated` it is only the case that
/// all names differ, with probability 1.
pub(super) fn name_partitions(names: usize, positions: usize, repeated: bool) -> Vec<(f64, Vec<usize>)> {
    if !repeated {
        return vec![(1.0, (0..names).collect())];
    }
    // Restricted growth strings; there are 203 for MAX_NAMES.
    let mut all = vec![(vec![], 0usize)];
    for _ in 0..names.min(MAX_NAMES) {
        let grown = all.into_iter().flat_map(|(classes, used): (Vec<usize>, usize)| {
            (0..=used).map(move |class| {
                let mut longer = classes.clone();
                longer.push(class);
                (longer, used.max(class + 1))
            })
        });
        all = grown.collect();
    }
    let n = positions as f64;
    let share =
        |used: usize| (0..used).map(|c| (n - c as f64).max(0.0)).product::<f64>() / n.powi(names as i32);
    all.into_iter().map(|(classes, used)| (share(used), classes)).filter(|(share, _)| *share > 0.0).collect()
}

/// Scales a vector to Euclidean norm 1.
fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    normalize(&mut vector);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::TokenPrompts;

    #[test]
    fn teachers_match_their_formulas() {
        let tokens = [0.5, -1.0, 2.0, 0.0];
        let of = |function| Teacher::draw(function, 2, 2, 5, 7).compute_label(&tokens);
        assert!((of(TeacherKind::Mean) - 1.5 / 2.0).abs() < 1e-12);
        assert!((of(TeacherKind::Squares) - (0.25 + 1.0 + 4.0 - 4.0) / 2.0).abs() < 1e-12);
        let linear = Teacher::draw(TeacherKind::Linear, 2, 2, 5, 7);
        let u = linear.linear_direction().unwrap();
        assert!(
            (dot(u, u) - 1.0).abs() < 1e-12
                && (linear.compute_label(&tokens) - dot(u, &tokens)).abs() < 1e-12
        );
    }

    #[test]
    fn readouts_compute_the_teacher() {
        let stream = RandomStream::new(4, Purpose::Batch, 0);
        for function in TeacherKind::ALL {
            let (teacher, knots) = (Teacher::draw(*function, 2, 3, 5, 9), 40);
            let readout = teacher.build_readout(knots);
            let prompts =
                TokenPrompts { names: 2, dim: 3, hidden_units: 5, function: *function, ..Default::default() };
            assert_eq!(
                (readout.a.len(), readout.w.len() / 6),
                (prompts.readout_unit_count(knots), readout.a.len())
            );
            // h = 0.2: six squares may each be off by 0.005.
            let within =
                if *function == TeacherKind::Squares { 6.0 * 0.005 / libm::sqrt(6.0) + 1e-9 } else { 1e-9 };
            for draw in 0..200 {
                let tokens: Vec<f64> =
                    (0..6).map(|i| f64::from(stream.draw_normal(draw, i)).clamp(-4.0, 4.0)).collect();
                let (output, label) = (readout.compute_output(&tokens), teacher.compute_label(&tokens));
                assert!((output - label).abs() < within, "{function:?}: {output} {label}");
            }
        }
    }

    #[test]
    fn partitions_match_bell_numbers_and_probabilities_sum_to_one() {
        for (names, bell) in [(1, 1), (2, 2), (3, 5), (4, 15), (6, 203)] {
            let all = name_partitions(names, 50, true);
            assert_eq!(all.len(), bell);
            assert!((all.iter().map(|(share, _)| share).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // Three names of two tokens cannot all be different.
        assert_eq!(name_partitions(3, 2, true).len(), 4);
    }

    /// The closed forms against many drawn labels.
    #[test]
    fn variances_match_drawn_labels() {
        let stream = RandomStream::new(11, Purpose::Batch, 0);
        for function in TeacherKind::ALL {
            for (repeated, positions) in [(false, 5), (true, 3)] {
                let (names, dim) = (3, 2);
                let teacher = Teacher::draw(*function, names, dim, 6, 1);
                let (mut mean, mut square) = (0.0, 0.0);
                let draws = 40_000u64;
                for draw in 0..draws {
                    let token = |at: usize| {
                        (0..dim).map(move |i| f64::from(stream.draw_normal(draw, (at * dim + i) as u32)))
                    };
                    let place = |j: usize| match repeated {
                        true => stream.draw_below(draw, 1000 + j as u32, positions as u32) as usize,
                        false => j,
                    };
                    let tokens: Vec<f64> = (0..names).flat_map(|j| token(place(j))).collect();
                    let label = teacher.compute_label(&tokens);
                    mean += label / draws as f64;
                    square += label * label / draws as f64;
                }
                let (found, exact) = (square - mean * mean, teacher.label_variance(positions, repeated));
                assert!((found / exact - 1.0).abs() < 0.06, "{function:?} {repeated}: {found} {exact}");
                if !repeated {
                    let usual = if *function == TeacherKind::Squares { 2.0 } else { 1.0 };
                    assert!((exact - usual).abs() < 1e-9, "{function:?}: {exact}");
                    assert!(mean.abs() < 0.03, "{function:?}: {mean}");
                }
            }
        }
    }

    #[test]
    fn the_gradient_of_the_covariance_matches_central_differences() {
        let (names, step) = (3, 1e-5);
        // Two orthogonal forms of length below 1.
        let forms = [[0.6, 0.5, 0.2], [0.3, -0.6, 0.6]];
        let shared: Vec<f64> = (0..9).map(|at| forms.iter().map(|f| f[at / 3] * f[at % 3]).sum()).collect();
        for function in TeacherKind::ALL {
            let teacher = Teacher::draw(*function, names, 2, 6, 1);
            let (_, slopes) = teacher.label_covariance_with_gradient(&shared);
            for (j, l) in (0..9).map(|at| (at / 3, at % 3)) {
                let moved = |by: f64| {
                    let mut shared = shared.clone();
                    // Both of a pair, as they are the same number.
                    shared[j * names + l] += by / 2.0;
                    shared[l * names + j] += by / 2.0;
                    teacher.label_covariance(&shared)
                };
                let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slopes[j * names + l] - numeric).abs() < 1e-7, "{function:?} at {j}, {l}");
            }
        }
    }

    /// The closed forms against many pairs of prompts that have a part of their tokens in common.
    #[test]
    fn covariances_match_drawn_labels() {
        let stream = RandomStream::new(13, Purpose::Batch, 0);
        // Two of three tokens are told in part, by forms (0.6, 0.8, 0) and (0, 0, √½) of length below 1.
        let forms = [[0.6, 0.8, 0.0], [0.0, 0.0, libm::sqrt(0.5)]];
        let shared: Vec<f64> = (0..9).map(|at| forms.iter().map(|f| f[at / 3] * f[at % 3]).sum()).collect();
        for function in TeacherKind::ALL {
            let (names, dim, draws) = (3, 2, 60_000u64);
            let teacher = Teacher::draw(*function, names, dim, 6, 1);
            let (mut mean, mut product) = (0.0, 0.0);
            for draw in 0..draws {
                let normal = |at: usize| f64::from(stream.draw_normal(draw, at as u32));
                // x = Fᵀ z + the rest, where z is common to both.
                let rest = |prompt: usize, of: usize| {
                    let fresh: Vec<f64> =
                        (0..names).map(|j| normal(20 + prompt * 10 + j * dim + of)).collect();
                    let common: Vec<f64> = (0..2).map(|h| normal(h * dim + of)).collect();
                    let one = 0.6 * fresh[0] + 0.8 * fresh[1];
                    [
                        fresh[0] + 0.6 * (common[0] - one),
                        fresh[1] + 0.8 * (common[0] - one),
                        libm::sqrt(0.5) * (common[1] + fresh[2]),
                    ]
                };
                let label = |prompt: usize| {
                    let [a, b] = [rest(prompt, 0), rest(prompt, 1)];
                    teacher.compute_label(&[a[0], b[0], a[1], b[1], a[2], b[2]])
                };
                let (one, other) = (label(0), label(1));
                mean += (one + other) / (2 * draws) as f64;
                product += one * other / draws as f64;
            }
            let (found, exact) = (product - mean * mean, teacher.label_covariance(&shared));
            assert!((found - exact).abs() < 0.04, "{function:?}: {found} {exact}");
            let whole: Vec<f64> = (0..9).map(|at| if at % 4 == 0 { 1.0 } else { 0.0 }).collect();
            let variance = teacher.label_variance(5, false);
            assert!((teacher.label_covariance(&whole) - variance).abs() < 1e-9, "{function:?}");
            assert!(teacher.label_covariance(&[0.0; 9]).abs() < 1e-9, "{function:?}");
        }
    }
}
