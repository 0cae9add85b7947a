//! Hundreds of runs in one tab: what the page holds of them does not grow with their number, and nothing is lost.

use std::cell::RefCell;
use std::rc::Rc;

use super::curves::{MAX_STORED_BYTES, MAX_UNSTORED_BYTES, MIN_ROWS, rows_bytes};
use super::merge::merge_read;
use super::tests::{FakeStorage, LINK, Tab, stored_summary};
use super::{LibraryAction, SavedRun, StorageAnswer, StorageError, run_id};
use crate::state::Action;
use vivarium_model::chart;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::Reading;

/// Returns the bytes of the curves that a tab holds.
fn held_row_bytes(tab: &Tab) -> usize {
    tab.state.library.runs.iter().map(|saved| rows_bytes(&saved.rows)).sum()
}

/// Returns this number of measurements of one network.
fn rows(count: usize) -> Vec<Measurement> {
    let row = |at: usize| Measurement {
        step: at as u64,
        train_loss: vec![0.5],
        train_accuracy: vec![0.5],
        test_loss: vec![0.5],
        test_accuracy: vec![0.5],
        ..Measurement::default()
    };
    (0..count).map(row).collect()
}

/// Returns a tab in which this number of runs was trained, each for a few hundred steps.
fn tab_after_runs(count: u64, storage: &Rc<RefCell<FakeStorage>>) -> Tab {
    let mut tab = Tab::open("#v1/sparse-parity?n=20&speed=0&every=1&steps=400&halt=steps", storage);
    for seed in 1..=count {
        tab.act(Action::NewSeed(seed));
        tab.trainer.advance(200);
        tab.seconds(3);
    }
    tab
}

/// Memory that grew with every new run: the curves of kept runs, what can be undone, and what is being written.
#[test]
fn two_hundred_runs_take_no_more_than_fifty() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let grown = |count: u64| {
        let tab = tab_after_runs(count, &Rc::default());
        let (state, library) = (&tab.state, &tab.state.library);
        assert!(state.notices.len() + state.invalid_inputs.len() + state.conflicts.len() == 0);
        (state.undo.len() <= 100, library.writing.len(), library.pending_edits.len(), held_row_bytes(&tab))
    };
    let (after_50, after_99) = (grown(50), grown(99));
    assert_eq!((after_50.0, after_50.1, after_50.2), (true, 0, 0));
    assert_eq!((after_99.0, after_99.1, after_99.2), (true, 0, 0));
    // A run of 200 measurements takes 20 KiB.
    assert!(
        after_50.3 <= MAX_STORED_BYTES && after_99.3 <= MAX_STORED_BYTES,
        "{} and {}",
        after_50.3,
        after_99.3
    );
    // Of those that nobody has stored, everything stays: there is room for a hundred.
    let mut tab = tab_after_runs(200, &storage);
    let alone = tab.state.library.unstored.len();
    assert_eq!((tab.state.library.listed_runs().len(), storage.borrow().runs.len()), (200, 100));
    assert_eq!((alone, tab.state.undo.len(), tab.state.library.writing.len()), (100, 100, 0));
    let stored = |saved: &&SavedRun| tab.state.library.is_stored(&saved.id);
    let of_stored: usize =
        tab.state.library.runs.iter().filter(stored).map(|saved| rows_bytes(&saved.rows)).sum();
    assert!(of_stored <= MAX_STORED_BYTES && held_row_bytes(&tab) <= MAX_STORED_BYTES + MAX_UNSTORED_BYTES);
    assert!(tab.state.library.runs.iter().filter(|saved| !stored(saved)).all(|saved| saved.rows.len() > 100));
    assert!(storage.borrow().runs.values().all(|saved| saved.rows.len() > 100), "what is stored is whole");
    // The browser reads it again, however often somebody asks for the list.
    (0..5).for_each(|_| tab.load());
    assert!(
        held_row_bytes(&tab) <= MAX_STORED_BYTES + MAX_UNSTORED_BYTES
            && tab.state.library.listed_runs().len() == 200
    );
}

#[test]
fn curves_that_the_page_does_not_hold_are_read_when_they_are_wanted() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(200);
    let id = stored_summary(&storage)[0].0.clone();
    let whole = storage.borrow().runs[&id].rows.clone();
    assert!(whole.len() > 3);
    // Another page knows the run from the list alone.
    let mut tab = Tab::open("#v1/sparse-parity?n=20&width=64&speed=0", &storage);
    assert!(tab.state.library.find(&id).unwrap().rows.is_empty());
    tab.train(100);
    let drawn = |tab: &Tab| -> Vec<usize> {
        let Reading::Lines(lines) = tab.state.reading_to_end(chart::LOSS) else { return vec![] };
        lines
            .series
            .iter()
            .filter(|series| series.muted_colour.is_some())
            .map(|series| series.x.len())
            .collect()
    };
    tab.act_on_library(LibraryAction::ToggleCompared(id.clone()));
    assert_eq!(drawn(&tab), [whole.len()]);
    // A second answer draws nothing twice, and a late one nothing that is gone.
    for of in [id.clone(), "nobody".to_string()] {
        tab.act_on_library(LibraryAction::Answer(StorageAnswer::Curves(of, whole.clone())));
    }
    assert_eq!(drawn(&tab), [whole.len()]);
    tab.act_on_library(LibraryAction::ToggleCompared(id.clone()));
    assert_eq!(drawn(&tab), [] as [usize; 0]);
    // Taken up, it has all of them.
    tab.act_on_library(LibraryAction::Resume(id.clone()));
    assert_eq!((run_id(tab.state.player.run.spec()), tab.state.player.run.step), (id.clone(), 200));
    assert_eq!(tab.state.player.run.history.rows().cloned().collect::<Vec<_>>(), whole);
    // Where they cannot be read, that is said.
    let mut tab = Tab::open("#v1/sparse-parity?n=20&width=64&speed=0", &storage);
    storage.borrow_mut().runs.clear();
    tab.act_on_library(LibraryAction::ToggleCompared(id.clone()));
    assert!(tab.state.player.message.contains("are no longer stored"), "{}", tab.state.player.message);
    storage.borrow_mut().refuses = Some(StorageError::Failed("disk error".into()));
    tab.act_on_library(LibraryAction::ToggleCompared(id));
    assert!(tab.state.player.message.contains("cannot be read now"), "{}", tab.state.player.message);
}

#[test]
fn what_is_on_the_page_alone_is_thinned_before_it_fills_the_memory_and_never_deleted() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    storage.borrow_mut().room = Some(0);
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    let run_count = 200;
    for at in 0..run_count {
        let (id, rows) = (format!("#v1/sparse-parity?n=20&seed={at}"), rows(2000));
        let (link, at) = (id.clone(), f64::from(at));
        tab.state.library.runs.push(SavedRun {
            id: id.clone(),
            link,
            at,
            rows,
            step: 9,
            ..Default::default()
        });
        tab.state.library.mark_unstored(&id, Some(vec![0; 8]), super::UnstoredReason::NoRoom);
    }
    assert!(held_row_bytes(&tab) > MAX_UNSTORED_BYTES);
    tab.seconds(5);
    tab.load();
    let library = &tab.state.library;
    let saved = |at: i32| library.find(&format!("#v1/sparse-parity?n=20&seed={at}")).unwrap().rows.clone();
    assert!(
        held_row_bytes(&tab) <= MAX_UNSTORED_BYTES + run_count as usize * 2 * MIN_ROWS * 200,
        "{}",
        held_row_bytes(&tab)
    );
    assert_eq!(library.listed_runs().len(), run_count as usize + 1);
    assert_eq!(saved(run_count - 1).len(), 2000, "the newest are whole");
    let oldest = saved(0);
    assert!((MIN_ROWS..2000).contains(&oldest.len()), "{}", oldest.len());
    assert_eq!((oldest[0].step, oldest.last().unwrap().step), (0, 1999));
    assert!(oldest.windows(2).all(|pair| pair[0].step < pair[1].step));
}

#[test]
fn what_is_stated_while_nothing_is_stored_is_one_edit_for_each_run() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    let id = stored_summary(&storage)[0].0.clone();
    storage.borrow_mut().refuses = Some(StorageError::Failed("disk error".into()));
    tab.act_on_library(LibraryAction::Answer(StorageAnswer::Failed(
        StorageError::Failed("disk error".into()),
        None,
    )));
    for at in 0..50 {
        tab.act_on_library(LibraryAction::Rename(id.clone(), format!("Name {at}")));
        tab.act_on_library(LibraryAction::Pin(id.clone()));
    }
    assert_eq!(tab.state.library.pending_edits.len(), 1);
    tab.act_on_library(LibraryAction::Pin(id.clone()));
    storage.borrow_mut().refuses = None;
    tab.load();
    let stored = storage.borrow().merged_run(&id).unwrap();
    assert_eq!((stored.name.as_str(), stored.pinned), ("Name 49", true));
    let known = tab.state.library.find(&id).unwrap();
    assert_eq!(
        (known.name.as_str(), known.pinned, tab.state.library.pending_edits.len()),
        ("Name 49", true, 0)
    );
}

#[test]
fn a_list_without_curves_takes_none_from_the_page() {
    let run = |step: u64, many: usize| SavedRun { step, rows: rows(many), ..SavedRun::default() };
    let left = |known: SavedRun, stored: SavedRun| {
        let saved = merge_read(known, stored);
        (saved.step, saved.rows.len())
    };
    assert_eq!(left(run(100, 5), run(100, 0)), (100, 5));
    assert_eq!(left(run(100, 5), run(100, 7)), (100, 7));
    assert_eq!(left(run(200, 5), run(100, 0)), (200, 5));
    assert_eq!(left(run(100, 5), run(200, 0)), (200, 0), "they are those of fewer steps");
}

/// A row that moves while a name is being typed into its field loses the focus and the text.
#[test]
fn rows_keep_their_places_while_runs_are_saved() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = tab_after_runs(2, &storage);
    let ids = |tab: &Tab| {
        tab.state.library.listed_runs().into_iter().map(|saved| saved.id.clone()).collect::<Vec<_>>()
    };
    let shown = tab.state.library.list_order(&[]);
    assert_eq!((shown.len(), &shown), (2, &ids(&tab)), "a list that is opened begins with the latest run");
    // Another tab saves the earlier run.
    let old = tab.state.library.runs.iter_mut().find(|saved| saved.id == shown[1]).unwrap();
    old.at += 1e6;
    assert_eq!(ids(&tab), [shown[1].clone(), shown[0].clone()]);
    assert_eq!(tab.state.library.list_order(&shown), shown);
    tab.act(Action::NewSeed(3));
    tab.trainer.advance(200);
    tab.seconds(3);
    let with_new = tab.state.library.list_order(&shown);
    assert_eq!((with_new.len(), &with_new[1..]), (3, &shown[..]), "a new run is first");
    tab.act_on_library(LibraryAction::Pin(shown[1].clone()));
    assert_eq!(tab.state.library.list_order(&with_new)[0], shown[1], "a pinned run precedes all others");
}
