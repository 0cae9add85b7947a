//! How many of the curves of kept runs the page holds, and how those come back that it does not.
//!
//! # Why
//! Every run is kept, so whoever tries one seed after the other all day has hundreds of them. A line in the list takes a
//! kilobyte, and the curves of a run some hundreds. What is stored can be read again, so the page holds the newest of
//! those curves alone. What is on the page alone stays on it: nothing of that is deleted, and of very much of it the
//! oldest curves are thinned further.

use super::Library;
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::curves::History;

/// Most bytes of the curves of one run, roughly.
const MOST_OF_CURVES: usize = 256 << 10;
/// Most bytes of the curves of stored runs that stay on the page, roughly: those of one run, or of many short ones.
pub(super) const MOST_AT_HAND: usize = MOST_OF_CURVES;
/// Most bytes of the curves of runs that are on the page alone, roughly: those of more than a hundred runs. Then the
/// oldest are thinned further.
pub(super) const MOST_ALONE: usize = 32 << 20;
/// Fewest measurements of a run that a curve is thinned to.
pub(super) const FEWEST: usize = 16;

/// Bytes that a row takes where numbers are of eight.
fn size(row: &Row) -> usize {
    64 + 8 * (5 * row.test_loss.len() + row.measures.iter().map(Vec::len).sum::<usize>())
}

/// Bytes that curves take, roughly.
pub(super) fn bytes(rows: &[Row]) -> usize {
    rows.iter().map(size).sum()
}

/// Some of the rows, evenly, the first and the last among them.
pub fn thinned(history: &History) -> Vec<Row> {
    let rows: Vec<&Row> = history.rows().collect();
    let size = rows.last().map_or(1, |row| size(row));
    let stride = rows.len().div_ceil((MOST_OF_CURVES / size).max(FEWEST)).max(1);
    let last = rows.len().saturating_sub(1);
    rows.into_iter()
        .enumerate()
        .filter(|(i, _)| i % stride == 0 || *i == last)
        .map(|(_, row)| row.clone())
        .collect()
}

/// Every second row, and the last.
fn halved(rows: Vec<Row>) -> Vec<Row> {
    let last = rows.len().saturating_sub(1);
    rows.into_iter().enumerate().filter(|(i, _)| i % 2 == 0 || *i == last).map(|(_, row)| row).collect()
}

impl Library {
    /// Lets go of curves that the page has no room for, the oldest first. Those of compared runs are a few, and stay.
    pub(super) fn let_go_of_curves(&mut self) {
        let mut newest: Vec<usize> = (0..self.runs.len()).collect();
        newest.sort_by(|a, b| self.runs[*b].at.total_cmp(&self.runs[*a].at));
        let (mut at_hand, mut alone) = (MOST_AT_HAND, MOST_ALONE);
        for at in newest {
            let id = &self.runs[at].id;
            let can_be_read = self.is_stored(id) && !self.sent.contains(id);
            let rows = &mut self.runs[at].rows;
            if can_be_read && bytes(rows) > at_hand {
                *rows = vec![];
            }
            while !can_be_read && bytes(rows) > alone && rows.len() >= 2 * FEWEST {
                *rows = halved(std::mem::take(rows));
            }
            let left = if can_be_read { &mut at_hand } else { &mut alone };
            *left = left.saturating_sub(bytes(rows));
        }
    }
}
