//! Start of an expensive run, after the user's [consent](super::consent).

use super::consent::Consent;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_view::display::RunPhase;

impl State {
    /// Returns whether the run may start. If it is expensive and the user has not agreed, sets the question, pauses the
    /// run and closes the trainer.
    pub fn ask_or_allow_start(&mut self, effects: &mut Vec<Effect>) -> bool {
        self.consent.ask(&self.run.link.spec);
        let Some(question) = self.consent.question.clone() else { return true };
        self.message = question;
        self.drop_trainer(effects);
        (self.run.phase, self.paused) = (RunPhase::Paused, true);
        false
    }

    /// Starts the run about which the user is asked, paused or not, as the user has agreed. Returns false if there is
    /// no question.
    pub fn start_after_consent(&mut self, start_paused: bool, effects: &mut Vec<Effect>) -> bool {
        if self.consent.question.is_none() {
            return false;
        }
        self.consent = Consent::given_for(&self.run.link.spec);
        self.paused = start_paused;
        self.resume(effects);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::run::status::status_line;
    use crate::run::tests::Page;
    use crate::state::Action;
    use crate::sweeps::SweepAction;
    use vivarium_labs::PRESETS;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::cost::{estimate_seconds, max_cost};
    use vivarium_view::display::RunPhase;

    /// Years of one core.
    const EXPENSIVE: &str =
        "#v1/sparse-parity?n=512&width=4096&batch=1024&replicas=16&steps=10000000&device=cpu";

    #[test]
    fn an_expensive_run_waits_for_consent() {
        let mut page = Page::open(EXPENSIVE);
        assert!(page.opened_programs().is_empty() && page.sent.is_empty(), "nobody trains");
        assert_eq!(page.state.run.phase, RunPhase::Paused);
        let question = status_line(&page.state);
        assert!(
            question.starts_with("This run needs about ") && question.contains(" GiB of memory and up to "),
            "{question}"
        );
        assert!(question.ends_with("Play starts the run.") && page.state.message == question);
        assert_eq!(page.state.main_button(), ("Play", false));
        for _ in 0..30 {
            page.act(Action::Tick);
        }
        assert_eq!(page.state.run.phase, RunPhase::Paused, "it is not taken for a silent one");
        page.act(Action::TogglePlay);
        assert_eq!((page.opened_programs().len(), &page.state.run.phase), (1, &RunPhase::Running));
        assert!(page.state.consent.question.is_none());
        page.act(Action::Reset);
        assert_eq!(page.state.run.phase, RunPhase::Running, "it was agreed to");
    }

    #[test]
    fn another_run_needs_new_consent_and_a_small_one_none() {
        let mut page = Page::open("#v1/sparse-parity?n=20");
        assert_eq!(page.state.run.phase, RunPhase::Running);
        page.act(Action::Open(EXPENSIVE.into()));
        assert_eq!((page.state.run.phase.clone(), page.state.run.step), (RunPhase::Paused, 0));
        page.act(Action::SingleStep);
        assert_eq!(page.state.run.phase, RunPhase::Paused);
        assert!(page.state.consent.question.is_none() && page.opened_programs().len() == 2);
        page.act(Action::Open(format!("{EXPENSIVE}&seed=3")));
        assert!(page.state.consent.question.is_some());
        page.act(Action::Undo);
        assert!(page.state.consent.question.is_none(), "that one was agreed to");
        page.act(Action::Open("#v1/sparse-parity?n=20".into()));
        assert!(page.state.consent.question.is_none());
    }

    #[test]
    fn who_made_a_sweep_has_agreed_to_it() {
        let link = format!("{EXPENSIVE}&sweep=lr:0.1_0.2");
        assert!(Page::open(&link).state.consent.question.is_some());
        let mut page = Page::open("#v1/sparse-parity?n=20&device=cpu");
        page.act(Action::Sweep(SweepAction::Start(Box::new(decode(&link).0))));
        assert!(page.state.consent.question.is_none() && page.state.run.sweep.is_some());
    }

    #[test]
    fn no_preset_asks() {
        for preset in PRESETS {
            let spec = preset.link().spec;
            let asked = max_cost(&spec).confirmation_question(estimate_seconds(&spec));
            assert_eq!(asked, None, "{}", preset.slug);
        }
    }
}
