//! A ReLU network with given values and derivatives at given points (Goel, Kakade, Kalai and Zhang 2022, lemma 5, in one
//! dimension); the weights are set, not learned.
//!
//! ```text
//! Δ    = min(1, smallest gap) / 10
//! ψ    = 0 outside x₀ ± 2Δ, 1 at x₀, slope 1 on x₀ ± Δ, straight between              5 ReLUs for each point
//! τ    = 0 up to 1 − 2Δ, y at 1, slope γ from 1 − Δ on, straight between              3 ReLUs for each point
//! f(x) = Σ τ(ψ(x))                                                                   f(x₀) = y, f′(x₀) = γ
//!
//! layers   W₁ [5n, 1] | ReLU | W₂ [3n, 5n] | ReLU | W₃ [1, 3n]
//! ```
//!
//! # Why
//! With one input and one output the lemma's sum has i = i′ = 1 only, so each point needs ψ with slope 1 and τ with value y:
//! half of the lemma's 10 n and 6 n units, which are for both slopes of ψ and for both values of τ. A slope of 0 comes from τ.
//! The first ReLU of each group lies left of all others and would carry a slope there; ψ and τ are 0 on the left, so its weight
//! is 0. It is kept, because the lemma counts it.
//!
//! Between the points the network is 0: it remembers a table and does not interpolate.
//! Weights grow as 1/Δ, and sums of them cancel behind each bump: with the limits here values and slopes are exact to about
//! 10⁻⁶. The minimum with 1 matters: for Δ above 1/2, τ would not be 0 where all bumps are.

use super::limits::{MAX_COORDINATE, MAX_POINTS, MIN_POINT_GAP};

/// A point at which the network's value and derivative are prescribed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterpolationPoint {
    /// Input x of the network.
    pub x: f64,
    /// Prescribed output of the network at x.
    pub y: f64,
    /// Whether the prescribed derivative of the network at x is 1; else it is 0.
    pub rises: bool,
}

/// Why there is no network for these points. Points are numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PointError {
    /// The number of points is 0 or greater than [`MAX_POINTS`].
    #[error("{}", tr!("the number of points must be from 1 to {most}, but it is {found}", most = MAX_POINTS, found = .0))]
    PointCount(usize),
    /// x or y of a point is not finite.
    #[error("{}", tr!("point {point}: the position and the value must be finite numbers", point = .0))]
    NotFinite(usize),
    /// x or y of a point is greater than [`MAX_COORDINATE`] in absolute value.
    #[error("{}", tr!("point {point}: the position and the value must be between −{most} and {most}", point = .0, most = MAX_COORDINATE))]
    TooLarge(usize),
    /// Two points have the same x.
    #[error("{}", tr!("points {first} and {second} have the same position", first = .0, second = .1))]
    SamePosition(usize, usize),
    /// The x of two points are closer than [`MIN_POINT_GAP`].
    #[error("{}", tr!("the distance between the positions of points {first} and {second} must be at least {least}", first = .0, second = .1, least = MIN_POINT_GAP))]
    TooClose(usize, usize),
}

/// An affine layer v ↦ W v + b of a [`PointNetwork`].
#[derive(Debug, Clone, PartialEq)]
pub struct PointLayer {
    /// Weight matrix W, `[rows][columns]`.
    pub weights: Vec<Vec<f64>>,
    /// Bias b, `[rows]`.
    pub bias: Vec<f64>,
}

/// A ReLU network of three affine layers with prescribed values and derivatives at its points (Goel, Kakade, Kalai
/// and Zhang 2022, lemma 5, in one dimension).
#[derive(Debug, Clone, PartialEq)]
pub struct PointNetwork {
    /// The points at which the network has prescribed values and derivatives.
    points: Vec<InterpolationPoint>,
    /// Distance Δ: a quarter of the width of a bump ψ around a point.
    delta: f64,
    /// The three affine layers of the network; a ReLU follows each of the first two.
    layers: [PointLayer; 3],
}

/// Number of ReLUs in the first layer that form the bump ψ around one point.
pub const BUMP_UNITS: usize = 5;
/// Number of ReLUs in the second layer that form the threshold function τ of one point.
pub const THRESHOLD_UNITS: usize = 3;

impl PointLayer {
    /// A layer with `rows` outputs and `columns` inputs whose weights and biases are 0.
    fn new(rows: usize, columns: usize) -> Self {
        PointLayer { weights: vec![vec![0.0; columns]; rows], bias: vec![0.0; rows] }
    }

    /// Applies the layer v ↦ W v + b to pairs (value, derivative with respect to the network's input): W v + b for
    /// the values, W v for the derivatives.
    fn apply(&self, values: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let rows = self.weights.iter().zip(&self.bias);
        rows.map(|(weights, bias)| {
            weights.iter().zip(values).fold((*bias, 0.0), |(sum, slope), (weight, value)| {
                (sum + weight * value.0, slope + weight * value.1)
            })
        })
        .collect()
    }
}

/// Applies max(z, 0) to pairs (value z, derivative); the derivative becomes 0 for z ≤ 0.
fn relu(values: &mut [(f64, f64)]) {
    values.iter_mut().filter(|value| value.0 <= 0.0).for_each(|value| *value = (0.0, 0.0));
}

impl PointNetwork {
    /// Builds the network for these points, in any order.
    ///
    /// # Errors
    /// Every [`PointError`].
    pub fn new(points: &[InterpolationPoint]) -> Result<Self, PointError> {
        let gap = check_points(points)?;
        let delta = gap.min(1.0) / 10.0;
        let count = points.len();
        let (bumps, thresholds) = (BUMP_UNITS * count, THRESHOLD_UNITS * count);
        let mut layers =
            [PointLayer::new(bumps, 1), PointLayer::new(thresholds, bumps), PointLayer::new(1, thresholds)];
        let left = points.iter().map(|point| point.x).fold(f64::INFINITY, f64::min) - 1.0;
        // Changes of slope at the kinks of ψ.
        let (up, down) = ((1.0 - delta) / delta, (1.0 + delta) / delta);
        let bump = [0.0, up, 1.0 - up, -down - 1.0, down];
        for (at, point) in points.iter().enumerate() {
            let kinks =
                [left, point.x - 2.0 * delta, point.x - delta, point.x + delta, point.x + 2.0 * delta];
            for (unit, kink) in (at * BUMP_UNITS..).zip(kinks) {
                layers[0].weights[unit][0] = 1.0;
                layers[0].bias[unit] = -kink;
            }
            let slope = if point.rises { 1.0 } else { 0.0 };
            let steep = (point.y - slope * delta) / delta;
            let threshold = [(-1.0, 0.0), (1.0 - 2.0 * delta, steep), (1.0 - delta, slope - steep)];
            for (unit, (kink, change)) in (at * THRESHOLD_UNITS..).zip(threshold) {
                layers[1].weights[unit][at * BUMP_UNITS..(at + 1) * BUMP_UNITS].copy_from_slice(&bump);
                layers[1].bias[unit] = -kink;
                layers[2].weights[0][unit] = change;
            }
        }
        Ok(PointNetwork { points: points.to_vec(), delta, layers })
    }

    /// The points at which the network has prescribed values and derivatives.
    pub fn points(&self) -> &[InterpolationPoint] {
        &self.points
    }

    /// Distance Δ: the bump around each point has width 4 Δ.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// The three layers; a ReLU follows each of the first two.
    pub fn layers(&self) -> &[PointLayer; 3] {
        &self.layers
    }

    /// Evaluates the network's output f(x) and its derivative f′(x); at a kink it is the derivative from the left.
    pub fn evaluate(&self, x: f64) -> (f64, f64) {
        let mut values = vec![(x, 1.0)];
        for (number, layer) in self.layers.iter().enumerate() {
            values = layer.apply(&values);
            if number < 2 {
                relu(&mut values);
            }
        }
        values.first().copied().unwrap_or((0.0, 0.0))
    }

    /// The corners of the network's graph between `from` and `to`, both included, in rising order, as pairs (x,
    /// f(x)).
    ///
    /// Straight lines between them are the graph. Empty where `from` is not below `to`.
    pub fn corners(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        if !(from < to && from.is_finite() && to.is_finite()) {
            return Vec::new();
        }
        let mut places = vec![from, to];
        for point in &self.points {
            places.extend(self.kinks(point.x).into_iter().filter(|place| from < *place && *place < to));
        }
        places.sort_by(f64::total_cmp);
        places.dedup();
        places.into_iter().map(|place| (place, self.evaluate(place).0)).collect()
    }

    /// The positions, in rising order, of the kinks of the network's output f around the point at `x`: the kinks of
    /// the bump ψ, and where ψ passes the kinks of the threshold function τ.
    fn kinks(&self, x: f64) -> [f64; 7] {
        let delta = self.delta;
        let (up, down) = ((1.0 - delta) / delta, (1.0 + delta) / delta);
        [
            x - 2.0 * delta,
            x - 2.0 * delta + (1.0 - 2.0 * delta) / up,
            // ψ is 1 − Δ here, which is the second kink of τ as well.
            x - delta,
            x + delta,
            x + delta + 2.0 * delta / down,
            x + delta + 3.0 * delta / down,
            x + 2.0 * delta,
        ]
    }
}

/// Checks the points; returns the smallest distance between the inputs x of two of them, infinite for a single
/// point.
fn check_points(points: &[InterpolationPoint]) -> Result<f64, PointError> {
    if !(1..=MAX_POINTS).contains(&points.len()) {
        return Err(PointError::PointCount(points.len()));
    }
    for (point, number) in points.iter().zip(1..) {
        if !(point.x.is_finite() && point.y.is_finite()) {
            return Err(PointError::NotFinite(number));
        }
        if point.x.abs() > MAX_COORDINATE || point.y.abs() > MAX_COORDINATE {
            return Err(PointError::TooLarge(number));
        }
    }
    let mut min_gap = f64::INFINITY;
    for (first, one) in points.iter().enumerate() {
        for (second, other) in points.iter().enumerate().skip(first + 1) {
            let gap = (one.x - other.x).abs();
            if gap == 0.0 {
                return Err(PointError::SamePosition(first + 1, second + 1));
            }
            if gap < MIN_POINT_GAP {
                return Err(PointError::TooClose(first + 1, second + 1));
            }
            min_gap = min_gap.min(gap);
        }
    }
    Ok(min_gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, rises: bool) -> InterpolationPoint {
        InterpolationPoint { x, y, rises }
    }

    fn five() -> Vec<InterpolationPoint> {
        vec![
            point(-3.0, 1.5, true),
            point(0.25, -2.0, false),
            point(-1.0, 0.0, true),
            point(2.0, 0.0, false),
            point(4.5, 3.0, true),
        ]
    }

    /// Values and derivatives at all points; the derivatives also by finite differences.
    fn check(points: &[InterpolationPoint], tolerance: f64) {
        let network = PointNetwork::new(points).unwrap();
        let step = network.delta() / 100.0;
        for point in points {
            let slope = if point.rises { 1.0 } else { 0.0 };
            let (value, found) = network.evaluate(point.x);
            assert!((value - point.y).abs() < tolerance, "{point:?} {value}");
            assert!((found - slope).abs() < tolerance, "{point:?} {found}");
            let difference =
                (network.evaluate(point.x + step).0 - network.evaluate(point.x - step).0) / (2.0 * step);
            assert!((difference - slope).abs() < tolerance / step + 1e-9, "{point:?} {difference}");
        }
    }

    #[test]
    fn values_and_derivatives_at_the_points_are_as_prescribed() {
        check(&five(), 1e-11);
        check(&[point(1e3, -1e3, true)], 1e-9);
        // Points far from one another: Δ is a tenth of 1, not of the gap.
        check(&[point(-500.0, 2.0, true), point(700.0, 5.0, false)], 1e-9);
        let spread = PointNetwork::new(&[point(-500.0, 2.0, true), point(700.0, 5.0, false)]).unwrap();
        assert_eq!(spread.evaluate(100.0), (0.0, 0.0));
        let dense: Vec<InterpolationPoint> =
            (0..32).map(|i| point(f64::from(i) * 1.001e-3 + 900.0, f64::from(i), i % 2 == 0)).collect();
        check(&dense, 1e-6);
        let far = [point(-1e3, 1e3, true), point(1e3 - 1.1e-3, -1e3, false), point(1e3, 1e3, true)];
        check(&far, 1e-6);
    }

    #[test]
    fn bumps_and_thresholds_have_the_size_and_form_of_the_lemma() {
        let network = PointNetwork::new(&five()).unwrap();
        let sizes = network.layers().each_ref().map(|layer| (layer.weights.len(), layer.weights[0].len()));
        assert_eq!(sizes, [(25, 1), (15, 25), (1, 15)]);
        // The smallest gap is 1.25.
        let delta = network.delta();
        assert_eq!(delta, 0.1);
        for point in five() {
            for side in [-1.0, 1.0] {
                assert!(network.evaluate(point.x + side * 2.0 * delta).0.abs() < 1e-11);
                let near = network.evaluate(point.x + side * 0.9 * delta).0;
                let slope = if point.rises { 1.0 } else { 0.0 };
                assert!((near - point.y - slope * side * 0.9 * delta).abs() < 1e-11);
            }
        }
        assert_eq!(PointNetwork::new(&[point(0.0, 1.0, true), point(0.5, 1.0, true)]).unwrap().delta(), 0.05);
    }

    #[test]
    fn the_graph_is_linear_between_its_corners() {
        let network = PointNetwork::new(&five()).unwrap();
        let corners = network.corners(-5.0, 6.0);
        assert_eq!(corners.len(), 2 + 5 * 7);
        for pair in corners.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            assert!(x0 < x1);
            for part in [0.1, 0.5, 0.8] {
                let line = y0 + part * (y1 - y0);
                assert!((network.evaluate(x0 + part * (x1 - x0)).0 - line).abs() < 1e-10, "{pair:?}");
            }
        }
        assert_eq!(network.corners(1.0, 1.0), []);
        assert_eq!(network.corners(f64::NAN, 1.0), []);
        assert_eq!(network.corners(-0.5, -0.4).len(), 2);
    }

    #[test]
    fn invalid_points_are_rejected_with_a_sentence() {
        let at = |x: f64| point(x, 0.0, true);
        assert_eq!(PointNetwork::new(&[]), Err(PointError::PointCount(0)));
        let many: Vec<InterpolationPoint> = (0..33).map(|i| at(f64::from(i))).collect();
        assert_eq!(PointNetwork::new(&many), Err(PointError::PointCount(33)));
        assert!(PointNetwork::new(&many[..32]).is_ok());
        assert_eq!(PointNetwork::new(&[at(0.0), at(f64::NAN)]), Err(PointError::NotFinite(2)));
        assert_eq!(PointNetwork::new(&[point(0.0, f64::INFINITY, true)]), Err(PointError::NotFinite(1)));
        assert_eq!(PointNetwork::new(&[at(1e4)]), Err(PointError::TooLarge(1)));
        assert_eq!(PointNetwork::new(&[at(1.0), at(0.0), at(1.0)]), Err(PointError::SamePosition(1, 3)));
        assert_eq!(PointNetwork::new(&[at(0.0), at(-0.0)]), Err(PointError::SamePosition(1, 2)));
        assert_eq!(PointNetwork::new(&[at(0.0), at(5e-4)]), Err(PointError::TooClose(1, 2)));
        let sentence = PointError::SamePosition(1, 3).to_string();
        assert_eq!(sentence, "points 1 and 3 have the same position");
    }
}
