//! The trained half of learning in context: small transformers that are trained on prompts, each of which is points of a
//! function of its own, and predict about as well as methods that see the prompt alone (Garg et al. 2022; Wu et al. 2024,
//! appendix G).
//!
//! # Why
//! That such a network predicts well says nothing of how it does so. Nothing here is called gradient descent; that is the
//! lab of the transformer that is written down to be it.

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
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::InContextLearning;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::InContextState;

/// The lab.
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
    fn info(&self) -> &'static Info {
        &InContextLearning::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary { examples: text!("held-out prompts"), seen: text!("prompts seen"), ..Vocabulary::NUMBERS }
    }

    fn right(&self, examples: &str) -> String {
        tr!("of the variance is explained at the last point of {examples}", examples)
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn watched(&self) -> &'static [Probe] {
        // What is looked into follows the network, whichever charts are on show.
        &[weights::PARAMETERS]
    }
}

impl LazyLab for InContextLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        probes::example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, link: &Link, before: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        let before = before.and_then(|before| before.of());
        Some(Box::new(InContextState::of(spec, link, before)?))
    }

    fn learning(&self, run: &RunView) -> Option<String> {
        words::learning(run)
    }

    fn found(&self, run: &RunView, networks: &str, at: &str) -> Option<String> {
        Some(words::found_at(run, networks, at))
    }

    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        Some(words::names())
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::numbers(run))
    }
}
