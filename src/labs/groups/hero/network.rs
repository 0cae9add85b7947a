//! Numbers that the picture computes from the parameters of a network: the waves of the shown question, the cells of the table, and
//! which waves are the strongest.

use super::{GroupsHero, MAX_PARTS};
use crate::groups::probes::groups_task;
use vivarium_core::bounds::MAX_GROUP_ORDER;
use vivarium_core::math::{add_scaled, dot};
use vivarium_core::sorting;
use vivarium_model::models::family::Family;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::neurons::{NeuronPart, NeuronSpectraBuilder};

/// Multiplications of one evaluation of the network, on the shown question and on as many cells of the table as fit.
const EVALUATION_OPERATIONS: u64 = 2_500_000;
/// Smallest number of pairs in one evaluation: with fewer the table of answers would fill too slowly.
const MIN_PAIRS: usize = 4;
/// Multiplications of one measurement of the power of the neurons; of larger networks a part of the neurons is measured.
const SPECTRUM_OPERATIONS: usize = 500_000;
/// Shortest time between two exchanges of parts in the picture, in milliseconds.
const EXCHANGE_INTERVAL_MS: f64 = 800.0;
/// A part takes the place of another part if its power is this many times as large.
const EXCHANGE_RATIO: f32 = 1.25;

/// Multiplications of an evaluation of a network on pairs of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForwardCost {
    /// Multiplications for tables that are computed once for all pairs of an evaluation.
    fixed: u64,
    /// Multiplications for each pair.
    pair: u64,
}

impl ForwardCost {
    /// Number of pairs on which one evaluation of [`EVALUATION_OPERATIONS`] can compute the logits.
    fn pairs_per_evaluation(self) -> usize {
        (EVALUATION_OPERATIONS.saturating_sub(self.fixed) / self.pair.max(1)) as usize
    }
}

/// The cost of evaluating the run's network, if the lab has a picture of the run: a network on pairs of 3 to 128 elements,
/// so small that the page can compute its logits for a question within a frame.
pub(super) fn forward_cost(spec: &RunSpec) -> Option<ForwardCost> {
    let order = groups_task(spec)?.order();
    let n = order as u64;
    let cost = match spec.model.config().family()? {
        Family::Pairs(net) => ForwardCost { fixed: 0, pair: n * net.width as u64 },
        Family::Graph => {
            let cost = spec.architecture().graph(order, 0)?.rewritten().cost();
            ForwardCost { fixed: cost.fixed, pair: cost.example }
        }
        _ => return None,
    };
    let is_drawable = (3..=MAX_GROUP_ORDER).contains(&order)
        && crate::parameters::check_is_small(spec).is_ok()
        && cost.pairs_per_evaluation() >= MIN_PAIRS;
    is_drawable.then_some(cost)
}

/// The limit of an axis, doubled until it is at least `amount`.
fn doubled(mut limit: f32, amount: f32) -> f32 {
    while amount.is_finite() && limit < amount {
        limit *= 2.0;
    }
    limit
}

/// Greatest common divisor.
fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A step by which a walk visits all of `count` places, and the places of a part of the walk are spread.
pub(super) fn spread_step(count: usize) -> usize {
    let start = (count * 3 / 8).max(1);
    (start..=count).find(|step| gcd(*step, count) == 1).unwrap_or(1)
}

/// The right logit minus the largest wrong one; NaN without logits.
pub(super) fn margin(logits: &[f32], right: usize) -> f32 {
    let wrong = logits.iter().enumerate().filter(|(c, _)| *c != right).map(|(_, logit)| *logit);
    logits.get(right).copied().unwrap_or(f32::NAN) - wrong.fold(f32::NEG_INFINITY, f32::max)
}

impl GroupsHero {
    /// Parameter tensors as slices.
    fn slices(&self) -> Vec<&[f32]> {
        self.tensors.iter().map(Vec::as_slice).collect()
    }

    /// Measures the power of the neurons' weights in each irrep, of a part of the neurons of large networks.
    pub(super) fn measure_powers(&mut self) {
        let n = self.order();
        let Some(arrays) = self.spec.network().neurons(&self.slices(), n) else { return };
        let width = arrays.first().map_or(0, |array| array.len() / n);
        if width == 0 {
            return;
        }
        let count = (SPECTRUM_OPERATIONS / (arrays.len() * n * n)).clamp(1, width);
        let sampled = arrays.iter().map(|array| -> Vec<f32> {
            let rows = array.chunks_exact(width);
            rows.flat_map(|row| (0..count).map(move |neuron| row[neuron * width / count])).collect()
        });
        let Some(spectra) = NeuronSpectraBuilder::compute(&self.irreps, sampled.collect(), count) else {
            return;
        };
        let mut sums = vec![0.0f32; self.powers.len()];
        for part in NeuronPart::ALL {
            for neuron in 0..count {
                add_scaled(&mut sums, 1.0, spectra.powers(part, neuron));
            }
        }
        self.powers = sums;
        self.purity = spectra.median_share(NeuronPart::First);
    }

    /// Chooses the irreps of the picture: one that has become much stronger than one in the picture takes its place, unless
    /// the user has switched a wave off.
    pub(super) fn arrange(&mut self, now_ms: f64) {
        let mut strongest: Vec<usize> = (1..self.powers.len()).collect();
        sorting::sort_by(&mut strongest, |a, b| self.powers[*b].total_cmp(&self.powers[*a]).then(a.cmp(b)));
        strongest.truncate(MAX_PARTS);
        if self.is_off.contains(&true) {
            return;
        }
        if self.slots.is_empty() || self.progress.step == 0 {
            strongest.sort_unstable();
            self.slots = strongest;
        } else if now_ms - self.exchanged_ms >= EXCHANGE_INTERVAL_MS {
            let entering: Vec<usize> =
                strongest.iter().copied().filter(|irrep| !self.slots.contains(irrep)).collect();
            let mut entering = entering.into_iter().peekable();
            for slot in &mut self.slots {
                if !strongest.contains(slot)
                    && let Some(next) =
                        entering.next_if(|next| self.powers[*next] > EXCHANGE_RATIO * self.powers[*slot])
                {
                    *slot = next;
                    self.exchanged_ms = now_ms;
                }
            }
        }
    }

    /// Evaluates the network on the shown question, and on as many cells of the table that are of earlier weights as fit
    /// into the time.
    pub(super) fn evaluate(&mut self, now_ms: f64) {
        if self.tensors.is_empty() {
            return;
        }
        let (n, [a, b]) = (self.order(), self.question);
        let count = self.pending.min(self.cost.pairs_per_evaluation().saturating_sub(1));
        let mut pairs = vec![a * n + b];
        for _ in 0..count {
            pairs.push(self.next_pair);
            self.next_pair = (self.next_pair + self.pair_step) % self.products.len().max(1);
        }
        self.pending -= count;
        let x: Vec<f32> = pairs.iter().flat_map(|pair| [(pair / n) as f32, (pair % n) as f32]).collect();
        let stage = self.spec.stage(self.progress.step);
        let outputs = self.spec.network().evaluate(&self.slices(), n, &x, stage);
        let mut rows = outputs.chunks_exact(n);
        let Some(logits) = rows.next() else { return };
        self.waves = self.project(logits);
        for (pair, logits) in pairs.iter().skip(1).zip(rows) {
            if let (Some(cell), Some(right)) = (self.table.get_mut(*pair), self.products.get(*pair)) {
                *cell = if margin(logits, *right as usize) > 0.0 { 1.0 } else { -1.0 };
            }
        }
        self.add_waves(now_ms);
    }

    /// The projection of logits, `[order]`, onto each irrep but the trivial one, `[irreps][order]`.
    fn project(&self, logits: &[f32]) -> Vec<Vec<f32>> {
        let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
        let wave = |irrep: usize| -> Vec<f32> {
            let mut sum = vec![0.0f64; logits.len()];
            for function in self.irreps.function_basis(irrep).chunks_exact(logits.len().max(1)) {
                add_scaled(&mut sum, dot(function, &logits), function);
            }
            sum.into_iter().map(|value| value as f32).collect()
        };
        (0..self.irreps.all().len()).map(|irrep| if irrep == 0 { vec![] } else { wave(irrep) }).collect()
    }

    /// Adds the waves that are on, moves the bars to the sums, and doubles the limits of the axes as far as needed.
    pub(super) fn add_waves(&mut self, now_ms: f64) {
        if self.waves.is_empty() {
            return;
        }
        let mut logits = vec![0.0f32; self.order()];
        for (wave, _) in self.waves.iter().zip(&self.is_off).filter(|(_, is_off)| !**is_off) {
            add_scaled(&mut logits, 1.0, wave);
        }
        if logits != self.logits {
            self.logits_before = std::mem::replace(&mut self.logits, logits);
            self.answered_ms = now_ms;
        }
        let largest = self.logits.iter().fold(0.0f32, |largest, logit| largest.max(*logit).max(-2.0 * logit));
        self.bar_limit = doubled(self.bar_limit, largest);
        let drawn = self.slots.iter().filter_map(|irrep| self.waves.get(*irrep)).flatten();
        self.wave_limit =
            doubled(self.wave_limit, drawn.fold(0.0f32, |largest, value| largest.max(value.abs())));
    }
}
