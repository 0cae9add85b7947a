//! What the neurons of a network have become, over all that are live: histograms, and charts per irrep.

use std::f64::consts::PI;

use super::{Neurons, Part};
use crate::analysis::progress::Operation;
use crate::analysis::{Bars, Grid, Lines, Role, Series};
use vivarium_core::sorting;

/// Bins of a histogram of shares.
const SHARE_BINS: usize = 20;
/// Bins of a histogram of angles; odd, so that zero is in the middle of one.
const ANGLE_BINS: usize = 41;

/// What is added up per irrep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Live neurons.
    Count,
    /// Σ ‖ω‖^ν over live neurons, as a share of all, with this ν: one more than the activation's degree.
    Mass(u32),
}

/// The largest share of an irrep in u over live neurons, at the start and now, with the median now marked; a share
/// of 1 is a neuron within one irrep (Edelman 2024, figures 7.4 and 7.6c, d).
pub fn power_histogram(start: Option<&Neurons>, now: &Neurons) -> Lines {
    let of = |neurons: &Neurons, name: &str, role: Role| {
        let shares = neurons.largest_shares(Part::First);
        let live = neurons.live().into_iter().map(|neuron| f64::from(shares[neuron]));
        Series { name: name.into(), role, ..histogram(live, (0.0, 1.0), SHARE_BINS) }
    };
    let mut found = of(now, tr!("now"), Role::Test);
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    let median = now
        .median_share(Part::First)
        .map(|median| (f64::from(median), tr!("median {median}", median = format!("{median:.3}"))));
    Lines {
        title: tr!("Largest share of one frequency or irrep in the embedding u").into(),
        x_label: tr!("largest share of one {kind}", kind = kind(now)),
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

/// The shares of all irreps (rows) in the live neurons' squared norms (columns), neurons of one dominant irrep side
/// by side and the purest of them first.
pub fn power_grid(now: &Neurons, names: &[String]) -> Grid {
    let mut columns: Vec<(usize, usize, Vec<f32>)> =
        now.live().into_iter().map(|neuron| (now.dominant(neuron), neuron, now.shares(neuron))).collect();
    sorting::sort_by(&mut columns, |a, b| {
        (a.0.cmp(&b.0)).then(b.2[b.0].total_cmp(&a.2[a.0])).then(a.1.cmp(&b.1))
    });
    let row = |irrep: usize| columns.iter().map(move |(_, _, shares)| shares[irrep]);
    Grid {
        title: tr!("Power by {kind}", kind = kind(now)),
        x_label: tr!("live neurons, grouped by their largest component").into(),
        y_label: kind(now).into(),
        rows: now.irreps(),
        columns: columns.len(),
        values: (0..now.irreps()).flat_map(row).collect(),
        row_names: labels(now, names),
        ..Default::default()
    }
}

/// Live neurons, or their norm mass, by dominant irrep, with what theory predicts per irrep if that is known (one
/// number for each, the trivial one among them; of another length it is left out). For Z_p every frequency has a
/// mass of 2/(p−1) (Edelman 2024, theorem 7.7 and figure D.1).
pub fn per_irrep(now: &Neurons, predicted: Option<&[f32]>, names: &[String], what: What) -> Bars {
    let (title, y_label, heights) = match what {
        What::Count => {
            let counts = now.counts().into_iter().map(|count| count as f32).collect();
            (tr!("Neurons"), tr!("live neurons").to_string(), counts)
        }
        What::Mass(exponent) => (
            tr!("Norm mass"),
            tr!("share of Σ‖ω‖{superscript}", superscript = superscript(exponent)),
            now.masses(exponent),
        ),
    };
    let predicted = predicted.filter(|predicted| predicted.len() == now.irreps()).unwrap_or_default();
    Bars {
        title: format!("{title} by {}", kind(now)),
        x_label: kind(now).into(),
        y_label,
        bars: labels(now, names).into_iter().zip(heights).collect(),
        overlay: predicted.to_vec(),
        overlay_name: tr!("predicted by theory").into(),
        ..Default::default()
    }
}

/// The [residuals](Operation::residual) of the live neurons' phases; 0 in networks of largest margin. Empty where the
/// group has no phases.
pub fn phase_residuals(now: &Neurons, operation: Operation) -> Lines {
    let residual = |neuron| now.phase_residual(neuron, operation);
    let residuals = now.live().into_iter().filter_map(residual).map(f64::from);
    let mut found = histogram(residuals, (-PI, PI), ANGLE_BINS);
    found.role = Role::Test;
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    Lines {
        title: tr!("Phase residuals").into(),
        x_label: tr!("{residual} (rad)", residual = operation.residual_name()),
        y_label: tr!("share of live neurons").into(),
        x_range: Some((-PI, PI)),
        series: vec![found],
        ..Default::default()
    }
}

/// θu and θv of the live neurons, a dot for each. Opposite edges are the same place. Empty where the group has no
/// phases.
pub fn torus(now: &Neurons) -> Lines {
    let both = |neuron| Some((f64::from(now.phase(Part::First, neuron)?), now.phase(Part::Second, neuron)?));
    let (x, y) = now.live().into_iter().filter_map(both).unzip();
    Lines {
        title: tr!("Phases of the neurons").into(),
        x_label: tr!("θu (rad)").into(),
        y_label: tr!("θv (rad)").into(),
        x_range: Some((-PI, PI)),
        y_range: Some((-PI, PI)),
        series: vec![Series { role: Role::Test, x, y, scatter: true, ..Default::default() }],
        ..Default::default()
    }
}

/// The share of the values in each of so many bins between two ends, as stairs; values beyond count at the ends, and
/// what is no number does not count. No stairs without values.
fn histogram(values: impl Iterator<Item = f64>, (low, high): (f64, f64), bins: usize) -> Series {
    let width = (high - low) / bins as f64;
    let mut counts = vec![0usize; bins];
    for value in values.filter(|value| !value.is_nan()) {
        counts[(((value - low) / width).max(0.0) as usize).min(bins - 1)] += 1;
    }
    let all: usize = counts.iter().sum();
    if all == 0 {
        return Series { stairs: true, ..Default::default() };
    }
    Series {
        x: (0..=bins).map(|edge| low + edge as f64 * width).collect(),
        y: counts.iter().map(|count| (*count as f64 / all as f64) as f32).collect(),
        stairs: true,
        ..Default::default()
    }
}

/// What the irreps of this group are called.
fn kind(now: &Neurons) -> &'static str {
    if now.has_phases() { tr!("frequency") } else { tr!("irrep") }
}

/// A name for each irrep: frequencies are numbers, and irreps without names are counted from 1.
fn labels(now: &Neurons, names: &[String]) -> Vec<String> {
    let name = |irrep: usize| match names.get(irrep) {
        _ if now.has_phases() => irrep.to_string(),
        Some(name) => name.clone(),
        None => (irrep + 1).to_string(),
    };
    (0..now.irreps()).map(name).collect()
}

/// A number as an exponent.
fn superscript(number: u32) -> String {
    let raised =
        |digit: char| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize];
    number.to_string().chars().map(raised).collect()
}
