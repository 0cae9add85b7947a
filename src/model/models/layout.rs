//! What the tensors of a model are, for whoever opens a file of weights: `TENSORS.md` is made from this.
//!
//! # Why
//! A file of weights is numbers under names. Which axis is an input and what is computed with them is known to the model
//! alone, so it says so beside its code, in one constant. Only `lab docs` and tests read these constants, so no program of
//! the page carries them. A test compares them with the parameters that models have, and a Python program without our code
//! computes outputs and losses by these formulas: `tests/suite/tensors.rs`.

/// The tensors of a model, and what it computes with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensors {
    /// The output for one example, in the names of the parameters.
    pub formula: &'static str,
    /// What the loss of this output is, in a sentence.
    pub loss: &'static str,
    /// Letters in formula and shapes that are neither parameters nor settings, each with what it is.
    pub letters: &'static [[&'static str; 2]],
    /// The parameters, in the order of the file.
    pub all: &'static [Tensor],
}

/// A parameter, or one of each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// Its name in the file, in which `{l}` is a number, and another word between braces a part of the name.
    pub name: &'static str,
    /// Rows and columns, in terms of settings and letters.
    pub shape: [&'static str; 2],
    /// What a row and a column belong to; empty where there is only one.
    pub axes: [&'static str; 2],
    /// What it is.
    pub about: &'static str,
    /// The setting with which it exists, if it does not always exist.
    pub only: Option<&'static str>,
}

impl Tensor {
    /// A parameter that always exists.
    pub const fn new(
        name: &'static str,
        shape: [&'static str; 2],
        axes: [&'static str; 2],
        about: &'static str,
    ) -> Tensor {
        Tensor { name, shape, axes, about, only: None }
    }

    /// The same of a parameter that exists with this setting, such as `norm=pre`.
    pub const fn only(self, setting: &'static str) -> Tensor {
        Tensor { only: Some(setting), ..self }
    }

    /// Whether this is the entry of the parameter with this name.
    pub fn is_of(&self, name: &str) -> bool {
        matches(self.name, name)
    }
}

/// Whether a name follows a pattern, in which `{l}` stands for digits and any other word between braces for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('{') else { return pattern == name };
    let (word, after) = rest.split_once('}').unwrap_or((rest, ""));
    let Some(name) = name.strip_prefix(before) else { return false };
    let is_part = |part: &str| word != "l" || part.bytes().all(|letter| letter.is_ascii_digit());
    let ends = name.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let mut parts = ends.map(|end| name.split_at(end));
    parts.any(|(part, rest)| is_part(part) && matches(after, rest))
}

/// The loss where a label is −1 or +1.
pub const SIGNS: &str =
    "ℓ(y, f) with the label y = −1 or +1, as the setting `loss` says; mean over the examples.";

/// The loss where a label is one of several classes.
pub const CLASSES: &str = "−ln softmax(f)[c] with the right class c; mean over the examples.";

/// The loss where every next symbol is a label.
pub const SYMBOLS: &str = "in training −ln softmax(f_i)[x_{i+1}], mean over all places of all contexts; on held-out \
                           contexts of Markov chains Σ_s π(s) ln(π(s) / softmax(f_{t−1})[s]), where π is the true law of \
                           the symbol after the context.";

/// The loss where every position of a prompt has a number for a label.
pub const POSITIONS: &str = "(f_i − y_i)², mean over the positions of all prompts; the metrics divide this mean by the variance of a label.";

/// The letter for the columns of one head, where the matrices of all heads stand side by side.
pub const COLUMNS_OF_HEAD: [&str; 2] =
    ["M_g", "the columns g · dattn … (g + 1) · dattn − 1 of a matrix M: those of head g"];

/// The letter of the smooth activation.
pub const GELU: [&str; 2] =
    ["GELU(z)", "z Φ(z) with the normal distribution function Φ, without approximation"];

/// Positional embeddings where inputs are bits.
pub const BIT_POSITIONS: Tensor =
    Tensor::new("positions", ["n", "demb"], ["input", "component"], "positional embeddings of the bits");

/// Queries, keys, values and output of heads of `dattn` components.
pub const HEADS: [Tensor; 4] = [
    Tensor::new(
        "query",
        ["demb", "heads · dattn"],
        ["component", "component of the queries, head after head"],
        "W_Q of all heads, side by side",
    ),
    Tensor::new("key", ["demb", "heads · dattn"], ["component", "component of the keys"], "W_K of all heads"),
    Tensor::new(
        "value",
        ["demb", "heads · dattn"],
        ["component", "component of the values"],
        "W_V of all heads",
    ),
    Tensor::new(
        "out",
        ["heads · dattn", "demb"],
        ["component of the values, head after head", "component"],
        "W_O of all heads, one below the other",
    ),
];

/// A two-layer MLP on the components of a token.
pub const MLP: [Tensor; 4] = [
    Tensor::new("w1", ["demb", "dmlp"], ["component", "neuron"], "first layer of the MLP"),
    Tensor::new("b1", ["1", "dmlp"], ["", "neuron"], "its biases"),
    Tensor::new("w2", ["dmlp", "demb"], ["neuron", "component"], "second layer of the MLP"),
    Tensor::new("b2", ["1", "demb"], ["", "component"], "its biases"),
];

/// Letters of prompts of tokens.
pub const PROMPT_LETTERS: [[&str; 2]; 3] = [
    [
        "e",
        "components of a position's code: `n` with `codes=onehot`, else `de`, where 0 stands for a number that the task chooses",
    ],
    ["D", "components of an encoded token, `dim + (q + 1) · e`"],
    [
        "z_i",
        "the encoded token i: [x_i, s codes[i], s codes[t_i1], …, s codes[t_iq]] with its numbers x_i, its names t_i1 … t_iq (positions from 0), and s = √(dim / q) or 1 (`enc`)",
    ],
];

/// The codes, which every network on prompts of tokens has first.
pub const CODES: Tensor = Tensor::new(
    "codes",
    ["n", "e"],
    ["position", "component"],
    "codes of the positions, the same in all replicas and never trained",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layers_are_distinguished_from_longer_names() {
        let of = |pattern, name| Tensor::new(pattern, ["1"; 2], [""; 2], "").is_of(name);
        assert!(of("w", "w") && !of("w", "w1") && of("w{l}", "w12") && !of("w{l}", "w"));
        assert!(of("gain{l}", "gain3") && !of("gain{l}", "gain_mlp3") && !of("gain{l}", "gain"));
        assert!(of("layer{l}.first.bias", "layer10.first.bias"));
        assert!(!of("layer{l}.first.bias", "layer10.round.first.bias"));
        assert!(of("{block}.{kind}.null_key", "search.2.own.null_key"));
        assert!(!of("{block}.{kind}.null_key", "search.null_key") && !of("{block}.null_key", ".null_key"));
        assert!(
            of("{block}.layers.{l}.bias", "move.layers.2.bias")
                && !of("{block}.layers.{l}.bias", "fetch.own.bias")
        );
    }
}
