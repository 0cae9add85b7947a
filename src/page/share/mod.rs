//! Sharing a run: QR codes, links for a lesson, and the title for a bookmark.

pub mod qr;
pub mod teaching;
pub mod titles;
