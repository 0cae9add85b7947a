//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use super::card::Tables;
use crate::labs::panels::{LabPanel, Place};
use crate::labs::tables::TablesLab;

impl LabPanel for TablesLab {
    fn help(&self) -> &'static str {
        tr!(
            "Networks learn from a few rows of a table, and random forests from the same rows. Tables are hard for networks: each column means something by itself, most columns say nothing, and the label jumps. Each of these is a setting of the generated table, so that it can be taken away. A CSV file of yours can be opened instead: drop it anywhere on the page, and it never leaves it."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Data => Some(view! { <Tables /> }.into_any()),
            _ => None,
        }
    }
}
