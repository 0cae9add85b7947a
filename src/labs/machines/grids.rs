//! Heat maps of the tokens, of the tape, of attention, and of a matrix.

use std::ops::Range;

use super::state::MachineState;
use vivarium_model::permalink::ViewSettings;
use vivarium_plot::analysis::Heatmap;
use vivarium_science::machines::{Affine, ResidualLayout, StepTrace, TokenGroup};

/// Maximum number of squares (rows times columns) in a heat map of tokens or of the tape; longer runs show the latest
/// steps.
const MAX_CELLS: usize = 1 << 16;

/// Maximum number of tape cells in the heat map of the tape, one per row.
const MAX_TAPE_ROWS: usize = 256;

/// Maximum number of columns of the attention heat map that get labels; with more columns none gets one.
const MAX_NAMED: usize = 512;

/// Machine steps, counted from 0 and ending with `step`, that a heat map with `rows` rows shows as columns: the latest
/// ones that fit `MAX_CELLS`.
fn shown_steps(rows: usize, step: usize) -> Range<usize> {
    let max_value = (MAX_CELLS / rows.max(1)).max(1);
    (step + 1).saturating_sub(max_value)..step + 1
}

/// Outlines of the groups of token coordinates (state, symbols, positions, flags) in a heat map of tokens with
/// `columns` columns, as (row range, column range).
fn group_outlines(layout: &ResidualLayout, columns: usize) -> Vec<(Range<usize>, Range<usize>)> {
    TokenGroup::ALL.iter().map(|group| (layout.group(*group), 0..columns)).collect()
}

/// Heat map of the tokens, `[coordinates of a token, steps]`, one column per machine step; the last column shows the
/// displayed step after the selected block.
pub(super) fn draw_tokens(state: &MachineState, view: &ViewSettings) -> Heatmap {
    let (layout, transformer) = (state.layout(), &state.transformer);
    let rows = layout.width();
    // Tokens that are not executed yet have no column.
    let last = state.step.min(transformer.steps());
    let steps = shown_steps(rows, last);
    let latest = state.trace.as_ref().filter(|trace| trace.step == last);
    let of_trace = latest.map(|trace| token_after_block(trace, state.shown_block(view)));
    let column = |step: usize| match of_trace {
        Some(token) if step == last => token,
        _ => transformer.output(step).unwrap_or(&[]),
    };
    let mut values = vec![0.0; rows * steps.len()];
    for (at, step) in steps.clone().enumerate() {
        for (row, number) in column(step).iter().enumerate() {
            values[row * steps.len() + at] = *number as f32;
        }
    }
    Heatmap {
        x_label: tr!("step").into(),
        y_label: tr!("coordinate of the token").into(),
        rows,
        columns: steps.len(),
        values,
        row_names: (0..rows).map(|row| layout.name(row)).collect(),
        outlines: group_outlines(layout, steps.len()),
        column_names: steps.map(|step| step.to_string()).collect(),
        ..Default::default()
    }
}

/// Residual vector of a step after block number `block`, from 1; with 0, the input of the first block.
pub(super) fn token_after_block(trace: &StepTrace, block: usize) -> &[f64] {
    match block.checked_sub(1).and_then(|at| trace.blocks.get(at)) {
        Some(stage) => &stage.residual,
        None => &trace.input_token,
    }
}

/// Heat map of the tape, `[tape cells, steps]`: the index of the symbol in each cell before each step, or −1 minus that
/// index in the cell of the head.
pub(super) fn draw_tape(state: &MachineState) -> Heatmap {
    let run = &state.run;
    let heads = [run.start].into_iter().chain(run.records.iter().map(|moment| moment.head));
    let min_value = heads.min().unwrap_or(0);
    // A long tape is cut to the cells around the head.
    let rows = (run.max_cell + 1 - min_value).min(MAX_TAPE_ROWS);
    let now = if state.step == 0 { run.start } else { run.records[state.step - 1].head };
    let first = now.saturating_sub(rows / 2).clamp(min_value, run.max_cell + 1 - rows);
    let steps = shown_steps(rows, state.step);
    let mut values = vec![0.0; rows * steps.len()];
    let mut tape = run.tape_after(steps.start);
    for (at, step) in steps.clone().enumerate() {
        let before = if step == 0 { run.start } else { run.records[step - 1].head };
        for (row, symbol) in tape[first..first + rows].iter().enumerate() {
            // The offset makes a head on a blank cell visible.
            let symbol = *symbol as f32;
            values[row * steps.len() + at] = if first + row == before { -1.0 - symbol } else { symbol };
        }
        if let Some(moment) = run.records.get(step) {
            tape[before] = moment.written;
        }
    }
    Heatmap {
        x_label: tr!("step").into(),
        y_label: tr!("cell").into(),
        rows,
        columns: steps.len(),
        values,
        row_names: (first..first + rows).map(|cell| cell.to_string()).collect(),
        column_names: steps.map(|step| step.to_string()).collect(),
        ..Default::default()
    }
}

/// Heat map of the attention weights of the displayed step: a row for each block with self-attention, and columns for
/// the null slot (a key without a token) and for each past token.
pub(super) fn draw_past_attention(state: &MachineState, view: &ViewSettings) -> Heatmap {
    let Some(trace) = &state.trace else { return Heatmap::default() };
    let traces: Vec<_> = trace
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(at, stage)| Some((at, stage.kind.name(), stage.self_attention.as_ref()?)))
        .collect();
    let columns = trace.step + 1;
    let mut values = Vec::with_capacity(traces.len() * columns);
    for (.., look) in &traces {
        values.push(look.null_weight as f32);
        values.extend(look.weights.iter().map(|weight| *weight as f32));
    }
    let chosen = state.shown_block(view).checked_sub(1);
    let names = || (1..columns).map(|step| step.to_string());
    Heatmap {
        x_label: tr!("past token (leftmost: null slot)").into(),
        y_label: tr!("block").into(),
        rows: traces.len(),
        columns,
        values,
        marked_rows: traces.iter().position(|(at, ..)| Some(*at) == chosen).into_iter().collect(),
        row_names: traces.iter().map(|(_, name, _)| name.clone()).collect(),
        column_names: match columns {
            ..=MAX_NAMED => [tr!("null").to_string()].into_iter().chain(names()).collect(),
            _ => vec![],
        },
        ..Default::default()
    }
}

/// Weight matrices of the transformer's block number `stage`, from 1, each with a name such as "own.query": query, key
/// and value of its attentions, then its ReLU layers; empty for 0.
pub(super) fn named_matrices(state: &MachineState, stage: usize) -> Vec<(String, &Affine)> {
    let Some(block) = stage.checked_sub(1).and_then(|at| state.transformer.construction().blocks().get(at))
    else {
        return vec![];
    };
    let mut all = vec![];
    for (name, attention) in [("own", &block.self_attention), ("input", &block.cross_attention)] {
        let Some(attention) = attention else { continue };
        all.push((format!("{name}.query"), &attention.query));
        all.push((format!("{name}.key"), &attention.key));
        all.push((format!("{name}.value"), &attention.value));
    }
    all.extend(block.layers.iter().enumerate().map(|(at, layer)| (format!("layers.{at}"), layer)));
    all
}

/// Weight matrix selected in the view, with its name; the view's `head` number counts the matrices of the selected
/// block from 1, and a larger number than their count selects the last one. If no block is selected, block 1 is meant.
pub(super) fn selected_matrix<'a>(
    state: &'a MachineState,
    view: &ViewSettings,
) -> Option<(String, &'a Affine)> {
    let mut all = named_matrices(state, state.shown_block(view).max(1));
    let at = view.head.saturating_sub(1).min(all.len().checked_sub(1)?);
    Some(all.swap_remove(at))
}

/// Heat map of the weight matrix selected in the view, output coordinates as rows.
pub(super) fn draw_matrix(state: &MachineState, view: &ViewSettings) -> Heatmap {
    let Some((_, matrix)) = selected_matrix(state, view) else { return Heatmap::default() };
    let (rows, columns, layout) = (matrix.rows(), matrix.columns(), state.layout());
    let named = |count: usize| match count == layout.width() {
        true => (0..count).map(|at| layout.name(at)).collect(),
        false => vec![],
    };
    Heatmap {
        x_label: tr!("input coordinate").into(),
        y_label: tr!("output coordinate").into(),
        rows,
        columns,
        values: matrix.dense().into_iter().map(|value| value as f32).collect(),
        row_names: named(rows),
        column_names: named(columns),
        ..Default::default()
    }
}
