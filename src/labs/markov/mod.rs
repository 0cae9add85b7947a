//! Markov chains: every sequence has a chain of its own, read in context (Edelman 2024, chapter 8).

mod charts;
mod example;
mod gradients;
pub mod hero;
mod layers;
mod own_network;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod swaps;
mod texts;

use super::LabParts;
use super::answers::ANSWERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::MarkovChain;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::MarkovState;

/// Lab on in-context learning of Markov chains: each training sequence comes from a chain of its own.
pub struct MarkovLab;

impl LabParts for MarkovLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "induction";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "unigram-trap",
        title: "How a transformer learns to predict Markov chains",
        about: "A transformer first learns how often each symbol occurs. Then its loss changes little for many steps, until the transformer learns which symbols have followed the current symbol earlier in the sequence.",
        minutes: 6,
        curve: "induction-k3-slow",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, link, before| {
            let before = before.and_then(|before| before.downcast_state());
            Some(Box::new(MarkovState::new(spec, link, before)?))
        },
        describe_learning: texts::describe_progress,
        describe_found: texts::describe_success,
        metric_names: texts::metric_names,
        extra_numbers: texts::readouts,
        ..LazyLab::NONE
    };
}

impl Lab for MarkovLab {
    fn info(&self) -> &'static CatalogInfo {
        &MarkovChain::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("held-out sequences"),
            has_hidden_rule: false,
            reports_not_found: false,
            shows_training_only: true,
            example_axis_label: text!("sequences seen"),
            ..Vocabulary::BITS
        }
    }

    fn score_phrase(&self, examples: &str) -> String {
        tr!("of the {examples} are answered correctly", examples)
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        // The state of the lab watches the same probe, so that parameters are sent once.
        Some(probes::PARAMETERS)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The inspected sequence follows the network, whichever charts are displayed.
        &[probes::PARAMETERS]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["heads", "w0", "k", "t", "lr", "alpha", "wd"]
    }
}
