//! How actions of the user change a sweep.

use super::SweepAction;
use crate::effect::Effect;
use crate::state::State;
use vivarium_player::consent::Consent;
use vivarium_view::display::words::format_count;

impl State {
    /// Whether the sweep varies the setting `key`, so that the form field of this setting has no effect.
    pub fn is_swept(&self, key: &str) -> bool {
        let run = &self.form_spec().run;
        [&run.sweep, &run.series].iter().any(|axis| !axis.is_empty() && axis.key == key)
    }

    /// Applies an action of the user on sweeps, such as starting or cancelling one.
    pub fn apply_sweep_action(&mut self, action: SweepAction, effects: &mut Vec<Effect>) {
        match action {
            SweepAction::Start(_) if self.refuse_if_locked("sweep") => {}
            SweepAction::Start(link) => {
                // The sweep starts at once, even if the run before was paused.
                self.player.next_run_paused = Some(false);
                // The dialog has shown how long it takes.
                self.player.consent = Consent::given_for(&link.spec);
                let runs = format_count(vivarium_model::run::cells::count_runs_usize(&link.spec), "run");
                self.change_link(
                    *link,
                    tr!("Started a sweep of {runs}. Undo goes back to the previous run.", runs),
                    effects,
                );
            }
            SweepAction::Cancel => self.player.cancel_sweep(effects),
        }
    }
}
