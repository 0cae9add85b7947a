//! Files that were changed at random, files without end, and the messages by which a worker says what it has read.
//!
//! # Why
//! Whatever a file holds, it is taken or refused with a sentence: no panic, and no more memory than the limits allow.
//! `VIVARIUM_MUTATIONS=1000000` tries so many files of each kind instead of ten thousand.
//!
//! # Figures
//! 2026-11-25, natively, a million of each kind, on one of two cores: runs as JSON in 60 s, weights in 21 s, tables in 134 s,
//! journals of sweeps in 63 s, checkpoints in 18 s, checkpoints of kept runs in 7 s, stored entries in 43 s. All were taken
//! whole or refused with a sentence.

use std::io::{Read, repeat};

use super::head::{FileKind, HEAD_BYTES, detect_kind};
use super::reading::{FileContents, FileEvent, FileReceiver, ReadJob, ReadProgress, read};
use super::tests::{link, record, row_at, sweep, weights_of};
use super::*;
use dataset::Dataset;
use vivarium_core::testing::mutation::{MutationRng, mutate, mutation_count};
use vivarium_model::protocol::Payload;
use weights::CheckpointHeader;

/// Gives its bytes in pieces of all lengths.
struct Crumbs<'a>(&'a [u8], MutationRng);

impl Read for Crumbs<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = 1 + self.1.below(9);
        let end = buffer.len().min(most);
        self.0.read(&mut buffer[..end])
    }
}

/// Contents of a file, read in pieces of random length and transferred in messages.
fn read_mutated(name: &str, bytes: &[u8], which: u32) -> Result<FileContents, String> {
    let size = bytes.len() as u64;
    let kind =
        detect_kind(name, size, &bytes[..bytes.len().min(HEAD_BYTES)]).map_err(|flaw| flaw.to_string())?;
    let job = ReadJob::new(kind, size);
    let at_once = read(&job, bytes);
    let mut received = FileReceiver::default();
    let messages = FileEvent::messages(read(&job, Crumbs(bytes, MutationRng::new(which))));
    let mut news = messages.into_iter().filter_map(|(event, payload)| received.receive(event, payload));
    let (Some(ReadProgress::Done(travelled)), None) = (news.next(), news.next()) else {
        panic!("one answer")
    };
    match (&at_once, &travelled) {
        // Numbers that were not finite are equal to nothing.
        (Ok(FileContents::Run(at_once)), Ok(FileContents::Run(travelled))) => {
            assert_eq!(format!("{at_once:?}"), format!("{travelled:?}"));
        }
        (Ok(at_once), Ok(travelled)) => assert_eq!(at_once, travelled),
        (Err(flaw), Err(why)) => assert_eq!(flaw.to_string(), *why),
        (Err(FileError::Label(table)), Ok(FileContents::RefusedTable(travelled))) => {
            assert_eq!(table, travelled);
        }
        both => panic!("{both:?}"),
    }
    at_once.map_err(|flaw| flaw.to_string())
}

fn is_sentence(why: &str) -> bool {
    !why.is_empty() && !why.ends_with('.') && why.len() < 1_200
}

#[test]
fn runs_that_were_changed_are_taken_whole_or_refused() {
    let files = [record().to_json().into_bytes(), sweep().to_json().into_bytes()];
    let mut taken = 0;
    for which in 0..mutation_count() {
        let mut dice = MutationRng::new(which);
        let bytes = mutate(&files[which as usize % 2], &mut dice);
        let checked = read_mutated("run.json", &bytes, which).and_then(|found| match found {
            FileContents::Run(raw) => raw.check().map_err(|flaw| flaw.to_string()),
            other => panic!("{other:?}"),
        });
        match checked {
            Ok(record) => {
                let replicas = record.link.spec.run.replicas;
                assert!(record.rows.iter().all(|row| row.test_loss.len() == replicas));
                assert!(record.rows.is_sorted_by(|a, b| a.step < b.step));
                assert_eq!(Record::parse(record.to_json().as_bytes()).unwrap().to_json(), record.to_json());
                taken += 1;
            }
            Err(why) => assert!(is_sentence(&why), "{why}"),
        }
    }
    assert!(taken > mutation_count() / 100 && taken < mutation_count() / 2, "{taken}");
}

#[test]
fn tables_that_were_changed_are_taken_whole_or_refused() {
    let line = |i: usize| format!("{},{}.5,{},{}", i * i % 53, i, ["no", "yes"][i % 2], i % 3 / 2);
    let table = |rows: usize| ["size,age,sold,week".into()].into_iter().chain((0..rows).map(line));
    let file = table(60).collect::<Vec<_>>().join("\n").into_bytes();
    let mut taken = 0;
    for which in 0..mutation_count() {
        match read_mutated("table.csv", &mutate(&file, &mut MutationRng::new(which)), which) {
            Ok(FileContents::Table(read)) => {
                let Dataset { table, names, all, label, number, .. } = *read;
                assert_eq!((table.columns, table.x.len()), (names.len(), names.len() * table.y.len()));
                assert!(table.x.iter().all(|x| x.is_finite()) && label < all.len());
                assert!(table.y.iter().all(|y| y.abs() == 1.0) && table.y.len() >= 40);
                assert_eq!(number, table.table_id());
                taken += 1;
            }
            Ok(other) => panic!("{other:?}"),
            Err(why) => assert!(is_sentence(&why), "{why}"),
        }
    }
    assert!(taken > mutation_count() / 100 && taken < mutation_count(), "{taken}");
}

#[test]
fn weights_that_were_changed_are_taken_whole_or_refused() {
    let spec = link("#v1/sparse-parity?opt=adam&n=5&width=3&replicas=2").spec;
    let file = weights_of(&spec);
    let mut taken = 0;
    for which in 0..mutation_count() {
        let bytes = mutate(&file, &mut MutationRng::new(which));
        let checked = read_mutated("run.safetensors", &bytes, which).and_then(|found| match found {
            FileContents::Weights(bytes) => {
                CheckpointHeader::check(&bytes, bytes.len() as u64).map_err(|flaw| flaw.to_string())
            }
            other => panic!("{other:?}"),
        });
        match checked {
            Ok(header) => {
                assert_eq!(header.solved.len(), header.spec.run.replicas);
                taken += 1;
            }
            Err(why) => assert!(is_sentence(&why), "{why}"),
        }
    }
    assert!(taken > mutation_count() / 100 && taken < mutation_count(), "{taken}");
}

/// `before`, and then `part` for ever: whoever reads it stops by itself, or this test never ends.
fn endless<'a>(before: &'a str, part: &'a str) -> impl Read + 'a {
    struct Again<'a>(&'a [u8], usize);
    impl Read for Again<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            for byte in buffer.iter_mut() {
                *byte = self.0[self.1];
                self.1 = (self.1 + 1) % self.0.len();
            }
            Ok(buffer.len())
        }
    }
    before.as_bytes().chain(Again(part.as_bytes(), 0))
}

#[test]
fn files_without_end_are_left_at_the_limit() {
    let stopped = |kind: FileKind, before: &str, part: &str| match read(
        &ReadJob::new(kind, 1000),
        endless(before, part),
    ) {
        Err(flaw) => flaw.to_string(),
        Ok(_) => panic!("it has no end"),
    };
    let run = FileKind::Run { replicas: Some(2) };
    let begin = "{\"format\":\"vivarium-run\",\"version\":1,";
    let rows = format!("{begin}\"rows\":[");
    let row = format!("{rows}{{\"step\":0,\"train_loss\":[");
    for (kind, before, part, said) in [
        (run, "{\"format\":", "[", "not complete JSON"),
        (run, begin, "\"a\":{", "not complete JSON"),
        (run, &format!("{begin}\"link\":\""), "#", "more than 1 MB"),
        (run, &format!("{begin}\"solved\":["), "null,", "a step or null"),
        (run, &format!("{begin}\"times\":["), "[1],", "at most 65536 lists"),
        (run, &format!("{begin}\"times\":[["), "1,", "a step or null"),
        (run, &row, "0,", "one number for each of the 2 replicas, but there are 4097"),
        (FileKind::Run { replicas: None }, &row, "0,", "one number for each of the 4096 replicas"),
        (run, &rows, "0,", "measurement 1 should be an object"),
        (FileKind::Table, "a,b\n", "1,2\n", "more than 8388608 cells"),
        (FileKind::Table, "", "1,", "at most 513 columns"),
        (FileKind::Weights, "", "0", "changed or moved"),
    ] {
        // A line without end would be one cell after the other; files have one.
        if kind == FileKind::Table && before.is_empty() {
            let wide = "1,".repeat(600);
            let flaw = dataset::read_bytes(format!("{wide}\n").as_bytes(), None).unwrap_err();
            assert!(flaw.contains(said), "{flaw}");
            continue;
        }
        let found = stopped(kind, before, part);
        assert!(found.contains(said), "{said}: {found}");
    }
    assert!(read(&ReadJob::new(FileKind::Weights, 9), repeat(0)).is_err());
}

#[test]
fn of_many_measurements_as_many_are_kept_as_are_wanted() {
    let rows: Vec<Measurement> = (0..1001).map(|at| row_at(3 * at, 2)).collect();
    let whole = Record { rows, step: 3000, ..record() };
    let json = whole.to_json().into_bytes();
    let kind = detect_kind("run.json", json.len() as u64, &json[..HEAD_BYTES]).unwrap();
    assert_eq!(kind, FileKind::Run { replicas: Some(2) });
    let job = ReadJob { most_rows: 100, ..ReadJob::new(kind, json.len() as u64) };
    let Ok(FileContents::Run(raw)) = read(&job, &json[..]) else { panic!("a run") };
    assert_eq!(raw.measurements, Some(1001));
    let kept = raw.check().unwrap().rows;
    assert!((50..=100).contains(&kept.len()), "{}", kept.len());
    // Evenly, with the first and the last.
    let stride = kept[1].step;
    assert!(kept.iter().take(kept.len() - 1).enumerate().all(|(at, row)| row.step == at as u64 * stride));
    assert_eq!(kept.last(), whole.rows.last());
    let Ok(FileContents::Run(raw)) = read(&ReadJob::new(kind, json.len() as u64), &json[..]) else {
        panic!("a run")
    };
    assert_eq!(raw.check().unwrap(), whole);
}

#[test]
fn the_order_of_the_parts_of_a_run_does_not_matter() {
    let json: serde_json::Value = serde_json::from_str(&record().to_json()).unwrap();
    let mut parts: Vec<String> =
        json.as_object().unwrap().iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
    for _ in 0..parts.len() {
        parts.rotate_left(1);
        let turned = format!("{{{}}}", parts.join(","));
        assert_eq!(Record::parse(turned.as_bytes()).unwrap(), record());
    }
}

#[test]
fn what_did_not_travel_whole_is_stated() {
    let mut received = FileReceiver::default();
    let broken = |news: Option<ReadProgress>| matches!(news, Some(ReadProgress::Done(Err(why))) if why.contains("did not reach the page"));
    let rows = FileEvent::messages(read(
        &ReadJob::new(FileKind::Run { replicas: None }, 0),
        record().to_json().as_bytes(),
    ));
    let (FileEvent::Rows, Payload::Bytes(bytes)) = &rows[0] else { panic!("rows first") };
    let cut = Payload::Bytes(bytes[..bytes.len() - 3].to_vec());
    assert!(broken(received.receive(FileEvent::Rows, cut)));
    assert!(broken(received.receive(FileEvent::Weights, Payload::Empty)));
}
