//! Changes of signals that notify their readers only if the value is another one.

use leptos::prelude::*;

/// Sets a signal only if the value differs, so that nothing is drawn again for nothing.
pub fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}
