//! Networks that are trained on traces of a small random machine, beside the construction that looks the most recent write up
//! by a binary search. The task and all numbers are ours: the paper on the construction trains nothing, and no claim here
//! says that training finds the construction.

mod charts;
mod example;
mod newest;
pub mod presets;
pub mod probes;
pub mod state;
#[cfg(test)]
mod tests;
pub mod words;

use super::Parts;
use super::answers::ANSWERS;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::MachineTraces;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::TracesState;

/// The lab.
pub struct TracesLab;

impl Parts for TracesLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const STORIES: &[About] = &[About {
        slug: "what-training-finds",
        title: "What training finds",
        about: "A small transformer reads the steps of a Turing machine and predicts the next symbol under the machine's head. The tape is not part of the transformer's input.",
        minutes: 5,
        curve: "traces",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
}

impl Lab for TracesLab {
    fn info(&self) -> &'static Info {
        &MachineTraces::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("written cells of held-out traces"),
            hides: false,
            searches: false,
            seen: text!("traces seen"),
            ..Vocabulary::BITS
        }
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn watched(&self) -> &'static [Probe] {
        // What is looked into follows the network, whichever charts are on show.
        &[probes::PARAMETERS]
    }
}

impl LazyLab for TracesLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, link: &Link, _: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        Some(Box::new(TracesState::of(spec, link)?))
    }

    fn learning(&self, run: &RunView) -> Option<String> {
        words::learning(run)
    }

    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        Some(words::names())
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::numbers(run))
    }
}
