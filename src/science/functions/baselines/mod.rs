//! Baselines that predict each label of a prompt from the points before it without a transformer, in double
//! precision.
//!
//! Without examples every baseline predicts 0, the mean over all functions.

mod job;
mod least_squares;
mod training;

pub use job::{BaselineErrors, BaselinesJob, ErrorEstimate};
pub use least_squares::ridge_regression;
pub use training::{BaselineTraining, TRAINING_EPOCHS};

use super::network::ForwardWorkspace;
use super::{BiasFreeNetwork, FunctionClass, FunctionPrompts};
use vivarium_core::choices;
use vivarium_core::math::dot;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::sorting::sort_by;

// Wu et al. 2024, appendix G.1: "We select the highest R-squared value from each epoch as the testing measure and calculate
// the average across all 6400 samples." This can mean one epoch for all prompts, or one for each prompt; both are available.
// Both use the label of the query, and the second uses it more.
choices! {
    /// Methods that predict a label from the examples of a prompt, with which a transformer is compared.
    pub enum Baseline {
        /// The linear function of minimum norm among those with the smallest squared error on the examples.
        LeastSquares = "ls", "Least squares";
        /// Ridge regression; for linear functions with the Bayes-optimal λ.
        Ridge = "ridge", "Ridge";
        /// Ridge regression on inputs with an additional coordinate 1.
        Affine = "affine", "Ridge on (x, 1)";
        /// The three nearest examples, weighted by the inverse of their distance.
        Neighbours = "near", "3 nearest neighbours";
        /// A network trained on the examples, after the epoch with the smallest mean error on the queries of all
        /// prompts.
        BestForAll = "best", "Trained network, best epoch for all prompts";
        /// A network trained on the examples, after the epoch with the smallest error on the query of the same
        /// prompt.
        BestPerPrompt = "each", "Trained network, best epoch for each prompt";
        /// A network trained on the examples, after the last epoch.
        LastEpoch = "last", "Trained network, last epoch";
    }
}

/// Number of nearest examples whose labels the baseline `Neighbours` averages (Garg et al. 2022).
const NEIGHBOUR_COUNT: usize = 3;

impl Baseline {
    /// Whether the baseline trains a network, which takes a thousand times as long as the other baselines.
    pub fn is_trained(self) -> bool {
        matches!(self, Baseline::BestForAll | Baseline::BestPerPrompt | Baseline::LastEpoch)
    }

    /// Whether the baseline uses the query's label, which it is to predict, to choose the training epoch of its
    /// network.
    pub fn uses_query_labels(self) -> bool {
        matches!(self, Baseline::BestForAll | Baseline::BestPerPrompt)
    }

    /// The factor λ of the penalty λ‖w‖² in the baseline's ridge regression on these prompts.
    ///
    /// # Why
    /// With w ∼ N(0, I) and noise of variance σ², the posterior mean of a linear function is ridge regression with λ
    /// = σ²; without noise it is least squares of minimum norm. For other functions no λ is optimal: d/10 is close to
    /// the best of 1/1000 … 10 on random networks of 3 and 6 layers, from 2 to 16 examples with d = 1 and from 5 to
    /// 50 with d = 20.
    pub fn lambda(self, prompts: &FunctionPrompts) -> f64 {
        match (self, prompts.class) {
            (Baseline::LeastSquares, _) => 0.0,
            (Baseline::Ridge, FunctionClass::Linear | FunctionClass::Sparse) => prompts.noise * prompts.noise,
            _ => prompts.dim as f64 / 10.0,
        }
    }

    /// Fits the baseline to the examples of the held-out prompt with the index `example`, from 0, of seed `seed`.
    ///
    /// `epochs` is the number of training epochs of a network. The best number depends on many prompts
    /// ([`BaselineErrors::best_epochs`]) or on the prompt's own query, so the caller passes it.
    ///
    /// # Shapes
    /// `x` is `[examples, inputs]`, `y` is `[examples]`.
    pub fn fit(
        self,
        prompts: &FunctionPrompts,
        (seed, example): (u64, usize),
        x: &[f64],
        y: &[f64],
        epochs: usize,
    ) -> FittedBaseline {
        let inputs = prompts.inputs();
        if y.is_empty() {
            return FittedBaseline::Zero;
        }
        match self {
            Baseline::LeastSquares | Baseline::Ridge => {
                FittedBaseline::Linear(ridge_regression(x, y, inputs, self.lambda(prompts)))
            }
            Baseline::Affine => {
                let longer =
                    x.chunks_exact(inputs).flat_map(|x| x[..prompts.dim].iter().copied().chain([1.0]));
                let longer: Vec<f64> = longer.collect();
                let mut weights = ridge_regression(&longer, y, prompts.dim + 1, self.lambda(prompts));
                let constant = weights.pop().unwrap_or(0.0);
                FittedBaseline::Affine { weights, constant }
            }
            Baseline::Neighbours => FittedBaseline::Neighbours { x: x.to_vec(), y: y.to_vec() },
            Baseline::BestForAll | Baseline::BestPerPrompt | Baseline::LastEpoch => {
                let mut training = start_training(prompts, seed, example);
                (0..epochs).for_each(|_| training.run_epoch(x, y));
                FittedBaseline::Network(training.into_network())
            }
        }
    }
}

/// Starts the training of a network on held-out prompt `example`, from 0: it has as many layers and neurons as the
/// random networks of `prompts`, and initial weights that `seed` and `example` determine.
fn start_training(prompts: &FunctionPrompts, seed: u64, example: usize) -> BaselineTraining {
    let FunctionPrompts { layers, hidden, .. } = *prompts;
    let stream = RandomStream::new(seed, Purpose::FittedWeights, 0);
    BaselineTraining::new(BiasFreeNetwork::draw(prompts.inputs(), layers, hidden, &stream, example as u64))
}

/// A function that a baseline fitted to the examples of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum FittedBaseline {
    /// The constant 0, for no examples.
    Zero,
    /// ⟨w, x⟩.
    Linear(Vec<f64>),
    /// ⟨w, x⟩ + c, where x has no constant coordinate.
    Affine {
        /// w.
        weights: Vec<f64>,
        /// c.
        constant: f64,
    },
    /// The mean of the nearest examples.
    Neighbours {
        /// `[examples, inputs]`.
        x: Vec<f64>,
        /// `[examples]`.
        y: Vec<f64>,
    },
    /// A trained network.
    Network(BiasFreeNetwork),
}

impl FittedBaseline {
    /// Predicts the label at the input `x`, `[inputs]`, with the fitted function.
    pub fn predict(&self, x: &[f64]) -> f64 {
        let along = |w: &[f64]| dot(w, x);
        match self {
            FittedBaseline::Zero => 0.0,
            FittedBaseline::Linear(weights) => along(weights),
            FittedBaseline::Affine { weights, constant } => along(weights) + constant,
            FittedBaseline::Neighbours { x: examples, y } => predict_from_neighbours(examples, y, x),
            FittedBaseline::Network(network) => network.compute_output(x, &mut ForwardWorkspace::default()),
        }
    }
}

/// The mean of the labels `y` of the [`NEIGHBOUR_COUNT`] nearest `examples`, `[examples, inputs]`, to `x`, weighted by
/// inverse Euclidean distance. If examples coincide with `x`, it is the mean of their labels.
fn predict_from_neighbours(examples: &[f64], y: &[f64], x: &[f64]) -> f64 {
    let square = |other: &[f64]| other.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut near: Vec<(f64, f64)> =
        examples.chunks_exact(x.len()).zip(y).map(|(other, y)| (square(other), *y)).collect();
    sort_by(&mut near, |a, b| a.0.total_cmp(&b.0));
    let here = near.iter().take_while(|(distance, _)| *distance == 0.0).count();
    if here > 0 {
        return near[..here].iter().map(|(_, y)| y).sum::<f64>() / here as f64;
    }
    near.truncate(NEIGHBOUR_COUNT);
    let weighted = near.iter().fold((0.0, 0.0), |(sum, total), (square, y)| {
        let weight = 1.0 / square.sqrt();
        (sum + weight * y, total + weight)
    });
    weighted.0 / weighted.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_neighbours_match_hand_computation() {
        let prompts = FunctionPrompts { constant: false, ..FunctionPrompts::default() };
        let near = |x: &[f64], y: &[f64]| Baseline::Neighbours.fit(&prompts, (0, 0), x, y, 0);
        // At 0 the nearest are 1, −2 and 4, with weights 1, 1/2 and 1/4.
        let fitted = near(&[1.0, 8.0, -2.0, 4.0], &[7.0, 100.0, 14.0, -28.0]);
        assert!((fitted.predict(&[0.0]) - (7.0 + 7.0 - 7.0) / 1.75).abs() < 1e-12);
        // At an example its label, and of two at one place their mean.
        assert_eq!(fitted.predict(&[8.0]), 100.0);
        assert_eq!(near(&[1.0, 1.0, 2.0], &[3.0, 5.0, 9.0]).predict(&[1.0]), 4.0);
        // One example is what there is, and none is 0.
        assert_eq!(near(&[1.0], &[3.0]).predict(&[5.0]), 3.0);
        assert_eq!(near(&[], &[]).predict(&[5.0]), 0.0);
    }

    #[test]
    fn ridge_with_a_constant_coordinate_is_affine() {
        let prompts = FunctionPrompts { dim: 2, ..FunctionPrompts::default() };
        let bare = FunctionPrompts { constant: false, ..prompts.clone() };
        let (x, y) = ([0.5, -1.0, 1.0, 2.0, 0.3, 1.0, -1.0, 0.7, 1.0], [1.0, 3.0, -0.5]);
        let without = [0.5, -1.0, 2.0, 0.3, -1.0, 0.7];
        let ridge = Baseline::Ridge.fit(&prompts, (0, 0), &x, &y, 0);
        for (prompts, x) in [(&prompts, x.as_slice()), (&bare, &without)] {
            let affine = Baseline::Affine.fit(prompts, (0, 0), x, &y, 0);
            assert!(
                (affine.predict(&[0.1, 0.2, 1.0][..prompts.inputs()]) - ridge.predict(&[0.1, 0.2, 1.0]))
                    .abs()
                    < 1e-12
            );
        }
    }

    /// With noise on the labels no other λ has a smaller error on linear functions than σ², on the prompts of the test as
    /// the baselines are measured on them; least squares is far from it where there are hardly more examples than numbers.
    #[test]
    fn the_posterior_mean_has_the_smallest_error_of_linear_predictions() {
        let prompts = FunctionPrompts {
            class: FunctionClass::Linear,
            dim: 4,
            constant: false,
            points: 6,
            input_scale: 1.0,
            noise: 1.0,
            ..FunctionPrompts::default()
        };
        assert_eq!(Baseline::Ridge.lambda(&prompts), 1.0);
        let (mut rows, mut errors) = (vec![], [0.0; 3]);
        prompts.append_held_out_prompts(0, 6, 0..3000, &mut rows);
        for row in rows.chunks(prompts.row_len()) {
            let (x, y) = prompts.split_row(row);
            let [x, y] = [x, y].map(|part| part.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
            for (error, lambda) in errors.iter_mut().zip([0.1, 1.0, 10.0]) {
                let w = ridge_regression(&x[..20], &y[..5], 4, lambda);
                *error += (FittedBaseline::Linear(w).predict(&x[20..]) - y[5]).powi(2);
            }
        }
        assert!(errors[1] < 0.95 * errors[0] && errors[1] < 0.95 * errors[2], "{errors:?}");
        let all = [Baseline::Ridge, Baseline::LeastSquares];
        let mut job = BaselinesJob::new(&prompts, 0, 3000, &[5], &all);
        let scores = std::iter::repeat_with(|| job.advance(1 << 20)).flatten().next().unwrap();
        let [bayes, squares] = all.map(|baseline| scores.relative_errors(baseline).unwrap()[0].mean);
        assert!(bayes < 0.7 * squares, "{bayes} {squares}");
        let error = errors[1] / 3000.0;
        assert!((scores.squared_errors[0].1[0].mean / error - 1.0).abs() < 1e-6, "the same prompts: {error}");
    }

    #[test]
    fn trained_networks_start_equal_and_learn() {
        let prompts = FunctionPrompts::default();
        let (mut row, mut errors) = (vec![], [0.0; 2]);
        for example in 0..20 {
            row.clear();
            prompts.append_held_out_prompts(3, 17, example..example + 1, &mut row);
            let (x, y) = prompts.split_row(&row);
            let [x, y] = [x, y].map(|part| part.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
            for (error, epochs) in errors.iter_mut().zip([0, TRAINING_EPOCHS]) {
                let fitted = Baseline::LastEpoch.fit(&prompts, (3, example), &x, &y, epochs);
                *error += x.chunks(2).zip(&y).map(|(x, y)| (fitted.predict(x) - y).powi(2)).sum::<f64>();
            }
            assert_eq!(
                Baseline::BestForAll.fit(&prompts, (3, example), &x, &y, 7),
                Baseline::LastEpoch.fit(&prompts, (3, example), &x, &y, 7)
            );
        }
        assert!(errors[1] < 0.1 * errors[0], "{errors:?}");
    }
}
