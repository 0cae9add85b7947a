//! Tables: rows of columns, generated or from a CSV file; networks against a random forest (Edelman 2024, section 6.4.2).

pub mod experiments;
pub mod opened;
pub mod panel;
pub mod presets;

use super::Parts;
use super::answers::{ANSWERS, of_numbers};
use vivarium_core::catalog::Info;
use vivarium_model::models::Model;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Tabular;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{percent, thousands};
use vivarium_view::display::{Example, Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::Probe;

pub use presets::PRESETS;

/// The lab.
pub struct TablesLab;

impl Parts for TablesLab {
    const PRESETS: &[&[Preset]] = PRESETS;
}

impl Lab for TablesLab {
    fn info(&self) -> &'static Info {
        &Tabular::INFO
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples: text!("held-out rows"),
            columns: true,
            hides: false,
            searches: false,
            ..Vocabulary::BITS
        }
    }

    fn chance(&self, spec: &RunSpec) -> f32 {
        opened::larger_class(spec).unwrap_or(0.5)
    }
}

impl LazyLab for TablesLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        of_numbers(run, at)
    }

    fn of_file(&self, number: u64, shown: &Link) -> Option<Link> {
        Some(panel::file::link(number, shown))
    }

    fn numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        let first = match &run.spec().model {
            Model::RandomForest(forest) => (tr!("Trees").into(), thousands(forest.grown(run.step) as u64)),
            _ => (tr!("Held-out rows").into(), thousands(run.held_out as u64)),
        };
        Some([first, (tr!("Share of the larger class").into(), percent(run.lab().chance(run.spec())))])
    }
}
