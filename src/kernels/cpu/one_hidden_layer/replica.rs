//! One network: its numbers in tiles of units, the training step and the measuring of it.

use super::tables::{BLOCK, GROUPS, Patterns, Table, project, tabulate};
use super::units::{activate, loss_gradient, measured_loss, multiply};
use super::update::Update;
use super::{LANES, Row};
use crate::cpu::ReplicaState;
use crate::plan::{Head, Network, coefficients};
use vivarium_model::optim::accuracy::accuracy_credit;

/// Blocks whose activations are kept at once; larger batches go in parts, so that they stay in the caches.
const PART: usize = 8;

/// One network with what its optimizer remembers.
///
/// Parameters and moments are each `[tile][row]`: rows of W, in fours, then u, then b; and β in a last row.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    network: Network,
    coefficients: Vec<f32>,
    state: Vec<Vec<Row>>,
}

/// Memory that all replicas of a run may use in turn.
#[derive(Debug, Clone)]
pub struct Scratch {
    tables: Vec<Table>,
    patterns: Patterns,
    /// σ and σ' of a part of the batch, tile by tile.
    hidden: Vec<Row>,
    slopes: Vec<Row>,
    /// The outputs, not yet summed over lanes.
    outputs: Vec<Row>,
    /// The loss's slope in each output.
    pulls: Vec<f32>,
    /// The gradient, of one tile if the batch has one part.
    gradient: Vec<Row>,
    /// ε of the smoothed labels of a cross-entropy; 0 where they are not smoothed.
    pub smoothing: f32,
}

impl Scratch {
    /// What `network` needs.
    pub fn new(network: &Network) -> Self {
        let (tiles, blocks) = (network.width.div_ceil(LANES), network.batch.div_ceil(BLOCK));
        // Measuring takes a tile and a part at a time.
        let room = vec![Row::ZERO; (tiles * blocks.min(PART)).max(PART) * BLOCK];
        let kept = if blocks > PART { tiles } else { 1 };
        Scratch {
            tables: vec![[Row::ZERO; 16]; GROUPS],
            patterns: Patterns::default(),
            hidden: room.clone(),
            slopes: room,
            outputs: vec![Row::ZERO; PART * BLOCK],
            pulls: vec![0.0; PART * BLOCK],
            gradient: vec![Row::ZERO; kept * stride(network)],
            smoothing: 0.0,
        }
    }
}

/// What measuring gives, summed over the examples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// Loss; not finite if an output is not.
    pub loss: f64,
    /// Right answers; a tie counts one half.
    pub right: f64,
}

/// Rows of W in a tile.
#[inline(always)]
fn inputs4(network: &Network) -> usize {
    4 * network.inputs.div_ceil(4)
}

/// Rows of a tile.
#[inline(always)]
fn stride(network: &Network) -> usize {
    inputs4(network) + 2
}

/// What is to be computed.
enum Job<'a> {
    Step(&'a [u32], &'a Update),
    Measure(&'a Patterns, usize),
}

impl ReplicaState for Replica {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        self.places(which).map(|(row, lane)| self.state[part][row].0[lane]).collect()
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        let places: Vec<_> = self.places(which).collect();
        for ((row, lane), value) in places.into_iter().zip(values) {
            self.state[part][row].0[lane] = *value;
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

impl Replica {
    /// A network whose numbers are all zero.
    pub fn new(network: &Network) -> Self {
        let numbers = vec![Row::ZERO; network.width.div_ceil(LANES) * stride(network) + 1];
        Replica {
            network: *network,
            coefficients: coefficients(network.activation, network.degree),
            state: vec![numbers; 1 + network.rule.moments()],
        }
    }

    /// Rows of parameter `which` of the model in a tile, by the index of the first and their number; β is apart.
    fn rows(&self, which: usize) -> (usize, usize) {
        let after = inputs4(&self.network);
        match (self.network.head, which) {
            (_, 0) => (0, self.network.inputs),
            (Head::Sum, 1) => (after, 1),
            (Head::Sum, 2) | (Head::Product, 1) => (after + 1, 1),
            _ => (0, 0),
        }
    }

    /// Places of the numbers of parameter `which`, in its order.
    fn places(&self, which: usize) -> impl Iterator<Item = (usize, usize)> {
        let ((first, rows), stride, width) = (self.rows(which), stride(&self.network), self.network.width);
        let beta = (rows == 0).then_some((self.state[0].len() - 1, 0));
        let of_row = move |row| (0..width).map(move |unit| (unit / LANES * stride + row, unit % LANES));
        (first..first + rows).flat_map(of_row).chain(beta)
    }

    /// One step on a batch: for each block of 32 examples a word for every input and one for the labels, where a
    /// set bit means −1. Bits beyond the batch count for nothing.
    pub fn step(&mut self, scratch: &mut Scratch, words: &[u32], update: &Update) {
        self.compute(scratch, Job::Step(words, update));
    }

    /// Loss and right answers on the first `count` of `examples`.
    pub fn measure(&mut self, scratch: &mut Scratch, examples: &Patterns, count: usize) -> Sums {
        self.compute(scratch, Job::Measure(examples, count))
    }

    #[cfg_attr(
        target_arch = "x86_64",
        expect(unsafe_code, reason = "wider vectors must be asked for at run time")
    )]
    fn compute(&mut self, scratch: &mut Scratch, job: Job) -> Sums {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just said that it knows these instructions.
            return unsafe { self.compute_avx2(scratch, job) };
        }
        self.compute_anywhere(scratch, job)
    }

    /// The same source with vectors of eight. Fused multiplication stays off: it would round otherwise.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compute_avx2(&mut self, scratch: &mut Scratch, job: Job) -> Sums {
        self.compute_anywhere(scratch, job)
    }

    #[inline(always)]
    fn compute_anywhere(&mut self, scratch: &mut Scratch, job: Job) -> Sums {
        match job {
            Job::Step(words, update) => {
                self.train(scratch, words, update);
                Sums::default()
            }
            Job::Measure(examples, count) => self.look(scratch, examples, count),
        }
    }

    /// Adds up what single examples give, in their order.
    #[inline(always)]
    fn look(&self, scratch: &mut Scratch, examples: &Patterns, count: usize) -> Sums {
        let mut sums = Sums::default();
        let beta = self.state[0][self.state[0].len() - 1].0[0];
        for first in (0..count).step_by(PART * BLOCK) {
            let here = (count - first).min(PART * BLOCK);
            self.outputs::<false>(scratch, examples, first / BLOCK, here.div_ceil(BLOCK));
            for (e, output) in scratch.outputs[..here].iter().enumerate() {
                let (label, output) = (examples.label(first + e), output.sum() + beta);
                sums.loss += f64::from(measured_loss(self.network.loss, label, output));
                sums.right += accuracy_credit(label, output);
            }
        }
        sums
    }

    /// Fills `hidden`, `outputs` and, if they are wanted, `slopes` for `blocks` blocks from number `first`.
    #[inline(always)]
    fn outputs<const SLOPES: bool>(
        &self,
        scratch: &mut Scratch,
        examples: &Patterns,
        first: usize,
        blocks: usize,
    ) {
        let network = &self.network;
        let (inputs4, many) = (inputs4(network), blocks * BLOCK);
        let Scratch { tables, hidden, slopes, outputs, .. } = scratch;
        let places = &examples.places[first * BLOCK * inputs4 / 4..][..many * inputs4 / 4];
        outputs[..many].fill(Row::ZERO);
        // Without slopes there is nothing to come back to, so all tiles use the same memory.
        let step = if SLOPES { many } else { 0 };
        for (t, tile) in self.state[0].chunks_exact(inputs4 + 2).enumerate() {
            let hidden = &mut hidden[t * step..t * step + many];
            let slopes = &mut slopes[t * step..t * step + many];
            project(&tile[..inputs4], tile[inputs4 + 1], places, tables, hidden);
            if network.head == Head::Product {
                multiply(network.width, hidden, slopes);
                outputs[..many].copy_from_slice(hidden);
            } else {
                activate::<SLOPES>((network.activation, network.degree), &self.coefficients, hidden, slopes);
                for (output, h) in outputs.iter_mut().zip(hidden) {
                    *output = *output + h.zip(tile[inputs4], |h, u| h * u);
                }
            }
        }
    }

    #[inline(always)]
    fn train(&mut self, scratch: &mut Scratch, words: &[u32], update: &Update) {
        let Network { inputs, width, batch, loss, output_bias, .. } = self.network;
        let mut patterns = std::mem::take(&mut scratch.patterns);
        patterns.fill(words, inputs);
        let (tiles, parts) = (width.div_ceil(LANES), batch.div_ceil(PART * BLOCK));
        let last = tiles * stride(&self.network);
        let mut total = 0.0;
        for part in 0..parts {
            let first = part * PART * BLOCK;
            let count = (PART * BLOCK).min(batch - first);
            self.outputs::<true>(scratch, &patterns, part * PART, count.div_ceil(BLOCK));
            let beta = self.state[0][last].0[0];
            let Scratch { outputs, pulls, smoothing, .. } = &mut *scratch;
            for (e, (pull, output)) in pulls.iter_mut().zip(outputs).enumerate().take(count) {
                let label = patterns.label(first + e);
                *pull = loss_gradient(loss, label, output.sum() + beta);
                if *smoothing > 0.0 {
                    *pull += 0.5 * *smoothing * label;
                }
                total += *pull;
            }
            let words = &words[part * PART * (inputs + 1)..];
            for tile in 0..tiles {
                self.backward(scratch, tile, words, count, part == 0);
                // At once, while the tile's gradient lies in the first-level cache.
                if part + 1 == parts {
                    self.update(scratch, tile, update);
                }
            }
        }
        scratch.patterns = patterns;
        if output_bias {
            let mut gradient = Row::ZERO;
            gradient.0[0] = total / batch as f32;
            self.apply(update, last..last + 1, &[gradient]);
        }
    }

    /// Adds what `count` examples say about one tile to its gradient, without the factor u/batch.
    #[inline(always)]
    fn backward(&self, scratch: &mut Scratch, tile: usize, words: &[u32], count: usize, fresh: bool) {
        let (inputs, stride) = (self.network.inputs, stride(&self.network));
        let many = count.div_ceil(BLOCK) * BLOCK;
        let Scratch { tables, hidden, slopes, pulls, gradient, .. } = scratch;
        let at = tile * stride % gradient.len();
        let gradient = &mut gradient[at..at + stride];
        if fresh {
            gradient.fill(Row::ZERO);
        }
        let (weights, last) = gradient.split_at_mut(stride - 2);
        let (mut u, mut b) = (last[0], last[1]);
        let hidden = &hidden[tile * many..][..count];
        let slopes = &slopes[tile * many..][..count];
        let Ok(tables) = <&mut [Table; 8]>::try_from(&mut tables[..8]) else { return };
        for (block, words) in words.chunks_exact(inputs + 1).enumerate().take(many / BLOCK) {
            let at = block * BLOCK..count.min((block + 1) * BLOCK);
            let mut fours = [[Row::ZERO; 4]; 8];
            let given = hidden[at.clone()].iter().zip(&slopes[at.clone()]).zip(&pulls[at]);
            for (four, ((h, slope), d)) in fours.as_flattened_mut().iter_mut().zip(given) {
                *four = *slope * *d;
                u = u + *h * *d;
            }
            for (four, table) in fours.iter().zip(tables.iter_mut()) {
                tabulate(four, table);
                b = b + table[0];
            }
            for (weight, word) in weights.iter_mut().zip(&words[..inputs]) {
                let found = tables.iter().enumerate();
                *weight = found.fold(*weight, |sum, (k, t)| sum + t[(word >> (4 * k)) as usize & 15]);
            }
        }
        last[0] = u;
        last[1] = b;
    }

    /// Moves one tile against its gradient.
    #[inline(always)]
    fn update(&mut self, scratch: &mut Scratch, tile: usize, update: &Update) {
        let Network { batch, width, head, hidden_bias, first_layer, second_layer, .. } = self.network;
        let (stride, scale) = (stride(&self.network), 1.0 / batch as f32);
        let (start, u) = (tile * stride, stride - 2);
        let at = start % scratch.gradient.len();
        let gradient = &mut scratch.gradient[at..at + stride];
        // A product has no u: its slopes are complete.
        let (factor, mut u_gradient) = match head {
            Head::Sum => (self.state[0][start + u] * scale, gradient[u] * scale),
            Head::Product => (Row([scale; LANES]), Row::ZERO),
        };
        for g in gradient.iter_mut() {
            *g = g.zip(factor, |g, f| g * f);
        }
        // Lanes beyond the width must stay out of it, though σ(0) need not be 0.
        for lane in u_gradient.0.iter_mut().skip(width - tile * LANES) {
            *lane = 0.0;
        }
        gradient[u] = u_gradient;
        let end = start + stride - usize::from(!hidden_bias);
        if !first_layer {
            if second_layer {
                self.apply(update, start + u..start + u + 1, &gradient[u..]);
            }
            return;
        }
        if second_layer || head == Head::Product {
            self.apply(update, start..end, gradient);
        } else {
            self.apply(update, start..start + u, gradient);
            self.apply(update, start + u + 1..end.max(start + u + 1), &gradient[u + 1..]);
        }
    }

    /// Applies a gradient to these rows.
    #[inline(always)]
    fn apply(&mut self, update: &Update, rows: std::ops::Range<usize>, gradient: &[Row]) {
        match &mut self.state[..] {
            [w] => update.apply(&mut w[rows], gradient, &mut [], &mut []),
            [w, m] => update.apply(&mut w[rows.clone()], gradient, &mut m[rows], &mut []),
            [w, m, v, ..] => {
                update.apply(&mut w[rows.clone()], gradient, &mut m[rows.clone()], &mut v[rows]);
            }
            [] => {}
        }
    }
}
