//! Attention on prompts with a perceptron on what its heads give, on one processor core.
//!
//! # Why
//! Codes are few and fixed, so that scores are sums of entries of a table that is made once a step ([`tables`]): with eight
//! positions and two names a score is nine additions in place of 24 · 24 products. The queries of all heads at a prompt
//! share lanes ([`prompt`]). The perceptron takes many prompts at once, in the products that all networks on prompts share
//! ([`dense`](crate::cpu::dense)).

mod prompt;
mod shape;
mod tables;
#[cfg(test)]
mod tests;

use super::{PromptLoop, family_of};
use crate::cpu::dense::{Linear, Panels, PanelsMut, TILE_ROWS, panels};
use crate::cpu::one_hidden_layer::Row;
use prompt::{Prompt, Scratch};
use shape::Shape;
use tables::{Codes, Table};
use vivarium_model::models::Family;
use vivarium_model::models::family::PromptAttention;
use vivarium_model::models::prompts::CODES;
use vivarium_model::run::RunSpec;
use vivarium_operators::simd::wide;
use vivarium_science::tokens::{PositionCodes as CodeKind, TokenPrompts};

/// Positions whose perceptron is computed at once, about: what it keeps of them fits into the caches.
const TOGETHER: usize = 128;

/// Rows of hidden units that are kept at once, about: 128 KiB.
const KEPT: usize = 2048;

/// The loops of [`PromptAttention`].
#[derive(Debug, Clone)]
pub struct AttentionLoop {
    shape: Shape,
    prompts: TokenPrompts,
    /// Place of W₁ among the parameters.
    first: usize,
    codes: Codes,
    /// Codes as they were loaded, `[length, code_dim]`.
    plain_codes: Vec<f32>,
    tables: Vec<Table>,
    layer: Linear,
    /// w₂, `[panel of units]`, and its gradient.
    output: [Vec<Row>; 2],
    /// b₂ and its gradient.
    bias: [f32; 2],
    /// Prompts that are together.
    kept: Vec<Prompt>,
    scratch: Scratch,
    /// z of one prompt.
    z: Vec<f32>,
    /// Samples that are together, in full tiles.
    samples: usize,
    /// What heads give, `[panel][sample]`, and the gradient with respect to it.
    given: [Vec<Row>; 2],
    /// Hidden units, `[panel][sample]`, then the gradient with respect to them.
    hidden: Vec<Row>,
    /// ŷ of each sample, then the gradient with respect to it.
    outputs: Vec<f32>,
}

impl AttentionLoop {
    /// Whether the loops cover this network.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn covers(spec: &RunSpec) -> Result<(), String> {
        Self::shape(spec).map(drop)
    }

    fn shape(spec: &RunSpec) -> Result<(PromptAttention, TokenPrompts, Shape), String> {
        let (Family::TokenAttention(net), prompts) = family_of(spec)? else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        let shape = Shape::of(&net, &prompts)?;
        Ok((net, prompts, shape))
    }

    /// What the network makes of as many prompts as are kept, or fewer.
    fn forward(&mut self, rows: &[f32]) {
        let (shape, columns) = (self.shape, self.prompts.row_len());
        let mut given = PanelsMut::new(&mut self.given[0], self.samples);
        let mut count = 0;
        for (prompt, row) in self.kept.iter_mut().zip(rows.chunks_exact(columns)) {
            self.z.clear();
            self.prompts.append_encoded(&self.plain_codes, row, &mut self.z);
            prompt.load(&shape, self.prompts.split_row(row).1, &self.z);
            self.scratch.forward(&self.tables, prompt, &mut given, count);
            count += shape.length;
        }
        let samples = count.next_multiple_of(TILE_ROWS);
        let mut hidden = PanelsMut::new(&mut self.hidden, self.samples);
        self.layer.forward(Panels::new(&self.given[0], self.samples), &mut hidden, samples);
        self.outputs.clear();
        self.outputs.resize(count, 0.0);
        outputs(&mut self.hidden, self.samples, &self.output[0], self.bias[0], &mut self.outputs);
    }

    /// Adds what the gradient with respect to the outputs, which stands in their place, says of all weights.
    fn backward(&mut self, count: usize) {
        let samples = self.outputs.len().next_multiple_of(TILE_ROWS);
        self.outputs.resize(samples, 0.0);
        self.bias[1] = self.outputs.iter().fold(self.bias[1], |sum, slope| sum + slope);
        let [weights, slopes] = &mut self.output;
        hidden_slopes(&mut self.hidden, self.samples, weights, &self.outputs, slopes);
        let hidden = Panels::new(&self.hidden, self.samples);
        self.layer.learn(Panels::new(&self.given[0], self.samples), hidden, samples);
        self.layer.learn_bias(hidden, samples);
        let mut given = PanelsMut::new(&mut self.given[1], self.samples);
        self.layer.backward(hidden, &mut given, samples, false);
        let given = Panels::new(&self.given[1], self.samples);
        for (number, prompt) in self.kept[..count].iter().enumerate() {
            self.scratch.backward(&mut self.tables, prompt, given, number * self.shape.length);
        }
    }
}

impl PromptLoop for AttentionLoop {
    // Tables of scores are made anew for each gradient, and gone back through.
    const LEAST_OF_SHARD: usize = 32;

    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (net, prompts, shape) = Self::shape(spec)?;
        let one_hot = (prompts.codes == CodeKind::OneHot).then_some(prompts.code_scale());
        let codes = Codes::new(shape, prompts.code_dim, one_hot);
        let table = Table::new(&codes, net.separate(&prompts));
        let inputs = shape.heads * shape.values;
        let together = TOGETHER.min(KEPT / panels(net.width)).max(1);
        let kept = (together / shape.length).max(1);
        let samples = (kept * shape.length).next_multiple_of(TILE_ROWS);
        let rows = |columns: usize| vec![Row::ZERO; panels(columns) * samples];
        Ok(AttentionLoop {
            shape,
            prompts,
            first: net.first_layer(),
            plain_codes: vec![0.0; shape.length * prompts.code_dim],
            tables: vec![table; shape.heads],
            codes,
            layer: Linear::new(inputs, net.width),
            output: [(); 2].map(|()| vec![Row::ZERO; panels(net.width)]),
            bias: [0.0; 2],
            kept: vec![Prompt::new(&shape); kept],
            scratch: Scratch::new(&shape),
            z: vec![],
            samples,
            given: [rows(inputs), rows(inputs)],
            hidden: rows(net.width),
            outputs: vec![],
        })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        let numbers = weights[CODES].iter().flat_map(|row| row.0);
        self.plain_codes.iter_mut().zip(numbers).for_each(|(to, code)| *to = code);
        self.codes.load(&self.plain_codes, self.prompts.code_scale());
        for (head, table) in self.tables.iter_mut().enumerate() {
            table.load(&self.codes, head, &weights[1..self.first]);
        }
        self.layer.load(&weights[self.first], &weights[self.first + 1]);
        self.output[0].clone_from(&weights[self.first + 2]);
        self.output[1].fill(Row::ZERO);
        self.bias = [weights[self.first + 3][0].0[0], 0.0];
    }

    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]) {
        self.layer.turn();
        let columns = self.prompts.row_len();
        let scale = 2.0 / (rows.len() / columns * self.shape.length) as f32;
        for rows in rows.chunks(self.kept.len() * columns) {
            self.forward(rows);
            let labels = rows.chunks_exact(columns).flat_map(|row| self.prompts.split_row(row).2);
            for (output, label) in self.outputs.iter_mut().zip(labels) {
                *output = (*output - label) * scale;
            }
            self.backward(rows.len() / columns);
        }
        let (before, after) = gradient.split_at_mut(self.first);
        for (head, table) in self.tables.iter_mut().enumerate() {
            table.unload(&self.codes, head, &mut before[1..]);
        }
        let [w1, b1, w2, b2, ..] = after else { return };
        self.layer.unload(w1, b1);
        w2.clone_from(&self.output[1]);
        b2[0].0[0] = self.bias[1];
    }

    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>) {
        for rows in rows.chunks(self.kept.len() * self.prompts.row_len()) {
            self.forward(rows);
            out.extend_from_slice(&self.outputs);
        }
    }
}

wide! {
    /// Σ_k relu(h_k) w_k + b of every sample; relu(h) takes the place of h.
    ///
    /// # Shapes
    /// `hidden` is `[panel][sample]` with `stride` samples, `weights` `[panel]`.
    fn outputs(hidden: &mut [Row], stride: usize, weights: &[Row], bias: f32, out: &mut [f32]) {
        for (sample, out) in out.iter_mut().enumerate() {
            let mut sum = Row::ZERO;
            for (hidden, weights) in hidden.chunks_exact_mut(stride).zip(weights) {
                // What is no number passes: it must show.
                let unit = hidden[sample].map(|h| if h > 0.0 { h } else { h * 0.0 });
                hidden[sample] = unit;
                sum = sum + unit.zip(*weights, |h, w| h * w);
            }
            *out = sum.sum() + bias;
        }
    }
}

wide! {
    /// From the gradient with respect to the outputs, `slopes`, to that with respect to what comes into hidden units, in
    /// their place; and adds that with respect to the weights.
    fn hidden_slopes(hidden: &mut [Row], stride: usize, weights: &[Row], slopes: &[f32], learned: &mut [Row]) {
        let panels = hidden.chunks_exact_mut(stride).zip(weights).zip(learned);
        for ((hidden, weights), learned) in panels {
            let mut sum = *learned;
            for (hidden, slope) in hidden.iter_mut().zip(slopes) {
                sum = sum + *hidden * *slope;
                let back = *weights * *slope;
                *hidden = hidden.zip(back, |h, back| if h > 0.0 { back } else { 0.0 });
            }
            *learned = sum;
        }
    }
}
