//! The lab of a transformer that performs gradient descent: its weights are constructed so that 2N + 4 of its layers
//! are one step of gradient descent on an N-layer network whose weights are stored in the tokens (Wu, Su, Hu, Song and
//! Liu 2024). Nothing is trained.

mod charts;
mod example;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod state;
mod sweeps;
mod texts;
mod trace;
pub mod weights;

use super::LabParts;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::InContextRegression;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::DescentState;
pub use trace::StepTrace;

/// The lab of in-context regression by a constructed transformer.
pub struct DescentLab;

impl LabParts for DescentLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const TILE_PRESET: &str = "relu-descent";
    const STORIES: &[StoryEntry] = &[StoryEntry {
        slug: "a-network-inside-a-network",
        title: "A network inside a network",
        about: "A formula sets the weights of a transformer. Its layers then perform gradient descent on a small network, and the tokens store the weights of this network.",
        minutes: 7,
        curve: "relu-descent",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[weights::SPEC];
    const LAZY: LazyLab = LazyLab {
        example: example::build_example,
        hero: hero::new_hero,
        initial_state: |spec, link, _| Some(Box::new(DescentState::from_spec(spec, link)?)),
        learning_obstacles: texts::learning_obstacles,
        describe_learning: texts::describe_progress,
        describe_found: |run, networks, at| Some(texts::describe_result(run, networks, at)),
        metric_names: |_| Some(texts::metric_names()),
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for DescentLab {
    fn info(&self) -> &'static CatalogInfo {
        &InContextRegression::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("the examples of the prompt"),
            has_target: false,
            curve_names: Some([
                text!("with the weights in the tokens"),
                text!("with direct gradient descent"),
            ]),
            example_axis_label: text!("examples used"),
            ..Vocabulary::NUMBERS
        }
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(weights::PARAMETERS)
    }

    fn shown_example_count(&self, spec: &RunSpec) -> Option<usize> {
        example::example_count(spec)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(hero::HERO_PROBE)
    }

    fn watched_probes(&self) -> &'static [Probe] {
        // The panel shows the tokens, whichever charts are visible.
        &[weights::PARAMETERS]
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["hidden", "n", "freq", "knots", "lr", "delta", "w0"]
    }
}
