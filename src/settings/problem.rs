//! What cannot be in a specification or a link.

use serde::{Deserialize, Serialize};

/// Something in a specification that cannot be, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}", tr!("{key} = {found}: expected {expected}", key, found, expected))]
pub struct Problem {
    /// The knob's key, or the part of the link.
    pub key: String,
    /// What stood there, shortened and without control characters.
    pub found: String,
    /// What would have been right.
    pub expected: String,
}

impl Problem {
    /// A problem with `key`, where `found` stood and `expected` would be right.
    pub fn new(key: &str, found: &str, expected: impl Into<String>) -> Self {
        Problem { key: shorten(key), found: shorten(found), expected: expected.into() }
    }
}

/// At most 40 printable characters of what somebody typed or linked.
fn shorten(text: &str) -> String {
    let mut out: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    if text.chars().count() > 40 {
        out.push('…');
    }
    if out.is_empty() { "(nothing)".into() } else { out }
}
