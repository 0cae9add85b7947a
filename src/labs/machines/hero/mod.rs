//! The picture of a transformer that runs a Turing machine: its past tokens in a row, the tape that follows from them, and the
//! search for the token that last wrote the cell under the head, block by block.

mod execution;
mod picture;

use execution::{Cell, Edit, Execution, Holder, Moment, is_executable};
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::Scene;
use vivarium_science::machines::{BlockKind, HeadMove, Machine, StepRecord};
use vivarium_view::display::hero::{EXAMPLE_INTERVAL_MS, Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_percent, format_thousands};

/// Number of calls of [`Hero::show_next_example`] after which the machine makes its next step.
const INTERVALS_PER_STEP: u32 = 3;
/// Time for one step of the machine, in milliseconds; all other durations are shares of it.
const STEP_MS: f64 = EXAMPLE_INTERVAL_MS * INTERVALS_PER_STEP as f64;
/// Part of [`STEP_MS`] in which the blocks are shown one after another; then the result of the step stays.
const BLOCKS_SHARE: f64 = 0.85;
/// Number of earlier writes to the cell under the head that makes a step worth being shown first.
const FIRST_WRITERS: usize = 4;

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    is_executable(spec)
}

/// The picture of a run; `None` if the lab has none for its machine.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(MachineHero::new(spec)?))
}

/// State of the picture of one run.
#[derive(Debug, Clone)]
struct MachineHero {
    /// Machine and transformer.
    execution: Execution,
    /// Symbols that the user has changed.
    edits: Vec<Edit>,
    /// All steps of the transformer with these changes; entry 0 is step 0, which fetches the first symbol.
    moments: Vec<Moment>,
    /// First step, without changes, whose token differs from an ordinary simulation; `None` if all agree.
    first_wrong: Option<usize>,
    /// Displayed step.
    step: usize,
    /// Time at which the step was displayed first, in milliseconds.
    since_ms: f64,
    /// Index of the block that the user has chosen, from 0; `None` if the blocks are shown one after another.
    block: Option<usize>,
    /// Number of calls of [`Hero::show_next_example`] since the last step.
    intervals: u32,
    /// Cell whose symbol the user has changed last.
    changed_cell: Option<usize>,
    /// Progress of the run.
    progress: StageProgress,
}

/// Whether a step of the machine follows a record: the machine has a rule for state and symbol.
fn has_rule(machine: &Machine, record: StepRecord) -> bool {
    machine.rule(record.state, record.symbol).is_some()
}

/// Name of a symbol in a sentence: "1", or "a blank".
fn symbol_name(machine: &Machine, symbol: usize) -> String {
    match symbol {
        0 => tr!("a blank").into(),
        _ => machine.format_symbols([symbol]),
    }
}

/// Words on a search that has found another token than the one that wrote the cell under the head last.
fn describe_wrong_search(moment: &Moment) -> String {
    match (moment.found, moment.last_writer) {
        (0, last) => tr!("the search found no token; token {last} wrote it last", last),
        (found, 0) => tr!("the search found token {found}; no token wrote it", found),
        (found, last) => tr!("the search found token {found}; token {last} wrote it last", found, last),
    }
}

impl MachineHero {
    /// The picture of a run; `None` if its machine cannot be shown.
    fn new(spec: &RunSpec) -> Option<Self> {
        let execution = Execution::new(spec)?;
        let moments = execution.run(&[]);
        let mut hero = MachineHero {
            first_wrong: moments.iter().position(|moment| !moment.is_right),
            execution,
            edits: vec![],
            moments,
            step: 0,
            since_ms: f64::NEG_INFINITY,
            block: None,
            intervals: 0,
            changed_cell: None,
            progress: StageProgress::default(),
        };
        hero.step = hero.first_shown_step();
        Some(hero)
    }

    /// The machine that is executed.
    fn machine(&self) -> &Machine {
        &self.execution.program.machine
    }

    /// The displayed step; `None` only if no step could be executed.
    fn moment(&self) -> Option<&Moment> {
        self.moments.get(self.step)
    }

    /// Number of candidates at the beginning of the search in a step: tokens that wrote the cell under the head.
    fn writer_count(moment: &Moment) -> usize {
        moment
            .blocks
            .iter()
            .find(|block| block.kind == BlockKind::Visited)
            .map_or(0, |block| block.candidates.len())
    }

    /// The first step with [`FIRST_WRITERS`] candidates, or the step with the most of them.
    fn first_shown_step(&self) -> usize {
        let last = self.end_step();
        let shown = self.moments.iter().take(last + 1).enumerate();
        let counts = shown.map(|(step, moment)| (step, Self::writer_count(moment).min(FIRST_WRITERS)));
        counts.fold((0, 0), |best, (step, count)| if count > best.1 { (step, count) } else { best }).0
    }

    /// Step after which the machine stops, counted from 1; `None` if it does not within the picture's steps.
    fn halting_step(&self) -> Option<usize> {
        self.moments.iter().position(|moment| !has_rule(self.machine(), moment.record))
    }

    /// Last step of the picture: the one after which the machine stops, or the last executed one.
    fn end_step(&self) -> usize {
        self.halting_step().unwrap_or(self.moments.len().saturating_sub(1))
    }

    /// The tape after the displayed step.
    fn tape(&self) -> Vec<Cell> {
        self.execution.tape_after(&self.edits, &self.moments, self.step)
    }

    /// Displays a step, whose blocks are shown one after another from the time `since_ms` on.
    fn show_step(&mut self, step: usize, since_ms: f64) {
        self.step = step.min(self.end_step());
        (self.since_ms, self.block, self.intervals) = (since_ms, None, 0);
    }

    /// Displays the step after the displayed one; after the last step step 0, with the symbols of the run.
    fn show_next_step(&mut self, now_ms: f64) {
        if self.step < self.end_step() {
            self.show_step(self.step + 1, now_ms);
            return;
        }
        if !self.edits.is_empty() {
            self.edits.clear();
            self.moments = self.execution.run(&[]);
        }
        self.changed_cell = None;
        self.show_step(0, now_ms);
    }

    /// Block that is shown at the time of the frame, by its index from 0, and the share of its time that has passed.
    fn block_at(&self, frame: &Frame) -> (usize, f32) {
        let count = self.execution.block_kinds().len().max(1);
        if let Some(block) = self.block {
            return (block.min(count - 1), 1.0);
        }
        if frame.is_still {
            return (count - 1, 1.0);
        }
        let share = (frame.now_ms - self.since_ms) / (STEP_MS * BLOCKS_SHARE);
        let at = (share.clamp(0.0, 1.0) * count as f64) as f32;
        let block = (at as usize).min(count - 1);
        (block, at - block as f32)
    }

    /// Sentence on the symbol under the head, and on the token that holds it.
    fn describe_read(&self, moment: &Moment) -> String {
        let machine = self.machine();
        let symbol = symbol_name(machine, moment.record.symbol);
        match moment.found {
            found if found != moment.last_writer => {
                let search = describe_wrong_search(moment);
                tr!("The head reads {symbol}, but {search}.", symbol, search)
            }
            0 if moment.record.symbol == 0 => {
                tr!("The head reads {symbol}: no step has written this cell.", symbol)
            }
            0 => tr!("The head reads {symbol}, a symbol of the input.", symbol),
            found => tr!("The head reads {symbol}, which step {found} wrote.", symbol, found),
        }
    }

    /// Sentence on what the machine does next.
    fn describe_rule(&self, record: StepRecord) -> String {
        let machine = self.machine();
        let name = |state: usize| crate::machines::tape::state_name(machine, state);
        let state = name(record.state);
        let Some(rule) = machine.rule(record.state, record.symbol) else {
            return tr!("The machine has stopped in state {state}.", state);
        };
        let (symbol, next) = (symbol_name(machine, rule.write), name(rule.next));
        match rule.step {
            HeadMove::Left => {
                tr!(
                    "State {state} writes {symbol}, moves left and goes to state {next}.",
                    state,
                    symbol,
                    next
                )
            }
            HeadMove::Right => {
                tr!(
                    "State {state} writes {symbol}, moves right and goes to state {next}.",
                    state,
                    symbol,
                    next
                )
            }
            HeadMove::Stay => {
                tr!("State {state} writes {symbol}, stays and goes to state {next}.", state, symbol, next)
            }
        }
    }

    /// Sentences on the displayed step.
    fn describe_step(&self) -> String {
        let Some(moment) = self.moment() else { return String::new() };
        let (step, read, rule) = (self.step, self.describe_read(moment), self.describe_rule(moment.record));
        match moment.is_right {
            true => tr!("Step {step}. {read} {rule}", step, read, rule),
            false => {
                tr!(
                    "Step {step}. {read} {rule} This token is wrong: a machine with a tape differs.",
                    step,
                    read,
                    rule
                )
            }
        }
    }

    /// Sentence on the block that the user has chosen: its candidates, its attention and its value.
    fn describe_block(&self, at: usize) -> Option<String> {
        let block = self.moment()?.blocks.get(at)?;
        let (number, name, value) = (at + 1, block.kind.name(), &block.value);
        let Some(null) = block.null_weight else {
            return Some(tr!("Block {number} ({name}): {value}.", number, name, value));
        };
        let (candidates, null) = (block.candidates.len(), format_percent(null));
        Some(tr!(
            "Block {number} ({name}): {value}. Candidates for the token that wrote the cell last: {candidates}. Attention to no token: {null}.",
            number,
            name,
            value,
            candidates,
            null
        ))
    }

    /// Puts the next symbol of the machine into a cell, in the token that holds the cell's symbol; returns what has changed in
    /// words. Later changes of the user are dropped, because the machine may come to write other cells.
    fn change_cell(&mut self, cell: usize) -> Option<String> {
        let Cell { symbol, holder } = *self.tape().get(cell)?;
        let count = self.machine().symbols().len().max(1);
        let new = Edit { holder, symbol: (symbol + 1) % count };
        let halt_before = self.halting_step();
        let step = self.step;
        self.edits.retain(|edit| match edit.holder {
            Holder::Step(writer) => writer <= step && edit.holder != holder,
            Holder::Input(_) => edit.holder != holder,
        });
        let is_original = holder == Holder::Input(cell) && self.execution.input_symbol(cell) == new.symbol;
        if !is_original {
            self.edits.push(new);
        }
        self.moments = self.execution.run(&self.edits);
        self.show_step(step, f64::NEG_INFINITY);
        self.changed_cell = Some(cell);
        let symbol = symbol_name(self.machine(), new.symbol);
        let changed = match holder {
            Holder::Step(token) => {
                tr!(
                    "Cell {cell} now holds {symbol}: token {token}, which wrote it, was changed.",
                    cell,
                    symbol,
                    token
                )
            }
            Holder::Input(_) => tr!("Cell {cell} now holds {symbol}.", cell, symbol),
        };
        let end = self.describe_end(halt_before);
        let record = self.moment()?.record;
        Some(match record.head == cell {
            true => tr!("{changed} {rule} {end}", changed, rule = self.describe_rule(record), end),
            false => tr!("{changed} {end}", changed, end),
        })
    }

    /// Sentence on the last step of the picture.
    fn describe_picture_end(&self) -> String {
        let end = format_thousands(self.end_step() as u64);
        match self.halting_step() {
            Some(_) => tr!("The machine stops after step {end}.", end),
            None => tr!("The picture ends with step {end}.", end),
        }
    }

    /// Sentence on when the machine stops, and when it did before a change.
    fn describe_end(&self, before: Option<usize>) -> String {
        let steps = self.moments.len().saturating_sub(1);
        match (before, self.halting_step()) {
            (Some(before), Some(now)) if before == now => {
                tr!("The machine still stops after step {now}.", now)
            }
            (Some(before), Some(now)) => {
                tr!("The machine now stops after step {now} instead of step {before}.", now, before)
            }
            (None, Some(now)) => tr!("The machine now stops after step {now}.", now),
            (Some(_), None) => tr!("The machine no longer stops in the first {steps} steps.", steps),
            (None, None) => tr!("The machine does not stop in the first {steps} steps.", steps),
        }
    }
}

impl Hero for MachineHero {
    fn set_weights(&mut self, progress: StageProgress, _weights: &[Vec<f32>], _now_ms: f64) {
        // The weights are constructed: the picture executes them itself, at its own pace.
        self.progress = progress;
    }

    fn own_step(&self) -> Option<u64> {
        Some(self.step as u64)
    }

    fn go_to_step(&mut self, step: u64, now_ms: f64) {
        self.show_step(usize::try_from(step).unwrap_or(usize::MAX), now_ms);
    }

    fn show_next_example(&mut self, now_ms: f64) {
        self.intervals += 1;
        if self.intervals >= INTERVALS_PER_STEP {
            self.show_next_step(now_ms);
        }
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        if key == "step" {
            let step = match touch {
                Touch::Drag(to) => picture::step_at(self, frame, to),
                Touch::Nudge { x, y, .. } if x - y > 0.0 => self.step + 1,
                Touch::Nudge { .. } => self.step.saturating_sub(1),
                Touch::Press => return None,
            };
            let before = self.step;
            self.show_step(step, f64::NEG_INFINITY);
            return (self.step != before).then(|| self.describe_step());
        }
        if touch != Touch::Press {
            return None;
        }
        if key == "next" {
            self.show_next_step(frame.now_ms);
            return Some(self.describe_step());
        }
        if let Some(block) = key.strip_prefix("block-") {
            let block: usize = block.parse().ok()?;
            if self.block == Some(block) {
                self.show_step(self.step, frame.now_ms);
                return Some(tr!("All blocks are shown one after another.").into());
            }
            let spoken = self.describe_block(block)?;
            self.block = Some(block);
            return Some(spoken);
        }
        self.change_cell(key.strip_prefix("cell-")?.parse().ok()?)
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn own_headline(&self) -> String {
        let steps = self.execution.steps;
        match (self.progress.has_ended, self.first_wrong) {
            (true, Some(step)) => {
                tr!("Step {step} is the first wrong step. Tap a cell to change its symbol.", step)
            }
            (true, None) if steps < self.execution.program.steps => {
                tr!(
                    "The first {steps} steps are right. Tap a cell: the machine goes on from the new symbol.",
                    steps
                )
            }
            (true, None) => {
                tr!(
                    "All {steps} steps are right. Tap a cell: the machine goes on from the new symbol.",
                    steps
                )
            }
            (false, _) => {
                tr!("A transformer runs a Turing machine; past tokens are its tape. Tap a cell.").into()
            }
        }
    }

    fn own_description(&self) -> String {
        let Some(moment) = self.moment() else { return String::new() };
        let spoken = self.describe_step();
        let (end, writers) = (self.describe_picture_end(), Self::writer_count(moment));
        match moment.found {
            found if found == 0 || found != moment.last_writer => format!("{spoken} {end}"),
            found => tr!(
                "{spoken} Past tokens that wrote this cell: {writers}; the search found token {found} as the last. {end}",
                spoken,
                writers,
                found,
                end
            ),
        }
    }
}

#[cfg(test)]
mod tests;
