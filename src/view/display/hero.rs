//! The picture on a lab's first screen: the run's own data, network and answer, which move and can be touched.
//!
//! # Why
//! A hero is plain data and pure functions: from weights, touches and a time it computes a scene and sentences. So tests
//! play it natively, and a canvas of the page, a file and a screen reader show the same numbers.

use std::fmt;

use vivarium_model::run::RunSpec;
use vivarium_plot::scene::{Point, Scene};

/// Size and time for which a hero computes a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Width of the picture in CSS pixels.
    pub width: f32,
    /// Height of the picture in CSS pixels.
    pub height: f32,
    /// Time in milliseconds; only differences matter.
    pub now_ms: f64,
    /// Whether the user asked for reduced motion: then nothing moves by itself, and changes are cuts.
    pub is_still: bool,
}

impl Frame {
    /// Whether the picture is as narrow as a phone, so that its parts are below each other.
    pub fn is_narrow(&self) -> bool {
        self.width < 640.0
    }

    /// Share of a movement of `duration_ms` milliseconds that began at `since_ms`, from 0 to 1 with rest at both ends; 1
    /// under reduced motion.
    pub fn moved(&self, since_ms: f64, duration_ms: f64) -> f32 {
        match self.is_still {
            true => 1.0,
            false => vivarium_plot::scene::smooth(((self.now_ms - since_ms) / duration_ms) as f32),
        }
    }
}

/// Action of the user on a target of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Touch {
    /// The target was pressed: by a pointer, or with Space or Enter.
    Press,
    /// The target was dragged to this position of the scene.
    Drag(Point),
    /// An arrow key was pressed on the target: direction, each coordinate −1, 0 or 1, and whether steps are fine.
    Nudge {
        /// Horizontal direction: −1 left, 1 right.
        x: f32,
        /// Vertical direction: −1 up, 1 down.
        y: f32,
        /// Whether Shift was held, which asks for small steps.
        fine: bool,
    },
}

/// State of the run that a hero shows besides its weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StageProgress {
    /// Training steps completed.
    pub step: u64,
    /// Whether the run has ended: at its last step, or because its target was reached.
    pub has_ended: bool,
    /// Whether the first replica, whose weights the picture shows, has reached the target of the run.
    pub has_succeeded: bool,
}

/// A lab's picture of one run. The page gives it weights and touches and asks it for scenes.
///
/// All methods are cheap enough for one frame of the page, 16 ms, together.
pub trait Hero {
    /// Takes the parameters of the first replica after the steps of `progress`, one vector per tensor in the order of
    /// `RunSpec::parameters`; empty if the lab's picture needs none. Called whenever newer weights are known, and with
    /// older ones when the user goes back.
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64);

    /// Shows the next example, as the page asks regularly until the user touches the picture.
    fn show_next_example(&mut self, now_ms: f64);

    /// Carries out a touch on the target with this key; returns a sentence on its effect for screen readers, or `None` if
    /// nothing changed.
    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String>;

    /// The picture at the time of the frame.
    fn scene(&self, frame: &Frame) -> Scene;

    /// The sentence above the picture of a run that has not diverged: what the network does, and what to touch. The
    /// sentence changes when the run has ended.
    fn own_headline(&self) -> String;

    /// A description of the picture at this moment for screen readers: example, answer, and what stands out.
    fn own_description(&self) -> String;

    /// Whether weights or outputs of the shown network are not finite, because training has diverged.
    fn has_diverged(&self) -> bool {
        false
    }

    /// The sentence above the picture: [`Hero::own_headline`], or that the run has diverged.
    fn headline(&self) -> String {
        match self.has_diverged() {
            true => {
                tr!("The run has diverged: its numbers are no longer finite. Try a smaller learning rate.")
                    .into()
            }
            false => self.own_headline(),
        }
    }

    /// The description for screen readers: [`Hero::own_description`], after a sentence on the divergence if the run has
    /// diverged.
    fn describe(&self) -> String {
        let description = self.own_description();
        match self.has_diverged() {
            true => {
                tr!("The run has diverged: its numbers are no longer finite. {description}", description)
            }
            false => description,
        }
    }

    /// A number from 0 to 1 that shows progress inside the network before the loss does, computed from the latest weights,
    /// such as the share of the weights on the relevant inputs; `None` if the lab has no such number.
    fn inner_progress(&self) -> Option<f32> {
        None
    }

    /// Time in milliseconds after which the page shows the next example, while nobody touches the picture: long enough to
    /// read an example. Pictures that execute their run step by step set their own pace with it.
    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_INTERVAL_MS
    }

    /// Step of the run that the picture shows, if it executes the run itself; `None` if it shows the step of the weights
    /// that it was given last.
    fn own_step(&self) -> Option<u64> {
        None
    }

    /// Shows a step of the run, in pictures that have an [own step](Hero::own_step).
    fn go_to_step(&mut self, _step: u64, _now_ms: f64) {}

    /// Label of the button that starts the same run with another seed: "New secret".
    fn new_run_label(&self) -> &'static str {
        tr!("New run")
    }

    /// Name of [`Hero::inner_progress`] for the legend of the curve: "weight on the secret bits".
    fn inner_progress_name(&self) -> &'static str {
        ""
    }
}

impl fmt::Debug for dyn Hero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hero")
    }
}

/// Creates the hero of a run with these settings; `None` if the lab has no picture for such a run.
pub type NewHero = fn(&RunSpec) -> Option<Box<dyn Hero>>;

/// Default of [`Hero::example_interval_ms`].
pub const EXAMPLE_INTERVAL_MS: f64 = 600.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movement_ends_and_is_a_cut_without_motion() {
        let frame = Frame { width: 600.0, height: 400.0, now_ms: 1400.0, is_still: false };
        assert_eq!(
            [frame.moved(1400.0, 800.0), frame.moved(1000.0, 800.0), frame.moved(0.0, 800.0)],
            [0.0, 0.5, 1.0]
        );
        assert_eq!(Frame { is_still: true, ..frame }.moved(1400.0, 800.0), 1.0);
        assert!(frame.is_narrow() && !Frame { width: 1000.0, ..frame }.is_narrow());
    }
}
