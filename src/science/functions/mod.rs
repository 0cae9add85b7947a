//! Functions that are learned in a prompt: each prompt is points of a function of its own, and a network is to predict every
//! label from the points before it (Garg, Tsipras, Liang and Valiant 2022; Wu, Su, Hu, Song and Liu 2024, appendix G).
//!
//! ```text
//! prompt   (x₁, f(x₁)), …, (x_P, f(x_P)),   f drawn for this prompt alone
//! wanted   f(x_k) from (x₁, f(x₁)), …, (x_{k−1}, f(x_{k−1})) and x_k,   k = 1 … P
//! R²       1 − mean squared error / mean over prompts of the variance of a prompt's labels
//! ```
//!
//! [`FunctionPrompts`] draws them; a [`Function`] is f; [`baselines`] predicts without a transformer.

pub mod baselines;
mod function;
mod network;
mod normals;
mod prompts;

pub use function::Function;
pub use network::{Network, Scratch};
pub use prompts::{Class, FunctionPrompts, Law, variance};
