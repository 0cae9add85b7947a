//! The memory for curves of saved runs: which curves the page holds, and which it reads again.
//!
//! # Why
//! Every run is saved, so a user who tries one seed after the other has hundreds of runs. An entry of the list takes a
//! kilobyte, the curves of a run some hundreds. Curves of stored runs can be read again, so the page holds only the
//! latest of them. Curves of runs that are on the page only are never dropped, but the oldest are thinned if they take
//! too much memory.

use super::Library;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::curves::RunHistory;

/// Size in bytes to which the measurements of one saved run are thinned; sizes are estimates.
const MAX_RUN_BYTES: usize = 256 << 10;
/// Total bytes of curves in memory of runs that are also in the browser's storage; curves beyond it are dropped and
/// read again when needed. Sizes are estimates.
pub(super) const MAX_STORED_BYTES: usize = MAX_RUN_BYTES;
/// Total bytes of curves in memory of runs that are not in the browser's storage; beyond it, the oldest curves are
/// thinned further. Sizes are estimates.
pub(super) const MAX_UNSTORED_BYTES: usize = 32 << 20;
/// Smallest number of measurements to which the curves of a saved run are thinned.
pub(super) const MIN_ROWS: usize = 16;

/// Returns an estimate of the bytes of memory that a measurement takes.
fn row_bytes(row: &Measurement) -> usize {
    64 + 8 * (5 * row.test_loss.len() + row.measures.iter().map(Vec::len).sum::<usize>())
}

/// Returns an estimate of the bytes of memory that these measurements take together.
pub(super) fn rows_bytes(rows: &[Measurement]) -> usize {
    rows.iter().map(row_bytes).sum()
}

/// Returns evenly spaced measurements of a run, including the first and the last, as many as fit the limit for one run.
pub fn thin_history(history: &RunHistory) -> Vec<Measurement> {
    let rows: Vec<&Measurement> = history.rows().collect();
    let size = rows.last().map_or(1, |row| row_bytes(row));
    let stride = rows.len().div_ceil((MAX_RUN_BYTES / size).max(MIN_ROWS)).max(1);
    let last = rows.len().saturating_sub(1);
    rows.into_iter()
        .enumerate()
        .filter(|(i, _)| i % stride == 0 || *i == last)
        .map(|(_, row)| row.clone())
        .collect()
}

/// Keeps every second measurement of a run, and the last one, to save memory.
fn halve_rows(rows: Vec<Measurement>) -> Vec<Measurement> {
    let last = rows.len().saturating_sub(1);
    rows.into_iter().enumerate().filter(|(i, _)| i % 2 == 0 || *i == last).map(|(_, row)| row).collect()
}

impl Library {
    /// Drops or thins the oldest curves of saved runs that exceed the memory limits. Curves of compared runs are held
    /// elsewhere and stay.
    pub(super) fn drop_old_curves(&mut self) {
        let mut latest: Vec<usize> = (0..self.runs.len()).collect();
        latest.sort_by(|a, b| self.runs[*b].at.total_cmp(&self.runs[*a].at));
        let (mut at_hand, mut alone) = (MAX_STORED_BYTES, MAX_UNSTORED_BYTES);
        for at in latest {
            let id = &self.runs[at].id;
            let can_be_read = self.is_stored(id) && !self.writing.contains(id);
            let rows = &mut self.runs[at].rows;
            if can_be_read && rows_bytes(rows) > at_hand {
                *rows = vec![];
            }
            while !can_be_read && rows_bytes(rows) > alone && rows.len() >= 2 * MIN_ROWS {
                *rows = halve_rows(std::mem::take(rows));
            }
            let left = if can_be_read { &mut at_hand } else { &mut alone };
            *left = left.saturating_sub(rows_bytes(rows));
        }
    }
}
