//! What the trainer is told to look at beside training.

use crate::state::State;
use crate::trainer::Effect;
use vivarium_model::protocol::Command;

impl State {
    /// Tells the trainer what the charts on show want, where that may have changed.
    pub fn watch_anew(&mut self, effects: &mut Vec<Effect>) {
        let probes = self.run.probes();
        let was_watching = std::mem::replace(&mut self.watching, !probes.is_empty());
        if self.watching || was_watching {
            self.send(Command::Watch(probes), effects);
        }
    }

    /// The page's second program is there, and with it what could not be known of the run before.
    pub fn catch_up(&mut self, effects: &mut Vec<Effect>) {
        self.run.catch_up();
        self.watch_anew(effects);
    }
}
