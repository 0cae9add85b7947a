//! A setting with the values that it takes one after the other: what a [sweep](crate::sweep) goes through.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A knob's key with the values it is to take, as they stand in a permalink; none where the key is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Axis {
    /// The knob.
    pub key: String,
    /// What it is set to, in order.
    pub values: Vec<String>,
}

/// Most values of an axis.
pub(super) const MOST_VALUES: usize = 32;

impl Axis {
    /// Whether there is nothing to go through.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The axis that `text` stands for: nothing, or `key:value_value`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Axis::default());
        }
        let (key, values) = text.split_once(':')?;
        let axis = Axis { key: key.into(), values: values.split('_').map(String::from).collect() };
        axis.is_sound().then_some(axis)
    }

    pub(super) fn is_sound(&self) -> bool {
        let word = |text: &str, longest: usize, extra: &str| {
            (1..=longest).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
        };
        let all = self.values.len() <= MOST_VALUES && self.values.iter().all(|v| word(v, 24, ".-+"));
        if self.key.is_empty() { self.is_empty() } else { word(&self.key, 8, "") && !self.is_empty() && all }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { Ok(()) } else { write!(f, "{}:{}", self.key, self.values.join("_")) }
    }
}
