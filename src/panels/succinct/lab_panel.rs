//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use crate::succinct::inside::SuccinctPanel;
use vivarium_labs::succinct::SuccinctLab;

impl LabPanel for SuccinctLab {
    fn help(&self) -> &'static str {
        tr!(
            "First, SGD writes each example into one row of a table of weights. Then a small filter, the same in every layer, runs a program on this table. The weights of the filter are set by hand; only the table is trained. The first m + 1 steps of the run are steps of SGD, one for each of the m examples and one for a dummy example. Each later step applies one more layer, so the number of layers is the running time of the program. In the panel below you can change the test input, choose a program or write your own; the run then starts again. The second model has no program: each step tries one of 19,683 rules, and the search keeps the rule that answers the most validation queries right. This space of rules is our choice; it is small enough for a search. The paper's space of filters is too large for a search: the probability of drawing one particular filter is below 10^−100,000."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <SuccinctPanel /> }.into_any()),
            _ => None,
        }
    }
}
