//! Uploaded tables from CSV files, identified by a hash of their contents.
//!
//! # Why
//! Settings are plain values that determine the examples; a table is too large for a link. So a link contains the
//! table's hash, and the table itself is stored here, in the page as in its workers and natively, to be looked up by
//! that hash. The same file is the same run everywhere, and another file under the same name is not.

use std::sync::{Arc, Mutex, PoisonError};

use super::MAX_TABLE_ID;

/// Largest number of uploaded tables that are kept in memory; the oldest is dropped first.
const MAX_OPEN_TABLES: usize = 16;

/// Table from a CSV file: columns with mean 0 and standard deviation 1, and a label ±1 for each row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UploadedTable {
    /// Number of columns of the table that are inputs, without the label.
    pub columns: usize,
    /// Inputs of all rows, `[rows, columns]`, each column with mean 0 and standard deviation 1.
    pub x: Vec<f32>,
    /// Label of each row, −1 or +1, `[rows]`.
    pub y: Vec<f32>,
}

/// Uploaded tables in memory with their hashes, the oldest first.
static OPEN_TABLES: Mutex<Vec<(u64, Arc<UploadedTable>)>> = Mutex::new(Vec::new());

impl UploadedTable {
    /// Hash that identifies the table, at least 1: FNV-1a over its shape and its bits.
    pub fn table_id(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        eat(self.columns as u32);
        self.x.iter().chain(&self.y).for_each(|x| eat(x.to_bits()));
        // Both halves are folded into an integer that JavaScript represents exactly.
        ((hash ^ (hash >> 53)) & MAX_TABLE_ID).max(1)
    }

    /// All numbers of the table, inputs and then labels, as they are sent to a worker.
    pub fn to_floats(&self) -> Vec<f32> {
        [self.x.as_slice(), self.y.as_slice()].concat()
    }

    /// All numbers of the table, inputs and then labels, as [`UploadedTable::to_floats`] returns them; consumes the
    /// table.
    pub fn into_floats(self) -> Vec<f32> {
        let UploadedTable { mut x, y, .. } = self;
        x.extend(y);
        x
    }

    /// Restores a table from [`UploadedTable::to_floats`]; None if the count does not fit this number of columns.
    pub fn from_floats(columns: usize, mut numbers: Vec<f32>) -> Option<UploadedTable> {
        let rows = numbers.len() / (columns + 1);
        if rows == 0 || rows * (columns + 1) != numbers.len() {
            return None;
        }
        let y = numbers.split_off(rows * columns);
        Some(UploadedTable { columns, x: numbers, y })
    }

    /// Makes the table available for runs, and returns its hash.
    pub fn register(self) -> u64 {
        let number = self.table_id();
        self.register_as(number);
        number
    }

    /// Makes the table available under its hash `number`, if that is known already: computing it for a large table
    /// takes a while.
    pub fn register_as(self, number: u64) {
        let mut open = OPEN_TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(other, _)| *other != number);
        if open.len() == MAX_OPEN_TABLES {
            open.remove(0);
        }
        open.push((number, Arc::new(self)));
    }
}

/// Returns the uploaded table in memory with the hash `number`; None if there is none.
pub fn find_table(number: u64) -> Option<Arc<UploadedTable>> {
    let open = OPEN_TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    open.iter().find(|(other, _)| *other == number).map(|(_, table)| table.clone())
}
