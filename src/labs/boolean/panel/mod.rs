//! What only this lab shows on the page: where heads look, and heads that are written by hand.

#![cfg(all(feature = "ui", target_family = "wasm"))]

mod looks;
mod written;

use leptos::prelude::*;

use super::BooleanLab;
use crate::labs::panels::{LabPanel, Place};
use looks::Looks;
use written::Written;

impl LabPanel for BooleanLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network is shown a few examples of many bits and must find out which of them the answer depends on: all of three being 1, say. With enough examples attention turns to those three and leaves out the rest; with fewer the network learns its examples by heart. How many are enough grows like the logarithm of the number of bits."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(view! { <Looks /> }.into_any()),
            Place::Theory => Some(view! { <Written /> }.into_any()),
            _ => None,
        }
    }
}
