//! The transformer at work: one token is one step of the machine, and there is no tape.
//!
//! ```text
//! input of step 0   h₀, a parameter: the start cell in pos2, a mark in scr4;  it does not depend on the input
//! input of step i   o(i−1) + β(i),   β(i) = i in binary, in pos1
//! encoder token p   sym1 = the input's symbol, pos1 = its cell
//! output o(i)       st = z(i), sym1 = a(i), pos2 = l(i), all else 0
//! own past          the tokens of steps 1 … i, in step 0 none
//! ```
//!
//! ```
//! # use vivarium_science::machines::{Choice, Construction, How, Machine, Run, Transformer};
//! let machine = Machine::parse("a _ → 1 R b; a 1 → 1 L b; b _ → 1 L a; b 1 → 1 R halt").unwrap();
//! let run = Run::new(&machine, &[], 8, 6).unwrap();
//! let construction = Construction::new(&machine, run.position_bits()).unwrap();
//! let how = How { choice: Choice::Hard, rounding: true };
//! let mut transformer = Transformer::new(construction.into(), &run.input, run.start, how).unwrap();
//! while transformer.steps() < 6 {
//!     transformer.advance();
//! }
//! assert_eq!(transformer.tokens(), run.moments);
//! ```
//!
//! # Why
//! Keys and values of the past are kept by block, and so are the outputs o(i). So a step that was made can be looked at
//! again ([`Transformer::revisit`]) without keeping what all of its blocks computed. Step 0 fetches the first symbol from the
//! input; it is no step of the machine, and is made as soon as there is a transformer.

use std::sync::Arc;

use super::attention::{Choice, Look, Memory};
use super::construction::Construction;
use super::layer::{deviation, relu, round};
use super::layout::Group;
use super::limits::{MOST_CELL, MOST_POSITION_BITS};
use super::mistake::Mistake;
use super::phase::Phase;
use super::simulator::{Moment, Run};

/// How a transformer is executed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct How {
    /// How attention chooses.
    pub choice: Choice,
    /// Whether all numbers are rounded after each block.
    pub rounding: bool,
}

impl Default for How {
    fn default() -> Self {
        How { choice: Choice::Hard, rounding: true }
    }
}

/// What a block made of a token.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The block.
    pub phase: Phase,
    /// The token after the block, after rounding if there is any.
    pub residual: Vec<f64>,
    /// The largest distance of a number from 0 or 1 before rounding.
    pub deviation: f64,
    /// What its attention over the past looked at; token t has place t − 1.
    pub own: Option<Look>,
    /// What its attention over the input looked at.
    pub input: Option<Look>,
}

/// All blocks of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The number of the step; step 0 fetches the first symbol, step 1 is the machine's first.
    pub step: usize,
    /// The token before the first block; in step 0 it is h₀.
    pub entry: Vec<f64>,
    /// The token after each block.
    pub stages: Vec<Stage>,
    /// What the token says.
    pub moment: Moment,
}

impl Trace {
    /// The largest distance of a number from 0 or 1 after any block, before rounding.
    pub fn deviation(&self) -> f64 {
        self.stages
            .iter()
            .map(|stage| stage.deviation)
            .fold(0.0, |most: f64, one| if one <= most { most } else { one })
    }

    /// The smallest gap between the largest score and the next in any attention.
    pub fn gap(&self) -> Option<f64> {
        let looks = self.stages.iter().flat_map(|stage| stage.own.iter().chain(&stage.input));
        looks.filter_map(|look| look.gap).reduce(f64::min)
    }
}

/// A transformer, the tokens that it has made, and what it keeps of them.
#[derive(Debug, Clone)]
pub struct Transformer {
    construction: Arc<Construction>,
    how: How,
    /// Keys and values by block.
    own: Vec<Option<Memory>>,
    given: Vec<Option<Memory>>,
    inputs: usize,
    /// h₀.
    initial: Vec<f64>,
    /// o(0), o(1), …, one after the other.
    outputs: Vec<f64>,
    /// What o(0) says.
    beginning: Moment,
    tokens: Vec<Moment>,
    last: Option<Trace>,
}

impl Transformer {
    /// The transformer after step 0, before the machine's first step: an input, by number, that stands from the start cell on.
    pub fn new(
        construction: Arc<Construction>,
        input: &[usize],
        start: usize,
        how: How,
    ) -> Result<Self, Mistake> {
        let layout = construction.layout();
        let last = (start as u64).saturating_add((input.len() as u64).saturating_sub(1));
        let bits = layout.bits() as u32;
        if last > MOST_CELL {
            return Err(Mistake::Cell { cell: last });
        }
        if last >> bits.min(MOST_POSITION_BITS) != 0 {
            return Err(Mistake::PositionBits { least: u64::BITS - last.leading_zeros(), found: bits });
        }
        let blocks = construction.blocks();
        let own = blocks.iter().map(|block| block.own.as_ref().map(|part| part.memory())).collect();
        let given = blocks.iter().map(|block| {
            let attention = block.input.as_ref()?;
            let mut memory = attention.memory();
            for (cell, symbol) in (start..).zip(input) {
                memory.push(attention, &construction.encoded(*symbol, cell));
            }
            Some(memory)
        });
        let given = given.collect();
        let (initial, inputs) = (construction.initial(start), input.len());
        let beginning = Moment { state: 0, symbol: 0, written: 0, head: start };
        let outputs = initial.clone();
        let tokens = Vec::new();
        let mut all = Transformer {
            construction,
            how,
            own,
            given,
            inputs,
            initial,
            outputs,
            beginning,
            tokens,
            last: None,
        };
        if let Some(trace) = all.pass(0, None) {
            all.beginning = trace.moment;
            all.outputs = trace.stages.last().map_or(vec![], |stage| stage.residual.clone());
            all.last = Some(trace);
        }
        Ok(all)
    }

    /// The weights.
    pub fn construction(&self) -> &Construction {
        &self.construction
    }

    /// How it is executed.
    pub fn how(&self) -> How {
        self.how
    }

    /// Steps of the machine that were made, which step 0 is not.
    pub fn steps(&self) -> usize {
        self.tokens.len()
    }

    /// What the tokens say, from step 1.
    pub fn tokens(&self) -> &[Moment] {
        &self.tokens
    }

    /// What the token of step 0 says.
    pub fn beginning(&self) -> Moment {
        self.beginning
    }

    /// All blocks of the last step; of step 0 before the machine's first.
    pub fn trace(&self) -> Option<&Trace> {
        self.last.as_ref()
    }

    /// The output o(i); o(0) is what step 0 has made of h₀, and what the machine's first step begins with.
    pub fn output(&self, step: usize) -> Option<&[f64]> {
        let width = self.construction.layout().width();
        self.outputs.chunks(width).nth(step)
    }

    /// Makes a step of the machine, a token; none, and nothing is done, where its number needs more bits than there are.
    pub fn advance(&mut self) -> Option<Moment> {
        let step = self.tokens.len() + 1;
        if step as u64 >> self.construction.layout().bits() != 0 {
            return None;
        }
        // Memory grows while the pass reads what belongs to the same block.
        let mut own = std::mem::take(&mut self.own);
        let trace = self.pass(step, Some(&mut own));
        self.own = own;
        let trace = trace?;
        self.outputs.extend_from_slice(&trace.stages.last()?.residual);
        let moment = trace.moment;
        self.tokens.push(moment);
        self.last = Some(trace);
        Some(moment)
    }

    /// All blocks of a step that was made, computed again; none where it was not made.
    pub fn revisit(&self, step: usize) -> Option<Trace> {
        if step > self.tokens.len() {
            return None;
        }
        self.pass(step, None)
    }

    /// Makes steps until a token differs from the machine or its run ends, and gives the first wrong step.
    pub fn follow(&mut self, run: &Run) -> Option<usize> {
        while let Some(moment) = run.moments.get(self.steps()) {
            if self.advance() != Some(*moment) {
                return Some(self.steps().max(1));
            }
        }
        None
    }

    /// Past steps that are still candidates for i′ when so many of its bits are known: steps which wrote the cell where the
    /// head is now, and whose numbers begin with these bits.
    pub fn candidates(&self, trace: &Trace, known: usize) -> Vec<usize> {
        let layout = self.construction.layout();
        let (bits, last) = (layout.bits(), trace.stages.len().saturating_sub(2));
        // The last search has all bits; the head stands there too.
        let Some(found) = trace.stages.get(last).map(|stage| &stage.residual) else { return Vec::new() };
        let (prefix, head) = (layout.number(found, Group::Prefix), layout.number(found, Group::Head));
        let open = bits.saturating_sub(known);
        let wrote = |step: usize| {
            let before = self.output(step - 1).map(|token| layout.number(token, Group::Before));
            before == Some(head) && step >> open == prefix >> open
        };
        (1..=trace.step).filter(|step| wrote(*step)).collect()
    }

    /// The first step after which token and machine differ in state, symbol, written symbol or cell.
    pub fn first_wrong(&self, run: &Run) -> Option<usize> {
        let pairs = self.tokens.iter().zip(&run.moments);
        pairs.into_iter().position(|(token, moment)| token != moment).map(|at| at + 1)
    }

    /// The blocks of a step. `fresh` is the memory where the step is a new one; step 0 stays in no memory.
    fn pass(&self, step: usize, mut fresh: Option<&mut Vec<Option<Memory>>>) -> Option<Trace> {
        let (construction, How { choice, rounding }) = (&*self.construction, self.how);
        let layout = construction.layout();
        let mut h = match step.checked_sub(1) {
            None => self.initial.clone(),
            Some(before) => self.output(before)?.to_vec(),
        };
        let mut number = vec![0.0; layout.width()];
        layout.write(&mut number, Group::Time, step);
        h.iter_mut().zip(&number).for_each(|(h, bit)| *h += bit);
        let entry = h.clone();
        let mut stages = Vec::with_capacity(construction.blocks().len());
        let mut next = Vec::new();
        for (at, block) in construction.blocks().iter().enumerate() {
            let own = block.own.as_ref().and_then(|attention| {
                let memory = match fresh.as_deref_mut() {
                    Some(memories) => {
                        let memory = memories.get_mut(at)?.as_mut()?;
                        memory.push(attention, &h);
                        &*memory
                    }
                    None => self.own.get(at)?.as_ref()?,
                };
                Some(attention.attend(&mut h, memory, step, choice))
            });
            let input = block.input.as_ref().zip(self.given.get(at)?.as_ref());
            let input =
                input.map(|(attention, memory)| attention.attend(&mut h, memory, self.inputs, choice));
            for layer in &block.layers {
                layer.apply(&h, &mut next);
                relu(&mut next);
                std::mem::swap(&mut h, &mut next);
            }
            let deviation = deviation(&h);
            if rounding {
                h.iter_mut().for_each(|z| *z = round(*z));
            }
            stages.push(Stage { phase: block.phase, residual: h.clone(), deviation, own, input });
        }
        let moment = Moment {
            state: layout.largest(&h, Group::State),
            symbol: layout.largest(&h, Group::Symbol),
            written: layout.largest(&stages.first()?.residual, Group::Written),
            head: layout.number(&h, Group::Before),
        };
        Some(Trace { step, entry, stages, moment })
    }
}
