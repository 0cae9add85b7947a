//! The charts of transformers that are descent: losses and distances over the steps, and the layer that is shown.

use std::ops::Range;

use super::state::DescentState;
use super::sweeps::{self, is_over};
use super::weights::PARAMETERS;
use super::words;
use vivarium_model::tasks::in_context_regression::charts;
use vivarium_plot::analysis::curves::series;
use vivarium_plot::analysis::replicas::Of;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading, Role, Series};
use vivarium_science::descent::{ComparisonMeasure, LayerKind, TargetKind};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, reached, solved, with_axes};

/// Most tokens and numbers of one that are named beside a matrix.
const NAMED: usize = 64;
/// Most cells of the matrix of tokens; of larger ones the tokens around the one that is shown.
const MOST_CELLS: usize = 1 << 18;
/// Places at which functions are drawn.
const PLACES: usize = 160;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::BOTH, |run| Reading::Lines(both(run)))
        .summary(|run| Some(words::both(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::APART, |run| Reading::Lines(apart(run)))
        .summary(|run| Some(words::apart(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::TOKENS, |run| Reading::Grid(run.state().map(tokens).unwrap_or_default()))
        .probe(PARAMETERS)
        .title(|run| Some(words::tokens_title(run.state()?)))
        .summary(words::tokens)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::ACTING, |run| {
        Reading::Grid(run.state().map(|state| acting(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(|run| words::acting_title(run.state()?, &run.link.view))
    .summary(words::acting)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::FITTED, |run| Reading::Lines(run.state().map(fitted).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(|run| match run.spec().task.examples().regression().is_some_and(|draw| draw.dim == 1) {
            true => Ok(()),
            false => {
                Err(tr!("A function of more than one input number cannot be plotted as a curve.").into())
            }
        })
        .summary(words::fitted)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::HEADS, |run| Reading::Bars(run.state().map(heads).unwrap_or_default()))
        .summary(words::heads)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::KNOTS, |run| Reading::Lines(sweeps::knots(run)))
        .applies(|run| match is_over(run, "knots") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the number M of straight lines.").into()),
        })
        .summary(|run| Some(words::by(run, "M")))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::BAND, |run| Reading::Lines(sweeps::band(run)))
        .applies(|run| match is_over(run, "delta") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the width δ of the band of the ReLU.").into()),
        })
        .summary(|run| Some(words::by(run, "δ")))
        .follows(Follows::Sweep)
        .of_measurements(),
];

/// One of the further measures.
fn measure(run: &RunView, name: &str, role: Role, of: ComparisonMeasure) -> Series {
    series(&run.history, name, role, Of::Measure(of as usize))
}

fn both(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("loss L_n"));
    // What is drawn last lies on top: where all agree, the others are seen as rims of the tokens.
    let single = measure(
        run,
        tr!("direct gradient descent, single precision"),
        Role::Other,
        ComparisonMeasure::SingleLoss,
    );
    let direct = series(&run.history, tr!("direct gradient descent"), Role::Train, Of::TestLoss);
    lines.series = vec![
        Series { under: 2, ..single },
        Series { under: 1, ..direct },
        series(&run.history, tr!("weights in the tokens"), Role::Test, Of::TrainLoss),
    ];
    lines.marks.extend(solved(run).map(reached(run)));
    marked(lines, run)
}

fn apart(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("distance from direct gradient descent"));
    // Bounds grow beyond what can be drawn: they end there. Over replicas they spread over powers of ten.
    let bound = |name: &str, role: Role, of: ComparisonMeasure| Series {
        band: vec![],
        ends: true,
        ..measure(run, name, role, of)
    };
    lines.series = vec![
        bound(tr!("bound of corollary 1.1"), Role::Other, ComparisonMeasure::Corollary),
        bound(tr!("bound computed step by step"), Role::Relevant, ComparisonMeasure::Recursion),
        measure(
            run,
            tr!("direct gradient descent, single precision"),
            Role::Train,
            ComparisonMeasure::SingleDistance,
        ),
        measure(run, tr!("weights in the tokens"), Role::Test, ComparisonMeasure::Distance),
    ];
    let mut lines = marked(lines, run);
    // From rounding to what is seen in the loss there are fifteen powers of ten; bounds may go beyond all numbers.
    lines.log_y = true;
    lines.y_range = Some(range(&lines.series[2..]));
    lines
}

/// From the least to the largest of these curves, with some room for bounds above them.
fn range(series: &[Series]) -> (f64, f64) {
    let all = || series.iter().flat_map(|series| &series.y).map(|y| f64::from(*y)).filter(|y| *y > 0.0);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if low > high { (1e-16, 1.0) } else { (0.3 * low.max(1e-18), 1e3 * high) }
}

/// The tokens that a matrix shows: all of them, or those around the one that is looked at.
fn shown(state: &DescentState) -> Range<usize> {
    let (count, wide) = (state.trace.after.token_count(), state.trace.after.dimension().max(1));
    let rows = (MOST_CELLS / wide).clamp(1, count.max(1));
    let first = state.trace.place.saturating_sub(rows / 2).min(count - rows.min(count));
    first..(first + rows).min(count)
}

/// "3", or of the query its name.
fn token_name(state: &DescentState, token: usize) -> String {
    if token == state.examples.len() { tr!("query").into() } else { (token + 1).to_string() }
}

/// A row for each token, a column for each of its numbers.
fn tokens(state: &DescentState) -> Grid {
    let (trace, layout, shown) = (&state.trace, state.layout(), shown(state));
    let columns = layout.len();
    let mut outlines = vec![];
    if let Some(phase) = trace.phase(&state.transformer) {
        let read = layout.read_by(phase).into_iter();
        outlines.extend(read.chain([layout.written_by(phase)]).map(|range| (0..shown.len(), range)));
    }
    let mut values = vec![0.0; shown.len() * columns];
    for column in 0..columns {
        let own = trace.after.row(column).get(shown.clone()).unwrap_or(&[]);
        for (at, value) in own.iter().enumerate() {
            values[at * columns + column] = *value as f32;
        }
    }
    Grid {
        x_label: tr!("numbers of a token: x | y | w | p | r′ | g | s | 1 | t").into(),
        y_label: tr!("token").into(),
        rows: shown.len(),
        columns,
        values,
        marked_rows: vec![trace.place - shown.start],
        row_names: shown.map(|token| token_name(state, token)).collect(),
        column_names: state.names.clone(),
        outlines,
        ..Default::default()
    }
}

/// A row for each token that asks, a column for each that is asked.
fn acting(run: &RunView, state: &DescentState) -> Grid {
    let (trace, count) = (&state.trace, state.trace.before.token_count());
    let Some(values) = state.attention(&run.link.view) else {
        let has_no_heads = trace.acting(&state.transformer).is_some_and(|layer| layer.head_count() == 0);
        let note = if has_no_heads { tr!("an MLP layer has no attention").into() } else { String::new() };
        return Grid { note, ..Default::default() };
    };
    let names: Vec<String> = (0..count).map(|token| token_name(state, token)).collect();
    Grid {
        x_label: tr!("key token s").into(),
        y_label: tr!("query token i").into(),
        note: if words::is_zero(&values) { words::zero().into() } else { String::new() },
        rows: count,
        columns: count,
        values: values.into_iter().map(|value| value as f32).collect(),
        marked_rows: vec![trace.place],
        column_names: if count <= NAMED { names.clone() } else { vec![] },
        row_names: names,
        ..Default::default()
    }
}

fn fitted(state: &DescentState) -> Lines {
    let (examples, network) = (&state.examples, &state.plan.network);
    let points: Vec<(f64, f64)> =
        (0..examples.len()).map(|i| (examples.input(i)[0], examples.label(i)[0])).collect();
    let query = examples.input(examples.len());
    let known = points.iter().map(|(x, _)| *x).chain([query[0]]);
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    let room = (0.05 * (high - low)).max(0.01);
    let (low, high) = (low - room, high + room);
    let x: Vec<f64> = (0..PLACES).map(|i| low + (high - low) * i as f64 / (PLACES - 1) as f64).collect();
    // The number 1 that each input may end with.
    let input = |x: f64| [&[x][..], &query[1..]].concat();
    let drawn = |name: &str, role: Role, of: &dyn Fn(&[f64]) -> Option<f64>| {
        let y = x.iter().map(|x| of(&input(*x)).map_or(f32::NAN, |y| y as f32)).collect();
        Series { name: name.into(), role, x: x.clone(), y, ..Default::default() }
    };
    let answer = |w: &[f64], x: &[f64]| network.compute_output(w, x).first().copied();
    let dots = |name: &str, role: Role, points: &[(f64, f64)]| Series {
        name: name.into(),
        role,
        x: points.iter().map(|(x, _)| *x).collect(),
        y: points.iter().map(|(_, y)| *y as f32).collect(),
        points: true,
        scatter: true,
        ..Default::default()
    };
    let mut series = vec![];
    if state.draw.function != TargetKind::Points {
        series.push(drawn(tr!("function"), Role::Other, &|x| state.target.evaluate(x)));
    }
    let direct = drawn(tr!("direct gradient descent"), Role::Train, &|x| answer(&state.state.direct, x));
    series.push(Series { under: 1, ..direct });
    series.push(drawn(tr!("network stored in the tokens"), Role::Test, &|x| answer(&state.state.tokens, x)));
    series.push(dots(tr!("examples"), Role::Relevant, &points));
    let at_query = answer(&state.state.tokens, query).map(|y| (query[0], y));
    series.push(dots(tr!("output at the query"), Role::Test, &at_query.into_iter().collect::<Vec<_>>()));
    Lines {
        x_label: tr!("input x").into(),
        y_label: tr!("output").into(),
        x_range: Some((low, high)),
        series,
        ..Default::default()
    }
}

fn heads(state: &DescentState) -> Bars {
    let layers = state.transformer.layers().iter();
    let bar = |(at, layer): (usize, &vivarium_science::descent::DescentLayer)| {
        let size =
            if layer.kind() == LayerKind::Feedforward { layer.unit_count() } else { layer.head_count() };
        (format!("{} {}", at + 1, layer.phase.name()), size as f32)
    };
    Bars {
        x_label: tr!("layer").into(),
        y_label: tr!("number of heads, or of hidden units in an MLP").into(),
        bars: layers.enumerate().map(bar).collect(),
        marked: state.trace.layer.checked_sub(1).into_iter().collect(),
        marked_name: tr!("layer shown").into(),
        ..Default::default()
    }
}
