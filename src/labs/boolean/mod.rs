//! Sparse Boolean functions: the label depends on a few of many bits, and few examples are enough to find them (Edelman
//! 2024, chapter 4).

mod advice;
pub mod attention;
pub mod experiments;
pub mod fourier;
pub mod hero;
pub mod presets;
pub mod probes;

use super::LabParts;
use super::answers::{ANSWERS, build_number_example};
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{SparseBoolean, Task};
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;

/// The lab of sparse Boolean functions.
pub struct BooleanLab;

impl LabParts for BooleanLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "and-enough";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "log-t",
        title: "Why are few examples enough for many bits?",
        about: "A transformer finds 3 relevant bits among many bits. If the number of bits is eight times as large, the transformer needs only two or three times as many examples.",
        minutes: 7,
        curve: "and-enough",
    }];
    const CHARTS: &[ChartSpec] = attention::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        example: build_number_example,
        hero: hero::new_hero,
        learning_obstacles: advice::cannot_learn,
        ..LazyLab::NONE
    };
}

impl Lab for BooleanLab {
    fn info(&self) -> &'static CatalogInfo {
        &SparseBoolean::INFO
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(PARAMETERS)
    }

    fn chance_accuracy(&self, spec: &RunSpec) -> f32 {
        match &spec.task {
            Task::SparseBoolean(task) => task.majority_fraction() as f32,
            _ => 0.5,
        }
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["heads", "width", "widths", "n", "k", "m", "lr", "wd"]
    }
}
