//! What leaves the page as a link: codes to scan, and links for a lesson.

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod links;
pub mod qr;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod teacher;
pub mod teaching;
