//! Devices, which learner a run gets, and which runs share launches.

#[cfg(feature = "fused")]
pub mod batch_queue;
pub mod choose;
#[cfg(feature = "session")]
pub mod device;
#[cfg(feature = "fused")]
pub mod device_check;
pub mod learners;
#[cfg(feature = "fused")]
pub mod prefetch;
pub mod worth;
