//! Runs on tables: networks measured on their own held-out rows, and forests that are grown tree by tree.

use std::process::{Command, Output};

use vivarium::record::{dataset, format_csv};
use vivarium::run::RunSpec;
use vivarium::sweep::cells;
use vivarium::tasks::tabular::uploaded::UploadedTable;
use vivarium::tasks::{Batch, MeasureNames};
use vivarium::training::launch::choose::{engine, prefers_gpu, worth_a_gpu};
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Outcome, Session};

use crate::folder::Folder;
use crate::ties::doubled;
use crate::{finish, session, spec};

fn trained(link: &str) -> Outcome {
    finish(&mut session(link))
}

/// Each network is judged by the rows that its own sample leaves.
#[test]
fn networks_are_measured_on_their_own_held_out_rows() {
    let link = "#v1/tabular?n=5&rows=200&m=60&replicas=3&widths=8.6&steps=40&every=20&batch=16";
    let mut run = session(link);
    let outcome = finish(&mut run);
    let spec: RunSpec = spec(link);
    let weights = pollster::block_on(run.checkpoint()).unwrap().weights.parameters;
    let (task, last) = (spec.task.sampler(), outcome.rows.last().unwrap());
    for replica in 0..3u32 {
        let own: Vec<&[f32]> = weights
            .iter()
            .map(|values| {
                let length = values.len() / 3;
                &values[replica as usize * length..(replica as usize + 1) * length]
            })
            .collect();
        let right = |batch: &Batch| {
            let outputs = spec.network().evaluate(&own, 5, &batch.x, 0);
            let doubled = outputs.iter().zip(&batch.y).map(|(f, y)| doubled(f64::from(f * y))).sum::<usize>();
            doubled as f32 / 2.0 / batch.len() as f32
        };
        let (mut test, mut sample) = (Batch::default(), Batch::default());
        task.append_held_out_of_replica(spec.run.seed, replica, 0, 20, &mut test);
        task.append_training_set(spec.run.seed, replica, 0, 60, &mut sample);
        assert_eq!((test.len(), sample.len()), (20, 60));
        assert!((right(&test) - last.test_accuracy[replica as usize]).abs() < 1e-6);
        assert!((right(&sample) - last.train_accuracy[replica as usize]).abs() < 1e-6);
    }
}

const FOREST: &str = "model=random-forest&replicas=4&steps=30&every=10";

#[test]
fn a_forest_learns_its_sample_by_heart_and_more_from_more_rows() {
    let error = |m: usize| {
        let outcome = trained(&format!("#v1/tabular?m={m}&{FOREST}"));
        let last = outcome.rows.last().unwrap();
        assert!(last.train_accuracy.iter().all(|right| *right > 0.97), "{:?}", last.train_accuracy);
        1.0 - last.test_accuracy.iter().sum::<f32>() / 4.0
    };
    let (few, many) = (error(50), error(1600));
    assert!(many < 0.2 && many + 0.15 < few, "{few} {many}");
}

/// One relevant column with jumps at three places: a tree needs two splits on the way to each piece.
#[test]
fn depth_is_the_number_of_splits_on_a_way() {
    let right = |pieces: usize, depth: usize| {
        let link =
            format!("#v1/tabular?n=2&k=1&pieces={pieces}&m=600&features=2&depth={depth}&trees=1&{FOREST}");
        let last = trained(&link).rows.pop().unwrap();
        last.test_accuracy.iter().sum::<f32>() / 4.0
    };
    assert!(right(2, 1) > 0.97, "{}", right(2, 1));
    let (one, two) = (right(4, 1), right(4, 3));
    assert!((0.6..0.85).contains(&one) && two > 0.95, "{one} {two}");
}

/// Trees are functions of the specification: taken up half way, with other slices, the numbers are the same.
#[test]
fn a_forest_that_is_taken_up_again_is_the_same() {
    let link = format!("#v1/tabular?m=120&{FOREST}");
    let whole = trained(&link);
    let mut half = session(&link);
    while half.step() < 15 {
        pollster::block_on(half.advance(1e9, 15 - half.step())).unwrap();
    }
    let checkpoint = pollster::block_on(half.checkpoint()).unwrap();
    let mut again = Session::resume(&checkpoint, &Device::cpu(), Options::default()).unwrap();
    let mut rows = vec![];
    while !again.finished() {
        // As little as possible at a time.
        for event in pollster::block_on(again.advance(0.0, 1)).unwrap() {
            if let vivarium::protocol::Event::Metrics(new) = event {
                rows.extend(new);
            }
        }
    }
    assert_eq!(rows.last(), whole.rows.last());
    assert_eq!(rows.iter().find(|row| row.step == 20), whole.rows.iter().find(|row| row.step == 20));
}

/// After its last tree a forest stays as it is.
#[test]
fn a_forest_has_as_many_trees_as_it_says() {
    let few = trained(&format!("#v1/tabular?m=60&trees=10&{FOREST}"));
    let at = |step: u64| few.rows.iter().find(|row| row.step == step).unwrap();
    assert_eq!(at(10).test_accuracy, at(30).test_accuracy);
    assert_eq!(at(10).test_loss, at(30).test_loss);
    assert_ne!(at(10).test_loss, at(0).test_loss);
    let spec = spec(&format!("#v1/tabular?{FOREST}"));
    assert!(!prefers_gpu(&spec) && !worth_a_gpu(&spec, engine(&spec).0));
}

/// A rotation takes the meaning of single columns away, and with it what a forest is good at.
#[test]
fn a_forest_suffers_from_a_rotation() {
    let error = |turned: &str| {
        let last = trained(&format!("#v1/tabular?m=1000&turned={turned}&{FOREST}")).rows.pop().unwrap();
        1.0 - last.test_accuracy.iter().sum::<f32>() / 4.0
    };
    let (plain, turned) = (error("no"), error("yes"));
    assert!(plain + 0.15 < turned, "{plain} {turned}");
}

/// One class in a small sample is no reason to stop.
#[test]
fn a_sample_of_one_class_is_learned() {
    let own = UploadedTable {
        columns: 1,
        x: (0..100).map(|i| i as f32 / 50.0 - 1.0).collect(),
        y: (0..100).map(|i| if i == 3 { 1.0 } else { -1.0 }).collect(),
    };
    let number = own.register();
    let last = trained(&format!("#v1/tabular?data=own&csv={number}&m=4&{FOREST}")).rows.pop().unwrap();
    assert!(last.test_accuracy.iter().all(|right| *right >= 0.9), "{:?}", last.test_accuracy);
}

/// Cells of a sweep over models are the runs that they would be alone, and their data are the same.
#[test]
fn a_sweep_may_have_models_for_an_axis() {
    let link = "#v1/tabular?n=4&rows=200&m=20&replicas=2&steps=10&every=5&widths=6.5&batch=8\
                &sweep=m:20_40&series=model:deep-mlp_random-forest";
    let cells = cells(&spec(link));
    assert_eq!(cells.len(), 4);
    let names: Vec<&str> = cells.iter().map(|cell| cell.spec.model.info().slug).collect();
    assert_eq!(names, ["deep-mlp", "random-forest", "deep-mlp", "random-forest"]);
    assert_eq!(cells[2].spec.value("widths").unwrap().to_string(), "6.5");
    let data = |at: usize| {
        let mut batch = Batch::default();
        cells[at].spec.task.sampler().append_training_set(0, 1, 0, 20, &mut batch);
        batch
    };
    assert_eq!((data(0), data(2)), (data(1), data(3)));
    let sessions = cells.iter().map(|cell| {
        let mut session = Session::start(&cell.spec, &Device::cpu(), Options::default()).unwrap();
        finish(&mut session).rows.len()
    });
    assert_eq!(sessions.collect::<Vec<_>>(), [3; 4]);
}

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap()
}

/// 400 rows of a number and two words: enough for the usual sample.
fn own_table() -> String {
    let row = |i: usize| format!("{},{},{}\n", i * i, ["low", "high"][(i / 2) % 2], ["no", "yes"][i % 2]);
    std::iter::once("size,grade,kind\n".to_string()).chain((0..400).map(row)).collect()
}

/// A link that names no table is about the one of the command; its label is the column of that name, or the last one.
#[test]
fn links_are_about_the_table_that_the_command_names() {
    let folder = Folder::new("own-table");
    let path = folder.file("own.csv");
    std::fs::write(&path, own_table()).unwrap();
    let number =
        |label: Option<usize>| dataset::read_bytes(own_table().as_bytes(), label).unwrap().table.table_id();
    let (last, second) = (number(None), number(Some(1)));
    assert_ne!(last, second);
    let explained = |arguments: &[&str]| {
        let mut line = vec!["link", "--table", path.as_str()];
        line.extend(arguments);
        let output = lab(&line);
        let [printed, errors] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        (output.status.code(), printed.lines().next().unwrap_or_default().to_string(), errors)
    };
    let left_out = |name: &str| format!("Columns left out because some values are not numbers: {name}.\n");
    let own = format!("#v1/tabular?data=own&csv={last}");
    let of_second = format!("#v1/tabular?data=own&csv={second}&m=20");
    let address = "https://example.org/vivarium/#v1/tabular?m=20";
    let with_m = format!("{own}&m=20");
    for (arguments, link, name) in [
        (vec!["#v1/tabular"], own.as_str(), "grade"),
        // An address of the page, and a link without its sign.
        (vec![address], with_m.as_str(), "grade"),
        (vec!["tabular?m=20"], with_m.as_str(), "grade"),
        (vec!["#v1/tabular?data=own"], own.as_str(), "grade"),
        (vec!["--label", "grade", "#v1/tabular?m=20"], of_second.as_str(), "kind"),
        // One that names a table.
        (vec![own.as_str()], own.as_str(), "grade"),
    ] {
        assert_eq!(explained(&arguments), (Some(0), link.to_string(), left_out(name)), "{arguments:?}");
    }
    // A task that has no table says that the file is not used.
    let (code, link, errors) = explained(&["#v1/sparse-parity?n=20"]);
    assert_eq!((code, link.as_str()), (Some(0), "#v1/sparse-parity?n=20"));
    let unused = format!("The run of this link does not train on a table; it does not use {path}.\n");
    assert_eq!(errors, left_out("grade") + &unused);
    // A link that asks for a generated table contradicts the file, and some commands read no link.
    let (code, _, errors) = explained(&["#v1/tabular?data=generated"]);
    assert!(code == Some(2) && errors.contains("because a CSV file is given"), "{errors}");
    let output = lab(&["list", "--table", path.as_str()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--table has no effect"));
    let (code, _, errors) = explained(&["--label", "colour", "#v1/tabular"]);
    let expected = format!("{path} has no column colour; its columns are size, grade, kind\n");
    assert_eq!((code, errors), (Some(1), expected));
}

/// A preset on a generated table trains on the file.
#[test]
fn a_preset_is_about_the_table_that_the_command_names() {
    use vivarium::permalink::decode;
    let folder = Folder::new("preset-on-own-table");
    let path = folder.file("own.csv");
    let row = |i: usize| format!("{},{},{}\n", i * 37 % 1009, i * i % 997, ["no", "yes"][i % 2]);
    std::fs::write(&path, "size,age,sold\n".to_string() + &(0..5000).map(row).collect::<String>()).unwrap();
    let preset = vivarium::labs::find_preset("table-trees").expect("a preset on a table");
    let output = lab(&["link", preset.slug, "--table", path.as_str()]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = dataset::read_bytes(&std::fs::read(&path).unwrap(), None).unwrap().table.register();
    let link = printed.lines().next().unwrap_or_default();
    assert!(link.contains(&format!("data=own&csv={number}")), "{link}");
    // The other settings are those of the preset.
    let with = decode(link).0.spec;
    for key in ["model", "steps", "every", "m"] {
        assert_eq!(with.value(key), preset.link().spec.value(key), "{key}");
    }
}

/// A pipe can hold the table, as in `cut -d, -f2- houses.csv | lab … --table -`.
#[test]
fn a_table_is_read_from_the_standard_input() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let row = |i: usize| format!("{},{},{}\n", i * 37 % 101, i * i % 97, ["no", "yes"][i / 3 % 2]);
    let text = "size,age,sold\n".to_string() + &(0..100).map(row).collect::<String>();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["link", "#v1/tabular", "--table", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = dataset::read_bytes(text.as_bytes(), None).unwrap().number;
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains(&format!("csv={number}")), "{printed}");
}

/// The label, the first line and columns that count the rows are chosen by options; a refused label names the columns.
#[test]
fn a_table_of_the_command_is_read_as_its_options_say() {
    let folder = Folder::new("options-of-own-table");
    let path = folder.file("own.csv");
    let row = |i: usize| format!("{i},{},{},same\n", i * i % 997, ["no", "yes"][i % 2]);
    std::fs::write(&path, "id,x,x,kind\n".to_string() + &(0..100).map(row).collect::<String>()).unwrap();
    let explained = |arguments: &[&str]| {
        let mut line = vec!["link", "#v1/tabular", "--table", path.as_str()];
        line.extend(arguments);
        let output = lab(&line);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = explained(&[]);
    assert_eq!(code, Some(1));
    assert!(text.contains("with the label kind, the label has the same value in all rows"), "{text}");
    assert!(
        text.contains("Choose another label with --label; the columns are id, x (1), x (2), kind"),
        "{text}"
    );
    let (code, text) = explained(&["--label", "x"]);
    assert!(
        code == Some(1) && text.contains("several columns x; choose one of them by its number: x (1), x (2)")
    );
    let (code, text) = explained(&["--label", "x (2)"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Columns left out because they count the rows: id."), "{text}");
    let (_, text) = explained(&["--label", "x (2)", "--row-numbers"]);
    assert!(text.contains("Columns that count the rows are kept: id."), "{text}");
    let (code, text) = explained(&["--label", "column 3", "--header", "no"]);
    assert!(code == Some(1) && text.contains("no column contains only numbers"), "{text}");
}

/// A link from before the rules of reading changed names its table by its hash, and the file still gives it.
#[test]
fn a_link_to_a_table_of_the_first_version_is_the_same_run() {
    let folder = Folder::new("first-version-table");
    let path = folder.file("own.csv");
    let row = |i: usize| format!("{i},{},{}\n", i * i % 997, ["no", "yes"][i % 2]);
    let text = "id,x,sold\n".to_string() + &(0..100).map(row).collect::<String>();
    std::fs::write(&path, &text).unwrap();
    let first =
        dataset::TableChoices { rules: dataset::ReadingRules::First, ..dataset::TableChoices::default() };
    let number = dataset::read_with(text.as_bytes(), &first).unwrap().number;
    let link = format!("#v1/tabular?data=own&csv={number}&m=20");
    let output = lab(&["link", &link, "--table", path.as_str()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().next(), Some(link.as_str()));
}

#[test]
fn a_run_on_the_table_of_the_command_is_the_run_on_that_table() {
    let folder = Folder::new("run-on-own-table");
    let path = folder.file("own.csv");
    std::fs::write(&path, own_table()).unwrap();
    let run = "m=20&replicas=1&widths=6.5&batch=8&steps=10&every=5&halt=steps&device=cpu";
    let link = format!("#v1/tabular?{run}");
    let output = lab(&["run", &link, "--table", &path, "-q", "--format", "csv"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = dataset::read_bytes(own_table().as_bytes(), None).unwrap().table.register();
    let rows = trained(&format!("#v1/tabular?data=own&csv={number}&{run}")).rows;
    assert_eq!(rows.len(), 3);
    let printed = String::from_utf8_lossy(&output.stdout);
    let table: String = printed.split_inclusive('\n').filter(|line| !line.starts_with('#')).collect();
    assert_eq!(table, format_csv(&MeasureNames::default(), rows.iter()));
}
