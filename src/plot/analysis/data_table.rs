//! The numbers of a chart as a table, for users who cannot see it or want exact values.

use super::{BarChart, Heatmap, LineChart, Reading};

/// The numbers of a chart as text, with a header row and a header column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataTable {
    /// Header row: the name of the header column, then the names of the number columns.
    pub columns: Vec<String>,
    /// Each row: its header, then one number for each further column; empty text where there is no value.
    pub rows: Vec<Vec<String>>,
    /// Number of rows that the full table has but that were omitted, at even intervals, from `rows`.
    pub omitted_rows: usize,
}

impl Reading {
    /// The numbers of the chart as a table of at most `max_rows` rows, always including the last, and at most
    /// `max_rows` columns.
    pub fn table(&self, max_rows: usize) -> DataTable {
        let table = match self {
            Reading::Lines(lines) => tabulate_lines(lines),
            Reading::Grid(grid) => tabulate_heatmap(grid),
            Reading::Bars(bars) => tabulate_bars(bars),
        };
        table.thin(max_rows.max(2))
    }
}

impl DataTable {
    /// Omits rows at even intervals so that at most `max_rows` remain, the last among them.
    fn thin(mut self, max_rows: usize) -> Self {
        let all = self.rows.len();
        if all > max_rows {
            let mut at = 0;
            let kept = |i: usize| (0..max_rows).any(|row| row * (all - 1) / (max_rows - 1) == i);
            self.rows.retain(|_| {
                at += 1;
                kept(at - 1)
            });
        }
        self.omitted_rows = all - self.rows.len();
        for row in std::iter::once(&mut self.columns).chain(&mut self.rows) {
            row.truncate(max_rows);
        }
        self
    }
}

/// The shortest decimal text that is exact for an `f32`; empty if the value is not finite.
fn format_number(value: f32) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// Table of a line chart: one row for each x value; one column for each curve, two more for its band, and one for each
/// reference line.
fn tabulate_lines(lines: &LineChart) -> DataTable {
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
            row.push(
                at.and_then(|at| series.measured_values().get(at))
                    .map_or(String::new(), |y| format_number(*y)),
            );
            if has_band {
                row.extend(
                    [band.map(|b| b.0), band.map(|b| b.1)]
                        .map(|end| end.map_or(String::new(), format_number)),
                );
            }
        }
    }
    for (height, name) in &lines.reference_lines {
        columns.push(name.clone());
        rows.iter_mut().for_each(|row| row.push(format_number(*height as f32)));
    }
    DataTable { columns, rows, omitted_rows: 0 }
}

/// Table of a heat map: one row for each of its rows and one column for each of its columns, headed by their names or
/// by numbers from 1.
fn tabulate_heatmap(grid: &Heatmap) -> DataTable {
    let name = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
    let first = format!("{} / {}", grid.y_label, grid.x_label);
    let columns = std::iter::once(first).chain((0..grid.columns).map(|c| name(&grid.column_names, c)));
    let row = |(r, values): (usize, &[f32])| {
        std::iter::once(name(&grid.row_names, r)).chain(values.iter().map(|v| format_number(*v))).collect()
    };
    let rows = grid.values.chunks(grid.columns.max(1)).enumerate().map(row);
    DataTable { columns: columns.collect(), rows: rows.collect(), omitted_rows: 0 }
}

/// Table of a bar chart: one row for each bar, with its height and the height of the overlay, if any.
fn tabulate_bars(bars: &BarChart) -> DataTable {
    let overlay = (!bars.overlay.is_empty()).then(|| bars.overlay_name.clone());
    let columns = [bars.x_label.clone(), bars.y_label.clone()].into_iter().chain(overlay).collect();
    let row = |(at, (name, height)): (usize, &(String, f32))| {
        let over = bars.overlay.get(at).map(|v| format_number(*v));
        [name.clone(), format_number(*height)].into_iter().chain(over).collect()
    };
    DataTable { columns, rows: bars.bars.iter().enumerate().map(row).collect(), omitted_rows: 0 }
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
        let lines = LineChart {
            x_label: "step".into(),
            series: vec![curve("a", &[0.0, 5.0, 10.0], &[0.5, 0.25, 0.125]), banded],
            reference_lines: vec![(0.1, "line".into())],
            ..Default::default()
        };
        let table = Reading::Lines(lines).table(100);
        assert_eq!(table.columns, ["step", "a", "b", "b, lowest", "b, highest", "line"]);
        assert_eq!(table.rows[0], ["0", "0.5", "", "", "", "0.1"]);
        assert_eq!(table.rows[1], ["5", "0.25", "", "1", "2.5", "0.1"]);
        assert_eq!((table.rows.len(), table.omitted_rows), (3, 0));
    }

    #[test]
    fn long_tables_keep_both_ends() {
        let bars =
            BarChart { bars: (0..1_000).map(|i| (i.to_string(), i as f32)).collect(), ..Default::default() };
        let table = Reading::Bars(bars).table(11);
        assert_eq!((table.rows.len(), table.omitted_rows), (11, 989));
        assert_eq!((table.rows[0][0].as_str(), table.rows[10][0].as_str()), ("0", "999"));
    }

    #[test]
    fn matrices_have_names_or_numbers() {
        let grid = Heatmap {
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
