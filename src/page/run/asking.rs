//! How a run that is [dear](super::consent) waits for a person, and begins.

use super::consent::Consent;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_view::display::Phase;

impl State {
    /// Whether the run may begin; otherwise it waits, the question is asked, and nobody trains.
    pub fn may_begin(&mut self, effects: &mut Vec<Effect>) -> bool {
        self.consent.ask(&self.run.link.spec);
        let Some(question) = self.consent.question.clone() else { return true };
        self.message = question;
        self.dismiss(effects);
        (self.run.phase, self.paused) = (Phase::Paused, true);
        false
    }

    /// Somebody has answered the question by asking for a step, or for all of them; whether there was one.
    pub fn begin_agreed(&mut self, paused: bool, effects: &mut Vec<Effect>) -> bool {
        if self.consent.question.is_none() {
            return false;
        }
        self.consent = Consent::to(&self.run.link.spec);
        self.paused = paused;
        self.resume(effects);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::run::status::status;
    use crate::run::tests::Page;
    use crate::state::Action;
    use crate::sweeps::SweepAction;
    use vivarium_labs::PRESETS;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::cost::{dearest, seconds};
    use vivarium_view::display::Phase;

    /// Years of one core.
    const DEAR: &str = "#v1/sparse-parity?n=512&width=4096&batch=1024&replicas=16&steps=10000000&device=cpu";

    #[test]
    fn a_dear_run_waits_for_the_person() {
        let mut page = Page::open(DEAR);
        assert!(page.opened().is_empty() && page.sent.is_empty(), "nobody trains");
        assert_eq!(page.state.run.phase, Phase::Paused);
        let question = status(&page.state);
        assert!(
            question.starts_with("This run needs about ") && question.contains(" GiB of memory and up to "),
            "{question}"
        );
        assert!(question.ends_with("Play starts the run.") && page.state.message == question);
        assert_eq!(page.state.main_button(), ("Play", false));
        for _ in 0..30 {
            page.act(Action::Tick);
        }
        assert_eq!(page.state.run.phase, Phase::Paused, "it is not taken for a silent one");
        page.act(Action::Toggle);
        assert_eq!((page.opened().len(), &page.state.run.phase), (1, &Phase::Running));
        assert!(page.state.consent.question.is_none());
        page.act(Action::Reset);
        assert_eq!(page.state.run.phase, Phase::Running, "it was agreed to");
    }

    #[test]
    fn another_run_is_asked_about_anew_and_a_small_one_is_not() {
        let mut page = Page::open("#v1/sparse-parity?n=20");
        assert_eq!(page.state.run.phase, Phase::Running);
        page.act(Action::Open(DEAR.into()));
        assert_eq!((page.state.run.phase.clone(), page.state.run.step), (Phase::Paused, 0));
        page.act(Action::SingleStep);
        assert_eq!(page.state.run.phase, Phase::Paused);
        assert!(page.state.consent.question.is_none() && page.opened().len() == 2);
        page.act(Action::Open(format!("{DEAR}&seed=3")));
        assert!(page.state.consent.question.is_some());
        page.act(Action::Undo);
        assert!(page.state.consent.question.is_none(), "that one was agreed to");
        page.act(Action::Open("#v1/sparse-parity?n=20".into()));
        assert!(page.state.consent.question.is_none());
    }

    #[test]
    fn who_made_a_sweep_has_agreed_to_it() {
        let link = format!("{DEAR}&sweep=lr:0.1_0.2");
        assert!(Page::open(&link).state.consent.question.is_some());
        let mut page = Page::open("#v1/sparse-parity?n=20&device=cpu");
        page.act(Action::Sweep(SweepAction::Make(Box::new(decode(&link).0))));
        assert!(page.state.consent.question.is_none() && page.state.run.sweep.is_some());
    }

    #[test]
    fn no_preset_asks() {
        for preset in PRESETS {
            let spec = preset.link().spec;
            let asked = dearest(&spec).asks(seconds(&spec));
            assert_eq!(asked, None, "{}", preset.slug);
        }
    }
}
