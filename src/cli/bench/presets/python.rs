//! A Python process that times scripts, one after the other.
//!
//! # Why
//! Importing torch takes seconds, so one process times all scripts. It may end early, for example for lack of
//! memory: the script that it was timing then fails, and the next script gets a new process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::table::StepsPerSecond;

/// First line of JSON from the Python process: its version of PyTorch.
#[derive(Debug, Deserialize)]
struct HelloMessage {
    /// Version of PyTorch, such as "2.9.0".
    torch: String,
}

/// Line of JSON from the Python process: the speed of a script, or the reason why it failed.
#[derive(Debug, Deserialize)]
struct TimingMessage {
    /// Median training steps per second of the script over the time windows; None if the script failed.
    steps_per_s: Option<f64>,
    /// Training steps per second in the slowest time window; None if the script failed.
    low: Option<f64>,
    /// Training steps per second in the fastest time window; None if the script failed.
    high: Option<f64>,
    /// Reason why the script failed; None if it was timed.
    failure: Option<String>,
}

impl TimingMessage {
    /// Training speed of the script, or the reason why it could not be timed.
    fn speed(self) -> Result<StepsPerSecond, String> {
        match (self.steps_per_s, self.low, self.high) {
            (Some(median), Some(low), Some(high)) => Ok(StepsPerSecond { median, low, high }),
            _ => Err(self.failure.unwrap_or_else(|| "PyTorch gives no reason".into())),
        }
    }
}

/// A running Python process that times PyTorch training scripts; it is killed when this value is dropped.
struct PyTorchProcess {
    /// The Python process, which runs `tests/peers/torch_preset.py`.
    child: Child,
    /// Standard input of the process: one JSON object per line, with the slug of a preset and its training
    /// script.
    scripts: ChildStdin,
    /// Standard output of the process: its PyTorch version, then for each script a JSON object with its
    /// speed, one per line.
    answers: BufReader<ChildStdout>,
}

impl Drop for PyTorchProcess {
    /// Kills the Python process and waits for its end.
    fn drop(&mut self) {
        // Errors are ignored: the process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl PyTorchProcess {
    /// Starts the program `python`, which measures each script for `seconds` seconds. Returns the process and
    /// its version of PyTorch.
    fn start(python: &str, seconds: f64) -> Result<(PyTorchProcess, String), String> {
        let program =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/peers/torch_preset.py");
        let threads = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"].map(|name| (name, "1"));
        let mut child = Command::new(python)
            .arg(program)
            .args(["--seconds", &seconds.to_string()])
            .envs(threads)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{python} cannot be run ({why})"))?;
        let (Some(scripts), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{python} has no input and output"));
        };
        let mut running = PyTorchProcess { child, scripts, answers: BufReader::new(answers) };
        let hello: HelloMessage = running.read_message().map_err(|why| format!("{python} {why}"))?;
        Ok((running, hello.torch))
    }

    /// Reads the next line of JSON that the process writes, and waits for it.
    fn read_message<Line: for<'a> Deserialize<'a>>(&mut self) -> Result<Line, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) | Err(_) => {
                let how = self.child.wait().map(|status| format!(" ({status})")).unwrap_or_default();
                Err(format!("ended without an answer{how}"))
            }
            Ok(_) => {
                serde_json::from_str(&line).map_err(|why| format!("gave no answer that can be read ({why})"))
            }
        }
    }

    /// Sends a training script to the process and waits for its speed; `preset` is the slug of the preset.
    fn time_script(&mut self, preset: &str, script: &str) -> Result<TimingMessage, String> {
        let line = serde_json::json!({ "preset": preset, "script": script });
        // If the process has ended, reading its answer fails.
        let _ = writeln!(self.scripts, "{line}").and_then(|()| self.scripts.flush());
        self.read_message()
    }
}

/// Times PyTorch scripts in a Python process, which is restarted after it has ended.
pub struct PyTorchTimer {
    /// Version of PyTorch, as the Python process reported it.
    pub version: String,
    /// Name of the Python program, such as `python3`.
    python: String,
    /// Time for which each script is measured, in seconds.
    seconds: f64,
    /// The Python process that times the next script; None after it has ended, until the next script is
    /// timed.
    process: Option<PyTorchProcess>,
}

impl PyTorchTimer {
    /// Starts the program `python`, which measures each script for `seconds` seconds.
    ///
    /// # Errors
    /// A sentence that explains why PyTorch cannot be measured.
    pub fn start(python: &str, seconds: f64) -> Result<PyTorchTimer, anyhow::Error> {
        let (running, version) = PyTorchProcess::start(python, seconds)
            .map_err(|why| anyhow::anyhow!("PyTorch cannot be measured: {why}"))?;
        Ok(PyTorchTimer { version, python: python.into(), seconds, process: Some(running) })
    }

    /// Times the PyTorch script of the preset with the slug `preset`.
    ///
    /// # Errors
    /// A sentence that explains why the script has no speed.
    pub fn time_preset(&mut self, preset: &str, script: &str) -> Result<StepsPerSecond, String> {
        let mut running = match self.process.take() {
            Some(running) => running,
            None => PyTorchProcess::start(&self.python, self.seconds)?.0,
        };
        let answer = running.time_script(preset, script).map_err(|why| format!("{} {why}", self.python))?;
        self.process = Some(running);
        answer.speed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::pytorch::peer::find_python;
    use vivarium_core::testing::skip;
    use vivarium_labs::find_preset;
    use vivarium_view::record::torch::write_script;

    #[test]
    fn an_answer_is_a_speed_or_a_reason() {
        let speed = |line: &str| serde_json::from_str::<TimingMessage>(line).unwrap().speed();
        let found = speed(r#"{"preset": "a", "steps_per_s": 2.5, "low": 2.0, "high": 3}"#);
        assert_eq!(found, Ok(StepsPerSecond { median: 2.5, low: 2.0, high: 3.0 }));
        let why = speed(r#"{"preset": "a", "failure": "the script fails"}"#);
        assert_eq!(why, Err("the script fails".into()));
    }

    #[test]
    fn what_cannot_be_run_is_stated_in_a_sentence() {
        let why = PyTorchTimer::start("/no/such/python", 1.0).err().unwrap().to_string();
        assert!(why.starts_with("PyTorch cannot be measured: /no/such/python cannot be run ("), "{why}");
        #[cfg(unix)]
        {
            let why = PyTorchTimer::start("true", 1.0).err().unwrap().to_string();
            assert!(why.starts_with("PyTorch cannot be measured: true ended without an answer ("), "{why}");
        }
    }

    /// The program calls functions of the script by these names, with these arguments.
    #[test]
    fn scripts_have_what_the_program_calls() {
        let program = include_str!("../../../../tests/peers/torch_preset.py");
        let script = write_script(&find_preset("parity-20").unwrap().link().spec).unwrap();
        for (call, function) in [
            ("module[\"started\"](module[\"initial\"]())", "started(p)"),
            ("module[\"initial\"]()", "initial()"),
            ("update, schedule = module[\"prepared\"](p)", "prepared(p)"),
            (
                "module[\"train_step\"](p, made, data.batch(), update, schedule)",
                "train_step(p, step, batch, update, schedule)",
            ),
        ] {
            assert!(program.contains(call), "{call}");
            assert!(script.contains(&format!("\ndef {function}:\n")), "{function}");
        }
        assert!(program.contains("module[\"Data\"]()") && script.contains("\nclass Data:\n"));
        // The loop of the script makes the same steps as the program.
        let (_, main) = script.split_once("\ndef main():\n").unwrap();
        for line in ["update, schedule = prepared(p)", "train_step(p, step, batch, update, schedule)"] {
            assert!(main.contains(line), "{line}");
        }
    }

    #[test]
    fn a_script_that_fails_or_kills_its_process_does_not_stop_the_next() {
        let Some(python) = find_python() else { return skip(module_path!(), "no Python can import torch") };
        let mut pytorch = PyTorchTimer::start(python, 0.05).unwrap();
        assert!(!pytorch.version.is_empty());
        let good = write_script(&find_preset("parity-20").unwrap().link().spec).unwrap();
        let bad = good
            .replace("def started(p):\n", "def started(p):\n    raise ValueError(\"no weights\\nat all\")\n");
        let why = "the script fails: ValueError: no weights";
        assert_eq!(pytorch.time_preset("bad", &bad), Err(why.into()));
        assert_eq!(
            pytorch.time_preset("empty", "S = {}\nprint('no row')\n"),
            Err("the script fails: RuntimeError: the script has no function `train_step`".into())
        );
        let why = pytorch.time_preset("killed", "import os\nos._exit(7)\n").unwrap_err();
        assert!(why.contains("ended without an answer"), "{why}");
        let speed = pytorch.time_preset("parity-20", &good).unwrap();
        assert!(0.0 < speed.low && speed.low <= speed.median && speed.median <= speed.high, "{speed:?}");
    }
}
