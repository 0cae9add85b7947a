//! Every write, rename and synchronisation of a run goes wrong in turn, and it is gone on with.

use std::path::Path;

use clap::Parser;

use super::*;
use crate::cli::disk::faulty::{FAULTS, Fault, Faulty};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    run: Arguments,
}

const LINK: &str = "#v1/sparse-parity?n=6&k=2&width=8&batch=8&held=64&every=5&steps=15&halt=steps&replicas=2\
                    &device=cpu";

/// A measurement at a time, and a checkpoint after each.
const BIT_BY_BIT: Pace = Pace { slice_ms: f64::INFINITY, steps: 5 };

/// What `lab run` does on this disk, going on from the checkpoint if there is one.
fn lab_run(disk: &dyn Disk, folder: &Path, format: &str) -> Result<(), Trouble> {
    let [output, checkpoint] = ["run.txt", "run.safetensors"].map(|name| folder.join(name));
    let [output, path] = [&output, &checkpoint].map(|path| path.to_str().unwrap());
    let mut line = vec!["run", LINK, "-q", "--format", format, "-o", output, "--checkpoint", path];
    line.extend(["--checkpoint-every", "0"]);
    if checkpoint.exists() {
        line.extend(["--resume", path]);
    }
    run_on(&Line::parse_from(line).run, disk, BIT_BY_BIT)
}

fn read(folder: &Path) -> [Option<Vec<u8>>; 2] {
    ["run.txt", "run.safetensors"].map(|name| std::fs::read(folder.join(name)).ok())
}

#[test]
fn after_each_fault_the_run_goes_on_and_is_the_same_to_the_byte() {
    let folder = std::env::temp_dir().join(format!("vivarium-run-faults-{}", std::process::id()));
    let fresh = || {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("run.txt"), "an old one\n").unwrap();
    };
    for format in ["csv", "json", "table"] {
        fresh();
        lab_run(&Faulty::none(), &folder, format).unwrap();
        let whole = read(&folder);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left behind");
        // What differs between formats is the text alone.
        let faults: &[Fault] = if format == "csv" { &FAULTS[..] } else { &[Fault::Killed] };
        for fault in faults.iter().copied() {
            let mut went_wrong = 0;
            for at in 0.. {
                fresh();
                let disk = Faulty::new(at, fault);
                let first = lab_run(&disk, &folder, format);
                let (done, is_dead) = (!disk.went_wrong(), disk.is_dead());
                disk.restart();
                let place = format!("{format}, operation {at}, {fault:?}");
                let [text, weights] = read(&folder);
                // What says that it has ended well has; and a file is the old one or the new one.
                if first.is_ok() && !is_dead {
                    assert_eq!([&text, &weights], [&whole[0], &whole[1]], "{place}");
                }
                let is_old = text.as_deref() == Some(b"an old one\n");
                assert!(is_old || text == whole[0], "{place}");
                assert!(weights.is_none_or(|bytes| Checkpoint::decode(&bytes).is_ok()), "{place}");
                if done {
                    break;
                }
                went_wrong += 1;
                let again = lab_run(&Faulty::none(), &folder, format);
                assert!(again.is_ok(), "{place}: {:?}", again.err());
                assert!(read(&folder) == whole, "{place}");
            }
            assert!(went_wrong > 15, "{fault:?}: {went_wrong}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
