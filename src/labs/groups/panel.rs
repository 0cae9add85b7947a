//! What only this lab says on the page.

#![cfg(all(feature = "ui", target_family = "wasm"))]

use super::GroupsLab;
use crate::labs::panels::LabPanel;

impl LabPanel for GroupsLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network is shown two elements of a group, mere names to it, and must answer with their product; for the numbers modulo n that is addition on a circle. While it learns, each neuron settles on one frequency, or on one irreducible representation, and the margin grows towards the largest that theory allows. Shown a part of the table only, it may memorise that first and understand much later."
        )
    }
}
