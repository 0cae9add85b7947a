//! Lines that nearly are a run's, files that nearly are a sweep's, and sweeps of other settings.

use super::*;
use crate::disk::SystemDisk;
use crate::disk::noting::RecordingDisk;
use vivarium_model::protocol::Measurement;
use vivarium_model::sweep::cell;

const LINK: &str = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3";
const RUNS: [&str; 4] = [
    "0,10,2,0,4 7,0,1,50,900,50,0.1,1,0.2,1\n0,10,2,0,4 7,1,0,,900,900,0.7,0.5,NaN,0.5\n",
    "1,10,3,0,4 7 9,0,0,,900,900,0.1,1,0.2,1\n1,10,3,0,4 7 9,1,0,,900,900,0.7,0.5,0.7,0.5\n",
    "2,20,2,0,4 7,0,1,70,900,70,0.1,1,0.2,1\n2,20,2,0,4 7,1,1,75,900,75,0.7,0.5,0.7,0.5\n",
    "3,20,3,0,4 7 9,0,1,50,900,50,0.1,1,0.2,1\n3,20,3,0,4 7 9,1,1,60,900,60,0.1,1,0.2,1\n",
];

fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode_within(link, MAX_SWEEP_RUNS);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn read_index(text: &str) -> Result<SweepIndex, anyhow::Error> {
    SweepIndex::parse(&mut text.as_bytes())
}

/// A file that is gone after the test.
struct Place(PathBuf);

impl Place {
    fn with(name: &str, text: &str) -> Place {
        let path = std::env::temp_dir().join(format!("vivarium-{name}-{}.csv", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Place(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_line_that_is_not_quite_a_runs_is_damage() {
    let head = head(&spec(LINK), Shard::WHOLE);
    assert_eq!(read_index(&format!("{head}{}{}", RUNS[0], RUNS[3])).unwrap().run_count(), 2);
    for (from, to) in [
        // Another network, another run, or the network before once more.
        ("0,10,2,0,4 7,1,0,,900", "0,10,2,0,4 7,2,0,,900"),
        ("0,10,2,0,4 7,1,0,,900", "1,10,2,0,4 7,1,0,,900"),
        ("0,10,2,0,4 7,1,0,,900", "0,10,2,0,4 7,0,0,,900"),
        // No yes or no, a step where none was reached and the other way round, no budget, no number, a number too
        // many, one too few, an empty one.
        ("1,0,,900", "1,2,,900"),
        ("1,0,,900", "1,0,900,900"),
        ("0,1,50,900", "0,1,,900"),
        ("1,0,,900,900", "1,0,,soon,900"),
        ("1,0,,900,900", "1,0,,900,soon"),
        ("900,900,0.7", "900,900,much"),
        ("900,900,0.7", "900,900,"),
        ("NaN,0.5", "NaN,0.5,0.5"),
        ("NaN,0.5", "NaN"),
    ] {
        let damaged = RUNS[0].replace(from, to);
        assert_ne!(damaged, RUNS[0]);
        let said = format!("{:#}", read_index(&format!("{head}{damaged}{}", RUNS[3])).unwrap_err());
        assert!(said.starts_with(&damaged_line_text(&head, 1)), "{to}: {said}");
        // At the end it is made again.
        let kept = read_index(&format!("{head}{}{damaged}", RUNS[3])).unwrap();
        assert_eq!((kept.run_count(), kept.missing_runs()), (1, vec![0, 1, 2]), "{to}");
    }
    // A run that there is not.
    let fifth = RUNS[3].replace("3,20", "4,20");
    let said = format!("{:#}", read_index(&format!("{head}{fifth}{}", RUNS[0])).unwrap_err());
    assert!(said.starts_with(&damaged_line_text(&head, 1)), "{said}");
}

#[test]
fn a_shard_holds_runs_of_its_own() {
    let spec = spec(LINK);
    let shard = Shard { number: 1, count: 2 };
    let head = head(&spec, shard);
    let own = read_index(&format!("{head}{}{}", RUNS[0], RUNS[2])).unwrap();
    assert_eq!((own.shard, own.run_count(), own.missing_runs()), (shard, 2, vec![]));
    let said = format!("{:#}", read_index(&format!("{head}{}{}", RUNS[1], RUNS[0])).unwrap_err());
    assert!(said.starts_with(&damaged_line_text(&head, 1)), "{said}");
}

#[test]
fn networks_of_a_run_are_counted_where_they_are_swept() {
    let counts = |link: &str| {
        let spec = spec(&format!("#v1/sparse-parity?{link}"));
        (0..count_runs_usize(&spec)).map(|number| count_networks(&spec, number)).collect::<Vec<_>>()
    };
    assert_eq!(counts("sweep=replicas:2_5&series=k:1_2_3"), [2, 2, 2, 5, 5, 5]);
    assert_eq!(counts("sweep=k:1_2_3&series=replicas:2_5"), [2, 5, 2, 5, 2, 5]);
    assert_eq!(counts("replicas=4&sweep=n:10_20"), [4, 4]);
    // A column for the seed, unless it is one of the settings.
    let names = |link: &str| {
        let spec = spec(&format!("#v1/sparse-parity?{link}"));
        ColumnLayout::of(&spec, NameVersion::New).column_names()[..4].join(",")
    };
    assert_eq!(names("sweep=n:10_20&series=k:2_3"), "cell,n,k,seed");
    assert_eq!(names("s=1.2.3&sweep=lr:0.1_1&series=seed:1_2"), "cell,lr,seed,replica");
    assert_eq!(names("sweep=k:2_3&series=seed:1_2"), "cell,k,seed,relevant");
}

/// Files that have taken in others are taken in themselves, whatever the order.
#[test]
fn files_are_merged_in_any_nesting() {
    let head = head(&spec(LINK), Shard::WHOLE);
    let places = [0, 1, 3].map(|run| Place::with(&format!("merged-{run}"), &format!("{head}{}", RUNS[run])));
    let [mut first, mut second, third] = [0, 1, 2].map(|at| SweepIndex::read(&places[at].0).unwrap());
    second.merge(third).unwrap();
    first.merge(second).unwrap();
    assert_eq!((first.run_count(), first.missing_runs()), (3, vec![2]));
    let steps = |run: usize| {
        first.read_outcomes(run).map(|networks| networks.iter().map(|n| n.step).collect::<Vec<_>>())
    };
    assert_eq!([0, 1, 2, 3].map(steps), [Some(vec![50, 900]), Some(vec![900; 2]), None, Some(vec![50, 60])]);
    let all = Place::with("merged", "");
    first.write_sorted(&SystemDisk, &all.0).unwrap();
    let whole = format!("{head}{}{}{}", RUNS[0], RUNS[1], RUNS[3]);
    assert_eq!(std::fs::read_to_string(&all.0).unwrap(), whole);
    assert_eq!(
        first.read_outcomes(3).unwrap()[1],
        NetworkOutcome { solved: Some(60), step: 60, accuracy: 1.0 }
    );
}

/// A file shorter than the first two lines may be a sweep that was cut off, unless it begins differently.
#[test]
fn a_file_of_something_else_stays_as_it_is() {
    let (spec, shard) = (spec(LINK), Shard { number: 2, count: 2 });
    let whole = head(&spec, Shard::WHOLE);
    let elsewhere = head(&self::spec("#v1/sparse-parity?sweep=n:10_30"), Shard::WHOLE);
    for (text, shard, said) in [
        ("Dear all,\n", Shard::WHOLE, Some("not written by lab sweep")),
        (&elsewhere, Shard::WHOLE, Some("contains another sweep")),
        (&whole, shard, Some("contains part 1/1 of this sweep, but this command makes part 2/2")),
        (&whole[..30], Shard::WHOLE, None),
        ("", Shard::WHOLE, None),
    ] {
        let place = Place::with("other", text);
        let opened = Journal::open(&SystemDisk, &place.0, &spec, shard, NameVersion::New)
            .map(|journal| journal.index.missing_runs());
        let now = std::fs::read_to_string(&place.0).unwrap();
        match said {
            Some(said) => {
                let why = format!("{:#}", opened.unwrap_err());
                assert!(why.contains(said) && now == text, "{why}: {now}");
            }
            None => assert_eq!((opened.unwrap(), now), (vec![0, 1, 2, 3], whole.clone())),
        }
    }
}

#[test]
fn losses_are_those_of_the_step_at_which_a_network_ended() {
    let row = |step: u64| {
        let of = |x: f32| vec![step as f32 + x, step as f32 + x + 0.5];
        Measurement {
            step,
            train_loss: of(1.0),
            train_accuracy: of(2.0),
            test_loss: of(3.0),
            test_accuracy: of(4.0),
            ..Default::default()
        }
    };
    let rows = vec![row(50), row(100), row(900)];
    let outcome = Outcome { rows, solved: vec![Some(100), None], ending: None, step: 900 };
    let text = |halt: &str| {
        let spec = spec(&format!("{LINK}&halt={halt}"));
        lines(&spec, 1, &cell(&spec, 1).unwrap(), &outcome)
    };
    let spec = spec(LINK);
    let set = vivarium_view::record::preamble::relevant_numbers(&cell(&spec, 1).unwrap().spec);
    let set = set.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    // One that is not solved has no step.
    let unsolved = format!("1,10,3,0,{set},1,0,,20000,900,901.5,902.5,903.5,904.5\n");
    assert_eq!(text("target"), format!("1,10,3,0,{set},0,1,100,20000,100,101,102,103,104\n{unsolved}"));
    // Where a run goes on behind the target, so do its networks.
    assert_eq!(text("steps"), format!("1,10,3,0,{set},0,1,100,20000,900,901,902,903,904\n{unsolved}"));
}

#[test]
fn a_file_in_order_is_written_again_where_its_first_lines_are_others() {
    let spec = spec(LINK);
    let (head, runs) = (head(&spec, Shard::WHOLE), RUNS.concat());
    let older = head.replacen("?replicas=2&", "?", 1).replacen("=k:2_3", "=k:2_3&replicas=2", 1);
    assert_ne!(older, head);
    for (begun, renames) in [(head.clone(), 0), (older, 1), (head.replace('\n', "\r\n"), 1)] {
        let place = Place::with("first-lines", &format!("{begun}{runs}"));
        let disk = RecordingDisk::default();
        let journal = Journal::open(&disk, &place.0, &spec, Shard::WHOLE, NameVersion::New).unwrap();
        assert_eq!(journal.index.missing_runs(), Vec::<usize>::new());
        journal.finish().unwrap();
        assert_eq!(disk.renamed_to.take().len(), renames, "{begun}");
        assert_eq!(std::fs::read_to_string(&place.0).unwrap(), format!("{head}{runs}"));
    }
}
