//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::circuits::inside::CircuitPanel;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::circuits::CircuitsLab;

impl LabPanel for CircuitsLab {
    fn help(&self) -> &'static str {
        tr!(
            "The weights of this network are set by hand so that it computes a Boolean circuit; nothing is learned. The all-layer margin of an input is the norm of the smallest change of all weights together that changes the answer. Two methods give upper bounds on the margin: random noise, and a search along the boundary between the two answers. One step of the run is one iteration of that search. With rounding after each layer, theorem D.6 of the paper and its proof give lower bounds on the margin that do not depend on the depth. The panel below shows the circuit with the values of its gates. You can change the bits of the input or write your own circuit."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <CircuitPanel /> }.into_any()),
            _ => None,
        }
    }
}
