//! Base of all other crates: settings and catalogs, texts, limits, random numbers.
//!
//! | module | contents |
//! |---|---|
//! | [`mod@settings`], [`mod@catalog`] | one declaration per adjustable value; tables of entries |
//! | [`language`] | texts in the reader's language |
//! | [`sources`] | the publications that are cited |
//! | [`sorting`] | sorting by one function for all types |
//! | [`bounds`] | how large a run may be |
//! | [`math`] | formulas that several crates need |
//! | [`rng`] | the one source of randomness, the same on every processor |
//! | [`pytorch`] | parts of a PyTorch script |
//! | [`base64`] | bytes as letters and digits |

#[macro_use]
pub mod language;

pub mod base64;
pub mod bounds;
pub mod catalog;
pub mod math;
pub mod pytorch;
pub mod rng;
pub mod settings;
pub mod sorting;
pub mod sources;
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub mod testing;
