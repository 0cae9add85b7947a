//! The loop of perceptrons on whole prompts: [`TokenMlp`](vivarium_model::models::token_mlp::TokenMlp).
//!
//! # Why
//! The first layer is the large one, and most of its inputs are codes. The codes of a prompt's own positions are the same
//! in every prompt, so that what it makes of them belongs to the bias; those of names are looked up
//! ([`Codes`]). Only tokens are multiplied.
//!
//! # Speed
//! Widths 128 and 128, batch 64, d = 4, one name, random codes, Adam; on one core of a two-core server (AMD EPYC, AVX-512)
//! that others kept busy, the best of many windows of two steps, drawing left out, 2026-11-23:
//!
//! ```text
//! N                                 4      8     16     32
//! steps/s natively              6,300  5,300  3,670  1,840
//! steps/s in V8 (Node 20, wasm) 2,800  2,300  1,540
//! ```
//!
//! At N = 16 a fifth of the step is the update, whose quotients and roots are many beside so little arithmetic.

use super::codes::{Codes, look_back, look_up};
use super::{PromptLoop, family_of};
use crate::cpu::dense::{
    Columns, Linear, Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, multiply, panels, place, relu,
    relu_backward,
};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::Family;
use vivarium_model::models::prompts::CODES;
use vivarium_model::models::token_mlp::{b, w};
use vivarium_model::run::RunSpec;
use vivarium_science::tokens::TokenPrompts;

/// Prompts that go through all layers together.
const TOGETHER: usize = 64;

/// Most numbers in the table of the first layer, 16 MiB; where it would be larger, codes are multiplied.
const MOST_TABULATED: u64 = 1 << 22;

/// How names meet the first layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Each is a row of W, since codes are one-hot.
    Rows,
    /// Each is a row of a table.
    Tabulated,
    /// Their codes are multiplied: where there are more positions than prompts, a table would be more work.
    Multiplied,
}

/// The first layer, in parts.
#[derive(Debug, Clone)]
struct First {
    columns: Columns,
    panels: usize,
    by: Names,
    /// Rows for tokens, `[panel][number of a token]`.
    tokens: Vec<Row>,
    /// Rows for names, `[panel][position, name][component]`, times the scale of codes.
    names: Vec<Row>,
    /// What they make of each code, `[panel][position, name][code]`; empty unless [`Names::Tabulated`].
    table: Vec<Row>,
    /// The bias with what is made of the codes of the prompt's own positions, `[panel]`.
    base: Vec<Row>,
    token_slopes: Vec<Row>,
    name_slopes: Vec<Row>,
    table_slopes: Vec<Row>,
    base_slopes: Vec<Row>,
}

/// The loop.
pub struct MlpLoop {
    prompts: TokenPrompts,
    codes: Codes,
    first: First,
    /// The layers above it.
    upper: Vec<Linear>,
    /// `[panel][prompt]`.
    x: Vec<Row>,
    /// Rows of the table that each prompt names, `[prompt][position, name]`.
    names: Vec<u32>,
    /// A name's code for each prompt, `[panel of components][prompt]`.
    named: Vec<Row>,
    /// The units of every layer, the outputs last, each `[panel][prompt]`.
    units: Vec<Vec<Row>>,
    /// Slopes of a layer and of the one below it.
    slopes: [Vec<Row>; 2],
}

impl First {
    fn new(prompts: &TokenPrompts, codes: &Codes, width: usize) -> Self {
        let (panels, places) = (panels(width), prompts.length * prompts.names);
        let rows = |count: usize| vec![Row::ZERO; panels * count];
        let tokens = rows((prompts.length * prompts.dim).next_multiple_of(TILE_ROWS));
        let names = rows(places * codes.inputs());
        let numbers = vivarium_core::bounds::saturating_product([panels * LANES, places, codes.rows()]);
        let by = match codes.is_identity {
            true => Names::Rows,
            false if codes.rows() < TOGETHER && numbers <= MOST_TABULATED => Names::Tabulated,
            false => Names::Multiplied,
        };
        let table = rows(if by == Names::Tabulated { places * codes.rows() } else { 0 });
        First {
            columns: Columns::plain(width),
            panels,
            by,
            base: rows(1),
            base_slopes: rows(1),
            token_slopes: tokens.clone(),
            name_slopes: names.clone(),
            table_slopes: table.clone(),
            tokens,
            names,
            table,
        }
    }

    /// Takes W and b, and forgets the gradient.
    fn load(&mut self, prompts: &TokenPrompts, codes: &Codes, w: &[Row], bias: &[Row]) {
        let (scale, inputs) = (prompts.code_scale(), codes.inputs());
        self.columns.pack(bias, 0..1, 1.0, &mut PanelsMut::new(&mut self.base, 1), 0);
        let [tokens, names] = self.strides(prompts, codes);
        let mut own = vec![Row::ZERO; self.panels];
        for i in 0..prompts.length {
            let at = Rows::of(prompts, i);
            let mut out = PanelsMut::new(&mut self.tokens, tokens);
            self.columns.pack(w, at.token..at.own, 1.0, &mut out, i * prompts.dim);
            for (row, value) in (at.own..at.names).zip(codes.of(i)) {
                if *value != 0.0 {
                    self.columns.pack(w, row..row + 1, scale, &mut PanelsMut::new(&mut own, 1), 0);
                    self.base.iter_mut().zip(&own).for_each(|(base, own)| *base = *base + *own * *value);
                }
            }
            for name in 0..prompts.names {
                let first = at.names + name * prompts.code_dim;
                let mut out = PanelsMut::new(&mut self.names, names);
                let place = (i * prompts.names + name) * inputs;
                self.columns.pack(w, first..first + prompts.code_dim, scale, &mut out, place);
            }
        }
        if self.by == Names::Tabulated {
            codes.tabulate(&self.names, prompts.length * prompts.names, &mut self.table);
        }
        for slopes in
            [&mut self.token_slopes, &mut self.name_slopes, &mut self.table_slopes, &mut self.base_slopes]
        {
            slopes.fill(Row::ZERO);
        }
    }

    /// What names are rows of.
    fn looked_up(&self) -> Option<&[Row]> {
        match self.by {
            Names::Rows => Some(&self.names),
            Names::Tabulated => Some(&self.table),
            Names::Multiplied => None,
        }
    }

    /// Its slopes.
    fn looked_back(&mut self) -> Option<&mut [Row]> {
        match self.by {
            Names::Rows => Some(&mut self.name_slopes),
            Names::Tabulated => Some(&mut self.table_slopes),
            Names::Multiplied => None,
        }
    }

    /// Rows of a panel of tokens and of names.
    fn strides(&self, prompts: &TokenPrompts, codes: &Codes) -> [usize; 2] {
        let names = prompts.length * prompts.names * codes.inputs();
        [(prompts.length * prompts.dim).next_multiple_of(TILE_ROWS), names]
    }

    /// Writes the gradient as the parameters lie.
    fn unload(&mut self, prompts: &TokenPrompts, codes: &Codes, w: &mut [Row], bias: &mut [Row]) {
        let (scale, inputs) = (prompts.code_scale(), codes.inputs());
        if self.by == Names::Tabulated {
            codes.collect(&self.table_slopes, prompts.length * prompts.names, &mut self.name_slopes);
        }
        let [tokens, names] = self.strides(prompts, codes);
        self.columns.unpack(Panels::new(&self.base_slopes, 1), 0, 0..1, 1.0, bias);
        for i in 0..prompts.length {
            let at = Rows::of(prompts, i);
            let slopes = Panels::new(&self.token_slopes, tokens);
            self.columns.unpack(slopes, i * prompts.dim, at.token..at.own, 1.0, w);
            for (row, value) in (at.own..at.names).zip(codes.of(i)) {
                self.columns.unpack(Panels::new(&self.base_slopes, 1), 0, row..row + 1, scale * value, w);
            }
            for name in 0..prompts.names {
                let first = at.names + name * prompts.code_dim;
                let place = (i * prompts.names + name) * inputs;
                let slopes = Panels::new(&self.name_slopes, names);
                self.columns.unpack(slopes, place, first..first + prompts.code_dim, scale, w);
            }
        }
    }
}

/// First rows of W for a position: of its token, of its own code, of its names.
struct Rows {
    token: usize,
    own: usize,
    names: usize,
}

impl Rows {
    fn of(prompts: &TokenPrompts, position: usize) -> Self {
        let token = position * prompts.encoded_dim();
        Rows { token, own: token + prompts.dim, names: token + prompts.dim + prompts.code_dim }
    }
}

impl MlpLoop {
    /// Takes some prompts and makes all units; how many samples there are in full tiles.
    fn forward(&mut self, rows: &[f32]) -> usize {
        let (prompts, each) = (self.prompts, self.prompts.length * self.prompts.names);
        let count = (rows.len() / prompts.row_len()).next_multiple_of(TILE_ROWS);
        self.x.fill(Row::ZERO);
        self.names.clear();
        let table_rows = self.codes.rows() as u32;
        for (at, row) in rows.chunks_exact(prompts.row_len()).enumerate() {
            let (tokens, names, _) = prompts.split_row(row);
            place(tokens, &mut PanelsMut::new(&mut self.x, TOGETHER), at);
            self.names.extend((0..).zip(names).map(|(place, name)| place * table_rows + *name as u32));
        }
        let (x, first) = (Panels::new(&self.x, TOGETHER), &self.first);
        let mut out = PanelsMut::new(&mut self.units[0], TOGETHER);
        for (panel, base) in first.base.iter().enumerate() {
            out.panel(panel, count).fill(*base);
        }
        let [stride, names] = first.strides(&prompts, &self.codes);
        let tokens = Panels::new(&first.tokens, stride);
        multiply(x, tokens, prompts.length * prompts.dim, &mut out, count, true);
        if let Some(table) = first.looked_up() {
            let table = Panels::new(table, each * table_rows as usize);
            look_up(table, &self.names, each, &mut out, self.names.len() / each);
        } else {
            for at in 0..each {
                name(&self.codes, &self.names, at, each, &mut self.named);
                let map = Panels::new(&first.names[at * self.codes.inputs()..], names);
                let named = Panels::new(&self.named, TOGETHER);
                multiply(named, map, prompts.code_dim, &mut out, count, true);
            }
        }
        for (layer, linear) in self.upper.iter().enumerate() {
            let (below, above) = self.units.split_at_mut(layer + 1);
            let below = &mut below[layer];
            relu(below);
            linear.forward(Panels::new(below, TOGETHER), &mut PanelsMut::new(&mut above[0], TOGETHER), count);
        }
        count
    }

    /// Adds to the gradients what the slopes of the outputs say.
    fn backward(&mut self, count: usize) {
        for (layer, linear) in self.upper.iter_mut().enumerate().rev() {
            let [slopes, below] = &mut self.slopes;
            let (units, d) = (&self.units[layer], Panels::new(slopes, TOGETHER));
            linear.learn(Panels::new(units, TOGETHER), d, count);
            linear.learn_bias(d, count);
            linear.backward(d, &mut PanelsMut::new(below, TOGETHER), count, false);
            relu_backward(units, below);
            self.slopes.swap(0, 1);
        }
        let (prompts, each, first) =
            (self.prompts, self.prompts.length * self.prompts.names, &mut self.first);
        let d = Panels::new(&self.slopes[0], TOGETHER);
        for (panel, slope) in first.base_slopes.iter_mut().enumerate() {
            *slope = d.panel(panel, count).iter().fold(*slope, |sum, row| sum + *row);
        }
        let [stride, names] = first.strides(&prompts, &self.codes);
        let x = Panels::new(&self.x, TOGETHER);
        let mut tokens = PanelsMut::new(&mut first.token_slopes, stride);
        accumulate_weight_gradient(x, d, first.panels, prompts.length * prompts.dim, &mut tokens, count);
        if let Some(table) = first.looked_back() {
            let mut table = PanelsMut::new(table, each * self.codes.rows());
            return look_back(d, &self.names, each, &mut table, self.names.len() / each);
        }
        for at in 0..each {
            name(&self.codes, &self.names, at, each, &mut self.named);
            let mut map = PanelsMut::new(&mut first.name_slopes[at * self.codes.inputs()..], names);
            accumulate_weight_gradient(
                Panels::new(&self.named, TOGETHER),
                d,
                first.panels,
                prompts.code_dim,
                &mut map,
                count,
            );
        }
    }
}

/// Puts the codes that the prompts name in place `at` of `each` side by side.
fn name(codes: &Codes, names: &[u32], at: usize, each: usize, out: &mut [Row]) {
    out.fill(Row::ZERO);
    for (prompt, names) in names.chunks_exact(each).enumerate() {
        let position = names[at] as usize % codes.rows();
        place(codes.of(position), &mut PanelsMut::new(out, TOGETHER), prompt);
    }
}

impl PromptLoop for MlpLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let (Family::TokenMlp(net), prompts) = family_of(spec)? else {
            return Err("it is no perceptron on prompts".into());
        };
        let (layers, codes) = (net.layers(&prompts), Codes::new(&prompts));
        let rows = |numbers: usize| vec![Row::ZERO; panels(numbers) * TOGETHER];
        let units: Vec<Vec<Row>> = layers.iter().map(|[_, width]| rows(*width)).collect();
        let widest = layers.iter().map(|[_, width]| *width).max().unwrap_or(1);
        Ok(MlpLoop {
            first: First::new(&prompts, &codes, layers[0][1]),
            codes,
            upper: layers[1..].iter().map(|[inputs, outputs]| Linear::new(*inputs, *outputs)).collect(),
            x: rows(prompts.length * prompts.dim),
            names: vec![],
            named: rows(prompts.code_dim),
            units,
            slopes: [rows(widest), rows(widest)],
            prompts,
        })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        self.codes.load(&weights[CODES]);
        self.first.load(&self.prompts, &self.codes, &weights[w(0)], &weights[b(0)]);
        for (layer, linear) in (1..).zip(&mut self.upper) {
            linear.load(&weights[w(layer)], &weights[b(layer)]);
        }
    }

    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]) {
        let columns = self.prompts.row_len();
        let share = 2.0 / (rows.len() / columns * self.prompts.length) as f32;
        self.upper.iter_mut().for_each(Linear::turn);
        for rows in rows.chunks(TOGETHER * columns) {
            let count = self.forward(rows);
            let outputs = self.units.last().map_or(&[][..], Vec::as_slice);
            let slopes = &mut self.slopes[0];
            slopes.fill(Row::ZERO);
            for (at, row) in rows.chunks_exact(columns).enumerate() {
                place(self.prompts.split_row(row).2, &mut PanelsMut::new(slopes, TOGETHER), at);
                for (output, slope) in outputs.iter().zip(slopes.iter_mut()).skip(at).step_by(TOGETHER) {
                    *slope = (*output - *slope) * share;
                }
            }
            self.backward(count);
        }
        let [w_first, b_first] = &mut gradient[w(0)..=b(0)] else { return };
        self.first.unload(&self.prompts, &self.codes, w_first, b_first);
        for (linear, gradient) in self.upper.iter().zip(gradient[w(1)..].chunks_exact_mut(2)) {
            let [w, b] = gradient else { return };
            linear.unload(w, b);
        }
    }

    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>) {
        let (columns, length) = (self.prompts.row_len(), self.prompts.length);
        for rows in rows.chunks(TOGETHER * columns) {
            self.forward(rows);
            let outputs = self.units.last().map_or(&[][..], Vec::as_slice);
            for at in 0..rows.len() / columns {
                out.extend(outputs.iter().skip(at).step_by(TOGETHER).flat_map(|row| row.0).take(length));
            }
        }
    }
}
