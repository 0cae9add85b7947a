//! Sparse token regression: every position of a prompt names a few of the prompt's tokens, and its label is a function
//! of the tokens that it names (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, definition 2).
//!
//! A prompt is ((x₁, t₁), …, (x_N, t_N)) with tokens x_i ∼ N(0, I_d) and names t_i ∈ \[N\]^q; its labels are
//!
//! ```text
//! y_i = g(x_{t_i1}, …, x_{t_iq})
//! ```
//!
//! In the simple variant all positions have the same names. [`Prompts`] draws them; a [`Teacher`] is g; [`Codes`] say
//! how a position is written down; [`theory`] is what is known without a network.

mod codes;
mod prompts;
mod teacher;
pub mod theory;

pub use codes::{Codes, strong_pairs};
pub use prompts::{CodeScale, Draw, Lists, Prompts, Repeats};
pub use teacher::{Function, Readout, Teacher};

/// Most names of a position.
pub const MOST_NAMES: usize = 6;
