//! Tests in which each write, rename and synchronisation of a sweep file fails in turn, and the sweep is
//! continued.

use super::*;
use crate::disk::faulty::{ALL_FAULTS, Fault, FaultyDisk};
use vivarium_model::protocol::Measurement;
use vivarium_model::sweep::cell;

/// Link of a sweep of six runs with two networks each.
const SWEEP_LINK: &str = "#v1/sparse-parity?replicas=2&sweep=n:10_20_30&series=k:2_3";

/// CSV lines of run `number`, from 0, with made-up results that differ between runs.
fn run_lines(spec: &RunSpec, number: usize) -> String {
    let cell = cell(spec, number).unwrap();
    let row = |step: u64| {
        let of = |x: f32| vec![x / (number as f32 + 3.0), x];
        Measurement {
            step,
            train_loss: of(0.1),
            train_accuracy: of(0.7),
            test_loss: of(f32::NAN),
            test_accuracy: of(1e-9),
            ..Default::default()
        }
    };
    let solved = vec![Some(number as u64), None];
    let outcome = Outcome { rows: vec![row(number as u64), row(500)], solved, ending: None, step: 500 };
    lines(spec, number, &cell, &outcome)
}

/// Adds made-up results of all missing runs to the sweep file at `path`, in descending order. Returns how
/// many runs were added, and whether the file could be finished.
fn train_missing_runs(disk: &dyn Disk, path: &Path) -> (usize, Result<(), anyhow::Error>) {
    let spec = decode_within(SWEEP_LINK, 100).0.spec;
    let mut added = 0;
    let mut made = || {
        let mut journal = Journal::open(disk, path, &spec, Shard::WHOLE, NameVersion::New)?;
        for number in journal.index.missing_runs().into_iter().rev() {
            journal.add_run(number, &run_lines(&spec, number))?;
            added += 1;
        }
        journal.finish().map(drop)
    };
    let result = made();
    (added, result)
}

#[test]
fn after_each_fault_the_sweep_goes_on_and_is_the_same_to_the_byte() {
    let folder = std::env::temp_dir().join(format!("vivarium-journal-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("sweep.csv");
    let spec = decode_within(SWEEP_LINK, 100).0.spec;
    let whole = (0..6).fold(head(&spec, Shard::WHOLE), |whole, number| whole + &run_lines(&spec, number));
    let fresh = || {
        for entry in std::fs::read_dir(&folder).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    };
    // From an empty file, and from a sorted file, for which nothing has to be renamed.
    for begun in [String::new(), whole.clone(), whole[..whole.len() - 200].to_string()] {
        for fault in ALL_FAULTS {
            for at in 0.. {
                fresh();
                std::fs::write(&path, &begun).unwrap();
                let before = SweepIndex::read(&path).map_or(0, |found| found.run_count());
                let disk = FaultyDisk::new(at, fault);
                let (added, result) = train_missing_runs(&disk, &path);
                let (done, is_dead) = (!disk.has_reached_fault(), disk.is_dead());
                disk.simulate_restart();
                let place = format!("operation {at}, {fault:?}");
                if result.is_ok() && !is_dead {
                    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{place}");
                }
                if done {
                    assert!(at > if begun == whole { 1 } else { 8 }, "{at}");
                    break;
                }
                // Added runs are in the file, unless they were not synchronised before a power cut.
                if !matches!(fault, Fault::PowerCut { .. }) {
                    let there = SweepIndex::read(&path).map_or(0, |found| found.run_count());
                    assert!(there >= before + added, "{place}: {there} of {before} and {added}");
                }
                let (made, result) = train_missing_runs(&FaultyDisk::without_fault(), &path);
                assert!(result.is_ok(), "{place}: {:?}", result.err());
                assert!(
                    made + before + added >= 6 && std::fs::read_to_string(&path).unwrap() == whole,
                    "{place}"
                );
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn each_run_is_one_write() {
    /// A disk that records the byte length of each write.
    struct Counting(std::cell::RefCell<Vec<usize>>);
    impl Disk for Counting {
        fn open(&self, path: &Path) -> std::io::Result<File> {
            FaultyDisk::without_fault().open(path)
        }
        fn append(&self, file: &File, bytes: &[u8]) -> std::io::Result<()> {
            self.0.borrow_mut().push(bytes.len());
            FaultyDisk::without_fault().append(file, bytes)
        }
        fn truncate(&self, file: &File, length: u64) -> std::io::Result<()> {
            file.set_len(length)
        }
        fn sync(&self, _: &File) -> std::io::Result<()> {
            Ok(())
        }
        fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            std::fs::rename(from, to)
        }
        fn sync_folder(&self, _: &Path) -> std::io::Result<()> {
            Ok(())
        }
        fn remove(&self, path: &Path) -> std::io::Result<()> {
            std::fs::remove_file(path)
        }
    }
    let path = std::env::temp_dir().join(format!("vivarium-one-write-{}.csv", std::process::id()));
    let disk = Counting(std::cell::RefCell::default());
    train_missing_runs(&disk, &path).1.unwrap();
    let spec = decode_within(SWEEP_LINK, 100).0.spec;
    let whole = std::fs::read(&path).unwrap();
    let runs = (0..6).rev().map(|number| run_lines(&spec, number).len());
    // The header, one write per run, and the sorted file.
    let wanted: Vec<usize> =
        std::iter::once(head(&spec, Shard::WHOLE).len()).chain(runs).chain([whole.len()]).collect();
    assert_eq!(*disk.0.borrow(), wanted);
    std::fs::remove_file(path).unwrap();
}
