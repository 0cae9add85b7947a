//! Lemma 5 in one dimension, as a person changes it: five points with values and slopes, where they lie in the drawing, and
//! the network through them.

use vivarium_science::succinct::search::{
    BUMP_UNITS, InterpolationPoint, PointError, PointLayer, PointNetwork, THRESHOLD_UNITS,
};
use vivarium_view::display::words::{capital, significant};

/// Points.
pub const COUNT: usize = 5;
/// Width and height of the drawing, in its own units.
pub const SIZE: (f64, f64) = (320.0, 180.0);
/// The drawing reaches from minus this to this, across and up: a little further than points do, so that bumps have room.
const FRAME: (f64, f64) = (3.25, 2.25);
/// How far points can be moved from the middle, across and up.
const REACH: (f64, f64) = (3.0, 2.0);
/// Places and values are whole multiples of 1/GRAIN.
const GRAIN: f64 = 100.0;
/// How far a press of an arrow key moves a point, and how much further with Shift.
const STEP: (f64, f64) = (0.05, 10.0);
/// Half the width of the line that shows a slope.
const HALF: f64 = 0.2;
/// Rows of a layer's table that are shown.
const MOST_ROWS: usize = 5;

const fn point(x: f64, y: f64, rises: bool) -> InterpolationPoint {
    InterpolationPoint { x, y, rises }
}

/// The first points.
pub const START: [InterpolationPoint; COUNT] = [
    point(-2.2, 0.8, false),
    point(-1.1, -0.9, true),
    point(0.0, 1.2, true),
    point(0.9, 0.4, false),
    point(2.1, -1.1, true),
];

/// A number as points have it: not further from 0 than `most`, with two digits.
fn rounded(number: f64, most: f64) -> f64 {
    let number = if number.is_nan() { 0.0 } else { number.clamp(-most, most) };
    // Adding 0 makes −0 a 0.
    (number * GRAIN).round() / GRAIN + 0.0
}

/// A point moved to this place and value, or as near as it can be.
pub fn moved(of: InterpolationPoint, [x, y]: [f64; 2]) -> InterpolationPoint {
    InterpolationPoint { x: rounded(x, REACH.0), y: rounded(y, REACH.1), ..of }
}

/// A point moved by a press of an arrow key; none for other keys.
pub fn pressed(of: InterpolationPoint, key: &str, far: bool) -> Option<InterpolationPoint> {
    let step = STEP.0 * if far { STEP.1 } else { 1.0 };
    let to = match key {
        "ArrowLeft" => [of.x - step, of.y],
        "ArrowRight" => [of.x + step, of.y],
        "ArrowUp" => [of.x, of.y + step],
        "ArrowDown" => [of.x, of.y - step],
        _ => return None,
    };
    Some(moved(of, to))
}

/// Where a place and a value lie in the drawing.
pub fn place([x, y]: [f64; 2]) -> (f64, f64) {
    (SIZE.0 * (x / FRAME.0 + 1.0) / 2.0, SIZE.1 * (1.0 - y / FRAME.1) / 2.0)
}

/// Place and value at these shares of the drawing's width and height, from 0 to 1.
pub fn at_shares(right: f64, down: f64) -> [f64; 2] {
    [FRAME.0 * (2.0 * right - 1.0), FRAME.1 * (1.0 - 2.0 * down)]
}

/// The graph of the network over the drawing, as the `d` of an SVG path.
pub fn path(network: &PointNetwork) -> String {
    let corners = network.corners(-FRAME.0, FRAME.0);
    let corner = |(at, (x, y)): (usize, (f64, f64))| {
        let (right, down) = place([x, y]);
        format!("{}{right:.2} {down:.2}", if at == 0 { "M" } else { "L" })
    };
    corners.into_iter().enumerate().map(corner).collect()
}

/// The slopes that are wanted, as a short line through each point: the `d` of an SVG path.
pub fn slopes(points: &[InterpolationPoint]) -> String {
    let line = |of: &InterpolationPoint| {
        let rise = if of.rises { HALF } else { 0.0 };
        let [(left, low), (right, high)] =
            [place([of.x - HALF, of.y - rise]), place([of.x + HALF, of.y + rise])];
        format!("M{left:.1} {low:.1}L{right:.1} {high:.1}")
    };
    points.iter().map(line).collect()
}

/// The axes of the drawing, as the `d` of an SVG path.
pub fn axes() -> String {
    let (wide, high) = SIZE;
    format!("M0 {:.1}H{wide:.1}M{:.1} 0V{high:.1}", high / 2.0, wide / 2.0)
}

/// "Point 2: x = −1.1, value −0.9, slope 1".
pub fn name(place: usize, of: InterpolationPoint) -> String {
    let number = |number: f64| number.to_string().replace('-', "−");
    tr!(
        "Point {place}: x = {x}, value {value}, slope {slope}",
        place = place + 1,
        x = number(of.x),
        value = number(of.y),
        slope = u8::from(of.rises)
    )
}

/// Why there is no network through the points.
pub fn sentence(error: &PointError) -> String {
    format!("{}.", capital(&error.to_string()))
}

/// How many ReLUs the network has, and how wide its bumps are.
pub fn units(network: &PointNetwork) -> String {
    let [bumps, thresholds, _] = network.layers().each_ref().map(|layer| layer.bias.len());
    tr!(
        "The network has {all} ReLUs in two layers. For each point there are {bump} ReLUs in the first layer and {threshold} in the second. The output of the network is 0 except in a bump around each point. Each bump is {width} wide.",
        all = bumps + thresholds,
        bump = BUMP_UNITS,
        threshold = THRESHOLD_UNITS,
        width = significant(4.0 * network.delta())
    )
}

/// A layer's weights as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// "Layer 1: 25 × 1 weights and 25 biases".
    pub title: String,
    /// The first rows: the weights of a unit, and its bias.
    pub rows: Vec<(Vec<String>, String)>,
    /// How many rows follow.
    pub more: usize,
}

/// The weights of the three layers.
pub fn weights(network: &PointNetwork) -> Vec<Weights> {
    let number = |number: &f64| if *number == 0.0 { "0".to_string() } else { significant(*number) };
    let row = |(weights, bias): (&Vec<f64>, &f64)| {
        let weights: Vec<String> = weights.iter().map(number).collect();
        (weights, number(bias))
    };
    let table = |(layer, at): (&PointLayer, usize)| {
        let rows = layer.bias.len();
        Weights {
            title: tr!(
                "Layer {at}: {rows} × {columns} weights, and {rows} biases b",
                at,
                rows,
                columns = layer.weights.first().map_or(0, Vec::len)
            ),
            rows: layer.weights.iter().zip(&layer.bias).take(MOST_ROWS).map(row).collect(),
            more: rows.saturating_sub(MOST_ROWS),
        }
    };
    network.layers().iter().zip(1..).map(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> PointNetwork {
        PointNetwork::new(&START).unwrap()
    }

    #[test]
    fn the_first_points_have_a_network_that_is_seen_whole() {
        let network = start();
        for of in START {
            assert_eq!(moved(of, [of.x, of.y]), of, "it can be where it is");
            let (value, slope) = network.evaluate(of.x);
            assert!((value - of.y).abs() < 1e-9 && (slope - f64::from(u8::from(of.rises))).abs() < 1e-9);
        }
        let path = path(&network);
        // Seven corners for each point, and both ends.
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (1, 7 * COUNT + 1));
        assert!(path.starts_with("M0.00 90.00L") && path.ends_with("L320.00 90.00"), "{path}");
        let (right, down) = place([0.0, 1.2]);
        assert!((right - 160.0).abs() < 1e-9 && (down - 42.0).abs() < 1e-9, "{right} {down}");
    }

    #[test]
    fn the_graph_stays_in_the_drawing_wherever_points_are() {
        for [x, y] in [[REACH.0, REACH.1], [-9.0, 9.0], [9.0, -9.0]] {
            for rises in [false, true] {
                let mut points = START;
                points[4] = moved(InterpolationPoint { rises, ..START[4] }, [x, y]);
                points[0].x = -1.6;
                let network = PointNetwork::new(&points).unwrap();
                for (x, y) in network.corners(-FRAME.0, FRAME.0) {
                    let (right, down) = place([x, y]);
                    assert!((0.0..=SIZE.0).contains(&right) && (0.0..=SIZE.1).contains(&down), "{x} {y}");
                }
                assert!(
                    network.evaluate(FRAME.0).0.abs() < 1e-9 && network.evaluate(-FRAME.0).0.abs() < 1e-9
                );
            }
        }
    }

    #[test]
    fn points_are_moved_by_pointer_and_by_keys() {
        let of = START[2];
        let (right, down) = place([0.5, -1.25]);
        let to = moved(of, at_shares(right / SIZE.0, down / SIZE.1));
        assert_eq!(to, point(0.5, -1.25, true));
        assert_eq!(moved(of, at_shares(-1.0, 7.0)), point(-REACH.0, -REACH.1, true));
        assert_eq!(moved(of, [f64::NAN, -0.001]), point(0.0, 0.0, true));
        assert!(moved(of, [0.0, -0.001]).y.is_sign_positive());
        assert_eq!(pressed(of, "ArrowUp", false), Some(point(0.0, 1.25, true)));
        assert_eq!(pressed(of, "ArrowDown", true), Some(point(0.0, 0.7, true)));
        assert_eq!(pressed(of, "ArrowLeft", true), Some(point(-0.5, 1.2, true)));
        assert_eq!(pressed(START[0], "ArrowRight", false), Some(point(-2.15, 0.8, false)));
        assert_eq!(pressed(point(REACH.0, 0.0, false), "ArrowRight", true), Some(point(3.0, 0.0, false)));
        assert_eq!(pressed(of, "Enter", false), None);
    }

    #[test]
    fn points_at_one_place_are_a_sentence() {
        let mut points = START;
        points[1].x = points[3].x;
        let error = PointNetwork::new(&points).unwrap_err();
        assert_eq!(sentence(&error), "Points 2 and 4 have the same position.");
        // The nearest two places that points can have are far enough from one another.
        points[1].x = rounded(points[3].x - 1.0 / GRAIN, REACH.0);
        assert!(PointNetwork::new(&points).is_ok());
    }

    #[test]
    fn slopes_are_lines_through_the_points() {
        let path = slopes(&[point(0.0, 0.0, false), point(0.0, 0.0, true)]);
        let lines: Vec<&str> = path.split('M').skip(1).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "150.2 90.0L169.8 90.0");
        assert_eq!(lines[1], "150.2 98.0L169.8 82.0");
        assert_eq!(axes(), "M0 90.0H320.0M160.0 0V180.0");
    }

    #[test]
    fn the_network_is_told_in_numbers() {
        assert_eq!(name(1, START[1]), "Point 2: x = −1.1, value −0.9, slope 1");
        assert_eq!(name(3, START[3]), "Point 4: x = 0.9, value 0.4, slope 0");
        let said = units(&start());
        assert!(
            said.starts_with("The network has 40 ReLUs in two layers. For each point there are 5 ReLUs"),
            "{said}"
        );
        assert!(said.contains("Each bump is 0.360 wide"), "{said}");
        let all = weights(&start());
        let sizes = |of: &Weights| (of.rows.len(), of.rows[0].0.len(), of.more);
        assert_eq!(all.iter().map(sizes).collect::<Vec<_>>(), [(5, 1, 20), (5, 25, 10), (1, 15, 0)]);
        assert_eq!(all[0].title, "Layer 1: 25 × 1 weights, and 25 biases b");
        assert_eq!(all[0].rows[0], (vec!["1.00".to_string()], "3.20".to_string()));
        assert_eq!(all[1].rows[0].0[0], "0");
        assert_eq!(all[1].rows[0].0[5..], ["0"; 20]);
        assert!(all.iter().flat_map(|of| &of.rows).all(|(weights, bias)| {
            weights.iter().chain([bias]).all(|text| !text.contains("NaN") && !text.contains('-'))
        }));
    }
}
