//! Training: the one loop that page, command line and tests drive, and what it needs.

#[cfg(feature = "fused")]
pub mod ahead;
#[cfg(feature = "train")]
pub mod autodiff;
#[cfg(feature = "fused")]
pub mod check;
#[cfg(feature = "session")]
pub mod checkpoint;
pub mod choose;
#[cfg(feature = "session")]
pub mod device;
#[cfg(feature = "train")]
pub mod feed;
#[cfg(feature = "fused")]
mod flight;
#[cfg(feature = "train")]
pub mod forest;
#[cfg(feature = "fused")]
pub mod fused;
pub mod judge;
#[cfg(feature = "session")]
pub mod lanes;
pub mod learner;
#[cfg(feature = "train")]
pub mod losses;
pub mod pace;
#[cfg(feature = "fused")]
pub mod pack;
#[cfg(feature = "fused")]
mod pack_data;
#[cfg(feature = "session")]
pub mod packed;
#[cfg(feature = "fused")]
pub mod packs;
#[cfg(feature = "fused")]
pub mod pair_kernels;
#[cfg(feature = "session")]
pub mod pair_lanes;
#[cfg(feature = "session")]
pub mod pairs;
#[cfg(feature = "fused")]
mod past;
#[cfg(feature = "fused")]
pub mod sequence_kernels;
pub mod sequence_lanes;
#[cfg(feature = "session")]
pub mod session;
#[cfg(feature = "train")]
pub mod updates;
