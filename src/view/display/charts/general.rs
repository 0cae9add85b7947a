//! Loss, accuracy, first-layer weights, times and sweeps: the charts of every lab that the first view can show.

use super::curves::{EMPTY_UNTIL, marked, solved, trained_only, with_axes};
use super::{ChartSpec, Follows};
use crate::display::summary::{Newest, chance, reach};
use crate::display::sweep::{abscissa, ends};
use crate::display::view::{RunView, Vocabulary};
use crate::display::words::{count, percent, thousands};
use vivarium_core::language::translated;
use vivarium_core::math::binomial;
use vivarium_model::chart;
use vivarium_model::permalink::Axis;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::convergence::{self, Height};
use vivarium_plot::analysis::{Grid, Lines, Reading, Role, Series, curves, scaling, weights};

/// All of them.
pub(super) const FIRST: &[ChartSpec] = &[
    ChartSpec::new(chart::LOSS, loss)
        .title(title_of_loss)
        .summary(said_of_loss)
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(chart::ACCURACY, accuracy)
        .title(title_of_accuracy)
        .summary(said_of_accuracy)
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(chart::WEIGHTS, first_layer)
        .applies(has_weights)
        .title(|run| Some(run.spec().rows().translated().name.into()))
        .summary(said_of_weights)
        .follows(Follows::Weights),
    ChartSpec::new(chart::TIMES, |run| Reading::Lines(times(run)))
        .applies(|run| match run.spec().run.replicas > 1 {
            true => Ok(()),
            false => Err(tr!("A distribution of convergence times needs several replicas.").into()),
        })
        .summary(said_of_times)
        .follows(Follows::Solved)
        .of_measurements(),
    ChartSpec::new(chart::SWEEP, |run| Reading::Lines(sweep(run)))
        .applies(is_sweep)
        .summary(said_of_sweep)
        .follows(Follows::Sweep)
        .of_measurements(),
];

/// Whether the network has weights.
///
/// # Errors
/// A sentence that says why not.
pub fn has_weights(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().has_weights() {
        true => Ok(()),
        false => Err(tr!("Training changes no weights of this model.").into()),
    }
}

/// Whether the link holds a sweep.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn is_sweep(run: &RunView) -> Result<(), String> {
    match run.link.spec.run.sweep.is_empty() {
        true => Err(tr!("This run is not a sweep. You can start a sweep in the settings.").into()),
        false => Ok(()),
    }
}

/// What the curve of training is called.
fn trained_on(run: &RunView) -> Option<&'static str> {
    // Every sequence is trained on at all of its places, so that one is enough.
    match run.vocabulary() {
        Vocabulary { curves: Some([first, _]), .. } => Some(translated(first)),
        Vocabulary { trains_only: true, .. } => Some(tr!("training batch")),
        _ => curves::trained_on(run.spec().task.examples().sample_size().is_some(), run.spec().batch()),
    }
}

/// Curves under the names that the lab has for them.
fn named(mut lines: Lines, run: &RunView) -> Lines {
    let Some([_, second]) = run.vocabulary().curves else { return lines };
    let others = lines.series.iter_mut().filter(|series| series.role == Role::Test);
    others.for_each(|series| series.name = translated(second).into());
    lines
}

/// What is said of two curves that the lab has names for: "0.048 with the weights in the tokens and 0.048 with
/// direct descent".
fn said_of_both(run: &RunView, values: [&str; 2]) -> Option<String> {
    let [first, second] = run.vocabulary().curves?.map(translated);
    let [one, other] = values;
    Some(tr!("{one} {first} and {other} {second}", one, first, other, second))
}

fn title_of_loss(run: &RunView) -> Option<String> {
    let words = run.vocabulary();
    let relative = (words.explains && words.curves.is_none())
        .then(|| tr!("Loss relative to the variance of the labels").into());
    relative.or_else(|| words.trains_only.then(|| tr!("Training loss").into()))
}

fn loss(run: &RunView) -> Reading {
    let (inits, replicas) = (run.spec().run.inits, run.spec().run.replicas);
    let words = run.vocabulary();
    let may_be_grouped = !words.trains_only && words.curves.is_none();
    let grouped = may_be_grouped && (2..=curves::MOST_STARTS).contains(&inits) && inits < replicas;
    let lines = match grouped {
        true => curves::loss_by_start(&run.history, inits),
        false => curves::loss(&run.history, trained_on(run), solved(run)),
    };
    let mut lines = marked(named(trained_only(lines, run), run), run);
    lines.log_y &= !run.spec().run.loss.is_signed();
    Reading::Lines(lines)
}

fn said_of_loss(run: &RunView) -> Option<String> {
    let (newest, step) = (Newest::of(run), thousands(run.step));
    if let Some(said) = said_of_both(run, [&newest.train_loss, &newest.test_loss]) {
        return Some(tr!("Loss after {step} steps: {said}.", step, said));
    }
    if run.vocabulary().explains {
        return Some(tr!(
            "Squared error relative to the variance of the labels after {step} steps: {train_loss} on training prompts, {test_loss} on held-out prompts.",
            step,
            train_loss = newest.train_loss,
            test_loss = newest.test_loss
        ));
    }
    Some(match run.vocabulary().trains_only {
        true => tr!(
            "Cross-entropy on training sequences after {step} steps: {train_loss}.",
            step,
            train_loss = newest.train_loss
        ),
        false => tr!(
            "Loss after {step} steps: {train_loss} on training examples, {test_loss} on held-out examples.",
            step,
            train_loss = newest.train_loss,
            test_loss = newest.test_loss
        ),
    })
}

fn title_of_accuracy(run: &RunView) -> Option<String> {
    match (run.vocabulary().explains, run.link.view.y_axis) {
        (true, Axis::Log) => return Some(tr!("Share of the variance that is not explained").into()),
        (true, Axis::Linear) => return Some(tr!("Share of the variance that is explained, R²").into()),
        (false, Axis::Log) => return Some(tr!("Error, 1 − accuracy").into()),
        (false, Axis::Linear) => {}
    }
    run.vocabulary().trains_only.then(|| tr!("Training accuracy").into())
}

fn accuracy(run: &RunView) -> Reading {
    let log = run.link.view.y_axis == Axis::Log;
    let curves = if log { curves::error } else { curves::accuracy };
    let mut lines = curves(&run.history, trained_on(run), solved(run), f64::from(chance(run)));
    if run.vocabulary().explains {
        lines.y_label = if log { tr!("1 − R²") } else { tr!("R²") }.into();
        lines.references.iter_mut().for_each(|(_, name)| *name = tr!("predicting the mean").into());
    }
    Reading::Lines(marked(named(trained_only(lines, run), run), run))
}

fn said_of_accuracy(run: &RunView) -> Option<String> {
    let (newest, step) = (Newest::of(run), thousands(run.step));
    let drawn = if run.link.view.y_axis == Axis::Log { tr!(", drawn as error") } else { "" };
    if let Some(said) = said_of_both(run, [&newest.train_accuracy, &newest.test_accuracy]) {
        return Some(tr!(
            "Share of the variance explained after {step} steps{drawn}: {said}.",
            step,
            drawn,
            said
        ));
    }
    if run.vocabulary().explains {
        return Some(tr!(
            "Share of the variance of the labels that is explained after {step} steps{drawn}: {train_accuracy} on training prompts, {test_accuracy} on held-out prompts.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            test_accuracy = newest.test_accuracy
        ));
    }
    Some(match run.vocabulary().trains_only {
        true => tr!(
            "Accuracy on training sequences after {step} steps{drawn}: {train_accuracy}; chance is {chance}.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            chance = percent(chance(run))
        ),
        false => tr!(
            "Accuracy after {step} steps{drawn}: {train_accuracy} on training examples, \
             {test_accuracy} on held-out examples; chance is {chance}.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            test_accuracy = newest.test_accuracy,
            chance = percent(chance(run))
        ),
    })
}

fn first_layer(run: &RunView) -> Reading {
    let w = &run.weights;
    let grid = weights::first_layer(&w.values, w.inputs, w.width, &run.relevant);
    let rows = run.spec().rows().translated();
    Reading::Grid(Grid { x_label: rows.column.into(), y_label: rows.row.into(), ..grid })
}

fn said_of_weights(run: &RunView) -> Option<String> {
    let (rows, of_table) = (run.spec().rows(), run.vocabulary().columns);
    let (inputs, width) = (run.weights.inputs, run.weights.width);
    if run.relevant.is_empty() {
        return Some(tr!(
            "{rows}, {row} by {column}.",
            rows = translated(rows.name),
            row = count(inputs, rows.row),
            column = count(width, rows.column)
        ));
    }
    let (relevant, other) = reach(run);
    let by = match rows.column {
        "" => String::new(),
        column => tr!(" by {column}", column = count(width, column)),
    };
    let bits = count(inputs, if of_table { rows.row } else { "input bit" });
    let rows = translated(rows.name);
    Some(match of_table {
        true => tr!(
            "{rows}, {columns}{by}: the largest absolute value is {relevant} on the relevant columns and {other} on the other columns.",
            rows,
            columns = bits,
            by,
            relevant,
            other
        ),
        false => tr!(
            "{rows}, {bits}{by}: the largest absolute value is {relevant} on the relevant bits and {other} on the other bits.",
            rows,
            bits,
            by,
            relevant,
            other
        ),
    })
}

/// The distribution of t_c, or t_c by initialisation where several replicas share one.
fn times(run: &RunView) -> Lines {
    let settings = &run.spec().run;
    let solved = run.trials();
    let mut lines = if settings.inits > 0 && settings.inits < settings.replicas {
        convergence::by_start(&solved, settings.inits)
    } else {
        let sets = binomial(run.spec().task.examples().inputs(), run.relevant.len());
        convergence::histogram(&convergence::Times::new(&solved), settings.every, sets, Height::Count)
    };
    if run.vocabulary().columns {
        // Of a table nobody guesses sets.
        lines.series.truncate(1);
    }
    if run.solved.is_empty() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range = Some((0.0, 1.0));
    }
    lines
}

fn said_of_times(run: &RunView) -> Option<String> {
    Some(tr!(
        "{solved} of {replicas} networks have reached the target.",
        solved = thousands(run.solved.len() as u64),
        replicas = thousands(run.spec().run.replicas as u64)
    ))
}

/// The curves of the sweep so far.
fn sweep(run: &RunView) -> Lines {
    let spec = &run.link.spec;
    let Some(sweep) = &run.sweep else { return with_axes("", tr!("steps until converged")) };
    let (label, places, has_ratios) = abscissa(spec);
    let curves = sweep.curves(spec);
    let mut lines = scaling::chart(&curves, &label, searches(run));
    (lines.log_x, lines.log_y) = (has_ratios, true);
    lines.x_range = Some(ends(&places));
    if curves.iter().flat_map(|(_, points)| points).all(|point| point.median().is_none()) {
        lines.y_range = Some((10.0, 1e4));
    }
    let missed = sweep.missed().into_iter();
    lines.marks = missed.map(|(at, found, all)| (places[at], tr!("{found} of {all}", found, all))).collect();
    lines
}

fn said_of_sweep(run: &RunView) -> Option<String> {
    let (done, all) = run.sweep.as_ref().map_or((0, 0), |s| (s.ended(), s.cells.len()));
    let (found, networks) = run.sweep.as_ref().map_or((0, 0), |s| s.found());
    Some(match done {
        0 => tr!("None of the sweep's {all} runs has ended.", all),
        _ => tr!(
            "{done} of the sweep's {all} runs have ended; {found} of their {networks} \
             networks have reached the target.",
            done,
            all,
            found = thousands(found as u64),
            networks = thousands(networks as u64)
        ),
    })
}

/// How long random search would take at the values of a sweep over n, for each k, or over the width.
fn searches(run: &RunView) -> Vec<Series> {
    let spec: &RunSpec = &run.link.spec;
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let Some(values) = sweep.values.iter().map(|v| v.parse().ok()).collect::<Option<Vec<usize>>>() else {
        return vec![];
    };
    let task = spec.task.examples();
    let k = task.relevant(spec.run.seed).len();
    match sweep.key.as_str() {
        _ if run.vocabulary().columns => vec![],
        "n" if series.key == "k" => {
            let each = series.values.iter().filter_map(|k| k.parse().ok());
            each.map(|k| scaling::random_search(&values, k)).collect()
        }
        "n" => vec![scaling::random_search(&values, k)],
        "width" => vec![scaling::parallel_search(&values, binomial(task.inputs(), k))],
        _ => vec![],
    }
}
