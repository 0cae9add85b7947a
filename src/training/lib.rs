//! Training: the one loop that page, command line and tests drive, and what it needs.
//!
//! | module | what lives there |
//! |---|---|
//! | [`session`] | a run in progress; what a learner is; what it is measured on and by; checkpoints |
//! | [`cpu`] | learners on the processor |
//! | `gpu` | learners on the GPU with our own kernels |
//! | `autodiff` | the reference learner: Burn tensors on any device |
//! | `inside` | hidden values and attention of the network of a run, for the command line |
//! | [`launch`] | devices, which learner a run gets, and which runs share launches |

#[macro_use]
extern crate vivarium_core;

#[cfg(feature = "train")]
pub mod autodiff;
pub mod cpu;
#[cfg(feature = "fused")]
pub mod gpu;
#[cfg(all(feature = "train", not(target_family = "wasm")))]
pub mod inside;
#[cfg(test)]
#[cfg(feature = "cli")]
mod kernels_tests;
pub mod launch;
pub mod session;
