//! The lab of trained in-context learning: small transformers trained on prompts, each with points of its own function,
//! that predict about as well as methods fitted to the prompt alone (Garg et al. 2022; Wu et al. 2024, appendix G).
//!
//! # Why
//! Good predictions do not show how a network computes them. So this lab does not call it gradient descent, unlike the
//! lab of the transformer that is constructed to perform gradient descent.

pub mod baselines;
mod charts;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod probes;
mod r2_series;
pub mod state;
mod sweep_regression;
mod sweeps;
mod texts;
pub mod weights;

use super::LabParts;
use super::answers::ANSWERS;
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::InContextLearning;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::InContextState;

/// The lab of in-context learning by trained transformers.
pub struct InContextLab;

impl LabParts for InContextLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const TILE_PRESET: &str = "two-layers-in-context";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "learned-to-learn",
        title: "Learned to learn",
        about: "A small transformer is trained on hundreds of thousands of functions. Then it predicts the values of a new function from a few examples, without further training.",
        minutes: 8,
        curve: "two-layers-in-context",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::SPEC, weights::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: probes::example::build_example,
        initial_state: |spec, link, before| {
            let before = before.and_then(|before| before.downcast_state());
            Some(Box::new(InContextState::from_spec(spec, link, before)?))
        },
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_result(run, networks, at)),
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        hero: hero::new_hero,
        ..LazyLab::NONE
    };
}

impl Lab for InContextLab {
    fn info(&self) -> &'static CatalogInfo {
        &InContextLearning::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("held-out prompts"),
            example_axis_label: text!("prompts seen"),
            ..Vocabulary::NUMBERS
        }
    }

    fn score_phrase(&self, examples: &str) -> String {
        tr!("of the variance is explained at the last point of {examples}", examples)
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        // The lab's own probe of parameters leaves out runs whose longest prompts are expensive.
        Some(PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The panel shows predictions of the latest network, whichever charts are visible.
        &[weights::PARAMETERS]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["blocks", "width", "points", "noise", "lr", "dim", "wd"]
    }
}
