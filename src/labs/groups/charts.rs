//! The charts of networks on pairs of elements.

use super::probes::{COSETS, NEURONS, OUTPUTS, PROGRESS, operation};
use super::state::GroupsState;
use super::theory::GroupTheory;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::models::group_net::GroupNet;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::groups::charts;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::neurons::character_table::character_table;
use vivarium_plot::analysis::neurons::cosets::Cosets;
use vivarium_plot::analysis::neurons::readings::{
    What, per_irrep, phase_residuals, power_grid, power_histogram, torus,
};
use vivarium_plot::analysis::neurons::{Neurons, Part, logits, wave};
use vivarium_plot::analysis::progress;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading};
use vivarium_science::groups::subgroups::CosetSide;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked};
use vivarium_view::display::words::{decimal, percent};

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::NEURONS, |run| {
        let grid = neurons(run).map(|(pairs, neurons)| power_grid(neurons, &pairs.names));
        Reading::Grid(grid.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| said(run, charts::NEURONS, said_of_kinds)),
    ChartSpec::new(charts::PURITY, |run| {
        lines(run, neurons(run).map(|(pairs, neurons)| power_histogram(pairs.start.as_ref(), neurons)))
    })
    .probe(NEURONS)
    .summary(|run| said(run, charts::PURITY, said_of_purity)),
    ChartSpec::new(charts::COUNTS, |run| {
        let bars = neurons(run).map(|(pairs, neurons)| per_irrep(neurons, None, &pairs.names, What::Count));
        Reading::Bars(bars.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| said(run, charts::COUNTS, said_of_kinds)),
    ChartSpec::new(charts::MASS, |run| {
        let bars = neurons(run).map(|(pairs, neurons)| {
            let predicted = predicted(pairs);
            let bars = per_irrep(neurons, predicted.as_deref(), &pairs.names, What::Mass(exponent(run)));
            Bars {
                marked: late(pairs),
                marked_name: tr!("used only with smaller λ, says theory").into(),
                ..bars
            }
        });
        Reading::Bars(bars.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| Some(format!("{}{}", said(run, charts::MASS, said_of_kinds)?, said_of_late(run)))),
    ChartSpec::new(charts::PHASES, |run| lines(run, neurons(run).map(|(_, neurons)| torus(neurons))))
        .probe(NEURONS)
        .applies(has_phases)
        .summary(|run| said(run, charts::PHASES, |neurons| said_of_phases(run, neurons))),
    ChartSpec::new(charts::RESIDUAL, |run| {
        let residuals = |neurons| Some(phase_residuals(neurons, operation(&run.spec().task)?));
        lines(run, neurons(run).and_then(|(_, neurons)| residuals(neurons)))
    })
    .probe(NEURONS)
    .applies(has_residuals)
    .summary(|run| said(run, charts::RESIDUAL, |neurons| said_of_phases(run, neurons))),
    ChartSpec::new(charts::CURVE, |run| lines(run, run.state().map(|pairs| curve(run, pairs))))
        .title(curve_title)
        .follows(Follows::Neuron),
    ChartSpec::new(charts::WAVE, |run| {
        Reading::Bars(run.state().map(|pairs| wave_bars(run, pairs)).unwrap_or_default())
    })
    .follows(Follows::Neuron),
    ChartSpec::new(charts::OUTPUTS, |run| {
        Reading::Grid(run.state().map(|pairs| outputs(run, pairs)).unwrap_or_default())
    })
    .probe(OUTPUTS),
    ChartSpec::new(charts::COSETS, |run| Reading::Bars(cosets(run).unwrap_or_default())).probe(COSETS),
    ChartSpec::new(charts::CHARACTERS, |run| {
        let table = |pairs: &GroupsState| character_table(&pairs.group, &pairs.irreps);
        Reading::Grid(run.state().map(table).unwrap_or_default())
    })
    .follows(Follows::Nothing)
    .of_measurements(),
    ChartSpec::new(charts::PROGRESS, |run| {
        lines(run, run.state().map(|pairs: &GroupsState| progress::chart(&pairs.progress)))
    })
    .probe(PROGRESS),
    ChartSpec::new(charts::SPARSITY, |run| {
        let drawn = run.state().and_then(|pairs: &GroupsState| progress::spread_chart(&pairs.progress));
        lines(run, drawn)
    })
    .probe(PROGRESS),
    ChartSpec::new(charts::KEYS, |run| {
        let newest = run.state().and_then(|pairs: &GroupsState| pairs.progress.iter().last());
        Reading::Bars(newest.map(|(_, found)| progress::frequencies(found)).unwrap_or_default())
    })
    .probe(PROGRESS),
];

/// Whether neurons have phases.
fn has_phases(run: &RunView) -> Result<(), String> {
    if !run.state().is_some_and(|pairs: &GroupsState| pairs.group.is_standard_cyclic()) {
        return Err(tr!("Phases are defined only for the numbers modulo n.").into());
    }
    match run.spec().model.config().embeds_by_neuron() {
        true => Ok(()),
        false => Err(tr!("The neurons of a transformer do not have embeddings of their own: one embedding is used for all neurons.").into()),
    }
}

/// Whether theory says how the phases of a neuron go together.
fn has_residuals(run: &RunView) -> Result<(), String> {
    has_phases(run)?;
    match operation(&run.spec().task) {
        Some(_) => Ok(()),
        None => Err(tr!("The phase residual is defined only for addition and subtraction modulo n.").into()),
    }
}

/// The state of the run and its neurons, once they have been looked at.
fn neurons(run: &RunView) -> Option<(&GroupsState, &Neurons)> {
    let pairs: &GroupsState = run.state()?;
    Some((pairs, pairs.neurons.as_ref()?))
}

/// Curves, or axes without any until something is found.
fn lines(run: &RunView, found: Option<Lines>) -> Reading {
    let empty =
        || Lines { x_label: tr!("the neurons have not been measured yet").into(), ..Default::default() };
    let lines = found.unwrap_or_else(empty);
    Reading::Lines(if lines.is_over_steps() { marked(lines, run) } else { lines })
}

/// What `of` says of the neurons, once they have been looked at.
fn said(run: &RunView, chart: Chart, of: impl Fn(&Neurons) -> String) -> Option<String> {
    Some(match neurons(run) {
        Some((_, neurons)) => of(neurons),
        None => {
            run.state::<GroupsState>()?;
            tr!("{chart}: nothing has been measured yet.", chart = chart.info().name)
        }
    })
}

/// What the kinds of neurons are called.
fn kind(neurons: &Neurons) -> &'static str {
    if neurons.has_phases() { "frequencies" } else { "irreps" }
}

fn said_of_kinds(neurons: &Neurons) -> String {
    let live = neurons.live().len();
    let kinds = neurons.counts().iter().skip(1).filter(|count| **count > 0).count();
    let of = neurons.irreps() - 1;
    tr!(
        "{kinds} of the {of} {name} have the largest share of the power in at least one of the {live} live neurons.",
        live,
        kinds,
        of,
        name = kind(neurons)
    )
}

fn said_of_purity(neurons: &Neurons) -> String {
    tr!(
        "In the median live neuron, one of the {name} has {share} of the power of the embedding u.",
        share = percent(neurons.median_share(Part::First).unwrap_or(f32::NAN)),
        name = kind(neurons)
    )
}

fn said_of_phases(run: &RunView, neurons: &Neurons) -> String {
    let live = neurons.live();
    let Some(operation) = operation(&run.spec().task) else {
        return tr!("The chart shows the phases of {live} live neurons.", live = live.len());
    };
    let residuals = live.into_iter().filter_map(|neuron| neurons.phase_residual(neuron, operation));
    let sizes: Vec<f32> = residuals.map(f32::abs).collect();
    tr!(
        "The median of |{residual}| over the live neurons is {angle} rad.",
        residual = operation.residual_name(),
        angle = decimal(spread(&sizes).0)
    )
}

fn cosets(run: &RunView) -> Option<Bars> {
    let pairs: &GroupsState = run.state()?;
    Some(Cosets::new(&pairs.group, CosetSide::Left)?.bars(pairs.cosets.as_deref().unwrap_or_default()))
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
    let prediction = pairs.theory.as_ref()?.prediction().filter(|prediction| !prediction.is_zero_network)?;
    Some(prediction.norm_shares.iter().map(|share| *share as f32).collect())
}

/// Irreps that our theory leaves out at the λ of now, and has as λ → 0.
fn late(pairs: &GroupsState) -> Vec<usize> {
    pairs.theory.as_ref().map(GroupTheory::late).unwrap_or_default()
}

/// That theory leaves irreps out at the λ of now; nothing where it does not.
fn said_of_late(run: &RunView) -> String {
    let Some((pairs, theory)) =
        run.state().and_then(|pairs: &GroupsState| Some((pairs, pairs.theory.as_ref()?)))
    else {
        return String::new();
    };
    let share = |irrep: usize| {
        let share = theory.largest.norm_shares.get(irrep).copied().unwrap_or(f64::NAN);
        tr!(
            " For the present λ, our theory predicts the share 0 % for the irrep {name}; its predicted share in the limit λ → 0 is {share}.",
            name = pairs.names.get(irrep).cloned().unwrap_or_default(),
            share = percent(share as f32)
        )
    };
    theory.late().into_iter().map(share).collect()
}

/// The title of the curve of one neuron.
fn curve_title(run: &RunView) -> Option<String> {
    let neuron = shown_neuron(run, run.state()?)?;
    let rows = run.spec().rows();
    Some(tr!(
        "{symbol} of {kind} {number}",
        symbol = rows.symbol,
        kind = vivarium_core::language::translated(rows.column),
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
    if !pairs.group.is_standard_cyclic() {
        // Between the elements of such a group there is nothing.
        lines.series.remove(0);
    }
    lines
}

fn wave_bars(run: &RunView, pairs: &GroupsState) -> Bars {
    let values = column(run, pairs).map(|(_, values)| values).unwrap_or_default();
    if pairs.group.is_standard_cyclic() {
        return wave::spectrum(&values);
    }
    let f: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    let powers = if f.is_empty() { vec![0.0; pairs.names.len()] } else { pairs.irreps.power_spectrum(&f) };
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
    let (Some((shown, outputs)), Task::Groups(task)) = (&pairs.outputs, &run.spec().task) else {
        return Grid::default();
    };
    let products = task.products(run.spec().run.seed);
    let order = pairs.group.order();
    let both = shown.as_chunks::<2>().0.iter();
    let labels: Vec<usize> = both.clone().map(|[a, b]| products[a * order + b] as usize).collect();
    let element = |a: usize| pairs.group.element_name(a).to_string();
    let rows: Vec<String> = both.map(|[a, b]| format!("{}, {}", element(*a), element(*b))).collect();
    let elements: Vec<String> = (0..order).map(element).collect();
    logits::wrong_logits(outputs, &labels, order, &rows, &elements)
}
