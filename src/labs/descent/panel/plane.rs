//! The plot of the examples, as a person changes it: which part of the plane is drawn, where a point lies on it, and where
//! there is room for another one.

use vivarium_core::settings::real;

/// Width and height of the drawing, in its own units.
pub const SIZE: (f64, f64) = (320.0, 200.0);
/// Most points that can be put down.
pub const MOST: usize = 64;
/// The largest coordinate that a link can hold.
pub const LARGEST: f64 = 100.0;
/// Coordinates are whole multiples of this.
const GRAIN: f64 = 1e-3;
/// How much further the drawing reaches than the outermost point.
const MARGIN: f64 = 1.15;
/// Ends of the axes in each power of ten.
const ENDS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5];
/// Presses of an arrow key from the middle to an end.
const PRESSES: f64 = 50.0;
/// How much further a press goes with Shift.
const LEAP: f64 = 10.0;
/// Straight pieces that a curve is drawn of.
pub const PIECES: usize = 96;

/// A coordinate as a link holds it: three digits after the point, no larger than can be.
pub fn rounded(x: f64) -> f64 {
    if x.is_nan() {
        return 0.0;
    }
    // Adding 0 makes −0 a 0.
    (x.clamp(-LARGEST, LARGEST) / GRAIN).round() / GRAIN.recip() + 0.0
}

/// Points as they stand in a link: "−1:0.5_0.3:2".
pub fn written(points: &[[f64; 2]]) -> String {
    let one = |[x, y]: &[f64; 2]| format!("{}:{}", real(*x), real(*y));
    points.iter().map(one).collect::<Vec<_>>().join("_")
}

/// At most [`MOST`] of these points, at equal distances in their list, with coordinates that a link can hold.
pub fn own(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let count = points.len().min(MOST);
    (0..count).map(|at| points[at * points.len() / count].map(rounded)).collect()
}

/// The part of the plane that is drawn: from −across to across, and from −up to up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The largest x.
    pub across: f64,
    /// The largest y.
    pub up: f64,
}

impl Frame {
    /// The smallest one in which all points have room. It changes in steps, so that it mostly stands still while a point is
    /// moved.
    pub fn of(points: &[[f64; 2]]) -> Frame {
        let most = |which: usize| {
            let sizes = points.iter().map(|point| point[which].abs()).filter(|x| x.is_finite());
            end(MARGIN * sizes.fold(0.0, f64::max))
        };
        Frame { across: most(0), up: most(1) }
    }

    /// Where a point lies in the drawing; outside of it, at its edge.
    pub fn place(self, [x, y]: [f64; 2]) -> (f64, f64) {
        let share = |x: f64, most: f64| ((x / most).clamp(-1.0, 1.0) + 1.0) / 2.0;
        (SIZE.0 * share(x, self.across), SIZE.1 * (1.0 - share(y, self.up)))
    }

    /// The point at these shares of width and height, from 0 to 1.
    pub fn point(self, right: f64, down: f64) -> [f64; 2] {
        let at = |share: f64, most: f64| rounded(most * (2.0 * share.clamp(0.0, 1.0) - 1.0));
        [at(right, self.across), at(1.0 - down, self.up)]
    }

    /// A point moved by a press of an arrow key; none for other keys.
    pub fn moved(self, [x, y]: [f64; 2], key: &str, far: bool) -> Option<[f64; 2]> {
        let step = |most: f64| (most / PRESSES * if far { LEAP } else { 1.0 }).max(GRAIN);
        let (across, up) = (step(self.across), step(self.up));
        let [x, y] = match key {
            "ArrowLeft" => [x - across, y],
            "ArrowRight" => [x + across, y],
            "ArrowUp" => [x, y + up],
            "ArrowDown" => [x, y - up],
            _ => return None,
        };
        Some([rounded(x), rounded(y)])
    }

    /// A new point for the keyboard: in the middle of the widest gap between two neighbours or an end of the axis, and between
    /// their heights.
    pub fn free(self, points: &[[f64; 2]]) -> [f64; 2] {
        let mut order: Vec<[f64; 2]> = points.to_vec();
        vivarium_core::sorting::sort_by(&mut order, |a, b| a[0].total_cmp(&b[0]));
        let edge = |x: f64, at: Option<&[f64; 2]>| [x, at.map_or(0.0, |point| point[1])];
        let ends = [edge(-self.across, order.first()), edge(self.across, order.last())];
        let all = [&ends[..1], &order[..], &ends[1..]].concat();
        let gap = |pair: &&[[f64; 2]]| pair[1][0] - pair[0][0];
        let widest = all.windows(2).max_by(|a, b| gap(a).total_cmp(&gap(b)));
        widest.map_or([0.0; 2], |pair| [0, 1].map(|which| rounded((pair[0][which] + pair[1][which]) / 2.0)))
    }

    /// A function over the frame, as the `d` of an SVG path; it is interrupted where it leaves the drawing or has no value.
    pub fn curve(self, of: impl Fn(f64) -> Option<f64>) -> String {
        let mut path = String::new();
        let mut is_down = false;
        for at in 0..=PIECES {
            let x = self.across * (2.0 * at as f64 / PIECES as f64 - 1.0);
            let y = of(x).filter(|y| y.abs() <= self.up);
            if let Some(y) = y {
                let (right, down) = self.place([x, y]);
                path += &format!("{}{right:.1} {down:.1}", if is_down { "L" } else { "M" });
            }
            is_down = y.is_some();
        }
        path
    }
}

/// The smallest end of an axis that is not below `least`.
fn end(least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(least)));
    ENDS.into_iter().chain([10.0]).map(|end| end * power).find(|end| *end >= least).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_three_digits_and_fit_into_a_link() {
        assert_eq!(
            [0.123_456, -1.0004, 2e6, -f64::INFINITY, f64::NAN].map(rounded),
            [0.123, -1.0, 100.0, -100.0, 0.0]
        );
        assert!(rounded(-1e-9).is_sign_positive());
        assert_eq!(written(&[[-1.0, 0.5], [rounded(0.3), rounded(2.0)]]), "-1:0.5_0.3:2");
        // However a number was rounded, a link has no more than its three digits.
        for i in -2000..2000 {
            let text = real(rounded(f64::from(i) * 0.05 + 1e-5));
            assert!(text.len() <= 7, "{text}");
        }
        assert_eq!(written(&[]), "");
    }

    #[test]
    fn of_many_examples_some_become_points() {
        let many: Vec<[f64; 2]> = (0..512).map(|i| [f64::from(i) / 10.0, 0.0]).collect();
        let points = own(&many);
        assert_eq!((points.len(), points[0], points[1], points[63]), (64, [0.0; 2], [0.8, 0.0], [50.4, 0.0]));
        assert_eq!(own(&many[..3]), [[0.0; 2], [0.1, 0.0], [0.2, 0.0]]);
        assert!(own(&[]).is_empty());
    }

    #[test]
    fn a_frame_has_room_for_all_points() {
        assert_eq!(Frame::of(&[]), Frame { across: 1.0, up: 1.0 });
        assert_eq!(Frame::of(&[[-1.5, 0.9], [0.2, -1.0]]), Frame { across: 2.0, up: 1.5 });
        assert_eq!(Frame::of(&[[f64::NAN, 0.0], [100.0, -0.02]]), Frame { across: 150.0, up: 0.03 });
        for i in 1..400 {
            let size = f64::from(i) * 0.037;
            let frame = Frame::of(&[[size, size]]);
            assert!(frame.up >= MARGIN * size && frame.up < 2.0 * MARGIN * size, "{size}: {frame:?}");
        }
    }

    #[test]
    fn points_lie_where_they_are_put() {
        let frame = Frame { across: 2.0, up: 1.0 };
        assert_eq!(frame.place([0.0, 0.0]), (160.0, 100.0));
        assert_eq!(frame.place([2.0, 1.0]), (320.0, 0.0));
        assert_eq!(frame.place([-9.0, -9.0]), (0.0, 200.0));
        for point in [[0.5, -0.25], [-1.234, 0.777]] {
            let (right, down) = frame.place(point);
            assert_eq!(frame.point(right / SIZE.0, down / SIZE.1), point);
        }
        assert_eq!(frame.point(-3.0, 7.0), [-2.0, -1.0]);
    }

    #[test]
    fn arrow_keys_move_a_point() {
        let frame = Frame { across: 2.0, up: 1.0 };
        let moved = |key, far| frame.moved([0.5, 0.5], key, far);
        assert_eq!(moved("ArrowRight", false), Some([0.54, 0.5]));
        assert_eq!(moved("ArrowLeft", true), Some([0.1, 0.5]));
        assert_eq!(moved("ArrowUp", false), Some([0.5, 0.52]));
        assert_eq!(moved("ArrowDown", true), Some([0.5, 0.3]));
        assert_eq!(moved("Enter", false), None);
        // Each press goes somewhere, on the smallest drawing too, and none beyond what a link holds.
        let small = Frame { across: 0.01, up: 0.01 };
        assert_eq!(small.moved([0.0; 2], "ArrowRight", false), Some([0.001, 0.0]));
        assert_eq!(frame.moved([100.0, 0.0], "ArrowRight", true), Some([100.0, 0.0]));
    }

    #[test]
    fn a_new_point_has_room() {
        let frame = Frame { across: 2.0, up: 1.0 };
        assert_eq!(frame.free(&[]), [0.0, 0.0]);
        assert_eq!(frame.free(&[[-1.0, 0.5]]), [0.5, 0.5]);
        assert_eq!(frame.free(&[[1.5, 1.0], [-1.5, 0.0]]), [0.0, 0.5]);
    }

    #[test]
    fn a_curve_is_interrupted_where_it_is_not() {
        let frame = Frame { across: 1.0, up: 1.0 };
        let path = frame.curve(|x| (x.abs() > 0.5).then_some(0.0));
        assert_eq!((path.matches('M').count(), &path[..10]), (2, "M0.0 100.0"));
        assert_eq!(frame.curve(|_| Some(7.0)), "");
        assert!(frame.curve(|x| if x > 0.0 { Some(f64::NAN) } else { Some(x) }).ends_with("160.0 100.0"));
        assert_eq!(frame.curve(Some).matches('L').count(), PIECES);
    }
}
