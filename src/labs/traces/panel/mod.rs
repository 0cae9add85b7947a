//! What only this lab shows on the page: the machine's rules, and which trace is looked into.

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
