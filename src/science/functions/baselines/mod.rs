//! What can be predicted of a prompt without a transformer: every label from the points before it, in double precision.
//!
//! Without examples every baseline predicts 0, the mean of all functions.

mod job;
mod least_squares;
mod training;

pub use job::{BaselinesJob, Score, Scores};
pub use least_squares::ridge;
pub use training::{EPOCHS, Training};

use super::network::Scratch;
use super::{Class, FunctionPrompts, Network};
use vivarium_core::choices;
use vivarium_core::math::dot;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::sorting::sort_by;

// Wu et al. 2024, appendix G.1: "We select the highest R-squared value from each epoch as the testing measure and calculate
// the average across all 6400 samples." This can mean one epoch for all prompts, or one for each prompt: both are here. Either
// needs the label that is asked for, and the second more so.
choices! {
    /// Who predicts.
    pub enum Baseline {
        /// The linear function of least norm that fits the examples best.
        LeastSquares = "ls", "Least squares";
        /// Ridge regression: of linear functions with the λ of Bayes's answer.
        Ridge = "ridge", "Ridge";
        /// Ridge regression on inputs with a last number 1.
        Affine = "affine", "Ridge on (x, 1)";
        /// The three nearest examples, weighted by the inverse of their distance.
        Neighbours = "near", "3 nearest neighbours";
        /// A network trained on the examples, after the epoch with the least mean error on the queries of all prompts.
        Best = "best", "Trained network, best epoch for all prompts";
        /// The same network, for each prompt after the epoch that has the least error on the prompt's own query.
        Each = "each", "Trained network, best epoch for each prompt";
        /// The same network after the last epoch.
        Last = "last", "Trained network, last epoch";
    }
}

/// How many neighbours are asked (Garg et al. 2022).
const NEIGHBOURS: usize = 3;

impl Baseline {
    /// Whether a network is trained for it, which takes a thousand times as long as the others.
    pub fn is_trained(self) -> bool {
        matches!(self, Baseline::Best | Baseline::Each | Baseline::Last)
    }

    /// Whether it uses the label that it is to predict: to choose the epoch of a network.
    pub fn knows_labels(self) -> bool {
        matches!(self, Baseline::Best | Baseline::Each)
    }

    /// λ of the ridge regressions.
    ///
    /// # Why
    /// With w ∼ N(0, I) and noise of variance σ², the posterior mean of a linear function has λ = σ², and without noise it is
    /// least squares of minimum norm. Of other functions no λ is right: d/10 is near the best of 1/1000 … 10 on random
    /// networks of 3 and 6 layers, from 2 to 16 examples with d = 1 and from 5 to 50 with d = 20.
    pub fn lambda(self, prompts: &FunctionPrompts) -> f64 {
        match (self, prompts.class) {
            (Baseline::LeastSquares, _) => 0.0,
            (Baseline::Ridge, Class::Linear | Class::Sparse) => prompts.noise * prompts.noise,
            _ => prompts.dim as f64 / 10.0,
        }
    }

    /// What it makes of the examples of a held-out prompt, which has the number `example`.
    ///
    /// Which epoch is best is known of many prompts together ([`Scores::best_epochs`]), or of a prompt's own query, so that it
    /// comes as `epochs`.
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
    ) -> Fitted {
        let inputs = prompts.inputs();
        if y.is_empty() {
            return Fitted::Nothing;
        }
        match self {
            Baseline::LeastSquares | Baseline::Ridge => {
                Fitted::Linear(ridge(x, y, inputs, self.lambda(prompts)))
            }
            Baseline::Affine => {
                let longer =
                    x.chunks_exact(inputs).flat_map(|x| x[..prompts.dim].iter().copied().chain([1.0]));
                let longer: Vec<f64> = longer.collect();
                let mut weights = ridge(&longer, y, prompts.dim + 1, self.lambda(prompts));
                let constant = weights.pop().unwrap_or(0.0);
                Fitted::Affine { weights, constant }
            }
            Baseline::Neighbours => Fitted::Neighbours { x: x.to_vec(), y: y.to_vec() },
            Baseline::Best | Baseline::Each | Baseline::Last => {
                let mut training = training_of(prompts, seed, example);
                (0..epochs).for_each(|_| training.epoch(x, y));
                Fitted::Network(training.into_network())
            }
        }
    }
}

/// The network that is trained on a held-out prompt, at its beginning: of the shape of the functions that are drawn, with
/// weights of its own.
fn training_of(prompts: &FunctionPrompts, seed: u64, example: usize) -> Training {
    let FunctionPrompts { layers, hidden, .. } = *prompts;
    let stream = Stream::new(seed, Purpose::FittedWeights, 0);
    Training::new(Network::draw(prompts.inputs(), layers, hidden, &stream, example as u64))
}

/// What a baseline has made of examples: a function.
#[derive(Debug, Clone, PartialEq)]
pub enum Fitted {
    /// 0, of no examples.
    Nothing,
    /// ⟨w, x⟩.
    Linear(Vec<f64>),
    /// ⟨w, x⟩ + c, of the numbers before the constant.
    Affine {
        /// w.
        weights: Vec<f64>,
        /// c.
        constant: f64,
    },
    /// The examples themselves.
    Neighbours {
        /// `[examples, inputs]`.
        x: Vec<f64>,
        /// `[examples]`.
        y: Vec<f64>,
    },
    /// A trained network.
    Network(Network),
}

impl Fitted {
    /// The prediction at an input, `[inputs]`.
    pub fn at(&self, x: &[f64]) -> f64 {
        let along = |w: &[f64]| dot(w, x);
        match self {
            Fitted::Nothing => 0.0,
            Fitted::Linear(weights) => along(weights),
            Fitted::Affine { weights, constant } => along(weights) + constant,
            Fitted::Neighbours { x: examples, y } => neighbours(examples, y, x),
            Fitted::Network(network) => network.output(x, &mut Scratch::default()),
        }
    }
}

/// The mean of the nearest labels, weighted by the inverse of their distance; of examples at the very place their mean.
fn neighbours(examples: &[f64], y: &[f64], x: &[f64]) -> f64 {
    let square = |other: &[f64]| other.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut near: Vec<(f64, f64)> =
        examples.chunks_exact(x.len()).zip(y).map(|(other, y)| (square(other), *y)).collect();
    sort_by(&mut near, |a, b| a.0.total_cmp(&b.0));
    let here = near.iter().take_while(|(distance, _)| *distance == 0.0).count();
    if here > 0 {
        return near[..here].iter().map(|(_, y)| y).sum::<f64>() / here as f64;
    }
    near.truncate(NEIGHBOURS);
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
    fn three_neighbours_by_hand() {
        let prompts = FunctionPrompts { constant: false, ..FunctionPrompts::default() };
        let near = |x: &[f64], y: &[f64]| Baseline::Neighbours.fit(&prompts, (0, 0), x, y, 0);
        // At 0 the nearest are 1, −2 and 4, with weights 1, 1/2 and 1/4.
        let fitted = near(&[1.0, 8.0, -2.0, 4.0], &[7.0, 100.0, 14.0, -28.0]);
        assert!((fitted.at(&[0.0]) - (7.0 + 7.0 - 7.0) / 1.75).abs() < 1e-12);
        // At an example its label, and of two at one place their mean.
        assert_eq!(fitted.at(&[8.0]), 100.0);
        assert_eq!(near(&[1.0, 1.0, 2.0], &[3.0, 5.0, 9.0]).at(&[1.0]), 4.0);
        // One example is what there is, and none is 0.
        assert_eq!(near(&[1.0], &[3.0]).at(&[5.0]), 3.0);
        assert_eq!(near(&[], &[]).at(&[5.0]), 0.0);
    }

    #[test]
    fn ridge_on_a_constant_is_affine() {
        let prompts = FunctionPrompts { dim: 2, ..FunctionPrompts::default() };
        let bare = FunctionPrompts { constant: false, ..prompts.clone() };
        let (x, y) = ([0.5, -1.0, 1.0, 2.0, 0.3, 1.0, -1.0, 0.7, 1.0], [1.0, 3.0, -0.5]);
        let without = [0.5, -1.0, 2.0, 0.3, -1.0, 0.7];
        let ridge = Baseline::Ridge.fit(&prompts, (0, 0), &x, &y, 0);
        for (prompts, x) in [(&prompts, x.as_slice()), (&bare, &without)] {
            let affine = Baseline::Affine.fit(prompts, (0, 0), x, &y, 0);
            assert!(
                (affine.at(&[0.1, 0.2, 1.0][..prompts.inputs()]) - ridge.at(&[0.1, 0.2, 1.0])).abs() < 1e-12
            );
        }
    }

    /// With noise on the labels no other λ has a smaller error on linear functions than σ², on the prompts of the test as
    /// the baselines are measured on them; least squares is far from it where there are hardly more examples than numbers.
    #[test]
    fn the_posterior_mean_is_the_best_linear_guess() {
        let prompts = FunctionPrompts {
            class: Class::Linear,
            dim: 4,
            constant: false,
            points: 6,
            scale: 1.0,
            noise: 1.0,
            ..FunctionPrompts::default()
        };
        assert_eq!(Baseline::Ridge.lambda(&prompts), 1.0);
        let (mut rows, mut errors) = (vec![], [0.0; 3]);
        prompts.held_out(0, 6, 0..3000, &mut rows);
        for row in rows.chunks(prompts.columns()) {
            let (x, y) = prompts.parts(row);
            let [x, y] = [x, y].map(|part| part.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
            for (error, lambda) in errors.iter_mut().zip([0.1, 1.0, 10.0]) {
                let w = ridge(&x[..20], &y[..5], 4, lambda);
                *error += (Fitted::Linear(w).at(&x[20..]) - y[5]).powi(2);
            }
        }
        assert!(errors[1] < 0.95 * errors[0] && errors[1] < 0.95 * errors[2], "{errors:?}");
        let all = [Baseline::Ridge, Baseline::LeastSquares];
        let mut job = BaselinesJob::new(&prompts, 0, 3000, &[5], &all);
        let scores = std::iter::repeat_with(|| job.advance(1 << 20)).flatten().next().unwrap();
        let [bayes, squares] = all.map(|baseline| scores.relative(baseline).unwrap()[0].mean);
        assert!(bayes < 0.7 * squares, "{bayes} {squares}");
        let error = errors[1] / 3000.0;
        assert!((scores.squares[0].1[0].mean / error - 1.0).abs() < 1e-6, "the same prompts: {error}");
    }

    #[test]
    fn trained_networks_begin_alike_and_learn() {
        let prompts = FunctionPrompts::default();
        let (mut row, mut errors) = (vec![], [0.0; 2]);
        for example in 0..20 {
            row.clear();
            prompts.held_out(3, 17, example..example + 1, &mut row);
            let (x, y) = prompts.parts(&row);
            let [x, y] = [x, y].map(|part| part.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
            for (error, epochs) in errors.iter_mut().zip([0, EPOCHS]) {
                let fitted = Baseline::Last.fit(&prompts, (3, example), &x, &y, epochs);
                *error += x.chunks(2).zip(&y).map(|(x, y)| (fitted.at(x) - y).powi(2)).sum::<f64>();
            }
            assert_eq!(
                Baseline::Best.fit(&prompts, (3, example), &x, &y, 7),
                Baseline::Last.fit(&prompts, (3, example), &x, &y, 7)
            );
        }
        assert!(errors[1] < 0.1 * errors[0], "{errors:?}");
    }
}
