//! One layer of attention on prompts, with a two-layer perceptron on what its heads give: no residual, no norm
//! (Mousavi-Hosseini et al. 2025, section 2.2), on many replicas at once.
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

pub use reference::{Look, Plain};

#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::initialisation::{Initialisation, each};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows, prompts};
use crate::catalog::Info;
use crate::pytorch::{Part, ToPyTorch};
use crate::settings::{Problem, Range};
use crate::sources::MOUSAVI_2025;
use crate::tasks::{Examples, Form, Task};
use crate::tokens::Prompts;
use crate::{bounds, choices, settings};

choices! {
    /// How queries and keys are weighted.
    pub enum QueryKey {
        /// One matrix W_QK for each head, as in the paper's proofs.
        Combined = "combined", "One matrix W_QK";
        /// Two, as transformers have them.
        Separate = "separate", "W_Q and W_K";
    }
}

choices! {
    /// What scores read of a token.
    pub enum Scores {
        /// All of z.
        All = "all", "All of z";
        /// The codes alone.
        Positions = "positions", "Codes of positions alone";
    }
}

choices! {
    /// What heads take the mean of.
    pub enum Values {
        /// All of z.
        Token = "token", "All of z";
        /// The token's numbers x alone.
        Numbers = "numbers", "The token's numbers x";
    }
}

choices! {
    /// What a run begins from.
    pub enum Beginning {
        /// Random numbers.
        Random = "random", "Random weights";
        /// Heads that look up one name each, and a network that computes g.
        Construction = "construction", "The construction of equation A.2";
    }
}

settings! {
    /// A layer of attention whose heads look tokens up, and a two-layer perceptron on what they give.
    pub struct TokenAttention {
        /// Heads of the attention; a function of q tokens needs q of them.
        heads: usize = 2, "h", "Heads H", Range::Int(1, 8);
        /// One matrix for queries and keys together, or one for each.
        qk: QueryKey = QueryKey::Combined, "qk", "Queries and keys", Range::Choice(QueryKey::OPTIONS);
        /// Numbers in a query and in a key; 0 takes as many as scores read.
        key_width: usize = 0, "dk", "Width of keys d_k", Range::Int(0, 512), only when "qk" = "separate";
        /// What scores read of a token: all of it, or only codes of positions.
        scores: Scores = Scores::Positions, "scores", "Scores read", Range::Choice(Scores::OPTIONS);
        /// What heads take the mean of: all that is known of a token, or its numbers alone.
        values: Values = Values::Numbers, "values", "Values", Range::Choice(Values::OPTIONS);
        /// Hidden units of the perceptron.
        width: usize = 64, "width", "Hidden units m", Range::Int(1, 4096);
        /// What the run begins from.
        begin: Beginning = Beginning::Random, "begin", "Beginning", Range::Choice(Beginning::OPTIONS);
        /// Sharpness of the look-up that is written by hand; 0 takes one with an error of 1/10,000 at most.
        alpha: f64 = 0.0, "sharp", "Sharpness α", Range::Real(0.0, 1000.0), only when "begin" = "construction";
        /// Pieces of each square that the readout written by hand is made of.
        knots: usize = 32, "knots", "Pieces of a square", Range::Int(2, 256), only when "begin" = "construction";
    }
}

impl TokenAttention {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "token-attention",
        name: "Attention on tokens",
        about: "One layer of attention whose heads look up the tokens that a position names, and a two-layer perceptron.",
        sources: &[MOUSAVI_2025],
    };

    /// Numbers S that scores read of a token: all, or the codes behind its own numbers.
    pub fn score_width(&self, prompts: &Prompts) -> usize {
        match self.scores {
            Scores::All => prompts.width(),
            Scores::Positions => prompts.width() - prompts.dim,
        }
    }

    /// Numbers d_k in a query and in a key, where these have matrices of their own.
    pub fn separate(&self, prompts: &Prompts) -> Option<usize> {
        match (self.qk, self.key_width) {
            (QueryKey::Combined, _) => None,
            (QueryKey::Separate, 0) => Some(self.score_width(prompts)),
            (QueryKey::Separate, some) => Some(some),
        }
    }

    /// Numbers V in a value: the first ones of what is known of a token.
    pub fn value_width(&self, prompts: &Prompts) -> usize {
        match self.values {
            Values::Token => prompts.width(),
            Values::Numbers => prompts.dim,
        }
    }

    /// Place of W₁ in [`Architecture::parameters`]; after it come b₁, w₂ and b₂, and before it, from 1 on, the matrices of
    /// the scores.
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
        Cow::Owned(OnPrompts { net: self.clone(), prompts: prompts::of(examples) })
    }
}

impl ModelConfig for TokenAttention {
    fn takes(&self) -> &'static [Form] {
        &[Form::Prompt]
    }

    fn constructed(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        self.looks_up(task, seed)
    }

    fn construction_problems(&self, task: &Task) -> Vec<Problem> {
        self.look_up_problems(task)
    }

    fn family(&self) -> Option<Family> {
        Some(Family::TokenAttention(self.clone()))
    }
}

impl ToPyTorch for TokenAttention {
    fn to_pytorch(&self, _seed: u64) -> Result<Part, String> {
        if self.begin != Beginning::Random {
            return Err(super::CONSTRUCTED.into());
        }
        let settings = vec![("std_qk", crate::settings::real(DEVIATION.into()))];
        Ok(Part {
            settings,
            frozen: vec![prompts::CODES],
            ..Part::code(&[include_str!("pytorch/token_attention.py")])
        })
    }
}

/// Standard deviation of the initial W_QK.
pub const DEVIATION: f32 = 0.1;

/// The architecture on prompts of one kind.
#[derive(Debug, Clone)]
pub struct OnPrompts {
    /// The settings.
    pub net: TokenAttention,
    /// The prompts.
    pub prompts: Prompts,
}

impl Architecture for OnPrompts {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let net = &self.net;
        let [read, values] = [net.score_width(&self.prompts), net.value_width(&self.prompts)];
        let all = net.heads * read;
        let mut parameters = vec![prompts::codes(&self.prompts, replicas)];
        let mut put = |name: &str, rows: usize, columns: usize| {
            parameters.push(Parameter::new(name, [replicas, rows, columns]));
        };
        match net.separate(&self.prompts) {
            None => put("qk", all, read),
            Some(keys) => ["q", "k"].into_iter().for_each(|name| put(name, all, keys)),
        }
        put("w1", net.heads * values, net.width);
        put("b1", 1, net.width);
        put("w2", net.width, 1);
        put("b2", 1, 1);
        parameters
    }

    fn rows(&self) -> Rows {
        prompts::CODES_OF_POSITIONS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let net = &self.net;
        let (first, read) = (net.first_layer(), net.score_width(&self.prompts));
        let hidden_inputs = net.heads * net.value_width(&self.prompts);
        let draw = |(which, parameter): (usize, &Parameter)| match which {
            prompts::CODES => prompts::initial_codes(&self.prompts, seed, replicas),
            _ if which < first && net.qk == QueryKey::Combined => {
                each(seed, parameter, |stream, i| DEVIATION * stream.normal(which as u64, i))
            }
            _ => {
                let fan_in = match which {
                    _ if which < first => read,
                    _ if which < first + 2 => hidden_inputs,
                    _ => net.width,
                };
                Initialisation::Uniform.draw(seed, which, parameter, fan_in)
            }
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn decays(&self, which: usize) -> bool {
        which != prompts::CODES
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        let net = &self.net;
        let [n, m] = [self.prompts.length, net.width].map(|size| size as f64);
        let [read, values] =
            [net.score_width(&self.prompts), net.value_width(&self.prompts)].map(|size| size as f64);
        // Queries, and keys of their own; then scores and means.
        let (products, keys) = match net.separate(&self.prompts) {
            None => (read * read, read),
            Some(keys) => (2.0 * read * keys as f64, keys as f64),
        };
        let head = products + n * (keys + values) + values * m;
        6.0 * batch as f64 * n * (net.heads as f64 * head + m)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<Problem> {
        super::crowded(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let net = &self.net;
        let read = net.score_width(&self.prompts);
        let widest = [read, net.separate(&self.prompts).unwrap_or(0), net.value_width(&self.prompts)];
        let widest = widest.into_iter().max().unwrap_or(0).max(self.prompts.length);
        let heads = bounds::product([self.prompts.length, net.heads, widest]);
        let hidden = bounds::product([self.prompts.length, net.width]);
        heads.max(hidden).max(prompts::encoded_numbers(&self.prompts))
    }
}

impl Network for OnPrompts {
    fn head(&self, _weights: &[&[f32]], _z: &[f64], _slopes: &mut [f64], _stage: usize) -> f64 {
        unreachable!("a network on prompts has no first layer that is linear in the input")
    }

    /// ŷ of every position of each prompt, `[prompts, length]`.
    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights);
        let outputs = |row| plain.look(row).outputs.into_iter().map(|y| y as f32);
        x.chunks_exact(self.prompts.columns()).flat_map(outputs).collect()
    }
}
