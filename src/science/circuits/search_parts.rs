//! A search as lists of numbers of fixed lengths, so that it can be kept and taken up again.

use super::boundary::Point;
use super::error::CircuitError;
use super::least_norm::Search;
use super::moves::{Descent, MOST_PLANES, Plane, starts};
use super::network::Network;
use super::searching::{Polish, Searching, Stage};

/// Numbers of a search before its radii and distances.
const SCALARS: usize = 18;

impl Searching {
    /// What [`Searching::parts`] are called, permanently: the smallest perturbation, the point of the descent under way, the
    /// planes that it remembers, the ends of other descents, and all single numbers.
    pub const NAMES: [&'static str; 5] = ["least", "point", "planes", "ends", "search"];

    /// How many numbers each part has, for a network of so many parameters and neurons.
    pub fn sizes(parameters: u64, neurons: usize, search: Search) -> [u64; 5] {
        let singles = SCALARS + 2 * (search.draws + starts(neurons)) + MOST_PLANES + 2 * search.starts;
        let times = |count: usize| parameters.saturating_mul(count as u64);
        [parameters, parameters, times(MOST_PLANES), times(search.starts), singles as u64]
    }

    /// The search as lists of numbers; what is not there is 0.
    pub fn parts(&self) -> [Vec<f64>; 5] {
        let length = self.length();
        let unit = |point: Option<&Point>| point.map_or(vec![0.0; length], |point| point.unit.clone());
        let point = self.descent.as_ref().map(|descent| &descent.point);
        let planes = self.descent.as_ref().map_or(&[][..], |descent| &descent.planes);
        let filled = |mut numbers: Vec<f64>, count: usize| {
            numbers.resize(count, 0.0);
            numbers
        };
        let normals = planes.iter().flat_map(|plane| plane.normal.iter().copied()).collect();
        let ends = self.ends.iter().flat_map(|end| end.unit.iter().copied()).collect();
        let (code, polish) = match self.stage {
            Stage::Noise(at) => ([0.0, at as f64], None),
            Stage::Starts(at) => ([1.0, at as f64], None),
            Stage::Follow(at) => ([2.0, at as f64], None),
            Stage::Polish(polish) => ([3.0, polish.end as f64], Some(polish)),
            Stage::Done => ([4.0, 0.0], None),
        };
        let polish = polish.map_or([0.0; 4], |polish| {
            [polish.round as f64, polish.look as f64, polish.still as f64, polish.before]
        });
        let descent = self.descent.as_ref().map_or([0.0; 4], |descent| {
            [descent.planes.len() as f64, descent.failed as f64, descent.alpha, descent.made as f64]
        });
        let radii = |point: Option<&Point>| point.map_or([0.0; 2], |point| [point.low, point.high]);
        let mut singles = vec![self.iterations as f64, self.evaluations as f64, self.ends.len() as f64];
        singles.push(f64::from(u8::from(self.descent.is_some())));
        singles.extend(code.into_iter().chain(polish).chain(descent));
        singles.extend(radii(self.best.as_ref()).into_iter().chain(radii(point)));
        singles.extend(self.radii.iter().flat_map(|radii| radii.unwrap_or([0.0; 2])));
        let distances: Vec<f64> = planes.iter().map(|plane| plane.distance).collect();
        singles.extend(filled(distances, MOST_PLANES));
        let of_ends: Vec<f64> = self.ends.iter().flat_map(|end| [end.low, end.high]).collect();
        singles.extend(filled(of_ends, 2 * self.search.starts));
        [
            unit(self.best.as_ref()),
            unit(point),
            filled(normals, MOST_PLANES * length),
            filled(ends, self.search.starts * length),
            singles,
        ]
    }

    /// The search of these parts, which are those of this network, input and search; a new one where no iteration was made.
    pub fn of(
        network: &Network,
        bits: &[bool],
        search: Search,
        parts: [&[f64]; 5],
    ) -> Result<Self, CircuitError> {
        let [least, point, planes, ends, singles] = parts;
        let single = |at: usize| singles.get(at).copied().unwrap_or(0.0);
        // Larger numbers stand in no search.
        let count = |at: usize| single(at).min(1e6) as usize;
        if single(0) < 1.0 {
            return Searching::new(network, bits, search);
        }
        let mut searching = Searching::begun(network, bits, search)?;
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
            0 => Stage::Noise(at.min(search.draws.saturating_sub(1))),
            1 => Stage::Starts(at.min(candidates - search.draws)),
            2 => Stage::Follow(at),
            3 => Stage::Polish(Polish {
                end: at.min(2),
                round: count(6).min(100),
                look: count(7).min(100),
                still: count(8).min(1),
                before: single(9),
            }),
            _ => Stage::Done,
        };
        for (place, radii) in searching.radii.iter_mut().enumerate() {
            let [low, high] = [0, 1].map(|side| single(SCALARS + 2 * place + side));
            *radii = (high > 0.0).then_some([low, high]);
        }
        let of_planes = SCALARS + 2 * candidates;
        let of_ends = of_planes + MOST_PLANES;
        searching.ends = (0..count(2).min(search.starts))
            .map(|end| Point {
                unit: stored(ends, end),
                low: single(of_ends + 2 * end),
                high: single(of_ends + 2 * end + 1),
            })
            .collect();
        searching.best =
            (single(15) > 0.0).then(|| Point { unit: stored(least, 0), low: single(14), high: single(15) });
        searching.descent = (single(3) > 0.0).then(|| Descent {
            point: Point { unit: stored(point, 0), low: single(16), high: single(17) },
            planes: (0..count(10).min(MOST_PLANES))
                .map(|plane| Plane { normal: stored(planes, plane), distance: single(of_planes + plane) })
                .collect(),
            failed: count(11),
            alpha: single(12),
            made: count(13),
        });
        Ok(searching)
    }

    /// The perturbation in parts that were kept, and its norm; none before the first iteration.
    pub fn kept_delta(least: &[f64], singles: &[f64]) -> Option<(Vec<f64>, f64)> {
        let norm = singles.get(15).copied().filter(|norm| *norm > 0.0)?;
        Some((least.iter().map(|unit| norm * unit).collect(), norm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, Order, Rounding};

    #[test]
    fn a_search_that_is_taken_up_again_goes_on_with_the_same_numbers() {
        let circuit = Circuit::parity(3, Order::Tree).unwrap().layered().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = Network::new(&circuit, rounding).unwrap();
            let (bits, search) = ([true, true, false], Search { draws: 3, starts: 3, steps: 20, seed: 5 });
            let sizes = Searching::sizes(network.theta().len() as u64, network.neurons(), search);
            let mut searching = Searching::new(&network, &bits, search).unwrap();
            while !searching.is_done() {
                let parts = searching.parts();
                assert_eq!(parts.each_ref().map(|part| part.len() as u64), sizes);
                let again = Searching::of(&network, &bits, search, parts.each_ref().map(Vec::as_slice));
                assert_eq!(again.as_ref(), Ok(&searching));
                let [least, .., singles] = &parts;
                let (delta, norm) = (searching.delta().unwrap(), searching.norm().unwrap());
                if searching.iterations() > 0 {
                    assert_eq!(Searching::kept_delta(least, singles), Some((delta, norm)));
                }
                searching.advance(&network);
            }
            let parts = searching.parts();
            let again = Searching::of(&network, &bits, search, parts.each_ref().map(Vec::as_slice)).unwrap();
            assert_eq!(again, searching);
        }
    }

    #[test]
    fn parts_that_make_no_sense_are_a_search_all_the_same() {
        let network = Network::toy(3, Rounding::On).unwrap();
        let search = Search { draws: 2, starts: 2, steps: 5, seed: 0 };
        for wrong in [-1.0, 1.0, 3.0, 1e30, f64::NAN] {
            let numbers = vec![wrong; 400];
            let mut searching = Searching::of(&network, &[true], search, [&numbers; 5]).unwrap();
            for _ in 0..10 {
                searching.advance(&network);
            }
        }
        assert!(Searching::of(&network, &[true], search, [&[]; 5]).is_ok());
    }
}
