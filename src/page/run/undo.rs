//! Undo of a new start and of a new seed: the page returns to the run that it has left, at its step. A sweep comes back
//! with the results of its finished runs, and the run of a file as the file has it.

use crate::effect::Effect;
use crate::state::{State, UndoEntry};
use vivarium_player::left::LeftRun;
use vivarium_view::display::words::{format_count, format_thousands};

/// Largest number of runs in the list of Undo that are kept with their step; Undo starts older ones from the beginning.
const MAX_LEFT_RUNS: usize = 16;

/// Largest total size in bytes of measurements and checkpoints of the runs in the list of Undo, except the latest one.
const MAX_LEFT_BYTES: usize = 48 << 20;

impl State {
    /// Adds a run that another one has replaced to the list of Undo. Older runs beyond the limits of number and size lose
    /// their step and keep their link.
    pub(crate) fn push_left_run(&mut self, left: LeftRun) {
        self.push_undo(UndoEntry::Run(Box::new(left)));
        let (mut count, mut bytes) = (0, 0);
        for entry in self.undo.iter_mut().rev() {
            let UndoEntry::Run(left) = entry else { continue };
            count += 1;
            bytes += left.size();
            if count > 1 && (count > MAX_LEFT_RUNS || bytes > MAX_LEFT_BYTES) {
                *entry = UndoEntry::Link(Box::new(left.run.link.clone()));
            }
        }
    }

    /// Shows a run again at the step at which it was left: the effect of Undo.
    pub(crate) fn return_to_left_run(&mut self, left: LeftRun, effects: &mut Vec<Effect>) {
        let (seed, step) = (left.run.link.spec.run.seed, format_thousands(left.run.step));
        self.player.message = match (&left.run.file_environment, &left.run.sweep) {
            (_, Some(sweep)) => tr!(
                "Effect of Undo: the sweep is back with the results of {done} of {runs}.",
                done = format_thousands(sweep.ended_count() as u64),
                runs = format_count(sweep.cells.len(), "run")
            ),
            (Some(_), None) => tr!("Effect of Undo: the run of the file is back at step {step}.", step),
            (None, None) => {
                tr!("Effect of Undo: the run with the seed {seed} is back at step {step}.", seed, step)
            }
        };
        self.gallery.is_open = false;
        self.leave_run(effects);
        self.reset_view_of_run();
        self.player.return_to_run(left, effects);
    }
}
