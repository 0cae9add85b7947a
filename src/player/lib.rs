//! Plays a run: chooses its device, drives its trainer, follows the trainer's messages, and goes back to earlier steps.
//!
//! # Why
//! The page, the command line and Python show the same run by the same rules: which device trains it, what a message of
//! the trainer changes, when a sweep goes on. Stories, saved runs, the gallery and Undo belong to the page alone, which
//! holds a [`Player`] as one part of its state. A function that may need a command to be sent, or a trainer to be opened,
//! adds a [`TrainerEffect`](trainer::TrainerEffect) to a list; the caller carries out the effects.

#[macro_use]
extern crate vivarium_core;

pub mod checkpoints;
pub mod consent;
pub mod device;
pub mod left;
pub mod messages;
pub mod passing;
pub mod player;
pub mod records;
pub mod seek;
pub mod speeds;
pub mod start;
pub mod status;
pub mod sweeps;
pub mod timing;
pub mod trainer;

mod clock;
mod controls;

pub use player::Player;
