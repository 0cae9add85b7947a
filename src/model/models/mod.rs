//! Models: what learns. Settings and initial weights are plain data; the networks themselves need `train`.
#![doc = include_str!("README.md")]

pub mod activation;
pub mod attend;
pub mod attention_only;
pub mod cell_rules;
pub mod circuit_network;
pub mod cls_transformer;
pub mod deep_mlp;
pub mod descent_transformer;
pub mod disjoint_polynet;
pub mod dropout;
pub mod embedding_mlp;
pub mod family;
pub mod first_layer;
pub mod gated_memory;
pub mod graph_network;
pub mod graph_prompts;
pub mod group_net;
pub mod gru;
pub mod in_context_transformer;
pub mod initialisation;
#[cfg(not(target_family = "wasm"))]
pub mod inside;
pub mod layout;
pub mod lookup;
pub mod machine_transformer;
mod matrices;
pub mod minimal_markov;
pub mod mlp;
pub mod modular_transformer;
mod norm;
pub mod on_prompts;
pub mod own;
pub mod parity_transformer;
pub mod penalty;
pub mod perceptron;
pub mod polynet;
pub mod power_net;
pub mod prompts;
pub mod random_forest;
pub mod recurrent_conv;
#[cfg(feature = "train")]
pub mod sequences;
pub mod token_attention;
pub mod token_mlp;

use std::borrow::Cow;

pub use activation::Activation;
pub use family::Family;
pub use first_layer::{Forms, LinearFirstLayer};
pub use initialisation::Initialisation;
pub use penalty::Penalty;

use crate::tasks::{ExampleForm, Examples, MeasureNames, Task};
use vivarium_core::bounds;
use vivarium_core::language::translated;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::settings::InvalidSetting;
use vivarium_operators::Graph;

vivarium_core::catalog! {
    /// Every model, with its settings.
    pub enum Model {
        /// Two-layer perceptron.
        mlp::Mlp,
        /// Product of linear forms.
        polynet::Polynet,
        /// Product of linear forms in blocks of the input.
        disjoint_polynet::DisjointPolynet,
        /// Perceptron of several hidden layers.
        deep_mlp::DeepMlp,
        /// One layer of attention.
        parity_transformer::ParityTransformer,
        /// One hidden layer on pairs of elements.
        group_net::GroupNet,
        /// The transformer that groks modular arithmetic.
        modular_transformer::ModularTransformer,
        /// A perceptron on embeddings of two elements.
        embedding_mlp::EmbeddingMlp,
        /// One hidden layer of powers on signs.
        power_net::PowerNet,
        /// A transformer without MLPs.
        attention_only::AttentionOnly,
        /// The two matrices that are enough for bigrams.
        minimal_markov::MinimalMarkov,
        /// One layer of attention with layer norm.
        cls_transformer::ClsTransformer,
        /// Trees that vote.
        random_forest::RandomForest,
        /// Attention on prompts.
        token_attention::TokenAttention,
        /// A perceptron on whole prompts.
        token_mlp::TokenMlp,
        /// A recurrent network on prompts.
        gru::Gru,
        perceptron::Perceptron,
        /// A memory with a slot for each name.
        gated_memory::GatedMemory,
        /// Layers that are steps of descent.
        descent_transformer::DescentTransformer,
        /// A decoder on points of a function.
        in_context_transformer::InContextTransformer,
        /// One step of a machine for each token.
        machine_transformer::MachineTransformer,
        /// Gates as layers of ReLUs.
        circuit_network::CircuitNetwork,
        /// A filter that runs a program on a table of examples.
        recurrent_conv::RecurrentConv,
        /// Restarts among cell rules.
        cell_rules::CellRules,
        /// Layers that the user writes down.
        own::OwnNetwork,
    }
    /// The tensors of each model in a file of weights.
    pub const TENSORS: [layout::Tensors];
    /// What its settings say of the model before it is bound to a task.
    pub fn config(&self) -> &dyn ModelConfig;
    /// What gives its architecture.
    pub fn architectures(&self) -> &dyn Architectures;
    /// What gives the network that is run.
    pub fn networks(&self) -> &dyn Networks;
    /// The same for putting its settings right.
    pub fn config_mut(&mut self) -> &mut dyn ModelConfig;
    /// The model's part of a PyTorch script.
    pub fn script(&self) -> &dyn ToPyTorch;
}

impl Model {
    /// Whether it can learn `task`: a model takes numbers, pairs of elements or sequences of symbols.
    pub fn suits(&self, task: &Task) -> bool {
        self.config().suits(task)
    }

    /// The same of the model of that slug.
    pub fn suit(slug: &str, task: &Task) -> bool {
        Model::from_slug(slug).is_some_and(|model| model.suits(task))
    }

    /// The model of that slug with the settings that are proposed for `task`.
    pub fn proposed(slug: &str, task: &Task) -> Option<Model> {
        let mut model = Model::from_slug(slug)?;
        model.config_mut().propose(task.examples());
        Some(model)
    }

    /// The model's architecture for these examples; most do not look at them.
    pub fn architecture(&self, examples: &dyn Examples) -> Bound<'_, dyn Architecture> {
        self.architectures().architecture(examples)
    }

    /// The network on tensors, as [`ModelConfig::net`].
    #[cfg(feature = "train")]
    pub fn net(&self) -> Option<Box<dyn Net>> {
        self.config().net()
    }

    /// For each parameter whether it is trained in `stage`; empty for a model that is executed or grown.
    #[cfg(feature = "train")]
    pub fn trained(&self, examples: &dyn Examples, stage: usize) -> Vec<bool> {
        let architecture = self.architecture(examples);
        match architecture.graph(examples.inputs(), stage) {
            Some(graph) => graph.parameters().iter().map(|own| own.is_trained).collect(),
            None => {
                let trained = self.net().map_or_else(Vec::new, |net| net.trained(stage)).into_iter();
                trained.enumerate().map(|(which, is)| is && architecture.is_trained(which)).collect()
            }
        }
    }

    /// The same with what the network answers.
    pub fn network(&self, examples: &dyn Examples) -> Bound<'_, dyn Network> {
        self.networks().network(examples)
    }
}

/// What a model's settings say of it before it is bound to the sizes of a task's examples.
pub trait ModelConfig {
    /// What an example may be to the model.
    fn takes(&self) -> &'static [ExampleForm] {
        ExampleForm::BITS
    }
    /// Whether it can learn `task`.
    fn suits(&self, task: &Task) -> bool {
        self.takes().contains(&task.data().form())
    }
    /// The initial weights of one replica, in the order of [`Architecture::parameters`], if they are not drawn but
    /// constructed for `task`.
    fn constructed(&self, _task: &Task, _seed: u64) -> Option<Vec<Vec<f32>>> {
        None
    }
    /// Why initial weights that are wanted cannot be [constructed](ModelConfig::constructed), if they cannot.
    fn construction_problems(&self, _task: &Task) -> Vec<InvalidSetting> {
        vec![]
    }
    /// Operations that it takes to [construct](ModelConfig::constructed) the initial weights for `task`, with what they
    /// depend on: none where they are found in no time, or drawn.
    fn construction(&self, _task: &Task) -> Option<((&'static str, Vec<usize>), u64)> {
        None
    }
    /// The family of networks whose kernels and learners train it, with what they need to know; none where autodiff
    /// alone trains it.
    fn family(&self) -> Option<Family> {
        None
    }
    /// The network on tensors, which autodiff differentiates; none of a model that is executed or grown.
    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn Net>> {
        None
    }
    /// Brings settings that cannot be with this number of inputs to the nearest that can, where no default does.
    fn mend(&mut self, _inputs: usize) {}
    /// Changes settings from their defaults to what is proposed for such examples.
    fn propose(&mut self, _examples: &dyn Examples) {}
    /// Whether it has weights that are moved by gradients.
    fn has_weights(&self) -> bool {
        true
    }
    /// Whether the settings of the optimizer have an effect on it.
    fn is_optimized(&self) -> bool {
        true
    }
    /// Whether its output is read out at a token `[CLS]`, whose attention can be measured.
    fn attends_from_cls(&self) -> bool {
        false
    }
    /// Attention heads of each layer, which can be switched off one by one.
    fn heads(&self) -> &[usize] {
        &[]
    }
    /// Whether each of its neurons has embeddings of its own, which are not what attention makes of them.
    fn embeds_by_neuron(&self) -> bool {
        true
    }
    /// Whether its hidden layer takes powers of linear forms, and nothing else.
    fn is_of_powers(&self) -> bool {
        false
    }
    /// The largest normalised margin that such a network can have on all inputs of `task`, where a closed form is known.
    fn largest_margin(&self, _task: &Task) -> Option<f64> {
        None
    }
    /// What files call the numbers of a measurement, where the model measures something else than
    /// [the task](crate::tasks::Examples::measure_names) says.
    fn measures(&self) -> Option<MeasureNames> {
        None
    }
}

/// Python code that models share.
mod pytorch {
    /// Activations.
    pub const SIGMA: &str = include_str!("pytorch/sigma.py");
    /// The penalty on the norms of neurons.
    pub const PENALTY: &str = include_str!("pytorch/penalty.py");
}

/// A parameter of a model: its name and its shape, the replica axis first.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Parameter {
    /// Permanent name, used in checkpoints.
    pub name: String,
    /// `[replicas, rows, columns]`.
    pub shape: [usize; 3],
}

impl Parameter {
    /// A parameter `name` of `[replicas, rows, columns]`.
    pub fn new(name: &str, shape: [usize; 3]) -> Self {
        Parameter { name: name.to_string(), shape }
    }

    /// Numbers in it, over all replicas, as many as the shape says: of a run that is yet to be refused, more than
    /// there is memory.
    pub fn numbers(&self) -> u64 {
        bounds::saturating_product(self.shape)
    }

    /// Numbers in it, over all replicas, of a run without problems.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it holds no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a model's first parameter is, which has a row for each input: for charts of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// All of it, in sentence case and the plural.
    pub name: &'static str,
    /// Its symbol.
    pub symbol: &'static str,
    /// What a row belongs to.
    pub row: &'static str,
    /// What an entry belongs to besides its input: the name of the columns; empty where there is one only.
    pub column: &'static str,
    /// An entry.
    pub entry: &'static str,
}

impl Rows {
    /// Weights between inputs and neurons.
    pub const LAYER: Rows = Rows {
        name: "First-layer weights W",
        symbol: "W",
        row: "input bit",
        column: "neuron",
        entry: "weight",
    };

    /// Vectors of the places of a sequence.
    pub const POSITIONS: Rows = Rows {
        name: "Positional embeddings P",
        symbol: "P",
        row: "input bit",
        column: "component",
        entry: "position",
    };

    /// Vectors of symbols.
    pub const SYMBOLS: Rows =
        Rows { name: "Embedding E", symbol: "E", row: "symbol", column: "component", entry: "weight" };

    /// Of a model without such a parameter.
    pub const NONE: Rows = Rows { name: "", symbol: "", row: "", column: "", entry: "" };

    /// The same in the reader's language.
    pub fn translated(self) -> Rows {
        let [name, row, column, entry] = [self.name, self.row, self.column, self.entry].map(translated);
        Rows { name, row, column, entry, ..self }
    }
}

/// What every model can do without a tensor library.
pub trait Architecture {
    /// The parameters, in their permanent order; of a [process](family) the arrays of its state.
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter>;
    /// How many numbers the [parameters](Architecture::parameters) hold together; of a process the size of its state.
    fn numbers(&self, inputs: usize, replicas: usize) -> u64 {
        self.parameters(inputs, replicas).iter().map(Parameter::numbers).fold(0, u64::saturating_add)
    }
    /// What the first of them is.
    fn rows(&self) -> Rows {
        Rows::LAYER
    }
    /// The network whose output is trained in `stage` as a graph of operators, if it is described so.
    fn graph(&self, _inputs: usize, _stage: usize) -> Option<Graph> {
        None
    }
    /// Initial values of the parameters, each `[replicas, rows, columns]`, from `seed` alone.
    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>>;
    /// Floating-point operations of one training step on one replica, roughly; it decides the device.
    fn step_flops(&self, inputs: usize, batch: usize) -> f64;
    /// What cannot be in these settings, or not with inputs, batch and replicas of this size, each with what
    /// would be right.
    fn problems(&self, _inputs: usize, _batch: usize, _replicas: usize) -> Vec<InvalidSetting> {
        vec![]
    }
    /// Numbers per example in the largest tensor between input and output; it decides how much is done at once.
    fn activations(&self, inputs: usize) -> u64 {
        self.parameters(inputs, 1).iter().map(|p| p.shape[2] as u64).max().unwrap_or(1)
    }
    /// Whether weight decay pulls on parameter `which` of [`Architecture::parameters`].
    fn decays(&self, _which: usize) -> bool {
        true
    }
    /// Whether parameter `which` of [`Architecture::parameters`] is trained; the others keep their initial values.
    fn is_trained(&self, _which: usize) -> bool {
        true
    }
    /// What is added to the loss at training step `step`, if anything is.
    fn penalty(&self, _step: u64) -> Option<Penalty> {
        None
    }
    /// The first step after `step` at which the [penalty](Architecture::penalty) changes, if it does.
    fn next_penalty(&self, _step: u64) -> Option<u64> {
        None
    }
    /// Stages into which the steps of a run are divided, each of which trains other parameters.
    fn stages(&self) -> usize {
        1
    }
}

/// An architecture that can be run, in plain loops: what a network answers, and what is looked into.
///
/// # Why
/// The page's first program runs no network, and would bring what all of them answer if it could: see
/// [`Examples`].
pub trait Network: Architecture {
    /// f in `stage` for every row of `x`, in plain loops: for probes, where no tensor library is.
    ///
    /// # Shapes
    /// `weights` are those of one replica, in the order of [`Architecture::parameters`]; `x` is `[examples, columns]`; the
    /// result is `[examples]`, or `[examples, classes]`.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32>;
    /// The network with its first layer, if that is linear in the input.
    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        None
    }
    /// The functions on the elements that each neuron of one replica is made of, for probes: embeddings u and v and
    /// output weights w, or one of these alone. Only for models on pairs.
    ///
    /// # Shapes
    /// `weights` as in [`Network::evaluate`]; each result is `[inputs, neurons]`.
    fn neurons(&self, _weights: &[&[f32]], _inputs: usize) -> Option<Vec<Vec<f32>>> {
        None
    }
    /// The shares of attention that [`Network::attention`] is the mean of, for every row of `x` by itself,
    /// `[examples, heads, inputs + 1]`.
    fn looks(&self, _weights: &[&[f32]], _inputs: usize, _x: &[f32]) -> Option<Vec<f32>> {
        None
    }
    /// For each head the share of attention on each input and, last, on the token that is read out: the mean over
    /// the rows of `x`. Only for models with attention.
    ///
    /// # Shapes
    /// `weights` and `x` as in [`Network::evaluate`]; the result is `[heads, inputs + 1]`.
    fn attention(&self, _weights: &[&[f32]], _inputs: usize, _x: &[f32]) -> Option<Vec<Vec<f32>>> {
        None
    }
    /// Hidden values and attention for every row of `x`, with names; empty where a model shows none.
    ///
    /// # Shapes
    /// `weights` and `x` as in [`Network::evaluate`].
    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<inside::Inside> {
        let forms = self.linear_first_layer().map(|network| network.first_layer(weights, inputs));
        inside::usual(forms, self.looks(weights, inputs, x), inputs, x)
    }
    /// The same at a step of a run; networks that are executed have something to show only there.
    ///
    /// # Errors
    /// A sentence that says why there is nothing to show, or that it is too large.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        _at: &inside::At<'_>,
        weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        Ok(self.inside(weights, inputs, x))
    }
}

/// A problem if a step keeps more `activations` per example, for all replicas at once, than a browser can hold.
pub(crate) fn exceeds_memory(activations: u64, batch: usize, replicas: usize) -> Option<InvalidSetting> {
    let (key, found) = if replicas > 1 { ("replicas", replicas) } else { ("batch", batch) };
    let expected = tr!(
        "a smaller number for a network of this size, because all examples and networks of a step together would not fit into a browser's memory"
    );
    (bounds::saturating_product([activations, batch as u64, replicas as u64]) > bounds::MAX_TENSOR_ENTRIES)
        .then(|| InvalidSetting::new(key, &found.to_string(), expected))
}

/// A problem if a first layer of `width` neurons, which the setting behind `key` gives, has more than `most` weights for so
/// many inputs.
pub(crate) fn too_wide(key: &str, width: usize, inputs: usize, most: u64) -> Option<InvalidSetting> {
    let expected = || {
        tr!(
            "at most {most} neurons for {inputs} inputs, because the page must be able to hold and show their weights",
            most = most / inputs.max(1) as u64,
            inputs
        )
    };
    (bounds::saturating_product([width, inputs]) > most)
        .then(|| InvalidSetting::new(key, &width.to_string(), expected()))
}

/// How a model's settings become a network on the examples of a task.
pub trait Bind {
    /// The settings themselves where the network depends on the number of inputs alone; else what holds them beside the
    /// length of the sequences, or the layout of the prompts.
    type Bound: Network + Clone + 'static;
    /// The network on these examples.
    fn bind(&self, examples: &dyn Examples) -> Cow<'_, Self::Bound>;
}

/// What gives the architecture of any model.
pub trait Architectures {
    /// The architecture for these examples.
    fn architecture(&self, examples: &dyn Examples) -> Bound<'_, dyn Architecture>;
}

/// What gives the network of any model.
pub trait Networks {
    /// The network for these examples.
    fn network(&self, examples: &dyn Examples) -> Bound<'_, dyn Network>;
}

impl<M: Bind> Architectures for M {
    fn architecture(&self, examples: &dyn Examples) -> Bound<'_, dyn Architecture> {
        match self.bind(examples) {
            Cow::Borrowed(own) => Bound::Own(own),
            Cow::Owned(bound) => Bound::New(Box::new(bound)),
        }
    }
}

impl<M: Bind> Networks for M {
    fn network(&self, examples: &dyn Examples) -> Bound<'_, dyn Network> {
        match self.bind(examples) {
            Cow::Borrowed(own) => Bound::Own(own),
            Cow::Owned(bound) => Bound::New(Box::new(bound)),
        }
    }
}

/// What [`Bind`] gives, by what is asked of it: an [`Architecture`] or a [`Network`].
pub enum Bound<'a, What: ?Sized + 'a> {
    /// The settings themselves.
    Own(&'a What),
    /// What was made of them for these examples.
    New(Box<What>),
}

impl<What: ?Sized> std::ops::Deref for Bound<'_, What> {
    type Target = What;
    fn deref(&self) -> &Self::Target {
        match self {
            Bound::Own(model) => model,
            Bound::New(model) => model,
        }
    }
}

/// A network on tensors: only of models that are differentiated.
#[cfg(feature = "train")]
pub trait Net {
    /// Outputs for a batch of `examples` in `stage` of [`Architecture::stages`]; most do not ask what examples they are.
    ///
    /// # Shapes
    /// Parameters as in [`Architecture::parameters`]; `x` is `[replicas or 1, batch, columns]`; the result is
    /// `[replicas, batch, 1]`, or with a number for each class, or of prompts with one for each position.
    fn forward(
        &self,
        examples: &dyn Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        stage: usize,
    ) -> burn::tensor::Tensor<3>;
    /// The same in a training step, where a network with dropout drops the numbers that `masks` say.
    fn forward_in_training(
        &self,
        examples: &dyn Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        stage: usize,
        _masks: dropout::Masks,
    ) -> burn::tensor::Tensor<3> {
        self.forward(examples, parameters, x, stage)
    }
    /// For each parameter of a model that is not described by a graph whether it is trained in `stage`; none is trained in more
    /// than one stage.
    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![]
    }
}
