//! What a network does on one sequence: where its heads look, and what it expects next.

use super::{LETTERED, letter};
use crate::analysis::Grid;

/// A head's attention on a sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention<'a> {
    /// Its layer, from 0.
    pub layer: usize,
    /// Its name, "1.1".
    pub name: &'a str,
    /// `[length, length]`: the row looks at the column.
    pub shares: &'a [f64],
}

/// Most heads that stand side by side; more have a row of heads for each layer.
const SIDE_BY_SIDE: usize = 3;

/// Attention of the `heads` on the sequence of `symbols`: each row is a symbol that looks back. Several heads stand side
/// by side, or layer below layer where they are many, with a line between. The row of `place`, from 0, is pointed at.
pub fn map(symbols: &[u8], heads: &[Attention], place: Option<usize>) -> Grid {
    let length = symbols.len();
    let layers = heads.iter().map(|head| head.layer).max().map_or(0, |last| last + 1);
    let stacked = heads.len() > SIDE_BY_SIDE && layers > 1;
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
        for (i, line) in head.shares.chunks_exact(length.max(1)).enumerate() {
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
    let marked = place.filter(|place| *place < length);
    Grid {
        x_label,
        y_label: tr!("current symbol").into(),
        rows,
        columns,
        values,
        marked_rows: marked.iter().flat_map(|at| (0..down).map(move |b| b * (length + 1) + at)).collect(),
        row_names: repeated(symbols, down),
        column_names: repeated(symbols, across),
        ..Default::default()
    }
}

/// Names along so many blocks of a sequence: its symbols, or their numbers if they are many; none for a single block
/// with numbers, which has them anyway.
fn repeated(symbols: &[u8], blocks: usize) -> Vec<String> {
    if symbols.len() > LETTERED && blocks < 2 {
        return vec![];
    }
    let name = |(i, symbol): (usize, &u8)| match symbols.len() > LETTERED {
        true => (i + 1).to_string(),
        false => letter(usize::from(*symbol)),
    };
    let one: Vec<String> = symbols.iter().enumerate().map(name).collect();
    (0..blocks).flat_map(|block| (block > 0).then(String::new).into_iter().chain(one.clone())).collect()
}

/// Probabilities of the next symbol, a row for each who expects something.
pub fn next(symbols: usize, expected: &[(String, Vec<f64>)], network: Option<usize>) -> Grid {
    Grid {
        x_label: tr!("next symbol").into(),
        rows: expected.len(),
        columns: symbols,
        values: expected.iter().flat_map(|(_, p)| p.iter().map(|p| *p as f32)).collect(),
        marked_rows: network.into_iter().collect(),
        row_names: expected.iter().map(|(name, _)| name.clone()).collect(),
        column_names: (0..symbols).map(letter).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: [[f64; 9]; 2] =
        [[1.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.5, 0.5], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]];

    fn heads(names: &'static [(usize, &'static str)]) -> Vec<Attention<'static>> {
        let of = |(i, (layer, name)): (usize, &(usize, &'static str))| Attention {
            layer: *layer,
            name,
            shares: &SHARES[i % 2],
        };
        names.iter().enumerate().map(of).collect()
    }

    #[test]
    fn one_head_is_a_square_with_letters() {
        let grid = map(&[0, 1, 0], &heads(&[(0, "1.1")]), Some(2));
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.as_slice()), (3, 3, [2].as_slice()));
        assert_eq!((grid.values[3], grid.values[4]), (0.25, 0.75));
        assert_eq!((grid.row_names.join(""), grid.column_names.join("")), ("aba".into(), "aba".into()));
        assert!(grid.values.iter().all(|v| *v >= 0.0), "the scale has no negative half");
    }

    #[test]
    fn few_heads_stand_side_by_side_and_many_layer_below_layer() {
        let grid = map(&[0, 1, 0], &heads(&[(0, "1.1"), (1, "2.1")]), None);
        assert_eq!(
            (grid.rows, grid.columns, grid.x_label.as_str()),
            (3, 7, "attended symbol; heads from left to right: 1.1, 2.1")
        );
        assert!(grid.values[3].is_nan() && grid.values[7 + 4] == 1.0 && grid.values[7] == 0.25);
        assert_eq!(grid.column_names, ["a", "b", "a", "", "a", "b", "a"]);
        let grid = map(&[0, 1, 0], &heads(&[(0, "1.1"), (0, "1.2"), (1, "2.1"), (1, "2.2")]), Some(0));
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.as_slice()), (7, 7, [0, 4].as_slice()));
        assert_eq!(grid.row_names.len(), 7);
        assert_eq!(map(&[0, 1], &[], None).values.len(), 0);
    }

    #[test]
    fn long_sequences_have_numbers() {
        let symbols = [1; 41];
        let shares = vec![0.5; 41 * 41];
        let head = |name| Attention { layer: 0, name, shares: &shares };
        assert!(map(&symbols, &[head("1.1")], None).column_names.is_empty());
        let two = map(&symbols, &[head("1.1"), head("1.2")], None);
        assert_eq!((two.column_names[40].as_str(), two.column_names[42].as_str()), ("41", "1"));
        assert!(two.row_names.is_empty() && two.column_names.len() == two.columns);
    }

    #[test]
    fn expectations_stand_below_each_other() {
        let rows = [("truth".to_string(), vec![0.25, 0.75]), ("network".to_string(), vec![0.5, 0.5])];
        let grid = next(2, &rows, Some(1));
        assert_eq!(
            (grid.rows, grid.columns, grid.values.as_slice()),
            (2, 2, [0.25, 0.75, 0.5, 0.5].as_slice())
        );
        assert_eq!((grid.column_names.join(""), grid.marked_rows), ("ab".into(), vec![1]));
    }
}
