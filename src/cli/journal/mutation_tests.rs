//! Sweep files with random changes, and sweep files that other programs have written.
//!
//! # Why
//! People open the file of a sweep with other programs, which may save it, and disks fail. For any content,
//! the file is refused with a sentence, or its runs are found at their true locations and the missing ones
//! can be added.

use super::*;
use crate::disk::SystemDisk;
use vivarium_core::testing::mutation::{MutationRng, mutate, mutation_count};
use vivarium_model::protocol::Measurement;
use vivarium_model::sweep::cell;

const LINKS: [&str; 4] = [
    "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3",
    "#v1/sparse-parity?n=20&sweep=replicas:1_3_2",
    "#v1/groups?n=5&width=16&sweep=seed:lin:1..9:9",
    "#v1/sparse-parity?sweep=n:10_20&series=k:2_3&further=seed:5_7,replicas:1_2",
];

/// A sweep, and the lines of each of its runs.
fn sweep(link: &str) -> (RunSpec, Vec<String>) {
    let (link, notices) = decode_within(link, MAX_SWEEP_RUNS);
    assert!(notices.is_empty(), "{notices:?}");
    let run = |number: usize| {
        let cell = cell(&link.spec, number).unwrap();
        let replicas = cell.spec.run.replicas;
        let row = |step: u64| {
            let of = |x: f32| (0..replicas).map(|replica| x / (replica as f32 + 1.0)).collect::<Vec<_>>();
            Measurement {
                step,
                train_loss: of(0.1),
                train_accuracy: of(0.7),
                test_loss: of(f32::NAN),
                test_accuracy: of(1e-9),
                ..Default::default()
            }
        };
        let solved = (0..replicas).map(|replica| (replica % 2 == 0).then_some(50)).collect();
        let outcome = Outcome { rows: vec![row(50), row(500)], solved, ending: None, step: 500 };
        lines(&link.spec, number, &cell, &outcome)
    };
    let runs = (0..count_runs_usize(&link.spec)).map(run).collect();
    (link.spec, runs)
}

/// Whether the location of each run is within the file and has the lines of this run.
fn is_right(found: &SweepIndex, bytes: &[u8]) {
    let layout = found.layouts.for_names(found.names);
    assert!(found.valid_bytes <= bytes.len() as u64);
    for (number, place) in &found.run_locations {
        assert!(*number < count_runs_usize(&found.spec) && found.shard.contains(*number));
        let text = std::str::from_utf8(&bytes[place.offset as usize..][..place.byte_length]).unwrap();
        assert_eq!(text.lines().count(), count_networks(&found.spec, *number), "{text}");
        let mut of = text.lines().enumerate();
        assert!(
            of.all(|(replica, line)| layout.parse_outcome(line, *number, replica, 0).is_some()),
            "{text}"
        );
    }
}

#[test]
fn journals_that_were_changed_are_gone_on_with_or_refused() {
    let sweeps = LINKS.map(sweep);
    let files = sweeps.each_ref().map(|(spec, runs)| {
        let runs: String = runs.iter().rev().map(String::as_str).collect();
        (head(spec, Shard::WHOLE) + &runs).into_bytes()
    });
    let mut taken = 0;
    for which in 0..mutation_count() {
        let of = which as usize % files.len();
        let (spec, runs) = &sweeps[of];
        let bytes = mutate(&files[of], &mut MutationRng::new(which));
        let found = match SweepIndex::parse(&mut &bytes[..]) {
            Ok(found) => found,
            Err(why) => {
                assert!(format!("{why:#}").len() > 10, "{why:#}");
                continue;
            }
        };
        is_right(&found, &bytes);
        if found.spec != *spec || found.shard != Shard::WHOLE {
            continue;
        }
        taken += 1;
        // As a sweep goes on: what is behind the last whole run is cut off, and the others are added.
        let mut text = bytes[..found.valid_bytes as usize].to_vec();
        found.missing_runs().iter().for_each(|number| text.extend(runs[*number].as_bytes()));
        let all = SweepIndex::parse(&mut &text[..]).unwrap();
        is_right(&all, &text);
        assert_eq!((all.missing_runs().len(), all.valid_bytes), (0, text.len() as u64));
        assert!(found.run_locations.iter().all(|(number, place)| all.run_locations[number] == *place));
    }
    assert!(taken > mutation_count() / 20 && taken < mutation_count(), "{taken}");
}

/// A regression: the length of the first line was taken from this program instead of the file. Where it was longer in the
/// file, the last run was cut in two and the next one written after the half.
#[test]
fn a_file_that_something_else_has_written_is_gone_on_with() {
    let (spec, runs) = sweep(LINKS[0]);
    let begun = head(&spec, Shard::WHOLE) + &runs[0] + &runs[3];
    let with_carriage_returns = begun.replace('\n', "\r\n");
    let in_another_order = begun.replacen("?replicas=2&", "?", 1).replacen("=k:2_3", "=k:2_3&replicas=2", 1);
    let path = std::env::temp_dir().join(format!("vivarium-journal-other-{}.csv", std::process::id()));
    for text in [begun.clone(), with_carriage_returns, in_another_order] {
        std::fs::write(&path, &text).unwrap();
        let mut journal = Journal::open(&SystemDisk, &path, &spec, Shard::WHOLE, NameVersion::New).unwrap();
        assert_eq!(
            (journal.index.missing_runs(), journal.index.valid_bytes),
            (vec![1, 2], text.len() as u64),
            "{text}"
        );
        let first = journal.index.read_outcomes(0).unwrap();
        assert_eq!((first[0].solved, first[1].solved, first[1].step), (Some(50), None, 500));
        journal.add_run(2, &runs[2]).unwrap();
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text.clone() + &runs[2]);
        let mut journal = Journal::open(&SystemDisk, &path, &spec, Shard::WHOLE, NameVersion::New).unwrap();
        journal.add_run(1, &runs[1]).unwrap();
        let found = journal.finish().unwrap();
        assert!((0..4).all(|number| found.read_outcomes(number).is_some()));
        let whole = std::fs::read_to_string(&path).unwrap().replace('\r', "");
        assert_eq!(whole, head(&spec, Shard::WHOLE) + &runs.concat());
    }
    std::fs::remove_file(path).unwrap();
}
