//! What only this lab shows on the page: width and luck.

#![cfg(all(feature = "ui", target_family = "wasm"))]

mod luck;

use leptos::prelude::*;

use super::ParityLab;
use crate::labs::panels::{LabPanel, Place};
use luck::Luck;

impl LabPanel for ParityLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network is shown random bits and must answer with the product of a few of them, without being told which. Getting all but one right tells it nothing, so its loss rests at chance until, quite suddenly, it does not. The weights show the bits being found before that."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Luck => Some(view! { <Luck /> }.into_any()),
            _ => None,
        }
    }
}
