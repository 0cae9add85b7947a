//! Dashes and marks that tell curves apart without colour.

use super::decimate::Point;

/// Lengths of dash and gap in turn, in CSS pixels; the first is a whole line.
const PATTERNS: [&[f64]; 6] =
    [&[], &[7.0, 3.0], &[8.0, 2.5, 1.0, 2.5], &[1.5, 2.5], &[12.0, 3.0], &[8.0, 2.5, 1.0, 2.5, 1.0, 2.5]];

/// The dashes of a look.
pub(super) fn pattern(look: usize) -> &'static [f64] {
    PATTERNS[look % PATTERNS.len()]
}

/// The corners of the mark of a look around `(x, y)`, about as large as a dot of this radius; none for a dot.
pub(super) fn mark(look: usize, (x, y): Point, radius: f64) -> Vec<Point> {
    let corners: &[(f64, f64)] = match look % 4 {
        0 => &[],
        1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => &[(0.0, -1.3), (1.15, 0.8), (-1.15, 0.8)],
        _ => &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    };
    let at = |(right, down): &(f64, f64)| {
        (x + (right * radius).round() as i32, y + (down * radius).round() as i32)
    };
    corners.iter().map(at).collect()
}

/// The dashes of a curve: `lengths` of dash and gap in turn, in the backend's pixels.
pub(super) fn cut(points: &[Point], lengths: &[f64]) -> Vec<Vec<Point>> {
    if lengths.is_empty() || lengths.iter().any(|length| *length < 0.5) {
        return vec![points.to_vec()];
    }
    let pixels = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let (mut at, mut left) = (0, lengths[0]);
    let (mut dashes, mut dash): (Vec<Vec<Point>>, Vec<Point>) =
        (vec![], points.first().copied().into_iter().collect());
    for ends in points.windows(2) {
        let from = (f64::from(ends[0].0), f64::from(ends[0].1));
        let (right, down) = (f64::from(ends[1].0) - from.0, f64::from(ends[1].1) - from.1);
        let length = libm::hypot(right, down);
        let mut gone = 0.0;
        while length - gone >= left && length > 0.0 {
            gone += left;
            let place = pixels((from.0 + right * gone / length, from.1 + down * gone / length));
            match at % 2 {
                0 => {
                    dash.push(place);
                    dashes.push(std::mem::take(&mut dash));
                }
                _ => dash = vec![place],
            }
            at = (at + 1) % lengths.len();
            left = lengths[at];
        }
        left -= length - gone;
        if at % 2 == 0 && dash.last() != Some(&ends[1]) {
            dash.push(ends[1]);
        }
    }
    if dash.len() > 1 {
        dashes.push(dash);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_the_curve_around_its_corners() {
        // 10 right and 10 down: dashes of 4 with gaps of 2 begin at 0, 6, 12 and 18 of its 20 pixels.
        let dashes = cut(&[(0, 0), (10, 0), (10, 10)], &[4.0, 2.0]);
        let expected: [&[Point]; 4] =
            [&[(0, 0), (4, 0)], &[(6, 0), (10, 0)], &[(10, 2), (10, 6)], &[(10, 8), (10, 10)]];
        assert_eq!(dashes, expected);
        let around = cut(&[(0, 0), (3, 0), (3, 9)], &[5.0, 2.0]);
        assert_eq!(around[0], [(0, 0), (3, 0), (3, 2)]);
        let whole = [(0, 0), (5, 5)];
        assert_eq!(cut(&whole, &[]), [whole]);
        assert_eq!(cut(&whole, &[0.1, 0.1]), [whole], "too fine to be seen");
        assert!(cut(&[], &[4.0, 2.0]).is_empty());
    }

    #[test]
    fn looks_differ_by_dashes_and_neighbours_by_marks() {
        for look in 0..PATTERNS.len() {
            assert!((0..look).all(|other| pattern(other) != pattern(look)));
            assert_eq!(pattern(look).len() % 2, 0);
            assert_ne!(mark(look, (0, 0), 10.0), mark(look + 1, (0, 0), 10.0));
        }
    }
}
