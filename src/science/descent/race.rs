//! A transformer and direct descent side by side, from the same weights.
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
//! Neither is known beforehand, so both are measured: L is the largest ‖∇L_n(w_tokens) − ∇L_n(w_descent)‖ / e_l so far, and
//! ε the largest difference between the transformer's step and a step of descent from the same weights, over η, so far. The
//! proof needs no more than these, since Proj brings no two points further apart; so the bound holds at every step. A
//! sharper one, [`Standing::recursion`], takes each step's own L and ε.
//!
//! The gradient of a ReLU network jumps, and has no Lipschitz constant: there the measured L is large, and so is the bound.

use super::activation::Activation;
use super::direct::{gradient, loss, moved, projected};
use super::examples::Examples;
use super::number::{distance, join, split};
use super::phase::Phase;
use super::plan::Plan;
use super::tokens::Tokens;
use super::transformer::Transformer;
use vivarium_core::choices;

/// What is measured after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Steps made, l.
    pub step: u64,
    /// L_n of the weights in the tokens.
    pub token_loss: f64,
    /// L_n of direct descent.
    pub direct_loss: f64,
    /// L_n of direct descent in single precision.
    pub single_loss: f64,
    /// ‖w_tokens − w_descent‖₂.
    pub distance: f64,
    /// ‖w_single − w_descent‖₂, what single precision alone does.
    pub single_distance: f64,
    /// How far descent has come, ‖w_descent − w(0)‖₂.
    pub moved: f64,
    /// Pairs of an example and a ReLU whose slope was wrong in the last step, since 0 < z < δ.
    pub in_band: usize,
    /// The largest error ε of the transformer's gradient so far.
    pub error: f64,
    /// The largest L that the gradients have shown so far.
    pub lipschitz: f64,
    /// The corollary's bound on the distance, (1 + ηL)^l ε / L.
    pub corollary: f64,
    /// The same with the L and ε of each step, e ← (1 + ηL) e + ηε.
    pub recursion: f64,
}

choices! {
    /// What is measured besides the losses by tokens and by direct descent, in the order of [`Standing::measures`].
    pub enum Measured {
        /// [`Standing::distance`].
        Distance = "distance", "Distance to direct descent";
        /// [`Standing::single_distance`].
        SingleDistance = "single-distance", "Distance in single precision";
        /// [`Standing::moved`].
        Moved = "moved", "Distance from the initial weights";
        /// [`Standing::in_band`].
        InBand = "in-band", "Wrong slopes";
        /// [`Standing::error`].
        Error = "gradient-error", "Error of the gradient";
        /// [`Standing::lipschitz`].
        Lipschitz = "lipschitz", "Lipschitz constant";
        /// [`Standing::corollary`].
        Corollary = "corollary", "Bound of corollary 1.1";
        /// [`Standing::recursion`].
        Recursion = "recursion", "Bound computed step by step";
        /// [`Standing::single_loss`].
        SingleLoss = "single-loss", "Loss in single precision";
    }
}

/// The largest number of a measurement that is written down: two of them can be added in single precision.
const MOST_WRITTEN: f64 = 1e38;

impl Standing {
    /// The measures in the order of [`Measured`]. A bound that is beyond all numbers is a large number, so that
    /// every file can hold it.
    pub fn measures(&self) -> [f32; 9] {
        let all = [
            self.distance,
            self.single_distance,
            self.moved,
            self.in_band as f64,
            self.error,
            self.lipschitz,
            self.corollary,
            self.recursion,
            self.single_loss,
        ];
        all.map(|number| number.min(MOST_WRITTEN) as f32)
    }
}

/// What a race is at, for going on with it later.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Steps made.
    pub step: u64,
    /// Weights in the tokens.
    pub tokens: Vec<f64>,
    /// Weights of direct descent.
    pub direct: Vec<f64>,
    /// The same in single precision.
    pub single: Vec<f32>,
    /// [`Standing::in_band`].
    pub in_band: usize,
    /// [`Standing::error`], [`Standing::lipschitz`] and [`Standing::recursion`].
    pub bounds: [f64; 3],
}

impl State {
    /// What [`State::parts`] are called, permanently.
    pub const NAMES: [&'static str; 4] = ["tokens", "direct", "single", "measured"];

    /// The state before the first step, at weights `w`.
    pub fn at(w: &[f64]) -> Self {
        State {
            step: 0,
            tokens: w.to_vec(),
            direct: w.to_vec(),
            single: w.iter().map(|w| *w as f32).collect(),
            in_band: 0,
            bounds: [0.0; 3],
        }
    }

    /// The state in single precision, as the parameters of a run are kept; every number in double precision is
    /// [three](split) of them, side by side.
    ///
    /// # Shapes
    /// Weights in the tokens and those of direct descent are `[weights, 3]`, those in single precision `[weights]`, and
    /// step, numbers in the band and the three bounds `[5, 3]`.
    pub fn parts(&self) -> [Vec<f32>; 4] {
        let wide = |numbers: &[f64]| numbers.iter().flat_map(|x| split(*x)).collect::<Vec<f32>>();
        let [error, lipschitz, recursion] = self.bounds;
        let measured = [self.step as f64, self.in_band as f64, error, lipschitz, recursion];
        [wide(&self.tokens), wide(&self.direct), self.single.clone(), wide(&measured)]
    }

    /// The state of these [parts](State::parts); what is missing is 0.
    pub fn of(parts: [&[f32]; 4]) -> Self {
        let wide = |numbers: &[f32]| -> Vec<f64> {
            numbers.chunks_exact(3).map(|three| join([three[0], three[1], three[2]])).collect()
        };
        let [tokens, direct, single, measured] = parts;
        let measured = wide(measured);
        let [step, in_band, error, lipschitz, recursion] =
            std::array::from_fn(|i| measured.get(i).copied().unwrap_or(0.0));
        State {
            step: step as u64,
            tokens: wide(tokens),
            direct: wide(direct),
            single: single.to_vec(),
            in_band: in_band as usize,
            bounds: [error, lipschitz, recursion],
        }
    }
}

/// A transformer, direct descent, and direct descent in single precision.
#[derive(Debug, Clone)]
pub struct Race {
    plan: Plan,
    examples: Examples,
    transformer: Transformer,
    tokens: Tokens<f64>,
    start: Vec<f64>,
    state: State,
}

impl Race {
    /// All three at weights `w`, put into the box.
    pub fn new(plan: &Plan, examples: Examples, w: &[f64]) -> Self {
        let transformer = Transformer::new(plan, &examples);
        let start = projected(plan.limit, w.iter().copied());
        let state = State::at(&start);
        let tokens = transformer.tokens(&examples, &start);
        Race { plan: plan.clone(), examples, transformer, tokens, start, state }
    }

    /// What is built.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The examples.
    pub fn examples(&self) -> &Examples {
        &self.examples
    }

    /// The transformer.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// The tokens after the last whole step.
    pub fn tokens(&self) -> &Tokens<f64> {
        &self.tokens
    }

    /// What the race is at.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from `state`: all numbers are as they were, since scratch is 0 between two steps.
    pub fn resume(&mut self, state: State) {
        self.tokens.put(self.transformer.layout(), &state.tokens);
        self.state = state;
    }

    /// A step of all three.
    pub fn step(&mut self) {
        let (plan, network, state) = (&self.plan, &self.plan.network, &mut self.state);
        let (of_tokens, _) = gradient(network, &self.examples, &state.tokens);
        let (of_direct, _) = gradient(network, &self.examples, &state.direct);
        let (of_single, _) = gradient(network, &self.examples, &state.single);
        let apart = distance(&state.tokens, &state.direct);
        let lipschitz = if apart > 0.0 { distance(&of_tokens, &of_direct) / apart } else { 0.0 };

        let exact = moved(plan, &state.tokens, &of_tokens);
        for layer in self.transformer.layers() {
            layer.apply(&mut self.tokens);
            if layer.phase == Phase::Slopes {
                state.in_band = in_band(plan, &self.transformer, &self.tokens);
            }
        }
        state.tokens = self.tokens.weights(self.transformer.layout());
        state.direct = moved(plan, &state.direct, &of_direct);
        state.single = moved(plan, &state.single, &of_single);
        state.step += 1;

        // Steps of both are rounded: once in every weight, as far as it counts.
        let rounding = 4.0 * f64::EPSILON * distance(&state.direct, &vec![0.0; state.direct.len()]);
        // A step of length 0 says nothing of the gradient.
        let apart = distance(&state.tokens, &exact) + rounding;
        let error = if plan.rate > 0.0 { apart / plan.rate } else { 0.0 };
        let [worst, steepest, recursion] = &mut state.bounds;
        *worst = worst.max(error);
        *steepest = steepest.max(lipschitz);
        *recursion = (1.0 + plan.rate * lipschitz) * *recursion + plan.rate * error;
    }

    /// What is measured now.
    pub fn standing(&self) -> Standing {
        let (network, state) = (&self.plan.network, &self.state);
        let loss_of = |w: &[f64]| loss(network, &self.examples, w);
        let [error, lipschitz, recursion] = state.bounds;
        Standing {
            step: state.step,
            token_loss: loss_of(&state.tokens),
            direct_loss: loss_of(&state.direct),
            single_loss: loss(network, &self.examples, &state.single),
            distance: distance(&state.tokens, &state.direct),
            single_distance: distance(&state.single, &state.direct),
            moved: distance(&state.direct, &self.start),
            in_band: state.in_band,
            error,
            lipschitz,
            corollary: corollary(self.plan.rate, state.step, error, lipschitz),
            recursion,
        }
    }
}

/// (1 + ηL)^l ε / L, which bounds the sum ηε Σ_{i<l} (1 + ηL)^i; that sum itself, ηεl, where L is 0.
pub fn corollary(rate: f64, step: u64, error: f64, lipschitz: f64) -> f64 {
    if error == 0.0 {
        0.0
    } else if lipschitz > 0.0 {
        libm::pow(1.0 + rate * lipschitz, step as f64) * error / lipschitz
    } else {
        rate * error * step as f64
    }
}

/// Pairs of an example and a ReLU whose slope is neither 0 nor 1.
fn in_band(plan: &Plan, transformer: &Transformer, tokens: &Tokens<f64>) -> usize {
    let (network, layout) = (&plan.network, transformer.layout());
    let examples = tokens.count().saturating_sub(1);
    let bent = (1..=network.layers()).filter(|j| network.activation(*j) == Some(Activation::Relu));
    let slopes = bent.flat_map(|j| layout.slopes(j)).flat_map(|c| &tokens.row(c)[..examples]);
    slopes.filter(|slope| **slope > 0.0 && **slope < 1.0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_goes_through_single_precision_unharmed() {
        let state = State {
            step: (1 << 40) + 1,
            tokens: vec![1.0 / 3.0, -2e-9 / 7.0],
            direct: vec![0.1, 0.0],
            single: vec![0.25, -1e-8],
            in_band: 3,
            bounds: [1e-15 / 3.0, f64::INFINITY, 123.456],
        };
        let parts = state.parts();
        assert_eq!(parts.each_ref().map(Vec::len), [6, 6, 2, 15]);
        assert_eq!(State::of(parts.each_ref().map(Vec::as_slice)), state);
        assert_eq!(State::of([&[], &[], &[], &[]]), State::at(&[]));
    }
}
