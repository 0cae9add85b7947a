//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::in_context::prompt::FunctionPromptPanel;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::in_context::InContextLab;

impl LabPanel for InContextLab {
    fn help(&self) -> &'static str {
        tr!(
            "Each prompt has its own function and is a sequence of points (x, y) of this function. The network reads all points before the last one and the x of the last point, and predicts the y of the last point. The weights of the network do not change while it reads a prompt: everything that it computes about the function is in its activations. The panel below shows one held-out prompt; you choose the number of examples. The panel compares the network's prediction with the predictions of ridge regression, of nearest neighbours and of a network that is trained on these examples alone. It is not known how the network that reads the prompt computes its prediction. In the lab “Gradient descent inside a transformer”, and only there, a formula sets the weights so that the layers perform gradient descent."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <FunctionPromptPanel /> }.into_any()),
            _ => None,
        }
    }
}
