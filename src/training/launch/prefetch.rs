//! The runs of a sweep that train on the GPU beside the one that is shown.
//!
//! # Why
//! A page shows one run of its sweep after the other, and goes on to the next when one has ended. That order stays, but
//! the runs that come next share the launches of the one on show already, so that the page finds them far along, or at
//! their end, when it asks for them. What they come to is what it would have been.

use std::collections::BTreeMap;

use crate::launch::batch_queue::{BatchQueue, QueuedRun, covers};
use crate::launch::device::Device;
use crate::session::Options;
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::count_runs_usize;
use vivarium_model::sweep::cell;

/// Runs that have ended and have not been shown, at most.
const MOST_ENDED: usize = 256;

/// Runs that come after the one that is shown.
pub struct Prefetch {
    sweep: RunSpec,
    options: Options,
    queue: BatchQueue,
    /// The next run that has not been added.
    next: usize,
    ended: BTreeMap<usize, QueuedRun>,
}

impl Prefetch {
    /// Those of `sweep` that come after run `shown`, on the GPU that has been opened.
    pub fn new(sweep: RunSpec, shown: usize, device: &Device, options: Options) -> Self {
        let queue = BatchQueue::new(device, options);
        Prefetch { sweep, options, queue, next: shown + 1, ended: BTreeMap::new() }
    }

    /// Whether these are the runs after `shown` of `sweep`.
    pub fn goes_on(&self, sweep: &RunSpec, shown: usize) -> bool {
        self.sweep == *sweep && shown < self.next
    }

    /// The run of `spec`, if it has begun.
    pub fn take(&mut self, spec: &RunSpec, options: Options) -> Option<QueuedRun> {
        if options != self.options {
            return None;
        }
        let is_it = |run: &QueuedRun| run.session.spec() == spec;
        let number = self.ended.values().find(|run| is_it(run)).map(|run| run.number);
        let mut run = match number {
            Some(number) => self.ended.remove(&number),
            None => self.queue.take(is_it),
        }?;
        run.session.detach();
        Some(run)
    }

    /// Trains for about `budget_ms` milliseconds.
    ///
    /// # Errors
    /// When the device stopped working.
    pub async fn advance(&mut self, budget_ms: f64) -> Result<(), RunError> {
        while self.queue.wants() && self.next < count_runs_usize(&self.sweep) {
            if let Ok(cell) = cell(&self.sweep, self.next)
                && covers(&cell.spec)
            {
                self.queue.add(self.next, cell.spec);
            }
            self.next += 1;
        }
        if self.ended.len() < MOST_ENDED {
            let ended = self.queue.advance(budget_ms).await?;
            self.ended.extend(ended.into_iter().map(|run| (run.number, run)));
        }
        Ok(())
    }
}
