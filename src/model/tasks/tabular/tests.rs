use super::*;

fn whole(task: &Tabular, seed: u64, replica: u32) -> (Batch, Batch) {
    let (mut sample, mut test) = (Batch::default(), Batch::default());
    task.append_training_set(seed, replica, 0, usize::MAX / 2, &mut sample);
    task.append_held_out_of_replica(seed, replica, 0, usize::MAX / 2, &mut test);
    (sample, test)
}

#[test]
fn a_table_has_standard_columns_and_balanced_labels() {
    for turned in [ColumnRotation::No, ColumnRotation::Yes] {
        let task = Tabular { rows: 8000, n: 6, m: 0, turned, ..Default::default() };
        let (sample, test) = whole(&task, 3, 0);
        assert_eq!((sample.len(), test.len()), (7200, 800));
        for column in 0..6 {
            let values = || sample.x.iter().skip(column).step_by(6).map(|x| f64::from(*x));
            let mean = values().sum::<f64>() / 7200.0;
            let variance = values().map(|x| x * x).sum::<f64>() / 7200.0;
            assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.07, "{turned:?}: {mean} {variance}");
        }
        let balance = sample.y.iter().sum::<f32>() / 7200.0;
        assert!(balance.abs() < 0.05, "{balance}");
    }
}

#[test]
fn labels_are_steps_of_the_relevant_columns() {
    let edges = [-0.674_489_75_f32, 0.0, 0.674_489_75];
    for (rule, k) in [(LabelRule::Majority, 3), (LabelRule::Parity, 2)] {
        let task = Tabular { n: 8, k, rule, pieces: 4, m: 0, rows: 2000, ..Default::default() };
        let (sample, _) = whole(&task, 5, 0);
        let places = task.relevant(5);
        assert_eq!(places.len(), k);
        let step = |x: f32| if edges.iter().filter(|edge| x > **edge).count() % 2 == 0 { 1.0 } else { -1.0 };
        // The signs of the first pieces are unknown: exactly one choice of them explains every label.
        let explains = |signs: usize| {
            let sign = |j: usize| if signs >> j & 1 == 0 { 1.0 } else { -1.0 };
            sample.x.chunks(8).zip(&sample.y).all(|(x, y)| {
                let steps = places.iter().enumerate().map(|(j, i)| sign(j) * step(x[*i]));
                let said = match rule {
                    LabelRule::Majority => steps.sum::<f32>().signum(),
                    LabelRule::Parity => steps.product(),
                };
                said == *y
            })
        };
        let fitting = (0..1 << k).filter(|signs| explains(*signs)).count();
        assert_eq!(fitting, if rule == LabelRule::Majority { 1 } else { 2 });
    }
}

/// One table before and after the rotation: lengths and angles stay, and so do the labels.
#[test]
fn a_rotation_keeps_lengths_and_labels_and_mixes_columns() {
    let plain = Tabular { n: 7, m: 0, rows: 100, ..Default::default() };
    let turned = Tabular { turned: ColumnRotation::Yes, ..plain.clone() };
    let ((a, _), (b, _)) = (whole(&plain, 2, 1), whole(&turned, 2, 1));
    assert_eq!(a.y, b.y);
    for (at, (x, y)) in a.x.chunks(7).zip(b.x.chunks(7)).enumerate() {
        assert!((dot(x, x) - dot(y, y)).abs() < 1e-4, "{at}");
        assert!((dot(&a.x[..7], x) - dot(&b.x[..7], y)).abs() < 1e-4, "{at}");
    }
    let rotation = random_rotation(2, 7);
    let largest = rotation.chunks(7).map(|row| row.iter().fold(0.0f32, |m, x| m.max(x.abs())));
    assert!(largest.fold(0.0f32, f32::max) < 0.99);
    assert!(turned.relevant(2).is_empty() && plain.relevant(2).len() == 3);
}

#[test]
fn every_replica_has_a_split_of_its_own_and_no_row_is_on_both_sides() {
    let task = Tabular { rows: 200, n: 4, m: 50, ..Default::default() };
    let rows = |batch: &Batch| batch.x.chunks(4).map(|x| x.map_bits()).collect::<Vec<_>>();
    let mut tests = vec![];
    for replica in 0..3 {
        let (sample, test) = whole(&task, 9, replica);
        assert_eq!((sample.len(), test.len()), (50, 20));
        let (sample, test) = (rows(&sample), rows(&test));
        assert!(sample.iter().all(|row| !test.contains(row)));
        // A larger sample of the same replica holds the smaller one.
        let (more, same) = whole(&Tabular { m: 0, ..task.clone() }, 9, replica);
        assert_eq!((more.len(), rows(&same)), (180, test.clone()));
        assert_eq!(rows(&more)[..50], sample);
        tests.push(test);
    }
    assert!(tests[0] != tests[1] && tests[1] != tests[2]);
}

trait Bits {
    fn map_bits(&self) -> Vec<u32>;
}

impl Bits for [f32] {
    fn map_bits(&self) -> Vec<u32> {
        self.iter().map(|x| x.to_bits()).collect()
    }
}

#[test]
fn batches_visit_the_sample_once_an_epoch() {
    let task = Tabular { rows: 100, n: 3, m: 24, ..Default::default() };
    let (sample, _) = whole(&task, 1, 2);
    let mut seen = Batch::default();
    (0..3).for_each(|step| task.sample(1, 2, step, 8, &mut seen));
    let sorted = |batch: &Batch| {
        let mut rows: Vec<Vec<u32>> = batch.x.chunks(3).map(|x| x.map_bits()).collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(sorted(&seen), sorted(&sample));
    assert_ne!(seen, sample);
    let (mut parts, mut test) = (Batch::default(), Batch::default());
    for from in [0, 4, 8] {
        task.append_held_out(1, from, 4, &mut parts);
    }
    task.append_held_out_of_replica(1, 0, 0, 10, &mut test);
    assert_eq!(parts, test);
}

#[test]
fn noise_is_in_every_row() {
    let task = Tabular { rows: 5000, m: 0, ..Default::default() };
    let noisy = Tabular { noise: 0.2, ..task.clone() };
    let ((clean, test), (other, tested)) = (whole(&task, 4, 0), whole(&noisy, 4, 0));
    let flips = |a: &Batch, b: &Batch| a.y.iter().zip(&b.y).filter(|(a, b)| a != b).count() as f64;
    assert!((flips(&clean, &other) / 4500.0 - 0.2).abs() < 0.02);
    assert!((flips(&test, &tested) / 500.0 - 0.2).abs() < 0.06);
    assert_eq!(clean.x, other.x);
}

fn small() -> UploadedTable {
    let x = (0..60).map(|i| (i * i % 17) as f32).collect();
    UploadedTable { columns: 2, x, y: (0..30).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect() }
}

#[test]
fn an_own_table_is_named_by_its_contents_and_found_while_it_is_open() {
    let own = small();
    let number = own.table_id();
    let mut other = own.clone();
    other.x[7] += 0.5;
    assert_ne!(other.table_id(), number);
    assert_eq!(UploadedTable::from_floats(2, own.to_floats()), Some(own.clone()));
    assert!(
        UploadedTable::from_floats(3, vec![0.0; 7]).is_none()
            && UploadedTable::from_floats(3, vec![]).is_none()
    );
    let link = format!("#v1/tabular?data=own&csv={number}&m=20");
    let task = |link: &str| match crate::permalink::decode(link).0.spec.task {
        crate::tasks::Task::Tabular(task) => task,
        other => panic!("{other:?}"),
    };
    assert_eq!(own.clone().register(), number);
    let open = task(&link);
    assert_eq!((open.inputs(), open.held_out_row_count(), open.training_pool_size()), (2, 3, 27));
    let (sample, test) = whole(&open, 0, 0);
    assert_eq!((sample.len(), test.len()), (20, 3));
    assert!(sample.x.chunks(2).all(|row| own.x.chunks(2).any(|other| other == row)));
}

/// Without m, the sample follows the table; a link that states m means this number.
#[test]
fn the_sample_follows_a_short_table_unless_the_link_says_otherwise() {
    let own = UploadedTable { x: small().x.into_iter().map(|x| x + 1.0).collect(), ..small() };
    let number = own.register();
    let decoded =
        |query: &str| crate::permalink::decode(&format!("#v1/tabular?data=own&csv={number}{query}"));
    let (link, notices) = decoded("");
    assert_eq!((link.spec.value("m").unwrap().to_string(), notices.len()), ("27".into(), 0));
    assert_eq!(crate::permalink::encode(&link), format!("#v1/tabular?data=own&csv={number}&m=27"));
    assert_eq!(crate::permalink::decode(&crate::permalink::encode(&link)), (link, vec![]));
    let (_, notices) = decoded("&m=300");
    assert_eq!(notices[0].to_string(), "m = 300: expected at most 27 for n = 2");
    assert_eq!(decoded("&m=0").0.spec.value("m").unwrap().to_string(), "0");
}

/// A program with an opened table means it with every link to a run on tables that names no other table.
#[test]
fn a_link_means_the_table_that_is_given_next_to_it() {
    use crate::permalink::{decode_on_table, encode};
    let own = UploadedTable { x: small().x.into_iter().map(|x| x + 2.0).collect(), ..small() };
    let number = own.register();
    let read = |text: &str| decode_on_table(text, 100, Some(number));
    for text in [
        "#v1/tabular",
        "tabular",
        "https://example.org/vivarium/#v1/tabular?m=27",
        "#v1/tabular?data=own",
        "#v1%2Ftabular?m=27",
    ] {
        let (link, notices) = read(text);
        assert_eq!(encode(&link), format!("#v1/tabular?data=own&csv={number}&m=27"), "{text}");
        assert!(notices.is_empty(), "{notices:?}");
    }
    assert!(read("#v1/tabular?data=own&csv=77").1[0].expected.contains("not open"), "another table");
    assert!(read("#v1/tabular?data=generated").1[0].expected.contains("a CSV file is given"));
    assert_eq!(read("#v1/sparse-parity?n=20"), crate::permalink::decode("#v1/sparse-parity?n=20"));
}

#[test]
fn the_keys_of_the_table_are_those_of_links() {
    assert_eq!([TABLE_ORIGIN_KEY, TABLE_NUMBER_KEY], ["data", "csv"]);
}

#[test]
fn a_link_to_a_file_that_is_not_open_says_so_and_keeps_the_rest() {
    let (link, notices) = crate::permalink::decode("#v1/tabular?data=own&csv=12345&m=70&noise=0.1");
    assert!(notices[0].expected.contains("if you open the file"), "{notices:?}");
    assert_eq!(notices.len(), 1);
    let value = |key: &str| link.spec.value(key).unwrap().to_string();
    assert_eq!(["data", "csv", "m"].map(value), ["generated", "12345", "70"]);
    assert!(link.spec.invalid_settings().is_empty());
}

#[test]
fn impossible_tables_are_named_and_mended() {
    for (query, key) in [
        ("n=2", "k"),
        ("k=2", "k"),
        ("s=1.2", "s"),
        ("pieces=3", "pieces"),
        ("m=3700", "m"),
        ("rows=100", "m"),
    ] {
        let (link, notices) = crate::permalink::decode(&format!("#v1/tabular?{query}"));
        assert_eq!(notices.first().map(|n| n.key.as_str()), Some(key), "{query}: {notices:?}");
        assert!(link.spec.invalid_settings().is_empty(), "{query}: {:?}", link.spec.invalid_settings());
    }
}
