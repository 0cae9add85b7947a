//! The character table of a group.

use crate::analysis::Heatmap;
use vivarium_science::groups::{Group, Irreps};

/// Heat map of the traces of the real irreducible representations (rows) on the conjugacy classes (columns); the
/// column of the identity contains the dimensions.
pub fn character_table_heatmap(group: &Group, irreps: &Irreps) -> Heatmap {
    let classes = group.classes().len();
    let all = irreps.all();
    Heatmap {
        title: tr!("Character table").into(),
        x_label: tr!("conjugacy class").into(),
        y_label: tr!("irrep").into(),
        rows: all.len(),
        columns: classes,
        values: all.iter().flat_map(|irrep| irrep.character.iter().map(|trace| *trace as f32)).collect(),
        row_names: all.iter().map(|irrep| irrep.name.clone()).collect(),
        column_names: (0..classes).map(|class| group.class_name(class)).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_three_letters() {
        let group = Group::symmetric(3);
        let grid = character_table_heatmap(&group, &Irreps::compute(&group));
        assert_eq!(grid.column_names, ["e", "(1 2)", "(1 2 3)"]);
        let row = |name: &str| {
            let at = grid.row_names.iter().position(|other| other == name).unwrap();
            grid.values[at * 3..(at + 1) * 3].iter().map(|v| v.round() as i32).collect::<Vec<_>>()
        };
        assert_eq!([row("trivial"), row("sign"), row("standard")], [[1, 1, 1], [1, -1, 1], [2, 0, -1]]);
    }
}
