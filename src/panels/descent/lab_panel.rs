//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::descent::inside::DescentPanel;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::descent::DescentLab;

impl LabPanel for DescentLab {
    fn help(&self) -> &'static str {
        tr!(
            "A formula sets the weights of this transformer; these weights are not learned. One pass through the transformer's layers performs one step of gradient descent on a small network. The weights of the small network are numbers in the tokens. The page also runs direct gradient descent on the same network, for comparison. The panel below shows one step layer by layer, the numbers of one token as a row of blocks, and the examples. You can replace the examples by points of your own. The lab “Learning in context” trains transformers on prompts; that lab does not show whether the layers of trained transformers perform gradient descent."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <DescentPanel /> }.into_any()),
            _ => None,
        }
    }
}
