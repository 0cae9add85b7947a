//! The scenes of a lab's tile: its moving picture at some steps of a recorded run, then on further examples.
//!
//! # Why
//! The page could train thirteen networks for its gallery, but most visitors have one processor for them. So the command
//! line trains each run once, and the page draws what the picture showed. The steps are chosen as for a replay on the first
//! screen, where a sudden change of the weights gets as much time as a long plateau. The example stays the same while
//! the weights change, so that a tile shows training, and changes where nothing else does.

use vivarium_labs::lazy_lab;
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::animation::encode_scenes;
use vivarium_plot::scene::{Scene, Shape};
use vivarium_view::display::hero::{Frame, Hero};

use crate::stage::tape::{Tape, TapeFrame};

/// Number of recorded scenes of a tile.
pub const SCENES: usize = 16;
/// Largest number of scenes of a tile that show different steps of training; the others show further examples.
const TRAINING_SCENES: usize = 12;
/// Width and height of a recorded picture in CSS pixels, as on a small laptop.
pub const SCENE_SIZE: (f32, f32) = (900.0, 420.0);
/// Time between two scenes in milliseconds, after which every movement of the picture has ended.
const PAUSE_MS: f64 = 10_000.0;
/// Largest number of examples that are tried until a scene differs from the scene before it.
const MAX_EXAMPLES: usize = 40;

/// The recorded weights that a tile shows, oldest first.
fn choose_frames(tape: &Tape) -> Vec<&TapeFrame> {
    let at = |scene: usize| tape.replay_frame(scene as f64 / (TRAINING_SCENES - 1) as f64);
    let mut frames: Vec<&TapeFrame> = (0..TRAINING_SCENES - 1).filter_map(at).collect();
    frames.extend(tape.frames().last());
    frames.dedup_by_key(|frame| frame.progress.step);
    frames
}

/// Picture from which scenes are recorded one after another.
struct Recorder {
    /// The lab's picture of the run.
    hero: Box<dyn Hero>,
    /// Present time in milliseconds.
    now_ms: f64,
    /// Recorded scenes.
    scenes: Vec<Scene>,
}

impl Recorder {
    /// Shows the next example, or the next step in a picture that executes the run itself.
    fn show_next(&mut self) {
        match self.hero.own_step() {
            Some(step) => {
                self.hero.go_to_step(step + 1, self.now_ms);
                if self.hero.own_step() == Some(step) {
                    // At the end the picture begins again.
                    self.hero.show_next_example(self.now_ms);
                }
            }
            None => self.hero.show_next_example(self.now_ms),
        }
    }

    /// The picture after all its movements, without texts and targets.
    fn draw(&mut self) -> Scene {
        self.now_ms += PAUSE_MS;
        let (width, height) = SCENE_SIZE;
        let mut scene = self.hero.scene(&Frame { width, height, now_ms: self.now_ms, is_still: true });
        scene.items.retain(|item| !matches!(item.shape, Shape::Text { .. }));
        scene.targets.clear();
        scene
    }

    /// Records the picture, with the next example that changes it if it is the same as in the scene before.
    fn record(&mut self) {
        let encode = |scene: &Scene| encode_scenes(std::slice::from_ref(scene));
        let before = self.scenes.last().map(encode);
        let mut scene = self.draw();
        for _ in 0..MAX_EXAMPLES {
            // Two scenes that differ by less than the file stores look the same.
            if before.as_ref() != Some(&encode(&scene)) {
                break;
            }
            self.show_next();
            scene = self.draw();
        }
        self.scenes.push(scene);
    }
}

/// The [`SCENES`] scenes of the tile of a run whose weights were recorded on the tape, without texts and targets; `None` if
/// the lab has no picture of the run.
pub fn record_scenes(spec: &RunSpec, tape: &Tape) -> Option<Vec<Scene>> {
    let hero = (lazy_lab(spec).hero)(spec)?;
    let mut recorder = Recorder { hero, now_ms: 0.0, scenes: vec![] };
    for frame in choose_frames(tape) {
        recorder.hero.set_weights(frame.progress, &frame.weights, recorder.now_ms);
        recorder.record();
    }
    while recorder.scenes.len() < SCENES {
        recorder.show_next();
        recorder.record();
    }
    Some(recorder.scenes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::find_preset;
    use vivarium_plot::scene::animation::{Animation, Moment};
    use vivarium_view::display::hero::StageProgress;

    /// Progress of a run after `step` steps.
    fn after(step: u64) -> StageProgress {
        StageProgress { step, ..Default::default() }
    }

    /// A tape of weights that grow, for a run.
    fn tape(spec: &RunSpec) -> Tape {
        let mut tape = Tape::default();
        let initial = spec.initialize_replicas(1);
        for step in 0..=30 {
            let grown = |tensor: &Vec<f32>| tensor.iter().map(|w| w * (1.0 + step as f32)).collect();
            tape.push(after(step), initial.iter().map(grown).collect(), None);
        }
        tape
    }

    #[test]
    fn scenes_show_training_then_examples_and_each_differs_from_the_one_before() {
        let spec = find_preset("parity-20").unwrap().link().spec;
        let tape = tape(&spec);
        let frames: Vec<u64> = choose_frames(&tape).iter().map(|frame| frame.progress.step).collect();
        assert_eq!((frames.first(), frames.last()), (Some(&0), Some(&30)));
        assert!((6..=TRAINING_SCENES).contains(&frames.len()), "{frames:?}");
        let scenes = record_scenes(&spec, &tape).unwrap();
        assert_eq!(scenes.len(), SCENES);
        let text = encode_scenes(&scenes);
        let animation = Animation::decode(&text).unwrap();
        assert_eq!((animation.scene_count(), animation.width(), animation.height()), (16, 900.0, 420.0));
        let shown = |scene: usize| animation.scene_at(Moment { scene, share: 1.0 }, 1.0);
        assert!((1..SCENES).all(|scene| shown(scene) != shown(scene - 1)));
        assert_eq!(
            encode_scenes(&record_scenes(&spec, &tape).unwrap()),
            text,
            "the same tape gives the same file"
        );
    }

    #[test]
    fn a_picture_that_executes_its_run_shows_one_step_after_another() {
        let spec = find_preset("beaver-machine").unwrap().link().spec;
        let mut recorder =
            Recorder { hero: (lazy_lab(&spec).hero)(&spec).unwrap(), now_ms: 0.0, scenes: vec![] };
        let first = recorder.hero.own_step().unwrap();
        for step in 1..5 {
            recorder.show_next();
            assert_eq!(recorder.hero.own_step(), Some(first + step));
        }
        let scenes = record_scenes(&spec, &Tape::default()).unwrap();
        assert_eq!(scenes.len(), SCENES);
        assert!(scenes.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
