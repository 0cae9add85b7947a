//! What the charts of the catalogue show of the run.
//!
//! A new chart is its line in [`crate::analysis::chart`] and one arm in each of the methods here and in
//! [`super::summary`].

use super::lazy::lazy_module;
use super::summary::chance;
use super::sweep::{abscissa, ends};
use super::view::RunView;
use super::words::symbol;
use super::{chain_charts, functions, luck, pair_charts, tables};
use crate::analysis::chart;
use crate::analysis::convergence::{self, Height};
use crate::analysis::gap::{self, relu_majority_gap};
use crate::analysis::movement::Trajectories;
use crate::analysis::{
    Grid, Lines, Reading, Role, Series, attention, curves, movement, parity_neurons, scaling, spectrum,
    weights,
};
use crate::catalog::chart::Chart;
use crate::permalink::{Axis, View};
use crate::probing::applies;
use crate::run::RunSpec;
use crate::settings::real;
use crate::tasks::Form;
use crate::tasks::groups::charts as groups_charts;
use crate::tasks::markov::charts as markov_charts;
use crate::tasks::sparse_boolean::charts as boolean_charts;
use crate::tasks::sparse_parity::charts as parity_charts;

/// Neurons of largest norm that are shown.
const STRONGEST: usize = 16;
/// Steps that an empty chart shows.
const EMPTY_UNTIL: f64 = 1000.0;

/// The same as long as a chart shows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    run: u64,
    at: u64,
    marks: usize,
    axes: (Axis, Axis, u64),
}

impl Chart {
    /// Whether there is such a chart of this run.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn applies(self, run: &RunView) -> Result<(), String> {
        of_record(self, run)?;
        let form = run.spec().task.sampler().form();
        match self.form().filter(|of| !form.is_a(*of)) {
            Some(of) => return Err(of.only().into()),
            None if !form.is_a(Form::Bits) && self.form().is_some() && lazy_module().is_none() => {
                return Err(tr!("Loading").into());
            }
            None => {}
        }
        match self {
            chart::MARGIN if run.spec().architecture().penalty(0).is_some() => Ok(()),
            chart::MARGIN => {
                Err(tr!("Margins are normalised by the norm of a penalty, and this model has none.").into())
            }
            groups_charts::PHASES | groups_charts::RESIDUAL
                if !run.pairs.as_ref().is_some_and(|pairs| pairs.group.is_cyclic_by_number()) =>
            {
                Err(tr!("Phases are there for the numbers modulo n.").into())
            }
            groups_charts::PHASES | groups_charts::RESIDUAL
                if !run.spec().model.config().embeds_by_neuron() =>
            {
                Err(tr!("A transformer's neurons have no embeddings of their own.").into())
            }
            groups_charts::CURVE | groups_charts::WAVE | groups_charts::CHARACTERS => Ok(()),
            chart::WEIGHTS | parity_charts::MOVEMENT | parity_charts::PATHS
                if tables::is_forest(run.spec()) =>
            {
                Err(tr!("A forest has no weights.").into())
            }
            chart::LOSS
            | chart::ACCURACY
            | chart::WEIGHTS
            | parity_charts::MOVEMENT
            | parity_charts::PATHS => Ok(()),
            chart::TIMES if run.spec().run.replicas > 1 => Ok(()),
            chart::TIMES => Err(tr!("Convergence times are distributed with several replicas only.").into()),
            chart::SWEEP if !run.link.spec.run.sweep.is_empty() => Ok(()),
            chart::SWEEP => Err(tr!("This run is no sweep: the settings of the run can make it one.").into()),
            _ => {
                chain_charts::applies(self, run)?;
                luck::applies(self, run)?;
                functions::applies(self, run)?;
                tables::applies(self, run)?;
                self.probe().map_or(Ok(()), |probe| applies(probe, run.spec()))
            }
        }
    }

    /// Its title.
    pub fn title(self, run: &RunView) -> String {
        let rows = run.spec().rows().translated();
        let entry = rows.entry;
        match self {
            chart::ACCURACY if run.link.view.y_axis == Axis::Log => tr!("Error, 1 − accuracy").into(),
            chart::LOSS if run.chains.is_some() => tr!("Training loss").into(),
            chart::ACCURACY if run.chains.is_some() => tr!("Training accuracy").into(),
            markov_charts::MAP => chain_charts::map_title(run).unwrap_or_else(|| self.info().name.into()),
            chart::WEIGHTS => rows.name.into(),
            groups_charts::CURVE => pair_charts::curve_title(run).unwrap_or_else(|| self.info().name.into()),
            parity_charts::PATHS => match run.trajectories.as_ref().and_then(Trajectories::shown) {
                Some(number) => {
                    tr!("Path of every {entry}, {kind} {number}", entry, kind = rows.column, number)
                }
                None => tr!("Path of every {entry}", entry),
            },
            _ => self.info().name.into(),
        }
    }

    /// What is drawn, if the chart applies.
    pub fn reading(self, run: &RunView) -> Reading {
        let task = run.spec().task.sampler();
        let of_chains = run.chains.is_some();
        // Every sequence is trained on at all of its places, so that one is enough.
        let train = match of_chains {
            true => Some(tr!("training batch")),
            false => curves::trained_on(task.sample_size().is_some(), run.spec().batch()),
        };
        let solved = run.solved.iter().map(|(_, step)| *step).max();
        let solved = solved.filter(|_| run.solved.len() == run.spec().run.replicas);
        let reading = match self {
            chart::LOSS => {
                let (inits, replicas) = (run.spec().run.inits, run.spec().run.replicas);
                let grouped = !of_chains && (2..=curves::MOST_STARTS).contains(&inits) && inits < replicas;
                let lines = match grouped {
                    true => curves::loss_by_start(&run.history, inits),
                    false => curves::loss(&run.history, train, solved),
                };
                let mut lines = marked(trained_only(lines, run), run);
                lines.log_y &= !run.spec().run.loss.is_signed();
                Reading::Lines(lines)
            }
            chart::ACCURACY => {
                let log = run.link.view.y_axis == Axis::Log;
                let curves = if log { curves::error } else { curves::accuracy };
                let lines = curves(&run.history, train, solved, f64::from(chance(run)));
                Reading::Lines(marked(trained_only(lines, run), run))
            }
            chart::WEIGHTS => {
                let w = &run.weights;
                let grid = weights::first_layer(&w.values, w.inputs, w.width, &run.relevant);
                let rows = run.spec().rows().translated();
                Reading::Grid(Grid { x_label: rows.column.into(), y_label: rows.row.into(), ..grid })
            }
            parity_charts::MOVEMENT | parity_charts::PATHS => {
                let draw =
                    if self == parity_charts::MOVEMENT { movement::movement } else { movement::trajectories };
                let lines = run.trajectories.as_ref().map(draw);
                let mut lines = marked(lines.unwrap_or_else(|| self.empty(tr!("step"), tr!("weight"))), run);
                // Weights have signs, and half of them no place on a logarithmic axis.
                lines.log_y &= self == parity_charts::MOVEMENT;
                Reading::Lines(lines)
            }
            parity_charts::GAP => {
                let reference = relu_majority_gap(task.inputs(), run.relevant.len());
                Reading::Lines(marked(gap::chart(&run.gaps, Some(reference)), run))
            }
            parity_charts::SPECTRUM => {
                let shares = run.spectrum.as_ref().map(|(_, shares, _)| shares.clone());
                let none = || vec![f32::NAN; task.inputs() + 1];
                Reading::Bars(spectrum::degrees(&shares.unwrap_or_else(none), run.relevant.len()))
            }
            parity_charts::ATTENTION => {
                let mass = run.attention.as_ref().map(|(_, mass)| mass.clone());
                let none = || vec![f32::NAN; task.inputs()];
                Reading::Bars(attention::by_bit(&mass.unwrap_or_else(none), &run.relevant))
            }
            parity_charts::STRONGEST => {
                let grid = run
                    .powers
                    .as_ref()
                    .map(|(u, w, width)| parity_neurons::top_neurons(u, w, *width, &run.relevant, STRONGEST));
                Reading::Grid(grid.unwrap_or_default())
            }
            chart::TIMES => Reading::Lines(times(run)),
            chart::SWEEP => Reading::Lines(sweep(run)),
            chart::MARGIN => {
                let mut lines = marked(pair_charts::margin(run), run);
                lines.log_y = false;
                Reading::Lines(lines)
            }
            other => match lazy_module().and_then(|lazy_module| (lazy_module.reading)(other, run)) {
                Some(Reading::Lines(lines)) if lines.is_over_steps() => {
                    let mut lines = marked(lines, run);
                    // Scores are shares from 0 on.
                    lines.log_y &= self != markov_charts::SCORES;
                    lines.marks.extend(solved.filter(|_| self == markov_charts::TRUTH).map(reached(run)));
                    Reading::Lines(lines)
                }
                Some(other) => other,
                None => Reading::Lines(self.empty("", "")),
            },
        };
        reading.titled(self.title(run))
    }

    fn empty(self, x_label: &str, y_label: &str) -> Lines {
        Lines { x_label: x_label.into(), y_label: y_label.into(), ..Default::default() }
    }

    /// Changes when the reading does, and is cheap.
    pub fn stamp(self, run: &RunView) -> Stamp {
        let at = match self {
            chart::WEIGHTS => run.weights.step,
            chart::LOSS | chart::ACCURACY | chart::MARGIN => {
                run.history.last().map_or(u64::MAX, |row| row.step)
            }
            parity_charts::MOVEMENT | parity_charts::PATHS | parity_charts::LUCK => run.weights.step,
            groups_charts::CHARACTERS => 0,
            markov_charts::TRUTH
            | markov_charts::STRATEGIES
            | markov_charts::SCORES
            | markov_charts::OTHERS => run.history.last().map_or(u64::MAX, |row| row.step),
            markov_charts::MAP | markov_charts::NEXT | markov_charts::THEORY => {
                run.findings ^ run.looked << 40
            }
            groups_charts::CURVE | groups_charts::WAVE => {
                run.weights.step ^ (run.link.view.neuron as u64) << 40
            }
            chart::TIMES => run.solved.len() as u64,
            chart::SWEEP | chart::THRESHOLD => run.sweep.as_ref().map_or(0, |s| s.ended() as u64),
            boolean_charts::LOOKS => run.findings ^ (run.link.view.head as u64) << 40,
            _ => run.findings,
        };
        let marks = run.solved.len() + run.spec().run.schedule.len() + run.events_count();
        let View { x_axis, y_axis, smooth, .. } = run.link.view;
        let axes = (x_axis, y_axis, smooth.to_bits());
        Stamp { run: run.runs, at, marks, axes }
    }
}

/// Whether there is such a chart of what is on show, if that is a file.
///
/// # Errors
/// That the file holds no weights.
fn of_record(chart: Chart, run: &RunView) -> Result<(), String> {
    let of_measurements = [
        chart::LOSS,
        chart::ACCURACY,
        chart::MARGIN,
        chart::TIMES,
        chart::SWEEP,
        markov_charts::TRUTH,
        markov_charts::STRATEGIES,
        markov_charts::SCORES,
        markov_charts::OTHERS,
        groups_charts::CHARACTERS,
        chart::ENDS,
    ];
    match run.record.is_none() || of_measurements.contains(&chart) {
        true => Ok(()),
        false => {
            Err(tr!("The opened file holds no weights, which this chart looks into; Train makes them.")
                .into())
        }
    }
}

/// Curves of what is trained on alone, where what is measured on held-out examples is another thing; and what the target
/// is called where nothing is hidden that could be found.
fn trained_only(mut lines: Lines, run: &RunView) -> Lines {
    let of_chains = run.chains.is_some();
    lines.series.retain(|series| !of_chains || series.role == Role::Train);
    let is_shown = of_chains || tables::is_table(run.spec());
    lines.marks.iter_mut().filter(|_| is_shown).for_each(|(_, name)| *name = tr!("target").into());
    lines
}

/// The mark of the step at which the last network has reached the target.
fn reached(run: &RunView) -> impl Fn(u64) -> (f64, String) {
    let name = if run.spec().run.target == 0.5 { tr!("half-way") } else { tr!("target") };
    move |step| (step as f64, name.into())
}

/// The distribution of t_c, or t_c by initialisation where several replicas share one.
fn times(run: &RunView) -> Lines {
    let settings = &run.spec().run;
    let solved = run.trials();
    let mut lines = if settings.inits > 0 && settings.inits < settings.replicas {
        convergence::by_start(&solved, settings.inits)
    } else {
        let sets = convergence::sets(run.spec().task.sampler().inputs(), run.relevant.len());
        convergence::histogram(&convergence::Times::new(&solved), settings.every, sets, Height::Count)
    };
    if tables::is_table(run.spec()) {
        // Of a table nobody guesses sets.
        lines.series.truncate(1);
    }
    if run.solved.is_empty() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range = Some((0.0, 1.0));
    }
    lines
}

/// The curves of the sweep so far.
fn sweep(run: &RunView) -> Lines {
    let spec = &run.link.spec;
    let Some(sweep) = &run.sweep else { return chart::SWEEP.empty("", tr!("steps until converged")) };
    let (label, places, has_ratios) = abscissa(spec);
    let curves = sweep.curves(spec);
    let mut lines = scaling::chart(&curves, &label, &symbol(spec, &spec.run.sweep.key), searches(spec));
    (lines.log_x, lines.log_y) = (has_ratios, true);
    lines.x_range = Some(ends(&places));
    if curves.iter().flat_map(|(_, points)| points).all(|point| point.median().is_none()) {
        lines.y_range = Some((10.0, 1e4));
    }
    let missed = sweep.missed().into_iter();
    lines.marks = missed.map(|(at, found, all)| (places[at], tr!("{found} of {all}", found, all))).collect();
    lines
}

/// How long random search would take at the values of a sweep over n, for each k, or over the width.
fn searches(spec: &RunSpec) -> Vec<Series> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let Some(values) = sweep.values.iter().map(|v| v.parse().ok()).collect::<Option<Vec<usize>>>() else {
        return vec![];
    };
    let task = spec.task.sampler();
    let k = task.relevant(spec.run.seed).len();
    match sweep.key.as_str() {
        _ if tables::is_table(spec) => vec![],
        "n" if series.key == "k" => {
            let each = series.values.iter().filter_map(|k| k.parse().ok());
            each.map(|k| scaling::random_search(&values, k)).collect()
        }
        "n" => vec![scaling::random_search(&values, k)],
        "width" => vec![scaling::parallel_search(&values, convergence::sets(task.inputs(), k))],
        _ => vec![],
    }
}

/// Curves over the steps with what every one of them has: the axes of the view, and the changes on the way.
fn marked(mut lines: Lines, run: &RunView) -> Lines {
    let view = &run.link.view;
    lines.smooth(view.smooth);
    (lines.log_x, lines.log_y) = (view.x_axis == Axis::Log, view.y_axis == Axis::Log);
    let spec = run.spec();
    let stages = (1..spec.architecture().stages()).map(|stage| (spec.stage_begins(stage), stage));
    lines.marks.extend(
        stages.filter(|(s, _)| *s <= run.step).map(|(s, at)| (s as f64, tr!("layer {at}", at = at + 1))),
    );
    if run.history.last().is_none() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range.get_or_insert(if lines.log_y { (1e-3, 1.2) } else { (0.0, 1.2) });
    }
    let changes = spec.run.schedule.iter();
    lines.marks.extend(
        changes.filter(|(s, _)| *s <= run.step).map(|(s, lr)| (*s as f64, format!("η {}", real(*lr)))),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::chart::Kind;
    use crate::app::state::{Action, State};
    use crate::protocol::Row;

    #[test]
    fn axes_are_there_before_any_measurement_and_weights_before_any_worker() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        let Reading::Lines(lines) = chart::LOSS.reading(&state.run) else { panic!("curves") };
        assert_eq!((lines.x_range, lines.y_range), (Some((0.0, 1000.0)), Some((0.0, 1.2))));
        let Reading::Grid(grid) = chart::WEIGHTS.reading(&state.run) else { panic!("a matrix") };
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.len()), (20, 64, 3));
        assert!(chart::ACCURACY.summary(&state.run).contains("– on training examples"));
    }

    #[test]
    fn every_chart_has_the_shape_that_the_catalogue_says() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        for chart in Chart::ALL {
            let kind = chart.info().kind;
            if chart.applies(&state.run).is_ok() {
                let shape = match chart.reading(&state.run) {
                    Reading::Lines(_) => Kind::Lines,
                    Reading::Grid(_) => Kind::Grid,
                    Reading::Bars(_) => Kind::Bars,
                };
                assert_eq!(shape, kind, "{chart:?}");
                assert!(chart.summary(&state.run).ends_with('.') && !chart.title(&state.run).is_empty());
            }
        }
    }

    #[test]
    fn on_a_logarithmic_axis_accuracy_is_error() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?x=log&y=log".into()));
        let row = Row { test_accuracy: vec![0.75, 0.5], train_accuracy: vec![1.0], ..Default::default() };
        state.run.history.push(row);
        let Reading::Lines(lines) = chart::ACCURACY.reading(&state.run) else { panic!("curves") };
        assert!(lines.log_x && lines.log_y && lines.y_range.is_none());
        assert_eq!(lines.series[0].y, [0.0]);
        assert_eq!((lines.series[1].y[0], lines.series[1].band[0]), (0.375, (0.25, 0.5)));
        assert_eq!((lines.title.as_str(), lines.y_label.as_str()), ("Error, 1 − accuracy", "error"));
    }

    #[test]
    fn stamps_change_with_what_is_shown() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        let before = chart::LOSS.stamp(&state.run);
        state.run.history.push(Row { step: 50, ..Default::default() });
        assert_ne!(chart::LOSS.stamp(&state.run), before);
        let before = chart::LOSS.stamp(&state.run);
        state.apply(Action::ToggleAxis("y"));
        assert_ne!(chart::LOSS.stamp(&state.run), before);
    }

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn the_first_parameter_goes_by_its_own_name() {
        let state = open("#v1/sparse-parity?model=parity-transformer&opt=adam&n=10");
        assert_eq!(chart::WEIGHTS.title(&state.run), "Positional embeddings P");
        assert!(
            chart::WEIGHTS
                .summary(&state.run)
                .starts_with("Positional embeddings P, 10 input bits by 32 comp")
        );
        assert!(
            parity_charts::MOVEMENT.summary(&state.run).starts_with("Positional embeddings P have moved")
        );
        assert_eq!(parity_charts::PATHS.title(&state.run), "Path of every position, component 1");
        let Reading::Grid(grid) = chart::WEIGHTS.reading(&state.run) else { panic!("a matrix") };
        assert_eq!((grid.title.as_str(), grid.x_label.as_str()), ("Positional embeddings P", "component"));
        let state = open("#v1/sparse-parity?n=10&width=1");
        assert_eq!(parity_charts::PATHS.title(&state.run), "Path of every weight");
        assert!(
            chart::WEIGHTS
                .summary(&state.run)
                .starts_with("First-layer weights W, 10 input bits by 1 neuron:")
        );
        let state = open("#v1/sparse-parity?n=10&model=disjoint-polynet");
        assert!(
            chart::WEIGHTS.summary(&state.run).starts_with("Weights w of the blocks, 10 input bits: largest")
        );
    }

    #[test]
    fn what_has_a_sign_stays_linear() {
        let is_log = |link: &str, chart: Chart| match chart.reading(&open(link).run) {
            Reading::Lines(lines) => lines.log_y,
            _ => false,
        };
        let link = "#v1/sparse-parity?n=10&y=log";
        assert!(
            [chart::LOSS, parity_charts::MOVEMENT, parity_charts::GAP]
                .iter()
                .all(|chart| is_log(link, *chart))
        );
        assert!(
            !is_log(link, parity_charts::PATHS) && !is_log("#v1/sparse-parity?loss=corr&y=log", chart::LOSS)
        );
    }

    #[test]
    fn bars_have_their_axes_before_any_finding() {
        let state = open("#v1/sparse-parity?n=9&model=parity-transformer");
        for (chart, names) in [
            (parity_charts::SPECTRUM, "0 1 2 3 4 5 6 7 8 9"),
            (parity_charts::ATTENTION, "1 2 3 4 5 6 7 8 9"),
        ] {
            let Reading::Bars(bars) = chart.reading(&state.run) else { panic!("bars") };
            let found: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
            assert_eq!(found.join(" "), names);
            assert!(bars.bars.iter().all(|bar| bar.1.is_nan()));
        }
    }

    #[test]
    fn stages_are_marked_once_they_begin() {
        let mut state = open("#v1/sparse-parity?model=deep-mlp&k=4&layers=greedy&steps=1000");
        let marks = |state: &State| match chart::ACCURACY.reading(&state.run) {
            Reading::Lines(lines) => lines.marks,
            _ => vec![],
        };
        state.run.step = 499;
        assert_eq!(marks(&state), []);
        state.run.step = 500;
        assert_eq!(marks(&state), [(500.0, "layer 2".to_string())]);
    }

    #[test]
    fn a_sweep_shows_its_whole_way_and_where_too_few_arrive() {
        let mut state = open("#v1/sparse-parity?replicas=2&sweep=n:10_20_30&series=wd:0.001_0.003");
        let lines = |state: &State| match chart::SWEEP.reading(&state.run) {
            Reading::Lines(lines) => lines,
            _ => panic!("curves"),
        };
        let mut done = |times: [Option<u64>; 2]| {
            state.run.sweep.as_mut().unwrap().done.push(times.to_vec());
            lines(&state)
        };
        let none = done([None; 2]);
        assert_eq!((none.x_range, none.y_range), (Some((10.0, 30.0)), Some((10.0, 1e4))));
        assert!(none.marks.is_empty(), "the other curve may have a median here");
        let names: Vec<&str> = none.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["λ = 0.001", "λ = 0.003", "random search, k = 3"]);
        let missed = done([None; 2]);
        assert_eq!(missed.marks, [(10.0, "0 of 4".to_string())]);
        done([Some(5), Some(6)]);
        let found = done([None; 2]);
        assert_eq!((found.marks.len(), found.y_range), (1, None));
        assert_eq!(
            chart::SWEEP.summary(&state.run),
            "4 of the sweep's 6 runs have ended; 2 of their 8 networks have reached the target."
        );
        let words = lines(&open("#v1/sparse-parity?replicas=2&sweep=loss:hinge_ce"));
        assert_eq!((words.x_label.as_str(), words.log_x), ("Loss: 1 Hinge, 2 Cross-entropy", false));
    }
}
