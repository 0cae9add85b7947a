//! What is left of a run or a sweep that ends before its end: by a signal, by a kill, by a second one on its file.
//!
//! # Figures
//! 2026-11-25: 200 kills of `lab run` and 200 of `lab sweep` at random moments, after each of which the file went on to be
//! the same to the byte. A run that is measured at each of a million steps has 24 MiB at most as CSV, 30 as JSON and 28 as a
//! table, after 18 at 2,000 steps.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use vivarium::platform::now_ms;

use crate::folder::Folder;

/// How often `lab run` and `lab sweep` are killed: as often as the variable says, or a few times.
fn kills() -> usize {
    std::env::var("VIVARIUM_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(arguments);
    command
}

fn lab(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn begin(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn sleep_ms(ms: f64) {
    std::thread::sleep(Duration::from_secs_f64(ms / 1e3));
}

/// Waits until it is so.
fn until(mut is_so: impl FnMut() -> bool) {
    let begin = now_ms();
    while !is_so() {
        assert!(now_ms() - begin < 60_000.0, "it does not come to that within a minute");
        sleep_ms(2.0);
    }
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(path)).unwrap()
}

/// A table without what is said of its runs.
fn table(path: &str) -> String {
    let text = String::from_utf8(read(path)).unwrap();
    text.split_inclusive('\n').filter(|line| !line.starts_with('#')).collect()
}

/// The same numbers between 0 and 1 each time.
fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Begins the command again and again, and kills it at some moment of the time that it takes as a whole, until it has
/// been killed often enough; then it may end. `again` says what is given besides when it is begun again.
fn kill_again_and_again(ms: f64, mut again: impl FnMut() -> Vec<String>, mut is_whole: impl FnMut()) {
    let (mut next, mut killed) = (draws(7), 0);
    while killed < kills() {
        loop {
            let line = again();
            let mut child = begin(&line.iter().map(String::as_str).collect::<Vec<_>>());
            if killed < kills() {
                sleep_ms(ms * next());
                if child.try_wait().unwrap().is_none() {
                    killed += 1;
                }
                // What has ended is not harmed.
                child.kill().unwrap();
                if child.wait().unwrap().code().is_none() {
                    continue;
                }
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", stderr_text(&output));
            break;
        }
        is_whole();
    }
}

const RUN: &str = "#v1/sparse-parity?n=20&k=3&width=16&batch=16&held=256&every=20&steps=20000&halt=steps&replicas=2\
                   &device=cpu";

#[test]
fn a_run_that_is_killed_goes_on_and_is_the_same_to_the_byte() {
    let folder = Folder::new("killed-run");
    let [whole, weights] = ["whole.csv", "whole.safetensors"].map(|name| folder.file(name));
    let start = now_ms();
    let done = lab(&["run", RUN, "-q", "--format", "csv", "-o", &whole, "--checkpoint", &weights]);
    assert!(done.status.success(), "{}", stderr_text(&done));
    let ms = now_ms() - start;
    let expected = [read(&whole), read(&weights)];
    let [path, checkpoint] = ["run.csv", "run.safetensors"].map(|name| folder.file(name));
    let line = || {
        let mut line: Vec<String> =
            ["run", RUN, "-q", "--format", "csv", "-o", &path].map(String::from).into();
        line.extend(["--checkpoint", &checkpoint, "--checkpoint-every", "0.02"].map(String::from));
        if Path::new(&checkpoint).exists() {
            line.extend(["--resume".into(), checkpoint.clone()]);
        }
        line
    };
    kill_again_and_again(ms, line, || {
        assert!([read(&path), read(&checkpoint)] == expected, "the resumed run is another one");
        for file in [&path, &checkpoint] {
            std::fs::remove_file(file).unwrap();
        }
    });
    assert_eq!(folder.names(), ["whole.csv", "whole.safetensors"], "something is left behind");
}

/// Sixty runs that take a moment each.
const SWEEP: &str = "#v1/sparse-parity?n=16&k=3&width=16&batch=16&replicas=2&steps=400&every=10&held=256&halt=steps\
                     &sweep=seed:lin:1..15:15&series=lr:0.1_0.2_0.3_0.5&device=cpu";

#[test]
fn a_sweep_that_is_killed_goes_on_and_is_the_same_to_the_byte() {
    let folder = Folder::new("killed-sweep");
    let [whole, path] = ["whole.csv", "sweep.csv"].map(|name| folder.file(name));
    let start = now_ms();
    let done = lab(&["sweep", SWEEP, "-q", "-o", &whole]);
    assert!(done.status.success(), "{}", stderr_text(&done));
    let ms = now_ms() - start;
    let expected = read(&whole);
    let line = || ["sweep", SWEEP, "-q", "-o", &path].map(String::from).to_vec();
    kill_again_and_again(ms, line, || {
        assert!(read(&path) == expected, "the resumed sweep is another one");
        std::fs::remove_file(&path).unwrap();
    });
    assert_eq!(folder.names(), ["whole.csv"], "something is left behind");
}

/// A run that does not end by itself.
const ENDLESS: &str =
    "#v1/sparse-parity?n=10&k=2&width=8&batch=8&held=64&every=100&steps=10000000&halt=steps&device=cpu";

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_saves_what_it_has_and_goes_on_from_there() {
    let folder = Folder::new("stopped");
    for (name, code, format) in [("-INT", 130, "csv"), ("-TERM", 143, "json")] {
        let [path, checkpoint] =
            ["run.txt", "run.safetensors"].map(|file| folder.file(&format!("{code}-{file}")));
        std::fs::write(&path, "an old one\n").unwrap();
        let line = ["run", ENDLESS, "-q", "--format", format, "-o", &path, "--checkpoint", &checkpoint];
        let child = begin(&line);
        let part = format!("{path}.part");
        // Measurements are written as they are made, and the old file stays until then.
        until(|| std::fs::metadata(&part).is_ok_and(|about| about.len() > 4000));
        assert_eq!(read(&path), b"an old one\n");
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr_text(&output));
        assert!(
            stderr_text(&output).starts_with("Stopped at step ") && stderr_text(&output).contains("--resume"),
            "{}",
            stderr_text(&output)
        );
        assert!(!Path::new(&part).exists());
        let text = String::from_utf8(read(&path)).unwrap();
        let step = match format {
            "csv" => text.lines().last().unwrap().split(',').next().unwrap().parse::<u64>().unwrap(),
            _ => {
                let record = vivarium::record::Record::parse(text.as_bytes()).unwrap();
                assert_eq!((record.ending, record.rows.last().unwrap().step), (None, record.step));
                record.step
            }
        };
        // It goes on in the same text, up to where it is told to end.
        let last = (step + 1000).to_string();
        let rest = ["--steps", &last, "--resume", &checkpoint];
        let resumed = lab(&[&line[..], &rest].concat());
        if format == "json" {
            // Its beginning names the last step, which is another one now: the measurements are not replaced by fewer.
            assert!(
                stderr_text(&resumed).contains("does not contain the metrics of this"),
                "{}",
                stderr_text(&resumed)
            );
            assert_eq!(String::from_utf8(read(&path)).unwrap(), text);
            continue;
        }
        assert!(resumed.status.success(), "{}", stderr_text(&resumed));
        let whole = lab(&["run", ENDLESS, "-q", "--format", format, "--steps", &last]);
        assert!(read(&path) == whole.stdout, "{format}: the resumed run is another one");
    }
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_stopped_says_how_it_goes_on() {
    let folder = Folder::new("stopped-sweep");
    let path = folder.file("sweep.csv");
    let endless = format!("{ENDLESS}&sweep=seed:1_2_3");
    for name in ["-INT", "-TERM"] {
        let _ = std::fs::remove_file(&path);
        let child = begin(&["sweep", &endless, "-q", "-o", &path]);
        until(|| Path::new(&path).exists());
        sleep_ms(100.0);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let sentence =
            format!("Stopped: 0 of 3 runs are in {path}. The same command trains the remaining runs.\n");
        assert_eq!(stderr_text(&output), sentence);
    }
    // What `lab run` has found of a sweep until then is kept.
    let path = folder.file("run.csv");
    let child = begin(&["run", &endless, "-q", "--format", "csv", "-o", &path]);
    until(|| Path::new(&format!("{path}.part")).exists());
    sleep_ms(100.0);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr_text(&output), "Stopped when 0 of 3 runs had ended.\n");
    assert_eq!(table(&path), "seed,replica,t_c,budget,relevant\n");
}

/// The shorter one of two runs ends, and is counted and kept.
#[cfg(unix)]
#[test]
fn a_stopped_sweep_counts_the_runs_that_had_ended() {
    let folder = Folder::new("counted");
    let path = folder.file("run.csv");
    let head = "steps,replica,t_c,budget\n";
    let link = ENDLESS.replace("&steps=10000000", "") + "&sweep=steps:100_10000000";
    let child = begin(&["run", &link, "-q", "--format", "csv", "-o", &path]);
    let part = format!("{path}.part");
    until(|| Path::new(&part).exists() && table(&part).len() > head.len());
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr_text(&output), "Stopped when 1 of 2 runs had ended.\n");
    let text = table(&path);
    let rows: Vec<&str> = text.strip_prefix(head).unwrap().lines().collect();
    assert!(rows.len() == 1 && rows[0].starts_with("100,0,"), "{text}");
}

/// Milliseconds from the signal to the end of a run that writes this file, and the step at which it has stopped.
#[cfg(unix)]
fn stop(line: &[&str], path: &str) -> (f64, u64) {
    let mut child = begin(line);
    let part = format!("{path}.part");
    // Behind what is said of the run there is its first measurement.
    until(|| Path::new(&part).exists() && table(&part).contains("\n0,0,"));
    let start = now_ms();
    signal(&child, "-INT");
    while child.try_wait().unwrap().is_none() {
        if now_ms() - start > 30_000.0 {
            child.kill().unwrap();
        }
        sleep_ms(2.0);
    }
    let ms = now_ms() - start;
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr_text(&output));
    let text = stderr_text(&output);
    let step = text.strip_prefix("Stopped at step ").and_then(|rest| rest.split('.').next());
    (ms, step.unwrap().replace(',', "").parse().unwrap())
}

/// A run that is to be saved goes on to its next measurement, but for no longer than a second. On a busy machine
/// anything may take a second, but not each time, so the steps are compared and not the time.
#[cfg(unix)]
#[test]
fn a_stop_is_obeyed_at_a_measurement_or_after_a_second_and_at_once_where_nothing_is_saved() {
    fn line<'a>(link: &'a str, path: &'a str) -> [&'a str; 7] {
        ["run", link, "-q", "--format", "csv", "-o", path]
    }
    let folder = Folder::new("grace");
    let [path, checkpoint] = ["run.csv", "run.safetensors"].map(|name| folder.file(name));
    // Steps of a size of which it does not come to the hundred thousandth.
    let rare = ENDLESS
        .replace("every=100&", "every=100000&")
        .replace("n=10&k=2&width=8&batch=8", "n=64&k=2&width=128&batch=128");
    let saved = ["--checkpoint", checkpoint.as_str()];
    let often = [&line(ENDLESS, &path)[..], &saved].concat();
    let is_measured = (0..5).any(|_| stop(&often, &path).1.is_multiple_of(100));
    assert!(is_measured, "it does not stop at its next measurement");
    std::fs::remove_file(&checkpoint).unwrap();
    let (ms, step) = stop(&[&line(&rare, &path)[..], &saved].concat(), &path);
    // It may take longer on a busy machine, but never less.
    assert!(ms >= 1000.0 && step > 0, "{ms} ms, step {step}");
    let is_at_once = (0..5).any(|_| stop(&line(&rare, &path), &path).1 < step / 2);
    assert!(is_at_once, "it goes on although nothing is saved");
    let kept = vivarium::training::session::checkpoint::Checkpoint::decode(&read(&checkpoint)).unwrap();
    assert_eq!(kept.step, step);
}

/// The second one is told, changes nothing, and can go on as soon as the first one has ended, in whatever way.
#[test]
fn two_at_once_on_one_file_do_not_mix() {
    let folder = Folder::new("two");
    let [path, metrics] = ["sweep.csv", "run.csv"].map(|name| folder.file(name));
    let endless = format!("{ENDLESS}&sweep=seed:1_2");
    let (sweep, run) = (["sweep", &endless, "-q", "-o", &path], ["run", ENDLESS, "-q", "-o", &metrics]);
    let part = format!("{metrics}.part");
    for (line, file) in [(&sweep[..], &path), (&run[..], &part)] {
        let mut first = begin(line);
        until(|| std::fs::metadata(file).is_ok_and(|about| about.len() > 100));
        let second = lab(line);
        assert_eq!(second.status.code(), Some(1));
        assert!(stderr_text(&second).contains("is being written by another lab"), "{}", stderr_text(&second));
        if line[0] == "sweep" {
            let other = folder.file("other.csv");
            std::fs::write(&other, read(file)).unwrap();
            let merged = lab(&["merge", &other, "--partial", "--force", "-o", file]);
            assert!(
                stderr_text(&merged).contains("is being written by another lab"),
                "{}",
                stderr_text(&merged)
            );
        }
        assert!(first.try_wait().unwrap().is_none());
        first.kill().unwrap();
        first.wait().unwrap();
        // The lock is gone with it: now something else is said of the same file, or nothing.
        let third = match line[0] {
            "sweep" => lab(&["sweep", &endless.replace("1_2", "1_3"), "-q", "-o", file]),
            _ => lab(&["run", ENDLESS, "-q", "--steps", "100", "-o", &metrics]),
        };
        assert!(!stderr_text(&third).contains("another lab"), "{}", stderr_text(&third));
        assert_eq!(third.status.success(), line[0] == "run", "{}", stderr_text(&third));
    }
}

#[test]
fn a_run_that_cannot_begin_leaves_the_old_file_as_it_is() {
    let folder = Folder::new("old");
    let [path, nonsense] = ["run.csv", "nonsense.safetensors"].map(|name| folder.file(name));
    std::fs::write(&path, "an old one\n").unwrap();
    std::fs::write(&nonsense, "nonsense").unwrap();
    let link = ENDLESS.replace("steps=10000000", "steps=100");
    let output = lab(&["run", &link, "-q", "-o", &path, "--resume", &nonsense]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read(&path), b"an old one\n");
    let output = lab(&["run", &link, "-q", "-o", &path, "--checkpoint", "/no/such/folder/file"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_text(&output).contains("cannot write /no/such/folder/file"), "{}", stderr_text(&output));
    assert_eq!(read(&path), b"an old one\n");
    assert_eq!(folder.names(), ["nonsense.safetensors", "run.csv"]);
}

#[test]
fn merge_replaces_no_file_unasked() {
    let folder = Folder::new("merge");
    let [part, all] = ["part.csv", "all.csv"].map(|name| folder.file(name));
    let link = "#v1/sparse-parity?n=8&k=1&width=8&held=64&every=5&steps=5&sweep=seed:1_2_3&device=cpu";
    assert!(lab(&["sweep", link, "-q", "-o", &part]).status.success());
    std::fs::write(&all, "Dear all,\n").unwrap();
    let output = lab(&["merge", &part, "-o", &all]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr_text(&output).contains("all.csv exists already: --force replaces this file"),
        "{}",
        stderr_text(&output)
    );
    assert_eq!(read(&all), b"Dear all,\n");
    let output = lab(&["merge", &part, "-o", &all, "--force"]);
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_eq!(read(&all), read(&part));
    // A file may take its own place.
    assert!(lab(&["merge", &part, "-o", &part, "--force"]).status.success());
    assert_eq!(read(&all), read(&part));
    assert_eq!(folder.names(), ["all.csv", "part.csv"]);
}

/// The most memory that a process had, in KiB.
#[cfg(target_os = "linux")]
fn most_memory(arguments: &[&str]) -> u64 {
    let mut child = begin(arguments);
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(most).max(most);
        sleep_ms(2.0);
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && most > 0, "{}", stderr_text(&output));
    most
}

/// A measurement at each step, and none of them is kept; `VIVARIUM_SOAK` says of how many steps, in place of some.
#[cfg(target_os = "linux")]
#[test]
fn a_run_takes_the_same_memory_however_long_it_is() {
    let folder = Folder::new("memory");
    let soak = std::env::var("VIVARIUM_SOAK").unwrap_or("200000".into());
    let link = "#v1/sparse-parity?n=2&k=1&width=1&batch=1&held=64&every=1&halt=steps&device=cpu";
    for format in ["csv", "json", "table"] {
        let path = folder.file(format);
        let memory = |steps: &str| {
            most_memory(&["run", link, "-q", "--steps", steps, "--format", format, "-o", &path])
        };
        let (short, long) = (memory("2000"), memory(&soak));
        println!("{format}: {short} KiB after 2,000 measurements, {long} KiB after {soak}");
        assert!(long < short + 16 * 1024, "{format}: {short} KiB, then {long} KiB");
    }
}

/// The link that asked for 8 GiB before it was refused.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_asks_for_too_much_is_refused_in_little_memory() {
    for command in ["link", "run", "script"] {
        for link in [
            "#v1/groups?op=product&factors=128.128.128&from=maximum",
            "#v1/groups?op=product&factors=128.128.128.128.16",
            "#v1/groups?op=product&factors=32.32&from=maximum",
        ] {
            // 512 MiB of addresses, which are more than the memory, and ten seconds of a core.
            let line = "ulimit -v 524288; ulimit -t 10; exec \"$0\" \"$1\" \"$2\"";
            let output = Command::new("sh")
                .args(["-c", line, env!("CARGO_BIN_EXE_lab"), command, link])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2), "{command} {link}: {}", stderr_text(&output));
            assert!(stderr_text(&output).contains("factors"), "{command} {link}: {}", stderr_text(&output));
        }
    }
}

/// What a run on the processor has no use for is not even opened: no driver says anything then.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_run_on_the_processor_looks_for_no_gpu() {
    let folder = Folder::new("drivers");
    let picture = folder.file("run.svg");
    let small = ENDLESS.replace("steps=10000000", "steps=100").replace("&device=cpu", "");
    // So many replicas are worth a GPU.
    let many = format!("{small}&replicas=8");
    let on_cpu = format!("{many}&device=cpu");
    let mut lines = vec![
        vec!["run", &small, "-q"],
        vec!["run", &on_cpu, "-q"],
        vec!["plot", &small, "-q", "-o", &picture],
        vec!["plot", &on_cpu, "-q", "-o", &picture],
    ];
    // Where there is no GPU, that is known without asking for one.
    if !vivarium::platform::may_have_gpu() {
        lines.extend([vec!["run", &many, "-q"], vec!["plot", &many, "-q", "-o", &picture]]);
    }
    for line in lines {
        let output = command(&line).env("LD_DEBUG", "files").output().unwrap();
        assert!(output.status.success(), "{line:?}");
        let opened = stderr_text(&output);
        assert!(opened.contains("libc.so"), "the loader says nothing");
        for library in ["libvulkan", "libEGL", "libwayland"] {
            assert!(!opened.contains(library), "{line:?} opens {library}");
        }
    }
}
