//! What leaves the page by a link: codes to scan, links for a lesson, and the title that a bookmark has.

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod framed;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod links;
pub mod qr;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod teacher;
pub mod teaching;
pub mod titles;
