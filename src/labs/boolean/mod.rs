//! Sparse Boolean functions: a few of many bits decide, and few examples show which (Edelman 2024, chapter 4).

mod advice;
mod panel;
pub mod presets;

use super::story::About;
use super::{Lab, LazyLab};
use crate::catalog::Info;
use crate::run::RunSpec;
use crate::tasks::SparseBoolean;

pub use presets::PRESETS;

/// The lab.
pub struct BooleanLab;

/// The lab, in the table of [`super::LABS`].
pub static LAB: BooleanLab = BooleanLab;

impl Lab for BooleanLab {
    fn info(&self) -> &'static Info {
        &SparseBoolean::INFO
    }

    fn stories(&self) -> &'static [About] {
        &[About {
            slug: "log-t",
            title: "Why log T?",
            about: "A transformer finds 3 bits among many, and twice the bits hardly cost it an example more.",
            minutes: 7,
            curve: "and-enough",
        }]
    }
}

impl LazyLab for BooleanLab {
    fn cannot_learn(&self, spec: &RunSpec) -> Vec<String> {
        advice::cannot_learn(spec)
    }
}
