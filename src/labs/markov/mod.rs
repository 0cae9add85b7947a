//! Markov chains: every sequence has a chain of its own, read in context (Edelman 2024, chapter 8).

mod charts;
mod example;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod words;

use super::Parts;
use super::answers::ANSWERS;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::MarkovChain;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::MarkovState;

/// The lab.
pub struct MarkovLab;

impl Parts for MarkovLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const STORIES: &[About] = &[About {
        slug: "unigram-trap",
        title: "How a transformer learns to predict Markov chains",
        about: "A transformer first learns how often each symbol occurs. Then its loss changes little for many steps, until the transformer learns which symbols have followed the current symbol earlier in the sequence.",
        minutes: 6,
        curve: "induction-k3-slow",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
}

impl Lab for MarkovLab {
    fn info(&self) -> &'static Info {
        &MarkovChain::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("held-out sequences"),
            hides: false,
            searches: false,
            trains_only: true,
            seen: text!("sequences seen"),
            ..Vocabulary::BITS
        }
    }

    fn right(&self, examples: &str) -> String {
        tr!("of the {examples} are answered correctly", examples)
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn watched(&self) -> &'static [Probe] {
        // What is looked into follows the network, whichever charts are on show.
        &[probes::PARAMETERS]
    }
}

impl LazyLab for MarkovLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, link: &Link, before: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        let before = before.and_then(|before| before.of());
        Some(Box::new(MarkovState::of(spec, link, before)?))
    }

    fn learning(&self, run: &RunView) -> Option<String> {
        words::learning(run)
    }

    fn found(&self, run: &RunView, networks: &str, at: &str) -> Option<String> {
        words::found(run, networks, at)
    }

    fn names(&self, run: &RunView) -> Option<[String; 4]> {
        words::names(run)
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        words::numbers(run)
    }
}
