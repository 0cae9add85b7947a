//! The state of the page: one value, and a pure reducer.
//!
//! Each feature is a folder with its state, its actions and its tests; the folder of the same name in `src/app` has its
//! view.
//!
//! # Why
//! Everything that decides something (what a message means, which device to take, which sentence is shown) is plain
//! data and functions, compiled and tested natively. The views in `src/app` need a
//! browser and decide nothing. The alternative, signals that set each other, cannot be tested without a browser and
//! hides the order of changes; a page with many independent runs would change our mind.

#[macro_use]
extern crate vivarium_core;

pub mod bench;
pub mod charts;
pub mod compare;
pub mod effect;
pub mod files;
pub mod gallery;
pub mod html;
pub mod keys;
pub mod lecture;
pub mod library;
pub mod presenter;
pub mod run;
pub mod settings;
pub mod share;
pub mod stage;
pub mod state;
pub mod sweeps;
pub mod timeline;
pub mod tour;

#[cfg(test)]
mod chain_tests;
#[cfg(test)]
mod display_tests;
#[cfg(test)]
mod labs_tests;
#[cfg(test)]
mod luck_tests;
#[cfg(test)]
mod markup_tests;
#[cfg(test)]
pub(crate) mod opened;
#[cfg(test)]
pub(crate) mod scripted;

/// Key of the browser's local storage for the chosen language.
pub const LANGUAGE: &str = "vivarium.language";
