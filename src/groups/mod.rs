//! Finite groups.

pub mod theory;
