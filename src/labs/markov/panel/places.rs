//! Where on the page each part of the panel stands.

use leptos::prelude::*;

use super::sequence::Inside;
use super::theory::Theory;
use crate::labs::markov::MarkovLab;
use crate::labs::panels::{LabPanel, Place};

impl LabPanel for MarkovLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network reads symbols from a Markov chain that it has never seen, each time another one, and must predict the next. First it counts how often each symbol came. Its loss rests there, and then drops again as it learns to look back: to what came after the present symbol before. The panels below show where its heads look."
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
