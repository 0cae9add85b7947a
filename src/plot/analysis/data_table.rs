//! The numbers behind a chart as a table, for those who do not see it and for those who want them exactly.

use super::{Bars, Grid, Lines, Reading};

/// Numbers with names above and beside them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataTable {
    /// Names of the columns; the first is that of what stands before the numbers.
    pub columns: Vec<String>,
    /// What stands before the numbers, and the numbers, as many as there are further columns; empty where there is none.
    pub rows: Vec<Vec<String>>,
    /// Rows that were left out, evenly.
    pub left_out: usize,
}

impl Reading {
    /// The numbers of the chart in at most `most` rows, the last among them, and as many columns.
    pub fn table(&self, most: usize) -> DataTable {
        let table = match self {
            Reading::Lines(lines) => of_lines(lines),
            Reading::Grid(grid) => of_grid(grid),
            Reading::Bars(bars) => of_bars(bars),
        };
        table.thinned(most.max(2))
    }
}

impl DataTable {
    fn thinned(mut self, most: usize) -> Self {
        let all = self.rows.len();
        if all > most {
            let mut at = 0;
            let kept = |i: usize| (0..most).any(|row| row * (all - 1) / (most - 1) == i);
            self.rows.retain(|_| {
                at += 1;
                kept(at - 1)
            });
        }
        self.left_out = all - self.rows.len();
        for row in std::iter::once(&mut self.columns).chain(&mut self.rows) {
            row.truncate(most);
        }
        self
    }
}

/// A number as briefly as it is exact.
fn number(value: f32) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// A column for each curve, two more for its band, and a row for each place.
fn of_lines(lines: &Lines) -> DataTable {
    let mut places: Vec<f64> = lines.series.iter().flat_map(|s| s.x.iter().copied()).collect();
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    let mut columns = vec![lines.x_label.clone()];
    let mut rows: Vec<Vec<String>> = places.iter().map(|x| vec![x.to_string()]).collect();
    for series in &lines.series {
        let name = if series.name.is_empty() { &lines.y_label } else { &series.name };
        columns.push(name.clone());
        let has_band = !series.band.is_empty();
        if has_band {
            columns.extend([tr!("lowest"), tr!("highest")].map(|end| format!("{name}, {end}")));
        }
        for (x, row) in places.iter().zip(&mut rows) {
            let at = series.x.iter().position(|place| place == x);
            let band = at.and_then(|at| series.band.get(at));
            row.push(at.and_then(|at| series.measured().get(at)).map_or(String::new(), |y| number(*y)));
            if has_band {
                row.extend(
                    [band.map(|b| b.0), band.map(|b| b.1)].map(|end| end.map_or(String::new(), number)),
                );
            }
        }
    }
    for (height, name) in &lines.references {
        columns.push(name.clone());
        rows.iter_mut().for_each(|row| row.push(number(*height as f32)));
    }
    DataTable { columns, rows, left_out: 0 }
}

/// Its own rows and columns, by their names or by their numbers from 1.
fn of_grid(grid: &Grid) -> DataTable {
    let name = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
    let first = format!("{} / {}", grid.y_label, grid.x_label);
    let columns = std::iter::once(first).chain((0..grid.columns).map(|c| name(&grid.column_names, c)));
    let row = |(r, values): (usize, &[f32])| {
        std::iter::once(name(&grid.row_names, r)).chain(values.iter().map(|v| number(*v))).collect()
    };
    let rows = grid.values.chunks(grid.columns.max(1)).enumerate().map(row);
    DataTable { columns: columns.collect(), rows: rows.collect(), left_out: 0 }
}

/// A row for each bar.
fn of_bars(bars: &Bars) -> DataTable {
    let overlay = (!bars.overlay.is_empty()).then(|| bars.overlay_name.clone());
    let columns = [bars.x_label.clone(), bars.y_label.clone()].into_iter().chain(overlay).collect();
    let row = |(at, (name, height)): (usize, &(String, f32))| {
        let over = bars.overlay.get(at).map(|v| number(*v));
        [name.clone(), number(*height)].into_iter().chain(over).collect()
    };
    DataTable { columns, rows: bars.bars.iter().enumerate().map(row).collect(), left_out: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Series;

    #[test]
    fn curves_stand_side_by_side_at_their_places() {
        let curve = |name: &str, x: &[f64], y: &[f32]| Series {
            name: name.into(),
            x: x.into(),
            y: y.into(),
            ..Default::default()
        };
        let mut banded = curve("b", &[5.0], &[f32::NAN]);
        banded.band = vec![(1.0, 2.5)];
        let lines = Lines {
            x_label: "step".into(),
            series: vec![curve("a", &[0.0, 5.0, 10.0], &[0.5, 0.25, 0.125]), banded],
            references: vec![(0.1, "line".into())],
            ..Default::default()
        };
        let table = Reading::Lines(lines).table(100);
        assert_eq!(table.columns, ["step", "a", "b", "b, lowest", "b, highest", "line"]);
        assert_eq!(table.rows[0], ["0", "0.5", "", "", "", "0.1"]);
        assert_eq!(table.rows[1], ["5", "0.25", "", "1", "2.5", "0.1"]);
        assert_eq!((table.rows.len(), table.left_out), (3, 0));
    }

    #[test]
    fn long_tables_keep_both_ends() {
        let bars =
            Bars { bars: (0..1_000).map(|i| (i.to_string(), i as f32)).collect(), ..Default::default() };
        let table = Reading::Bars(bars).table(11);
        assert_eq!((table.rows.len(), table.left_out), (11, 989));
        assert_eq!((table.rows[0][0].as_str(), table.rows[10][0].as_str()), ("0", "999"));
    }

    #[test]
    fn matrices_have_names_or_numbers() {
        let grid = Grid {
            x_label: "to".into(),
            y_label: "from".into(),
            rows: 2,
            columns: 2,
            values: vec![0.5, 1.0, 0.0, -1.0],
            row_names: vec!["a".into(), "b".into()],
            ..Default::default()
        };
        let table = Reading::Grid(grid).table(9);
        assert_eq!(table.columns, ["from / to", "1", "2"]);
        assert_eq!(table.rows, [["a", "0.5", "1"], ["b", "0", "-1"]]);
    }
}
