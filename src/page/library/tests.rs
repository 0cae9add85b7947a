//! Kept runs, against a library that is a map: reload, two tabs, a full one, and none at all.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use vivarium_model::chart;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;

use crate::effect::Effect;
use crate::library::merge::merge_written;
use crate::library::{
    LibraryAction, MAX_BYTES, MAX_RUNS, MarksEdit, SavedRun, StorageAnswer, StorageCommand, StorageError,
    StoredRuns,
};
use crate::scripted::Scripted;
use crate::state::{Action, State};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::{Command, EndReason, Payload};
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_plot::analysis::Reading;
use vivarium_view::display::RunPhase;
use vivarium_view::record::saved::RunMarks;

/// Storage of runs in memory, in place of the browser's.
#[derive(Default)]
pub struct FakeStorage {
    pub runs: BTreeMap<String, SavedRun>,
    pub marks: BTreeMap<String, RunMarks>,
    pub states: BTreeMap<String, Vec<u8>>,
    /// Entries that tabs wrote as they were closed.
    pub left: Vec<(SavedRun, Option<Vec<u8>>)>,
    /// Most entries, where there is a limit.
    pub room: Option<usize>,
    /// Why nothing can be read or written.
    pub refuses: Option<StorageError>,
}

impl FakeStorage {
    fn write(&mut self, saved: SavedRun, bytes: Option<Vec<u8>>) {
        let (id, old) = (saved.id.clone(), self.runs.get(&saved.id).cloned());
        self.marks.entry(id.clone()).or_insert_with(|| RunMarks::of(old.as_ref().unwrap_or(&saved)));
        if let Some(saved) = merge_written(old.as_ref(), saved) {
            self.runs.insert(id.clone(), saved);
            self.states.extend(bytes.map(|bytes| (id, bytes)));
        }
    }

    /// Returns the stored run with this id, with its name, pin and deletion.
    pub fn merged_run(&self, id: &str) -> Option<SavedRun> {
        let run = self.runs.get(id)?.clone();
        Some(match self.marks.get(id) {
            Some(text) => run.with_marks(text.clone()),
            None => run,
        })
    }

    /// Returns all stored runs, and those that cannot be read.
    pub fn stored_runs(&self) -> StoredRuns {
        let mut stock = StoredRuns { now_ms: NOON + self.runs.len() as f64, ..StoredRuns::default() };
        for id in self.runs.keys() {
            match self.merged_run(id).unwrap().check(id) {
                Ok(run) => stock.runs.push(SavedRun { rows: vec![], ..run }),
                Err(why) => stock.damaged.push((id.clone(), why.to_string())),
            }
        }
        stock
    }

    /// Carries out a command as the browser's storage would.
    pub fn run_command(&mut self, command: StorageCommand) -> Option<StorageAnswer> {
        if let Some(why) = &self.refuses {
            return Some(StorageAnswer::Failed(why.clone(), Some(command.into())));
        }
        match command {
            StorageCommand::Load => {
                for (saved, bytes) in std::mem::take(&mut self.left) {
                    self.write(saved, bytes);
                }
                return Some(StorageAnswer::Loaded(self.stored_runs()));
            }
            StorageCommand::Reread(ids) => {
                let runs = ids.iter().filter_map(|id| self.merged_run(id));
                let runs = runs.map(|run| SavedRun { rows: vec![], ..run }).collect();
                let is_gone = |id: &String| !self.runs.contains_key(id);
                return Some(StorageAnswer::Reread(runs, ids.into_iter().filter(is_gone).collect()));
            }
            StorageCommand::WriteRun(saved, bytes) => {
                let id = saved.id.clone();
                let is_new = !self.runs.contains_key(&id);
                if is_new && self.room.is_some_and(|room| self.runs.len() >= room) {
                    return Some(StorageAnswer::NoRoom(StorageCommand::WriteRun(saved, bytes).into()));
                }
                self.write(*saved, bytes);
                return self.merged_run(&id).map(|saved| StorageAnswer::Stored(saved.into()));
            }
            StorageCommand::WriteRunOnClose(saved, bytes) => self.left.push((*saved, bytes)),
            StorageCommand::WriteEdits(edits) => {
                for edit in edits {
                    if let Some(saved) = self.merged_run(&edit.id) {
                        self.marks.insert(edit.id.clone(), RunMarks::of(&saved).apply(&edit));
                    }
                }
            }
            StorageCommand::Delete(ids) => ids.iter().for_each(|id| {
                self.runs.remove(id);
                self.marks.remove(id);
                self.states.remove(id);
            }),
            StorageCommand::ReadRun(id, _) => {
                let runs = self.runs.get(&id).cloned().zip(self.states.get(&id).cloned());
                let runs = runs.map(|(run, bytes)| (run.into(), bytes));
                return Some(StorageAnswer::RunRead(id, runs.ok_or("there are none".to_string())));
            }
            StorageCommand::ReadCurves(id) => {
                let rows = self.runs.get(&id).map_or(vec![], |run| run.rows.clone());
                return Some(StorageAnswer::Curves(id, rows));
            }
        }
        None
    }

    /// Returns the names of the listed runs.
    fn names(&self) -> Vec<String> {
        self.runs.keys().map(|id| self.merged_run(id).unwrap().name).collect()
    }
}

/// A page in a tab with a scripted trainer, whose storage commands go to a shared storage.
pub struct Tab {
    pub state: State,
    pub trainer: Scripted,
    pub storage: Rc<RefCell<FakeStorage>>,
    pub sent: Vec<(Command, Payload)>,
}

pub const LINK: &str = "#v1/sparse-parity?n=20&speed=0";
pub const NOON: f64 = 1.8e12;

impl Tab {
    /// Opens the page at a fragment in a new tab.
    pub fn open(fragment: &str, storage: &Rc<RefCell<FakeStorage>>) -> Tab {
        let trainer = Scripted::new(Program::Cpu, 300);
        let mut tab = Tab { state: State::default(), trainer, storage: storage.clone(), sent: vec![] };
        tab.act(Action::Open(fragment.into()));
        tab.load();
        tab
    }

    /// Reads the stored runs.
    pub fn load(&mut self) {
        self.act_on_library(LibraryAction::Load);
    }

    /// Applies an action on the saved runs.
    pub fn act_on_library(&mut self, action: LibraryAction) {
        self.act(Action::Library(action));
    }

    /// Applies an action and carries out its effects.
    pub fn act(&mut self, action: Action) {
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            for effect in self.state.apply(action) {
                match effect {
                    Effect::Send(command, payload) => {
                        self.trainer.send(&command, &payload);
                        self.sent.push((command, payload));
                    }
                    Effect::Library(command) => {
                        let answer = self.storage.borrow_mut().run_command(command);
                        actions.extend(answer.map(|answer| Action::Library(LibraryAction::Answer(answer))));
                    }
                    _ => {}
                }
            }
            let messages = self.trainer.take().into_iter();
            actions.extend(
                messages.map(|message| Action::Trainer(Program::Cpu, TrainerMessage::Message(message))),
            );
        }
    }

    /// Trains up to this step.
    pub fn train(&mut self, step: u64) {
        self.trainer.advance(step);
        self.seconds(5);
    }

    /// Lets this number of seconds pass.
    pub fn seconds(&mut self, count: u32) {
        (0..count).for_each(|_| self.act(Action::Tick));
    }
}

/// Returns id, step and whether the run has ended for every stored run.
pub fn stored_summary(storage: &Rc<RefCell<FakeStorage>>) -> Vec<(String, u64, bool)> {
    storage.borrow().runs.values().map(|saved| (saved.id.clone(), saved.step, saved.ended)).collect()
}

#[test]
fn a_run_that_trains_is_kept_with_its_curves_and_its_state() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.seconds(10);
    assert!(stored_summary(&storage).is_empty(), "nothing has been trained");
    tab.train(100);
    tab.train(200);
    assert_eq!(
        stored_summary(&storage),
        [("#v1/sparse-parity?n=20".into(), 200, false)],
        "the speed is no part of the run"
    );
    assert_eq!(storage.borrow().runs.values().next().unwrap().rows.len(), 5);
    assert_eq!(storage.borrow().states.values().next().unwrap(), &200u64.to_le_bytes());
    // Another run: the one before is written down as it was left, under its own link.
    tab.trainer.advance(250);
    tab.act(Action::Tick);
    tab.act(Action::Edit("width".into(), "64".into()));
    tab.train(50);
    let ids: Vec<_> = stored_summary(&storage).into_iter().map(|(id, step, _)| (id, step)).collect();
    assert_eq!(ids, [("#v1/sparse-parity?n=20".into(), 250), ("#v1/sparse-parity?n=20&width=64".into(), 50)]);
    assert_eq!(storage.borrow().names(), ["Sparse parity n = 20", "Sparse parity n = 20, width = 64"]);
    // Made again, it is the same entry, and what is known of it is not lost by beginning.
    tab.act(Action::Undo);
    tab.train(50);
    assert_eq!(stored_summary(&storage)[0].1, 250);
}

#[test]
fn after_a_reload_it_goes_on_where_it_was() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.seconds(2);
    tab.trainer.advance(200);
    tab.act(Action::Tick);
    tab.act_on_library(LibraryAction::PageHidden);
    let whole: Vec<_> = tab.state.player.run.history.rows().cloned().collect();
    for address in [LINK, ""] {
        let mut tab = Tab::open(address, &storage);
        let offer = tab.state.resume_offer().map(|saved| (saved.id.clone(), saved.step));
        let (id, step) = offer.expect("the page says so");
        assert_eq!(step, 200);
        tab.act_on_library(LibraryAction::Resume(id));
        assert_eq!(
            (
                tab.state.player.run.step,
                &tab.state.player.run.phase,
                encode(&tab.state.player.run.link).as_str()
            ),
            (200, &RunPhase::Running, LINK)
        );
        assert_eq!(tab.state.player.run.history.rows().cloned().collect::<Vec<_>>(), whole);
        let start = tab.sent.iter().rev().find(|(command, _)| matches!(command, Command::Start { .. }));
        assert_eq!(start.unwrap().1, Payload::Bytes(200u64.to_le_bytes().to_vec()));
        assert!(tab.state.resume_offer().is_none());
        tab.act(Action::Undo);
        assert_eq!(tab.state.player.run.step, 0, "back to the run that the page was opened with");
    }
    let other = Tab::open("#v1/sparse-parity?n=30", &storage);
    assert!(other.state.resume_offer().is_none(), "somebody's link is what was asked for");
}

#[test]
fn an_ended_run_opens_at_its_end() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(300);
    assert_eq!(tab.state.player.run.phase, RunPhase::Finished(EndReason::Target));
    // The script gives no checkpoint at its end; the worker does.
    tab.trainer.send(&Command::Step, &Payload::Empty);
    tab.train(350);
    let id = stored_summary(&storage)[0].0.clone();
    assert!(stored_summary(&storage)[0].2);
    let mut tab = Tab::open("#v1/sparse-parity?n=30", &storage);
    tab.act_on_library(LibraryAction::Resume(id));
    assert_eq!((&tab.state.player.run.phase, tab.state.player.run.solved.len()), (&RunPhase::Paused, 1));
    assert!(tab.state.resume_offer().is_none());
}

#[test]
fn two_tabs_lose_nothing_of_each_other() {
    let storage = Rc::default();
    let (mut a, mut b) = (Tab::open(LINK, &storage), Tab::open("#v1/sparse-parity?n=30", &storage));
    a.train(200);
    b.train(100);
    a.train(250);
    assert_eq!(stored_summary(&storage).iter().map(|k| k.1).collect::<Vec<_>>(), [250, 100]);
    // What one is called in one tab stays when the other goes on writing it down.
    b.load();
    let id = stored_summary(&storage)[0].0.clone();
    b.act_on_library(LibraryAction::Rename(id.clone(), "Mine".into()));
    b.act_on_library(LibraryAction::Pin(id.clone()));
    a.train(280);
    let is = |step| {
        let joined = storage.borrow().merged_run(&id);
        joined.is_some_and(|k| (k.step, k.name.as_str(), k.pinned) == (step, "Mine", true))
    };
    assert!(is(280));
    // Whoever leaves has no time to ask.
    a.trainer.advance(290);
    a.act(Action::SingleStep);
    a.act_on_library(LibraryAction::PageHidden);
    assert!(is(280), "it is written beside");
    // The same run in both: the one that got further counts.
    let mut c = Tab::open(LINK, &storage);
    assert!(is(290));
    c.train(100);
    assert!(is(290));
}

#[test]
fn what_a_hidden_page_leaves_is_written_once_and_comes_back_where_there_is_no_room() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    let left = |tab: &mut Tab| {
        tab.act_on_library(LibraryAction::PageHidden);
        tab.storage.borrow().left.iter().map(|(saved, _)| saved.step).collect::<Vec<_>>()
    };
    assert!(left(&mut tab).is_empty(), "all of it is stored");
    tab.trainer.advance(150);
    tab.act(Action::SingleStep);
    assert_eq!((left(&mut tab), left(&mut tab)), (vec![150], vec![150]));
    assert!(tab.state.library.writing.is_empty(), "nobody waits for an answer");
    // What the browser is still writing may not be there before the page is gone.
    tab.state.library.writing.push(id(20));
    assert_eq!((left(&mut tab), left(&mut tab)), (vec![150, 150], vec![150, 150]));
    let (saved, bytes) = storage.borrow_mut().left.remove(0);
    let full = StorageAnswer::NoRoom(StorageCommand::WriteRunOnClose(saved.into(), bytes).into());
    tab.act_on_library(LibraryAction::Answer(full));
    assert!(!tab.state.library.is_stored(&id(20)));
    assert!(tab.state.library.warning.contains("to store 1 kept run."), "{}", tab.state.library.warning);
}

#[test]
fn deleting_can_be_undone() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    let id = stored_summary(&storage)[0].0.clone();
    tab.act_on_library(LibraryAction::Delete(id.clone()));
    assert!(tab.state.library.listed_runs().is_empty() && tab.state.player.message.contains("Undo"));
    assert!(Tab::open(LINK, &storage).state.library.listed_runs().is_empty());
    tab.act(Action::Undo);
    assert_eq!(tab.state.library.listed_runs().len(), 1);
    assert_eq!(storage.borrow().runs[&id].rows.len(), 3, "an edit does not touch the curves");
    tab.act_on_library(LibraryAction::Delete(id.clone()));
    let mut later = Tab::open("#v1/sparse-parity?n=30", &storage);
    let stock = StoredRuns { now_ms: NOON + 1e7, ..storage.borrow().stored_runs() };
    later.act_on_library(LibraryAction::Answer(StorageAnswer::Loaded(stock)));
    assert!(stored_summary(&storage).is_empty(), "after an hour it is gone");
}

#[test]
fn a_name_and_a_pin_can_be_undone() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    let id = stored_summary(&storage)[0].0.clone();
    let first = tab.state.library.find(&id).unwrap().name.clone();
    tab.act_on_library(LibraryAction::Rename(id.clone(), "mine".into()));
    tab.act_on_library(LibraryAction::Pin(id.clone()));
    // A name that is the same is no change.
    tab.act_on_library(LibraryAction::Rename(id.clone(), "mine".into()));
    let is = |tab: &Tab| {
        let saved = tab.state.library.find(&id).unwrap();
        (saved.name.clone(), saved.pinned, storage.borrow().merged_run(&id).unwrap().name)
    };
    assert_eq!(is(&tab), ("mine".into(), true, "mine".into()));
    tab.act(Action::Undo);
    assert_eq!(is(&tab), ("mine".into(), false, "mine".into()));
    assert_eq!(tab.state.player.message, "After Undo, the run is no longer pinned.");
    tab.act(Action::Undo);
    assert_eq!(is(&tab), (first.clone(), false, first));
    assert!(tab.state.player.message.starts_with("After Undo, the name is"));
}

/// Returns a storage that is full with three runs, and a tab that uses it.
fn full_storage() -> (Rc<RefCell<FakeStorage>>, Tab) {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    storage.borrow_mut().room = Some(3);
    let mut tab = Tab::open(LINK, &storage);
    for n in [20, 21, 22] {
        tab.act(Action::Edit("n".into(), n.to_string()));
        tab.train(100);
    }
    assert_eq!((stored_summary(&storage).len(), tab.state.library.warning.as_str()), (3, ""));
    (storage, tab)
}

/// Returns the id of the run with this setting `n`.
fn id(n: u32) -> String {
    format!("#v1/sparse-parity?n={n}")
}

#[test]
fn where_there_is_no_room_nothing_is_deleted_and_the_new_run_stays_on_the_page() {
    let (storage, mut tab) = full_storage();
    let before = storage.borrow().runs.clone();
    for (n, expected) in [(23, "to store 1 kept run."), (24, "to store 2 kept runs.")] {
        tab.act(Action::Edit("n".into(), n.to_string()));
        tab.train(100);
        tab.train(200);
        assert!(tab.state.library.warning.contains(expected), "{}", tab.state.library.warning);
        assert!(!tab.state.library.is_stored(&id(n)));
    }
    assert_eq!(storage.borrow().runs, before, "what was kept is as it was");
    let listed: Vec<u64> = tab.state.library.listed_runs().iter().map(|saved| saved.step).collect();
    assert_eq!((listed.len(), listed.iter().filter(|step| **step == 200).count()), (5, 2));
    // Opening the list reads what is stored, and loses nothing.
    tab.load();
    assert_eq!(tab.state.library.listed_runs().len(), 5);
    // It can be taken up without the browser, where it was.
    tab.act_on_library(LibraryAction::Resume(id(23)));
    let n = tab.state.player.run.spec().value("n").unwrap().to_string();
    assert_eq!((tab.state.player.run.step, n.as_str()), (200, "23"));
    assert_eq!(storage.borrow().runs, before);
}

#[test]
fn what_a_person_deletes_makes_room_for_what_was_not_stored() {
    let (storage, mut tab) = full_storage();
    for n in [23, 24] {
        tab.act(Action::Edit("n".into(), n.to_string()));
        tab.train(100);
    }
    tab.act_on_library(LibraryAction::Delete(id(21)));
    let stored =
        |storage: &Rc<RefCell<FakeStorage>>| storage.borrow().runs.keys().cloned().collect::<Vec<_>>();
    assert_eq!(stored(&storage), [id(20), id(22), id(23)]);
    assert_eq!(storage.borrow().states[&id(23)], 100u64.to_le_bytes());
    assert!(tab.state.library.is_stored(&id(23)) && tab.state.library.warning.contains("1 kept run."));
    tab.act(Action::Undo);
    assert!(tab.state.player.message.contains("cannot be restored"), "{}", tab.state.player.message);
    tab.act_on_library(LibraryAction::Delete(id(20)));
    assert_eq!(stored(&storage), [id(22), id(23), id(24)]);
    assert_eq!(tab.state.library.warning, "", "nothing is left to be said");
    assert_eq!(tab.state.library.listed_runs().len(), 3);
}

#[test]
fn a_run_that_can_never_fit_costs_no_other_one() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    storage.borrow_mut().room = Some(0);
    let before = storage.borrow().runs.clone();
    tab.act(Action::Edit("n".into(), "23".into()));
    for step in [50, 100, 150, 200] {
        tab.train(step);
    }
    assert_eq!(storage.borrow().runs, before);
    // Also a change may find no room.
    let edit = StorageCommand::WriteEdits(vec![MarksEdit {
        id: id(20),
        pinned: Some(true),
        ..MarksEdit::default()
    }]);
    tab.act_on_library(LibraryAction::Answer(StorageAnswer::NoRoom(edit.into())));
    assert!(tab.state.library.warning.contains("this change"), "{}", tab.state.library.warning);
    // One that deletes needs none.
    tab.act_on_library(LibraryAction::Delete(id(20)));
    assert!(storage.borrow().runs.is_empty());
}

#[test]
fn the_limits_of_the_page_delete_nothing_either() {
    for (count, bytes) in [(5, MAX_BYTES / 4), (MAX_RUNS, 10)] {
        let storage: Rc<RefCell<FakeStorage>> = Rc::default();
        let link = |i: usize| format!("#v1/sparse-parity?seed={}", i + 1000);
        let large = |i: usize| {
            let (id, link, at) = (link(i), link(i), i as f64);
            SavedRun { id, link, at, bytes, step: 9, ..Default::default() }
        };
        storage.borrow_mut().runs = (0..count).map(|i| (link(i), large(i))).collect();
        let mut tab = Tab::open(LINK, &storage);
        tab.train(200);
        assert_eq!(storage.borrow().runs.len(), count);
        assert_eq!(tab.state.library.listed_runs().len(), count + 1);
        assert!(!tab.state.library.is_stored(&id(20)));
        assert!(tab.state.library.warning.contains("no room left"), "{}", tab.state.library.warning);
        // What is deleted waits for its Undo as long as its room is not needed.
        tab.act_on_library(LibraryAction::Delete(link(0)));
        tab.act_on_library(LibraryAction::Delete(link(1)));
        assert!(tab.state.library.is_stored(&id(20)) && storage.borrow().runs.contains_key(&id(20)));
        assert_eq!(tab.state.library.warning, "");
    }
}

#[test]
fn without_storage_everything_else_works() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    storage.borrow_mut().refuses = Some(StorageError::Failed("indexedDB is not defined".into()));
    let mut tab = Tab::open(LINK, &storage);
    tab.train(100);
    assert!(stored_summary(&storage).is_empty() && tab.state.library.warning.contains("stores nothing"));
    assert_eq!(tab.state.player.run.step, 100);
    // What was trained is there as long as the page is.
    tab.act(Action::Edit("n".into(), "21".into()));
    tab.train(50);
    tab.act_on_library(LibraryAction::Resume(id(20)));
    assert_eq!((tab.state.player.run.step, tab.state.library.listed_runs().len()), (100, 2));
}

#[test]
fn curves_of_kept_runs_are_drawn_under_what_differs() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(200);
    tab.act(Action::Edit("lr".into(), "0.5".into()));
    tab.act(Action::Reset);
    tab.act(Action::Edit("width".into(), "64".into()));
    tab.train(100);
    let id = stored_summary(&storage)[0].0.clone();
    tab.act_on_library(LibraryAction::ToggleCompared(id.clone()));
    let names = |tab: &Tab, chart: Chart| match tab.state.reading_to_end(chart) {
        Reading::Lines(lines) => lines
            .series
            .into_iter()
            .filter(|s| s.muted_colour.is_some())
            .map(|s| (s.name, s.x.len()))
            .collect::<Vec<_>>(),
        _ => vec![],
    };
    assert_eq!(names(&tab, chart::LOSS), [("held-out, width = 100, η = 0.1".into(), 5)]);
    assert_eq!(names(&tab, chart::ACCURACY).len(), 1);
    assert!(names(&tab, parity_charts::MOVEMENT).is_empty());
    tab.act_on_library(LibraryAction::ToggleCompared(id));
    assert!(names(&tab, chart::LOSS).is_empty());
}
