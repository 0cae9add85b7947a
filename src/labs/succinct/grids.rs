//! Heat maps of the lab: the table, its gradient, the cells, the accuracies of all rules, and the chosen rule.

use super::panel::sentences;
use super::state::{ProgramState, SearchState, SuccinctState};
use super::texts;
use vivarium_model::models::cell_rules::{SIDE, place};
use vivarium_plot::analysis::Heatmap;
use vivarium_science::succinct::grid::AutomatonCell;
use vivarium_science::succinct::search;

/// Column names of the table of stored examples: "x1", "x2", …, and the label.
fn column_names(state: &SuccinctState) -> Vec<String> {
    (1..=state.problem.inputs).map(|input| format!("x{input}")).chain([tr!("label").into()]).collect()
}

/// Row names of the table of stored examples: "1", "2", …, and the dummy example that ends the table.
fn row_names(state: &SuccinctState) -> Vec<String> {
    let examples = state.problem.examples;
    (1..=examples).map(|example| example.to_string()).chain([tr!("dummy").into()]).collect()
}

/// Heat map of `values` with the shape of the table of stored examples, `[m + 1, d + 1]`, for m examples of d inputs.
fn table_grid(state: &SuccinctState, values: &[f32]) -> Heatmap {
    let [rows_count, columns_count] = state.problem.table_size();
    Heatmap {
        x_label: tr!("inputs of the example, then its label").into(),
        y_label: tr!("example").into(),
        rows: rows_count,
        columns: columns_count,
        row_names: row_names(state),
        column_names: column_names(state),
        marked_rows: state
            .rows_written()
            .checked_sub(1)
            .into_iter()
            .filter(|_| state.layers_applied() == 0)
            .collect(),
        values: values.to_vec(),
        texts: values.iter().map(|value| texts::format_third(*value)).collect(),
        ..Default::default()
    }
}

/// Heat map of the table W, the weights in which SGD stores the examples.
pub(super) fn draw_table(state: &SuccinctState) -> Heatmap {
    state.program_state().map(|own| table_grid(state, &own.table)).unwrap_or_default()
}

/// Heat map of the gradient ∂loss/∂W in the latest step of SGD, where W is the table of stored examples.
pub(super) fn draw_gradient(state: &SuccinctState) -> Heatmap {
    let Some(own) = state.program_state() else { return Heatmap::default() };
    let mut grid = table_grid(state, &own.gradient);
    grid.texts.clear();
    if state.rows_written() == 0 {
        grid.note = tr!("No step of SGD has been made yet.").into();
    }
    grid
}

/// Brightness from −1 to 1 at which a cell of the automaton is drawn: a bit by its sign, 0 for a blank, intermediate
/// values for other symbols.
fn cell_brightness(program_state: &ProgramState, cell: AutomatonCell) -> f32 {
    match program_state.program.symbol_name(cell.symbol) {
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

/// Maximum number of columns of the automaton's cells that are drawn, unless the table of examples is wider.
const MAX_COLUMNS: usize = 64;

/// Heat map of the cellular automaton's cells (table and working tape) after the latest layer, with the ring of padding
/// around them; the cell of the program's head is outlined.
pub(super) fn draw_cells(state: &SuccinctState) -> Heatmap {
    let Some(own) = state.program_state() else { return Heatmap::default() };
    let [high, _] = state.problem.grid_size();
    // Columns of the working tape that the head has not reached are all equal.
    let used = |(at, cell): (usize, &AutomatonCell)| {
        (!cell.padding || cell.head.is_some()).then_some(at % own.columns.max(1))
    };
    let last = own.cells.iter().enumerate().filter_map(used).max().unwrap_or(0);
    let wide =
        own.columns.min((last + 1).clamp(own.table_columns + 2, MAX_COLUMNS.max(own.table_columns + 2)));
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
    let mut named = names(own.table_columns + 2, column_names(state));
    named.extend((2..).take(wide - named.len()).map(|column: usize| column.to_string()));
    let mut grid = Heatmap {
        x_label: tr!("column").into(),
        y_label: tr!("row").into(),
        rows: high,
        columns: wide,
        row_names: names(high, row_names(state)),
        column_names: named,
        values: shown().map(|cell| cell_brightness(own, *cell)).collect(),
        texts: shown().map(text).collect(),
        ..Default::default()
    };
    if let Some((row, column, _)) = own.head_position() {
        match column < wide {
            true => grid.outlines.push((row..row + 1, column..column + 1)),
            false => {
                let column = column - own.table_columns;
                grid.note =
                    tr!("The head is in column {column} of the working tape, which is not shown.", column);
            }
        }
    }
    if state.layers_applied() == 0 {
        grid.note = tr!("The program starts when the table is full.").into();
    }
    grid
}

/// Heat map of log₁₀(1 + number of rules that the search has tried), by validation accuracy (row, from bottom to top)
/// and test accuracy (column).
pub(super) fn draw_rule_counts(state: &SuccinctState) -> Heatmap {
    let Some(own) = state.search_state() else { return Heatmap::default() };
    // Rows are drawn from the top, where the accuracy is 1.
    let from_top = |row: usize| SIDE - 1 - row;
    let share = |at: usize| format!("{:.2}", at as f64 / (SIDE - 1) as f64);
    let counts = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| from_top(row) * SIDE + column));
    let counts: Vec<f32> = counts.map(|at| own.rule_counts.get(at).copied().unwrap_or(0.0)).collect();
    let mut grid = Heatmap {
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
            let valid = place(texts::validation_accuracy(own));
            grid.outlines.push((from_top(valid)..from_top(valid) + 1, 0..SIDE));
        }
    }
    grid
}

/// Heat map of the chosen rule's table: the new value of a cell for each value of the cell (row) and of the cell above
/// it (column).
pub(super) fn draw_rule(search_state: &SearchState) -> Heatmap {
    let name = |cell: search::CellValue| sentences::format_cell(cell).to_string();
    let all = || search::CellValue::ALL.into_iter();
    let mut grid = Heatmap {
        x_label: tr!("value of the cell above").into(),
        y_label: tr!("value of the cell").into(),
        rows: 3,
        columns: 3,
        row_names: all().map(name).collect(),
        column_names: all().map(name).collect(),
        values: vec![0.0; 9],
        ..Default::default()
    };
    match search_state.rule {
        None => grid.note = tr!("No rule has been tried yet.").into(),
        Some(rule) => {
            let entries = || all().flat_map(|cell| all().map(move |above| rule.apply(cell, above)));
            grid.values = entries().map(|cell| cell.value() as f32).collect();
            grid.texts = entries().map(name).collect();
        }
    }
    grid
}
