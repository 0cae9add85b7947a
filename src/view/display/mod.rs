//! Display of a run: its data, its charts and its description in words.
//!
//! # Why
//! Charts, summaries and status lines are the same on the page, on the command line and for a view of an earlier step
//! of the run. So they take a [`RunView`], which is independent of the page: no trainer, no form, no other run.

pub mod charts;
pub mod data;
mod events;
pub mod glossary;
pub mod hero;
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

pub use update::upload_command;
pub use view::{
    FirstLayerWeights, HeldOutExample, Lab, LabState, Labs, LazyLab, LazyLabs, RunPhase, RunView, Vocabulary,
    WorkProgress,
};
