//! Sweeps: the same numbers as runs done singly, whatever the threads, interruptions and parts.

use std::path::Path;
use std::process::{Command, Output};

use vivarium::permalink::encode;
use vivarium::protocol::Measurement;
use vivarium::record::{TrainingEnvironment, preamble};
use vivarium::sweep::cells;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};

use crate::folder::Folder;
use crate::{finish, spec};

/// Six runs of three networks each, some of which never find it.
const SWEEP: &str = "#v1/sparse-parity?width=24&lr=1&batch=16&replicas=3&steps=200&every=5&held=128\
                     &sweep=n:6_8_40&series=k:2_3&device=cpu";

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap()
}

fn done(arguments: &[&str]) -> String {
    let output = lab(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is said where it must fail, and the exit code.
fn refused(arguments: &[&str]) -> (String, i32) {
    let output = lab(arguments);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().unwrap())
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(path)).unwrap()
}

/// The file that the runs done one by one make, and in which replicas train on when they have found it.
fn singly(link: &str) -> String {
    let sweep = spec(link);
    let about = preamble::format_run_lines(&TrainingEnvironment::program(), link, &sweep, None);
    let mut text = format!(
        "# lab sweep {link}\n{about}cell,n,k,seed,relevant,replica,success,step,budget,measured_at,train_loss,\
         train_accuracy,test_loss,test_accuracy\n"
    );
    for (number, cell) in cells(&sweep).iter().enumerate() {
        let run = spec(&encode(&vivarium::permalink::Link { spec: cell.spec.clone(), ..Default::default() }));
        let outcome = finish(&mut Session::start(&run, &Device::cpu(), Options::default()).unwrap());
        for (replica, solved) in outcome.solved.iter().enumerate() {
            let step = solved.unwrap_or(outcome.step);
            let row = outcome.rows.iter().find(|row| row.step == step).unwrap();
            let numbers = [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy];
            let numbers: Vec<String> = numbers.iter().map(|column| column[replica].to_string()).collect();
            let relevant: Vec<String> =
                preamble::relevant_numbers(&cell.spec).iter().map(usize::to_string).collect();
            text += &format!(
                "{number},{},{},0,{},{replica},{},{},200,{step},{}\n",
                cell.spec.value("n").unwrap(),
                cell.spec.value("k").unwrap(),
                relevant.join(" "),
                u8::from(solved.is_some()),
                solved.map_or(String::new(), |step| step.to_string()),
                numbers.join(",")
            );
        }
    }
    text
}

#[test]
fn a_sweep_is_its_runs_done_singly_bit_for_bit_on_any_number_of_threads() {
    let folder = Folder::new("singly");
    let expected = singly(SWEEP);
    assert!(
        expected.contains(",1,") && expected.lines().any(|line| line.contains(",0,,200,200,")),
        "{expected}"
    );
    for threads in ["1", "2", "5"] {
        let path = folder.file(threads);
        let said = done(&["sweep", SWEEP, "-o", &path, "--threads", threads]);
        assert!(said.starts_with("6 runs trained and 0 runs already done"), "{said}");
        assert_eq!(read(&path), expected, "{threads} threads");
    }
}

#[test]
fn a_sweep_that_was_stopped_goes_on_and_is_the_same() {
    let folder = Folder::new("resumed");
    let whole = folder.file("whole.csv");
    done(&["sweep", SWEEP, "-q", "-o", &whole]);
    let whole = read(&whole);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let head = lines.iter().position(|line| line.starts_with("0,")).unwrap();
    // Two runs, a third cut in the middle of a line, and none at all.
    let two = lines[..head + 6].concat().len() + 30 + lines[head + 6].len();
    for kept in [whole[..two].to_string(), String::new(), lines[0].into()] {
        let path = folder.file("cut.csv");
        std::fs::write(&path, &kept).unwrap();
        let said = done(&["sweep", SWEEP, "-o", &path]);
        let made = if kept.len() == two {
            "4 runs trained and 2 runs already done"
        } else {
            "6 runs trained and 0 runs already done"
        };
        assert!(said.starts_with(made), "{said}");
        assert_eq!(read(&path), whole);
        let again = done(&["sweep", SWEEP, "-o", &path]);
        assert!(again.starts_with("0 runs trained and 6 runs already done"), "{again}");
        assert_eq!(read(&path), whole);
        std::fs::remove_file(&path).unwrap();
    }
}

/// Three settings given one by one: two maps of 2 × 2 runs. What is stopped goes on, and parts make the same file.
#[test]
fn a_sweep_has_as_many_settings_as_are_given() {
    const SINGLE: &str =
        "#v1/sparse-parity?width=24&lr=1&batch=16&replicas=2&steps=60&every=5&held=128&device=cpu";
    let axes = ["--axis", "n:6_8", "--axis", "k:2_3", "--axis", "seed:4_5"];
    let folder = Folder::new("axes");
    let [whole, again, all] = ["whole.csv", "again.csv", "all.csv"].map(|name| folder.file(name));
    let figure = folder.file("maps.svg");
    let run = |path: &str, more: &[&str]| done(&[&["sweep", SINGLE, "-o", path], &axes[..], more].concat());
    let said = run(&whole, &["--figure", &figure]);
    assert!(said.starts_with("8 runs trained and 0 runs already done"), "{said}");
    let text = read(&whole);
    let mut lines = text.lines();
    let link = lines.next().unwrap().strip_prefix("# lab sweep ").unwrap().to_string();
    assert!(link.contains("sweep=n:6_8&series=k:2_3&further=seed:4_5"), "{link}");
    let mut lines = lines.filter(|line| !line.starts_with('#'));
    assert!(lines.next().is_some_and(|columns| columns.starts_with("cell,n,k,seed,")), "{text}");
    let settings: Vec<String> =
        lines.step_by(2).map(|line| line.split(',').take(4).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        settings,
        ["0 6 2 4", "1 6 3 4", "2 8 2 4", "3 8 3 4", "4 6 2 5", "5 6 3 5", "6 8 2 5", "7 8 3 5"]
    );
    // Each map is the sweep of two settings from its own seed.
    for (seed, from) in [("4", 0), ("5", 8)] {
        let path = folder.file(&format!("{seed}.csv"));
        done(&["sweep", &format!("{SINGLE}&seed={seed}&sweep=n:6_8&series=k:2_3"), "-q", "-o", &path]);
        let numbers = |text: &str, from: usize| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1 + from).take(8);
            lines.map(|line| line.split_once(',').unwrap().1.to_string()).collect()
        };
        assert_eq!(numbers(&read(&path), 0), numbers(&text, from), "seed {seed}");
    }
    let svg = read(&figure);
    assert_eq!(["seed = 4: ", "seed = 5: "].map(|name| svg.matches(name).count()), [3, 3]);
    // The link in the file is the same sweep; what is missing is made.
    let head = text.lines().take_while(|line| line.starts_with('#')).count() + 1;
    let kept: String = text.split_inclusive('\n').take(head + 2 * 3).collect();
    std::fs::write(&again, kept).unwrap();
    let said = done(&["sweep", &link, "-o", &again]);
    assert!(said.starts_with("5 runs trained and 3 runs already done"), "{said}");
    assert_eq!(read(&again), text);
    let parts = ["1", "2", "3"].map(|part| folder.file(&format!("part-{part}.csv")));
    for (part, path) in ["1/3", "2/3", "3/3"].into_iter().zip(&parts) {
        run(path, &["-q", "--shard", part]);
    }
    done(&["merge", &parts[0], &parts[1], &parts[2], "-o", &all]);
    assert_eq!(read(&all), text);
    // No other command takes it, and says which one does.
    let (said, code) = refused(&["run", &link]);
    assert!(said.contains("further = seed:4_5") && said.contains("lab sweep"), "{said}");
    assert_eq!(code, 2);
    let (said, code) = refused(&["sweep", SINGLE, "-o", &all, "--axis", "n:6_8", "--axis", "n:6_8"]);
    assert!(said.contains("different for each run of the sweep"), "{said}");
    assert_eq!(code, 2);
}

#[test]
fn what_is_in_another_file_stays_as_it_is() {
    let folder = Folder::new("other");
    let path = folder.file("sweep.csv");
    done(&["sweep", SWEEP, "-q", "-o", &path]);
    let before = read(&path);
    let other = SWEEP.replace("n:6_8_40", "n:6_8_10");
    let (said, code) = refused(&["sweep", &other, "-o", &path]);
    assert!(
        said.contains("contains another sweep, #v1/sparse-parity?") && said.contains("--output"),
        "{said}"
    );
    assert_eq!(code, 1);
    let (said, _) = refused(&["sweep", SWEEP, "-o", &path, "--shard", "1/2"]);
    assert!(said.contains("contains part 1/1 of this sweep, but this command makes part 1/2"), "{said}");
    assert_eq!(read(&path), before);
    let foreign = folder.file("letter.txt");
    std::fs::write(&foreign, "Dear all,\n").unwrap();
    let (said, _) = refused(&["sweep", SWEEP, "-o", &foreign]);
    assert!(said.contains("not written by lab sweep"), "{said}");
    assert_eq!(read(&foreign), "Dear all,\n");
    let head = before.lines().position(|line| line.starts_with("0,")).unwrap();
    let mut lines: Vec<String> = before.lines().map(String::from).collect();
    lines[head].push('x');
    let damaged = lines.join("\n") + "\n";
    std::fs::write(&foreign, &damaged).unwrap();
    let (said, _) = refused(&["sweep", SWEEP, "-o", &foreign]);
    let damage = format!("line {} or one of the next 3 lines is damaged", head + 1);
    assert!(said.contains(&damage), "{said}");
    assert_eq!(read(&foreign), damaged);
}

#[test]
fn parts_put_together_are_the_whole() {
    let folder = Folder::new("merged");
    let whole = folder.file("whole.csv");
    done(&["sweep", SWEEP, "-q", "-o", &whole]);
    let parts: Vec<String> = (1..=4).map(|i| folder.file(&format!("{i}.csv"))).collect();
    for (i, part) in parts.iter().enumerate() {
        let said = done(&["sweep", SWEEP, "-o", part, "--shard", &format!("{}/4", i + 1)]);
        assert!(said.starts_with(["2 runs", "2 runs", "1 runs", "1 runs"][i]), "{said}");
    }
    let all = folder.file("all.csv");
    let merge = |files: &[&String], more: &[&str]| {
        let files = files.iter().map(|file| file.as_str());
        ["merge"]
            .into_iter()
            .chain(files)
            .chain(["-o", &all])
            .chain(more.iter().copied())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let call = |text: &str| text.split('\n').map(String::from).collect::<Vec<String>>();
    let run = |text: String| done(&call(&text).iter().map(String::as_str).collect::<Vec<_>>());
    let fail = |text: String| refused(&call(&text).iter().map(String::as_str).collect::<Vec<_>>()).0;
    // In any order.
    let [a, b, c, d] = [&parts[0], &parts[1], &parts[2], &parts[3]];
    run(merge(&[d, b, a, c], &[]));
    assert_eq!(read(&all), read(&whole));
    std::fs::remove_file(&all).unwrap();
    let said = fail(merge(&[a, b, b], &[]));
    assert!(said.contains("run 1 is both in ") && said.contains("one of the files before it"), "{said}");
    let said = fail(merge(&[a, d], &[]));
    assert!(said.contains("3 of 6 runs are missing (1, 2, 5)") && said.contains("--partial"), "{said}");
    assert!(!Path::new(&all).exists());
    // What was put together in part is gone on with.
    run(merge(&[a, d], &["--partial"]));
    let said = done(&["sweep", SWEEP, "-o", &all]);
    assert!(said.starts_with("3 runs trained and 3 runs already done"), "{said}");
    assert_eq!(read(&all), read(&whole));
    let other = folder.file("other.csv");
    done(&["sweep", &SWEEP.replace("lr=1", "lr=0.5"), "-q", "-o", &other]);
    assert!(fail(merge(&[a, &other], &["--force"])).contains("belong to different sweeps"));
}

#[test]
fn a_hundred_thousand_runs_need_a_word() {
    let folder = Folder::new("many");
    let path = folder.file("sweep.csv");
    let many = "#v1/sparse-parity?sweep=lr:log:0.001..1:400&series=seed:lin:1..250:250&device=cpu";
    let (said, code) = refused(&["sweep", many, "-o", &path]);
    assert_eq!(code, 2);
    for part in ["100,000 runs", "up to ", " on ", "--yes", "fewer values", "--shard 1/10"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!Path::new(&path).exists());
    let (said, code) = refused(&["run", many]);
    assert!(code == 2 && said.contains("at most 1,024 runs") && said.contains("lab sweep --yes"), "{said}");
    let (said, code) = refused(&["sweep", "#v1/sparse-parity?n=12", "-o", &path]);
    assert!(code == 2 && said.contains("This link describes a single run"), "{said}");
    let (said, _) = refused(&["sweep", SWEEP, "-o", &path, "--shard", "5/4"]);
    assert!(said.contains("5/4 is not a part of a sweep"), "{said}");
}

#[test]
fn figures_are_maps_of_two_settings_and_curves_of_one() {
    let folder = Folder::new("figures");
    let (path, map) = (folder.file("sweep.csv"), folder.file("map.svg"));
    done(&["sweep", SWEEP, "-q", "-o", &path, "--figure", &map]);
    let drawn = read(&map);
    for part in [
        "Seeds that reach the target",
        "Median step at which the target is reached",
        "Input bits n",
        "Relevant bits k",
        "3/3",
        "44–100 %",
    ] {
        assert!(drawn.contains(part), "{part}");
    }
    let one = SWEEP.split("&series").next().unwrap();
    let (path, curve) = (folder.file("one.csv"), folder.file("curve.svg"));
    done(&["sweep", one, "-q", "-o", &path, "--figure", &curve]);
    let drawn = read(&curve);
    for part in ["share of seeds", "95 % interval", "Median convergence time"] {
        assert!(drawn.contains(part), "{part}");
    }
    let (said, _) = refused(&["sweep", one, "-q", "-o", &path, "--figure", &folder.file("curve.gif")]);
    assert!(said.contains("should end in .svg, .png or .pdf"), "{said}");
}

/// What is printed of a sweep that is made into this file.
fn printed(link: &str, path: &str, more: &[&str]) -> String {
    let output = lab(&[&["sweep", link, "-o", path][..], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_whole_sweep_of_at_most_64_runs_is_printed_as_a_table_with_its_fits() {
    let folder = Folder::new("printed");
    let path = folder.file("sweep.csv");
    let text = printed(SWEEP, &path, &[]);
    // Of each run, in their order, how many of its three networks have a 1 under success.
    let file = read(&path);
    let lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    let of_runs = lines.chunks(3).map(|lines| {
        let solved = lines.iter().filter(|line| line.split(',').nth(6) == Some("1")).count();
        format!(" {solved} of 3 ")
    });
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" of 3 ")).collect();
    assert_eq!(rows.len(), 6, "{text}");
    assert!(of_runs.zip(&rows).all(|(cell, row)| row.contains(&cell)), "{text}\n{file}");
    for beginning in ["k = 2: ", "k = 3: "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(beginning)).count(), 1, "{text}");
    }
    assert_eq!(printed(SWEEP, &path, &["-q"]), "");
    // What a part of it has found is no table yet.
    assert_eq!(printed(SWEEP, &folder.file("part.csv"), &["--shard", "1/2"]), "");
    let many = |runs: usize| {
        format!(
            "#v1/sparse-parity?n=8&k=1&width=8&held=64&every=5&steps=5&sweep=seed:lin:1..{runs}:{runs}&device=cpu"
        )
    };
    let text = printed(&many(64), &folder.file("64.csv"), &[]);
    let is_row = |line: &&str| line.contains(" 0 of 1 ") || line.contains(" 1 of 1 ");
    assert_eq!(text.lines().filter(is_row).count(), 64, "{text}");
    // Of more runs, the law alone.
    let law = printed(&many(65), &folder.file("65.csv"), &[]);
    assert!(law.lines().count() == 1 && law.contains("seed"), "{law}");
}

/// At a learning rate of 0 nothing moves, and at 50 powers of powers overflow.
#[test]
fn of_a_sweep_only_the_run_that_diverges_is_stated_to() {
    let link = "#v1/sparse-parity?n=10&width=32&act=power&degree=4&loss=square&held=64&every=2&steps=400&halt=steps\
                &sweep=lr:0_50&device=cpu";
    assert_eq!(done(&["run", link, "-q"]), "lr = 50: the loss became infinite or NaN.\n");
}

/// What counts as found is a setting, and each of its measures is obeyed at the first measurement that has it.
#[test]
fn what_counts_as_found_can_be_chosen() {
    let link = "#v1/sparse-parity?n=10&k=2&m=40&width=32&lr=0.3&replicas=4&steps=600&every=5&held=256";
    let whole = finish(&mut crate::session(&format!("{link}&halt=steps")));
    let first = |replica: usize, is_found: &dyn Fn(&Measurement) -> bool| {
        whole.rows.iter().find(|row| is_found(&row.of_replica(replica))).map(|row| row.step)
    };
    for (by, is_found) in [
        ("", &(|row: &Measurement| row.test_accuracy[0] >= 0.9) as &dyn Fn(&Measurement) -> bool),
        ("&by=memory", &|row: &Measurement| row.train_accuracy[0] >= 0.9),
        ("&by=loss&limit=0.3", &|row: &Measurement| row.test_loss[0] <= 0.3),
    ] {
        let found = finish(&mut crate::session(&format!("{link}&halt=steps&target=0.9{by}"))).solved;
        let expected: Vec<_> = (0..4).map(|replica| first(replica, is_found)).collect();
        assert_eq!(found, expected, "{by}");
        assert!(found.iter().any(Option::is_some), "{by}");
    }
    let sweep =
        "#v1/sparse-parity?n=10&width=32&lr=0.5&replicas=2&every=5&held=256&sweep=k:1_2&by=loss&limit=0.2";
    assert_eq!(encode(&vivarium::permalink::Link { spec: spec(sweep), ..Default::default() }), sweep);
}

/// Networks that rest when they have found it leave the times of all as they are, and take no time themselves.
#[test]
fn resting_networks_change_nothing_but_the_time() {
    for link in [
        "#v1/sparse-parity?n=10&k=2&width=32&lr=0.5&replicas=12&steps=400&every=5&held=256",
        "#v1/groups?n=5&width=16&replicas=6&steps=300&halt=target&every=5",
        "#v1/markov?model=minimal-markov&opt=sgd&k=2&t=20&batch=16&lr=0.01&replicas=3&steps=60&halt=target&target=0.6&every=10&held=64",
    ] {
        let run = |resting| {
            let options = Options { stop_solved: resting, ..Options::default() };
            finish(&mut Session::start(&spec(link), &Device::cpu(), options).unwrap())
        };
        let (awake, rested) = (run(false), run(true));
        assert_eq!(
            (&awake.solved, awake.ending, awake.step),
            (&rested.solved, rested.ending, rested.step),
            "{link}"
        );
        assert_eq!(awake.rows.len(), rested.rows.len());
        for (replica, solved) in awake.solved.iter().enumerate() {
            let until = solved.unwrap_or(awake.step);
            for (a, b) in awake.rows.iter().zip(&rested.rows) {
                let (a, b) = (a.of_replica(replica), b.of_replica(replica));
                if a.step <= until {
                    assert_eq!(a, b, "{link}: replica {replica}");
                } else {
                    assert_eq!(
                        b.test_accuracy,
                        rested.rows.last().unwrap().of_replica(replica).test_accuracy
                    );
                }
            }
        }
    }
}
