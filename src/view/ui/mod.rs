//! Pieces of a page as plain data: fields of a form, scales, requests. The crate `vivarium-ui` draws them.

pub mod field;
pub mod request;
pub mod scale;
pub mod stage;
