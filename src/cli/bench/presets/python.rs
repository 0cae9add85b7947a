//! A Python process that times scripts, one after the other.
//!
//! # Why
//! Importing torch takes seconds, so that one process times all scripts. It may still end before its time, such as for
//! want of memory: then the script that it had is the one to blame, and the next script gets a new process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::table::Speed;

/// What the process says first.
#[derive(Debug, Deserialize)]
struct Hello {
    torch: String,
}

/// What it says of a script.
#[derive(Debug, Deserialize)]
struct Answer {
    steps_per_s: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    failure: Option<String>,
}

impl Answer {
    fn speed(self) -> Result<Speed, String> {
        match (self.steps_per_s, self.low, self.high) {
            (Some(median), Some(low), Some(high)) => Ok(Speed { median, low, high }),
            _ => Err(self.failure.unwrap_or_else(|| "PyTorch gives no reason".into())),
        }
    }
}

/// A process that waits for scripts. It ends with this.
struct Running {
    child: Child,
    scripts: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, or nobody waits for its answer.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Starts the process, which says its version of PyTorch.
    fn start(python: &str, seconds: f64) -> Result<(Running, String), String> {
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
        let mut running = Running { child, scripts, answers: BufReader::new(answers) };
        let hello: Hello = running.read().map_err(|why| format!("{python} {why}"))?;
        Ok((running, hello.torch))
    }

    /// The next line that it says.
    fn read<Line: for<'a> Deserialize<'a>>(&mut self) -> Result<Line, String> {
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

    fn ask(&mut self, preset: &str, script: &str) -> Result<Answer, String> {
        let line = serde_json::json!({ "preset": preset, "script": script });
        // Where the process has ended, reading says so.
        let _ = writeln!(self.scripts, "{line}").and_then(|()| self.scripts.flush());
        self.read()
    }
}

/// PyTorch, in a process that is started anew when it has ended.
pub struct PyTorch {
    /// Its version.
    pub version: String,
    python: String,
    seconds: f64,
    running: Option<Running>,
}

impl PyTorch {
    /// Starts it.
    ///
    /// # Errors
    /// A sentence that says why PyTorch cannot be measured.
    pub fn start(python: &str, seconds: f64) -> Result<PyTorch, anyhow::Error> {
        let (running, version) = Running::start(python, seconds)
            .map_err(|why| anyhow::anyhow!("PyTorch cannot be measured: {why}"))?;
        Ok(PyTorch { version, python: python.into(), seconds, running: Some(running) })
    }

    /// Times a script.
    ///
    /// # Errors
    /// A sentence that says why it has no speed.
    pub fn time(&mut self, preset: &str, script: &str) -> Result<Speed, String> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.python, self.seconds)?.0,
        };
        let answer = running.ask(preset, script).map_err(|why| format!("{} {why}", self.python))?;
        self.running = Some(running);
        answer.speed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::pytorch::peer::python;
    use vivarium_core::testing::skip;
    use vivarium_labs::find;
    use vivarium_view::record::torch::script;

    #[test]
    fn an_answer_is_a_speed_or_a_reason() {
        let speed = |line: &str| serde_json::from_str::<Answer>(line).unwrap().speed();
        let found = speed(r#"{"preset": "a", "steps_per_s": 2.5, "low": 2.0, "high": 3}"#);
        assert_eq!(found, Ok(Speed { median: 2.5, low: 2.0, high: 3.0 }));
        let why = speed(r#"{"preset": "a", "failure": "the script fails"}"#);
        assert_eq!(why, Err("the script fails".into()));
    }

    #[test]
    fn what_cannot_be_run_is_said_in_a_sentence() {
        let why = PyTorch::start("/no/such/python", 1.0).err().unwrap().to_string();
        assert!(why.starts_with("PyTorch cannot be measured: /no/such/python cannot be run ("), "{why}");
        #[cfg(unix)]
        {
            let why = PyTorch::start("true", 1.0).err().unwrap().to_string();
            assert!(why.starts_with("PyTorch cannot be measured: true ended without an answer ("), "{why}");
        }
    }

    /// The program calls functions of the script by these names, with these arguments.
    #[test]
    fn scripts_have_what_the_program_calls() {
        let program = include_str!("../../../../tests/peers/torch_preset.py");
        let script = script(&find("parity-20").unwrap().link().spec).unwrap();
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
        let Some(python) = python() else { return skip(module_path!(), "no Python can import torch") };
        let mut pytorch = PyTorch::start(python, 0.05).unwrap();
        assert!(!pytorch.version.is_empty());
        let good = script(&find("parity-20").unwrap().link().spec).unwrap();
        let bad = good
            .replace("def started(p):\n", "def started(p):\n    raise ValueError(\"no weights\\nat all\")\n");
        let why = "the script fails: ValueError: no weights";
        assert_eq!(pytorch.time("bad", &bad), Err(why.into()));
        assert_eq!(
            pytorch.time("empty", "S = {}\nprint('no row')\n"),
            Err("the script fails: RuntimeError: the script has no function `train_step`".into())
        );
        let why = pytorch.time("killed", "import os\nos._exit(7)\n").unwrap_err();
        assert!(why.contains("ended without an answer"), "{why}");
        let speed = pytorch.time("parity-20", &good).unwrap();
        assert!(0.0 < speed.low && speed.low <= speed.median && speed.median <= speed.high, "{speed:?}");
    }
}
