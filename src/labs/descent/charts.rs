//! The charts of transformers that perform gradient descent: losses and distances over the steps, and the layer that is
//! shown.

use std::ops::Range;

use super::state::DescentState;
use super::sweeps::{self, is_sweep_over};
use super::texts;
use super::weights::PARAMETERS;
use vivarium_model::tasks::TaskData;
use vivarium_model::tasks::in_context_regression::charts;
use vivarium_plot::analysis::curves::median_series;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading, Role, Series};
use vivarium_science::descent::{ComparisonMeasure, LayerKind, TargetKind};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{
    ChartDependency, ChartSpec, add_step_marks, empty_lines, last_solved_step, target_mark,
};

/// Maximum number of tokens of the prompt for which the columns of the attention map are labelled; with more tokens,
/// the columns have no labels.
const MAX_NAMED_TOKENS: usize = 64;
/// Maximum number of cells (tokens times coordinates) in the heat map of tokens; of longer prompts it shows only the
/// tokens around the selected one.
const MAX_CELLS: usize = 1 << 18;
/// Number of x values at which the chart of the learned function draws the target function and the two trained
/// networks.
const CURVE_POINTS: usize = 160;

/// All charts of the lab of gradient descent in tokens, beyond those that all labs share.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::BOTH, |run| Reading::Lines(draw_losses(run)))
        .summary(|run| Some(texts::describe_losses(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::APART, |run| Reading::Lines(draw_distances(run)))
        .summary(|run| Some(texts::describe_distances(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::TOKENS, |run| Reading::Grid(run.lab_state().map(draw_tokens).unwrap_or_default()))
        .probe(PARAMETERS)
        .title(|run| Some(texts::tokens_title(run.lab_state()?)))
        .summary(texts::describe_tokens)
        .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::ACTING, |run| {
        Reading::Grid(run.lab_state().map(|state| draw_attention(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(|run| texts::attention_title(run.lab_state()?, &run.link.view))
    .summary(texts::describe_attention)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::FITTED, |run| {
        Reading::Lines(run.lab_state().map(draw_function).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| match run.spec().task.data() {
        TaskData::Fit(draw) if draw.dim == 1 => Ok(()),
        _ => Err(tr!("A function of more than one input number cannot be plotted as a curve.").into()),
    })
    .summary(texts::describe_function)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::HEADS, |run| {
        Reading::Bars(run.lab_state().map(draw_layer_sizes).unwrap_or_default())
    })
    .summary(texts::describe_layer_sizes)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::KNOTS, |run| Reading::Lines(sweeps::draw_by_knots(run)))
        .applies(|run| match is_sweep_over(run, "knots") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the number M of straight lines.").into()),
        })
        .summary(|run| Some(texts::describe_sweep(run, "M")))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::BAND, |run| Reading::Lines(sweeps::draw_by_band(run)))
        .applies(|run| match is_sweep_over(run, "delta") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the width δ of the band of the ReLU.").into()),
        })
        .summary(|run| Some(texts::describe_sweep(run, "δ")))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
];

/// The curve over the steps of descent of a comparison of descent in tokens with direct gradient descent: the median
/// over replicas, with the band over replicas.
fn measure_series(run: &RunView, name: &str, role: Role, measure: ComparisonMeasure) -> Series {
    median_series(&run.history, name, role, ReplicaMeasure::TaskMeasure(measure as usize))
}

/// Three curves over the steps of descent: the loss with the network's weights stored in the tokens, with the weights
/// of direct gradient descent, and with those of direct gradient descent in single precision.
fn draw_losses(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("loss L_n"));
    // The last curve is on top; where all agree, the wider ones below it stay visible as its border.
    let single = measure_series(
        run,
        tr!("direct gradient descent, single precision"),
        Role::Other,
        ComparisonMeasure::SingleLoss,
    );
    let direct =
        median_series(&run.history, tr!("direct gradient descent"), Role::Train, ReplicaMeasure::TestLoss);
    lines.series = vec![
        Series { covering_curves: 2, ..single },
        Series { covering_curves: 1, ..direct },
        median_series(&run.history, tr!("weights in the tokens"), Role::Test, ReplicaMeasure::TrainLoss),
    ];
    lines.marks.extend(last_solved_step(run).map(target_mark(run)));
    add_step_marks(lines, run)
}

/// Curves over the steps of descent of two distances from the weights of direct gradient descent: to the weights in the
/// tokens, with two upper bounds on it (that of corollary 1.1 of Wu, Su, Hu, Song and Liu 2024, and a recursion over
/// the steps), and to the weights of direct descent in single precision.
fn draw_distances(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("distance from direct gradient descent"));
    // Bounds are cut off at the end of the axis. Their bands over replicas would span powers of ten and are left out.
    let bound = |name: &str, role: Role, of: ComparisonMeasure| Series {
        band: vec![],
        is_clipped: true,
        ..measure_series(run, name, role, of)
    };
    lines.series = vec![
        bound(tr!("bound of corollary 1.1"), Role::Other, ComparisonMeasure::Corollary),
        bound(tr!("bound computed step by step"), Role::Relevant, ComparisonMeasure::Recursion),
        measure_series(
            run,
            tr!("direct gradient descent, single precision"),
            Role::Train,
            ComparisonMeasure::SingleDistance,
        ),
        measure_series(run, tr!("weights in the tokens"), Role::Test, ComparisonMeasure::Distance),
    ];
    let mut lines = add_step_marks(lines, run);
    // Distances span fifteen powers of ten, from rounding errors to visible differences of the loss; bounds may be
    // infinite.
    lines.log_y = true;
    lines.y_range = Some(distance_range(&lines.series[2..]));
    lines
}

/// The y range (lower end, upper end), on a logarithmic axis, of the chart of these curves of distances between
/// weights; it extends to 1,000 times the largest distance, so that the curves of the upper bounds have room.
fn distance_range(series: &[Series]) -> (f64, f64) {
    let all = || series.iter().flat_map(|series| &series.y).map(|y| f64::from(*y)).filter(|y| *y > 0.0);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if low > high { (1e-16, 1.0) } else { (0.3 * low.max(1e-18), 1e3 * high) }
}

/// Indices, from 0, of the tokens that the heat map of tokens shows: all, or in a long prompt those around the selected
/// one.
fn shown_tokens(state: &DescentState) -> Range<usize> {
    let (count, wide) = (state.trace.after.token_count(), state.trace.after.dimension().max(1));
    let rows = (MAX_CELLS / wide).clamp(1, count.max(1));
    let first = state.trace.token_index.saturating_sub(rows / 2).min(count - rows.min(count));
    first..(first + rows).min(count)
}

/// The name in the charts of the token with index `token`, from 0: its number from 1, or "query" for the last one.
fn token_name(state: &DescentState, token: usize) -> String {
    if token == state.examples.len() { tr!("query").into() } else { (token + 1).to_string() }
}

/// Heat map of the tokens after the transformer layer selected in the view, `[tokens, coordinates]`; the blocks of
/// coordinates that this layer reads and writes are outlined.
fn draw_tokens(state: &DescentState) -> Heatmap {
    let (trace, layout, shown) = (&state.trace, state.layout(), shown_tokens(state));
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
    Heatmap {
        x_label: tr!("numbers of a token: x | y | w | p | r′ | g | s | 1 | t").into(),
        y_label: tr!("token").into(),
        rows: shown.len(),
        columns,
        values,
        marked_rows: vec![trace.token_index - shown.start],
        row_names: shown.map(|token| token_name(state, token)).collect(),
        column_names: state.coordinate_names.clone(),
        outlines,
        ..Default::default()
    }
}

/// Heat map of the attention weights of the head and layer selected in the view, `[query tokens, key tokens]`; empty if
/// the layer has no heads or the prompt has too many tokens.
fn draw_attention(run: &RunView, state: &DescentState) -> Heatmap {
    let (trace, count) = (&state.trace, state.trace.before.token_count());
    let Some(values) = state.attention_weights(&run.link.view) else {
        let has_no_heads = trace.shown_layer(&state.transformer).is_some_and(|layer| layer.head_count() == 0);
        let note = if has_no_heads { tr!("an MLP layer has no attention").into() } else { String::new() };
        return Heatmap { note, ..Default::default() };
    };
    let names: Vec<String> = (0..count).map(|token| token_name(state, token)).collect();
    Heatmap {
        x_label: tr!("key token s").into(),
        y_label: tr!("query token i").into(),
        note: if texts::is_zero(&values) { texts::zero_attention_note().into() } else { String::new() },
        rows: count,
        columns: count,
        values: values.into_iter().map(|value| value as f32).collect(),
        marked_rows: vec![trace.token_index],
        column_names: if count <= MAX_NAMED_TOKENS { names.clone() } else { vec![] },
        row_names: names,
        ..Default::default()
    }
}

/// Curves over x of the target function, of the network stored in the tokens and of the network trained by direct
/// gradient descent, with the prompt's examples and the network's output at the query as points.
fn draw_function(state: &DescentState) -> LineChart {
    let (examples, network) = (&state.examples, &state.plan.network);
    let points: Vec<(f64, f64)> =
        (0..examples.len()).map(|i| (examples.input(i)[0], examples.label(i)[0])).collect();
    let query = examples.input(examples.len());
    let known = points.iter().map(|(x, _)| *x).chain([query[0]]);
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    let room = (0.05 * (high - low)).max(0.01);
    let (low, high) = (low - room, high + room);
    let x: Vec<f64> =
        (0..CURVE_POINTS).map(|i| low + (high - low) * i as f64 / (CURVE_POINTS - 1) as f64).collect();
    // An input may end with the constant 1.
    let input = |x: f64| [&[x][..], &query[1..]].concat();
    let curve = |name: &str, role: Role, of: &dyn Fn(&[f64]) -> Option<f64>| {
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
    if state.prompts.function != TargetKind::Points {
        series.push(curve(tr!("function"), Role::Other, &|x| state.target.evaluate(x)));
    }
    let direct = curve(tr!("direct gradient descent"), Role::Train, &|x| answer(&state.comparison.direct, x));
    series.push(Series { covering_curves: 1, ..direct });
    series.push(curve(tr!("network stored in the tokens"), Role::Test, &|x| {
        answer(&state.comparison.tokens, x)
    }));
    series.push(dots(tr!("examples"), Role::Relevant, &points));
    let at_query = answer(&state.comparison.tokens, query).map(|y| (query[0], y));
    series.push(dots(tr!("output at the query"), Role::Test, &at_query.into_iter().collect::<Vec<_>>()));
    LineChart {
        x_label: tr!("input x").into(),
        y_label: tr!("output").into(),
        x_range: Some((low, high)),
        series,
        ..Default::default()
    }
}

/// Bars of the size of each layer of the transformer: the number of its heads, or of the hidden units of its MLP. The
/// layer selected in the view is marked.
fn draw_layer_sizes(state: &DescentState) -> BarChart {
    let layers = state.transformer.layers().iter();
    let bar = |(at, layer): (usize, &vivarium_science::descent::DescentLayer)| {
        let size =
            if layer.kind() == LayerKind::Feedforward { layer.unit_count() } else { layer.head_count() };
        (format!("{} {}", at + 1, layer.phase.name()), size as f32)
    };
    BarChart {
        x_label: tr!("layer").into(),
        y_label: tr!("number of heads, or of hidden units in an MLP").into(),
        bars: layers.enumerate().map(bar).collect(),
        marked: state.trace.layer.checked_sub(1).into_iter().collect(),
        marked_name: tr!("layer shown").into(),
        ..Default::default()
    }
}
