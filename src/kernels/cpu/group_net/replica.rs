//! One network: its numbers in tiles of neurons, the training step and the measuring of it.

use super::pairs::{NO_LABEL, Pairs};
use super::products::{Factors, HIGH, over_classes, over_neurons, over_pairs};
use super::{Network, Sums};
use crate::cpu::ReplicaState;
use crate::cpu::one_hidden_layer::{LANES, Row, Update};
use crate::plan::Sigma;
use vivarium_operators::cross_entropy::{LabelSoftmax, smooth};
use vivarium_operators::simd::wide;

/// Rows of activations that a tile of pairs may have: 256 KiB, a part of the second-level cache.
///
/// # Why
/// A tile goes through all neurons and their gradient, which for 2,000 neurons on S5 no second-level cache holds: half as many
/// pairs make 35 steps/s of a batch of 1,000 in place of 43. Four times as many gain nothing. 2026-11-26.
const KEPT: usize = 4096;
/// Most pairs of a tile.
const MOST: usize = 128;

/// One network with what its optimizer remembers.
///
/// Parameters and moments are each `[tile][row]`: for each tile of neurons the rows of u, then of v, then of w.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    network: Network,
    state: Vec<Vec<Row>>,
}

/// Memory that all replicas of a run may use in turn.
#[derive(Debug, Clone)]
pub struct Scratch {
    /// Pairs of a tile.
    room: usize,
    /// σ(z), `[tile of neurons][pair]`.
    hidden: Vec<Row>,
    /// w with classes in the lanes, `[row of classes][neuron]`.
    transposed: Vec<Row>,
    /// Outputs, then the loss's slopes in them, `[pair][row of classes]`.
    outputs: Vec<Row>,
    /// The slopes once more, `[four classes][pair]`.
    slopes: Vec<Factors>,
    /// As the parameters.
    gradient: Vec<Row>,
    /// ε of the smoothed labels; 0 where they are not smoothed.
    pub smoothing: f32,
}

impl Scratch {
    /// What `network` needs.
    pub fn new(network: &Network) -> Self {
        let (tiles, panels) = (network.neurons.div_ceil(LANES), network.order.div_ceil(LANES));
        let room = (KEPT / tiles.max(1) / HIGH * HIGH).clamp(2 * HIGH, MOST);
        Scratch {
            room,
            hidden: vec![Row::ZERO; tiles * room],
            transposed: vec![Row::ZERO; panels * tiles * LANES],
            outputs: vec![Row::ZERO; room * panels],
            slopes: vec![[0.0; HIGH]; panels * LANES / HIGH * room],
            gradient: vec![Row::ZERO; tiles * 3 * network.order],
            smoothing: 0.0,
        }
    }
}

/// What is to be computed.
#[derive(Clone, Copy)]
enum Job {
    Gradient,
    Measure,
}

impl ReplicaState for Replica {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        self.places(which).map(|(row, lane)| self.state[part][row].0[lane]).collect()
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        for ((row, lane), value) in self.places(which).zip(values) {
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
        Replica { network: *network, state: vec![Self::room(network); 1 + network.rule.moments()] }
    }

    /// Places of the numbers of parameter `which`, in its order.
    fn places(&self, which: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let Network { order, neurons, .. } = self.network;
        (0..order).flat_map(move |element| {
            (0..neurons).map(move |i| ((i / LANES * 3 + which) * order + element, i % LANES))
        })
    }

    /// One step on all of `pairs`, with a penalty of strength `lambda`.
    pub fn step(&mut self, scratch: &mut Scratch, pairs: &Pairs, lambda: f32, update: &Update) {
        self.compute(scratch, pairs, Job::Gradient);
        self.descend(&mut scratch.gradient, pairs.len(), lambda, update);
    }

    /// Writes the gradient of the loss, without penalty and summed over `pairs`.
    ///
    /// # Shapes
    /// `gradient` lies as the parameters; [`Replica::room`] makes room for it.
    pub fn gradient(&self, scratch: &mut Scratch, pairs: &Pairs, gradient: &mut Vec<Row>) {
        self.compute(scratch, pairs, Job::Gradient);
        std::mem::swap(&mut scratch.gradient, gradient);
    }

    /// Moves the network against such a gradient over `count` pairs, and the penalty of strength `lambda`.
    pub fn descend(&mut self, gradient: &mut [Row], count: usize, lambda: f32, update: &Update) {
        self.parts(gradient, 1).for_each(|mut part| part.descend(count, lambda, update));
    }

    /// At most `count` parts of the network, each with its part of a gradient, which do not know of each other.
    pub fn parts<'a>(&'a mut self, gradient: &'a mut [Row], count: usize) -> impl Iterator<Item = Part<'a>> {
        let network = self.network;
        let tiles = network.neurons.div_ceil(LANES).div_ceil(count.max(1)).max(1);
        let mut state = self.state.iter_mut().map(|part| part.chunks_mut(tiles * 3 * network.order));
        let [weights, first, second] = std::array::from_fn(|_| state.next());
        let mut weights = weights.into_iter().flatten();
        let mut moments = [first, second].map(|moment| moment.into_iter().flatten());
        gradient.chunks_mut(tiles * 3 * network.order).map_while(move |gradient| {
            let [m, v] = moments.each_mut().map(|moment| moment.next().unwrap_or_default());
            Some(Part { network, weights: weights.next()?, m, v, gradient })
        })
    }

    /// Room for a gradient.
    pub fn room(network: &Network) -> Vec<Row> {
        vec![Row::ZERO; network.neurons.div_ceil(LANES) * 3 * network.order]
    }

    /// Measures the network on `pairs`.
    pub fn measure(&self, scratch: &mut Scratch, pairs: &Pairs) -> Sums {
        self.compute(scratch, pairs, Job::Measure)
    }

    #[cfg_attr(
        target_arch = "x86_64",
        expect(unsafe_code, reason = "wider vectors must be asked for at run time")
    )]
    fn compute(&self, scratch: &mut Scratch, pairs: &Pairs, job: Job) -> Sums {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has just said that it knows these instructions.
            return unsafe { self.compute_avx512(scratch, pairs, job) };
        } else if std::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { self.compute_avx2(scratch, pairs, job) };
        }
        self.compute_anywhere(scratch, pairs, job)
    }

    /// The same source with vectors of sixteen.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn compute_avx512(&self, scratch: &mut Scratch, pairs: &Pairs, job: Job) -> Sums {
        self.compute_anywhere(scratch, pairs, job)
    }

    /// The same source with vectors of eight. Fused multiplication stays off: it would round otherwise.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compute_avx2(&self, scratch: &mut Scratch, pairs: &Pairs, job: Job) -> Sums {
        self.compute_anywhere(scratch, pairs, job)
    }

    #[inline(always)]
    fn compute_anywhere(&self, scratch: &mut Scratch, pairs: &Pairs, job: Job) -> Sums {
        self.transpose(scratch);
        let mut sums = Sums::NONE;
        if let Job::Gradient = job {
            scratch.gradient.fill(Row::ZERO);
        }
        let room = scratch.room;
        for (cells, labels) in pairs.cells.chunks(room).zip(pairs.labels.chunks(room)) {
            match self.network.sigma {
                Sigma::Square => self.hidden(scratch, cells, |z| z * z),
                Sigma::Relu => self.hidden(scratch, cells, |z| if z > 0.0 { z } else { z * 0.0 }),
            }
            self.outputs(scratch, cells.len());
            match job {
                Job::Measure => self.judge(scratch, labels, &mut sums),
                Job::Gradient => {
                    self.slopes(scratch, labels);
                    match self.network.sigma {
                        Sigma::Square => self.backward(scratch, cells, |z, d| (z + z) * d),
                        Sigma::Relu => self.backward(scratch, cells, |z, d| if z > 0.0 { d } else { 0.0 }),
                    }
                }
            }
        }
        if let Job::Measure = job {
            sums.norms = self.norms();
        }
        sums
    }

    /// Puts classes into the lanes of w.
    #[inline(always)]
    fn transpose(&self, scratch: &mut Scratch) {
        let order = self.network.order;
        let neurons = self.network.neurons.next_multiple_of(LANES);
        for (t, tile) in self.state[0].chunks_exact(3 * order).enumerate() {
            for (panel, classes) in tile[2 * order..].chunks(LANES).enumerate() {
                let rows = &mut scratch.transposed[panel * neurons + t * LANES..][..LANES];
                for (c, weights) in (0..LANES).zip(classes) {
                    for (row, weight) in rows.iter_mut().zip(weights.0) {
                        row.0[c] = weight;
                    }
                }
            }
        }
    }

    /// σ(u\[a\] + v\[b\]) of every neuron.
    #[inline(always)]
    fn hidden(&self, scratch: &mut Scratch, cells: &[[u32; 2]], sigma: impl Fn(f32) -> f32 + Copy) {
        let order = self.network.order;
        let tiles = self.state[0].chunks_exact(3 * order);
        for (tile, hidden) in tiles.zip(scratch.hidden.chunks_exact_mut(scratch.room)) {
            let (u, v) = (&tile[..order], &tile[order..2 * order]);
            for (hidden, [a, b]) in hidden.iter_mut().zip(cells) {
                *hidden = (u[*a as usize] + v[*b as usize]).map(sigma);
            }
        }
    }

    /// f of `count` pairs.
    #[inline(always)]
    fn outputs(&self, scratch: &mut Scratch, count: usize) {
        let Scratch { room, hidden, transposed, outputs, .. } = scratch;
        let order = self.network.order;
        let (panels, neurons) = (order.div_ceil(LANES), self.network.neurons.next_multiple_of(LANES));
        for (panel, weights) in transposed.chunks_exact(neurons).enumerate() {
            let half = order - panel * LANES <= LANES / 2;
            for first in (0..count).step_by(HIGH) {
                let hidden = &hidden[first..];
                let rows = if half {
                    over_neurons::<{ LANES / 2 }>(hidden, *room, weights)
                } else {
                    over_neurons::<LANES>(hidden, *room, weights)
                };
                for (r, row) in rows.into_iter().enumerate() {
                    outputs[(first + r) * panels + panel] = row;
                }
            }
        }
    }

    /// Turns outputs into the loss's slopes.
    #[inline(always)]
    fn slopes(&self, scratch: &mut Scratch, labels: &[u32]) {
        let order = self.network.order;
        let Scratch { room, outputs, slopes, smoothing, .. } = scratch;
        let panels = order.div_ceil(LANES);
        for (e, (outputs, label)) in outputs.chunks_exact_mut(panels).zip(labels).enumerate() {
            if *label == NO_LABEL {
                outputs.fill(Row::ZERO);
            } else {
                LabelSoftmax::new(outputs, order, *label as usize).write_gradient(outputs, *label as usize);
                if *smoothing > 0.0 {
                    smooth(outputs, order, *label as usize, *smoothing);
                }
            }
            for (panel, row) in outputs.iter().enumerate() {
                for (four, classes) in row.0.as_chunks::<HIGH>().0.iter().enumerate() {
                    slopes[(panel * (LANES / HIGH) + four) * *room + e] = *classes;
                }
            }
        }
    }

    /// Adds what a tile of pairs says to the gradient; `pull` is σ'(z) times a slope.
    #[inline(always)]
    fn backward(&self, scratch: &mut Scratch, cells: &[[u32; 2]], pull: impl Fn(f32, f32) -> f32 + Copy) {
        let order = self.network.order;
        let Scratch { room, hidden, outputs, slopes, gradient, .. } = scratch;
        let panels = order.div_ceil(LANES);
        let tiles = self.state[0].chunks_exact(3 * order).zip(gradient.chunks_exact_mut(3 * order));
        for ((tile, gradient), hidden) in tiles.zip(hidden.chunks_exact(*room)) {
            let ((u, rest), (of_u, of_rest)) = (tile.split_at(order), gradient.split_at_mut(order));
            let ((v, w), (of_v, of_w)) = (rest.split_at(order), of_rest.split_at_mut(order));
            for (of_w, slopes) in of_w.chunks_mut(HIGH).zip(slopes.chunks_exact(*room)) {
                let sums = over_pairs(slopes, &hidden[..cells.len()]);
                for (of_w, sum) in of_w.iter_mut().zip(sums) {
                    *of_w = *of_w + sum;
                }
            }
            // Pairs that share u follow each other.
            let (mut shared, mut sum) = (0, Row::ZERO);
            for (cells, slopes) in cells.chunks_exact(HIGH).zip(outputs.chunks_exact(HIGH * panels)) {
                for ([a, b], d) in cells.iter().zip(over_classes(slopes, w)) {
                    let (a, b) = (*a as usize, *b as usize);
                    let d = (u[a] + v[b]).zip(d, pull);
                    of_v[b] = of_v[b] + d;
                    if a != shared {
                        of_u[shared] = of_u[shared] + sum;
                        (shared, sum) = (a, Row::ZERO);
                    }
                    sum = sum + d;
                }
            }
            of_u[shared] = of_u[shared] + sum;
        }
    }

    /// Adds up what single pairs give, in their order.
    #[inline(always)]
    fn judge(&self, scratch: &mut Scratch, labels: &[u32], sums: &mut Sums) {
        let order = self.network.order;
        let outputs = scratch.outputs.chunks_exact_mut(order.div_ceil(LANES));
        for (outputs, label) in outputs.zip(labels).filter(|(_, label)| **label != NO_LABEL) {
            // What is no number, or has no end, would be lost among the largest.
            let broken = outputs.iter().fold(Row::ZERO, |sum, f| sum + f.map(|f| f * 0.0)).sum().is_nan();
            let answer = LabelSoftmax::new(outputs, order, *label as usize);
            sums.add(if broken { f32::NAN } else { answer.loss() }, answer.margin);
        }
    }

    /// Σ_i ‖ω_i‖^ν.
    #[inline(always)]
    fn norms(&self) -> f64 {
        let Network { order, nu, .. } = self.network;
        let mut total = 0.0;
        for tile in self.state[0].chunks_exact(3 * order) {
            let mut squares = [0.0f64; LANES];
            for row in tile {
                for (square, w) in squares.iter_mut().zip(row.0) {
                    *square += f64::from(w) * f64::from(w);
                }
            }
            for square in squares {
                let norm = square.sqrt();
                total += (2..nu).fold(square, |power, _| power * norm);
            }
        }
        total
    }
}

/// Some neurons of a network, with what its optimizer remembers of them, and their gradient.
pub struct Part<'a> {
    network: Network,
    weights: &'a mut [Row],
    /// Moments; empty where the optimizer has none.
    m: &'a mut [Row],
    v: &'a mut [Row],
    gradient: &'a mut [Row],
}

impl Part<'_> {
    /// As [`Replica::descend`].
    pub fn descend(&mut self, count: usize, lambda: f32, update: &Update) {
        descend(self, count, lambda, update);
    }
}

wide! {
    /// Adds the gradient of a penalty of strength λ to the mean over so many pairs, and moves every neuron against them.
    fn descend(part: &mut Part, count: usize, lambda: f32, update: &Update) {
        let Network { order, nu, .. } = part.network;
        let scale = 1.0 / count.max(1) as f32;
        for (t, gradient) in part.gradient.chunks_exact_mut(3 * order).enumerate() {
            let rows = t * 3 * order..(t + 1) * 3 * order;
            let weights = &part.weights[rows.clone()];
            let square = weights.iter().fold(Row::ZERO, |sum, w| sum + w.map(|w| w * w));
            let norm = square.map(f32::sqrt);
            let pull = (2..nu).fold(Row([lambda * nu as f32; LANES]), |pull, _| pull.zip(norm, |a, b| a * b));
            for (g, w) in gradient.iter_mut().zip(weights) {
                *g = *g * scale + w.zip(pull, |w, pull| w * pull);
            }
            let m = part.m.get_mut(rows.clone()).unwrap_or_default();
            let v = part.v.get_mut(rows.clone()).unwrap_or_default();
            update.apply(&mut part.weights[rows], gradient, m, v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Rule;
    use vivarium_model::optim::{Adam, Optimizer};

    /// What all processors run, and what this one runs.
    #[test]
    fn vectors_of_any_width_give_the_same_bits_and_lanes_beyond_the_neurons_stay_empty() {
        for sigma in [Sigma::Square, Sigma::Relu] {
            let network = Network { order: 19, neurons: 21, sigma, nu: 3, rule: Rule::Adam };
            let stream = vivarium_core::rng::RandomStream::new(3, vivarium_core::rng::Purpose::Weights, 0);
            let mut replica = Replica::new(&network);
            for which in 0..3 {
                let values: Vec<f32> = (0..19 * 21).map(|i| stream.draw_normal(which as u64, i)).collect();
                replica.write(0, which, &values);
            }
            let mut plain = replica.clone();
            let cells: Vec<[u32; 2]> = (0..90).map(|i| [i * i % 19, i * 7 % 19]).collect();
            let labels: Vec<u32> = (0..90).map(|i| i % 19).collect();
            let (pairs, mut scratch) = (Pairs::new(19, &cells, &labels), Scratch::new(&network));
            for step in 0..10 {
                let update = Update::new(&Optimizer::Adam(Adam::default()), step, 0.01);
                replica.step(&mut scratch, &pairs, 0.01, &update);
                plain.compute_anywhere(&mut scratch, &pairs, Job::Gradient);
                plain.descend(&mut scratch.gradient, pairs.len(), 0.01, &update);
            }
            assert_eq!(replica, plain);
            let sums = plain.compute_anywhere(&mut scratch, &pairs, Job::Measure);
            assert_eq!(replica.measure(&mut scratch, &pairs), sums);
            for tile in replica.state.iter().flat_map(|part| part.chunks_exact(3 * 19).skip(1)) {
                assert!(tile.iter().all(|row| row.0[21 - LANES..] == [0.0; 2 * LANES - 21]));
            }
        }
    }
}
