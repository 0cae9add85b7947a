//! What the charts of networks on pairs show of the run, and say of it; as [`super::readings`] has it for all.

use super::pairs::GroupsState;
use super::view::RunView;
use super::words::{decimal, percent, significant};
use crate::analysis::chart;
use crate::analysis::curves::spread;
use crate::analysis::neurons::character_table::character_table;
use crate::analysis::neurons::cosets::Cosets;
use crate::analysis::neurons::readings::{
    What, per_irrep, phase_residuals, power_grid, power_histogram, torus,
};
use crate::analysis::neurons::{Neurons, Part, logits, wave};
use crate::analysis::replicas::{Each, Of};
use crate::analysis::{Bars, Grid, Lines, Reading, Role, Series, progress};
use crate::catalog::chart::Chart;
use crate::groups::subgroups::Side;
use crate::models::Model;
use crate::models::group_net::GroupNet;
use crate::tasks::groups::charts as groups_charts;

/// The normalised margin over the steps, as a share of the largest possible where that is known.
pub(super) fn margin(run: &RunView) -> Lines {
    let largest = run.largest_margin();
    let mut series = Series { name: tr!("network").into(), role: Role::Test, ..Default::default() };
    for row in run.history.rows().filter(|row| !row.margin.is_empty()) {
        let unit = largest.unwrap_or(1.0) as f32;
        let (middle, low, high) = spread(&row.margin);
        series.x.push(row.step as f64);
        series.y.push(middle / unit);
        if row.margin.len() > 1 {
            series.band.push((low / unit, high / unit));
            series.each = Some(Each { divisor: unit, ..Each::of(Of::Margin) });
        }
    }
    let mut references = vec![];
    references.extend(largest.map(|_| (1.0, "γ*".to_string())));
    let theory = run.pairs.as_ref().and_then(|pairs| pairs.theory.as_ref());
    if let Some(prediction) = theory.and_then(|theory| theory.prediction()) {
        let is_below = prediction.ratio < 0.995;
        let text = tr!("at this λ {ratio}", ratio = format!("{:.3}", prediction.ratio));
        references.extend(is_below.then_some((prediction.ratio, text)));
    }
    Lines {
        x_label: tr!("step").into(),
        y_label: match largest {
            Some(largest) => tr!("share of γ* = {largest}", largest = significant(largest)),
            None => tr!("normalised margin").into(),
        },
        // Below zero there are wrong answers, and the share says nothing.
        y_range: largest.is_some().then_some((0.0, 1.08)),
        series: vec![series],
        references,
        ..Default::default()
    }
}

/// What one of these charts draws; axes without anything until something is found.
pub(super) fn reading(chart: Chart, run: &RunView) -> Option<Reading> {
    let pairs = run.pairs.as_deref()?;
    let neurons = pairs.neurons.as_ref();
    let empty = || Lines { x_label: tr!("neurons have not been looked at yet").into(), ..Default::default() };
    let bars = |read: fn(&Neurons, &GroupsState) -> Bars| {
        Reading::Bars(neurons.map_or_else(Bars::default, |neurons| read(neurons, pairs)))
    };
    let lines = |read: fn(&Neurons) -> Lines| Reading::Lines(neurons.map_or_else(empty, read));
    Some(match chart {
        groups_charts::NEURONS => {
            Reading::Grid(neurons.map_or_else(Grid::default, |neurons| power_grid(neurons, &pairs.names)))
        }
        groups_charts::PURITY => Reading::Lines(
            neurons.map_or_else(empty, |neurons| power_histogram(pairs.start.as_ref(), neurons)),
        ),
        groups_charts::COUNTS => bars(|neurons, pairs| per_irrep(neurons, None, &pairs.names, What::Count)),
        groups_charts::MASS => {
            let exponent = exponent(run);
            let predicted = predicted(pairs);
            Reading::Bars(neurons.map_or_else(Bars::default, |neurons| {
                per_irrep(neurons, predicted.as_deref(), &pairs.names, What::Mass(exponent))
            }))
        }
        groups_charts::PHASES => lines(torus),
        groups_charts::RESIDUAL => lines(phase_residuals),
        groups_charts::CURVE => Reading::Lines(curve(run, pairs)),
        groups_charts::WAVE => {
            let values = column(run, pairs).map(|(_, values)| values).unwrap_or_default();
            Reading::Bars(wave_bars(pairs, &values))
        }
        groups_charts::OUTPUTS => Reading::Grid(outputs(run, pairs)),
        groups_charts::COSETS => {
            let counts = pairs.cosets.as_deref().unwrap_or_default();
            Reading::Bars(Cosets::new(&pairs.group, Side::Left).map(|c| c.bars(counts)).unwrap_or_default())
        }
        groups_charts::CHARACTERS => Reading::Grid(character_table(&pairs.group, &pairs.irreps)),
        groups_charts::PROGRESS => Reading::Lines(progress::chart(&pairs.progress)),
        groups_charts::SPARSITY => {
            Reading::Lines(progress::spread_chart(&pairs.progress).unwrap_or_else(empty))
        }
        groups_charts::KEYS => {
            let newest = pairs.progress.iter().last();
            Reading::Bars(newest.map_or_else(Bars::default, |(_, found)| progress::frequencies(found)))
        }
        _ => return None,
    })
}

/// Exponent of the norm whose shares are shown.
fn exponent(run: &RunView) -> u32 {
    match &run.spec().model {
        Model::GroupNet(GroupNet { exponent, .. }) => *exponent as u32,
        _ => 2,
    }
}

/// Shares of the norm that theory predicts at the λ of now.
fn predicted(pairs: &GroupsState) -> Option<Vec<f32>> {
    let prediction = pairs.theory.as_ref()?.prediction().filter(|prediction| !prediction.collapsed)?;
    Some(prediction.shares.iter().map(|share| *share as f32).collect())
}

/// The title of the curve of one neuron.
pub(super) fn curve_title(run: &RunView) -> Option<String> {
    let neuron = shown_neuron(run, run.pairs.as_deref()?)?;
    let rows = run.spec().rows();
    Some(tr!(
        "{symbol} of {kind} {number}",
        symbol = rows.symbol,
        kind = crate::language::translated(rows.column),
        number = neuron + 1
    ))
}

/// The neuron that is shown, from 0: the one that the view names, or of all the largest.
fn shown_neuron(run: &RunView, pairs: &GroupsState) -> Option<usize> {
    let weights = &run.weights;
    let width = weights.width;
    if weights.values.len() != weights.inputs * width || width == 0 {
        return None;
    }
    let chosen = run.link.view.neuron;
    let norm = |i: &usize| {
        let known = pairs.neurons.as_ref().filter(|neurons| neurons.neurons() == width);
        known.map_or_else(
            || weights.values.iter().skip(*i).step_by(width).map(|w| w * w).sum::<f32>(),
            |neurons| neurons.norm(*i),
        )
    };
    match chosen {
        0 => (0..width).max_by(|a, b| norm(a).total_cmp(&norm(b))),
        number => Some(number.min(width) - 1),
    }
}

/// That neuron, with its column of the first parameter.
fn column(run: &RunView, pairs: &GroupsState) -> Option<(usize, Vec<f32>)> {
    let neuron = shown_neuron(run, pairs)?;
    let column = run.weights.values.iter().skip(neuron).step_by(run.weights.width);
    Some((neuron, column.copied().collect()))
}

fn curve(run: &RunView, pairs: &GroupsState) -> Lines {
    let Some((neuron, values)) = column(run, pairs) else { return Lines::default() };
    let mut lines = wave::embedding(&values, Part::First, neuron);
    if !pairs.group.is_cyclic_by_number() {
        // Between the elements of such a group there is nothing.
        lines.series.remove(0);
    }
    lines
}

fn wave_bars(pairs: &GroupsState, values: &[f32]) -> Bars {
    if pairs.group.is_cyclic_by_number() {
        return wave::spectrum(values);
    }
    let f: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    let powers = if f.is_empty() { vec![0.0; pairs.names.len()] } else { pairs.irreps.power(&f) };
    let total: f64 = powers.iter().sum();
    let share = |power: f64| if total > 0.0 { (power / total) as f32 } else { 0.0 };
    Bars {
        x_label: "irrep".into(),
        y_label: tr!("share of power").into(),
        bars: pairs.names.iter().zip(powers).map(|(name, power)| (name.clone(), share(power))).collect(),
        ..Default::default()
    }
}

fn outputs(run: &RunView, pairs: &GroupsState) -> Grid {
    let (Some((shown, outputs)), crate::tasks::Task::Groups(task)) = (&pairs.outputs, &run.spec().task)
    else {
        return Grid::default();
    };
    let products = task.products(run.spec().run.seed);
    let order = pairs.group.order();
    let both = shown.as_chunks::<2>().0.iter();
    let labels: Vec<usize> =
        both.clone().map(|[a, b]| products[*a as usize * order + *b as usize] as usize).collect();
    let element = |a: usize| pairs.group.element(a).to_string();
    let rows: Vec<String> =
        both.map(|[a, b]| format!("{}, {}", element(*a as usize), element(*b as usize))).collect();
    let elements: Vec<String> = (0..order).map(element).collect();
    logits::wrong_logits(outputs, &labels, order, &rows, &elements)
}

/// What is seen, for those who do not see it.
pub(super) fn summary(chart: Chart, run: &RunView) -> Option<String> {
    if chart == chart::MARGIN {
        return Some(match (run.margin_share(), run.history.last()) {
            (Some(share), _) => {
                tr!("The normalised margin is {share} of the largest possible.", share = percent(share))
            }
            (None, Some(row)) => {
                tr!("Normalised margin: {margin}.", margin = significant(f64::from(spread(&row.margin).0)))
            }
            (None, None) => tr!("The normalised margin has not been measured yet.").into(),
        });
    }
    let pairs = run.pairs.as_deref()?;
    let Some(neurons) = &pairs.neurons else {
        return Some(tr!("{chart}: nothing has been found yet.", chart = chart.info().name))
            .filter(|_| wants(chart));
    };
    let live = neurons.live().len();
    let kinds = neurons.counts().iter().skip(1).filter(|count| **count > 0).count();
    let name = if neurons.has_phases() { "frequencies" } else { "irreps" };
    Some(match chart {
        groups_charts::NEURONS | groups_charts::COUNTS | groups_charts::MASS => {
            let of = neurons.irreps() - 1;
            tr!("{live} live neurons are of {kinds} of {of} {name}.", live, kinds, of, name)
        }
        groups_charts::PURITY => tr!(
            "The median neuron has {share} of its power in one of the {name}.",
            share = percent(neurons.median_share(Part::First).unwrap_or(f32::NAN)),
            name
        ),
        groups_charts::PHASES | groups_charts::RESIDUAL => {
            let residuals = neurons.live().into_iter().filter_map(|neuron| neurons.phase_residual(neuron));
            let sizes: Vec<f32> = residuals.map(f32::abs).collect();
            tr!("The median of |θu + θv − θw| is {angle} rad.", angle = decimal(spread(&sizes).0))
        }
        _ => return None,
    })
}

/// Whether the chart is drawn from what neurons have become.
fn wants(chart: Chart) -> bool {
    matches!(
        chart,
        groups_charts::COUNTS
            | groups_charts::MASS
            | groups_charts::NEURONS
            | groups_charts::PHASES
            | groups_charts::PURITY
            | groups_charts::RESIDUAL
    )
}
