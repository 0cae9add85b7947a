//! Execution of the transformer: one token is one step of the machine, and no token stores the tape.
//!
//! ```text
//! input of step 0   h₀, a parameter: the start cell in pos2, a mark in scr4;  it does not depend on the input
//! input of step i   o(i−1) + β(i),   β(i) = i in binary, in pos1
//! encoder token p   sym1 = the input's symbol, pos1 = its cell
//! output o(i)       st = z(i), sym1 = a(i), pos2 = l(i), all else 0
//! self-attention    to the tokens of steps 1 … i; in step 0 only to the null slot
//! ```
//!
//! ```
//! # use vivarium_science::machines::{AttentionMode, Construction, ExecutionMode, Machine, MachineRun, Transformer};
//! let machine = Machine::parse("a _ → 1 R b; a 1 → 1 L b; b _ → 1 L a; b 1 → 1 R halt").unwrap();
//! let run = MachineRun::new(&machine, &[], 8, 6).unwrap();
//! let construction = Construction::new(&machine, run.position_bits()).unwrap();
//! let how = ExecutionMode { attention: AttentionMode::Hard, rounding: true };
//! let mut transformer = Transformer::new(construction.into(), &run.input, run.start, how).unwrap();
//! while transformer.steps() < 6 {
//!     transformer.advance();
//! }
//! assert_eq!(transformer.tokens(), run.records);
//! ```
//!
//! # Why
//! Keys and values of past tokens are cached per block, and the outputs o(i) are stored. So the blocks of an earlier step can
//! be computed again ([`Transformer::recompute_step`]) without storing them. Step 0 fetches the first symbol of the input; it
//! is not a step of the machine, and [`Transformer::new`] executes it.

use std::sync::Arc;

use super::attention::{AttentionMode, AttentionTrace, KeyValueCache};
use super::block_kind::BlockKind;
use super::construction::Construction;
use super::error::MachineError;
use super::layer::{deviation, relu, round};
use super::layout::TokenGroup;
use super::limits::{MAX_CELL, MAX_POSITION_BITS};
use super::simulator::{MachineRun, StepRecord};

/// How a transformer is executed: the kind of its attention, and whether tokens are rounded after each block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExecutionMode {
    /// Whether attention is a hard maximum or a softmax.
    pub attention: AttentionMode,
    /// Whether all coordinates of the token are rounded towards 0 or 1 after each block.
    pub rounding: bool,
}

impl Default for ExecutionMode {
    fn default() -> Self {
        ExecutionMode { attention: AttentionMode::Hard, rounding: true }
    }
}

/// Result of one block of the transformer for the token of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockTrace {
    /// Task of the block, such as moving the head.
    pub kind: BlockKind,
    /// The token after the block and, with rounding, after rounding, `[width]`.
    pub residual: Vec<f64>,
    /// Largest distance of a token coordinate after the block from the nearer of 0 and 1, before rounding.
    pub deviation: f64,
    /// Self-attention to the tokens of steps 1 … i, if the block has it; step t has index t − 1.
    pub self_attention: Option<AttentionTrace>,
    /// Scores and weights of the cross-attention to the input's symbols; `None` if the block has no
    /// cross-attention.
    pub cross_attention: Option<AttentionTrace>,
}

/// Tokens, attention and decoded record of one step of the transformer, with the results of each block.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTrace {
    /// Number of the step: step 0 fetches the first symbol, and step 1 is the machine's first.
    pub step: usize,
    /// The token before the first block, `[width]`; h₀ in step 0.
    pub input_token: Vec<f64>,
    /// The results of all blocks for the step's token, in the order of the blocks.
    pub blocks: Vec<BlockTrace>,
    /// State, symbols and head position decoded from the final token.
    pub record: StepRecord,
}

impl StepTrace {
    /// Largest distance of a token coordinate from the nearer of 0 and 1 over all blocks of the step, before
    /// rounding; NaN if a coordinate is NaN.
    pub fn deviation(&self) -> f64 {
        self.blocks
            .iter()
            .map(|stage| stage.deviation)
            .fold(0.0, |max: f64, one| if one <= max { max } else { one })
    }

    /// Smallest difference between the largest and the next smaller score, over all attentions of the step; `None`
    /// if all scores are equal.
    pub fn min_score_gap(&self) -> Option<f64> {
        let attention_traces =
            self.blocks.iter().flat_map(|stage| stage.self_attention.iter().chain(&stage.cross_attention));
        attention_traces.filter_map(|attention_trace| attention_trace.score_gap).reduce(f64::min)
    }
}

/// A transformer during its execution: the weights, the tokens so far, and their cached keys and values.
#[derive(Debug, Clone)]
pub struct Transformer {
    /// The weights of all blocks of the transformer.
    construction: Arc<Construction>,
    /// Kind of attention and rounding with which the transformer is executed.
    mode: ExecutionMode,
    /// For each block, cached keys and values of the tokens of earlier steps; `None` for a block without
    /// self-attention.
    step_caches: Vec<Option<KeyValueCache>>,
    /// For each block, cached keys and values of the input's symbols; `None` for a block without cross-attention.
    input_caches: Vec<Option<KeyValueCache>>,
    /// Number of symbols of the input word.
    inputs: usize,
    /// The token h₀ that the decoder receives in step 0, `[width]`.
    start_token: Vec<f64>,
    /// Tokens after the last block of steps 0, 1, …, `[steps + 1, width]`.
    outputs: Vec<f64>,
    /// State, symbols and head position decoded from the output token of step 0.
    initial_record: StepRecord,
    /// States, symbols and head positions decoded from the output tokens of steps 1, 2, ….
    tokens: Vec<StepRecord>,
    /// Results of all blocks in the latest step, which is step 0 at first; `None` only until step 0 is executed.
    last_trace: Option<StepTrace>,
}

impl Transformer {
    /// Executes step 0 of a transformer for the input word `input`, whose symbol indices occupy the cells from
    /// number `start` on; the head begins on cell `start`.
    ///
    /// # Errors
    /// A cell is too large for the number of bits, or greater than [`MAX_CELL`].
    pub fn new(
        construction: Arc<Construction>,
        input: &[usize],
        start: usize,
        mode: ExecutionMode,
    ) -> Result<Self, MachineError> {
        let layout = construction.layout();
        let last = (start as u64).saturating_add((input.len() as u64).saturating_sub(1));
        let bits = layout.bits() as u32;
        if last > MAX_CELL {
            return Err(MachineError::CellTooLarge { cell: last });
        }
        if last >> bits.min(MAX_POSITION_BITS) != 0 {
            return Err(MachineError::PositionBitsOutOfRange {
                min: u64::BITS - last.leading_zeros(),
                found: bits,
            });
        }
        let blocks = construction.blocks();
        let step_caches =
            blocks.iter().map(|block| block.self_attention.as_ref().map(|part| part.new_cache())).collect();
        let input_caches = blocks.iter().map(|block| {
            let attention = block.cross_attention.as_ref()?;
            let mut memory = attention.new_cache();
            for (cell, symbol) in (start..).zip(input) {
                memory.push(attention, &construction.encoder_token(*symbol, cell));
            }
            Some(memory)
        });
        let input_caches = input_caches.collect();
        let (start_token, inputs) = (construction.start_token(start), input.len());
        let initial_record = StepRecord { state: 0, symbol: 0, written: 0, head: start };
        let outputs = start_token.clone();
        let tokens = Vec::new();
        let mut all = Transformer {
            construction,
            mode,
            step_caches,
            input_caches,
            inputs,
            start_token,
            outputs,
            initial_record,
            tokens,
            last_trace: None,
        };
        if let Some(trace) = all.compute_step(0, None) {
            all.initial_record = trace.record;
            all.outputs = trace.blocks.last().map_or(vec![], |stage| stage.residual.clone());
            all.last_trace = Some(trace);
        }
        Ok(all)
    }

    /// The weights of all blocks of the transformer.
    pub fn construction(&self) -> &Construction {
        &self.construction
    }

    /// Kind of attention and rounding with which the transformer is executed.
    pub fn mode(&self) -> ExecutionMode {
        self.mode
    }

    /// Number of machine steps that the transformer has executed so far, without step 0.
    pub fn steps(&self) -> usize {
        self.tokens.len()
    }

    /// States, symbols and head positions decoded from the output tokens of steps 1, 2, ….
    pub fn tokens(&self) -> &[StepRecord] {
        &self.tokens
    }

    /// State, symbols and head position decoded from the output token of step 0.
    pub fn initial_record(&self) -> StepRecord {
        self.initial_record
    }

    /// Results of all blocks of the latest step, which is step 0 at first.
    pub fn last_trace(&self) -> Option<&StepTrace> {
        self.last_trace.as_ref()
    }

    /// The token after the last block of step `step`, `[width]`, with which the next step begins; `None` if the
    /// step was not executed.
    pub fn output(&self, step: usize) -> Option<&[f64]> {
        let width = self.construction.layout().width();
        self.outputs.chunks(width).nth(step)
    }

    /// Executes the next step and returns its decoded token; `None` if the step's number does not fit into the bits of a
    /// position.
    pub fn advance(&mut self) -> Option<StepRecord> {
        let step = self.tokens.len() + 1;
        if step as u64 >> self.construction.layout().bits() != 0 {
            return None;
        }
        // The caches are moved out, because they grow while the step reads `self`.
        let mut own = std::mem::take(&mut self.step_caches);
        let trace = self.compute_step(step, Some(&mut own));
        self.step_caches = own;
        let trace = trace?;
        self.outputs.extend_from_slice(&trace.blocks.last()?.residual);
        let moment = trace.record;
        self.tokens.push(moment);
        self.last_trace = Some(trace);
        Some(moment)
    }

    /// Computes the results of all blocks of an earlier step again; `None` if the step was not executed yet.
    pub fn recompute_step(&self, step: usize) -> Option<StepTrace> {
        if step > self.tokens.len() {
            return None;
        }
        self.compute_step(step, None)
    }

    /// Executes steps until a decoded token differs from the simulator's run `run` or that run ends; returns the
    /// number, from 1, of the first wrong step, `None` if there is none.
    pub fn run_until_wrong(&mut self, run: &MachineRun) -> Option<usize> {
        while let Some(moment) = run.records.get(self.steps()) {
            if self.advance() != Some(*moment) {
                return Some(self.steps().max(1));
            }
        }
        None
    }

    /// Numbers, from 1, of the steps that may still be the last one that wrote the cell under the head, when the
    /// search has found the first `known` bits of that step's number: the steps up to the step of `trace` that
    /// wrote this cell and whose numbers begin with these bits.
    pub fn search_candidates(&self, trace: &StepTrace, known: usize) -> Vec<usize> {
        let layout = self.construction.layout();
        let (bits, last) = (layout.bits(), trace.blocks.len().saturating_sub(2));
        // The residual after the last search contains all bits, and the head's cell.
        let Some(found) = trace.blocks.get(last).map(|stage| &stage.residual) else { return Vec::new() };
        let (prefix, head) =
            (layout.read_binary(found, TokenGroup::Prefix), layout.read_binary(found, TokenGroup::Head));
        let open = bits.saturating_sub(known);
        let wrote = |step: usize| {
            let before = self.output(step - 1).map(|token| layout.read_binary(token, TokenGroup::Before));
            before == Some(head) && step >> open == prefix >> open
        };
        (1..=trace.step).filter(|step| wrote(*step)).collect()
    }

    /// Number, from 1, of the first step whose decoded token differs from the simulator's run in state, symbol,
    /// written symbol or cell; `None` if no step differs.
    pub fn first_wrong_step(&self, run: &MachineRun) -> Option<usize> {
        let pairs = self.tokens.iter().zip(&run.records);
        pairs.into_iter().position(|(token, moment)| token != moment).map(|at| at + 1)
    }

    /// Forward pass of one autoregressive step through all blocks.
    ///
    /// `fresh` has one key-value cache for each block, `None` for a block without self-attention; the step's keys and values are
    /// appended. Without `fresh` the step is computed again from the caches of the run. Step 0 is not cached. `None` if the
    /// previous step or a cache does not exist.
    fn compute_step(
        &self,
        step: usize,
        mut fresh: Option<&mut Vec<Option<KeyValueCache>>>,
    ) -> Option<StepTrace> {
        let (construction, ExecutionMode { attention: attention_mode, rounding }) =
            (&*self.construction, self.mode);
        let layout = construction.layout();
        let mut h = match step.checked_sub(1) {
            None => self.start_token.clone(),
            Some(before) => self.output(before)?.to_vec(),
        };
        let mut number = vec![0.0; layout.width()];
        layout.write_binary(&mut number, TokenGroup::Time, step);
        h.iter_mut().zip(&number).for_each(|(h, bit)| *h += bit);
        let input_token = h.clone();
        let mut blocks = Vec::with_capacity(construction.blocks().len());
        let mut next = Vec::new();
        for (at, block) in construction.blocks().iter().enumerate() {
            let self_attention = block.self_attention.as_ref().and_then(|attention| {
                let memory = match fresh.as_deref_mut() {
                    Some(memories) => {
                        let memory = memories.get_mut(at)?.as_mut()?;
                        memory.push(attention, &h);
                        &*memory
                    }
                    None => self.step_caches.get(at)?.as_ref()?,
                };
                Some(attention.attend(&mut h, memory, step, attention_mode))
            });
            let cross_attention = block.cross_attention.as_ref().zip(self.input_caches.get(at)?.as_ref());
            let cross_attention = cross_attention
                .map(|(attention, memory)| attention.attend(&mut h, memory, self.inputs, attention_mode));
            for layer in &block.layers {
                layer.apply(&h, &mut next);
                relu(&mut next);
                std::mem::swap(&mut h, &mut next);
            }
            let deviation = deviation(&h);
            if rounding {
                h.iter_mut().for_each(|z| *z = round(*z));
            }
            blocks.push(BlockTrace {
                kind: block.kind,
                residual: h.clone(),
                deviation,
                self_attention,
                cross_attention,
            });
        }
        let record = StepRecord {
            state: layout.argmax(&h, TokenGroup::State),
            symbol: layout.argmax(&h, TokenGroup::Symbol),
            written: layout.argmax(&blocks.first()?.residual, TokenGroup::Written),
            head: layout.read_binary(&h, TokenGroup::Before),
        };
        Some(StepTrace { step, input_token, blocks, record })
    }
}
