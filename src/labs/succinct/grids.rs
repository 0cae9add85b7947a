//! The pictures of the lab: the table, the gradient and the cells, the cloud of rules and the chosen rule.

use super::panel::sentences;
use super::state::{OnTable, Searched, SuccinctState};
use super::words;
use vivarium_model::models::cell_rules::{SIDE, place};
use vivarium_plot::analysis::Grid;
use vivarium_science::succinct::grid::AutomatonCell;
use vivarium_science::succinct::search;

/// "x1", "x2", …, and last the label.
fn columns(state: &SuccinctState) -> Vec<String> {
    (1..=state.problem.inputs).map(|input| format!("x{input}")).chain([tr!("label").into()]).collect()
}

/// "1", "2", …, and last the dummy example.
fn rows(state: &SuccinctState) -> Vec<String> {
    let examples = state.problem.examples;
    (1..=examples).map(|example| example.to_string()).chain([tr!("dummy").into()]).collect()
}

/// W or its gradient.
fn of_table(state: &SuccinctState, values: &[f32]) -> Grid {
    let [rows_count, columns_count] = state.problem.table_size();
    Grid {
        x_label: tr!("inputs of the example, then its label").into(),
        y_label: tr!("example").into(),
        rows: rows_count,
        columns: columns_count,
        row_names: rows(state),
        column_names: columns(state),
        marked_rows: state.rows().checked_sub(1).into_iter().filter(|_| state.layers() == 0).collect(),
        values: values.to_vec(),
        texts: values.iter().map(|value| words::third(*value)).collect(),
        ..Default::default()
    }
}

/// The table W.
pub(super) fn table(state: &SuccinctState) -> Grid {
    state.on_table().map(|own| of_table(state, &own.table)).unwrap_or_default()
}

/// ∂loss/∂W in the newest step of SGD.
pub(super) fn gradient(state: &SuccinctState) -> Grid {
    let Some(own) = state.on_table() else { return Grid::default() };
    let mut grid = of_table(state, &own.gradient);
    grid.texts.clear();
    if state.rows() == 0 {
        grid.note = tr!("No step of SGD has been made yet.").into();
    }
    grid
}

/// How bright a cell is: a bit by its sign, a blank 0, another symbol between.
fn shade(own: &OnTable, cell: AutomatonCell) -> f32 {
    match own.program.symbol_name(cell.symbol) {
        '_' => 0.0,
        '+' => 0.6,
        '-' => -0.6,
        'U' => 0.3,
        'u' => -0.3,
        letter if letter.is_uppercase() => 1.0,
        letter if letter.is_lowercase() => -1.0,
        _ => 0.15,
    }
}

/// Columns of cells that are shown, unless the table has more.
const MOST_COLUMNS: usize = 64;

/// The cells after the newest layer, with the ring of padding.
pub(super) fn cells(state: &SuccinctState) -> Grid {
    let Some(own) = state.on_table() else { return Grid::default() };
    let [high, _] = state.problem.grid_size();
    // Columns of the working tape that the head has not been near are all the same.
    let used = |(at, cell): (usize, &AutomatonCell)| {
        (!cell.padding || cell.head.is_some()).then_some(at % own.columns.max(1))
    };
    let last = own.cells.iter().enumerate().filter_map(used).max().unwrap_or(0);
    let wide = own.columns.min((last + 1).clamp(own.block + 2, MOST_COLUMNS.max(own.block + 2)));
    let shown = || own.cells.chunks(own.columns.max(1)).flat_map(|row| row.iter().take(wide));
    let text = |cell: &AutomatonCell| {
        let symbol = match own.program.symbol_name(cell.symbol) {
            '_' => String::new(),
            symbol => symbol.to_string(),
        };
        match cell.head {
            Some(head) => format!("{symbol}\n{}", own.program.state_name(head)),
            None => symbol,
        }
    };
    let names = |count: usize, inner: Vec<String>| {
        let ring = || std::iter::once(tr!("border").to_string());
        ring().chain(inner).chain(ring()).take(count).collect::<Vec<String>>()
    };
    let mut named = names(own.block + 2, columns(state));
    named.extend((2..).take(wide - named.len()).map(|column: usize| column.to_string()));
    let mut grid = Grid {
        x_label: tr!("column").into(),
        y_label: tr!("row").into(),
        rows: high,
        columns: wide,
        row_names: names(high, rows(state)),
        column_names: named,
        values: shown().map(|cell| shade(own, *cell)).collect(),
        texts: shown().map(text).collect(),
        ..Default::default()
    };
    if let Some((row, column, _)) = own.head() {
        match column < wide {
            true => grid.outlines.push((row..row + 1, column..column + 1)),
            false => {
                let column = column - own.block;
                grid.note =
                    tr!("The head is in column {column} of the working tape, which is not shown.", column);
            }
        }
    }
    if state.layers() == 0 {
        grid.note = tr!("The program starts when the table is full.").into();
    }
    grid
}

/// Rules tried by validation accuracy (from bottom to top) and test accuracy.
pub(super) fn cloud(state: &SuccinctState) -> Grid {
    let Some(own) = state.searched() else { return Grid::default() };
    // Rows are drawn from the top, where the accuracy is 1.
    let from_top = |row: usize| SIDE - 1 - row;
    let share = |at: usize| format!("{:.2}", at as f64 / (SIDE - 1) as f64);
    let counts = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| from_top(row) * SIDE + column));
    let counts: Vec<f32> = counts.map(|at| own.cloud.get(at).copied().unwrap_or(0.0)).collect();
    let mut grid = Grid {
        x_label: tr!("accuracy on the test queries").into(),
        y_label: tr!("accuracy on the validation queries").into(),
        rows: SIDE,
        columns: SIDE,
        row_names: (0..SIDE).map(|row| share(from_top(row))).collect(),
        column_names: (0..SIDE).map(share).collect(),
        values: counts.iter().map(|count| (1.0 + count).log10()).collect(),
        ..Default::default()
    };
    match own.rule {
        None => grid.note = tr!("No rule has been tried yet.").into(),
        Some(_) => {
            let valid = place(words::validation(own));
            grid.outlines.push((from_top(valid)..from_top(valid) + 1, 0..SIDE));
        }
    }
    grid
}

/// The nine entries of the chosen rule.
pub(super) fn rule(own: &Searched) -> Grid {
    let name = |cell: search::CellValue| sentences::sign(cell).to_string();
    let all = || search::CellValue::ALL.into_iter();
    let mut grid = Grid {
        x_label: tr!("value of the cell above").into(),
        y_label: tr!("value of the cell").into(),
        rows: 3,
        columns: 3,
        row_names: all().map(name).collect(),
        column_names: all().map(name).collect(),
        values: vec![0.0; 9],
        ..Default::default()
    };
    match own.rule {
        None => grid.note = tr!("No rule has been tried yet.").into(),
        Some(rule) => {
            let entries = || all().flat_map(|cell| all().map(move |above| rule.apply(cell, above)));
            grid.values = entries().map(|cell| cell.value() as f32).collect();
            grid.texts = entries().map(name).collect();
        }
    }
    grid
}
