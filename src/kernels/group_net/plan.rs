//! What the group kernels are compiled for: the network, and how lanes and workgroups share its work.
//!
//! # Why
//! Both phases multiply a tile of numbers in registers, and which tile is best depends on the order, the number
//! of neurons and of pairs. So every division that fits is costed, in instructions of one of four schedulers of
//! 32 lanes, a load as two, and the cheapest is taken: within 16 KiB of workgroup memory, which every browser
//! grants, and in what the device has only where nothing fits there.
//!
//! The same count decides between one workgroup per replica and many: a launch costs about as much as
//! `LAUNCH` instructions, and a step of many workgroups needs two. A small group is done sooner than that by
//! one workgroup; a large one keeps many busy, unless there are enough replicas for that.

use super::FIELDS;
pub use crate::plan::Sigma;
use crate::plan::{Limits, Rule};

/// What a launch takes besides its work, in instructions of a scheduler: about 25 µs, as those of autodiff take on
/// a server; in a browser it is rather more.
const LAUNCH: f64 = 40_000.0;
/// Workgroups that a large GPU runs at once: 132 on an H200. One with a quarter of that runs a plan for this many at
/// up to 1.4 times the time of its own best, and a large one runs a plan for 32 at twice the time.
const AT_ONCE: f64 = 128.0;
/// Workgroup memory that is there everywhere.
const EVERYWHERE: usize = 16 << 10;
/// Instructions that a barrier is worth.
const BARRIER: f64 = 40.0;

/// What is known of a network before a kernel is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Elements d of the group: classes, and rows of each embedding.
    pub order: usize,
    /// Neurons m.
    pub neurons: usize,
    /// Non-linearity.
    pub sigma: Sigma,
    /// Exponent ν of the penalty.
    pub nu: usize,
    /// Pairs in the data.
    pub pairs: usize,
    /// Update rule.
    pub rule: Rule,
}

impl Network {
    /// Numbers that are trained, of one replica: u, v and w, each `[order, neurons]`.
    pub fn parameters(&self) -> usize {
        3 * self.order * self.neurons
    }

    /// Numbers in the state of one replica: parameters, then moments.
    pub fn state(&self) -> usize {
        self.parameters() * (1 + self.rule.moments())
    }

    /// Numbers of one replica in the scratch buffer: ∂loss/∂f for every pair of the table, present or not.
    pub fn slopes(&self) -> usize {
        self.order * self.order * self.order
    }
}

/// Who makes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// One workgroup per replica, many steps per launch.
    One,
    /// Many workgroups per replica, two launches per step.
    Many,
}

/// How a workgroup computes outputs: tiles of pairs × all classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outputs {
    /// Pairs of one lane's tile.
    pub pairs: usize,
    /// Classes of one lane's tile.
    pub classes: usize,
    /// Lanes side by side along the classes.
    pub columns: usize,
    /// Lanes side by side along the pairs.
    pub bands: usize,
    /// Neurons that are in workgroup memory at a time.
    pub chunk: usize,
}

impl Outputs {
    /// Lanes at work.
    pub fn lanes(&self) -> usize {
        self.columns * self.bands
    }

    /// Pairs of a tile.
    pub fn tile(&self) -> usize {
        self.bands * self.pairs
    }

    /// Distance between two neurons' activations: odd, so that lanes meet no bank twice.
    pub fn hidden_stride(&self) -> usize {
        self.tile() | 1
    }

    /// Distance between two neurons' output weights.
    pub fn weight_stride(&self) -> usize {
        (self.columns * self.classes) | 1
    }

    /// Distance between two pairs in what lanes exchange.
    pub fn exchange_stride(&self) -> usize {
        self.columns | 1
    }

    /// Words of workgroup memory.
    pub fn words(&self) -> usize {
        let products = self.chunk * (self.hidden_stride() + self.weight_stride());
        let exchange = self.tile() * (self.exchange_stride() + 1);
        products.max(exchange).max(4 * self.bands)
    }

    fn cost(&self, network: &Network) -> f64 {
        let warps = (self.lanes() as f64 / 128.0).ceil();
        let (e, c, m) = (self.pairs as f64, self.classes as f64, network.neurons as f64);
        let staged = 12.0 * self.tile() as f64 + 8.0 * (self.columns * self.classes) as f64;
        let softmax = e * (20.0 * c + 4.0 * self.columns as f64);
        let chunks = (m / self.chunk as f64).ceil();
        let product = 2.0 * (e + c) + e * c + staged / self.lanes() as f64;
        warps * (m * product + softmax) + (2.0 * chunks + 5.0) * BARRIER
    }
}

/// How a workgroup trains neurons: tiles of neurons × all rows of an embedding, or all classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Neurons {
    /// Neurons of one lane's tile.
    pub neurons: usize,
    /// Lanes side by side along the neurons.
    pub across: usize,
    /// Lanes side by side along the rows.
    pub bands: usize,
    /// Rows of one lane's tile.
    pub rows: usize,
    /// Those of them that are in workgroup memory at a time.
    pub round: usize,
}

impl Neurons {
    /// Lanes at work.
    pub fn lanes(&self) -> usize {
        self.across * self.bands
    }

    /// Neurons of a tile.
    pub fn tile(&self) -> usize {
        self.across * self.neurons
    }

    /// Rows that are in workgroup memory at a time.
    pub fn slab(&self) -> usize {
        self.round * self.bands
    }

    /// Times that workgroup memory is filled for all rows.
    pub fn slices(&self) -> usize {
        self.rows.div_ceil(self.round)
    }

    /// Place in workgroup memory of sums over bands, and of penalties, which are last: their pull on a weight,
    /// then their value. Before them are w, the slab of slopes and that of activations.
    pub fn places(&self, order: usize) -> (usize, usize) {
        let sums = self.tile() * order + self.slab() * ((order | 1) + self.tile());
        (sums, sums + self.bands * self.tile())
    }

    /// Words of workgroup memory.
    pub fn words(&self, order: usize) -> usize {
        self.places(order).1 + 2 * self.tile()
    }

    fn cost(&self, network: &Network) -> f64 {
        let warps = (self.lanes() as f64 / 128.0).ceil();
        let (d, t, r, q) = (network.order as f64, self.neurons as f64, self.rows as f64, self.round as f64);
        let slices = self.slices() as f64;
        let backward = slices * d * (2.0 * (q + t) + q * t);
        let out = d * (2.0 * (r + t) + r * t);
        let staged = 8.0 * d * d / self.lanes() as f64 + 12.0 * r * t;
        let slab = warps * (backward + out + staged) + 2.0 * slices * BARRIER + 3.0 * self.bands as f64;
        d * slab + warps * 100.0 * r * t + 500.0
    }
}

/// A network with the division of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What is trained.
    pub network: Network,
    /// Who makes a step.
    pub variant: Variant,
    /// How outputs are computed.
    pub outputs: Outputs,
    /// How neurons are trained.
    pub neurons: Neurons,
}

impl Plan {
    /// The best division of `network` on a device with these `limits`, by the `variant` asked for or the
    /// quicker one, or why there is none.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn tiled(
        network: Network,
        replicas: usize,
        variant: Option<Variant>,
        limits: Limits,
    ) -> Result<Self, String> {
        let both = [Variant::One, Variant::Many].into_iter().filter(|v| variant.is_none_or(|w| w == *v));
        let mut best: Option<(f64, Plan)> = None;
        for variant in both {
            let found = [EVERYWHERE.min(limits.workgroup_bytes), limits.workgroup_bytes]
                .into_iter()
                .find_map(|bytes| Plan::fitted(network, replicas, variant, limits.lanes.min(256), bytes / 4));
            let Some((cost, plan)) = found else { continue };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, plan));
            }
        }
        let (lanes, bytes) = (limits.lanes.min(256), limits.workgroup_bytes / 1024);
        best.map(|(_, plan)| plan).ok_or_else(|| {
            let order = network.order;
            format!("a group of order {order} does not fit {lanes} lanes and {bytes} KiB of workgroup memory")
        })
    }

    fn fitted(
        network: Network,
        replicas: usize,
        variant: Variant,
        most: usize,
        words: usize,
    ) -> Option<(f64, Self)> {
        // Tiles that follow each other on the busiest workgroup.
        let waves = |tiles: usize| match variant {
            Variant::One => tiles as f64 * (replicas as f64 / AT_ONCE).ceil(),
            Variant::Many => ((tiles * replicas) as f64 / AT_ONCE).ceil(),
        };
        let (first, outputs) = output_tiles(network, most, words)
            .map(|tile| (waves(network.pairs.div_ceil(tile.tile())) * tile.cost(&network), tile))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (second, neurons) = neuron_tiles(network, most, words)
            .map(|tile| (waves(network.neurons.div_ceil(tile.tile())) * tile.cost(&network), tile))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let launches = if variant == Variant::Many { 2.0 * LAUNCH } else { 0.0 };
        Some((first + second + launches, Plan { network, variant, outputs, neurons }))
    }

    /// Tiles of pairs.
    pub fn output_tiles(&self) -> usize {
        self.network.pairs.div_ceil(self.outputs.tile())
    }

    /// Tiles of neurons.
    pub fn neuron_tiles(&self) -> usize {
        self.network.neurons.div_ceil(self.neurons.tile())
    }

    /// Measurements of one record of one replica: one for each tile.
    pub fn measures(&self) -> usize {
        self.output_tiles() + self.neuron_tiles()
    }

    /// Lanes of a workgroup that makes both phases.
    pub fn lanes(&self) -> usize {
        self.output_lanes().max(self.neuron_lanes())
    }

    /// Lanes of a workgroup that only computes outputs: at least one for each field of a measurement.
    pub fn output_lanes(&self) -> usize {
        self.outputs.lanes().max(FIELDS)
    }

    /// Lanes of a workgroup that only trains neurons.
    pub fn neuron_lanes(&self) -> usize {
        self.neurons.lanes().max(FIELDS)
    }

    /// Turns of all loops in a step of a workgroup that makes both phases, at most.
    pub fn turns(&self) -> usize {
        let (network, lanes) = (&self.network, self.lanes());
        let (outputs, neurons, order) = (&self.outputs, &self.neurons, self.network.order);
        let staged = |words: usize| words.div_ceil(lanes) + 1;
        let chunk = staged(outputs.chunk * outputs.tile())
            + staged(outputs.chunk * outputs.columns * outputs.classes)
            + outputs.chunk;
        let softmax = 2 * outputs.pairs * outputs.columns + outputs.bands;
        let answer = (chunk + 1) * network.neurons.div_ceil(outputs.chunk) + softmax;
        let update = (neurons.bands + 1) * staged(neurons.tile());
        let slice = staged(neurons.slab() * order) + order + neurons.slab() + 1;
        let learn = (update + slice * neurons.slices() + 1) * (order + 1) + update + neurons.tile();
        self.output_tiles() * (answer + 1) + self.neuron_tiles() * (learn + 1)
    }

    /// Words of workgroup memory of a workgroup that makes both phases.
    pub fn words(&self) -> usize {
        self.outputs.words().max(self.neurons.words(self.network.order))
    }
}

/// Every division of the outputs that `most` lanes and `words` of workgroup memory allow.
fn output_tiles(network: Network, most: usize, words: usize) -> impl Iterator<Item = Outputs> {
    let shapes =
        [1, 2, 3, 4, 6, 8].into_iter().flat_map(|classes| (1..=8).map(move |pairs| (classes, pairs)));
    shapes
        .filter(move |(classes, pairs)| {
            classes * pairs <= 32 && *classes <= network.order && *pairs <= network.pairs
        })
        .filter_map(move |(classes, pairs)| {
            let columns = network.order.div_ceil(classes);
            let room = (most / columns).min(network.pairs.div_ceil(pairs));
            if room == 0 {
                return None;
            }
            // As few tiles as there is room for, and none of them much smaller than the others.
            let tiles = network.pairs.div_ceil(room * pairs);
            let bands = network.pairs.div_ceil(tiles * pairs);
            [16, 8, 4, 2].into_iter().find_map(|chunk| {
                let chunk = network.neurons.div_ceil(network.neurons.div_ceil(chunk));
                let outputs = Outputs { pairs, classes, columns, bands, chunk };
                (outputs.words() <= words).then_some(outputs)
            })
        })
}

/// Every division of the neurons that `most` lanes and `words` of workgroup memory allow.
fn neuron_tiles(network: Network, most: usize, words: usize) -> impl Iterator<Item = Neurons> {
    let wide = [1, 2, 4].into_iter().filter(move |neurons| *neurons <= network.neurons);
    wide.flat_map(move |neurons| {
        let columns = network.neurons.div_ceil(neurons);
        let mut across: Vec<usize> = (1..=columns).map(|parts| columns.div_ceil(parts)).collect();
        across.dedup();
        across.into_iter().filter(move |across| *across <= most).filter_map(move |across| {
            // As many lanes as there are, unless their slab does not fit.
            let least = network.order.div_ceil((most / across).min(network.order));
            (least..=16 / neurons).find_map(|rows| {
                let bands = network.order.div_ceil(rows);
                (1..=rows).map(|slices| rows.div_ceil(slices)).find_map(|round| {
                    let tile = Neurons { neurons, across, bands, rows, round };
                    (tile.words(network.order) <= words).then_some(tile)
                })
            })
        })
    })
}
