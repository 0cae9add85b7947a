//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use super::prompt::Look;
use crate::labs::in_context::InContextLab;
use crate::labs::panels::{LabPanel, Place};

impl LabPanel for InContextLab {
    fn help(&self) -> &'static str {
        tr!(
            "Each prompt has a function of its own, and points (x, y) of it, one after the other. The network sees the points before the last one and the x of the last one, and predicts its y. Its weights do not change while it reads: whatever it learns of the function is in its activations. The panel below shows one held-out prompt, with as many examples as you like, and what the network predicts beside ridge regression, nearest neighbours and a network that is trained on these examples alone. How the network predicts is not known: only the transformer of the lab “Descent inside a transformer” is written down so that its layers are gradient descent."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(view! { <Look /> }.into_any()),
            _ => None,
        }
    }
}
