//! The only code that depends on the target: clock, yielding, messages.

pub mod file;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(all(target_family = "wasm", feature = "web"))]
pub mod web;

#[cfg(not(target_family = "wasm"))]
pub use native::*;
#[cfg(all(target_family = "wasm", feature = "web"))]
pub use web::{fresh_seed, now_ms};

/// Milliseconds since a fixed but unspecified moment.
///
/// Without the `web` feature a wasm build has no clock; such a build only type-checks the core.
#[cfg(all(target_family = "wasm", not(feature = "web")))]
pub fn now_ms() -> f64 {
    0.0
}

/// Number of threads that a program in WebAssembly may run in parallel: one.
#[cfg(target_family = "wasm")]
pub fn core_count() -> usize {
    1
}
