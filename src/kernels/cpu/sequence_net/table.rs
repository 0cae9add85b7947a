//! Attention of a layer that knows symbols and distances alone: the first, where no place is added to embeddings.
//!
//! ```text
//! A_ij = α[x_i][x_j] + ρ[x_i][i − j]      share of j: e^α[x_i][x_j] e^ρ[x_i][i − j] / Σ
//! mass of symbol b at i: e^α[x_i][b] Σ_{j ≤ i, x_j = b} e^ρ[x_i][i − j] / Σ
//! ```
//!
//! Queries, keys and values are one for each symbol, and exponentials factor. So a sequence needs neither products of
//! vectors nor exponentials for its pairs of places, but one addition for each pair and symbol, and attention brings as
//! many vectors as there are symbols. The same holds backward.

use super::attention::{LEAD, Span};
use super::axis::{Axis, Vectors};
use super::layer::Layer;
use super::products::{TILE_ROWS, ZERO_SUMS, inner, outer, product, store, sums_of, transpose};
use super::sequence::Sequence;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::exp;
use vivarium_operators::simd::wide;

/// Largest spread of scores whose exponentials are safe to multiply.
const SPREAD: f32 = 60.0;

/// What is computed once for a step, and what a sequence leaves.
#[derive(Debug, Clone)]
pub struct Table {
    alphabet: usize,
    axis: Axis,
    span: Span,
    /// Rows for heads and symbols.
    rows: usize,
    /// Queries, keys and values of symbols, `[panel][symbol]`.
    vectors: [Vec<Row>; 3],
    /// The embeddings as the layer reads them.
    read: Vec<Row>,
    /// e^α, `[head][symbol][symbol]`.
    symbols: Vec<f32>,
    /// e^ρ, `[head][symbol][LANES + distance]`.
    distances: Vec<f32>,
    /// What each symbol of each head adds to the residual stream, `[panel][head and symbol]`.
    brings: Vec<Row>,
    of_brings: Vec<Row>,
    /// Mass of each symbol, `[block][head and symbol]`.
    mass: Vec<Row>,
    of_mass: Vec<Row>,
    /// e^α / Σ.
    factors: Vec<Row>,
    /// Slopes in α and, before a factor, in ρ.
    of_symbols: Vec<Row>,
    of_distances: Vec<Row>,
    /// By symbols, `[symbol that looks][LANES more than positions]`.
    spread: Vec<f32>,
    turned: Vec<Row>,
}

impl Table {
    /// For a layer whose heads lie along `axis`.
    pub fn new(alphabet: usize, axis: Axis, residual: Axis, span: Span) -> Self {
        let (stride, blocks) = (span.stride(), span.blocks);
        let rows =
            ((axis.groups - 1) * alphabet + alphabet.next_multiple_of(TILE_ROWS)).next_multiple_of(TILE_ROWS);
        let tables = axis.groups * Table::padded(alphabet);
        let vector = vec![Row::ZERO; axis.panels() * stride];
        let brings = vec![Row::ZERO; residual.panels() * rows];
        Table {
            alphabet,
            axis,
            span,
            rows,
            vectors: [vector.clone(), vector.clone(), vector],
            read: vec![Row::ZERO; residual.panels() * stride],
            symbols: vec![0.0; axis.groups * alphabet * alphabet],
            distances: vec![0.0; tables * Table::width(span)],
            of_brings: brings.clone(),
            brings,
            mass: vec![Row::ZERO; blocks * rows],
            of_mass: vec![Row::ZERO; blocks * rows],
            factors: vec![Row::ZERO; blocks * rows],
            of_symbols: vec![Row::ZERO; axis.groups * alphabet * alphabet],
            of_distances: vec![Row::ZERO; tables * blocks],
            spread: vec![0.0; Table::padded(alphabet) * alphabet * Table::width(span)],
            turned: vec![Row::ZERO; residual.rows() * blocks],
        }
    }

    /// Tables of a head, in full tiles.
    fn padded(alphabet: usize) -> usize {
        if alphabet == 2 { 2 } else { alphabet.next_multiple_of(TILE_ROWS) }
    }

    fn width(span: Span) -> usize {
        span.stride() + LANES
    }

    /// Makes the tables of a step, and says whether exponentials are safe to multiply.
    pub fn load(&mut self, layer: &mut Layer, embed: &Vectors) -> bool {
        load_table(self, layer, embed)
    }

    /// Adds what attention brings to the residual stream `z` of the positions from block `first` on.
    pub fn forward(&mut self, sequence: &Sequence, first: usize, off: &[usize], z: &mut [Row]) {
        table_forward(self, sequence, first, off, z);
    }

    /// The masses of one head in one block.
    #[inline(always)]
    fn weigh<const N: usize>(&mut self, sequence: &Sequence, head: usize, block: usize) {
        let (k, width) = (self.alphabet, Table::width(self.span));
        let at = block * self.rows + head * k;
        let mut total = Row::ZERO;
        for b in 0..k {
            let (mut mass, mut factor) = (Row::ZERO, Row::ZERO);
            for first in (0..k).step_by(N) {
                let tables = &self.distances[(head * Table::padded(k) + first) * width..][..N * width];
                let sums = sequence.convolve::<N>(b, block, tables, width);
                for (a, sum) in (first..k).zip(sums) {
                    let own = sequence.inside(a, block) * self.symbols[(head * k + a) * k + b];
                    factor = factor + own;
                    mass = mass + own.zip(sum, |own, sum| own * sum);
                }
            }
            total = total + mass;
            self.mass[at + b] = mass;
            self.factors[at + b] = factor;
        }
        // Beyond the sequence there may be nothing to look at.
        let scale = total.map(|total| if total == 0.0 { 0.0 } else { 1.0 / total });
        for row in self.mass[at..at + k].iter_mut().chain(&mut self.factors[at..at + k]) {
            *row = row.zip(scale, |x, scale| x * scale);
        }
    }

    /// The share of attention of place `from` on place `to`.
    pub fn share(&self, sequence: &Sequence, head: usize, from: usize, to: usize) -> f32 {
        let k = self.alphabet;
        let (x, y) = (usize::from(sequence.symbols[from]), usize::from(sequence.symbols[to]));
        let factor = self.factors[from / LANES * self.rows + head * k + y].0[from % LANES];
        let table = (head * Table::padded(k) + x) * Table::width(self.span);
        factor * self.distances[table + LANES + from - to]
    }

    /// Adds the slopes of one sequence, given those in the residual stream after the layer's attention.
    pub fn backward(&mut self, sequence: &Sequence, of_z: &[Row], deep: usize) {
        table_backward(self, sequence, of_z, deep);
    }

    /// Slopes in α of one block, and those in ρ by the symbols at both ends.
    #[inline(always)]
    fn scatter(&mut self, sequence: &Sequence, head: usize, block: usize) {
        let (k, width) = (self.alphabet, Table::width(self.span));
        let own = block * self.rows + head * k..block * self.rows + (head + 1) * k;
        let (mass, of_mass, factors) =
            (&self.mass[own.clone()], &self.of_mass[own.clone()], &self.factors[own]);
        let mean = mass.iter().zip(of_mass).fold(Row::ZERO, |sum, (m, d)| sum + m.zip(*d, |m, d| m * d));
        for b in 0..k {
            let slope = of_mass[b] - mean;
            let of_symbol = slope.zip(mass[b], |d, m| d * m);
            let of_distance = slope.zip(factors[b], |d, f| d * f);
            for a in 0..k {
                let inside = sequence.inside(a, block);
                let of = &mut self.of_symbols[(head * k + a) * k + b];
                *of = *of + of_symbol.zip(inside, |d, inside| d * inside);
                let spread = of_distance.zip(inside, |d, inside| d * inside);
                let at = (b * Table::padded(k) + a) * width + block * LANES;
                self.spread[at..at + LANES].copy_from_slice(&spread.0);
            }
        }
    }

    /// Adds up slopes in ρ by distance.
    #[inline(always)]
    fn gather<const N: usize>(&mut self, sequence: &Sequence, head: usize) {
        let (k, width, blocks) = (self.alphabet, Table::width(self.span), self.span.blocks);
        for block in 0..blocks {
            for first in (0..k).step_by(N) {
                let mut sums = [Row::ZERO; N];
                for b in 0..k {
                    let tables = &self.spread[(b * Table::padded(k) + first) * width..][..N * width];
                    let more = sequence.correlate::<N>(b, block, tables, width);
                    sums = std::array::from_fn(|n| sums[n] + more[n]);
                }
                for (a, sum) in (first..k).zip(sums) {
                    let of = &mut self.of_distances[(head * Table::padded(k) + a) * blocks + block];
                    *of = *of + sum;
                }
            }
        }
    }

    /// Hands what the sequences of a step have left to the parameters.
    pub fn unload(&mut self, layer: &mut Layer, embed: &mut Vectors) {
        unload_table(self, layer, embed);
    }
}

/// Replaces scores by exponentials, the largest of them 1, and returns their spread.
#[inline(always)]
fn exponentials(scores: &mut [f32]) -> f32 {
    let top = scores.iter().fold(f32::NEG_INFINITY, |top, s| top.max(*s));
    let least = scores.iter().fold(f32::INFINITY, |least, s| least.min(*s));
    let broken = scores.iter().any(|s| s.is_nan());
    for scores in scores.chunks_mut(LANES) {
        let mut row = Row::ZERO;
        row.0[..scores.len()].copy_from_slice(scores);
        let row = exp(row.map(|s| s - top));
        scores.copy_from_slice(&row.0[..scores.len()]);
    }
    if broken { f32::NAN } else { top - least }
}

wide! {
    /// As [`Table::load`].
    fn load_table(this: &mut Table, layer: &mut Layer, embed: &Vectors) -> bool {
        let (k, stride, each) = (this.alphabet, this.span.stride(), this.axis.each());
        let full = 0..k.next_multiple_of(TILE_ROWS);
        match &mut layer.norm {
            Some(norm) => norm.forward(&embed.values, 0, k, &mut this.read),
            None => this.read.copy_from_slice(&embed.values),
        }
        let [query, key, value] = &mut this.vectors;
        layer.query.forward(&this.read, stride, full.clone(), query, false);
        layer.key.forward(&this.read, stride, full.clone(), key, false);
        layer.value.forward(&this.read, stride, full, value, false);
        let Some(near) = &layer.distances else { return false };
        let width = Table::width(this.span);
        let mut is_safe = true;
        for head in 0..this.axis.groups {
            let panels = head * each..(head + 1) * each;
            for a in 0..k {
                let with = |other: &[Row], stride: usize, at: usize| {
                    let dot = |sum: Row, p: usize| {
                        sum + query[p * this.span.stride() + a].zip(other[p * stride + at], |q, k| q * k)
                    };
                    panels.clone().fold(Row::ZERO, dot).sum()
                };
                let scores = &mut this.symbols[(head * k + a) * k..][..k];
                for (b, score) in scores.iter_mut().enumerate() {
                    *score = with(key, stride, b);
                }
                let table = &mut this.distances[(head * Table::padded(k) + a) * width + LANES..][..stride];
                for (delta, score) in table[..this.span.length].iter_mut().enumerate() {
                    *score = with(&near.values, near.stride, LEAD + delta);
                }
                // What is no number is not safe either.
                is_safe &= exponentials(scores) + exponentials(&mut table[..this.span.length]) < SPREAD;
            }
        }
        if !is_safe {
            return false;
        }
        match &layer.out {
            Some(out) => {
                let (rows, deep) = (out.from.rows(), out.from.deep());
                for head in 0..this.axis.groups {
                    for (brings, out) in this.brings.chunks_exact_mut(this.rows).zip(out.forth.chunks_exact(rows)) {
                        for b in (0..k).step_by(TILE_ROWS) {
                            let mut sums = ZERO_SUMS;
                            for p in head * each..(head + 1) * each {
                                sums = inner(&value[p * stride + b..], &out[p * deep..(p + 1) * deep], sums);
                            }
                            store(&mut brings[head * k + b..], sums);
                        }
                    }
                }
            }
            None => {
                let places = this.axis.places().zip(embed.axis.places()).enumerate();
                for (c, ((p, l), (to, lane))) in places {
                    for b in 0..k {
                        let row = to * this.rows + c / this.axis.size * k + b;
                        this.brings[row].0[lane] = value[p * stride + b].0[l];
                    }
                }
            }
        }
        this.of_brings.fill(Row::ZERO);
        this.of_symbols.fill(Row::ZERO);
        this.of_distances.fill(Row::ZERO);
        true
    }
}

wide! {
    /// As [`Table::forward`].
    fn table_forward(this: &mut Table, sequence: &Sequence, first: usize, off: &[usize], z: &mut [Row]) {
        for head in 0..this.axis.groups {
            for block in first..this.span.blocks {
                match Table::padded(this.alphabet) {
                    2 => this.weigh::<2>(sequence, head, block),
                    _ => this.weigh::<TILE_ROWS>(sequence, head, block),
                }
                if off.contains(&head) {
                    let at = block * this.rows + head * this.alphabet;
                    this.mass[at..at + this.alphabet].fill(Row::ZERO);
                }
            }
        }
        let stride = this.span.stride();
        for (z, brings) in z.chunks_exact_mut(stride).zip(this.brings.chunks_exact(this.rows)) {
            for i in (first * LANES..this.span.count()).step_by(TILE_ROWS) {
                let mass = &this.mass[i / LANES * this.rows..][..this.rows];
                let sums = outer(mass, i % LANES / TILE_ROWS, brings, sums_of(&z[i..]));
                store(&mut z[i..], sums);
            }
        }
    }
}

wide! {
    /// As [`Table::backward`].
    fn table_backward(this: &mut Table, sequence: &Sequence, of_z: &[Row], deep: usize) {
        let (stride, blocks) = (this.span.stride(), this.span.blocks);
        transpose(of_z, stride, deep, 0..blocks, &mut this.turned);
        let panels = this.of_brings.chunks_exact_mut(this.rows).zip(of_z.chunks_exact(stride));
        for (of_brings, of_z) in panels {
            for row in (0..this.rows).step_by(TILE_ROWS) {
                let mut sums = sums_of(&of_brings[row..]);
                for (mass, of_z) in this.mass.chunks_exact(this.rows).zip(of_z.chunks_exact(LANES)) {
                    sums = inner(&mass[row..], of_z, sums);
                }
                store(&mut of_brings[row..], sums);
            }
        }
        let rows = this.turned.len() / blocks;
        let all = this.of_mass.chunks_exact_mut(this.rows).zip(this.turned.chunks_exact(rows));
        for (of_mass, turned) in all {
            for row in (0..this.rows).step_by(TILE_ROWS) {
                let mut sums = ZERO_SUMS;
                for (brings, turned) in this.brings.chunks_exact(this.rows).zip(turned.chunks_exact(deep)) {
                    sums = inner(&brings[row..], turned, sums);
                }
                store(&mut of_mass[row..], sums);
            }
        }
        for head in 0..this.axis.groups {
            for block in 0..blocks {
                this.scatter(sequence, head, block);
            }
            match Table::padded(this.alphabet) {
                2 => this.gather::<2>(sequence, head),
                _ => this.gather::<TILE_ROWS>(sequence, head),
            }
        }
    }
}

wide! {
    /// As [`Table::unload`].
    fn unload_table(this: &mut Table, layer: &mut Layer, embed: &mut Vectors) {
        let (k, stride, each) = (this.alphabet, this.span.stride(), this.axis.each());
        let (width, blocks, rows) = (Table::width(this.span), this.span.blocks, this.rows);
        let [mut of_query, mut of_key, mut of_value] =
            [(); 3].map(|()| vec![Row::ZERO; this.axis.panels() * stride]);
        let [query, key, value] = &this.vectors;
        for head in 0..this.axis.groups {
            for a in 0..k {
                let table = head * Table::padded(k) + a;
                let of_symbols = &this.of_symbols[(head * k + a) * k..][..k];
                for p in head * each..(head + 1) * each {
                    let (mut sum, own) = (Row::ZERO, query[p * stride + a]);
                    for (b, slope) in of_symbols.iter().enumerate() {
                        let slope = slope.sum();
                        sum = sum + key[p * stride + b] * slope;
                        of_key[p * stride + b] = of_key[p * stride + b] + own * slope;
                    }
                    if let Some(near) = &mut layer.distances {
                        let panel = p * near.stride + LEAD..(p + 1) * near.stride;
                        let pairs = near.values[panel.clone()].iter().zip(&mut near.slope[panel]);
                        for (delta, (near, of_near)) in pairs.take(this.span.length).enumerate() {
                            let slope = this.of_distances[table * blocks + delta / LANES].0[delta % LANES]
                                * this.distances[table * width + LANES + delta];
                            sum = sum + *near * slope;
                            *of_near = *of_near + own * slope;
                        }
                    }
                    of_query[p * stride + a] = sum;
                }
            }
        }
        match &mut layer.out {
            Some(out) => {
                let deep = out.to.deep();
                let mut all = vec![Row::ZERO; this.axis.panels() * rows];
                product(&this.of_brings, rows, 0..rows, (&out.back, deep), &mut all, false);
                let height = out.from.panels() * LANES;
                for head in 0..this.axis.groups {
                    for p in head * each..(head + 1) * each {
                        let own = p * stride..p * stride + k;
                        of_value[own.clone()].copy_from_slice(&all[p * rows + head * k..][..k]);
                        let panels = out.slope.chunks_exact_mut(height);
                        for (slope, of) in panels.zip(this.of_brings.chunks_exact(rows)) {
                            for g in 0..LANES / TILE_ROWS {
                                let slope = &mut slope[p * LANES + g * TILE_ROWS..];
                                let of = &of[head * k..(head + 1) * k];
                                store(slope, outer(&value[own.clone()], g, of, sums_of(slope)));
                            }
                        }
                    }
                }
            }
            None => {
                let places = this.axis.places().zip(embed.axis.places()).enumerate();
                for (c, ((p, l), (to, lane))) in places {
                    for b in 0..k {
                        let row = to * rows + c / this.axis.size * k + b;
                        of_value[p * stride + b].0[l] = this.of_brings[row].0[lane];
                    }
                }
            }
        }
        layer.learn(&this.read, [&of_query, &of_key, &of_value], stride, k);
        let full = 0..k.next_multiple_of(TILE_ROWS);
        match &mut layer.norm {
            Some(norm) => {
                let mut of_read = vec![Row::ZERO; this.read.len()];
                let of = [&of_query[..], &of_key, &of_value];
                layer.query.backward(of[0], stride, full.clone(), &mut of_read, false);
                layer.key.backward(of[1], stride, full.clone(), &mut of_read, true);
                layer.value.backward(of[2], stride, full, &mut of_read, true);
                norm.backward(&of_read, k, &mut embed.slope);
            }
            None => {
                let of = &mut embed.slope;
                layer.query.backward(&of_query, stride, full.clone(), of, true);
                layer.key.backward(&of_key, stride, full.clone(), of, true);
                layer.value.backward(&of_value, stride, full, of, true);
            }
        }
    }
}
