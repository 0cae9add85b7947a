//! The lab of a transformer that is gradient descent: written down so that 2N + 4 of its layers are one step of descent on a
//! network of N layers whose weights travel in the tokens (Wu, Su, Hu, Song and Liu 2024). Nothing is trained.

mod charts;
mod example;
pub mod panel;
pub mod presets;
pub mod state;
mod sweeps;
mod trace;
pub mod weights;
mod words;

use super::Parts;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::InContextRegression;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::DescentState;
pub use trace::Trace;

/// The lab.
pub struct DescentLab;

impl Parts for DescentLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const STORIES: &[About] = &[About {
        slug: "a-network-inside-a-network",
        title: "A network inside a network",
        about: "A formula sets the weights of a transformer. Its layers then perform gradient descent on a small network, and the tokens store the weights of this network.",
        minutes: 7,
        curve: "relu-descent",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[weights::SPEC];
}

impl Lab for DescentLab {
    fn info(&self) -> &'static Info {
        &InContextRegression::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("the examples of the prompt"),
            aims: false,
            curves: Some([text!("with the weights in the tokens"), text!("with direct gradient descent")]),
            seen: text!("examples used"),
            ..Vocabulary::NUMBERS
        }
    }

    fn answers(&self) -> Option<Probe> {
        Some(weights::PARAMETERS)
    }

    fn shown(&self, spec: &RunSpec) -> Option<usize> {
        example::shown(spec)
    }

    fn watched(&self) -> &'static [Probe] {
        // The tokens follow the run, whichever charts are on show.
        &[weights::PARAMETERS]
    }
}

impl LazyLab for DescentLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, link: &Link, _: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        Some(Box::new(DescentState::of(spec, link)?))
    }

    fn cannot_learn(&self, spec: &RunSpec) -> Vec<String> {
        words::cannot_learn(spec)
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
