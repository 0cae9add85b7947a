//! Effects of actions, which the caller of the page's state carries out.

use vivarium_model::protocol::{Command, Payload};
use vivarium_player::trainer::{Program, TrainerEffect};

/// Operation that the caller of the state must do after an action, such as sending a command; the state itself only
/// lists it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum Effect {
    /// Ask the browser for its GPU support; the answer is [`crate::state::Action::GpuDetected`].
    DetectGpu,
    /// Open a trainer with this program and close the current one.
    Open(Program),
    /// Send this command to the trainer.
    Send(Command, Payload),
    /// Fetch the text of the story with this slug; the answer is [`crate::tour::TourAction::Fetched`].
    FetchStory(&'static str),
    /// Fetch the recorded curves; the answer is [`crate::gallery::GalleryAction::Fetched`].
    FetchRecorded,
    /// Store the open data table with this number in the browser.
    StoreTable(u64),
    /// An effect on the worker of the benchmark.
    Bench(BenchEffect),
    /// Store the measured speeds of CPU and GPU, encoded as this text, in the browser.
    StoreSpeeds(String),
    /// Send this command to the storage of saved runs.
    Library(crate::library::StorageCommand),
}

/// An operation on the benchmark's worker that the caller of the state must do, such as opening it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum BenchEffect {
    /// Open a worker with this program and close the current one.
    Open(Program),
    /// Send this command to the worker.
    Send(Command),
    /// Close the worker.
    Close,
}

impl From<TrainerEffect> for Effect {
    fn from(effect: TrainerEffect) -> Effect {
        match effect {
            TrainerEffect::DetectGpu => Effect::DetectGpu,
            TrainerEffect::Open(program) => Effect::Open(program),
            TrainerEffect::Send(command, payload) => Effect::Send(command, payload),
            TrainerEffect::StoreSpeeds(text) => Effect::StoreSpeeds(text),
        }
    }
}
