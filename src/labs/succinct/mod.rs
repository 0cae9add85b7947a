//! The lab of networks that contain a learning algorithm: SGD writes examples into a table, one filter runs a program
//! on it, and a search finds a short program (Goel, Kakade, Kalai and Zhang 2022).

mod charts;
mod example;
mod grids;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod sweeps;
mod texts;

use super::LabParts;
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::models::Family;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::SuccinctLearning;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::SuccinctState;

/// Lab on networks with few distinct weights that contain a learning algorithm (Goel et al. 2022).
pub struct SuccinctLab;

impl LabParts for SuccinctLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    // The first preset ends when the table is written, before the program runs.
    const TILE_PRESET: &str = "dictator-program";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "the-program-in-the-filter",
        title: "The program in the filter",
        about: "SGD writes examples into a table, and a filter of fixed size, applied in every layer of a deep network, runs a learning algorithm on this table. A random search also finds short learning algorithms.",
        minutes: 9,
        curve: "parity-program",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::SPEC, example::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, _, _| Some(Box::new(SuccinctState::new(spec)?)),
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_success(run, networks, at)),
        metric_names: |run| Some(texts::metric_names(run)),
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for SuccinctLab {
    fn info(&self) -> &'static CatalogInfo {
        &SuccinctLearning::INFO
    }

    fn about(&self, spec: &RunSpec) -> &'static str {
        match spec.model.config().family() {
            Some(Family::RuleSearch(_)) => text!(
                "A search tries short learning algorithms: rules that change the cells of a table of examples. The search keeps the rule that answers the most validation queries right."
            ),
            _ => self.info().about,
        }
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("test inputs"),
            has_hidden_rule: false,
            reports_not_found: false,
            has_target: false,
            curve_names: Some([text!("table rows or validation queries"), text!("test inputs")]),
            example_axis_label: text!("steps made"),
            ..Vocabulary::BITS
        }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(example::ANSWERED)
    }

    fn shown_example_count(&self, spec: &RunSpec) -> Option<usize> {
        example::example_count(spec)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        // The picture needs only the steps, of which the page keeps a record together with the parameters.
        Some(PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The panel follows the run, whichever charts are displayed.
        &[probes::MEMORY]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["program", "tried", "concept", "inputs", "examples", "flips"]
    }
}
