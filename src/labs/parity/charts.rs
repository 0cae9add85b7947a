//! The charts of networks on bits: how weights move, the Fourier gap and spectrum, attention, networks of powers, luck.

use super::luck;
use super::neuron_gap::gap_of_signs;
use super::probes::{ATTENTION, GAP, POWERS, SPECTRUM, neurons};
use vivarium_core::language::translated;
use vivarium_model::tasks::sparse_parity::charts;
use vivarium_plot::analysis::gap::{self, Gap, Of};
use vivarium_plot::analysis::movement::Trajectories;
use vivarium_plot::analysis::parity_neurons::{self, ParityNeurons};
use vivarium_plot::analysis::{Lines, Reading, attention, movement, spectrum};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, has_weights, marked, with_axes};
use vivarium_view::display::words::{decimal, percent};

/// Neurons of largest norm that are shown.
const STRONGEST: usize = 16;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::MOVEMENT, |run| Reading::Lines(paths(run, movement::movement)))
        .applies(has_weights)
        .summary(|run| Some(said_of_movement(run)))
        .follows(Follows::Weights),
    ChartSpec::new(charts::PATHS, |run| {
        let mut lines = paths(run, movement::trajectories);
        // Weights have signs, and half of them no place on a logarithmic axis.
        lines.log_y = false;
        Reading::Lines(lines)
    })
    .applies(has_weights)
    .title(|run| Some(title_of_paths(run)))
    .summary(|run| Some(said_of_movement(run)))
    .follows(Follows::Weights),
    ChartSpec::new(charts::GAP, |run| {
        let inputs = run.spec().task.examples().inputs();
        let of = match neurons(run.spec()) {
            Some((sigma, degree)) => Of::Neurons(gap_of_signs(sigma, degree, inputs, run.relevant.len())),
            None => Of::Forms,
        };
        Reading::Lines(marked(gap::chart(&gaps(run), of), run))
    })
    .probe(GAP)
    .summary(|run| Some(said_of_gap(run))),
    ChartSpec::new(charts::SPECTRUM, |run| {
        let shares = run.finding(&SPECTRUM).map(|found| found.numbers.clone());
        let none = || vec![f32::NAN; run.spec().task.examples().inputs() + 1];
        Reading::Bars(spectrum::degrees(&shares.unwrap_or_else(none), run.relevant.len()))
    })
    .probe(SPECTRUM)
    .summary(|run| Some(said_of_spectrum(run))),
    ChartSpec::new(charts::ATTENTION, |run| {
        let mass = run.finding(&ATTENTION).map(|found| found.numbers.clone());
        let none = || vec![f32::NAN; run.spec().task.examples().inputs()];
        Reading::Bars(attention::by_bit(&mass.unwrap_or_else(none), &run.relevant))
    })
    .probe(ATTENTION)
    .summary(|run| Some(said_of_attention(run))),
    ChartSpec::new(charts::STRONGEST, |run| {
        let grid = powers(run)
            .map(|(u, w, width)| parity_neurons::top_neurons(u, w, width, &run.relevant, STRONGEST));
        Reading::Grid(grid.unwrap_or_default())
    })
    .probe(POWERS)
    .summary(|run| Some(said_of_strongest(run))),
    ChartSpec::new(charts::LUCK, |run| Reading::Bars(luck::bars(run).unwrap_or_default()))
        .applies(luck::applies)
        .summary(luck::said)
        .follows(Follows::Weights),
];

/// How the first layer has moved.
fn paths(run: &RunView, draw: fn(&Trajectories) -> Lines) -> Lines {
    let lines = run.trajectories.as_ref().map(draw);
    marked(lines.unwrap_or_else(|| with_axes(tr!("step"), tr!("weight"))), run)
}

fn title_of_paths(run: &RunView) -> String {
    let rows = run.spec().rows().translated();
    let entry = rows.entry;
    match run.trajectories.as_ref().and_then(Trajectories::shown) {
        Some(number) => tr!("Path of every {entry}, {kind} {number}", entry, kind = rows.column, number),
        None => tr!("Path of every {entry}", entry),
    }
}

fn said_of_movement(run: &RunView) -> String {
    let moved = run.trajectories.as_ref().and_then(|t| t.movements().last());
    let (relevant, other) = moved.map_or((f32::NAN, f32::NAN), |(_, m)| (m.relevant, m.other));
    let rows = translated(run.spec().rows().name);
    let (relevant, other) = (decimal(relevant), decimal(other));
    match run.relevant.is_empty() {
        true => tr!("{rows} have changed by up to {other} since the start.", rows, other),
        false if run.vocabulary().columns => tr!(
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

/// The gaps along the run.
fn gaps(run: &RunView) -> Vec<(u64, Gap)> {
    let gap = |few: &[f64]| match *few {
        [relaxed, strict, error] => Some(Gap { relaxed, strict, error }),
        _ => None,
    };
    run.trace(&GAP).filter_map(|(step, few)| Some((step, gap(few)?))).collect()
}

fn said_of_gap(run: &RunView) -> String {
    let newest = gaps(run).last().map_or(f64::NAN, |(_, gap)| gap.relaxed);
    let newest = decimal(newest as f32);
    match neurons(run.spec()) {
        Some(_) => tr!("Fourier gap of g = E[y x σ′(w·x + b)]: {newest}.", newest),
        None => tr!("Gap of g = E[y x ∂f/∂z], where z = w·x + b: {newest}.", newest),
    }
}

fn said_of_spectrum(run: &RunView) -> String {
    let k = run.relevant.len();
    let (share, cosine) = run.finding(&SPECTRUM).map_or((f32::NAN, f32::NAN), |found| {
        let cosine = found.few.first().map_or(f32::NAN, |cosine| *cosine as f32);
        (found.numbers.get(k).copied().unwrap_or(f32::NAN), cosine)
    });
    tr!(
        "{share} of the output's squared norm is on parities of degree {k}; the output's correlation with the \
         target is {cosine}.",
        share = percent(share),
        k,
        cosine = decimal(cosine)
    )
}

/// Newest weights u and w of a network of powers, and its width.
fn powers(run: &RunView) -> Option<(&[f32], &[f32], usize)> {
    let found = run.finding(&POWERS)?;
    let width = *found.counts.first()?;
    let (u, w) = found.numbers.split_at(found.numbers.len().saturating_sub(2 * width));
    Some((u, w, width))
}

fn said_of_strongest(run: &RunView) -> String {
    let penalty = run.spec().architecture().penalty(0);
    let read = |(u, w, width): (&[f32], &[f32], usize)| {
        ParityNeurons::read(u, w, width, penalty?.exponent - 1, &run.relevant)
    };
    let found = powers(run).and_then(read);
    found.map_or(tr!("The neurons have not been analysed yet.").into(), |found| found.summary())
}

fn said_of_attention(run: &RunView) -> String {
    let mass = run
        .finding(&ATTENTION)
        .map_or(f32::NAN, |found| run.relevant.iter().filter_map(|i| found.numbers.get(*i)).sum());
    tr!("{mass} of the attention is on the relevant bits.", mass = percent(mass))
}
