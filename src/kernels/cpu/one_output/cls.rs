//! The loop of a block of attention and an MLP on bits that is read out at a token `[CLS]`: [`ReadAtCls`].
//!
//! ```text
//! a_h = Σ_t w_th v_th / Σ_t w_th over the tokens of an example
//! z = X_CLS + a W_O + b_O        f = u · N₃(z + GELU(N₂(z) W_1 + b_1) W_2 + b_2)
//! ```
//!
//! # Why
//! An example is 2n + 1 numbers 0 and 1, one for each token that can be, so that its sums are products with the
//! [`Table`] of weights and values, and their slopes are added up in the same table: nothing is made for each token of each
//! example. Only `[CLS]` is read out, so that there is one query, one row of the MLP and one of the norms to an example.
//! Examples go through the block in groups of [`TOGETHER`], so that their numbers stay in the caches.

use super::OutputLoop;
use super::dropped::{Drawn, Dropped};
use super::parts::{LayerNorm, Mapping, add_to_each, multiply_panels, sum_of};
use super::table::Table;
use crate::cpu::dense::{Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, add, multiply, panels};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::Family;
use vivarium_model::models::dropout::Site;
use vivarium_model::models::family::ReadAtCls;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_operators::pointwise::{self, Function};
use vivarium_operators::simd::{row_by_row, wide};

/// Examples that go through the block together.
const TOGETHER: usize = 64;

/// The loop.
///
/// # Shapes
/// Numbers of examples are `[panel][example]` in panels of [`TOGETHER`] rows.
pub struct ClsLoop {
    net: ReadAtCls,
    inputs: usize,
    table: Table,
    out: Mapping,
    lower: Mapping,
    upper: Mapping,
    /// Before the MLP and before the output.
    norms: Option<[LayerNorm; 2]>,
    /// u, `[panel]`.
    u: Vec<Row>,
    /// 1 for each token that an example has.
    bits: Vec<Row>,
    /// 1/Σ w, then slopes in Σ w, of each head.
    sums: Vec<Row>,
    /// 1/Σ w of its head for every column.
    spread: Vec<Row>,
    /// a.
    mixed: Vec<Row>,
    /// Slopes in a, then in Σ w v.
    of_mixed: Vec<Row>,
    /// Numbers of each column.
    along: Vec<Row>,
    z: Vec<Row>,
    /// What the MLP reads.
    read: Vec<Row>,
    /// Neurons.
    neurons: Vec<Row>,
    /// Slopes of the GELU, then slopes in what it is taken of.
    by_neuron: Vec<Row>,
    of_neurons: Vec<Row>,
    /// Behind the MLP.
    top: Vec<Row>,
    /// What is read out.
    last: Vec<Row>,
    /// Slopes in `last`, or in `read`.
    of_read: Vec<Row>,
    of_z: Vec<Row>,
    dropped: Dropped,
    /// Of a network whose attention or MLP is dropped in part: b_O without X of `[CLS]`, slopes in what is added to the
    /// stream, and slopes in X of `[CLS]`.
    bias: Vec<Row>,
    of_added: Vec<Row>,
    of_cls: Vec<Row>,
}

wide! {
    /// 1 over each number.
    fn invert(rows: &mut [Row]) {
        for row in rows.iter_mut() {
            row_by_row();
            *row = row.map(|sum| 1.0 / sum);
        }
    }
}

wide! {
    /// The sum of rows, each times the slope of its example, on top of `slope`; and puts the slopes times u into `of`.
    fn pull(rows: &[Row], pulls: &[f32], u: Row, of: &mut [Row], slope: Row) -> Row {
        let mut slope = slope;
        for ((row, pull), of) in rows.iter().zip(pulls).zip(of) {
            row_by_row();
            slope = slope + *row * *pull;
            *of = u * *pull;
        }
        slope
    }
}

wide! {
    /// Slopes in sums, from the sums' inverses and what their slopes are without them.
    fn slopes_of_sums(inverses: &mut [Row], along: &[Row]) {
        for (inverse, along) in inverses.iter_mut().zip(along) {
            row_by_row();
            *inverse = inverse.zip(*along, |inverse, along| -inverse * along);
        }
    }
}

impl ClsLoop {
    /// Writes which tokens the examples have; how many examples there are in full tiles.
    fn take(&mut self, x: &[f32]) -> usize {
        let n = self.inputs;
        for (example, x) in x.chunks_exact(n).enumerate() {
            for (i, bit) in x.iter().enumerate() {
                let one = if *bit > 0.0 { 1.0 } else { 0.0 };
                for (token, value) in [(1 + i, one), (1 + n + i, 1.0 - one)] {
                    self.bits[token / LANES * TOGETHER + example].0[token % LANES] = value;
                }
            }
        }
        (x.len() / n).next_multiple_of(TILE_ROWS)
    }

    /// Goes up to what is read out of at most [`TOGETHER`] examples; in training it keeps the slopes of the GELU, and drops
    /// what was drawn to be dropped. How many examples there are in full tiles.
    fn forward<const TRAINS: bool>(&mut self, x: &[f32]) -> usize {
        let count = self.take(x);
        let (bits, table) = (Panels::new(&self.bits, TOGETHER), &self.table);
        let with = |w: &[Row], out: &mut [Row]| {
            let mut out = PanelsMut::new(out, TOGETHER);
            multiply(bits, Panels::new(w, table.stride), table.tokens, &mut out, count, false);
        };
        with(&table.weights, &mut self.sums);
        match TRAINS && self.dropped.has_attention() {
            true => self.dropped.mix(x, table, &mut self.mixed, count),
            false => with(&table.weighted, &mut self.mixed),
        }
        self.sums.chunks_exact_mut(TOGETHER).for_each(|sums| invert(&mut sums[..count]));
        let inverses = Panels::new(&self.sums, TOGETHER);
        table.heads.spread(inverses, &mut PanelsMut::new(&mut self.spread, TOGETHER), count);
        multiply_panels(&mut self.mixed, &self.spread, TOGETHER, count);
        let mixed = Panels::new(&self.mixed, TOGETHER);
        self.out.linear.forward(mixed, &mut PanelsMut::new(&mut self.z, TOGETHER), count);
        let drops_outputs = TRAINS && self.dropped.has_outputs();
        if drops_outputs {
            self.dropped.multiply(Site::AttentionOutput, &mut self.z, count);
            for (z, cls) in self.z.chunks_exact_mut(TOGETHER).zip(self.table.cls()) {
                add_to_each(&mut z[..count], cls);
            }
        }
        let read = match &mut self.norms {
            Some([norm, _]) => {
                norm.forward(&self.z, count, &mut self.read);
                &self.read
            }
            None => &self.z,
        };
        let neurons = &mut PanelsMut::new(&mut self.neurons, TOGETHER);
        self.lower.linear.forward(Panels::new(read, TOGETHER), neurons, count);
        let each = self.neurons.chunks_exact_mut(TOGETHER).zip(self.by_neuron.chunks_exact_mut(TOGETHER));
        for (neurons, slopes) in each {
            match TRAINS {
                true => pointwise::forward_simd_with_derivative(
                    Function::NormalGelu,
                    &[],
                    &mut neurons[..count],
                    &mut slopes[..count],
                ),
                false => pointwise::forward_simd(Function::NormalGelu, &[], &mut neurons[..count]),
            }
        }
        let neurons = Panels::new(&self.neurons, TOGETHER);
        self.upper.linear.forward(neurons, &mut PanelsMut::new(&mut self.top, TOGETHER), count);
        if drops_outputs {
            self.dropped.multiply(Site::MlpOutput, &mut self.top, count);
        }
        for (top, z) in self.top.chunks_exact_mut(TOGETHER).zip(self.z.chunks_exact(TOGETHER)) {
            add(&mut top[..count], &z[..count]);
        }
        if let Some([_, norm]) = &mut self.norms {
            norm.forward(&self.top, count, &mut self.last);
        }
        count
    }

    /// What is read out.
    fn last(&self) -> &[Row] {
        if self.norms.is_some() { &self.last } else { &self.top }
    }

    /// The output of example `at`.
    fn output(&self, at: usize) -> f32 {
        let panels = self.last().iter().skip(at).step_by(TOGETHER).zip(&self.u);
        panels.fold(Row::ZERO, |sum, (z, u)| sum + z.zip(*u, |z, u| z * u)).sum()
    }

    /// From slopes in what is read out of the examples `x`, which are in `of_read`, to those in the table.
    fn backward(&mut self, x: &[f32], count: usize) {
        match &mut self.norms {
            Some([_, norm]) => {
                self.of_z.fill(Row::ZERO);
                norm.backward(&self.of_read, count, &mut self.of_z);
            }
            None => self.of_z.copy_from_slice(&self.of_read),
        }
        let drops_outputs = self.dropped.has_outputs();
        if drops_outputs {
            self.of_added.copy_from_slice(&self.of_z);
            self.dropped.multiply(Site::MlpOutput, &mut self.of_added, count);
        }
        let of_top = Panels::new(if drops_outputs { &self.of_added } else { &self.of_z }, TOGETHER);
        self.upper.linear.learn(Panels::new(&self.neurons, TOGETHER), of_top, count);
        self.upper.linear.learn_bias(of_top, count);
        let of_neurons = &mut PanelsMut::new(&mut self.of_neurons, TOGETHER);
        self.upper.linear.backward(of_top, of_neurons, count, false);
        multiply_panels(&mut self.of_neurons, &self.by_neuron, TOGETHER, count);
        let of_neurons = Panels::new(&self.of_neurons, TOGETHER);
        let read = if self.norms.is_some() { &self.read } else { &self.z };
        self.lower.linear.learn(Panels::new(read, TOGETHER), of_neurons, count);
        self.lower.linear.learn_bias(of_neurons, count);
        match &mut self.norms {
            Some([norm, _]) => {
                let of_read = &mut PanelsMut::new(&mut self.of_read, TOGETHER);
                self.lower.linear.backward(of_neurons, of_read, count, false);
                norm.backward(&self.of_read, count, &mut self.of_z);
            }
            None => {
                let of_z = &mut PanelsMut::new(&mut self.of_z, TOGETHER);
                self.lower.linear.backward(of_neurons, of_z, count, true);
            }
        }
        if drops_outputs {
            for (of_cls, of_z) in self.of_cls.iter_mut().zip(self.of_z.chunks_exact(TOGETHER)) {
                *of_cls = *of_cls + sum_of(&of_z[..count]);
            }
            self.dropped.multiply(Site::AttentionOutput, &mut self.of_z, count);
        }
        let of_z = Panels::new(&self.of_z, TOGETHER);
        self.out.linear.learn(Panels::new(&self.mixed, TOGETHER), of_z, count);
        self.out.linear.learn_bias(of_z, count);
        let of_mixed = &mut PanelsMut::new(&mut self.of_mixed, TOGETHER);
        self.out.linear.backward(of_z, of_mixed, count, false);
        self.attention_backward(x, count);
    }

    /// From slopes in a to those in the table.
    fn attention_backward(&mut self, x: &[f32], count: usize) {
        let heads = &self.table.heads;
        let (few, columns) = (panels(heads.count), panels(heads.across));
        multiply_panels(&mut self.mixed, &self.of_mixed, TOGETHER, count);
        let along = &mut PanelsMut::new(&mut self.along, TOGETHER);
        heads.gather(Panels::new(&self.mixed, TOGETHER), along, count, false);
        for (sums, along) in self.sums.chunks_exact_mut(TOGETHER).zip(self.along.chunks_exact(TOGETHER)) {
            slopes_of_sums(&mut sums[..count], &along[..count]);
        }
        multiply_panels(&mut self.of_mixed, &self.spread, TOGETHER, count);
        let (bits, tokens, stride) =
            (Panels::new(&self.bits, TOGETHER), self.table.tokens, self.table.stride);
        let of_weights = &mut PanelsMut::new(&mut self.table.of_weights, stride);
        accumulate_weight_gradient(bits, Panels::new(&self.sums, TOGETHER), few, tokens, of_weights, count);
        if self.dropped.has_attention() {
            return self.dropped.learn(x, &self.of_mixed, &mut self.table);
        }
        let of_weighted = &mut PanelsMut::new(&mut self.table.of_weighted, stride);
        accumulate_weight_gradient(
            bits,
            Panels::new(&self.of_mixed, TOGETHER),
            columns,
            tokens,
            of_weighted,
            count,
        );
    }

    /// Row and lane of an output weight in its parameter.
    fn place(&self, component: usize, class: usize) -> (usize, usize) {
        let n = component * self.net.places.classes + class;
        (n / LANES, n % LANES)
    }
}

/// Whether the loop covers a network of its family: it has one table of tokens for all examples.
///
/// # Errors
/// A sentence that says why not.
pub fn covers(spec: &RunSpec) -> Result<(), String> {
    match spec.has_embedding_dropout() {
        true => Err("training steps drop components of the embeddings".into()),
        false => Ok(()),
    }
}

impl OutputLoop for ClsLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        covers(spec)?;
        let Some(Family::ReadAtCls(net)) = spec.model.config().family() else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        let TaskData::Bits(_) = spec.task.data() else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let (inputs, at) = (spec.task.examples().inputs(), net.places);
        let table = Table::new(net, inputs);
        let rows = |numbers: usize| vec![Row::ZERO; panels(numbers) * TOGETHER];
        let [w1, b1, w2, b2] = at.mlp;
        let (embedding, across) = (net.embedding, table.heads.across);
        let norms = at.norms.filter(|_| net.norm);
        let dropped = Dropped::new(net.dropout, spec.run.seed, embedding, &table.heads, inputs, TOGETHER);
        let mut bits = rows(table.tokens);
        // Every example has [CLS], and so have the rows that fill up a tile: a sum of weights is never 0.
        bits[..TOGETHER].iter_mut().for_each(|row| row.0[0] = 1.0);
        Ok(ClsLoop {
            inputs,
            out: Mapping::new(across, embedding, at.out, at.biases.map(|which| (which, 2))),
            lower: Mapping::new(embedding, net.hidden, w1, Some((b1, 0))),
            upper: Mapping::new(net.hidden, embedding, w2, Some((b2, 0))),
            norms: norms.map(|at| [1, 2].map(|row| LayerNorm::new(embedding, TOGETHER, at, row))),
            u: vec![Row::ZERO; panels(embedding)],
            bits,
            sums: rows(net.heads),
            spread: rows(across),
            mixed: rows(across),
            of_mixed: rows(across),
            along: rows(net.heads),
            z: rows(embedding),
            read: rows(embedding),
            neurons: rows(net.hidden),
            by_neuron: rows(net.hidden),
            of_neurons: rows(net.hidden),
            top: rows(embedding),
            last: rows(embedding),
            of_read: rows(embedding),
            of_z: rows(embedding),
            bias: vec![Row::ZERO; panels(embedding)],
            of_added: rows(if dropped.has_outputs() { embedding } else { 0 }),
            of_cls: vec![Row::ZERO; panels(embedding)],
            dropped,
            table,
            net,
        })
    }

    fn trains(&self, which: usize, _stage: usize) -> bool {
        self.net.norm || self.net.places.norms.is_none_or(|norms| !norms.contains(&which))
    }

    fn load(&mut self, weights: &[Vec<Row>], _stage: usize) {
        self.table.load(weights);
        for mapping in [&mut self.out, &mut self.lower, &mut self.upper] {
            mapping.load(weights);
        }
        self.bias.copy_from_slice(&self.out.linear.bias);
        // The residual stream begins with X of [CLS].
        for (bias, cls) in self.out.linear.bias.iter_mut().zip(self.table.cls()) {
            *bias = *bias + cls;
        }
        self.norms.iter_mut().flatten().for_each(|norm| norm.load(weights));
        let head = &weights[self.net.places.head];
        for component in 0..self.net.embedding {
            let class = |class: usize| {
                let (row, lane) = self.place(component, class);
                head[row].0[lane]
            };
            let of = if self.net.places.classes == 2 { class(1) - class(0) } else { class(0) };
            self.u[component / LANES].0[component % LANES] = of;
        }
    }

    fn begin(&mut self, drawn: Drawn) {
        self.dropped.begin(drawn);
    }

    fn gradient(
        &mut self,
        x: &[f32],
        _stage: usize,
        mut slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    ) {
        for mapping in [&mut self.out, &mut self.lower, &mut self.upper] {
            mapping.linear.turn();
        }
        let mut u_slopes = vec![Row::ZERO; self.u.len()];
        if self.dropped.has_outputs() {
            // X of [CLS] is added after the dropout, and outputs are computed without.
            std::mem::swap(&mut self.out.linear.bias, &mut self.bias);
            self.of_cls.fill(Row::ZERO);
        }
        for (block, x) in x.chunks(TOGETHER * self.inputs).enumerate() {
            let examples = x.len() / self.inputs;
            self.dropped.draw(block * TOGETHER, examples);
            let count = self.forward::<true>(x);
            let mut pulls = [0.0; TOGETHER];
            for (at, pull) in pulls[..examples].iter_mut().enumerate() {
                *pull = slope(block * TOGETHER + at, self.output(at));
            }
            let last = if self.norms.is_some() { &self.last } else { &self.top };
            let panels = last.chunks_exact(TOGETHER).zip(self.of_read.chunks_exact_mut(TOGETHER));
            for ((last, of), (u, u_slope)) in panels.zip(self.u.iter().zip(&mut u_slopes)) {
                *u_slope = pull(&last[..count], &pulls[..count], *u, &mut of[..count], *u_slope);
            }
            self.backward(x, count);
        }
        // A slope in the bias of W_O is one in X of [CLS].
        let mut of_cls = self.out.linear.bias_slope().to_vec();
        if self.dropped.has_outputs() {
            std::mem::swap(&mut self.out.linear.bias, &mut self.bias);
            of_cls.copy_from_slice(&self.of_cls);
        }
        self.table.backward(&of_cls, gradient);
        for mapping in [&mut self.out, &mut self.lower, &mut self.upper] {
            mapping.unload(gradient);
        }
        self.norms.iter().flatten().for_each(|norm| norm.unload(gradient));
        for component in 0..self.net.embedding {
            let of = u_slopes[component / LANES].0[component % LANES];
            let classes = [(self.net.places.classes - 1, of), (0, -of)];
            for (class, of) in &classes[..self.net.places.classes] {
                let (row, lane) = self.place(component, *class);
                gradient[self.net.places.head][row].0[lane] = *of;
            }
        }
    }

    fn outputs(&mut self, x: &[f32], _stage: usize, out: &mut Vec<f32>) {
        for x in x.chunks(TOGETHER * self.inputs) {
            self.forward::<false>(x);
            out.extend((0..x.len() / self.inputs).map(|at| self.output(at)));
        }
    }
}
