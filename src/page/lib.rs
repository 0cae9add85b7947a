//! The state of the page: one value, a pure reducer, and a trainer behind a trait.
//!
//! Each feature is a folder with its state, its actions and its tests; the folder of the same name in `src/app` has its
//! view.
//!
//! # Why
//! Everything that decides something (what a message means, which device to take, which sentence is shown) is plain
//! data and functions, compiled and tested natively; the command line uses it too. The views in `src/app` need a
//! browser and decide nothing. The alternative, signals that set each other, cannot be tested without a browser and
//! hides the order of changes; a page with many independent runs would change our mind.

#[macro_use]
extern crate vivarium_core;

pub mod bench;
pub mod charts;
pub mod compare;
pub mod files;
pub mod gallery;
pub mod html;
pub mod library;
pub mod presenter;
pub mod run;
pub mod settings;
pub mod share;
pub mod state;
pub mod sweeps;
pub mod timeline;
pub mod tour;
pub mod trainer;

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

/// Key of the browser's local storage for the chosen language.
pub const LANGUAGE: &str = "vivarium.language";
