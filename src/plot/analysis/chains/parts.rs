//! The parts of networks on sequences: distances, heads, and the two parameters of the minimal model.

use super::{MAX_DISTANCES, head_names, symbol_letter};
use crate::analysis::{BarChart, Heatmap, LineChart, Role, Series};

/// Mean attention weights of one network by distance: `[head][distance]` for the heads of the first layer, relative to
/// uniform attention, which is 1.
pub type DistanceWeights = Vec<Vec<f64>>;

/// The vector v of the minimal model (Edelman 2024, section 8.3), given as `lags`, its weight of each distance from 0,
/// scaled so that the mean of |v| is 1.
pub fn normalise_lags(lags: &[f32]) -> Vec<f64> {
    let total: f64 = lags.iter().map(|v| f64::from(v.abs())).sum();
    let unit = if total > 0.0 { lags.len() as f64 / total } else { 0.0 };
    lags.iter().map(|v| f64::from(*v) * unit).collect()
}

/// Line chart of attention weight over distance from pairs (step, weights), ascending by step: the latest in colour,
/// earlier steps in grey. The vertical axis is logarithmic if all weights are positive.
pub fn distance_chart<'a>(snapshots: impl Iterator<Item = (u64, &'a DistanceWeights)>) -> LineChart {
    let all: Vec<(u64, &DistanceWeights)> = snapshots.collect();
    let curve = |name: String, role, weights: &[f64]| {
        let shown = &weights[..weights.len().min(MAX_DISTANCES)];
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
    LineChart {
        x_label: tr!("distance in positions").into(),
        y_label: tr!("weight").into(),
        reference_lines: vec![(1.0, tr!("equal weights").into())],
        x_range: series.is_empty().then_some((0.0, (MAX_DISTANCES - 1) as f64)),
        y_range: series.is_empty().then_some((0.0, 2.0)),
        log_y,
        series,
        ..Default::default()
    }
}

/// Bar chart of KL(true chain ‖ network) for the whole network (highlighted) and with each attention head removed;
/// `layers` has the number of heads of each layer, `kl_values` first the whole network, then the heads in the order of
/// [`head_names`]. `None` leaves the bars empty.
pub fn ablation_chart(layers: &[usize], kl_values: Option<&[f32]>) -> BarChart {
    let names = std::iter::once(tr!("none").to_string()).chain(head_names(layers));
    let height = |i: usize| kl_values.and_then(|found| found.get(i)).copied().unwrap_or(f32::NAN);
    BarChart {
        x_label: tr!("removed head").into(),
        y_label: tr!("KL (nats)").into(),
        bars: names.enumerate().map(|(i, name)| (name, height(i))).collect(),
        marked: vec![0],
        marked_name: "whole network".into(),
        ..Default::default()
    }
}

/// Heat map of the matrix W, `[symbols, symbols]`, of the minimal model (Edelman 2024, section 8.3): rows are current
/// symbols, columns are earlier symbols.
pub fn kernel_heatmap(symbols: usize, w: &[f32]) -> Heatmap {
    let names: Vec<String> = (0..symbols).map(symbol_letter).collect();
    Heatmap {
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

/// Bar chart of the vector v of the minimal model (Edelman 2024, section 8.3), its weight of each distance to an
/// earlier symbol.
pub fn lag_chart(v: &[f32]) -> BarChart {
    BarChart {
        x_label: tr!("distance in positions").into(),
        y_label: "v".into(),
        bars: v.iter().take(MAX_DISTANCES).enumerate().map(|(d, v)| (d.to_string(), *v)).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_weights_are_in_colour_and_the_earlier_quiet() {
        let (start, now) = (vec![vec![1.0; 50]; 2], vec![vec![0.5; 50], vec![2.0; 50]]);
        let lines = distance_chart([(0, &start), (5, &start), (9, &now)].into_iter());
        let quiet = lines.series.iter().filter(|s| s.role == Role::Other).count();
        assert_eq!((quiet, lines.series.len(), lines.log_y), (4, 6, true));
        let newest = &lines.series[5];
        assert_eq!((newest.name.as_str(), newest.x.len(), newest.y[24]), ("head 1.2", 25, 2.0));
        let one = distance_chart([(0, &vec![vec![1.0, -1.0, 0.0]])].into_iter());
        assert_eq!((one.series[0].name.as_str(), one.log_y), ("now", false));
        assert!(distance_chart(std::iter::empty()).series.is_empty());
    }

    #[test]
    fn normalised_weights_have_a_mean_of_one() {
        assert_eq!(normalise_lags(&[0.5, 0.5, 1.0, 0.0]), [1.0, 1.0, 2.0, 0.0]);
        assert_eq!(normalise_lags(&[-1.0, 1.0]), [-1.0, 1.0]);
        assert_eq!(normalise_lags(&[0.0; 2]), [0.0; 2]);
    }

    #[test]
    fn every_head_has_its_bar_before_any_finding() {
        let names = |bars: &BarChart| bars.bars.iter().map(|b| b.0.clone()).collect::<Vec<_>>().join(" ");
        let bars = ablation_chart(&[2, 1], None);
        assert_eq!(names(&bars), "none 1.1 1.2 2.1");
        assert!(bars.bars.iter().all(|bar| bar.1.is_nan()));
        let bars = ablation_chart(&[1, 1], Some(&[0.02, 0.1, 0.09]));
        assert_eq!((bars.bars[2].1, bars.marked.as_slice()), (0.09, [0].as_slice()));
    }

    #[test]
    fn parameters_of_the_minimal_model_go_by_symbols_and_distances() {
        let grid = kernel_heatmap(2, &[1.0, -0.5, 0.0, 1.0]);
        assert_eq!((grid.values[1], grid.row_names.join("")), (-0.5, "ab".to_string()));
        assert_eq!((lag_chart(&[0.5; 50]).bars.len(), lag_chart(&[0.5; 7]).bars[6].0.as_str()), (25, "6"));
    }
}
