//! The parts of networks on sequences: distances, heads, and the two parameters of the minimal model.

use super::{DISTANCES, head_names, letter};
use crate::analysis::{Bars, Grid, Lines, Role, Series};

/// Weights of the distances of one network: for each head of the first layer from distance 0, 1 where they are even.
pub type Distances = Vec<Vec<f64>>;

/// v of the minimal model as weights of distances: |v| sums to its length.
pub fn normalised(lags: &[f32]) -> Vec<f64> {
    let total: f64 = lags.iter().map(|v| f64::from(v.abs())).sum();
    let unit = if total > 0.0 { lags.len() as f64 / total } else { 0.0 };
    lags.iter().map(|v| f64::from(*v) * unit).collect()
}

/// Weights of distances, of the newest of `snapshots` in colour and of earlier ones quietly. The vertical axis is
/// logarithmic unless a weight has none there.
pub fn distances<'a>(snapshots: impl Iterator<Item = (u64, &'a Distances)>) -> Lines {
    let all: Vec<(u64, &Distances)> = snapshots.collect();
    let curve = |name: String, role, weights: &[f64]| {
        let shown = &weights[..weights.len().min(DISTANCES)];
        Series {
            name,
            role,
            x: (0..shown.len()).map(|d| d as f64).collect(),
            y: shown.iter().map(|w| *w as f32).collect(),
            points: role != Role::Other,
            ..Default::default()
        }
    };
    let mut series: Vec<Series> = vec![];
    if let Some(((_, newest), earlier)) = all.split_last() {
        for (_, heads) in earlier {
            series
                .extend(heads.iter().map(|weights| curve(tr!("earlier steps").into(), Role::Other, weights)));
        }
        let roles = [Role::Test, Role::Train, Role::Relevant];
        let several = newest.len() > 1;
        for (i, (weights, name)) in newest.iter().zip(head_names(&[newest.len()])).enumerate() {
            let name = if several { tr!("head {name}", name) } else { tr!("now").into() };
            series.push(curve(name, roles[i % roles.len()], weights));
        }
    }
    let log_y = !series.is_empty() && series.iter().flat_map(|s| &s.y).all(|weight| *weight > 0.0);
    Lines {
        x_label: tr!("distance in positions").into(),
        y_label: tr!("weight").into(),
        references: vec![(1.0, tr!("equal weights").into())],
        x_range: series.is_empty().then_some((0.0, (DISTANCES - 1) as f64)),
        y_range: series.is_empty().then_some((0.0, 2.0)),
        log_y,
        series,
        ..Default::default()
    }
}

/// KL to the truth of the whole network, which is pointed at, and without each head of layers of these sizes.
pub fn ablation(layers: &[usize], found: Option<&[f32]>) -> Bars {
    let names = std::iter::once(tr!("none").to_string()).chain(head_names(layers));
    let height = |i: usize| found.and_then(|found| found.get(i)).copied().unwrap_or(f32::NAN);
    Bars {
        x_label: tr!("removed head").into(),
        y_label: tr!("KL (nats)").into(),
        bars: names.enumerate().map(|(i, name)| (name, height(i))).collect(),
        marked: vec![0],
        marked_name: "whole network".into(),
        ..Default::default()
    }
}

/// W of the minimal model, `[symbols, symbols]`.
pub fn kernel(symbols: usize, w: &[f32]) -> Grid {
    let names: Vec<String> = (0..symbols).map(letter).collect();
    Grid {
        x_label: tr!("earlier symbol").into(),
        y_label: tr!("current symbol").into(),
        rows: symbols,
        columns: symbols,
        values: w.to_vec(),
        row_names: names.clone(),
        column_names: names,
        ..Default::default()
    }
}

/// v of the minimal model over the distances.
pub fn lags(v: &[f32]) -> Bars {
    Bars {
        x_label: tr!("distance in positions").into(),
        y_label: "v".into(),
        bars: v.iter().take(DISTANCES).enumerate().map(|(d, v)| (d.to_string(), *v)).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_weights_are_in_colour_and_the_earlier_quiet() {
        let (start, now) = (vec![vec![1.0; 50]; 2], vec![vec![0.5; 50], vec![2.0; 50]]);
        let lines = distances([(0, &start), (5, &start), (9, &now)].into_iter());
        let quiet = lines.series.iter().filter(|s| s.role == Role::Other).count();
        assert_eq!((quiet, lines.series.len(), lines.log_y), (4, 6, true));
        let newest = &lines.series[5];
        assert_eq!((newest.name.as_str(), newest.x.len(), newest.y[24]), ("head 1.2", 25, 2.0));
        let one = distances([(0, &vec![vec![1.0, -1.0, 0.0]])].into_iter());
        assert_eq!((one.series[0].name.as_str(), one.log_y), ("now", false));
        assert!(distances(std::iter::empty()).series.is_empty());
    }

    #[test]
    fn normalised_weights_have_a_mean_of_one() {
        assert_eq!(normalised(&[0.5, 0.5, 1.0, 0.0]), [1.0, 1.0, 2.0, 0.0]);
        assert_eq!(normalised(&[-1.0, 1.0]), [-1.0, 1.0]);
        assert_eq!(normalised(&[0.0; 2]), [0.0; 2]);
    }

    #[test]
    fn every_head_has_its_bar_before_any_finding() {
        let names = |bars: &Bars| bars.bars.iter().map(|b| b.0.clone()).collect::<Vec<_>>().join(" ");
        let bars = ablation(&[2, 1], None);
        assert_eq!(names(&bars), "none 1.1 1.2 2.1");
        assert!(bars.bars.iter().all(|bar| bar.1.is_nan()));
        let bars = ablation(&[1, 1], Some(&[0.02, 0.1, 0.09]));
        assert_eq!((bars.bars[2].1, bars.marked.as_slice()), (0.09, [0].as_slice()));
    }

    #[test]
    fn parameters_of_the_minimal_model_go_by_symbols_and_distances() {
        let grid = kernel(2, &[1.0, -0.5, 0.0, 1.0]);
        assert_eq!((grid.values[1], grid.row_names.join("")), (-0.5, "ab".to_string()));
        assert_eq!((lags(&[0.5; 50]).bars.len(), lags(&[0.5; 7]).bars[6].0.as_str()), (25, "6"));
    }
}
