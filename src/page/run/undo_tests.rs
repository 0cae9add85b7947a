//! A new start and a new seed are undone to the step that they left.

use super::tests::Page;
use crate::state::{Action, UndoEntry};
use vivarium_model::protocol::{Command, EndReason, Payload};
use vivarium_view::display::RunPhase;

/// A run that its target does not end.
const LINK: &str = "#v1/sparse-parity?n=20&every=50&halt=steps";

/// (step, phase, steps of the measurements) of the run that the page shows.
fn shown(page: &Page) -> (u64, RunPhase, Vec<u64>) {
    let run = &page.state.player.run;
    (run.step, run.phase.clone(), run.history.rows().map(|row| row.step).collect())
}

#[test]
fn a_new_start_is_undone_to_the_step_that_it_left() {
    let mut page = Page::open(LINK);
    page.train(200);
    let before = shown(&page);
    assert_eq!(before, (200, RunPhase::Running, vec![0, 50, 100, 150, 200]));
    page.act(Action::Reset);
    assert_eq!((page.state.player.run.step, page.state.undo.len()), (0, 1));
    page.act(Action::Undo);
    assert_eq!(page.state.player.message, "Effect of Undo: the run with the seed 0 is back at step 200.");
    // The scripted trainer says in one sentence that it has started and that it waits, so the phase is not compared.
    assert_eq!((shown(&page).0, shown(&page).2, page.state.undo.len()), (before.0, before.2, 0));
    // From its last checkpoint up to the step, and on from there.
    let sent: Vec<&(Command, Payload)> = page.sent.iter().rev().take(3).collect();
    assert!(matches!(sent[0], (Command::Play, _)) && matches!(sent[1], (Command::Reach(200), _)), "{sent:?}");
    page.train(300);
    assert_eq!(page.state.player.run.step, 300);
}

#[test]
fn unintended_letters_are_undone_one_by_one() {
    let mut page = Page::open(LINK);
    page.train(400);
    page.act(Action::TogglePlay);
    let (before, link) = (shown(&page), page.link());
    assert_eq!((before.0, &before.1), (400, &RunPhase::Paused));
    // One R and two N: a new start at step 0 and what has no step yet leave only their link.
    page.act(Action::Reset);
    for seed in [5, 6] {
        page.act(Action::NewSeed(seed));
    }
    assert_eq!(page.state.undo.len(), 3);
    assert!(matches!(&page.state.undo[..], [UndoEntry::Run(_), UndoEntry::Link(_), UndoEntry::Link(_)]));
    (0..3).for_each(|_| page.act(Action::Undo));
    assert_eq!((shown(&page), page.link()), (before, link));
    page.act(Action::TogglePlay);
    page.train(500);
    assert_eq!((page.state.player.run.step, &page.state.player.run.phase), (500, &RunPhase::Running));
}

#[test]
fn a_new_seed_is_undone_to_the_end_of_the_run_before() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(400);
    let before = shown(&page);
    assert_eq!(before.1, RunPhase::Finished(EndReason::Target));
    page.act(Action::NewSeed(5));
    page.train(100);
    page.act(Action::Undo);
    assert_eq!((shown(&page), page.link().as_str()), (before, "#v1/sparse-parity?n=20"));
    assert_eq!(page.state.player.run.solved, [(0, 300)]);
}

#[test]
fn an_earlier_step_that_was_shown_does_not_shorten_the_run() {
    let mut page = Page::open(LINK);
    page.train(200);
    page.act(Action::Scrub(100));
    page.act(Action::Reset);
    page.act(Action::Undo);
    assert_eq!(page.state.player.run.step, 200);
    assert!(page.state.player.latest_run.is_none());
}

#[test]
fn old_runs_of_the_list_keep_their_link() {
    let mut page = Page::open(LINK);
    let link = page.link();
    for seed in 1..=20 {
        page.train(100);
        page.act(Action::NewSeed(seed));
    }
    let with_step = |entry: &&UndoEntry| matches!(entry, UndoEntry::Run(_));
    assert_eq!((page.state.undo.len(), page.state.undo.iter().filter(with_step).count()), (20, 16));
    (0..20).for_each(|_| page.act(Action::Undo));
    assert_eq!((page.link(), page.state.undo.len()), (link, 0));
}
