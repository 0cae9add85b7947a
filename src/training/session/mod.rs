//! A run in progress, and what every learner shares: examples, measurements, checkpoints, states to go back to.

#[cfg(feature = "session")]
pub mod bit_packed;
#[cfg(feature = "session")]
pub mod checkpoint;
#[cfg(feature = "train")]
pub mod data_loader;
#[cfg(feature = "session")]
mod driver;
pub mod evaluator;
#[cfg(feature = "session")]
pub mod helper;
#[cfg(feature = "train")]
pub mod judge;
pub mod learner;
pub mod margin;
pub mod pairs;
#[cfg(feature = "session")]
pub mod prompt_rows;
#[cfg(feature = "fused")]
pub(crate) mod rollback;
pub mod trace_evaluator;
#[cfg(feature = "session")]
pub mod trial;

#[cfg(feature = "session")]
pub use driver::{Options, Outcome, Session};
