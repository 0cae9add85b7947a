//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use crate::tables::card::TablePanel;
use vivarium_labs::tables::TablesLab;

impl LabPanel for TablesLab {
    fn help(&self) -> &'static str {
        tr!(
            "Networks and random forests learn from the same few rows of a table. Tables are hard for networks for three reasons: each column has a meaning of its own, most columns are uninformative, and the label changes suddenly at some values of a relevant column. Each of these three properties is a setting of the generated table, so you can switch the property off. You can also open your own CSV file: drop it anywhere on the page. The file is never sent anywhere."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Data => Some(view! { <TablePanel /> }.into_any()),
            _ => None,
        }
    }
}
