//! Learners on the GPU with our own kernels.

pub mod batched_runs;
pub(crate) mod errors;
pub(crate) mod example_buffer;
pub mod group_net;
pub mod launch_sizer;
pub mod learner;
pub mod one_hidden_layer;
pub mod prompt_nets;
pub mod rule_search;
pub mod sequence_net;
pub mod sliced_runs;
