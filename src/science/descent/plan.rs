//! The settings of the construction: the network, the step of gradient descent and the approximation by ReLUs; and
//! the size of the result.

use super::network::DescentNetwork;
use super::relus::ReluApproximation;
use vivarium_core::bounds::saturating_product;
use vivarium_core::settings::InvalidSetting;

/// The largest number of hidden layers of the network in the tokens, so that its number N of layers is at most 6.
pub const MAX_HIDDEN_LAYERS: usize = 5;

/// The largest dimension D of a token. For the paper's network of N = 6 layers with 20 inputs and 20 neurons in
/// each layer it is 2,822.
pub const MAX_TOKEN_DIM: u64 = 1 << 13;

/// The largest number of coordinates of all tokens of a prompt together: 8 MiB in double precision.
pub const MAX_TOKEN_NUMBERS: u64 = 1 << 20;

/// The largest number of line segments that approximate a smooth activation function, such as tanh.
pub const MAX_KNOTS: usize = 1024;

/// The smallest width δ of the band 0 < z < δ in which the derivative of a ReLU is wrong: σ(z/δ) − σ(z/δ − 1) is 1 for
/// large z as long as double precision represents z/δ − 1, up to z/δ = 2⁵³ (2²⁴ in single precision).
pub const MIN_DELTA: f64 = 1e-9;

/// The largest number of heads of all transformer layers of one step of gradient descent together.
pub const MAX_HEADS: u64 = 1 << 18;

/// The largest number of arithmetic operations of one step of gradient descent, by the transformer and directly: a
/// quarter of a second in a browser.
pub const MAX_OPERATIONS: u64 = 1 << 28;

/// The largest mask R₃, the number that the loss gradient's MLP subtracts in the query's token to make its gradient
/// 0; single precision can represent it.
const MAX_MASK: f64 = (1u128 << 100) as f64;

/// The settings of the construction of a transformer that performs gradient descent on a network in its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentPlan {
    /// The network whose weights the tokens hold.
    pub network: DescentNetwork,
    /// How activation functions of the network and their derivatives become sums of ReLUs.
    pub approximation: ReluApproximation,
    /// Learning rate η of gradient descent.
    pub learning_rate: f64,
    /// The bound B: weights are projected to the interval from −B to B.
    pub weight_bound: f64,
}

impl Default for DescentPlan {
    fn default() -> Self {
        DescentPlan {
            network: DescentNetwork::default(),
            approximation: ReluApproximation::default(),
            learning_rate: 0.1,
            weight_bound: 10.0,
        }
    }
}

/// Sizes of a transformer and its tokens, computed from the settings alone. All sums and products saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformerSizes {
    /// Number D_N of weights of the network whose weights the tokens hold.
    pub weights: u64,
    /// Dimension D of a token: its number of coordinates.
    pub token_dim: u64,
    /// Number n + 1 of tokens: one for each example, and one for the query.
    pub token_count: u64,
    /// Number of transformer layers of a step, 2N + 4 for a network of N layers.
    pub layers: u64,
    /// Number of heads of all layers of a step, including those of element-wise products.
    pub heads: u64,
    /// Approximate number of arithmetic operations of one step of gradient descent, by the transformer and directly in
    /// double and in single precision.
    pub operations: u64,
}

impl DescentPlan {
    /// Computes the sizes of the transformer and its tokens for n = `examples` examples.
    pub fn compute_sizes(&self, examples: usize) -> TransformerSizes {
        let network = &self.network;
        // Inputs and neurons of each layer, converted before they are multiplied.
        let all: Vec<[u64; 2]> = (1..=network.layer_count())
            .map(|j| [network.width(j - 1) as u64, network.width(j) as u64])
            .collect();
        let total = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
        let weights = total(&mut all.iter().map(|layer| saturating_product(*layer)));
        let units = total(&mut all.iter().map(|[_, width]| *width));
        let relus = total(&mut all.iter().enumerate().map(|(i, [_, width])| {
            let [value, slope] = self.approximation.term_counts(network.activation(i + 1));
            saturating_product([*width, value.saturating_add(slope)])
        }));
        let ends = [network.inputs, network.outputs, network.outputs, 2].map(|size| size as u64);
        let token = total(&mut ends.into_iter().chain([weights, saturating_product([3, units])]));
        let tokens = (examples as u64).saturating_add(1);
        let passes = [
            // Forward, derivatives, backward, step and clean-up each take about as many products as there are
            // weights.
            saturating_product([24, weights, tokens]),
            saturating_product([3, relus, tokens]),
            // The same key is added once for each token.
            saturating_product([2, units, tokens, tokens]),
            // Direct descent in double and in single precision.
            saturating_product([14, weights, tokens]),
        ];
        TransformerSizes {
            weights,
            token_dim: token,
            token_count: tokens,
            layers: 2 * network.layer_count() as u64 + 4,
            heads: total(&mut [relus, units, saturating_product([2, units])].into_iter()),
            operations: total(&mut passes.into_iter()),
        }
    }

    /// An upper bound on the absolute value of the network's output p(N), over all weights from −B to B, with the bound
    /// B of the settings, and all inputs of at most `input` in absolute value.
    pub(super) fn bound_output(&self, input: f64) -> f64 {
        (1..=self.network.layer_count()).fold(input, |bound, j| {
            let sum = self.weight_bound * self.network.width(j - 1) as f64 * bound;
            self.approximation.bound_activation(self.network.activation(j), sum)
        })
    }

    /// All invalid settings, each with the expected values, for `examples` examples; `largest` holds the largest
    /// absolute values of inputs and of labels.
    pub fn invalid_settings(&self, examples: usize, largest: [f64; 2]) -> Vec<InvalidSetting> {
        let mut invalid = self.invalid_numbers();
        if invalid.is_empty() {
            invalid.extend(self.exceeded_size(examples));
        }
        let fits = || (0.0..MAX_MASK).contains(&(self.bound_output(largest[0]) + largest[1]));
        if invalid.is_empty() && !fits() {
            let expected = tr!(
                "a smaller bound B: with weights up to B, the outputs could be too large for single precision"
            );
            invalid.push(InvalidSetting::new("box", &self.weight_bound.to_string(), expected));
        }
        invalid
    }

    /// All settings whose own value is invalid, without regard to the size of the transformer, each with the expected
    /// values.
    fn invalid_numbers(&self) -> Vec<InvalidSetting> {
        let mut invalid = vec![];
        let DescentNetwork { inputs, hidden, outputs, .. } = &self.network;
        if hidden.len() > MAX_HIDDEN_LAYERS {
            let expected = tr!("at most {most} hidden layers", most = MAX_HIDDEN_LAYERS);
            invalid.push(InvalidSetting::new("hidden", &hidden.len().to_string(), expected));
        }
        if hidden.contains(&0) || *inputs == 0 || *outputs == 0 {
            invalid.push(InvalidSetting::new("hidden", "0", tr!("at least one neuron in every layer")));
        }
        let ReluApproximation { delta, knots, range: reach } = self.approximation;
        if knots == 0 || knots > MAX_KNOTS {
            let expected = tr!("from 1 to {most}", most = MAX_KNOTS);
            invalid.push(InvalidSetting::new("knots", &knots.to_string(), expected));
        }
        if delta < MIN_DELTA {
            let expected = tr!(
                "at least {least}, because in a narrower band, rounding would make the computed slope wrong",
                least = MIN_DELTA
            );
            invalid.push(InvalidSetting::new("delta", &delta.to_string(), expected));
        }
        let positive =
            [("delta", delta), ("reach", reach), ("lr", self.learning_rate), ("box", self.weight_bound)];
        for (key, number) in positive {
            let is_sound = number.is_finite() && number > 0.0;
            if !is_sound {
                invalid.push(InvalidSetting::new(key, &number.to_string(), tr!("a finite number above 0")));
            }
        }
        invalid
    }

    /// The first size of the transformer that exceeds its limit for `examples` examples, as an error; `None` if all
    /// are within their limits.
    fn exceeded_size(&self, examples: usize) -> Option<InvalidSetting> {
        let TransformerSizes { weights, token_dim: token, token_count: tokens, heads, operations, .. } =
            self.compute_sizes(examples);
        let of_token = self.network.hidden.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        if token > MAX_TOKEN_DIM {
            let expected = tr!(
                "fewer neurons: a token stores all {weights} weights and would have {token} numbers, but at most {most} numbers are possible",
                weights,
                token,
                most = MAX_TOKEN_DIM
            );
            return Some(InvalidSetting::new("hidden", &of_token, expected));
        }
        if saturating_product([token, tokens]) > MAX_TOKEN_NUMBERS {
            let expected = tr!(
                "at most {most} examples, because each token has {token} numbers",
                most = (MAX_TOKEN_NUMBERS / token).saturating_sub(1),
                token
            );
            return Some(InvalidSetting::new("n", &examples.to_string(), expected));
        }
        if heads > MAX_HEADS {
            let expected = tr!(
                "fewer straight lines: a step would have {heads} heads, but at most {most} heads are possible",
                heads,
                most = MAX_HEADS
            );
            return Some(InvalidSetting::new("knots", &self.approximation.knots.to_string(), expected));
        }
        (operations > MAX_OPERATIONS).then(|| {
            let expected = tr!(
                "fewer examples: a step would need {operations} operations, but at most {most} operations are possible",
                operations,
                most = MAX_OPERATIONS
            );
            InvalidSetting::new("n", &examples.to_string(), expected)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::activation::{Activation, OutputActivation};
    use crate::descent::relus::INTERPOLATION_RELUS;

    fn plan_with_hidden(hidden: Vec<usize>) -> DescentPlan {
        DescentPlan {
            network: DescentNetwork { hidden, ..DescentNetwork::default() },
            ..DescentPlan::default()
        }
    }

    /// A 2-8-8-1 network: 88 weights, tokens of 145 numbers, 102 heads with ReLUs and 1,110 with tanh and M = 32.
    #[test]
    fn sizes_match_the_table() {
        let sizes = DescentPlan::default().compute_sizes(16);
        assert_eq!((sizes.weights, sizes.token_dim, sizes.token_count), (88, 145, 17));
        assert_eq!((sizes.layers, sizes.heads), (10, 102));
        let tanh = DescentNetwork { activation: Activation::Tanh, ..DescentNetwork::default() };
        assert_eq!(DescentPlan { network: tanh, ..DescentPlan::default() }.compute_sizes(16).heads, 1110);
        // A hundred steps are a thousand layers, and less than 10⁷ operations.
        assert!(100 * sizes.operations < 10_000_000, "{}", sizes.operations);
    }

    #[test]
    fn bounds_on_outputs_hold() {
        let plan = DescentPlan { weight_bound: 2.0, ..plan_with_hidden(vec![3]) };
        // 2 · 2 · 0.5 = 2 in each of three neurons, then 2 · 3 · 2.
        assert_eq!(plan.bound_output(0.5), 12.0);
        let tanh =
            DescentNetwork { activation: Activation::Tanh, hidden: vec![3], ..DescentNetwork::default() };
        let bound =
            DescentPlan { network: tanh, weight_bound: 2.0, ..DescentPlan::default() }.bound_output(0.5);
        assert!((bound - 6.0 * libm::tanh(2.0)).abs() < 1e-12, "{bound}");
    }

    /// A sweep stands for up to 1,024 runs, and a page asks about each of them several times before it shows anything.
    #[test]
    fn validation_builds_no_sum_of_relus() {
        for activation in [Activation::Tanh, Activation::Sigmoid, Activation::Gelu] {
            let network = DescentNetwork {
                activation,
                output_activation: OutputActivation::Activated,
                ..plan_with_hidden(vec![20; 5]).network
            };
            let approximation = ReluApproximation { knots: 1024, ..ReluApproximation::default() };
            let plan = DescentPlan { network, approximation, ..DescentPlan::default() };
            let before = INTERPOLATION_RELUS.get();
            assert_eq!(plan.invalid_settings(16, [1.5, 1.0]), []);
            assert!(plan.bound_output(1.5).is_finite());
            assert_eq!(INTERPOLATION_RELUS.get(), before, "{activation:?}");
            plan.approximation.activation_sum(Some(activation));
            assert_eq!(INTERPOLATION_RELUS.get(), before + 1025, "{activation:?}");
        }
    }

    #[test]
    fn invalid_settings_are_listed() {
        let found = |plan: &DescentPlan, examples: usize| {
            let problems = plan.invalid_settings(examples, [1.5, 1.0]);
            problems.first().map(|problem| (problem.key.clone(), problem.expected.clone()))
        };
        assert_eq!(found(&DescentPlan::default(), 16), None);
        assert_eq!(found(&plan_with_hidden(vec![20; 5]), 51), None);
        let lines = |knots| ReluApproximation { knots, ..ReluApproximation::default() };
        let tanh = DescentNetwork {
            activation: Activation::Tanh,
            hidden: vec![64, 64],
            ..DescentNetwork::default()
        };
        for (plan, examples, key, sentence) in [
            (plan_with_hidden(vec![4; 6]), 16, "hidden", "at most 5 hidden layers"),
            (plan_with_hidden(vec![4, 0]), 16, "hidden", "at least one neuron in every layer"),
            (
                plan_with_hidden(vec![64, 64, 64]),
                16,
                "hidden",
                "fewer neurons: a token stores all 8384 weights and would have 8969 numbers, but at most 8192 numbers are possible",
            ),
            (
                plan_with_hidden(vec![30; 5]),
                400,
                "n",
                "at most 251 examples, because each token has 4149 numbers",
            ),
            (
                DescentPlan { network: tanh, approximation: lines(1024), ..DescentPlan::default() },
                16,
                "knots",
                "fewer straight lines: a step would have 262790 heads, but at most 262144 heads are possible",
            ),
            (
                DescentPlan { approximation: lines(1025), ..DescentPlan::default() },
                16,
                "knots",
                "from 1 to 1024",
            ),
            (
                DescentPlan {
                    approximation: ReluApproximation { delta: 1e-12, ..lines(8) },
                    ..DescentPlan::default()
                },
                16,
                "delta",
                "at least 0.000000001, because in a narrower band, rounding would make the computed slope wrong",
            ),
            (
                DescentPlan { learning_rate: 0.0, ..DescentPlan::default() },
                16,
                "lr",
                "a finite number above 0",
            ),
            (
                DescentPlan { weight_bound: f64::NAN, ..DescentPlan::default() },
                16,
                "box",
                "a finite number above 0",
            ),
            (
                DescentPlan { weight_bound: 1e30, ..DescentPlan::default() },
                16,
                "box",
                "a smaller bound B: with weights up to B, the outputs could be too large for single precision",
            ),
        ] {
            assert_eq!(found(&plan, examples), Some((key.to_string(), sentence.to_string())));
        }
        // Sizes whose products a browser's 32 bits cannot hold.
        let huge = plan_with_hidden(vec![1 << 20, 1 << 20]).compute_sizes(usize::MAX);
        assert_eq!((huge.weights, huge.operations), ((1 << 40) + 3 * (1 << 20), u64::MAX));
    }
}
