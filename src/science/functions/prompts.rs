//! Prompts, drawn and written row by row.

use std::ops::Range;

use super::Function;
use super::network::{Network, Scratch};
use super::normals::normals;
use vivarium_core::choices;
use vivarium_core::math::mean_and_variance;
use vivarium_core::rng::{Purpose, Stream};

choices! {
    /// What functions are drawn.
    pub enum Class {
        /// ⟨w, x⟩ with w ∼ N(0, I).
        Linear = "linear", "Linear functions";
        /// The same with few weights that are not 0.
        Sparse = "sparse", "Sparse linear functions";
        /// Full binary trees that look at one sign after the other.
        Tree = "tree", "Decision trees";
        /// Networks of ReLUs.
        Network = "network", "Random networks";
    }
}

choices! {
    /// Where inputs lie.
    pub enum Law {
        /// N(0, s²) in every number.
        Normal = "normal", "Normal, N(0, s²)";
        /// N(−2, I) or N(2, I), the second with a given weight.
        Mixture = "mixture", "Mixture of N(−2, I) and N(2, I)";
    }
}

/// How far the two parts of a mixture are from 0 in every number.
const CENTRE: f64 = 2.0;

/// Where the number of an example begins in what a stream takes for a step: steps are fewer than 2⁴⁰.
const EXAMPLE: u32 = 40;

/// The word that says of which part of a mixture the first point is, behind all that are inputs.
const PARTS: u32 = 1 << 20;

/// Prompts of which a label's variance is the mean, fewer where functions are large.
const MEASURED: u64 = 1000;
/// Operations, roughly, that measuring the variance may take.
const MOST_MEASURED: u64 = 1 << 27;

/// What prompts are drawn, and how they are written down.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPrompts {
    /// What functions are drawn.
    pub class: Class,
    /// Numbers drawn for an input.
    pub dim: usize,
    /// Whether an input has a last number 1, since networks have no biases.
    pub constant: bool,
    /// Points of a training prompt, the query among them.
    pub points: usize,
    /// Points of the longest held-out prompt; 0 is as many as in training.
    pub long: usize,
    /// Where inputs lie.
    pub law: Law,
    /// Standard deviation s of inputs of [`Law::Normal`].
    pub scale: f64,
    /// Weight of N(2, I) in a mixture.
    pub weight: f64,
    /// What the inputs of held-out prompts are multiplied by, the constant left out.
    pub test_scale: f64,
    /// Weight of N(2, I) in the mixture of held-out prompts.
    pub test_weight: f64,
    /// Weights of a sparse linear function that are not 0.
    pub sparsity: usize,
    /// Questions from the root of a tree to a leaf.
    pub depth: usize,
    /// Layers of weights in a random network, and in the network that is a baseline.
    pub layers: usize,
    /// Neurons in each of their hidden layers.
    pub hidden: usize,
    /// Standard deviation of the noise on labels.
    pub noise: f64,
}

impl Default for FunctionPrompts {
    /// Random networks of three layers on one number, as small transformers learn them in a minute.
    fn default() -> Self {
        FunctionPrompts {
            class: Class::Network,
            dim: 1,
            constant: true,
            points: 17,
            long: 0,
            law: Law::Normal,
            scale: 1.5,
            weight: 0.0,
            test_scale: 1.0,
            test_weight: 0.0,
            sparsity: 1,
            depth: 4,
            layers: 3,
            hidden: 8,
            noise: 0.0,
        }
    }
}

impl FunctionPrompts {
    /// Numbers in an input, the constant among them.
    pub fn inputs(&self) -> usize {
        self.dim + usize::from(self.constant)
    }

    /// Numbers in a row of a training prompt: all inputs `[points, inputs]`, then all labels `[points]`.
    pub fn columns(&self) -> usize {
        self.columns_of(self.points)
    }

    /// Numbers in a row of a prompt of so many points.
    pub fn columns_of(&self, points: usize) -> usize {
        points * (self.inputs() + 1)
    }

    /// Points of the longest held-out prompt.
    pub fn longest(&self) -> usize {
        self.points.max(self.long)
    }

    /// A row's inputs `[points, inputs]` and labels `[points]`, of however many points.
    pub fn parts<'a>(&self, row: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        row.split_at(row.len() / (self.inputs() + 1) * self.inputs())
    }

    /// Products, roughly, that one value of a function takes.
    pub fn operations(&self) -> u64 {
        match self.class {
            Class::Linear | Class::Sparse => self.inputs() as u64,
            Class::Tree => self.depth as u64,
            Class::Network => Network::count(&Network::sizes(self.inputs(), self.layers, self.hidden)) as u64,
        }
    }

    /// Appends the training prompts `examples` of `step` as rows to `out`.
    pub fn sample(&self, seed: u64, replica: u32, step: u64, examples: Range<usize>, out: &mut Vec<f32>) {
        let [inputs, functions, noise] = [Purpose::Batch, Purpose::Function, Purpose::Noise]
            .map(|purpose| Stream::new(seed, purpose, replica));
        for example in examples {
            let at = step.wrapping_add((example as u64) << EXAMPLE);
            let function = Function::draw(self, &functions, at);
            self.push_inputs(&inputs, at, self.points, (1.0, self.weight), out);
            self.push_labels(&function, (&noise, at), self.points, out);
        }
    }

    /// Appends the held-out prompts `examples` as rows of so many points to `out`. A longer prompt begins with the points of
    /// a shorter one.
    ///
    /// # Why
    /// Their labels have the noise of training, those that are to be predicted as well as those of the examples: only of
    /// such prompts is ridge regression with λ = σ² the Bayes-optimal prediction of a linear function. No prediction
    /// explains the noise of the label itself, so that R² ends below 1. 2026-11-25.
    pub fn held_out(&self, seed: u64, points: usize, examples: Range<usize>, out: &mut Vec<f32>) {
        let [inputs, noise] =
            [Purpose::HeldOut, Purpose::HeldOutNoise].map(|purpose| Stream::new(seed, purpose, 0));
        for example in examples {
            let (function, at) = (self.held_out_function(seed, example), (example as u64) << EXAMPLE);
            self.push_inputs(&inputs, at, points, (self.test_scale, self.test_weight), out);
            self.push_labels(&function, (&noise, at), points, out);
        }
    }

    /// The function of a held-out prompt.
    pub fn held_out_function(&self, seed: u64, example: usize) -> Function {
        let functions = Stream::new(seed, Purpose::HeldOutFunction, 0);
        Function::draw(self, &functions, (example as u64) << EXAMPLE)
    }

    /// The variance of the labels within one held-out prompt of the length of training, the mean over the first
    /// thousand: what R² is relative to.
    pub fn label_variance(&self, seed: u64) -> f64 {
        let each = self.operations().saturating_mul(self.points as u64).max(1);
        let count = (MOST_MEASURED / each).clamp(64, MEASURED) as usize;
        let (mut row, mut sum) = (vec![], 0.0);
        for example in 0..count {
            row.clear();
            self.held_out(seed, self.points, example..example + 1, &mut row);
            sum += variance(self.parts(&row).1);
        }
        // Nothing is divided by 0 where all labels are equal.
        (sum / count as f64).max(1e-12)
    }

    /// Appends the inputs of a prompt: those of a point take the same words whatever the number of points.
    fn push_inputs(
        &self,
        stream: &Stream,
        at: u64,
        points: usize,
        (factor, weight): (f64, f64),
        out: &mut Vec<f32>,
    ) {
        let mut numbers = Vec::with_capacity(points * self.dim);
        normals(stream, at, 0, points * self.dim, &mut numbers);
        for (point, numbers) in (PARTS..).zip(numbers.chunks_exact(self.dim.max(1))) {
            let (centre, scale) = match self.law {
                Law::Normal => (0.0, self.scale),
                Law::Mixture if stream.chance(at, point, weight) => (CENTRE, 1.0),
                Law::Mixture => (-CENTRE, 1.0),
            };
            out.extend(numbers.iter().map(|z| (factor * (centre + scale * z)) as f32));
            if self.constant {
                out.push(1.0);
            }
        }
    }

    /// Appends the labels of the inputs at the end of `out`, with the noise that a stream has at a place.
    fn push_labels(
        &self,
        function: &Function,
        (noise, at): (&Stream, u64),
        points: usize,
        out: &mut Vec<f32>,
    ) {
        let (inputs, mut scratch) = (self.inputs(), Scratch::default());
        let (begin, mut x) = (out.len() - points * inputs, vec![0.0; inputs]);
        for point in 0..points {
            let row = &out[begin + point * inputs..][..inputs];
            x.iter_mut().zip(row).for_each(|(wide, x)| *wide = f64::from(*x));
            out.push(function.value(&x, &mut scratch) as f32);
        }
        if self.noise > 0.0 {
            let mut drawn = vec![];
            normals(noise, at, 0, points, &mut drawn);
            let labels = out.len() - points;
            let noisy = |(y, z): (&mut f32, f64)| *y = (f64::from(*y) + self.noise * z) as f32;
            out[labels..].iter_mut().zip(drawn).for_each(noisy);
        }
    }
}

/// Their mean squared distance from their mean.
pub fn variance(labels: &[f32]) -> f64 {
    mean_and_variance(labels.iter().map(|y| f64::from(*y))).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 5;

    fn sampled(prompts: &FunctionPrompts, replica: u32, step: u64, examples: Range<usize>) -> Vec<f32> {
        let mut rows = vec![];
        prompts.sample(SEED, replica, step, examples, &mut rows);
        rows
    }

    fn held_out(prompts: &FunctionPrompts, points: usize, examples: Range<usize>) -> Vec<f32> {
        let mut rows = vec![];
        prompts.held_out(SEED, points, examples, &mut rows);
        rows
    }

    fn of_class(class: Class) -> FunctionPrompts {
        FunctionPrompts { class, dim: 3, points: 9, sparsity: 2, ..FunctionPrompts::default() }
    }

    #[test]
    fn rows_hold_inputs_and_the_labels_that_follow() {
        for class in Class::ALL {
            let prompts = of_class(*class);
            let rows = held_out(&prompts, 9, 0..20);
            assert_eq!((rows.len(), prompts.columns()), (20 * 9 * 5, 9 * 5));
            for (example, row) in rows.chunks(prompts.columns()).enumerate() {
                let (function, (x, y)) = (prompts.held_out_function(SEED, example), prompts.parts(row));
                for (x, y) in x.chunks(4).zip(y) {
                    assert_eq!(x[3], 1.0);
                    let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
                    assert_eq!(function.at(&x) as f32, *y, "{class:?}");
                }
            }
        }
    }

    #[test]
    fn a_prompt_does_not_depend_on_those_beside_it() {
        for class in Class::ALL {
            let prompts = FunctionPrompts { noise: 0.3, ..of_class(*class) };
            let whole = sampled(&prompts, 1, 7, 0..9);
            let parts = [sampled(&prompts, 1, 7, 0..4), sampled(&prompts, 1, 7, 4..9)].concat();
            assert_eq!(whole, parts);
            let first = |rows: Vec<f32>| rows[..4].to_vec();
            let others = [
                first(sampled(&prompts, 1, 7, 1..2)),
                first(sampled(&prompts, 1, 8, 0..1)),
                first(sampled(&prompts, 2, 7, 0..1)),
                first(held_out(&prompts, 9, 0..1)),
            ];
            assert!(others.iter().all(|other| whole[..4] != other[..]), "{class:?}");
        }
    }

    #[test]
    fn a_longer_prompt_begins_with_a_shorter_one() {
        for law in Law::ALL {
            let prompts = FunctionPrompts {
                law: *law,
                test_weight: 0.5,
                long: 40,
                noise: 0.3,
                ..of_class(Class::Tree)
            };
            assert_eq!(prompts.longest(), 40);
            let (long, short) = (held_out(&prompts, 40, 3..4), held_out(&prompts, 9, 3..4));
            let ((x, y), (first_x, first_y)) = (prompts.parts(&long), prompts.parts(&short));
            assert_eq!((&x[..36], &y[..9], x.len(), y.len()), (first_x, first_y, 160, 40));
        }
    }

    #[test]
    fn the_test_may_have_larger_inputs_and_the_constant_stays() {
        let prompts = of_class(Class::Linear);
        let wide = FunctionPrompts { test_scale: 3.0, ..prompts.clone() };
        assert_eq!(sampled(&prompts, 0, 1, 0..5), sampled(&wide, 0, 1, 0..5));
        let (plain, wide) = (held_out(&prompts, 9, 0..1), held_out(&wide, 9, 0..1));
        for (a, b) in prompts.parts(&plain).0.chunks(4).zip(prompts.parts(&wide).0.chunks(4)) {
            assert!((0..3).all(|at| (3.0 * a[at] - b[at]).abs() < 1e-5) && b[3] == 1.0);
        }
    }

    #[test]
    fn inputs_have_the_law_that_is_named() {
        let moments = |prompts: &FunctionPrompts, rows: &[f32]| {
            let each = rows.chunks(prompts.columns()).flat_map(|row| prompts.parts(row).0.chunks(4));
            let (mut means, mut squares, mut right, mut count) = (0.0, 0.0, 0.0, 0.0);
            for x in each {
                means += f64::from(x[0]);
                squares += f64::from(x[1]).powi(2);
                right += if x[..3].iter().sum::<f32>() > 0.0 { 1.0 } else { 0.0 };
                count += 1.0;
            }
            (means / count, squares / count, right / count)
        };
        let normal = of_class(Class::Linear);
        let (mean, square, _) = moments(&normal, &sampled(&normal, 0, 0, 0..2000));
        assert!(mean.abs() < 0.05 && (square - 2.25).abs() < 0.1, "{mean} {square}");
        let mixture = FunctionPrompts { law: Law::Mixture, weight: 0.1, test_weight: 0.5, ..normal };
        let (mean, square, right) = moments(&mixture, &sampled(&mixture, 0, 0, 0..2000));
        assert!((mean + 1.6).abs() < 0.1 && (square - 5.0).abs() < 0.2 && (right - 0.1).abs() < 0.02);
        let (mean, _, right) = moments(&mixture, &held_out(&mixture, 9, 0..2000));
        assert!(mean.abs() < 0.1 && (right - 0.5).abs() < 0.02, "{mean} {right}");
    }

    #[test]
    fn noise_is_on_labels_alone() {
        let plain = of_class(Class::Network);
        let noisy = FunctionPrompts { noise: 0.5, ..plain.clone() };
        let inputs = |rows: &[f32]| plain.parts(&rows[..plain.columns()]).0.to_vec();
        let of = |prompts: &FunctionPrompts| [sampled(prompts, 0, 3, 0..1000), held_out(prompts, 9, 0..1000)];
        let ([first, held_out], noisy) = (of(&plain), of(&noisy));
        for (a, b) in [&first, &held_out].into_iter().zip(&noisy) {
            let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            assert!((squares / 9000.0 - 0.25).abs() < 0.02, "{squares}");
            assert_eq!(inputs(a), inputs(b));
        }
        // That of the test is another one.
        let noise_of = |a: &[f32], b: &[f32]| b[plain.columns() - 1] - a[plain.columns() - 1];
        assert_ne!(noise_of(&first, &noisy[0]), noise_of(&held_out, &noisy[1]));
    }

    /// Of linear functions of normal inputs the labels of a prompt are independent with variance s² ‖w‖², of which P points
    /// show 1 − 1/P.
    #[test]
    fn the_variance_of_linear_labels_is_known() {
        let prompts =
            FunctionPrompts { class: Class::Linear, dim: 8, constant: false, ..FunctionPrompts::default() };
        let expected = 2.25 * 8.0 * (1.0 - 1.0 / 17.0);
        let found = prompts.label_variance(SEED);
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        assert_eq!(variance(&[1.0, 2.0, 6.0]), (4.0 + 1.0 + 9.0) / 3.0);
    }

    #[test]
    fn the_largest_prompts_are_drawn_without_overflow() {
        let prompts = FunctionPrompts {
            dim: 32,
            points: 128,
            long: 256,
            layers: 6,
            hidden: 32,
            depth: 8,
            sparsity: 32,
            ..FunctionPrompts::default()
        };
        for class in Class::ALL {
            let prompts = FunctionPrompts { class: *class, ..prompts.clone() };
            let mut rows = vec![];
            prompts.sample(u64::MAX, u32::MAX, u64::MAX, usize::MAX - 1..usize::MAX, &mut rows);
            prompts.held_out(u64::MAX, 256, 65_535..65_536, &mut rows);
            assert!(rows.iter().all(|x| x.is_finite()), "{class:?}");
            assert_eq!(rows.len(), (128 + 256) * 34);
        }
    }
}
