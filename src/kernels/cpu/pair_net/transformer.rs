//! The loop of transformers that read pairs out at "=": [`ModularTransformer`](vivarium_model::models::modular_transformer::ModularTransformer).
//!
//! ```text
//! X = E, P_0, P_1, X_2 = E_= + P_2           tokens, of which a pair has E[a] + P_0, E[b] + P_1 and X_2
//! q = X_2 W_Q / √d_attn                       s = X (W_K q),  v = X W_V          once per step, for every token
//! z = X_2 + (Σ_i A_i v_i) W_O,  A = softmax over the three of s                  of each head
//! y = z + ReLU(z W_in + b_in) W_out + b_out   f = y W_U
//! ```
//!
//! # Why
//! The query is the same for every pair, so that scores and values are tables over tokens, as
//! [`modular_transformer`](vivarium_model::models::modular_transformer) says. The columns of each head's values begin a panel, so that
//! its share of attention is one factor for whole rows.

use super::{Logits, PairLoop, TOGETHER};
use crate::cpu::dense::{Columns, HIGH, Linear, Panels, PanelsMut, add, panels, place, relu_slopes};
use crate::cpu::group_net::softmax::exp;
use crate::cpu::one_hidden_layer::{LANES, Row};
use crate::cpu::wide::{row_by_row, wide};
use vivarium_core::math::{add_scaled, matrix_product};
use vivarium_model::models::Family;
use vivarium_model::models::family::PairTransformer;
use vivarium_model::models::modular_transformer::{
    B_IN, B_OUT, EMBED, EQUALS, KEY, OUT, POSITIONS, QUERY, UNEMBED, VALUE, W_IN, W_OUT,
};
use vivarium_model::run::RunSpec;

/// Tokens besides the elements: both positions, and "=" with its own.
const OTHERS: usize = 3;

/// Where tables and what is made of them lie.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    elements: usize,
    heads: usize,
    /// Components of a head.
    head: usize,
    /// Components of a token.
    embedding: usize,
}

impl Sizes {
    /// Rows of a panel of tokens, in full tiles.
    #[inline(always)]
    fn stride(self) -> usize {
        (self.elements + OTHERS).next_multiple_of(HIGH)
    }

    /// Panels of a head's values.
    #[inline(always)]
    fn parts(self) -> usize {
        panels(self.head)
    }

    /// Rows of the table of scores, after which that of values begins.
    #[inline(always)]
    fn scores(self) -> usize {
        panels(self.heads) * self.stride()
    }

    /// Columns of all heads' values.
    fn across(self) -> usize {
        self.heads * self.head
    }

    /// √d_attn.
    fn root(self) -> f32 {
        (self.head as f32).sqrt()
    }
}

/// The loop.
pub struct TransformerLoop {
    sizes: Sizes,
    components: Columns,
    /// X, `[panel of components][token]`.
    tokens: Vec<Row>,
    token_slopes: Vec<Row>,
    /// W_Q and W_K, `[embedding, heads, head]`.
    query_map: Vec<f32>,
    key_map: Vec<f32>,
    /// X_2.
    equals: Vec<f32>,
    /// q, `[heads, head]`.
    query: Vec<f32>,
    /// W_K q.
    scores: Linear,
    values: Linear,
    /// s and then v, `[panel of heads][token]` and `[head][panel][token]`.
    table: Vec<Row>,
    table_slopes: Vec<Row>,
    out: Linear,
    w_in: Linear,
    w_out: Linear,
    unembed: Linear,
    /// A, `[panel of heads][place][pair]`.
    shares: Vec<Row>,
    /// Mixed values, z, neurons and y, each `[panel][pair]`, and their slopes. Those of z and y share their place.
    mixed: [Vec<Row>; 2],
    z: Vec<Row>,
    neurons: [Vec<Row>; 2],
    y: [Vec<Row>; 2],
    logits: Logits,
}

/// What a table says of the three tokens of a pair.
#[inline(always)]
fn three(table: &[Row], elements: usize, [a, b]: [u32; 2]) -> [Row; 3] {
    let at = |token: usize| table[token];
    [at(a as usize) + at(elements), at(b as usize) + at(elements + 1), at(elements + 2)]
}

/// The shares that head `head` gives to the tokens of pair `at`.
#[inline(always)]
fn shares_of(shares: &[Row], head: usize, at: usize) -> [f32; 3] {
    let first = head / LANES * 3 * TOGETHER + at;
    [0, 1, 2].map(|place| shares[first + place * TOGETHER].0[head % LANES])
}

wide! {
    /// Makes the shares of attention and the mixed values of some pairs.
    fn attend(table: &[Row], sizes: Sizes, pairs: &[[u32; 2]], shares: &mut [Row], mixed: &mut [Row]) {
        let (elements, stride) = (sizes.elements, sizes.stride());
        let (scores, values) = table.split_at(sizes.scores());
        for (scores, shares) in scores.chunks_exact(stride).zip(shares.chunks_exact_mut(3 * TOGETHER)) {
            for (at, pair) in pairs.iter().enumerate() {
                row_by_row();
                let all = three(scores, elements, *pair);
                let larger = |a: f32, b: f32| if b > a { b } else { a };
                let top = all[0].zip(all[1], larger).zip(all[2], larger);
                let powers = all.map(|score| exp(score - top));
                let sum = powers[0] + powers[1] + powers[2];
                for (place, power) in powers.iter().enumerate() {
                    shares[place * TOGETHER + at] = power.zip(sum, |power, sum| power / sum);
                }
            }
        }
        let parts = values.chunks_exact(stride).zip(mixed.chunks_exact_mut(TOGETHER));
        for (part, (values, mixed)) in parts.enumerate() {
            let head = part / sizes.parts();
            for (at, (pair, mixed)) in pairs.iter().zip(mixed).enumerate() {
                row_by_row();
                let [of_a, of_b, of_equals] = three(values, elements, *pair);
                let [a, b, equals] = shares_of(shares, head, at);
                *mixed = of_a * a + of_b * b + of_equals * equals;
            }
        }
    }
}

/// Adds slopes of the three tokens of a pair; those of the tokens that all pairs have are summed in `sums`.
#[inline(always)]
fn add_three(slopes: &mut [Row], [a, b]: [u32; 2], of: [Row; 3], sums: &mut [Row; 3]) {
    let (a, b) = (a as usize, b as usize);
    slopes[a] = slopes[a] + of[0];
    slopes[b] = slopes[b] + of[1];
    *sums = [sums[0] + of[0], sums[1] + of[1], sums[2] + of[2]];
}

/// Adds what [`add_three`] summed to the slopes of the other tokens.
#[inline(always)]
fn add_others(slopes: &mut [Row], elements: usize, sums: [Row; 3]) {
    for (slope, sum) in slopes[elements..].iter_mut().zip(sums) {
        *slope = *slope + sum;
    }
}

wide! {
    /// Adds to the slopes of the table what the slopes of mixed values say, and turns shares into slopes of scores.
    fn attend_back(
        table: &[Row],
        sizes: Sizes,
        pairs: &[[u32; 2]],
        shares: &mut [Row],
        mixed_slopes: &[Row],
        table_slopes: &mut [Row],
    ) {
        let (elements, stride, parts) = (sizes.elements, sizes.stride(), sizes.parts());
        let values = &table[sizes.scores()..];
        let (score_slopes, value_slopes) = table_slopes.split_at_mut(sizes.scores());
        for (part, slopes) in value_slopes.chunks_exact_mut(stride).enumerate() {
            let mut sums = [Row::ZERO; 3];
            let mixed_slopes = &mixed_slopes[part * TOGETHER..][..TOGETHER];
            for (at, (pair, slope)) in pairs.iter().zip(mixed_slopes).enumerate() {
                row_by_row();
                let of = shares_of(shares, part / parts, at).map(|share| *slope * share);
                add_three(slopes, *pair, of, &mut sums);
            }
            add_others(slopes, elements, sums);
        }
        for head in 0..sizes.heads {
            let (values, slopes) =
                (&values[head * parts * stride..], &mixed_slopes[head * parts * TOGETHER..]);
            for (at, pair) in pairs.iter().enumerate() {
                row_by_row();
                let mut pulls = [Row::ZERO; 3];
                for part in 0..parts {
                    let of = three(&values[part * stride..], elements, *pair);
                    let slope = slopes[part * TOGETHER + at];
                    let [a, b, equals] = of.map(|of| of.zip(slope, |v, d| v * d));
                    pulls = [pulls[0] + a, pulls[1] + b, pulls[2] + equals];
                }
                let (pulls, of) = (pulls.map(Row::sum), shares_of(shares, head, at));
                let mean = of[0] * pulls[0] + of[1] * pulls[1] + of[2] * pulls[2];
                let first = head / LANES * 3 * TOGETHER + at;
                for place in 0..3 {
                    shares[first + place * TOGETHER].0[head % LANES] = of[place] * (pulls[place] - mean);
                }
            }
        }
        let blocks = score_slopes.chunks_exact_mut(stride).zip(shares.chunks_exact(3 * TOGETHER));
        for (panel, (slopes, shares)) in blocks.enumerate() {
            let (mut sums, heads) = ([Row::ZERO; 3], (sizes.heads - panel * LANES).min(LANES));
            for (at, pair) in pairs.iter().enumerate() {
                row_by_row();
                let mut of = [0, 1, 2].map(|place| shares[place * TOGETHER + at]);
                // Beyond the last head there are still shares.
                of.iter_mut().for_each(|of| of.0[heads..].fill(0.0));
                add_three(slopes, *pair, of, &mut sums);
            }
            add_others(slopes, elements, sums);
        }
    }
}

wide! {
    /// The larger of each number and 0. What is no number stays none.
    fn rectify(units: &mut [Row]) {
        for unit in units.iter_mut() {
            *unit = unit.map(|z| if z > 0.0 { z } else { z * 0.0 });
        }
    }
}

/// The first numbers of a parameter.
fn flat(rows: &[Row], count: usize) -> Vec<f32> {
    rows.iter().flat_map(|row| row.0).take(count).collect()
}

/// Numbers as a parameter has them.
fn fill(rows: &mut [Row], values: &[f32]) {
    for (row, values) in rows.iter_mut().zip(values.chunks(LANES)) {
        row.0[..values.len()].copy_from_slice(values);
    }
}

impl PairLoop for TransformerLoop {
    fn of(spec: &RunSpec) -> Result<Self, String> {
        let Some(Family::PairTransformer(net)) = spec.model.config().family() else {
            return Err(format!("its model is {}", spec.model.info().name));
        };
        if !spec.model.suits(&spec.task) {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        let elements = spec.task.examples().inputs();
        let PairTransformer { embedding, attention: head, heads, hidden } = net;
        let sizes = Sizes { elements, heads, head, embedding };
        let (stride, across) = (sizes.stride(), heads * sizes.parts());
        let rows = |panels: usize, stride: usize| vec![Row::ZERO; panels * stride];
        let tokens = rows(panels(embedding), stride);
        let table = rows(panels(heads) + across, stride);
        let groups: Vec<usize> = (0..heads).map(|head| head * sizes.parts()).collect();
        let two = |panels: usize| [rows(panels, TOGETHER), rows(panels, TOGETHER)];
        Ok(TransformerLoop {
            sizes,
            components: Columns::plain(embedding),
            token_slopes: tokens.clone(),
            tokens,
            query_map: vec![],
            key_map: vec![],
            equals: vec![],
            query: vec![],
            scores: Linear::new(embedding, heads),
            values: Linear::grouped(embedding, Columns::grouped(head, &groups), across),
            table_slopes: table.clone(),
            table,
            out: Linear::new(across * LANES, embedding),
            w_in: Linear::new(embedding, hidden),
            w_out: Linear::new(hidden, embedding),
            unembed: Linear::new(embedding, elements),
            shares: rows(panels(heads), 3 * TOGETHER),
            mixed: two(across),
            z: rows(panels(embedding), TOGETHER),
            neurons: two(panels(hidden)),
            y: two(panels(embedding)),
            logits: Logits::new(elements),
        })
    }

    fn load(&mut self, weights: &[Vec<Row>]) {
        let (sizes, stride) = (self.sizes, self.sizes.stride());
        let Sizes { elements, heads, head, embedding } = sizes;
        let across = sizes.across();
        self.query_map = flat(&weights[QUERY], embedding * across);
        self.key_map = flat(&weights[KEY], embedding * across);
        let positions = flat(&weights[POSITIONS], 3 * embedding);
        self.equals = flat(&weights[EQUALS], embedding);
        add_scaled(&mut self.equals, 1.0, &positions[2 * embedding..]);
        self.query = matrix_product(&self.equals, &self.query_map, across);
        self.query.iter_mut().for_each(|q| *q /= sizes.root());
        let of_head = |(key, query): (&[f32], &[f32])| -> f32 {
            key.iter().zip(query).fold(0.0, |sum, (k, q)| sum + k * q)
        };
        let all = self.key_map.chunks_exact(head).zip(self.query.chunks_exact(head).cycle());
        let asked: Vec<f32> = all.map(of_head).collect();
        let mut rows = vec![Row::ZERO; asked.len().div_ceil(LANES)];
        fill(&mut rows, &asked);
        self.scores.load_rows(&rows, 0..embedding, 0);
        self.values.load_rows(&weights[VALUE], 0..embedding, 0);

        let mut tokens = PanelsMut::new(&mut self.tokens, stride);
        self.components.pack(&weights[EMBED], 0..elements, 1.0, &mut tokens, 0);
        self.components.pack(&weights[POSITIONS], 0..2, 1.0, &mut tokens, elements);
        place(&self.equals, &mut tokens, elements + 2);
        let tokens = Panels::new(&self.tokens, stride);
        let (scores, values) = self.table.split_at_mut(sizes.scores());
        self.scores.forward(tokens, &mut PanelsMut::new(scores, stride), stride);
        self.values.forward(tokens, &mut PanelsMut::new(values, stride), stride);

        for number in 0..heads {
            let rows = number * head..(number + 1) * head;
            self.out.load_rows(&weights[OUT], rows, number * sizes.parts() * LANES);
        }
        place(&self.equals, &mut PanelsMut::new(&mut self.out.bias, 1), 0);
        self.out.bias_slope().fill(Row::ZERO);
        self.w_in.load(&weights[W_IN], &weights[B_IN]);
        self.w_out.load(&weights[W_OUT], &weights[B_OUT]);
        self.unembed.load_rows(&weights[UNEMBED], 0..embedding, 0);
        self.table_slopes.fill(Row::ZERO);
    }

    fn turn(&mut self) {
        let TransformerLoop { scores, values, out, w_in, w_out, unembed, .. } = self;
        [scores, values, out, w_in, w_out, unembed].into_iter().for_each(Linear::turn);
    }

    fn forward(&mut self, pairs: &[[u32; 2]]) -> &mut Logits {
        let count = pairs.len().next_multiple_of(HIGH);
        attend(&self.table, self.sizes, pairs, &mut self.shares, &mut self.mixed[0]);
        let block = |rows: &mut [Row], linear: &Linear, below: &[Row]| {
            linear.forward(Panels::new(below, TOGETHER), &mut PanelsMut::new(rows, TOGETHER), count);
        };
        block(&mut self.z, &self.out, &self.mixed[0]);
        block(&mut self.neurons[0], &self.w_in, &self.z);
        rectify(&mut self.neurons[0]);
        block(&mut self.y[0], &self.w_out, &self.neurons[0]);
        add(&mut self.y[0], &self.z);
        block(&mut self.logits.rows, &self.unembed, &self.y[0]);
        &mut self.logits
    }

    fn backward(&mut self, pairs: &[[u32; 2]]) {
        // What the block is filled up with is no pair.
        let (pairs_count, count) = (pairs.len(), pairs.len().next_multiple_of(HIGH));
        let back = |rows: &mut [Row], linear: &Linear, above: &[Row], adds: bool| {
            linear.backward(Panels::new(above, TOGETHER), &mut PanelsMut::new(rows, TOGETHER), count, adds);
        };
        let learn = |linear: &mut Linear, below: &[Row], above: &[Row], has_bias: bool| {
            let d = Panels::new(above, TOGETHER);
            linear.learn(Panels::new(below, TOGETHER), d, pairs_count);
            if has_bias {
                linear.learn_bias(d, pairs_count);
            }
        };
        let ([y, slopes], [neurons, of_neurons]) = (&mut self.y, &mut self.neurons);
        learn(&mut self.unembed, y, &self.logits.rows, false);
        back(slopes, &self.unembed, &self.logits.rows, false);
        learn(&mut self.w_out, neurons, slopes, true);
        back(of_neurons, &self.w_out, slopes, false);
        relu_slopes(neurons, of_neurons);
        learn(&mut self.w_in, &self.z, of_neurons, true);
        back(slopes, &self.w_in, of_neurons, true);
        let [mixed, of_mixed] = &mut self.mixed;
        learn(&mut self.out, mixed, slopes, true);
        back(of_mixed, &self.out, slopes, false);
        attend_back(&self.table, self.sizes, pairs, &mut self.shares, of_mixed, &mut self.table_slopes);
    }

    fn unload(&mut self, gradient: &mut [Vec<Row>]) {
        let (sizes, stride) = (self.sizes, self.sizes.stride());
        let Sizes { elements, heads, head, embedding } = sizes;
        let across = sizes.across();
        let (tokens, used) = (Panels::new(&self.tokens, stride), elements + OTHERS);
        let (scores, values) = self.table_slopes.split_at(sizes.scores());
        let (scores, values) = (Panels::new(scores, stride), Panels::new(values, stride));
        self.scores.learn(tokens, scores, used);
        self.values.learn(tokens, values, used);
        let mut slopes = PanelsMut::new(&mut self.token_slopes, stride);
        self.scores.backward(scores, &mut slopes, stride, false);
        self.values.backward(values, &mut slopes, stride, true);
        self.values.unload_rows(&mut gradient[VALUE], 0..embedding, 0);

        // From W_K q to W_K, W_Q and X_2.
        let mut asked = vec![Row::ZERO; (embedding * heads).div_ceil(LANES)];
        self.scores.unload_rows(&mut asked, 0..embedding, 0);
        let asked = flat(&asked, embedding * heads);
        let (mut of_keys, mut of_query) = (vec![0.0; embedding * across], vec![0.0; across]);
        let rows = self.key_map.chunks_exact(across).zip(of_keys.chunks_exact_mut(across));
        for ((keys, of_keys), asked) in rows.zip(asked.chunks_exact(heads)) {
            for (number, slope) in asked.iter().enumerate() {
                let own = number * head..(number + 1) * head;
                add_scaled(&mut of_keys[own.clone()], *slope, &self.query[own.clone()]);
                add_scaled(&mut of_query[own.clone()], *slope, &keys[own]);
            }
        }
        of_query.iter_mut().for_each(|q| *q /= sizes.root());
        fill(&mut gradient[KEY], &of_keys);
        let mut of_equals = flat(self.out.bias_slope(), embedding);
        for (panel, values) in of_equals.chunks_mut(LANES).enumerate() {
            let row = self.token_slopes[panel * stride + elements + 2];
            values.iter_mut().zip(row.0).for_each(|(value, slope)| *value += slope);
        }
        let mut of_map = vec![0.0; embedding * across];
        let rows = self.query_map.chunks_exact(across).zip(of_map.chunks_exact_mut(across));
        for (((map, of_map), equals), of_equals) in rows.zip(&self.equals).zip(&mut of_equals) {
            add_scaled(of_map, *equals, &of_query);
            *of_equals += map.iter().zip(&of_query).fold(0.0, |sum, (w, q)| sum + w * q);
        }
        fill(&mut gradient[QUERY], &of_map);

        place(&of_equals, &mut PanelsMut::new(&mut self.token_slopes, stride), elements + 2);
        let slopes = Panels::new(&self.token_slopes, stride);
        self.components.unpack(slopes, 0, 0..elements, 1.0, &mut gradient[EMBED]);
        self.components.unpack(slopes, elements, 0..3, 1.0, &mut gradient[POSITIONS]);
        self.components.unpack(slopes, elements + 2, 0..1, 1.0, &mut gradient[EQUALS]);
        for number in 0..heads {
            let rows = number * head..(number + 1) * head;
            self.out.unload_rows(&mut gradient[OUT], rows, number * sizes.parts() * LANES);
        }
        for (linear, w, b) in [(&self.w_in, W_IN, B_IN), (&self.w_out, W_OUT, B_OUT)] {
            if let [of_w, of_b] = &mut gradient[w..=b] {
                linear.unload(of_w, of_b);
            }
        }
        self.unembed.unload_rows(&mut gradient[UNEMBED], 0..embedding, 0);
    }
}
