//! Transformers that are attention alone, on sequences of symbols (Edelman 2024, section 8.2.3; Shaw et al. 2018), on
//! many replicas at once.
//!
//! ```text
//! z⁰_i = E[x_i] (+ U_i with absolute positions)
//! A_ij = (z_i W_Q)·(z_j W_K + R_{i−j}) / √d_h       for j ≤ i, in each head
//! z_i ← z_i + Σ_j softmax(A)_ij z_j W_V              layer by layer (equations 8.4 and 8.5)
//! logits_i = z_i P
//! ```
//!
//! A layer's heads share the d columns: head h has those from h·d_h on, d_h = d / heads of them, of z W_Q, z W_K, z W_V
//! and R, and its scores are divided by √d_h. What the heads give stands side by side in the same columns and is added
//! to z as it is. R has a row for each distance i − j, from 0; the thesis counts it from 1. With absolute positions
//! there is no R, and U has a row for each place.
//!
//! With `norm=pre` a layer reads LN(z)·g instead of z, what its heads give goes through a matrix W_O before it is added,
//! and the read-out is of LN(z)·g: the settings of the authors' code, but for its dropout. With `mlp=on`
//! z ← z + ReLU(z W_in) W_out follows each layer's attention, with a norm and gains of its own under `norm=pre`.
//!
//! LN is (z − mean) / √(variance + 1e-5) over the columns, the variance divided by their number.
//!
//! [`mod@reference`] has these formulas in double precision, [`backward`](Plain::gradients) their gradients.

mod backward;
mod construction;
pub mod reference;
pub mod stepwise;
#[cfg(test)]
mod tests;

pub use super::norm::NORM_EPSILON;
pub use reference::{Head, Look, Plain};
pub use stepwise::LookJob;

#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::family::{AttentionLayers, Family, LayerPlaces, Places};
use super::initialisation::each;
use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, Task};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024_HEADS, EDELMAN_2024_MARKOV, OLSSON_2022, SHAW_2018};
use vivarium_core::{bounds, choices, settings};

choices! {
    /// How a network knows the places of symbols.
    pub enum Positions {
        /// A vector for each distance, added to keys.
        Relative = "relative", "Relative (Shaw et al. 2018)";
        /// A vector for each place, added to embeddings.
        Absolute = "absolute", "Absolute";
    }
}

choices! {
    /// What stands before each layer.
    pub enum Norm {
        /// Nothing: the plain formulas.
        None = "none", "None: the formulas of the thesis";
        /// Layer norms and output projections.
        Pre = "pre", "Layer norm before each layer";
    }
}

choices! {
    /// Whether a layer has an MLP.
    pub enum Block {
        /// Attention alone.
        Off = "off", "Attention alone";
        /// Attention and an MLP of 4d neurons.
        On = "on", "Attention and MLP";
    }
}

choices! {
    /// What a run begins from.
    pub enum Beginning {
        /// Normal numbers.
        Drawn = "drawn", "Random weights";
        /// The induction head of proposition 8.2.
        Circuit = "circuit", "The induction head written by hand";
        /// Embedding and read-out of proposition 8.2; both layers random.
        Embedding = "embedding", "Embedding and read-out by hand";
        /// As `Embedding`, and the first layer of proposition 8.2; the second layer random.
        First = "layer1", "Embedding, read-out and layer 1 by hand";
        /// As `Embedding`, and the second layer of proposition 8.2; the first layer random.
        Second = "layer2", "Embedding, read-out and layer 2 by hand";
    }
}

choices! {
    /// The weights that are trained.
    pub enum TrainedPart {
        /// All weights.
        All = "all", "All weights";
        /// The weights of all layers; embedding and read-out keep their initial weights.
        Layers = "layers", "Layers, without embedding and read-out";
        /// The weights of the first layer alone.
        First = "layer1", "Layer 1 alone";
        /// The weights of the second layer alone.
        Second = "layer2", "Layer 2 alone";
    }
}

settings! {
    /// Attention layers on an embedding, read out at every symbol.
    pub struct AttentionOnly {
        /// Number of components of a symbol's vector, divided among the heads; the induction head written by hand needs 3k for k symbols.
        hidden: usize = 16, "d", "Hidden size d", Range::Int(2, 128);
        /// Number of heads in each layer, from the first layer to the last.
        heads: Vec<usize> = vec![1, 1], "heads", "Heads by layer", Range::Sizes(1, 8, 4);
        /// How positions are encoded: by distance, or by vectors added to the embeddings.
        positions: Positions = Positions::Relative, "pos", "Positions", Range::Choice(Positions::OPTIONS);
        /// Whether there are layer norms and output projections. The thesis's formulas have neither; its published code has both.
        norm: Norm = Norm::None, "norm", "Layer norm", Range::Choice(Norm::OPTIONS);
        /// Whether an MLP of 4d neurons follows the attention of each layer.
        mlp: Block = Block::Off, "mlp", "MLP", Range::Choice(Block::OPTIONS);
        /// Standard deviation of the initial weights.
        scale: f64 = 0.1, "std", "Scale of the initial weights", Range::Real(0.0, 2.0), only when "from" = "drawn" | "embedding" | "layer1" | "layer2";
        /// Weights at the start of the run.
        from: Beginning = Beginning::Drawn, "from", "Initial weights", Range::Choice(Beginning::OPTIONS);
        /// Sharpness c of the attention in the induction head written by hand; the larger c, the closer the attention is to a hard maximum.
        sharpness: f64 = 20.0, "c", "Sharpness c", Range::Real(0.0, 200.0), only when "from" = "circuit" | "layer1" | "layer2";
        /// Slope a of the read-out written by hand: logit = a × the symbol's frequency after copies of the current symbol.
        slope: f64 = 3.0, "a", "Read-out slope a", Range::Real(0.0, 20.0), only when "from" = "circuit" | "embedding" | "layer1" | "layer2";
        /// Weights that are trained; all other weights keep their initial values.
        trained: TrainedPart = TrainedPart::All, "trained", "Trained weights", Range::Choice(TrainedPart::OPTIONS);
    }
}

impl AttentionOnly {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "attention-only",
        name: "Attention-only transformer",
        about: "Attention layers on a sequence of symbols. At every symbol, the network predicts the next symbol. Two layers can form an induction head.",
        sources: &[EDELMAN_2024_MARKOV, EDELMAN_2024_HEADS, SHAW_2018, OLSSON_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
z_i = embed[x_i] (+ positions[i] with pos=absolute)     i = 0 … t − 1
for each layer l = 1 … L, with r_i = z_i, or r_i = LN(z_i) ∘ gain{l} with norm=pre:
  s_ij = (r_i query{l}_g)·(r_j key{l}_g + distances{l}_g[i − j]) / √(d / G)     j ≤ i
         without distances{l} with pos=absolute
  o_i  = [Σ_j softmax_j(s_ij) r_j value{l}_g for each head g]
  z_i ← z_i + o_i, or z_i + o_i out{l} with norm=pre
  z_i ← z_i + max(0, r_i mlp_in{l}) mlp_out{l} with mlp=on
        where r_i = z_i, or LN(z_i) ∘ mlp_gain{l} with norm=pre
f_i = z_i readout, or (LN(z_i) ∘ gain) readout with norm=pre",
        loss: layout::SYMBOLS,
        letters: &[
            ["L", "layers: the length of `heads`"],
            ["G", "heads of the layer: number l of `heads`"],
            ["M_g", "the columns g · d / G … (g + 1) · d / G − 1 of M: those of head g = 0 … G − 1"],
            ["LN(z)", "(z − mean) / √(variance + 10⁻⁵) over the d components"],
        ],
        all: &[
            Tensor::new("embed", ["k", "d"], ["symbol", "component"], "embeddings of the symbols"),
            Tensor::new("positions", ["t", "d"], ["position", "component"], "positional embeddings")
                .only("pos=absolute"),
            Tensor::new(
                "gain{l}",
                ["1", "d"],
                ["", "component"],
                "gains of the layer norm before the attention",
            )
            .only("norm=pre"),
            Tensor::new(
                "query{l}",
                ["d", "d"],
                ["component", "component of the queries, head after head"],
                "W_Q",
            ),
            Tensor::new("key{l}", ["d", "d"], ["component", "component of the keys"], "W_K"),
            Tensor::new("value{l}", ["d", "d"], ["component", "component of the values"], "W_V"),
            Tensor::new(
                "distances{l}",
                ["t", "d"],
                ["distance i − j, from 0", "component of the keys"],
                "relative positions (Shaw et al. 2018)",
            )
            .only("pos=relative"),
            Tensor::new(
                "out{l}",
                ["d", "d"],
                ["component of the values, head after head", "component"],
                "W_O",
            )
            .only("norm=pre"),
            Tensor::new(
                "mlp_gain{l}",
                ["1", "d"],
                ["", "component"],
                "gains of the layer norm before the MLP",
            )
            .only("norm=pre and mlp=on"),
            Tensor::new("mlp_in{l}", ["d", "4 · d"], ["component", "neuron"], "first layer of the MLP")
                .only("mlp=on"),
            Tensor::new("mlp_out{l}", ["4 · d", "d"], ["neuron", "component"], "second layer of the MLP")
                .only("mlp=on"),
            Tensor::new("gain", ["1", "d"], ["", "component"], "gains of the layer norm before the read-out")
                .only("norm=pre"),
            Tensor::new("readout", ["d", "k"], ["component", "symbol"], "read-out matrix"),
        ],
    };
}

impl AttentionOnly {
    /// Its layers, as kernels know them.
    fn layers(&self) -> AttentionLayers {
        AttentionLayers {
            hidden: self.hidden,
            heads: self.heads.clone(),
            absolute: self.positions == Positions::Absolute,
            norm: self.norm == Norm::Pre,
            mlp: self.mlp == Block::On,
        }
    }

    /// Where each parameter stands.
    pub fn places(&self) -> Places {
        self.layers().places()
    }

    /// The layer of parameter number `which`, from 0; `None` for embeddings, positions, the last gains and the read-out.
    pub fn layer_of(&self, which: usize) -> Option<usize> {
        self.places().layers.iter().position(|at| at.contains(which))
    }
}

impl Bind for AttentionOnly {
    type Bound = OfLength;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OfLength> {
        Cow::Owned(OfLength { net: self.clone(), length: examples.prediction_count() })
    }
}

impl ModelConfig for AttentionOnly {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Sequence, ExampleForm::Trace]
    }

    fn constructed(&self, task: &Task, _seed: u64) -> Option<Vec<Vec<f32>>> {
        self.induction_head(task)
    }

    fn construction_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        self.induction_head_problems(task)
    }

    fn heads(&self) -> &[usize] {
        &self.heads
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Attention(self.layers()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for AttentionOnly {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/attention_only.py")]))
    }
}

/// The architecture on sequences of `length` symbols.
#[derive(Debug, Clone)]
pub struct OfLength {
    /// The settings.
    pub net: AttentionOnly,
    /// Symbols of a context.
    pub length: usize,
}

impl Architecture for OfLength {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        let (d, places) = (self.net.hidden, self.net.places());
        let mut all = vec![Parameter::new("", [0; 3]); places.readout + 1];
        let mut put = |at: Option<usize>, name: &str, layer: usize, rows: usize, columns: usize| {
            let Some(at) = at else { return };
            let name = if layer == 0 { name.to_string() } else { format!("{name}{layer}") };
            all[at] = Parameter::new(&name, [replicas, rows, columns]);
        };
        put(Some(places.embed), "embed", 0, inputs, d);
        put(places.positions, "positions", 0, self.length, d);
        for (layer, at) in places.layers.iter().enumerate() {
            let layer = layer + 1;
            put(at.gain, "gain", layer, 1, d);
            put(Some(at.query), "query", layer, d, d);
            put(Some(at.key), "key", layer, d, d);
            put(Some(at.value), "value", layer, d, d);
            put(at.distances, "distances", layer, self.length, d);
            put(at.out, "out", layer, d, d);
            put(at.mlp_gain, "mlp_gain", layer, 1, d);
            put(at.mlp.map(|m| m[0]), "mlp_in", layer, d, 4 * d);
            put(at.mlp.map(|m| m[1]), "mlp_out", layer, 4 * d, d);
        }
        put(places.gain, "gain", 0, 1, d);
        put(Some(places.readout), "readout", 0, d, inputs);
        all
    }

    fn rows(&self) -> Rows {
        Rows::SYMBOLS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let places = self.net.places();
        // What is added to the residual stream is scaled down with the number of additions, as in the authors' code.
        let residual = 1.0 / libm::sqrtf(2.0 * self.net.heads.len() as f32);
        let pre = self.net.norm == Norm::Pre;
        let is_gain = |which| {
            places.gain == Some(which)
                || places.layers.iter().any(|at| [at.gain, at.mlp_gain].contains(&Some(which)))
        };
        let is_residual =
            |which| places.layers.iter().any(|at| [at.out, at.mlp.map(|m| m[1])].contains(&Some(which)));
        let draw = |(which, parameter): (usize, &Parameter)| {
            if is_gain(which) {
                return vec![1.0; parameter.len()];
            }
            let scale = self.net.scale as f32 * if pre && is_residual(which) { residual } else { 1.0 };
            each(seed, parameter, |stream, i| scale * stream.draw_normal(which as u64, i))
        };
        let mut weights: Vec<Vec<f32>> =
            self.parameters(inputs, replicas).iter().enumerate().map(draw).collect();
        for (which, given) in self.net.given_weights(inputs, self.length).into_iter().flatten() {
            weights[which] = given.repeat(replicas);
        }
        weights
    }

    fn is_trained(&self, which: usize) -> bool {
        match (self.net.trained, self.net.layer_of(which)) {
            (TrainedPart::All, _) | (TrainedPart::Layers, Some(_)) => true,
            (TrainedPart::First, layer) => layer == Some(0),
            (TrainedPart::Second, layer) => layer == Some(1),
            (TrainedPart::Layers, None) => false,
        }
    }

    fn decays(&self, which: usize) -> bool {
        // Linear layers alone, as in the authors' code.
        let places = self.net.places();
        let linear = |at: &LayerPlaces| {
            [Some(at.query), Some(at.key), Some(at.value), at.out].contains(&Some(which))
                || at.mlp.is_some_and(|mlp| mlp.contains(&which))
        };
        which == places.readout || places.layers.iter().any(linear)
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        let (d, t) = (self.net.hidden as f64, self.length as f64);
        let matrices = if self.net.norm == Norm::Pre { 4.0 } else { 3.0 };
        let mlp = if self.net.mlp == Block::On { 8.0 } else { 0.0 };
        // Pairs of places: scores with keys and with distances, and values.
        let layer = t * (matrices + mlp) * d * d + 1.5 * t * t * d;
        6.0 * batch as f64 * (self.net.heads.len() as f64 * layer + t * d * inputs as f64)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let d = self.net.hidden;
        let mut problems = vec![];
        if self.net.heads.iter().any(|heads| !d.is_multiple_of(*heads)) {
            let text: Vec<String> = self.net.heads.iter().map(usize::to_string).collect();
            let expected =
                format!("divisors of d = {d}, since the d components are divided equally among the heads");
            problems.push(InvalidSetting::new("heads", &text.join("."), expected));
        }
        if self.net.trained == TrainedPart::Second && self.net.heads.len() < 2 {
            let expected = tr!("all, layers or layer1, because the network has a single layer");
            problems.push(InvalidSetting::new("trained", "layer2", expected));
        }
        problems.extend(super::exceeds_memory(self.activations(inputs), batch, replicas));
        problems
    }

    fn activations(&self, inputs: usize) -> u64 {
        let heads = self.net.heads.iter().copied().max().unwrap_or(1);
        let wide = if self.net.mlp == Block::On { 4 * self.net.hidden } else { self.net.hidden };
        bounds::saturating_product([self.length, (self.length * heads).max(wide).max(inputs)])
    }
}

impl Network for OfLength {
    /// The logits after the last symbol of each context. A row of `x` holds the context and then the label, which is
    /// not looked at.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights, inputs);
        let logits = |row: &[f32]| -> Vec<f32> {
            let context: Vec<u8> = row[..self.length].iter().map(|x| *x as u8).collect();
            let logits = plain.look(&context, &[]).logits;
            logits[logits.len() - inputs..].iter().map(|logit| *logit as f32).collect()
        };
        x.chunks_exact(self.length + 1).flat_map(logits).collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let (mut all, plain) = (super::inside::Gathered::default(), self.plain(weights, inputs));
        let t = self.length;
        for row in x.chunks_exact(t + 1) {
            let context: Vec<u8> = row[..t].iter().map(|x| *x as u8).collect();
            for (layer, pass) in plain.walk(&context, &[]).layers.into_iter().enumerate() {
                let axes = [("head", pass.heads.len()), ("query", t), ("key", t)];
                let shares = pass.heads.into_iter().flat_map(|head| head.shares);
                all.attention(&super::inside::of_layer("attention", layer), &axes, shares);
                if let Some((_, h)) = pass.mlp {
                    let axes = [("position", t), ("neuron", h.len() / t.max(1))];
                    all.activations(&super::inside::of_layer("activations", layer), &axes, h);
                }
            }
        }
        all.arrays()
    }
}
