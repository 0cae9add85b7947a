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

mod activation;
mod linear;
mod products;
#[cfg(test)]
mod tests;

pub use activation::{gelu, gelu_slopes, normal_gelu, normal_gelu_with_slopes, sigmoid, tanh};
pub use linear::Linear;
pub use products::{add, place};
pub use vivarium_operators::relu::{backward_simd as relu_backward, forward_simd as relu};
pub use vivarium_operators::simd::{
    Columns, Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, multiply, panels,
};
