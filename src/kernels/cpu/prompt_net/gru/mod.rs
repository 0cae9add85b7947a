//! The loop of bidirectional recurrent networks on prompts: [`Gru`](vivarium_model::models::gru::Gru).
//!
//! # Why
//! All prompts of a block go through a position together, so that the product with U is one of matrices. What W makes of
//! codes is tabulated, N rows for each place where a code stands ([`Codes`]), so that a position costs a row for
//! each name besides its token; the gradient of W adds up for each code, and meets the codes once a step. A position
//! does all that is to be done with its numbers at once, forth and back, while they are in the caches.
//!
//! # Speed
//! w = 64, batch 64, d = 4, one name, random codes, Adam; on one core of a two-core server (AMD EPYC, AVX-512) that others
//! kept busy, the best of many windows of two steps, drawing left out, 2026-11-23:
//!
//! ```text
//! N                                 4      8      16
//! steps/s natively              2,030    970     450
//! forward of 64 prompts, µs       230    450     930
//! steps/s in V8 (Node 20, wasm)   700    310     100
//! forward of 64 prompts, µs       620  1,380   2,990
//! ```
//!
//! A step at N = 16 is 160 Mflop, nine in ten of them products with U: 70 Gflop/s natively. In V8 products make 28 Gflop/s
//! whatever their tiles, and gates and tables take two fifths of the way forth.

mod direction;

use direction::Direction;

use super::codes::Codes;
use super::{PromptLoop, family_of};
use crate::cpu::dense::{PanelsMut, TILE_ROWS, panels, place};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::Family;
use vivarium_model::models::gru::{BACKWARD, BETA, FORWARD, OUT};
use vivarium_model::models::prompts::CODES;
use vivarium_model::run::RunSpec;
use vivarium_science::tokens::TokenPrompts;

/// Most prompts that go through a position together.
const TOGETHER: usize = 64;

/// Most numbers of both directions that a block of prompts keeps for the way back.
const MOST_KEPT: usize = 1 << 20;

/// A block of prompts, as both directions read it.
pub(super) struct Block {
    /// Positions of a prompt.
    pub length: usize,
    /// Prompts in full tiles, each position of which follows the other.
    pub stride: usize,
    /// Prompts that there are.
    pub count: usize,
    /// Numbers of tokens, `[panel][position, prompt]`.
    pub tokens: Vec<Row>,
    /// Rows of the table that are named, `[position, prompt][name]`; 0 where there is no prompt.
    pub names: Vec<u32>,
    /// Outputs, or the loss's slopes in them, `[position, prompt]`.
    pub outputs: Vec<f32>,
}

/// The loop.
pub struct GruLoop {
    prompts: TokenPrompts,
    codes: Codes,
    directions: [Direction; 2],
    beta: f32,
    beta_slope: f32,
    /// Prompts of a block at most.
    together: usize,
    block: Block,
}

impl Block {
    /// Takes the prompts `rows`.
    fn take(&mut self, prompts: &TokenPrompts, codes: &Codes, rows: &[f32]) {
        let (length, columns) = (prompts.length, prompts.row_len());
        self.count = rows.len() / columns;
        self.stride = self.count.next_multiple_of(TILE_ROWS);
        let samples = length * self.stride;
        self.tokens.clear();
        self.tokens.resize(panels(prompts.dim) * samples, Row::ZERO);
        self.names.clear();
        self.names.resize(samples * prompts.names, 0);
        self.outputs.clear();
        self.outputs.resize(samples, 0.0);
        for (at, row) in rows.chunks_exact(columns).enumerate() {
            let (tokens, names, _) = prompts.split_row(row);
            let each = tokens.chunks_exact(prompts.dim).zip(names.chunks_exact(prompts.names));
            for (i, (token, names)) in each.enumerate() {
                let sample = i * self.stride + at;
                place(token, &mut PanelsMut::new(&mut self.tokens, samples), sample);
                let rows = self.names[sample * prompts.names..].iter_mut().zip(names);
                for (number, (row, name)) in rows.enumerate() {
                    *row = ((1 + number) * codes.rows() + *name as usize) as u32;
                }
            }
        }
    }

    /// The output of a prompt at a position.
    fn output(&mut self, prompt: usize, position: usize) -> &mut f32 {
        &mut self.outputs[position * self.stride + prompt]
    }
}

impl GruLoop {
    fn forward(&mut self, rows: &[f32]) {
        self.block.take(&self.prompts, &self.codes, rows);
        self.block.outputs.fill(self.beta);
        self.directions.iter_mut().for_each(|direction| direction.forward(&mut self.block));
    }
}

impl PromptLoop for GruLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (Family::Gru(net), prompts) = family_of(spec)? else {
            return Err("it is no recurrent network on prompts".into());
        };
        let kept = 2 * 5 * panels(net.width) * LANES * prompts.length;
        let (length, codes) = (prompts.length, Codes::new(&prompts));
        let directions = [FORWARD, BACKWARD].map(|at| Direction::new(at, &prompts, &codes, net.width));
        let (tokens, names, outputs) = (vec![], vec![], vec![]);
        Ok(GruLoop {
            together: (MOST_KEPT / kept / TILE_ROWS * TILE_ROWS).clamp(TILE_ROWS, TOGETHER),
            block: Block { length, stride: 0, count: 0, tokens, names, outputs },
            prompts,
            codes,
            directions,
            beta: 0.0,
            beta_slope: 0.0,
        })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        self.codes.load(&weights[CODES]);
        for direction in &mut self.directions {
            direction.load(&self.prompts, &self.codes, weights);
        }
        self.beta = weights[BETA][0].0[0];
        self.beta_slope = 0.0;
    }

    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]) {
        let (columns, length) = (self.prompts.row_len(), self.prompts.length);
        let share = 2.0 / (rows.len() / columns * length) as f32;
        self.directions.iter_mut().for_each(Direction::turn);
        for rows in rows.chunks(self.together * columns) {
            self.forward(rows);
            let count = self.block.count;
            for (at, row) in rows.chunks_exact(columns).enumerate() {
                for (i, label) in self.prompts.split_row(row).2.iter().enumerate() {
                    let slope = self.block.output(at, i);
                    *slope = (*slope - label) * share;
                    self.beta_slope += *slope;
                }
            }
            // What fills up a tile is no prompt.
            for outputs in self.block.outputs.chunks_exact_mut(self.block.stride) {
                outputs[count..].fill(0.0);
            }
            self.directions.iter_mut().for_each(|direction| direction.backward(&self.block));
        }
        gradient[OUT].fill(Row::ZERO);
        for direction in &mut self.directions {
            direction.unload(&self.prompts, &self.codes, gradient);
        }
        gradient[BETA][0].0[0] = self.beta_slope;
    }

    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>) {
        for rows in rows.chunks(self.together * self.prompts.row_len()) {
            self.forward(rows);
            for prompt in 0..self.block.count {
                out.extend((0..self.prompts.length).map(|i| *self.block.output(prompt, i)));
            }
        }
    }
}
