//! Mounts the parts of the page that may come a moment later, one in each task of the browser.
//!
//! # Why
//! A browser compiles a function of a WebAssembly module when the function is called for the first time. Mounting the whole
//! page calls about 3,000 functions, those of the second module 1,500: on two cores of a Xeon two tasks of 400 and 160 ms
//! while other programs run, in which no press is answered. 2026-11-29.

use std::collections::VecDeque;
use std::time::Duration;

use leptos::prelude::*;

/// The placeholders that wait for their content, in the Leptos context. Copies are handles to the same queue.
#[derive(Clone, Copy)]
pub(super) struct MountQueue {
    /// For each placeholder, in their order, whether its content is mounted.
    waiting: StoredValue<VecDeque<RwSignal<bool>>>,
    /// Whether a task that mounts the next content is scheduled.
    is_scheduled: StoredValue<bool>,
}

impl MountQueue {
    /// Provides an empty queue in the Leptos context.
    pub(super) fn provide() {
        let waiting = StoredValue::new(VecDeque::new());
        provide_context(MountQueue { waiting, is_scheduled: StoredValue::new(false) });
    }

    /// Appends a placeholder; the signal becomes true when its turn comes.
    pub(super) fn push(self, is_mounted: RwSignal<bool>) {
        self.waiting.update_value(|waiting| waiting.push_back(is_mounted));
        if !self.is_scheduled.get_value() {
            self.is_scheduled.set_value(true);
            self.schedule();
        }
    }

    /// Schedules the task that mounts the content of the next placeholder.
    fn schedule(self) {
        let mount_next = move || {
            let next = self.waiting.try_update_value(VecDeque::pop_front).flatten();
            match next {
                // The placeholder may have been removed from the page.
                Some(is_mounted) => {
                    let _ = is_mounted.try_set(true);
                    self.schedule();
                }
                None => self.is_scheduled.set_value(false),
            }
        };
        set_timeout(mount_next, Duration::ZERO);
    }
}

/// A placeholder for a part of the page that the first screen does not show; its content is mounted a moment later if
/// `is_delayed`, else at once.
#[component]
pub fn Later(
    /// Whether the content is mounted after the first screen.
    is_delayed: bool,
    /// The part of the page.
    children: ChildrenFn,
) -> impl IntoView {
    if !is_delayed {
        return children();
    }
    let is_mounted = RwSignal::new(false);
    expect_context::<MountQueue>().push(is_mounted);
    (move || is_mounted.get().then(|| untrack(|| children()))).into_any()
}
