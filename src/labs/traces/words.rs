//! What is said of runs on traces, and of their charts.

use super::newest::{layers, newest};
use super::state::TracesState;
use vivarium_core::language::translated;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::traces::StateControl;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, decimal, list, percent};

/// What the four numbers of a measurement are called.
pub fn names() -> [String; 4] {
    [
        tr!("Loss, training"),
        tr!("Loss, held-out traces"),
        tr!("Accuracy, training"),
        tr!("Accuracy, written cells"),
    ]
    .map(String::from)
}

/// A number, or a dash where there is none.
fn known(value: f32) -> String {
    if value.is_finite() { decimal(value) } else { MISSING.into() }
}

/// The same as a percentage.
fn share(value: f32) -> String {
    if value.is_finite() { percent(value) } else { MISSING.into() }
}

/// The newest median of a number.
fn middle(run: &RunView, of: Of) -> f32 {
    let values = run.history.last().map(|row| of.values(row));
    values.filter(|values| !values.is_empty()).map_or(f32::NAN, |values| spread(values).0)
}

/// The loss above the least, and the attention on the write of the layer that has the most.
pub fn numbers(run: &RunView) -> [(String, String); 2] {
    let most = layers(run).map(|of| newest(run, of)).fold(f32::NAN, f32::max);
    [
        (tr!("Loss above the least possible loss").into(), known(newest(run, TraceMetric::Excess))),
        (tr!("Attention on the last write").into(), known(most)),
    ]
}

/// How far the loss is from the least, for the status line.
pub fn learning(run: &RunView) -> Option<String> {
    let excess = newest(run, TraceMetric::Excess);
    excess.is_finite().then(|| {
        tr!(
            "the loss is {excess} nats above the least possible loss; {share} of the predicted symbols on written cells are right",
            excess = decimal(excess),
            share = share(middle(run, Of::TestAccuracy))
        )
    })
}

pub(super) fn floor(run: &RunView) -> Option<String> {
    let state: &TracesState = run.state()?;
    Some(tr!(
        "Loss on held-out traces: {loss} nats per token; the least possible loss is {least}.",
        loss = known(middle(run, Of::TestLoss)),
        least = decimal(state.least as f32)
    ))
}

pub(super) fn cells(run: &RunView) -> String {
    tr!(
        "Share of right predictions: {written} on written cells, and {new} on new cells. On a new cell every prediction is right with probability 1/2.",
        written = share(middle(run, Of::TestAccuracy)),
        new = share(newest(run, TraceMetric::NewCells))
    )
}

/// "80 % at 2 steps back", of these measures.
fn each(run: &RunView, all: &[TraceMetric]) -> String {
    let one = |of: &TraceMetric| {
        let name = translated(TraceMetric::OPTIONS[*of as usize].label);
        tr!("{share} for “{name}”", share = share(newest(run, *of)), name)
    };
    list(&all.iter().map(one).collect::<Vec<_>>())
}

pub(super) fn back(run: &RunView) -> String {
    let classes = &TraceMetric::ALL[TraceMetric::TwoBack as usize..=TraceMetric::FartherBack as usize];
    tr!("Share of right predictions on written cells: {all}.", all = each(run, classes))
}

pub(super) fn writes(run: &RunView) -> String {
    let all: Vec<TraceMetric> = layers(run).collect();
    tr!(
        "Share of attention on the step that last wrote to the cell, if this step was four or more steps ago: {all}. With uniform attention this share is {even}.",
        all = each(run, &all),
        even = share(newest(run, TraceMetric::UniformAttention))
    )
}

pub(super) fn longer(run: &RunView) -> String {
    tr!(
        "Share of right predictions on written cells: {trained} for sequences of the same length as in training, {all}.",
        trained = share(middle(run, Of::TestAccuracy)),
        all = each(run, &[TraceMetric::RunTwice, TraceMetric::RunFourTimes, TraceMetric::RunEightTimes])
    )
}

/// The title of the attention on a trace, with the head that is drawn.
pub fn looks_title(run: &RunView) -> Option<String> {
    let state: &TracesState = run.state()?;
    let name = state.head_names().into_iter().nth(state.head(&run.link.view)?)?;
    Some(tr!("Attention on a trace, head {name}", name))
}

pub(super) fn looks(run: &RunView) -> Option<String> {
    let state: &TracesState = run.state()?;
    let head = state.head(&run.link.view)?;
    let (means, even) = state.on_writes()?;
    Some(tr!(
        "Held-out trace {number}: if the last write to the cell was four or more steps ago, head {name} has on average {share} of its attention on this write. With uniform attention this share is {even}.",
        number = state.example,
        name = state.head_names().into_iter().nth(head)?,
        share = percent(*means.get(head)? as f32),
        even = percent(even as f32)
    ))
}

pub(super) fn heads(run: &RunView) -> Option<String> {
    let state: &TracesState = run.state()?;
    let (means, even) = state.on_writes()?;
    let one = |(name, mean): (String, f64)| tr!("{share} in head {name}", share = percent(mean as f32), name);
    let all: Vec<String> = state.head_names().into_iter().zip(means).map(one).collect();
    Some(tr!(
        "Share of attention on the step that last wrote to the cell, if this step was four or more steps ago: {all}. With uniform attention this share is {even}.",
        all = list(&all),
        even = percent(even as f32)
    ))
}

pub(super) fn path(run: &RunView) -> Option<String> {
    Some(answer(run.state()?))
}

/// How often the network is wrong on the trace that is looked into.
pub fn answer(state: &TracesState) -> String {
    if state.look.logits.is_empty() {
        return tr!("This trace has not been evaluated yet.").into();
    }
    let wrong = state.wrong();
    let written = wrong.iter().filter(|at| state.places[**at].last_write.is_some()).count();
    let all = state.writes(1).count();
    tr!(
        "Held-out trace {number}: {wrong} of {all} predictions about written cells are wrong, and {new} of {others} predictions about new cells are wrong.",
        number = state.example,
        wrong = written,
        all,
        new = wrong.len() - written,
        others = state.traces.length - all
    )
}

/// Which held-out trace the panel shows, and the cells that the machine's head visits in it.
pub fn origin(state: &TracesState) -> String {
    let cells = state.places.iter().map(|place| place.cell);
    let range = cells.fold((0, 0), |(low, high), cell| (cell.min(low), cell.max(high)));
    let [low, high] = [range.0, range.1].map(|cell| cell.to_string().replace('-', "−"));
    tr!(
        "Held-out trace {number}: the machine's head visits cells {low} to {high}.",
        number = state.example,
        low,
        high
    )
}

/// Why every predictor has a positive loss on these traces, with the smallest expected loss in nats per token.
pub fn least(state: &TracesState) -> String {
    let least = decimal(state.least as f32);
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

/// The heading of the table of the machine's rules.
pub fn rules(state: &TracesState) -> &'static str {
    match state.traces.control {
        StateControl::Table => tr!("State, symbol read → symbol written, move, next state:"),
        StateControl::Random => tr!("State → symbol written, move (the next state is random):"),
    }
}
