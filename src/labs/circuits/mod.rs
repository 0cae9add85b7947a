//! The lab of Boolean circuits as networks of ReLUs: written down with and without rounding, and how small a perturbation of
//! all weights changes an answer (Wei, Chen and Ma 2022, sections 2 and 3). Nothing is trained.

mod charts;
mod example;
pub mod panel;
pub mod presets;
pub mod probes;
pub mod state;
mod sweeps;
pub mod words;

use super::Parts;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::BooleanCircuit;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::CircuitState;

/// The lab.
pub struct CircuitsLab;

impl Parts for CircuitsLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const STORIES: &[About] = &[About {
        slug: "rounding-keeps-the-margin",
        title: "Rounding keeps the margin large",
        about: "How large is the smallest change of the weights that makes the answer of a deep circuit wrong, with and without rounding after each layer?",
        minutes: 6,
        curve: "toy-rounded",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[probes::SPEC];
}

impl Lab for CircuitsLab {
    fn info(&self) -> &'static Info {
        &BooleanCircuit::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("the inputs of the truth table"),
            hides: false,
            searches: false,
            aims: false,
            curves: Some([text!("of all gates"), text!("of the output")]),
            ..Vocabulary::BITS
        }
    }

    fn answers(&self) -> Option<Probe> {
        Some(probes::PERTURBATION)
    }

    fn shown(&self, spec: &RunSpec) -> Option<usize> {
        example::shown(spec)
    }

    fn watched(&self) -> &'static [Probe] {
        // The panel follows the run, whichever charts are on show.
        &[probes::PERTURBATION]
    }
}

impl LazyLab for CircuitsLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, _: &Link, _: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        Some(Box::new(CircuitState::of(spec)?))
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
