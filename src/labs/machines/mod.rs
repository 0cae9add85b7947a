//! The lab of a transformer that runs a Turing machine: one token for each step of the machine, and no tape anywhere (Wei, Chen
//! and Ma 2022). Nothing is trained.

mod charts;
mod example;
mod grids;
pub mod panel;
pub mod presets;
pub mod state;
pub mod step;
mod sweeps;
pub mod tape;
pub mod words;

use super::Parts;
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TuringMachine;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use state::MachineState;

/// The lab.
pub struct MachinesLab;

impl Parts for MachinesLab {
    const PRESETS: &[&[Preset]] = presets::PRESETS;
    const STORIES: &[About] = &[About {
        slug: "a-machine-without-a-tape",
        title: "A machine without a tape",
        about: "A transformer simulates a Turing machine, but does not store the tape. It writes one token for each step of the machine, and it searches the past tokens for the symbol under the machine's head.",
        minutes: 8,
        curve: "beaver-machine",
    }];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = &[step::SPEC];
}

impl Lab for MachinesLab {
    fn info(&self) -> &'static Info {
        &TuringMachine::INFO
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("the steps of the machine"),
            aims: false,
            explains: false,
            curves: Some([text!("in this step"), text!("in all steps so far")]),
            seen: text!("steps made"),
            ..Vocabulary::NUMBERS
        }
    }

    fn right(&self, examples: &str) -> String {
        // Until the second program tells the two ends apart.
        tr!("of {examples} were executed before the first error or the end of the run", examples)
    }

    fn chance(&self, _spec: &RunSpec) -> f32 {
        0.0
    }

    fn answers(&self) -> Option<Probe> {
        Some(step::AT_STEP)
    }

    fn shown(&self, spec: &RunSpec) -> Option<usize> {
        example::shown(spec)
    }

    fn watched(&self) -> &'static [Probe] {
        // Tokens follow the run, whichever charts are on show.
        &[step::AT_STEP]
    }
}

impl LazyLab for MachinesLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        example::example(run, at)
    }

    fn state(&self, spec: &RunSpec, _: &Link, _: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        Some(Box::new(MachineState::of(spec)?))
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

    fn ended(&self, run: &RunView) -> Option<String> {
        words::ended(run)
    }

    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        Some(words::names())
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::numbers(run))
    }
}
