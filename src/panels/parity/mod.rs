//! The panel of the parity lab: width and initial weights, and the plateau of the loss.

mod luck;
mod plateau;

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use luck::WidthAndLuck;
use vivarium_labs::parity::ParityLab;

impl LabPanel for ParityLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network gets random bits, each +1 or −1, and must answer with the product of a few of these bits. The network is not told which bits are relevant. A network that uses all relevant bits except one is right no more often than a random guess. So the loss stays at chance level for a long time and then falls suddenly. The weights show progress before the loss does."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Theory => Some(plateau::draw_card()),
            PageSection::Luck => Some(view! { <WidthAndLuck /> }.into_any()),
            _ => None,
        }
    }
}
