//! Additions to rows, and inputs as rows.

use super::PanelsMut;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::{row_by_row, wide};

wide! {
    /// Adds rows to others.
    pub fn add(numbers: &mut [Row], others: &[Row]) {
        for (number, other) in numbers.iter_mut().zip(others) {
            row_by_row();
            *number = *number + *other;
        }
    }
}

/// Puts number `n` of the list `values` into lane n of the panels' row `at`: a sample's inputs.
#[inline(always)]
pub fn place(values: &[f32], out: &mut PanelsMut<'_>, at: usize) {
    for (panel, values) in values.chunks(LANES).enumerate() {
        out.rows[panel * out.stride + at].0[..values.len()].copy_from_slice(values);
    }
}
