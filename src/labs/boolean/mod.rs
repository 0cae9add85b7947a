//! Sparse Boolean functions: the label depends on a few of many bits, and few examples are enough to find them (Edelman
//! 2024, chapter 4).

mod advice;
pub mod experiments;
pub mod fourier;
pub mod looks;
pub mod presets;
pub mod probes;

use super::Parts;
use super::answers::{ANSWERS, build_number_example};
use super::story::About;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{SparseBoolean, Task};
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{HeldOutExample, Lab, LazyLab, RunView};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;

/// The lab of sparse Boolean functions.
pub struct BooleanLab;

impl Parts for BooleanLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const STORIES: &[About] = &[About {
        slug: "log-t",
        title: "Why are few examples enough for many bits?",
        about: "A transformer finds 3 relevant bits among many bits. If the number of bits is eight times as large, the transformer needs only two or three times as many examples.",
        minutes: 7,
        curve: "and-enough",
    }];
    const CHARTS: &[ChartSpec] = looks::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
}

impl Lab for BooleanLab {
    fn info(&self) -> &'static CatalogInfo {
        &SparseBoolean::INFO
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn chance_accuracy(&self, spec: &RunSpec) -> f32 {
        match &spec.task {
            Task::SparseBoolean(task) => task.majority_fraction() as f32,
            _ => 0.5,
        }
    }
}

impl LazyLab for BooleanLab {
    fn example(&self, run: &RunView, at: usize) -> Option<HeldOutExample> {
        build_number_example(run, at)
    }

    fn learning_obstacles(&self, spec: &RunSpec) -> Vec<String> {
        advice::cannot_learn(spec)
    }
}
