//! What leaves the page by a link: codes to scan, links for a lesson, and the title that a bookmark has.

pub mod qr;
pub mod teaching;
pub mod titles;
