//! The picture of a run whose network executes a program: a grid of cells with a walking head, the program with the line
//! that runs, and the answer. The cells of the test input can be flipped, and the time can be moved.

mod course;
mod picture;

use std::cell::Cell;

use super::panel::listing::{ProgramLine, find_rule_line, split_lines};
use super::panel::sentences::format_label;
use course::{Course, Machine};
use vivarium_model::models::recurrent_conv::Chosen;
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::Scene;
use vivarium_view::display::hero::{EXAMPLE_INTERVAL_MS, Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_thousands, join_list};

/// Longest duration of a step in the picture, in milliseconds.
const STEP_MS: f64 = 250.0;
/// Number of calls of `show_next_example` in which a program is executed, at most: about 45 seconds.
const MAX_CALLS: usize = 75;
/// Smallest number of steps that one call of `show_next_example` executes.
const MIN_STEPS_PER_CALL: usize = 2;
/// Time for which the end of an execution is shown before the next test input, in milliseconds.
const REST_MS: f64 = 1_800.0;
/// Number of steps by which the up and down keys move the time.
const NUDGE: f64 = 10.0;

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    course::drawable_program(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(ProgramHero::new(spec)?))
}

/// The movement of the picture through the times of an execution.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Play {
    /// Time of the execution at which the movement begins, in steps of the run.
    from: usize,
    /// Time of the execution at which the movement ends.
    to: usize,
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
    /// Duration of a step, in milliseconds.
    step_ms: f64,
}

impl Play {
    /// No movement, at a time of the execution.
    fn still(time: usize) -> Play {
        Play { from: time, to: time, since_ms: f64::NEG_INFINITY, step_ms: STEP_MS }
    }

    /// Time of the execution that is shown, and the share of the next step that is done, from 0 to 1.
    fn position(&self, now_ms: f64, is_still: bool) -> (usize, f32) {
        if is_still || self.to <= self.from {
            return (self.to, 0.0);
        }
        let passed = ((now_ms - self.since_ms) / self.step_ms).clamp(0.0, (self.to - self.from) as f64);
        let whole = libm::floor(passed);
        (self.from + whole as usize, (passed - whole) as f32)
    }

    /// Time at which the movement ends, in milliseconds.
    fn end_ms(&self) -> f64 {
        self.since_ms + self.to.saturating_sub(self.from) as f64 * self.step_ms
    }
}

/// State of the picture of one run that executes a program.
#[derive(Debug, Clone)]
struct ProgramHero {
    /// The program and the examples.
    machine: Machine,
    /// The lines of the program's text.
    lines: Vec<ProgramLine>,
    /// The execution for the test input of the run.
    own: Course,
    /// The execution that is shown.
    course: Course,
    /// For each input, the answer to the shown test input with this input flipped.
    flips: Vec<Option<i8>>,
    /// Number of the shown test input; 0 is the one of the run.
    example: u64,
    /// Index of the input that was flipped last, and the time of the touch in milliseconds.
    flipped: Option<(usize, f64)>,
    /// Movement through the execution.
    play: Play,
    /// Whether the user has stopped the movement.
    is_paused: bool,
    /// Whether the user has moved the time, so that the picture does not follow the run.
    is_taken_over: bool,
    /// Progress of the run.
    progress: StageProgress,
    /// Time of the execution in the latest scene, which descriptions are about.
    seen: Cell<usize>,
}

impl ProgramHero {
    /// The picture before the first step of a run; `None` if the lab has none.
    fn new(spec: &RunSpec) -> Option<ProgramHero> {
        let machine = Machine::new(spec)?;
        let own = machine.execute(&machine.test_input(0))?;
        let mut hero = ProgramHero {
            lines: split_lines(machine.net.text()),
            course: own.clone(),
            own,
            flips: vec![],
            example: 0,
            flipped: None,
            play: Play::still(0),
            is_paused: false,
            is_taken_over: false,
            progress: StageProgress::default(),
            seen: Cell::new(0),
            machine,
        };
        hero.flips = hero.compute_flips();
        Some(hero)
    }

    /// The answers to the shown test input with each one of its entries flipped.
    fn compute_flips(&self) -> Vec<Option<i8>> {
        let mut query = self.course.query.clone();
        let flip = |at: usize| {
            query[at] = -query[at];
            let answer = self.machine.answer(&query);
            query[at] = -query[at];
            answer
        };
        (0..self.course.query.len()).map(flip).collect()
    }

    /// Shows the execution for another test input.
    fn show(&mut self, course: Course) {
        self.course = course;
        self.flips = self.compute_flips();
    }

    /// Number of steps that one call of `show_next_example` executes.
    fn steps_per_call(&self) -> usize {
        self.course.layers().div_ceil(MAX_CALLS).max(MIN_STEPS_PER_CALL)
    }

    /// Duration of a step, in milliseconds.
    fn step_ms(&self) -> f64 {
        (EXAMPLE_INTERVAL_MS / self.steps_per_call() as f64).min(STEP_MS)
    }

    /// Whether the picture shows the step of the run: while the run writes its table or executes its program, unless the
    /// user has moved the time.
    fn is_following(&self) -> bool {
        let StageProgress { step, has_ended, .. } = self.progress;
        !self.is_taken_over && !has_ended && (1..self.course.total() as u64).contains(&step)
    }

    /// Moves on from a time to the end of the execution, or stays there if the user has stopped the movement or the run
    /// gives the time.
    fn play_from(&mut self, time: usize, frame: &Frame) {
        self.play = match self.is_paused || self.is_following() {
            true => Play::still(time),
            false => {
                Play { from: time, to: self.course.total(), since_ms: frame.now_ms, step_ms: self.step_ms() }
            }
        };
        self.seen.set(self.play.position(frame.now_ms, frame.is_still).0);
    }

    /// Number of the program's line, from 1, that the next layer applies at a time; `None` if it applies none.
    fn line_at(&self, time: usize) -> Option<usize> {
        let (moment, program) = (self.course.moment(time)?, &self.machine.program);
        find_rule_line(
            self.machine.net.text(),
            program,
            program.state_name(moment.state),
            program.symbol_name(moment.read),
        )
    }

    /// Sentences on a time of the execution: layer, line, cell, and which columns were rejected.
    fn describe_time(&self, time: usize) -> String {
        let (rows, course) = (self.course.rows, &self.course);
        let Some(moment) = course.moment(time) else {
            return tr!("SGD has written {count} of {rows} rows of the table.", count = time.min(rows), rows);
        };
        let layer = format_thousands((time - rows) as u64);
        let mut text = match self.line_at(time).and_then(|line| self.lines.get(line - 1)) {
            Some(line) => tr!(
                "Layer {layer} of {layers}, line {line}: {rule}. The head reads {symbol} in row {row}, column {column}.",
                layer,
                layers = format_thousands(course.layers() as u64),
                line = line.number,
                rule = line.rule,
                symbol = self.machine.program.symbol_name(moment.read),
                row = moment.head.0,
                column = moment.head.1
            ),
            None if course.is_halting => tr!("The program has halted in layer {layer}.", layer),
            None => tr!("The program has stopped in layer {layer}.", layer),
        };
        let rejected = course.rejected(time);
        if !rejected.is_empty() {
            let columns: Vec<String> = rejected.iter().map(ToString::to_string).collect();
            text += " ";
            text += &match self.machine.net.program {
                Chosen::Parity => tr!("Columns without a pivot: {columns}.", columns = join_list(&columns)),
                _ => tr!("Rejected columns: {columns}.", columns = join_list(&columns)),
            };
        }
        text
    }

    /// A sentence on the answer at the end of the execution and the label.
    fn describe_answer(&self) -> String {
        let label = format_label(self.course.label);
        match self.course.answer.map(format_label) {
            Some(answer) => tr!(
                "The program answers {answer} in layer {layers}; the label is {label}.",
                answer,
                layers = format_thousands(self.course.layers() as u64),
                label
            ),
            None => tr!("The program gives no answer; the label is {label}.", label),
        }
    }

    /// Flips one entry of the test input; returns a sentence on it and on the answer.
    fn flip(&mut self, input: usize, frame: &Frame) -> Option<String> {
        let mut query = self.course.query.clone();
        let entry = query.get_mut(input)?;
        *entry = -*entry;
        let value = if *entry > 0 { tr!("plus 1") } else { tr!("minus 1") };
        let (at, _) = self.play.position(frame.now_ms, frame.is_still);
        // After the end only the answer is left on the table, so that the flip would not be seen.
        let time = if at >= self.course.total() { self.course.rows } else { at };
        let before = self.course.answer;
        let course = self.machine.execute(&query)?;
        self.show(course);
        self.flipped = Some((input, frame.now_ms));
        self.is_paused |= frame.is_still;
        self.play_from(time.min(self.course.total()), frame);
        let [old, new] =
            [before, self.course.answer].map(|answer| answer.map_or(tr!("no answer"), format_label));
        let number = input + 1;
        Some(match old == new {
            true => tr!("Input {number} is {value}. The answer stays {new}.", number, value, new),
            false => tr!(
                "Input {number} is {value}. The answer changed from {old} to {new}.",
                number,
                value,
                old,
                new
            ),
        })
    }

    /// Stops or continues the movement, or begins again after the end; returns a sentence on it.
    fn toggle_play(&mut self, frame: &Frame) -> String {
        let (at, _) = self.play.position(frame.now_ms, frame.is_still);
        let is_over = at >= self.course.total();
        // Under reduced motion nothing moves that could be stopped: the program is executed at once.
        self.is_paused = !self.is_paused && !is_over && !frame.is_still;
        self.is_taken_over = true;
        self.play_from(if is_over { self.course.rows } else { at }, frame);
        let time = self.describe_time(self.seen.get());
        match self.is_paused {
            true => tr!("Stopped. {time}", time),
            false => tr!("The program runs. {time}", time),
        }
    }

    /// Stops at a time; returns sentences on it, or `None` if it is the time that was shown.
    fn move_to(&mut self, time: usize, frame: &Frame) -> Option<String> {
        let (before, _) = self.play.position(frame.now_ms, frame.is_still);
        (self.is_paused, self.is_taken_over) = (true, true);
        self.play_from(time.min(self.course.total()), frame);
        let now = self.seen.get();
        (now != before).then(|| self.describe_time(now))
    }
}

impl Hero for ProgramHero {
    fn set_weights(&mut self, progress: StageProgress, _weights: &[Vec<f32>], _now_ms: f64) {
        let is_back = progress.step < self.progress.step;
        self.progress = progress;
        self.is_taken_over &= !is_back;
        if !is_back && !self.is_following() {
            return;
        }
        if self.flipped.is_none() && self.course.query != self.own.query {
            self.show(self.own.clone());
            self.example = 0;
        }
        let step = usize::try_from(progress.step).unwrap_or(usize::MAX);
        self.play = Play::still(step.min(self.course.total()));
        self.seen.set(self.play.to);
    }

    fn show_next_example(&mut self, now_ms: f64) {
        // The page calls this when the picture has not been touched for a while.
        (self.is_paused, self.is_taken_over) = (false, false);
        if self.is_following() {
            return;
        }
        let (at, _) = self.play.position(now_ms, false);
        let total = self.course.total();
        if at < total {
            let to = total.min(at + self.steps_per_call());
            self.play = Play { from: at, to, since_ms: now_ms, step_ms: self.step_ms() };
        } else if now_ms - self.play.end_ms() >= REST_MS {
            self.example += 1;
            self.flipped = None;
            if let Some(course) = self.machine.execute(&self.machine.test_input(self.example)) {
                self.show(course);
                self.play = Play::still(self.course.rows);
            }
        }
        self.seen.set(self.play.to);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let (at, _) = self.play.position(frame.now_ms, frame.is_still);
        match (key, touch) {
            ("play", Touch::Press) => Some(self.toggle_play(frame)),
            ("time", Touch::Drag(point)) => {
                self.move_to(picture::time_at(self.course.total(), point, frame), frame)
            }
            ("time", Touch::Nudge { x, y, .. }) => {
                let time = (at as f64 + f64::from(x) - NUDGE * f64::from(y)).max(0.0);
                self.move_to(time as usize, frame)
            }
            (_, Touch::Press) => self.flip(key.strip_prefix("input-")?.parse().ok()?, frame),
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        self.seen.set(self.play.position(frame.now_ms, frame.is_still).0);
        picture::draw(self, frame)
    }

    fn own_headline(&self) -> String {
        let count = self.course.query.len();
        let Some(answer) = self.course.answer.filter(|_| self.progress.has_ended) else {
            return match self.machine.net.program {
                _ if self.progress.has_ended => {
                    tr!("The program finds no answer here. Flip one of the {count} inputs.", count)
                }
                Chosen::Dictator => tr!(
                    "A program in the network seeks the input that decides. Flip one of the {count}.",
                    count
                ),
                Chosen::Parity => {
                    tr!("A program in the network solves equations. Flip one of the {count} inputs.", count)
                }
                Chosen::Own => {
                    tr!("Your program runs in the network. Flip one of the {count} inputs.", count)
                }
            };
        };
        let find = |wanted: i8| self.flips.iter().position(|flipped| *flipped == Some(wanted));
        let unanswered = self.flips.iter().position(Option::is_none);
        match (find(-answer), find(answer), unanswered) {
            (Some(turning), Some(staying), _) => tr!(
                "Flip input {turning}: the answer turns. Flip input {staying}: it does not.",
                turning = turning + 1,
                staying = staying + 1
            ),
            (Some(turning), None, Some(unanswered)) => tr!(
                "Flip input {turning}: the answer turns. Flip input {unanswered}: the program finds none.",
                turning = turning + 1,
                unanswered = unanswered + 1
            ),
            (None, Some(staying), Some(unanswered)) => tr!(
                "Flip input {staying}: the answer does not turn. Flip input {unanswered}: there is none.",
                staying = staying + 1,
                unanswered = unanswered + 1
            ),
            (Some(_), None, None) => tr!("Flip any input: the answer turns.").into(),
            (None, Some(_), None) => tr!("Flip any input: the answer does not turn.").into(),
            (None, None, _) => tr!("Flip any input: the program finds no answer then.").into(),
        }
    }

    fn own_description(&self) -> String {
        let (time, answer) = (self.describe_time(self.seen.get()), self.describe_answer());
        format!("{time} {answer}")
    }

    fn inner_progress(&self) -> Option<f32> {
        let events = &self.own.events;
        let decided_count = events.iter().filter(|event| event.time as u64 <= self.progress.step).count();
        (!events.is_empty()).then(|| decided_count as f32 / events.len() as f32)
    }

    fn new_run_label(&self) -> &'static str {
        tr!("New examples")
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("share of the columns decided")
    }
}

#[cfg(test)]
mod tests;
