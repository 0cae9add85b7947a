//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use super::inside::Inside;
use crate::labs::descent::DescentLab;
use crate::labs::panels::{LabPanel, Place};

impl LabPanel for DescentLab {
    fn help(&self) -> &'static str {
        tr!(
            "The layers of this transformer are written down, not learned: passing through them is one step of gradient descent on a small network, whose weights are numbers in the tokens. Direct gradient descent on the same network runs beside it. The panel below shows one step layer by layer, one token as a strip of blocks, and the examples, which can be replaced by points of your own. The lab “Learning in context” trains transformers on prompts; nothing there says that their layers are gradient descent."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(view! { <Inside /> }.into_any()),
            _ => None,
        }
    }
}
