//! What is built: the network, the step of descent on it, and how its functions become ReLUs; and how large that is.

use super::network::Network;
use super::relus::Approximation;
use vivarium_core::bounds::product;
use vivarium_core::settings::Problem;

/// Most hidden layers of the network: N is at most 6.
pub const MOST_HIDDEN: usize = 5;

/// Most numbers of a token. The paper's d = K = 20 with N = 6 has 2,822.
pub const MOST_IN_TOKEN: u64 = 1 << 13;

/// Most numbers of all tokens together: 8 MiB in double precision.
pub const MOST_IN_TOKENS: u64 = 1 << 20;

/// Most straight lines of a smooth activation.
pub const MOST_KNOTS: usize = 1024;

/// The narrowest band δ: σ(z/δ) − σ(z/δ − 1) is 1 for large z as long as double precision holds z/δ − 1, up to
/// z/δ = 2⁵³ (in single precision, up to 2²⁴).
pub const LEAST_DELTA: f64 = 1e-9;

/// Most heads of a step.
pub const MOST_HEADS: u64 = 1 << 18;

/// Most operations of a step, a quarter of a second in a browser.
pub const MOST_OPERATIONS: u64 = 1 << 28;

/// Largest number that a loss gradient's row subtracts in the query: single precision holds it.
const MOST_MASK: f64 = (1u128 << 100) as f64;

/// What is built.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The network whose weights travel in the tokens.
    pub network: Network,
    /// How its activations and their slopes become sums of ReLUs.
    pub approximation: Approximation,
    /// Learning rate η.
    pub rate: f64,
    /// Weights are kept between −B and B.
    pub limit: f64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { network: Network::default(), approximation: Approximation::default(), rate: 0.1, limit: 10.0 }
    }
}

/// How large a transformer and its tokens are, found from the settings alone; all sums and products saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Weights D_N of the network.
    pub weights: u64,
    /// Numbers D of a token.
    pub token: u64,
    /// Tokens, n + 1.
    pub tokens: u64,
    /// Layers of a step, 2N + 4.
    pub layers: u64,
    /// Heads of a step, those of products among them.
    pub heads: u64,
    /// Operations, roughly, of a step of the transformer and of direct descent.
    pub operations: u64,
}

impl Plan {
    /// Sizes with so many examples.
    pub fn sizes(&self, examples: usize) -> Sizes {
        let network = &self.network;
        // Of each layer its inputs and its neurons, wide before they are multiplied.
        let all: Vec<[u64; 2]> =
            (1..=network.layers()).map(|j| [network.width(j - 1) as u64, network.width(j) as u64]).collect();
        let total = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
        let weights = total(&mut all.iter().map(|layer| product(*layer)));
        let units = total(&mut all.iter().map(|[_, width]| *width));
        let relus = total(&mut all.iter().enumerate().map(|(i, [_, width])| {
            let [value, slope] = self.approximation.terms(network.activation(i + 1));
            product([*width, value.saturating_add(slope)])
        }));
        let ends = [network.inputs, network.outputs, network.outputs, 2].map(|size| size as u64);
        let token = total(&mut ends.into_iter().chain([weights, product([3, units])]));
        let tokens = (examples as u64).saturating_add(1);
        let passes = [
            // Forward, slopes, backward, step and clean-up, each about as many products as there are weights.
            product([24, weights, tokens]),
            product([3, relus, tokens]),
            // One key is added as often as there are tokens.
            product([2, units, tokens, tokens]),
            // Direct descent in two precisions.
            product([14, weights, tokens]),
        ];
        Sizes {
            weights,
            token,
            tokens,
            layers: 2 * network.layers() as u64 + 4,
            heads: total(&mut [relus, units, product([2, units])].into_iter()),
            operations: total(&mut passes.into_iter()),
        }
    }

    /// A bound on |p(N)| over all weights in the box and all inputs of at most `input`.
    pub(super) fn largest_output(&self, input: f64) -> f64 {
        (1..=self.network.layers()).fold(input, |most, j| {
            let sum = self.limit * self.network.width(j - 1) as f64 * most;
            self.approximation.largest(self.network.activation(j), sum)
        })
    }

    /// What cannot be in these settings with so many examples, whose inputs and labels are at most `largest`.
    pub fn problems(&self, examples: usize, largest: [f64; 2]) -> Vec<Problem> {
        let mut problems = self.problems_of_numbers();
        if problems.is_empty() {
            problems.extend(self.problem_of_size(examples));
        }
        let fits = || (0.0..MOST_MASK).contains(&(self.largest_output(largest[0]) + largest[1]));
        if problems.is_empty() && !fits() {
            let expected = tr!(
                "a smaller bound B: with weights up to B, the outputs could be too large for single precision"
            );
            problems.push(Problem::new("box", &self.limit.to_string(), expected));
        }
        problems
    }

    /// Those of single numbers.
    fn problems_of_numbers(&self) -> Vec<Problem> {
        let mut problems = vec![];
        let Network { inputs, hidden, outputs, .. } = &self.network;
        if hidden.len() > MOST_HIDDEN {
            let expected = tr!("at most {most} hidden layers", most = MOST_HIDDEN);
            problems.push(Problem::new("hidden", &hidden.len().to_string(), expected));
        }
        if hidden.contains(&0) || *inputs == 0 || *outputs == 0 {
            problems.push(Problem::new("hidden", "0", tr!("at least one neuron in every layer")));
        }
        let Approximation { delta, knots, reach } = self.approximation;
        if knots == 0 || knots > MOST_KNOTS {
            let expected = tr!("from 1 to {most}", most = MOST_KNOTS);
            problems.push(Problem::new("knots", &knots.to_string(), expected));
        }
        if delta < LEAST_DELTA {
            let expected = tr!(
                "at least {least}, because in a narrower band, rounding would make the computed slope wrong",
                least = LEAST_DELTA
            );
            problems.push(Problem::new("delta", &delta.to_string(), expected));
        }
        let positive = [("delta", delta), ("reach", reach), ("lr", self.rate), ("box", self.limit)];
        for (key, number) in positive {
            let is_sound = number.is_finite() && number > 0.0;
            if !is_sound {
                problems.push(Problem::new(key, &number.to_string(), tr!("a finite number above 0")));
            }
        }
        problems
    }

    /// The first size that is too large.
    fn problem_of_size(&self, examples: usize) -> Option<Problem> {
        let Sizes { weights, token, tokens, heads, operations, .. } = self.sizes(examples);
        let of_token = self.network.hidden.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        if token > MOST_IN_TOKEN {
            let expected = tr!(
                "fewer neurons: a token stores all {weights} weights and would have {token} numbers, but at most {most} numbers are possible",
                weights,
                token,
                most = MOST_IN_TOKEN
            );
            return Some(Problem::new("hidden", &of_token, expected));
        }
        if product([token, tokens]) > MOST_IN_TOKENS {
            let expected = tr!(
                "at most {most} examples, because each token has {token} numbers",
                most = (MOST_IN_TOKENS / token).saturating_sub(1),
                token
            );
            return Some(Problem::new("n", &examples.to_string(), expected));
        }
        if heads > MOST_HEADS {
            let expected = tr!(
                "fewer straight lines: a step would have {heads} heads, but at most {most} heads are possible",
                heads,
                most = MOST_HEADS
            );
            return Some(Problem::new("knots", &self.approximation.knots.to_string(), expected));
        }
        (operations > MOST_OPERATIONS).then(|| {
            let expected = tr!(
                "fewer examples: a step would need {operations} operations, but at most {most} operations are possible",
                operations,
                most = MOST_OPERATIONS
            );
            Problem::new("n", &examples.to_string(), expected)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::activation::{Activation, Output};
    use crate::descent::relus::WRITTEN;

    fn with(hidden: Vec<usize>) -> Plan {
        Plan { network: Network { hidden, ..Network::default() }, ..Plan::default() }
    }

    /// Section 5.1: 88 weights, tokens of 145 numbers, 102 heads with ReLUs and 1,110 with tanh and M = 32.
    #[test]
    fn sizes_are_those_of_the_table() {
        let sizes = Plan::default().sizes(16);
        assert_eq!((sizes.weights, sizes.token, sizes.tokens), (88, 145, 17));
        assert_eq!((sizes.layers, sizes.heads), (10, 102));
        let tanh = Network { activation: Activation::Tanh, ..Network::default() };
        assert_eq!(Plan { network: tanh, ..Plan::default() }.sizes(16).heads, 1110);
        // A hundred steps are a thousand layers, and less than 10⁷ operations.
        assert!(100 * sizes.operations < 10_000_000, "{}", sizes.operations);
    }

    #[test]
    fn bounds_on_outputs_hold() {
        let plan = Plan { limit: 2.0, ..with(vec![3]) };
        // 2 · 2 · 0.5 = 2 in each of three neurons, then 2 · 3 · 2.
        assert_eq!(plan.largest_output(0.5), 12.0);
        let tanh = Network { activation: Activation::Tanh, hidden: vec![3], ..Network::default() };
        let bound = Plan { network: tanh, limit: 2.0, ..Plan::default() }.largest_output(0.5);
        assert!((bound - 6.0 * libm::tanh(2.0)).abs() < 1e-12, "{bound}");
    }

    /// A sweep stands for up to 1,024 runs, and a page asks about each of them several times before it shows anything.
    #[test]
    fn whether_a_plan_can_be_is_found_without_a_sum() {
        for activation in [Activation::Tanh, Activation::Sigmoid, Activation::Gelu] {
            let network = Network { activation, output: Output::Activated, ..with(vec![20; 5]).network };
            let approximation = Approximation { knots: 1024, ..Approximation::default() };
            let plan = Plan { network, approximation, ..Plan::default() };
            let before = WRITTEN.get();
            assert_eq!(plan.problems(16, [1.5, 1.0]), []);
            assert!(plan.largest_output(1.5).is_finite());
            assert_eq!(WRITTEN.get(), before, "{activation:?}");
            plan.approximation.value(Some(activation));
            assert_eq!(WRITTEN.get(), before + 1025, "{activation:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let found = |plan: &Plan, examples: usize| {
            let problems = plan.problems(examples, [1.5, 1.0]);
            problems.first().map(|problem| (problem.key.clone(), problem.expected.clone()))
        };
        assert_eq!(found(&Plan::default(), 16), None);
        assert_eq!(found(&with(vec![20; 5]), 51), None);
        let lines = |knots| Approximation { knots, ..Approximation::default() };
        let tanh = Network { activation: Activation::Tanh, hidden: vec![64, 64], ..Network::default() };
        for (plan, examples, key, sentence) in [
            (with(vec![4; 6]), 16, "hidden", "at most 5 hidden layers"),
            (with(vec![4, 0]), 16, "hidden", "at least one neuron in every layer"),
            (
                with(vec![64, 64, 64]),
                16,
                "hidden",
                "fewer neurons: a token stores all 8384 weights and would have 8969 numbers, but at most 8192 numbers are possible",
            ),
            (with(vec![30; 5]), 400, "n", "at most 251 examples, because each token has 4149 numbers"),
            (
                Plan { network: tanh, approximation: lines(1024), ..Plan::default() },
                16,
                "knots",
                "fewer straight lines: a step would have 262790 heads, but at most 262144 heads are possible",
            ),
            (Plan { approximation: lines(1025), ..Plan::default() }, 16, "knots", "from 1 to 1024"),
            (
                Plan { approximation: Approximation { delta: 1e-12, ..lines(8) }, ..Plan::default() },
                16,
                "delta",
                "at least 0.000000001, because in a narrower band, rounding would make the computed slope wrong",
            ),
            (Plan { rate: 0.0, ..Plan::default() }, 16, "lr", "a finite number above 0"),
            (Plan { limit: f64::NAN, ..Plan::default() }, 16, "box", "a finite number above 0"),
            (
                Plan { limit: 1e30, ..Plan::default() },
                16,
                "box",
                "a smaller bound B: with weights up to B, the outputs could be too large for single precision",
            ),
        ] {
            assert_eq!(found(&plan, examples), Some((key.to_string(), sentence.to_string())));
        }
        // Sizes whose products a browser's 32 bits cannot hold.
        let huge = with(vec![1 << 20, 1 << 20]).sizes(usize::MAX);
        assert_eq!((huge.weights, huge.operations), ((1 << 40) + 3 * (1 << 20), u64::MAX));
    }
}
