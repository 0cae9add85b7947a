//! Hundreds of runs in one tab: what the page holds of them does not grow with their number, and nothing is lost.

use std::cell::RefCell;
use std::rc::Rc;

use super::curves::{FEWEST, MOST_ALONE, MOST_AT_HAND, bytes};
use super::merge::newest;
use super::tests::{LINK, Shelf, Tab, kept};
use super::{LibraryAction, LibraryAnswer, Refusal, SavedRun, id_of};
use crate::state::Action;
use vivarium_model::chart;
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::Reading;

/// Bytes of the curves that a tab holds.
fn held(tab: &Tab) -> usize {
    tab.state.library.runs.iter().map(|kept| bytes(&kept.rows)).sum()
}

/// Measurements of one network, one after the other.
fn rows(many: usize) -> Vec<Row> {
    let row = |at: usize| Row {
        step: at as u64,
        train_loss: vec![0.5],
        train_accuracy: vec![0.5],
        test_loss: vec![0.5],
        test_accuracy: vec![0.5],
        ..Row::default()
    };
    (0..many).map(row).collect()
}

/// A tab in which so many runs were trained one after the other, of a few hundred steps each.
fn after(many: u64, shelf: &Rc<RefCell<Shelf>>) -> Tab {
    let mut tab = Tab::open("#v1/sparse-parity?n=20&speed=0&every=1&steps=400&halt=steps", shelf);
    for seed in 1..=many {
        tab.act(Action::NewSeed(seed));
        tab.trainer.advance(200);
        tab.seconds(3);
    }
    tab
}

/// What grew with every new run: the curves of kept runs, what can be undone, and what is being written.
#[test]
fn two_hundred_runs_take_no_more_than_fifty() {
    let shelf: Rc<RefCell<Shelf>> = Rc::default();
    let grown = |many: u64| {
        let tab = after(many, &Rc::default());
        let (state, library) = (&tab.state, &tab.state.library);
        assert!(state.notices.len() + state.drafts.len() + state.conflicts.len() == 0);
        (state.undo.len() <= 100, library.sent.len(), library.edits.len(), held(&tab))
    };
    let (few, many) = (grown(50), grown(99));
    assert_eq!((few.0, few.1, few.2), (true, 0, 0));
    assert_eq!((many.0, many.1, many.2), (true, 0, 0));
    // A run of 200 measurements takes 20 KiB.
    assert!(few.3 <= MOST_AT_HAND && many.3 <= MOST_AT_HAND, "{} and {}", few.3, many.3);
    // Of those that nobody has stored, everything stays: there is room for a hundred.
    let mut tab = after(200, &shelf);
    let alone = tab.state.library.unstored.len();
    assert_eq!((tab.state.library.listed().len(), shelf.borrow().runs.len()), (200, 100));
    assert_eq!((alone, tab.state.undo.len(), tab.state.library.sent.len()), (100, 100, 0));
    let stored = |kept: &&SavedRun| tab.state.library.is_stored(&kept.id);
    let of_stored: usize = tab.state.library.runs.iter().filter(stored).map(|kept| bytes(&kept.rows)).sum();
    assert!(of_stored <= MOST_AT_HAND && held(&tab) <= MOST_AT_HAND + MOST_ALONE);
    assert!(tab.state.library.runs.iter().filter(|kept| !stored(kept)).all(|kept| kept.rows.len() > 100));
    assert!(shelf.borrow().runs.values().all(|kept| kept.rows.len() > 100), "what is stored is whole");
    // The browser reads it again, however often somebody asks for the list.
    (0..5).for_each(|_| tab.load());
    assert!(held(&tab) <= MOST_AT_HAND + MOST_ALONE && tab.state.library.listed().len() == 200);
}

#[test]
fn curves_that_the_page_does_not_hold_are_read_when_they_are_wanted() {
    let shelf: Rc<RefCell<Shelf>> = Rc::default();
    let mut tab = Tab::open(LINK, &shelf);
    tab.train(200);
    let id = kept(&shelf)[0].0.clone();
    let whole = shelf.borrow().runs[&id].rows.clone();
    assert!(whole.len() > 3);
    // Another page knows the run from the list alone.
    let mut tab = Tab::open("#v1/sparse-parity?n=20&width=64&speed=0", &shelf);
    assert!(tab.state.library.find(&id).unwrap().rows.is_empty());
    tab.train(100);
    let drawn = |tab: &Tab| -> Vec<usize> {
        let Reading::Lines(lines) = tab.state.reading_to_end(chart::LOSS) else { return vec![] };
        lines.series.iter().filter(|series| series.tint.is_some()).map(|series| series.x.len()).collect()
    };
    tab.wish(LibraryAction::Overlay(id.clone()));
    assert_eq!(drawn(&tab), [whole.len()]);
    // A second answer draws nothing twice, and a late one nothing that is gone.
    for of in [id.clone(), "nobody".to_string()] {
        tab.wish(LibraryAction::Heard(LibraryAnswer::Curves(of, whole.clone())));
    }
    assert_eq!(drawn(&tab), [whole.len()]);
    tab.wish(LibraryAction::Overlay(id.clone()));
    assert_eq!(drawn(&tab), [] as [usize; 0]);
    // Taken up, it has all of them.
    tab.wish(LibraryAction::TakeUp(id.clone()));
    assert_eq!((id_of(tab.state.run.spec()), tab.state.run.step), (id.clone(), 200));
    assert_eq!(tab.state.run.history.rows().cloned().collect::<Vec<_>>(), whole);
    // Where they cannot be read, that is said.
    let mut tab = Tab::open("#v1/sparse-parity?n=20&width=64&speed=0", &shelf);
    shelf.borrow_mut().runs.clear();
    tab.wish(LibraryAction::Overlay(id.clone()));
    assert!(tab.state.message.contains("are no longer stored"), "{}", tab.state.message);
    shelf.borrow_mut().refuses = Some(Refusal::Failed("disk error".into()));
    tab.wish(LibraryAction::Overlay(id));
    assert!(tab.state.message.contains("cannot be read now"), "{}", tab.state.message);
}

#[test]
fn what_is_on_the_page_alone_is_thinned_before_it_fills_the_memory_and_never_deleted() {
    let shelf: Rc<RefCell<Shelf>> = Rc::default();
    shelf.borrow_mut().room = Some(0);
    let mut tab = Tab::open(LINK, &shelf);
    tab.train(100);
    let many = 200;
    for at in 0..many {
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
        tab.state.library.hold(&id, Some(vec![0; 8]), super::Reason::NoRoom);
    }
    assert!(held(&tab) > MOST_ALONE);
    tab.seconds(5);
    tab.load();
    let library = &tab.state.library;
    let kept = |at: i32| library.find(&format!("#v1/sparse-parity?n=20&seed={at}")).unwrap().rows.clone();
    assert!(held(&tab) <= MOST_ALONE + many as usize * 2 * FEWEST * 200, "{}", held(&tab));
    assert_eq!(library.listed().len(), many as usize + 1);
    assert_eq!(kept(many - 1).len(), 2000, "the newest are whole");
    let oldest = kept(0);
    assert!((FEWEST..2000).contains(&oldest.len()), "{}", oldest.len());
    assert_eq!((oldest[0].step, oldest.last().unwrap().step), (0, 1999));
    assert!(oldest.windows(2).all(|pair| pair[0].step < pair[1].step));
}

#[test]
fn what_is_said_while_nothing_is_stored_is_one_edit_for_each_run() {
    let shelf: Rc<RefCell<Shelf>> = Rc::default();
    let mut tab = Tab::open(LINK, &shelf);
    tab.train(100);
    let id = kept(&shelf)[0].0.clone();
    shelf.borrow_mut().refuses = Some(Refusal::Failed("disk error".into()));
    tab.wish(LibraryAction::Heard(LibraryAnswer::Refused(Refusal::Failed("disk error".into()), None)));
    for at in 0..50 {
        tab.wish(LibraryAction::Rename(id.clone(), format!("Name {at}")));
        tab.wish(LibraryAction::Pin(id.clone()));
    }
    assert_eq!(tab.state.library.edits.len(), 1);
    tab.wish(LibraryAction::Pin(id.clone()));
    shelf.borrow_mut().refuses = None;
    tab.load();
    let stored = shelf.borrow().joined(&id).unwrap();
    assert_eq!((stored.name.as_str(), stored.pinned), ("Name 49", true));
    let known = tab.state.library.find(&id).unwrap();
    assert_eq!((known.name.as_str(), known.pinned, tab.state.library.edits.len()), ("Name 49", true, 0));
}

#[test]
fn a_list_without_curves_takes_none_from_the_page() {
    let run = |step: u64, many: usize| SavedRun { step, rows: rows(many), ..SavedRun::default() };
    let left = |known: SavedRun, stored: SavedRun| {
        let kept = newest(known, stored);
        (kept.step, kept.rows.len())
    };
    assert_eq!(left(run(100, 5), run(100, 0)), (100, 5));
    assert_eq!(left(run(100, 5), run(100, 7)), (100, 7));
    assert_eq!(left(run(200, 5), run(100, 0)), (200, 5));
    assert_eq!(left(run(100, 5), run(200, 0)), (200, 0), "they are those of fewer steps");
}
