//! A run as it is shown: what is known of it, the charts that it has, and what is said of it.
//!
//! # Why
//! Charts, summaries and status lines are the same on the page, on the command line and for a run that was left for an
//! earlier step of it. So they take a [`RunView`], which knows nothing of a page: no trainer, no form, no other run.

pub mod charts;
pub mod data;
mod events;
pub mod glossary;
pub mod instance;
mod lab;
pub mod milestones;
pub mod naming;
pub mod status;
pub mod summary;
pub mod sweep;
mod update;
mod view;
pub mod words;

pub use update::own_data;
pub use view::{Example, Lab, LabState, Labs, LazyLab, LazyLabs, Phase, RunView, Vocabulary, Weights, Work};
