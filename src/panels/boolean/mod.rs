//! What only this lab shows on the page: where heads look, and heads that are written by hand.

mod looks;
mod written;

use leptos::prelude::*;

use crate::panel::{LabPanel, Place};
use looks::Looks;
use vivarium_labs::boolean::BooleanLab;
use written::Written;

impl LabPanel for BooleanLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network gets a few examples with many bits each and must find out which bits the label depends on. For example, the label may say whether three of the bits are all 1. With enough examples nearly all attention moves to these three bits. With fewer examples the network memorises its examples. The necessary number of examples grows like the logarithm of the number of bits."
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
