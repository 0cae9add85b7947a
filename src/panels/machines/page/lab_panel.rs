//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::machines::page::inside::MachinePanel;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::machines::MachinesLab;

impl LabPanel for MachinesLab {
    fn help(&self) -> &'static str {
        tr!(
            "The weights of this transformer are set by hand, not learned. Each token is one step of a Turing machine, and no token holds the tape. A search through the past tokens finds the symbol under the head: each attention layer of the search finds one bit of the number of the step that last wrote to the cell under the head. For comparison, an ordinary simulator with a tape runs at the same time. The panel below shows the tape and the tokens, the blocks of one step, the search, and an editor for your own machines."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <MachinePanel /> }.into_any()),
            _ => None,
        }
    }
}
