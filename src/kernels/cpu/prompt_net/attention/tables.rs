//! Scores as sums of a table's entries.
//!
//! What scores read of a token is s = Cᵀφ: its numbers x, and one of N codes in each of q + 1 places. φ has F = d + (q + 1)N
//! features, of which the numbers x and q + 1 ones are not zero, so that
//!
//! ```text
//! score(i, j) = s_iᵀ W s_j = φ_iᵀ M φ_j,   M = C W Cᵀ   [F, F]
//! ```
//!
//! is a sum of (q + 1)² entries of M where scores read positions alone. M is made once a step, and so is the gradient with
//! respect to W of that with respect to M, CᵀGC. Matrices lie in panels, `[panel of columns][line]`.

use super::shape::Shape;
use crate::cpu::dense::{Columns, Panels, PanelsMut, accumulate_weight_gradient, multiply, panels};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::transpose;
use vivarium_operators::simd::wide;

/// C, which says what the features of a token read as.
#[derive(Debug, Clone)]
pub struct Codes {
    shape: Shape,
    /// Numbers in a code.
    size: usize,
    /// Codes of positions, scaled, `[length, size]`.
    codes: Vec<f32>,
    /// What a one-hot code has in its one place, where codes are one-hot.
    one_hot: Option<f32>,
}

impl Codes {
    /// Codes of `size` numbers, all zero; of one-hot ones, what they are multiplied by.
    pub fn new(shape: Shape, size: usize, one_hot: Option<f32>) -> Self {
        Codes { shape, size, codes: vec![0.0; shape.length * size], one_hot }
    }

    /// Takes the codes `[length, size]` and what they are multiplied by.
    pub fn load(&mut self, codes: &[f32], scale: f32) {
        self.codes.iter_mut().zip(codes).for_each(|(to, code)| *to = code * scale);
    }

    /// Numbers S that scores read.
    fn read(&self) -> usize {
        self.shape.dense + (self.shape.names + 1) * self.size
    }

    /// S in full panels.
    fn stride(&self) -> usize {
        self.read().next_multiple_of(LANES)
    }

    /// First line of place `place` among what scores read.
    fn place(&self, place: usize) -> usize {
        self.shape.dense + place * self.size
    }

    /// C w, panel by panel.
    ///
    /// # Shapes
    /// `w` is `[panel][S]` in full panels, `out` `[panel][lines]`.
    fn expand(&self, w: &[Row], out: &mut [Row]) {
        let (dense, length) = (self.shape.dense, self.shape.length);
        for (w, out) in w.chunks_exact(self.stride()).zip(out.chunks_exact_mut(self.shape.lines())) {
            out[..dense].copy_from_slice(&w[..dense]);
            for place in 0..=self.shape.names {
                let w = &w[self.place(place)..][..self.size];
                let out = &mut out[self.shape.line(place, 0)..][..length];
                match self.one_hot {
                    Some(scale) => scaled(w, scale, out),
                    None => products(&self.codes, w, out),
                }
            }
        }
    }

    /// Cᵀ g, panel by panel: what [`Codes::expand`] is the transpose of.
    fn contract(&self, g: &[Row], out: &mut [Row]) {
        let (dense, length) = (self.shape.dense, self.shape.length);
        for (g, out) in g.chunks_exact(self.shape.lines()).zip(out.chunks_exact_mut(self.stride())) {
            out[..dense].copy_from_slice(&g[..dense]);
            for place in 0..=self.shape.names {
                let g = &g[self.shape.line(place, 0)..][..length];
                let out = &mut out[self.place(place)..][..self.size];
                match self.one_hot {
                    Some(scale) => scaled(g, scale, out),
                    None => turned_products(&self.codes, g, out),
                }
            }
        }
    }
}

wide! {
    fn scaled(from: &[Row], scale: f32, out: &mut [Row]) {
        for (out, row) in out.iter_mut().zip(from) {
            *out = *row * scale;
        }
    }
}

wide! {
    /// The product of `a`, `[out, b]`, with `b`.
    fn products(a: &[f32], b: &[Row], out: &mut [Row]) {
        for (out, factors) in out.iter_mut().zip(a.chunks_exact(b.len())) {
            let terms = factors.iter().zip(b);
            *out = terms.fold(Row::ZERO, |sum, (factor, b)| sum + *b * *factor);
        }
    }
}

wide! {
    /// The product of the transpose of `a`, `[b, out]`, with `b`.
    fn turned_products(a: &[f32], b: &[Row], out: &mut [Row]) {
        let inner = out.len();
        out.fill(Row::ZERO);
        for (b, factors) in b.iter().zip(a.chunks_exact(inner)) {
            for (factor, out) in factors.iter().zip(out.iter_mut()) {
                *out = *out + *b * *factor;
            }
        }
    }
}

/// The table of one head with the memory to make it.
#[derive(Debug, Clone)]
pub struct Table {
    shape: Shape,
    /// Where the matrices of the scores lie: of rows of S numbers, or of d_k for queries and keys of their own.
    columns: Columns,
    /// Numbers in a row of such a matrix.
    width: usize,
    /// Whether queries and keys have matrices of their own.
    separate: bool,
    /// M, `[panel of lines][lines]`.
    pub entries: Vec<Row>,
    /// The gradient with respect to it.
    pub slopes: Vec<Row>,
    /// C Q / √d_k, `[panel of d_k][lines]`.
    query: Vec<Row>,
    /// C K.
    key: Vec<Row>,
    /// Memory for a matrix and for its transpose, in what scores read and in lines.
    read: [Vec<Row>; 2],
    spread: [Vec<Row>; 2],
}

impl Table {
    /// A table of zeros; with matrices of rows of `keys` numbers for queries and keys of their own.
    pub fn new(codes: &Codes, keys: Option<usize>) -> Self {
        let (shape, width) = (codes.shape, keys.unwrap_or(codes.read()));
        let (lines, across) = (shape.lines(), panels(width));
        let room = |panels: usize, lines: usize| vec![Row::ZERO; panels * lines];
        let [entries, slopes] = [(); 2].map(|()| room(lines / LANES, lines));
        let [query, key] = [(); 2].map(|()| if keys.is_some() { room(across, lines) } else { vec![] });
        let most = across.max(lines / LANES);
        let read = [(); 2].map(|()| room(most, codes.stride()));
        let spread = [(); 2].map(|()| room(across, lines));
        let (columns, separate) = (Columns::plain(width), keys.is_some());
        Table { shape, columns, width, separate, entries, slopes, query, key, read, spread }
    }

    /// Makes the table of head `head`, and forgets the gradient.
    ///
    /// # Shapes
    /// `weights` are W, or Q and K, as parameters lie.
    pub fn load(&mut self, codes: &Codes, head: usize, weights: &[Vec<Row>]) {
        self.slopes.fill(Row::ZERO);
        let (read, stride, lines) = (codes.read(), codes.stride(), self.shape.lines());
        let (of_head, across) = (head * read..(head + 1) * read, panels(self.width));
        let [first, second] = &mut self.read;
        let [spread, turned] = &mut self.spread;
        if self.separate {
            for (weights, out) in weights.iter().zip([&mut self.query, &mut self.key]) {
                self.columns.pack(weights, of_head.clone(), 1.0, &mut PanelsMut::new(first, stride), 0);
                codes.expand(&first[..across * stride], out);
            }
            scale(&mut self.query, 1.0 / (self.width as f32).sqrt());
            transpose(&self.key, lines, LANES, 0..lines / LANES, turned);
            let turned = Panels::new(turned, across * LANES);
            let out = &mut PanelsMut::new(&mut self.entries, lines);
            multiply(Panels::new(&self.query, lines), turned, self.width, out, lines, false);
        } else {
            self.columns.pack(&weights[0], of_head, 1.0, &mut PanelsMut::new(first, stride), 0);
            transpose(&first[..across * stride], stride, LANES, 0..across, second);
            codes.expand(&second[..across * stride], spread);
            transpose(spread, lines, LANES, 0..lines / LANES, first);
            codes.expand(&first[..lines / LANES * stride], &mut self.entries);
        }
    }

    /// Writes the gradient of head `head`.
    ///
    /// # Shapes
    /// `gradient` are those with respect to W, or to Q and K, as parameters lie.
    pub fn unload(&mut self, codes: &Codes, head: usize, gradient: &mut [Vec<Row>]) {
        let (read, stride, lines) = (codes.read(), codes.stride(), self.shape.lines());
        let (of_head, across) = (head * read..(head + 1) * read, panels(self.width));
        let [first, second] = &mut self.read;
        let [spread, _] = &mut self.spread;
        if self.separate {
            let slopes = Panels::new(&self.slopes, lines);
            let out = &mut PanelsMut::new(spread, lines);
            multiply(slopes, Panels::new(&self.key, lines), lines, out, lines, false);
            scale(spread, 1.0 / (self.width as f32).sqrt());
            codes.contract(spread, first);
            self.columns.unpack(Panels::new(first, stride), 0, of_head.clone(), 1.0, &mut gradient[0]);
            spread.fill(Row::ZERO);
            // The query has the factor 1/√d_k already.
            let query = Panels::new(&self.query, lines);
            accumulate_weight_gradient(
                slopes,
                query,
                across,
                lines,
                &mut PanelsMut::new(spread, lines),
                lines,
            );
            codes.contract(spread, first);
            self.columns.unpack(Panels::new(first, stride), 0, of_head, 1.0, &mut gradient[1]);
        } else {
            codes.contract(&self.slopes, first);
            transpose(&first[..lines / LANES * stride], stride, LANES, 0..across, spread);
            codes.contract(spread, first);
            transpose(&first[..across * stride], stride, LANES, 0..across, second);
            self.columns.unpack(Panels::new(second, stride), 0, of_head, 1.0, &mut gradient[0]);
        }
    }
}

wide! {
    fn scale(rows: &mut [Row], by: f32) {
        for row in rows.iter_mut() {
            *row = *row * by;
        }
    }
}
