//! The lab of trained in-context learning: small transformers trained on prompts, each with points of its own function,
//! that predict about as well as methods fitted to the prompt alone (Garg et al. 2022; Wu et al. 2024, appendix G).
//!
//! # Why
//! Good predictions do not show how a network computes them. So this lab does not call it gradient descent, unlike the
//! lab of the transformer that is constructed to perform gradient descent.

mod across;
mod charts;
pub mod judge;
pub mod panel;
pub mod presets;
pub mod probes;
mod shown;
pub mod state;
mod sweeps;
pub mod weights;
mod words;

use super::Parts;
use super::answers::ANSWERS;
use super::story::About;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::InContextLearning;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{HeldOutExample, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::InContextState;

/// The lab of in-context learning by trained transformers.
pub struct InContextLab;

impl Parts for InContextLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const STORIES: &[About] = &[About {
        slug: "learned-to-learn",
        title: "Learned to learn",
        about: "A small transformer is trained on hundreds of thousands of functions. Then it predicts the values of a new function from a few examples, without further training.",
        minutes: 8,
        curve: "two-layers-in-context",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::SPEC, weights::SPEC];
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

    fn watched_probes(&self) -> &'static [Probe] {
        // The panel shows predictions of the latest network, whichever charts are visible.
        &[weights::PARAMETERS]
    }
}

impl LazyLab for InContextLab {
    fn example(&self, run: &RunView, at: usize) -> Option<HeldOutExample> {
        probes::example::build_example(run, at)
    }

    fn initial_state(
        &self,
        spec: &RunSpec,
        link: &Link,
        before: Option<&dyn LabState>,
    ) -> Option<Box<dyn LabState>> {
        let before = before.and_then(|before| before.downcast_state());
        Some(Box::new(InContextState::from_spec(spec, link, before)?))
    }

    fn describe_learning(&self, run: &RunView) -> Option<String> {
        words::describe_progress(run)
    }

    fn describe_found(&self, run: &RunView, networks: &str, at: &str) -> Option<String> {
        Some(words::describe_result(run, networks, at))
    }

    fn metric_names(&self, _run: &RunView) -> Option<[String; 4]> {
        Some(words::metric_names())
    }

    fn extra_numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::readouts(run))
    }
}
