//! Linear maps with biases for the loops of networks on prompts and on bits; the products are in
//! [`vivarium_operators::simd`].

mod linear;
mod products;
#[cfg(test)]
mod tests;

pub use linear::Linear;
pub use products::{add, place};
pub use vivarium_operators::relu::{backward_simd as relu_backward, forward_simd as relu};
pub use vivarium_operators::simd::{
    Columns, Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, multiply, panels, sigmoid, tanh,
};
