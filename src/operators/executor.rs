//! Executor in vectors, for training on one core of the processor: the mean cross-entropy of a batch and its gradient.
//!
//! # Why
//! Values that are the same for all examples are computed once when weights are [loaded](Executor::load), and their gradients
//! once when the gradient is [written](Executor::gradient); the others go through the network in blocks of [`BLOCK`] examples, so
//! that a block's numbers stay in the caches between the layers. All memory is allocated before the first step. Look-ups and
//! stacks have no memory: an operator that reads them reads the rows of the table. A slot is taken out of the list of slots
//! while an operator writes into it, which costs nothing and needs no `unsafe`.

use std::mem::take;

use crate::attention_scores::Heads;
use crate::cross_entropy::{self, Measured};
use crate::graph::{Graph, NodeId, Operator};
use crate::layout::Layout;
use crate::plan::{
    Index, Label, MAX_SOURCES, ParameterLayout, Plan, Read, Slot, Step, check_reads, mark_first_gradients,
    needs_memory,
};
use crate::simd::{BLOCK, LANES, Panels, PanelsMut, Row, Source, SourceMut, panels, transpose};
use crate::weighted_sum::{self, Part, Position, Weighting};
use crate::{attention_scores, linear, relu, slice, sum};

/// A network ready to be executed.
#[derive(Debug, Clone)]
pub struct Executor {
    slots: Vec<Slot>,
    steps: Vec<Step>,
    /// In the order of the graph's parameters.
    parameters: Vec<ParameterLayout>,
    output: usize,
    classes: usize,
    labels: Vec<Label>,
    /// Symbols of an example.
    symbols: usize,
    /// For each position in an example, the symbol at this position in each example of the block.
    indices: Vec<Vec<u32>>,
    /// 0, 1, 2, …
    sample_rows: Vec<u32>,
    /// 0, 0, 0, …
    zeros: Vec<u32>,
    /// A row for each panel of classes.
    example_logits: Vec<Row>,
    /// Examples of the block.
    count: usize,
}

impl Executor {
    /// The executor of a graph, whose output is a logit for each class.
    ///
    /// # Errors
    /// A sentence that says which part has no form in vectors.
    pub fn new(graph: &Graph) -> Result<Self, String> {
        let mut plan = Plan {
            graph,
            layout: Layout::new(graph)?,
            slot_of: vec![None; graph.nodes.len()],
            slots: vec![],
        };
        let consumers = graph.consumers();
        let (mut steps, mut parameters) = (vec![], vec![]);
        for (number, node) in graph.nodes.iter().enumerate() {
            let (id, shape) = (NodeId(number), node.shape);
            match node.operator {
                Operator::Stack => continue,
                Operator::Lookup { .. } if !needs_memory(graph, id, &consumers[number]) => continue,
                Operator::Attention { .. } => return Err("its attention has a query for each example".into()),
                Operator::Parameter(at) => {
                    let slot = plan.allocate(id);
                    plan.slot_of[number] = Some(slot);
                    let (rows, distance, _) = plan.layout.rows(graph, id);
                    let columns = plan.layout.columns(graph, id);
                    parameters.push((
                        at,
                        ParameterLayout { slot, columns, group: (rows, distance), rows: shape.rows },
                    ));
                    continue;
                }
                _ => {}
            }
            let reads = |(input, read): (usize, &NodeId)| match (node.operator, input) {
                // Weights, which are the same for all examples.
                (Operator::Linear, 1) => plan.reads(*read, false, 1),
                (Operator::Lookup { .. }, _) => plan.reads(id, true, 1),
                _ => plan.reads(*read, shape.per_example, shape.rows),
            };
            let inputs = node.inputs.iter().enumerate().map(reads).collect::<Result<Vec<_>, _>>()?;
            if shape.per_example && shape.rows > 1 {
                return Err("a value of an example has several positions".into());
            }
            check_reads(graph, node, &inputs)?;
            // In place where nothing else reads the input.
            let input = node.inputs[0].0;
            let in_place = node.operator == Operator::Relu
                && consumers[input].len() == 1
                && graph.nodes[input].label.is_none()
                && input != graph.output
                && !matches!(graph.nodes[input].operator, Operator::Parameter(_));
            let output = if in_place { inputs[0][0].slot } else { plan.allocate(id) };
            plan.slot_of[number] = Some(output);
            // One operator with the sum before it.
            if in_place
                && let Some(last) = steps.last_mut().filter(|last: &&mut Step| last.output == output)
                && last.operator == Operator::Sum
            {
                last.is_rectified = true;
                continue;
            }
            // A looked-up row that needs memory of its own is a sum of one term.
            let is_lookup = matches!(node.operator, Operator::Lookup { .. });
            let mut step = Step {
                operator: if is_lookup { Operator::Sum } else { node.operator },
                inputs,
                output,
                per_example: shape.per_example,
                is_rectified: false,
                heads: Heads { count: 1, size: 1 },
                workspace: vec![],
            };
            match node.operator {
                Operator::Linear => plan.slots[step.inputs[1][0].slot].is_weight = true,
                Operator::AttentionScores { heads } => {
                    step.heads =
                        Heads { count: heads, size: graph.node(node.inputs[1]).shape.columns / heads };
                }
                Operator::WeightedSum { heads, .. } => {
                    step.heads = Heads { count: heads, size: shape.columns / heads };
                    let rows = weighted_sum::workspace_rows(heads, step.inputs[0].len());
                    step.workspace = vec![Row::ZERO; rows];
                }
                _ => {}
            }
            steps.push(step);
        }
        let output = plan.slot_of[graph.output].ok_or("the output is a stack")?;
        if !graph.output().shape.per_example || plan.layout.is_grouped(NodeId(graph.output)) {
            return Err("the output is the same for all examples, or has heads".into());
        }
        mark_first_gradients(&mut steps, plan.slots.len(), output);
        parameters.sort_by_key(|(at, _)| *at);
        let longest = plan.slots.iter().map(|slot| slot.stride).max().unwrap_or(0).max(BLOCK);
        let classes = graph.output().shape.columns;
        Ok(Executor {
            labels: plan.labels(&steps)?,
            slots: plan.slots,
            steps,
            parameters: parameters.into_iter().map(|(_, parameter)| parameter).collect(),
            output,
            classes,
            symbols: graph.symbols,
            indices: vec![vec![0; BLOCK]; graph.symbols],
            sample_rows: (0..longest as u32).collect(),
            zeros: vec![0; longest],
            example_logits: vec![Row::ZERO; panels(classes)],
            count: 0,
        })
    }

    /// Loads weights, computes all constants and sets their gradients to zero.
    ///
    /// # Shapes
    /// A list for each parameter of the graph: its numbers one after the other, the last row filled up with zeros.
    pub fn load(&mut self, weights: &[Vec<Row>]) {
        for (parameter, weights) in self.parameters.iter().zip(weights) {
            let slot = &mut self.slots[parameter.slot];
            let mut out = PanelsMut::new(&mut slot.rows, slot.stride);
            for (group, first) in (0..parameter.rows).step_by(parameter.group.0).enumerate() {
                let rows = first..first + parameter.group.0;
                parameter.columns.pack(weights, rows, 1.0, &mut out, group * parameter.group.1);
            }
        }
        self.run(false);
        let Executor { slots, steps, parameters, .. } = self;
        let fixed = steps.iter().filter(|step| !step.per_example).map(|step| step.output);
        for slot in fixed.chain(parameters.iter().map(|parameter| parameter.slot)) {
            slots[slot].gradient.fill(Row::ZERO);
        }
    }

    /// Sends at most [`BLOCK`] examples through the network.
    ///
    /// # Shapes
    /// `examples` are the symbols of one example after the other.
    pub fn forward(&mut self, examples: &[u32]) {
        self.count = examples.len() / self.symbols;
        for (example, symbols) in examples.chunks_exact(self.symbols).enumerate() {
            for (symbol, index) in symbols.iter().zip(&mut self.indices) {
                index[example] = *symbol;
            }
        }
        self.run(true);
    }

    /// The output for an example of the block.
    pub fn output(&self, example: usize) -> impl Iterator<Item = f32> {
        self.numbers(self.output, example).take(self.classes)
    }

    fn numbers(&self, slot: usize, example: usize) -> impl Iterator<Item = f32> {
        let Slot { rows, stride, .. } = &self.slots[slot];
        rows.iter().skip(example).step_by(*stride).flat_map(|row| row.0)
    }

    /// The value with this label for an example of the block; empty if there is none.
    pub fn labelled(&self, label: &str, example: usize) -> Vec<f32> {
        let found = self.labels.iter().find(|own| own.label == label && !own.is_grouped);
        found.map_or(vec![], |own| self.numbers(own.slot, example).take(own.size).collect())
    }

    fn labelled_sum(&self, label: &str) -> Option<&Step> {
        let found = self.labels.iter().find(|own| own.label == label)?;
        let step = &self.steps[found.step];
        matches!(step.operator, Operator::WeightedSum { .. }).then_some(step)
    }

    /// Heads of the weighted sum with this label; 0 if there is none.
    pub fn heads(&self, label: &str) -> usize {
        self.labelled_sum(label).map_or(0, |step| step.heads.count)
    }

    /// The weights that the weighted sum with this label gives to each position of an example of the block, `[heads, positions]`.
    pub fn weights(&self, label: &str, example: usize) -> Vec<f32> {
        let Some(Step { workspace, inputs, heads, .. }) = self.labelled_sum(label) else { return vec![] };
        let positions = inputs[0].len();
        let weight = |head| {
            (0..positions)
                .map(move |position| weighted_sum::weight(workspace, positions, head, position, example))
        };
        (0..heads.count).flat_map(weight).collect()
    }

    /// Allocates the memory of the backward pass, which [`Executor::gradient`] needs.
    pub fn allocate_gradients(&mut self) {
        for slot in &mut self.slots {
            slot.gradient = vec![Row::ZERO; slot.rows.len()];
            if slot.is_weight {
                slot.transposed = vec![Row::ZERO; slot.used.div_ceil(LANES) * slot.panel_count() * LANES];
            }
        }
    }

    /// Writes the gradient of the mean cross-entropy of these examples, with label smoothing ε; once for the weights that were
    /// loaded last.
    ///
    /// # Shapes
    /// `examples` as in [`Executor::forward`], `gradient` as in [`Executor::load`].
    ///
    /// # Panics
    /// If the gradients [have no memory](Executor::allocate_gradients), or the numbers of examples and labels differ.
    pub fn gradient(&mut self, examples: &[u32], labels: &[u32], smoothing: f32, gradient: &mut [Vec<Row>]) {
        assert_eq!(examples.len(), labels.len() * self.symbols, "each example has a label");
        let scale = 1.0 / labels.len().max(1) as f32;
        for slot in self.slots.iter_mut().filter(|slot| slot.is_weight) {
            let blocks = 0..slot.used.div_ceil(LANES);
            transpose(&slot.rows, slot.stride, LANES, blocks, &mut slot.transposed);
        }
        for (examples, labels) in examples.chunks(BLOCK * self.symbols).zip(labels.chunks(BLOCK)) {
            self.forward(examples);
            let Slot { rows, gradient, .. } = &mut self.slots[self.output];
            cross_entropy::backward_simd(
                rows,
                self.classes,
                labels,
                (smoothing, scale),
                gradient,
                &mut self.example_logits,
            );
            self.run_backward(true);
        }
        self.run_backward(false);
        for (parameter, gradient) in self.parameters.iter().zip(gradient) {
            let slot = &self.slots[parameter.slot];
            let from = Panels::new(&slot.gradient, slot.stride);
            for (group, first) in (0..parameter.rows).step_by(parameter.group.0).enumerate() {
                let rows = first..first + parameter.group.0;
                parameter.columns.unpack(from, group * parameter.group.1, rows, 1.0, gradient);
            }
        }
    }

    /// Losses of these examples, and how many of their labels have the largest logit.
    pub fn measure(&mut self, examples: &[u32], labels: &[u32]) -> Measured {
        assert_eq!(examples.len(), labels.len() * self.symbols, "each example has a label");
        let mut measured = Measured::default();
        for (examples, labels) in examples.chunks(BLOCK * self.symbols).zip(labels.chunks(BLOCK)) {
            self.forward(examples);
            let rows = &self.slots[self.output].rows;
            cross_entropy::measure_simd(rows, self.classes, labels, &mut measured, &mut self.example_logits);
        }
        measured
    }

    /// The forward pass of the values that depend on the example, or of the others.
    fn run(&mut self, per_example: bool) {
        let mut steps = take(&mut self.steps);
        for step in steps.iter_mut().filter(|step| step.per_example == per_example) {
            let mut output = take(&mut self.slots[step.output].rows);
            self.run_step(step, &mut output);
            self.slots[step.output].rows = output;
        }
        self.steps = steps;
    }

    /// Samples of a step.
    fn samples(&self, step: &Step) -> usize {
        if step.per_example { self.count } else { self.slots[step.output].used }
    }

    fn source(&self, read: Read) -> Source<'_> {
        let Slot { rows, stride, .. } = &self.slots[read.slot];
        let (index, is_constant) = match read.index {
            Index::Sample => (&self.sample_rows, false),
            Index::Constant => (&self.zeros, true),
            Index::Symbol(symbol) => (&self.indices[symbol], false),
        };
        Source { rows, stride: *stride, index, is_constant }
    }

    fn sources(&self, reads: impl Iterator<Item = Read>) -> ([Source<'_>; MAX_SOURCES], usize) {
        let (mut sources, mut count) = ([Source::EMPTY; MAX_SOURCES], 0);
        for (source, read) in sources.iter_mut().zip(reads) {
            *source = self.source(read);
            count += 1;
        }
        (sources, count)
    }

    fn run_step(&self, step: &mut Step, output: &mut [Row]) {
        let (count, stride) = (self.samples(step), self.slots[step.output].stride);
        let Step { inputs, heads, workspace, .. } = step;
        let slot = |input: usize| &self.slots[inputs[input][0].slot];
        let mut out = PanelsMut::new(output, stride);
        match step.operator {
            Operator::Slice { first, count } => slice::forward_simd(slot(0).panels(), first, &mut out, count),
            Operator::Linear => {
                let (onto, terms) = self.sources(inputs[2..].iter().flatten().copied());
                let (x, w) = (slot(0), slot(1));
                linear::forward_simd(x.panels(), w.panels(), w.used, &onto[..terms], &mut out, count);
            }
            Operator::Sum => {
                let (terms, number) = self.sources(inputs.iter().flatten().copied());
                sum::forward_simd(&terms[..number], &mut out, count, step.is_rectified);
            }
            Operator::Relu => {
                if inputs[0][0].slot != step.output {
                    out.rows.copy_from_slice(&slot(0).rows);
                }
                relu::forward_simd(out.rows);
            }
            Operator::AttentionScores { .. } => {
                attention_scores::forward_simd(slot(0).panels(), slot(1).panels(), *heads, &mut out, count);
            }
            Operator::WeightedSum { weighting, .. } => {
                let (scores, positions) = self.sources(inputs[0].iter().copied());
                let (values, _) = self.sources(inputs[1].iter().copied());
                let (scores, values) = (&scores[..positions], &values[..positions]);
                weighted_sum::forward_simd(scores, values, *heads, weighting, workspace, &mut out, count);
            }
            Operator::Parameter(_)
            | Operator::Lookup { .. }
            | Operator::Stack
            | Operator::Attention { .. } => {}
        }
    }

    /// The backward pass of the values that depend on the example, or of the others.
    fn run_backward(&mut self, per_example: bool) {
        let mut steps = take(&mut self.steps);
        for step in steps.iter_mut().rev().filter(|step| step.per_example == per_example) {
            let mut gradient = take(&mut self.slots[step.output].gradient);
            self.run_step_backward(step, &mut gradient);
            self.slots[step.output].gradient = gradient;
        }
        self.steps = steps;
    }

    /// Calls `add` with the gradient of a value that a step reads.
    fn with_gradient(&mut self, read: Read, add: impl FnOnce(&Self, &mut SourceMut<'_>)) {
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
            Operator::Linear => {
                let (x, w) = (step.inputs[0][0], step.inputs[1][0]);
                let d = Panels::new(gradient, stride);
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
                for onto in step.inputs[2..].iter().flatten() {
                    self.with_gradient(*onto, |_, grad| add_panels(d, grad, count, onto.overwrites));
                }
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
            Operator::Relu => {
                let read = step.inputs[0][0];
                relu::backward_simd(&self.slots[step.output].rows, gradient);
                if read.slot != step.output {
                    let d = Panels::new(gradient, stride);
                    self.with_gradient(read, |_, grad| add_panels(d, grad, count, read.overwrites));
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
            | Operator::Lookup { .. }
            | Operator::Stack
            | Operator::Attention { .. } => {}
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
