//! Tables: rows of columns, generated or from a CSV file; networks against a random forest (Edelman 2024, section 6.4.2).

mod panel;
pub mod presets;

use super::{Lab, LazyLab};
use crate::catalog::Info;
use crate::permalink::Link;
use crate::tasks::Tabular;

pub use presets::PRESETS;

/// The lab.
pub struct TablesLab;

/// The lab, in the table of [`super::LABS`].
pub static LAB: TablesLab = TablesLab;

impl Lab for TablesLab {
    fn info(&self) -> &'static Info {
        &Tabular::INFO
    }
}

impl LazyLab for TablesLab {
    fn of_file(&self, number: u64, shown: &Link) -> Option<Link> {
        Some(panel::file::link(number, shown))
    }
}
