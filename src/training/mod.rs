//! Training: the one loop that page, command line and tests drive, and what it needs.

#[cfg(feature = "train")]
pub mod autodiff;
#[cfg(feature = "gpu")]
pub mod check;
#[cfg(feature = "train")]
pub mod checkpoint;
#[cfg(feature = "train")]
pub mod device;
#[cfg(feature = "train")]
pub mod feed;
#[cfg(feature = "train")]
pub mod learner;
pub mod loss;
pub mod optimizers;
#[cfg(feature = "train")]
pub mod session;
