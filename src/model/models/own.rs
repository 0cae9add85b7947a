//! A network of one's own: a text with a layer on each line.
//!
//! ```text
//! embed 128
//! attention 4
//! mlp 512 gelu
//! norm
//! read sum
//! ```
//!
//! [`layers`] reads the text, [`build`] makes a graph of operators of it; loops, tensors, scripts and probes follow from the
//! graph, as for every network that is described by one. Matrices and vectors of tokens begin normal with the variance 1 / (rows
//! of the matrix) and 1 / (components of the vector), biases and shifts at 0, gains at 1. The codes of
//! look-ups are those of the task, and are not trained.

pub mod build;
pub mod layers;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use super::graph_prompts::PromptInput;
use super::layout::{self, Tensor, Tensors};
use super::prompts::{self, CODES, CODES_OF_POSITIONS};
use super::{
    Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows, exceeds_memory, graph_network,
};
use crate::tasks::{ExampleForm, Examples};
use build::{Data, LayerOutput, Tokens};
use layers::NetworkError;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{CHO_2014, SHAW_2018, Source, VASWANI_2017};
use vivarium_operators::{Executor, Graph};

/// Largest number of bytes of the text, also as a link writes it.
pub const MAX_CHARACTERS: usize = 600;
/// Largest number of floats that one network may hold: 512 MiB.
const MAX_NETWORK_FLOATS: u64 = 1 << 27;
/// The network that is proposed, which can read pairs as well as numbers.
const DEFAULT: &str = "embed 128\nsum\nmlp 512\nread";
/// The network that is proposed on sequences.
const PROPOSED_FOR_SEQUENCES: &str = "embed 32\npositions\nattention 2\nattention 2\nread";
/// The network that is proposed on prompts of tokens, whose vectors contain the codes of their positions.
const PROPOSED_FOR_PROMPTS: &str = "embed 32\nattention 2\nmlp 64\nread";
/// The network that is proposed on points of a function.
const PROPOSED_FOR_POINTS: &str = "embed 32\npositions\nattention 2 pre-norm\nmlp 64 pre-norm\nattention 2 pre-norm\nmlp 64 pre-norm\nnorm\nread";

settings! {
    /// Layers, written one after the other.
    pub struct OwnNetwork {
        /// One layer per line: for example embed 64, on the next line attention 4, then read last. Text after # is a comment.
        net: String = DEFAULT.into(), "net", "Layers", Range::Text(MAX_CHARACTERS);
    }
}

impl OwnNetwork {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "own",
        name: "Network of your own",
        about: "You write the layers of the network, one per line: embedding, attention, MLP, recurrent units, layer norm and others. The network trains on the processor or the GPU. Its tensors and a PyTorch script can be downloaded.",
        sources: &[
            VASWANI_2017,
            SHAW_2018,
            CHO_2014,
            Source {
                cite: "Ba et al. 2016",
                title: "Layer Normalization",
                url: "https://arxiv.org/abs/1607.06450",
            },
        ],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
the layers of the setting `net` one after the other; l = 1, 2, … counts them, without empty lines; x is the vector of a token
embed      x = embed[a], embed[b]; with “separate” x = embed_{which}[a], embed_{which}[b]; for numbers x = (inputs) embed, on prompts x = (token) embed for each token
token      appends the token {l}.token
positions  x + {l}.positions[index of the token, from 0]
attention  x + [o_0, o_1, …] {l}.out     o_g = Σ_i A_g[i] y_i {l}.value_g     s_g[i] = (y {l}.query_g)·(y_i {l}.key_g + δ) / √(columns of a head)
           δ = 0, or with “relative” {l}.distances_g[position of x − i]
           A_g = softmax of s_g, or with “relu” max(0, s_g) / m; the sum is over the m tokens to which x attends: all tokens,
           or, with “causal”, on sequences and on points of a function, x and the earlier tokens
mlp        x + σ(y {l}.w_in + {l}.b_in) {l}.w_out + {l}.b_out     σ(z) = max(0, z), z Φ(z) with “gelu”, z² with “square”
           y = x, or with “pre-norm” the layer norm of x, with {l}.gain and {l}.shift
gru        state ← (1 − u) ∘ m + u ∘ state for one token after the other, from 0; the result at a token is the state after it
           w = x {l}.input + {l}.input_bias     c = state {l}.hidden + {l}.hidden_bias     sigmoid(z) = 1 / (1 + e^−z)
           reset = sigmoid(w_0 + c_0)     u = sigmoid(w_1 + c_1)     m = tanh(w_2 + reset ∘ c_2)
linear     x {l}.w + {l}.b, or with “no-bias” x {l}.w
norm       (x − mean x) / √(variance of x + 10⁻⁵) · {l}.gain + {l}.shift
relu, gelu, square   σ(x)
sum, concat, last    the sum of all tokens, all one after the other, the last one
read       f = x {l}.w, on sequences and prompts for each token
tokens of a prompt: z_i, on look-ups; (x_j, 0) and (0, y_j) for each point j, on functions learned in context, with f_j read at (x_j, 0)",
        loss: "as for the other models on the same task: −ln softmax(f)[c] with the right class c, or ℓ(y, f) with the label y = −1 or +1, as the setting `loss` says; mean over the examples. On sequences: as for `attention-only`. On prompts: (f − y)², mean over the labels of all prompts.",
        letters: &[
            ["a, b", "the two elements of a pair, numbers from 0; on sequences a is each symbol"],
            ["p, n, k", "number of elements, of inputs or numbers of a token, of symbols"],
            layout::PROMPT_LETTERS[0],
            layout::PROMPT_LETTERS[2],
            ["M_g", "the columns g · s … (g + 1) · s − 1 of a matrix M, with s = Q / heads and g from 0"],
            ["d", "components of a token before the layer; for embeddings, after it"],
            ["tokens", "number of tokens before the layer"],
            ["Q", "heads times the size of a head"],
            ["h", "neurons, or units of a gru"],
            ["w_0, w_1, w_2", "the three thirds of a vector w of 3 · h numbers"],
            ["r", "components of x"],
            ["v", "components of the result, or outputs"],
        ],
        all: &[
            Tensor::new("codes", ["positions", "e"], ["position", "component"], "codes of the positions of a look-up, the same in all replicas and never trained"),
            Tensor::new("embed", ["p or n or k", "d"], ["element, input or symbol", "component"], "vectors of the elements, or weights of the inputs"),
            Tensor::new("embed_{which}", ["p", "d"], ["element", "component"], "vectors of the first (a) and of the second element (b), with “separate”"),
            Tensor::new("{l}.token", ["1", "d"], ["", "component"], "vector of the added token"),
            Tensor::new("{l}.positions", ["tokens", "d"], ["token", "component"], "position vectors"),
            Tensor::new("{l}.gain", ["1", "d"], ["", "component"], "gains of a layer norm"),
            Tensor::new("{l}.shift", ["1", "d"], ["", "component"], "shifts of a layer norm"),
            Tensor::new("{l}.query", ["d", "Q"], ["component", "component of the queries, head after head"], "W_Q of all heads, side by side"),
            Tensor::new("{l}.key", ["d", "Q"], ["component", "component of the keys"], "W_K of all heads"),
            Tensor::new("{l}.value", ["d", "Q"], ["component", "component of the values"], "W_V of all heads"),
            Tensor::new("{l}.out", ["Q", "d"], ["component of the values, head after head", "component"], "W_O of all heads, one below the other"),
            Tensor::new("{l}.distances", ["tokens", "Q"], ["distance, from 0", "component of the keys"], "vectors of distances, with “relative”"),
            Tensor::new("{l}.w_in", ["d", "h"], ["component", "neuron"], "first layer of an MLP"),
            Tensor::new("{l}.b_in", ["1", "h"], ["", "neuron"], "its biases"),
            Tensor::new("{l}.w_out", ["h", "d"], ["neuron", "component"], "second layer of an MLP"),
            Tensor::new("{l}.b_out", ["1", "d"], ["", "component"], "its biases"),
            Tensor::new("{l}.input", ["d", "3 · h"], ["component", "unit: reset gates, then update gates, then new states"], "input weights of a gru"),
            Tensor::new("{l}.input_bias", ["1", "3 · h"], ["", "unit: reset, update, new"], "biases of its inputs"),
            Tensor::new("{l}.hidden", ["h", "3 · h"], ["unit", "unit: reset, update, new"], "its recurrent weights"),
            Tensor::new("{l}.hidden_bias", ["1", "3 · h"], ["", "unit: reset, update, new"], "biases of its states"),
            Tensor::new("{l}.w", ["r", "v"], ["component", "component or class"], "weights of a linear map or of the outputs; after “concat” the rows of the tokens one below the other"),
            Tensor::new("{l}.b", ["1", "v"], ["", "component"], "biases of a linear map"),
        ],
    };

    /// The graph of the text for such examples.
    ///
    /// # Errors
    /// The mistakes.
    pub fn graph(&self, data: Data) -> Result<Graph, NetworkError> {
        build::graph(&layers::parse(&self.net)?, data)
    }
}

/// The text of the network that is proposed for such examples. The tokens of sequences and prompts cannot be added up.
fn propose_text(tokens: Tokens) -> &'static str {
    match tokens {
        Tokens::Numbers | Tokens::Pair => DEFAULT,
        Tokens::Sequence(_) => PROPOSED_FOR_SEQUENCES,
        Tokens::Prompt(PromptInput::Tokens(_)) => PROPOSED_FOR_PROMPTS,
        Tokens::Prompt(PromptInput::Points { .. }) => PROPOSED_FOR_POINTS,
    }
}

/// What each layer of a text computes for such examples, up to the first layer that does not fit, and whether all fit.
pub fn layer_outputs(text: &str, data: Data) -> (Vec<LayerOutput>, bool) {
    let mut outputs = vec![];
    let graph = layers::parse(text).and_then(|layers| build::graph_with_outputs(&layers, data, &mut outputs));
    (outputs, graph.is_ok())
}

impl ModelConfig for OwnNetwork {
    fn takes(&self) -> &'static [ExampleForm] {
        use ExampleForm::{Bits, Pair, Points, Prompt, Row, Sequence, Trace};
        &[Bits, Row, Pair, Sequence, Trace, Prompt, Points]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Graph)
    }

    fn propose(&mut self, examples: &dyn Examples) {
        self.net = propose_text(Tokens::of(examples)).into();
    }

    fn embeds_by_neuron(&self) -> bool {
        false
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

/// The script has the functions of the graph.
impl ToPyTorch for OwnNetwork {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::default())
    }
}

/// The network of a text on the examples of a task.
#[derive(Debug, Clone)]
pub struct BoundNetwork {
    /// Of a text with a mistake the proposed network's, which is not run.
    graphs: Rc<Graphs>,
    tokens: Tokens,
    mistake: Option<InvalidSetting>,
}

/// A graph and what follows from it.
#[derive(Debug)]
struct Graphs {
    graph: Graph,
    rewritten: Graph,
}

thread_local! {
    /// The last network that was bound, since a run asks for its architecture in each step.
    static LAST: RefCell<Option<(String, Data, BoundNetwork)>> = const { RefCell::new(None) };
}

impl Bind for OwnNetwork {
    type Bound = BoundNetwork;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, BoundNetwork> {
        let data = Data::of(examples);
        let found = LAST.with_borrow(|last| match last {
            Some((net, of, bound)) if *net == self.net && *of == data => Some(bound.clone()),
            _ => None,
        });
        Cow::Owned(found.unwrap_or_else(|| {
            let bound = self.bound(data);
            LAST.set(Some((self.net.clone(), data, bound.clone())));
            bound
        }))
    }
}

impl OwnNetwork {
    /// The network on such examples.
    fn bound(&self, data: Data) -> BoundNetwork {
        let problem = |expected: String| InvalidSetting::new("net", &self.net.replace('\n', " / "), expected);
        let (graph, mut mistake) = match self.graph(data) {
            Ok(graph) => (graph, None),
            Err(error) => {
                let expected = match error.count() {
                    1 => tr!("layers that fit together. The mistake: {error}", error),
                    _ => tr!("layers that fit together. The mistakes: {error}", error),
                };
                let net = propose_text(data.tokens).into();
                let proposed = OwnNetwork { net }.graph(data).unwrap_or_else(|_| Graph::new(0));
                (proposed, Some(problem(expected)))
            }
        };
        let rewritten = graph.rewritten();
        let numbers = graph.parameters().iter().map(|own| own.rows as u64 * own.columns as u64);
        let numbers = numbers.fold(0, u64::saturating_add);
        let memory = Executor::memory(&rewritten);
        // Weights, their gradients and moments, and the values of a block of examples.
        let held =
            memory.as_ref().map_or(u64::MAX, |values| numbers.saturating_mul(4).saturating_add(*values));
        if held > MAX_NETWORK_FLOATS && mistake.is_none() {
            let expected =
                tr!("a smaller network, because this one alone would not fit into a browser's memory");
            mistake = Some(problem(expected.into()));
        }
        BoundNetwork { graphs: Rc::new(Graphs { graph, rewritten }), tokens: data.tokens, mistake }
    }
}

impl Architecture for BoundNetwork {
    fn graph(&self, _inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.graphs.graph.clone())
    }

    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.graphs.graph, replicas)
    }

    fn rows(&self) -> Rows {
        if let Tokens::Prompt(input) = self.tokens {
            return if input.codes().is_some() { CODES_OF_POSITIONS } else { Rows::NONE };
        }
        match self.graphs.graph.parameters().first() {
            Some(first) if first.name.starts_with("embed") => match self.tokens {
                Tokens::Numbers => Rows::LAYER,
                Tokens::Pair => graph_network::ELEMENTS,
                Tokens::Sequence(_) => Rows::SYMBOLS,
                Tokens::Prompt(_) => Rows::NONE,
            },
            _ if self.tokens == Tokens::Numbers => Rows::LAYER,
            _ => Rows::NONE,
        }
    }

    fn initial(&self, seed: u64, _inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let mut initial = graph_network::initial(&self.graphs.graph, seed, replicas);
        if let Tokens::Prompt(PromptInput::Tokens(of)) = self.tokens {
            initial[CODES] = prompts::initial_codes(&of, seed, replicas);
        }
        initial
    }

    fn decays(&self, which: usize) -> bool {
        self.graphs.graph.parameters()[which].is_trained
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        graph_network::step_flops_of(&self.graphs.rewritten, batch)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let memory = || exceeds_memory(self.activations(inputs), batch, replicas);
        self.mistake.clone().or_else(memory).into_iter().collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        // Autodiff holds all values, and counts four times the largest one.
        let graph = &self.graphs.rewritten;
        let encoded = match &self.tokens {
            Tokens::Prompt(PromptInput::Tokens(of)) => prompts::encoded_numbers(of),
            _ => 0,
        };
        (graph.widest() as u64).max(graph.values() / 4).max(encoded)
    }
}

impl Network for BoundNetwork {
    fn neurons(&self, weights: &[&[f32]], _inputs: usize) -> Option<Vec<Vec<f32>>> {
        Some(vec![weights[0].to_vec()])
    }

    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let length = match self.tokens {
            Tokens::Sequence(length) => length,
            Tokens::Prompt(input) => {
                let outputs =
                    graph_network::evaluate(&self.graphs.graph, weights, &tokens(input, weights, x));
                return outputs.into_iter().step_by(input.label_distance()).collect();
            }
            Tokens::Numbers | Tokens::Pair => return graph_network::evaluate(&self.graphs.graph, weights, x),
        };
        // Of each context, behind which there is one symbol more, the logits of the next symbol.
        let logits = graph_network::evaluate(&self.graphs.graph, weights, &contexts(length, x));
        let of_last = self.graphs.graph.output().shape.columns;
        let all = logits.chunks_exact(length * of_last);
        all.flat_map(|logits| &logits[(length - 1) * of_last..]).copied().collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], _inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        match self.tokens {
            Tokens::Sequence(length) => {
                graph_network::inside(&self.graphs.graph, weights, &contexts(length, x))
            }
            Tokens::Prompt(input) => {
                graph_network::inside(&self.graphs.graph, weights, &tokens(input, weights, x))
            }
            _ => graph_network::inside(&self.graphs.graph, weights, x),
        }
    }
}

/// The tokens of the prompts in rows `x`, for a network with these weights.
fn tokens(input: PromptInput, weights: &[&[f32]], x: &[f32]) -> Vec<f32> {
    let mut tokens = vec![];
    input.append_tokens(weights[CODES], x, &mut tokens);
    tokens
}

/// The contexts in rows of one symbol more.
fn contexts(length: usize, x: &[f32]) -> Vec<f32> {
    x.chunks_exact(length + 1).flat_map(|row| &row[..length]).copied().collect()
}

#[cfg(feature = "train")]
impl super::Net for OwnNetwork {
    fn forward(
        &self,
        examples: &dyn Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let bound = self.bind(examples);
        let x = match bound.tokens {
            Tokens::Sequence(length) => x.narrow(2, 0, length),
            Tokens::Prompt(input) => input.token_tensor(&parameters[0], x),
            Tokens::Numbers | Tokens::Pair => x,
        };
        let outputs = vivarium_operators::tensors::forward(&bound.graphs.rewritten, parameters, &x);
        match bound.tokens {
            Tokens::Prompt(input) => input.predictions(outputs),
            _ => outputs,
        }
    }
}
