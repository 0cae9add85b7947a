//! Training: the one loop that page, command line and tests drive, and what it needs.

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
pub mod fused;
#[cfg(feature = "session")]
pub mod lanes;
#[cfg(feature = "session")]
pub mod learner;
pub mod loss;
pub mod optimizers;
#[cfg(feature = "fused")]
pub mod pace;
#[cfg(feature = "session")]
pub mod packed;
#[cfg(feature = "session")]
pub mod session;
