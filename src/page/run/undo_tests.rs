//! A new start and a new seed are undone to the step that they left.

use super::tests::Page;
use crate::files::tests::weights_with;
use crate::files::{Export, describe_origin, initial_weights_note};
use crate::state::{Action, UndoEntry};
use crate::sweeps::SweepAction;
use vivarium_model::protocol::{Command, EndReason, Payload};
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepProgress;

/// A run that its target does not end.
const LINK: &str = "#v1/sparse-parity?n=20&every=50&halt=steps";

/// A sweep of three runs, each of which ends at step 300.
const SWEEP: &str = "#v1/sparse-parity?every=50&sweep=n:10_20_30&device=cpu";

/// The sweep that the page shows.
fn sweep(page: &Page) -> &SweepProgress {
    page.state.player.run.sweep.as_ref().unwrap()
}

/// Undoes the last change, and checks that this starts no run of the trainer.
fn undo_without_start(page: &mut Page) {
    let is_start = |(command, _): &&(Command, Payload)| matches!(command, Command::Start { .. });
    let before = page.sent.iter().filter(is_start).count();
    page.act(Action::Undo);
    assert_eq!(page.sent.iter().filter(is_start).count(), before);
}

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

#[test]
fn a_sweep_comes_back_with_its_results_and_the_step_of_its_run() {
    for change in [Action::Reset, Action::NewSeed(5)] {
        let mut page = Page::open(SWEEP);
        page.train(400);
        page.train(200);
        let (before, link, results) = (shown(&page), page.link(), sweep(&page).solved_steps.clone());
        assert_eq!((before.0, &results), (200, &vec![vec![Some(300)]]));
        page.act(change);
        assert_eq!((page.state.undo.len(), sweep(&page).solved_steps.len()), (1, 0));
        page.train(100);
        page.act(Action::Undo);
        assert_eq!(
            page.state.player.message,
            "Effect of Undo: the sweep is back with the results of 1 of 3 runs."
        );
        assert_eq!((shown(&page).0, shown(&page).2), (before.0, before.2));
        assert_eq!((page.link(), &sweep(&page).solved_steps, page.state.undo.len()), (link, &results, 0));
        // The second run ends, and the third one follows.
        page.train(400);
        assert_eq!(sweep(&page).solved_steps, vec![vec![Some(300)]; 2]);
        page.train(400);
        assert!(sweep(&page).is_complete());
    }
}

#[test]
fn a_sweep_at_the_start_of_its_next_run_comes_back() {
    let mut page = Page::open(SWEEP);
    page.train(400);
    page.act(Action::Reset);
    page.act(Action::Undo);
    assert_eq!((page.state.player.run.step, sweep(&page).solved_steps.len()), (0, 1));
    page.train(400);
    assert_eq!(sweep(&page).solved_steps.len(), 2);
}

#[test]
fn a_reset_that_is_undone_keeps_the_sweep_that_was_put_aside() {
    let mut page = Page::open(SWEEP);
    page.train(400);
    page.act(Action::Edit("batch".into(), "33".into()));
    let set_aside = page.state.player.suspended_sweep.clone();
    assert_eq!(set_aside.as_ref().map(|(_, sweep)| sweep.solved_steps.len()), Some(1));
    page.train(400);
    page.act(Action::Reset);
    page.train(100);
    page.act(Action::Undo);
    assert_eq!(sweep(&page).solved_steps.len(), 1);
    assert_eq!(page.state.player.suspended_sweep, set_aside);
}

#[test]
fn a_second_reset_on_the_way_back_does_not_pause_the_run() {
    let mut page = Page::open(LINK);
    page.train(250);
    for _ in 0..2 {
        // Without the answers of a trainer.
        let _ = page.state.apply(Action::Reset);
        let _ = page.state.apply(Action::Undo);
        assert!(page.state.player.seek.is_some() && !page.state.player.paused);
    }
}

#[test]
fn a_sweep_that_has_stopped_comes_back_as_it_was() {
    for is_complete in [true, false] {
        let mut page = Page::open(SWEEP);
        (0..if is_complete { 3 } else { 1 }).for_each(|_| page.train(400));
        if !is_complete {
            page.train(100);
            page.act(Action::Sweep(SweepAction::Cancel));
        }
        let state = |page: &Page| (shown(page), sweep(page).clone(), page.state.main_button());
        let before = state(&page);
        assert!(before.1.is_stopped());
        for _ in 0..2 {
            page.act(Action::Reset);
            assert!(sweep(&page).solved_steps.is_empty() && !sweep(&page).cancelled);
            page.train(200);
            undo_without_start(&mut page);
            assert_eq!(state(&page), before);
        }
        if !is_complete {
            page.act(Action::TogglePlay);
            page.train(400);
            assert_eq!(sweep(&page).solved_steps.len(), 2);
        }
    }
}

#[test]
fn a_sweep_can_be_cancelled_on_its_way_back() {
    let mut page = Page::open(SWEEP);
    page.train(400);
    page.train(200);
    page.act(Action::Reset);
    // The trainer does not answer before the sweep is cancelled.
    page.state.apply(Action::Undo);
    assert!(page.state.player.seek.is_some());
    page.act(Action::Sweep(SweepAction::Cancel));
    assert!(page.state.player.seek.is_none() && sweep(&page).cancelled);
    assert_eq!(page.state.player.run.phase, RunPhase::Finished(EndReason::LastStep));
    assert_eq!(sweep(&page).solved_steps.len(), 1);
}

#[test]
fn the_memory_of_sweeps_in_the_list_is_counted() {
    let mut page = Page::open(SWEEP);
    let empty = sweep(&page).byte_count();
    page.train(400);
    let with_results = sweep(&page).byte_count();
    assert!(with_results > empty);
    assert!(page.state.player.left_run().unwrap().size() >= with_results);
}

#[test]
fn the_run_of_a_file_comes_back_as_the_file_has_it() {
    let mut page = Page::open(LINK);
    page.train(200);
    let file = Export::Json.build(&page.state, "").unwrap().bytes;
    let mut page = Page::open("#v1/sparse-parity?n=10&k=2");
    let link = page.link();
    page.act(Action::open_file("run.json", file));
    let state = |page: &Page| (shown(page), describe_origin(&page.state), page.state.main_button());
    let before = state(&page);
    assert_eq!((before.0.0, before.1.is_some(), before.2), (200, true, ("Train", false)));
    for change in [Action::Reset, Action::NewSeed(5)] {
        page.act(change);
        page.train(100);
        assert_eq!((page.state.player.run.step, describe_origin(&page.state)), (100, None));
        undo_without_start(&mut page);
        assert_eq!(page.state.player.message, "Effect of Undo: the run of the file is back at step 200.");
        assert_eq!(state(&page), before);
    }
    page.act(Action::Undo);
    assert_eq!(page.link(), link);
}

#[test]
fn the_weights_of_a_file_come_back() {
    let more = ",\"weights\":\"first.safetensors\",\"weights_of\":\"checksum 0123456789abcdef\"";
    let bytes = weights_with(LINK, 120, more);
    let mut page = Page::open("#v1/sparse-parity?n=10&k=2");
    page.act(Action::open_file("half.safetensors", bytes.clone()));
    let state = |page: &Page| (shown(page).0, initial_weights_note(&page.state.player.run), page.link());
    let before = state(&page);
    assert!(before.1.is_some());
    page.act(Action::Reset);
    assert_eq!((page.state.player.run.step, initial_weights_note(&page.state.player.run)), (0, None));
    page.act(Action::Undo);
    assert_eq!((state(&page), &page.state.player.run.phase), (before, &RunPhase::Paused));
    let start = page.sent.iter().rfind(|(command, _)| matches!(command, Command::Start { .. })).unwrap();
    assert_eq!(start.1, Payload::Bytes(bytes));
}

#[test]
fn a_run_that_has_failed_comes_back_and_waits() {
    let mut page = Page::open(LINK);
    page.train(200);
    page.end_trainer();
    page.end_trainer();
    assert!(matches!(page.state.player.run.phase, RunPhase::Failed(_)));
    page.act(Action::Reset);
    page.train(100);
    page.act(Action::Undo);
    assert_eq!((shown(&page).0, shown(&page).1), (200, RunPhase::Paused));
}
