//! A search as lists of numbers with fixed lengths, so that it can be stored in a file and resumed.

use super::boundary::BoundaryPoint;
use super::descent::{BoundaryDescent, HalfSpace, MAX_PLANES, count_starts};
use super::error::CircuitError;
use super::least_norm::SearchSettings;
use super::network::ReluNetwork;
use super::search::{LeastNormSearch, PolishState, SearchStage};

/// Number of counters and other single numbers at the beginning of the part `search` of a stored search, before the
/// norms along starting directions and the distances of tangent planes.
const SCALARS: usize = 18;

impl LeastNormSearch {
    /// Permanent tensor names of the parts of [`LeastNormSearch::to_parts`]: the smallest perturbation, the point of the
    /// descent in progress, its tangent planes, the end points of completed descents, and all single numbers.
    pub const PART_NAMES: [&'static str; 5] = ["least", "point", "planes", "ends", "search"];

    /// Number of values of each part of [`LeastNormSearch::to_parts`], for a network with these numbers of
    /// parameters and neurons.
    pub fn part_sizes(parameters: u64, neurons: usize, search: SearchSettings) -> [u64; 5] {
        let singles = SCALARS + 2 * (search.draws + count_starts(neurons)) + MAX_PLANES + 2 * search.starts;
        let times = |count: usize| parameters.saturating_mul(count as u64);
        [parameters, parameters, times(MAX_PLANES), times(search.starts), singles as u64]
    }

    /// The state of the search as lists of numbers, in the order of [`LeastNormSearch::PART_NAMES`]; 0 stands for what
    /// does not exist yet.
    pub fn to_parts(&self) -> [Vec<f64>; 5] {
        let length = self.parameter_count();
        let unit =
            |point: Option<&BoundaryPoint>| point.map_or(vec![0.0; length], |point| point.unit.clone());
        let point = self.descent.as_ref().map(|descent| &descent.point);
        let planes = self.descent.as_ref().map_or(&[][..], |descent| &descent.planes);
        let filled = |mut numbers: Vec<f64>, count: usize| {
            numbers.resize(count, 0.0);
            numbers
        };
        let normals = planes.iter().flat_map(|plane| plane.normal.iter().copied()).collect();
        let ends = self.ends.iter().flat_map(|end| end.unit.iter().copied()).collect();
        let (code, polish) = match self.stage {
            SearchStage::Noise(at) => ([0.0, at as f64], None),
            SearchStage::Starts(at) => ([1.0, at as f64], None),
            SearchStage::Descend(at) => ([2.0, at as f64], None),
            SearchStage::Polish(polish) => ([3.0, polish.end as f64], Some(polish)),
            SearchStage::Done => ([4.0, 0.0], None),
        };
        let polish = polish.map_or([0.0; 4], |polish| {
            [
                polish.round as f64,
                polish.sampled as f64,
                polish.rounds_without_gain as f64,
                polish.initial_norm,
            ]
        });
        let descent = self.descent.as_ref().map_or([0.0; 4], |descent| {
            [
                descent.planes.len() as f64,
                descent.steps_without_gain as f64,
                descent.alpha,
                descent.steps as f64,
            ]
        });
        let radii = |point: Option<&BoundaryPoint>| point.map_or([0.0; 2], |point| [point.low, point.high]);
        let mut singles = vec![self.iterations as f64, self.evaluations as f64, self.ends.len() as f64];
        singles.push(f64::from(u8::from(self.descent.is_some())));
        singles.extend(code.into_iter().chain(polish).chain(descent));
        singles.extend(radii(self.best.as_ref()).into_iter().chain(radii(point)));
        singles.extend(self.radii.iter().flat_map(|radii| radii.unwrap_or([0.0; 2])));
        let distances: Vec<f64> = planes.iter().map(|plane| plane.offset).collect();
        singles.extend(filled(distances, MAX_PLANES));
        let of_ends: Vec<f64> = self.ends.iter().flat_map(|end| [end.low, end.high]).collect();
        singles.extend(filled(of_ends, 2 * self.search.starts));
        [
            unit(self.best.as_ref()),
            unit(point),
            filled(normals, MAX_PLANES * length),
            filled(ends, self.search.starts * length),
            singles,
        ]
    }

    /// Restores the search that [`LeastNormSearch::to_parts`] stored, for the same network, input and settings. Parts with 0
    /// iterations give a new search.
    ///
    /// # Errors
    /// Those of [`LeastNormSearch::new`]. Invalid numbers in the parts are clamped.
    pub fn from_parts(
        network: &ReluNetwork,
        bits: &[bool],
        search: SearchSettings,
        parts: [&[f64]; 5],
    ) -> Result<Self, CircuitError> {
        let [smallest, point, planes, ends, singles] = parts;
        let single = |at: usize| singles.get(at).copied().unwrap_or(0.0);
        // No counter of a search reaches this number.
        let count = |at: usize| single(at).min(1e6) as usize;
        if single(0) < 1.0 {
            return LeastNormSearch::new(network, bits, search);
        }
        let mut searching = LeastNormSearch::without_first_bound(network, bits, search)?;
        let length = network.theta().len();
        let stored = |numbers: &[f64], number: usize| {
            let from = number * length;
            numbers.get(from..from + length).map(<[f64]>::to_vec).unwrap_or(vec![0.0; length])
        };
        searching.iterations = single(0) as u64;
        searching.evaluations = single(1) as u64;
        let candidates = searching.radii.len();
        let at = count(5);
        searching.stage = match count(4) {
            0 => SearchStage::Noise(at.min(search.draws.saturating_sub(1))),
            1 => SearchStage::Starts(at.min(candidates - search.draws)),
            2 => SearchStage::Descend(at),
            3 => SearchStage::Polish(PolishState {
                end: at.min(2),
                round: count(6).min(100),
                sampled: count(7).min(100),
                rounds_without_gain: count(8).min(1),
                initial_norm: single(9),
            }),
            _ => SearchStage::Done,
        };
        for (place, radii) in searching.radii.iter_mut().enumerate() {
            let [low, high] = [0, 1].map(|side| single(SCALARS + 2 * place + side));
            *radii = (high > 0.0).then_some([low, high]);
        }
        let of_planes = SCALARS + 2 * candidates;
        let of_ends = of_planes + MAX_PLANES;
        searching.ends = (0..count(2).min(search.starts))
            .map(|end| BoundaryPoint {
                unit: stored(ends, end),
                low: single(of_ends + 2 * end),
                high: single(of_ends + 2 * end + 1),
            })
            .collect();
        searching.best = (single(15) > 0.0).then(|| BoundaryPoint {
            unit: stored(smallest, 0),
            low: single(14),
            high: single(15),
        });
        searching.descent = (single(3) > 0.0).then(|| BoundaryDescent {
            point: BoundaryPoint { unit: stored(point, 0), low: single(16), high: single(17) },
            planes: (0..count(10).min(MAX_PLANES))
                .map(|plane| HalfSpace { normal: stored(planes, plane), offset: single(of_planes + plane) })
                .collect(),
            steps_without_gain: count(11),
            alpha: single(12),
            steps: count(13),
        });
        Ok(searching)
    }

    /// The smallest perturbation `[parameters]` and its norm, from `smallest` = part `least` and `singles` = part
    /// `search` of a stored search; `None` if no perturbation was found.
    pub fn stored_delta(smallest: &[f64], singles: &[f64]) -> Option<(Vec<f64>, f64)> {
        let norm = singles.get(15).copied().filter(|norm| *norm > 0.0)?;
        Some((smallest.iter().map(|unit| norm * unit).collect(), norm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, ParityOrder, Rounding};

    #[test]
    fn a_restored_search_continues_with_the_same_numbers() {
        let circuit = Circuit::parity(3, ParityOrder::Tree).unwrap().to_layers().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = ReluNetwork::new(&circuit, rounding).unwrap();
            let (bits, search) =
                ([true, true, false], SearchSettings { draws: 3, starts: 3, steps: 20, seed: 5 });
            let sizes =
                LeastNormSearch::part_sizes(network.theta().len() as u64, network.neuron_count(), search);
            let mut searching = LeastNormSearch::new(&network, &bits, search).unwrap();
            while !searching.is_done() {
                let parts = searching.to_parts();
                assert_eq!(parts.each_ref().map(|part| part.len() as u64), sizes);
                let again =
                    LeastNormSearch::from_parts(&network, &bits, search, parts.each_ref().map(Vec::as_slice));
                assert_eq!(again.as_ref(), Ok(&searching));
                let [smallest, .., singles] = &parts;
                let (delta, norm) = (searching.delta().unwrap(), searching.norm().unwrap());
                if searching.iterations() > 0 {
                    assert_eq!(LeastNormSearch::stored_delta(smallest, singles), Some((delta, norm)));
                }
                searching.advance(&network);
            }
            let parts = searching.to_parts();
            let again =
                LeastNormSearch::from_parts(&network, &bits, search, parts.each_ref().map(Vec::as_slice))
                    .unwrap();
            assert_eq!(again, searching);
        }
    }

    #[test]
    fn invalid_parts_give_a_search_that_can_continue() {
        let network = ReluNetwork::toy(3, Rounding::On).unwrap();
        let search = SearchSettings { draws: 2, starts: 2, steps: 5, seed: 0 };
        for wrong in [-1.0, 1.0, 3.0, 1e30, f64::NAN] {
            let numbers = vec![wrong; 400];
            let mut searching =
                LeastNormSearch::from_parts(&network, &[true], search, [&numbers; 5]).unwrap();
            for _ in 0..10 {
                searching.advance(&network);
            }
        }
        assert!(LeastNormSearch::from_parts(&network, &[true], search, [&[]; 5]).is_ok());
    }
}
