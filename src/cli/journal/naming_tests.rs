//! Files of the previous version, and the names of measures in sweep files.

use super::*;
use crate::disk::SystemDisk;
use vivarium_model::protocol::Measurement;
use vivarium_model::sweep::cell;

const LINK: &str = "#v1/sparse-parity?replicas=2&steps=900&sweep=n:10_20&series=k:2_3";

/// As version 0.1 wrote it, with three of four runs.
const OLD: &str = "cell,n,k,seed,replica,success,step,train_loss,train_accuracy,test_loss,test_accuracy\n\
                   0,10,2,0,0,1,50,0.1,1,0.2,1\n0,10,2,0,1,0,900,0.7,0.5,NaN,0.5\n\
                   1,10,3,0,0,0,900,0.1,1,0.2,1\n1,10,3,0,1,0,900,0.7,0.5,0.7,0.5\n\
                   3,20,3,0,0,1,50,0.1,1,0.2,1\n3,20,3,0,1,1,60,0.1,1,0.2,1\n";

fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode_within(link, MAX_SWEEP_RUNS);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn outcome(replicas: usize) -> Outcome {
    let row = |step: u64| {
        let of = |x: f32| vec![x; replicas];
        let (train_loss, train_accuracy) = (of(0.5), of(0.25));
        Measurement {
            step,
            train_loss,
            train_accuracy,
            test_loss: of(0.125),
            test_accuracy: of(1.0),
            ..Measurement::default()
        }
    };
    let solved = (0..replicas).map(|replica| (replica == 0).then_some(70)).collect();
    Outcome { rows: vec![row(70), row(900)], solved, ending: None, step: 900 }
}

#[test]
fn a_sweep_of_the_version_before_goes_on_under_either_names() {
    let spec = spec(LINK);
    let old = format!("# lab sweep {}\n{OLD}", sweep_link(&spec));
    let path = std::env::temp_dir().join(format!("vivarium-journal-names-{}.csv", std::process::id()));
    let mut files = vec![];
    for names in [NameVersion::New, NameVersion::Old] {
        std::fs::write(&path, old.clone() + "2,20,2,0,0,1,").unwrap();
        let mut journal = Journal::open(&SystemDisk, &path, &spec, Shard::WHOLE, names).unwrap();
        assert_eq!(
            (journal.has_renamed_columns, journal.index.missing_runs()),
            (names == NameVersion::New, vec![2])
        );
        let ended = journal.index.read_outcomes(0).unwrap();
        assert_eq!((ended[0].solved, ended[1].solved, ended[1].step), (Some(50), None, 900));
        let lines = journal.format_lines(2, &cell(&spec, 2).unwrap(), &outcome(2));
        journal.add_run(2, &lines).unwrap();
        // Nobody else writes it meanwhile.
        let second = Journal::open(&SystemDisk, &path, &spec, Shard::WHOLE, names).map(drop).unwrap_err();
        assert!(format!("{second:#}").contains("being written by another lab"), "{second:#}");
        journal.finish().unwrap();
        files.push(std::fs::read_to_string(&path).unwrap());
        let mut found = SweepIndex::read(&path).unwrap();
        assert_eq!((found.names, found.run_count(), found.missing_runs()), (names, 4, vec![]));
        assert!((0..4).all(|number| found.read_outcomes(number).is_some()));
        // Turned to the other names and back it is the same.
        for turned in [if names == NameVersion::New { NameVersion::Old } else { NameVersion::New }, names] {
            found.names = turned;
            found.write_sorted(&SystemDisk, &path).unwrap();
            found = SweepIndex::read(&path).unwrap();
            assert_eq!(found.names, turned);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), files[files.len() - 1]);
    }
    let [new, of_old] = &files[..] else { unreachable!() };
    assert!(of_old.starts_with(&old[..old.find("\n3,").unwrap()]), "{of_old}");
    assert!(of_old.contains("\n2,20,2,0,0,1,70,0.5,0.25,0.125,1\n2,20,2,0,1,0,900,0.5,"), "{of_old}");
    let columns = "cell,n,k,seed,relevant,replica,success,step,budget,measured_at,train_loss,";
    assert!(new.contains(&format!("\n{columns}train_accuracy,test_loss,test_accuracy\n")), "{new}");
    let lines: Vec<Vec<&str>> =
        new.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect()).collect();
    // Replica, success, step, budget and the step of the measures.
    assert_eq!(lines[1][5..10], ["0", "1", "50", "900", "50"]);
    assert_eq!(lines[2][5..10], ["1", "0", "", "900", "900"]);
    assert_eq!(lines[5][5..], ["0", "1", "70", "900", "70", "0.5", "0.25", "0.125", "1"]);
    let about = vivarium_view::record::preamble::format_run_lines(
        &vivarium_view::record::TrainingEnvironment::program(),
        &sweep_link(&spec),
        &spec,
        None,
    );
    assert!(new.starts_with(&format!("# lab sweep {}\n{about}cell,", sweep_link(&spec))), "{new}");
    std::fs::remove_file(&path).unwrap();
}

/// If a run continues after its target, the step of the numbers of the previous version is unknown.
#[test]
fn what_is_not_known_of_an_old_line_stays_empty() {
    let spec = spec(&format!("{LINK}&halt=steps"));
    let (old, new) = (ColumnLayout::of(&spec, NameVersion::Old), ColumnLayout::of(&spec, NameVersion::New));
    let text = "0,10,2,0,0,1,50,0.1,1,0.2,1\n0,10,2,0,1,0,900,0.7,0.5,NaN,0.5\n";
    let turned = old.convert_lines(text, &new, &spec, 0).unwrap();
    assert!(turned.contains(",0,1,50,900,,0.1,1,0.2,1\n"), "{turned}");
    assert!(turned.contains(",1,0,,900,900,0.7,0.5,NaN,0.5\n"), "{turned}");
    assert_eq!(new.convert_lines(&turned, &old, &spec, 0).unwrap(), text);
    let damaged = text.replacen("0.1", "much", 1);
    assert_eq!(old.convert_lines(&damaged, &new, &spec, 0), None);
}

/// Runs of a sweep that measure something else have columns of their own.
#[test]
fn each_run_has_its_numbers_under_its_own_names() {
    let spec = spec("#v1/groups?n=5&width=16&replicas=1&sweep=frac:0.5_1");
    let layout = ColumnLayout::of(&spec, NameVersion::New);
    let measures = "train_cross_entropy,train_accuracy,cross_entropy_on_all_pairs,test_cross_entropy,\
                    accuracy_on_all_pairs,test_accuracy";
    let mut columns: Vec<&str> = layout.column_names()[8..].to_vec();
    columns.sort_unstable();
    let mut expected: Vec<&str> = measures.split(',').collect();
    expected.sort_unstable();
    assert_eq!(columns, expected);
    assert_eq!(
        layout.column_names()[..8].join(","),
        "cell,frac,seed,replica,success,step,budget,measured_at"
    );
    let value = |number: usize, name: &str| {
        let line = layout.format_run(&spec, number, &cell(&spec, number).unwrap(), &outcome(1));
        assert!(layout.parse_outcome(line.trim_end(), number, 0, 0).is_some(), "{line}");
        let at = layout.column_names().iter().position(|column| *column == name).unwrap();
        line.trim_end().split(',').nth(at).unwrap().to_string()
    };
    assert_eq!([0, 1].map(|number| value(number, "test_cross_entropy")), ["0.125", ""]);
    assert_eq!([0, 1].map(|number| value(number, "cross_entropy_on_all_pairs")), ["", "0.125"]);
    assert_eq!([0, 1].map(|number| value(number, "train_cross_entropy")), ["0.5", "0.5"]);
}
