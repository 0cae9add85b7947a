//! Tables: rows of columns, generated or from a CSV file; networks against a random forest (Edelman 2024, section
//! 6.4.2).

pub mod experiments;
pub mod opened;
pub mod panel;
pub mod presets;

use super::Parts;
use super::answers::{ANSWERS, build_number_example};
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::models::Model;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Tabular;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_percent, format_thousands};
use vivarium_view::display::{HeldOutExample, Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::Probe;

pub use presets::PRESETS;

/// Lab on tables, generated or from a CSV file.
pub struct TablesLab;

impl Parts for TablesLab {
    const PRESETS: &[&[Preset]] = PRESETS;
}

impl Lab for TablesLab {
    fn info(&self) -> &'static CatalogInfo {
        &Tabular::INFO
    }

    fn answer_probe(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            examples_name: text!("held-out rows"),
            has_columns: true,
            has_hidden_rule: false,
            reports_not_found: false,
            ..Vocabulary::BITS
        }
    }

    fn chance_accuracy(&self, spec: &RunSpec) -> f32 {
        opened::larger_class_share(spec).unwrap_or(0.5)
    }
}

impl LazyLab for TablesLab {
    fn example(&self, run: &RunView, at: usize) -> Option<HeldOutExample> {
        build_number_example(run, at)
    }

    fn link_for_file(&self, number: u64, shown: &Link) -> Option<Link> {
        Some(panel::file::link_to_table(number, shown))
    }

    fn extra_numbers(&self, run: &RunView) -> Option<[(String, String); 2]> {
        let first = match &run.spec().model {
            Model::RandomForest(forest) => {
                (tr!("Trees").into(), format_thousands(forest.grown(run.step) as u64))
            }
            _ => (tr!("Held-out rows").into(), format_thousands(run.held_out as u64)),
        };
        Some([
            first,
            (tr!("Share of the larger class").into(), format_percent(run.lab().chance_accuracy(run.spec()))),
        ])
    }
}
