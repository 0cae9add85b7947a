//! Learners on the processor: SIMD loops of [`vivarium_kernels::cpu`] over all replicas, and processes: forests, searches and
//! networks that are executed.

#[cfg(feature = "session")]
pub mod circuit;
#[cfg(feature = "session")]
pub mod cores;
#[cfg(feature = "session")]
pub mod descent;
#[cfg(feature = "session")]
pub mod execution;
#[cfg(feature = "session")]
pub mod graph_net;
#[cfg(feature = "session")]
pub mod grid_program;
#[cfg(feature = "session")]
pub mod group_net;
#[cfg(feature = "session")]
pub mod learner;
#[cfg(feature = "session")]
pub mod machine;
#[cfg(feature = "session")]
pub mod network;
#[cfg(feature = "session")]
pub mod one_hidden_layer;
#[cfg(feature = "session")]
pub mod one_output;
#[cfg(feature = "session")]
pub mod process;
#[cfg(feature = "session")]
pub mod prompt_examples;
#[cfg(feature = "session")]
pub mod prompt_net;
#[cfg(feature = "session")]
pub mod random_forest;
#[cfg(feature = "session")]
pub mod rule_search;
#[cfg(feature = "session")]
pub mod sequence_net;
#[cfg(feature = "session")]
pub mod slice_sizer;
#[cfg(feature = "session")]
pub mod trace_net;

#[cfg(all(test, feature = "train", not(target_family = "wasm")))]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;
