//! The search for the smallest perturbation that changes an answer, one small iteration at a time. The module `least_norm`
//! describes the method.
//!
//! ```text
//! stage      one iteration
//! noise      finds the boundary along one random direction
//! starts     finds the boundary along 1/24 of the directions of gradients and neurons
//! descend    makes one step of the descent from a starting point
//! polish     samples points at one distance around an end point, or makes one step of a descent from there
//! ```

use super::boundary::{BoundaryPoint, DecisionBoundary, NoiseFlip};
use super::descent::{BoundaryDescent, SAMPLES_PER_DISTANCE, count_starts};
use super::error::{CircuitError, check_range};
use super::least_norm::{LeastNormPerturbation, SearchSettings};
use super::limits::{MAX_DESCENT_STEPS, MAX_NOISE_DRAWS, MAX_SEARCH_STARTS};
use super::network::ReluNetwork;

/// Number of iterations over which [`SearchStage::Starts`] spreads its work: finding the boundary along the
/// starting directions of gradients and neurons.
const START_ITERATIONS: usize = 24;
/// Maximum number of end points of descents that are polished: the search samples points around them for a nearer
/// boundary point.
const MAX_POLISHED_ENDS: usize = 3;
/// End points are polished if their norm is at most this multiple of the smallest norm of all end points.
const MAX_POLISHED_RATIO: f64 = 1.2;
/// Maximum number of rounds in which one end point of a descent is polished.
const MAX_POLISH_ROUNDS: usize = 60;
/// Distances from an end point at which each polishing round samples, as fractions of the point's norm.
const SAMPLE_DISTANCES: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.0003];

impl ReluNetwork {
    /// Searches for the smallest perturbation of the free parameters that changes the answer for the input `bits`.
    ///
    /// `None` if the answer changes along none of the directions that the search starts with.
    ///
    /// # Errors
    /// `bits` has the wrong length, or a number in `search` is out of range.
    pub fn find_least_norm(
        &self,
        bits: &[bool],
        search: SearchSettings,
    ) -> Result<Option<LeastNormPerturbation>, CircuitError> {
        let mut searching = LeastNormSearch::new(self, bits, search)?;
        while !searching.is_done() {
            searching.advance(self);
        }
        Ok(searching.result(self))
    }
}

/// Stage of a [`LeastNormSearch`] with the progress within it; all indices count from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SearchStage {
    /// Finding the boundary along the random direction with this index.
    Noise(usize),
    /// Finding the boundary along directions of gradients and neurons; this is the index of the next one.
    Starts(usize),
    /// Descending from the starting point with this index, nearest first.
    Descend(usize),
    /// Polishing an end point of a descent.
    Polish(PolishState),
    /// The search is complete.
    Done,
}

/// Progress of polishing an end point of a descent: sampling around it for smaller perturbations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolishState {
    /// Index, from 0, of the end point among those that are polished, nearest first.
    pub end: usize,
    /// Index, from 0, of the polishing round of this end point.
    pub round: usize,
    /// Number of the distances `SAMPLE_DISTANCES` from the end point at which this round has sampled; after the
    /// last the round continues with a descent.
    pub sampled: usize,
    /// Number of consecutive polishing rounds in which the norm of the end point did not decrease.
    pub rounds_without_gain: usize,
    /// Norm ‖δ‖₂ of the end point's perturbation δ at the beginning of the round.
    pub initial_norm: f64,
}

/// A search for the smallest perturbation of a network's parameters that changes its answer for one input.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastNormSearch {
    /// Seed of the search, and its numbers of directions, starting points and steps.
    pub(super) search: SearchSettings,
    /// The input bits, as numbers 0 and 1, for which the answer is to change, `[inputs]`.
    pub(super) inputs: Vec<f64>,
    /// Number of parameters of the network.
    parameter_count: usize,
    /// Number of iterations of the search so far, over all stages.
    pub(super) iterations: u64,
    /// Number of evaluations of the network's output so far.
    pub(super) evaluations: u64,
    /// Stage of the search to which its next iteration belongs.
    pub(super) stage: SearchStage,
    /// For each random direction, then for each direction of a gradient or neuron: the two norms of perturbations
    /// along it between which the answer changes; `None` if no change was found.
    pub(super) radii: Vec<Option<[f64; 2]>>,
    /// The descent from the current starting or end point; `None` before its first step.
    pub(super) descent: Option<BoundaryDescent>,
    /// End points of the completed descents, in the order of the starting points.
    pub(super) ends: Vec<BoundaryPoint>,
    /// The boundary point with the smallest norm so far; `None` while no perturbation has changed the answer.
    pub(super) best: Option<BoundaryPoint>,
}

impl LeastNormSearch {
    /// A search before its first iteration. It already has a first bound on the norm, because it immediately finds the
    /// boundary along the last four starting directions, those of the last neurons.
    ///
    /// # Errors
    /// `bits` has the wrong length, or a number in `search` is out of range.
    pub fn new(network: &ReluNetwork, bits: &[bool], search: SearchSettings) -> Result<Self, CircuitError> {
        let mut searching = LeastNormSearch::without_first_bound(network, bits, search)?;
        let mut boundary = DecisionBoundary::with_inputs(network, searching.inputs.clone());
        let count = count_starts(network.neuron_count());
        // In the toy the output layer is fixed, so that the layer below has the last free parameters.
        let last = boundary.start_directions(count.saturating_sub(4)..count).into_iter().flatten();
        let reached: Vec<BoundaryPoint> = last.filter_map(|unit| boundary.find_start_point(unit)).collect();
        reached.into_iter().for_each(|point| searching.keep_nearest(point));
        Ok(searching)
    }

    /// A search before its first iteration, without the first bound on the norm that [`LeastNormSearch::new`]
    /// computes.
    pub(super) fn without_first_bound(
        network: &ReluNetwork,
        bits: &[bool],
        search: SearchSettings,
    ) -> Result<Self, CircuitError> {
        check_range(search.draws, 1, MAX_NOISE_DRAWS)?;
        check_range(search.starts, 1, MAX_SEARCH_STARTS)?;
        check_range(search.steps, 0, MAX_DESCENT_STEPS)?;
        Ok(LeastNormSearch {
            search,
            inputs: network.encode_bits(bits)?,
            parameter_count: network.theta().len(),
            iterations: 0,
            evaluations: 0,
            stage: SearchStage::Noise(0),
            radii: vec![None; search.draws + count_starts(network.neuron_count())],
            descent: None,
            ends: vec![],
            best: None,
        })
    }

    /// Number of parameters of the network whose answer the search changes.
    pub(super) fn parameter_count(&self) -> usize {
        self.parameter_count
    }

    /// Whether the search is complete, so that [`LeastNormSearch::advance`] does nothing.
    pub fn is_done(&self) -> bool {
        self.stage == SearchStage::Done
    }

    /// The stage of the search to which its next iteration belongs.
    pub fn stage(&self) -> SearchStage {
        self.stage
    }

    /// Number of iterations of the search so far, over all stages.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Number of starting points from which the search descends, among those found so far; final after the stage
    /// [`SearchStage::Starts`].
    pub fn descent_count(&self) -> usize {
        self.ranked_starts().len()
    }

    /// The smallest norm ‖δ‖₂ so far of a perturbation that changes the answer; `None` if there is none yet.
    pub fn norm(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.high)
    }

    /// The perturbation δ with the smallest norm so far, `[parameters]`; `None` if there is none yet.
    pub fn delta(&self) -> Option<Vec<f64>> {
        self.best.as_ref().map(|best| best.unit.iter().map(|u| best.high * u).collect())
    }

    /// The smallest norm so far of random noise that changes the answer; `None` if no noise has changed it.
    pub fn noise_norm(&self) -> Option<f64> {
        let norms = self.radii[..self.search.draws].iter().flatten().map(|[_, high]| *high);
        norms.reduce(f64::min)
    }

    /// The smallest perturbation so far with its details; `None` if no perturbation has changed the answer yet.
    pub fn result(&self, network: &ReluNetwork) -> Option<LeastNormPerturbation> {
        let boundary = DecisionBoundary::with_inputs(network, self.inputs.clone());
        let flip = |draw: usize| {
            let (unit, length) = boundary.draw_unit_noise(self.search.seed, draw as u32);
            let [low, high] = self.radii[draw]?;
            Some(NoiseFlip::new((draw as u32, length, BoundaryPoint { unit, low, high })))
        };
        let mut noise: Vec<NoiseFlip> = (0..self.search.draws).filter_map(flip).collect();
        noise.sort_by(|a, b| a.norm.total_cmp(&b.norm));
        Some(LeastNormPerturbation {
            norm: self.norm()?,
            delta: self.delta()?,
            ends: self.ends.iter().map(|end| end.high).collect(),
            noise,
            evaluations: self.evaluations,
        })
    }

    /// Runs one iteration; does nothing if the search is complete. `network` is the network of [`LeastNormSearch::new`].
    pub fn advance(&mut self, network: &ReluNetwork) {
        let mut boundary = DecisionBoundary::with_inputs(network, self.inputs.clone());
        match self.stage {
            SearchStage::Noise(draw) => self.measure_noise_draw(&mut boundary, draw),
            SearchStage::Starts(from) => self.measure_starts(&mut boundary, from),
            SearchStage::Descend(at) => self.descend(&mut boundary, at),
            SearchStage::Polish(polish) => self.polish(&mut boundary, polish),
            SearchStage::Done => return,
        }
        self.iterations += 1;
        self.evaluations += boundary.evaluations;
    }

    /// Replaces `best` by `point` if the norm of `point` is smaller, or if there is no `best` yet.
    fn keep_nearest(&mut self, point: BoundaryPoint) {
        if self.best.as_ref().is_none_or(|best| point.high < best.high) {
            self.best = Some(point);
        }
    }

    /// Runs an iteration of [`SearchStage::Noise`]: finds the boundary along noise direction `draw`.
    fn measure_noise_draw(&mut self, boundary: &mut DecisionBoundary, draw: usize) {
        let (unit, length) = boundary.draw_unit_noise(self.search.seed, draw as u32);
        if let Some(point) = boundary.find_noise_crossing(unit, length) {
            self.radii[draw] = Some([point.low, point.high]);
            self.keep_nearest(point);
        }
        self.stage =
            if draw + 1 < self.search.draws { SearchStage::Noise(draw + 1) } else { SearchStage::Starts(0) };
    }

    /// Runs an iteration of [`SearchStage::Starts`]: finds the boundary along the next starting directions of gradients
    /// and neurons, from index `from` on.
    fn measure_starts(&mut self, boundary: &mut DecisionBoundary, from: usize) {
        let draws = self.search.draws;
        let count = self.radii.len() - draws;
        let until = (from + count.div_ceil(START_ITERATIONS)).min(count);
        for (at, unit) in (from..until).zip(boundary.start_directions(from..until)) {
            if let Some(point) = unit.and_then(|unit| boundary.find_start_point(unit)) {
                self.radii[draws + at] = Some([point.low, point.high]);
                self.keep_nearest(point);
            }
        }
        self.stage = match until < count {
            true => SearchStage::Starts(until),
            false if self.ranked_starts().is_empty() => SearchStage::Done,
            false => SearchStage::Descend(0),
        };
    }

    /// Indices into `radii` of the starting points from which the search descends: those with the smallest norms, as
    /// many as the settings' `starts`, smallest norm first.
    fn ranked_starts(&self) -> Vec<usize> {
        let draws = self.search.draws;
        let high = |at: usize| self.radii[at].map(|[_, high]| high);
        let mut noise: Vec<(usize, f64)> = (0..draws).filter_map(|at| Some((at, high(at)?))).collect();
        noise.sort_by(|a, b| a.1.total_cmp(&b.1));
        let own = (draws..self.radii.len()).filter_map(|at| Some((at, high(at)?)));
        let mut starts: Vec<(usize, f64)> = own.chain(noise).collect();
        // The sort is stable, and nearly equal norms count as equal, so that early layers come first: with rounding, perturbing
        // later layers as well can shorten a perturbation of an early layer.
        starts.sort_by(|a, b| (a.1 * 1e4).round().total_cmp(&(b.1 * 1e4).round()));
        starts.truncate(self.search.starts);
        starts.into_iter().map(|(at, _)| at).collect()
    }

    /// The starting point with index `at` into `radii`, on the boundary to a relative error of 10⁻¹²; `None` if the
    /// answer does not change along its direction.
    fn locate_start(&self, boundary: &mut DecisionBoundary, at: usize) -> Option<BoundaryPoint> {
        let draws = self.search.draws;
        let [low, high] = self.radii[at]?;
        let unit = match at.checked_sub(draws) {
            None => boundary.draw_unit_noise(self.search.seed, at as u32).0,
            Some(start) => boundary.start_directions(start..start + 1).pop()??,
        };
        Some(boundary.bisect_fully(BoundaryPoint { unit, low, high }))
    }

    /// Runs an iteration of [`SearchStage::Descend`]: one step of the descent from the starting point with rank `at` by
    /// norm, from 0.
    fn descend(&mut self, boundary: &mut DecisionBoundary, at: usize) {
        let order = self.ranked_starts();
        let current = self.descent.take();
        let mut start = |searching: &Self| {
            searching.locate_start(&mut *boundary, *order.get(at)?).map(BoundaryDescent::new)
        };
        let Some(mut descent) = current.or_else(|| start(self)) else {
            self.stage = SearchStage::Done;
            return;
        };
        let goes_on = descent.step(boundary, self.search.steps);
        self.keep_nearest(descent.point.clone());
        if goes_on {
            self.descent = Some(descent);
            return;
        }
        self.ends.push(descent.point);
        self.stage = match at + 1 < order.len() {
            true => SearchStage::Descend(at + 1),
            false => self.start_polishing(0),
        };
    }

    /// Indices into `ends` of the end points that are polished, smallest norm first: at most [`MAX_POLISHED_ENDS`] with
    /// different norms, all within [`MAX_POLISHED_RATIO`] of the smallest.
    fn select_ends(&self) -> Vec<usize> {
        let high = |at: &usize| self.ends[*at].high;
        let mut chosen: Vec<usize> = (0..self.ends.len()).collect();
        chosen.sort_by(|a, b| high(a).total_cmp(&high(b)));
        // End points with the same norm are usually the same point.
        chosen.dedup_by(|b, a| high(b) < high(a) * (1.0 + 1e-4));
        chosen.truncate(MAX_POLISHED_ENDS);
        let farthest = MAX_POLISHED_RATIO * chosen.first().map_or(0.0, high);
        chosen.retain(|at| high(at) < farthest);
        chosen
    }

    /// The stage that begins to polish the end point with index `end`, from 0, among those of
    /// [`LeastNormSearch::select_ends`]; [`SearchStage::Done`] if there are no more.
    fn start_polishing(&self, end: usize) -> SearchStage {
        match self.select_ends().get(end) {
            Some(at) => {
                let initial_norm = self.ends[*at].high;
                SearchStage::Polish(PolishState {
                    end,
                    round: 0,
                    sampled: 0,
                    rounds_without_gain: 0,
                    initial_norm,
                })
            }
            None => SearchStage::Done,
        }
    }

    /// Runs an iteration of [`SearchStage::Polish`]: samples around an end point at one distance, or, after the last
    /// distance of a round, makes one step of a descent from the point found.
    fn polish(&mut self, boundary: &mut DecisionBoundary, mut polish: PolishState) {
        let current = self.descent.take();
        let chosen = self.select_ends();
        let end = || chosen.get(polish.end).map(|at| BoundaryDescent::new(self.ends[*at].clone()));
        let Some(mut descent) = current.or_else(end) else {
            self.stage = SearchStage::Done;
            return;
        };
        let mut is_over = false;
        if let Some(away) = SAMPLE_DISTANCES.get(polish.sampled) {
            // Different end points, rounds and distances use different random directions.
            let of = ((polish.end * MAX_POLISH_ROUNDS + polish.round) * SAMPLE_DISTANCES.len()
                + polish.sampled) as u32
                * SAMPLES_PER_DISTANCE;
            let found =
                boundary.sample_around(descent.point, *away, self.search.seed, of..of + SAMPLES_PER_DISTANCE);
            descent = BoundaryDescent::new(found);
            polish.sampled += 1;
            if polish.sampled == SAMPLE_DISTANCES.len() {
                let descends =
                    descent.point.high < polish.initial_norm * (1.0 - 1e-6) && self.search.steps > 0;
                is_over = !descends;
            }
        } else {
            is_over = !descent.step(boundary, self.search.steps);
        }
        self.keep_nearest(descent.point.clone());
        if is_over {
            let is_unimproved = descent.point.high >= polish.initial_norm * (1.0 - 1e-7);
            polish.rounds_without_gain = if is_unimproved { polish.rounds_without_gain + 1 } else { 0 };
            (polish.round, polish.sampled, polish.initial_norm) = (polish.round + 1, 0, descent.point.high);
            descent = BoundaryDescent::new(descent.point);
            if polish.rounds_without_gain == 2 || polish.round >= MAX_POLISH_ROUNDS {
                self.stage = self.start_polishing(polish.end + 1);
                return;
            }
        }
        self.descent = Some(descent);
        self.stage = SearchStage::Polish(polish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, ParityOrder, Rounding};
    use vivarium_core::math::norm;

    #[test]
    fn the_norm_never_rises_and_single_iterations_end_like_the_whole_search() {
        let circuit = Circuit::parity(3, ParityOrder::Chain).unwrap().to_layers().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = ReluNetwork::new(&circuit, rounding).unwrap();
            let (bits, search) =
                ([true, false, true], SearchSettings { starts: 4, ..SearchSettings::default() });
            let mut searching = LeastNormSearch::new(&network, &bits, search).unwrap();
            let mut before = searching.norm().unwrap();
            assert!(before <= 1.0, "the output's own parameters: {before}");
            while !searching.is_done() {
                searching.advance(&network);
                let now = searching.norm().unwrap();
                assert!(now <= before && now > 0.0);
                let delta = searching.delta().unwrap();
                assert!((norm(&delta) - now).abs() < 1e-12);
                before = now;
            }
            let iterations = searching.iterations();
            assert!((30..4000).contains(&iterations), "{iterations}");
            searching.advance(&network);
            assert_eq!(searching.iterations(), iterations);
            assert_eq!(searching.result(&network), network.find_least_norm(&bits, search).unwrap());
            assert_eq!(
                searching.noise_norm(),
                network.find_noise_flips(&bits, 0, 8).unwrap().first().map(|f| f.norm)
            );
        }
    }
}
