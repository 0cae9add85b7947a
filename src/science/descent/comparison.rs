//! Compares the transformer with direct gradient descent from the same weights.
//!
//! # The bound
//! Corollary 1.1 of the paper bounds the distance e_l = ‖w_tokens − w_descent‖₂ after l steps by
//!
//! ```text
//! e_l ≤ (1 + ηL)^l ε / L
//! ```
//!
//! where L is a Lipschitz constant of ∇L_n, and ε bounds the error of the transformer's gradient. (It is printed with n in the
//! place of η. The recursion behind it, e_{l+1} ≤ (1 + ηL) e_l + ηε, gives η, as in lemma G.1 of Bai et al. 2023, from which
//! it is taken; as η ≤ n, what is printed holds too.)
//!
//! Neither is known in advance, so both are measured: L is the largest ‖∇L_n(w_tokens) − ∇L_n(w_descent)‖ / e_l so
//! far, and ε is the largest difference between the transformer's step and a step of descent from the same weights,
//! divided by η, so far. The proof needs no more, because Proj is not expansive; so the bound holds at every step.
//! The sharper bound [`ComparisonMeasures::recursion`] uses each step's own L and ε.
//!
//! The gradient of a ReLU network is discontinuous and has no Lipschitz constant: there the measured L is large, and
//! so is the bound.

use super::activation::Activation;
use super::direct::{compute_loss, descent_step, loss_and_gradient, project_to_box};
use super::examples::DescentExamples;
use super::number::{euclidean_distance, join_f64, split_f64};
use super::phase::LayerPhase;
use super::plan::DescentPlan;
use super::tokens::DescentTokens;
use super::transformer::ConstructedTransformer;
use vivarium_core::choices;

/// Losses, distances and bounds, after a number of steps, of three gradient descents from the same weights: by the
/// transformer in its tokens, direct in double precision, and direct in single precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonMeasures {
    /// Number l of steps of gradient descent that each of the three descents has taken.
    pub step: u64,
    /// Training loss L_n, half the mean squared error on the n examples, of the weights that the transformer's tokens
    /// hold.
    pub token_loss: f64,
    /// Training loss L_n of the weights of direct gradient descent in double precision.
    pub direct_loss: f64,
    /// Training loss L_n of the weights of direct gradient descent in single precision.
    pub single_loss: f64,
    /// Distance ‖w_tokens − w_descent‖₂ between the weights in the tokens and those of direct descent in double
    /// precision.
    pub distance: f64,
    /// Distance ‖w_single − w_descent‖₂ between direct descent in single and in double precision: the effect of
    /// rounding alone.
    pub single_distance: f64,
    /// Distance ‖w_descent − w(0)‖₂ of the weights of direct descent in double precision from the initial weights.
    pub distance_from_start: f64,
    /// Number of pairs of an example and a ReLU neuron whose derivative the transformer computed wrongly in the last
    /// step, because the pre-activation z lies in the band 0 < z < δ.
    pub wrong_derivatives: usize,
    /// The largest error ε so far: distance between the weights after the transformer's step and after an exact step
    /// from the same weights, plus an estimate of the rounding error of the two, divided by the learning rate.
    pub error: f64,
    /// The largest Lipschitz constant L so far: ‖∇L_n(w_tokens) − ∇L_n(w_descent)‖₂ / ‖w_tokens − w_descent‖₂, measured
    /// before each step for the weights in the tokens and those of direct descent.
    pub lipschitz: f64,
    /// The bound of corollary 1.1 (Wu et al. 2024) on `distance`, (1 + ηL)^l ε / L, with learning rate η, l = `step`,
    /// and the largest ε and L so far.
    pub corollary: f64,
    /// Upper bound on `distance` by the recursion e ← (1 + ηL) e + ηε over the steps, with learning rate η and the
    /// measured L and ε of each step.
    pub recursion: f64,
}

choices! {
    /// The measures besides the losses by tokens and by direct descent, in the order of
    /// [`ComparisonMeasures::measures`].
    pub enum ComparisonMeasure {
        /// [`ComparisonMeasures::distance`].
        Distance = "distance", "Distance to direct descent";
        /// [`ComparisonMeasures::single_distance`].
        SingleDistance = "single-distance", "Distance in single precision";
        /// [`ComparisonMeasures::distance_from_start`].
        Moved = "moved", "Distance from the initial weights";
        /// [`ComparisonMeasures::wrong_derivatives`].
        WrongDerivatives = "in-band", "Wrong slopes";
        /// [`ComparisonMeasures::error`].
        Error = "gradient-error", "Error of the gradient";
        /// [`ComparisonMeasures::lipschitz`].
        Lipschitz = "lipschitz", "Lipschitz constant";
        /// [`ComparisonMeasures::corollary`].
        Corollary = "corollary", "Bound of corollary 1.1";
        /// [`ComparisonMeasures::recursion`].
        Recursion = "recursion", "Bound computed step by step";
        /// [`ComparisonMeasures::single_loss`].
        SingleLoss = "single-loss", "Loss in single precision";
    }
}

/// The largest value that a measure has in files, so small that the sum of two such values is still finite in single
/// precision.
const MAX_WRITTEN: f64 = 1e38;

impl ComparisonMeasures {
    /// The measures in the order of [`ComparisonMeasure`]. Values above 10³⁸, also infinite ones, become 10³⁸, so that
    /// every file can hold them.
    pub fn measures(&self) -> [f32; 9] {
        let all = [
            self.distance,
            self.single_distance,
            self.distance_from_start,
            self.wrong_derivatives as f64,
            self.error,
            self.lipschitz,
            self.corollary,
            self.recursion,
            self.single_loss,
        ];
        all.map(|number| number.min(MAX_WRITTEN) as f32)
    }
}

/// A checkpoint of a comparison of descent in tokens with direct descent: all numbers from which
/// [`DescentComparison::resume`] continues.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonState {
    /// Number of steps of gradient descent taken so far by all three descents.
    pub step: u64,
    /// Weights of the network that the transformer's tokens hold, `[weights]`.
    pub tokens: Vec<f64>,
    /// Weights of the network after direct gradient descent in double precision, `[weights]`.
    pub direct: Vec<f64>,
    /// Weights of the network after direct gradient descent in single precision, `[weights]`.
    pub single: Vec<f32>,
    /// Number of pairs of an example and a ReLU neuron whose derivative the transformer computed wrongly in the
    /// last step.
    pub wrong_derivatives: usize,
    /// Largest transformer error ε so far, largest Lipschitz constant L so far, and the bound by recursion: the
    /// measures `error`, `lipschitz` and `recursion` of [`ComparisonMeasures`].
    pub bounds: [f64; 3],
}

impl ComparisonState {
    /// Permanent names of the tensors of [`ComparisonState::to_tensors`].
    pub const NAMES: [&'static str; 4] = ["tokens", "direct", "single", "measured"];

    /// The state before the first step, where all three descents have the weights `w`.
    pub fn initial(w: &[f64]) -> Self {
        ComparisonState {
            step: 0,
            tokens: w.to_vec(),
            direct: w.to_vec(),
            single: w.iter().map(|w| *w as f32).collect(),
            wrong_derivatives: 0,
            bounds: [0.0; 3],
        }
    }

    /// The state as tensors in single precision, the format of a run's parameters. Every number in double precision
    /// becomes [three](split_f64) adjacent numbers.
    ///
    /// # Shapes
    /// Weights in the tokens and weights of direct descent are `[weights, 3]`, those in single precision are
    /// `[weights]`. The last tensor holds the step, the number of wrong derivatives and the three bounds, `[5, 3]`.
    pub fn to_tensors(&self) -> [Vec<f32>; 4] {
        let wide = |numbers: &[f64]| numbers.iter().flat_map(|x| split_f64(*x)).collect::<Vec<f32>>();
        let [error, lipschitz, recursion] = self.bounds;
        let measured = [self.step as f64, self.wrong_derivatives as f64, error, lipschitz, recursion];
        [wide(&self.tokens), wide(&self.direct), self.single.clone(), wide(&measured)]
    }

    /// Restores the state from the four [tensors](ComparisonState::to_tensors), in the order of
    /// [`ComparisonState::NAMES`]; numbers that a tensor lacks are 0.
    pub fn from_tensors(parts: [&[f32]; 4]) -> Self {
        let wide = |numbers: &[f32]| -> Vec<f64> {
            numbers.chunks_exact(3).map(|three| join_f64([three[0], three[1], three[2]])).collect()
        };
        let [tokens, direct, single, measured] = parts;
        let measured = wide(measured);
        let [step, wrong_derivatives, error, lipschitz, recursion] =
            std::array::from_fn(|i| measured.get(i).copied().unwrap_or(0.0));
        ComparisonState {
            step: step as u64,
            tokens: wide(tokens),
            direct: wide(direct),
            single: single.to_vec(),
            wrong_derivatives: wrong_derivatives as usize,
            bounds: [error, lipschitz, recursion],
        }
    }
}

/// A running comparison of three gradient descents on the same examples: by a transformer in its tokens, direct in
/// double precision, and direct in single precision.
#[derive(Debug, Clone)]
pub struct DescentComparison {
    /// The settings from which the transformer is constructed.
    plan: DescentPlan,
    /// The labelled examples and the query on which all three descents work.
    examples: DescentExamples,
    /// The constructed transformer that is compared with direct descent.
    transformer: ConstructedTransformer,
    /// The transformer's input and output tokens after the last complete step of gradient descent.
    tokens: DescentTokens<f64>,
    /// The initial network weights w(0) of all three descents, `[weights]`.
    start: Vec<f64>,
    /// Weights of all three descents, number of steps and measured bounds after the last step.
    state: ComparisonState,
}

impl DescentComparison {
    /// Starts descent in tokens, direct descent, and direct descent in single precision from the weights `w`,
    /// projected to the interval from −B to B.
    pub fn new(plan: &DescentPlan, examples: DescentExamples, w: &[f64]) -> Self {
        let transformer = ConstructedTransformer::new(plan, &examples);
        let start = project_to_box(plan.weight_bound, w.iter().copied());
        let state = ComparisonState::initial(&start);
        let tokens = transformer.tokens(&examples, &start);
        DescentComparison { plan: plan.clone(), examples, transformer, tokens, start, state }
    }

    /// The settings from which the transformer is constructed.
    pub fn plan(&self) -> &DescentPlan {
        &self.plan
    }

    /// The labelled examples and the query on which all three descents work.
    pub fn examples(&self) -> &DescentExamples {
        &self.examples
    }

    /// The constructed transformer that is compared with direct gradient descent.
    pub fn transformer(&self) -> &ConstructedTransformer {
        &self.transformer
    }

    /// The transformer's tokens after the last complete step of gradient descent.
    pub fn tokens(&self) -> &DescentTokens<f64> {
        &self.tokens
    }

    /// The current weights, number of steps and bounds of the three descents.
    pub fn state(&self) -> &ComparisonState {
        &self.state
    }

    /// Continues from the checkpoint `state`. Further steps are bitwise equal to those without the interruption,
    /// because the workspace coordinates of the tokens are 0 between two steps.
    pub fn resume(&mut self, state: ComparisonState) {
        self.tokens.set_weights(self.transformer.layout(), &state.tokens);
        self.state = state;
    }

    /// Takes one step of the transformer and of both direct descents, and updates the measured bounds.
    pub fn step(&mut self) {
        let (plan, network, state) = (&self.plan, &self.plan.network, &mut self.state);
        let (of_tokens, _) = loss_and_gradient(network, &self.examples, &state.tokens);
        let (of_direct, _) = loss_and_gradient(network, &self.examples, &state.direct);
        let (of_single, _) = loss_and_gradient(network, &self.examples, &state.single);
        let apart = euclidean_distance(&state.tokens, &state.direct);
        let lipschitz = if apart > 0.0 { euclidean_distance(&of_tokens, &of_direct) / apart } else { 0.0 };

        let exact = descent_step(plan, &state.tokens, &of_tokens);
        for layer in self.transformer.layers() {
            layer.apply(&mut self.tokens);
            if layer.phase == LayerPhase::Derivatives {
                state.wrong_derivatives = count_wrong_derivatives(plan, &self.transformer, &self.tokens);
            }
        }
        state.tokens = self.tokens.weights(self.transformer.layout());
        state.direct = descent_step(plan, &state.direct, &of_direct);
        state.single = descent_step(plan, &state.single, &of_single);
        state.step += 1;

        // The rounding error of the two steps: about one rounding of each weight.
        let rounding = 4.0 * f64::EPSILON * euclidean_distance(&state.direct, &vec![0.0; state.direct.len()]);
        // With a learning rate of 0 the step does not reveal the gradient.
        let apart = euclidean_distance(&state.tokens, &exact) + rounding;
        let error = if plan.learning_rate > 0.0 { apart / plan.learning_rate } else { 0.0 };
        let [worst, steepest, recursion] = &mut state.bounds;
        *worst = worst.max(error);
        *steepest = steepest.max(lipschitz);
        *recursion = (1.0 + plan.learning_rate * lipschitz) * *recursion + plan.learning_rate * error;
    }

    /// Computes losses, distances and bounds of the three descents after the last step.
    pub fn measure(&self) -> ComparisonMeasures {
        let (network, state) = (&self.plan.network, &self.state);
        let loss_of = |w: &[f64]| compute_loss(network, &self.examples, w);
        let [error, lipschitz, recursion] = state.bounds;
        ComparisonMeasures {
            step: state.step,
            token_loss: loss_of(&state.tokens),
            direct_loss: loss_of(&state.direct),
            single_loss: compute_loss(network, &self.examples, &state.single),
            distance: euclidean_distance(&state.tokens, &state.direct),
            single_distance: euclidean_distance(&state.single, &state.direct),
            distance_from_start: euclidean_distance(&state.direct, &self.start),
            wrong_derivatives: state.wrong_derivatives,
            error,
            lipschitz,
            corollary: corollary_bound(self.plan.learning_rate, state.step, error, lipschitz),
            recursion,
        }
    }
}

/// The bound (1 + ηL)^l ε / L of corollary 1.1 (Wu et al. 2024) on the sum ηε Σ_{i<l} (1 + ηL)^i, for learning rate η =
/// `rate`, l = `step`, ε = `error` and L = `lipschitz`. If L is 0 it returns the sum itself, ηεl.
pub fn corollary_bound(rate: f64, step: u64, error: f64, lipschitz: f64) -> f64 {
    if error == 0.0 {
        0.0
    } else if lipschitz > 0.0 {
        libm::pow(1.0 + rate * lipschitz, step as f64) * error / lipschitz
    } else {
        rate * error * step as f64
    }
}

/// Number of pairs of an example and a ReLU neuron of `plan.network` for which the derivative that the `tokens` hold
/// lies strictly between 0 and 1.
fn count_wrong_derivatives(
    plan: &DescentPlan,
    transformer: &ConstructedTransformer,
    tokens: &DescentTokens<f64>,
) -> usize {
    let (network, layout) = (&plan.network, transformer.layout());
    let examples = tokens.token_count().saturating_sub(1);
    let bent = (1..=network.layer_count()).filter(|j| network.activation(*j) == Some(Activation::Relu));
    let slopes = bent.flat_map(|j| layout.derivatives(j)).flat_map(|c| &tokens.row(c)[..examples]);
    slopes.filter(|slope| **slope > 0.0 && **slope < 1.0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_single_precision() {
        let state = ComparisonState {
            step: (1 << 40) + 1,
            tokens: vec![1.0 / 3.0, -2e-9 / 7.0],
            direct: vec![0.1, 0.0],
            single: vec![0.25, -1e-8],
            wrong_derivatives: 3,
            bounds: [1e-15 / 3.0, f64::INFINITY, 123.456],
        };
        let parts = state.to_tensors();
        assert_eq!(parts.each_ref().map(Vec::len), [6, 6, 2, 15]);
        assert_eq!(ComparisonState::from_tensors(parts.each_ref().map(Vec::as_slice)), state);
        assert_eq!(ComparisonState::from_tensors([&[], &[], &[], &[]]), ComparisonState::initial(&[]));
    }
}
