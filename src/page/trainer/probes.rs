//! The probes of the shown charts, which the trainer measures during training.

use crate::state::State;
use crate::trainer::Effect;
use vivarium_model::protocol::Command;

impl State {
    /// Tells the trainer which probes (measurements of the network's inside) the shown charts need; sends nothing if
    /// none are and were needed.
    pub fn send_probes(&mut self, effects: &mut Vec<Effect>) {
        let probes = self.run.required_probes();
        let was_watching = std::mem::replace(&mut self.probes_sent, !probes.is_empty());
        if self.probes_sent || was_watching {
            self.send(Command::Watch(probes), effects);
        }
    }

    /// Handles the arrival of the page's second WebAssembly module: computes what only that module can, and sends the
    /// probes.
    pub fn handle_second_program(&mut self, effects: &mut Vec<Effect>) {
        self.run.init_lazy_state();
        self.send_probes(effects);
    }
}
