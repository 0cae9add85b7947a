//! A network on one sequence: attention weights of its heads, and its prediction of the next symbol.

use super::{MAX_LETTERED_LENGTH, symbol_letter};
use crate::analysis::Heatmap;

/// Attention weights of one head of a transformer on one sequence of symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadAttention<'a> {
    /// Index of the head's layer in the transformer, from 0.
    pub layer: usize,
    /// Name of the head, such as "1.1": layer and head, both counted from 1.
    pub name: &'a str,
    /// Attention weights `[length, length]`: the row is the query position, the column the key position in the
    /// sequence.
    pub weights: &'a [f64],
}

/// Maximum number of heads whose heat maps are drawn in one row; more heads of several layers are drawn with one row
/// per layer.
const MAX_SIDE_BY_SIDE: usize = 3;

/// Heat map of the attention weights of the `heads` on the sequence `symbols`: rows are query positions, columns are
/// key positions. Several heads are drawn side by side, or one row per layer if there are many, with empty lines
/// between; the row of the position `query`, from 0, is marked.
pub fn attention_heatmap(symbols: &[u8], heads: &[HeadAttention], query: Option<usize>) -> Heatmap {
    let length = symbols.len();
    let layers = heads.iter().map(|head| head.layer).max().map_or(0, |last| last + 1);
    let stacked = heads.len() > MAX_SIDE_BY_SIDE && layers > 1;
    // Of each head, the block down and across.
    let mut seen = vec![0; layers.max(1)];
    let blocks: Vec<(usize, usize)> = heads
        .iter()
        .enumerate()
        .map(|(i, head)| {
            let at = &mut seen[head.layer];
            *at += 1;
            if stacked { (head.layer, *at - 1) } else { (0, i) }
        })
        .collect();
    let most = |of: fn(&(usize, usize)) -> usize| blocks.iter().map(of).max().map_or(0, |last| last + 1);
    let (down, across) = (most(|b| b.0), most(|b| b.1));
    let extent = |blocks: usize| (blocks * (length + 1)).saturating_sub(1);
    let (rows, columns) = (extent(down), extent(across));
    let mut values = vec![f32::NAN; rows * columns];
    for ((block_down, block_across), head) in blocks.iter().zip(heads) {
        for (i, line) in head.weights.chunks_exact(length.max(1)).enumerate() {
            let at = (block_down * (length + 1) + i) * columns + block_across * (length + 1);
            for (cell, share) in values[at..at + length].iter_mut().zip(line) {
                *cell = *share as f32;
            }
        }
    }
    let names: Vec<&str> = heads.iter().map(|head| head.name).collect();
    let x_label = match names.as_slice() {
        [] | [_] => tr!("attended symbol").into(),
        _ if stacked => tr!("attended symbol (layers: top to bottom; heads: left to right)").into(),
        names => tr!("attended symbol; heads from left to right: {names}", names = names.join(", ")),
    };
    let marked = query.filter(|place| *place < length);
    Heatmap {
        x_label,
        y_label: tr!("current symbol").into(),
        rows,
        columns,
        values,
        marked_rows: marked.iter().flat_map(|at| (0..down).map(move |b| b * (length + 1) + at)).collect(),
        row_names: axis_names(symbols, down),
        column_names: axis_names(symbols, across),
        ..Default::default()
    }
}

/// Axis names for heat maps of `blocks` heads along one axis: the symbols of the sequence once per head, or position
/// numbers from 1 if it is long. Empty for a single head on a long sequence, since heat maps without names show
/// position numbers anyway.
fn axis_names(symbols: &[u8], blocks: usize) -> Vec<String> {
    if symbols.len() > MAX_LETTERED_LENGTH && blocks < 2 {
        return vec![];
    }
    let name = |(i, symbol): (usize, &u8)| match symbols.len() > MAX_LETTERED_LENGTH {
        true => (i + 1).to_string(),
        false => symbol_letter(usize::from(*symbol)),
    };
    let one: Vec<String> = symbols.iter().enumerate().map(name).collect();
    (0..blocks).flat_map(|block| (block > 0).then(String::new).into_iter().chain(one.clone())).collect()
}

/// Heat map of the probabilities of the `symbols` possible next symbols (columns): a row for each pair (name,
/// probabilities) in `predictions`; the row with index `network_row` is marked.
pub fn next_symbol_heatmap(
    symbols: usize,
    predictions: &[(String, Vec<f64>)],
    network_row: Option<usize>,
) -> Heatmap {
    Heatmap {
        x_label: tr!("next symbol").into(),
        rows: predictions.len(),
        columns: symbols,
        values: predictions.iter().flat_map(|(_, p)| p.iter().map(|p| *p as f32)).collect(),
        marked_rows: network_row.into_iter().collect(),
        row_names: predictions.iter().map(|(name, _)| name.clone()).collect(),
        column_names: (0..symbols).map(symbol_letter).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: [[f64; 9]; 2] =
        [[1.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.5, 0.5], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]];

    fn heads(names: &'static [(usize, &'static str)]) -> Vec<HeadAttention<'static>> {
        let of = |(i, (layer, name)): (usize, &(usize, &'static str))| HeadAttention {
            layer: *layer,
            name,
            weights: &SHARES[i % 2],
        };
        names.iter().enumerate().map(of).collect()
    }

    #[test]
    fn one_head_is_a_square_with_letters() {
        let grid = attention_heatmap(&[0, 1, 0], &heads(&[(0, "1.1")]), Some(2));
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.as_slice()), (3, 3, [2].as_slice()));
        assert_eq!((grid.values[3], grid.values[4]), (0.25, 0.75));
        assert_eq!((grid.row_names.join(""), grid.column_names.join("")), ("aba".into(), "aba".into()));
        assert!(grid.values.iter().all(|v| *v >= 0.0), "the scale has no negative half");
    }

    #[test]
    fn few_heads_stand_side_by_side_and_many_layer_below_layer() {
        let grid = attention_heatmap(&[0, 1, 0], &heads(&[(0, "1.1"), (1, "2.1")]), None);
        assert_eq!(
            (grid.rows, grid.columns, grid.x_label.as_str()),
            (3, 7, "attended symbol; heads from left to right: 1.1, 2.1")
        );
        assert!(grid.values[3].is_nan() && grid.values[7 + 4] == 1.0 && grid.values[7] == 0.25);
        assert_eq!(grid.column_names, ["a", "b", "a", "", "a", "b", "a"]);
        let grid =
            attention_heatmap(&[0, 1, 0], &heads(&[(0, "1.1"), (0, "1.2"), (1, "2.1"), (1, "2.2")]), Some(0));
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.as_slice()), (7, 7, [0, 4].as_slice()));
        assert_eq!(grid.row_names.len(), 7);
        assert_eq!(attention_heatmap(&[0, 1], &[], None).values.len(), 0);
    }

    #[test]
    fn long_sequences_have_numbers() {
        let symbols = [1; 41];
        let shares = vec![0.5; 41 * 41];
        let head = |name| HeadAttention { layer: 0, name, weights: &shares };
        assert!(attention_heatmap(&symbols, &[head("1.1")], None).column_names.is_empty());
        let two = attention_heatmap(&symbols, &[head("1.1"), head("1.2")], None);
        assert_eq!((two.column_names[40].as_str(), two.column_names[42].as_str()), ("41", "1"));
        assert!(two.row_names.is_empty() && two.column_names.len() == two.columns);
    }

    #[test]
    fn expectations_stand_below_each_other() {
        let rows = [("truth".to_string(), vec![0.25, 0.75]), ("network".to_string(), vec![0.5, 0.5])];
        let grid = next_symbol_heatmap(2, &rows, Some(1));
        assert_eq!(
            (grid.rows, grid.columns, grid.values.as_slice()),
            (2, 2, [0.25, 0.75, 0.5, 0.5].as_slice())
        );
        assert_eq!((grid.column_names.join(""), grid.marked_rows), ("ab".into(), vec![1]));
    }
}
