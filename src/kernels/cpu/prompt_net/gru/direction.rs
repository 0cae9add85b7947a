//! One direction: its numbers, and its way through a block of prompts.
//!
//! The numbers that a position makes lie in panels of units, those of n first, then those of r, u and c_n: what stands
//! before the gates, a, is the first three of these groups, and what U adds to, c, is the last three.

use super::Block;
use crate::cpu::dense::{
    Columns, Linear, Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, multiply, panels, sigmoid,
    tanh,
};
use crate::cpu::one_hidden_layer::{LANES, Row};
use crate::cpu::prompt_net::codes::{Codes, look_back, look_up};
use vivarium_model::models::gru::{Direction as Places, FORWARD, OUT};
use vivarium_operators::simd::wide;
use vivarium_science::tokens::TokenPrompts;

/// One direction of the network.
#[derive(Debug, Clone)]
pub struct Direction {
    at: Places,
    width: usize,
    /// Numbers of a token.
    dim: usize,
    /// Panels of units.
    panels: usize,
    /// Codes that stand at a position: its own and those of its names.
    places: usize,
    /// Columns of W: r, u and n.
    columns: Columns,
    /// Rows of W for tokens, `[panel][number of a token]`.
    tokens: Vec<Row>,
    /// Rows of W for codes, times their scale, `[panel][place][component]`.
    map: Vec<Row>,
    /// What they make of each code, `[panel][place][code]`, with all biases but that of c_n in the first place.
    table: Vec<Row>,
    token_slopes: Vec<Row>,
    map_slopes: Vec<Row>,
    table_slopes: Vec<Row>,
    /// U and c_0.
    hidden: Linear,
    /// This direction's part of O, `[panel]`.
    out: Vec<Row>,
    out_slopes: Vec<Row>,
    /// n, r, u and c_n of every sample, and then their slopes, `[panel][position, prompt]`.
    gates: Vec<Row>,
    /// The state after each position, `[panel][position, prompt]`.
    states: Vec<Row>,
    /// The loss's slopes in a state, `[panel][prompt]`.
    slopes: Vec<Row>,
}

/// Where a position lies: its first sample, that of the position that was read before it, and how many prompts there are.
#[derive(Clone, Copy)]
struct At {
    sample: usize,
    before: Option<usize>,
    stride: usize,
    samples: usize,
}

impl Direction {
    /// A direction whose numbers are all zero.
    pub fn new(at: Places, prompts: &TokenPrompts, codes: &Codes, width: usize) -> Self {
        let (panels, places) = (panels(width), 1 + prompts.names);
        let rows = |count: usize| vec![Row::ZERO; 3 * panels * count];
        let (tokens, map, table) = (
            rows(prompts.dim.next_multiple_of(TILE_ROWS)),
            rows(places * codes.inputs()),
            rows(places * codes.rows()),
        );
        let each = vec![Row::ZERO; panels];
        Direction {
            at,
            width,
            dim: prompts.dim,
            panels,
            places,
            columns: Columns::grouped(width, &[panels, 2 * panels, 0]),
            token_slopes: tokens.clone(),
            map_slopes: map.clone(),
            table_slopes: table.clone(),
            tokens,
            map,
            table,
            hidden: Linear::grouped(width, Columns::grouped(width, &[0, panels, 2 * panels]), 3 * panels),
            out_slopes: each.clone(),
            out: each,
            gates: vec![],
            states: vec![],
            slopes: vec![],
        }
    }

    /// Takes its parameters and forgets its gradient.
    pub fn load(&mut self, prompts: &TokenPrompts, codes: &Codes, weights: &[Vec<Row>]) {
        let w = &weights[self.at.input];
        let stride = prompts.dim.next_multiple_of(TILE_ROWS);
        self.columns.pack(w, 0..prompts.dim, 1.0, &mut PanelsMut::new(&mut self.tokens, stride), 0);
        let mut map = PanelsMut::new(&mut self.map, self.places * codes.inputs());
        for place in 0..self.places {
            let first = prompts.dim + place * prompts.code_dim;
            let rows = first..first + prompts.code_dim;
            self.columns.pack(w, rows, prompts.code_scale(), &mut map, place * codes.inputs());
        }
        codes.tabulate(&self.map, self.places, &mut self.table);
        self.hidden.load(&weights[self.at.hidden], &weights[self.at.hidden_bias]);
        let mut bias = vec![Row::ZERO; 3 * self.panels];
        let input_bias = &weights[self.at.input_bias];
        self.columns.pack(input_bias, 0..1, 1.0, &mut PanelsMut::new(&mut bias, 1), 0);
        for (gate, hidden) in bias[self.panels..].iter_mut().zip(&self.hidden.bias) {
            *gate = *gate + *hidden;
        }
        for (table, bias) in self.table.chunks_exact_mut(self.places * codes.rows()).zip(bias) {
            table[..codes.rows()].iter_mut().for_each(|row| *row = *row + bias);
        }
        let first = if self.at == FORWARD { 0 } else { self.width };
        for (unit, n) in (first..first + self.width).enumerate() {
            self.out[unit / LANES].0[unit % LANES] = weights[OUT][n / LANES].0[n % LANES];
        }
        for slopes in
            [&mut self.token_slopes, &mut self.map_slopes, &mut self.table_slopes, &mut self.out_slopes]
        {
            slopes.fill(Row::ZERO);
        }
    }

    /// Makes ready for [`Direction::backward`] with the numbers that were loaded.
    pub fn turn(&mut self) {
        self.hidden.turn();
    }

    /// Positions in the order in which they are read.
    fn order(&self, block: &Block) -> impl DoubleEndedIterator<Item = At> + use<> {
        let (length, stride, forth) = (block.length, block.stride, self.at == FORWARD);
        let position = move |step: usize| if forth { step } else { length - 1 - step };
        (0..length).map(move |step| At {
            sample: position(step) * stride,
            before: (step > 0).then(|| position(step - 1) * stride),
            stride,
            samples: length * stride,
        })
    }

    /// Reads all positions, and adds to the outputs what its states say.
    pub fn forward(&mut self, block: &mut Block) {
        let (samples, panels) = (block.length * block.stride, self.panels);
        self.gates.resize((4 * panels * samples).max(self.gates.len()), Row::ZERO);
        self.states.resize((panels * samples).max(self.states.len()), Row::ZERO);
        for at in self.order(block) {
            self.begin(block, at);
            if let Some(before) = at.before {
                let states = Panels::new(&self.states, samples).from(before);
                let mut c = PanelsMut::new(&mut self.gates[panels * samples + at.sample..], samples);
                self.hidden.forward_onto(states, &mut c, at.stride);
            }
            combine(&mut self.gates, &mut self.states, panels, at);
            read_out(&self.states, &self.out, at, &mut block.outputs[at.sample..][..at.stride]);
        }
    }

    /// What stands before the gates of a position, but for what states add.
    fn begin(&mut self, block: &Block, at: At) {
        let (rows, position) = (self.table.len() / (3 * self.panels), at.sample / at.stride);
        let mut gates = PanelsMut::new(&mut self.gates[at.sample..], at.samples);
        let own = self.table.chunks_exact(rows).map(|table| &table[position]);
        // Biases of c_n stand where U adds to it.
        for (panel, begin) in own.chain(&self.hidden.bias[2 * self.panels..]).enumerate() {
            gates.panel(panel, at.stride).fill(*begin);
        }
        let names = &block.names[at.sample * (self.places - 1)..][..at.stride * (self.places - 1)];
        look_up(Panels::new(&self.table, rows), names, self.places - 1, &mut gates, at.stride);
        let tokens = Panels::new(&self.tokens, self.dim.next_multiple_of(TILE_ROWS));
        let x = Panels::new(&block.tokens, at.samples).from(at.sample);
        multiply(x, tokens, self.dim, &mut gates, at.stride, true);
    }

    /// Adds to the gradient what the slopes of the outputs say.
    pub fn backward(&mut self, block: &Block) {
        let (samples, panels) = (block.length * block.stride, self.panels);
        self.slopes.clear();
        self.slopes.resize(panels * block.stride, Row::ZERO);
        for at in self.order(block).rev() {
            let outputs = &block.outputs[at.sample..][..at.stride];
            learn_out(&self.states, at, outputs, &mut self.out_slopes);
            split(&mut self.gates, &self.states, at, (outputs, &self.out), &mut self.slopes);
            let c = Panels::new(&self.gates[panels * samples..], samples).from(at.sample);
            if let Some(before) = at.before {
                let mut slopes = PanelsMut::new(&mut self.slopes, at.stride);
                self.hidden.backward(c, &mut slopes, at.stride, true);
                self.hidden.learn(Panels::new(&self.states, samples).from(before), c, at.stride);
            }
            self.hidden.learn_bias(c, at.stride);
            self.learn_input(block, at);
        }
    }

    /// Adds to the gradient of W what the slopes of a position say.
    fn learn_input(&mut self, block: &Block, at: At) {
        let (rows, position) = (self.table.len() / (3 * self.panels), at.sample / at.stride);
        let a = Panels::new(&self.gates, at.samples).from(at.sample);
        let x = Panels::new(&block.tokens, at.samples).from(at.sample);
        let mut tokens = PanelsMut::new(&mut self.token_slopes, self.dim.next_multiple_of(TILE_ROWS));
        accumulate_weight_gradient(x, a, 3 * self.panels, self.dim, &mut tokens, at.stride);
        for (panel, table) in self.table_slopes.chunks_exact_mut(rows).enumerate() {
            let slopes = a.panel(panel, at.stride);
            table[position] = slopes.iter().fold(table[position], |sum, row| sum + *row);
        }
        let names = &block.names[at.sample * (self.places - 1)..][..at.stride * (self.places - 1)];
        let mut table = PanelsMut::new(&mut self.table_slopes, rows);
        look_back(a, names, self.places - 1, &mut table, at.stride);
    }

    /// Writes the gradient as the parameters lie.
    pub fn unload(&mut self, prompts: &TokenPrompts, codes: &Codes, gradient: &mut [Vec<Row>]) {
        let rows = self.places * codes.rows();
        // A bias is added wherever a position is read.
        let of_position =
            |table: &[Row]| table[..prompts.length].iter().fold(Row::ZERO, |sum, row| sum + *row);
        let bias: Vec<Row> = self.table_slopes.chunks_exact(rows).map(of_position).collect();
        self.columns.unpack(Panels::new(&bias, 1), 0, 0..1, 1.0, &mut gradient[self.at.input_bias]);
        codes.collect(&self.table_slopes, self.places, &mut self.map_slopes);
        let w = &mut gradient[self.at.input];
        let dim = prompts.dim.next_multiple_of(TILE_ROWS);
        self.columns.unpack(Panels::new(&self.token_slopes, dim), 0, 0..prompts.dim, 1.0, w);
        let map = Panels::new(&self.map_slopes, self.places * codes.inputs());
        for place in 0..self.places {
            let first = prompts.dim + place * prompts.code_dim;
            let rows = first..first + prompts.code_dim;
            self.columns.unpack(map, place * codes.inputs(), rows, prompts.code_scale(), w);
        }
        if let Ok([hidden, bias]) = gradient.get_disjoint_mut([self.at.hidden, self.at.hidden_bias]) {
            self.hidden.unload(hidden, bias);
        }
        let first = if self.at == FORWARD { 0 } else { self.width };
        for (unit, n) in (first..first + self.width).enumerate() {
            gradient[OUT][n / LANES].0[n % LANES] = self.out_slopes[unit / LANES].0[unit % LANES];
        }
    }
}

wide! {
    /// The gates and the state of a position, of what stands before the gates.
    fn combine(gates: &mut [Row], states: &mut [Row], panels: usize, at: At) {
        let (n, rest) = gates.split_at_mut(panels * at.samples);
        let (r, rest) = rest.split_at_mut(panels * at.samples);
        let (u, c) = rest.split_at_mut(panels * at.samples);
        for panel in 0..panels {
            let first = panel * at.samples + at.sample;
            for i in first..first + at.stride {
                r[i] = sigmoid(r[i]);
                u[i] = sigmoid(u[i]);
                n[i] = tanh(n[i] + r[i].zip(c[i], |r, c| r * c));
                let new = u[i].zip(n[i], |u, n| (1.0 - u) * n);
                states[i] = match at.before {
                    Some(before) => new + u[i].zip(states[i - at.sample + before], |u, h| u * h),
                    None => new,
                };
            }
        }
    }
}

wide! {
    /// Adds Σ h·O to the outputs of a position.
    fn read_out(states: &[Row], out: &[Row], at: At, outputs: &mut [f32]) {
        for (prompt, output) in outputs.iter_mut().enumerate() {
            let mut sum = Row::ZERO;
            for (panel, out) in out.iter().enumerate() {
                sum = sum + states[panel * at.samples + at.sample + prompt].zip(*out, |h, o| h * o);
            }
            *output += sum.sum();
        }
    }
}

wide! {
    /// Adds Σ slope · h to the slopes of O.
    fn learn_out(states: &[Row], at: At, slopes: &[f32], out: &mut [Row]) {
        for (panel, out) in out.iter_mut().enumerate() {
            let states = &states[panel * at.samples + at.sample..][..at.stride];
            *out = states.iter().zip(slopes).fold(*out, |sum, (h, slope)| sum + *h * *slope);
        }
    }
}

wide! {
    /// Turns the gates of a position into the loss's slopes in what stands before them, and its slopes in the state into
    /// what of them passes by.
    fn split(gates: &mut [Row], states: &[Row], at: At, outputs: (&[f32], &[Row]), slopes: &mut [Row]) {
        let (of_outputs, out) = outputs;
        let all = out.len() * at.samples;
        let (n, rest) = gates.split_at_mut(all);
        let (r, rest) = rest.split_at_mut(all);
        let (u, c) = rest.split_at_mut(all);
        for (panel, (out, slopes)) in out.iter().zip(slopes.chunks_exact_mut(at.stride)).enumerate() {
            let first = panel * at.samples + at.sample;
            for ((i, slope), of_output) in (first..).zip(slopes).zip(of_outputs) {
                let in_h = *slope + *out * *of_output;
                let before = at.before.map_or(Row::ZERO, |before| states[i - at.sample + before]);
                let by_u = before - n[i];
                let in_n = in_h.zip(u[i], |h, u| h * (1.0 - u)).zip(n[i], |h, n| h * (1.0 - n * n));
                let in_u = in_h.zip(by_u, |h, d| h * d).zip(u[i], |h, u| h * u * (1.0 - u));
                let in_r = in_n.zip(c[i], |n, c| n * c).zip(r[i], |n, r| n * r * (1.0 - r));
                *slope = in_h.zip(u[i], |h, u| h * u);
                c[i] = in_n.zip(r[i], |n, r| n * r);
                (n[i], r[i], u[i]) = (in_n, in_r, in_u);
            }
        }
    }
}
