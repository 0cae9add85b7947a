//! Weights recorded along a run for its moving picture, thinned to a fixed amount of memory.

use std::sync::Arc;

use vivarium_view::display::hero::StageProgress;

/// Most bytes of weights that a tape keeps.
pub const MAX_TAPE_BYTES: usize = 8 << 20;

/// Largest number of frames of a tape, whatever their size.
const MAX_FRAMES: usize = 600;

/// Weight of a gap in time, as a share of the run, against a change of the weights, as a share of their size, when a frame
/// is dropped.
const TIME_WEIGHT: f32 = 0.05;

/// The weights of the first replica at one step of the run.
#[derive(Debug, Clone)]
pub struct TapeFrame {
    /// Step at which the weights were read, and the state of the run then.
    pub progress: StageProgress,
    /// Parameter tensors of the first replica.
    pub weights: Arc<Vec<Vec<f32>>>,
    /// Progress inside the network at this step, from 0 to 1; `None` if the lab has no such number.
    pub inner_progress: Option<f32>,
    /// Distance from the weights of the frame before it, as a share of their size; 0 for the first frame.
    change: f32,
    /// Distance of the weights from the straight line between those of the frames before and after, as a share of their
    /// size: what is lost when the frame is dropped.
    loss_if_dropped: f32,
}

/// Weights recorded along a run, oldest first. When memory is used up, the frame is dropped that is nearest to the straight
/// line between its neighbours: sudden changes are kept, and the first and the last frame always are.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    /// The frames, oldest first.
    frames: Vec<TapeFrame>,
}

impl Tape {
    /// The frames, oldest first.
    pub fn frames(&self) -> &[TapeFrame] {
        &self.frames
    }

    /// Adds the weights after the steps of `progress`. Frames of this step or later ones are replaced: the run was resumed
    /// from there.
    pub fn push(&mut self, progress: StageProgress, weights: Vec<Vec<f32>>, inner_progress: Option<f32>) {
        self.frames.retain(|frame| frame.progress.step < progress.step);
        let bytes = weights.iter().map(|tensor| 4 * tensor.len()).sum::<usize>().max(1);
        let before = self.frames.last();
        let change = before.map_or(0.0, |before| relative_change(&before.weights, &weights));
        self.frames.push(TapeFrame {
            change,
            progress,
            weights: Arc::new(weights),
            inner_progress,
            loss_if_dropped: f32::INFINITY,
        });
        self.update_loss(self.frames.len().saturating_sub(2));
        let most = (MAX_TAPE_BYTES / bytes).clamp(2, MAX_FRAMES);
        while self.frames.len() > most {
            let inner = 1..self.frames.len() - 1;
            let least = inner.min_by(|a, b| {
                // Among frames on one line, those close together in time are dropped first.
                let last = self.frames.last().map_or(1, |frame| frame.progress.step.max(1)) as f32;
                let loss = |at: usize| {
                    let step = |at: usize| self.frames[at].progress.step;
                    self.frames[at].loss_if_dropped
                        + TIME_WEIGHT * (step(at + 1) - step(at - 1)) as f32 / last
                };
                loss(*a).total_cmp(&loss(*b))
            });
            let Some(at) = least else { break };
            self.frames.remove(at);
            if let Some([before, after]) = self.frames.get_mut(at - 1..=at) {
                after.change = relative_change(&before.weights, &after.weights);
            }
            self.update_loss(at.saturating_sub(1));
            self.update_loss(at);
        }
    }

    /// Marks the last frame as the end of the run.
    pub fn end(&mut self, progress: StageProgress) {
        if let Some(last) = self.frames.last_mut() {
            last.progress.has_ended = progress.has_ended;
            last.progress.has_succeeded = progress.has_succeeded;
        }
    }

    /// Computes what is lost when the frame with this index is dropped; nothing can replace the first and the last frame.
    fn update_loss(&mut self, at: usize) {
        let loss = match at.checked_sub(1).and_then(|before| self.frames.get(before..before + 3)) {
            Some([before, here, after]) => distance_from_line(before, here, after),
            _ => f32::INFINITY,
        };
        if let Some(frame) = self.frames.get_mut(at) {
            frame.loss_if_dropped = loss;
        }
    }

    /// The latest frame at or before this step; the first frame if there is none.
    pub fn frame_at(&self, step: u64) -> Option<&TapeFrame> {
        let after = self.frames.partition_point(|frame| frame.progress.step <= step);
        self.frames.get(after.saturating_sub(1))
    }

    /// The frame at a share of the duration of a replay, from 0 to 1. Half of the duration is divided evenly among the
    /// steps, half among the changes of the weights, so that a sudden change can be watched.
    pub fn replay_frame(&self, share: f64) -> Option<&TapeFrame> {
        let last = self.frames.last()?.progress.step.max(1) as f64;
        let changes = || self.frames.iter().skip(1).map(|frame| f64::from(frame.change));
        let all = changes().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut changed = 0.0;
        let mut found = self.frames.first();
        for (frame, change) in self.frames.iter().skip(1).zip(changes()) {
            changed += change;
            if 0.5 * frame.progress.step as f64 / last + 0.5 * changed / all > share {
                break;
            }
            found = Some(frame);
        }
        found
    }
}

/// Euclidean distance between two lists of tensors, as a share of the norm of the second; 0 for numbers that are not
/// finite.
fn relative_change(from: &[Vec<f32>], to: &[Vec<f32>]) -> f32 {
    let (mut apart, mut size) = (0.0f32, 0.0f32);
    for (a, b) in from.iter().flatten().zip(to.iter().flatten()) {
        apart += (a - b) * (a - b);
        size += b * b;
    }
    let share = (apart / size.max(f32::MIN_POSITIVE)).sqrt();
    if share.is_finite() { share } else { 0.0 }
}

/// Distance of the weights of `here` from the straight line between those of its neighbours at its step, as a share of
/// their norm.
fn distance_from_line(before: &TapeFrame, here: &TapeFrame, after: &TapeFrame) -> f32 {
    let steps = after.progress.step.saturating_sub(before.progress.step).max(1) as f32;
    let share = here.progress.step.saturating_sub(before.progress.step) as f32 / steps;
    let (mut apart, mut size) = (0.0f32, 0.0f32);
    let numbers = before.weights.iter().flatten().zip(here.weights.iter().flatten());
    for ((a, b), c) in numbers.zip(after.weights.iter().flatten()) {
        let between = a + (c - a) * share;
        apart += (b - between) * (b - between);
        size += b * b;
    }
    let distance = (apart / size.max(f32::MIN_POSITIVE)).sqrt();
    if distance.is_finite() { distance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes weights that are constant but for a change within ten steps around step 5000.
    fn tape(numbers: usize) -> Tape {
        let mut tape = Tape::default();
        for step in (0..=10_000).step_by(5) {
            let value = ((step as f32 - 4995.0) / 10.0).clamp(0.0, 1.0) + 1.0;
            tape.push(
                StageProgress { step, ..Default::default() },
                vec![vec![value; numbers]],
                Some(value - 1.0),
            );
        }
        tape
    }

    #[test]
    fn memory_is_bounded_and_a_sudden_change_is_kept() {
        let tape = tape(100_000);
        let steps: Vec<u64> = tape.frames().iter().map(|frame| frame.progress.step).collect();
        assert_eq!(steps.len(), MAX_TAPE_BYTES / 400_000);
        assert_eq!((steps.first(), steps.last()), (Some(&0), Some(&10_000)));
        assert!(steps.contains(&4995) && steps.contains(&5005), "{steps:?}");
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 2000), "{steps:?}");
    }

    #[test]
    fn a_resumed_run_replaces_what_came_later() {
        let mut tape = tape(1);
        tape.push(StageProgress { step: 300, ..Default::default() }, vec![vec![9.0]], None);
        assert_eq!(tape.frames().last().unwrap().weights[0], [9.0]);
        assert!(tape.frames().iter().all(|frame| frame.progress.step <= 300));
        assert!((200..300).contains(&tape.frame_at(299).unwrap().progress.step));
        assert_eq!(tape.frame_at(1000).unwrap().progress.step, 300);
        assert!(Tape::default().frame_at(3).is_none());
    }

    #[test]
    fn half_of_a_replay_shows_the_changes() {
        let tape = tape(1);
        let step = |share| tape.replay_frame(share).unwrap().progress.step;
        assert_eq!((step(0.0), step(1.0)), (0, 10_000));
        // A quarter of the time until the change, half in it, a quarter after it.
        assert!(step(0.24) < 4995 && (4995..=5005).contains(&step(0.5)) && step(0.76) > 5000);
        assert!(Tape::default().replay_frame(0.5).is_none());
    }

    #[test]
    fn weights_that_are_not_numbers_are_kept_without_a_panic() {
        let mut tape = Tape::default();
        for step in 0..700 {
            tape.push(StageProgress { step, ..Default::default() }, vec![vec![f32::NAN]], None);
        }
        assert_eq!(tape.frames().len(), MAX_FRAMES);
        assert!(tape.replay_frame(0.3).is_some());
    }
}
