//! Whole training loops as kernels: on a GPU, where one workgroup trains one replica for many steps per launch,
//! and on the processor, in [`cpu`].
//!
//! # Why
//! A small model is bound by launches: one step through autodiff is a chain of 25 to 400 of them and takes a
//! millisecond on the fastest GPU there is, while its arithmetic takes microseconds. So the loop itself runs on
//! the device: draw the batch, forward, loss, backward, update, and a snapshot wherever something is to be
//! measured. What is compiled is a [`plan::Plan`], one per shape of network, loss and optimizer; the runs of a sweep
//! share one, and each workgroup reads from its line of a table what is its own.
//!
//! Only what WebGPU guarantees is used: at most 7 buffers, 256 lanes, workgroup memory of which 16 KiB suffice
//! for every network, no atomics, no subgroups, barriers in uniform control flow, nothing that depends on the
//! order of workgroups. So the same device gives the same numbers again. Replicas share nothing but what is only
//! read.
//!
//! # Bundles
//! The page's fused worker has these kernels, CubeCL and wgpu, and no Burn: 977 KiB brotli, against 1,729 KiB
//! of the worker with both. It compiles two shaders before its first step, autodiff about thirty. So it is a
//! program of its own, and the larger one is fetched only for what kernels do not cover. 2026-11-21.

#[macro_use]
extern crate vivarium_core;

#[cfg(feature = "fused")]
mod buffer;
#[cfg(feature = "fused")]
pub mod cell_rules;
#[cfg(feature = "fused")]
pub mod client;
pub mod core_peak;
pub mod cpu;
#[cfg(feature = "fused")]
pub mod drawing;
#[cfg(feature = "fused")]
pub mod forward;
#[cfg(feature = "fused")]
pub mod group_net;
#[cfg(feature = "fused")]
pub mod measuring;
#[cfg(feature = "fused")]
pub mod one_hidden_layer;
#[cfg(feature = "fused")]
pub mod peak;
#[cfg(feature = "fused")]
pub mod pieces;
pub mod plan;
pub mod prompt_layout;
#[cfg(feature = "fused")]
pub mod prompt_nets;
pub mod sequence_net;
#[cfg(feature = "fused")]
pub mod shape;
pub mod sharing;
#[cfg(feature = "fused")]
pub mod slices;
pub mod token_attention;
pub mod token_mlp;
