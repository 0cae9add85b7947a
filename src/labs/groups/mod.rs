//! Groups: the product of two elements of a finite group (Edelman 2024, chapter 7; Morwani et al. 2023).

mod panel;
pub mod presets;

use super::story::About;
use super::{Lab, LazyLab};
use crate::catalog::Info;
use crate::tasks::Groups;

pub use presets::PRESETS;

/// The lab.
pub struct GroupsLab;

/// The lab, in the table of [`super::LABS`].
pub static LAB: GroupsLab = GroupsLab;

impl Lab for GroupsLab {
    fn info(&self) -> &'static Info {
        &Groups::INFO
    }

    fn stories(&self) -> &'static [About] {
        &[
            About {
                slug: "one-note",
                title: "Each neuron sings one note",
                about: "Addition on a circle turns every neuron into a wave, and theory says how large the margin becomes.",
                minutes: 6,
                curve: "z23",
            },
            About {
                slug: "grokking",
                title: "Memorise, then understand",
                about: "All training pairs are right, and hardly another one, until weight decay has done its work.",
                minutes: 6,
                curve: "memorise-understand",
            },
        ]
    }

    fn needs_second_half(&self) -> bool {
        true
    }

    fn right(&self, examples: &str) -> String {
        tr!("of the {examples} right", examples)
    }
}

impl LazyLab for GroupsLab {}
