//! Sentences about runs on traces, and about their charts.

use super::latest::{latest_metric, layer_metrics};
use super::state::TracesState;
use vivarium_core::language::translated;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::traces::StateControl;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, format_decimal, format_percent, join_list};

/// Names of the four metrics of a measurement: loss on training traces and on held-out traces, accuracy in training,
/// and accuracy on cells that the machine has written.
pub fn metric_names() -> [String; 4] {
    [
        tr!("Loss, training"),
        tr!("Loss, held-out traces"),
        tr!("Accuracy, training"),
        tr!("Accuracy, written cells"),
    ]
    .map(String::from)
}

/// Formats a loss or an attention weight as a decimal number, or as a dash if it is not finite.
fn decimal_or_missing(value: f32) -> String {
    if value.is_finite() { format_decimal(value) } else { MISSING.into() }
}

/// Formats an accuracy from 0 to 1 as a percentage, or as a dash if it is not finite.
fn percent_or_missing(value: f32) -> String {
    if value.is_finite() { format_percent(value) } else { MISSING.into() }
}

/// Two readouts (label, value): the loss above the least possible loss, and the mean attention weight on the step that
/// last wrote the predicted cell, of the layer where it is largest.
pub fn readouts(run: &RunView) -> [(String, String); 2] {
    let max_value = layer_metrics(run).map(|of| latest_metric(run, of)).fold(f32::NAN, f32::max);
    [
        (
            tr!("Loss above the least possible loss").into(),
            decimal_or_missing(latest_metric(run, TraceMetric::Excess)),
        ),
        (tr!("Attention on the last write").into(), decimal_or_missing(max_value)),
    ]
}

/// Loss above the least possible loss, for the status line; `None` before the first measurement.
pub fn describe_progress(run: &RunView) -> Option<String> {
    let excess = latest_metric(run, TraceMetric::Excess);
    excess.is_finite().then(|| {
        tr!(
            "the loss is {excess} nats above the least possible loss; {share} of the predicted symbols on written cells are right",
            excess = format_decimal(excess),
            share = percent_or_missing(run.history.latest_median(ReplicaMeasure::TestAccuracy))
        )
    })
}

/// Summary of the chart of the loss on training and held-out traces, with the least possible loss.
pub(super) fn describe_loss(run: &RunView) -> Option<String> {
    let state: &TracesState = run.lab_state()?;
    Some(tr!(
        "Loss on held-out traces: {loss} nats per token; the least possible loss is {least}.",
        loss = decimal_or_missing(run.history.latest_median(ReplicaMeasure::TestLoss)),
        least = format_decimal(state.min_loss as f32)
    ))
}

/// Summary of the chart of accuracy on cells that are new to the machine and on cells that it has written.
pub(super) fn describe_accuracy_by_cell(run: &RunView) -> String {
    tr!(
        "Share of right predictions: {written} on written cells, and {new} on new cells. On a new cell every prediction is right with probability 1/2.",
        written = percent_or_missing(run.history.latest_median(ReplicaMeasure::TestAccuracy)),
        new = percent_or_missing(latest_metric(run, TraceMetric::NewCells))
    )
}

/// Latest medians over networks of the accuracies `metrics`, as a list in words: "80 % for “2 steps back”".
fn list_metrics(run: &RunView, metrics: &[TraceMetric]) -> String {
    let one = |of: &TraceMetric| {
        let name = translated(TraceMetric::OPTIONS[*of as usize].label);
        tr!("{share} for “{name}”", share = percent_or_missing(latest_metric(run, *of)), name)
    };
    join_list(&metrics.iter().map(one).collect::<Vec<_>>())
}

/// Summary of the chart of accuracy by the number of steps since the predicted cell was last written.
pub(super) fn describe_accuracy_by_distance(run: &RunView) -> String {
    let classes = &TraceMetric::ALL[TraceMetric::TwoBack as usize..=TraceMetric::FartherBack as usize];
    tr!("Share of right predictions on written cells: {all}.", all = list_metrics(run, classes))
}

/// Summary of the chart of attention on the step that last wrote the predicted cell, by layer.
pub(super) fn describe_write_attention(run: &RunView) -> String {
    let all: Vec<TraceMetric> = layer_metrics(run).collect();
    tr!(
        "Share of attention on the step that last wrote to the cell, if this step was four or more steps ago: {all}. With uniform attention this share is {even}.",
        all = list_metrics(run, &all),
        even = percent_or_missing(latest_metric(run, TraceMetric::UniformAttention))
    )
}

/// Summary of the chart of accuracy on traces that are longer than in training.
pub(super) fn describe_longer_runs(run: &RunView) -> String {
    tr!(
        "Share of right predictions on written cells: {trained} for sequences of the same length as in training, {all}.",
        trained = percent_or_missing(run.history.latest_median(ReplicaMeasure::TestAccuracy)),
        all = list_metrics(
            run,
            &[TraceMetric::RunTwice, TraceMetric::RunFourTimes, TraceMetric::RunEightTimes]
        )
    )
}

/// Title of the attention map of a trace, with the name of the selected head; `None` until the network is evaluated.
pub fn attention_title(run: &RunView) -> Option<String> {
    let state: &TracesState = run.lab_state()?;
    let name = state.head_names().into_iter().nth(state.selected_head(&run.link.view)?)?;
    Some(tr!("Attention on a trace, head {name}", name))
}

/// Summary of the map of one head's attention on the inspected trace.
pub(super) fn describe_attention(run: &RunView) -> Option<String> {
    let state: &TracesState = run.lab_state()?;
    let head = state.selected_head(&run.link.view)?;
    let (means, even) = state.mean_write_attention()?;
    Some(tr!(
        "Held-out trace {number}: if the last write to the cell was four or more steps ago, head {name} has on average {share} of its attention on this write. With uniform attention this share is {even}.",
        number = state.example,
        name = state.head_names().into_iter().nth(head)?,
        share = format_percent(*means.get(head)? as f32),
        even = format_percent(even as f32)
    ))
}

/// Summary of the chart of each head's attention on the step that last wrote the predicted cell.
pub(super) fn describe_head_attention(run: &RunView) -> Option<String> {
    let state: &TracesState = run.lab_state()?;
    let (means, even) = state.mean_write_attention()?;
    let one = |(name, mean): (String, f64)| {
        tr!("{share} in head {name}", share = format_percent(mean as f32), name)
    };
    let all: Vec<String> = state.head_names().into_iter().zip(means).map(one).collect();
    Some(tr!(
        "Share of attention on the step that last wrote to the cell, if this step was four or more steps ago: {all}. With uniform attention this share is {even}.",
        all = join_list(&all),
        even = format_percent(even as f32)
    ))
}

/// Summary of the chart of the cells that the machine visits in the inspected trace.
pub(super) fn describe_path(run: &RunView) -> Option<String> {
    Some(describe_errors(run.lab_state()?))
}

/// Sentence on the number of wrongly predicted symbols in the inspected trace.
pub fn describe_errors(state: &TracesState) -> String {
    if state.attention.logits.is_empty() {
        return tr!("This trace has not been evaluated yet.").into();
    }
    let wrong = state.wrong_positions();
    let written = wrong.iter().filter(|at| state.positions[**at].last_write.is_some()).count();
    let all = state.writes_since(1).count();
    tr!(
        "Held-out trace {number}: {wrong} of {all} predictions about written cells are wrong, and {new} of {others} predictions about new cells are wrong.",
        number = state.example,
        wrong = written,
        all,
        new = wrong.len() - written,
        others = state.traces.length - all
    )
}

/// Sentence on which held-out trace the panel shows, and the cells that the machine's head visits in it.
pub fn describe_origin(state: &TracesState) -> String {
    let cells = state.positions.iter().map(|place| place.cell);
    let range = cells.fold((0, 0), |(low, high), cell| (cell.min(low), cell.max(high)));
    let [low, high] = [range.0, range.1].map(|cell| cell.to_string().replace('-', "−"));
    tr!(
        "Held-out trace {number}: the machine's head visits cells {low} to {high}.",
        number = state.example,
        low,
        high
    )
}

/// Sentences on why every predictor has a positive loss on these traces, with the least possible loss in nats per
/// token.
pub fn describe_min_loss(state: &TracesState) -> String {
    let least = format_decimal(state.min_loss as f32);
    match state.traces.control {
        StateControl::Table => tr!(
            "When the machine's head comes to a new cell, the symbol is 0 or 1 with probability 1/2 each. So no predictor has an expected loss below {least} nats per token.",
            least
        ),
        StateControl::Random => tr!(
            "The next state is random. When the machine's head comes to a new cell, the symbol is 0 or 1 with probability 1/2 each. So no predictor has an expected loss below {least} nats per token.",
            least
        ),
    }
}

/// Heading of the table of the machine's rules, which names its columns.
pub fn rule_table_heading(state: &TracesState) -> &'static str {
    match state.traces.control {
        StateControl::Table => tr!("State, symbol read → symbol written, move, next state:"),
        StateControl::Random => tr!("State → symbol written, move (the next state is random):"),
    }
}
