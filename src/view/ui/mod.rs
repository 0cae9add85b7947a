//! Pieces of a page that know no lab and nothing of the page's state: settings, drawings, dialogs, buttons, icons.
//!
//! # Why
//! Labs draw their panels with the same pieces as the page, and lie below it. So what a piece wants of the page (the run on
//! display, what a setting holds, a change that can be undone) goes through `context::RunContext`, which the page gives
//! by Leptos context. What is plain data here is compiled and tested natively.

pub mod field;
pub mod request;
pub mod scale;
pub mod stage;

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod appearance;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod browser;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod button;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod context;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod effect;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod file_button;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod frames;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod icon;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod inside;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod news;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod pixels;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod plot;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod setting;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod sheet;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod slider;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod stages;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod surface;
