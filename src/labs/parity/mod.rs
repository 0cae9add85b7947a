//! Sparse parities: `k` of `n` bits decide the label, and nothing short of all of them gives a clue (Edelman 2024, chapters 5 and 6; Barak et al. 2022).

mod advice;
mod panel;
pub mod presets;

use super::story::About;
use super::{Lab, LazyLab};
use crate::catalog::Info;
use crate::run::RunSpec;
use crate::tasks::SparseParity;

pub use presets::PRESETS;

/// The lab.
pub struct ParityLab;

/// The lab, in the table of [`super::LABS`].
pub static LAB: ParityLab = ParityLab;

impl Lab for ParityLab {
    fn info(&self) -> &'static Info {
        &SparseParity::INFO
    }

    fn stories(&self) -> &'static [About] {
        &[
            About {
                slug: "hidden-progress",
                title: "Where is the progress hidden?",
                about: "A loss that does not move for hundreds of steps, and weights that do.",
                minutes: 6,
                curve: "hidden-progress",
            },
            About {
                slug: "no-luck",
                title: "Why does nobody get lucky?",
                about: "A thousand networks search for three bits, and none of them guesses.",
                minutes: 5,
                curve: "no-luck",
            },
            About {
                slug: "width-luck",
                title: "Width buys luck",
                about: "Why a wider network needs fewer examples, told by the neurons that won.",
                minutes: 7,
                curve: "lottery",
            },
        ]
    }
}

impl LazyLab for ParityLab {
    fn cannot_learn(&self, spec: &RunSpec) -> Vec<String> {
        advice::cannot_learn(spec)
    }
}
