//! The page: one store, a pure reducer, a trainer behind a trait, and Leptos components that only show.
//!
//! # Why
//! Everything that decides something (what a message means, which device to take, what to say) is plain
//! data and functions, compiled and tested natively. What needs a browser is below `ui`, and holds no rule.
//! The alternative, signals that set each other, cannot be tested without a browser and hides the order of
//! things; what would change our mind is a page with many independent runs on it.

pub mod device;
pub mod form;
pub mod hearing;
pub mod readings;
pub mod scale;
pub mod state;
pub mod trainer;
pub mod words;

#[cfg(feature = "ui")]
pub mod browser;
#[cfg(feature = "ui")]
pub mod components;
#[cfg(feature = "ui")]
pub mod store;
#[cfg(feature = "ui")]
pub mod trainer_web;

#[cfg(test)]
mod reducer_tests;
