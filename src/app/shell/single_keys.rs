//! The switch for shortcuts of a single letter or sign, which this browser remembers.
//!
//! # Why
//! People who dictate, or who type outside a field, press letters that are meant as text. Web Content Accessibility
//! Guidelines 2.2, criterion 2.1.4: such shortcuts can be turned off.

use leptos::prelude::*;

use vivarium_ui::browser::{read_stored, write_stored};

/// Key in the browser's local storage of the choice.
const STORAGE_KEY: &str = "vivarium.single-keys";

/// Value in storage of shortcuts that are off.
const OFF: &str = "off";

/// Whether shortcuts of a single letter or sign are on; provided by Leptos context.
#[derive(Clone, Copy)]
pub struct SingleKeys(RwSignal<bool>);

impl SingleKeys {
    /// Restores the stored choice and provides it by Leptos context.
    pub fn provide() -> SingleKeys {
        let keys = SingleKeys(RwSignal::new(read_stored(STORAGE_KEY).as_deref() != Some(OFF)));
        provide_context(keys);
        keys
    }

    /// Returns the choice from the Leptos context; panics outside of a page.
    pub fn here() -> SingleKeys {
        expect_context()
    }

    /// Whether shortcuts of a single letter or sign are on; subscribes the caller to changes.
    pub fn are_on(self) -> bool {
        self.0.get()
    }

    /// Whether shortcuts of a single letter or sign are on, without a subscription.
    pub fn are_on_now(self) -> bool {
        self.0.get_untracked()
    }

    /// Turns the shortcuts on or off, and stores the choice in this browser.
    pub fn switch(self, on: bool) {
        self.0.set(on);
        write_stored(STORAGE_KEY, if on { "on" } else { OFF });
    }
}
