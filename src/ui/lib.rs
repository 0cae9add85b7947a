//! Components of the page that are independent of labs and of the page's state: settings, drawings, dialogs, buttons,
//! icons.
//!
//! For a browser only; elsewhere this crate is empty.
//!
//! # Why
//! The panels of the labs are drawn with the same pieces as the page. What a piece needs of the page (the run on display, the
//! value of a setting, a change that can be undone) goes through `context::RunContext`, which the page gives by Leptos
//! context.

#![cfg(target_family = "wasm")]

#[macro_use]
extern crate vivarium_core;

pub mod appearance;
pub mod browser;
pub mod button;
pub mod context;
pub mod dialog;
pub mod effect;
pub mod file_button;
pub mod frames;
pub mod icon;
pub mod inside;
pub mod lab_context;
pub mod pixels;
pub mod plot;
pub mod scene;
pub mod setting;
pub mod signal;
pub mod slider;
pub mod stages;
pub mod surface;
pub mod text;
