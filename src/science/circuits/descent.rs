//! Operations of the search for the smallest perturbation: starting directions, descent steps along the decision boundary,
//! sampling around an end point, and tangent planes of the boundary.

use std::ops::Range;

use super::boundary::{BoundaryPoint, DecisionBoundary};
use super::forward::KinkSide;
use super::network::{FreeParameters, LinearLayer};
use vivarium_core::math::{add_scaled, dot, norm};

/// Maximum number of neurons from which the search for the smallest perturbation takes starting directions. Of more
/// neurons, evenly spaced ones are used.
const MAX_START_NEURONS: usize = 600;
/// Smallest and largest norm of a perturbation at which the search tests, along a starting direction, whether the
/// answer changes.
const START_RADII: [f64; 2] = [1.0 / 64.0, 4.0];
/// Fractions α that a descent tries for its step u ← (1 − α) u + α g from the current direction u to the target
/// direction g.
const STEP_FRACTIONS: [f64; 9] = [1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003];
/// Number of latest tangent planes of the decision boundary that a descent keeps, and the number of consecutive steps
/// without an improvement after which it ends.
const MAX_STORED_PLANES: usize = 8;
/// Maximum number of tangent planes that a descent stores between two steps: a step without an improvement adds one
/// plane to the [`MAX_STORED_PLANES`].
pub(super) const MAX_PLANES: usize = MAX_STORED_PLANES + 1;
/// Number of random directions that one call of [`DecisionBoundary::sample_around`] samples around a boundary point,
/// all at one distance.
pub(super) const SAMPLES_PER_DISTANCE: u32 = 64;
/// Number of samples, of the [`SAMPLES_PER_DISTANCE`] around a boundary point, at which the tangent plane of the
/// boundary is computed.
const LINEARIZED_SAMPLES: usize = 6;
/// Maximum number of tangent planes that [`DecisionBoundary::sample_around`] adds to those of the samples, each
/// near the point that is nearest to θ beyond all planes so far.
const MAX_CUTTING_PLANES: usize = 8;
/// Maximum number of passes of Hildreth's method (see [`nearest_direction`]) over all tangent planes.
const MAX_HILDRETH_SWEEPS: usize = 1_000;
/// Number of starting directions of a search that are gradients of the output F at θ, one for each treatment of kinks
/// ([`KinkSide`]); they precede those of neurons.
const GRADIENT_STARTS: usize = 2;

/// For a network with `neurons` neurons: the spacing k, so that every k-th neuron gives starting directions, and
/// the number of neurons chosen in this way.
fn neuron_spacing(neurons: usize) -> (usize, usize) {
    let every = neurons.div_ceil(MAX_START_NEURONS).max(1);
    (every, neurons.div_ceil(every))
}

/// Number of starting directions of a search other than noise: [`GRADIENT_STARTS`], and two for each chosen neuron.
pub(super) fn count_starts(neurons: usize) -> usize {
    GRADIENT_STARTS + 2 * neuron_spacing(neurons).1
}

/// State of a descent along the decision boundary from one starting point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoundaryDescent {
    /// The perturbation of the network's weights with the smallest ℓ₂ norm, of those on the decision boundary that the
    /// descent has reached so far.
    pub point: BoundaryPoint,
    /// The most recent tangent half-spaces of the decision boundary, oldest first, at most [`MAX_PLANES`].
    pub planes: Vec<HalfSpace>,
    /// Number of descent steps since the norm of `point` last decreased.
    pub steps_without_gain: usize,
    /// Fraction α of the way from the direction of `point` to the direction of the target, the point nearest to 0 in
    /// the intersection of `planes`. After a step without an improvement one more tangent plane is computed there, and
    /// α is multiplied by 0.3.
    pub alpha: f64,
    /// Number of steps that the descent along the decision boundary has made so far.
    pub steps: usize,
}

impl BoundaryDescent {
    /// A descent along the decision boundary before its first step, from the starting point `point`.
    pub fn new(point: BoundaryPoint) -> Self {
        BoundaryDescent { point, planes: vec![], steps_without_gain: 0, alpha: 0.1, steps: 0 }
    }

    /// Makes one step along the decision boundary. Returns `false` if the descent has ended: after `max_steps` steps,
    /// after more than [`MAX_STORED_PLANES`] steps without an improvement, or if the tangent planes give no direction.
    pub fn step(&mut self, boundary: &mut DecisionBoundary, max_steps: usize) -> bool {
        if self.steps >= max_steps {
            return false;
        }
        self.steps += 1;
        let before = self.point.high;
        for kink in [KinkSide::Towards(-boundary.sign), KinkSide::Flat] {
            let radii = [self.point.high, self.point.low];
            if let Some(plane) = boundary.linearize(&self.point.unit, radii, kink) {
                boundary.move_towards(&mut self.point, &plane.normal);
                self.planes.push(plane);
            }
        }
        self.planes.drain(..self.planes.len().saturating_sub(MAX_STORED_PLANES));
        let Some(target) = nearest_direction(&self.planes) else { return false };
        boundary.move_towards(&mut self.point, &target);
        if self.point.high < before * (1.0 - 1e-9) {
            (self.steps_without_gain, self.alpha) = (0, 0.1);
            return self.steps < max_steps;
        }
        // The boundary has a kink here: the tangent plane a little closer to the target is stored as well.
        self.steps_without_gain += 1;
        if self.steps_without_gain > MAX_STORED_PLANES {
            return false;
        }
        let unit = interpolate(&self.point.unit, &target, self.alpha);
        self.alpha *= 0.3;
        let radii = [self.point.high; 2];
        self.planes.extend(unit.and_then(|unit| boundary.linearize(&unit, radii, KinkSide::Flat)));
        self.steps < max_steps
    }
}

impl DecisionBoundary<'_> {
    /// The starting directions with these indices, as unit vectors `[parameters]`: first [`GRADIENT_STARTS`] gradients,
    /// then for each chosen neuron the direction that lowers and the one that raises its pre-activation. `None` for a
    /// direction that is 0.
    pub fn start_directions(&self, starts: Range<usize>) -> Vec<Option<Vec<f64>>> {
        let network = self.network;
        let (theta, sign) = (network.theta(), self.sign);
        let trace = network.trace_unchecked(theta, &self.inputs);
        let layers = network.layers().iter().enumerate();
        let neurons: Vec<(usize, &LinearLayer, usize)> =
            layers.flat_map(|(at, layer)| (0..layer.rows).map(move |row| (at, layer, row))).collect();
        let (every, _) = neuron_spacing(neurons.len());
        let direction = |start: usize| {
            let along = match start.checked_sub(GRADIENT_STARTS) {
                None => {
                    let kink = [KinkSide::Flat, KinkSide::Towards(-sign)][start];
                    let slope = network.secant_gradient(theta, &self.inputs, theta, kink);
                    slope.into_iter().map(|slope| -sign * slope).collect()
                }
                Some(of) => {
                    let (at, layer, row) = *neurons.get(of / 2 * every)?;
                    neuron_direction(layer, row, trace.layer_inputs(at), [-1.0, 1.0][of % 2], theta.len())
                }
            };
            Some(normalize(along)?.0)
        };
        starts.map(direction).collect()
    }

    /// The first point along the starting direction `unit` where the answer changes, for norms in [`START_RADII`],
    /// bisected to a relative error of 10⁻⁵. `None` if the answer does not change.
    pub fn find_start_point(&mut self, unit: Vec<f64>) -> Option<BoundaryPoint> {
        let point = self.find_first_crossing(unit, START_RADII, std::f64::consts::SQRT_2)?;
        Some(self.bisect(point, 1e-5))
    }

    /// Replaces `point` by a nearer boundary point in directions between it and `target`, if
    /// [`DecisionBoundary::search_towards`] finds one.
    fn move_towards(&mut self, point: &mut BoundaryPoint, target: &[f64]) {
        *point = self.search_towards(point.clone(), target);
    }

    /// Samples the random directions numbered `draws` of `seed` around `point`, at the distance `away` times the norm
    /// of `point`, and returns the nearest boundary point found, which is `point` itself if no other is nearer.
    pub fn sample_around(
        &mut self,
        mut point: BoundaryPoint,
        away: f64,
        seed: u64,
        draws: Range<u32>,
    ) -> BoundaryPoint {
        let towards = KinkSide::Towards(-self.sign);
        let radii = [point.high, point.low];
        let planes = [KinkSide::Flat, towards].map(|kink| self.linearize(&point.unit, radii, kink));
        let mut planes: Vec<HalfSpace> = planes.into_iter().flatten().collect();
        for (sample, draw) in draws.enumerate() {
            let Some((direction, _)) = normalize(self.network.draw_signs(seed, draw)) else { continue };
            let unit = point.unit.iter().zip(direction).map(|(u, d)| u + away * d).collect();
            let Some((unit, _)) = normalize(unit) else { continue };
            if self.changes_answer(&unit, point.high * (1.0 - 1e-9)) {
                point = self.search_towards(point, &unit);
            }
            if sample < LINEARIZED_SAMPLES
                && let Some(plane) = self.linearize(&unit, [point.high; 2], towards)
            {
                point = self.search_towards(point, &plane.normal);
                planes.push(plane);
            }
        }
        for _ in 0..MAX_CUTTING_PLANES {
            let Some(target) = nearest_direction(&planes) else { break };
            let before = point.high;
            point = self.search_towards(point, &target);
            if point.high < before * (1.0 - 1e-9) {
                continue;
            }
            // The boundary differs from the planes: the tangent plane on the way to the target is added.
            let Some(unit) = interpolate(&point.unit, &target, away) else { break };
            planes.extend(self.linearize(&unit, [point.high; 2], towards));
        }
        point
    }

    /// The tangent half-space of the decision boundary at the perturbation `radii[0]` · `unit`. There slack(δ), the
    /// output F(θ + δ) times the sign of F(θ), is replaced by its linear expansion, with secants to `radii[1]` · `unit`
    /// as derivatives; `kink` selects the one-sided derivative at a kink. `None` if the gradient is 0 or not finite.
    pub fn linearize(&mut self, unit: &[f64], radii: [f64; 2], kink: KinkSide) -> Option<HalfSpace> {
        let [here, there] = radii.map(|radius| self.network.perturb(unit, radius));
        let slope = self.network.secant_gradient(&here, &self.inputs, &there, kink);
        let slack = self.sign * self.network.output_unchecked(&here, &self.inputs);
        let (normal, length) = normalize(slope.into_iter().map(|slope| -self.sign * slope).collect())?;
        let reached: f64 = normal.iter().zip(unit).map(|(n, u)| n * u * radii[0]).sum();
        // On a steep boundary the slack is any number from −1 to 1, and its distance from the boundary is nearly 0.
        let missing = slack / length;
        missing.is_finite().then_some(HalfSpace { offset: reached + missing, normal })
    }

    /// The nearest boundary point along the directions (1 − α) `point.unit` + α `target`, with `target` a unit vector,
    /// for the fractions α of [`STEP_FRACTIONS`]; `point` itself if none is nearer.
    fn search_towards(&mut self, mut point: BoundaryPoint, target: &[f64]) -> BoundaryPoint {
        let from = point.unit.clone();
        for alpha in STEP_FRACTIONS {
            let Some(unit) = interpolate(&from, target, alpha) else { continue };
            let mut high = point.high * (1.0 - 1e-11);
            if !self.changes_answer(&unit, high) {
                continue;
            }
            // How much nearer the boundary is, is unknown: the bracket grows by a factor of 4.
            let mut less = 1e-4;
            let mut low = high * (1.0 - less);
            while low > 0.0 && self.changes_answer(&unit, low) {
                (high, less) = (low, 4.0 * less);
                low = (high * (1.0 - less)).max(0.0);
            }
            point = self.bisect_fully(BoundaryPoint { unit, low, high });
        }
        point
    }
}

/// The direction, `[parameters]`, of the free parameters of output `row` of `layer` in which its pre-activation
/// changes fastest: upwards for `up` = 1, downwards for −1. `inputs` are the layer's inputs and `length` is the
/// number of all parameters.
fn neuron_direction(layer: &LinearLayer, row: usize, inputs: &[f64], up: f64, length: usize) -> Vec<f64> {
    let mut direction = vec![0.0; length];
    if layer.free != FreeParameters::None {
        direction[layer.row_range(row)].iter_mut().zip(inputs).for_each(|(d, input)| *d = up * input);
    }
    if layer.free == FreeParameters::All {
        direction[layer.bias_index(row)] = up;
    }
    direction
}

/// The half-space ⟨`normal`, δ⟩ ≥ `offset` of perturbations δ for which the linear expansion of the output predicts a
/// changed answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HalfSpace {
    /// Unit normal vector of the half-space's plane, `[parameters]`.
    pub normal: Vec<f64>,
    /// Distance of the half-space's plane from the unperturbed parameters, δ = 0; negative if δ = 0 lies in the
    /// half-space.
    pub offset: f64,
}

/// The unit vector towards the point nearest to 0 in the intersection of the half-spaces `planes`, by Hildreth's method
/// (1957): the point is a combination of the normals with factors of at least 0, and each factor in turn is set so that
/// the point satisfies its half-space. `None` if there are no half-spaces or the point is 0.
fn nearest_direction(planes: &[HalfSpace]) -> Option<Vec<f64>> {
    let products: Vec<Vec<f64>> =
        planes.iter().map(|a| planes.iter().map(|b| dot(&a.normal, &b.normal)).collect()).collect();
    let mut factors = vec![0.0; planes.len()];
    for _ in 0..MAX_HILDRETH_SWEEPS {
        let mut max_change: f64 = 0.0;
        for (i, plane) in planes.iter().enumerate() {
            let reached = dot(&products[i], &factors);
            let factor = f64::max(0.0, factors[i] + plane.offset - reached);
            max_change = max_change.max((factor - factors[i]).abs());
            factors[i] = factor;
        }
        if max_change < 1e-13 {
            break;
        }
    }
    let mut sum = vec![0.0; planes.first()?.normal.len()];
    for (plane, factor) in planes.iter().zip(factors) {
        add_scaled(&mut sum, factor, &plane.normal);
    }
    Some(normalize(sum)?.0)
}

/// The unit vector along (1 − α) a + α b; `None` if that vector is 0.
fn interpolate(a: &[f64], b: &[f64], alpha: f64) -> Option<Vec<f64>> {
    Some(normalize(a.iter().zip(b).map(|(a, b)| (1.0 - alpha) * a + alpha * b).collect())?.0)
}

/// The unit vector v/‖v‖₂ and the norm ‖v‖₂; `None` if v is 0 or not finite.
pub(super) fn normalize(mut v: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    // Squares of very large or very small gradients would overflow or underflow.
    let largest = v.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    v.iter_mut().for_each(|x| *x /= largest);
    let length = norm(&v);
    v.iter_mut().for_each(|x| *x /= length);
    Some((v, length * largest))
}
