//! Executor in vectors, for training on one core of the processor: the mean cross-entropy of a batch, or any loss of one output,
//! and the gradient of it.
//!
//! # Why
//! Values that are the same for all examples are computed once when weights are [loaded](Executor::load), and their gradients
//! once when the gradient is [written](Executor::gradient); the others go through the network in blocks of [`BLOCK`] samples, of
//! [eight examples](gru::EXAMPLES) at least if a network has recurrent units, so that a block's numbers stay in the caches between
//! the layers. All memory is allocated before the first step. Look-ups and stacks have no memory: an operator that reads them
//! reads the rows of the table. A slot is taken out of the list of slots while an operator writes into it, which costs nothing
//! and needs no `unsafe`.

mod backward;
mod memory;

use std::mem::take;

use memory::block_examples;

use crate::attention_scores::Heads;
use crate::cross_entropy::{self, Measured};
use crate::graph::{Examples, Graph, NodeId, Operator};
use crate::layout::Layout;
use crate::plan::{
    Index, Label, MAX_SOURCES, ParameterLayout, Plan, Read, Slot, Step, check_reads, is_read_out,
    mark_first_gradients, needs_memory, positions,
};
use crate::pointwise::Function;
use crate::self_attention::{self, Sizes};
use crate::simd::{BLOCK, Columns, LANES, Panels, PanelsMut, Row, Source, panels, transpose};
use crate::weighted_sum;
use crate::{
    attention_scores, block_diagonal, gru, layer_norm, linear, pointwise, product, read_out, relu, score,
    slice, sum,
};

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
    /// Symbols and numbers of an example.
    symbols: usize,
    numbers: usize,
    /// Slot of the examples' numbers, if the network reads them, and numbers of each position.
    input: Option<(usize, usize)>,
    /// Whether the derivatives of functions are written, for a backward pass.
    writes_derivatives: bool,
    /// For each position in an example, the symbol at this position in each example of the block.
    indices: Vec<Vec<u32>>,
    /// The symbols of all examples of the block.
    symbol_rows: Vec<u32>,
    /// The position of each sample of a value with several positions.
    position_rows: Vec<u32>,
    /// Examples of a block.
    examples: usize,
    /// Positions of an example in the output.
    positions: usize,
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
    /// The executor of a graph, whose output is a logit for each class, or one number.
    ///
    /// # Errors
    /// A sentence that says which part has no form in vectors.
    pub fn new(graph: &Graph) -> Result<Self, String> {
        Executor::with_block(graph, block_examples(graph, positions(graph)?))
    }

    /// As [`Executor::new`], with memory for a single example at a time.
    ///
    /// # Errors
    /// As [`Executor::new`].
    pub fn for_single_examples(graph: &Graph) -> Result<Self, String> {
        Executor::with_block(graph, 1)
    }

    /// The executor of a graph in blocks of so many examples.
    fn with_block(graph: &Graph, examples: usize) -> Result<Self, String> {
        let positions = positions(graph)?;
        let mut plan = Plan {
            examples,
            graph,
            layout: Layout::new(graph)?,
            slot_of: vec![None; graph.nodes.len()],
            slots: vec![],
        };
        let consumers = graph.consumers();
        let (mut steps, mut parameters, mut input_slot) = (vec![], vec![], None);
        for (number, node) in graph.nodes.iter().enumerate() {
            let (id, shape) = (NodeId(number), node.shape);
            match node.operator {
                Operator::Stack => continue,
                Operator::Lookup { .. } if !needs_memory(graph, id, &consumers[number]) => continue,
                Operator::Attention { .. } => return Err("its attention has a query for each example".into()),
                Operator::Input => {
                    let slot = plan.allocate(id);
                    input_slot = Some((slot, shape.columns));
                    plan.slot_of[number] = Some(slot);
                    continue;
                }
                Operator::Parameter(at) => {
                    let (rows, distance, _) = plan.layout.rows(graph, id);
                    let is_trained = graph.parameters[at].is_trained;
                    let parameter = if distance == 0 && is_read_out(graph, id, &consumers[number]) {
                        let slot = plan.allocate_column(shape.rows);
                        let columns = Columns::plain(shape.rows);
                        ParameterLayout { slot, columns, group: (1, 0), rows: 1, is_trained }
                    } else {
                        let (slot, columns) = (plan.allocate(id), plan.layout.columns(graph, id));
                        ParameterLayout {
                            slot,
                            columns,
                            group: (rows, distance),
                            rows: shape.rows,
                            is_trained,
                        }
                    };
                    plan.slot_of[number] = Some(parameter.slot);
                    parameters.push((at, parameter));
                    continue;
                }
                _ => {}
            }
            let reads = |(input, read): (usize, &NodeId)| match (node.operator, input) {
                // Weights, which are the same for all examples.
                (Operator::Linear | Operator::RecurrentUnits, 1) => plan.reads(*read, false, 1),
                (Operator::Lookup { .. }, _) => plan.reads(id, true, shape.rows),
                _ => plan.reads(*read, shape.per_example, shape.rows),
            };
            let inputs = node.inputs.iter().enumerate().map(reads).collect::<Result<Vec<_>, _>>()?;
            check_reads(graph, node, &inputs)?;
            // In place where nothing else reads the input.
            let input = node.inputs[0].0;
            let in_place = matches!(node.operator, Operator::Pointwise(_))
                && consumers[input].len() == 1
                && graph.nodes[input].label.is_none()
                && input != graph.output
                && !is_kept(graph.nodes[input].operator);
            let output = if in_place { inputs[0][0].slot } else { plan.allocate(id) };
            plan.slot_of[number] = Some(output);
            // One operator with the sum before it.
            if in_place
                && node.operator == Operator::Pointwise(Function::Relu)
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
                positions: if shape.per_example { shape.rows } else { 1 },
                is_rectified: false,
                is_read_out: false,
                coefficients: vec![],
                heads: Heads { count: 1, size: 1 },
                workspace: vec![],
            };
            match node.operator {
                Operator::Linear => {
                    let w = node.inputs[1];
                    let is_own = |(_, parameter): &(usize, ParameterLayout)| {
                        plan.slot_of[w.0] == Some(parameter.slot) && plan.slots[parameter.slot].stride == 1
                    };
                    step.is_read_out = parameters.iter().any(is_own);
                }
                Operator::Pointwise(function) => step.coefficients = function.coefficients(),
                Operator::Product => {
                    step.heads.size = graph.node(node.inputs[0]).shape.columns;
                    step.workspace = vec![Row::ZERO; panels(step.heads.size)];
                }
                Operator::BlockDiagonal { blocks } => step.heads.count = blocks,
                Operator::LayerNorm => {
                    step.heads.size = shape.columns;
                    let Slot { rows, stride, .. } = &plan.slots[output];
                    let workspace = layer_norm::workspace_rows(rows.len() / stride, *stride);
                    step.workspace = vec![Row::ZERO; workspace];
                }
                Operator::RecurrentUnits => {
                    step.heads.size = shape.columns;
                    let sizes = gru::Sizes { positions: shape.rows, units: shape.columns };
                    step.workspace =
                        vec![Row::ZERO; sizes.workspace_rows(plan.slots[output].stride, examples)];
                }
                Operator::Score { heads } => {
                    let size = graph.node(node.inputs[0]).shape.columns / heads;
                    step.heads = Heads { count: heads, size };
                }
                Operator::SelfAttention { heads, weighting, is_causal } => {
                    step.heads = Heads { count: heads, size: shape.columns / heads };
                    let sizes = Sizes { positions: shape.rows, heads: step.heads, weighting, is_causal };
                    step.workspace = vec![Row::ZERO; sizes.workspace_rows(examples)];
                }
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
            numbers: graph.numbers,
            input: input_slot,
            writes_derivatives: false,
            indices: vec![vec![0; examples]; graph.symbols],
            symbol_rows: vec![0; examples * graph.symbols],
            position_rows: (0..examples * positions).map(|sample| (sample % positions) as u32).collect(),
            examples,
            positions: graph.output().shape.rows,
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
        self.writes_derivatives = true;
        self.run(false);
        self.writes_derivatives = false;
        let Executor { slots, steps, parameters, .. } = self;
        let fixed = steps.iter().filter(|step| !step.per_example).map(|step| step.output);
        for slot in fixed.chain(parameters.iter().map(|parameter| parameter.slot)) {
            slots[slot].gradient.fill(Row::ZERO);
        }
    }

    /// Number of these examples.
    fn count(&self, examples: Examples<'_>) -> usize {
        match self.symbols {
            0 => examples.numbers.len() / self.numbers.max(1),
            symbols => examples.symbols.len() / symbols,
        }
    }

    /// `count` of these examples from number `first` on.
    fn part<'e>(&self, examples: Examples<'e>, first: usize, count: usize) -> Examples<'e> {
        Examples {
            symbols: &examples.symbols[first * self.symbols..][..count * self.symbols],
            numbers: &examples.numbers[first * self.numbers..][..count * self.numbers],
        }
    }

    /// The first example and the number of examples of each block.
    fn blocks(&self, count: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let block = self.examples;
        (0..count).step_by(block).map(move |first| (first, (count - first).min(block)))
    }

    /// Most examples that [`Executor::forward`] takes: [`BLOCK`] if an example has one position.
    pub fn block(&self) -> usize {
        self.examples
    }

    /// Sends at most [`Executor::block`] examples through the network.
    pub fn forward<'e>(&mut self, examples: impl Into<Examples<'e>>) {
        let examples = examples.into();
        self.count = self.count(examples);
        if self.symbols > 0 {
            self.symbol_rows[..examples.symbols.len()].copy_from_slice(examples.symbols);
            for (example, symbols) in examples.symbols.chunks_exact(self.symbols).enumerate() {
                for (symbol, index) in symbols.iter().zip(&mut self.indices) {
                    index[example] = *symbol;
                }
            }
        }
        if let Some((input, size)) = self.input {
            let Slot { rows, stride, .. } = &mut self.slots[input];
            for (panel, rows) in rows.chunks_exact_mut(*stride).enumerate() {
                let columns = panel * LANES..size.min((panel + 1) * LANES);
                for (row, numbers) in rows.iter_mut().zip(examples.numbers.chunks_exact(size)) {
                    let numbers = &numbers[columns.clone()];
                    row.0[..numbers.len()].copy_from_slice(numbers);
                }
            }
        }
        self.run(true);
    }

    /// The output for an example of the block; if an example has several positions, for a position: number of the example times
    /// positions plus number of the position.
    pub fn output(&self, sample: usize) -> impl Iterator<Item = f32> {
        self.numbers(self.output, sample).take(self.classes)
    }

    fn numbers(&self, slot: usize, example: usize) -> impl Iterator<Item = f32> {
        let Slot { rows, stride, .. } = &self.slots[slot];
        rows.iter().skip(example).step_by(*stride).flat_map(|row| row.0)
    }

    /// The value with this label for an example of the block, `[positions, components]`; empty if there is none.
    pub fn labelled(&self, label: &str, example: usize) -> Vec<f32> {
        let found = self.labels.iter().find(|own| own.label == label && !own.is_grouped);
        let of_position = |own: &Label, position: usize| {
            let numbers = self.numbers(own.slot, example * own.positions + position);
            numbers.take(own.size).collect::<Vec<_>>()
        };
        found.map_or(vec![], |own| (0..own.positions).flat_map(|at| of_position(own, at)).collect())
    }

    /// Positions of the value with this label; 1 if there is none.
    pub fn positions(&self, label: &str) -> usize {
        self.labels.iter().find(|own| own.label == label).map_or(1, |own| own.positions)
    }

    /// Attention layers with this label.
    fn attention(&self, label: &str) -> impl Iterator<Item = &Step> {
        let steps = self.labels.iter().filter(move |own| own.label == label).map(|own| &self.steps[own.step]);
        steps.filter(|step| {
            matches!(step.operator, Operator::WeightedSum { .. } | Operator::SelfAttention { .. })
        })
    }

    /// Number of heads of each attention layer with this label.
    pub fn heads(&self, label: &str) -> Vec<usize> {
        self.attention(label).map(|step| step.heads.count).collect()
    }

    /// The weights that attention layer number `layer` with this label, from 0, gives to each position of an example of the block,
    /// `[heads, positions]`; if each position attends, `[heads, positions, positions]`, the one that attends first. Empty if there
    /// is no such layer.
    pub fn weights(&self, label: &str, layer: usize, example: usize) -> Vec<f32> {
        let Some(step) = self.attention(label).nth(layer) else { return vec![] };
        let Step { workspace, inputs, heads, .. } = step;
        if let Some(sizes) = step.sizes() {
            return sizes.all_weights(workspace, example);
        }
        let positions = inputs[0].len();
        let weight = |head| {
            (0..positions)
                .map(move |position| weighted_sum::weight(workspace, positions, head, position, example))
        };
        (0..heads.count).flat_map(weight).collect()
    }

    /// Allocates the memory of the backward pass, which [`Executor::gradient`] needs; before weights are loaded.
    ///
    /// Parameters that are not trained, and values that depend on no trained parameter, have no gradient.
    pub fn allocate_gradients(&mut self) {
        let mut has_gradient = vec![false; self.slots.len()];
        self.parameters.iter().for_each(|parameter| has_gradient[parameter.slot] = parameter.is_trained);
        for step in &mut self.steps {
            let reads = |input: &Vec<Read>| input.iter().any(|read| has_gradient[read.slot]);
            let (is_of_any, is_of_first) = (step.inputs.iter().any(reads), reads(&step.inputs[0]));
            has_gradient[step.output] |= is_of_any;
            let is_of_product = step.operator == Operator::Linear && !step.is_read_out && is_of_first;
            if is_of_product || step.operator == Operator::RecurrentUnits && is_of_any {
                let w = &mut self.slots[step.inputs[1][0].slot];
                w.transposed = vec![Row::ZERO; w.used.div_ceil(LANES) * w.panel_count() * LANES];
            }
            if let Operator::Pointwise(function) = step.operator
                && function != Function::Relu
            {
                step.workspace = vec![Row::ZERO; self.slots[step.output].rows.len()];
            }
        }
        for (slot, _) in self.slots.iter_mut().zip(has_gradient).filter(|(_, has_gradient)| *has_gradient) {
            slot.gradient = vec![Row::ZERO; slot.rows.len()];
        }
    }

    /// Writes the gradient of the mean cross-entropy of these examples, with label smoothing ε. Call it once after
    /// each [`load`](Executor::load).
    ///
    /// # Shapes
    /// `gradient` as in [`Executor::load`].
    ///
    /// # Panics
    /// If the gradients [have no memory](Executor::allocate_gradients), or the numbers of examples and labels differ.
    pub fn gradient<'e>(
        &mut self,
        examples: impl Into<Examples<'e>>,
        labels: &[u32],
        smoothing: f32,
        gradient: &mut [Vec<Row>],
    ) {
        let examples = examples.into();
        assert_eq!(self.count(examples) * self.positions, labels.len(), "each position has a label");
        let scale = 1.0 / labels.len().max(1) as f32;
        let (classes, positions, stride) = (self.classes, self.positions, self.slots[self.output].stride);
        let block = self.examples * positions;
        let write = |first: usize, logits: &[Row], gradient: &mut [Row], one: &mut [Row]| {
            let first = first * positions;
            let labels = &labels[first..][..(labels.len() - first).min(block)];
            cross_entropy::backward_simd(logits, stride, classes, labels, (smoothing, scale), gradient, one);
        };
        self.gradient_by(examples, write, gradient);
    }

    /// Writes the gradient of the sum of a loss of the output over these examples, for a network with one output, where
    /// `derivative(i, f)` is that of the loss of example i in its output f; if an example has several positions with one output
    /// each, i counts the positions of all examples. Call it once after each [`load`](Executor::load).
    ///
    /// # Shapes
    /// `gradient` as in [`Executor::load`]; that of a parameter that is not trained stays as it is.
    ///
    /// # Panics
    /// If the network has more than one output for a position.
    pub fn gradient_of_outputs<'e>(
        &mut self,
        examples: impl Into<Examples<'e>>,
        mut derivative: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        assert_eq!(self.classes, 1, "the derivative is that of one output");
        let (examples, positions) = (examples.into(), self.positions);
        let (count, block) = (self.count(examples), self.examples);
        let write = |first: usize, outputs: &[Row], gradient: &mut [Row], _: &mut [Row]| {
            let all = outputs.iter().zip(gradient).take((count - first).min(block) * positions);
            for (sample, (output, gradient)) in (first * positions..).zip(all) {
                *gradient = Row::ZERO;
                gradient.0[0] = derivative(sample, output.0[0]);
            }
        };
        self.gradient_by(examples, write, gradient);
    }

    /// As [`Executor::gradient`], where `write(first, outputs, gradient, one)` writes the gradient in the outputs of a block from
    /// those outputs; `first` is the number of the block's first example, and `one` has a row for each panel of outputs.
    fn gradient_by(
        &mut self,
        examples: Examples<'_>,
        mut write: impl FnMut(usize, &[Row], &mut [Row], &mut [Row]),
        gradient: &mut [Vec<Row>],
    ) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.transposed.is_empty()) {
            let blocks = 0..slot.used.div_ceil(LANES);
            transpose(&slot.rows, slot.stride, LANES, blocks, &mut slot.transposed);
        }
        self.writes_derivatives = true;
        for (first, count) in self.blocks(self.count(examples)) {
            self.forward(self.part(examples, first, count));
            let Slot { rows, gradient, .. } = &mut self.slots[self.output];
            write(first, rows, gradient, &mut self.example_logits);
            self.run_backward(true);
        }
        self.writes_derivatives = false;
        self.run_backward(false);
        let all = self.parameters.iter().zip(gradient);
        for (parameter, gradient) in all.filter(|(parameter, _)| parameter.is_trained) {
            let slot = &self.slots[parameter.slot];
            let from = Panels::new(&slot.gradient, slot.stride);
            for (group, first) in (0..parameter.rows).step_by(parameter.group.0).enumerate() {
                let rows = first..first + parameter.group.0;
                parameter.columns.unpack(from, group * parameter.group.1, rows, 1.0, gradient);
            }
        }
    }

    /// Losses of these examples, and how many of their labels have the largest logit.
    pub fn measure<'e>(&mut self, examples: impl Into<Examples<'e>>, labels: &[u32]) -> Measured {
        let examples = examples.into();
        assert_eq!(self.count(examples) * self.positions, labels.len(), "each position has a label");
        let mut measured = Measured::default();
        for (first, count) in self.blocks(self.count(examples)) {
            self.forward(self.part(examples, first, count));
            let labels = &labels[first * self.positions..][..count * self.positions];
            let Slot { rows, stride, .. } = &self.slots[self.output];
            let one = &mut self.example_logits;
            cross_entropy::measure_simd(rows, *stride, self.classes, labels, &mut measured, one);
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
        if step.per_example { self.count * step.positions } else { self.slots[step.output].used }
    }

    fn source(&self, read: Read) -> Source<'_> {
        let Slot { rows, stride, .. } = &self.slots[read.slot];
        let (index, is_constant) = match read.index {
            Index::Sample => (&self.sample_rows, false),
            Index::Constant => (&self.zeros, true),
            Index::Symbol(symbol) => (&self.indices[symbol], false),
            Index::Symbols => (&self.symbol_rows, false),
            Index::Position => (&self.position_rows, false),
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
        let Step { inputs, heads, workspace, coefficients, .. } = step;
        let slot = |input: usize| &self.slots[inputs[input][0].slot];
        let mut out = PanelsMut::new(output, stride);
        match step.operator {
            Operator::Slice { first, count } => slice::forward_simd(slot(0).panels(), first, &mut out, count),
            Operator::Linear => {
                // Most have a bias and nothing else.
                let (bias, terms, number);
                let onto = match &inputs[2..] {
                    [] => &[][..],
                    [term] if term.len() == 1 => {
                        bias = [self.source(term[0])];
                        &bias[..]
                    }
                    all => {
                        (terms, number) = self.sources(all.iter().flatten().copied());
                        &terms[..number]
                    }
                };
                let (x, w) = (slot(0), slot(1));
                if step.is_read_out {
                    read_out::forward_simd(x.panels(), &w.rows, onto, out.rows, count);
                    return;
                }
                linear::forward_simd(x.panels(), w.panels(), w.used, onto, &mut out, count);
            }
            Operator::Sum => {
                let (terms, number) = self.sources(inputs.iter().flatten().copied());
                sum::forward_simd(&terms[..number], &mut out, count, step.is_rectified);
            }
            Operator::Product => product::forward_simd(slot(0).panels(), heads.size, out.rows, count),
            Operator::BlockDiagonal { blocks } => {
                block_diagonal::forward_simd(slot(0).panels(), blocks, &mut out, count);
            }
            Operator::Pointwise(function) => {
                if inputs[0][0].slot != step.output {
                    out.rows.copy_from_slice(&slot(0).rows);
                }
                let writes_derivatives = self.writes_derivatives && !workspace.is_empty();
                for (panel, rows) in out.rows.chunks_exact_mut(stride).enumerate() {
                    let rows = &mut rows[..count];
                    if function == Function::Relu {
                        relu::forward_simd(rows);
                    } else if writes_derivatives {
                        let derivative = &mut workspace[panel * stride..][..count];
                        pointwise::forward_simd_with_derivative(function, coefficients, rows, derivative);
                    } else {
                        pointwise::forward_simd(function, coefficients, rows);
                    }
                }
            }
            Operator::LayerNorm => {
                let (x, columns) = (slot(0).panels(), heads.size);
                let [gain, shift] = [1, 2].map(|input: usize| self.source(inputs[input][0]));
                layer_norm::forward_simd(x, gain, shift, columns, workspace, &mut out, count);
            }
            Operator::RecurrentUnits => {
                let (a, w, bias) = (slot(0).panels(), slot(1).panels(), self.source(inputs[2][0]));
                let sizes = gru::Sizes { positions: step.positions, units: heads.size };
                gru::forward_simd(a, w, bias, sizes, workspace, &mut out, self.count);
            }
            Operator::SelfAttention { weighting, is_causal, .. } => {
                let sizes = Sizes { positions: step.positions, heads: *heads, weighting, is_causal };
                let [query, keys, values] = [0, 1, 2].map(|input| slot(input).panels());
                let examples = self.count;
                let distances = (inputs.len() > 3).then(|| slot(3).panels());
                self_attention::forward_simd(
                    query, keys, values, distances, sizes, workspace, &mut out, examples,
                );
            }
            Operator::Score { .. } => {
                let [query, key] = [0, 1].map(|input: usize| self.source(inputs[input][0]));
                score::forward_simd(query, key, *heads, &mut out, count);
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
            | Operator::Input
            | Operator::Lookup { .. }
            | Operator::Stack
            | Operator::Attention { .. } => {}
        }
    }
}

/// Whether the numbers of a value must stay as they are after the function that alone reads them: weights, examples, and outputs
/// that the backward pass reads, of max(0, x) and of recurrent units.
fn is_kept(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Parameter(_)
            | Operator::Input
            | Operator::RecurrentUnits
            | Operator::Pointwise(Function::Relu)
    )
}
