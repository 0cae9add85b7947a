//! Entries that a browser's storage may return, and events in the store: damaged entries, tables that are not there, a
//! storage that is taken over or deleted, and tabs that know less than others.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use super::merge::{database_name, link_table_number, merge_read, merge_written};
use super::tests::{FakeStorage, LINK, NOON, Tab, stored_summary};
use super::{LibraryAction, SavedRun, StorageAnswer, StorageError, run_id};
use crate::state::Action;
use vivarium_core::testing::mutation::{self, mutate, mutation_count};
use vivarium_model::permalink::{decode, encode};
use vivarium_model::protocol::{Command, Measurement, Payload};
use vivarium_player::trainer::Trainer;
use vivarium_training::session::{checkpoint::Checkpoint, learner::Weights};
use vivarium_view::display::RunPhase;
use vivarium_view::record::dataset;
use vivarium_view::record::saved::{
    ENTRY_FORMAT, RunMarks, TableFile, check_checkpoint, is_table_missing, parse_saved_link, table_number,
};

/// A saved run of a link, whole.
pub(super) fn entry(text: &str, step: u64) -> SavedRun {
    let link = decode(text).0;
    let replicas = link.spec.run.replicas;
    let has_measures = link.spec.task.examples().measure_names().has_further_measures();
    let row = |step: u64| {
        let numbers = vec![0.5; replicas];
        Measurement {
            step,
            train_loss: numbers.clone(),
            train_accuracy: numbers.clone(),
            test_loss: numbers.clone(),
            test_accuracy: numbers.clone(),
            margin: vec![],
            measures: if has_measures { vec![numbers; 3] } else { vec![] },
        }
    };
    SavedRun {
        format: ENTRY_FORMAT,
        id: run_id(&link.spec),
        link: encode(&link),
        name: "A run".into(),
        at: NOON,
        step,
        bytes: 1000,
        solved: vec![(0, step / 2)],
        rows: (0..=4).map(|i| row(i * step / 4)).collect(),
        ..SavedRun::default()
    }
}

const LINKS: [&str; 6] = [
    LINK,
    "#v1/sparse-parity?n=12&k=2&replicas=3&steps=400",
    "#v1/groups?order=5&width=16",
    "#v1/markov?t=24&batch=8",
    "#v1/tabular?n=7&m=60&replicas=2",
    "#v1/sparse-parity?n=12&lrs=100:0.5",
];

#[test]
fn what_is_written_is_read() {
    for text in LINKS {
        let saved = entry(text, 200);
        assert_eq!(saved.clone().check(&saved.id), Ok(saved), "{text}");
    }
    // Before there were versions, there were fewer fields.
    let old =
        json!({"id": LINK.replace("&speed=0", ""), "link": LINK, "name": "Old", "step": 7, "at": 1.5e12});
    let old: SavedRun = serde_json::from_value(old).unwrap();
    assert_eq!(old.clone().check(&old.id).unwrap().name, "Old");
}

#[test]
fn each_error_of_an_entry_is_a_sentence() {
    let cases: [(&str, Value, &str); 14] = [
        ("solved", json!([[7, 400]]), "solved should be a step or null for each of 1 replicas"),
        ("solved", json!([[0, 4], [0, 5]]), "solved should be"),
        ("format", json!(99), "newer version"),
        ("id", json!("#v1/groups?order=5"), "the link should be the link under which the entry is stored"),
        (
            "link",
            json!("#v1/sparse-parity?n=21"),
            "the link should be the link under which the entry is stored",
        ),
        ("link", json!("#v1/sparse-parity?n=20&colour=blue"), "cannot read the link of this file"),
        ("at", json!(-1.0), "time of this entry"),
        ("deleted", json!(1e300), "time of this entry"),
        ("step", json!(u64::MAX), "step should be a whole number up to"),
        ("bytes", json!(1u64 << 40), "at most 200 MB"),
        ("rows", json!([{"step": 3, "train_loss": [1, 2]}]), "train_loss of measurement 1"),
        ("revision", json!(u64::MAX), "time of this entry"),
        ("rows", json!("none"), ""),
        ("solved", json!([[-1, 3]]), ""),
    ];
    for (key, value, sentence) in cases {
        let whole = entry(LINK, 200);
        let id = whole.id.clone();
        let mut json = serde_json::to_value(whole).unwrap();
        json[key] = value;
        // The last two are no entry at all, which a browser's reader says as well.
        let read: Result<SavedRun, _> = serde_json::from_value(json);
        match read {
            Ok(read) => {
                let why = read.check(&id).expect_err(key).to_string();
                assert!(!sentence.is_empty() && why.contains(sentence), "{key}: {why}");
            }
            Err(why) => assert_eq!(sentence, "", "{key}: {why}"),
        }
    }
    let mut order = entry(LINK, 200);
    order.rows.swap(1, 2);
    assert!(order.clone().check(&order.id).unwrap_err().to_string().contains("do not increase"));
    let sweep = entry("#v1/sparse-parity?n=20&sweep=width:16_32", 200);
    assert!(sweep.clone().check(&sweep.id).unwrap_err().to_string().contains("not of a sweep"));
}

#[test]
fn what_reaches_further_than_the_weights_is_left_out_and_names_are_cut() {
    let mut run = entry(LINK, 200);
    run.solved = vec![(0, 300)];
    run.name = "x\u{7}".repeat(500);
    let checked = run.clone().check(&run.id).unwrap();
    assert_eq!((checked.solved.len(), checked.name), (0, "x".repeat(80)));
    let marks = |deleted: f64, revision: u64| RunMarks { deleted, revision, ..RunMarks::default() }.check();
    assert!(marks(f64::NAN, 1).is_none() && marks(-1.0, 1).is_none() && marks(0.0, u64::MAX).is_none());
    assert!(marks(1.8e12, 9).is_some());
}

/// Random changes of JSON values.
struct RandomMutator(u64);

impl RandomMutator {
    fn draw_index(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    /// Anything that may stand in a store.
    fn value(&mut self) -> Value {
        let n = self.draw_index(60) as u64;
        match self.draw_index(22) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!(0.5),
            4 => json!(1e300),
            5 => json!(u64::MAX),
            6 => json!(1u64 << 53),
            7 => json!((1u64 << 32) + n),
            8 => json!([]),
            9 => json!({}),
            10 => json!(""),
            11 => json!("\u{0}\u{202e}<img src=x>"),
            12 => json!("9".repeat(10_000)),
            13 => json!([[n, n * 100]]),
            14 => json!([[0, n], [1, n], [0, 3]]),
            15 => json!([{"step": n}, {"step": n}]),
            16 => json!(LINKS[self.draw_index(LINKS.len())]),
            17 => json!(format!("{}&m={n}&csv={n}&data=own", LINKS[4])),
            18 => json!(format!("{}&sweep=width:16_{n}", LINKS[0])),
            19 => json!(vec![f64::from(n as u32) / 7.0; n as usize]),
            20 => json!({"name": "a", "size": n, "label": n}),
            _ => json!(n),
        }
    }

    /// A number, mostly a whole and small one.
    fn number(&mut self) -> Value {
        let n = self.draw_index(500) as u64;
        match self.draw_index(12) {
            0 => json!(0),
            1 => json!(1),
            2 => json!(u64::MAX),
            3 => json!((1u64 << 53) + n),
            4 => json!((1u64 << 32) + n),
            5 => json!(0.5),
            6 => json!(-1),
            _ => json!(n),
        }
    }

    /// Changes something in it, at any depth.
    fn mutate(&mut self, value: &mut Value) {
        let stops = self.draw_index(4) == 0;
        match value {
            Value::Array(items) if !items.is_empty() && !stops => {
                let at = self.draw_index(items.len());
                match self.draw_index(6) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    2 => {
                        let other = self.draw_index(items.len());
                        items.swap(at, other);
                    }
                    _ => self.mutate(&mut items[at]),
                }
            }
            Value::Object(fields) if !fields.is_empty() && !stops => {
                let at = self.draw_index(fields.len());
                let key = fields.keys().nth(at).unwrap().clone();
                match self.draw_index(8) {
                    0 => drop(fields.remove(&key)),
                    _ => self.mutate(&mut fields[&key]),
                }
            }
            // Mostly something of the same kind, or else most entries would not be any.
            other => {
                *other = match (&*other, self.draw_index(4)) {
                    (Value::Number(_), 1..) => self.number(),
                    (Value::Bool(word), 1..) => json!(!word),
                    (Value::String(_), 1..) => {
                        json!(["", "#v1/groups", "x\u{7}y", LINKS[0]][self.draw_index(4)])
                    }
                    _ => self.value(),
                }
            }
        }
    }
}

#[test]
fn random_entries_are_refused_in_a_sentence_or_can_be_used() {
    let whole: Vec<Value> =
        LINKS.iter().map(|link| serde_json::to_value(entry(link, 200)).unwrap()).collect();
    let mut dice = RandomMutator(18);
    let (mut refused, mut used) = (0, 0);
    for _ in 0..mutation_count() {
        let mut value = whole[dice.draw_index(whole.len())].clone();
        let key = value["id"].as_str().unwrap().to_string();
        (0..=dice.draw_index(3)).for_each(|_| dice.mutate(&mut value));
        let marks = serde_json::from_value::<RunMarks>(value.clone()).ok().and_then(RunMarks::check);
        assert_eq!(marks.clone().and_then(RunMarks::check), marks, "what is checked stays as it is");
        let Ok(mut read) = serde_json::from_value::<SavedRun>(value) else { continue };
        if dice.draw_index(10) == 0 {
            // What JSON cannot say, and a storage can.
            read.at = [f64::NAN, f64::INFINITY, -0.0][dice.draw_index(3)];
        }
        match read.check(&key) {
            Err(why) => {
                refused += 1;
                assert!(why.to_string().len() > 15, "{why}");
            }
            Ok(run) => {
                used += 1;
                assert_eq!(run.clone().check(&key), Ok(run.clone()), "what is checked stays as it is");
                if used % 40 == 0 {
                    check_and_resume(run);
                }
            }
        }
    }
    assert!(
        refused > mutation_count() / 20 && used > mutation_count() / 50,
        "{refused} refused, {used} used"
    );
}

/// Lists, draws and resumes a run, as a user might.
fn check_and_resume(run: SavedRun) {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let id = run.id.clone();
    store.borrow_mut().states.insert(id.clone(), run.step.to_le_bytes().to_vec());
    store.borrow_mut().runs.insert(id.clone(), run);
    let mut tab = Tab::open("#v1/sparse-parity?n=30&speed=0", &store);
    tab.act_on_library(LibraryAction::ToggleCompared(id.clone()));
    tab.act_on_library(LibraryAction::Resume(id));
    let charts = tab.state.player.run.link.view.show.clone();
    charts.iter().for_each(|chart| drop(tab.state.reading_to_end(*chart)));
    tab.act_on_library(LibraryAction::DeleteUnpinned);
    tab.seconds(4);
}

#[test]
fn an_entry_with_an_error_is_listed_with_the_reason_left_alone_and_deleted_on_request() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let bad = SavedRun { solved: vec![(7, 400)], ..entry("#v1/sparse-parity?n=21", 500) };
    store.borrow_mut().runs.insert(bad.id.clone(), bad.clone());
    let mut tab = Tab::open("#v1/sparse-parity?n=21&speed=0", &store);
    assert!(tab.state.resume_offer().is_none() && tab.state.library.listed_runs().is_empty());
    assert_eq!(tab.state.library.damaged[0].0, bad.id);
    assert!(tab.state.library.damaged[0].1.contains("solved"), "{:?}", tab.state.library.damaged);
    tab.act_on_library(LibraryAction::Resume(bad.id.clone()));
    assert_eq!(tab.state.player.run.step, 0);
    assert_eq!(store.borrow().runs[&bad.id], bad);
    tab.act_on_library(LibraryAction::DeleteDamaged(bad.id.clone()));
    assert!(store.borrow().runs.is_empty() && tab.state.library.damaged.is_empty());
}

const SMALL: &str = "#v1/sparse-parity?n=6&k=2&width=3&steps=500";

/// A checkpoint of step 200 of [`SMALL`].
fn checkpoint() -> Vec<u8> {
    let spec = decode(SMALL).0.spec;
    let numbers = || spec.parameters().iter().map(|p| vec![0.1; p.len()]).collect::<Vec<_>>();
    let moments = vec![numbers(); spec.optimizer.moment_count()];
    let moments = (0..numbers().len()).map(|i| moments.iter().map(|m| m[i].clone()).collect()).collect();
    let weights = Weights { parameters: numbers(), moments };
    let initial = Default::default();
    Checkpoint { spec, step: 200, solved: vec![None], initial, weights }.encode().unwrap()
}

#[test]
fn checkpoints_that_were_changed_are_of_their_run_or_refused_in_a_sentence() {
    let (saved, whole) = (entry(SMALL, 200), checkpoint());
    let mut taken = 0;
    for which in 0..mutation_count() {
        let bytes = mutate(&whole, &mut mutation::MutationRng::new(which));
        match check_checkpoint(&saved, bytes.clone()) {
            Ok(checked) => {
                assert_eq!(checked, bytes);
                taken += 1;
            }
            Err(why) => assert!(why.len() > 15, "{why}"),
        }
    }
    assert!(taken > mutation_count() / 100 && taken < mutation_count(), "{taken}");
}

#[test]
fn a_checkpoint_of_another_run_or_step_is_not_gone_on_from() {
    let (text, bytes) = (SMALL, checkpoint());
    let checked = |text: &str, step: u64, bytes: &[u8]| check_checkpoint(&entry(text, step), bytes.to_vec());
    assert_eq!(checked(text, 200, &bytes), Ok(bytes.clone()));
    // What was changed while it went on is the link's.
    assert_eq!(
        checked("#v1/sparse-parity?n=6&k=2&width=3&steps=900&lrs=150:0.5", 200, &bytes),
        Ok(bytes.clone())
    );
    assert!(checked(text, 199, &bytes).unwrap_err().contains("belong to step 200"));
    assert!(checked("#v1/sparse-parity?n=6&k=3&width=3", 200, &bytes).unwrap_err().contains("another run"));
    assert!(checked(text, 200, &bytes[..bytes.len() - 4]).unwrap_err().contains("damaged or cut off"));
    assert!(checked(text, 200, b"").is_err());
}

#[test]
fn a_run_without_its_weights_is_trained_anew_and_says_so() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let run = entry("#v1/sparse-parity?n=21", 200);
    store.borrow_mut().runs.insert(run.id.clone(), run.clone());
    let mut tab = Tab::open(LINK, &store);
    tab.act_on_library(LibraryAction::Resume(run.id.clone()));
    assert!(
        tab.state.player.message.contains("there are none")
            && tab.state.player.message.contains("from its start")
    );
    assert_eq!((tab.state.player.run.step, tab.state.player.run.phase.clone()), (0, RunPhase::Running));
    tab.train(100);
    assert_eq!(store.borrow().runs[&run.id].step, 200, "less of it replaces nothing");
}

/// A file of 60 rows whose label depends on one of its columns, different for each `salt`.
fn file(salt: usize) -> Vec<u8> {
    let line = |i: usize| format!("{},{},{}", (i * 37 + salt) % 101, i * i % 89, i % 2);
    let lines: Vec<String> = std::iter::once("size,age,week".to_string()).chain((0..60).map(line)).collect();
    lines.join("\n").into_bytes()
}

#[test]
fn a_saved_run_on_a_table_that_is_not_here_asks_for_its_file() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    // The table was open where it was saved, and is not here.
    let table = dataset::read_bytes(&file(1), Some(0)).unwrap().table;
    let number = table.table_id();
    let text = format!("#v1/tabular?data=own&csv={number}&m=20&replicas=1");
    let shown = parse_saved_link(&text).unwrap();
    assert!(
        is_table_missing(&shown.spec)
            && table_number(&shown.spec) == Some(number)
            && link_table_number(&text) == Some(number)
    );
    assert_eq!(shown.spec.value("m").unwrap().to_string(), "20", "nothing is mended for want of the table");
    let text = encode(&shown);
    let about = run_id(&shown.spec);
    let run = SavedRun {
        id: about.clone(),
        link: text,
        table: Some(TableFile { name: "houses.csv".into(), size: 4321, label: 0 }),
        ..entry("#v1/tabular?m=20&replicas=1", 200)
    };
    assert_eq!(run.clone().check(&run.id), Ok(run.clone()));
    store.borrow_mut().runs.insert(run.id.clone(), run.clone());
    store.borrow_mut().states.insert(run.id.clone(), 200u64.to_le_bytes().to_vec());

    let mut tab = Tab::open(LINK, &store);
    tab.sent.clear();
    tab.act_on_library(LibraryAction::ToggleCompared(run.id.clone()));
    tab.act_on_library(LibraryAction::Resume(run.id.clone()));
    for part in ["houses.csv", "4321 bytes", &number.to_string(), "A run"] {
        assert!(tab.state.player.message.contains(part), "{part}: {}", tab.state.player.message);
    }
    assert_eq!(tab.state.table_request().as_ref(), Some(&tab.state.player.message));
    assert_eq!(encode(&tab.state.player.run.link), LINK, "nothing else is trained in its place");
    assert!(!tab.sent.iter().any(|(command, _)| matches!(command, Command::Start { .. })));
    // Another file is not taken for it, whatever it is called.
    tab.act(Action::open_file("houses.csv", file(50)));
    assert!(
        tab.state.file_error.contains("“A run” was trained on another table"),
        "{}",
        tab.state.file_error
    );
    assert_eq!(encode(&tab.state.player.run.link), LINK);
    // The file itself is, whatever it is called, although its label is not the usual one.
    tab.act(Action::open_file("copy.csv", file(1)));
    assert_eq!((tab.state.player.run.step, run_id(tab.state.player.run.spec())), (200, about));
    assert_eq!(tab.state.table_request(), None);
    let table = tab.sent.iter().position(|(command, _)| matches!(command, Command::Table { columns: 2 }));
    let start = tab.sent.iter().position(|(command, _)| matches!(command, Command::Start { .. }));
    assert!(table.is_some() && table < start);
    // From now on it is open, and what is saved of the run says where it came from.
    tab.train(250);
    let saved = store.borrow().runs[&run.id].clone();
    let of = saved.table.unwrap();
    assert_eq!((saved.step, of.name.as_str(), of.size, of.label), (250, "copy.csv", file(1).len() as u64, 0));
}

#[test]
fn the_request_for_a_table_can_be_given_up() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let text = "#v1/tabular?data=own&csv=987654321&m=20&replicas=1";
    let run = SavedRun { id: text.into(), link: text.into(), ..entry("#v1/tabular?m=20&replicas=1", 200) };
    store.borrow_mut().runs.insert(run.id.clone(), run.clone());
    let mut tab = Tab::open(LINK, &store);
    tab.act_on_library(LibraryAction::Resume(run.id.clone()));
    assert!(tab.state.table_request().unwrap().contains("a CSV file (checksum of the table: 987654321)"));
    tab.act_on_library(LibraryAction::CancelWaiting);
    assert_eq!(tab.state.table_request(), None);
    tab.act(Action::open_file("other.csv", file(3)));
    assert!(encode(&tab.state.player.run.link).starts_with("#v1/tabular?data=own&csv="), "a run of its own");
    tab.act_on_library(LibraryAction::Resume(run.id.clone()));
    tab.act_on_library(LibraryAction::Delete(run.id));
    assert_eq!(tab.state.table_request(), None, "nobody waits for what is deleted");
}

#[test]
fn a_stale_tab_that_closes_overwrites_neither_a_finished_run_nor_what_is_stated_of_it() {
    let store = Rc::default();
    let mut stale = Tab::open(LINK, &store);
    stale.train(100);
    let mut other = Tab::open(LINK, &store);
    other.train(300);
    let id = stored_summary(&store)[0].0.clone();
    assert_eq!(store.borrow().runs[&id].step, 100, "the script has no checkpoint at its end");
    other.trainer.send(&Command::Step, &Payload::Empty);
    other.train(350);
    other.act_on_library(LibraryAction::Pin(id.clone()));
    other.act_on_library(LibraryAction::Rename(id.clone(), "Mine".into()));
    assert_eq!(stored_summary(&store), [(id.clone(), 350, true)]);
    stale.trainer.advance(140);
    stale.act(Action::SingleStep);
    stale.act_on_library(LibraryAction::PageHidden);
    let later = Tab::open("#v1/sparse-parity?n=30", &store);
    let found = later.state.library.find(&id).unwrap();
    assert_eq!((found.step, found.ended, found.pinned, found.name.as_str()), (350, true, true, "Mine"));
}

#[test]
fn news_from_another_tab_makes_the_lists_agree() {
    let store = Rc::default();
    let (mut a, mut b) = (Tab::open(LINK, &store), Tab::open("#v1/sparse-parity?n=30", &store));
    a.train(200);
    let id = stored_summary(&store)[0].0.clone();
    assert!(b.state.library.find(&id).is_none());
    let tell = |tab: &mut Tab, ids: Vec<String>| {
        tab.act_on_library(LibraryAction::Answer(StorageAnswer::RunsChanged(ids)));
    };
    tell(&mut b, vec![id.clone()]);
    assert_eq!(b.state.library.find(&id).unwrap().step, 200);
    // Each says something else of it, and both know only the run before.
    b.act_on_library(LibraryAction::Pin(id.clone()));
    a.act_on_library(LibraryAction::Rename(id.clone(), "Mine".into()));
    tell(&mut a, vec![id.clone()]);
    tell(&mut b, vec![]);
    for tab in [&a, &b] {
        let saved = tab.state.library.find(&id).unwrap();
        assert_eq!((saved.name.as_str(), saved.pinned), ("Mine", true));
    }
    // What is forgotten there is gone here, except what is only here.
    store.borrow_mut().runs.clear();
    tell(&mut b, vec![id.clone()]);
    assert!(b.state.library.find(&id).is_none());
}

#[test]
fn of_two_states_of_a_run_the_newer_parts_count() {
    let run = |step, ended, revision, name: &str| SavedRun {
        name: name.into(),
        revision,
        ended,
        ..entry(LINK, step)
    };
    let of = |a: &SavedRun, b: &SavedRun| {
        let saved = merge_read(a.clone(), b.clone());
        (saved.step, saved.ended, saved.name)
    };
    let (ahead, renamed) = (run(300, false, 1, "old"), run(200, false, 2, "new"));
    assert_eq!(of(&ahead, &renamed), (300, false, "new".into()));
    assert_eq!(of(&renamed, &ahead), (300, false, "new".into()));
    let ended = run(300, true, 1, "old");
    assert_eq!(of(&ahead, &ended), (300, true, "old".into()));
    assert_eq!(
        merge_written(Some(&ended), ahead.clone()),
        None,
        "what waits at the end of a run is not more of it"
    );
    assert_eq!(merge_written(Some(&renamed), ahead.clone()).unwrap().name, "new");
    assert_eq!(merge_written(None, ahead.clone()), Some(ahead));
}

#[test]
fn two_copies_of_the_page_on_one_host_have_a_place_each() {
    let names = ["/", "/index.html", "/a/", "/a/index.html", "/b/", ""].map(database_name);
    assert_eq!(names, ["/", "/", "/a/", "/a/", "/b/", "/"].map(|folder| format!("vivarium {folder}")));
    assert_eq!(link_table_number("#v1/tabular?csv=7"), None, "it is generated");
    assert_eq!(link_table_number("#v1/tabular?csv=x&data=own"), None);
}

#[test]
fn a_storage_that_is_taken_over_lost_or_failing_loses_nothing_of_the_page() {
    for (why, sentence) in [
        (StorageError::NewerVersion, "newer version of this page"),
        (StorageError::BlockedByOlderVersion, "older version of this page"),
        (StorageError::Failed("disk error".into()), "could not store the kept runs (disk error)"),
    ] {
        let store: Rc<RefCell<FakeStorage>> = Rc::default();
        let mut tab = Tab::open(LINK, &store);
        tab.train(100);
        store.borrow_mut().refuses = Some(why.clone());
        tab.act_on_library(LibraryAction::Answer(StorageAnswer::Failed(why, None)));
        assert!(tab.state.library.warning.contains(sentence), "{}", tab.state.library.warning);
        tab.act(Action::Edit("n".into(), "21".into()));
        tab.train(150);
        let id = run_id(tab.state.player.run.spec());
        assert!(!tab.state.library.is_stored(&id) && stored_summary(&store).len() == 1);
        assert_eq!(tab.state.library.listed_runs().len(), 2);
        tab.act_on_library(LibraryAction::Pin(id.clone()));
        // As soon as it can be stored, it is, with what was said of it.
        store.borrow_mut().refuses = None;
        tab.load();
        assert_eq!((store.borrow().runs[&id].step, tab.state.library.warning.as_str()), (150, ""));
        assert!(store.borrow().merged_run(&id).unwrap().pinned && store.borrow().states.contains_key(&id));
    }
}

#[test]
fn what_the_browser_has_deleted_stays_on_the_page_and_the_run_under_way_is_stored_again() {
    let store: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &store);
    tab.train(100);
    tab.act(Action::Edit("n".into(), "21".into()));
    tab.train(100);
    let now = run_id(tab.state.player.run.spec());
    store.take();
    tab.act_on_library(LibraryAction::Answer(StorageAnswer::Failed(StorageError::ConnectionLost, None)));
    assert_eq!(tab.state.library.listed_runs().len(), 2);
    assert!(tab.state.library.warning.contains("has deleted the stored data of this page"));
    tab.train(200);
    assert_eq!(stored_summary(&store), [(now, 200, false)], "the other one is not stored unasked");
    assert!(tab.state.library.warning.contains("1 kept run"), "{}", tab.state.library.warning);
    // What fails meanwhile changes nothing of that.
    store.take();
    store.borrow_mut().refuses = Some(StorageError::Failed("InvalidStateError".into()));
    for why in [StorageError::ConnectionLost, StorageError::Failed("AbortError".into())] {
        tab.act_on_library(LibraryAction::Answer(StorageAnswer::Failed(why, None)));
        assert!(tab.state.library.warning.contains("the page is opening the storage again"));
    }
    store.borrow_mut().refuses = None;
    tab.load();
    assert_eq!(tab.state.library.listed_runs().len(), 2);
    tab.train(220);
    assert_eq!(stored_summary(&store).len(), 1);
    // Closed without anything deleted, it is opened again without a word.
    let mut tab = Tab::open("#v1/sparse-parity?n=30", &store);
    tab.act_on_library(LibraryAction::Answer(StorageAnswer::Failed(StorageError::ConnectionLost, None)));
    assert_eq!((tab.state.library.warning.as_str(), tab.state.library.listed_runs().len()), ("", 1));
}

#[test]
fn pinned_runs_stand_first_and_are_spared() {
    let store = Rc::default();
    let mut tab = Tab::open(LINK, &store);
    for n in [20, 21, 22, 23] {
        tab.act(Action::Edit("n".into(), n.to_string()));
        tab.train(100);
    }
    let id = |n: u32| format!("#v1/sparse-parity?n={n}");
    tab.act_on_library(LibraryAction::Pin(id(21)));
    let listed =
        |tab: &Tab| tab.state.library.listed_runs().iter().map(|saved| saved.id.clone()).collect::<Vec<_>>();
    assert_eq!((listed(&tab)[0].clone(), listed(&tab).len()), (id(21), 4));
    tab.act_on_library(LibraryAction::DeleteUnpinned);
    assert_eq!(listed(&tab), [id(21), id(23)], "the run under way stays too");
    assert!(tab.state.player.message.contains("2 kept runs"), "{}", tab.state.player.message);
    let later = Tab::open("#v1/sparse-parity?n=30", &store);
    assert_eq!(later.state.library.listed_runs().len(), 2);
    tab.act(Action::Undo);
    assert_eq!(listed(&tab).len(), 4);
    assert!(tab.state.player.message.contains("2 kept runs"), "{}", tab.state.player.message);
    tab.act_on_library(LibraryAction::Pin(id(20)));
    tab.act_on_library(LibraryAction::Pin(id(22)));
    tab.act_on_library(LibraryAction::DeleteUnpinned);
    assert!(tab.state.player.message.contains("are pinned"), "{}", tab.state.player.message);
}
