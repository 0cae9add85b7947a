//! The text of a network: a layer on each line, such as `mlp 256 gelu`.

use std::fmt;

use vivarium_core::language::translated;
use vivarium_operators::pointwise::Function;
use vivarium_operators::weighted_sum::Weighting;

/// Largest number of layers.
pub const MAX_LAYERS: usize = 24;
/// Largest number of components or neurons.
pub const MAX_SIZE: usize = 4096;
/// Largest number of heads.
pub const MAX_HEADS: usize = 64;

/// A layer. `x` stands for each of the vectors between layers, one for each token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The vector of each element or symbol, or a linear map of all numbers of an example.
    Embed {
        /// Components.
        size: usize,
        /// Whether each place of the pair has vectors of its own.
        is_separate: bool,
    },
    /// A further vector, after the others, that is the same for all examples.
    Token,
    /// x + the vector of its place.
    Positions,
    /// x + attention of x to all vectors.
    Attention(Attention),
    /// x + σ(x W + b) W' + b'.
    Mlp {
        /// Neurons.
        size: usize,
        /// σ.
        function: Function,
        /// Whether the layer norm of x is read.
        is_normed: bool,
    },
    /// x W + b.
    Linear {
        /// Components of the result.
        size: usize,
        /// Whether there is a b.
        has_bias: bool,
    },
    /// The states of gated recurrent units that read the vectors one after the other.
    Gru {
        /// Units.
        size: usize,
    },
    /// σ(x).
    Apply(Function),
    /// The layer norm of x.
    Norm,
    /// One vector of all.
    Join(Join),
    /// The outputs, x W.
    Read(Option<Join>),
}

/// An attention layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// Heads.
    pub heads: usize,
    /// Components of a query, key or value of a head; none for the size of x divided by the number of heads.
    pub size: Option<usize>,
    /// How scores become weights.
    pub weighting: Weighting,
    /// Whether x attends to itself and the vectors before it alone.
    pub is_causal: bool,
    /// Whether keys have a vector for each distance added.
    pub is_relative: bool,
    /// Whether the layer norm of each vector is read.
    pub is_normed: bool,
}

impl Attention {
    /// A layer without options.
    fn new(heads: usize) -> Self {
        Attention {
            heads,
            size: None,
            weighting: Weighting::Softmax,
            is_causal: false,
            is_relative: false,
            is_normed: false,
        }
    }
}

/// How several vectors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Their sum.
    Sum,
    /// One after the other.
    Concat,
    /// The last alone.
    Last,
}

/// A kind of layer, for help and completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerInfo {
    /// First word of its line.
    pub word: &'static str,
    /// A line with it.
    pub example: &'static str,
    /// Words that may follow.
    pub options: &'static [&'static str],
    /// What it computes.
    about: &'static str,
}

impl LayerInfo {
    /// What it computes, in the reader's language.
    pub fn about(&self) -> &'static str {
        translated(self.about)
    }
}

const fn info(
    word: &'static str,
    example: &'static str,
    options: &'static [&'static str],
    about: &'static str,
) -> LayerInfo {
    LayerInfo { word, example, options, about }
}

/// All kinds of layers.
pub const LAYERS: &[LayerInfo] = &[
    info(
        "embed",
        "embed 128",
        &["separate"],
        text!(
            "A trained vector for each element or symbol; the number is its number of components. For bits, table columns and the tokens of prompts: a linear map of the numbers, without biases. “separate”: the two elements of a pair have different vectors."
        ),
    ),
    info(
        "token",
        "token",
        &[],
        text!("Appends a token with a trained vector, the same for all examples. Only for pairs."),
    ),
    info("positions", "positions", &[], text!("Adds a trained position vector to each token.")),
    info(
        "attention",
        "attention 4",
        &["size 32", "relu", "causal", "relative", "pre-norm"],
        text!(
            "Multi-head self-attention with a residual connection; the number is the number of heads. “size”: components per head. “relu”: attention weights max(0, score) / number of tokens, instead of softmax. “causal”: each token attends only to itself and earlier tokens; on sequences and on points of a function this is always so. “relative”, with causal attention: each distance between two tokens has a trained vector, which is added to the keys (Shaw et al. 2018). “pre-norm”: attention reads the layer norm of each token."
        ),
    ),
    info(
        "mlp",
        "mlp 512",
        &["relu", "gelu", "square", "pre-norm"],
        text!(
            "MLP with one hidden layer and a residual connection, applied to each token; the number is the number of hidden neurons. Activation: relu if no other is written. “pre-norm”: the MLP reads the layer norm of each token."
        ),
    ),
    info(
        "gru",
        "gru 32",
        &[],
        text!(
            "Gated recurrent units (GRU), which read the tokens one after the other; the number is the number of units. The result at a token is the state of the units after this token. No residual connection. Only for sequences and prompts."
        ),
    ),
    info(
        "linear",
        "linear 64",
        &["no-bias"],
        text!("Linear map of each token to a vector with this number of components. No residual connection."),
    ),
    info(
        "norm",
        "norm",
        &[],
        text!("Layer norm of each token, with trained gain and bias. No residual connection."),
    ),
    info("relu", "relu", &[], text!("max(0, x) of each component.")),
    info("gelu", "gelu", &[], text!("The Gaussian error linear unit of each component.")),
    info("square", "square", &[], text!("The square of each component.")),
    info("sum", "sum", &[], text!("The sum of the vectors of all tokens: one vector.")),
    info("concat", "concat", &[], text!("Concatenates the vectors of all tokens to one vector.")),
    info("last", "last", &[], text!("The vector of the last token alone.")),
    info(
        "read",
        "read last",
        &JOIN_WORDS,
        text!(
            "Linear map, without biases, to the outputs. With several tokens, write sum, concat or last. On sequences and prompts, write “read” alone."
        ),
    ),
];

const JOIN_WORDS: [&str; 3] = ["sum", "concat", "last"];

fn function(word: &str) -> Option<Function> {
    Some(match word {
        "relu" => Function::Relu,
        "gelu" => Function::NormalGelu,
        "square" => Function::Power(2),
        _ => return None,
    })
}

fn join(word: &str) -> Option<Join> {
    Some(match word {
        "sum" => Join::Sum,
        "concat" => Join::Concat,
        "last" => Join::Last,
        _ => return None,
    })
}

/// What is wrong with a layer, or with the text of a network as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerError {
    /// Number of the line, from 1; none of the text as a whole.
    line: Option<usize>,
    /// A sentence without its full stop.
    message: String,
}

impl LayerError {
    pub(super) fn of_line(line: usize, message: impl Into<String>) -> Self {
        LayerError { line: Some(line), message: message.into() }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn of_text(message: impl Into<String>) -> Self {
        LayerError { line: None, message: message.into() }
    }
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => f.write_str(&tr!("line {line}: {message}", line, message = self.message)),
            None => f.write_str(&self.message),
        }
    }
}

/// All mistakes in the text of a network, in the order of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkError(Vec<LayerError>);

impl NetworkError {
    /// An error if there are mistakes.
    pub(super) fn check(mistakes: Vec<LayerError>) -> Result<(), NetworkError> {
        if mistakes.is_empty() { Ok(()) } else { Err(NetworkError(mistakes)) }
    }

    /// Number of mistakes.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl From<LayerError> for NetworkError {
    fn from(mistake: LayerError) -> Self {
        NetworkError(vec![mistake])
    }
}

/// As many mistakes as a person reads at once.
const SHOWN_ERRORS: usize = 5;

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, mistake) in self.0.iter().take(SHOWN_ERRORS).enumerate() {
            let begin = if number == 0 { "" } else { "; " };
            write!(f, "{begin}{mistake}")?;
        }
        if self.count() > SHOWN_ERRORS { f.write_str("; …") } else { Ok(()) }
    }
}

/// The layers of a text, each with the number of its line.
///
/// # Errors
/// All mistakes that show in single lines; if there are none, that of the text as a whole.
pub fn parse(text: &str) -> Result<Vec<(usize, Layer)>, NetworkError> {
    let (mut layers, mut mistakes) = (vec![], vec![]);
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for part in line.split(';') {
            let words: Vec<&str> = part.split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            match layer(&words) {
                Ok(layer) => layers.push((at + 1, layer)),
                Err(message) => mistakes.push(LayerError::of_line(at + 1, message)),
            }
        }
    }
    NetworkError::check(mistakes)?;
    if layers.len() > MAX_LAYERS {
        let message = tr!("a network has at most {most} layers", most = MAX_LAYERS);
        return Err(LayerError::of_text(message).into());
    }
    match layers.last() {
        Some((_, Layer::Read(_))) => Ok(layers),
        _ => {
            Err(LayerError::of_text(tr!("the last layer must be “read”, which computes the outputs")).into())
        }
    }
}

/// The layer of these words.
fn layer(words: &[&str]) -> Result<Layer, String> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let word = lower[0].as_str();
    let Some(info) = LAYERS.iter().find(|info| info.word == word) else {
        let all = LAYERS.iter().map(|info| info.word).collect::<Vec<_>>().join(", ");
        return Err(tr!("there is no layer “{word}”; the layers are {all}", word, all));
    };
    let mut rest = lower[1..].iter().map(String::as_str);
    let needs_number = info.example.contains(|letter: char| letter.is_ascii_digit());
    let most = if word == "attention" { MAX_HEADS } else { MAX_SIZE };
    let size = if needs_number { number(rest.next(), most, word, info.example)? } else { 0 };
    let unknown = |option: &str| match info.options {
        [] => tr!("“{word}” has no options, but “{option}” follows", word, option),
        options => tr!(
            "“{option}” is not an option of “{word}”; the options are {options}",
            word,
            options = options.join(", "),
            option
        ),
    };
    let mut layer = match word {
        "embed" => Layer::Embed { size, is_separate: false },
        "token" => Layer::Token,
        "positions" => Layer::Positions,
        "attention" => Layer::Attention(Attention::new(size)),
        "mlp" => Layer::Mlp { size, function: Function::Relu, is_normed: false },
        "gru" => Layer::Gru { size },
        "linear" => Layer::Linear { size, has_bias: true },
        "norm" => Layer::Norm,
        "read" => Layer::Read(None),
        other => match (function(other), join(other)) {
            (Some(function), _) => Layer::Apply(function),
            (_, Some(join)) => Layer::Join(join),
            _ => return Err(unknown(other)),
        },
    };
    let mut kinds: Vec<&str> = vec![];
    while let Some(option) = rest.next() {
        // Of functions and of joins there is one.
        let kind = match layer {
            Layer::Mlp { .. } if function(option).is_some() => "function",
            Layer::Read(_) => "join",
            _ => option,
        };
        if kinds.contains(&kind) {
            return Err(tr!("“{option}” is one option too many of “{word}”", option, word));
        }
        kinds.push(kind);
        match (&mut layer, option) {
            (Layer::Embed { is_separate, .. }, "separate") => *is_separate = true,
            (Layer::Linear { has_bias, .. }, "no-bias") => *has_bias = false,
            (Layer::Attention(attention), "size") => {
                attention.size = Some(number(rest.next(), MAX_SIZE, option, "attention 4 size 32")?);
            }
            (Layer::Attention(attention), "relu") => attention.weighting = Weighting::Relu,
            (Layer::Attention(attention), "causal") => attention.is_causal = true,
            (Layer::Attention(attention), "relative") => attention.is_relative = true,
            (Layer::Attention(Attention { is_normed, .. }) | Layer::Mlp { is_normed, .. }, "pre-norm") => {
                *is_normed = true;
            }
            (Layer::Mlp { function: own, .. }, option) => {
                *own = function(option).ok_or_else(|| unknown(option))?;
            }
            (Layer::Read(own), option) => *own = Some(join(option).ok_or_else(|| unknown(option))?),
            _ => return Err(unknown(option)),
        }
    }
    Ok(layer)
}

/// A number from 1 to `most`.
fn number(found: Option<&str>, most: usize, word: &str, example: &str) -> Result<usize, String> {
    let value = found.and_then(|found| found.parse().ok()).filter(|value| (1..=most).contains(value));
    value.ok_or_else(|| {
        tr!("“{word}” needs a number from 1 to {most}, as in “{example}”", word, most, example)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn layers_are_read_with_their_options() {
        let text = "embed 64 separate; token # the equals sign; and more\n\nAttention 4 causal size 8 relu\nmlp 256 gelu pre-norm\nlinear 3 no-bias\nnorm;square\nlast\nread";
        let layers = parse(text).unwrap();
        let lines: Vec<usize> = layers.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 1, 3, 4, 5, 6, 6, 7, 8]);
        assert_eq!(layers[0].1, Layer::Embed { size: 64, is_separate: true });
        let attention =
            Attention { size: Some(8), weighting: Weighting::Relu, is_causal: true, ..Attention::new(4) };
        assert_eq!(layers[2].1, Layer::Attention(attention));
        assert_eq!(layers[3].1, Layer::Mlp { size: 256, function: Function::NormalGelu, is_normed: true });
        assert_eq!(layers[4].1, Layer::Linear { size: 3, has_bias: false });
        assert_eq!(layers[6].1, Layer::Apply(Function::Power(2)));
        assert_eq!(parse("read concat").unwrap(), [(1, Layer::Read(Some(Join::Concat)))]);
    }

    #[test]
    fn every_kind_of_layer_is_read_from_its_example() {
        for info in LAYERS {
            let first = |text: &str| parse(&format!("{text}\nread")).unwrap()[0].1;
            let plain = first(info.example);
            for option in info.options {
                // Each option changes the layer, if the example does not have it.
                let with = first(&format!("{} {option}", info.example.trim_end_matches(" last")));
                let is_default =
                    matches!((plain, *option), (Layer::Mlp { .. }, "relu") | (Layer::Read(_), "last"));
                assert_eq!(with == plain, is_default, "{} {option}", info.word);
            }
            assert!(!info.about().is_empty());
        }
    }

    #[test]
    fn every_mistake_has_a_sentence() {
        assert_eq!(
            mistake("embed 64\nconv 3"),
            "line 2: there is no layer “conv”; the layers are embed, token, positions, attention, mlp, gru, linear, norm, relu, gelu, square, sum, concat, last, read"
        );
        assert_eq!(mistake("embed"), "line 1: “embed” needs a number from 1 to 4096, as in “embed 128”");
        assert_eq!(mistake("mlp 5000"), "line 1: “mlp” needs a number from 1 to 4096, as in “mlp 512”");
        assert_eq!(mistake("mlp 99999999999999999999"), mistake("mlp 0"));
        assert_eq!(
            mistake("attention 4 size"),
            "line 1: “size” needs a number from 1 to 4096, as in “attention 4 size 32”"
        );
        assert_eq!(
            mistake("mlp 4 tanh"),
            "line 1: “tanh” is not an option of “mlp”; the options are relu, gelu, square, pre-norm"
        );
        assert_eq!(mistake("read sum last"), "line 1: “last” is one option too many of “read”");
        assert_eq!(mistake("mlp 4 relu gelu"), "line 1: “gelu” is one option too many of “mlp”");
        assert_eq!(
            mistake("attention 4 causal causal"),
            "line 1: “causal” is one option too many of “attention”"
        );
        assert_eq!(mistake("norm 3"), "line 1: “norm” has no options, but “3” follows");
        assert_eq!(mistake("embed 3"), "the last layer must be “read”, which computes the outputs");
        assert_eq!(mistake(""), mistake("embed 3"));
        assert_eq!(
            mistake("embed\nnorm 3; norm\nread first"),
            [mistake("embed"), mistake("\nnorm 3"), mistake("\n\nread first")].join("; ")
        );
        assert!(mistake(&"conv\n".repeat(5)).ends_with("concat, last, read"));
        assert!(mistake(&"conv\n".repeat(6)).ends_with("concat, last, read; …"));
        assert_eq!(mistake(&"relu\n".repeat(25)), "a network has at most 24 layers");
    }
}
