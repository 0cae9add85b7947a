//! The interface to trainers: their programs, commands and messages, the phase of the open one, and effects on it.

#[cfg(doc)]
use crate::Player;
use vivarium_model::protocol::{Command, EventMessage, Payload};

/// WebAssembly program of a worker that trains; it determines the device (CPU, GPU) and the learner (autodiff, fused
/// kernels).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The training loops of this project on the CPU.
    Cpu,
    /// Autodiff on the CPU, in the same program as [`Program::Gpu`]: for runs that the loops do not support.
    CpuAutodiff,
    /// Fused kernels of this project on the GPU.
    Fused,
    /// Autodiff on the GPU: a larger download, for runs that the fused kernels do not support.
    Gpu,
}

impl Program {
    /// Whether the worker program needs a GPU.
    pub fn needs_gpu(self) -> bool {
        matches!(self, Program::Fused | Program::Gpu)
    }
}

/// A connection to a trainer, the worker that trains the run: a web worker on the page, a script in tests.
pub trait Trainer {
    /// Sends a command with its array (such as a checkpoint) to the trainer.
    fn send(&self, command: &Command, payload: &Payload);
}

impl<T: Trainer> Trainer for std::rc::Rc<T> {
    fn send(&self, command: &Command, payload: &Payload) {
        (**self).send(command, payload);
    }
}

/// A message from a trainer, or the news that the trainer has ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainerMessage {
    /// The trainer sent this message.
    Message(EventMessage),
    /// The trainer has ended for this reason.
    Died(String),
}

/// Returns the reason why a worker has ended, from the message of the browser's error event; the message is None if the
/// worker's files could not be loaded.
///
/// # Why
/// A panic is reported by the worker itself, before it ends. A program ends without a message if an allocation fails:
/// Rust then runs into an instruction that is never reached otherwise, which each engine words in its own way.
pub fn worker_error_text(error_message: Option<&str>) -> String {
    match error_message.filter(|words| !words.is_empty() && !words.contains(MISSING_FILE)) {
        None => tr!("the worker could not be loaded").into(),
        Some(words) if words.contains(BEING_COMPILED) => {
            tr!("the program for the GPU is still being compiled").into()
        }
        Some(words) if words.contains(INCOMPLETE_FILE) => tr!(
            "the browser could not compile the worker's program; the server may have sent only a part of the program"
        )
        .into(),
        Some(words) if words.to_lowercase().contains("unreachable") => {
            tr!("the worker had no memory left").into()
        }
        Some(words) => words.into(),
    }
}

/// Part of the error message by which `www/worker-loader.js` reports a worker file that cannot be fetched.
const MISSING_FILE: &str = "missing file";

/// Part of the error message by which `www/worker-loader.js` reports a program for the GPU that `cargo xtask serve` has not
/// compiled yet.
pub const BEING_COMPILED: &str = "program being compiled";

/// Part of the error message by which `www/worker-loader.js` reports a program that the browser cannot compile.
const INCOMPLETE_FILE: &str = "incomplete file";

/// Operation on the trainer that the caller of a player must carry out, such as sending a command; the player itself only
/// lists it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum TrainerEffect {
    /// Ask the browser for its GPU support; the answer is given to [`Player::handle_gpu_support`].
    DetectGpu,
    /// Open a trainer with this program and close the current one.
    Open(Program),
    /// Send this command to the trainer.
    Send(Command, Payload),
    /// Store the measured speeds of CPU and GPU, encoded as this text, in the browser.
    StoreSpeeds(String),
}

/// Phase of the trainer, the worker that trains the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrainerPhase {
    /// No trainer is open.
    #[default]
    Absent,
    /// A trainer was opened and has not yet reported that it is ready.
    Opening {
        /// Program of the trainer.
        program: Program,
        /// Seconds since the trainer was opened.
        seconds: u32,
    },
    /// The trainer accepts commands.
    Ready {
        /// Program of the trainer.
        program: Program,
        /// Seconds since the last message of the trainer, or since the run was started.
        silent_seconds: u32,
        /// Number of start commands that the trainer has not answered; only the answer to the last one is about the
        /// current run.
        unanswered_starts: u32,
    },
}

impl TrainerPhase {
    /// Returns the program of the trainer that is open, ready or not; None if none is open.
    pub fn program(self) -> Option<Program> {
        match self {
            TrainerPhase::Absent => None,
            TrainerPhase::Opening { program, .. } | TrainerPhase::Ready { program, .. } => Some(program),
        }
    }

    /// Returns the program of the trainer if it accepts commands.
    pub fn ready_program(self) -> Option<Program> {
        match self {
            TrainerPhase::Ready { program, .. } => Some(program),
            TrainerPhase::Absent | TrainerPhase::Opening { .. } => None,
        }
    }

    /// Counts one more start command that the trainer has not answered.
    pub(crate) fn add_start(&mut self) {
        if let TrainerPhase::Ready { unanswered_starts, .. } = self {
            *unanswered_starts += 1;
        }
    }

    /// Counts the answer to a start command; returns whether every start command is answered.
    pub(crate) fn answer_start(&mut self) -> bool {
        let TrainerPhase::Ready { unanswered_starts, .. } = self else { return true };
        *unanswered_starts = unanswered_starts.saturating_sub(1);
        *unanswered_starts == 0
    }

    /// Whether the trainer was sent a start command that it has not answered.
    pub fn has_unanswered_start(self) -> bool {
        matches!(self, TrainerPhase::Ready { unanswered_starts: 1.., .. })
    }

    /// Begins to count the seconds without a message of the trainer anew.
    pub(crate) fn reset_silence(&mut self) {
        if let TrainerPhase::Ready { silent_seconds, .. } = self {
            *silent_seconds = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_memory_and_one_that_is_missing_are_distinguished_from_each_other() {
        for words in [
            "Uncaught RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "RuntimeError: Unreachable code should not be executed (evaluating 'this.next()')",
        ] {
            assert_eq!(worker_error_text(Some(words)), "the worker had no memory left");
        }
        for words in [None, Some(""), Some("Uncaught Error: missing file")] {
            assert_eq!(worker_error_text(words), "the worker could not be loaded");
        }
        assert!(
            worker_error_text(Some("Uncaught Error: incomplete file")).contains("only a part of the program")
        );
        assert_eq!(
            worker_error_text(Some("Uncaught Error: program being compiled")),
            "the program for the GPU is still being compiled"
        );
        assert_eq!(worker_error_text(Some("Uncaught Error: of its own")), "Uncaught Error: of its own");
    }
}
