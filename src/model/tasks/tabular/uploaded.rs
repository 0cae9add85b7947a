//! Uploaded tables: numbers that were read from a CSV file, known by a number that follows from them.
//!
//! # Why
//! Settings are plain values, and what a sampler gives follows from them alone; a table is too large for a link. So a
//! link holds the table's number, and the table itself waits here, in the page as in its workers and natively, for
//! whoever asks for that number. The number is a hash of the contents: the same file is the same run everywhere, and
//! another file under the same name is not.

use std::sync::{Arc, Mutex, PoisonError};

use super::MOST_NUMBER;

/// Most tables that are kept; the oldest goes first.
const MOST_KEPT: usize = 16;

/// A table: numbers with mean 0 and deviation 1 in every column, and a sign for each row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UploadedTable {
    /// Columns besides the label.
    pub columns: usize,
    /// `[rows, columns]`.
    pub x: Vec<f32>,
    /// Labels, −1 or +1, `[rows]`.
    pub y: Vec<f32>,
}

static OPEN: Mutex<Vec<(u64, Arc<UploadedTable>)>> = Mutex::new(Vec::new());

impl UploadedTable {
    /// The number that the table is known by, from 1: FNV-1a over its shape and its bits.
    pub fn number(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        eat(self.columns as u32);
        self.x.iter().chain(&self.y).for_each(|x| eat(x.to_bits()));
        // Both halves count, and what a browser's numbers hold exactly is left.
        ((hash ^ (hash >> 53)) & MOST_NUMBER).max(1)
    }

    /// All numbers of the table one after the other, as they go to a worker.
    pub fn numbers(&self) -> Vec<f32> {
        [self.x.as_slice(), self.y.as_slice()].concat()
    }

    /// The same where the table is needed no more.
    pub fn into_numbers(self) -> Vec<f32> {
        let UploadedTable { mut x, y, .. } = self;
        x.extend(y);
        x
    }

    /// The other way round from [`UploadedTable::numbers`]; none where these are no table of so many columns.
    pub fn from_numbers(columns: usize, mut numbers: Vec<f32>) -> Option<UploadedTable> {
        let rows = numbers.len() / (columns + 1);
        if rows == 0 || rows * (columns + 1) != numbers.len() {
            return None;
        }
        let y = numbers.split_off(rows * columns);
        Some(UploadedTable { columns, x: numbers, y })
    }

    /// Keeps the table for whoever asks for its number, which is the result.
    pub fn open(self) -> u64 {
        let number = self.number();
        self.open_as(number);
        number
    }

    /// The same where its number is known already: of a large table that takes a while.
    pub fn open_as(self, number: u64) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(other, _)| *other != number);
        if open.len() == MOST_KEPT {
            open.remove(0);
        }
        open.push((number, Arc::new(self)));
    }
}

/// The open table of that number.
pub fn find(number: u64) -> Option<Arc<UploadedTable>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.iter().find(|(other, _)| *other == number).map(|(_, table)| table.clone())
}
