//! The edges of what is taken of a file: the last that is, and the first that is not; and texts that are kept for ever.

use std::io::Read;

use super::dataset::Dataset;
use super::head::{FileKind, HEAD_BYTES, detect_kind};
use super::read::RawRun;
use super::reading::{FileContents, FileEvent, FileReceiver, ReadJob, ReadProgress, read};
use super::saved::{self, ENTRY_FORMAT, MarksEdit, RunMarks, SavedRun, TableFile};
use super::tests::{link, record, row_at, sweep, weights_of};
use super::weights::{CheckpointHeader, header_value};
use super::*;
use vivarium_model::protocol::Payload;

/// A source that cannot be read.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::Other.into())
    }
}

#[test]
fn the_texts_of_a_run_are_those_that_they_were() {
    assert_eq!(quote_json("a \"\\\n1é"), r#""a \"\\\u000a1é""#);
    assert_eq!(record().file_stem(), "sparse-parity-mlp-seed0-step100");
    assert_eq!(sweep().file_stem(), "sparse-parity-mlp-seed0-sweep-step100");
    assert!(TrainingEnvironment::program().starts_with("Vivarium 0."));
    // Where all that are wanted are measured, nothing has to be said of it; how it is shown is no part of a command.
    let command = |held_out: usize| Record { held_out, ..record() }.command().contains("--held-out");
    assert_eq!([0, 8191, 8192, 8193].map(command), [false, true, false, false]);
    let shown = Record { link: link("#v1/markov?k=3&show=loss&speed=7"), held_out: 0, ..record() };
    assert_eq!(shown.command(), "lab run \"#v1/markov?k=3\"");
    let markov = link("#v1/markov").spec.task.examples().measure_names();
    let names = |row: &Measurement| {
        list_columns(&markov, [row].into_iter()).into_iter().map(|column| column.key).collect::<Vec<_>>()
    };
    let judged = Measurement { measures: vec![vec![0.5]], ..row_at(0, 1) };
    let four = ["train_cross_entropy", "train_accuracy", "kl_to_truth", "share_of_bigram"];
    assert_eq!(names(&row_at(0, 1)), four);
    assert_eq!(names(&judged), [&four[..], &["kl_from_uniform"]].concat());
}

#[test]
fn scripts_hold_the_settings_that_have_an_effect_once() {
    let script = |text: &str| torch::write_script(&link(text).spec).unwrap();
    let usual = script("#v1/sparse-parity");
    for (part, count) in [
        ("\"until_target\": True,", 1),
        ("\"batch\": 32,", 1),
        ("\"batch\":", 1),
        ("\"undecayed\": [],", 1),
        ("\"device\":", 0),
        ("\"degree\":", 0),
    ] {
        assert_eq!(usual.matches(part).count(), count, "{part}");
    }
    let cube = script("#v1/sparse-parity?n=10&data=cube&batch=0&act=power&halt=steps");
    for part in ["\"batch\": 1024,", "\"degree\": 3,", "\"until_target\": False,"] {
        assert_eq!(cube.matches(part).count(), 1, "{part}");
    }
}

#[test]
fn whole_numbers_end_where_a_browsers_do_and_texts_at_a_mebibyte() {
    let json = record().to_json();
    let of_step = |step: &str| json.replacen("\"step\":100,\n", &format!("\"step\":{step},\n"), 1);
    let read = |text: &str| Record::parse(text.as_bytes());
    assert_eq!(read(&of_step("9007199254740992")).unwrap().step, 1 << 53);
    let flaw = read(&of_step("9007199254740993")).unwrap_err().to_string();
    assert!(flaw.contains("step should be a whole number"), "{flaw}");
    let noted = |many: usize| {
        let note = format!("\"note\":\"{}\",\n\"solved\":", "x".repeat(many));
        json.replacen("\"solved\":", &note, 1)
    };
    assert_eq!(read(&noted((1 << 20) - 1)).unwrap(), record());
    assert_eq!(read(&noted(1 << 20)), Err(FileError::LongText(1)));
}

/// Keys reserved for teachers are kept; invalid keys are refused, because they would be lost.
#[test]
fn a_files_link_is_read_whole_or_not_at_all() {
    let with = |part: &str| {
        let json = record().to_json().replacen("n=20", &format!("n=20&{part}"), 1);
        Record::parse(json.as_bytes()).map(|record| record.link.teacher_keys)
    };
    assert_eq!(with("axes=0_1"), Ok(vec![("axes".to_string(), "0_1".to_string())]));
    assert_eq!(with("lock=k"), Ok(vec![("lock".to_string(), "k".to_string())]));
    for lost in ["lock=astrology", "at=soon", "colour=blue"] {
        assert!(matches!(with(lost), Err(FileError::Link(_))), "{lost}");
    }
}

#[test]
fn a_head_tells_what_the_rest_would_be() {
    let json = |text: &str, size: u64| detect_kind("run.json", size, text.as_bytes());
    let (newer, begun) = ("{\"format\":\"vivarium-run\",\"version\":3,", "{\"format\":\"vivarium-run\"");
    assert_eq!(json(newer, 1 << 20), Err(FileError::Newer(3)));
    assert_eq!(json(begun, 1 << 20), Ok(FileKind::Run { replicas: None }));
    assert!(matches!(json(begun, begun.len() as u64), Err(FileError::NotJson { ends_early: true, .. })));
    assert!(matches!(json("{\"a\" 1}", 7), Err(FileError::NotJson { ends_early: false, .. })));
    let spaces = [b' '; HEAD_BYTES];
    assert_eq!(detect_kind("run.json", 1 << 20, &spaces), Err(FileError::Unknown));
    assert_eq!(detect_kind("table.csv", 1 << 20, &spaces), Ok(FileKind::Table));
    assert_eq!(detect_kind("table.csv", HEAD_BYTES as u64, &spaces), Err(FileError::Empty));
}

#[test]
fn a_disk_that_fails_is_no_damage_of_the_file() {
    let begun = &b"{\"format\":\"vivarium-run\","[..];
    let run = ReadJob::new(FileKind::Run { replicas: None }, 100);
    assert_eq!(read(&run, begun.chain(Broken)), Err(FileError::Unreadable));
    let table = b"1,2\n".repeat(HEAD_BYTES / 2);
    assert_eq!(
        read(&ReadJob::new(FileKind::Table, 1 << 20), table.chain(Broken)),
        Err(FileError::Unreadable)
    );
}

/// 17 measurements of 4096 networks are more than 2¹⁸ numbers, and 16 are not.
#[test]
fn many_measurements_travel_in_parts() {
    let sizes = |rows: Vec<Measurement>| {
        let run = FileContents::Run(Box::new(RawRun::default().with_rows(rows)));
        let messages = FileEvent::messages(Ok(run)).into_iter();
        messages
            .map(|(_, payload)| if let Payload::Bytes(bytes) = payload { bytes.len() } else { 0 })
            .collect::<Vec<_>>()
    };
    let rows = |many: u64, replicas: usize| (0..many).map(|step| row_at(step, replicas)).collect();
    // A step, the number of further measures, and five lists with their lengths.
    let row = 8 + 4 + 5 * 4 + 4 * 4 * 4096;
    assert_eq!(sizes(rows(18, 4096)), [17 * row, row, 0]);
    assert_eq!(sizes(rows(3, 1)).len(), 2);
    let news = FileReceiver::default().receive(FileEvent::Progress(0.5), Payload::Empty);
    assert_eq!(news, Some(ReadProgress::Progress(0.5)));
}

#[test]
fn weights_are_refused_by_each_part_of_their_header() {
    let bytes = weights_of(&link("#v1/sparse-parity?opt=adam&n=5&width=3&replicas=2").spec);
    let size = bytes.len() as u64;
    let replaced = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut other = bytes.clone();
        other.splice(at..at + from.len(), to.bytes());
        other
    };
    let said =
        |from: &str, to: &str| CheckpointHeader::check(&replaced(from, to), size).unwrap_err().to_string();
    let expected = "the weights w should be 2 × 5 × 3 numbers in single precision";
    for (from, to) in
        [("F32", "F64"), ("[2, 5, 3]", "[2, 3, 5]"), ("[0,120]", "[0,116]"), ("[0,120]", "[9,3]  ")]
    {
        assert_eq!(said(from, to), expected, "{to}");
    }
    assert_eq!(header_value(&bytes, "step").as_deref(), Some("0"));
    assert_eq!((header_value(&bytes, "fate"), header_value(b"nonsense", "step")), (None, None));
    // A header that is not whole yet is looked at when it is.
    let header = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap());
    assert_eq!(detect_kind("run.safetensors", size, &bytes[..40]), Ok(FileKind::Weights));
    assert_eq!(detect_kind("run.safetensors", size, &bytes), Ok(FileKind::Weights));
    assert_eq!(
        CheckpointHeader::check(&bytes[..40], 40),
        Err(FileError::Length { found: 40, expected: header })
    );
    let foreign = replaced("vivarium-checkpoint-1", "elsewhere--checkpoint");
    assert_eq!(detect_kind("run.safetensors", size, &foreign), Err(FileError::ForeignWeights));
    for other in [&[0; 16][..], b"12345678{\"a\":1}"] {
        assert_eq!(RunFile::read(other), Err(FileError::Unknown));
    }
}

fn table(head: &str, rows: usize, row: impl Fn(usize) -> String) -> Result<Dataset, String> {
    let lines: Vec<String> = std::iter::once(head.to_string()).chain((0..rows).map(row)).collect();
    dataset::read_bytes(lines.join("\n").as_bytes(), None)
}

#[test]
fn forty_rows_and_a_fifth_missing_are_enough() {
    let word = |i: usize| ["no", "yes"][i % 2];
    assert_eq!(table("a,kind", 40, |i| format!("{i},{}", word(i))).unwrap().table.y.len(), 40);
    assert!(table("a,kind", 39, |i| format!("{i},{}", word(i))).unwrap_err().contains("39 rows can be used"));
    let gaps = |rows: usize| {
        table("a,kind", rows, |i| {
            if i < 50 && i % 5 == 0 || i == 51 { format!(",{}", word(i)) } else { format!("{i},{}", word(i)) }
        })
    };
    let fifth = gaps(50).unwrap();
    assert_eq!((fifth.names, fifth.table.y.len()), (vec!["a".to_string()], 40));
    assert_eq!(fifth.notes, ["Rows left out because of missing values: 10."]);
    // 11 of 52 are more.
    assert!(gaps(52).unwrap_err().contains("apart from the label, no column contains only numbers"));
    // The mean of 60 times 1234567.1 is not quite that.
    let constant = table("id,fixed,kind", 60, |i| format!("{i},1234567.1,{}", word(i))).unwrap();
    assert_eq!((constant.names, constant.notes.len()), (vec!["id".to_string()], 2));
    assert!(constant.notes[1].starts_with("Columns kept although they count the rows"));
}

#[test]
fn columns_are_513_at_most_and_stand_apart_by_what_is_named_first() {
    let wide = |columns: usize| {
        let row = |i: usize| format!("{}{}", format!("{},", i * i % 41).repeat(columns - 1), i % 2);
        dataset::read_bytes((0..40).map(row).collect::<Vec<_>>().join("\n").as_bytes(), None)
    };
    assert_eq!(wide(513).unwrap().table.columns, 512);
    assert_eq!(wide(514).unwrap_err(), "this file has 514 columns, and at most 513 columns are allowed");
    let tied = table("x,kind;of", 60, |i| format!("{i},{}", ["a", "b"][i % 2])).unwrap();
    assert_eq!((tied.all, tied.label), (vec!["x".to_string(), "kind;of".to_string()], 1));
    // A column that there is not is as good as none.
    let bytes = (0..60).map(|i| format!("{i},{}", i % 2)).collect::<Vec<_>>().join("\n");
    let taken = |label: usize| dataset::read_bytes(bytes.as_bytes(), Some(label)).unwrap().label;
    assert_eq!([0, 1, 2, 9].map(taken), [0, 1, 1, 1]);
}

#[test]
fn labels_are_classes_up_to_ten_numbers_and_their_order_is_that_of_numbers() {
    // 30 rows of each of two classes, and one of each other.
    let many = |classes: usize| {
        table("x,y", 58 + classes, |i| format!("{i},{}", if i < 60 { i % 2 } else { i - 58 })).unwrap()
    };
    let (ten, eleven) = (many(10), many(11));
    assert_eq!((ten.classes, ten.table.y.len()), (["0", "1"].map(String::from), 60));
    assert_eq!(
        ten.notes,
        ["The label has 10 classes. Only rows of the two most frequent classes are kept: 0 and 1."]
    );
    assert!(eleven.notes[0].contains("split at their median") && eleven.table.y.len() == 69);
    let amounts = table("x,y", 60, |i| format!("{},{i}", i * i)).unwrap();
    assert_eq!(amounts.classes, ["below 30", "30 or more"]);
    assert!(amounts.table.y.iter().enumerate().all(|(i, y)| *y == if i < 30 { -1.0 } else { 1.0 }));
    let numbers = table("x,y", 60, |i| format!("{},{}", i * i, [10, 9][i % 2])).unwrap();
    assert_eq!((numbers.classes, &numbers.table.y[..2]), (["9", "10"].map(String::from), &[1.0, -1.0][..]));
    // A label for every second row is one of classes, though too few rows have it; more are none.
    let said = |labels: usize| table("x,y", 60, |i| format!("{i},name {}", i % labels)).unwrap_err();
    assert!(said(30).contains("4 rows can be used") && said(31).contains("nearly every row"), "{}", said(30));
}

/// A saved run of a link that holds everything.
fn entry(text: &str) -> SavedRun {
    let rows = vec![row_at(0, 1), row_at(200, 1)];
    SavedRun {
        format: ENTRY_FORMAT,
        id: text.into(),
        link: text.into(),
        at: 1.8e12,
        step: 200,
        rows,
        ..SavedRun::default()
    }
}

#[test]
fn a_saved_run_is_taken_up_to_each_limit() {
    let parity = || entry("#v1/sparse-parity?n=20");
    let (last, latest) = (10_000_000, 9_007_199_254_740_991);
    let judged = |many: usize| {
        let mut run = entry("#v1/markov");
        run.rows[1].measures = vec![vec![0.5]; many];
        run
    };
    let of = |rows: u64| SavedRun { rows: (0..rows).map(|step| row_at(step, 1)).collect(), ..parity() };
    for (run, refused, said) in [
        (
            SavedRun { step: last, ..parity() },
            SavedRun { step: last + 1, ..parity() },
            "step should be a whole number",
        ),
        (
            SavedRun { bytes: 200 << 20, ..parity() },
            SavedRun { bytes: (200 << 20) + 1, ..parity() },
            "at most 200 MB",
        ),
        (
            SavedRun { revision: latest, ..parity() },
            SavedRun { revision: latest + 1, ..parity() },
            "the time of this entry",
        ),
        (of(8192), of(8193), "more than 8192 measurements"),
        (
            SavedRun { step: last, solved: vec![(0, last)], ..parity() },
            SavedRun { step: last, solved: vec![(0, last + 1)], ..parity() },
            "solved should be",
        ),
        (
            SavedRun { rows: vec![row_at(last, 1)], ..parity() },
            SavedRun { rows: vec![row_at(last + 1, 1)], ..parity() },
            "the last measurement's step",
        ),
        (judged(10), judged(11), "absent in this lab"),
        (parity(), SavedRun { rows: judged(1).rows, ..parity() }, "absent in this lab"),
    ] {
        assert_eq!(run.clone().check(&run.id), Ok(run.clone()), "{said}");
        let flaw = refused.clone().check(&refused.id).unwrap_err().to_string();
        assert!(flaw.contains(said), "{said}: {flaw}");
    }
    // What a link says twice is not whole, whatever is made of it.
    assert!(saved::parse_saved_link("#v1/sparse-parity?n=20&n=30").is_err());
}

#[test]
fn what_is_stated_of_a_run_is_counted_and_can_be_shown() {
    let most = 9_007_199_254_740_991;
    let said = RunMarks { name: "x\u{7}y".into(), pinned: true, deleted: 5.0, revision: most };
    let clean = said.clone().check().unwrap();
    assert_eq!(clean, RunMarks { name: "xy".into(), ..said.clone() });
    assert_eq!(RunMarks { revision: most + 1, ..said.clone() }.check(), None);
    assert_eq!(RunMarks::of(&entry("#v1/sparse-parity").with_marks(clean.clone())), clean);
    let rename = MarksEdit { name: Some("a\u{7}b".into()), ..MarksEdit::default() };
    let pin = MarksEdit { pinned: Some(true), deleted: Some(7.0), ..MarksEdit::default() };
    let edited = RunMarks::default().apply(&rename).apply(&pin);
    assert_eq!(edited, RunMarks { name: "ab".into(), pinned: true, deleted: 7.0, revision: 2 });
    assert_eq!(clean.clone().apply(&MarksEdit::default()), clean);
    // So is what is said of the initial weights.
    let initial = ["a\u{7}b".into(), "x".repeat(400)];
    let run = SavedRun { initial, ..entry("#v1/sparse-parity") }.check("#v1/sparse-parity").unwrap();
    assert_eq!(run.initial, ["ab".to_string(), "x".repeat(300)]);
    // The name of a table's file is shown too, and a run without a table has none.
    let table = Some(TableFile { name: "x\u{7}y.csv".into(), size: 9, label: 1 });
    let of = |text: &str| SavedRun { table: table.clone(), ..entry(text) }.check(text).unwrap().table;
    let shown = TableFile { name: "xy.csv".into(), size: 9, label: 1 };
    assert_eq!(of("#v1/tabular?data=own&csv=987654321&m=20&replicas=1"), Some(shown));
    assert_eq!(of("#v1/sparse-parity"), None);
}

#[test]
fn measurements_of_a_saved_run_rise() {
    let run = |steps: [u64; 3]| SavedRun {
        rows: steps.iter().map(|step| row_at(*step, 1)).collect(),
        ..entry("#v1/sparse-parity?n=20")
    };
    let checked = |steps: [u64; 3]| run(steps).check("#v1/sparse-parity?n=20");
    assert_eq!(checked([0, 100, 200]), Ok(run([0, 100, 200])));
    assert_eq!(checked([0, 200, 200]), Err(FileError::Order { at: 3, step: 200, before: 200 }));
    assert_eq!(checked([0, 200, 100]), Err(FileError::Order { at: 3, step: 100, before: 200 }));
}

/// Programs find the same four lists in every line, also where one is empty.
#[test]
fn a_line_of_a_measurement_has_all_but_the_margin() {
    let row = Measurement {
        step: 7,
        train_loss: vec![0.5],
        test_loss: vec![0.25, f32::NAN],
        test_accuracy: vec![1.0],
        ..Default::default()
    };
    let losses = r#""train_loss":[0.5],"train_accuracy":[],"test_loss":[0.25,null],"test_accuracy":[1.0]"#;
    let measures = MeasureNames::default();
    assert_eq!(json_row(&measures, &row, true), format!("\n{{\"step\":7,{losses}}}"));
    let row = Measurement { margin: vec![0.125], ..row };
    assert_eq!(json_row(&measures, &row, false), format!(",\n{{\"step\":7,{losses},\"margin\":[0.125]}}"));
}

/// The training environment is stored with the run, but does not affect it.
#[test]
fn a_run_is_read_whatever_stands_where_it_was_trained() {
    let json = record().to_json();
    for other in [r#"["lab",[1],{"device":"CPU"}]"#, "7", "-7", "0.5", r#""CPU""#, "true", "null"] {
        let about = format!("\"environment\":{other},");
        let lines = json.lines().map(|line| match line.starts_with("\"environment\":") {
            true => about.as_str(),
            false => line,
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let expected = Record { environment: TrainingEnvironment::default(), ..record() };
        assert_eq!(Record::parse(text.as_bytes()), Ok(expected), "{other}");
    }
}

#[test]
fn the_two_most_frequent_of_three_classes_are_kept() {
    // 50, 30 and 10 of 90 rows: not the first two by name.
    let kind = |i: usize| ["c", "c", "c", "c", "c", "a", "a", "a", "b"][i % 9];
    let found = table("x,kind", 90, |i| format!("{i},{}", kind(i))).unwrap();
    assert_eq!(found.classes, ["a", "c"]);
    assert_eq!(found.table.y[..9], [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]);
    assert_eq!((found.table.y.len(), found.table.y.iter().sum::<f32>()), (80, 20.0));
    assert_eq!(
        found.notes,
        ["The label has 3 classes. Only rows of the two most frequent classes are kept: c and a."]
    );
}

#[test]
fn a_column_with_one_word_is_left_out_and_no_row_is() {
    let mixed = |i: usize| if i == 44 { "word".to_string() } else { i.to_string() };
    let kind = |i: usize| ["no", "yes"][i % 2];
    let found = table("x,mixed,kind", 90, |i| format!("{i},{},{}", mixed(i), kind(i))).unwrap();
    assert_eq!((found.names, found.table.y.len()), (vec!["x".to_string()], 90));
    assert_eq!(found.notes, ["Columns left out because some values are not numbers: mixed."]);
}

#[test]
fn a_table_that_is_no_text_is_distinguished_from_one_that_is_no_table() {
    let read = |bytes: &[u8]| dataset::read_from(bytes, None);
    assert_eq!(read(b"a,b\n1,\xff\n2,x\n"), Err(FileError::NotText));
    assert!(matches!(read(b"a,b\n1,2,3\n"), Err(FileError::NoTable(_))));
}
