//! What a person wants of sweeps.

mod update;

use crate::permalink::Link;

/// What a person wants of sweeps.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Make the one of this link.
    Make(Box<Link>),
    /// Make no more runs, and keep what was found.
    Cancel,
}
