//! What the sequence kernels are compiled for: the network, where its numbers lie, and how lanes share its work.

use crate::plan::{Limits, Rule, workgroups};
use vivarium_model::models::Family;
use vivarium_model::models::family::AttentionLayers;
use vivarium_model::run::RunSpec;

/// Most layers.
pub const MOST_LAYERS: usize = 4;
/// Lanes of a workgroup, which WebGPU grants everywhere.
pub const LANES: usize = 256;
/// Words of workgroup memory for what lanes exchange: 16 KiB less the symbols.
const ROOM: usize = 3800;
/// Columns of attention that are differentiated between two barriers, at most.
const MOST_COLUMNS: usize = 16;

/// What is between symbols and logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Layers of attention.
    Attention(Attention),
    /// A matrix over symbols and a vector over distances.
    Minimal,
}

/// Layers of attention, without MLPs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attention {
    /// Numbers d in the vector of a symbol.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of each layer; 0 beyond the last.
    pub heads: [usize; MOST_LAYERS],
    /// Whether vectors of places are added to embeddings; else those of distances are to keys.
    pub absolute: bool,
    /// Whether there are layer norms and output projections.
    pub norm: bool,
}

/// What is known of a network before a kernel is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Symbols k.
    pub symbols: usize,
    /// Length t of a context.
    pub length: usize,
    /// What is between.
    pub kind: Kind,
    /// Sequences per step.
    pub batch: usize,
    /// Update rule.
    pub rule: Rule,
}

impl Network {
    /// The network of a run, or why no kernel covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let other = || format!("its model is the {}", spec.model.info().name);
        let drawn = spec.task.data().chain_sequences().ok_or_else(other)?;
        let kind = match spec.model.config().family() {
            Some(Family::Attention(layers)) => Kind::Attention(attention(&layers)?),
            Some(Family::Minimal) => Kind::Minimal,
            _ => return Err(other()),
        };
        let architecture = spec.architecture();
        if !(0..spec.parameters().len()).all(|which| architecture.is_trained(which)) {
            return Err(tr!("some of its weights are not trained").into());
        }
        let rule = Rule::of(&spec.optimizer);
        Ok(Network { symbols: drawn.symbols, length: drawn.length, kind, batch: spec.run.batch, rule })
    }

    /// Numbers that are trained, of one replica.
    pub fn parameters(&self) -> usize {
        match self.kind {
            Kind::Attention(net) => net.readout(self) + net.hidden * self.symbols,
            Kind::Minimal => self.symbols * self.symbols + self.length,
        }
    }

    /// Numbers in the state of one replica: parameters, then moments.
    pub fn state(&self) -> usize {
        self.parameters() * (1 + self.rule.moments())
    }

    /// Heads of each layer.
    pub fn heads(&self) -> Vec<usize> {
        match self.kind {
            Kind::Attention(net) => net.heads[..net.layers].to_vec(),
            Kind::Minimal => vec![],
        }
    }
}

/// The layers of a network that the kernels cover.
fn attention(net: &AttentionLayers) -> Result<Attention, String> {
    if net.mlp {
        return Err("its layers have MLPs".into());
    }
    if net.hidden > 64 {
        return Err("its hidden size is above 64".into());
    }
    let mut heads = [0; MOST_LAYERS];
    if net.heads.is_empty() || net.heads.len() > MOST_LAYERS {
        return Err(format!("it has no layer, or more than {MOST_LAYERS}"));
    }
    heads[..net.heads.len()].copy_from_slice(&net.heads);
    Ok(Attention {
        hidden: net.hidden,
        layers: net.heads.len(),
        heads,
        absolute: net.absolute,
        norm: net.norm,
    })
}

/// Places of a layer's parameters, from the first parameter of the replica on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerPlaces {
    /// Gains, if there are norms.
    pub gain: usize,
    /// W_Q, with W_K and W_V after it.
    pub query: usize,
    /// R, if distances have vectors.
    pub distances: usize,
    /// W_O, if there are norms.
    pub out: usize,
}

impl Attention {
    /// Components of a head of `layer`.
    pub fn width(&self, layer: usize) -> usize {
        self.hidden / self.heads[layer].max(1)
    }

    fn layer_size(&self, length: usize) -> usize {
        let (d, norm) = (self.hidden, usize::from(self.norm));
        let distances = if self.absolute { 0 } else { length * d };
        norm * d + 3 * d * d + distances + norm * d * d
    }

    /// Place of the parameters of `layer`.
    pub fn layer(&self, net: &Network, layer: usize) -> LayerPlaces {
        let (d, t) = (self.hidden, net.length);
        let positions = if self.absolute { t * d } else { 0 };
        let gain = net.symbols * d + positions + layer * self.layer_size(t);
        let query = gain + usize::from(self.norm) * d;
        let distances = query + 3 * d * d;
        let out = distances + if self.absolute { 0 } else { t * d };
        LayerPlaces { gain, query, distances, out }
    }

    /// Place of the gains before the read-out, if there are norms.
    pub fn gain(&self, net: &Network) -> usize {
        self.layer(net, self.layers).gain
    }

    /// Place of the read-out P.
    pub fn readout(&self, net: &Network) -> usize {
        self.gain(net) + usize::from(self.norm) * self.hidden
    }
}

/// Places in a workgroup's slice of the scratch buffer. Arrays are `[length, hidden]` unless another shape is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkPlaces {
    /// What the layer reads: z.
    pub z: usize,
    /// z less its mean, divided by its deviation; with norms only.
    pub normal: usize,
    /// What it is divided by, inverted: `[length]`.
    pub spread: usize,
    /// Queries; keys and values follow.
    pub query: usize,
    /// What the heads give.
    pub out: usize,
    /// Largest score of each row and head, `[heads, length]`, then the inverse of the sum of exponentials.
    pub top: usize,
}

/// A network with the division of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What is trained.
    pub network: Network,
    /// Workgroups of a replica.
    pub groups: usize,
    /// Lanes that share a row of attention.
    pub parts: usize,
    /// Columns of attention that are differentiated between two barriers.
    pub columns: usize,
}

impl Plan {
    /// The division of `network` on a device with these `limits`, or why there is none.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(network: Network, replicas: usize, limits: Limits) -> Result<Self, String> {
        if limits.lanes < LANES || limits.workgroup_bytes < 16 << 10 {
            return Err(format!("a workgroup has fewer than {LANES} lanes or 16 KiB of memory"));
        }
        if network.length > LANES {
            return Err(format!("its contexts are longer than {LANES} symbols"));
        }
        let columns = (ROOM / (2 * network.length)).min(MOST_COLUMNS);
        let parts = (LANES / network.length).clamp(1, 8).min(columns);
        let mut plan = Plan { network, groups: network.batch, parts, columns };
        let numbers = plan.work().max(network.parameters());
        plan.groups = workgroups(network.batch, replicas, numbers, limits.buffer_bytes)?;
        if plan.turns() > limits.turns {
            return Err("one of its steps is longer than a simulated GPU lets a shader run".into());
        }
        Ok(plan)
    }

    /// Sequences that a workgroup takes one after the other.
    pub fn rounds(&self) -> usize {
        self.network.batch.div_ceil(self.groups)
    }

    /// Blocks of columns.
    pub fn blocks(&self) -> usize {
        self.network.length.div_ceil(self.columns)
    }

    fn array(&self) -> usize {
        match self.network.kind {
            Kind::Attention(net) => self.network.length * net.hidden,
            Kind::Minimal => self.network.length * self.network.symbols,
        }
    }

    fn layer_work(&self) -> usize {
        let Kind::Attention(net) = self.network.kind else { return 0 };
        let (n, t) = (self.array(), self.network.length);
        let heads = net.heads.iter().copied().max().unwrap_or(1);
        5 * n + usize::from(net.norm) * (n + t) + 2 * heads * t
    }

    /// Where `layer` keeps its numbers; the one after the last has z and what normalises it only.
    pub fn places(&self, layer: usize) -> WorkPlaces {
        let norm = matches!(self.network.kind, Kind::Attention(net) if net.norm);
        let (n, t) = (self.array(), self.network.length);
        let z = layer * self.layer_work();
        let normal = z + n;
        let spread = normal + usize::from(norm) * n;
        let query = spread + usize::from(norm) * t;
        let out = query + 3 * n;
        WorkPlaces { z, normal, spread, query, out, top: out + n }
    }

    /// Where what is passed back begins: ∂loss/∂z, the same for what heads give, for queries, keys and values, and
    /// what the parts of a row leave, `[parts, head, length]`; last ∂loss/∂logits, `[length, symbols]`. The minimal
    /// model has four arrays `[length, symbols]`, the last of which is ∂loss/∂logits.
    pub fn backward_places(&self) -> [usize; 5] {
        let n = self.array();
        let Kind::Attention(net) = self.network.kind else { return [0, n, 2 * n, 0, 3 * n] };
        let from = self.places(net.layers).query;
        let width = (0..net.layers).map(|layer| net.width(layer)).max().unwrap_or(0);
        let parts = from + 5 * n;
        [from, from + n, from + 2 * n, parts, parts + self.parts * width * self.network.length]
    }

    /// Numbers in a workgroup's slice of the scratch buffer.
    pub fn work(&self) -> usize {
        self.backward_places()[4] + self.network.length * self.network.symbols
    }

    /// Words of workgroup memory that lanes exchange numbers in.
    pub fn room(&self) -> usize {
        let t = self.network.length;
        (2 * self.columns * t).max(2 * self.parts * t).max(3 * LANES)
    }

    /// Turns of all loops of a lane in a step, at most.
    pub fn turns(&self) -> u64 {
        let (t, k) = (self.network.length, self.network.symbols);
        let each = |words: usize| words.div_ceil(LANES) + 1;
        let once = 2 * each(t) + 3 * LANES;
        let one = match self.network.kind {
            Kind::Minimal => once + 4 * each(t * k) * (t + k) + each(k * k) * t + each(t) * t,
            Kind::Attention(net) => {
                let d = net.hidden;
                let layer = |layer: usize| {
                    let (heads, width) = (net.heads[layer], net.width(layer));
                    let block = each(self.columns * width) * t + each(t * width) * self.columns + 4;
                    let pass =
                        t / self.parts + self.columns * self.blocks() + each(t * width) * self.parts * 3;
                    let heads = heads * (pass + self.blocks() * block);
                    heads + each(t * d) * (4 * d + 4) + each(d * d) * 2 * t + 6 * each(t) * d + each(d) * t
                };
                let ends = each(t) * (4 * d + k) + each(k * d) * 2 * t + each(t * d) * k + each(d) * t;
                once + ends + (0..net.layers).map(layer).sum::<usize>()
            }
        };
        (one * self.rounds()) as u64
    }
}
