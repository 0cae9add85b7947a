//! The lab of Boolean circuits as ReLU networks with constructed weights, with and without rounding, and of the
//! smallest weight perturbation that changes an answer (Wei, Chen and Ma 2022, sections 2 and 3). Nothing is trained.

mod charts;
mod example;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod sweeps;
pub mod texts;

use super::LabParts;
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::BooleanCircuit;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::CircuitState;

/// The lab of Boolean circuits.
pub struct CircuitsLab;

impl LabParts for CircuitsLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    // The first preset multiplies weights, and has no inputs that could change.
    const TILE_PRESET: &str = "parity-circuit";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "rounding-keeps-the-margin",
        title: "Rounding keeps the margin large",
        about: "How large is the smallest change of the weights that makes the answer of a deep circuit wrong, with and without rounding after each layer?",
        minutes: 6,
        curve: "toy-rounded",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, _, _| Some(Box::new(CircuitState::from_spec(spec)?)),
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_result(run, networks, at)),
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for CircuitsLab {
    fn info(&self) -> &'static CatalogInfo {
        &BooleanCircuit::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("the inputs of the truth table"),
            has_hidden_rule: false,
            reports_not_found: false,
            has_target: false,
            curve_names: Some([text!("of all gates"), text!("of the output")]),
            ..Vocabulary::BITS
        }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(probes::PERTURBATION)
    }

    fn shown_example_count(&self, spec: &RunSpec) -> Option<usize> {
        example::example_count(spec)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The panel shows the perturbation, whichever charts are visible.
        &[probes::PERTURBATION]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["circuit", "n", "levels", "sigma", "round", "gates", "draws"]
    }
}
