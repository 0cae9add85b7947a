//! Sparse token regression: every position of a prompt names a few of the prompt's tokens, and its label is a
//! function of these tokens (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, definition 2).
//!
//! A prompt is ((x₁, t₁), …, (x_N, t_N)) with tokens x_i ∼ N(0, I_d) and names t_i ∈ \[N\]^q; its labels are
//!
//! ```text
//! y_i = g(x_{t_i1}, …, x_{t_iq})
//! ```
//!
//! In the simple variant all positions have the same names. [`TokenPrompts`] draws prompts; a [`Teacher`] is g;
//! [`PositionCodes`] encode positions as vectors; [`theory`] has exact results that need no training.

mod codes;
mod prompts;
mod teacher;
pub mod theory;

pub use codes::{PositionCodes, count_strong_pairs};
pub use prompts::{CodeScale, NameLists, NameRepeats, PromptStreams, TokenPrompts};
pub use teacher::{ReluReadout, Teacher, TeacherKind};

/// The largest number q of tokens that a position names.
pub const MAX_NAMES: usize = 6;
