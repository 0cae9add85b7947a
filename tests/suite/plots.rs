//! `lab plot` from files: the same picture without training, in the sizes and kinds that papers want.

use std::path::Path;
use std::process::{Command, Output};

use crate::folder::Folder;

/// Runs `lab`.
fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap()
}

/// What a command that succeeds prints.
fn done(arguments: &[&str]) -> String {
    let output = lab(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command that is refused says, with its exit code.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = lab(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(path)).unwrap()
}

const RUN: &str = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&replicas=3&device=cpu\
                   &show=loss.accuracy.times";

#[test]
fn a_figure_of_a_file_is_the_figure_of_its_run() {
    let folder = Folder::new("plots-same");
    let [direct, again] = ["direct.svg", "again.svg"].map(|name| folder.file(name));
    done(&["plot", RUN, "-q", "-o", &direct]);
    for (format, more) in [("csv", &["--link", RUN][..]), ("json", &[][..])] {
        let file = folder.file(&format!("run.{format}"));
        done(&["run", RUN, "-q", "--format", format, "-o", &file]);
        let plot = [&["plot", &file, "-q", "-o", &again][..], more].concat();
        done(&plot);
        assert!(read(&direct) == read(&again), "{format}");
    }
}

const SWEEP: &str = "#v1/sparse-parity?width=32&lr=1&held=256&every=5&steps=300&replicas=6&device=cpu\
                     &sweep=n:6_8&series=k:1_2&show=sweep";

#[test]
fn a_sweeps_file_is_drawn_again_and_its_fits_are_printed() {
    let folder = Folder::new("plots-sweep");
    let [csv, first, again, pdf] =
        ["sweep.csv", "first.svg", "again.svg", "map.pdf"].map(|name| folder.file(name));
    let printed = done(&["sweep", SWEEP, "-o", &csv, "--figure", &first]);
    let laws = done(&["plot", &csv, "-o", &again]);
    assert!(read(&first) == read(&again));
    assert!(printed.contains(&laws) && laws.lines().count() == 2, "{laws}");
    assert!(laws.lines().all(|line| line.contains("t_c ∝ n^α, exponent ")), "{laws}");
    done(&["plot", &csv, "-q", "-o", &pdf, "--size", "6x4in", "--font-size", "8pt", "--colours", "print"]);
    let bytes = read(&pdf);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("%PDF-1.") && text.contains("/MediaBox [0 0 432 288]"));
    // What `lab run` writes of the same sweep is drawn as the page shows it, whatever the file.
    let times = folder.file("times.csv");
    done(&["run", SWEEP, "-q", "--format", "csv", "-o", &times]);
    let json = folder.file("times.json");
    done(&["run", SWEEP, "-q", "--format", "json", "-o", &json]);
    done(&["plot", SWEEP, "-q", "-o", &first]);
    assert_eq!(done(&["plot", &times, "--link", SWEEP, "-o", &again]), laws);
    assert!(read(&first) == read(&again), "CSV");
    assert_eq!(done(&["plot", &json, "-o", &again]), laws);
    assert!(read(&first) == read(&again), "JSON");
}

#[test]
fn what_cannot_be_drawn_is_a_sentence_and_exit_code_2() {
    let folder = Folder::new("plots-bad");
    let [table, figure] = ["table.csv", "figure.svg"].map(|name| folder.file(name));
    std::fs::write(&table, "a,b\n1,2\n").unwrap();
    for (arguments, why) in [
        (vec!["plot", &table, "--link", RUN, "-o", &figure], "is not a table of a run"),
        (vec!["plot", RUN, "-o", &figure, "--size", "3"], "3 is not a size: expected a width"),
        (vec!["plot", RUN, "-o", &figure, "--font-size", "8"], "8 is not a size of letters"),
        (vec!["plot", RUN, "-o", &folder.file("figure.gif")], "should end in .svg, .png or .pdf"),
        (vec!["plot", RUN, "-o", &figure, "--dark", "--colours", "print"], "use one of them"),
        (vec!["plot", RUN, "-o", &figure, "--link", RUN], "--link belongs to a CSV file"),
    ] {
        let (code, said) = refused(&arguments);
        assert!(code == Some(2) && said.contains(why), "{code:?} {said}");
        assert!(!Path::new(&figure).exists());
    }
}
