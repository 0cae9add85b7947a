//! Tables: rows of columns, generated or from a CSV file; networks against a random forest (Edelman 2024, section
//! 6.4.2).

pub mod experiments;
pub mod hero;
pub mod panel;
pub mod presets;
pub mod user_tables;

use super::LabParts;
use super::answers::{ANSWERS, build_number_example};
use super::parameters::PARAMETERS;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::models::Model;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Tabular;
use vivarium_view::display::words::{format_percent, format_thousands};
use vivarium_view::display::{Lab, LazyLab, Vocabulary};
use vivarium_view::presets::Preset;
use vivarium_view::probing::Probe;

pub use presets::PRESETS;

/// Lab on classification of the rows of tables, generated or read from a CSV file.
pub struct TablesLab;

impl LabParts for TablesLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const TILE_PRESET: &str = "table-network";
    const LAZY: LazyLab = LazyLab {
        example: build_number_example,
        link_for_file: |number, shown| Some(panel::file::link_to_table(number, shown)),
        extra_numbers: |run| {
            let first = match &run.spec().model {
                Model::RandomForest(forest) => {
                    (tr!("Trees").into(), format_thousands(forest.grown(run.step) as u64))
                }
                _ => (tr!("Held-out rows").into(), format_thousands(run.held_out as u64)),
            };
            let chance = format_percent(run.lab().chance_accuracy(run.spec()));
            Some([first, (tr!("Share of the larger class").into(), chance)])
        },
        hero: hero::new_hero,
        ..LazyLab::NONE
    };
}

impl Lab for TablesLab {
    fn info(&self) -> &'static CatalogInfo {
        &Tabular::INFO
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
        Vocabulary {
            examples_name: text!("held-out rows"),
            has_columns: true,
            has_hidden_rule: false,
            reports_not_found: false,
            ..Vocabulary::BITS
        }
    }

    fn chance_accuracy(&self, spec: &RunSpec) -> f32 {
        user_tables::larger_class_share(spec).unwrap_or(0.5)
    }

    fn first_settings(&self) -> &'static [&'static str] {
        &["widths", "width", "trees", "n", "m", "noise", "wd", "depth", "features", "lr"]
    }
}
