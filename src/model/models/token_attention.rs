//! One layer of attention on prompts, with a two-layer perceptron on what its heads give: no residual, no norm
//! (Mousavi-Hosseini et al. 2025, section 3), on many replicas at once.
//!
//! ```text
//! z_i = [x_i; s·ω_i; s·ω_{t_i1}; …; s·ω_{t_iq}]                    D numbers
//! score_h(i, j) = s_iᵀ W_h s_j,  or  (s_i Q_h)·(s_j K_h) / √d_k
//! head_h(i) = Σ_j softmax_j(score_h(i, j)) v_j
//! ŷ_i = w₂ᵀ relu(W₁ᵀ [head_1(i); …; head_H(i)] + b₁) + b₂
//! ```
//!
//! Scores read s_i, S numbers: all of z_i, or only its codes (the restriction of proposition 21). Values v_j, V numbers,
//! are all of z_j, or only the token's own numbers x_j. Every position attends to every one, itself as well.
//!
//! [`mod@reference`] has these formulas and their gradients in double precision, [`construction`] the weights of equation
//! A.2.

pub mod construction;
pub mod reference;
#[cfg(test)]
mod tests;

pub use reference::Look;

#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::initialisation::{Initialisation, each};
use super::layout::{self, Tensor, Tensors};
use super::on_prompts::{self, PromptNetwork};
use super::{Bind, Family, ModelConfig, Parameter, prompts};
use crate::tasks::{ExampleForm, Examples, Task};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::MOUSAVI_2025;
use vivarium_core::{bounds, choices, settings};
use vivarium_science::tokens::TokenPrompts;

choices! {
    /// How queries and keys are weighted.
    pub enum QueryKey {
        /// One matrix W_QK for each head, as in the paper's proofs.
        Combined = "combined", "One matrix W_QK";
        /// Two, as transformers have them.
        Separate = "separate", "Two matrices, W_Q and W_K";
    }
}

choices! {
    /// What scores read of a token.
    pub enum Scores {
        /// All of z.
        All = "all", "The whole vector z";
        /// The codes alone.
        Positions = "positions", "Only the codes of positions";
    }
}

choices! {
    /// What heads take the mean of.
    pub enum Values {
        /// All of z.
        Token = "token", "The whole vector z";
        /// The token's numbers x alone.
        Numbers = "numbers", "Only the token's numbers x";
    }
}

choices! {
    /// What a run begins from.
    pub enum Beginning {
        /// Random numbers.
        Random = "random", "Random weights";
        /// Heads that look up one name each, and a network that computes g.
        Construction = "construction", "Weights set by hand (equation A.2 of the paper)";
    }
}

settings! {
    /// A layer of attention whose heads look tokens up, and a two-layer perceptron on what they give.
    pub struct TokenAttention {
        /// Number of attention heads; some functions of q tokens need q heads.
        heads: usize = 2, "h", "Heads H", Range::Int(1, 8);
        /// One combined matrix for queries and keys, or two separate matrices.
        qk: QueryKey = QueryKey::Combined, "qk", "Queries and keys", Range::Choice(QueryKey::OPTIONS);
        /// Length d_k of queries and keys; with 0, they are as long as the input of the attention scores.
        key_width: usize = 0, "dk", "Width d_k of keys", Range::Int(0, 512), only when "qk" = "separate";
        /// The scores depend on this part of a token's vector z: all of z, or only the codes of positions.
        scores: Scores = Scores::Positions, "scores", "Input of the attention scores", Range::Choice(Scores::OPTIONS);
        /// Part of a token's vector z that the heads average: all of z, or only the token's numbers x.
        values: Values = Values::Numbers, "values", "Values", Range::Choice(Values::OPTIONS);
        /// Number of hidden units of the perceptron.
        width: usize = 64, "width", "Hidden units m", Range::Int(1, 4096);
        /// Weights at the start of the run.
        begin: Beginning = Beginning::Random, "begin", "Initial weights", Range::Choice(Beginning::OPTIONS);
        /// Sharpness α of attention set by hand; 0 chooses (2/s²) ln(10⁴ N), where s is the factor of the codes.
        alpha: f64 = 0.0, "sharp", "Sharpness α", Range::Real(0.0, 1000.0), only when "begin" = "construction";
        /// Number of linear pieces of the function that approximates each square x² in the read-out set by hand.
        knots: usize = 32, "knots", "Linear pieces per square x²", Range::Int(2, 256), only when "begin" = "construction";
    }
}

impl TokenAttention {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "token-attention",
        name: "Attention on tokens",
        about: "One attention layer and a two-layer perceptron. Each token contains the codes of a few positions (its names). The heads should attend to the tokens at these positions.",
        sources: &[MOUSAVI_2025],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
s_ij = (u_i qk_g)·u_j                                   qk=combined;  g = 0 … h − 1
s_ij = (u_i q_g)·(u_j k_g) / √K                         qk=separate
o_i  = [Σ_j softmax_j(s_ij) v_j for each head g]        j = 0 … n − 1: every position
f_i  = max(0, o_i w1 + b1) w2 + b2",
        loss: layout::POSITIONS,
        letters: &[
            layout::PROMPT_LETTERS[0],
            layout::PROMPT_LETTERS[1],
            layout::PROMPT_LETTERS[2],
            [
                "u_i",
                "the numbers of z_i that scores read: all D with `scores=all`, the codes alone with `scores=positions`",
            ],
            ["S", "how many these are: `D`, or `D − dim`"],
            [
                "v_j, V",
                "the values and how many numbers they have: all D of z_j with `values=token`, x_j alone (`dim`) with `values=numbers`",
            ],
            ["K", "components of a key: `dk`, or S where `dk` is 0"],
            ["M_g", "the rows g · S … (g + 1) · S − 1 of M: those of head g"],
        ],
        all: &[
            layout::CODES,
            Tensor::new(
                "qk",
                ["h · S", "S"],
                ["number of u_i, head after head", "number of u_j"],
                "W_QK of all heads, one below the other",
            )
            .only("qk=combined"),
            Tensor::new(
                "q",
                ["h · S", "K"],
                ["number of u_i, head after head", "component of the queries"],
                "W_Q of all heads, one below the other",
            )
            .only("qk=separate"),
            Tensor::new(
                "k",
                ["h · S", "K"],
                ["number of u_j, head after head", "component of the keys"],
                "W_K of all heads",
            )
            .only("qk=separate"),
            Tensor::new(
                "w1",
                ["h · V", "width"],
                ["number of the values, head after head", "neuron"],
                "first layer of the perceptron",
            ),
            Tensor::new("b1", ["1", "width"], ["", "neuron"], "its biases"),
            Tensor::new("w2", ["width", "1"], ["neuron", ""], "weights of the output"),
            Tensor::new("b2", ["1", "1"], ["", ""], "bias of the output"),
        ],
    };

    /// Numbers S that scores read of a token: all, or the codes behind its own numbers.
    pub fn score_width(&self, prompts: &TokenPrompts) -> usize {
        match self.scores {
            Scores::All => prompts.encoded_dim(),
            Scores::Positions => prompts.encoded_dim() - prompts.dim,
        }
    }

    /// Numbers d_k in a query and in a key, where these have matrices of their own.
    pub fn separate(&self, prompts: &TokenPrompts) -> Option<usize> {
        match (self.qk, self.key_width) {
            (QueryKey::Combined, _) => None,
            (QueryKey::Separate, 0) => Some(self.score_width(prompts)),
            (QueryKey::Separate, some) => Some(some),
        }
    }

    /// Numbers V in a value: the first ones of what is known of a token.
    pub fn value_width(&self, prompts: &TokenPrompts) -> usize {
        match self.values {
            Values::Token => prompts.encoded_dim(),
            Values::Numbers => prompts.dim,
        }
    }

    /// Place of W₁ in [`Architecture::parameters`](super::Architecture::parameters); after it come b₁, w₂ and b₂, and before
    /// it, from 1 on, the matrices of the scores.
    pub fn first_layer(&self) -> usize {
        match self.qk {
            QueryKey::Combined => 2,
            QueryKey::Separate => 3,
        }
    }
}

impl Bind for TokenAttention {
    type Bound = OnPrompts;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPrompts> {
        on_prompts::bound(self, examples)
    }
}

impl ModelConfig for TokenAttention {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Prompt]
    }

    fn constructed(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        self.looks_up(task, seed)
    }

    fn construction_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        self.look_up_problems(task)
    }

    fn family(&self) -> Option<Family> {
        Some(Family::TokenAttention(self.clone()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for TokenAttention {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let mut code = vec![include_str!("pytorch/token_attention.py")];
        let given = self.begin == Beginning::Construction;
        if !given {
            code.push(include_str!("pytorch/initial/token_attention.py"));
        }
        let settings = vec![("std_qk", vivarium_core::settings::format_real(DEVIATION.into()))];
        Ok(ScriptPart {
            code,
            settings,
            embeds_initial_weights: given,
            frozen_parameters: vec![prompts::CODES],
            ..ScriptPart::default()
        })
    }
}

/// Standard deviation of the initial W_QK.
pub const DEVIATION: f32 = 0.1;

/// The network on the prompts of a task.
pub type OnPrompts = on_prompts::OnPrompts<TokenAttention>;
/// The network of one replica in double precision.
pub type Plain = on_prompts::Plain<TokenAttention>;

impl PromptNetwork for TokenAttention {
    fn shapes(&self, prompts: &TokenPrompts) -> Vec<(String, [usize; 2])> {
        let [read, values] = [self.score_width(prompts), self.value_width(prompts)];
        let all = self.heads * read;
        let scores = match self.separate(prompts) {
            None => vec![("qk", [all, read])],
            Some(keys) => vec![("q", [all, keys]), ("k", [all, keys])],
        };
        let perceptron = [
            ("w1", [self.heads * values, self.width]),
            ("b1", [1, self.width]),
            ("w2", [self.width, 1]),
            ("b2", [1, 1]),
        ];
        scores.into_iter().chain(perceptron).map(|(name, shape)| (name.into(), shape)).collect()
    }

    fn draw(&self, prompts: &TokenPrompts, seed: u64, which: usize, parameter: &Parameter) -> Vec<f32> {
        let first = self.first_layer();
        if which < first && self.qk == QueryKey::Combined {
            return each(seed, parameter, |stream, i| DEVIATION * stream.draw_normal(which as u64, i));
        }
        let fan_in = match which {
            _ if which < first => self.score_width(prompts),
            _ if which < first + 2 => self.heads * self.value_width(prompts),
            _ => self.width,
        };
        Initialisation::Uniform.draw(seed, which, parameter, fan_in)
    }

    fn step_flops(&self, prompts: &TokenPrompts, batch: usize) -> f64 {
        let [n, m] = [prompts.length, self.width].map(|size| size as f64);
        let [read, values] = [self.score_width(prompts), self.value_width(prompts)].map(|size| size as f64);
        // Queries, and keys of their own; then scores and means.
        let (products, keys) = match self.separate(prompts) {
            None => (read * read, read),
            Some(keys) => (2.0 * read * keys as f64, keys as f64),
        };
        let head = products + n * (keys + values) + values * m;
        6.0 * batch as f64 * n * (self.heads as f64 * head + m)
    }

    fn activations(&self, prompts: &TokenPrompts) -> u64 {
        let read = self.score_width(prompts);
        let widest = [read, self.separate(prompts).unwrap_or(0), self.value_width(prompts)];
        let widest = widest.into_iter().max().unwrap_or(0).max(prompts.length);
        let heads = bounds::saturating_product([prompts.length, self.heads, widest]);
        heads.max(bounds::saturating_product([prompts.length, self.width]))
    }

    fn outputs(plain: &Plain, row: &[f32]) -> Vec<f64> {
        plain.look(row).outputs
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(plain: &Plain, row: &[f32], all: &mut super::inside::Gathered) {
        let (look, hidden) = plain.look_at_all(row);
        let (n, net) = (plain.prompts.length, &plain.net);
        all.attention("attention", &[("head", net.heads), ("query", n), ("key", n)], look.shares);
        all.activations("activations", &[("position", n), ("neuron", net.width)], hidden);
    }
}
