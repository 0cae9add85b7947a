//! Groups: the product of two elements of a finite group (Edelman 2024, chapter 7; Morwani et al. 2023).

mod charts;
pub mod presets;
pub mod probes;
mod state;
mod theory;
mod words;

use super::Parts;
use super::answers::{ANSWERS, of_pairs};
use super::story::About;
use vivarium_core::catalog::Info;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Groups;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Example, Lab, LabState, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::GroupsState;
pub use theory::GroupTheory;

/// The lab.
pub struct GroupsLab;

impl Parts for GroupsLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const STORIES: &[About] = &[
        About {
            slug: "one-note",
            title: "One frequency per neuron",
            about: "After training on addition modulo 23, the weights of every neuron are waves with a single frequency. Theory predicts the largest possible margin of the network.",
            minutes: 6,
            curve: "z23",
        },
        About {
            slug: "grokking",
            title: "Memorise, then understand",
            about: "The network first memorises the training pairs. Much later, if the network trains with weight decay, it also answers the held-out pairs correctly.",
            minutes: 6,
            curve: "memorise-understand",
        },
    ];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
}

impl Lab for GroupsLab {
    fn info(&self) -> &'static Info {
        &Groups::INFO
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary { searches: false, ..Vocabulary::BITS }
    }

    fn examples(&self, spec: &RunSpec) -> &'static str {
        words::examples(spec)
    }

    fn right(&self, examples: &str) -> String {
        tr!("of the {examples} are answered correctly", examples)
    }

    fn needs_second_program(&self) -> bool {
        true
    }
}

impl LazyLab for GroupsLab {
    fn state(&self, spec: &RunSpec, _: &Link, before: Option<&dyn LabState>) -> Option<Box<dyn LabState>> {
        let before = before.and_then(|state| state.of::<GroupsState>());
        Some(Box::new(GroupsState::of(spec, before)?))
    }

    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        let group = &run.state::<GroupsState>()?.group;
        of_pairs(run, at, |element| group.element_name(element).to_string())
    }

    fn largest_margin(&self, spec: &RunSpec, state: Option<&dyn LabState>) -> Option<f64> {
        match state.and_then(|state| state.of::<GroupsState>()) {
            Some(state) => state.theory.as_ref().map(|theory| theory.largest.value),
            None => theory::largest(spec),
        }
    }

    fn margin_lines(&self, run: &RunView) -> Vec<(f64, String)> {
        words::margin_lines(run)
    }

    fn margin_note(&self, run: &RunView) -> Option<String> {
        words::margin_note(run)
    }

    fn found(&self, run: &RunView, networks: &str, at: &str) -> Option<String> {
        Some(words::found(run, networks, at))
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        Some(words::numbers(run))
    }
}
