//! Leptos effects that unsubscribe from their sources when they end.
//!
//! # Why
//! What is read has a list of its readers, and in Leptos 0.8 a reader that has ended stays on it, with its memory. That is
//! no matter where both end together, as nearly always in a panel. But a drawing that follows something of the page's own,
//! such as its theme or the pointer's position, is created and removed with every change of the lab, while the page
//! stays.

use leptos::prelude::*;
use leptos::reactive::graph::{Subscriber, ToAnySubscriber};

/// Creates an effect that unsubscribes from all its sources when its owner is cleaned up, so that long-lived signals do
/// not keep it in memory.
pub fn effect(run: impl Fn() + 'static) {
    let reader = Effect::new(move |_: Option<()>| run()).to_any_subscriber();
    // Before the effect itself is dropped, which knows what it has read.
    on_cleanup(move || reader.clear_sources(&reader));
}
