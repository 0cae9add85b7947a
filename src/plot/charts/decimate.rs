//! Fewer points, the same picture: per column of pixels only the lowest and the highest are kept.

/// A position in backend pixels: (x from the left, y from the top).
pub(super) type PixelPoint = (i32, i32);

/// Splits the pixels of a curve into runs at each `None`. Of consecutive points in one pixel column it keeps only the
/// lowest and the highest, in their original order.
pub(super) fn decimate_curve(points: impl Iterator<Item = Option<PixelPoint>>) -> Vec<Vec<PixelPoint>> {
    let mut runs: Vec<Vec<PixelPoint>> = vec![vec![]];
    // Extremes of the current column: first seen and last seen of the two.
    let mut column: Option<(PixelPoint, PixelPoint)> = None;
    /// Appends the lowest and the highest point of the current pixel column to the run, in their original order.
    fn flush_column(column: &mut Option<(PixelPoint, PixelPoint)>, run: Option<&mut Vec<PixelPoint>>) {
        if let (Some((first, second)), Some(run)) = (column.take(), run) {
            run.push(first);
            if second != first {
                run.push(second);
            }
        }
    }
    for point in points {
        let Some(p) = point else {
            flush_column(&mut column, runs.last_mut());
            runs.push(vec![]);
            continue;
        };
        match &mut column {
            Some((first, second)) if first.0 == p.0 => {
                let (low, high) = (first.1.min(second.1), first.1.max(second.1));
                if p.1 < low || p.1 > high {
                    // The extreme on the other side stays; which of the two came first stays known.
                    let kept = if p.1 < low { high } else { low };
                    let early = if first.1 == kept { *first } else { *second };
                    (*first, *second) = (early, p);
                }
            }
            _ => {
                flush_column(&mut column, runs.last_mut());
                column = Some((p, p));
            }
        }
    }
    flush_column(&mut column, runs.last_mut());
    runs.retain(|run| !run.is_empty());
    runs
}

/// Splits a band, points (x, edge, other edge) in pixels, into runs at each `None`. Consecutive points in one pixel
/// column are merged into one (x, smallest y, largest y).
pub(super) fn decimate_band(
    points: impl Iterator<Item = Option<(i32, i32, i32)>>,
) -> Vec<Vec<(i32, i32, i32)>> {
    let mut runs: Vec<Vec<(i32, i32, i32)>> = vec![vec![]];
    for point in points {
        let Some((x, a, b)) = point else {
            runs.push(vec![]);
            continue;
        };
        let (low, high) = (a.min(b), a.max(b));
        if let Some(run) = runs.last_mut() {
            match run.last_mut() {
                Some(last) if last.0 == x => *last = (x, last.1.min(low), last.2.max(high)),
                _ => run.push((x, low, high)),
            }
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_extremes_in_order() {
        let points = [(0, 5), (0, 7), (0, 2), (0, 4), (1, 1), (2, 3), (2, 3)];
        assert_eq!(decimate_curve(points.into_iter().map(Some)), [vec![(0, 7), (0, 2), (1, 1), (2, 3)]]);
        let spikes = (0..10_000).map(|i| Some((i / 1000, if i == 4321 { 99 } else { i % 7 })));
        let run = &decimate_curve(spikes)[0];
        assert!(run.len() <= 20 && run.contains(&(4, 99)));
    }

    #[test]
    fn gaps_split() {
        let points = [None, Some((0, 1)), Some((1, 1)), None, None, Some((2, 1)), None];
        assert_eq!(decimate_curve(points.into_iter()), [vec![(0, 1), (1, 1)], vec![(2, 1)]]);
        let points = [Some((0, 9, 1)), Some((0, 2, 11)), None, Some((1, 1, 1))];
        assert_eq!(decimate_band(points.into_iter()), [vec![(0, 1, 11)], vec![(1, 1, 1)]]);
    }
}
