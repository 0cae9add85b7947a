//! Loss, accuracy, first-layer weights, times and sweeps: the charts of every lab that the first view can show.

use super::curves::{EMPTY_CHART_STEPS, add_step_marks, empty_lines, keep_training_curves, last_solved_step};
use super::{ChartDependency, ChartSpec};
use crate::display::summary::{LatestMetrics, chance_accuracy, largest_weights};
use crate::display::sweep::{sweep_axis, value_range};
use crate::display::view::{RunView, Vocabulary};
use crate::display::words::{format_count, format_percent, format_thousands};
use vivarium_core::language::translated;
use vivarium_core::math::binomial;
use vivarium_model::chart;
use vivarium_model::permalink::AxisScale;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::convergence::{self, HistogramHeight};
use vivarium_plot::analysis::{Heatmap, LineChart, Reading, Role, Series, curves, scaling, weights};

/// Charts common to all labs that can be drawn before the page's second WebAssembly file is loaded.
pub(super) const FIRST_CHARTS: &[ChartSpec] = &[
    ChartSpec::new(chart::LOSS, draw_loss)
        .title(loss_title)
        .summary(summarize_loss)
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(chart::ACCURACY, draw_accuracy)
        .title(accuracy_title)
        .summary(summarize_accuracy)
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(chart::WEIGHTS, draw_first_layer)
        .applies(require_weights)
        .title(|run| Some(run.spec().rows().translated().name.into()))
        .summary(summarize_weights)
        .depends_on(ChartDependency::Weights),
    ChartSpec::new(chart::TIMES, |run| Reading::Lines(draw_times(run)))
        .applies(|run| match run.spec().run.replicas > 1 {
            true => Ok(()),
            false => Err(tr!("A distribution of convergence times needs several replicas.").into()),
        })
        .summary(summarize_times)
        .depends_on(ChartDependency::Solved)
        .uses_measurements_only(),
    ChartSpec::new(chart::SWEEP, |run| Reading::Lines(draw_sweep(run)))
        .applies(require_sweep)
        .summary(summarize_sweep)
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
];

/// Checks that training changes weights of the model.
///
/// # Errors
/// A sentence that says why not.
pub fn require_weights(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().has_weights() {
        true => Ok(()),
        false => Err(tr!("Training changes no weights of this model.").into()),
    }
}

/// Checks that the link describes a sweep.
///
/// # Errors
/// A sentence that says why not.
pub fn require_sweep(run: &RunView) -> Result<(), String> {
    match run.link.spec.run.sweep.is_empty() {
        true => Err(tr!("This run is not a sweep. You can start a sweep in the settings.").into()),
        false => Ok(()),
    }
}

/// Name of the curve of training loss or accuracy, from the lab's vocabulary or by the kind of training data; `None` if
/// each batch is fresh and too small for a curve.
fn training_curve_name(run: &RunView) -> Option<&'static str> {
    // Every sequence is trained on at all of its places, so that one is enough.
    match run.vocabulary() {
        Vocabulary { curve_names: Some([first, _]), .. } => Some(translated(first)),
        Vocabulary { shows_training_only: true, .. } => Some(tr!("training batch")),
        _ => curves::training_curve_name(
            run.spec().task.examples().training_set_size().is_some(),
            run.spec().batch_size(),
        ),
    }
}

/// Gives the held-out curve the second of the two curve names in the lab's vocabulary; changes nothing if the
/// vocabulary names no curves.
fn rename_curves(mut lines: LineChart, run: &RunView) -> LineChart {
    let Some([_, second]) = run.vocabulary().curve_names else { return lines };
    let others = lines.series.iter_mut().filter(|series| series.role == Role::Test);
    others.for_each(|series| series.name = translated(second).into());
    lines
}

/// Joins `values`, the texts of the latest training and held-out value, with the lab's names of the two curves: "0.048
/// with the weights in the tokens and 0.048 with direct descent"; `None` if the lab does not name the curves.
fn describe_two_curves(run: &RunView, values: [&str; 2]) -> Option<String> {
    let [first, second] = run.vocabulary().curve_names?.map(translated);
    let [one, other] = values;
    Some(tr!("{one} {first} and {other} {second}", one, first, other, second))
}

/// Title of the loss chart in labs with relative or training losses only, and for a loss that can be negative; `None`
/// for the default title.
fn loss_title(run: &RunView) -> Option<String> {
    let words = run.vocabulary();
    let relative = (words.has_numeric_labels && words.curve_names.is_none())
        .then(|| tr!("Loss relative to the variance of the labels").into());
    let training = || words.shows_training_only.then(|| tr!("Training loss").into());
    let is_signed = run.spec().run.loss.is_signed();
    let signed =
        || is_signed.then(|| tr!("Loss −y·f(x): negative for right answers, lower is better").into());
    relative.or_else(training).or_else(signed)
}

/// Draws the curves of training and held-out loss over the training steps.
fn draw_loss(run: &RunView) -> Reading {
    let (inits, replicas) = (run.spec().run.inits, run.spec().run.replicas);
    let words = run.vocabulary();
    let may_be_grouped = !words.shows_training_only && words.curve_names.is_none();
    let grouped = may_be_grouped && (2..=curves::MAX_INITIALISATIONS).contains(&inits) && inits < replicas;
    let lines = match grouped {
        true => curves::loss_by_initialisation_chart(&run.history, inits),
        false => curves::loss_chart(&run.history, training_curve_name(run), last_solved_step(run)),
    };
    let mut lines = add_step_marks(rename_curves(keep_training_curves(lines, run), run), run);
    lines.log_y &= !run.spec().run.loss.is_signed();
    Reading::Lines(lines)
}

/// Describes the latest training and held-out loss in a sentence, for screen readers.
fn summarize_loss(run: &RunView) -> Option<String> {
    let (newest, step) = (LatestMetrics::of(run), format_thousands(run.step));
    if let Some(said) = describe_two_curves(run, [&newest.train_loss, &newest.test_loss]) {
        return Some(tr!("Loss after {step} steps: {said}.", step, said));
    }
    if run.vocabulary().has_numeric_labels {
        return Some(tr!(
            "Squared error relative to the variance of the labels after {step} steps: {train_loss} on training prompts, {test_loss} on held-out prompts.",
            step,
            train_loss = newest.train_loss,
            test_loss = newest.test_loss
        ));
    }
    Some(match run.vocabulary().shows_training_only {
        true => tr!(
            "Cross-entropy on training sequences after {step} steps: {train_loss}.",
            step,
            train_loss = newest.train_loss
        ),
        false if run.spec().run.loss.is_signed() => tr!(
            "Loss after {step} steps: {train_loss} on training examples, {test_loss} on held-out examples. The loss of an example is −y·f(x). It is negative for a right answer, and a lower loss is better.",
            step,
            train_loss = newest.train_loss,
            test_loss = newest.test_loss
        ),
        false => tr!(
            "Loss after {step} steps: {train_loss} on training examples, {test_loss} on held-out examples.",
            step,
            train_loss = newest.train_loss,
            test_loss = newest.test_loss
        ),
    })
}

/// Title of the accuracy chart if it shows an error, R² or training accuracy only; `None` for the default title.
fn accuracy_title(run: &RunView) -> Option<String> {
    match (run.vocabulary().has_numeric_labels, run.link.view.y_axis) {
        (true, AxisScale::Log) => return Some(tr!("Share of the variance that is not explained").into()),
        (true, AxisScale::Linear) => return Some(tr!("Share of the variance that is explained, R²").into()),
        (false, AxisScale::Log) => return Some(tr!("Error, 1 − accuracy").into()),
        (false, AxisScale::Linear) => {}
    }
    run.vocabulary().shows_training_only.then(|| tr!("Training accuracy").into())
}

/// Draws training and held-out accuracy over the steps; on a logarithmic axis the error, 1 − accuracy.
fn draw_accuracy(run: &RunView) -> Reading {
    let log = run.link.view.y_axis == AxisScale::Log;
    let curves = if log { curves::error_chart } else { curves::accuracy_chart };
    let mut lines = curves(
        &run.history,
        training_curve_name(run),
        last_solved_step(run),
        f64::from(chance_accuracy(run)),
    );
    if run.vocabulary().has_numeric_labels {
        lines.y_label = if log { tr!("1 − R²") } else { tr!("R²") }.into();
        lines.reference_lines.iter_mut().for_each(|(_, name)| *name = tr!("predicting the mean").into());
    }
    Reading::Lines(add_step_marks(rename_curves(keep_training_curves(lines, run), run), run))
}

/// Describes the latest training and held-out accuracy in a sentence, for screen readers.
fn summarize_accuracy(run: &RunView) -> Option<String> {
    let (newest, step) = (LatestMetrics::of(run), format_thousands(run.step));
    let drawn = if run.link.view.y_axis == AxisScale::Log { tr!(", drawn as error") } else { "" };
    if let Some(said) = describe_two_curves(run, [&newest.train_accuracy, &newest.test_accuracy]) {
        return Some(tr!(
            "Share of the variance explained after {step} steps{drawn}: {said}.",
            step,
            drawn,
            said
        ));
    }
    if run.vocabulary().has_numeric_labels {
        return Some(tr!(
            "Share of the variance of the labels that is explained after {step} steps{drawn}: {train_accuracy} on training prompts, {test_accuracy} on held-out prompts.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            test_accuracy = newest.test_accuracy
        ));
    }
    Some(match run.vocabulary().shows_training_only {
        true => tr!(
            "Accuracy on training sequences after {step} steps{drawn}: {train_accuracy}; chance is {chance}.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            chance = format_percent(chance_accuracy(run))
        ),
        false => tr!(
            "Accuracy after {step} steps{drawn}: {train_accuracy} on training examples, \
             {test_accuracy} on held-out examples; chance is {chance}.",
            step,
            drawn,
            train_accuracy = newest.train_accuracy,
            test_accuracy = newest.test_accuracy,
            chance = format_percent(chance_accuracy(run))
        ),
    })
}

/// Draws the first replica's first-layer weights as a heatmap `[inputs, neurons]`.
fn draw_first_layer(run: &RunView) -> Reading {
    let w = &run.weights;
    let grid = weights::first_layer_heatmap(&w.values, w.inputs, w.width, &run.relevant);
    let rows = run.spec().rows().translated();
    Reading::Grid(Heatmap { x_label: rows.column.into(), y_label: rows.row.into(), ..grid })
}

/// Describes the first-layer weights: their size, or the largest on relevant and irrelevant bits.
fn summarize_weights(run: &RunView) -> Option<String> {
    let (rows, of_table) = (run.spec().rows(), run.vocabulary().has_columns);
    let (inputs, width) = (run.weights.inputs, run.weights.width);
    if run.relevant.is_empty() {
        return Some(tr!(
            "{rows}, {row} by {column}.",
            rows = translated(rows.name),
            row = format_count(inputs, rows.row),
            column = format_count(width, rows.column)
        ));
    }
    let (relevant, other) = largest_weights(run);
    let by = match rows.column {
        "" => String::new(),
        column => tr!(" by {column}", column = format_count(width, column)),
    };
    let bits = format_count(inputs, if of_table { rows.row } else { "input bit" });
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

/// Distribution of the times t_c, the steps at which replicas reached the target; t_c by initialisation if several
/// replicas share one initialisation.
fn draw_times(run: &RunView) -> LineChart {
    let settings = &run.spec().run;
    let solved = run.trial_steps();
    let mut lines = if settings.inits > 0 && settings.inits < settings.replicas {
        convergence::times_by_initialisation_chart(&solved, settings.inits)
    } else {
        let sets = binomial(run.spec().task.examples().inputs(), run.relevant.len());
        convergence::histogram_chart(
            &convergence::ConvergenceTimes::new(&solved),
            settings.every,
            sets,
            HistogramHeight::Count,
        )
    };
    if run.vocabulary().has_columns {
        // The columns of a table are not guessed at random.
        lines.series.truncate(1);
    }
    if run.solved.is_empty() {
        lines.x_range = Some((0.0, EMPTY_CHART_STEPS));
        lines.y_range = Some((0.0, 1.0));
    }
    lines
}

/// Describes in a sentence how many networks have reached the target.
fn summarize_times(run: &RunView) -> Option<String> {
    Some(tr!(
        "{solved} of {replicas} networks have reached the target.",
        solved = format_thousands(run.solved.len() as u64),
        replicas = format_thousands(run.spec().run.replicas as u64)
    ))
}

/// Curves of the median time t_c, the step at which replicas reach the target, over the values of the first swept
/// setting.
fn draw_sweep(run: &RunView) -> LineChart {
    let spec = &run.link.spec;
    let Some(sweep) = &run.sweep else { return empty_lines("", tr!("steps until converged")) };
    let (label, places, has_ratios) = sweep_axis(spec);
    let curves = sweep.curves(spec);
    let mut lines = scaling::chart(&curves, &label, random_search_curves(run));
    (lines.log_x, lines.log_y) = (has_ratios, true);
    lines.x_range = Some(value_range(&places));
    if curves.iter().flat_map(|(_, points)| points).all(|point| point.median_time().is_none()) {
        lines.y_range = Some((10.0, 1e4));
    }
    let missed = sweep.values_without_median().into_iter();
    lines.marks = missed.map(|(at, found, all)| (places[at], tr!("{found} of {all}", found, all))).collect();
    lines
}

/// Describes in a sentence how many runs of the sweep have ended and how many of their networks reached the target.
fn summarize_sweep(run: &RunView) -> Option<String> {
    let (done, all) = run.sweep.as_ref().map_or((0, 0), |s| (s.ended_count(), s.cells.len()));
    let (found, networks) = run.sweep.as_ref().map_or((0, 0), |s| s.count_solved());
    Some(match done {
        0 => tr!("None of the sweep's {all} runs has ended.", all),
        _ => tr!(
            "{done} of the sweep's {all} runs have ended; {found} of their {networks} \
             networks have reached the target.",
            done,
            all,
            found = format_thousands(found as u64),
            networks = format_thousands(networks as u64)
        ),
    })
}

/// Reference curves of random search for the set of k relevant bits among n: expected time over swept values of n, one
/// curve per k, or over swept widths, each neuron searching in parallel; empty for other swept settings, values that
/// are no integers, and tasks on tables.
fn random_search_curves(run: &RunView) -> Vec<Series> {
    let spec: &RunSpec = &run.link.spec;
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let Some(values) = sweep.values.iter().map(|v| v.parse().ok()).collect::<Option<Vec<usize>>>() else {
        return vec![];
    };
    let task = spec.task.examples();
    let k = task.relevant(spec.run.seed).len();
    match sweep.key.as_str() {
        _ if run.vocabulary().has_columns => vec![],
        "n" if series.key == "k" => {
            let each = series.values.iter().filter_map(|k| k.parse().ok());
            each.map(|k| scaling::random_search_series(&values, k)).collect()
        }
        "n" => vec![scaling::random_search_series(&values, k)],
        "width" => vec![scaling::parallel_search_series(&values, binomial(task.inputs(), k))],
        _ => vec![],
    }
}
