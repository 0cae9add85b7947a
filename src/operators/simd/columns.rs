//! From a parameter, whose numbers follow one another, to panels and back.

use std::ops::Range;

use super::{LANES, Panels, PanelsMut, Row};

/// Layout of the columns of a parameter: groups of columns, each of which begins a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Columns of a group.
    size: usize,
    /// The first panel of each group.
    groups: Vec<usize>,
}

/// Some numbers in a row of lanes: where they begin in the parameter, how many there are, and their panel.
struct Piece {
    at: usize,
    count: usize,
    panel: usize,
}

impl Columns {
    /// `size` columns, one after the other.
    pub fn plain(size: usize) -> Self {
        Columns { size, groups: vec![0] }
    }

    /// A group of `size` columns from each of these panels on.
    pub fn grouped(size: usize, groups: &[usize]) -> Self {
        Columns { size, groups: groups.to_vec() }
    }

    fn all(&self) -> usize {
        self.size * self.groups.len()
    }

    /// Row `row` of the parameter in pieces.
    fn pieces(&self, row: usize) -> impl Iterator<Item = Piece> {
        let (size, begin) = (self.size, row * self.all());
        let group = move |(number, first): (usize, &usize)| {
            let first = *first;
            (0..size).step_by(LANES).map(move |column| Piece {
                at: begin + number * size + column,
                count: (size - column).min(LANES),
                panel: first + column / LANES,
            })
        };
        self.groups.iter().enumerate().flat_map(group)
    }

    /// Writes `rows` of the parameter, times `scale`, into row `at` of each panel and those that follow.
    pub fn pack(
        &self,
        parameter: &[Row],
        rows: Range<usize>,
        scale: f32,
        out: &mut PanelsMut<'_>,
        at: usize,
    ) {
        for (place, row) in rows.enumerate() {
            for piece in self.pieces(row) {
                out.rows[piece.panel * out.stride + at + place] =
                    read(parameter, piece.at, piece.count) * scale;
            }
        }
    }

    /// Writes rows of panels, times `scale`, back as `rows` of the parameter.
    pub fn unpack(&self, from: Panels<'_>, at: usize, rows: Range<usize>, scale: f32, parameter: &mut [Row]) {
        for (place, row) in rows.enumerate() {
            for piece in self.pieces(row) {
                let value = from.rows[piece.panel * from.stride + at + place] * scale;
                write(parameter, piece.at, piece.count, value);
            }
        }
    }
}

/// Numbers `at` to `at + count` of a parameter, and zeros in the other lanes.
#[inline(always)]
fn read(parameter: &[Row], at: usize, count: usize) -> Row {
    let (row, lane) = (at / LANES, at % LANES);
    if lane == 0 && count == LANES {
        return parameter[row];
    }
    let (mut out, first) = (Row::ZERO, count.min(LANES - lane));
    out.0[..first].copy_from_slice(&parameter[row].0[lane..lane + first]);
    if first < count {
        out.0[first..count].copy_from_slice(&parameter[row + 1].0[..count - first]);
    }
    out
}

/// Writes what [`read`] reads.
#[inline(always)]
fn write(parameter: &mut [Row], at: usize, count: usize, value: Row) {
    let (row, lane) = (at / LANES, at % LANES);
    if lane == 0 && count == LANES {
        parameter[row] = value;
        return;
    }
    let first = count.min(LANES - lane);
    parameter[row].0[lane..lane + first].copy_from_slice(&value.0[..first]);
    if first < count {
        parameter[row + 1].0[..count - first].copy_from_slice(&value.0[first..count]);
    }
}
