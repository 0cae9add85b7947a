//! The perceptron: a student learns to answer like a linear teacher, and theory knows every error on the way (Vallet
//! 1989; Engel and Van den Broeck 2001, chapters 1 and 3).

pub mod charts;
pub mod hero;
pub mod presets;
pub mod probes;
pub mod theory;

use super::LabParts;
use super::answers::{ANSWERS, build_number_example};
use super::parameters::PARAMETERS;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TeacherStudent;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

/// Lab on a student perceptron that learns from a linear teacher.
pub struct PerceptronLab;

impl LabParts for PerceptronLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const TILE_PRESET: &str = "hebb";
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        example: build_number_example,
        extra_numbers: |run| Some(charts::readouts(run)),
        hero: hero::new_hero,
        ..LazyLab::NONE
    };
}

impl Lab for PerceptronLab {
    fn info(&self) -> &'static CatalogInfo {
        &TeacherStudent::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary { has_hidden_rule: false, reports_not_found: false, ..Vocabulary::BITS }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn needs_lazy_code(&self) -> bool {
        true
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(PARAMETERS)
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["width", "n", "m", "loss", "lr", "wd"]
    }
}
