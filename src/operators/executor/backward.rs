//! The backward pass of the executor.

use std::mem::take;

use super::Executor;
use crate::graph::Operator;
use crate::plan::{Read, Step};
use crate::pointwise::Function;
use crate::self_attention::{self, Sizes};
use crate::simd::{LANES, Panels, PanelsMut, Row, Source, SourceMut};
use crate::weighted_sum::{self, Part, Position, Weighting};
use crate::{
    attention_scores, block_diagonal, gru, layer_norm, linear, pointwise, product, read_out, relu, score,
    slice, sum,
};

impl Executor {
    /// The backward pass of the values that depend on the example, or of the others.
    pub(super) fn run_backward(&mut self, per_example: bool) {
        let mut steps = take(&mut self.steps);
        for step in steps.iter_mut().rev().filter(|step| step.per_example == per_example) {
            let mut gradient = take(&mut self.slots[step.output].gradient);
            if !gradient.is_empty() {
                self.run_step_backward(step, &mut gradient);
            }
            self.slots[step.output].gradient = gradient;
        }
        self.steps = steps;
    }

    /// Calls `add` with the gradient of a value that a step reads, if it has one.
    fn with_gradient(&mut self, read: Read, add: impl FnOnce(&Self, &mut SourceMut<'_>)) {
        if self.slots[read.slot].gradient.is_empty() {
            return;
        }
        let mut rows = take(&mut self.slots[read.slot].gradient);
        let Source { stride, index, is_constant, .. } = self.source(read);
        add(self, &mut SourceMut { rows: &mut rows, stride, index, is_constant });
        self.slots[read.slot].gradient = rows;
    }

    fn run_step_backward(&mut self, step: &mut Step, gradient: &mut [Row]) {
        let (count, stride) = (self.samples(step), self.slots[step.output].stride);
        match step.operator {
            Operator::Slice { first, count } => self.with_gradient(step.inputs[0][0], |_, grad_x| {
                let mut grad_x = PanelsMut::new(grad_x.rows, grad_x.stride);
                slice::backward_simd(Panels::new(gradient, stride), first, &mut grad_x, count);
            }),
            Operator::Product => {
                let (x, columns, workspace) = (step.inputs[0][0], step.heads.size, &mut step.workspace);
                self.with_gradient(x, |executor, grad| {
                    let (x, overwrites) = (executor.slots[x.slot].panels(), x.overwrites);
                    let mut grad_x = PanelsMut::new(grad.rows, grad.stride);
                    product::backward_simd(x, columns, gradient, workspace, &mut grad_x, count, overwrites);
                });
            }
            Operator::BlockDiagonal { blocks } => self.with_gradient(step.inputs[0][0], |_, grad| {
                let mut grad_w = PanelsMut::new(grad.rows, grad.stride);
                block_diagonal::backward_simd(Panels::new(gradient, stride), blocks, &mut grad_w, count);
            }),
            Operator::Linear => {
                let (x, w) = (step.inputs[0][0], step.inputs[1][0]);
                let d = Panels::new(gradient, stride);
                if step.is_read_out {
                    self.with_gradient(w, |executor, grad_w| {
                        let x = executor.slots[x.slot].panels();
                        read_out::backward_simd_weights(gradient, x, grad_w.rows, count);
                    });
                    self.with_gradient(x, |executor, grad_x| {
                        let w = &executor.slots[w.slot].rows;
                        let mut grad_x = PanelsMut::new(grad_x.rows, grad_x.stride);
                        read_out::backward_simd(gradient, w, &mut grad_x, count, x.overwrites);
                    });
                    self.add_to_terms(&step.inputs[2..], d, count);
                    return;
                }
                self.with_gradient(w, |executor, grad_w| {
                    let (x, inputs) = (executor.slots[x.slot].panels(), executor.slots[w.slot].used);
                    let mut grad_w = PanelsMut::new(grad_w.rows, grad_w.stride);
                    linear::backward_simd_weights(x, d, inputs, &mut grad_w, count);
                });
                self.with_gradient(x, |executor, grad_x| {
                    let w = &executor.slots[w.slot];
                    let transposed = Panels::new(&w.transposed, w.panel_count() * LANES);
                    let mut grad_x = PanelsMut::new(grad_x.rows, grad_x.stride);
                    linear::backward_simd(d, transposed, w.columns, &mut grad_x, count, x.overwrites);
                });
                self.add_to_terms(&step.inputs[2..], d, count);
            }
            Operator::Sum => {
                for panel in 0..gradient.len() / stride {
                    let rows = panel * stride..panel * stride + count;
                    if step.is_rectified {
                        let output = &self.slots[step.output].rows[rows.clone()];
                        relu::backward_simd(output, &mut gradient[rows.clone()]);
                    }
                    for term in step.inputs.iter().flatten() {
                        self.with_gradient(*term, |_, grad| {
                            sum::backward_simd(&gradient[rows.clone()], grad, panel, term.overwrites);
                        });
                    }
                }
            }
            Operator::Pointwise(function) => {
                let read = step.inputs[0][0];
                for (panel, gradient) in gradient.chunks_exact_mut(stride).enumerate() {
                    let (gradient, own) = (&mut gradient[..count], panel * stride..panel * stride + count);
                    if function == Function::Relu {
                        relu::backward_simd(&self.slots[step.output].rows[own], gradient);
                    } else {
                        pointwise::backward_simd(&step.workspace[own], gradient);
                    }
                }
                if read.slot != step.output {
                    let d = Panels::new(gradient, stride);
                    self.with_gradient(read, |_, grad| add_panels(d, grad, count, read.overwrites));
                }
            }
            Operator::LayerNorm => {
                let [x, gain, shift] = [0, 1, 2].map(|input: usize| step.inputs[input][0]);
                let (d, columns, workspace) =
                    (Panels::new(gradient, stride), step.heads.size, &mut step.workspace);
                self.with_gradient(gain, |_, grad| {
                    let mut grad_gain = PanelsMut::new(grad.rows, grad.stride);
                    layer_norm::backward_simd_gain(d, workspace, &mut grad_gain, count);
                });
                self.with_gradient(x, |executor, grad| {
                    let (gain, mut grad_x) = (executor.source(gain), PanelsMut::new(grad.rows, grad.stride));
                    layer_norm::backward_simd(d, gain, columns, workspace, &mut grad_x, count, x.overwrites);
                });
                self.with_gradient(shift, |_, grad| add_panels(d, grad, count, shift.overwrites));
            }
            Operator::RecurrentUnits => {
                let [a, w, bias] = [0, 1, 2].map(|input: usize| step.inputs[input][0]);
                let sizes = gru::Sizes { positions: step.positions, units: step.heads.size };
                let (d, examples, workspace) =
                    (Panels::new(gradient, stride), self.count, &mut step.workspace);
                let (weights, states) = (&self.slots[w.slot], self.slots[step.output].panels());
                let transposed = Panels::new(&weights.transposed, weights.panel_count() * LANES);
                gru::backward_simd(transposed, states, d, sizes, workspace, examples);
                self.with_gradient(a, |_, grad| {
                    let mut grad_a = PanelsMut::new(grad.rows, grad.stride);
                    gru::add_gradient(sizes, workspace, stride, &mut grad_a, count, a.overwrites);
                });
                let output = step.output;
                self.with_gradient(w, |executor, grad| {
                    let states = executor.slots[output].panels();
                    let mut grad_w = PanelsMut::new(grad.rows, grad.stride);
                    gru::add_gradient_of_weights(sizes, states, workspace, &mut grad_w, examples);
                });
                let of_products = gru::gradient_of_products(sizes, workspace, stride);
                self.with_gradient(bias, |_, grad| add_panels(of_products, grad, count, bias.overwrites));
            }
            Operator::SelfAttention { weighting, is_causal, .. } => {
                let sizes = Sizes { positions: step.positions, heads: step.heads, weighting, is_causal };
                let (examples, d) = (self.count, Panels::new(gradient, stride));
                let [query, keys, values] =
                    [0, 1, 2].map(|input: usize| self.slots[step.inputs[input][0].slot].panels());
                let workspace = &mut step.workspace;
                let distances = step.inputs.get(3).map(|reads| self.slots[reads[0].slot].panels());
                self_attention::backward_simd(query, keys, values, distances, sizes, d, workspace, examples);
                if let Some(reads) = step.inputs.get(3) {
                    self.with_gradient(reads[0], |_, grad| {
                        let mut target = PanelsMut::new(grad.rows, grad.stride);
                        self_attention::add_gradient_of_distances(sizes, workspace, &mut target);
                    });
                }
                for (which, reads) in step.inputs.iter().take(3).enumerate() {
                    self.with_gradient(reads[0], |_, grad| {
                        let mut target = PanelsMut::new(grad.rows, grad.stride);
                        let overwrites = reads[0].overwrites;
                        self_attention::add_gradient(
                            sizes,
                            which,
                            workspace,
                            &mut target,
                            examples,
                            overwrites,
                        );
                    });
                }
            }
            Operator::Score { .. } => {
                let (heads, d) = (step.heads, Panels::new(gradient, stride));
                let [query, key] = [0, 1].map(|input: usize| step.inputs[input][0]);
                for (read, other) in [(query, key), (key, query)] {
                    self.with_gradient(read, |executor, grad| {
                        let other = executor.source(other);
                        score::backward_simd(other, heads, d, grad, count, read.overwrites);
                    });
                }
            }
            Operator::AttentionScores { .. } => {
                let (w, query, heads) = (step.inputs[0][0], step.inputs[1][0], step.heads);
                let d = Panels::new(gradient, stride);
                self.with_gradient(w, |executor, grad_w| {
                    let query = executor.slots[query.slot].panels();
                    attention_scores::backward_simd_weights(query, heads, d, grad_w, count);
                });
                self.with_gradient(query, |executor, grad_query| {
                    let w = executor.slots[w.slot].panels();
                    attention_scores::backward_simd_query(w, heads, d, grad_query, count);
                });
            }
            Operator::WeightedSum { weighting, .. } => {
                self.weighted_sum_backward(step, weighting, gradient, count);
            }
            Operator::Parameter(_)
            | Operator::Input
            | Operator::Lookup { .. }
            | Operator::Stack
            | Operator::Attention { .. } => {}
        }
    }

    /// Adds a gradient to those of values that were added to a product.
    fn add_to_terms(&mut self, terms: &[Vec<Read>], grad_output: Panels<'_>, count: usize) {
        for term in terms.iter().flatten() {
            self.with_gradient(*term, |_, grad| add_panels(grad_output, grad, count, term.overwrites));
        }
    }

    fn weighted_sum_backward(
        &mut self,
        step: &mut Step,
        weighting: Weighting,
        gradient: &[Row],
        count: usize,
    ) {
        let grad_output = Panels::new(gradient, self.slots[step.output].stride);
        let Step { inputs, heads, workspace, .. } = step;
        let positions = inputs[0].len();
        for (index, values) in inputs[1].iter().enumerate() {
            let (values, position) = (self.source(*values), Position { index, count: positions });
            weighted_sum::backward_simd_weights(values, *heads, position, grad_output, workspace, count);
        }
        weighted_sum::backward_simd_scores(*heads, weighting, positions, workspace, count);
        for (part, reads) in inputs.iter().enumerate() {
            for (index, read) in reads.iter().enumerate() {
                let position = Position { index, count: positions };
                let part = Part { is_scores: part == 0, overwrites: read.overwrites };
                self.with_gradient(*read, |_, grad| {
                    weighted_sum::backward_simd_position(
                        *heads,
                        position,
                        grad_output,
                        workspace,
                        grad,
                        part,
                        count,
                    );
                });
            }
        }
    }
}

/// Adds a gradient to that of a summand, or writes it there.
fn add_panels(grad_output: Panels<'_>, grad_input: &mut SourceMut<'_>, count: usize, overwrites: bool) {
    for (panel, rows) in grad_output.rows.chunks_exact(grad_output.stride).enumerate() {
        sum::backward_simd(&rows[..count], grad_input, panel, overwrites);
    }
}
