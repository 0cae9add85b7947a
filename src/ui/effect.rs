//! Effects that leave nothing behind.
//!
//! # Why
//! What is read has a list of its readers, and in Leptos 0.8 a reader that has ended stays on it, with its memory. That is
//! no matter where both end together, as nearly always in a panel. But a drawing that follows something of the page's own,
//! whether that is dark or where somebody points, comes and goes with every change of the lab, and the page stays.

use leptos::prelude::*;
use leptos::reactive::graph::{Subscriber, ToAnySubscriber};

/// An effect that takes itself off the lists of what it has read when the part of the page that it belongs to goes.
pub fn effect(run: impl Fn() + 'static) {
    let reader = Effect::new(move |_: Option<()>| run()).to_any_subscriber();
    // Before the effect itself is dropped, which knows what it has read.
    on_cleanup(move || reader.clear_sources(&reader));
}
