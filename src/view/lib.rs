//! Display of runs: data, charts, presets and files.
//!
//! | module | contents |
//! |---|---|
//! | [`display`] | a run as it is shown, the charts of every lab, and the contract of the labs |
//! | [`presets`] | named runs with a claim |
//! | [`probing`] | measurements that are made in short slices; the labs declare them |
//! | [`record`] | a run as files: CSV, JSON, a command, a PyTorch script |
//! | [`ui`] | parts of the page that depend on no lab and on no state of the page |

#[macro_use]
extern crate vivarium_core;

pub mod display;
pub mod presets;
pub mod probing;
pub mod record;
pub mod ui;
