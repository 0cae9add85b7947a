//! Trainers in web workers.

pub mod web;
