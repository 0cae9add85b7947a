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
            "A network gets a few examples of many bits and must find out which bits the label depends on. For example, the label may say whether three of the bits are all 1. With enough examples the attention moves to these three bits and ignores the others. With fewer examples the network memorises its examples. The number of examples that are enough grows like the logarithm of the number of bits."
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
