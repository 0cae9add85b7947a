//! What leaves the page as a link: codes to scan, and links for a lesson.

pub mod qr;
pub mod teaching;
