//! Rows of lanes: what the vector forms of operators are made of.
//!
//! Numbers of a layer are stored in panels of [`LANES`] columns, `[panel][sample]`: a row of lanes for each sample, so that the
//! rows of a panel follow one another. Weights are stored in the same way, `[panel of outputs][input]`.
//!
//! # Why
//! Only additions, multiplications, divisions, roots and comparisons occur, which IEEE 754 fixes to the last bit; nothing is
//! contracted, since a fused multiplication rounds once where two operations round twice; every sum takes its terms in an order
//! that does not depend on the width of vectors. So a run has the same bits in every browser and on every processor.

pub mod columns;
pub mod elementary;
pub mod exponential;
pub mod products;
pub mod row;
pub mod source;
#[macro_use]
pub mod wide;

pub use columns::Columns;
pub use elementary::{normal_cdf, sigmoid, tanh};
pub use exponential::exp;
pub use products::{Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, multiply, panels, transpose};
pub use row::{LANES, Row};
pub use source::{Source, SourceMut};
pub use wide::{row_by_row, wide};

/// Examples that go through a network together, so that their numbers stay in the caches between the layers.
pub const BLOCK: usize = 64;
