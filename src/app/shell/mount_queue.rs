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
}

impl MountQueue {
    /// Provides an empty queue in the Leptos context.
    pub(super) fn provide() {
        provide_context(MountQueue { waiting: StoredValue::new(VecDeque::new()) });
    }

    /// Appends a placeholder; the signal becomes true when its turn comes.
    pub(super) fn push(self, is_mounted: RwSignal<bool>) {
        let count = self.waiting.try_update_value(|waiting| {
            waiting.push_back(is_mounted);
            waiting.len()
        });
        // While others wait, a task is scheduled.
        if count == Some(1) {
            self.schedule();
        }
    }

    /// Schedules the task that mounts the content of the next placeholder, and the tasks for those behind it.
    fn schedule(self) {
        let mount_next = move || {
            let next = self.waiting.try_update_value(|waiting| (waiting.pop_front(), waiting.is_empty()));
            let Some((Some(is_mounted), is_last)) = next else { return };
            // The placeholder may have been removed from the page.
            let _ = is_mounted.try_set(true);
            if !is_last {
                self.schedule();
            }
        };
        set_timeout(mount_next, Duration::ZERO);
    }
}

/// A placeholder for a part of the page; its content is mounted a moment later if `is_delayed`, else at once.
#[component]
pub fn Later(
    /// Whether the content waits in the queue of the page.
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
