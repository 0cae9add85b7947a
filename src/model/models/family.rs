//! Families of networks that have kernels and learners of their own: what these need to know of a model, as plain data.
//!
//! # Why
//! Kernels and learners are written for a family, not for an entry of the catalog. So an entry says which family it is
//! of, in [`ModelConfig::family`](super::ModelConfig::family), and shared code does not name the entry. A model of no
//! family is trained by autodiff.
//!
//! # Processes
//! A network that is executed, a search and a forest are processes and not trained by gradients: a run makes steps, measures,
//! saves the state and loads it, and nothing else. The arrays of a process, as
//! [`Architecture::parameters`](super::Architecture::parameters) lists them, are its state; some processes have weights among
//! them, which no step changes. A process has no network on tensors: [`ModelConfig::net`](super::ModelConfig::net) is `None`.

use super::activation::{Activation, Sigma};
use super::cell_rules::CellRules;
use super::circuit_network::CircuitNetwork;
use super::deep_mlp::DeepMlp;
use super::descent_transformer::DescentTransformer;
use super::dropout::Dropout;
use super::gru::Gru;
use super::in_context_transformer::InContextTransformer;
use super::machine_transformer::MachineTransformer;
use super::recurrent_conv::RecurrentConv;
use super::token_attention::TokenAttention;
use super::token_mlp::TokenMlp;

/// Attention on prompts: its settings are all that loops and kernels need to know.
pub type PromptAttention = TokenAttention;

/// Hidden layers one after the other, with one output: its settings.
pub type HiddenLayers = DeepMlp;

/// A network whose weights travel in tokens: its settings are all that its learner needs to know.
pub type InTokens = DescentTransformer;

/// A transformer that runs a machine: its settings are all that its learner needs to know.
pub type RunsMachine = MachineTransformer;
/// A circuit as a network: its settings are all that its learner needs to know.
pub type GateNetwork = CircuitNetwork;

/// A filter that runs a program on a table of examples: its settings are all that its learner needs to know.
pub type GridProgram = RecurrentConv;

/// A search among cell rules: its settings are all that its learner needs to know.
pub type SearchOfRules = CellRules;

/// A family of networks, with what its kernels need to know of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Family {
    /// One hidden layer on numbers, with one output.
    OneHiddenLayer(OneHiddenLayer),
    /// Several hidden layers on numbers, with one output.
    HiddenLayers(HiddenLayers),
    /// Powers of linear forms, with one output.
    Powers(Powers),
    /// A block on bits that is read out at one token.
    ReadAtCls(ReadAtCls),
    /// Layers of attention on symbols.
    Attention(AttentionLayers),
    /// A matrix over pairs of symbols and a vector over distances.
    Minimal,
    /// One hidden layer on pairs of elements.
    Pairs(PairNet),
    /// Networks that are described by a graph of operators, and that are of no other family:
    /// [`Architecture::graph`](super::Architecture::graph).
    Graph,
    /// Decision trees: a process, of which each step grows a tree.
    Forest(Trees),
    /// A network on prompts that is executed, not trained: a process, of which each step reads a position.
    Execution(Execution),
    /// A layer of attention on prompts of tokens.
    TokenAttention(PromptAttention),
    /// A perceptron on whole prompts of tokens.
    TokenMlp(TokenMlp),
    /// A recurrent network on prompts of tokens.
    Gru(Gru),
    /// A transformer whose layers are steps of descent on the network in its tokens: a process, of which each step is one of
    /// gradient descent.
    Descent(InTokens),
    /// A decoder on points of a function: its settings are all that loops and kernels need to know.
    InContext(InContextTransformer),
    /// A transformer each token of which is a step of a Turing machine: a process, of which each step is one token.
    Machine(RunsMachine),
    /// A circuit as a network whose margin is searched: a process, of which each step is an iteration of the search.
    Circuit(GateNetwork),
    /// A filter that runs a program on the table that SGD writes: a process, of which each step is one of SGD or one layer.
    ProgramOnGrid(GridProgram),
    /// A search among cell rules by restarts and validation: a process, of which each step is a restart.
    RuleSearch(SearchOfRules),
}

impl Family {
    /// Whether a run executes it or searches, and trains nothing: whether it is a process other than a forest, whose trees are
    /// grown from training examples.
    pub fn is_executed(&self) -> bool {
        matches!(
            self,
            Family::Execution(_)
                | Family::Descent(_)
                | Family::Machine(_)
                | Family::Circuit(_)
                | Family::ProgramOnGrid(_)
                | Family::RuleSearch(_)
        )
    }
}

/// How hidden units become an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Head {
    /// f = Σ_j u_j σ(z_j) + β.
    Sum,
    /// f = Π_j z_j.
    Product,
}

/// One hidden layer, z = xW + b, with one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneHiddenLayer {
    /// Hidden units.
    pub width: usize,
    /// How units become an output.
    pub head: Head,
    /// Non-linearity of the units; without meaning for a product.
    pub activation: Activation,
    /// The activation's degree.
    pub degree: usize,
    /// Whether the hidden bias is trained.
    pub hidden_bias: bool,
    /// Whether the output bias is trained.
    pub output_bias: bool,
    /// Whether W is trained, and b with it.
    pub first_layer: bool,
    /// Whether u is trained; without meaning for a product.
    pub second_layer: bool,
}

/// One hidden layer of powers without biases, whose output is the difference of two: f = Σ_i (u_i·x)^k (w_i\[0\] − w_i\[1\]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Powers {
    /// Hidden units.
    pub width: usize,
    /// The exponent k.
    pub degree: usize,
}

/// A block of attention and an MLP on bits, of which only the output at a token `[CLS]` is computed, whose query and key are
/// the same for all examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadAtCls {
    /// Components of a token's vector.
    pub embedding: usize,
    /// Attention heads.
    pub heads: usize,
    /// Components of a query, key or value of a head.
    pub size: usize,
    /// Neurons of the MLP, with the GELU of the normal distribution.
    pub hidden: usize,
    /// Whether there are layer norms before attention, MLP and output.
    pub norm: bool,
    /// How far below the largest of its head, over all tokens that can be, a score counts.
    pub depth: f32,
    /// What a training step drops.
    pub dropout: Dropout,
    /// Where its parameters stand.
    pub places: ReadAtClsPlaces,
}

/// Places of the parameters of [`ReadAtCls`] in [`Architecture::parameters`](super::Architecture::parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadAtClsPlaces {
    /// `[inputs, embedding]`.
    pub positions: usize,
    /// Those of +1 and −1, and the rows whose sum is `[CLS]`.
    pub tokens: usize,
    /// How many these are.
    pub cls_rows: usize,
    /// Gains and shifts of the layer norms, `[3, embedding]`.
    pub norms: Option<[usize; 2]>,
    /// W_Q, `[embedding, heads · size]`, the heads side by side.
    pub query: usize,
    /// W_K, likewise.
    pub key: usize,
    /// W_V, likewise.
    pub value: usize,
    /// W_O, `[heads · size, embedding]`.
    pub out: usize,
    /// Biases of queries, values and W_O, `[3, embedding]`.
    pub biases: Option<usize>,
    /// W_1, b_1, W_2 and b_2.
    pub mlp: [usize; 4],
    /// Weights of the output, `[embedding, classes]`.
    pub head: usize,
    /// 1, or 2 where the output is the difference of the second and the first.
    pub classes: usize,
}

/// One hidden layer on pairs of elements: f(a, b)\[c\] = Σ_i σ(u_i\[a\] + v_i\[b\]) w_i\[c\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairNet {
    /// Hidden units.
    pub width: usize,
    /// Their non-linearity.
    pub sigma: Sigma,
    /// Exponent ν of each unit's norm in the penalty.
    pub exponent: usize,
}

/// A constructed network on prompts that is executed position by position: each step of a run adds 1 to a number among its
/// parameters, up to the length of a prompt, and nothing else changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// Place of that number in [`Architecture::parameters`](super::Architecture::parameters).
    pub clock: usize,
}

/// Decision trees that vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trees {
    /// Trees of the forest; a training step grows one.
    pub count: usize,
    /// Splits between the root and a leaf at most; 0 splits until every leaf holds one class.
    pub depth: usize,
    /// Columns among which a split chooses; 0 takes √n of n.
    pub candidates: usize,
}

impl Trees {
    /// Columns among which a split chooses, of `inputs`.
    pub fn candidates(self, inputs: usize) -> usize {
        match self.candidates {
            0 => (inputs as f64).sqrt() as usize,
            some => some,
        }
        .clamp(1, inputs.max(1))
    }

    /// Trees after so many training steps.
    pub fn grown(self, step: u64) -> usize {
        self.count.min(usize::try_from(step).unwrap_or(usize::MAX))
    }
}

/// Layers of attention on an embedding, read out at every symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionLayers {
    /// Numbers d in the vector of a symbol.
    pub hidden: usize,
    /// Heads of each layer.
    pub heads: Vec<usize>,
    /// Whether vectors of places are added to embeddings; else those of distances are added to keys.
    pub absolute: bool,
    /// Whether there are layer norms and output projections.
    pub norm: bool,
    /// Whether an MLP of 4d neurons follows the attention of each layer.
    pub mlp: bool,
}

/// Places of a layer's parameters in [`Architecture::parameters`](super::Architecture::parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerPlaces {
    /// Gains g of the norm before attention, `[1, d]`.
    pub gain: Option<usize>,
    /// W_Q, `[d, d]`, the heads side by side.
    pub query: usize,
    /// W_K, `[d, d]`.
    pub key: usize,
    /// W_V, `[d, d]`.
    pub value: usize,
    /// R, `[length, d]`, a row for each distance from 0, the heads side by side.
    pub distances: Option<usize>,
    /// W_O, `[d, d]`, the heads one below the other.
    pub out: Option<usize>,
    /// Gains of the norm before the MLP, `[1, d]`.
    pub mlp_gain: Option<usize>,
    /// W_in, `[d, 4d]`, and W_out, `[4d, d]`.
    pub mlp: Option<[usize; 2]>,
}

impl LayerPlaces {
    /// Whether parameter number `which` belongs to the layer.
    pub fn contains(&self, which: usize) -> bool {
        let all = [
            self.gain,
            Some(self.query),
            Some(self.key),
            Some(self.value),
            self.distances,
            self.out,
            self.mlp_gain,
        ];
        all.contains(&Some(which)) || self.mlp.is_some_and(|mlp| mlp.contains(&which))
    }
}

/// Places of all parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Places {
    /// E, `[symbols, d]`.
    pub embed: usize,
    /// U, `[length, d]`.
    pub positions: Option<usize>,
    /// Layer by layer.
    pub layers: Vec<LayerPlaces>,
    /// Gains of the norm before the read-out, `[1, d]`.
    pub gain: Option<usize>,
    /// P, `[d, symbols]`.
    pub readout: usize,
}

impl AttentionLayers {
    /// Where each parameter stands.
    pub fn places(&self) -> Places {
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        let (norm, mlp) = (self.norm, self.mlp);
        let embed = next();
        let positions = self.absolute.then(&mut next);
        let layers = self.heads.iter().map(|_| LayerPlaces {
            gain: norm.then(&mut next),
            query: next(),
            key: next(),
            value: next(),
            distances: (!self.absolute).then(&mut next),
            out: norm.then(&mut next),
            mlp_gain: (mlp && norm).then(&mut next),
            mlp: mlp.then(|| [next(), next()]),
        });
        let layers = layers.collect();
        Places { embed, positions, layers, gain: norm.then(&mut next), readout: next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_chooses_among_some_of_the_columns() {
        let trees = |candidates| Trees { count: 100, depth: 0, candidates };
        assert_eq!([1, 2, 8, 9, 20].map(|n| trees(0).candidates(n)), [1, 1, 2, 3, 4]);
        assert_eq!([(7, 20), (30, 20)].map(|(some, n)| trees(some).candidates(n)), [7, 20]);
        assert_eq!([0, 3, 100, 5000].map(|step| trees(0).grown(step)), [0, 3, 100, 100]);
    }

    #[test]
    fn every_parameter_has_a_place_of_its_own() {
        for flags in 0..8 {
            let [absolute, norm, mlp] = [1, 2, 4].map(|flag| flags & flag > 0);
            let places = AttentionLayers { hidden: 4, heads: vec![1, 2], absolute, norm, mlp }.places();
            let mut all = vec![places.embed, places.readout];
            all.extend([places.positions, places.gain].into_iter().flatten());
            for at in &places.layers {
                all.extend([at.query, at.key, at.value]);
                all.extend([at.gain, at.distances, at.out, at.mlp_gain].into_iter().flatten());
                all.extend(at.mlp.into_iter().flatten());
            }
            all.sort_unstable();
            assert_eq!(all, (0..=places.readout).collect::<Vec<_>>(), "{flags}");
        }
    }
}
