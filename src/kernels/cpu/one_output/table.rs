//! What all examples have in common in a block that is read out at `[CLS]`: weights and values of every token that can be.
//!
//! ```text
//! w_th = exp(q_h · k_h(Y_t) / √size − the largest of the head)       v_t = Y_t W_V + b_V        Y_t = N(X_t)
//! ```
//!
//! # Why
//! A token is one of two vectors at each place, so that keys, scores and values are needed for 2n + 1 vectors, once per step.
//! Scores are linear in a token: of W_K only one direction of each head is multiplied by tokens.

use super::parts::{Heads, LayerNorm, Mapping, add_to_each, multiply_panels, sum_of};
use crate::cpu::dense::{
    Columns, Panels, PanelsMut, TILE_ROWS, accumulate_weight_gradient, add, multiply, panels,
};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::family::ReadAtCls;
use vivarium_operators::simd::exp;
use vivarium_operators::simd::transpose;
use vivarium_operators::simd::{row_by_row, wide};

/// The table, with the way there and back.
///
/// # Shapes
/// Numbers of tokens are `[panel][token]` in panels of [`Table::stride`] rows: `[CLS]`, then a 1 at each place, then a 0 at each.
pub struct Table {
    net: ReadAtCls,
    inputs: usize,
    /// Tokens that can be.
    pub tokens: usize,
    /// Rows of a panel.
    pub stride: usize,
    /// The heads.
    pub heads: Heads,
    /// X.
    x: Vec<Row>,
    /// E of 1 and of 0, and the rows whose sum is `[CLS]`, `[panel][row]`.
    codes: Vec<Row>,
    norm: Option<LayerNorm>,
    /// Y.
    y: Vec<Row>,
    query: Mapping,
    value: Mapping,
    /// W_K, `[panel of columns][component]`.
    key: Vec<Row>,
    /// Queries and, of the first one, slopes: `[panel of columns][TILE_ROWS]`.
    queries: Vec<Row>,
    /// q/√size of `[CLS]`, `[panel of columns]`.
    q: Vec<Row>,
    /// Numbers as in `key`.
    by_component: Vec<Row>,
    /// W_K q/√size of each head, `[panel of heads][component]`.
    towards: Vec<Row>,
    of_towards: Vec<Row>,
    /// `towards` as `[panel of components][head]`.
    turned: Vec<Row>,
    /// w, `[panel of heads][token]`.
    pub weights: Vec<Row>,
    /// 1 where a score counts as it is, and 0 where it is too low.
    counts: Vec<Row>,
    /// w of its head for every column.
    spread: Vec<Row>,
    /// v.
    values: Vec<Row>,
    /// w v.
    pub weighted: Vec<Row>,
    /// Slopes in [`Table::weights`], which examples add to.
    pub of_weights: Vec<Row>,
    /// Slopes in [`Table::weighted`], likewise.
    pub of_weighted: Vec<Row>,
    of_y: Vec<Row>,
    of_x: Vec<Row>,
}

wide! {
    /// Makes weights of the scores of a panel of heads, and says which scores count as they are.
    fn weigh(scores: &mut [Row], counts: &mut [Row], depth: f32) {
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let mut largest = Row([f32::NEG_INFINITY; LANES]);
        for score in scores.iter() {
            row_by_row();
            largest = largest.zip(*score, larger);
        }
        for (score, counts) in scores.iter_mut().zip(counts) {
            row_by_row();
            let below = *score - largest;
            *counts = below.map(|below| if below < -depth { 0.0 } else { 1.0 });
            *score = exp(below.map(|below| if below < -depth { -depth } else { below }));
        }
    }
}

/// The matrix `w` of rows of columns, each column times its number in `by`.
fn times_columns(w: &[Row], stride: usize, by: &[Row], out: &mut [Row]) {
    for ((w, out), by) in w.chunks_exact(stride).zip(out.chunks_exact_mut(stride)).zip(by) {
        for (w, out) in w.iter().zip(out) {
            row_by_row();
            *out = w.zip(*by, |w, by| w * by);
        }
    }
}

impl Table {
    /// For examples of so many bits.
    pub fn new(net: ReadAtCls, inputs: usize) -> Self {
        let (at, heads) = (net.places, Heads::new(net.heads, net.size));
        let tokens = 2 * inputs + 1;
        let stride = tokens.next_multiple_of(LANES);
        let [components, columns, few] = [net.embedding, heads.across, heads.count].map(panels);
        let rows = |count: usize| vec![Row::ZERO; count];
        let norms = at.norms.filter(|_| net.norm);
        let bias = |row: usize| at.biases.map(|which| (which, row));
        Table {
            inputs,
            tokens,
            stride,
            x: rows(components * stride),
            codes: rows(components * (2 + at.cls_rows)),
            norm: norms.map(|at| LayerNorm::new(net.embedding, stride, at, 0)),
            y: rows(components * stride),
            query: Mapping::new(net.embedding, heads.across, at.query, bias(0)),
            value: Mapping::new(net.embedding, heads.across, at.value, bias(1)),
            key: rows(columns * components * LANES),
            queries: rows(columns * TILE_ROWS),
            q: rows(columns),
            by_component: rows(columns * components * LANES),
            towards: rows(few * components * LANES),
            of_towards: rows(few * components * LANES),
            turned: rows(components * few * LANES),
            weights: rows(few * stride),
            counts: rows(few * stride),
            spread: rows(columns * stride),
            values: rows(columns * stride),
            weighted: rows(columns * stride),
            of_weights: rows(few * stride),
            of_weighted: rows(columns * stride),
            of_y: rows(components * stride),
            of_x: rows(components * stride),
            heads,
            net,
        }
    }

    /// Rows of a panel of components.
    fn components(&self) -> usize {
        self.net.embedding.next_multiple_of(LANES)
    }

    /// Tokens in full tiles.
    fn count(&self) -> usize {
        self.tokens.next_multiple_of(TILE_ROWS)
    }

    /// X of `[CLS]`, panel by panel.
    pub fn cls(&self) -> impl Iterator<Item = Row> {
        self.x.iter().step_by(self.stride).copied()
    }

    /// Takes the parameters, makes the table and forgets the gradient.
    pub fn load(&mut self, weights: &[Vec<Row>]) {
        let (at, n, stride, size) = (self.net.places, self.inputs, self.stride, self.net.embedding);
        let (columns, rows) = (Columns::plain(size), 2 + at.cls_rows);
        for first in [1, 1 + n] {
            let mut x = PanelsMut::new(&mut self.x, stride);
            columns.pack(&weights[at.positions], 0..n, 1.0, &mut x, first);
        }
        columns.pack(&weights[at.tokens], 0..rows, 1.0, &mut PanelsMut::new(&mut self.codes, rows), 0);
        for (x, codes) in self.x.chunks_exact_mut(stride).zip(self.codes.chunks_exact(rows)) {
            x[0] = sum_of(&codes[2..]);
            let (ones, zeros) = x[1..=2 * n].split_at_mut(n);
            add_to_each(ones, codes[0]);
            add_to_each(zeros, codes[1]);
        }
        match &mut self.norm {
            Some(norm) => {
                norm.load(weights);
                norm.forward(&self.x, self.tokens, &mut self.y);
            }
            None => self.y.copy_from_slice(&self.x),
        }
        self.load_weights(weights);
        let (count, y) = (self.count(), Panels::new(&self.y, stride));
        self.value.load(weights);
        self.value.linear.forward(y, &mut PanelsMut::new(&mut self.values, stride), count);
        let by_head = Panels::new(&self.weights, stride);
        self.heads.spread(by_head, &mut PanelsMut::new(&mut self.spread, stride), count);
        self.weighted.copy_from_slice(&self.values);
        multiply_panels(&mut self.weighted, &self.spread, stride, count);
        self.of_weights.fill(Row::ZERO);
        self.of_weighted.fill(Row::ZERO);
    }

    /// Weighs all tokens.
    fn load_weights(&mut self, weights: &[Vec<Row>]) {
        let (stride, size, components) = (self.stride, self.net.embedding, self.components());
        let y = Panels::new(&self.y, stride);
        self.query.load(weights);
        self.query.linear.forward(y, &mut PanelsMut::new(&mut self.queries, TILE_ROWS), TILE_ROWS);
        let share = self.share();
        for (q, queries) in self.q.iter_mut().zip(self.queries.chunks_exact(TILE_ROWS)) {
            *q = queries[0] * share;
        }
        let mut key = PanelsMut::new(&mut self.key, components);
        Columns::plain(self.heads.across).pack(&weights[self.net.places.key], 0..size, 1.0, &mut key, 0);
        times_columns(&self.key, components, &self.q, &mut self.by_component);
        let mut towards = PanelsMut::new(&mut self.towards, components);
        let by_component = Panels::new(&self.by_component, components);
        self.heads.gather(by_component, &mut towards, size.next_multiple_of(TILE_ROWS), false);
        let count = self.tokens.next_multiple_of(TILE_ROWS);
        let mut scores = PanelsMut::new(&mut self.weights, stride);
        multiply(y, Panels::new(&self.towards, components), size, &mut scores, count, false);
        let panels = self.weights.chunks_exact_mut(stride).zip(self.counts.chunks_exact_mut(stride));
        for (scores, counts) in panels {
            weigh(&mut scores[..self.tokens], &mut counts[..self.tokens], self.net.depth);
        }
    }

    /// What a query is multiplied by.
    fn share(&self) -> f32 {
        1.0 / (self.net.size as f32).sqrt()
    }

    /// Writes the gradient of the parameters that make the table, where `of_cls` are the slopes in X of `[CLS]` beside
    /// those in the table.
    pub fn backward(&mut self, of_cls: &[Row], gradient: &mut [Vec<Row>]) {
        let (stride, tokens, count) = (self.stride, self.tokens, self.count());
        // w v: the slopes in w are sums over the columns of a head. `weighted` is not needed any more.
        self.weighted.copy_from_slice(&self.of_weighted);
        multiply_panels(&mut self.weighted, &self.values, stride, tokens);
        let mut of_weights = PanelsMut::new(&mut self.of_weights, stride);
        self.heads.gather(Panels::new(&self.weighted, stride), &mut of_weights, count, true);
        multiply_panels(&mut self.of_weighted, &self.spread, stride, tokens);
        multiply_panels(&mut self.of_weights, &self.weights, stride, tokens);
        multiply_panels(&mut self.of_weights, &self.counts, stride, tokens);
        let (y, of_values) = (Panels::new(&self.y, stride), Panels::new(&self.of_weighted, stride));
        self.value.linear.learn(y, of_values, tokens);
        self.value.linear.learn_bias(of_values, tokens);
        self.value.linear.turn();
        self.value.linear.backward(of_values, &mut PanelsMut::new(&mut self.of_y, stride), count, false);
        self.value.unload(gradient);
        self.scores_backward(gradient);
        match &mut self.norm {
            Some(norm) => {
                self.of_x.fill(Row::ZERO);
                norm.backward(&self.of_y, tokens, &mut self.of_x);
                norm.unload(gradient);
            }
            None => self.of_x.copy_from_slice(&self.of_y),
        }
        self.unload_tokens(of_cls, gradient);
    }

    /// From slopes in scores, which are in `of_weights`, to those in Y, W_K and W_Q.
    fn scores_backward(&mut self, gradient: &mut [Vec<Row>]) {
        let (stride, size, components) = (self.stride, self.net.embedding, self.components());
        let (count, share, few) = (self.count(), self.share(), panels(self.heads.count));
        let (y, of_scores) = (Panels::new(&self.y, stride), Panels::new(&self.of_weights, stride));
        self.of_towards.fill(Row::ZERO);
        let mut of_towards = PanelsMut::new(&mut self.of_towards, components);
        accumulate_weight_gradient(y, of_scores, few, size, &mut of_towards, self.tokens);
        transpose(&self.towards, components, LANES, 0..panels(size), &mut self.turned);
        let turned = Panels::new(&self.turned, few * LANES);
        let mut of_y = PanelsMut::new(&mut self.of_y, stride);
        multiply(of_scores, turned, self.heads.count, &mut of_y, count, true);
        let mut by_component = PanelsMut::new(&mut self.by_component, components);
        let of_towards = Panels::new(&self.of_towards, components);
        self.heads.spread(of_towards, &mut by_component, size.next_multiple_of(TILE_ROWS));
        self.queries.fill(Row::ZERO);
        let panels = self.by_component.chunks_exact(components).zip(self.key.chunks_exact(components));
        for ((by_component, key), slopes) in panels.zip(self.queries.chunks_exact_mut(TILE_ROWS)) {
            let terms = by_component.iter().zip(key);
            let sum = terms.fold(Row::ZERO, |sum, (slope, key)| sum + slope.zip(*key, |a, b| a * b));
            slopes[0] = sum * share;
        }
        // W_K has been read, so that its place is free for its slopes.
        times_columns(&self.by_component, components, &self.q, &mut self.key);
        let of_key = Panels::new(&self.key, components);
        let at_key = &mut gradient[self.net.places.key];
        Columns::plain(self.heads.across).unpack(of_key, 0, 0..size, 1.0, at_key);
        let of_query = Panels::new(&self.queries, TILE_ROWS);
        self.query.linear.learn(y, of_query, 1);
        self.query.linear.learn_bias(of_query, 1);
        self.query.linear.turn();
        self.query.linear.backward(of_query, &mut of_y, TILE_ROWS, true);
        self.query.unload(gradient);
    }

    /// Writes the gradient of embeddings, from the slopes in X.
    fn unload_tokens(&mut self, of_cls: &[Row], gradient: &mut [Vec<Row>]) {
        let (at, n, stride) = (self.net.places, self.inputs, self.stride);
        let (columns, rows) = (Columns::plain(self.net.embedding), 2 + at.cls_rows);
        let panels = self.of_x.chunks_exact_mut(stride).zip(self.codes.chunks_exact_mut(rows));
        for ((of_x, codes), of_cls) in panels.zip(of_cls) {
            let (ones, zeros) = of_x[1..=2 * n].split_at_mut(n);
            (codes[0], codes[1]) = (sum_of(ones), sum_of(zeros));
            add(ones, zeros);
            codes[2..].fill(of_x[0] + *of_cls);
        }
        let of_x = Panels::new(&self.of_x, stride);
        columns.unpack(of_x, 1, 0..n, 1.0, &mut gradient[at.positions]);
        columns.unpack(Panels::new(&self.codes, rows), 0, 0..rows, 1.0, &mut gradient[at.tokens]);
    }
}
