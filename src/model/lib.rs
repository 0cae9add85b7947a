//! Tasks, networks and optimizers, and the value that determines a run.
//!
//! | module | contents |
//! |---|---|
//! | [`tasks`], [`models`] | the tasks, and the networks that learn them |
//! | [`optim`] | losses and update rules |
//! | [`run`], [`permalink`], [`sweep`] | the value that determines a run; its link; grids of runs |
//! | [`protocol`] | the messages between page and worker |
//! | [`platform`] | clock, yielding and messages: the only code that depends on the target |

#[macro_use]
extern crate vivarium_core;

#[doc(hidden)]
pub use vivarium_core::language::shown;

pub mod chart;
pub mod models;
pub mod optim;
pub mod permalink;
pub mod platform;
pub mod protocol;
pub mod run;
pub mod sweep;
pub mod tasks;
