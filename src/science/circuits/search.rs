//! The search for the least-norm perturbation as a process that makes one small iteration after the other: see
//! [`Network::least_norm`] for what it does.
//!
//! ```text
//! noise      one draw of noise an iteration
//! starts     so many directions of neurons that 24 iterations have them all
//! follow     one step of the descent from a start
//! polish     one look around an end, or one step of the descent from what was found
//! ```

use super::boundary::{Boundary, Flip, Point};
use super::error::{CircuitError, within};
use super::least_norm::{Least, Search};
use super::limits::{MOST_DRAWS, MOST_STARTS, MOST_STEPS};
use super::moves::{Descent, LOOKS, starts};
use super::network::Network;

/// Iterations in which all starts of neurons are looked at.
const CHUNKS: usize = 24;
/// Ends that are polished.
const POLISHED: usize = 3;
/// How far an end that is polished may be, as a multiple of the nearest.
const POLISHED_WITHIN: f64 = 1.2;
/// Rounds in which an end is polished, at most.
const ROUNDS: usize = 60;
/// How far from an end a round looks, as parts of its norm.
const AWAY: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.0003];

impl Network {
    /// The least-norm perturbation that changes the answer to an input; none where no start has reached the boundary.
    pub fn least_norm(&self, bits: &[bool], search: Search) -> Result<Option<Least>, CircuitError> {
        let mut searching = Searching::new(self, bits, search)?;
        while !searching.is_done() {
            searching.advance(self);
        }
        Ok(searching.least(self))
    }
}

/// What a search is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    /// It draws noise of this number, from 0.
    Noise(usize),
    /// It looks at starts from this number on.
    Starts(usize),
    /// It follows the start of this number, from 0.
    Follow(usize),
    /// It polishes an end.
    Polish(Polish),
    /// Nothing more.
    Done,
}

/// How far an end is polished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polish {
    /// The end's number among those that are polished, from 0.
    pub end: usize,
    /// The round, from 0.
    pub round: usize,
    /// The look within the round, from 0; with all of them made, a descent.
    pub look: usize,
    /// Rounds in a row that have found nothing.
    pub still: usize,
    /// The norm at the beginning of the round.
    pub before: f64,
}

/// A search for the least-norm perturbation of a network for one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Searching {
    pub(super) search: Search,
    pub(super) inputs: Vec<f64>,
    /// Parameters of the network.
    length: usize,
    /// Iterations made.
    pub(super) iterations: u64,
    /// How often the network's output was computed.
    pub(super) evaluations: u64,
    pub(super) stage: Stage,
    /// Of each draw of noise, then of each start of neurons: the radii between which the boundary lies, if it was reached.
    pub(super) radii: Vec<Option<[f64; 2]>>,
    /// The descent under way.
    pub(super) descent: Option<Descent>,
    /// Where the starts have ended that were followed.
    pub(super) ends: Vec<Point>,
    /// The nearest point so far.
    pub(super) best: Option<Point>,
}

impl Searching {
    /// The search before its first iteration. The boundary in the direction of the last neuron's own weights, which is
    /// found at once, is a first bound.
    pub fn new(network: &Network, bits: &[bool], search: Search) -> Result<Self, CircuitError> {
        let mut searching = Searching::begun(network, bits, search)?;
        let mut boundary = Boundary::of(network, searching.inputs.clone());
        let count = starts(network.neurons());
        // The output's own parameters are held in the toy: there the last neuron's are those of the layer before.
        let last = boundary.directions(count.saturating_sub(4)..count).into_iter().flatten();
        let reached: Vec<Point> = last.filter_map(|unit| boundary.reached(unit)).collect();
        reached.into_iter().for_each(|point| searching.take(point));
        Ok(searching)
    }

    /// The same without a first bound.
    pub(super) fn begun(network: &Network, bits: &[bool], search: Search) -> Result<Self, CircuitError> {
        within(search.draws, 1, MOST_DRAWS)?;
        within(search.starts, 1, MOST_STARTS)?;
        within(search.steps, 0, MOST_STEPS)?;
        Ok(Searching {
            search,
            inputs: network.numbers(bits)?,
            length: network.theta().len(),
            iterations: 0,
            evaluations: 0,
            stage: Stage::Noise(0),
            radii: vec![None; search.draws + starts(network.neurons())],
            descent: None,
            ends: vec![],
            best: None,
        })
    }

    /// Parameters of the network.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether there is nothing left to do.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// What it is doing.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Iterations made.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Starts that are followed in all, as far as that is known.
    pub fn followed(&self) -> usize {
        self.order().len()
    }

    /// The least norm so far; none where nothing has changed the answer yet.
    pub fn norm(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.high)
    }

    /// The perturbation of that norm.
    pub fn delta(&self) -> Option<Vec<f64>> {
        self.best.as_ref().map(|best| best.unit.iter().map(|u| best.high * u).collect())
    }

    /// The smallest norm of noise so far.
    pub fn noise_norm(&self) -> Option<f64> {
        let norms = self.radii[..self.search.draws].iter().flatten().map(|[_, high]| *high);
        norms.reduce(f64::min)
    }

    /// What has been found.
    pub fn least(&self, network: &Network) -> Option<Least> {
        let boundary = Boundary::of(network, self.inputs.clone());
        let flip = |draw: usize| {
            let (unit, length) = boundary.drawn(self.search.seed, draw as u32);
            let [low, high] = self.radii[draw]?;
            Some(Flip::of((draw as u32, length, Point { unit, low, high })))
        };
        let mut noise: Vec<Flip> = (0..self.search.draws).filter_map(flip).collect();
        noise.sort_by(|a, b| a.norm.total_cmp(&b.norm));
        Some(Least {
            norm: self.norm()?,
            delta: self.delta()?,
            ends: self.ends.iter().map(|end| end.high).collect(),
            noise,
            evaluations: self.evaluations,
        })
    }

    /// Makes one iteration for the network that the search was begun with; none where it is done.
    pub fn advance(&mut self, network: &Network) {
        let mut boundary = Boundary::of(network, self.inputs.clone());
        match self.stage {
            Stage::Noise(draw) => self.draw(&mut boundary, draw),
            Stage::Starts(from) => self.look_at_starts(&mut boundary, from),
            Stage::Follow(at) => self.follow(&mut boundary, at),
            Stage::Polish(polish) => self.polish(&mut boundary, polish),
            Stage::Done => return,
        }
        self.iterations += 1;
        self.evaluations += boundary.evaluations;
    }

    /// Keeps a point if it is the nearest so far.
    fn take(&mut self, point: Point) {
        if self.best.as_ref().is_none_or(|best| point.high < best.high) {
            self.best = Some(point);
        }
    }

    fn draw(&mut self, boundary: &mut Boundary, draw: usize) {
        let (unit, length) = boundary.drawn(self.search.seed, draw as u32);
        if let Some(point) = boundary.noisy(unit, length) {
            self.radii[draw] = Some([point.low, point.high]);
            self.take(point);
        }
        self.stage = if draw + 1 < self.search.draws { Stage::Noise(draw + 1) } else { Stage::Starts(0) };
    }

    fn look_at_starts(&mut self, boundary: &mut Boundary, from: usize) {
        let draws = self.search.draws;
        let count = self.radii.len() - draws;
        let until = (from + count.div_ceil(CHUNKS)).min(count);
        for (at, unit) in (from..until).zip(boundary.directions(from..until)) {
            if let Some(point) = unit.and_then(|unit| boundary.reached(unit)) {
                self.radii[draws + at] = Some([point.low, point.high]);
                self.take(point);
            }
        }
        self.stage = match until < count {
            true => Stage::Starts(until),
            false if self.order().is_empty() => Stage::Done,
            false => Stage::Follow(0),
        };
    }

    /// The starts that are followed, as places among the radii.
    fn order(&self) -> Vec<usize> {
        let draws = self.search.draws;
        let high = |at: usize| self.radii[at].map(|[_, high]| high);
        let mut noise: Vec<(usize, f64)> = (0..draws).filter_map(|at| Some((at, high(at)?))).collect();
        noise.sort_by(|a, b| a.1.total_cmp(&b.1));
        let own = (draws..self.radii.len()).filter_map(|at| Some((at, high(at)?)));
        let mut starts: Vec<(usize, f64)> = own.chain(noise).collect();
        // Equal starts keep their order: with rounding, a perturbation of an early layer can be helped by later ones.
        starts.sort_by(|a, b| (a.1 * 1e4).round().total_cmp(&(b.1 * 1e4).round()));
        starts.truncate(self.search.starts);
        starts.into_iter().map(|(at, _)| at).collect()
    }

    /// The start at this place among the radii.
    fn start(&self, boundary: &mut Boundary, at: usize) -> Option<Point> {
        let draws = self.search.draws;
        let [low, high] = self.radii[at]?;
        let unit = match at.checked_sub(draws) {
            None => boundary.drawn(self.search.seed, at as u32).0,
            Some(start) => boundary.directions(start..start + 1).pop()??,
        };
        Some(boundary.sharp(Point { unit, low, high }))
    }

    fn follow(&mut self, boundary: &mut Boundary, at: usize) {
        let order = self.order();
        let begun = self.descent.take();
        let mut start = |searching: &Self| searching.start(&mut *boundary, *order.get(at)?).map(Descent::new);
        let Some(mut descent) = begun.or_else(|| start(self)) else {
            self.stage = Stage::Done;
            return;
        };
        let goes_on = descent.step(boundary, self.search.steps);
        self.take(descent.point.clone());
        if goes_on {
            self.descent = Some(descent);
            return;
        }
        self.ends.push(descent.point);
        self.stage = match at + 1 < order.len() {
            true => Stage::Follow(at + 1),
            false => self.polishing(0),
        };
    }

    /// The ends that are polished, as places among the ends.
    fn chosen(&self) -> Vec<usize> {
        let high = |at: &usize| self.ends[*at].high;
        let mut chosen: Vec<usize> = (0..self.ends.len()).collect();
        chosen.sort_by(|a, b| high(a).total_cmp(&high(b)));
        // Ends of the same norm are mostly the same point.
        chosen.dedup_by(|b, a| high(b) < high(a) * (1.0 + 1e-4));
        chosen.truncate(POLISHED);
        let farthest = POLISHED_WITHIN * chosen.first().map_or(0.0, high);
        chosen.retain(|at| high(at) < farthest);
        chosen
    }

    /// The beginning of the polishing of an end, or of nothing.
    fn polishing(&self, end: usize) -> Stage {
        match self.chosen().get(end) {
            Some(at) => {
                let before = self.ends[*at].high;
                Stage::Polish(Polish { end, round: 0, look: 0, still: 0, before })
            }
            None => Stage::Done,
        }
    }

    fn polish(&mut self, boundary: &mut Boundary, mut polish: Polish) {
        let begun = self.descent.take();
        let chosen = self.chosen();
        let end = || chosen.get(polish.end).map(|at| Descent::new(self.ends[*at].clone()));
        let Some(mut descent) = begun.or_else(end) else {
            self.stage = Stage::Done;
            return;
        };
        let mut is_over = false;
        if let Some(away) = AWAY.get(polish.look) {
            // No draw is used twice.
            let of = ((polish.end * ROUNDS + polish.round) * AWAY.len() + polish.look) as u32 * LOOKS;
            let found = boundary.looked(descent.point, *away, self.search.seed, of..of + LOOKS);
            descent = Descent::new(found);
            polish.look += 1;
            if polish.look == AWAY.len() {
                let descends = descent.point.high < polish.before * (1.0 - 1e-6) && self.search.steps > 0;
                is_over = !descends;
            }
        } else {
            is_over = !descent.step(boundary, self.search.steps);
        }
        self.take(descent.point.clone());
        if is_over {
            let is_still = descent.point.high >= polish.before * (1.0 - 1e-7);
            polish.still = if is_still { polish.still + 1 } else { 0 };
            (polish.round, polish.look, polish.before) = (polish.round + 1, 0, descent.point.high);
            descent = Descent::new(descent.point);
            if polish.still == 2 || polish.round >= ROUNDS {
                self.stage = self.polishing(polish.end + 1);
                return;
            }
        }
        self.descent = Some(descent);
        self.stage = Stage::Polish(polish);
    }
}

#[cfg(test)]
mod tests {
    use super::super::boundary::norm;
    use super::*;
    use crate::circuits::{Circuit, Order, Rounding};

    #[test]
    fn norms_only_fall_and_the_end_is_that_of_the_whole_search() {
        let circuit = Circuit::parity(3, Order::Chain).unwrap().layered().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = Network::new(&circuit, rounding).unwrap();
            let (bits, search) = ([true, false, true], Search { starts: 4, ..Search::default() });
            let mut searching = Searching::new(&network, &bits, search).unwrap();
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
            assert_eq!(searching.least(&network), network.least_norm(&bits, search).unwrap());
            assert_eq!(
                searching.noise_norm(),
                network.noise_flips(&bits, 0, 8).unwrap().first().map(|f| f.norm)
            );
        }
    }
}
