//! The lab's help text, and which section of the page shows its panel.

use leptos::prelude::*;

use crate::markov::sequence::SequencePanel;
use crate::markov::theory::TwoStepTheory;
use crate::panel::{LabPanel, PageSection};
use vivarium_labs::markov::MarkovLab;

impl LabPanel for MarkovLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network reads symbols from a Markov chain and must predict the next symbol. Each sequence comes from a new chain. First the network learns to count how often each symbol occurred, and its loss stays on a plateau. Then the loss drops again, while the network learns to find the symbols that followed earlier occurrences of the current symbol. The panels below show the attention of the network's heads."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <SequencePanel /> }.into_any()),
            PageSection::Theory => Some(view! { <TwoStepTheory /> }.into_any()),
            _ => None,
        }
    }
}
