//! The graph of a network of layers.

use super::layers::{Attention, Join, Layer, LayerError, NetworkError};
use crate::models::graph_network::{ACTIVATIONS, ATTENTION};
use crate::models::graph_prompts::PromptInput;
use crate::tasks::{Examples, TaskData};
use vivarium_operators::pointwise::Function;
use vivarium_operators::{Graph, NodeId};

/// Largest number of tokens of a pair, with those that are appended.
pub const MAX_TOKENS: usize = 12;

/// What an example is, and what is predicted of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Data {
    /// What an example consists of.
    pub tokens: Tokens,
    /// Different elements or symbols; numbers of an example or of a token of a prompt, if they consist of these.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

/// What an example consists of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tokens {
    /// Numbers, which are read at once.
    Numbers,
    /// Two elements.
    Pair,
    /// So many symbols, after each of which the next one is predicted.
    Sequence(usize),
    /// Vectors of numbers, at all or some of which a number is predicted.
    Prompt(PromptInput),
}

impl Data {
    /// That of a task's examples.
    pub fn of(examples: &dyn Examples) -> Self {
        let tokens = Tokens::of(examples);
        let inputs = match tokens {
            Tokens::Prompt(input) => input.size(),
            _ => examples.inputs(),
        };
        let outputs = match tokens {
            // After a symbol any symbol can follow.
            Tokens::Sequence(_) => inputs,
            _ => examples.classes().unwrap_or(1),
        };
        Data { tokens, inputs, outputs }
    }
}

impl Tokens {
    /// What the examples of a task consist of.
    pub fn of(examples: &dyn Examples) -> Self {
        let data = examples.data();
        match (&data, PromptInput::of(&data)) {
            (_, Some(input)) => Tokens::Prompt(input),
            (TaskData::Pairs, _) => Tokens::Pair,
            (TaskData::Sequences(_) | TaskData::Traces(_), _) => {
                Tokens::Sequence(examples.prediction_count())
            }
            _ => Tokens::Numbers,
        }
    }

    /// Tokens of an example that are the rows of one value; none if each token is a value.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Tokens::Sequence(length) => Some(*length),
            Tokens::Prompt(input) => Some(input.tokens()),
            Tokens::Numbers | Tokens::Pair => None,
        }
    }

    /// Whether a token attends to itself and the tokens before it alone, whatever a layer says.
    pub fn is_causal(&self) -> bool {
        match self {
            Tokens::Sequence(_) => true,
            Tokens::Prompt(input) => input.is_causal(),
            Tokens::Numbers | Tokens::Pair => false,
        }
    }
}

/// The vectors between two layers.
struct Builder {
    graph: Graph,
    data: Data,
    /// A vector for each token.
    tokens: Vec<NodeId>,
    /// Components of each.
    size: usize,
    /// Whether the next layer reads the tokens one after the other, as a single vector.
    is_concatenated: bool,
}

/// What a layer computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerOutput {
    /// Number of the layer's line, from 1.
    pub line: usize,
    /// The layer.
    pub layer: Layer,
    /// Vectors behind the layer, one for each token.
    pub tokens: usize,
    /// Components of each.
    pub size: usize,
    /// Numbers in the layer's parameters.
    pub parameters: u64,
}

/// The graph of these layers, each with the number of its line.
///
/// # Errors
/// The layers that cannot follow those before them.
pub fn graph(layers: &[(usize, Layer)], data: Data) -> Result<Graph, NetworkError> {
    graph_with_outputs(layers, data, &mut vec![])
}

/// As [`graph`]; `outputs` receives what each layer computes, up to the first mistake.
pub(super) fn graph_with_outputs(
    layers: &[(usize, Layer)],
    data: Data,
    outputs: &mut Vec<LayerOutput>,
) -> Result<Graph, NetworkError> {
    let (graph, tokens, size) = match data.tokens {
        Tokens::Numbers => {
            let mut graph = Graph::on_numbers(data.inputs);
            let input = graph.input();
            (graph, vec![input], data.inputs)
        }
        Tokens::Pair => (Graph::new(2), vec![], 0),
        Tokens::Sequence(length) => (Graph::new(length), vec![], 0),
        Tokens::Prompt(prompt) => {
            let mut graph = Graph::on_positions(prompt.tokens(), data.inputs);
            if let Some(shape) = prompt.codes() {
                graph.parameter("codes", shape, 0.0);
                graph.freeze(0);
            }
            let input = graph.input();
            (graph, vec![input], data.inputs)
        }
    };
    let mut builder = Builder { graph, data, tokens, size, is_concatenated: false };
    let is_hidden = |layer: &Layer| matches!(layer, Layer::Mlp { .. } | Layer::Gru { .. } | Layer::Apply(_));
    let last_hidden = layers.iter().rposition(|(_, layer)| is_hidden(layer));
    let last_attention = layers.iter().rposition(|(_, layer)| matches!(layer, Layer::Attention(_)));
    let mut mistakes = vec![];
    for (at, (line, layer)) in layers.iter().enumerate() {
        let labels = [last_hidden == Some(at), last_attention == Some(at)];
        let before = builder.graph.parameters().len();
        let added =
            builder.check(*layer, at, layers.len()).and_then(|()| builder.add(at + 1, *layer, labels));
        if let Err(message) = added {
            // After “concat” each layer would have the same mistake.
            if mistakes.last().is_none_or(|last: &LayerError| last.message() != message) {
                mistakes.push(LayerError::of_line(*line, message));
            }
            // Without the vectors of the first layer no other layer can be checked.
            if at == 0 {
                break;
            }
        }
        if !mistakes.is_empty() {
            continue;
        }
        let own = builder.graph.parameters()[before..].iter();
        let (count, is_one) = (builder.token_count(), builder.is_concatenated);
        let output = LayerOutput {
            line: *line,
            layer: *layer,
            tokens: if is_one { 1 } else { count },
            size: if is_one { count * builder.size } else { builder.size },
            parameters: own.map(|own| own.rows as u64 * own.columns as u64).sum(),
        };
        outputs.push(output);
    }
    NetworkError::check(mistakes)?;
    let Builder { mut graph, tokens, .. } = builder;
    graph.set_output(tokens[0]);
    if !graph.output().shape.per_example {
        let message = tr!(
            "the outputs are the same for every example: no attention layer connects the token that “read” uses with the tokens of the example"
        );
        return Err(LayerError::of_text(message).into());
    }
    Ok(graph)
}

impl Builder {
    /// # Errors
    /// A sentence if the layer cannot stand at index `at` of `count` layers.
    fn check(&self, layer: Layer, at: usize, count: usize) -> Result<(), String> {
        let (is_first, is_last) = (at == 0, at + 1 == count);
        if matches!(layer, Layer::Read(_)) && !is_last {
            return Err(tr!("“read” must be the last layer").into());
        }
        let is_embed = matches!(layer, Layer::Embed { .. });
        if is_embed && !is_first {
            return Err(tr!("“embed” can only be the first layer").into());
        }
        if is_first && !is_embed && !self.has_numbers() {
            return Err(tr!("the first layer must be “embed”, because an example consists of tokens").into());
        }
        let reads_numbers = matches!(
            layer,
            Layer::Embed { .. } | Layer::Linear { .. } | Layer::Mlp { is_normed: false, .. } | Layer::Read(_)
        );
        if is_first && !reads_numbers && self.data.tokens == Tokens::Numbers {
            // The first weights have a row for each input, which charts show.
            let message =
                tr!("the first layer must be embed, linear or mlp, because an example consists of numbers");
            return Err(message.into());
        }
        let reads_one = matches!(layer, Layer::Linear { .. } | Layer::Read(_) | Layer::Apply(_));
        if self.is_concatenated && !reads_one {
            let message = tr!("after “concat” the next layer must be linear, read, relu, gelu or square");
            return Err(message.into());
        }
        Ok(())
    }

    /// Whether an example or its tokens consist of numbers.
    fn has_numbers(&self) -> bool {
        matches!(self.data.tokens, Tokens::Numbers | Tokens::Prompt(_))
    }

    /// Adds a layer, whose parameters have names that begin with its number; `labels` says whether probes show its neurons, and,
    /// on pairs, its attention.
    fn add(&mut self, number: usize, layer: Layer, labels: [bool; 2]) -> Result<(), String> {
        let named = |name: &str| format!("{number}.{name}");
        match layer {
            Layer::Embed { size, is_separate } => self.embed(size, is_separate)?,
            Layer::Token => {
                if self.data.tokens != Tokens::Pair {
                    return Err(tr!("“token” works only on tasks with pairs").into());
                }
                if self.tokens.len() == MAX_TOKENS {
                    return Err(tr!("a pair has at most {most} tokens", most = MAX_TOKENS));
                }
                let token = self.graph.parameter(named("token"), [1, self.size], self.scale());
                self.tokens.push(token);
            }
            Layer::Positions => {
                self.need_tokens("positions")?;
                let shape = [self.token_count(), self.size];
                let all = self.graph.parameter(named("positions"), shape, self.scale());
                let count = shape[0] / self.tokens.len();
                for (at, token) in self.tokens.iter_mut().enumerate() {
                    let rows = self.graph.slice(all, at * count, count);
                    *token = self.graph.sum(&[*token, rows]);
                }
            }
            Layer::Attention(attention) => {
                self.need_tokens("attention")?;
                if attention.is_relative && self.data.tokens.rows().is_none() {
                    return Err(tr!("“relative” works only on tasks with sequences or prompts").into());
                }
                if attention.is_relative && !(attention.is_causal || self.data.tokens.is_causal()) {
                    return Err(tr!("“relative” needs causal attention: write “causal” too").into());
                }
                let heads = attention.heads;
                let size = match attention.size {
                    Some(size) => size,
                    None if self.size % heads == 0 => self.size / heads,
                    None => {
                        return Err(tr!(
                            "the tokens have {size} components, which cannot be divided among {heads} heads; write the size of a head, as in “attention {heads} size 32”",
                            size = self.size,
                            heads
                        ));
                    }
                };
                let before = self.tokens.clone();
                if attention.is_normed {
                    self.norm(number);
                }
                self.attention(number, attention, size, labels[1]);
                self.add_to(&before);
            }
            Layer::Mlp { size, function, is_normed } => {
                let (width, before) = (self.size, self.tokens.clone());
                if is_normed {
                    self.norm(number);
                }
                self.linear(named("w_in"), Some(named("b_in")), size);
                self.apply(function, labels[0]);
                self.linear(named("w_out"), Some(named("b_out")), width);
                self.add_to(&before);
            }
            Layer::Gru { size } => self.gru(number, size, labels[0])?,
            Layer::Linear { size, has_bias } => self.linear(named("w"), has_bias.then(|| named("b")), size),
            Layer::Apply(function) => self.apply(function, labels[0]),
            Layer::Norm => self.norm(number),
            Layer::Join(join) => self.join(join)?,
            Layer::Read(join) => {
                if let Some(join) = join {
                    if self.is_concatenated {
                        return Err(tr!("after “concat” write “read” without another word").into());
                    }
                    self.join(join)?;
                }
                if self.tokens.len() > 1 && !self.is_concatenated {
                    return Err(tr!(
                        "“read” needs one vector, but there are {count} tokens: write “read last”, “read sum” or “read concat”",
                        count = self.tokens.len()
                    ));
                }
                self.linear(named("w"), None, self.data.outputs);
            }
        }
        Ok(())
    }

    /// Standard deviation of vectors that are added to tokens.
    fn scale(&self) -> f32 {
        1.0 / (self.size.max(1) as f32).sqrt()
    }

    /// The layer norm of each token.
    fn norm(&mut self, number: usize) {
        let gain = self.graph.ones(format!("{number}.gain"), self.size);
        let shift = self.graph.parameter(format!("{number}.shift"), [1, self.size], 0.0);
        for token in &mut self.tokens {
            *token = self.graph.layer_norm(*token, gain, shift);
        }
    }

    /// Adds the tokens before a layer to those behind it.
    fn add_to(&mut self, before: &[NodeId]) {
        for (token, before) in self.tokens.iter_mut().zip(before) {
            *token = self.graph.sum(&[*before, *token]);
        }
    }

    fn need_tokens(&self, word: &str) -> Result<(), String> {
        match self.token_count() {
            1 => Err(tr!("“{word}” needs several tokens, but here there is one vector", word)),
            _ => Ok(()),
        }
    }

    /// Tokens of an example. Those of a sequence are the rows of one value.
    fn token_count(&self) -> usize {
        self.data.tokens.rows().unwrap_or(self.tokens.len())
    }

    fn embed(&mut self, size: usize, is_separate: bool) -> Result<(), String> {
        let inputs = self.data.inputs;
        if is_separate && self.data.tokens != Tokens::Pair {
            return Err(tr!("“separate” works only on tasks with pairs").into());
        }
        if self.has_numbers() {
            self.linear("embed".into(), None, size);
            return Ok(());
        }
        self.size = size;
        let names: &[&str] = if is_separate { &["embed_a", "embed_b"] } else { &["embed"] };
        let scale = self.scale();
        let tables: Vec<NodeId> =
            names.iter().map(|name| self.graph.parameter(*name, [inputs, size], scale)).collect();
        self.tokens = match self.data.tokens {
            Tokens::Sequence(_) => vec![self.graph.lookup_all(tables[0])],
            _ => (0..2).map(|at| self.graph.lookup(tables[at % tables.len()], at)).collect(),
        };
        Ok(())
    }

    fn attention(&mut self, number: usize, attention: Attention, size: usize, is_labelled: bool) {
        let Attention { heads, weighting, is_causal, is_relative, .. } = attention;
        let (width, across) = (self.size, heads * size);
        let scale = self.scale();
        let [query, key, value] = ["query", "key", "value"]
            .map(|name| self.graph.parameter(format!("{number}.{name}"), [width, across], scale));
        let out =
            self.graph.parameter(format!("{number}.out"), [across, width], 1.0 / (across as f32).sqrt());
        if let Some(length) = self.data.tokens.rows() {
            let x = self.tokens[0];
            let mut all = vec![query, key, value];
            all.iter_mut().for_each(|w| *w = self.graph.linear(x, *w));
            if is_relative {
                all.push(self.graph.parameter(format!("{number}.distances"), [length, across], scale));
            }
            let is_causal = is_causal || self.data.tokens.is_causal();
            let mean = self.graph.self_attention(&all, heads, weighting, is_causal);
            self.graph.label(mean, ATTENTION);
            self.tokens = vec![self.graph.linear(mean, out)];
            return;
        }
        let tokens = std::mem::take(&mut self.tokens);
        for (at, token) in tokens.iter().enumerate() {
            let graph = &mut self.graph;
            let seen = if is_causal { at + 1 } else { tokens.len() };
            let all = graph.stack(&tokens[..seen]);
            let [query, keys, values] =
                [(*token, query), (all, key), (all, value)].map(|(x, w)| graph.linear(x, w));
            let mean = graph.attention([query, keys, values], heads, weighting);
            // Probes show the weights of the last token.
            if is_labelled && at + 1 == tokens.len() {
                graph.label(mean, ATTENTION);
            }
            self.tokens.push(graph.linear(mean, out));
        }
    }

    fn gru(&mut self, number: usize, units: usize, is_labelled: bool) -> Result<(), String> {
        if self.data.tokens.rows().is_none() {
            return Err(tr!("“gru” works only on tasks with sequences or prompts").into());
        }
        let (scale, of_hidden) = (self.scale(), 1.0 / (units as f32).sqrt());
        let shapes = [
            ("input", self.size, scale),
            ("input_bias", 1, 0.0),
            ("hidden", units, of_hidden),
            ("hidden_bias", 1, 0.0),
        ];
        let [input, input_bias, hidden, hidden_bias] = shapes.map(|(name, rows, deviation)| {
            self.graph.parameter(format!("{number}.{name}"), [rows, 3 * units], deviation)
        });
        for token in &mut self.tokens {
            let of_inputs = self.graph.linear(*token, input);
            let of_inputs = self.graph.sum(&[of_inputs, input_bias]);
            *token = self.graph.gru(of_inputs, hidden, hidden_bias);
            if is_labelled {
                self.graph.label(*token, ACTIVATIONS);
            }
        }
        self.size = units;
        Ok(())
    }

    /// A linear map of each token, or of all one after the other.
    fn linear(&mut self, weights: String, bias: Option<String>, size: usize) {
        let count = if self.is_concatenated { self.tokens.len() } else { 1 };
        let rows = count * self.size;
        let w = self.graph.parameter(weights, [rows, size], 1.0 / (rows.max(1) as f32).sqrt());
        let bias = bias.map(|name| self.graph.parameter(name, [1, size], 0.0));
        let mut mapped = vec![];
        for (at, token) in self.tokens.iter().enumerate() {
            let first = if self.is_concatenated { at * self.size } else { 0 };
            let w = self.graph.slice(w, first, self.size);
            mapped.push(self.graph.linear(*token, w));
        }
        if self.is_concatenated {
            mapped = vec![self.graph.sum(&mapped)];
        }
        if let Some(bias) = bias {
            mapped.iter_mut().for_each(|token| *token = self.graph.sum(&[*token, bias]));
        }
        self.tokens = mapped;
        (self.size, self.is_concatenated) = (size, false);
    }

    fn apply(&mut self, function: Function, is_labelled: bool) {
        for token in &mut self.tokens {
            *token = self.graph.pointwise(*token, function);
        }
        // The last token that depends on the example.
        let varies = |token: &&NodeId| self.graph.shape_of(**token).per_example;
        if let Some(last) = self.tokens.iter().rfind(varies).copied().filter(|_| is_labelled) {
            self.graph.label(last, ACTIVATIONS);
        }
    }

    fn join(&mut self, join: Join) -> Result<(), String> {
        match self.data.tokens {
            Tokens::Sequence(_) => return Err(tr!(
                "on sequences, tokens cannot be combined, because the next symbol is predicted at every token: delete this line, or write “read” without another word"
            )
            .into()),
            Tokens::Prompt(_) => return Err(tr!(
                "on prompts, tokens cannot be combined, because predictions are made at several tokens: delete this line, or write “read” without another word"
            )
            .into()),
            Tokens::Numbers | Tokens::Pair => {}
        }
        match join {
            Join::Sum => self.tokens = vec![self.graph.sum(&self.tokens)],
            Join::Concat => self.is_concatenated = self.tokens.len() > 1,
            Join::Last => self.tokens = self.tokens.last().copied().into_iter().collect(),
        }
        Ok(())
    }
}
