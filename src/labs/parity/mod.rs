//! Sparse parities: `k` of `n` bits decide the label, and nothing short of all of them gives a clue (Edelman 2024,
//! chapters 5 and 6; Barak et al. 2022).

mod advice;
mod charts;
pub mod hero;
mod initial_gaps;
pub mod luck;
mod neuron_gap;
pub mod plateau;
pub mod presets;
pub mod probes;
mod time_left;

use super::LabParts;
use super::answers::{ANSWERS, build_number_example};
use super::parameters::PARAMETERS;
use super::story::StoryEntry;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::SparseParity;
use vivarium_view::display::charts::ChartSpec;
use vivarium_view::display::{Lab, LazyLab};
use vivarium_view::presets::Preset;
use vivarium_view::probing::{Probe, ProbeSpec};

pub use presets::PRESETS;

/// Lab on sparse parities, where `k` of `n` bits determine the label.
pub struct ParityLab;

impl LabParts for ParityLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "parity-20";
    const STORIES: &[StoryEntry] = &[
        StoryEntry {
            slug: "hidden-progress",
            title: "Where is the progress hidden?",
            about: "The loss is flat for hundreds of steps, but the weights already move.",
            minutes: 6,
            curve: "hidden-progress",
        },
        StoryEntry {
            slug: "no-luck",
            title: "Is training a random search?",
            about: "The training times of a thousand networks show that the networks do not find the relevant bits by random guessing.",
            minutes: 5,
            curve: "no-luck",
        },
        StoryEntry {
            slug: "width-luck",
            title: "More neurons, fewer examples",
            about: "A wider network needs fewer examples. The neurons with the largest weights show why.",
            minutes: 7,
            curve: "lottery",
        },
    ];
    const CHARTS: &[ChartSpec] = charts::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
    const LAZY: LazyLab = LazyLab {
        example: build_number_example,
        hero: hero::new_hero,
        learning_obstacles: advice::learning_obstacles,
        largest_margin: |spec, _| spec.model.config().largest_margin(&spec.task),
        map_note: luck::describe_sweep_bound,
        max_success: |spec| luck::estimate_resources(spec).map(|spent| spent.max_success_probability()),
        ..LazyLab::NONE
    };
}

impl Lab for ParityLab {
    fn info(&self) -> &'static CatalogInfo {
        &SparseParity::INFO
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

    fn first_settings(&self) -> &'static [&'static str] {
        &["width", "widths", "degree", "dmlp", "n", "k", "lr", "noise", "wd"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn margins_are_those_of_the_theorem_and_of_nothing_else() {
        let found = |link: &str| (ParityLab::LAZY.largest_margin)(&decode(link).0.spec, None);
        let margin = found("#v1/sparse-parity?model=power-net&n=10&k=4&degree=4&data=cube").unwrap();
        assert!((margin / 0.607_157 - 1.0).abs() < 1e-5, "{margin}");
        for link in
            ["", "?model=power-net", "?model=power-net&n=10&k=2&degree=4&data=cube", "?n=10&data=cube"]
        {
            assert_eq!(found(&format!("#v1/sparse-parity{link}")), None, "{link}");
        }
    }
}
