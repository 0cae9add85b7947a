//! Groups: the product of two elements of a finite group (Edelman 2024, chapter 7; Morwani et al. 2023).

mod certificate;
mod charts;
pub mod hero;
mod margins;
pub mod presets;
pub mod probes;
mod state;
mod texts;
mod theory;

use super::LabParts;
use super::answers::{ANSWERS, build_pair_example};
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Groups;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;
pub use state::GroupsState;
pub use theory::GroupTheory;

/// The lab of finite groups.
pub struct GroupsLab;

impl LabParts for GroupsLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "z23";
    const STORIES: &[StoryEntry] = &[
        StoryEntry {
            slug: "one-note",
            title: "One frequency per neuron",
            about: "After training on addition modulo 23, the weights of nearly every neuron are waves with a single frequency. Theory predicts the largest possible margin of the network.",
            minutes: 6,
            curve: "z23",
        },
        StoryEntry {
            slug: "grokking",
            title: "Memorise, then understand",
            about: "The network first memorises the training pairs. Much later, if the network trains with weight decay, it also answers the held-out pairs correctly.",
            minutes: 6,
            curve: "memorise-understand",
        },
    ];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        initial_state: |spec, _, before| {
            let before = before.and_then(|state| state.downcast_state::<GroupsState>());
            Some(Box::new(GroupsState::from_spec(spec, before)?))
        },
        example: |run, at| {
            let group = &run.lab_state::<GroupsState>()?.group;
            build_pair_example(run, at, |element| group.element_name(element).to_string())
        },
        hero: hero::new_hero,
        largest_margin: |spec, state| match state.and_then(|state| state.downcast_state::<GroupsState>()) {
            Some(state) => state.theory.as_ref().map(|theory| theory.max_margin.value),
            None => theory::compute_max_margin(spec),
        },
        margin_lines: texts::margin_lines,
        margin_note: texts::margin_note,
        describe_found: |run, networks, at| Some(texts::describe_result(run, networks, at)),
        metric_names: texts::metric_names,
        extra_numbers: |run| Some(texts::readouts(run)),
        ..LazyLab::NONE
    };
}

impl Lab for GroupsLab {
    fn info(&self) -> &'static CatalogInfo {
        &Groups::INFO
    }

    fn about(&self, spec: &RunSpec) -> &'static str {
        texts::describe_task(spec).unwrap_or(Groups::INFO.about)
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn has_hero(&self, spec: &RunSpec) -> bool {
        hero::has_hero(spec)
    }

    fn hero_probe(&self) -> Option<Probe> {
        Some(PARAMETERS)
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary { reports_not_found: false, ..Vocabulary::BITS }
    }

    fn examples_name(&self, spec: &RunSpec) -> &'static str {
        texts::tested_pairs_name(spec)
    }

    fn score_phrase(&self, examples: &str) -> String {
        tr!("of the {examples} are answered correctly", examples)
    }

    fn needs_lazy_code(&self) -> bool {
        true
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["width", "dmlp", "n", "letters", "factors", "frac", "lr", "wd", "lambda"]
    }
}
