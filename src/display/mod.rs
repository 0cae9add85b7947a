//! A run as it is shown: what is known of it, the charts that it has, and what is said of it.
//!
//! # Why
//! Charts, summaries and status lines are the same on the page, on the command line and for a run that was left for an
//! earlier step of it. So they take a [`RunView`], which knows nothing of a page: no trainer, no form, no other run.

mod chain_charts;
pub mod chains;
mod events;
pub mod functions;
pub mod lazy;
pub mod luck;
pub mod milestones;
mod pair_charts;
pub mod pairs;
mod probes;
pub mod readings;
pub mod status;
pub mod summary;
pub mod sweep;
pub mod tables;
mod update;
mod view;
pub mod words;

pub use view::{Phase, RunView, Weights};
