//! A browser's storage that never answers, or answers late.

use std::cell::RefCell;
use std::rc::Rc;

use super::storage_tests::entry;
use super::tests::{FakeStorage, LINK, Tab, stored_summary};
use super::{LibraryAction, SavedRun, StorageAnswer, StorageError};
use crate::state::Action;

/// Without an answer there is neither a list nor an error. A storage that answers late is used as if nothing had been.
#[test]
fn a_storage_that_never_answers_is_named_and_a_late_answer_ends_the_warning() {
    let answer = |tab: &mut Tab, answer: StorageAnswer| tab.act_on_library(LibraryAction::Answer(answer));
    let ask = |tab: &mut Tab, action: LibraryAction| {
        // The effects are dropped: nobody carries them out.
        let effects = tab.state.apply(Action::Library(action));
        assert!(!effects.is_empty());
    };
    let mut tab = Tab::open(LINK, &Rc::default());
    tab.train(100);
    tab.train(200);
    let id = stored_summary(&tab.storage)[0].0.clone();
    let warning = |tab: &Tab| tab.state.library.warning.clone();
    ask(&mut tab, LibraryAction::Load);
    tab.seconds(9);
    assert_eq!(warning(&tab), "");
    tab.seconds(1);
    assert!(warning(&tab).contains("has not answered for 10 seconds"), "{}", warning(&tab));
    answer(&mut tab, StorageAnswer::RunsChanged(vec![]));
    assert_eq!(warning(&tab), "", "the storage of this tab has answered the question that follows");
    let stored = tab.storage.borrow().stored_runs();
    answer(&mut tab, StorageAnswer::Loaded(stored));
    tab.seconds(30);
    assert_eq!(warning(&tab), "", "nothing is awaited");
    // The storage has answered before, and falls silent while a run is being read.
    ask(&mut tab, LibraryAction::Resume(id));
    for _ in 0..10 {
        tab.state.apply(Action::Tick);
    }
    assert!(warning(&tab).contains("has not answered"), "{}", warning(&tab));
    // A storage that refuses has a reason of its own.
    answer(&mut tab, StorageAnswer::Failed(StorageError::NewerVersion, None));
    assert!(!warning(&tab).contains("has not answered") && warning(&tab).contains("newer version"));
}

/// A list of the stored runs that was read before a damaged entry was deleted arrives after the deletion.
#[test]
fn a_deleted_damaged_entry_does_not_come_back_with_a_late_list() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let bad = SavedRun { solved: vec![(7, 400)], ..entry("#v1/sparse-parity?n=21", 500) };
    store.borrow_mut().runs.insert(bad.id.clone(), bad.clone());
    let mut tab = Tab::open("#v1/sparse-parity?n=21&speed=0", &store);
    let before = store.borrow().stored_runs();
    tab.act_on_library(LibraryAction::DeleteDamaged(bad.id));
    let loaded = |tab: &mut Tab, stock| {
        tab.act_on_library(LibraryAction::Answer(StorageAnswer::Loaded(stock)));
        tab.state.library.damaged.len()
    };
    assert_eq!(loaded(&mut tab, before.clone()), 0);
    // Once a list is without the entry, an entry with the same key is a new one.
    let now = store.borrow().stored_runs();
    assert_eq!([now, before].map(|stock| loaded(&mut tab, stock)), [0, 1]);
}
