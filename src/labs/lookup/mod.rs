//! The look-up lab: every position of a prompt names some of its tokens. Attention with a head for each name looks
//! them up; other networks need more and more examples as prompts grow (Mousavi-Hosseini et al. 2025).

mod charts;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod sweeps;
mod texts;
mod theory;
pub mod weights;

use super::LabParts;
use super::answers::ANSWERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::SparseTokenRegression;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::LookupState;

/// Number of attention heads of a run's network; `None` if the network has no attention.
pub fn heads(spec: &RunSpec) -> Option<usize> {
    theory::read_count(spec, "h")
}

/// Lab on sparse token regression: each position of a prompt lists the positions ("names") whose tokens determine its
/// label.
pub struct LookupLab;

impl LabParts for LookupLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const TILE_PRESET: &str = "two-heads";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "who-looks-it-up",
        title: "How many attention heads does a lookup need?",
        about: "Each position of a prompt contains the names of some tokens, and the attention heads look up these tokens. If the network has too few heads, an error remains, and theory gives a lower bound on this error.",
        minutes: 6,
        curve: "two-heads",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::PROBES[0], probes::PROBES[1], weights::SPEC, weights::span::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: probes::example::build_example,
        initial_state: |spec, link, _| Some(Box::new(LookupState::new(spec, link)?)),
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_success(run, networks, at)),
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        hero: hero::new_hero,
        ..LazyLab::NONE
    };
}

impl Lab for LookupLab {
    fn info(&self) -> &'static CatalogInfo {
        &SparseTokenRegression::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("held-out prompts"),
            example_axis_label: text!("sequences seen"),
            ..Vocabulary::NUMBERS
        }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(weights::PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The inspected prompt follows the network, whichever charts are displayed.
        &[weights::PARAMETERS]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["h", "slots", "q", "n", "lr", "noise", "width", "widths", "wd"]
    }
}
