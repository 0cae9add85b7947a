//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::lookup::prompt::LookupPromptPanel;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::lookup::LookupLab;

impl LabPanel for LookupLab {
    fn help(&self) -> &'static str {
        tr!(
            "Each position of a prompt has a token (a few numbers) and the names of some positions. The label of a position is a function of the tokens at these named positions. Each prompt has different names. One attention head can look up one named token. The panel below shows one prompt. You can change the names and numbers of this prompt and compare the network's answers with the labels."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <LookupPromptPanel /> }.into_any()),
            _ => None,
        }
    }
}
