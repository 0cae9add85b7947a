//! The trainer in web workers.

pub mod web;
