//! The lab of a transformer that runs a Turing machine: one token for each step of the machine, and no tape anywhere
//! (Wei, Chen and Ma 2022). Nothing is trained.

mod charts;
mod example;
mod grids;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod state;
pub mod step;
mod sweeps;
pub mod tape;
pub mod texts;

use super::LabParts;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TuringMachine;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::MachineState;

/// Lab on a transformer that executes a Turing machine, one token per step.
pub struct MachinesLab;

impl LabParts for MachinesLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const TILE_PRESET: &str = "beaver-machine";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "a-machine-without-a-tape",
        title: "A machine without a tape",
        about: "A transformer simulates a Turing machine, but does not store the tape. It writes one token for each step of the machine, and it searches the past tokens for the symbol under the machine's head.",
        minutes: 8,
        curve: "beaver-machine",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[step::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, _, _| Some(Box::new(MachineState::new(spec)?)),
        learning_obstacles: texts::execution_obstacles,
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_success(run, networks, at)),
        describe_end: texts::describe_end,
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for MachinesLab {
    fn info(&self) -> &'static CatalogInfo {
        &TuringMachine::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("the steps of the machine"),
            has_target: false,
            has_numeric_labels: false,
            curve_names: Some([text!("in this step"), text!("in all steps so far")]),
            example_axis_label: text!("steps made"),
            ..Vocabulary::NUMBERS
        }
    }

    fn score_phrase(&self, examples: &str) -> String {
        // Until the page's second program is loaded, both kinds of end share one sentence.
        tr!("of {examples} were executed before the first error or the end of the run", examples)
    }

    fn chance_accuracy(&self, _spec: &RunSpec) -> f32 {
        0.0
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(step::CURRENT_STEP)
    }

    fn shown_example_count(&self, spec: &RunSpec) -> Option<usize> {
        example::example_count(spec)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // Tokens follow the run, whichever charts are displayed.
        &[step::CURRENT_STEP]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["m", "input", "choice", "beta", "round", "sigma", "t"]
    }
}
