//! Geometry of the editable plot of examples: the visible part of the plane, the position of a point in the drawing,
//! and space for a new point.

use vivarium_core::settings::format_real;

/// Width and height of the editable plot of examples, in SVG units.
pub const DRAWING_SIZE: (f64, f64) = (320.0, 200.0);
/// Maximum number of points that the user can place as examples.
pub const MAX_POINTS: usize = 64;
/// Maximum absolute value of x and y of a point that the user places as an example; larger values are clamped.
pub const MAX_COORDINATE: f64 = 100.0;
/// Coordinates of the user's points in the plot of examples are rounded to multiples of this number.
const COORDINATE_STEP: f64 = 1e-3;
/// An axis of the plot of examples ends at no less than this factor times the largest absolute coordinate of a point on
/// it.
const FRAME_MARGIN: f64 = 1.15;
/// Possible ends of an axis of the plot of examples, up to a power of ten as factor.
const AXIS_ENDS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5];
/// Number of arrow key presses, without Shift, that move a point of the plot of examples from the middle to the end of
/// an axis.
const PRESSES_PER_HALF_AXIS: f64 = 50.0;
/// Factor by which Shift enlarges the distance that an arrow key moves a point.
const SHIFT_FACTOR: f64 = 10.0;
/// Number of line segments of a function's curve in the plot of examples.
pub const CURVE_SEGMENTS: usize = 96;

/// A coordinate rounded to three decimals and clamped to ±[`MAX_COORDINATE`]; 0 for NaN.
pub fn round_coordinate(x: f64) -> f64 {
    if x.is_nan() {
        return 0.0;
    }
    // Adding 0 makes −0 a 0.
    (x.clamp(-MAX_COORDINATE, MAX_COORDINATE) / COORDINATE_STEP).round() / COORDINATE_STEP.recip() + 0.0
}

/// Points (x, y) in the format of a link, such as "−1:0.5_0.3:2" for two points.
pub fn format_points(points: &[[f64; 2]]) -> String {
    let one = |[x, y]: &[f64; 2]| format!("{}:{}", format_real(*x), format_real(*y));
    points.iter().map(one).collect::<Vec<_>>().join("_")
}

/// A selection of at most [`MAX_POINTS`] of these points, evenly spaced in the list, with rounded coordinates.
pub fn limit_points(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let count = points.len().min(MAX_POINTS);
    (0..count).map(|at| points[at * points.len() / count].map(round_coordinate)).collect()
}

/// The part of the plane that the plot of examples shows: x from −`max_x` to `max_x`, y from −`max_y` to `max_y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotFrame {
    /// x at the right edge of the plot; the left edge is at −`max_x`.
    pub max_x: f64,
    /// y at the upper edge of the plot; the lower edge is at −`max_y`.
    pub max_y: f64,
}

impl PlotFrame {
    /// The smallest frame of the plot of examples that contains all points, with a margin. Its ends are round numbers,
    /// so that it rarely changes while a point is dragged.
    pub fn fit(points: &[[f64; 2]]) -> PlotFrame {
        let most = |which: usize| {
            let sizes = points.iter().map(|point| point[which].abs()).filter(|x| x.is_finite());
            round_up_axis_end(FRAME_MARGIN * sizes.fold(0.0, f64::max))
        };
        PlotFrame { max_x: most(0), max_y: most(1) }
    }

    /// The position of a point in the plot, in SVG units from the upper left corner; points outside the frame are moved
    /// to its edge.
    pub fn to_drawing(self, [x, y]: [f64; 2]) -> (f64, f64) {
        let share = |x: f64, most: f64| ((x / most).clamp(-1.0, 1.0) + 1.0) / 2.0;
        (DRAWING_SIZE.0 * share(x, self.max_x), DRAWING_SIZE.1 * (1.0 - share(y, self.max_y)))
    }

    /// The point (x, y), rounded, at the fractions `right` of the plot's width from the left and `down` of its height
    /// from the top, each from 0 to 1.
    pub fn to_coordinates(self, right: f64, down: f64) -> [f64; 2] {
        let at = |share: f64, most: f64| round_coordinate(most * (2.0 * share.clamp(0.0, 1.0) - 1.0));
        [at(right, self.max_x), at(1.0 - down, self.max_y)]
    }

    /// The point after a press of the arrow key with this name in the plot of examples, [`SHIFT_FACTOR`] times as far
    /// if `far` (with Shift); none for other keys.
    pub fn move_by_key(self, [x, y]: [f64; 2], key: &str, far: bool) -> Option<[f64; 2]> {
        let step = |most: f64| {
            (most / PRESSES_PER_HALF_AXIS * if far { SHIFT_FACTOR } else { 1.0 }).max(COORDINATE_STEP)
        };
        let (across, up) = (step(self.max_x), step(self.max_y));
        let [x, y] = match key {
            "ArrowLeft" => [x - across, y],
            "ArrowRight" => [x + across, y],
            "ArrowUp" => [x, y + up],
            "ArrowDown" => [x, y - up],
            _ => return None,
        };
        Some([round_coordinate(x), round_coordinate(y)])
    }

    /// Coordinates (x, y) for a point that the user adds by keyboard: the middle of the widest horizontal gap between
    /// points or to the frame's edges, at the mean height of the gap's two ends.
    pub fn find_free_point(self, points: &[[f64; 2]]) -> [f64; 2] {
        let mut order: Vec<[f64; 2]> = points.to_vec();
        vivarium_core::sorting::sort_by(&mut order, |a, b| a[0].total_cmp(&b[0]));
        let edge = |x: f64, at: Option<&[f64; 2]>| [x, at.map_or(0.0, |point| point[1])];
        let ends = [edge(-self.max_x, order.first()), edge(self.max_x, order.last())];
        let all = [&ends[..1], &order[..], &ends[1..]].concat();
        let gap = |pair: &&[[f64; 2]]| pair[1][0] - pair[0][0];
        let widest = all.windows(2).max_by(|a, b| gap(a).total_cmp(&gap(b)));
        widest.map_or([0.0; 2], |pair| {
            [0, 1].map(|which| round_coordinate((pair[0][which] + pair[1][which]) / 2.0))
        })
    }

    /// The `d` attribute of the SVG path of the curve y = `function`(x), interrupted where it leaves the plot or has no
    /// value.
    pub fn svg_path(self, function: impl Fn(f64) -> Option<f64>) -> String {
        let mut path = String::new();
        let mut is_down = false;
        for at in 0..=CURVE_SEGMENTS {
            let x = self.max_x * (2.0 * at as f64 / CURVE_SEGMENTS as f64 - 1.0);
            let y = function(x).filter(|y| y.abs() <= self.max_y);
            if let Some(y) = y {
                let (right, down) = self.to_drawing([x, y]);
                path += &format!("{}{right:.1} {down:.1}", if is_down { "L" } else { "M" });
            }
            is_down = y.is_some();
        }
        path
    }
}

/// The end of an axis of the plot of examples: the smallest number of [`AXIS_ENDS`] times a power of ten that is at
/// least `min_end`; 1 if `min_end` is not positive.
fn round_up_axis_end(min_end: f64) -> f64 {
    if min_end <= 0.0 {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(min_end)));
    AXIS_ENDS.into_iter().chain([10.0]).map(|end| end * power).find(|end| *end >= min_end).unwrap_or(min_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_three_digits_and_fit_into_a_link() {
        assert_eq!(
            [0.123_456, -1.0004, 2e6, -f64::INFINITY, f64::NAN].map(round_coordinate),
            [0.123, -1.0, 100.0, -100.0, 0.0]
        );
        assert!(round_coordinate(-1e-9).is_sign_positive());
        assert_eq!(
            format_points(&[[-1.0, 0.5], [round_coordinate(0.3), round_coordinate(2.0)]]),
            "-1:0.5_0.3:2"
        );
        // However a number was rounded, a link has no more than its three digits.
        for i in -2000..2000 {
            let text = format_real(round_coordinate(f64::from(i) * 0.05 + 1e-5));
            assert!(text.len() <= 7, "{text}");
        }
        assert_eq!(format_points(&[]), "");
    }

    #[test]
    fn of_many_examples_some_become_points() {
        let many: Vec<[f64; 2]> = (0..512).map(|i| [f64::from(i) / 10.0, 0.0]).collect();
        let points = limit_points(&many);
        assert_eq!((points.len(), points[0], points[1], points[63]), (64, [0.0; 2], [0.8, 0.0], [50.4, 0.0]));
        assert_eq!(limit_points(&many[..3]), [[0.0; 2], [0.1, 0.0], [0.2, 0.0]]);
        assert!(limit_points(&[]).is_empty());
    }

    #[test]
    fn a_frame_has_room_for_all_points() {
        assert_eq!(PlotFrame::fit(&[]), PlotFrame { max_x: 1.0, max_y: 1.0 });
        assert_eq!(PlotFrame::fit(&[[-1.5, 0.9], [0.2, -1.0]]), PlotFrame { max_x: 2.0, max_y: 1.5 });
        assert_eq!(
            PlotFrame::fit(&[[f64::NAN, 0.0], [100.0, -0.02]]),
            PlotFrame { max_x: 150.0, max_y: 0.03 }
        );
        for i in 1..400 {
            let size = f64::from(i) * 0.037;
            let frame = PlotFrame::fit(&[[size, size]]);
            assert!(
                frame.max_y >= FRAME_MARGIN * size && frame.max_y < 2.0 * FRAME_MARGIN * size,
                "{size}: {frame:?}"
            );
        }
    }

    #[test]
    fn points_lie_where_they_are_put() {
        let frame = PlotFrame { max_x: 2.0, max_y: 1.0 };
        assert_eq!(frame.to_drawing([0.0, 0.0]), (160.0, 100.0));
        assert_eq!(frame.to_drawing([2.0, 1.0]), (320.0, 0.0));
        assert_eq!(frame.to_drawing([-9.0, -9.0]), (0.0, 200.0));
        for point in [[0.5, -0.25], [-1.234, 0.777]] {
            let (right, down) = frame.to_drawing(point);
            assert_eq!(frame.to_coordinates(right / DRAWING_SIZE.0, down / DRAWING_SIZE.1), point);
        }
        assert_eq!(frame.to_coordinates(-3.0, 7.0), [-2.0, -1.0]);
    }

    #[test]
    fn arrow_keys_move_a_point() {
        let frame = PlotFrame { max_x: 2.0, max_y: 1.0 };
        let moved = |key, far| frame.move_by_key([0.5, 0.5], key, far);
        assert_eq!(moved("ArrowRight", false), Some([0.54, 0.5]));
        assert_eq!(moved("ArrowLeft", true), Some([0.1, 0.5]));
        assert_eq!(moved("ArrowUp", false), Some([0.5, 0.52]));
        assert_eq!(moved("ArrowDown", true), Some([0.5, 0.3]));
        assert_eq!(moved("Enter", false), None);
        // Each press goes somewhere, on the smallest drawing too, and none beyond what a link holds.
        let small = PlotFrame { max_x: 0.01, max_y: 0.01 };
        assert_eq!(small.move_by_key([0.0; 2], "ArrowRight", false), Some([0.001, 0.0]));
        assert_eq!(frame.move_by_key([100.0, 0.0], "ArrowRight", true), Some([100.0, 0.0]));
    }

    #[test]
    fn a_new_point_has_room() {
        let frame = PlotFrame { max_x: 2.0, max_y: 1.0 };
        assert_eq!(frame.find_free_point(&[]), [0.0, 0.0]);
        assert_eq!(frame.find_free_point(&[[-1.0, 0.5]]), [0.5, 0.5]);
        assert_eq!(frame.find_free_point(&[[1.5, 1.0], [-1.5, 0.0]]), [0.0, 0.5]);
    }

    #[test]
    fn a_curve_is_interrupted_where_it_is_not() {
        let frame = PlotFrame { max_x: 1.0, max_y: 1.0 };
        let path = frame.svg_path(|x| (x.abs() > 0.5).then_some(0.0));
        assert_eq!((path.matches('M').count(), &path[..10]), (2, "M0.0 100.0"));
        assert_eq!(frame.svg_path(|_| Some(7.0)), "");
        assert!(frame.svg_path(|x| if x > 0.0 { Some(f64::NAN) } else { Some(x) }).ends_with("160.0 100.0"));
        assert_eq!(frame.svg_path(Some).matches('L').count(), CURVE_SEGMENTS);
    }
}
