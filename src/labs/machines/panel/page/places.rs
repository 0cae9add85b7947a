//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use super::inside::Inside;
use crate::labs::machines::MachinesLab;
use crate::labs::panels::{LabPanel, Place};

impl LabPanel for MachinesLab {
    fn help(&self) -> &'static str {
        tr!(
            "The weights of this transformer are set by hand, not learned: each token is one step of a Turing machine, and no token holds the tape. The symbol under the head is found by a search through the past tokens, one layer of attention for each bit of the number of the step that wrote the cell last. An ordinary simulator with a tape runs beside it for comparison. The panel below shows both in step, one step block by block, the search, and an editor for machines of your own."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(view! { <Inside /> }.into_any()),
            _ => None,
        }
    }
}
