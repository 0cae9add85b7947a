//! Markov chains: every sequence has a chain of its own, read in context (Edelman 2024, chapter 8).

pub mod panel;
pub mod presets;

use super::story::About;
use super::{Lab, LazyLab};
use crate::catalog::Info;
use crate::tasks::MarkovChain;

pub use presets::PRESETS;

/// The lab.
pub struct MarkovLab;

/// The lab, in the table of [`super::LABS`].
pub static LAB: MarkovLab = MarkovLab;

impl Lab for MarkovLab {
    fn info(&self) -> &'static Info {
        &MarkovChain::INFO
    }

    fn stories(&self) -> &'static [About] {
        &[About {
            slug: "unigram-trap",
            title: "The unigram trap",
            about: "A transformer learns to count symbols, rests, and then finds out how to look back.",
            minutes: 6,
            curve: "induction-k3-slow",
        }]
    }

    fn needs_second_half(&self) -> bool {
        true
    }

    fn right(&self, examples: &str) -> String {
        tr!("of the {examples} right", examples)
    }
}

impl LazyLab for MarkovLab {}
