//! The explicit construction (section 3 and appendix D of the paper): 2N + 4 layers that compute one step of gradient
//! descent.
//!
//! | layers | kind | what |
//! |---|---|---|
//! | 1 … N | attention | p(j)\[k\] = r(⟨v(j,k), p(j−1)⟩), a head for each ReLU of the sum for r (equation D.7) |
//! | N + 1 | attention | r′(j−1)\[k\] = r′(⟨v(j,k), p(j−1)⟩) for all layers (D.12) |
//! | N + 2 | MLP | g = 2 (p(N) − y), and 0 in the query (D.14) |
//! | N + 3 … 2N + 2 | product | s(N) = r′(N−1) ⊙ g, then s(j) = r′(j−1) ⊙ V_{j+1}ᵀ s(j+1) (D.15) |
//! | 2N + 3 | attention | w ← w − η/(2n) Σ_i p_i(j−1) s_i(j)ᵀ, two heads a neuron (D.16) |
//! | 2N + 4 | MLP | workspace ← 0, and w ← w − σ(w − B) + σ(−w − B) |
//!
//! # Where it differs from the text
//! - Attention already divides by the n + 1 tokens, so that the factor n + 1 inside of the sums of appendices D.2 and D.3 is
//!   left out.
//! - The paper projects onto a ball, which no MLP of ReLUs does exactly; here the set is the box \[−B, B\]. The layer
//!   2N + 3 may leave it, the layer 2N + 4 comes back.
//! - Definition 1 gives the output layer an activation too; [`OutputActivation::Linear`](super::OutputActivation) leaves it out.
//! - R₃, which hides the query's label, is a power of two above all |p(N)| + |y| that the box allows, rather than one above
//!   the norms in lemma 4.

use super::examples::DescentExamples;
use super::layer::{DescentLayer, LayerWeights, MlpUnit, NeuronHeads, ProductHead, WeightUpdate};
use super::layout::{TokenBlock, TokenLayout};
use super::number::{Precision, next_power_of_two};
use super::phase::{LayerKind, LayerPhase};
use super::plan::DescentPlan;
use super::tokens::DescentTokens;

/// A transformer whose forward pass is one step of gradient descent on the network in its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstructedTransformer {
    /// Which coordinates of a token belong to which block.
    layout: TokenLayout,
    /// The 2N + 4 layers of one step of gradient descent on a network of N layers, in order.
    layers: Vec<DescentLayer>,
    /// The mask R₃: a large number that the loss gradient's MLP subtracts in the query's token, so that the query
    /// has no gradient.
    mask: f64,
}

/// Numbers of layers, heads, hidden units and parameters of a constructed transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TransformerCounts {
    /// Number of layers of a step, 2N + 4 for a network of N layers.
    pub layers: u64,
    /// Number of heads of all attention layers in one step of gradient descent.
    pub attention_heads: u64,
    /// Number of heads of all layers of element-wise products in one step of gradient descent.
    pub product_heads: u64,
    /// Number of hidden units of all MLP layers in one step of gradient descent.
    pub mlp_units: u64,
    /// Number of nonzero entries of the weight matrices of all layers in one step of gradient descent.
    pub nonzero_entries: u64,
    /// Number of all entries of the weight matrices of all layers, zeros included: 3D² for a head and 2D for a hidden
    /// unit, with tokens of D coordinates.
    pub parameters: u64,
}

impl ConstructedTransformer {
    /// Builds the transformer for these settings and examples. Its weights depend on the examples only by their number
    /// n and, through the mask R₃, by the largest absolute value of their inputs and labels.
    pub fn new(plan: &DescentPlan, examples: &DescentExamples) -> Self {
        let layout = TokenLayout::new(&plan.network);
        let [inputs, labels] = examples.max_magnitudes();
        let mask = next_power_of_two(2.0 * (plan.bound_output(inputs) + labels));
        let build = LayerBuilder { plan, layout: &layout, examples: examples.len(), mask };
        let phases = LayerPhase::all(plan.network.layer_count());
        let layers = phases
            .into_iter()
            .map(|phase| DescentLayer::new(phase, build.layer_weights(phase), &layout))
            .collect();
        ConstructedTransformer { layout, layers, mask }
    }

    /// Which coordinates of a token belong to which block, such as weights or labels.
    pub fn layout(&self) -> &TokenLayout {
        &self.layout
    }

    /// The 2N + 4 layers of one step of gradient descent on a network of N layers, in order.
    pub fn layers(&self) -> &[DescentLayer] {
        &self.layers
    }

    /// The mask R₃: a large number that the loss gradient's MLP subtracts in the query's token, so that the query
    /// has no gradient.
    pub fn mask(&self) -> f64 {
        self.mask
    }

    /// The tokens of these examples with the network weights `w`, `[weights]`, in each token, before the first step.
    pub fn tokens<T: Precision>(&self, examples: &DescentExamples, w: &[f64]) -> DescentTokens<T> {
        DescentTokens::new(&self.layout, examples, w)
    }

    /// Applies all layers to the tokens, in place: one step of gradient descent on the weights that they hold.
    pub fn step<T: Precision>(&self, tokens: &mut DescentTokens<T>) {
        self.layers.iter().for_each(|layer| layer.apply(tokens));
    }

    /// The tokens before the first layer and after each of the 2N + 4 layers of a step, `[2N + 5]`.
    pub fn trace<T: Precision>(&self, mut tokens: DescentTokens<T>) -> Vec<DescentTokens<T>> {
        let mut states = vec![tokens.clone()];
        for layer in &self.layers {
            layer.apply(&mut tokens);
            states.push(tokens.clone());
        }
        states
    }

    /// Counts the layers, heads, hidden units and parameters of the transformer.
    pub fn counts(&self) -> TransformerCounts {
        let wide = self.layout.len() as u64;
        let mut counts =
            TransformerCounts { layers: self.layers.len() as u64, ..TransformerCounts::default() };
        for layer in &self.layers {
            let (heads, units) = (layer.head_count() as u64, layer.unit_count() as u64);
            match layer.kind() {
                LayerKind::Attention => counts.attention_heads += heads,
                LayerKind::Product => counts.product_heads += heads,
                LayerKind::Feedforward => counts.mlp_units += units,
            }
            counts.nonzero_entries += layer.nonzero_count();
            let all = heads.saturating_mul(3).saturating_mul(wide).saturating_mul(wide);
            counts.parameters = counts.parameters.saturating_add(all).saturating_add(2 * wide * units);
        }
        counts
    }
}

/// Builds the weights of the transformer's layers.
struct LayerBuilder<'a> {
    /// The settings from which the transformer is constructed.
    plan: &'a DescentPlan,
    /// Which coordinates of a token belong to which block.
    layout: &'a TokenLayout,
    /// Number n of examples, without the query.
    examples: usize,
    /// The mask R₃: a large number that the loss gradient's MLP subtracts in the query's token, so that the query
    /// has no gradient.
    mask: f64,
}

impl LayerBuilder<'_> {
    /// Builds the weights of the transformer layer with the task `phase`.
    fn layer_weights(&self, phase: LayerPhase) -> LayerWeights {
        let (network, approximation) = (&self.plan.network, &self.plan.approximation);
        let last = network.layer_count();
        match phase {
            LayerPhase::Forward(j) => {
                let neurons = self.neuron_heads(j, 0, |k| self.layout.outputs(j).start + k);
                LayerWeights::Neurons(neurons, vec![approximation.activation_sum(network.activation(j))])
            }
            LayerPhase::Derivatives => {
                let sum = |j| usize::from(j == last);
                let neurons_of =
                    |j| self.neuron_heads(j, sum(j), move |k| self.layout.derivatives(j).start + k);
                let sums = [1, last].map(|j| approximation.derivative_sum(network.activation(j)));
                LayerWeights::Neurons((1..=last).flat_map(neurons_of).collect(), sums.into())
            }
            LayerPhase::LossGradient => LayerWeights::Units(self.loss_gradient_units()),
            LayerPhase::Backward(j) => {
                LayerWeights::Products((0..network.width(j)).map(|k| self.backward_product(j, k)).collect())
            }
            LayerPhase::Step => {
                let updates =
                    (1..=last).flat_map(|j| (0..network.width(j)).map(move |k| self.weight_update(j, k)));
                let n = self.examples as f64;
                LayerWeights::Updates(updates.collect(), self.plan.learning_rate * (n + 1.0) / (2.0 * n))
            }
            LayerPhase::CleanUp => LayerWeights::Units(self.clean_up_units()),
        }
    }

    /// The heads that compute a function of the pre-activation of each neuron k of layer `j`, from 1: the sum of ReLUs
    /// with the index `sum` in the layer's weights. They write it to token coordinate `to(k)`.
    fn neuron_heads(&self, j: usize, sum: usize, to: impl Fn(usize) -> usize) -> Vec<NeuronHeads> {
        let neuron = |k| NeuronHeads {
            inputs: self.layout.outputs(j - 1),
            weights: self.layout.neuron_weights(j, k),
            target: to(k),
            sum_index: sum,
        };
        (0..self.plan.network.width(j)).map(neuron).collect()
    }

    /// The hidden units that write the loss gradient g\[k\] = 4σ(½p − ½y − R₃(1 − t)) − 4σ(½y − ½p − R₃(1 − t)) of
    /// output coordinate p = p(N)\[k\] and label coordinate y = y\[k\], with the mask R₃ and t = 1 in examples, 0 in
    /// the query.
    fn loss_gradient_units(&self) -> Vec<MlpUnit> {
        let (layout, last) = (self.layout, self.plan.network.layer_count());
        let places = layout
            .block_range(TokenBlock::LossGradient)
            .zip(layout.outputs(last))
            .zip(layout.block_range(TokenBlock::Label));
        let units = places.flat_map(|((to, p), y)| {
            [1.0, -1.0].map(|sign| MlpUnit {
                reads: vec![
                    (layout.example_flag(), self.mask),
                    (layout.one_index(), -self.mask),
                    (p, 0.5 * sign),
                    (y, -0.5 * sign),
                ],
                target: to,
                weight: 4.0 * sign,
            })
        });
        units.collect()
    }

    /// The head that writes the error s(j)\[k\] = r′(j−1)\[k\] Σ_m v(j+1,m)\[k\] s(j+1)\[m\] of neuron `k`, from 0, in
    /// layer `j`, from 1, or r′ times the loss gradient g in the last layer.
    fn backward_product(&self, j: usize, k: usize) -> ProductHead {
        let (layout, network) = (self.layout, &self.plan.network);
        let (factor, to) = (layout.derivatives(j).start + k, layout.errors(j).start + k);
        if j == network.layer_count() {
            let g = layout.block_range(TokenBlock::LossGradient).start + k;
            return ProductHead {
                queries: vec![g],
                keys: layout.one_index()..layout.one_index() + 1,
                factor,
                target: to,
            };
        }
        let queries = (0..network.width(j + 1)).map(|m| layout.neuron_weights(j + 1, m).start + k).collect();
        ProductHead { queries, keys: layout.errors(j + 1), factor, target: to }
    }

    /// The heads that update the weights of neuron `k`, from 0, in layer `j`, from 1.
    fn weight_update(&self, j: usize, k: usize) -> WeightUpdate {
        WeightUpdate {
            error: self.layout.errors(j).start + k,
            inputs: self.layout.outputs(j - 1),
            weights: self.layout.neuron_weights(j, k),
        }
    }

    /// The hidden units that project every network weight w to the interval from −B to B, as w − σ(w − B) + σ(−w − B),
    /// and set every workspace coordinate z to 0, as z − σ(z) + σ(−z).
    fn clean_up_units(&self) -> Vec<MlpUnit> {
        let one = self.layout.one_index();
        let weights = self.layout.block_range(TokenBlock::Weights).flat_map(|w| {
            [1.0, -1.0].map(|sign| MlpUnit {
                reads: vec![(one, -self.plan.weight_bound), (w, sign)],
                target: w,
                weight: -sign,
            })
        });
        let scratch = self.layout.workspace().flat_map(|z| {
            [1.0, -1.0].map(|sign| MlpUnit { reads: vec![(z, sign)], target: z, weight: -sign })
        });
        weights.chain(scratch).collect()
    }
}
