//! The charts of networks on traces of a machine.

use super::latest::{latest_metric, layer_metrics};
use super::probes::PARAMETERS;
use super::state::TracesState;
use super::texts;
use vivarium_core::language::translated;
use vivarium_model::tasks::machine_traces::charts;
use vivarium_plot::analysis::chains::MAX_LETTERED_LENGTH;
use vivarium_plot::analysis::curves::median_series;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading, Role, Series};
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::random::token_name;
use vivarium_science::machines::traces::WRITE_DISTANCES;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks, empty_lines};

/// Charts of the lab on traces of a Turing machine, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::FLOOR, |run| Reading::Lines(draw_loss(run)))
        .summary(texts::describe_loss)
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::CELLS, |run| Reading::Lines(draw_accuracy_by_cell(run)))
        .summary(|run| Some(texts::describe_accuracy_by_cell(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::BACK, |run| Reading::Bars(draw_accuracy_by_distance(run)))
        .summary(|run| Some(texts::describe_accuracy_by_distance(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only(),
    ChartSpec::new(charts::WRITES, |run| Reading::Lines(draw_write_attention(run)))
        .summary(|run| Some(texts::describe_write_attention(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only(),
    ChartSpec::new(charts::LONGER, |run| Reading::Lines(draw_longer_runs(run)))
        .summary(|run| Some(texts::describe_longer_runs(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only(),
    ChartSpec::new(charts::LOOKS, |run| {
        Reading::Grid(run.lab_state().map(|state| draw_attention(run, state)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .title(texts::attention_title)
    .summary(texts::describe_attention)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::HEADS, |run| {
        Reading::Bars(run.lab_state().map(draw_head_attention).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .summary(texts::describe_head_attention)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::PATH, |run| Reading::Lines(run.lab_state().map(draw_path).unwrap_or_default()))
        .probe(PARAMETERS)
        .summary(texts::describe_path)
        .depends_on(ChartDependency::Sequence),
];

/// Curve of a metric that only runs on traces have, as median over networks, against the training step; `name` is its
/// label.
fn metric_series(run: &RunView, name: &str, role: Role, metric: TraceMetric) -> Series {
    median_series(&run.history, name, role, ReplicaMeasure::TaskMeasure(metric as usize))
}

/// Draws the loss on training batches and held-out traces against the step, with the least possible loss as a
/// horizontal line.
fn draw_loss(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("loss (nats per token)"));
    lines.series = vec![
        median_series(&run.history, tr!("training batch"), Role::Train, ReplicaMeasure::TrainLoss),
        median_series(&run.history, tr!("held-out traces"), Role::Test, ReplicaMeasure::TestLoss),
    ];
    if let Some(state) = run.lab_state::<TracesState>() {
        lines.reference_lines.push((state.min_loss, tr!("least possible loss").into()));
    }
    add_step_marks(lines, run)
}

/// Line chart of curves between 0 and 1 (accuracies or attention weights) against the training step, on a linear y-axis
/// with the name `label`.
fn draw_fractions(run: &RunView, label: &str, series: Vec<Series>) -> LineChart {
    let mut lines = empty_lines(tr!("step"), label);
    lines.series = series;
    lines.y_range = Some((0.0, 1.02));
    let mut lines = add_step_marks(lines, run);
    lines.log_y = false;
    lines
}

/// Draws the accuracy of the predicted tape symbols against the step, on cells that the machine has not visited before
/// (new) and on cells that it has written.
fn draw_accuracy_by_cell(run: &RunView) -> LineChart {
    let series = vec![
        metric_series(run, tr!("new cells"), Role::Train, TraceMetric::NewCells),
        median_series(&run.history, tr!("written cells"), Role::Test, ReplicaMeasure::TestAccuracy),
    ];
    let mut lines = draw_fractions(run, tr!("accuracy"), series);
    lines.reference_lines.push((0.5, tr!("chance").into()));
    lines
}

/// Bars of the accuracy of the predicted symbols on written cells, by the number of steps since the cell was last
/// written.
fn draw_accuracy_by_distance(run: &RunView) -> BarChart {
    let first = TraceMetric::TwoBack as usize;
    let classes = TraceMetric::ALL[first..].iter().zip(WRITE_DISTANCES);
    let bar = |(of, (from, to)): (&TraceMetric, (usize, usize))| {
        let name = match to {
            usize::MAX => tr!("{from} or more", from),
            _ if from == to => from.to_string(),
            _ => tr!("{from} to {to}", from, to),
        };
        (name, latest_metric(run, *of))
    };
    BarChart {
        x_label: tr!("steps since the last write to the cell").into(),
        y_label: tr!("accuracy").into(),
        bars: classes.map(bar).collect(),
        ..Default::default()
    }
}

/// Draws the mean attention weight on the step that last wrote the predicted cell against the training step: one curve
/// for each layer, of the head where the weight is largest, over cells written four or more steps ago.
fn draw_write_attention(run: &RunView) -> LineChart {
    let roles = [Role::Train, Role::Test, Role::Relevant, Role::Other];
    let curve = |(of, role): (TraceMetric, Role)| {
        metric_series(run, translated(TraceMetric::OPTIONS[of as usize].label), role, of)
    };
    let mut lines =
        draw_fractions(run, tr!("share of attention"), layer_metrics(run).zip(roles).map(curve).collect());
    let even = latest_metric(run, TraceMetric::UniformAttention);
    if even.is_finite() {
        lines.reference_lines.push((f64::from(even), tr!("uniform attention").into()));
    }
    lines
}

/// Draws the accuracy of the predicted symbols on written cells against the training step, for traces of the length
/// used in training and for longer ones.
fn draw_longer_runs(run: &RunView) -> LineChart {
    let all = [
        (TraceMetric::RunTwice, Role::Train),
        (TraceMetric::RunFourTimes, Role::Relevant),
        (TraceMetric::RunEightTimes, Role::Other),
    ];
    let curve = |(of, role): (TraceMetric, Role)| {
        metric_series(run, translated(TraceMetric::OPTIONS[of as usize].label), role, of)
    };
    let mut series = vec![median_series(
        &run.history,
        tr!("run of the same length as in training"),
        Role::Test,
        ReplicaMeasure::TestAccuracy,
    )];
    series.extend(all.map(curve));
    draw_fractions(run, tr!("accuracy on written cells"), series)
}

/// Heat map of one head's attention on the inspected trace, query steps as rows; for each query the step that last
/// wrote the predicted cell is outlined.
fn draw_attention(run: &RunView, state: &TracesState) -> Heatmap {
    let (t, head) = (state.traces.length, state.selected_head(&run.link.view));
    let Some(head) = head.and_then(|head| state.attention.heads.get(head)) else { return Heatmap::default() };
    let names: Vec<String> = match t {
        ..=MAX_LETTERED_LENGTH => state.positions[..t].iter().map(|place| token_name(place.token)).collect(),
        _ => vec![],
    };
    // Attention is causal: later keys have no weight.
    let cell = |(at, share): (usize, &f64)| if at % t > at / t { f32::NAN } else { *share as f32 };
    Heatmap {
        x_label: tr!("key step (outlined: the last step that wrote to the cell of the predicted symbol)")
            .into(),
        y_label: tr!("query step").into(),
        rows: t,
        columns: t,
        values: head.shares.iter().enumerate().map(cell).collect(),
        row_names: names.clone(),
        column_names: names,
        outlines: state.writes_since(1).map(|(from, to)| (from..from + 1, to..to + 1)).collect(),
        ..Default::default()
    }
}

/// Bars of the mean attention weight of each head, in the inspected trace, on the step that last wrote the predicted
/// cell, over cells written four or more steps ago.
fn draw_head_attention(state: &TracesState) -> BarChart {
    let Some((means, even)) = state.mean_write_attention() else { return BarChart::default() };
    BarChart {
        x_label: tr!("head").into(),
        y_label: tr!("share of attention on the last write").into(),
        overlay: vec![even as f32; means.len()],
        overlay_name: tr!("uniform attention").into(),
        bars: state.head_names().into_iter().zip(means).map(|(name, mean)| (name, mean as f32)).collect(),
        ..Default::default()
    }
}

/// Draws the cell of the machine's head against the step of the inspected trace, with the wrongly predicted symbols
/// marked.
fn draw_path(state: &TracesState) -> LineChart {
    let wrong = state.wrong_positions();
    let dots = |name: &str, role: Role, is_new: bool| {
        let at: Vec<usize> =
            wrong.iter().copied().filter(|at| state.positions[*at].last_write.is_none() == is_new).collect();
        Series {
            name: name.into(),
            role,
            x: at.iter().map(|at| *at as f64).collect(),
            y: at.iter().map(|at| state.positions[*at].cell as f32).collect(),
            points: true,
            scatter: true,
            ..Default::default()
        }
    };
    let line = Series {
        name: tr!("cell under the head").into(),
        role: Role::Other,
        x: (0..state.positions.len()).map(|at| at as f64).collect(),
        y: state.positions.iter().map(|place| place.cell as f32).collect(),
        ..Default::default()
    };
    LineChart {
        x_label: tr!("step of the machine").into(),
        y_label: tr!("cell").into(),
        series: vec![
            line,
            dots(tr!("wrong prediction, new cell"), Role::Train, true),
            dots(tr!("wrong prediction, written cell"), Role::Relevant, false),
        ],
        ..Default::default()
    }
}
