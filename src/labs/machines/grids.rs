//! Pictures of the tokens, of the tape, of attention, and of a matrix.

use std::ops::Range;

use super::state::MachineState;
use vivarium_model::permalink::View;
use vivarium_plot::analysis::Grid;
use vivarium_science::machines::{Affine, ResidualLayout, StepTrace, TokenGroup};

/// Most cells of a picture of tokens or of the tape; of longer runs the newest steps.
const MOST_CELLS: usize = 1 << 16;

/// Most cells of the tape, one below the other.
const MOST_OF_TAPE: usize = 256;

/// Most rows and columns whose names are written.
const NAMED: usize = 512;

/// The steps that a picture with so many rows shows, from 0.
fn shown(rows: usize, step: usize) -> Range<usize> {
    let most = (MOST_CELLS / rows.max(1)).max(1);
    (step + 1).saturating_sub(most)..step + 1
}

/// The groups of coordinates, one below the other.
fn groups(layout: &ResidualLayout, columns: usize) -> Vec<(Range<usize>, Range<usize>)> {
    TokenGroup::ALL.iter().map(|group| (layout.group(*group), 0..columns)).collect()
}

/// A column for each token: the output of each step, and of the step that is shown what the chosen block makes of it.
pub(super) fn columns(state: &MachineState, view: &View) -> Grid {
    let (layout, transformer) = (state.layout(), &state.transformer);
    let rows = layout.width();
    // Tokens that are still to be executed have no column.
    let last = state.step.min(transformer.steps());
    let steps = shown(rows, last);
    let newest = state.trace.as_ref().filter(|trace| trace.step == last);
    let of_trace = newest.map(|trace| after(trace, state.stage(view)));
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
    Grid {
        x_label: tr!("step").into(),
        y_label: tr!("coordinate of the token").into(),
        rows,
        columns: steps.len(),
        values,
        row_names: (0..rows).map(|row| layout.name(row)).collect(),
        outlines: groups(layout, steps.len()),
        column_names: steps.map(|step| step.to_string()).collect(),
        ..Default::default()
    }
}

/// The token after block number `stage` of a step, from 1; before the first one for 0.
pub(super) fn after(trace: &StepTrace, stage: usize) -> &[f64] {
    match stage.checked_sub(1).and_then(|at| trace.blocks.get(at)) {
        Some(stage) => &stage.residual,
        None => &trace.input_token,
    }
}

/// A row for each cell, a column for each step: the symbol's number, and below 0 where the head is.
pub(super) fn tape(state: &MachineState) -> Grid {
    let run = &state.run;
    let heads = [run.start].into_iter().chain(run.records.iter().map(|moment| moment.head));
    let least = heads.min().unwrap_or(0);
    // Of a long tape, the cells around the head.
    let rows = (run.max_cell + 1 - least).min(MOST_OF_TAPE);
    let now = if state.step == 0 { run.start } else { run.records[state.step - 1].head };
    let first = now.saturating_sub(rows / 2).clamp(least, run.max_cell + 1 - rows);
    let steps = shown(rows, state.step);
    let mut values = vec![0.0; rows * steps.len()];
    let mut tape = run.tape_after(steps.start);
    for (at, step) in steps.clone().enumerate() {
        let before = if step == 0 { run.start } else { run.records[step - 1].head };
        for (row, symbol) in tape[first..first + rows].iter().enumerate() {
            // So that a head on a blank is seen as well.
            let symbol = *symbol as f32;
            values[row * steps.len() + at] = if first + row == before { -1.0 - symbol } else { symbol };
        }
        if let Some(moment) = run.records.get(step) {
            tape[before] = moment.written;
        }
    }
    Grid {
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

/// A row for each block that attends to past tokens, a column for the null slot and one for each token.
pub(super) fn recall(state: &MachineState, view: &View) -> Grid {
    let Some(trace) = &state.trace else { return Grid::default() };
    let looks: Vec<_> = trace
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(at, stage)| Some((at, stage.kind.name(), stage.self_attention.as_ref()?)))
        .collect();
    let columns = trace.step + 1;
    let mut values = Vec::with_capacity(looks.len() * columns);
    for (.., look) in &looks {
        values.push(look.null_weight as f32);
        values.extend(look.weights.iter().map(|weight| *weight as f32));
    }
    let chosen = state.stage(view).checked_sub(1);
    let names = || (1..columns).map(|step| step.to_string());
    Grid {
        x_label: tr!("past token (leftmost: null slot)").into(),
        y_label: tr!("block").into(),
        rows: looks.len(),
        columns,
        values,
        marked_rows: looks.iter().position(|(at, ..)| Some(*at) == chosen).into_iter().collect(),
        row_names: looks.iter().map(|(_, name, _)| name.clone()).collect(),
        column_names: match columns {
            ..=NAMED => [tr!("null").to_string()].into_iter().chain(names()).collect(),
            _ => vec![],
        },
        ..Default::default()
    }
}

/// The matrices of a block by their names.
pub(super) fn matrices(state: &MachineState, stage: usize) -> Vec<(String, &Affine)> {
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

/// The matrix that the view shows: the block's first one, or a later one by the number of the head.
pub(super) fn chosen<'a>(state: &'a MachineState, view: &View) -> Option<(String, &'a Affine)> {
    let mut all = matrices(state, state.stage(view).max(1));
    let at = view.head.saturating_sub(1).min(all.len().checked_sub(1)?);
    Some(all.swap_remove(at))
}

/// That matrix, row by row.
pub(super) fn matrix(state: &MachineState, view: &View) -> Grid {
    let Some((_, matrix)) = chosen(state, view) else { return Grid::default() };
    let (rows, columns, layout) = (matrix.rows(), matrix.columns(), state.layout());
    let named = |count: usize| match count == layout.width() {
        true => (0..count).map(|at| layout.name(at)).collect(),
        false => vec![],
    };
    Grid {
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
