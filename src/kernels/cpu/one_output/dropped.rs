//! Dropout in a block that is read out at `[CLS]`: of attention weights and of what attention and MLP add to the stream.
//!
//! # Why
//! Sums of attention weights are those of all tokens, since weights are dropped after the softmax. So only the sums of values
//! are made token by token, with a row of factors for the heads of each panel; all else is as without dropout.

use super::parts::{Heads, multiply_panels};
use super::table::Table;
use crate::cpu::dense::panels;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::dropout::{Dropout, Masks, Site};
use vivarium_operators::simd::row_by_row;

/// The training step of a network, from a batch of which examples are read.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// Number of the network.
    pub replica: usize,
    /// The step.
    pub step: u64,
    /// Place in its batch of the first example that is read.
    pub first: usize,
}

/// What is dropped of a group of examples.
///
/// # Shapes
/// Factors of components are `[panel][example]` in panels of `stride` rows.
pub struct Dropped {
    rates: Dropout,
    seed: u64,
    inputs: usize,
    embedding: usize,
    stride: usize,
    drawn: Option<Drawn>,
    /// Factors of attention weights, `[example][head][token]`, `[CLS]` last.
    attention: Vec<f32>,
    /// The head of each column of values.
    heads: Vec<usize>,
    /// Factors of what attention and MLP add.
    outputs: [Vec<Row>; 2],
    /// Numbers of one example.
    row: Vec<f32>,
}

impl Dropped {
    /// Of groups of up to `stride` examples of so many bits, in runs from `seed`.
    pub fn new(
        rates: Dropout,
        seed: u64,
        embedding: usize,
        heads: &Heads,
        inputs: usize,
        stride: usize,
    ) -> Self {
        let size = heads.across / heads.count;
        let weights = if rates.attention > 0.0 { stride * heads.count * (inputs + 1) } else { 0 };
        let rows = if rates.residual > 0.0 { panels(embedding) * stride } else { 0 };
        Dropped {
            rates,
            seed,
            inputs,
            embedding,
            stride,
            drawn: None,
            attention: vec![0.0; weights],
            heads: (0..panels(heads.across) * LANES)
                .map(|column| (column / size).min(heads.count - 1))
                .collect(),
            outputs: [0, 1].map(|_| vec![Row::ZERO; rows]),
            row: vec![0.0; embedding],
        }
    }

    /// Whether attention weights are dropped.
    pub fn has_attention(&self) -> bool {
        self.rates.attention > 0.0
    }

    /// Whether components of what attention and MLP add are dropped.
    pub fn has_outputs(&self) -> bool {
        self.rates.residual > 0.0
    }

    /// Takes the step whose numbers are dropped.
    pub fn begin(&mut self, drawn: Drawn) {
        self.drawn = Some(drawn);
    }

    /// Draws the factors of `count` examples, the first of which is number `at` of those that are read.
    pub fn draw(&mut self, at: usize, count: usize) {
        let Some(Drawn { replica, step, first }) = self.drawn else { return };
        let (masks, at, replica) = (Masks { seed: self.seed, step }, first + at, replica as u32);
        if self.has_attention() {
            let each = self.attention.len() / self.stride;
            let out = &mut self.attention[..count * each];
            masks.fill(Site::Attention, self.rates.attention, replica, (at * each) as u32, out);
        }
        if !self.has_outputs() {
            return;
        }
        for (site, rows) in [Site::AttentionOutput, Site::MlpOutput].into_iter().zip(&mut self.outputs) {
            for example in 0..count {
                let first = ((at + example) * self.embedding) as u32;
                masks.fill(site, self.rates.residual, replica, first, &mut self.row);
                for (rows, factors) in rows.chunks_exact_mut(self.stride).zip(self.row.chunks(LANES)) {
                    rows[example].0[..factors.len()].copy_from_slice(factors);
                }
            }
        }
    }

    /// Multiplies what attention adds, or what the MLP adds, or slopes in it.
    pub fn multiply(&self, site: Site, numbers: &mut [Row], count: usize) {
        let factors = &self.outputs[usize::from(site == Site::MlpOutput)];
        multiply_panels(numbers, factors, self.stride, count);
    }

    /// The factors of the weights of a token, for the columns of a panel of values.
    fn factors(&self, example: usize, panel: usize, token: usize) -> Row {
        let tokens = self.inputs + 1;
        let own = &self.attention[example * self.attention.len() / self.stride..];
        let heads = &self.heads[panel * LANES..][..LANES];
        let mut row = Row::ZERO;
        row.0.iter_mut().zip(heads).for_each(|(factor, head)| *factor = own[head * tokens + token]);
        row
    }

    /// The rows of the tokens of an example in the table, `[CLS]` last.
    fn tokens<'x>(&self, x: &'x [f32]) -> impl Iterator<Item = usize> + use<'x> {
        let inputs = self.inputs;
        let bits = x.iter().enumerate().map(move |(i, bit)| if *bit > 0.0 { 1 + i } else { 1 + inputs + i });
        bits.chain([0])
    }

    /// Σ_t m_t w_t v_t of each example, and 0 for the rows that fill up a tile.
    pub fn mix(&self, x: &[f32], table: &Table, mixed: &mut [Row], count: usize) {
        for (panel, mixed) in mixed.chunks_exact_mut(self.stride).enumerate() {
            let weighted = &table.weighted[panel * table.stride..];
            for (example, x) in x.chunks_exact(self.inputs).enumerate() {
                let mut sum = Row::ZERO;
                for (token, row) in self.tokens(x).enumerate() {
                    row_by_row();
                    let factors = self.factors(example, panel, token);
                    sum = sum + weighted[row].zip(factors, |weighted, factor| weighted * factor);
                }
                mixed[example] = sum;
            }
            mixed[x.len() / self.inputs..count].fill(Row::ZERO);
        }
    }

    /// Adds the slopes in w_t v_t, given those in the sums, to the table.
    pub fn learn(&self, x: &[f32], of_mixed: &[Row], table: &mut Table) {
        let stride = table.stride;
        for (panel, of_mixed) in of_mixed.chunks_exact(self.stride).enumerate() {
            let of_weighted = &mut table.of_weighted[panel * stride..];
            for (example, x) in x.chunks_exact(self.inputs).enumerate() {
                for (token, row) in self.tokens(x).enumerate() {
                    row_by_row();
                    let factors = self.factors(example, panel, token);
                    let slope = of_mixed[example].zip(factors, |slope, factor| slope * factor);
                    of_weighted[row] = of_weighted[row] + slope;
                }
            }
        }
    }
}
