//! A browser's storage that never answers.

use std::rc::Rc;

use super::tests::{LINK, Tab, stored_summary};
use super::{LibraryAction, StorageAnswer, StorageError};
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
