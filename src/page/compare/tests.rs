//! Runs that are kept and compared, against a library that is a map.

use std::cell::RefCell;
use std::rc::Rc;

use super::MAX_COMPARED;
use crate::files::Export;
use crate::library::tests::{FakeStorage, LINK, Tab, stored_summary};
use crate::library::{LibraryAction, StorageError};
use crate::state::Action;
use vivarium_model::chart;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::Command;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::RunPhase;

fn edit(tab: &mut Tab, key: &str, text: &str) {
    tab.act(Action::Edit(key.into(), text.into()));
}

fn compare(tab: &mut Tab) {
    tab.act_on_library(LibraryAction::Compare);
}

/// The names in the legend of a chart, without the curve of training.
fn legend(tab: &Tab, chart: Chart) -> Vec<String> {
    let Reading::Lines(lines) = tab.state.reading_to_end(chart) else { return vec![] };
    lines.series.into_iter().map(|series| series.name).skip(1).collect()
}

fn names(tab: &Tab) -> Vec<String> {
    legend(tab, chart::LOSS)
}

/// Content of the row on each compared run: its name, and whether it is drawn.
fn compared_row(tab: &Tab) -> Vec<(String, bool)> {
    tab.state.comparison().runs.into_iter().map(|named| (named.name, !named.is_part_of_own)).collect()
}

/// A tab in which a run with each of these rates was trained to its end and kept; then another one with the last rate.
fn tab_after_rates(rates: &[&str], last: &str) -> (Rc<RefCell<FakeStorage>>, Tab) {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    for rate in rates {
        edit(&mut tab, "lr", rate);
        // The script gives no checkpoint at its end.
        tab.train(200);
        tab.train(300);
        compare(&mut tab);
    }
    edit(&mut tab, "lr", last);
    tab.train(100);
    (storage, tab)
}

#[test]
fn both_curves_are_drawn_and_named_by_the_setting_that_was_changed() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(200);
    tab.act(Action::TogglePlay);
    compare(&mut tab);
    assert_eq!(
        tab.state.player.message,
        "The curves of this run are kept up to step 200. Change a setting and train: then the curves of both runs are drawn."
    );
    assert_eq!(
        (names(&tab), compared_row(&tab).len()),
        (vec!["held-out".to_string()], 1),
        "it is drawn already"
    );
    // The run waits and is kept: another rate is one of a new run, and the field shows the whole run's.
    edit(&mut tab, "lr", "0.3");
    assert_eq!(encode(&tab.state.player.run.link), "#v1/sparse-parity?n=20&lr=0.3&speed=0");
    assert_eq!((tab.state.player.run.step, &tab.state.player.run.phase), (0, &RunPhase::Paused));
    tab.act(Action::TogglePlay);
    tab.train(100);
    assert_eq!(names(&tab), ["held-out, η = 0.3", "held-out, η = 0.1"]);
    assert_eq!(legend(&tab, chart::ACCURACY), names(&tab));
    assert_eq!(compared_row(&tab), [("η = 0.1".to_string(), true)]);
    // A third run that differs in another setting renames both.
    compare(&mut tab);
    edit(&mut tab, "k", "2");
    tab.train(50);
    assert_eq!(
        names(&tab),
        ["held-out, k = 2, η = 0.3", "held-out, k = 3, η = 0.1", "held-out, k = 3, η = 0.3"]
    );
    let tints: Vec<usize> = tab.state.library.compared_runs().map(|of| of.colour).collect();
    assert!(tints[0] != tints[1], "{tints:?}");
}

#[test]
fn another_seed_is_named_as_one() {
    let mut tab = Tab::open(LINK, &Rc::default());
    tab.train(300);
    compare(&mut tab);
    tab.act(Action::NewSeed(1));
    tab.train(100);
    assert_eq!(names(&tab), ["held-out, seed 1", "held-out, seed 0"]);
}

#[test]
fn a_change_of_the_rate_during_a_run_is_no_second_run() {
    let mut tab = Tab::open(LINK, &Rc::default());
    tab.train(100);
    compare(&mut tab);
    tab.trainer.advance(150);
    tab.act(Action::Tick);
    // It trains, so that the rate changes on the way.
    edit(&mut tab, "lr", "0.3");
    assert!(tab.sent.iter().any(|(command, _)| *command == Command::LearningRate(0.3)));
    tab.train(200);
    assert_eq!((names(&tab), compared_row(&tab)[0].1), (vec!["held-out".to_string()], false));
    // Kept runs that are chosen in the list are not drawn over themselves either.
    tab.act_on_library(LibraryAction::StopComparing);
    let before = stored_summary(&tab.storage)[0].0.clone();
    assert!(!before.contains("lrs"), "{before}");
    tab.act_on_library(LibraryAction::ToggleCompared(before));
    assert_eq!(names(&tab), ["held-out"]);
    // From an earlier step on it is another run, and the curve of before goes on beside it.
    (0..3).for_each(|_| tab.act(Action::Undo));
    assert!(tab.state.player.run.spec().run.schedule.is_empty());
    tab.train(250);
    compare(&mut tab);
    tab.act(Action::Scrub(100));
    tab.act(Action::TogglePlay);
    edit(&mut tab, "lr", "0.5");
    tab.train(200);
    assert_eq!(names(&tab), ["held-out, η = 0.1 → 0.5 at step 100", "held-out, η = 0.1"]);
}

#[test]
fn the_curve_grows_with_its_run_until_a_setting_changes() {
    let mut tab = Tab::open(LINK, &Rc::default());
    tab.trainer.advance(50);
    tab.act(Action::Tick);
    compare(&mut tab);
    tab.trainer.advance(200);
    tab.act(Action::Tick);
    edit(&mut tab, "width", "64");
    tab.train(50);
    let steps: Vec<u64> = tab.state.library.compared_runs().map(|of| of.run.step).collect();
    assert_eq!((steps, names(&tab).len()), (vec![200], 2));
    // The beginning of a kept run does not take its place.
    tab.act(Action::Undo);
    tab.train(100);
    compare(&mut tab);
    assert_eq!(tab.state.library.compared_runs().map(|of| of.run.step).collect::<Vec<_>>(), [200]);
}

#[test]
fn as_many_runs_are_compared_as_there_are_colours() {
    let rates: Vec<String> = (1..=MAX_COMPARED).map(|rate| format!("0.{rate}")).collect();
    let (_, mut tab) = tab_after_rates(&rates.iter().map(String::as_str).collect::<Vec<_>>(), "0.9");
    assert_eq!(names(&tab).len(), MAX_COMPARED + 1);
    let mut tints: Vec<usize> = tab.state.library.compared_runs().map(|of| of.colour).collect();
    tints.sort_unstable();
    tints.dedup();
    assert_eq!(tints.len(), MAX_COMPARED);
    compare(&mut tab);
    assert!(tab.state.player.message.starts_with("6 kept runs are compared"), "{}", tab.state.player.message);
    assert_eq!(tab.state.library.compared_runs().count(), MAX_COMPARED);
}

#[test]
fn a_given_name_counts_until_it_is_deleted() {
    let (_, mut tab) = tab_after_rates(&["0.1", "0.2"], "0.3");
    let id = tab.state.compared_ids()[0].clone();
    tab.act_on_library(LibraryAction::Rename(id.clone(), "Slow, \"first\"".into()));
    assert_eq!(names(&tab), ["held-out, η = 0.3", "held-out, Slow, \"first\"", "held-out, η = 0.2"]);
    let file = Export::ComparedCsv.build(&tab.state, "").unwrap();
    assert!(String::from_utf8(file.bytes).unwrap().contains("\n\"Slow, \"\"first\"\"\",0,0,"));
    // The same name for two runs still tells them apart.
    let other = tab.state.compared_ids()[1].clone();
    tab.act_on_library(LibraryAction::Rename(other, "Slow, \"first\"".into()));
    assert_eq!(names(&tab)[2], "held-out, Slow, \"first\" (2)");
    tab.act(Action::Undo);
    tab.act_on_library(LibraryAction::Rename(id, " ".into()));
    assert_eq!(names(&tab), ["held-out, η = 0.3", "held-out, η = 0.1", "held-out, η = 0.2"]);
}

#[test]
fn what_is_no_longer_compared_is_kept_and_undo_brings_it_back() {
    let (storage, mut tab) = tab_after_rates(&["0.1", "0.2"], "0.3");
    let before = (stored_summary(&storage).len(), names(&tab));
    let first = tab.state.compared_ids()[0].clone();
    tab.act_on_library(LibraryAction::ToggleCompared(first.clone()));
    assert_eq!(compared_row(&tab), [("η = 0.2".to_string(), true)]);
    tab.act_on_library(LibraryAction::StopComparing);
    assert_eq!((names(&tab), compared_row(&tab).len()), (vec!["held-out".to_string()], 0));
    assert!(tab.state.player.message.contains("stay in the list"), "{}", tab.state.player.message);
    tab.act(Action::Undo);
    assert_eq!(
        (compared_row(&tab).len(), tab.state.player.message.as_str()),
        (1, "Compared again after Undo: 1 kept run.")
    );
    tab.act(Action::Undo);
    assert_eq!((compared_row(&tab).len(), stored_summary(&storage).len()), (2, before.0));
    let (mut again, mut was) = (names(&tab), before.1);
    again.sort_unstable();
    was.sort_unstable();
    assert_eq!(again, was);
    // A deleted run is not drawn, and drawn again when that is undone.
    tab.act_on_library(LibraryAction::Delete(first));
    assert_eq!(compared_row(&tab).len(), 1);
    tab.act(Action::Undo);
    assert_eq!(compared_row(&tab).len(), 2);
}

#[test]
fn the_same_runs_are_compared_after_a_reload() {
    let (storage, tab) = tab_after_rates(&["0.1", "0.2"], "0.3");
    let (ids, before) = (tab.state.compared_ids(), names(&tab));
    // What the tab remembers may come before the list of the runs, or after it.
    let mut early = Tab::open("#v1/sparse-parity?n=20&lr=0.3&speed=0", &Rc::default());
    early.state = Default::default();
    early.storage = storage.clone();
    early.act(Action::Open("#v1/sparse-parity?n=20&lr=0.3&speed=0".into()));
    early.act_on_library(LibraryAction::AddCompared(ids.clone()));
    assert_eq!((early.state.compared_ids(), compared_row(&early).len()), (ids.clone(), 0));
    early.load();
    let mut late = Tab::open("#v1/sparse-parity?n=20&lr=0.3&speed=0", &storage);
    late.act_on_library(LibraryAction::AddCompared([ids, vec!["#v1/sparse-parity?n=99".into()]].concat()));
    for mut tab in [early, late] {
        tab.train(50);
        let mut again = names(&tab);
        again.sort_unstable();
        let mut was = before.clone();
        was.sort_unstable();
        assert_eq!(again, was);
    }
}

#[test]
fn runs_of_other_tasks_are_drawn_where_a_chart_measures_the_same() {
    let (_, mut tab) = tab_after_rates(&["0.1"], "0.3");
    let open = |tab: &mut Tab, link: &str| {
        tab.act(Action::Open(link.into()));
        tab.train(100);
    };
    let notes = |tab: &Tab| -> Vec<String> {
        let runs = tab.state.comparison().runs;
        runs.iter().filter_map(|named| tab.state.not_drawn_reason(named)).collect()
    };
    open(&mut tab, "#v1/sparse-boolean?speed=0&show=loss.accuracy");
    let (loss, accuracy) = (names(&tab), legend(&tab, chart::ACCURACY));
    assert!(loss.len() == 2 && loss[1].ends_with(", Sparse parity"), "{loss:?}");
    assert!(accuracy.len() == 2 && notes(&tab).is_empty(), "{accuracy:?}");
    // The loss of sequences is that of training, and has another name.
    open(&mut tab, "#v1/markov?speed=0&show=loss.accuracy");
    assert!(names(&tab).iter().all(|name| !name.contains("Sparse parity")), "{:?}", names(&tab));
    let sentence = notes(&tab);
    assert!(
        sentence.len() == 1 && sentence[0].starts_with("“Sparse parity” is not drawn: its task is"),
        "{sentence:?}"
    );
}

#[test]
fn all_compared_runs_are_in_one_table() {
    let (_, mut tab) = tab_after_rates(&["0.1", "0.2"], "0.3");
    let single = Export::Csv.build(&tab.state, "").unwrap();
    let file = Export::ComparedCsv.build(&tab.state, "").unwrap();
    assert_eq!(file.name, "sparse-parity-mlp-seed0-step100-compared.csv");
    let text = String::from_utf8(file.bytes).unwrap();
    // Before the table stands what each run is.
    let (about, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    assert_eq!(about.iter().filter(|line| line.starts_with("# run: η = 0.")).count(), 3, "{about:?}");
    assert_eq!(lines[0], "run,step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
    let of = |name: &str| lines.iter().filter(|line| line.starts_with(&format!("{name},"))).count();
    assert_eq!((of("η = 0.3"), of("η = 0.1"), of("η = 0.2"), lines.len()), (3, 7, 7, 18));
    assert!(lines.contains(&"η = 0.1,300,0,0.01,1,0.01,1") && lines.contains(&"η = 0.3,50,0,1,0.5,1,0.5"));
    // The table of one run is as it was.
    let single = String::from_utf8(single.bytes).unwrap();
    let lines: Vec<&str> = single.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines[0].starts_with("step,replica,train_loss,") && lines.len() == 4, "{single}");
    tab.act_on_library(LibraryAction::StopComparing);
    assert!(Export::ComparedCsv.build(&tab.state, "").unwrap_err().contains("Keep and compare"));
}

#[test]
fn what_has_no_curve_is_not_kept_and_without_storage_runs_are_compared_all_the_same() {
    let storage: Rc<RefCell<FakeStorage>> = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    compare(&mut tab);
    assert_eq!(tab.state.player.message, "This run has no curve yet. Train first, then compare.");
    let mut sweep = Tab::open("#v1/sparse-parity?n=20&speed=0&steps=200&sweep=lr:0.05_0.1", &storage);
    sweep.train(100);
    compare(&mut sweep);
    assert!(
        sweep.state.player.message.starts_with("A sweep has many runs."),
        "{}",
        sweep.state.player.message
    );
    assert!(compared_row(&tab).is_empty() && compared_row(&sweep).is_empty() && tab.state.undo.is_empty());
    storage.borrow_mut().refuses = Some(StorageError::Failed("disk error".into()));
    let mut tab = Tab::open(LINK, &storage);
    tab.train(200);
    compare(&mut tab);
    edit(&mut tab, "width", "64");
    tab.train(100);
    assert_eq!(names(&tab), ["held-out, width = 64", "held-out, width = 100"]);
    tab.act(Action::Undo);
    tab.act(Action::Undo);
    assert_eq!(
        (compared_row(&tab).len(), tab.state.player.message.as_str()),
        (0, "After Undo, no kept run is compared.")
    );
}
