//! The first screen: one moving picture of the run, a strip with its curves, and a few buttons.
//!
//! ```text
//! mod.rs    whether the picture is shown, and whether the run has a pace
//! update.rs the actions, and the pace
//! live.rs   the picture of the current run: new weights, touches, replay
//! tape.rs   weights recorded along the run, thinned to a fixed amount of memory
//! strip.rs  the curves below the picture, which are also the slider of time
//! ```
//!
//! # Why
//! The page's state knows only whether the picture is shown. The picture itself changes sixty times a second and is owned
//! by its view ([`live::Stage`]), so that a frame notifies nobody else. Both are plain data, which tests play natively.

pub mod live;
pub mod strip;
pub mod tape;
mod update;

/// An action on the moving picture of the first screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageAction {
    /// Show the picture (`true`), or charts, settings and numbers (`false`).
    ShowPicture(bool),
    /// Train as fast as the device can (`true`), or so that the run lasts [`STAGE_SECONDS`](update::STAGE_SECONDS).
    Unpaced(bool),
}

/// Whether the moving picture is shown in place of charts, settings and numbers, and at which pace the run trains then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageMode {
    /// Whether the user wants the picture; it is shown only for runs that have one.
    pub wants_picture: bool,
    /// View that the link of the run opens in place of the one that the user wants: the picture (true) or the details; `None` if it
    /// leaves the choice to the user, or if the user has chosen since.
    opened_by_link: Option<bool>,
    /// View that the link of the run states, whatever the user has chosen since.
    stated_by_link: Option<bool>,
    /// Whether the run trains as fast as the device can.
    pub is_unpaced: bool,
    /// Number and recorded length of the current run, and whether there is a picture of it.
    current: Option<StagedRun>,
}

/// Facts about a run on which the first screen depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StagedRun {
    /// Number of the run, as the page counts runs.
    run_count: u64,
    /// Whether there is a picture of the run.
    has_hero: bool,
    /// Recorded number of steps of the preset with the settings of the run; `None` for other runs.
    recorded_steps: Option<u64>,
    /// Seconds for which the run has trained while it was shown.
    seconds: u64,
}

#[cfg(test)]
mod tests;
