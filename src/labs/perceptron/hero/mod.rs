//! The picture of a student that learns from a teacher: both weight vectors as arrows in the plane that they span, the
//! inputs on which they disagree as a shaded wedge, and one example that turns the student.
//!
//! # Why
//! The student answers sign(w·x), and inputs have no preferred direction, so the angle between student and teacher alone
//! determines how often the student is wrong: on a share (1/π) arccos R of all inputs, where R is the cosine of the angle.
//! In the plane of both vectors this share is seen: it is the wedge between the two lines on which the answers change.

mod picture;

use super::charts::{error_from_overlap, hebb_overlap, uses_hebb_rule};
use super::probes::teacher_task;
use vivarium_core::math::{dot, norm, normalize, project_out};
use vivarium_model::models::Model;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Batch;
use vivarium_plot::scene::Scene;
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_probability, format_signed, format_thousands};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 1_500.0;

/// Number of held-out examples that are drawn as dots. The examples that are shown or given one by one come after them.
const DOTS: usize = 200;
/// Number of examples that are given at once by the second button.
const BATCH: usize = 100;
/// Largest number of entries of a vector that are drawn as cells.
const MAX_CELLS: usize = 400;
/// Entry of the teacher's weights, which are drawn from N(0, 1), that has a cell of full colour.
const FULL_CELL: f64 = 2.5;
/// Duration of the movement of the student to new weights, and of the growth of the arrow of a nudge, in milliseconds.
const MOVE_MS: f64 = 300.0;
/// Angle by which an arrow key turns the student, in degrees.
const KEY_DEGREES: f64 = 2.0;
/// Angle by which an arrow key turns the student while Shift is held, in degrees.
const FINE_KEY_DEGREES: f64 = 0.2;

/// Whether the lab has a picture of the run: the labels are a linear teacher's, and the student is a linear form.
pub fn has_hero(spec: &RunSpec) -> bool {
    matches!(spec.model, Model::Perceptron(_))
        && teacher_task(spec).is_some()
        && crate::parameters::check_is_small(spec).is_ok()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(TeacherHero::new(spec)?))
}

/// An example, with its projection to the plane of student and teacher.
#[derive(Debug, Clone, Default)]
struct ShownExample {
    /// Inputs, each +1 or −1, `[n]`.
    x: Vec<f32>,
    /// The teacher's answer, +1 or −1.
    label: f32,
    /// Component of x along [`TeacherHero::axis`], and component along the teacher.
    at: [f32; 2],
    /// Time at which the example was shown, in milliseconds.
    since_ms: f64,
}

/// A movement of the student's arrow to its present angle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Turn {
    /// Angle from which the arrow moves, in radians.
    from: f64,
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
}

/// State of the picture of one run.
#[derive(Debug, Clone)]
struct TeacherHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Weights of the teacher, divided by their length, `[n]`.
    teacher: Vec<f64>,
    /// Vector of length 1, orthogonal to the teacher, that spans the plane of student and teacher together with it, `[n]`.
    axis: Vec<f64>,
    /// Weights of the student that is shown, `[n]`: those of the run, or of a what-if by touches.
    student: Vec<f64>,
    /// Angle from the teacher to the student in radians, from −π to π, positive towards [`TeacherHero::axis`]; `None` if the
    /// student's weights are all zero or not finite.
    angle: Option<f64>,
    /// Overlap of the run's own student with the teacher; `None` if it is undefined.
    trained_overlap: Option<f64>,
    /// Whether the shown student is not that of the run but the result of touches.
    is_what_if: bool,
    /// Held-out examples that are drawn as dots.
    dots: Batch,
    /// Component of each dot along the teacher.
    along: Vec<f32>,
    /// Component of each dot along [`TeacherHero::axis`].
    across: Vec<f32>,
    /// The example that is shown.
    example: ShownExample,
    /// Number of the shown example, from 0, among the held-out examples after the dots.
    example_number: usize,
    /// Movement of the student's arrow.
    turn: Turn,
    /// Whether training is Hebb's rule, for which theory predicts the overlap at every step.
    follows_hebb: bool,
    /// Progress of the run.
    progress: StageProgress,
}

/// Scalar product of inputs and a vector.
fn project(x: &[f32], vector: &[f64]) -> f64 {
    x.iter().zip(vector).map(|(x, v)| f64::from(*x) * v).sum()
}

/// A cosine with two decimals and a sign if it is negative: "0.62", "−0.10".
fn format_overlap(overlap: f64) -> String {
    format_signed(overlap as f32, 2).trim_start_matches('+').into()
}

/// The absolute value of an angle in degrees with one decimal: "51.7".
fn format_degrees(angle: f64) -> String {
    format!("{:.1}", angle.to_degrees().abs())
}

impl TeacherHero {
    /// The picture of a run before its first step; `None` if [`has_hero`] is false.
    fn new(spec: &RunSpec) -> Option<TeacherHero> {
        if !has_hero(spec) {
            return None;
        }
        let mut teacher = teacher_task(spec)?.teacher(spec.run.seed);
        normalize(&mut teacher);
        let mut dots = Batch::default();
        spec.task.sampler().append_held_out(spec.run.seed, 0, DOTS, &mut dots);
        let along = dots.x.chunks_exact(teacher.len().max(1)).map(|x| project(x, &teacher) as f32).collect();
        let mut hero = TeacherHero {
            spec: spec.clone(),
            axis: vec![0.0; teacher.len()],
            student: vec![0.0; teacher.len()],
            teacher,
            angle: None,
            trained_overlap: None,
            is_what_if: false,
            dots,
            along,
            across: vec![],
            example: ShownExample::default(),
            example_number: 0,
            turn: Turn { from: 0.0, since_ms: f64::NEG_INFINITY },
            follows_hebb: uses_hebb_rule(spec),
            progress: StageProgress::default(),
        };
        hero.load_example(f64::NEG_INFINITY);
        // Before the student has a direction, the plane is that of the teacher and the first example.
        let first = hero.example.x.iter().map(|x| f64::from(*x)).collect();
        hero.take_axis(first, 1.0);
        if spec.can_page_initialize() {
            let initial = spec.initialize_replicas(1);
            hero.set_weights(StageProgress::default(), &initial, f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Number of inputs n, which is also the number of weights of student and teacher.
    fn input_count(&self) -> usize {
        self.teacher.len()
    }

    /// Takes the part of a vector that is orthogonal to the teacher, times `side` (1 or −1), as the second axis of the
    /// plane. Does nothing if the vector is parallel to the teacher or not finite.
    fn take_axis(&mut self, mut vector: Vec<f64>, side: f64) {
        let length = norm(&vector);
        project_out(&mut vector, &self.teacher);
        let apart = norm(&vector);
        if !length.is_finite() || apart <= 1e-9 * length {
            return;
        }
        vector.iter_mut().for_each(|x| *x *= side / apart);
        self.axis = vector;
        let n = self.input_count().max(1);
        self.across = self.dots.x.chunks_exact(n).map(|x| project(x, &self.axis) as f32).collect();
        self.place_example();
    }

    /// Projects the shown example to the plane.
    fn place_example(&mut self) {
        self.example.at =
            [project(&self.example.x, &self.axis) as f32, project(&self.example.x, &self.teacher) as f32];
    }

    /// Shows the example with the present number.
    fn load_example(&mut self, now_ms: f64) {
        let mut batch = Batch::default();
        let at = DOTS + self.example_number;
        self.spec.task.sampler().append_held_out(self.spec.run.seed, at, 1, &mut batch);
        let label = batch.y.first().copied().unwrap_or(1.0);
        self.example = ShownExample { x: batch.x, label, at: [0.0; 2], since_ms: now_ms };
        self.place_example();
    }

    /// Takes new weights of the student, on the left or right of the teacher in the picture, and moves the arrow there.
    fn take_student(&mut self, weights: Vec<f64>, is_left: bool, now_ms: f64) {
        let side = if is_left { -1.0 } else { 1.0 };
        let (before, length, along) = (self.angle, norm(&weights), dot(&weights, &self.teacher));
        self.take_axis(weights.clone(), side);
        let apart = libm::sqrt((length * length - along * along).max(0.0));
        self.angle = (length.is_finite() && length > 0.0).then(|| side * libm::atan2(apart, along));
        self.student = weights;
        self.turn = Turn { from: before.or(self.angle).unwrap_or(0.0), since_ms: now_ms };
    }

    /// Turns the student within the plane to an angle in radians, without a movement; a student without a direction gets
    /// the length √n of one example.
    fn turn_to(&mut self, angle: f64) {
        let length = match norm(&self.student) {
            length if length.is_finite() && length > 0.0 => length,
            _ => libm::sqrt(self.input_count() as f64),
        };
        let (cos, sin) = (libm::cos(angle), libm::sin(angle));
        let axes = self.teacher.iter().zip(&self.axis);
        self.student = axes.map(|(t, a)| length * (cos * t + sin * a)).collect();
        let angle = libm::atan2(sin, cos);
        self.angle = Some(angle);
        self.turn = Turn { from: angle, since_ms: f64::NEG_INFINITY };
        self.is_what_if = true;
    }

    /// Factor on an example's inputs by which a gradient step on this example alone changes the student's weights, given
    /// the label and the student's output w·x.
    fn step_factor(&self, label: f64, output: f64) -> f64 {
        let last = self.spec.run.steps.saturating_sub(1);
        -self.spec.learning_rate(self.progress.step.min(last)) * self.spec.run.loss.derivative(label, output)
    }

    /// Gives the student the shown example and the `count` − 1 following ones, one after the other, and shows the next.
    fn give(&mut self, count: usize, now_ms: f64) {
        let mut examples = Batch { x: self.example.x.clone(), y: vec![self.example.label] };
        let (after, more) = (DOTS + self.example_number + 1, count.saturating_sub(1));
        self.spec.task.sampler().append_held_out(self.spec.run.seed, after, more, &mut examples);
        let mut student = self.student.clone();
        for (x, label) in examples.x.chunks_exact(self.input_count().max(1)).zip(&examples.y) {
            let factor = self.step_factor(f64::from(*label), project(x, &student));
            student.iter_mut().zip(x).for_each(|(w, x)| *w += factor * f64::from(*x));
        }
        let is_left = self.angle.is_some_and(|angle| angle < 0.0);
        self.take_student(student, is_left, now_ms);
        self.is_what_if = true;
        self.example_number += count;
        self.load_example(now_ms);
    }

    /// Overlap R of the shown student and the teacher: the cosine of their angle; `None` if it is undefined.
    fn overlap(&self) -> Option<f64> {
        self.angle.map(libm::cos)
    }

    /// Share of all inputs on which the shown student is wrong, (1/π) arccos R; `None` if it is undefined.
    fn error(&self) -> Option<f64> {
        self.overlap().map(error_from_overlap)
    }

    /// Overlap that theory predicts for Hebb's rule after the run's steps; `None` for other rules, before the first step
    /// and for a what-if.
    fn theoretical_overlap(&self) -> Option<f64> {
        let examples = self.progress.step as f64 * self.spec.batch_size() as f64;
        let applies = self.follows_hebb && !self.is_what_if && self.progress.step > 0;
        applies.then(|| hebb_overlap(examples / self.input_count().max(1) as f64))
    }

    /// The student's output w·x on the shown example.
    fn output(&self) -> f64 {
        project(&self.example.x, &self.student)
    }

    /// Number of dots on which the answer of the shown student is not the teacher's; `None` if it has no direction.
    fn wrong_dot_count(&self) -> Option<usize> {
        let angle = self.angle?;
        let (cos, sin) = (libm::cos(angle) as f32, libm::sin(angle) as f32);
        let dots = self.along.iter().zip(&self.across).zip(&self.dots.y);
        Some(dots.filter(|((along, across), label)| (*along * cos + *across * sin) * **label <= 0.0).count())
    }

    /// Overlap, angle and error in words.
    fn describe_angle(&self) -> String {
        let (Some(overlap), Some(angle), Some(error)) = (self.overlap(), self.angle, self.error()) else {
            return match self.has_diverged() {
                true => tr!("The student has no direction: its weights are not finite.").into(),
                false => tr!("The student has no direction yet.").into(),
            };
        };
        tr!(
            "R {overlap}, angle {angle}°, errs on about {error}.",
            overlap = format_overlap(overlap),
            angle = format_degrees(angle),
            error = format_probability(error)
        )
    }

    /// The answers of teacher and student to the shown example, and whether they agree.
    fn describe_answers(&self) -> String {
        let (label, output) = (format_signed(self.example.label, 0), self.output());
        let answer = format_signed(if output > 0.0 { 1.0 } else { -1.0 }, 0);
        match output * f64::from(self.example.label) {
            agreement if agreement > 0.0 => tr!("teacher {label}, student {answer}: right", label, answer),
            agreement if agreement < 0.0 => tr!("teacher {label}, student {answer}: wrong", label, answer),
            _ => tr!("teacher {label}, student: no answer", label),
        }
    }

    /// Carries out [`TeacherHero::give`] and says by which angle the student turned.
    fn give_and_describe(&mut self, count: usize, now_ms: f64) -> String {
        let before = self.angle;
        self.give(count, now_ms);
        let state = self.describe_angle();
        match (before, self.angle, count) {
            (Some(before), Some(after), 1) => tr!(
                "The example changed the angle to the teacher by {turned}°. {state}",
                turned = format_degrees(after - before),
                state
            ),
            (Some(before), Some(after), _) => tr!(
                "{count} examples changed the angle to the teacher by {turned}°. {state}",
                count,
                turned = format_degrees(after - before),
                state
            ),
            _ => state,
        }
    }
}

impl Hero for TeacherHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        let Some(weights) = weights.first().filter(|weights| weights.len() == self.input_count()) else {
            return;
        };
        self.progress = progress;
        self.is_what_if = false;
        self.take_student(weights.iter().map(|w| f64::from(*w)).collect(), false, now_ms);
        self.trained_overlap = self.overlap();
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        self.example_number += 1;
        self.load_example(now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        match (key, touch) {
            (picture::STUDENT, Touch::Drag(to)) => {
                let angle = picture::Layout::new(frame).angle_of(to)?;
                self.turn_to(angle);
                Some(self.describe_angle())
            }
            (picture::STUDENT, Touch::Nudge { x, y, fine }) => {
                let direction = f64::from(if x == 0.0 { y } else { x });
                if !direction.is_finite() || direction == 0.0 {
                    return None;
                }
                let step = if fine { FINE_KEY_DEGREES } else { KEY_DEGREES };
                let from = self.angle.unwrap_or(std::f64::consts::FRAC_PI_2);
                self.turn_to(from + direction * step.to_radians());
                Some(self.describe_angle())
            }
            (picture::GIVE_ONE, Touch::Press) => Some(self.give_and_describe(1, frame.now_ms)),
            (picture::GIVE_BATCH, Touch::Press) => Some(self.give_and_describe(BATCH, frame.now_ms)),
            (picture::FORGET, Touch::Press) => {
                self.take_student(vec![0.0; self.input_count()], false, frame.now_ms);
                self.is_what_if = true;
                Some(tr!("All weights of the student are 0. The next example gives it a direction.").into())
            }
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        !norm(&self.student).is_finite()
    }

    fn own_headline(&self) -> String {
        let error = self.error().map(format_probability);
        match (error, self.is_what_if) {
            (Some(error), true) if self.progress.has_ended => {
                tr!(
                    "Your student errs on about {error}. Turn it again, or give it {count} examples.",
                    error,
                    count = BATCH
                )
            }
            (Some(error), true) => {
                tr!("What if? This student errs on about {error}. The run's next step replaces it.", error)
            }
            (None, true) => tr!("The student has forgotten everything. Give it an example.").into(),
            (None, false) => tr!("The student knows nothing yet. Give it an example, or turn it.").into(),
            (Some(_), false) if self.progress.has_ended => {
                tr!("Turn the student: at 90° from the teacher it errs on half of all inputs.").into()
            }
            (Some(_), false) => {
                tr!("A student turns towards its teacher. Turn it yourself, or give it an example.").into()
            }
        }
    }

    fn own_description(&self) -> String {
        let mut sentences = vec![
            tr!("Step {step}.", step = format_thousands(self.progress.step)),
            self.describe_angle(),
            tr!("The shown example: {answers}.", answers = self.describe_answers()),
        ];
        if let Some(wrong) = self.wrong_dot_count() {
            let count = self.along.len();
            sentences.push(tr!(
                "{wrong} of the {count} dots are in the shaded wedge, where the student is wrong.",
                wrong,
                count
            ));
        }
        if let Some(overlap) = self.theoretical_overlap() {
            let overlap = format_overlap(overlap);
            sentences.push(tr!("Theory predicts the overlap {overlap}.", overlap));
        }
        if self.is_what_if {
            let words = match self.progress.has_ended {
                true => tr!("This student is a what-if, and not the run's."),
                false => tr!("This student is a what-if: the next weights of the run replace it."),
            };
            sentences.push(words.into());
        }
        sentences.join(" ")
    }

    fn inner_progress(&self) -> Option<f32> {
        self.trained_overlap.map(|overlap| overlap.max(0.0) as f32)
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("overlap R with the teacher")
    }
}

#[cfg(test)]
mod tests;
