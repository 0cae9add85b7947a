//! Every write, rename and synchronisation of a run goes wrong in turn, and it is gone on with; and when a run is saved.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::Path;

use clap::Parser;

use super::*;
use crate::disk::faulty::{ALL_FAULTS, Fault, FaultyDisk};
use vivarium_training::launch::device::Device;
use vivarium_training::session::learner::Weights;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    run: Arguments,
}

const LINK: &str = "#v1/sparse-parity?n=6&k=2&width=8&batch=8&held=64&every=5&steps=15&halt=steps&replicas=2\
                    &device=cpu";

thread_local! {
    static CLOCK_MS: Cell<u64> = const { Cell::new(0) };
}

/// A clock that advances only by the time that [`Slow`] takes.
fn clock() -> f64 {
    CLOCK_MS.get() as f64
}

/// One measurement per time slice, with a checkpoint after each.
const BIT_BY_BIT: TrainingPace = TrainingPace { slice_ms: f64::INFINITY, max_steps: 5, now_ms: clock };

/// Runs `lab run` on this disk, continuing from the checkpoint if there is one.
fn lab_run(disk: &dyn Disk, folder: &Path, format: &str) -> Result<(), CommandError> {
    let [output, checkpoint] = ["run.txt", "run.safetensors"].map(|name| folder.join(name));
    let [output, path] = [&output, &checkpoint].map(|path| path.to_str().unwrap());
    let mut line = vec!["run", LINK, "-q", "--format", format, "-o", output, "--checkpoint", path];
    line.extend(["--checkpoint-every", "0"]);
    if checkpoint.exists() {
        line.extend(["--resume", path]);
    }
    run_with_disk(&Line::parse_from(line).run, disk, BIT_BY_BIT)
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
        lab_run(&FaultyDisk::without_fault(), &folder, format).unwrap();
        let whole = read(&folder);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left behind");
        // What differs between formats is the text alone.
        let faults: &[Fault] = if format == "csv" { &ALL_FAULTS[..] } else { &[Fault::Killed] };
        for fault in faults.iter().copied() {
            let mut went_wrong = 0;
            for at in 0.. {
                fresh();
                let disk = FaultyDisk::new(at, fault);
                let first = lab_run(&disk, &folder, format);
                let (done, is_dead) = (!disk.has_reached_fault(), disk.is_dead());
                disk.simulate_restart();
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
                let again = lab_run(&FaultyDisk::without_fault(), &folder, format);
                assert!(again.is_ok(), "{place}: {:?}", again.err());
                assert!(read(&folder) == whole, "{place}");
            }
            assert!(went_wrong > 15, "{fault:?}: {went_wrong}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A disk that notes the step of each checkpoint that takes its place, and on which the first measurement takes long.
struct Slow {
    first_ms: Cell<u64>,
    saved: RefCell<Vec<u64>>,
}

impl Disk for Slow {
    fn open(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open(path)
    }

    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        // The header is written before the first measurement.
        if !bytes.starts_with(b"#") {
            CLOCK_MS.set(CLOCK_MS.get() + self.first_ms.take());
        }
        SystemDisk.append(file, bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        SystemDisk.truncate(file, length)
    }

    fn sync(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if to.extension().is_some_and(|end| end == "safetensors") {
            let checkpoint = Checkpoint::decode(&std::fs::read(from)?).map_err(io::Error::other)?;
            self.saved.borrow_mut().push(checkpoint.step);
        }
        SystemDisk.rename(from, to)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }
}

/// At which of 30 steps a run is saved that is measured at every fifth one and looked at after so many.
fn saved(name: &str, every_s: &str, steps: u64, first_ms: u64) -> Vec<u64> {
    let folder = std::env::temp_dir().join(format!("vivarium-run-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let [output, checkpoint] = ["run.csv", "run.safetensors"].map(|name| folder.join(name));
    let [output, checkpoint] = [&output, &checkpoint].map(|path| path.to_str().unwrap());
    let line = ["run", LINK, "-q", "--steps", "30", "--format", "csv", "-o", output];
    let more = ["--checkpoint", checkpoint, "--checkpoint-every", every_s];
    let disk = Slow { first_ms: Cell::new(first_ms), saved: RefCell::default() };
    let arguments = Line::parse_from([&line[..], &more].concat()).run;
    run_with_disk(&arguments, &disk, TrainingPace { max_steps: steps, ..BIT_BY_BIT }).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    disk.saved.into_inner()
}

/// The first look is after steps that are no multiple of five, and the measurement before the first step takes longer
/// than the time between checkpoints: one is due then, and made at the next multiple. No other one is due before the
/// end, although the run is looked at just where it is measured, at step 25.
#[test]
fn a_checkpoint_is_written_at_the_measurement_after_its_time_and_at_the_end() {
    assert_eq!(saved("always", "0", 5, 0), [5, 10, 15, 20, 25, 30]);
    assert_eq!(saved("never", "3600", 4, 50), [30]);
    assert_eq!(saved("once", "0.5", 4, 600), [5, 30]);
}

/// Two networks of two parameters, of two and of three numbers.
#[test]
fn a_checkpoint_is_well_where_one_of_its_networks_is() {
    let spec = open::read_link(LINK).unwrap().spec;
    let is_well = |broken: &[(usize, usize)]| {
        let mut parameters = vec![vec![0.5; 4], vec![0.25; 6]];
        for (count, (parameter, at)) in broken.iter().enumerate() {
            parameters[*parameter][*at] = [f32::NAN, f32::INFINITY][count % 2];
        }
        let weights = Weights { parameters, moments: vec![] };
        let (spec, initial) = (spec.clone(), Default::default());
        has_finite_replica(&Checkpoint { spec, step: 5, solved: vec![None; 2], initial, weights })
    };
    for (broken, expected) in [
        (&[] as &[(usize, usize)], true),
        (&[(0, 0)], true),
        (&[(0, 1), (1, 0), (1, 2)], true),
        (&[(0, 2), (0, 3), (1, 3), (1, 5)], true),
        (&[(0, 0), (0, 2)], false),
        (&[(0, 3), (1, 0)], false),
        (&[(0, 1), (1, 5)], false),
        (&[(1, 2), (1, 3)], false),
    ] {
        assert_eq!(is_well(broken), expected, "{broken:?}");
    }
}

#[test]
fn weights_of_which_no_network_is_finite_do_not_replace_the_checkpoint_before() {
    let path = std::env::temp_dir().join(format!("vivarium-run-nan-{}.safetensors", std::process::id()));
    let line = ["run", LINK, "-q", "--checkpoint", path.to_str().unwrap()];
    let arguments = Line::parse_from(line).run;
    let (spec, disk) = (open::read_link(LINK).unwrap().spec, FaultyDisk::without_fault());
    let whole = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    let whole = pollster::block_on(whole.checkpoint()).unwrap();
    let save = |step: u64, broken: &[usize]| {
        let mut checkpoint = Checkpoint { step, ..whole.clone() };
        let first = &mut checkpoint.weights.parameters[0];
        let length = first.len() / 2;
        broken.iter().for_each(|network| first[network * length] = f32::NAN);
        let training = TrainingRun {
            arguments: &arguments,
            disk: &disk,
            session: Session::resume(&checkpoint, &Device::cpu(), Options::default()).unwrap(),
            environment: TrainingEnvironment::default(),
            printer: MeasurementPrinter::new(arguments.format, arguments.names, &spec),
            output: MetricsOutput::open(&disk, None).unwrap(),
            kept_steps: keep::KeptSteps::default(),
        };
        training.save_checkpoint(None).map_err(|why| format!("{why:#}"))
    };
    let step = || Checkpoint::decode(&std::fs::read(&path).unwrap()).unwrap().step;
    for (at, broken) in [(1, &[] as &[usize]), (2, &[0]), (3, &[1])] {
        assert_eq!(save(at, broken), Ok(()));
        assert_eq!(step(), at);
    }
    let kept = "the weights are no longer finite, so the previous checkpoint is kept";
    assert_eq!(save(4, &[0, 1]), Err(kept.to_string()));
    assert_eq!(step(), 3);
    std::fs::remove_file(path).unwrap();
}

/// At exactly these steps, also between two measurements, and a run goes on from each of them as it went on.
#[test]
fn a_run_is_kept_at_the_steps_that_are_requested() {
    let folder = std::env::temp_dir().join(format!("vivarium-run-keep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [output, path] = ["run.csv", "run.safetensors"].map(|name| folder.join(name));
    let [output, path] = [&output, &path].map(|path| path.to_str().unwrap());
    let run = |link: &str, more: &[&str]| {
        let line = ["run", link, "-q", "--format", "csv", "-o", output, "--checkpoint", path];
        run_with_disk(&Line::parse_from([&line[..], more].concat()).run, &SystemDisk, DEFAULT_PACE)
    };
    run(LINK, &["--keep", "7,0,15"]).unwrap();
    let whole = read_both(output, path);
    let kept = |step: u64| folder.join(format!("run.step-{step}.safetensors"));
    for step in [0, 7, 15] {
        let checkpoint = Checkpoint::decode(&std::fs::read(kept(step)).unwrap()).unwrap();
        assert_eq!(checkpoint.step, step);
        let mut session = Session::start(&checkpoint.spec, &Device::cpu(), Options::default()).unwrap();
        pollster::block_on(session.advance(f64::INFINITY, step)).unwrap();
        assert_eq!(session.step(), step);
        assert_eq!(pollster::block_on(session.checkpoint()).unwrap().weights, checkpoint.weights);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 5, "nothing else is written");
    run(LINK, &["--resume", kept(7).to_str().unwrap()]).unwrap();
    assert_eq!(read_both(output, path), whole);
    let late = run(LINK, &["--keep", "16"]).unwrap_err().to_string();
    assert_eq!(late, "--keep: step 16 is after the last step of the run, 15");
    std::fs::remove_dir_all(folder).unwrap();
}

fn read_both(output: &str, path: &str) -> [Vec<u8>; 2] {
    [output, path].map(|file| std::fs::read(file).unwrap())
}
