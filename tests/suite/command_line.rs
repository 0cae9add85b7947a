//! The `lab` binary as a person or a script calls it.

use std::process::{Command, Output, Stdio};

use crate::{finish, session, spec};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const LINK: &str = "#v1/sparse-parity?n=10&k=2&width=16&held=128&every=25&steps=100&halt=steps&replicas=2";

#[cfg(unix)]
#[test]
fn a_reader_that_has_read_enough_ends_it_without_a_word() {
    use std::io::Read;
    use std::process::Stdio;
    // More than a pipe holds.
    let arguments = ["run", LINK, "--format", "csv", "--quiet", "--steps", "200000"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    let child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(141), String::new()));
}

#[test]
fn run_prints_the_metrics_of_the_session_as_csv() {
    let output = lab(&["run", LINK, "--format", "csv", "--quiet"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.starts_with("# program: Vivarium "), "{printed}");
    let (about, lines): (Vec<&str>, Vec<&str>) = printed.lines().partition(|line| line.starts_with('#'));
    let link = vivarium::permalink::encode(&vivarium::permalink::decode(LINK).0);
    for line in [&*format!("# link: {link}"), "# settings.loss: hinge", "# t_c_resolution: 25"] {
        assert!(about.contains(&line), "{line}: {about:?}");
    }
    let rows = finish(&mut session(LINK)).rows;
    assert_eq!(lines[0], "step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
    assert_eq!(lines.len(), 1 + 2 * rows.len());
    for (line, (row, r)) in lines[1..].iter().zip(rows.iter().flat_map(|row| [(row, 0), (row, 1)])) {
        let numbers: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(numbers[..2], [row.step as f64, r as f64]);
        let same = [row.train_loss[r], row.train_accuracy[r], row.test_loss[r], row.test_accuracy[r]];
        assert_eq!(numbers[2..].iter().map(|x| *x as f32).collect::<Vec<_>>(), same);
    }
    // As the version before wrote it.
    let old = lab(&["run", LINK, "--format", "csv", "--quiet", "--names", "old"]);
    assert_eq!(text(&old.stdout), lines.join("\n") + "\n");
}

#[test]
fn a_bad_link_is_exit_code_2_and_the_pages_sentences() {
    let bad = "#v1/sparse-parity?n=20&batch=0&colour=blue";
    let expected: Vec<String> = vivarium::permalink::decode(bad).1.iter().map(ToString::to_string).collect();
    for command in ["run", "plot", "probe", "link"] {
        let output = lab(&[command, bad]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(text(&output.stderr).lines().collect::<Vec<_>>(), expected, "{command}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_chart_or_step_that_there_is_not_is_exit_code_2() {
    for (more, sentence) in [
        (["--charts", "fate"], "there is no chart fate; this run has the charts "),
        (["--at", "101"], "step 101 is after the last step of the run, 100"),
        (["--arrays", "outputs"], "--arrays needs --format json or npz"),
        (["--format", "npz"], "--format npz needs a file"),
    ] {
        let output = lab(&["probe", LINK, "-q", more[0], more[1]]);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let said = text(&output.stderr);
        assert!(said.starts_with(sentence) && said.lines().count() == 1, "{more:?}: {said}");
        assert!(output.stdout.is_empty(), "{more:?}");
    }
    let data = lab(&["probe", LINK, "-q", "--charts", "loss", "--at", "0,50"]);
    assert!(data.status.success(), "{}", text(&data.stderr));
    let lines = text(&data.stdout);
    assert!(lines.contains("\nchart,step,kind,name,x,row,value,low,high\nloss,0,curve,"), "{lines}");
    assert!(lines.contains("\nloss,50,curve,held-out,50,,"), "{lines}");
}

#[test]
fn runs_are_resumed_from_checkpoint_files() {
    let folder = std::env::temp_dir().join(format!("vivarium-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("half.safetensors");
    let path = file.to_str().unwrap();
    let half = lab(&["run", LINK, "--steps", "50", "--checkpoint", path, "-q", "--format", "csv"]);
    assert!(half.status.success(), "{}", text(&half.stderr));
    let rest = lab(&["run", LINK, "--resume", path, "-q", "--format", "csv"]);
    let whole = lab(&["run", LINK, "-q", "--format", "csv"]);
    let tail = |output: &Output| {
        text(&output.stdout)
            .lines()
            .filter(|l| l.starts_with("75,") || l.starts_with("100,"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(tail(&rest).len(), 4);
    assert_eq!(tail(&rest), tail(&whole));
    std::fs::write(&file, b"nonsense").unwrap();
    let damaged = lab(&["run", LINK, "--resume", path, "-q"]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(text(&damaged.stderr).contains("checkpoint cannot be read"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_diverged_run_keeps_its_data_and_is_a_failure_on_every_device() {
    let link =
        "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400";
    for device in ["auto", "cpu"] {
        let output = lab(&["run", link, "-q", "--format", "csv", "--device", device]);
        assert_eq!(output.status.code(), Some(1), "{device}");
        assert!(text(&output.stderr).contains("no longer finite"), "{device}");
        assert!(text(&output.stdout).lines().count() > 1, "{device}: the measurements so far are printed");
    }
}

/// The device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let output = lab(&["run", LINK, "-q", "--format", "csv", "-o", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write the metrics"), "{}", text(&output.stderr));
    for command in [vec!["link", LINK], vec!["list"], vec!["run", LINK, "-q", "--format", "csv"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let printing = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(&command)
            .stdout(full)
            .stderr(Stdio::piped())
            .output();
        let output = printing.unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let said = text(&output.stderr);
        assert!(said.starts_with("cannot write ") && said.lines().count() == 1, "{command:?}: {said}");
    }
    let nowhere = lab(&["run", LINK, "-q", "-o", "/no/such/folder/run.csv"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("cannot write /no/such/folder/run.csv"));
}

/// Two curves of two places, three replicas each; all of them take a moment.
const SWEEP: &str = "#v1/sparse-parity?width=32&lr=1&held=256&every=5&steps=300&replicas=3&device=cpu\
                     &sweep=n:6_8&series=k:1_2&show=times.sweep";

#[test]
fn run_makes_a_sweep_and_prints_every_time_as_csv() {
    let output = lab(&["run", SWEEP, "-q", "--format", "csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut expected = vec!["n,k,replica,t_c,budget,relevant".to_string()];
    for (n, k) in [(6, 1), (6, 2), (8, 1), (8, 2)] {
        let one = SWEEP.split("&sweep").next().unwrap();
        let outcome = finish(&mut session(&format!("{one}&n={n}&k={k}")));
        assert!(outcome.solved.iter().any(Option::is_some), "{:?}", outcome.solved);
        let time = |t: &Option<u64>| t.map_or(String::new(), |t| t.to_string());
        let relevant = vivarium::record::preamble::relevant_numbers(&spec(&format!("{one}&n={n}&k={k}")));
        let relevant = relevant.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let line = |(r, t): (usize, &Option<u64>)| format!("{n},{k},{r},{},300,{relevant}", time(t));
        expected.extend(outcome.solved.iter().enumerate().map(line));
    }
    let printed = text(&output.stdout);
    let lines = printed.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.collect::<Vec<_>>(), expected);
    // None of them has made enough steps by then.
    let short = lab(&["run", SWEEP, "-q", "--format", "csv", "--steps", "1", "--held-out", "64"]);
    let printed = text(&short.stdout);
    let lines: Vec<&str> = printed.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 13);
    assert!(lines.iter().skip(1).all(|line| line.split(',').nth(3) == Some("")), "{printed}");
    let old = ["run", SWEEP, "-q", "--format", "csv", "--steps", "1", "--held-out", "64", "--names", "old"];
    let old = text(&lab(&old).stdout);
    assert!(old.starts_with("n,k,replica,t_c\n6,1,0,\n"), "{old}");
}

#[test]
fn the_table_of_a_sweep_ends_with_the_powers_of_its_curves() {
    let output = lab(&["run", SWEEP]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let header = printed.lines().find(|line| line.contains("median t_c")).unwrap();
    for column in ["n", "k", "solved", "95 % interval"] {
        assert!(header.contains(column), "{header}");
    }
    assert_eq!(printed.lines().filter(|line| line.contains(" of 3 ")).count(), 4, "{printed}");
    let laws: Vec<&str> = printed.lines().rev().take(2).collect();
    for (law, start) in laws.iter().zip(["k = 2: t_c ∝ n^", "k = 1: t_c ∝ n^"]) {
        assert!(law.starts_with(start), "{law}");
    }
    let closing = text(&output.stderr);
    assert!(closing.contains("4 runs (CPU, "), "{closing}");
}

#[test]
fn data_of_one_run_are_not_requested_of_a_sweep() {
    for option in ["--checkpoint", "--resume", "--weights"] {
        let output = lab(&["run", SWEEP, option, "/no/such/file", "-o", "/no/such/folder/run.csv"]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert_eq!(
            text(&output.stderr),
            format!("{option} can be used only with a single run, and this link is a sweep\n")
        );
    }
}

/// Draws what `link` shows, and gives the picture's text and what was said.
fn plotted(name: &str, link: &str) -> (String, String) {
    let path = std::env::temp_dir().join(format!("vivarium-{name}-{}.svg", std::process::id()));
    let output = lab(&["plot", link, "-q", "-o", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let svg = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    (svg, text(&output.stderr))
}

#[test]
fn plot_draws_the_charts_that_the_link_shows() {
    let (svg, said) = plotted("shown", &format!("{LINK}&show=movement.paths.gap.spectrum.attention.times"));
    for title in [
        "Weight movement",
        "Path of every weight, neuron",
        "Fourier gap Γ",
        "Fourier weight by degree",
        "Convergence times",
    ] {
        assert!(svg.contains(title), "{title}");
    }
    assert!(!svg.contains("Loss") && !svg.contains("Accuracy") && !svg.contains("First-layer weights W"));
    assert_eq!(said, "Attention of [CLS] is left out. This network has no attention.\n");
}

/// The title is the run that was asked for; the charts are in the picture.
#[test]
fn the_title_of_a_figure_names_no_chart() {
    let (svg, _) = plotted("title", "#v1/groups?n=13&width=32&steps=20&show=neurons");
    assert!(svg.contains("<title>#v1/groups?n=13&amp;width=32&amp;steps=20</title>"), "{svg}");
    assert!(!svg.contains("show="), "{svg}");
}

#[test]
fn plot_draws_a_sweep_with_its_powers() {
    let (svg, said) = plotted("sweep", SWEEP);
    for word in ["Median convergence time", "k = 1, exponent ", "k = 2, exponent ", "of 3 replicas"] {
        assert!(svg.contains(word), "{word}");
    }
    assert_eq!(said, "");
}

#[test]
fn a_plot_of_nothing_is_exit_code_2_with_the_reason() {
    let output = lab(&["plot", &format!("{LINK}&show=attention"), "-o", "/no/such/folder/run.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "Attention of [CLS] is left out. This network has no attention.\n");
}

#[test]
fn plot_draws_svg_and_png() {
    let folder = std::env::temp_dir().join(format!("vivarium-plot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, start) in [("run.svg", b"<svg".as_slice()), ("run.png", b"\x89PNG".as_slice())] {
        let path = folder.join(name);
        let output = lab(&["plot", LINK, "-q", "-o", path.to_str().unwrap()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(start) && bytes.len() > 2_000, "{name}: {} bytes", bytes.len());
    }
    let svg = std::fs::read_to_string(folder.join("run.svg")).unwrap();
    for word in ["Loss", "Accuracy", "First-layer weights"] {
        assert!(svg.contains(word), "{word}");
    }
    assert_eq!(lab(&["plot", LINK, "-o", "run.gif"]).status.code(), Some(2));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn list_and_link_say_what_there_is() {
    let listed = text(&lab(&["list"]).stdout);
    for preset in vivarium::labs::PRESETS {
        assert!(listed.contains(preset.slug) && listed.contains(preset.claim));
    }
    let explained = text(&lab(&["link", "https://example.org/#v1/sparse-parity?n=20&s=2.7.15"]).stdout);
    assert!(explained.contains("Relevant coordinates: 2, 7, 15"), "{explained}");
    assert!(lab(&["link", "parity-20"]).status.success());
    for chart in vivarium::chart::Chart::ALL {
        assert!(listed.contains(chart.info().help), "{}", chart.slug());
    }
    let hopeless = text(&lab(&["link", "#v1/sparse-parity?model=polynet&degree=2&show=loss&y=log"]).stdout);
    for line in ["  show      loss", "  y         log", "This network is a polynomial of degree 2"] {
        assert!(hopeless.contains(line), "{hopeless}");
    }
}

/// A folder of a test's own, which is gone when it ends well.
fn in_folder(name: &str, test: impl FnOnce(&std::path::Path)) {
    let folder = std::env::temp_dir().join(format!("vivarium-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    test(&folder);
    std::fs::remove_dir_all(folder).unwrap();
}

/// The lines of CSV on the standard output of a command that ended well.
fn csv(arguments: &[&str]) -> Vec<String> {
    let output = lab(&[arguments, &["-q", "--format", "csv"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().filter(|line| !line.starts_with('#')).map(String::from).collect()
}

#[test]
fn a_link_that_contradicts_the_checkpoint_is_refused_with_what_differs() {
    in_folder("contradiction", |folder| {
        let [path, metrics] = ["half.safetensors", "run.csv"].map(|name| folder.join(name));
        let [path, metrics] = [&path, &metrics].map(|path| path.to_str().unwrap());
        csv(&["run", LINK, "--steps", "50", "--checkpoint", path]);
        let other = LINK.replace("width=16", "width=12&show=weights") + "&noise=0.125&lr=0.375&device=cpu";
        let refused = lab(&["run", &other, "--resume", path, "-q", "-o", metrics]);
        assert_eq!(refused.status.code(), Some(2));
        let said = text(&refused.stderr);
        let lines: Vec<&str> = said.lines().collect();
        let begins = format!("{path} is a checkpoint of another run, ");
        let ends = format!(": lab run {path} --resume {path}");
        assert!(lines[0].starts_with(&begins) && lines[4].ends_with(&ends), "{said}");
        let usual = vivarium::permalink::decode(LINK).0.spec;
        let differs = [("noise", "0.125"), ("width", "12"), ("lr", "0.375")].map(|(key, value)| {
            format!("{key} is {value} in the link and {} in the checkpoint.", usual.value(key).unwrap())
        });
        assert_eq!((&lines[1..4], lines.len()), (&differs.each_ref().map(String::as_str)[..], 5), "{said}");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "nothing is written");
        let changed = format!("{LINK}&lrs=20:0.5");
        for (link, line) in [
            ("#v1/groups?n=13", "lab is groups in the link and sparse-parity in the checkpoint."),
            (changed.as_str(), "lrs is 20:0.5 in the link and empty in the checkpoint."),
        ] {
            let said = text(&lab(&["run", link, "--resume", path, "-q"]).stderr);
            assert_eq!((said.lines().nth(1), said.lines().count()), (Some(line), 3), "{said}");
        }
        // The last step, the device and the charts may differ, and the file is a link, too.
        let shown = format!("{LINK}&show=weights&y=log&device=cpu");
        let rest = csv(&["run", &shown, "--resume", path]);
        assert_eq!(rest[1..], csv(&["run", LINK])[5..]);
        assert_eq!(csv(&["run", path, "--steps", "100", "--resume", path]), rest);
    });
}

#[test]
fn no_steps_write_the_initial_weights() {
    use vivarium::training::session::checkpoint::Checkpoint;
    in_folder("initial", |folder| {
        let path = folder.join("initial.safetensors");
        let path = path.to_str().unwrap();
        let link = format!("{LINK}&opt=adam");
        let output = lab(&["run", &link, "--steps", "0", "--checkpoint", path, "--format", "csv"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), format!("The initial weights are in {path}.\n"));
        let whole = csv(&["run", &link]);
        let printed = text(&output.stdout);
        let printed: Vec<&str> = printed.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(printed, whole[..3], "it is measured once");
        let written = std::fs::read(path).unwrap();
        let fresh = pollster::block_on(session(&link).checkpoint()).unwrap();
        assert_eq!(Checkpoint::decode(&written).unwrap(), fresh);
        assert_eq!(written, fresh.encode().unwrap());
        // The run goes on from there as if it had not been interrupted.
        assert_eq!(csv(&["run", &link, "--resume", path]), whole);
        for (more, sentence) in [
            (&["--steps", "0"] as &[&str], "name a file for the initial weights with --checkpoint\n"),
            (&["--steps", "0", "--checkpoint", path, "--resume", path], "use only one of the two\n"),
        ] {
            let refused = lab(&[&["run", &link, "-q"][..], more].concat());
            assert_eq!(refused.status.code(), Some(2));
            assert!(text(&refused.stderr).ends_with(sentence), "{}", text(&refused.stderr));
        }
        assert_eq!(std::fs::read(path).unwrap(), written);
    });
}

#[test]
fn weights_of_a_file_begin_the_run_of_the_link() {
    in_folder("weights", |folder| {
        let [path, end, json] =
            ["half.safetensors", "end.safetensors", "run.json"].map(|name| folder.join(name));
        let [path, end, json] = [&path, &end, &json].map(|path| path.to_str().unwrap());
        let half = csv(&["run", LINK, "--steps", "50", "--checkpoint", path]);
        // Other examples, another optimizer: the step is 0 and the networks are those of step 50.
        let link = format!("{LINK}&opt=adam&lr=0.01");
        let begun = csv(&["run", &link, "--weights", path]);
        let test = |line: &str| line.split(',').skip(4).map(String::from).collect::<Vec<_>>();
        assert!(begun[1].starts_with("0,0,") && begun[2].starts_with("0,1,") && begun.len() == 11);
        assert_eq!(
            [test(&begun[1]), test(&begun[2])],
            [test(&half[5]), test(&half[6])],
            "the same held-out data"
        );
        assert_ne!(begun[3..], csv(&["run", &link])[3..]);
        // The record, the checkpoint and `lab check` say where the weights come from.
        let arguments =
            ["run", &link, "--weights", path, "--format", "json", "-o", json, "--checkpoint", end];
        let output = lab(&arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let from = "step 50 of #v1/sparse-parity?n=10&k=2&width=16&";
        let told = format!("The run begins with the weights in {path} ({from}");
        assert!(text(&output.stderr).starts_with(&told), "{}", text(&output.stderr));
        let bytes = std::fs::read(json).unwrap();
        let record = vivarium::record::Record::parse(&bytes).unwrap();
        assert_eq!(record.environment.weights_file, path);
        let what = &record.environment.weights_description;
        assert!(what.starts_with(from) && what.contains(", checksum "), "{what}");
        assert!(record.command().ends_with(&format!(" --weights {path}")), "{}", record.command());
        assert!(text(&lab(&["check", json]).stdout).contains(&format!("Initial weights: {path} ({what}).")));
        let kept = vivarium::record::weights::header_value(&std::fs::read(end).unwrap(), "weights_of");
        assert_eq!(kept.as_ref(), Some(what));
        assert!(text(&lab(&["check", end]).stdout).contains(&format!("Initial weights: {path} ({what}).")));
        let table = lab(&["run", &link, "--weights", path, "--format", "csv", "-q"]);
        let line = format!("\n# initial_weights: half.safetensors, {what}\nstep,replica,");
        assert!(text(&table.stdout).contains(&line), "{}", text(&table.stdout));
        // Where only the link is taken of such a file, other weights are trained, and that is said.
        let other = lab(&["run", json, "--format", "csv"]);
        let said = format!(
            "The run in {json} began with the weights in {path}. The run of its link is trained instead"
        );
        assert!(text(&other.stderr).starts_with(&said), "{}", text(&other.stderr));
        assert!(!text(&other.stdout).contains("initial_weights"));
        let picture = folder.join("run.svg");
        let drawn = lab(&["plot", json, "-q", "-o", picture.to_str().unwrap()]);
        assert!(drawn.status.success(), "{}", text(&drawn.stderr));
        let picture = std::fs::read_to_string(picture).unwrap();
        assert!(picture.contains(", initial weights from half.safetensors</title>"), "{picture}");
        // So that a resumed run says the same.
        let resumed = lab(&["run", &link, "-q", "--format", "json", "-o", json, "--resume", end]);
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert!(std::fs::read(json).unwrap() == bytes);
        let narrow = lab(&["run", &LINK.replace("width=16", "width=8"), "--weights", path]);
        assert_eq!(narrow.status.code(), Some(2));
        assert_eq!(
            text(&narrow.stderr),
            format!(
                "The weights in {path} do not fit the link: this run needs w with 2 × 10 × 8 numbers \
                 (replicas × rows × columns); in the file w has 2 × 10 × 16.\n"
            )
        );
        let both = lab(&["run", LINK, "--weights", path, "--resume", path]);
        assert_eq!(both.status.code(), Some(2));
        assert!(text(&both.stderr).contains("cannot be used with"), "{}", text(&both.stderr));
        std::fs::write(path, "nonsense").unwrap();
        assert_eq!(lab(&["run", LINK, "--weights", path]).status.code(), Some(1));
    });
}

#[test]
fn programs_read_the_list_links_and_claims_as_json() {
    let json = |arguments: &[&str]| {
        let output = lab(&[arguments, &["--format", "json"]].concat());
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), value, text(&output.stderr))
    };
    let (code, listed, said) = json(&["list"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(listed["presets"].as_array().unwrap().len(), vivarium::labs::PRESETS.len());
    assert_eq!(listed["labs"][0]["settings"]["n"], 50);
    let (code, link, said) = json(&["link", "https://example.org/#v1/sparse-parity?n=12&n=twelve&k=2&s=2.7"]);
    assert_eq!(code, Some(2));
    assert_eq!(link["link"], "#v1/sparse-parity?n=12&k=2&s=2.7");
    let sentence = link["not_read"][0]["sentence"].as_str().unwrap();
    assert_eq!((sentence, said.trim_end()), ("n = twelve: expected a whole number from 2 to 512", sentence));
    assert_eq!(json(&["link", "parity-20"]).0, Some(0));
    let (code, claims, _) = json(&["claims", "cubic-10", "polynet"]);
    let claims = claims.as_array().unwrap();
    assert_eq!((code, claims.len()), (Some(0), 2));
    for claim in claims {
        let preset = vivarium::labs::find_preset(claim["preset"].as_str().unwrap()).unwrap();
        assert!(claim["claim"] == preset.claim && claim["holds"] == true, "{claim}");
        let results = claim["results"].as_array().unwrap();
        assert_eq!(results.len(), preset.expectations.len());
        for result in results {
            assert!(
                result["expect"]["kind"].is_string() && result["holds"] == true && result["text"].is_string()
            );
            let runs = result["runs"].as_array().unwrap();
            assert!(!runs.is_empty() && runs.iter().all(|run| !run["values"].as_array().unwrap().is_empty()));
        }
    }
}

#[test]
fn a_runs_file_is_read_by_every_command() {
    in_folder("record", |folder| {
        let path = folder.join("run.json");
        let path = path.to_str().unwrap();
        let output = lab(&["run", LINK, "-q", "--format", "json", "-o", path]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let record = vivarium::record::Record::parse(&std::fs::read(path).unwrap()).unwrap();
        let outcome = finish(&mut session(LINK));
        assert_eq!((&record.rows, &record.solved), (&outcome.rows, &outcome.solved));
        assert_eq!((record.step, record.environment.frontend.as_str()), (100, "lab"));
        let checked = text(&lab(&["check", path]).stdout);
        assert!(
            checked.contains("Step 100, ended at its last step; 5 measurements of 2 replicas."),
            "{checked}"
        );
        // The file stands for its link.
        let again = lab(&["run", path, "-q", "--format", "json"]);
        assert_eq!(text(&again.stdout), std::fs::read_to_string(path).unwrap());
        let picture = folder.join("run.svg");
        let plot = lab(&["plot", path, "-q", "-o", picture.to_str().unwrap()]);
        assert!(plot.status.success(), "{}", text(&plot.stderr));
        let svg = std::fs::read_to_string(picture).unwrap();
        assert!(svg.contains("Loss") && svg.contains("Accuracy") && !svg.contains("First-layer weights"));
        assert!(text(&plot.stderr).contains("the opened file contains none"), "{}", text(&plot.stderr));
        let script = text(&lab(&["script", path]).stdout);
        assert!(script.contains("import torch") && script.contains("\"width\": 16"));
    });
}

#[test]
fn what_is_wrong_with_a_file_is_stated() {
    in_folder("damaged", |folder| {
        let path = folder.join("file.json");
        let path = path.to_str().unwrap();
        for (content, part) in [
            ("{\"format\": 1}", "not a run of this program"),
            ("{\"format\": ", "not complete JSON"),
            ("step,replica,loss", "table of metrics"),
            ("", "empty"),
        ] {
            std::fs::write(path, content).unwrap();
            for command in ["check", "run", "plot", "script"] {
                let output = lab(&[command, path]);
                if command == "plot" && part == "table of metrics" {
                    // It draws tables, of runs that are named.
                    assert_eq!(output.status.code(), Some(2));
                    assert!(
                        text(&output.stderr).contains("does not name its run"),
                        "{}",
                        text(&output.stderr)
                    );
                    continue;
                }
                assert_eq!(output.status.code(), Some(1), "{command}");
                let said = text(&output.stderr);
                assert!(
                    said.starts_with(&format!("{path} cannot be opened: ")) && said.contains(part),
                    "{said}"
                );
            }
        }
        let weights = folder.join("run.safetensors");
        let weights = weights.to_str().unwrap();
        assert!(lab(&["run", LINK, "-q", "--checkpoint", weights]).status.success());
        let checked = text(&lab(&["check", weights]).stdout);
        assert!(checked.starts_with("Weights at step 100: ") && checked.contains("[2, 10, 16]"), "{checked}");
        let bytes = std::fs::read(weights).unwrap();
        std::fs::write(weights, &bytes[..bytes.len() - 3]).unwrap();
        assert!(text(&lab(&["check", weights]).stderr).contains("damaged or cut off"));
    });
    assert!(text(&lab(&["check", "/no/such/file"]).stderr).contains("there is no file"));
}

#[test]
fn what_the_script_does_not_cover_is_exit_code_2_with_the_reason() {
    let output = lab(&["script", "table-trees"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("A forest is not trained"), "{}", text(&output.stderr));
}

#[test]
fn a_sweeps_file_holds_its_times() {
    let output = lab(&["run", SWEEP, "-q", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record = vivarium::record::Record::parse(&output.stdout).unwrap();
    assert_eq!((record.times.len(), record.times[0].len(), record.rows.len()), (4, 3, 0));
}
