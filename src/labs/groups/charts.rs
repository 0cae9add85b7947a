//! The charts of networks on pairs of elements.

use super::certificate;
use super::margins;
use super::probes::{CLASS_MARGINS, COSETS, NEURON_MARGINS, NEURONS, OUTPUTS, PROGRESS, modular_operation};
use super::state::GroupsState;
use super::theory::GroupTheory;
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::models::group_net::GroupNet;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::groups::charts;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::neurons::character_table::character_table_heatmap;
use vivarium_plot::analysis::neurons::cosets::CosetClassifier;
use vivarium_plot::analysis::neurons::readings::{
    IrrepQuantity, per_irrep_chart, phase_residual_chart, phase_torus_chart, power_heatmap, power_share_chart,
};
use vivarium_plot::analysis::neurons::{NeuronPart, NeuronSpectra, logits, wave};
use vivarium_plot::analysis::progress;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading};
use vivarium_science::groups::subgroups::CosetSide;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks};
use vivarium_view::display::words::{format_decimal, format_percent};

/// All charts of the lab of finite groups, beyond those that all labs share.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::NEURONS, |run| {
        let grid = measured_neurons(run).map(|(pairs, neurons)| power_heatmap(neurons, &pairs.irrep_names));
        Reading::Grid(grid.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| summarize_neurons(run, charts::NEURONS, describe_used_kinds)),
    ChartSpec::new(charts::PURITY, |run| {
        draw_lines(
            run,
            measured_neurons(run)
                .map(|(pairs, neurons)| power_share_chart(pairs.initial_neurons.as_ref(), neurons)),
        )
    })
    .probe(NEURONS)
    .summary(|run| summarize_neurons(run, charts::PURITY, describe_purity)),
    ChartSpec::new(charts::COUNTS, |run| {
        let bars = measured_neurons(run)
            .map(|(pairs, neurons)| per_irrep_chart(neurons, None, &pairs.irrep_names, IrrepQuantity::Count));
        Reading::Bars(bars.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| summarize_neurons(run, charts::COUNTS, describe_used_kinds)),
    ChartSpec::new(charts::MASS, |run| {
        let bars = measured_neurons(run).map(|(pairs, neurons)| {
            let predicted = predicted_norm_shares(pairs);
            let bars = per_irrep_chart(
                neurons,
                predicted.as_deref(),
                &pairs.irrep_names,
                IrrepQuantity::Mass(norm_exponent(run)),
            );
            BarChart {
                marked: late_irreps(pairs),
                marked_name: tr!("used only with smaller λ, says theory").into(),
                ..bars
            }
        });
        Reading::Bars(bars.unwrap_or_default())
    })
    .probe(NEURONS)
    .summary(|run| {
        Some(format!(
            "{}{}",
            summarize_neurons(run, charts::MASS, describe_used_kinds)?,
            describe_late_irreps(run)
        ))
    }),
    ChartSpec::new(charts::PHASES, |run| {
        draw_lines(run, measured_neurons(run).map(|(_, neurons)| phase_torus_chart(neurons)))
    })
    .probe(NEURONS)
    .applies(has_phases)
    .summary(|run| summarize_neurons(run, charts::PHASES, |neurons| describe_phase_residuals(run, neurons))),
    ChartSpec::new(charts::RESIDUAL, |run| {
        let residuals = |neurons| Some(phase_residual_chart(neurons, modular_operation(&run.spec().task)?));
        draw_lines(run, measured_neurons(run).and_then(|(_, neurons)| residuals(neurons)))
    })
    .probe(NEURONS)
    .applies(has_residuals)
    .summary(|run| {
        summarize_neurons(run, charts::RESIDUAL, |neurons| describe_phase_residuals(run, neurons))
    }),
    ChartSpec::new(charts::CURVE, |run| {
        draw_lines(run, run.lab_state().map(|pairs| draw_embedding(run, pairs)))
    })
    .title(curve_title)
    .depends_on(ChartDependency::Neuron),
    ChartSpec::new(charts::WAVE, |run| {
        Reading::Bars(run.lab_state().map(|pairs| draw_spectrum(run, pairs)).unwrap_or_default())
    })
    .depends_on(ChartDependency::Neuron),
    ChartSpec::new(charts::OUTPUTS, |run| {
        Reading::Grid(run.lab_state().map(|pairs| draw_wrong_logits(run, pairs)).unwrap_or_default())
    })
    .probe(OUTPUTS),
    ChartSpec::new(charts::COSETS, |run| Reading::Bars(draw_cosets(run).unwrap_or_default())).probe(COSETS),
    ChartSpec::new(charts::CHARACTERS, |run| {
        let table = |pairs: &GroupsState| character_table_heatmap(&pairs.group, &pairs.irreps);
        Reading::Grid(run.lab_state().map(table).unwrap_or_default())
    })
    .depends_on(ChartDependency::Nothing)
    .uses_measurements_only(),
    ChartSpec::new(charts::PROGRESS, |run| {
        draw_lines(run, run.lab_state().map(|pairs: &GroupsState| progress::progress_chart(&pairs.progress)))
    })
    .probe(PROGRESS),
    ChartSpec::new(charts::SPARSITY, |run| {
        let drawn =
            run.lab_state().and_then(|pairs: &GroupsState| progress::concentration_chart(&pairs.progress));
        draw_lines(run, drawn)
    })
    .probe(PROGRESS),
    ChartSpec::new(charts::KEYS, |run| {
        let latest = run.lab_state().and_then(|pairs: &GroupsState| pairs.progress.iter().last());
        Reading::Bars(latest.map(|(_, found)| progress::frequency_chart(found)).unwrap_or_default())
    })
    .probe(PROGRESS),
    ChartSpec::new(charts::MARGINS, |run| Reading::Lines(margins::draw_margins(run)))
        .applies(margins::check_margins)
        .summary(margins::describe_margins)
        .depends_on(ChartDependency::SweepAndFindings),
    ChartSpec::new(charts::CLASSES, |run| {
        Reading::Bars(run.lab_state().and_then(certificate::draw_class_margins).unwrap_or_default())
    })
    .probe(CLASS_MARGINS)
    .summary(|run| certificate::describe_class_margins(run.lab_state()?)),
    ChartSpec::new(charts::CERTIFICATE, |run| {
        draw_lines(run, run.lab_state().and_then(certificate::draw_certificate))
    })
    .probe(NEURON_MARGINS)
    .summary(|run| certificate::describe_certificate(run.lab_state()?)),
];

/// `Ok` if the chart of neuron phases applies to a run: the group must be cyclic, and each neuron must have its own
/// embeddings of the elements; otherwise the reason why not.
fn has_phases(run: &RunView) -> Result<(), String> {
    if !run.lab_state().is_some_and(|pairs: &GroupsState| pairs.group.is_standard_cyclic()) {
        return Err(tr!("Phases are defined only for the numbers modulo n.").into());
    }
    match run.spec().model.config().embeds_by_neuron() {
        true => Ok(()),
        false => Err(tr!("The neurons of a transformer do not have embeddings of their own: one embedding is used for all neurons.").into()),
    }
}

/// `Ok` if the chart of phase residuals applies to a run: the task is addition or subtraction modulo n, for which
/// theory predicts a relation between the phases of a neuron's embeddings u, v (of the operands) and w (of the result),
/// and each neuron has its own embeddings; otherwise the reason why not.
fn has_residuals(run: &RunView) -> Result<(), String> {
    has_phases(run)?;
    match modular_operation(&run.spec().task) {
        Some(_) => Ok(()),
        None => Err(tr!("The phase residual is defined only for addition and subtraction modulo n.").into()),
    }
}

/// The lab's state of the run and the latest spectra of the first replica's neurons; none before they have been
/// measured.
fn measured_neurons(run: &RunView) -> Option<(&GroupsState, &NeuronSpectra)> {
    let pairs: &GroupsState = run.lab_state()?;
    Some((pairs, pairs.neurons.as_ref()?))
}

/// The reading of a line chart about neurons: `chart`, if it is over the training steps with the view's smoothing and
/// axis settings and with marks at changes of the learning rate; if `chart` is none, empty axes with a note that the
/// neurons have not been measured.
fn draw_lines(run: &RunView, chart: Option<LineChart>) -> Reading {
    let empty =
        || LineChart { x_label: tr!("the neurons have not been measured yet").into(), ..Default::default() };
    let lines = chart.unwrap_or_else(empty);
    Reading::Lines(if lines.is_over_steps() { add_step_marks(lines, run) } else { lines })
}

/// The summary of `chart`, which `describe` writes from the latest spectra of the first replica's neurons, or a note
/// that nothing has been measured yet; none if the run is not on a group.
fn summarize_neurons(
    run: &RunView,
    chart: Chart,
    describe: impl Fn(&NeuronSpectra) -> String,
) -> Option<String> {
    Some(match measured_neurons(run) {
        Some((_, neurons)) => describe(neurons),
        None => {
            run.lab_state::<GroupsState>()?;
            tr!("{chart}: nothing has been measured yet.", chart = chart.info().name)
        }
    })
}

/// The name of the components of a neuron's power spectrum: "frequencies" for cyclic groups, otherwise "irreps"
/// (irreducible representations).
fn basis_name(neurons: &NeuronSpectra) -> &'static str {
    if neurons.has_phases() { "frequencies" } else { "irreps" }
}

/// The sentence on how many frequencies or irreps, apart from frequency 0 and the trivial irrep, have the largest share
/// of the power of at least one live neuron of the first replica.
fn describe_used_kinds(neurons: &NeuronSpectra) -> String {
    let live = neurons.live_neurons().len();
    let kinds = neurons.count_per_irrep().iter().skip(1).filter(|count| **count > 0).count();
    let of = neurons.irrep_count() - 1;
    tr!(
        "{kinds} of the {of} {name} have the largest share of the power in at least one of the {live} live neurons.",
        live,
        kinds,
        of,
        name = basis_name(neurons)
    )
}

/// The sentence on the median, over the first replica's live neurons, of the largest share of power that one frequency
/// or irrep has in the embedding u of the first operand.
fn describe_purity(neurons: &NeuronSpectra) -> String {
    tr!(
        "In the median live neuron, one of the {name} has {share} of the power of the embedding u.",
        share = format_percent(neurons.median_share(NeuronPart::First).unwrap_or(f32::NAN)),
        name = basis_name(neurons)
    )
}

/// The sentence on the median absolute phase residual, in radians, of the first replica's live neurons: θu + θv − θw
/// for addition, θu − θv − θw for subtraction, with the phases θ of the embeddings u and v of the operands and w of the
/// result.
fn describe_phase_residuals(run: &RunView, neurons: &NeuronSpectra) -> String {
    let live = neurons.live_neurons();
    let Some(operation) = modular_operation(&run.spec().task) else {
        return tr!("The chart shows the phases of {live} live neurons.", live = live.len());
    };
    let residuals = live.into_iter().filter_map(|neuron| neurons.phase_residual(neuron, operation));
    let sizes: Vec<f32> = residuals.map(f32::abs).collect();
    tr!(
        "The median of |{residual}| over the live neurons is {angle} rad.",
        residual = operation.residual_name(),
        angle = format_decimal(median_range(&sizes).0)
    )
}

/// Bars of the number of live neurons for each conjugacy class of subgroups, counted at the largest subgroup on whose
/// left cosets the neuron's embedding u of the first operand is constant; none if the group is too large to list its
/// subgroups.
fn draw_cosets(run: &RunView) -> Option<BarChart> {
    let pairs: &GroupsState = run.lab_state()?;
    Some(
        CosetClassifier::new(&pairs.group, CosetSide::Left)?
            .count_chart(pairs.coset_counts.as_deref().unwrap_or_default()),
    )
}

/// Exponent ν of the norms ‖ω‖^ν of the neurons' weight vectors ω = (u, v, w), of whose sum the chart shows each
/// irrep's share; 2 if the model has no such exponent.
fn norm_exponent(run: &RunView) -> u32 {
    match &run.spec().model {
        Model::GroupNet(GroupNet { exponent, .. }) => *exponent as u32,
        _ => 2,
    }
}

/// Each irrep's share, in the order of the irreps, of the sum Σ‖ω‖³ over the neurons' weight vectors ω = (u, v, w), in
/// the network that theory predicts for the present penalty strength λ; none without a prediction or if all weights are
/// predicted to be 0.
fn predicted_norm_shares(pairs: &GroupsState) -> Option<Vec<f32>> {
    let prediction = pairs.theory.as_ref()?.prediction().filter(|prediction| !prediction.is_zero_network)?;
    Some(prediction.norm_shares.iter().map(|share| *share as f32).collect())
}

/// Indices, from 0, of the irreps that, according to theory, are unused for the present penalty strength λ but used in
/// the limit λ → 0.
fn late_irreps(pairs: &GroupsState) -> Vec<usize> {
    pairs.theory.as_ref().map(GroupTheory::late_irreps).unwrap_or_default()
}

/// Sentences on the irreps that theory predicts to be unused for the present penalty strength λ but used in the limit λ
/// → 0; empty if there are none.
fn describe_late_irreps(run: &RunView) -> String {
    let Some((pairs, theory)) =
        run.lab_state().and_then(|pairs: &GroupsState| Some((pairs, pairs.theory.as_ref()?)))
    else {
        return String::new();
    };
    let share = |irrep: usize| {
        let share = theory.max_margin.norm_shares.get(irrep).copied().unwrap_or(f64::NAN);
        tr!(
            " For the present λ, our theory predicts the share 0 % for the irrep {name}; its predicted share in the limit λ → 0 is {share}.",
            name = pairs.irrep_names.get(irrep).cloned().unwrap_or_default(),
            share = format_percent(share as f32)
        )
    };
    theory.late_irreps().into_iter().map(share).collect()
}

/// The title of the chart of one neuron's embedding, with the number of the neuron from 1; none before the weights are
/// known.
fn curve_title(run: &RunView) -> Option<String> {
    let neuron = shown_neuron(run, run.lab_state()?)?;
    let rows = run.spec().rows();
    Some(tr!(
        "{symbol} of {kind} {number}",
        symbol = rows.symbol,
        kind = vivarium_core::language::translated(rows.column),
        number = neuron + 1
    ))
}

/// The index, from 0, of the neuron whose embedding the charts show: the one selected in the view, otherwise the one
/// with the largest norm of its weights. None before the weights are known.
fn shown_neuron(run: &RunView, pairs: &GroupsState) -> Option<usize> {
    let weights = &run.weights;
    let width = weights.width;
    if weights.values.len() != weights.inputs * width || width == 0 {
        return None;
    }
    let chosen = run.link.view.groups.neuron;
    let norm = |i: &usize| {
        let known = pairs.neurons.as_ref().filter(|neurons| neurons.neuron_count() == width);
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

/// The index, from 0, of the neuron that the charts show, and its embedding: the neuron's column of the first parameter
/// tensor, one number per group element.
fn shown_column(run: &RunView, pairs: &GroupsState) -> Option<(usize, Vec<f32>)> {
    let neuron = shown_neuron(run, pairs)?;
    let column = run.weights.values.iter().skip(neuron).step_by(run.weights.width);
    Some((neuron, column.copied().collect()))
}

/// The embedding of the neuron shown, of the first replica, by group element: points, for a cyclic group with a curve
/// through them.
fn draw_embedding(run: &RunView, pairs: &GroupsState) -> LineChart {
    let Some((neuron, values)) = shown_column(run, pairs) else { return LineChart::default() };
    let mut lines = wave::embedding_chart(&values, NeuronPart::First, neuron);
    if !pairs.group.is_standard_cyclic() {
        // The elements of other groups have no order, so no curve connects them.
        lines.series.remove(0);
    }
    lines
}

/// Bars of the shares of power in the embedding of the neuron shown, of the first replica: by frequency for cyclic
/// groups, otherwise by irrep.
fn draw_spectrum(run: &RunView, pairs: &GroupsState) -> BarChart {
    let values = shown_column(run, pairs).map(|(_, values)| values).unwrap_or_default();
    if pairs.group.is_standard_cyclic() {
        return wave::frequency_share_chart(&values);
    }
    let f: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    let powers =
        if f.is_empty() { vec![0.0; pairs.irrep_names.len()] } else { pairs.irreps.power_spectrum(&f) };
    let total: f64 = powers.iter().sum();
    let share = |power: f64| if total > 0.0 { (power / total) as f32 } else { 0.0 };
    BarChart {
        x_label: "irrep".into(),
        y_label: tr!("share of power").into(),
        bars: pairs
            .irrep_names
            .iter()
            .zip(powers)
            .map(|(name, power)| (name.clone(), share(power)))
            .collect(),
        ..Default::default()
    }
}

/// Heat map of the first replica's logits for some pairs of elements, `[pairs, classes]`, each minus the logit of the
/// pair's right class.
fn draw_wrong_logits(run: &RunView, pairs: &GroupsState) -> Heatmap {
    let (Some((shown, outputs)), Task::Groups(task)) = (&pairs.outputs, &run.spec().task) else {
        return Heatmap::default();
    };
    let products = task.product_table(run.spec().run.seed);
    let order = pairs.group.order();
    let both = shown.as_chunks::<2>().0.iter();
    let labels: Vec<usize> = both.clone().map(|[a, b]| products[a * order + b] as usize).collect();
    let element = |a: usize| pairs.group.element_name(a).to_string();
    let rows: Vec<String> = both.map(|[a, b]| format!("{}, {}", element(*a), element(*b))).collect();
    let elements: Vec<String> = (0..order).map(element).collect();
    logits::wrong_logit_heatmap(outputs, &labels, order, &rows, &elements)
}
