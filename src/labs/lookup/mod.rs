//! The look-up lab: every position of a prompt names some of its tokens. Attention with a head for each name looks
//! them up; other networks need more and more examples as prompts grow (Mousavi-Hosseini et al. 2025).

mod charts;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod sweeps;
mod theory;
pub mod weights;
mod words;

use super::Parts;
use super::answers::ANSWERS;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::SparseTokenRegression;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::LookupState;

/// Number of attention heads of a run's network; `None` if the network has no attention.
pub fn heads(spec: &RunSpec) -> Option<usize> {
    theory::whole(spec, "h")
}

/// The lab.
pub struct LookupLab;

impl Parts for LookupLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const STORIES: &[About] = &[About {
        slug: "who-looks-it-up",
        title: "How many attention heads does a lookup need?",
        about: "Each position of a prompt contains the names of some tokens, and the attention heads look up these tokens. If the network has too few heads, an error remains, and theory gives a lower bound on this error.",
        minutes: 6,
        curve: "two-heads",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::PROBES[0], probes::PROBES[1], weights::SPEC, weights::span::SPEC];
}

impl Lab for LookupLab {
    fn info(&self) -> &'static Info {
        &SparseTokenRegression::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("held-out prompts"),
            seen: text!("sequences seen"),
            ..Vocabulary::NUMBERS
        }
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn watched(&self) -> &'static [Probe] {
        // What is looked into follows the network, whichever charts are on show.
        &[weights::PARAMETERS]
    }
}

impl LazyLab for LookupLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        probes::example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, link: &Link, _: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        Some(Box::new(LookupState::of(spec, link)?))
    }

    fn learning(&self, run: &RunView) -> Option<String> {
        words::learning(run)
    }

    fn found(&self, run: &RunView, networks: &str, at: &str) -> Option<String> {
        Some(words::found(run, networks, at))
    }

    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        Some(words::names())
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::numbers(run))
    }
}
