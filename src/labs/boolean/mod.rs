//! Sparse Boolean functions: a few of many bits decide, and few examples show which (Edelman 2024, chapter 4).

mod advice;
pub mod experiments;
pub mod fourier;
pub mod looks;
pub mod presets;
pub mod probes;

use super::Parts;
use super::answers::{ANSWERS, of_numbers};
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{SparseBoolean, Task};
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LazyLab, RunView};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;

/// The lab.
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
    fn info(&self) -> &'static Info {
        &SparseBoolean::INFO
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn chance(&self, spec: &RunSpec) -> f32 {
        match &spec.task {
            Task::SparseBoolean(task) => task.larger_share() as f32,
            _ => 0.5,
        }
    }
}

impl LazyLab for BooleanLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        of_numbers(run, at)
    }

    fn cannot_learn(&self, spec: &RunSpec) -> Vec<String> {
        advice::cannot_learn(spec)
    }
}
