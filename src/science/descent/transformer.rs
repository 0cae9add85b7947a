//! The explicit construction (section 3 and appendix D of the paper): 2N + 4 layers that are one step of descent.
//!
//! | layers | kind | what |
//! |---|---|---|
//! | 1 … N | attention | p(j)\[k\] = r(⟨v(j,k), p(j−1)⟩), a head for each ReLU of the sum for r (equation D.7) |
//! | N + 1 | attention | r′(j−1)\[k\] = r′(⟨v(j,k), p(j−1)⟩) for all layers (D.12) |
//! | N + 2 | MLP | g = 2 (p(N) − y), and 0 in the query (D.14) |
//! | N + 3 … 2N + 2 | product | s(N) = r′(N−1) ⊙ g, then s(j) = r′(j−1) ⊙ V_{j+1}ᵀ s(j+1) (D.15) |
//! | 2N + 3 | attention | w ← w − η/(2n) Σ_i p_i(j−1) s_i(j)ᵀ, two heads a neuron (D.16) |
//! | 2N + 4 | MLP | scratch ← 0, and w ← w − σ(w − B) + σ(−w − B) |
//!
//! # Where it differs from the text
//! - Attention already divides by the n + 1 tokens, so that the factor n + 1 inside of the sums of appendices D.2 and D.3 is
//!   left out.
//! - The paper projects onto a ball, which no MLP of ReLUs does exactly; here the set is the box \[−B, B\]. The layer
//!   2N + 3 may leave it, the layer 2N + 4 comes back.
//! - Definition 1 gives the output layer an activation too; [`Output::Linear`](super::Output) leaves it out.
//! - R₃, which hides the query's label, is a power of two above all |p(N)| + |y| that the box allows, rather than one above
//!   the norms in lemma 4.

use super::examples::Examples;
use super::layer::{Layer, Move, Neuron, Product, Unit, Weights};
use super::layout::{Block, Layout};
use super::number::{Number, power_above};
use super::phase::{Kind, Phase};
use super::plan::Plan;
use super::tokens::Tokens;

/// A transformer one pass through which is a step of descent.
#[derive(Debug, Clone, PartialEq)]
pub struct Transformer {
    layout: Layout,
    layers: Vec<Layer>,
    mask: f64,
}

/// What a transformer consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Layers of a step, 2N + 4.
    pub layers: u64,
    /// Heads of its layers of attention.
    pub heads: u64,
    /// Heads of its layers of products.
    pub products: u64,
    /// Hidden units of its MLPs.
    pub units: u64,
    /// Entries of all its matrices that are not 0.
    pub entries: u64,
    /// All entries of these matrices: 3D² for a head, 2D for a hidden unit.
    pub parameters: u64,
}

impl Transformer {
    /// The construction for this plan on these examples: it depends on their number, and R₃ on how large they are.
    pub fn new(plan: &Plan, examples: &Examples) -> Self {
        let layout = Layout::new(&plan.network);
        let [inputs, labels] = examples.largest();
        let mask = power_above(2.0 * (plan.largest_output(inputs) + labels));
        let build = Build { plan, layout: &layout, examples: examples.len(), mask };
        let phases = Phase::all(plan.network.layers());
        let layers =
            phases.into_iter().map(|phase| Layer::new(phase, build.weights(phase), &layout)).collect();
        Transformer { layout, layers, mask }
    }

    /// What stands where in a token.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The 2N + 4 layers in their order.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// R₃, which the loss gradient's rows subtract in the query.
    pub fn mask(&self) -> f64 {
        self.mask
    }

    /// The tokens of these examples, which carry weights `w`.
    pub fn tokens<T: Number>(&self, examples: &Examples, w: &[f64]) -> Tokens<T> {
        Tokens::new(&self.layout, examples, w)
    }

    /// All layers: a step of descent.
    pub fn step<T: Number>(&self, tokens: &mut Tokens<T>) {
        self.layers.iter().for_each(|layer| layer.apply(tokens));
    }

    /// The tokens before the first layer and after every layer of a step: 2N + 5 states.
    pub fn trace<T: Number>(&self, mut tokens: Tokens<T>) -> Vec<Tokens<T>> {
        let mut states = vec![tokens.clone()];
        for layer in &self.layers {
            layer.apply(&mut tokens);
            states.push(tokens.clone());
        }
        states
    }

    /// What it consists of.
    pub fn counts(&self) -> Counts {
        let wide = self.layout.len() as u64;
        let mut counts = Counts { layers: self.layers.len() as u64, ..Counts::default() };
        for layer in &self.layers {
            let (heads, units) = (layer.heads() as u64, layer.units() as u64);
            match layer.kind() {
                Kind::Attention => counts.heads += heads,
                Kind::Product => counts.products += heads,
                Kind::Feedforward => counts.units += units,
            }
            counts.entries += layer.entries();
            let all = heads.saturating_mul(3).saturating_mul(wide).saturating_mul(wide);
            counts.parameters = counts.parameters.saturating_add(all).saturating_add(2 * wide * units);
        }
        counts
    }
}

/// What the layers' weights are made from.
struct Build<'a> {
    plan: &'a Plan,
    layout: &'a Layout,
    examples: usize,
    mask: f64,
}

impl Build<'_> {
    fn weights(&self, phase: Phase) -> Weights {
        let (network, how) = (&self.plan.network, &self.plan.approximation);
        let last = network.layers();
        match phase {
            Phase::Forward(j) => {
                let neurons = self.neurons(j, 0, |k| self.layout.outputs(j).start + k);
                Weights::Neurons(neurons, vec![how.value(network.activation(j))])
            }
            Phase::Slopes => {
                let sum = |j| usize::from(j == last);
                let of = |j| self.neurons(j, sum(j), move |k| self.layout.slopes(j).start + k);
                let sums = [1, last].map(|j| how.slope(network.activation(j)));
                Weights::Neurons((1..=last).flat_map(of).collect(), sums.into())
            }
            Phase::LossGradient => Weights::Units(self.loss_gradient()),
            Phase::Backward(j) => {
                Weights::Products((0..network.width(j)).map(|k| self.backward(j, k)).collect())
            }
            Phase::Step => {
                let moves = (1..=last).flat_map(|j| (0..network.width(j)).map(move |k| self.step(j, k)));
                let n = self.examples as f64;
                Weights::Moves(moves.collect(), self.plan.rate * (n + 1.0) / (2.0 * n))
            }
            Phase::CleanUp => Weights::Units(self.clean_up()),
        }
    }

    /// The neurons of layer `j`, each with what it writes.
    fn neurons(&self, j: usize, sum: usize, to: impl Fn(usize) -> usize) -> Vec<Neuron> {
        let neuron = |k| Neuron {
            inputs: self.layout.outputs(j - 1),
            weights: self.layout.weights(j, k),
            to: to(k),
            sum,
        };
        (0..self.plan.network.width(j)).map(neuron).collect()
    }

    /// g\[k\] = 4σ(½p − ½y − R₃(1 − t)) − 4σ(½y − ½p − R₃(1 − t)).
    fn loss_gradient(&self) -> Vec<Unit> {
        let (layout, last) = (self.layout, self.plan.network.layers());
        let places =
            layout.block(Block::LossGradient).zip(layout.outputs(last)).zip(layout.block(Block::Label));
        let units = places.flat_map(|((to, p), y)| {
            [1.0, -1.0].map(|sign| Unit {
                reads: vec![
                    (layout.example(), self.mask),
                    (layout.one(), -self.mask),
                    (p, 0.5 * sign),
                    (y, -0.5 * sign),
                ],
                to,
                weight: 4.0 * sign,
            })
        });
        units.collect()
    }

    /// s(j)\[k\] = r′(j−1)\[k\] Σ_m v(j+1,m)\[k\] s(j+1)\[m\], or of the last layer r′ g.
    fn backward(&self, j: usize, k: usize) -> Product {
        let (layout, network) = (self.layout, &self.plan.network);
        let (factor, to) = (layout.slopes(j).start + k, layout.errors(j).start + k);
        if j == network.layers() {
            let g = layout.block(Block::LossGradient).start + k;
            return Product { queries: vec![g], keys: layout.one()..layout.one() + 1, factor, to };
        }
        let queries = (0..network.width(j + 1)).map(|m| layout.weights(j + 1, m).start + k).collect();
        Product { queries, keys: layout.errors(j + 1), factor, to }
    }

    fn step(&self, j: usize, k: usize) -> Move {
        Move {
            error: self.layout.errors(j).start + k,
            inputs: self.layout.outputs(j - 1),
            weights: self.layout.weights(j, k),
        }
    }

    /// w − σ(w − B) + σ(−w − B), and z − σ(z) + σ(−z) = 0 in all scratch.
    fn clean_up(&self) -> Vec<Unit> {
        let one = self.layout.one();
        let weights = self.layout.block(Block::Weights).flat_map(|w| {
            [1.0, -1.0].map(|sign| Unit {
                reads: vec![(one, -self.plan.limit), (w, sign)],
                to: w,
                weight: -sign,
            })
        });
        let scratch = self
            .layout
            .scratch()
            .flat_map(|z| [1.0, -1.0].map(|sign| Unit { reads: vec![(z, sign)], to: z, weight: -sign }));
        weights.chain(scratch).collect()
    }
}
