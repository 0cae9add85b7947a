//! Charts over all live neurons of a trained network: histograms, and charts per irrep.

use std::f64::consts::PI;

use super::{NeuronPart, NeuronSpectra};
use crate::analysis::histogram::{count_bins, draw_stairs};
use crate::analysis::progress::ModularOperation;
use crate::analysis::{BarChart, Heatmap, LineChart, Role, Series};
use vivarium_core::sorting;

/// Number of bins of a histogram of shares, from 0 to 1.
const SHARE_BINS: usize = 20;
/// Number of bins of a histogram of angles, from −π to π; odd, so that zero is the centre of a bin.
const ANGLE_BINS: usize = 41;

/// The quantity of live neurons that is summed for each dominant irrep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IrrepQuantity {
    /// Number of live neurons.
    Count,
    /// Share of Σ ‖ω‖^ν over live neurons; the number is ν, one more than the degree of the activation.
    Mass(u32),
}

/// Histogram over live neurons of the largest share of one irrep in the squared norm of the embedding u, at the start
/// of training (if given) and now, with the current median marked; share 1 means an embedding within one irrep (Edelman
/// 2024, figures 7.4 and 7.6c, d).
pub fn power_share_chart(start: Option<&NeuronSpectra>, now: &NeuronSpectra) -> LineChart {
    let of = |neurons: &NeuronSpectra, name: &str, role: Role| {
        let shares = neurons.largest_shares(NeuronPart::First);
        let live = neurons.live_neurons().into_iter().map(|neuron| f64::from(shares[neuron]));
        Series { name: name.into(), role, ..histogram(live, (0.0, 1.0), SHARE_BINS) }
    };
    let mut found = of(now, tr!("now"), Role::Test);
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    let median = now
        .median_share(NeuronPart::First)
        .map(|median| (f64::from(median), tr!("median {median}", median = format!("{median:.3}"))));
    LineChart {
        title: tr!("Largest share of one frequency or irrep in the embedding u").into(),
        x_label: tr!("largest share of one {kind}", kind = irrep_kind_name(now)),
        y_label: tr!("share of live neurons").into(),
        x_range: Some((0.0, 1.0)),
        series: start
            .map(|start| of(start, tr!("at the start"), Role::Other))
            .into_iter()
            .chain([found])
            .collect(),
        marks: median.into_iter().collect(),
        ..Default::default()
    }
}

/// Heat map of the share of each irrep (rows, called `names` unless the group is cyclic) in the squared norm of each
/// live neuron (columns); neurons are grouped by dominant irrep, those with the largest share of it first.
pub fn power_heatmap(now: &NeuronSpectra, names: &[String]) -> Heatmap {
    let mut columns: Vec<(usize, usize, Vec<f32>)> = now
        .live_neurons()
        .into_iter()
        .map(|neuron| (now.dominant_irrep(neuron), neuron, now.shares(neuron)))
        .collect();
    sorting::sort_by(&mut columns, |a, b| {
        (a.0.cmp(&b.0)).then(b.2[b.0].total_cmp(&a.2[a.0])).then(a.1.cmp(&b.1))
    });
    let row = |irrep: usize| columns.iter().map(move |(_, _, shares)| shares[irrep]);
    Heatmap {
        title: tr!("Power by {kind}", kind = irrep_kind_name(now)),
        x_label: tr!("live neurons, grouped by their largest component").into(),
        y_label: irrep_kind_name(now).into(),
        rows: now.irrep_count(),
        columns: columns.len(),
        values: (0..now.irrep_count()).flat_map(row).collect(),
        row_names: irrep_labels(now, names),
        ..Default::default()
    }
}

/// Bar chart of the number of live neurons, or their norm mass, by dominant irrep, with an overlay of the values that
/// theory predicts. `predicted` has one value per irrep and is ignored at another length; for Z_p it is 2/(p−1) of the
/// mass for every frequency (Edelman 2024, theorem 7.7 and figure D.1). `names` has the names of the irreps, which a
/// cyclic group does not need.
pub fn per_irrep_chart(
    now: &NeuronSpectra,
    predicted: Option<&[f32]>,
    names: &[String],
    what: IrrepQuantity,
) -> BarChart {
    let (title, y_label, heights) = match what {
        IrrepQuantity::Count => {
            let counts = now.count_per_irrep().into_iter().map(|count| count as f32).collect();
            (tr!("Neurons"), tr!("live neurons").to_string(), counts)
        }
        IrrepQuantity::Mass(exponent) => (
            tr!("Norm mass"),
            tr!("share of Σ‖ω‖{superscript}", superscript = superscript(exponent)),
            now.norm_mass_per_irrep(exponent),
        ),
    };
    let predicted = predicted.filter(|predicted| predicted.len() == now.irrep_count()).unwrap_or_default();
    BarChart {
        title: format!("{title} by {}", irrep_kind_name(now)),
        x_label: irrep_kind_name(now).into(),
        y_label,
        bars: irrep_labels(now, names).into_iter().zip(heights).collect(),
        overlay: predicted.to_vec(),
        overlay_name: tr!("predicted by theory").into(),
        ..Default::default()
    }
}

/// Histogram of the [phase residuals](ModularOperation::residual) of the live neurons, which are 0 in max-margin
/// networks. Empty if the group has no phases.
pub fn phase_residual_chart(now: &NeuronSpectra, operation: ModularOperation) -> LineChart {
    let residual = |neuron| now.phase_residual(neuron, operation);
    let residuals = now.live_neurons().into_iter().filter_map(residual).map(f64::from);
    let mut found = histogram(residuals, (-PI, PI), ANGLE_BINS);
    found.role = Role::Test;
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    LineChart {
        title: tr!("Phase residuals").into(),
        x_label: tr!("{residual} (rad)", residual = operation.residual_name()),
        y_label: tr!("share of live neurons").into(),
        x_range: Some((-PI, PI)),
        series: vec![found],
        ..Default::default()
    }
}

/// Scatter plot of the phases (θu, θv) of the embeddings u and v of each live neuron; opposite edges of the chart are
/// the same angle. Empty if the group has no phases.
pub fn phase_torus_chart(now: &NeuronSpectra) -> LineChart {
    let both = |neuron| {
        Some((f64::from(now.phase(NeuronPart::First, neuron)?), now.phase(NeuronPart::Second, neuron)?))
    };
    let (x, y) = now.live_neurons().into_iter().filter_map(both).unzip();
    LineChart {
        title: tr!("Phases of the neurons").into(),
        x_label: tr!("θu (rad)").into(),
        y_label: tr!("θv (rad)").into(),
        x_range: Some((-PI, PI)),
        y_range: Some((-PI, PI)),
        series: vec![Series { role: Role::Test, x, y, scatter: true, ..Default::default() }],
        ..Default::default()
    }
}

/// Share of the values in each of `bins` bins of `range`, as a staircase. Values outside count in the
/// end bins, NaN is ignored; empty without values.
fn histogram(values: impl Iterator<Item = f64>, range: (f64, f64), bins: usize) -> Series {
    let counts = count_bins(values, range, bins);
    let all: usize = counts.iter().sum();
    if all == 0 {
        return Series { stairs: true, ..Default::default() };
    }
    draw_stairs(range, counts.iter().map(|count| (*count as f64 / all as f64) as f32).collect())
}

/// Display name for an irrep of the group of `now`: "frequency" if the group is cyclic, otherwise "irrep".
fn irrep_kind_name(now: &NeuronSpectra) -> &'static str {
    if now.has_phases() { tr!("frequency") } else { tr!("irrep") }
}

/// Display name of each irrep: its frequency if the group is cyclic, otherwise its entry of `names`, or its number from
/// 1 if there is none.
fn irrep_labels(now: &NeuronSpectra, names: &[String]) -> Vec<String> {
    let name = |irrep: usize| match names.get(irrep) {
        _ if now.has_phases() => irrep.to_string(),
        Some(name) => name.clone(),
        None => (irrep + 1).to_string(),
    };
    (0..now.irrep_count()).map(name).collect()
}

/// The number as text in superscript digits, for an exponent.
fn superscript(number: u32) -> String {
    let raised =
        |digit: char| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize];
    number.to_string().chars().map(raised).collect()
}
