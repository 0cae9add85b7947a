//! The panel of the lab of Boolean functions: attention of each head, and heads with weights from proofs.

mod attention;
mod construction;

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use attention::HeadChooser;
use construction::ProofHeads;
use vivarium_labs::boolean::BooleanLab;

impl LabPanel for BooleanLab {
    fn help(&self) -> &'static str {
        tr!(
            "A network gets a few examples with many bits each and must find out which bits the label depends on. For example, the label may say whether three of the bits are all 1. With enough examples nearly all attention moves to these three bits. With fewer examples the network memorises its examples. The necessary number of examples grows like the logarithm of the number of bits."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(view! { <HeadChooser /> }.into_any()),
            PageSection::Theory => Some(view! { <ProofHeads /> }.into_any()),
            _ => None,
        }
    }
}
