//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use crate::markov::sequence::Inside;
use crate::markov::theory::Theory;
use crate::panel::{LabPanel, Place};
use vivarium_labs::markov::MarkovLab;

impl LabPanel for MarkovLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network reads symbols from a Markov chain and must predict the next symbol. Each sequence comes from a new chain. First the network learns to count how often each symbol occurred, and its loss stays on a plateau. Then the loss drops again, while the network learns to find the symbols that followed earlier occurrences of the current symbol. The panels below show the attention of the network's heads."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(view! { <Inside /> }.into_any()),
            Place::Theory => Some(view! { <Theory /> }.into_any()),
            _ => None,
        }
    }
}
