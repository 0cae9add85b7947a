//! What networks get wrong at the end of the runs of a sweep: medians with quartiles, as curves over what is swept.

use super::convergence::quantile;
use super::{Lines, Role, Series};

/// Lower quartile, median and upper quartile of the finite of `values`; none where there are none.
pub fn quartiles(values: &[f32]) -> Option<[f32; 3]> {
    let mut sorted: Vec<f64> = values.iter().map(|v| f64::from(*v)).filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share) as f32))
}

/// A curve of a sweep: its name, and for each place what every network has there.
pub type Curve = (String, Vec<(f64, Vec<f32>)>);

/// The curves with their quartiles as bands.
pub fn chart(curves: &[Curve], x_label: &str, y_label: &str) -> Lines {
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |(number, (name, points)): (usize, &Curve)| {
        let mut series = Series {
            name: name.clone(),
            role: roles[number % roles.len()],
            tint: number.checked_sub(roles.len()),
            points: true,
            ..Default::default()
        };
        for (x, values) in points {
            let [low, middle, high] = quartiles(values).unwrap_or([f32::NAN; 3]);
            series.x.push(*x);
            series.y.push(middle);
            series.band.push((low, high));
        }
        series
    };
    Lines {
        x_label: x_label.into(),
        y_label: y_label.into(),
        series: curves.iter().enumerate().map(curve).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_by_hand() {
        assert_eq!(quartiles(&[4.0, 1.0, 3.0, 2.0, 5.0]), Some([2.0, 3.0, 4.0]));
        assert_eq!(quartiles(&[1.0, 2.0, f32::NAN]), Some([1.25, 1.5, 1.75]));
        assert_eq!((quartiles(&[7.0]), quartiles(&[f32::INFINITY])), (Some([7.0; 3]), None));
    }

    #[test]
    fn every_curve_has_its_medians_and_its_own_look() {
        let points = vec![(10.0, vec![0.5, 0.3, 0.4]), (20.0, vec![])];
        let curves: Vec<Curve> = (0..6).map(|i| (format!("curve {i}"), points.clone())).collect();
        let lines = chart(&curves, "m", "error");
        assert_eq!((lines.series[0].x.as_slice(), lines.series[0].y[0]), ([10.0, 20.0].as_slice(), 0.4));
        assert!(lines.series[0].y[1].is_nan());
        let looks: Vec<_> = lines.series.iter().map(|s| (s.role as usize, s.tint)).collect();
        assert!(looks.iter().enumerate().all(|(i, look)| !looks[..i].contains(look)), "{looks:?}");
    }
}
