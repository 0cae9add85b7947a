//! Execution of the picture's machine by the transformer, with symbols that the user has changed.
//!
//! # Why
//! The transformer has no tape. The symbol of a cell is held by the token of the step that wrote the cell last, or by a token
//! of the input. So writing on the tape means changing one of these tokens. [`vivarium_science::machines::Transformer`]
//! cannot change a token, so its loop over the blocks is repeated here. All steps are executed again after each change,
//! because keys and values of changed tokens are cached.

use std::sync::Arc;

use crate::machines::panel::bits::{decode_binary, format_bit};
use crate::machines::panel::search::matching_tokens;
use vivarium_model::models::Family;
use vivarium_model::run::RunSpec;
use vivarium_science::machines::{
    Attention, AttentionTrace, BlockKind, Construction, ExecutionMode, MachineProgram, ResidualLayout,
    StepRecord, TokenGroup, round,
};
use vivarium_view::display::words::MISSING;

/// Largest number of machine steps in the picture.
const MAX_STEPS: usize = 120;
/// Largest number of multiplications for one execution of all steps in the picture.
const MAX_MULTIPLICATIONS: u64 = 3_000_000;
/// Largest number of bits of a position for which there is a picture: more blocks do not fit into its row of blocks.
const MAX_BITS: u32 = 10;
/// Attention weights below this are not drawn.
const MIN_WEIGHT: f64 = 0.02;

/// The token that holds the symbol of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// The token of this step, which was the last to write the cell.
    Step(usize),
    /// The input's token for this cell, which no step has written; there is none for a blank cell.
    Input(usize),
}

/// A symbol that the user has put into a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edit {
    /// The token that is changed.
    pub holder: Holder,
    /// Index of the new symbol in the machine's symbols.
    pub symbol: usize,
}

/// A cell of the tape, as the tokens say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// Index of its symbol in the machine's symbols.
    pub symbol: usize,
    /// The token that holds the symbol.
    pub holder: Holder,
}

/// Result of one block of the transformer in one step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BlockMoment {
    /// Task of the block.
    pub kind: BlockKind,
    /// Numbers of the tokens that wrote the cell under the head and agree with the bits found before this block; empty for a
    /// block without attention to past tokens.
    pub candidates: Vec<usize>,
    /// Numbers of past tokens with their attention weights, at least [`MIN_WEIGHT`].
    pub attended: Vec<(usize, f32)>,
    /// Attention weight of the null slot, which stands for no token; `None` for a block without attention to past tokens.
    pub null_weight: Option<f32>,
    /// The value that the block computes: a symbol, a direction, "yes" or "no", or a bit.
    pub value: String,
}

/// One step of the transformer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    /// State, symbols and head position that the step's token holds.
    pub record: StepRecord,
    /// Number of the step that the search found as the last that wrote the cell under the head; 0 if it found none.
    pub found: usize,
    /// Number of the step that wrote the cell under the head last; 0 if none did. Noise can make the search find another one.
    pub last_writer: usize,
    /// Results of the blocks, in their order.
    pub blocks: Vec<BlockMoment>,
    /// Whether the token equals the step of an ordinary simulator with a tape.
    pub is_right: bool,
}

/// The machine, and the transformer that executes it.
#[derive(Debug, Clone)]
pub(super) struct Execution {
    /// Machine, input, start cell, number of steps and bits of a position.
    pub program: Arc<MachineProgram>,
    /// Weights of the transformer, with the noise of the run's first replica.
    construction: Construction,
    /// Kind of attention, and whether numbers are rounded after each block.
    mode: ExecutionMode,
    /// Number of steps in the picture; the run may have more.
    pub steps: usize,
}

/// Whether the picture can show the run: a machine that can run, and few enough blocks.
pub(super) fn is_executable(spec: &RunSpec) -> bool {
    let is_small =
        |program: Arc<MachineProgram>| program.bits <= MAX_BITS && program.machine.symbols().len() > 1;
    matches!(spec.model.config().family(), Some(Family::Machine(_)))
        && spec.task.data().machine_program().is_some_and(is_small)
}

impl Execution {
    /// The machine and the weights of a run; `None` if the picture cannot show the run.
    pub(super) fn new(spec: &RunSpec) -> Option<Self> {
        if !is_executable(spec) {
            return None;
        }
        let Some(Family::Machine(net)) = spec.model.config().family() else { return None };
        let program = spec.task.data().machine_program()?;
        let construction = net.exact(&program)?.with_noise(net.sigma, spec.run.seed, 0);
        let (sizes, input) = (construction.sizes(), program.input.len());
        let is_affordable = |steps: &usize| {
            sizes.estimated_multiplications(*steps, input, net.sigma != 0.0) <= MAX_MULTIPLICATIONS
        };
        let steps = (1..=program.steps.min(MAX_STEPS)).rev().find(is_affordable)?;
        Some(Execution { construction, mode: net.mode(), steps, program })
    }

    /// Kinds of the blocks, in their order.
    pub(super) fn block_kinds(&self) -> impl ExactSizeIterator<Item = BlockKind> {
        self.construction.blocks().iter().map(|block| block.kind)
    }

    /// Number of cells that positions can number.
    pub(super) fn cell_count(&self) -> usize {
        1 << self.program.bits.min(MAX_BITS)
    }

    /// Index of the symbol that the run's input has in a cell; the blank outside the input.
    pub(super) fn input_symbol(&self, cell: usize) -> usize {
        let at = cell.checked_sub(self.program.start);
        at.and_then(|at| self.program.input.get(at)).copied().unwrap_or(0)
    }

    /// Tokens of the input as pairs of cell and symbol, with the user's changes.
    fn input_tokens(&self, edits: &[Edit]) -> Vec<(usize, usize)> {
        let mut tokens: Vec<(usize, usize)> =
            (self.program.start..).zip(self.program.input.iter().copied()).collect();
        for edit in edits {
            let Holder::Input(cell) = edit.holder else { continue };
            match tokens.iter_mut().find(|token| token.0 == cell) {
                Some(token) => token.1 = edit.symbol,
                None => tokens.push((cell, edit.symbol)),
            }
        }
        tokens
    }

    /// Executes step 0 and all steps of the picture with these changes. Ends early if the head reaches a cell that positions
    /// cannot number.
    pub(super) fn run(&self, edits: &[Edit]) -> Vec<Moment> {
        let (construction, attention_mode) = (&self.construction, self.mode.attention);
        let (layout, blocks, given) =
            (construction.layout(), construction.blocks(), self.input_tokens(edits));
        let own = blocks.iter().map(|block| block.self_attention.as_ref().map(Attention::new_cache));
        let mut own: Vec<_> = own.collect();
        let input = blocks.iter().map(|block| {
            let attention = block.cross_attention.as_ref()?;
            let mut cache = attention.new_cache();
            for (cell, symbol) in &given {
                cache.push(attention, &construction.encoder_token(*symbol, *cell));
            }
            Some(cache)
        });
        let input: Vec<_> = input.collect();
        let mut simulation = self.simulate(&given);
        let mut moments: Vec<Moment> = Vec::with_capacity(self.steps + 1);
        let (mut h, mut next) = (construction.start_token(self.program.start), vec![]);
        for step in 0..=self.steps {
            let edit = edits.iter().find(|edit| edit.holder == Holder::Step(step));
            let expected = match step {
                0 => Some(simulation.record),
                _ => simulation.advance(edit.map(|edit| edit.symbol)),
            };
            let Some(expected) = expected else { break };
            // The code of a cell in a token of the input is the code of a step number in a token of the decoder.
            let number = construction.encoder_token(0, step);
            layout.group(TokenGroup::Time).for_each(|at| h[at] += number[at]);
            let (mut traces, mut written, mut found) = (vec![], 0, 0);
            for ((block, own), input) in blocks.iter().zip(&mut own).zip(&input) {
                let attention = block.self_attention.as_ref().zip(own.as_mut()).map(|(attention, cache)| {
                    if step > 0 {
                        cache.push(attention, &h);
                    }
                    attention.attend(&mut h, cache, step, attention_mode)
                });
                if let Some((attention, cache)) = block.cross_attention.as_ref().zip(input.as_ref()) {
                    attention.attend(&mut h, cache, given.len(), attention_mode);
                }
                for layer in &block.layers {
                    layer.apply(&h, &mut next);
                    next.iter_mut().filter(|z| **z < 0.0).for_each(|z| *z = 0.0);
                    std::mem::swap(&mut h, &mut next);
                }
                if self.mode.rounding {
                    h.iter_mut().for_each(|z| *z = round(*z));
                }
                if block.kind == BlockKind::Apply {
                    if let Some(edit) = edit {
                        let written = layout.group(TokenGroup::Written).enumerate();
                        written.for_each(|(symbol, at)| h[at] = f64::from(u8::from(symbol == edit.symbol)));
                    }
                    written = argmax(layout, &h, TokenGroup::Written);
                }
                if let BlockKind::Search(_) = block.kind {
                    found = decode_binary(layout, &h, TokenGroup::Prefix);
                }
                traces.push((block.kind, attention, self.describe_value(block.kind, step, &h)));
            }
            let record = StepRecord {
                state: argmax(layout, &h, TokenGroup::State),
                symbol: argmax(layout, &h, TokenGroup::Symbol),
                written,
                head: decode_binary(layout, &h, TokenGroup::Before),
            };
            // Step t wrote the cell of the head before it.
            let earlier = moments.iter().zip(1..).filter(|(before, _)| before.record.head == record.head);
            let writers: Vec<usize> = earlier.map(|(_, step)| step).collect();
            let last_writer = writers.last().copied().unwrap_or(0);
            let blocks = traces.into_iter().map(|(kind, attention, value)| {
                new_block_moment(kind, attention.as_ref(), value, &writers, found, layout.bits())
            });
            let blocks = blocks.collect();
            moments.push(Moment { record, found, last_writer, blocks, is_right: record == expected });
        }
        moments
    }

    /// The value that a block has computed, from the token `h` after it.
    fn describe_value(&self, kind: BlockKind, step: usize, h: &[f64]) -> String {
        let (layout, machine) = (self.construction.layout(), &self.program.machine);
        let number = |group, at| h.get(layout.coordinate(group, at)).copied().unwrap_or(0.0);
        match kind {
            BlockKind::Apply if step == 0 => MISSING.into(),
            BlockKind::Apply => machine.format_symbols([argmax(layout, h, TokenGroup::Written)]),
            BlockKind::Move if number(TokenGroup::Move, 0) > 0.5 => "←".into(),
            BlockKind::Move if number(TokenGroup::Move, 1) > 0.5 => "→".into(),
            BlockKind::Move => MISSING.into(),
            BlockKind::Visited if number(TokenGroup::Flags, 0) > 0.5 => tr!("yes").into(),
            BlockKind::Visited => tr!("no").into(),
            BlockKind::Search(round) => format_bit(number(TokenGroup::Prefix, round)),
            BlockKind::Fetch => machine.format_symbols([argmax(layout, h, TokenGroup::Symbol)]),
        }
    }

    /// The tape after step `step`, cell by cell, from the symbols that the tokens wrote.
    pub(super) fn tape_after(&self, edits: &[Edit], moments: &[Moment], step: usize) -> Vec<Cell> {
        let blank = |cell| Cell { symbol: 0, holder: Holder::Input(cell) };
        let mut tape: Vec<Cell> = (0..self.cell_count()).map(blank).collect();
        for (cell, symbol) in self.input_tokens(edits) {
            if let Some(cell) = tape.get_mut(cell) {
                cell.symbol = symbol;
            }
        }
        let steps = moments.iter().zip(moments.iter().skip(1)).zip(1..).take(step);
        for ((before, after), step) in steps {
            if let Some(cell) = tape.get_mut(before.record.head) {
                *cell = Cell { symbol: after.record.written, holder: Holder::Step(step) };
            }
        }
        tape
    }

    /// An ordinary simulation with a tape, before step 1.
    fn simulate(&self, input: &[(usize, usize)]) -> Simulation<'_> {
        let mut tape = vec![0; self.cell_count()];
        for (cell, symbol) in input {
            if let Some(cell) = tape.get_mut(*cell) {
                *cell = *symbol;
            }
        }
        let head = self.program.start;
        let symbol = tape.get(head).copied().unwrap_or(0);
        Simulation { program: &self.program, tape, record: StepRecord { state: 0, symbol, written: 0, head } }
    }
}

/// Result of a block, from its attention to past tokens. `writers` are the tokens that wrote the cell under the head, `found`
/// is the step number that the search found, with `bits` bits.
fn new_block_moment(
    kind: BlockKind,
    attention: Option<&AttentionTrace>,
    value: String,
    writers: &[usize],
    found: usize,
    bits: usize,
) -> BlockMoment {
    let Some(attention) = attention else {
        return BlockMoment { kind, candidates: vec![], attended: vec![], null_weight: None, value };
    };
    let known_bits = match kind {
        BlockKind::Search(round) => round,
        BlockKind::Fetch => bits,
        _ => 0,
    };
    let weights = attention.weights.iter().zip(1..).filter(|(weight, _)| **weight >= MIN_WEIGHT);
    BlockMoment {
        kind,
        candidates: matching_tokens(writers, found, bits, known_bits),
        attended: weights.map(|(weight, token)| (token, *weight as f32)).collect(),
        null_weight: Some(attention.null_weight as f32),
        value,
    }
}

/// Index, from 0, within a group of token coordinates of the largest value; of equal values the first.
fn argmax(layout: &ResidualLayout, token: &[f64], group: TokenGroup) -> usize {
    let numbers = token.get(layout.group(group)).unwrap_or_default();
    (1..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
}

/// An ordinary simulation of the machine with a tape, with which the tokens are compared.
struct Simulation<'a> {
    /// The machine.
    program: &'a MachineProgram,
    /// Symbol indices of the cells that positions can number.
    tape: Vec<usize>,
    /// State, symbol under the head, symbol written and head after the latest step.
    record: StepRecord,
}

impl Simulation<'_> {
    /// Makes a step, which writes `edited` in place of the rule's symbol if it is given; `None` if the head leaves the cells.
    fn advance(&mut self, edited: Option<usize>) -> Option<StepRecord> {
        let StepRecord { state, symbol, head, .. } = self.record;
        let rule = self.program.machine.transition(state, symbol);
        let written = edited.unwrap_or(rule.write);
        *self.tape.get_mut(head)? = written;
        let head = usize::try_from(head as i64 + rule.step.offset()).ok()?;
        let symbol = *self.tape.get(head)?;
        self.record = StepRecord { state: rule.next, symbol, written, head };
        Some(self.record)
    }
}
