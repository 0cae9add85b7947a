//! Population gradient of a first layer, exact or with standard errors, computed in portions.
//!
//! For a neuron j with preactivation z_j = Σ_i w_ij x_i + b_j inside a network f
//!
//! ```text
//! g_ij = E_x[ ℓ'(y, f) · ∂f/∂z_j · x_i ],   y = χ_S(x),   x uniform on {−1, +1}ⁿ
//! ```
//!
//! (Edelman 2024, section 5.4.1; for a single neuron under the correlation loss it is −E[y x_i σ'(w·x)], whose entries
//! are what the Fourier gap of appendix B.3.1 compares). The caller passes network head and loss derivative, for the
//! gradient of a loss or for E[y x_i σ'(z_j)] of each neuron by itself.
//!
//! # Why
//! Up to [`MAX_EXACT_INPUTS`] inputs the mean is taken over all points. A gradient needs the Walsh coefficients of
//! degree one alone, so no full transform is made: the cube is cut into blocks that differ in the high bits
//! only. What all points of a block have in common is added once, what differs is a table of the low bits,
//! and the sum over blocks is kept for each place in a block. That is two additions per point and neuron, and
//! one small fold at the end. Sums are in f64: preactivations of f32 weights are then as good as exact, so
//! that a tie at zero is a tie. Above that limit random points are sampled, the same at each step, so that a
//! gap over time changes with the weights only. On one core of 2026, a ReLU head included: 20 inputs
//! take 10 ms at width 1 and 160 ms at width 100, 15 inputs at width 100 take 5 ms, 50 drawn inputs 45 ms.

use vivarium_core::rng::{Purpose, RandomStream};

/// Maximum number of inputs n for which the population gradient is the exact mean over all 2ⁿ points of the cube {−1,
/// 1}ⁿ.
pub const MAX_EXACT_INPUTS: usize = 20;
/// Number of random points of the cube over which the gradient is averaged if there are more than [`MAX_EXACT_INPUTS`]
/// inputs; a gradient entry of scale 1 then has a standard error of 1/128.
pub const SAMPLE_COUNT: usize = 1 << 14;
/// Random seed of the points of the cube {−1, 1}ⁿ that are sampled if there are too many inputs for an exact mean: the
/// ASCII word "gap" and a zero byte.
const SEED: u64 = 0x6761_7000;

/// First-layer parameters of a network: weights W and biases b of the preactivations z = Wᵀx + b.
#[derive(Debug, Clone, Copy)]
pub struct FirstLayer<'a> {
    /// Weights `[inputs, width]`: column j is neuron j.
    pub weights: &'a [f32],
    /// Biases `[width]`; empty if there are none.
    pub biases: &'a [f32],
    /// Number of inputs of the network, which is the number of rows of `weights`.
    pub inputs: usize,
    /// Number of neurons of the first layer, which is the number of columns of `weights`.
    pub width: usize,
}

/// The network after its first layer: from the preactivations z `[width]` it returns the output f and writes ∂f/∂z
/// `[width]` into its second argument.
pub type NetworkHead<'h> = dyn Fn(&[f64], &mut [f64]) -> f64 + 'h;
/// Derivative dℓ/df of a loss ℓ with respect to the network's output f; the first argument is the label y, the second
/// the output f.
pub type LossDerivative<'h> = dyn Fn(f64, f64) -> f64 + 'h;

/// Accumulates the population gradient of a first layer over blocks of points, so that the work can be split between
/// frames. A block consists of the points of the cube that differ only in their `low_bits` lowest input bits, or of one
/// random point.
#[derive(Debug, Clone)]
pub struct GradientAccumulator {
    /// Number n of inputs of the network.
    inputs: usize,
    /// Number of neurons of the first layer.
    width: usize,
    /// Indices, from 0, of the relevant inputs, whose parity is the label.
    relevant: Vec<usize>,
    /// Weights of the first layer.
    weights: Vec<f64>, // [inputs, width]
    /// Biases of the first layer, zero if it has none.
    biases: Vec<f64>, // [width]
    /// Number of lowest input bits that vary within a block of points; 0 if points are sampled.
    low_bits: usize,
    /// For each value of the low input bits, their part of the preactivation of each neuron.
    table: Vec<f64>, // [2^low, width], the preactivations of the low bits
    /// Number of blocks of points, or if sampled of single points, whose gradients have been added so far.
    blocks_done: usize,
    /// Number of blocks of points, or if sampled of single points, over which the gradient is averaged in the end.
    block_count: usize,
    /// If exact, for each value of the low input bits and each neuron, the sum over the blocks of ℓ′·∂f/∂z; if sampled,
    /// for each neuron, the sum over the points of the square of ℓ′·∂f/∂z.
    sums: Vec<f64>, // exact: [2^low, width], over blocks; drawn: [1, width], of squares
    /// Sum over the points of each gradient entry; if exact, without the low input bits, which `finish` adds from
    /// `sums`.
    degree1: Vec<f64>, // [inputs, width], not yet divided by the number of points
}

impl GradientAccumulator {
    /// Starts before the first point, for the first layer of a network that learns the parity of the `relevant` inputs.
    /// Weights of another length than `inputs · width` give an empty gradient.
    pub fn new(layer: &FirstLayer, relevant: &[usize]) -> Self {
        let fits = layer.weights.len() == layer.inputs * layer.width && layer.width > 0;
        let (inputs, width) = if fits { (layer.inputs, layer.width) } else { (0, 0) };
        let exact = inputs <= MAX_EXACT_INPUTS;
        // A block's table and sums stay within the cache, but are long enough to share what is common.
        let fitting = (1usize << 14).checked_div(width).unwrap_or(1).max(32).ilog2() as usize;
        let low = if exact { fitting.min(inputs) } else { 0 };
        let mut job = GradientAccumulator {
            inputs,
            width,
            relevant: relevant.iter().copied().filter(|i| *i < inputs).collect(),
            weights: if fits { layer.weights.iter().map(|w| f64::from(*w)).collect() } else { vec![] },
            biases: (0..width).map(|j| layer.biases.get(j).copied().map_or(0.0, f64::from)).collect(),
            low_bits: low,
            table: vec![0.0; width << low],
            blocks_done: 0,
            block_count: match (width, exact) {
                (0, _) => 0,
                (_, true) => 1 << (inputs - low),
                (_, false) => SAMPLE_COUNT,
            },
            sums: vec![0.0; width << low],
            degree1: vec![0.0; inputs * width],
        };
        for place in 0..1usize << low {
            let row = &mut job.table[place * width..][..width];
            for i in 0..low {
                add_scaled(row, &job.weights[i * width..][..width], bit_sign(place >> i & 1 == 1));
            }
        }
        job
    }

    /// Number of points of the cube {−1, 1}ⁿ over which the gradient is averaged: all 2ⁿ, or [`SAMPLE_COUNT`] if they
    /// are sampled.
    pub fn point_count(&self) -> usize {
        self.block_count << self.low_bits
    }

    /// Visits about `points` more points of the cube, at least one block of them. Returns true once all points are
    /// visited.
    pub fn advance(&mut self, head: &NetworkHead, loss_derivative: &LossDerivative, points: usize) -> bool {
        let until = self.block_count.min(self.blocks_done + (points >> self.low_bits).max(1));
        let (mut z, mut out) = (vec![0.0; self.width], vec![0.0; self.width]);
        while self.blocks_done < until {
            if self.inputs <= MAX_EXACT_INPUTS {
                self.accumulate_block(head, loss_derivative, &mut z, &mut out);
            } else {
                self.accumulate_sample(head, loss_derivative, &mut z, &mut out);
            }
            self.blocks_done += 1;
        }
        self.blocks_done == self.block_count
    }

    /// Adds to the sums all points of the next block, `blocks_done`, whose binary digits are the high input bits. `z`
    /// and `out` are workspaces of one number per neuron.
    fn accumulate_block(
        &mut self,
        head: &NetworkHead,
        loss_derivative: &LossDerivative,
        z: &mut [f64],
        out: &mut [f64],
    ) {
        let (width, low) = (self.width, self.low_bits);
        let high = self.blocks_done << low;
        let flips = self.relevant.iter().fold(0usize, |mask, i| mask ^ 1 << i);
        let mut common = self.biases.clone();
        for i in low..self.inputs {
            add_scaled(&mut common, &self.weights[i * width..][..width], bit_sign(high >> i & 1 == 1));
        }
        let mut total = vec![0.0; width];
        let rows = self.table.chunks_exact(width).zip(self.sums.chunks_exact_mut(width));
        for (place, (row, sums)) in rows.enumerate() {
            for ((z, common), row) in z.iter_mut().zip(&common).zip(row) {
                *z = common + row;
            }
            let y = bit_sign(((high | place) & flips).count_ones() % 2 == 1);
            let outer = loss_derivative(y, head(z, out));
            if outer != 0.0 {
                for ((sum, total), out) in sums.iter_mut().zip(&mut total).zip(&*out) {
                    let h = outer * out;
                    *sum += h;
                    *total += h;
                }
            }
        }
        for i in low..self.inputs {
            add_scaled(&mut self.degree1[i * width..][..width], &total, bit_sign(high >> i & 1 == 1));
        }
    }

    /// Adds to the sums one random point, which the number `blocks_done` determines. `z` and `out` are workspaces of
    /// one number per neuron.
    fn accumulate_sample(
        &mut self,
        head: &NetworkHead,
        loss_derivative: &LossDerivative,
        z: &mut [f64],
        out: &mut [f64],
    ) {
        let width = self.width;
        let mut words = vec![0u32; self.inputs.div_ceil(32)];
        RandomStream::new(SEED, Purpose::HeldOut, 0).fill_u32(self.blocks_done as u64, 0, &mut words);
        let x = |i: usize| bit_sign(words[i / 32] >> (i % 32) & 1 == 1);
        z.copy_from_slice(&self.biases);
        for (i, weights) in self.weights.chunks_exact(width).enumerate() {
            add_scaled(z, weights, x(i));
        }
        let y = self.relevant.iter().map(|i| x(*i)).product();
        let outer = loss_derivative(y, head(z, out));
        if outer != 0.0 {
            out.iter_mut().zip(&mut self.sums).for_each(|(out, squares)| {
                *out *= outer;
                *squares += *out * *out;
            });
            for (i, sums) in self.degree1.chunks_exact_mut(width).enumerate() {
                add_scaled(sums, out, x(i));
            }
        }
    }

    /// The mean gradient over the points visited so far; the population gradient once [`advance`](Self::advance) has
    /// returned true.
    pub fn finish(mut self) -> FirstLayerGradient {
        let width = self.width;
        let visited = (self.blocks_done << self.low_bits).max(1) as f64;
        let exact = self.inputs <= MAX_EXACT_INPUTS;
        // From the highest of the low bits down: its coefficient is the difference of the halves, and for the
        // bits below only the sum of the halves matters.
        for i in (0..self.low_bits).rev() {
            let (first, second) = self.sums[..width << (i + 1)].split_at_mut(width << i);
            let to = &mut self.degree1[i * width..][..width];
            for (a, b) in first.chunks_exact_mut(width).zip(second.chunks_exact(width)) {
                for ((a, b), to) in a.iter_mut().zip(b).zip(&mut *to) {
                    *to += *a - b;
                    *a += b;
                }
            }
        }
        self.degree1.iter_mut().for_each(|g| *g /= visited);
        // x_i² = 1, so that one sum of squares serves all coordinates of a neuron.
        let errors = (!exact).then(|| {
            let squares = self.sums.iter().cycle().map(|sum| sum / visited);
            let variances = self.degree1.iter().zip(squares).map(|(g, square)| (square - g * g).max(0.0));
            variances.map(|v| libm::sqrt(v / (visited - 1.0).max(1.0))).collect()
        });
        FirstLayerGradient { values: self.degree1, standard_errors: errors, inputs: self.inputs, width }
    }
}

/// Input value of a bit of a point of the cube: −1 if `negative`, else 1.
fn bit_sign(negative: bool) -> f64 {
    if negative { -1.0 } else { 1.0 }
}

/// Adds `factor · addend` to `to`, entry by entry.
fn add_scaled(to: &mut [f64], addend: &[f64], factor: f64) {
    to.iter_mut().zip(addend).for_each(|(to, what)| *to += factor * what);
}

/// Gradient with respect to first-layer weights of the population loss, the mean loss over the cube {−1, 1}ⁿ.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstLayerGradient {
    /// Gradient entries `[inputs, width]`: g_ij belongs to the weight from input i to neuron j.
    pub values: Vec<f64>,
    /// Standard errors `[inputs, width]` if points were sampled; `None` if the values are exact.
    pub standard_errors: Option<Vec<f64>>,
    /// Number of inputs of the network, which is the number of rows of `values`.
    pub inputs: usize,
    /// Number of neurons of the first layer, which is the number of columns of `values`.
    pub width: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::walsh;

    fn normals(count: usize, seed: u64, scale: f32) -> Vec<f32> {
        let stream = RandomStream::new(seed, Purpose::Weights, 0);
        (0..count as u32).map(|i| scale * stream.draw_normal(0, i)).collect()
    }

    /// A head with curvature, so that every neuron matters to every other: f = Σ_j u_j sin z_j + Π_j z_j / 9.
    fn head(z: &[f64], out: &mut [f64]) -> f64 {
        let product: f64 = z.iter().product();
        let u = |j: usize| 1.0 - 0.7 * j as f64;
        for (j, (out, z)) in out.iter_mut().zip(z).enumerate() {
            *out = u(j) * libm::cos(*z) + product / z / 9.0;
        }
        z.iter().enumerate().map(|(j, z)| u(j) * libm::sin(*z)).sum::<f64>() + product / 9.0
    }

    fn square(y: f64, f: f64) -> f64 {
        2.0 * (f - y)
    }

    #[test]
    fn it_is_the_full_transform_of_each_neuron() {
        // Widths and inputs on both sides of a block's size.
        for (inputs, width, relevant) in
            [(1, 1, &[0][..]), (4, 3, &[1, 3]), (12, 2, &[0, 5, 11]), (16, 1, &[2])]
        {
            let weights = normals(inputs * width, 3, 0.4);
            let biases = normals(width, 4, 0.3);
            let layer = FirstLayer { weights: &weights, biases: &biases, inputs, width };
            let mut job = GradientAccumulator::new(&layer, relevant);
            assert_eq!(job.point_count(), 1 << inputs);
            while !job.advance(&head, &square, 1) {}
            let gradient = job.finish();
            assert_eq!(gradient.standard_errors, None);
            for j in 0..width {
                let coefficients = walsh::walsh_coefficients(inputs, |x| {
                    let z: Vec<f64> = (0..width)
                        .map(|j| {
                            let terms = x.iter().enumerate();
                            let sum: f64 = terms.map(|(i, x)| f64::from(weights[i * width + j]) * x).sum();
                            f64::from(biases[j]) + sum
                        })
                        .collect();
                    let mut out = vec![0.0; width];
                    let f = head(&z, &mut out);
                    square(relevant.iter().map(|i| x[*i]).product(), f) * out[j]
                });
                for i in 0..inputs {
                    let (found, expected) = (gradient.values[i * width + j], coefficients[1 << i]);
                    assert!((found - expected).abs() < 1e-12, "{inputs} {width} {i} {j}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn drawn_points_agree_with_the_known_value_within_their_error() {
        // f = Π z_j of one weight each: g is the product of the others' weights on S, and else zero.
        let (inputs, width) = (40, 3);
        let mut weights = vec![0.0f32; inputs * width];
        for (j, w) in [0.75, -1.5, 2.0].into_iter().enumerate() {
            weights[(5 + 10 * j) * width + j] = w;
        }
        let layer = FirstLayer { weights: &weights, biases: &[], inputs, width };
        let product = |z: &[f64], out: &mut [f64]| -> f64 {
            let f: f64 = z.iter().product();
            out.iter_mut().zip(z).for_each(|(out, z)| *out = f / z);
            f
        };
        let mut job = GradientAccumulator::new(&layer, &[5, 15, 25]);
        assert_eq!(job.point_count(), SAMPLE_COUNT);
        assert!(!job.advance(&product, &|y, _| -y, 1));
        while !job.advance(&product, &|y, _| -y, 1000) {}
        let gradient = job.finish();
        let errors = gradient.standard_errors.as_ref().unwrap();
        let mut beyond = 0;
        for (at, (g, error)) in gradient.values.iter().zip(errors).enumerate() {
            let (i, j) = (at / width, at % width);
            let expected = match (i == 5 + 10 * j, j) {
                (false, _) => 0.0,
                (true, 0) => 3.0,
                (true, 1) => -1.5,
                (true, _) => 1.125,
            };
            assert!((g - expected).abs() <= 4.5 * error + 1e-12, "{i} {j}: {g} ± {error}");
            beyond += usize::from((g - expected).abs() > *error && *error > 0.0);
            if expected == 0.0 {
                let size = [3.0, 1.5, 1.125][j];
                assert!((error * 128.0 / size - 1.0).abs() < 0.01, "{error}");
            }
        }
        // A third of honest standard errors is exceeded.
        assert!((20..60).contains(&beyond), "{beyond} of {}", errors.len());
    }

    #[test]
    fn wrong_shapes_are_empty_and_far_coordinates_are_no_label() {
        let layer = FirstLayer { weights: &[1.0; 5], biases: &[], inputs: 2, width: 2 };
        let mut job = GradientAccumulator::new(&layer, &[0]);
        assert!(job.advance(&head, &square, 10));
        assert_eq!(
            job.finish(),
            FirstLayerGradient { values: vec![], standard_errors: None, inputs: 0, width: 0 }
        );
        let layer = FirstLayer { weights: &[1.0, 0.5, 0.25, 2.0], biases: &[], inputs: 2, width: 2 };
        let value = |relevant: &[usize]| {
            let mut job = GradientAccumulator::new(&layer, relevant);
            assert!(job.advance(&head, &square, usize::MAX));
            job.finish()
        };
        assert_eq!(value(&[1, 7]), value(&[1]));
    }
}
