//! Products of matrices for the loops of networks on prompts, in rows of lanes.
//!
//! Numbers of a layer lie in panels of [`LANES`] columns, `[panel][sample]`: a row of lanes for each sample, so that the
//! rows of a panel follow one another. Weights lie in the same way, `[panel of outputs][input]`. The products are
//!
//! ```text
//! out = x W            product          out = d Wᵀ    product with the turned weights
//! slope += xᵀ d        learn
//! ```
//!
//! # Why
//! A tile is four samples, or four inputs, by one row of sums that stay in registers, as in
//! [`sequence_net`](crate::cpu::sequence_net). Every sum takes its terms one after the other, in the order of
//! inputs or of samples, whatever the tile, the block or the width of vectors: the bits are the same everywhere.

mod activation;
mod layout;
mod linear;
mod products;
#[cfg(test)]
mod tests;

pub use activation::{
    gelu, gelu_slopes, normal_gelu, normal_gelu_with_slopes, relu, relu_slopes, sigmoid, tanh,
};
pub use layout::{Columns, place};
pub use linear::Linear;
pub use products::{HIGH, add, learn, product};

use super::one_hidden_layer::{LANES, Row};

/// Rows of several panels: those of panel p begin at row p · `stride`.
#[derive(Debug, Clone, Copy)]
pub struct Panels<'a> {
    /// From the first row that is meant.
    pub rows: &'a [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
}

impl<'a> Panels<'a> {
    /// Panels of `stride` rows.
    pub fn new(rows: &'a [Row], stride: usize) -> Self {
        Panels { rows, stride }
    }

    /// The same from row `first` of each panel on.
    #[inline(always)]
    pub fn from(self, first: usize) -> Self {
        Panels { rows: &self.rows[first..], stride: self.stride }
    }

    /// `count` rows of panel `panel`.
    #[inline(always)]
    pub fn panel(self, panel: usize, count: usize) -> &'a [Row] {
        &self.rows[panel * self.stride..][..count]
    }
}

/// The same to write into.
#[derive(Debug)]
pub struct PanelsMut<'a> {
    /// From the first row that is meant.
    pub rows: &'a mut [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
}

impl<'a> PanelsMut<'a> {
    /// Panels of `stride` rows.
    pub fn new(rows: &'a mut [Row], stride: usize) -> Self {
        PanelsMut { rows, stride }
    }

    /// `count` rows of panel `panel`.
    #[inline(always)]
    pub fn panel(&mut self, panel: usize, count: usize) -> &mut [Row] {
        &mut self.rows[panel * self.stride..][..count]
    }
}

/// Panels that hold so many columns.
pub fn panels(columns: usize) -> usize {
    columns.div_ceil(LANES)
}
