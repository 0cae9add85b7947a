//! The moves of the search for the least-norm perturbation: starts, one step along the boundary, looks around an end, and
//! planes of the boundary.

use std::ops::Range;

use super::boundary::{Boundary, Point, norm};
use super::forward::Kink;
use super::network::{Free, Layer};

/// Neurons that starts are made of; of more, evenly spaced ones are taken.
const MOST_NEURONS: usize = 600;
/// The smallest and the largest radius of a start.
const RADII: [f64; 2] = [1.0 / 64.0, 4.0];
/// How far a step goes from one direction to another.
const ALPHAS: [f64; 9] = [1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003];
/// Planes that are remembered, and how often a search looks around at a kink.
const REMEMBERED: usize = 8;
/// Planes between two steps, at most: one is added where the boundary has a kink.
pub(super) const MOST_PLANES: usize = REMEMBERED + 1;
/// How many places a look around takes for each distance.
pub(super) const LOOKS: u32 = 64;
/// At how many of them it finds the plane of the boundary.
const LOOKED_AT: usize = 6;
/// How many planes are added to them, one after the other, where the point nearest to all of them would be.
const CUTS: usize = 8;
/// Passes of Hildreth's method over all planes, at most.
const SWEEPS: usize = 1_000;
/// Starts that are made of slopes at θ, before those of neurons.
const SLOPES: usize = 2;

/// How many neurons lie between two that starts are made of, and how many these are.
fn spacing(neurons: usize) -> (usize, usize) {
    let every = neurons.div_ceil(MOST_NEURONS).max(1);
    (every, neurons.div_ceil(every))
}

/// How many starts a network of so many neurons has, those of noise apart.
pub(super) fn starts(neurons: usize) -> usize {
    SLOPES + 2 * spacing(neurons).1
}

/// A descent from one start: where it is, and the planes that it remembers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Descent {
    pub point: Point,
    pub planes: Vec<Plane>,
    /// How often in a row nothing was nearer.
    pub failed: usize,
    /// How far to look around then.
    pub alpha: f64,
    /// Steps made.
    pub made: usize,
}

impl Descent {
    pub fn new(point: Point) -> Self {
        Descent { point, planes: vec![], failed: 0, alpha: 0.1, made: 0 }
    }

    /// Makes one of at most `steps` steps; whether there is another one.
    pub fn step(&mut self, boundary: &mut Boundary, steps: usize) -> bool {
        if self.made >= steps {
            return false;
        }
        self.made += 1;
        let before = self.point.high;
        for kink in [Kink::Towards(-boundary.sign), Kink::Flat] {
            let radii = [self.point.high, self.point.low];
            if let Some(plane) = boundary.plane(&self.point.unit, radii, kink) {
                boundary.approach(&mut self.point, &plane.normal);
                self.planes.push(plane);
            }
        }
        self.planes.drain(..self.planes.len().saturating_sub(REMEMBERED));
        let Some(target) = nearest(&self.planes) else { return false };
        boundary.approach(&mut self.point, &target);
        if self.point.high < before * (1.0 - 1e-9) {
            (self.failed, self.alpha) = (0, 0.1);
            return self.made < steps;
        }
        // The boundary has a kink here: what it is like a little further on is remembered as well.
        self.failed += 1;
        if self.failed > REMEMBERED {
            return false;
        }
        let unit = mixed(&self.point.unit, &target, self.alpha);
        self.alpha *= 0.3;
        let radii = [self.point.high; 2];
        self.planes.extend(unit.and_then(|unit| boundary.plane(&unit, radii, Kink::Flat)));
        self.made < steps
    }
}

impl Boundary<'_> {
    /// The directions of the starts with these numbers, those of noise apart; none of one that has no length.
    pub fn directions(&self, starts: Range<usize>) -> Vec<Option<Vec<f64>>> {
        let network = self.network;
        let (theta, sign) = (network.theta(), self.sign);
        let trace = network.traced(theta, &self.inputs);
        let layers = network.layers().iter().enumerate();
        let neurons: Vec<(usize, &Layer, usize)> =
            layers.flat_map(|(at, layer)| (0..layer.rows).map(move |row| (at, layer, row))).collect();
        let (every, _) = spacing(neurons.len());
        let direction = |start: usize| {
            let along = match start.checked_sub(SLOPES) {
                None => {
                    let kink = [Kink::Flat, Kink::Towards(-sign)][start];
                    let slope = network.across(theta, &self.inputs, theta, kink);
                    slope.into_iter().map(|slope| -sign * slope).collect()
                }
                Some(of) => {
                    let (at, layer, row) = *neurons.get(of / 2 * every)?;
                    own(layer, row, trace.inputs_of(at), [-1.0, 1.0][of % 2], theta.len())
                }
            };
            Some(normalised(along)?.0)
        };
        starts.map(direction).collect()
    }

    /// The boundary in the direction of a start, roughly.
    pub fn reached(&mut self, unit: Vec<f64>) -> Option<Point> {
        let point = self.first(unit, RADII, std::f64::consts::SQRT_2)?;
        Some(self.bisected(point, 1e-5))
    }

    /// Moves a point nearer, if something nearer is tried between its direction and another.
    fn approach(&mut self, point: &mut Point, target: &[f64]) {
        *point = self.nearer(point.clone(), target);
    }

    /// The nearest point found from looks in the directions of these draws, so far away from a point.
    pub fn looked(&mut self, mut point: Point, away: f64, seed: u64, draws: Range<u32>) -> Point {
        let towards = Kink::Towards(-self.sign);
        let radii = [point.high, point.low];
        let planes = [Kink::Flat, towards].map(|kink| self.plane(&point.unit, radii, kink));
        let mut planes: Vec<Plane> = planes.into_iter().flatten().collect();
        for (look, draw) in draws.enumerate() {
            let Some((direction, _)) = normalised(self.network.signs(seed, draw)) else { continue };
            let unit = point.unit.iter().zip(direction).map(|(u, d)| u + away * d).collect();
            let Some((unit, _)) = normalised(unit) else { continue };
            if self.flips(&unit, point.high * (1.0 - 1e-9)) {
                point = self.nearer(point, &unit);
            }
            if look < LOOKED_AT
                && let Some(plane) = self.plane(&unit, [point.high; 2], towards)
            {
                point = self.nearer(point, &plane.normal);
                planes.push(plane);
            }
        }
        for _ in 0..CUTS {
            let Some(target) = nearest(&planes) else { break };
            let before = point.high;
            point = self.nearer(point, &target);
            if point.high < before * (1.0 - 1e-9) {
                continue;
            }
            // The planes have left something out: what the boundary is like on the way there.
            let Some(unit) = mixed(&point.unit, &target, away) else { break };
            planes.extend(self.plane(&unit, [point.high; 2], towards));
        }
        point
    }

    /// The boundary as a plane, from what the slack is like at a point.
    pub fn plane(&mut self, unit: &[f64], radii: [f64; 2], kink: Kink) -> Option<Plane> {
        let [here, there] = radii.map(|radius| self.network.moved(unit, radius));
        let slope = self.network.across(&here, &self.inputs, &there, kink);
        let slack = self.sign * self.network.run(&here, &self.inputs);
        let (normal, length) = normalised(slope.into_iter().map(|slope| -self.sign * slope).collect())?;
        let reached: f64 = normal.iter().zip(unit).map(|(n, u)| n * u * radii[0]).sum();
        // On a steep boundary the slack is anything from −1 to 1, and what is missing to it next to nothing.
        let missing = slack / length;
        missing.is_finite().then_some(Plane { distance: reached + missing, normal })
    }

    /// The nearest point of the boundary that is tried between a point's direction and another.
    fn nearer(&mut self, mut point: Point, target: &[f64]) -> Point {
        let from = point.unit.clone();
        for alpha in ALPHAS {
            let Some(unit) = mixed(&from, target, alpha) else { continue };
            let mut high = point.high * (1.0 - 1e-11);
            if !self.flips(&unit, high) {
                continue;
            }
            // The boundary may be much nearer, or hardly.
            let mut less = 1e-4;
            let mut low = high * (1.0 - less);
            while low > 0.0 && self.flips(&unit, low) {
                (high, less) = (low, 4.0 * less);
                low = (high * (1.0 - less)).max(0.0);
            }
            point = self.sharp(Point { unit, low, high });
        }
        point
    }
}

/// The direction in which a neuron's sum moves fastest by its own parameters.
fn own(layer: &Layer, row: usize, inputs: &[f64], up: f64, length: usize) -> Vec<f64> {
    let mut direction = vec![0.0; length];
    if layer.free != Free::Nothing {
        direction[layer.row(row)].iter_mut().zip(inputs).for_each(|(d, input)| *d = up * input);
    }
    if layer.free == Free::All {
        direction[layer.bias(row)] = up;
    }
    direction
}

/// The half-space ⟨normal, δ⟩ ≥ distance, in which the answer changes as far as a linear function tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plane {
    pub normal: Vec<f64>,
    pub distance: f64,
}

/// The direction of the point nearest to 0 that lies in all these half-spaces, by Hildreth's method (1957): it is a sum of
/// the normals, and each factor in turn is set as its own half-space wants it, at least 0.
fn nearest(planes: &[Plane]) -> Option<Vec<f64>> {
    let product = |a: &Plane, b: &Plane| a.normal.iter().zip(&b.normal).map(|(a, b)| a * b).sum::<f64>();
    let products: Vec<Vec<f64>> =
        planes.iter().map(|a| planes.iter().map(|b| product(a, b)).collect()).collect();
    let mut factors = vec![0.0; planes.len()];
    for _ in 0..SWEEPS {
        let mut most: f64 = 0.0;
        for (i, plane) in planes.iter().enumerate() {
            let reached: f64 = products[i].iter().zip(&factors).map(|(p, factor)| p * factor).sum();
            let factor = f64::max(0.0, factors[i] + plane.distance - reached);
            most = most.max((factor - factors[i]).abs());
            factors[i] = factor;
        }
        if most < 1e-13 {
            break;
        }
    }
    let mut sum = vec![0.0; planes.first()?.normal.len()];
    for (plane, factor) in planes.iter().zip(factors) {
        sum.iter_mut().zip(&plane.normal).for_each(|(sum, n)| *sum += factor * n);
    }
    Some(normalised(sum)?.0)
}

/// The unit vector along (1 − α) a + α b.
fn mixed(a: &[f64], b: &[f64], alpha: f64) -> Option<Vec<f64>> {
    Some(normalised(a.iter().zip(b).map(|(a, b)| (1.0 - alpha) * a + alpha * b).collect())?.0)
}

/// v/‖v‖₂ and ‖v‖₂.
pub(super) fn normalised(mut v: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    // Products of many slopes may be too large or too small to be squared.
    let largest = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    v.iter_mut().for_each(|x| *x /= largest);
    let length = norm(&v);
    v.iter_mut().for_each(|x| *x /= length);
    Some((v, length * largest))
}
