//! The Slurm script of the command line's README, on a cluster of one node that a test starts and ends: Slurm's own
//! daemons in a temporary folder, as whoever runs the tests. Without Slurm the test is reported
//! as skipped.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use vivarium::platform::now_ms;
use vivarium_core::testing::skip;

use crate::folder::Folder;

/// 64 runs, so that a part is interrupted between some of its runs and others.
const LINK: &str = "#v1/sparse-parity?n=16&k=3&width=64&batch=32&replicas=2&steps=4000&every=10&held=512&halt=steps\
                    &sweep=seed:lin:1..16:16&series=lr:0.1_0.2_0.3_0.5&device=cpu";

/// What a cluster is made of; Debian's packages are `munge` and `slurm-wlm`.
const PROGRAMS: [&str; 5] = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol"];

/// The program of that name; daemons are not on everybody's path.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn stderr_text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

fn word(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().into()
}

/// A port that nobody listens on.
fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = now_ms();
    while !is_so() {
        assert!(now_ms() - begin < 120_000.0, "waited two minutes for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A cluster of this machine, which ends with it.
struct Cluster {
    folder: Folder,
    daemons: Vec<Child>,
}

impl Cluster {
    /// A cluster that takes jobs.
    fn start() -> Cluster {
        let folder = Folder::new("slurm");
        let mut cluster = Cluster { folder, daemons: vec![] };
        let at = |name: &str| cluster.folder.file(name);
        let user = word("id", &["-un"]);
        // Without the domain: so a node calls itself.
        let host = word("uname", &["-n"]).split('.').next().unwrap().to_string();
        let (key, socket) = (at("key"), at("munge.socket"));
        // No secret: nobody but this test asks these daemons.
        std::fs::write(&key, [7; 1024]).unwrap();
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o400)).unwrap();
        for name in ["state", "spool", "bin"] {
            std::fs::create_dir(cluster.folder.0.join(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_lab"), cluster.folder.0.join("bin/lab")).unwrap();
        let folder = cluster.folder.0.display();
        let (control, node) = (port(), port());
        // `cred_expire`: how long a task that is requeued waits, at least.
        let settings = format!(
            "ClusterName=vivarium\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={control}\nSlurmdPort={node}\n\
             AuthInfo=socket={socket},cred_expire=5\nSlurmUser={user}\nSlurmdUser={user}\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\nSlurmctldPidFile={folder}/control.pid\n\
             SlurmdPidFile={folder}/node.pid\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSchedulerParameters=sched_interval=1\n\
             SlurmdParameters=config_overrides\nMpiDefault=none\nKillWait=5\nMailProg=/bin/true\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2\nPartitionName=all Nodes={host} Default=YES State=UP\n"
        );
        std::fs::write(at("slurm.conf"), settings).unwrap();
        let munge = [
            "--foreground".into(),
            "--force".into(),
            format!("--key-file={key}"),
            format!("--socket={socket}"),
            format!("--pid-file={folder}/munge.pid"),
            format!("--seed-file={folder}/munge.seed"),
        ];
        cluster.begin("munged", &munge);
        until("munge's socket", || Path::new(&socket).exists());
        cluster.begin("slurmctld", &["-D".into(), "-c".into()]);
        cluster.begin("slurmd", &["-D".into()]);
        until("the node", || stderr_text(&cluster.ask("sinfo", &["-h", "-o", "%T"])).trim() == "idle");
        cluster
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(find(program).unwrap_or(program.into()));
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .current_dir(&self.folder.0)
            .env("SLURM_CONF", self.folder.file("slurm.conf"))
            .env("PATH", format!("{}:{path}", self.folder.file("bin")));
        command
    }

    /// Starts a daemon, whose words go to a file.
    fn begin(&mut self, program: &str, arguments: &[String]) {
        let log = std::fs::File::create(self.folder.file(&format!("{program}.log"))).unwrap();
        let mut command = self.command(program);
        command.args(arguments).stdout(Stdio::null()).stderr(log);
        self.daemons.push(command.spawn().unwrap());
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().unwrap()
    }

    /// What Slurm says of a task, such as `JobState` or `Restarts`.
    fn about(&self, task: &str, what: &str) -> String {
        let about = stderr_text(&self.ask("scontrol", &["-o", "show", "job", task]));
        let value = about.split_whitespace().find_map(|pair| pair.strip_prefix(what)?.strip_prefix('='));
        value.unwrap_or_default().into()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // What the node runs would outlive it.
        let _ = self.ask("scancel", &["--user", &word("id", &["-un"])]);
        if std::thread::panicking() {
            for name in ["slurmctld.log", "slurmd.log"] {
                println!("{name}:\n{}", std::fs::read_to_string(self.folder.file(name)).unwrap_or_default());
            }
            std::thread::sleep(Duration::from_secs(2));
        }
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// The script in the README, with another sweep in it and another number of parts.
fn script(link: &str, parts: usize) -> String {
    let readme = include_str!("../../src/cli/README.md");
    let (_, rest) = readme.split_once("```sh\n#!/bin/bash\n#SBATCH").unwrap();
    let (lines, _) = rest.split_once("```").unwrap();
    let lines = lines.lines().map(|line| match line.split_once('=').map(|(name, _)| name) {
        Some("LINK") => format!("LINK='{link}'\n"),
        Some("PARTS") => format!("PARTS={parts}\n"),
        _ => format!("{line}\n"),
    });
    let script = format!("#!/bin/bash\n#SBATCH{}", lines.collect::<String>());
    assert!(script.contains(link) && script.contains("#SBATCH --requeue"), "{script}");
    assert!(script.contains(&format!("\nPARTS={parts}\n")), "{script}");
    script
}

/// How many runs of a part are done.
fn runs(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with('#')).count().saturating_sub(1)
}

/// Without a cluster: the shell gets the variables that Slurm sets for task 7 of `--array=7,12`.
#[test]
fn the_part_of_a_task_that_is_submitted_again_follows_from_the_stated_number_of_parts() {
    let folder = Folder::new("slurm-again");
    std::fs::create_dir(folder.0.join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_lab"), folder.0.join("bin/lab")).unwrap();
    let link =
        "#v1/sparse-parity?n=8&k=2&width=8&held=64&steps=20&halt=steps&sweep=seed:lin:1..24:24&device=cpu";
    std::fs::write(folder.file("sweep.sh"), script(link, 12)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    for task in ["7", "12"] {
        let output = Command::new("bash")
            .arg("sweep.sh")
            .current_dir(&folder.0)
            .env("PATH", format!("{}:{path}", folder.file("bin")))
            .envs([("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", "2")])
            .envs([
                ("SLURM_ARRAY_TASK_MIN", "7"),
                ("SLURM_ARRAY_TASK_MAX", "12"),
                ("SLURM_CPUS_PER_TASK", "1"),
            ])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
        let part = folder.0.join(format!("part-{task}.csv"));
        let text = std::fs::read_to_string(&part).unwrap();
        assert!(text.starts_with(&format!("# lab sweep {task}/12 ")), "{text}");
        assert_eq!(runs(&part), 2, "{text}");
    }
}

#[test]
fn a_task_that_slurm_requeues_continues_its_part_and_the_merged_file_is_that_of_one_machine() {
    if let Some(missing) = PROGRAMS.iter().find(|name| find(name).is_none()) {
        return skip(module_path!(), &format!("no Slurm: {missing} is not installed"));
    }
    let script = script(LINK, 3);
    let cluster = Cluster::start();
    std::fs::write(cluster.folder.file("sweep.sh"), script).unwrap();
    let submitted = cluster.ask("sbatch", &["--parsable", "--array=1-3", "--cpus-per-task=1", "sweep.sh"]);
    assert!(submitted.status.success(), "{}", stderr_text(&submitted));
    let job = stderr_text(&submitted).trim().to_string();
    let task = |of: usize| format!("{job}_{of}");

    // In the middle of its part, it has to go.
    let part = cluster.folder.0.join("part-1.csv");
    until("some runs of the first part", || runs(&part) > 4);
    let requeued = cluster.ask("scontrol", &["requeue", &task(1)]);
    assert!(requeued.status.success(), "{}", stderr_text(&requeued));
    until("it to have gone", || cluster.about(&task(1), "JobState") == "PENDING");
    let before = std::fs::read_to_string(&part).unwrap();
    let mut least = before.len();
    for of in 1..=3 {
        until("the tasks", || {
            least = least.min(std::fs::read_to_string(&part).unwrap_or_default().len());
            cluster.about(&task(of), "JobState") == "COMPLETED"
        });
    }
    assert_eq!([1, 2, 3].map(|of| cluster.about(&task(of), "Restarts")), ["1", "0", "0"]);
    let after = std::fs::read_to_string(&part).unwrap();
    assert!(after.len() > before.len(), "it was done before it was requeued");
    // A run gives the same numbers each time, so only a file that has shrunk tells of one that was made again.
    assert!(
        least == before.len() && after.starts_with(&before),
        "it began again, from {least} bytes:\n{before}"
    );

    // One part that is lost is trained alone.
    let lost = cluster.folder.0.join("part-2.csv");
    let first = std::fs::read(&lost).unwrap();
    std::fs::remove_file(&lost).unwrap();
    let submitted = cluster.ask("sbatch", &["--parsable", "--array=2", "--cpus-per-task=1", "sweep.sh"]);
    assert!(submitted.status.success(), "{}", stderr_text(&submitted));
    let again = format!("{}_2", stderr_text(&submitted).trim());
    until("the lost part", || cluster.about(&again, "JobState") == "COMPLETED");
    assert!(std::fs::read(&lost).unwrap() == first, "the part is another one");

    let parts = [1, 2, 3].map(|of| format!("part-{of}.csv"));
    let merge = ["merge", &parts[0], &parts[1], &parts[2], "-o", "map.csv"];
    for line in [&merge[..], &["sweep", LINK, "-q", "-o", "whole.csv"]] {
        let output = cluster.ask("lab", line);
        assert!(output.status.success(), "{}", stderr_text(&output));
    }
    let [map, whole] = ["map.csv", "whole.csv"].map(|name| std::fs::read(cluster.folder.file(name)).unwrap());
    assert!(!map.is_empty() && map == whole, "the merged file is another one");
    println!("{} of {} bytes of the first part were there when it was requeued", before.len(), after.len());
}
