//! The charts of networks on bits: how weights move, the Fourier gap and spectrum, attention, networks of powers, luck,
//! and the progress of each network.

use super::initial_gaps;
use super::luck;
use super::neuron_gap::sign_neuron_gap;
use super::plateau;
use super::probes::{ATTENTION, GAP, INITIAL_GAPS, MOVEMENTS, POWERS, SPECTRUM, summed_neurons};
use super::time_left;
use vivarium_core::language::translated;
use vivarium_model::tasks::sparse_parity::charts;
use vivarium_plot::analysis::gap::{self, FourierGap, GapSource};
use vivarium_plot::analysis::movement::WeightTrajectories;
use vivarium_plot::analysis::parity_neurons::{self, ParityNeurons};
use vivarium_plot::analysis::{LineChart, Reading, attention, movement, spectrum};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{
    ChartDependency, ChartSpec, add_step_marks, empty_lines, require_weights,
};
use vivarium_view::display::words::{format_decimal, format_percent};

/// Maximum number of neurons in the heat map of a power network's neurons; those of largest norm are drawn.
const MAX_NEURONS: usize = 16;

/// Charts of the lab on sparse parities, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::MOVEMENT, |run| Reading::Lines(draw_trajectories(run, movement::movement_chart)))
        .applies(require_weights)
        .summary(|run| Some(describe_movement(run)))
        .depends_on(ChartDependency::Weights),
    ChartSpec::new(charts::PATHS, |run| {
        let mut lines = draw_trajectories(run, movement::trajectory_chart);
        // A logarithmic axis cannot show negative weights.
        lines.log_y = false;
        Reading::Lines(lines)
    })
    .applies(require_weights)
    .title(|run| Some(trajectories_title(run)))
    .summary(|run| Some(describe_movement(run)))
    .depends_on(ChartDependency::Weights),
    ChartSpec::new(charts::GAP, |run| {
        let inputs = run.spec().task.examples().inputs();
        let of = match summed_neurons(run.spec()) {
            Some((sigma, degree)) => {
                GapSource::HiddenNeurons(sign_neuron_gap(sigma, degree, inputs, run.relevant.len()))
            }
            None => GapSource::LinearForms,
        };
        Reading::Lines(add_step_marks(gap::chart(&fourier_gaps(run), of), run))
    })
    .probe(GAP)
    .summary(|run| Some(describe_gap(run))),
    ChartSpec::new(charts::SPECTRUM, |run| {
        let shares = run.latest_finding(&SPECTRUM).map(|found| found.numbers.clone());
        let none = || vec![f32::NAN; run.spec().task.examples().inputs() + 1];
        Reading::Bars(spectrum::degree_chart(&shares.unwrap_or_else(none), run.relevant.len()))
    })
    .probe(SPECTRUM)
    .summary(|run| Some(describe_spectrum(run))),
    ChartSpec::new(charts::ATTENTION, |run| {
        let mass = run.latest_finding(&ATTENTION).map(|found| found.numbers.clone());
        let none = || vec![f32::NAN; run.spec().task.examples().inputs()];
        Reading::Bars(attention::mean_attention_chart(&mass.unwrap_or_else(none), &run.relevant))
    })
    .probe(ATTENTION)
    .summary(|run| Some(describe_attention(run))),
    ChartSpec::new(charts::STRONGEST, |run| {
        let grid = power_weights(run).map(|(u, w, width)| {
            parity_neurons::largest_neurons_heatmap(u, w, width, &run.relevant, MAX_NEURONS)
        });
        Reading::Grid(grid.unwrap_or_default())
    })
    .probe(POWERS)
    .summary(|run| Some(describe_neurons(run))),
    ChartSpec::new(charts::LUCK, |run| Reading::Bars(luck::draw_bars(run).unwrap_or_default()))
        .applies(luck::check_sparse_rows)
        .summary(luck::describe_chart)
        .depends_on(ChartDependency::Weights),
    ChartSpec::new(charts::PLATEAU, plateau::draw_errors)
        .applies(plateau::check_predicted)
        .summary(plateau::describe_errors),
    ChartSpec::new(charts::TIME_LEFT, time_left::draw_points)
        .probe(MOVEMENTS)
        .applies(time_left::check_networks)
        .summary(time_left::describe_points),
    ChartSpec::new(charts::INITIAL_GAPS, initial_gaps::draw_histogram)
        .probe(INITIAL_GAPS)
        .applies(time_left::check_networks)
        .summary(initial_gaps::describe_histogram),
];

/// Chart that `draw` makes from the recorded paths of the first layer's weights against training steps, with the run's
/// step marks; empty axes if no paths are recorded.
fn draw_trajectories(run: &RunView, draw: fn(&WeightTrajectories) -> LineChart) -> LineChart {
    let lines = run.trajectories.as_ref().map(draw);
    add_step_marks(lines.unwrap_or_else(|| empty_lines(tr!("step"), tr!("weight"))), run)
}

/// Title of the chart of the paths of the first layer's weights, with the number of the neuron shown.
fn trajectories_title(run: &RunView) -> String {
    let rows = run.spec().rows().translated();
    let entry = rows.entry;
    match run.trajectories.as_ref().and_then(WeightTrajectories::shown_neuron) {
        Some(number) => tr!("Path of every {entry}, {kind} {number}", entry, kind = rows.column, number),
        None => tr!("Path of every {entry}", entry),
    }
}

/// Summary of the largest change of the first layer's weights since the start, on the relevant and on the other bits.
fn describe_movement(run: &RunView) -> String {
    let moved = run.trajectories.as_ref().and_then(|t| t.movements().last());
    let (relevant, other) = moved.map_or((f32::NAN, f32::NAN), |(_, m)| (m.relevant, m.other));
    let rows = translated(run.spec().rows().name);
    let (relevant, other) = (format_decimal(relevant), format_decimal(other));
    match run.relevant.is_empty() {
        true => tr!("{rows} have changed by up to {other} since the start.", rows, other),
        false if run.vocabulary().has_columns => tr!(
            "{rows} have changed by up to {relevant} on the relevant columns and {other} on the other columns since the start.",
            rows,
            relevant,
            other
        ),
        false => tr!(
            "{rows} have changed by up to {relevant} on the relevant bits and {other} on the other bits since the start.",
            rows,
            relevant,
            other
        ),
    }
}

/// Fourier gaps of the network measured along the run, as (training step, gap of the neuron with the largest gap).
fn fourier_gaps(run: &RunView) -> Vec<(u64, FourierGap)> {
    let gap = |few: &[f64]| match *few {
        [relaxed, strict, error] => Some(FourierGap { relaxed, strict, standard_error: error }),
        _ => None,
    };
    run.trace(&GAP).filter_map(|(step, few)| Some((step, gap(few)?))).collect()
}

/// Summary of the chart of the Fourier gap: latest gap, and the gradient from which it is computed.
fn describe_gap(run: &RunView) -> String {
    let newest = fourier_gaps(run).last().map_or(f64::NAN, |(_, gap)| gap.relaxed);
    let newest = format_decimal(newest as f32);
    match summed_neurons(run.spec()) {
        Some(_) => tr!("Fourier gap of g = E[y x σ′(w·x + b)]: {newest}.", newest),
        None => tr!("Gap of g = E[y x ∂f/∂z], where z = w·x + b: {newest}.", newest),
    }
}

/// Summary of the chart of the output's Walsh spectrum: share of the squared norm on parities of the target's degree k,
/// and correlation with the target.
fn describe_spectrum(run: &RunView) -> String {
    let k = run.relevant.len();
    let (share, cosine) = run.latest_finding(&SPECTRUM).map_or((f32::NAN, f32::NAN), |found| {
        let cosine = found.few.first().map_or(f32::NAN, |cosine| *cosine as f32);
        (found.numbers.get(k).copied().unwrap_or(f32::NAN), cosine)
    });
    tr!(
        "{share} of the output's squared norm is on parities of degree {k}; the output's correlation with the \
         target is {cosine}.",
        share = format_percent(share),
        k,
        cosine = format_decimal(cosine)
    )
}

/// Latest weights of a power network as (first layer u `[inputs, width]`, output layer w `[2, width]`, width); `None`
/// until they are measured.
fn power_weights(run: &RunView) -> Option<(&[f32], &[f32], usize)> {
    let found = run.latest_finding(&POWERS)?;
    let width = *found.counts.first()?;
    let (u, w) = found.numbers.split_at(found.numbers.len().saturating_sub(2 * width));
    Some((u, w, width))
}

/// Summary of the chart of the largest neurons of a power network (activation z^k).
fn describe_neurons(run: &RunView) -> String {
    let penalty = run.spec().architecture().penalty(0);
    let read = |(u, w, width): (&[f32], &[f32], usize)| {
        ParityNeurons::read(u, w, width, penalty?.exponent - 1, &run.relevant)
    };
    let found = power_weights(run).and_then(read);
    found.map_or(tr!("The neurons have not been analysed yet.").into(), |found| found.describe())
}

/// Summary of the attention chart: share of the \[CLS\] token's attention on the relevant bits.
fn describe_attention(run: &RunView) -> String {
    let mass = run
        .latest_finding(&ATTENTION)
        .map_or(f32::NAN, |found| run.relevant.iter().filter_map(|i| found.numbers.get(*i)).sum());
    tr!("{mass} of the attention is on the relevant bits.", mass = format_percent(mass))
}
