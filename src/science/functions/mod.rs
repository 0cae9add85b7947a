//! Prompts for in-context learning of functions: each prompt holds points of its own function, and a network predicts
//! every label from the points before it (Garg, Tsipras, Liang and Valiant 2022; Wu, Su, Hu, Song and Liu 2024,
//! appendix G).
//!
//! ```text
//! prompt   (x₁, f(x₁)), …, (x_P, f(x_P)),   f drawn for this prompt alone
//! label    f(x_k), predicted from (x₁, f(x₁)), …, (x_{k−1}, f(x_{k−1})) and x_k,   k = 1 … P
//! R²       1 − mean squared error / mean over prompts of the variance of a prompt's labels
//! ```
//!
//! [`FunctionPrompts`] draws prompts; a [`PromptFunction`] is f; [`baselines`] predict labels without a transformer.

pub mod baselines;
mod function;
mod network;
mod normals;
mod prompts;

pub use function::PromptFunction;
pub use network::{BiasFreeNetwork, ForwardWorkspace};
pub use prompts::{FunctionClass, FunctionPrompts, InputDistribution, population_variance};
