//! Attention at one prompt.
//!
//! # Why
//! The queries of all heads at a prompt lie side by side in lanes: they share its keys and values, so that H heads at N
//! positions fill lanes as H·N positions would. A score is then a sum of rows, one for each feature of the key; a softmax
//! runs over rows, and needs no sum across lanes; and so does everything on the way back.

use super::shape::Shape;
use super::tables::Table;
use crate::cpu::dense::{Panels, PanelsMut, accumulate_weight_gradient, multiply, place};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::exp;
use vivarium_operators::simd::transpose;
use vivarium_operators::simd::wide;

/// What is kept of a prompt until its gradient is known.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Lines of each position's codes: its own, and those of its names, `[length, names + 1]`.
    features: Vec<u32>,
    /// `[panel of V][position]`.
    values: Vec<Row>,
    /// `[panel of positions][V]`, in full panels.
    turned: Vec<Row>,
    /// Shares of attention, `[panel of queries][position]`.
    shares: Vec<Row>,
}

impl Prompt {
    /// Room for a prompt.
    pub fn new(shape: &Shape) -> Self {
        let numbers = shape.value_panels() * shape.positions();
        Prompt {
            features: vec![0; shape.length * (shape.names + 1)],
            values: vec![Row::ZERO; numbers],
            turned: vec![Row::ZERO; numbers],
            shares: vec![Row::ZERO; shape.queries() / LANES * shape.tiled()],
        }
    }

    /// Takes a prompt: its names, and all numbers of its tokens with their codes, of which values are the first ones.
    ///
    /// # Shapes
    /// `names` is `[length, names]`, `z` is `[length, width]`.
    pub fn load(&mut self, shape: &Shape, names: &[f32], z: &[f32]) {
        let lists = names.chunks_exact(shape.names);
        for (i, (features, list)) in self.features.chunks_exact_mut(shape.names + 1).zip(lists).enumerate() {
            features[0] = shape.line(0, i) as u32;
            for (k, (feature, name)) in features[1..].iter_mut().zip(list).enumerate() {
                *feature = shape.line(k + 1, *name as usize) as u32;
            }
        }
        let out = &mut PanelsMut::new(&mut self.values, shape.positions());
        for (i, z) in z.chunks_exact(z.len() / shape.length).enumerate() {
            place(&z[..shape.values], out, i);
        }
        transpose(&self.values, shape.positions(), LANES, 0..shape.positions() / LANES, &mut self.turned);
    }
}

/// Memory of the way through a prompt, which the next one may use.
#[derive(Debug, Clone)]
pub struct Scratch {
    shape: Shape,
    /// φ M of all queries, `[panel of lines][query]`, or the gradient with respect to it.
    spread: Vec<Row>,
    /// The same turned, `[panel of queries][line]`.
    lines: Vec<Row>,
    /// The gradient with respect to shares, then to scores, `[panel of queries][position]`.
    slopes: Vec<Row>,
    /// What heads give, `[panel of V][query]`, or the gradient with respect to it.
    given: Vec<Row>,
    /// The same turned, `[panel of queries][V]`.
    means: Vec<Row>,
}

impl Scratch {
    /// Room for a prompt.
    pub fn new(shape: &Shape) -> Self {
        let (queries, lines) = (shape.queries(), shape.lines());
        let room = |count: usize| vec![Row::ZERO; queries / LANES * count];
        Scratch {
            shape: *shape,
            spread: room(lines),
            lines: room(lines),
            slopes: room(shape.tiled()),
            given: room(shape.value_panels() * LANES),
            means: room(shape.value_panels() * LANES),
        }
    }

    /// What the heads give at `prompt`, into sample `at` of `out` and those after it.
    ///
    /// # Shapes
    /// `out` is `[panel of heads · V][sample]`.
    pub fn forward(&mut self, tables: &[Table], prompt: &mut Prompt, out: &mut PanelsMut<'_>, at: usize) {
        let shape = self.shape;
        let Shape { length, dense, values, .. } = shape;
        let (queries, lines, positions) = (shape.queries(), shape.lines(), shape.positions());
        for (head, table) in tables.iter().enumerate() {
            let first = head * shape.tiled();
            spread(&shape, &table.entries, &prompt.features, first, &mut self.spread);
            if dense > 0 {
                let out = &mut PanelsMut::new(&mut self.spread[first..], queries);
                let x = Panels::new(&prompt.values, positions);
                multiply(x, Panels::new(&table.entries, lines), dense, out, shape.tiled(), true);
            }
        }
        transpose(&self.spread, queries, LANES, 0..queries / LANES, &mut self.lines);
        scores(&shape, &self.lines, &prompt.features, &mut prompt.shares);
        if dense > 0 {
            let out = &mut PanelsMut::new(&mut prompt.shares, shape.tiled());
            let x = Panels::new(&prompt.values, positions);
            multiply(x, Panels::new(&self.lines, lines), dense, out, shape.tiled(), true);
        }
        softmax(&shape, &mut prompt.shares);
        let stride = shape.value_panels() * LANES;
        let means = &mut PanelsMut::new(&mut self.means, stride);
        let shares = Panels::new(&prompt.shares, shape.tiled());
        let x = Panels::new(&prompt.turned, stride);
        multiply(x, shares, length, means, values.next_multiple_of(4), false);
        transpose(&self.means, stride, LANES, 0..stride / LANES, &mut self.given);
        for head in 0..shape.heads {
            for i in 0..length {
                let from = head * shape.tiled() + i;
                for v in 0..values {
                    let (to, place) = (head * values + v, &self.given[v / LANES * queries + from]);
                    out.rows[to / LANES * out.stride + at + i].0[to % LANES] = place.0[v % LANES];
                }
            }
        }
    }

    /// Adds to the gradients of the tables what the gradient with respect to what the heads give at `prompt` says, which
    /// stands in sample `at` of `slopes` and those after it.
    ///
    /// # Shapes
    /// `slopes` is `[panel of heads · V][sample]`.
    pub fn backward(&mut self, tables: &mut [Table], prompt: &Prompt, slopes: Panels<'_>, at: usize) {
        let shape = self.shape;
        let Shape { length, dense, values, .. } = shape;
        let (queries, lines, positions) = (shape.queries(), shape.lines(), shape.positions());
        for head in 0..shape.heads {
            for i in 0..length {
                let to = head * shape.tiled() + i;
                for v in 0..values {
                    let from = head * values + v;
                    let place = &mut self.given[v / LANES * queries + to];
                    place.0[v % LANES] = slopes.rows[from / LANES * slopes.stride + at + i].0[from % LANES];
                }
            }
        }
        let stride = shape.value_panels() * LANES;
        transpose(&self.given, queries, LANES, 0..queries / LANES, &mut self.means);
        let values_of = Panels::new(&prompt.values, positions);
        let means = Panels::new(&self.means, stride);
        let out = &mut PanelsMut::new(&mut self.slopes, shape.tiled());
        multiply(values_of, means, values, out, shape.tiled(), false);
        softmax_slopes(&shape, &prompt.shares, &mut self.slopes);
        gather(&shape, &self.slopes, &prompt.features, &mut self.lines);
        if dense > 0 {
            let x = Panels::new(&prompt.turned, stride);
            let w = Panels::new(&self.slopes, shape.tiled());
            let out = &mut PanelsMut::new(&mut self.lines, lines);
            multiply(x, w, length, out, dense.next_multiple_of(4), false);
        }
        transpose(&self.lines, lines, LANES, 0..lines / LANES, &mut self.spread);
        for (head, table) in tables.iter_mut().enumerate() {
            let first = head * shape.tiled();
            add_spread(&shape, &self.spread, &prompt.features, first, &mut table.slopes);
            if dense > 0 {
                let d = Panels::new(&self.spread[first..], queries);
                let out = &mut PanelsMut::new(&mut table.slopes, lines);
                accumulate_weight_gradient(values_of, d, lines / LANES, dense, out, length);
            }
        }
    }
}

wide! {
    /// The sum of the lines of a table that a position's codes say, for every position: queries from `first` on.
    ///
    /// # Shapes
    /// `table` is `[panel][line]`, `out` is `[panel][query]`.
    fn spread(shape: &Shape, table: &[Row], features: &[u32], first: usize, out: &mut [Row]) {
        let panels = table.chunks_exact(shape.lines()).zip(out.chunks_exact_mut(shape.queries()));
        for (table, out) in panels {
            let lists = features.chunks_exact(shape.names + 1);
            for (out, list) in out[first..].iter_mut().zip(lists) {
                *out = list.iter().fold(Row::ZERO, |sum, line| sum + table[*line as usize]);
            }
        }
    }
}

wide! {
    /// Adds the rows of a position's query to the lines of the table that its codes say.
    ///
    /// # Shapes
    /// `rows` is `[panel][query]`, `table` is `[panel][line]`.
    fn add_spread(shape: &Shape, rows: &[Row], features: &[u32], first: usize, table: &mut [Row]) {
        let panels = rows.chunks_exact(shape.queries()).zip(table.chunks_exact_mut(shape.lines()));
        for (rows, table) in panels {
            let lists = features.chunks_exact(shape.names + 1);
            for (row, list) in rows[first..].iter().zip(lists) {
                for line in list {
                    table[*line as usize] = table[*line as usize] + *row;
                }
            }
        }
    }
}

wide! {
    /// The score of every position: the sum of the lines that its codes say.
    ///
    /// # Shapes
    /// `lines` is `[panel of queries][line]`, `out` is `[panel of queries][position]`.
    fn scores(shape: &Shape, lines: &[Row], features: &[u32], out: &mut [Row]) {
        let panels = lines.chunks_exact(shape.lines()).zip(out.chunks_exact_mut(shape.tiled()));
        for (lines, out) in panels {
            for (out, list) in out.iter_mut().zip(features.chunks_exact(shape.names + 1)) {
                *out = list.iter().fold(Row::ZERO, |sum, line| sum + lines[*line as usize]);
            }
        }
    }
}

wide! {
    /// What [`scores`] is the transpose of; lines that no code says become zero.
    fn gather(shape: &Shape, slopes: &[Row], features: &[u32], lines: &mut [Row]) {
        lines.fill(Row::ZERO);
        let panels = slopes.chunks_exact(shape.tiled()).zip(lines.chunks_exact_mut(shape.lines()));
        for (slopes, lines) in panels {
            for (slope, list) in slopes.iter().zip(features.chunks_exact(shape.names + 1)) {
                for line in list {
                    lines[*line as usize] = lines[*line as usize] + *slope;
                }
            }
        }
    }
}

wide! {
    /// Turns scores into shares of attention that sum to one over the positions.
    fn softmax(shape: &Shape, scores: &mut [Row]) {
        for scores in scores.chunks_exact_mut(shape.tiled()) {
            let scores = &mut scores[..shape.length];
            let larger = |a: f32, b: f32| if b > a { b } else { a };
            let least = Row([f32::NEG_INFINITY; LANES]);
            let top = scores.iter().fold(least, |top, row| top.zip(*row, larger));
            let mut sum = Row::ZERO;
            for row in scores.iter_mut() {
                *row = exp(*row - top);
                sum = sum + *row;
            }
            let share = sum.map(|sum| 1.0 / sum);
            for row in scores.iter_mut() {
                *row = row.zip(share, |e, share| e * share);
            }
        }
    }
}

wide! {
    /// From the gradient with respect to shares to that with respect to scores: a·(da − Σ a da).
    fn softmax_slopes(shape: &Shape, shares: &[Row], slopes: &mut [Row]) {
        let panels = shares.chunks_exact(shape.tiled()).zip(slopes.chunks_exact_mut(shape.tiled()));
        for (shares, slopes) in panels {
            let (shares, slopes) = (&shares[..shape.length], &mut slopes[..shape.length]);
            let terms = shares.iter().zip(slopes.iter());
            let mean = terms.fold(Row::ZERO, |sum, (a, da)| sum + a.zip(*da, |a, da| a * da));
            for (a, da) in shares.iter().zip(slopes.iter_mut()) {
                *da = a.zip(*da - mean, |a, da| a * da);
            }
        }
    }
}
