//! Start of an expensive run, after the user's consent.

use crate::run::tests::Page;
use crate::state::Action;
use crate::sweeps::SweepAction;
use vivarium_labs::PRESETS;
use vivarium_model::permalink::decode;
use vivarium_model::run::cost::{estimate_seconds, max_cost};
use vivarium_player::status::status_line;
use vivarium_view::display::RunPhase;

/// Years of one core.
const EXPENSIVE: &str = "#v1/sparse-parity?n=512&width=4096&batch=1024&replicas=16&steps=10000000&device=cpu";

#[test]
fn an_expensive_run_waits_for_consent() {
    let mut page = Page::open(EXPENSIVE);
    assert!(page.opened_programs().is_empty() && page.sent.is_empty(), "nobody trains");
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    let question = status_line(&page.state.player);
    assert!(
        question.starts_with("This run needs about ") && question.contains(" GiB of memory and up to "),
        "{question}"
    );
    assert!(question.ends_with("Play starts the run.") && page.state.player.message == question);
    assert_eq!(page.state.main_button(), ("Play", false));
    for _ in 0..30 {
        page.act(Action::Tick);
    }
    assert_eq!(page.state.player.run.phase, RunPhase::Paused, "it is not taken for a silent one");
    page.act(Action::TogglePlay);
    assert_eq!((page.opened_programs().len(), &page.state.player.run.phase), (1, &RunPhase::Running));
    assert!(page.state.player.consent.question.is_none());
    page.act(Action::Reset);
    assert_eq!(page.state.player.run.phase, RunPhase::Running, "it was agreed to");
}

#[test]
fn another_run_needs_new_consent_and_a_small_one_none() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
    page.act(Action::Open(EXPENSIVE.into()));
    assert_eq!((page.state.player.run.phase.clone(), page.state.player.run.step), (RunPhase::Paused, 0));
    page.act(Action::SingleStep);
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    assert!(page.state.player.consent.question.is_none() && page.opened_programs().len() == 2);
    page.act(Action::Open(format!("{EXPENSIVE}&seed=3")));
    assert!(page.state.player.consent.question.is_some());
    page.act(Action::Undo);
    assert!(page.state.player.consent.question.is_none(), "that one was agreed to");
    page.act(Action::Open("#v1/sparse-parity?n=20".into()));
    assert!(page.state.player.consent.question.is_none());
}

#[test]
fn who_made_a_sweep_has_agreed_to_it() {
    let link = format!("{EXPENSIVE}&sweep=lr:0.1_0.2");
    assert!(Page::open(&link).state.player.consent.question.is_some());
    let mut page = Page::open("#v1/sparse-parity?n=20&device=cpu");
    page.act(Action::Sweep(SweepAction::Start(Box::new(decode(&link).0))));
    assert!(page.state.player.consent.question.is_none() && page.state.player.run.sweep.is_some());
}

#[test]
fn no_preset_asks() {
    for preset in PRESETS {
        let spec = preset.link().spec;
        let request = max_cost(&spec).confirmation_question(estimate_seconds(&spec));
        assert_eq!(request, None, "{}", preset.slug);
    }
}
