//! Draws prompts as rows of numbers.

use std::ops::Range;

use super::PromptFunction;
use super::network::{BiasFreeNetwork, ForwardWorkspace};
use super::normals::append_normals;
use vivarium_core::choices;
use vivarium_core::math::mean_and_variance;
use vivarium_core::rng::{Purpose, RandomStream};

choices! {
    /// Classes of functions.
    pub enum FunctionClass {
        /// ⟨w, x⟩ with w ∼ N(0, I).
        Linear = "linear", "Linear functions";
        /// ⟨w, x⟩ where few weights are not 0.
        Sparse = "sparse", "Sparse linear functions";
        /// Full binary decision trees on the signs of coordinates.
        Tree = "tree", "Decision trees";
        /// Networks of ReLUs with random weights.
        Network = "network", "Random networks";
    }
}

choices! {
    /// Distributions of the inputs.
    pub enum InputDistribution {
        /// Every coordinate is N(0, s²).
        Normal = "normal", "Normal, N(0, s²)";
        /// N(−2, I) or N(2, I), the latter with a given weight.
        Mixture = "mixture", "Mixture of N(−2, I) and N(2, I)";
    }
}

/// Absolute value of each coordinate of the means of the two components, N(2, I) and N(−2, I), of the mixture of
/// inputs.
const MIXTURE_CENTRE: f64 = 2.0;

/// Bit position of the example's index in the step number of a stream; training steps are below 2⁴⁰.
const EXAMPLE_SHIFT: u32 = 40;

/// Index of the random word that selects the component of the first point in a mixture, above the indices of all
/// words that draw inputs.
const FIRST_MIXTURE_WORD: u32 = 1 << 20;

/// Maximum number of held-out prompts over which [`FunctionPrompts::label_variance`] takes the mean.
const MAX_VARIANCE_PROMPTS: u64 = 1000;
/// Approximate number of operations for the estimate of the label variance; for functions that are expensive to
/// evaluate it takes the mean over fewer prompts, at least 64.
const MAX_VARIANCE_OPERATIONS: u64 = 1 << 27;

/// A distribution of prompts: points with labels by a random function; the last point of a prompt is the query, whose
/// label is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPrompts {
    /// Class of functions, such as linear functions, from which the function of each prompt is drawn.
    pub class: FunctionClass,
    /// Number of random coordinates of an input, without the constant coordinate 1.
    pub dim: usize,
    /// Whether an input has an additional coordinate that is always 1 and replaces biases, which the networks do
    /// not have.
    pub constant: bool,
    /// Number of points of a training prompt, including the query.
    pub points: usize,
    /// Number of points of the longest held-out prompt; 0 means as many as in training.
    pub held_out_points: usize,
    /// Distribution of the inputs of training prompts.
    pub distribution: InputDistribution,
    /// Standard deviation s of inputs of [`InputDistribution::Normal`].
    pub input_scale: f64,
    /// Probability of the component N(2, I), instead of N(−2, I), in the mixture of inputs of training prompts.
    pub mixture_weight: f64,
    /// Factor by which the inputs of held-out prompts are multiplied; the constant coordinate is not.
    pub test_scale: f64,
    /// Probability of the component N(2, I), instead of N(−2, I), in the mixture of inputs of held-out prompts.
    pub test_mixture_weight: f64,
    /// Number of nonzero weights of a sparse linear function.
    pub sparsity: usize,
    /// Depth of the decision tree if the functions of the prompts are decision trees.
    pub depth: usize,
    /// Number of layers of weights of a random network as function, and of the network that serves as a baseline.
    pub layers: usize,
    /// Number of neurons in each hidden layer of a random network as function, and of the network that serves as a
    /// baseline.
    pub hidden: usize,
    /// Standard deviation σ of the normal noise that is added to each label; 0 for exact labels.
    pub noise: f64,
}

impl Default for FunctionPrompts {
    /// Random networks of three layers on one number, as small transformers learn them in a minute.
    fn default() -> Self {
        FunctionPrompts {
            class: FunctionClass::Network,
            dim: 1,
            constant: true,
            points: 17,
            held_out_points: 0,
            distribution: InputDistribution::Normal,
            input_scale: 1.5,
            mixture_weight: 0.0,
            test_scale: 1.0,
            test_mixture_weight: 0.0,
            sparsity: 1,
            depth: 4,
            layers: 3,
            hidden: 8,
            noise: 0.0,
        }
    }
}

impl FunctionPrompts {
    /// Dimension of an input vector, including the constant coordinate 1 if there is one.
    pub fn inputs(&self) -> usize {
        self.dim + usize::from(self.constant)
    }

    /// Length of the row of a training prompt: all inputs `[points, inputs]`, then all labels `[points]`.
    pub fn row_len(&self) -> usize {
        self.row_len_for(self.points)
    }

    /// Number of values in the row of a prompt with `points` points: all inputs, then all labels.
    pub fn row_len_for(&self, points: usize) -> usize {
        points * (self.inputs() + 1)
    }

    /// Number of points of the longest prompt, for training or held out.
    pub fn max_points(&self) -> usize {
        self.points.max(self.held_out_points)
    }

    /// Splits the row of a prompt of any length into inputs `[points, inputs]` and labels `[points]`.
    pub fn split_row<'a>(&self, row: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        row.split_at(row.len() / (self.inputs() + 1) * self.inputs())
    }

    /// Approximate number of multiplications to evaluate a function of the class at one input.
    pub fn operations_per_value(&self) -> u64 {
        match self.class {
            FunctionClass::Linear | FunctionClass::Sparse => self.inputs() as u64,
            FunctionClass::Tree => self.depth as u64,
            FunctionClass::Network => BiasFreeNetwork::weight_count(&BiasFreeNetwork::layer_sizes(
                self.inputs(),
                self.layers,
                self.hidden,
            )) as u64,
        }
    }

    /// Appends the training prompts with the indices `examples`, from 0, of training step `step` in replica `replica`
    /// as rows to `out`, `[examples, row_len]`.
    pub fn append_training_prompts(
        &self,
        seed: u64,
        replica: u32,
        step: u64,
        examples: Range<usize>,
        out: &mut Vec<f32>,
    ) {
        let [inputs, functions, noise] = [Purpose::Batch, Purpose::Function, Purpose::Noise]
            .map(|purpose| RandomStream::new(seed, purpose, replica));
        for example in examples {
            let at = step.wrapping_add((example as u64) << EXAMPLE_SHIFT);
            let function = PromptFunction::draw(self, &functions, at);
            self.append_inputs(&inputs, at, self.points, (1.0, self.mixture_weight), out);
            self.append_labels(&function, (&noise, at), self.points, out);
        }
    }

    /// Appends the held-out prompts with the indices `examples`, from 0, as rows of `points` points to `out`, each as
    /// in [`FunctionPrompts::row_len_for`]. The first points of a prompt do not depend on its length.
    ///
    /// # Why
    /// All labels have the noise of training, also the label to be predicted: only for such prompts is ridge
    /// regression with λ = σ² the Bayes-optimal prediction of a linear function. No prediction explains the noise of
    /// the label itself, so that R² stays below 1. 2026-11-25.
    pub fn append_held_out_prompts(
        &self,
        seed: u64,
        points: usize,
        examples: Range<usize>,
        out: &mut Vec<f32>,
    ) {
        let [inputs, noise] =
            [Purpose::HeldOut, Purpose::HeldOutNoise].map(|purpose| RandomStream::new(seed, purpose, 0));
        for example in examples {
            let (function, at) = (self.held_out_function(seed, example), (example as u64) << EXAMPLE_SHIFT);
            self.append_inputs(&inputs, at, points, (self.test_scale, self.test_mixture_weight), out);
            self.append_labels(&function, (&noise, at), points, out);
        }
    }

    /// Draws the function that gives the labels of held-out prompt `example`, from 0.
    pub fn held_out_function(&self, seed: u64, example: usize) -> PromptFunction {
        let functions = RandomStream::new(seed, Purpose::HeldOutFunction, 0);
        PromptFunction::draw(self, &functions, (example as u64) << EXAMPLE_SHIFT)
    }

    /// Estimates the label variance within a held-out prompt of training length, the denominator of R²: the mean over
    /// the first prompts, at most 1000.
    pub fn label_variance(&self, seed: u64) -> f64 {
        let each = self.operations_per_value().saturating_mul(self.points as u64).max(1);
        let count = (MAX_VARIANCE_OPERATIONS / each).clamp(64, MAX_VARIANCE_PROMPTS) as usize;
        let (mut row, mut sum) = (vec![], 0.0);
        for example in 0..count {
            row.clear();
            self.append_held_out_prompts(seed, self.points, example..example + 1, &mut row);
            sum += population_variance(self.split_row(&row).1);
        }
        // Avoids a division by 0 if all labels are equal.
        (sum / count as f64).max(1e-12)
    }

    /// Appends the inputs of a prompt to `out`, `[points, inputs]`, with random coordinates multiplied by `factor`.
    /// `weight` is the probability of N(2, I) in a mixture, and `at` is the step number of the random words of
    /// `stream`. A point takes the same random words for every number of points.
    fn append_inputs(
        &self,
        stream: &RandomStream,
        at: u64,
        points: usize,
        (factor, weight): (f64, f64),
        out: &mut Vec<f32>,
    ) {
        let mut numbers = Vec::with_capacity(points * self.dim);
        append_normals(stream, at, 0, points * self.dim, &mut numbers);
        for (point, numbers) in (FIRST_MIXTURE_WORD..).zip(numbers.chunks_exact(self.dim.max(1))) {
            let (centre, scale) = match self.distribution {
                InputDistribution::Normal => (0.0, self.input_scale),
                InputDistribution::Mixture if stream.draw_bool(at, point, weight) => (MIXTURE_CENTRE, 1.0),
                InputDistribution::Mixture => (-MIXTURE_CENTRE, 1.0),
            };
            out.extend(numbers.iter().map(|z| (factor * (centre + scale * z)) as f32));
            if self.constant {
                out.push(1.0);
            }
        }
    }

    /// Appends to `out` the labels `[points]` by `function` of the inputs `[points, inputs]` at the end of `out`, with
    /// noise from the random stream `noise` at step number `at`.
    fn append_labels(
        &self,
        function: &PromptFunction,
        (noise, at): (&RandomStream, u64),
        points: usize,
        out: &mut Vec<f32>,
    ) {
        let (inputs, mut workspace) = (self.inputs(), ForwardWorkspace::default());
        let (begin, mut x) = (out.len() - points * inputs, vec![0.0; inputs]);
        for point in 0..points {
            let row = &out[begin + point * inputs..][..inputs];
            x.iter_mut().zip(row).for_each(|(wide, x)| *wide = f64::from(*x));
            out.push(function.evaluate_with(&x, &mut workspace) as f32);
        }
        if self.noise > 0.0 {
            let mut drawn = vec![];
            append_normals(noise, at, 0, points, &mut drawn);
            let labels = out.len() - points;
            let noisy = |(y, z): (&mut f32, f64)| *y = (f64::from(*y) + self.noise * z) as f32;
            out[labels..].iter_mut().zip(drawn).for_each(noisy);
        }
    }
}

/// Mean squared deviation of the labels from their mean: the variance with divisor n for n labels.
pub fn population_variance(labels: &[f32]) -> f64 {
    mean_and_variance(labels.iter().map(|y| f64::from(*y))).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 5;

    fn sampled(prompts: &FunctionPrompts, replica: u32, step: u64, examples: Range<usize>) -> Vec<f32> {
        let mut rows = vec![];
        prompts.append_training_prompts(SEED, replica, step, examples, &mut rows);
        rows
    }

    fn held_out(prompts: &FunctionPrompts, points: usize, examples: Range<usize>) -> Vec<f32> {
        let mut rows = vec![];
        prompts.append_held_out_prompts(SEED, points, examples, &mut rows);
        rows
    }

    fn of_class(class: FunctionClass) -> FunctionPrompts {
        FunctionPrompts { class, dim: 3, points: 9, sparsity: 2, ..FunctionPrompts::default() }
    }

    #[test]
    fn rows_hold_inputs_and_the_labels_that_follow() {
        for class in FunctionClass::ALL {
            let prompts = of_class(*class);
            let rows = held_out(&prompts, 9, 0..20);
            assert_eq!((rows.len(), prompts.row_len()), (20 * 9 * 5, 9 * 5));
            for (example, row) in rows.chunks(prompts.row_len()).enumerate() {
                let (function, (x, y)) = (prompts.held_out_function(SEED, example), prompts.split_row(row));
                for (x, y) in x.chunks(4).zip(y) {
                    assert_eq!(x[3], 1.0);
                    let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
                    assert_eq!(function.evaluate(&x) as f32, *y, "{class:?}");
                }
            }
        }
    }

    #[test]
    fn a_prompt_does_not_depend_on_other_prompts() {
        for class in FunctionClass::ALL {
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
    fn a_longer_prompt_starts_with_the_points_of_a_shorter_one() {
        for law in InputDistribution::ALL {
            let prompts = FunctionPrompts {
                distribution: *law,
                test_mixture_weight: 0.5,
                held_out_points: 40,
                noise: 0.3,
                ..of_class(FunctionClass::Tree)
            };
            assert_eq!(prompts.max_points(), 40);
            let (long, short) = (held_out(&prompts, 40, 3..4), held_out(&prompts, 9, 3..4));
            let ((x, y), (first_x, first_y)) = (prompts.split_row(&long), prompts.split_row(&short));
            assert_eq!((&x[..36], &y[..9], x.len(), y.len()), (first_x, first_y, 160, 40));
        }
    }

    #[test]
    fn held_out_inputs_are_scaled_without_the_constant() {
        let prompts = of_class(FunctionClass::Linear);
        let wide = FunctionPrompts { test_scale: 3.0, ..prompts.clone() };
        assert_eq!(sampled(&prompts, 0, 1, 0..5), sampled(&wide, 0, 1, 0..5));
        let (plain, wide) = (held_out(&prompts, 9, 0..1), held_out(&wide, 9, 0..1));
        for (a, b) in prompts.split_row(&plain).0.chunks(4).zip(prompts.split_row(&wide).0.chunks(4)) {
            assert!((0..3).all(|at| (3.0 * a[at] - b[at]).abs() < 1e-5) && b[3] == 1.0);
        }
    }

    #[test]
    fn inputs_have_the_selected_distribution() {
        let moments = |prompts: &FunctionPrompts, rows: &[f32]| {
            let each = rows.chunks(prompts.row_len()).flat_map(|row| prompts.split_row(row).0.chunks(4));
            let (mut means, mut squares, mut right, mut count) = (0.0, 0.0, 0.0, 0.0);
            for x in each {
                means += f64::from(x[0]);
                squares += f64::from(x[1]).powi(2);
                right += if x[..3].iter().sum::<f32>() > 0.0 { 1.0 } else { 0.0 };
                count += 1.0;
            }
            (means / count, squares / count, right / count)
        };
        let normal = of_class(FunctionClass::Linear);
        let (mean, square, _) = moments(&normal, &sampled(&normal, 0, 0, 0..2000));
        assert!(mean.abs() < 0.05 && (square - 2.25).abs() < 0.1, "{mean} {square}");
        let mixture = FunctionPrompts {
            distribution: InputDistribution::Mixture,
            mixture_weight: 0.1,
            test_mixture_weight: 0.5,
            ..normal
        };
        let (mean, square, right) = moments(&mixture, &sampled(&mixture, 0, 0, 0..2000));
        assert!((mean + 1.6).abs() < 0.1 && (square - 5.0).abs() < 0.2 && (right - 0.1).abs() < 0.02);
        let (mean, _, right) = moments(&mixture, &held_out(&mixture, 9, 0..2000));
        assert!(mean.abs() < 0.1 && (right - 0.5).abs() < 0.02, "{mean} {right}");
    }

    #[test]
    fn noise_changes_labels_only() {
        let plain = of_class(FunctionClass::Network);
        let noisy = FunctionPrompts { noise: 0.5, ..plain.clone() };
        let inputs = |rows: &[f32]| plain.split_row(&rows[..plain.row_len()]).0.to_vec();
        let of = |prompts: &FunctionPrompts| [sampled(prompts, 0, 3, 0..1000), held_out(prompts, 9, 0..1000)];
        let ([first, held_out], noisy) = (of(&plain), of(&noisy));
        for (a, b) in [&first, &held_out].into_iter().zip(&noisy) {
            let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            assert!((squares / 9000.0 - 0.25).abs() < 0.02, "{squares}");
            assert_eq!(inputs(a), inputs(b));
        }
        // That of the test is another one.
        let noise_of = |a: &[f32], b: &[f32]| b[plain.row_len() - 1] - a[plain.row_len() - 1];
        assert_ne!(noise_of(&first, &noisy[0]), noise_of(&held_out, &noisy[1]));
    }

    /// Of linear functions of normal inputs the labels of a prompt are independent with variance s² ‖w‖², of which P points
    /// show 1 − 1/P.
    #[test]
    fn the_variance_of_linear_labels_matches_the_closed_form() {
        let prompts = FunctionPrompts {
            class: FunctionClass::Linear,
            dim: 8,
            constant: false,
            ..FunctionPrompts::default()
        };
        let expected = 2.25 * 8.0 * (1.0 - 1.0 / 17.0);
        let found = prompts.label_variance(SEED);
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        assert_eq!(population_variance(&[1.0, 2.0, 6.0]), (4.0 + 1.0 + 9.0) / 3.0);
    }

    #[test]
    fn the_largest_prompts_are_drawn_without_overflow() {
        let prompts = FunctionPrompts {
            dim: 32,
            points: 128,
            held_out_points: 256,
            layers: 6,
            hidden: 32,
            depth: 8,
            sparsity: 32,
            ..FunctionPrompts::default()
        };
        for class in FunctionClass::ALL {
            let prompts = FunctionPrompts { class: *class, ..prompts.clone() };
            let mut rows = vec![];
            prompts.append_training_prompts(
                u64::MAX,
                u32::MAX,
                u64::MAX,
                usize::MAX - 1..usize::MAX,
                &mut rows,
            );
            prompts.append_held_out_prompts(u64::MAX, 256, 65_535..65_536, &mut rows);
            assert!(rows.iter().all(|x| x.is_finite()), "{class:?}");
            assert_eq!(rows.len(), (128 + 256) * 34);
        }
    }
}
