//! The first screen: one moving picture of the run, a strip with its curves, and a few buttons.
//!
//! ```text
//! mod.rs            where the picture is shown, and whether the run has a pace
//! update.rs         the actions, the placement, and the pace
//! live.rs           the picture of the current run: new weights, touches, replay
//! tape.rs           weights recorded along the run, thinned to a fixed amount of memory
//! strip.rs          the curves below the picture, which are also the slider of time
//! curve.rs          the measured curve of a run, and the curves of the run before
//! focus.rs          where the keyboard focus goes when a target disappears
//! announcements.rs  when the effect of a touch is read out by a screen reader
//! ```
//!
//! # Why
//! The page's state knows only where the picture is shown. The picture itself changes sixty times a second and is owned
//! by its view ([`live::Stage`]), so that a frame notifies nobody else. Both are plain data, which tests play natively.

pub mod announcements;
pub mod curve;
pub mod focus;
pub mod live;
pub mod strip;
pub mod tape;
mod update;

use vivarium_model::chart::Chart;
use vivarium_plot::scene::{Anchor, Scene, Shape};

/// An action on the moving picture of the first screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageAction {
    /// Show the picture (`true`), or charts, settings and numbers (`false`).
    ShowPicture(bool),
    /// Train as fast as the device can (`true`), or so that the run lasts [`STAGE_SECONDS`](update::STAGE_SECONDS).
    Unpaced(bool),
}

/// Where the page shows the moving picture of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StagePlacement {
    /// Nowhere: the run has no picture, or the page shows its charts, settings and numbers.
    #[default]
    Hidden,
    /// On the first screen, in place of charts, settings and numbers.
    FirstScreen,
    /// In a panel above the charts: beside the text of a story, or on a screen of presenter mode.
    Panel,
}

/// Smallest height in CSS pixels for which wide pictures are laid out, with their parts beside each other.
const MIN_WIDE_HEIGHT: f64 = 400.0;

/// Smallest height in CSS pixels for which narrow pictures are laid out, with their parts below each other.
const MIN_NARROW_HEIGHT: f64 = 430.0;

/// Smallest width in CSS pixels of frames for wide pictures, whose parts are beside each other, and of an enlarged strip.
const MIN_ENLARGED_WIDTH: f64 = 660.0;

/// Smallest width in CSS pixels for which wide pictures are laid out; the texts of narrower layouts would overlap.
const MIN_WIDE_WIDTH: f64 = 1130.0;

/// Smallest width in CSS pixels for which wide pictures are laid out where a reader's larger texts need the room.
const MIN_ENLARGED_WIDE_WIDTH: f64 = 930.0;

/// Smallest factor by which a picture is reduced because its frame is low.
const MIN_PICTURE_SCALE: f64 = 0.6;

/// Smallest factor by which a picture is reduced because its frame is narrow, so that fingers still hit its targets.
const MIN_SCALE_OF_WIDTH: f64 = 0.75;

/// Smallest size of the texts of a picture on the screen in CSS pixels.
const MIN_TEXT_SIZE: f32 = 11.0;

/// Largest factor by which texts are enlarged in a picture that is reduced.
const MAX_TEXT_ENLARGEMENT: f32 = 1.35;

/// Estimated width of a letter as a share of its size.
const LETTER_WIDTH: f32 = 0.6;

/// Smallest height in CSS pixels of a strip that is enlarged.
const MIN_STRIP_HEIGHT: f64 = 72.0;

/// Factor by which a picture is drawn larger or smaller than for a screen, in a frame of this size in CSS pixels:
/// `text_scale`, the factor of the page's texts, as far as the frame has room, and below 1 in frames that are low, or wide
/// but not wide enough for parts beside each other, so that the whole picture is seen.
pub fn picture_scale(text_scale: f64, (width, height): (u32, u32)) -> f64 {
    let (width, height) = (f64::from(width), f64::from(height));
    if width < MIN_ENLARGED_WIDTH {
        return (height / MIN_NARROW_HEIGHT).clamp(MIN_PICTURE_SCALE, 1.0);
    }
    let max_of_height = height / MIN_WIDE_HEIGHT;
    let fitting = max_of_height.max(MIN_PICTURE_SCALE).min((width / MIN_WIDE_WIDTH).max(MIN_SCALE_OF_WIDTH));
    match fitting < 1.0 {
        true => fitting,
        false => limit_enlargement(text_scale, width / MIN_ENLARGED_WIDE_WIDTH, max_of_height),
    }
}

/// Enlarges the texts of a picture that is reduced by the factor `scale`, as far as they have room, so that they can still
/// be read on the screen. Numbers that are small by intention, as in small tiles, stay.
pub fn enlarge_texts(scene: &mut Scene, scale: f64) {
    let (legible, width) = (MIN_TEXT_SIZE / scale as f32, scene.width);
    for item in &mut scene.items {
        let Shape::Text { text, at, size, anchor, .. } = &mut item.shape else { continue };
        if *size < MIN_TEXT_SIZE || *size >= legible {
            continue;
        }
        let room = match anchor {
            Anchor::Start => width - at.x,
            Anchor::Middle => 2.0 * at.x.min(width - at.x),
            Anchor::End => at.x,
        };
        let fitting = room / (text.chars().count().max(1) as f32 * LETTER_WIDTH);
        *size = legible.min(MAX_TEXT_ENLARGEMENT * *size).min(fitting).max(*size);
    }
}

/// Factor by which the strip of this size in CSS pixels is enlarged where the page's texts are enlarged by `text_scale`: as
/// far as it has room.
pub fn strip_scale(text_scale: f64, (width, height): (u32, u32)) -> f64 {
    limit_enlargement(text_scale, f64::from(width) / MIN_ENLARGED_WIDTH, f64::from(height) / MIN_STRIP_HEIGHT)
}

/// Factor from 1 up to `text_scale` by which a drawing is enlarged, if its width and its height have room for these factors.
fn limit_enlargement(text_scale: f64, max_of_width: f64, max_of_height: f64) -> f64 {
    text_scale.min(max_of_width).min(max_of_height).max(1.0)
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
    /// Whether the link of the run states that its charts are shown, so that stories and presenter mode show no picture.
    prefers_charts: bool,
    /// Charts that represent the preset of the run best, in order of preference; empty for other runs and for presets
    /// whose default charts do.
    preset_charts: &'static [Chart],
    /// Recorded number of steps of the preset with the settings of the run; `None` for other runs.
    recorded_steps: Option<u64>,
    /// Seconds for which the run has trained while it was shown.
    seconds: u64,
}

#[cfg(test)]
mod tests;
