//! Dashes and marks that distinguish curves without colour.

use super::decimate::PixelPoint;

/// Alternating dash and gap lengths in CSS pixels for each index of a curve style; the first, without lengths, is a
/// solid line.
const DASH_PATTERNS: [&[f64]; 6] =
    [&[], &[7.0, 3.0], &[8.0, 2.5, 1.0, 2.5], &[1.5, 2.5], &[12.0, 3.0], &[8.0, 2.5, 1.0, 2.5, 1.0, 2.5]];

/// Alternating dash and gap lengths in CSS pixels of the curve style with this index; empty for a solid line. Patterns
/// repeat after the last.
pub(super) fn dash_pattern(style_index: usize) -> &'static [f64] {
    DASH_PATTERNS[style_index % DASH_PATTERNS.len()]
}

/// Corners, in backend pixels, of the polygon at `(x, y)` that marks a value of a curve with this style index, about as
/// large as a dot of this radius; empty if the style uses dots.
pub(super) fn mark_corners(style_index: usize, (x, y): PixelPoint, radius: f64) -> Vec<PixelPoint> {
    let corners: &[(f64, f64)] = match style_index % 4 {
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

/// Cuts a curve through `points` into dashes, each a list of points; `lengths` alternate between the length of a dash
/// and of a gap, in backend pixels.
pub(super) fn cut_into_dashes(points: &[PixelPoint], lengths: &[f64]) -> Vec<Vec<PixelPoint>> {
    if lengths.is_empty() || lengths.iter().any(|length| *length < 0.5) {
        return vec![points.to_vec()];
    }
    let pixels = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let (mut at, mut left) = (0, lengths[0]);
    let (mut dashes, mut dash): (Vec<Vec<PixelPoint>>, Vec<PixelPoint>) =
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
        let dashes = cut_into_dashes(&[(0, 0), (10, 0), (10, 10)], &[4.0, 2.0]);
        let expected: [&[PixelPoint]; 4] =
            [&[(0, 0), (4, 0)], &[(6, 0), (10, 0)], &[(10, 2), (10, 6)], &[(10, 8), (10, 10)]];
        assert_eq!(dashes, expected);
        let around = cut_into_dashes(&[(0, 0), (3, 0), (3, 9)], &[5.0, 2.0]);
        assert_eq!(around[0], [(0, 0), (3, 0), (3, 2)]);
        let whole = [(0, 0), (5, 5)];
        assert_eq!(cut_into_dashes(&whole, &[]), [whole]);
        assert_eq!(cut_into_dashes(&whole, &[0.1, 0.1]), [whole], "too fine to be seen");
        assert!(cut_into_dashes(&[], &[4.0, 2.0]).is_empty());
    }

    #[test]
    fn looks_differ_by_dashes_and_neighbours_by_marks() {
        for look in 0..DASH_PATTERNS.len() {
            assert!((0..look).all(|other| dash_pattern(other) != dash_pattern(look)));
            assert_eq!(dash_pattern(look).len() % 2, 0);
            assert_ne!(mark_corners(look, (0, 0), 10.0), mark_corners(look + 1, (0, 0), 10.0));
        }
    }
}
