//! Networks that are trained on traces of a small random machine, compared with the construction that looks up the most
//! recent write by a binary search. The task and all numbers are ours: the paper on the construction trains nothing,
//! and no claim here says that training finds the construction.

mod charts;
mod example;
pub mod hero;
mod latest;
pub mod presets;
pub mod probes;
pub mod state;
#[cfg(test)]
mod tests;
pub mod texts;

use super::LabParts;
use super::answers::ANSWERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::MachineTraces;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::TracesState;

/// Lab on networks trained to predict the next step in traces (step records) of a random Turing machine.
pub struct TracesLab;

impl LabParts for TracesLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "traces";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "what-training-finds",
        title: "What training finds",
        about: "A small transformer reads the steps of a Turing machine and predicts the next symbol under the machine's head. The tape is not part of the transformer's input.",
        minutes: 5,
        curve: "traces",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, link, _| Some(Box::new(TracesState::new(spec, link)?)),
        describe_learning: texts::describe_progress,
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for TracesLab {
    fn info(&self) -> &'static CatalogInfo {
        &MachineTraces::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("written cells of held-out traces"),
            has_hidden_rule: false,
            reports_not_found: false,
            example_axis_label: text!("traces seen"),
            ..Vocabulary::BITS
        }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        // The probe of the panel, so that the parameters are copied once.
        Some(probes::PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The inspected trace follows the network, whichever charts are displayed.
        &[probes::PARAMETERS]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["heads", "d", "states", "t", "lr", "wd", "machine"]
    }
}
