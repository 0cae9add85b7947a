//! Lemma 5 in one dimension, as edited by the user: five points with values and slopes, their positions in the drawing,
//! and the network through them.

use crate::text_editor::error_sentence;
use vivarium_science::succinct::search::{
    BUMP_UNITS, InterpolationPoint, PointError, PointLayer, PointNetwork, THRESHOLD_UNITS,
};
use vivarium_view::display::words::format_significant;

/// Number of points in the drawing that the user can move and through which the graph of the ReLU network of Goel et
/// al. 2022, lemma 5, passes.
pub const POINT_COUNT: usize = 5;
/// Width and height of the drawing of the points and of the graph of the network through them, in SVG units.
pub const DRAWING_SIZE: (f64, f64) = (320.0, 180.0);
/// Largest abs(x) and abs(y) visible in the drawing; a little larger than the limits of the points, so that the
/// network's bumps around them have room.
const VIEW_LIMITS: (f64, f64) = (3.25, 2.25);
/// Largest abs(x) and abs(y) to which the user can move a point of the drawing.
const POINT_LIMITS: (f64, f64) = (3.0, 2.0);
/// Number of allowed values of a point's coordinate per unit: coordinates are multiples of 1/`GRID_DENSITY`.
const GRID_DENSITY: f64 = 100.0;
/// Distance, in units of x and y, by which an arrow key moves a point, and the factor by which Shift multiplies this
/// distance.
const ARROW_STEP: (f64, f64) = (0.05, 10.0);
/// Half the width, in x, of the short line that shows a point's slope.
const SLOPE_HALF_WIDTH: f64 = 0.2;
/// Maximum number of units (rows) of a layer whose weights the table of the layer shows.
const MAX_ROWS: usize = 5;

/// Interpolation point at (x, y) with the required slope there: 1 if it `rises`, else 0.
const fn new_point(x: f64, y: f64, rises: bool) -> InterpolationPoint {
    InterpolationPoint { x, y, rises }
}

/// Points through which the graph of the network passes before the user moves any of them.
pub const INITIAL_POINTS: [InterpolationPoint; POINT_COUNT] = [
    new_point(-2.2, 0.8, false),
    new_point(-1.1, -0.9, true),
    new_point(0.0, 1.2, true),
    new_point(0.9, 0.4, false),
    new_point(2.1, -1.1, true),
];

/// Rounds the coordinate x or y of a point to two decimals and limits it to ±`limit`; 0 for NaN.
fn round_coordinate(coordinate: f64, limit: f64) -> f64 {
    let number = if coordinate.is_nan() { 0.0 } else { coordinate.clamp(-limit, limit) };
    // Adding 0 turns −0 into 0.
    (number * GRID_DENSITY).round() / GRID_DENSITY + 0.0
}

/// Point moved to (x, y), or as near to it as the limits of the points allow; keeps its slope.
pub fn move_point(point: InterpolationPoint, [x, y]: [f64; 2]) -> InterpolationPoint {
    InterpolationPoint {
        x: round_coordinate(x, POINT_LIMITS.0),
        y: round_coordinate(y, POINT_LIMITS.1),
        ..point
    }
}

/// Point moved by the arrow key `key` (such as "ArrowLeft") by the first number of [`ARROW_STEP`], multiplied by the
/// second if `with_shift`; `None` for other keys.
pub fn move_by_key(point: InterpolationPoint, key: &str, with_shift: bool) -> Option<InterpolationPoint> {
    let step = ARROW_STEP.0 * if with_shift { ARROW_STEP.1 } else { 1.0 };
    let to = match key {
        "ArrowLeft" => [point.x - step, point.y],
        "ArrowRight" => [point.x + step, point.y],
        "ArrowUp" => [point.x, point.y + step],
        "ArrowDown" => [point.x, point.y - step],
        _ => return None,
    };
    Some(move_point(point, to))
}

/// Converts a point's coordinates into SVG units of the drawing, as (from the left, from the top).
pub fn to_drawing([x, y]: [f64; 2]) -> (f64, f64) {
    (DRAWING_SIZE.0 * (x / VIEW_LIMITS.0 + 1.0) / 2.0, DRAWING_SIZE.1 * (1.0 - y / VIEW_LIMITS.1) / 2.0)
}

/// Converts fractions of the drawing's width and height, from 0 to 1, into a point's coordinates.
pub fn from_fractions(x_fraction: f64, y_fraction: f64) -> [f64; 2] {
    [VIEW_LIMITS.0 * (2.0 * x_fraction - 1.0), VIEW_LIMITS.1 * (1.0 - 2.0 * y_fraction)]
}

/// Graph of the output of the network through the points, as the attribute `d` of an SVG path in the drawing.
pub fn graph_path(network: &PointNetwork) -> String {
    let corners = network.corners(-VIEW_LIMITS.0, VIEW_LIMITS.0);
    let corner = |(at, (x, y)): (usize, (f64, f64))| {
        let (right, down) = to_drawing([x, y]);
        format!("{}{right:.2} {down:.2}", if at == 0 { "M" } else { "L" })
    };
    corners.into_iter().enumerate().map(corner).collect()
}

/// Short line through each point with the slope that the network must have there, as the attribute `d` of an SVG path.
pub fn slope_path(points: &[InterpolationPoint]) -> String {
    let line = |of: &InterpolationPoint| {
        let rise = if of.rises { SLOPE_HALF_WIDTH } else { 0.0 };
        let [(left, low), (right, high)] = [
            to_drawing([of.x - SLOPE_HALF_WIDTH, of.y - rise]),
            to_drawing([of.x + SLOPE_HALF_WIDTH, of.y + rise]),
        ];
        format!("M{left:.1} {low:.1}L{right:.1} {high:.1}")
    };
    points.iter().map(line).collect()
}

/// Axes of the drawing of points and network, as the attribute `d` of an SVG path.
pub fn axes_path() -> String {
    let (wide, high) = DRAWING_SIZE;
    format!("M0 {:.1}H{wide:.1}M{:.1} 0V{high:.1}", high / 2.0, wide / 2.0)
}

/// Point number `position`, from 0, in words: "Point 2: x = −1.1, value −0.9, slope 1".
pub fn describe_point(position: usize, point: InterpolationPoint) -> String {
    let number = |number: f64| number.to_string().replace('-', "−");
    tr!(
        "Point {place}: x = {x}, value {value}, slope {slope}",
        place = position + 1,
        x = number(point.x),
        value = number(point.y),
        slope = u8::from(point.rises)
    )
}

/// Sentence on why the construction gives no network whose graph passes through the points.
pub fn describe_error(error: &PointError) -> String {
    error_sentence(error)
}

/// Sentence on the number of ReLUs in the network through the points, and on the width of its bumps around them.
pub fn describe_units(network: &PointNetwork) -> String {
    let [bumps, thresholds, _] = network.layers().each_ref().map(|layer| layer.bias.len());
    tr!(
        "The network has {all} ReLUs in two layers. For each point there are {bump} ReLUs in the first layer and {threshold} in the second. The output of the network is 0 except in a bump around each point. Each bump is {width} wide.",
        all = bumps + thresholds,
        bump = BUMP_UNITS,
        threshold = THRESHOLD_UNITS,
        width = format_significant(4.0 * network.delta())
    )
}

/// Weights of one layer of the network through the points, as a table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerTable {
    /// Title of the table of a layer: "Layer 1: 25 × 1 weights, and 25 biases b".
    pub title: String,
    /// First units of the layer, at most `MAX_ROWS`, each as (weights of its inputs, bias) in text.
    pub rows: Vec<(Vec<String>, String)>,
    /// Number of units of the layer that the table does not show.
    pub omitted_rows: usize,
}

/// Tables of the weights in the three layers of the network through the points.
pub fn layer_tables(network: &PointNetwork) -> Vec<LayerTable> {
    let number = |number: &f64| if *number == 0.0 { "0".to_string() } else { format_significant(*number) };
    let row = |(weights, bias): (&Vec<f64>, &f64)| {
        let weights: Vec<String> = weights.iter().map(number).collect();
        (weights, number(bias))
    };
    let table = |(layer, at): (&PointLayer, usize)| {
        let rows = layer.bias.len();
        LayerTable {
            title: tr!(
                "Layer {at}: {rows} × {columns} weights, and {rows} biases b",
                at,
                rows,
                columns = layer.weights.first().map_or(0, Vec::len)
            ),
            rows: layer.weights.iter().zip(&layer.bias).take(MAX_ROWS).map(row).collect(),
            omitted_rows: rows.saturating_sub(MAX_ROWS),
        }
    };
    network.layers().iter().zip(1..).map(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> PointNetwork {
        PointNetwork::new(&INITIAL_POINTS).unwrap()
    }

    #[test]
    fn the_first_points_have_a_network_that_is_seen_whole() {
        let network = start();
        for of in INITIAL_POINTS {
            assert_eq!(move_point(of, [of.x, of.y]), of, "it can be where it is");
            let (value, slope) = network.evaluate(of.x);
            assert!((value - of.y).abs() < 1e-9 && (slope - f64::from(u8::from(of.rises))).abs() < 1e-9);
        }
        let path = graph_path(&network);
        // Seven corners for each point, and both ends.
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (1, 7 * POINT_COUNT + 1));
        assert!(path.starts_with("M0.00 90.00L") && path.ends_with("L320.00 90.00"), "{path}");
        let (right, down) = to_drawing([0.0, 1.2]);
        assert!((right - 160.0).abs() < 1e-9 && (down - 42.0).abs() < 1e-9, "{right} {down}");
    }

    #[test]
    fn the_graph_stays_in_the_drawing_wherever_points_are() {
        for [x, y] in [[POINT_LIMITS.0, POINT_LIMITS.1], [-9.0, 9.0], [9.0, -9.0]] {
            for rises in [false, true] {
                let mut points = INITIAL_POINTS;
                points[4] = move_point(InterpolationPoint { rises, ..INITIAL_POINTS[4] }, [x, y]);
                points[0].x = -1.6;
                let network = PointNetwork::new(&points).unwrap();
                for (x, y) in network.corners(-VIEW_LIMITS.0, VIEW_LIMITS.0) {
                    let (right, down) = to_drawing([x, y]);
                    assert!(
                        (0.0..=DRAWING_SIZE.0).contains(&right) && (0.0..=DRAWING_SIZE.1).contains(&down),
                        "{x} {y}"
                    );
                }
                assert!(
                    network.evaluate(VIEW_LIMITS.0).0.abs() < 1e-9
                        && network.evaluate(-VIEW_LIMITS.0).0.abs() < 1e-9
                );
            }
        }
    }

    #[test]
    fn points_are_moved_by_pointer_and_by_keys() {
        let of = INITIAL_POINTS[2];
        let (right, down) = to_drawing([0.5, -1.25]);
        let to = move_point(of, from_fractions(right / DRAWING_SIZE.0, down / DRAWING_SIZE.1));
        assert_eq!(to, new_point(0.5, -1.25, true));
        assert_eq!(
            move_point(of, from_fractions(-1.0, 7.0)),
            new_point(-POINT_LIMITS.0, -POINT_LIMITS.1, true)
        );
        assert_eq!(move_point(of, [f64::NAN, -0.001]), new_point(0.0, 0.0, true));
        assert!(move_point(of, [0.0, -0.001]).y.is_sign_positive());
        assert_eq!(move_by_key(of, "ArrowUp", false), Some(new_point(0.0, 1.25, true)));
        assert_eq!(move_by_key(of, "ArrowDown", true), Some(new_point(0.0, 0.7, true)));
        assert_eq!(move_by_key(of, "ArrowLeft", true), Some(new_point(-0.5, 1.2, true)));
        assert_eq!(move_by_key(INITIAL_POINTS[0], "ArrowRight", false), Some(new_point(-2.15, 0.8, false)));
        assert_eq!(
            move_by_key(new_point(POINT_LIMITS.0, 0.0, false), "ArrowRight", true),
            Some(new_point(3.0, 0.0, false))
        );
        assert_eq!(move_by_key(of, "Enter", false), None);
    }

    #[test]
    fn points_at_one_place_are_a_sentence() {
        let mut points = INITIAL_POINTS;
        points[1].x = points[3].x;
        let error = PointNetwork::new(&points).unwrap_err();
        assert_eq!(describe_error(&error), "Points 2 and 4 have the same position.");
        // The nearest two places that points can have are far enough from one another.
        points[1].x = round_coordinate(points[3].x - 1.0 / GRID_DENSITY, POINT_LIMITS.0);
        assert!(PointNetwork::new(&points).is_ok());
    }

    #[test]
    fn slopes_are_lines_through_the_points() {
        let path = slope_path(&[new_point(0.0, 0.0, false), new_point(0.0, 0.0, true)]);
        let lines: Vec<&str> = path.split('M').skip(1).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "150.2 90.0L169.8 90.0");
        assert_eq!(lines[1], "150.2 98.0L169.8 82.0");
        assert_eq!(axes_path(), "M0 90.0H320.0M160.0 0V180.0");
    }

    #[test]
    fn the_network_is_stated_in_numbers() {
        assert_eq!(describe_point(1, INITIAL_POINTS[1]), "Point 2: x = −1.1, value −0.9, slope 1");
        assert_eq!(describe_point(3, INITIAL_POINTS[3]), "Point 4: x = 0.9, value 0.4, slope 0");
        let said = describe_units(&start());
        assert!(
            said.starts_with("The network has 40 ReLUs in two layers. For each point there are 5 ReLUs"),
            "{said}"
        );
        assert!(said.contains("Each bump is 0.360 wide"), "{said}");
        let all = layer_tables(&start());
        let sizes = |of: &LayerTable| (of.rows.len(), of.rows[0].0.len(), of.omitted_rows);
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
