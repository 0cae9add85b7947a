//! Causal attention of one head over one sequence, forward and backward.
//!
//! # Shapes
//! Queries, keys, values and outputs are `[panel][position]` with the head's components in the lanes. Scores and
//! shares lie by blocks of [`LANES`] positions that look, which are the lanes, with a row for each position that is
//! looked at: [`Cells`]. So the softmax needs no sum across lanes, and every product of the backward pass takes its
//! factors from a row of theirs.

use super::axis::Axis;
use super::products::{TILE_ROWS, ZERO_SUMS, add, add_each, four, inner, outer, store, sums_of, transpose};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::exp;
use vivarium_operators::simd::{row_by_row, wide};

/// Rows of zeros before each block.
const PAD: usize = LANES;
/// Rows of zeros before the vectors of distances.
pub const LEAD: usize = TILE_ROWS - 1;

/// Positions of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Symbols t.
    pub length: usize,
    /// Blocks of positions.
    pub blocks: usize,
}

impl Span {
    /// Of `length` symbols.
    pub fn new(length: usize) -> Self {
        Span { length, blocks: length.div_ceil(LANES) }
    }

    /// Rows that activations of one panel take.
    pub fn stride(self) -> usize {
        self.blocks * LANES
    }

    /// Positions in full tiles.
    pub fn count(self) -> usize {
        self.length.next_multiple_of(TILE_ROWS)
    }
}

/// Numbers for pairs of positions, of which the first looks at the second, which is not later.
#[derive(Debug, Clone)]
pub struct Cells(Vec<Row>);

impl Cells {
    /// Zeros.
    pub fn new(span: Span) -> Self {
        Cells(vec![Row::ZERO; Cells::start(span.blocks)])
    }

    /// The first row of a block, which is of zeros.
    #[inline(always)]
    fn start(block: usize) -> usize {
        block * PAD + LANES * block * (block + 1) / 2
    }

    /// A block's row for each position that is looked at.
    #[inline(always)]
    fn block(&self, block: usize) -> &[Row] {
        &self.0[Cells::start(block) + PAD..Cells::start(block + 1)]
    }

    /// The same.
    #[inline(always)]
    fn block_mut(&mut self, block: usize) -> &mut [Row] {
        &mut self.0[Cells::start(block) + PAD..Cells::start(block + 1)]
    }

    /// What stands for the pair of the positions `from` and `to`.
    #[inline(always)]
    pub fn at(&self, from: usize, to: usize) -> f32 {
        self.block(from / LANES)[to].0[from % LANES]
    }
}

/// Vectors for distances, as the head of a layer reads them.
#[derive(Debug, Clone, Copy)]
pub struct Distances<'a> {
    /// `[panel][LEAD + distance]`, the first rows of zeros.
    pub rows: &'a [Row],
    /// Rows of a panel.
    pub stride: usize,
    /// `[component][LANES + distance]`, the first numbers zeros.
    pub turned: &'a [f32],
    /// Numbers of a component.
    pub width: usize,
}

/// How scores become weights of the positions that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighing {
    /// Softmax.
    Softmax,
    /// The larger of a score and 0, divided by the number of positions so far.
    Relu,
}

/// One head on one sequence.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// What becomes of its scores.
    pub weighing: Weighing,
    /// Its components.
    pub axis: Axis,
    /// The sequence.
    pub span: Span,
    /// Queries, divided by √d_head.
    pub query: &'a [Row],
    /// Keys.
    pub key: &'a [Row],
    /// Values.
    pub value: &'a [Row],
    /// Relative positions.
    pub distances: Option<Distances<'a>>,
}

/// Memory for one head.
#[derive(Debug, Clone)]
pub struct Spare {
    turned: Vec<Row>,
    slopes: Cells,
}

impl Spare {
    /// For heads of that many components.
    pub fn new(axis: Axis, span: Span) -> Self {
        Spare { turned: vec![Row::ZERO; axis.rows() * span.blocks], slopes: Cells::new(span) }
    }
}

/// What the slopes of a head's output make.
pub struct Slopes<'a> {
    /// Of the outputs.
    pub out: &'a [Row],
    /// Of queries.
    pub query: &'a mut [Row],
    /// Of keys.
    pub key: &'a mut [Row],
    /// Of values.
    pub value: &'a mut [Row],
    /// Of the vectors for distances, to which is added.
    pub distances: Option<&'a mut [Row]>,
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

impl Head<'_> {
    /// Shares of attention of the positions from block `first` on, and what they bring.
    pub fn forward(&self, first: usize, shares: &mut Cells, spare: &mut Spare, out: &mut [Row]) {
        head_forward(self, first, shares, spare, out);
    }

    /// Tiles of positions in a block.
    #[inline(always)]
    fn tiles(&self, block: usize) -> usize {
        ((self.span.count() - block * LANES) / TILE_ROWS).min(LANES / TILE_ROWS)
    }

    #[inline(always)]
    fn scores(&self, query: &[Row], cells: &mut [Row]) {
        let (stride, deep) = (self.span.stride(), self.axis.deep());
        for j in (0..cells.len()).step_by(TILE_ROWS) {
            let mut sums = ZERO_SUMS;
            for (key, query) in self.key.chunks_exact(stride).zip(query.chunks_exact(deep)) {
                sums = inner(&key[j..], query, sums);
            }
            store(&mut cells[j..], sums);
        }
    }

    /// The same with vectors for distances added to the keys.
    #[inline(always)]
    fn relative_scores(&self, block: usize, query: &[Row], distances: Distances, cells: &mut [Row]) {
        let (stride, deep) = (self.span.stride(), self.axis.deep());
        let Distances { turned, width, .. } = distances;
        for j in (0..cells.len()).step_by(TILE_ROWS) {
            let mut sums = ZERO_SUMS;
            // The distance of the first lane to the last of the four.
            let at = LANES + block * LANES - j - (TILE_ROWS - 1);
            let panels = self.key.chunks_exact(stride).zip(query.chunks_exact(deep));
            for ((key, query), turned) in panels.zip(turned.chunks_exact(deep * width)) {
                let Some(key) = key[j..].first_chunk::<TILE_ROWS>() else { continue };
                for (l, (query, turned)) in (0..LANES).zip(query.iter().zip(turned.chunks_exact(width))) {
                    let Some(near) = turned[at..].first_chunk::<{ LANES + TILE_ROWS - 1 }>() else {
                        continue;
                    };
                    let row = |r: usize, key: f32| -> [f32; LANES] {
                        std::array::from_fn(|i| near[i + TILE_ROWS - 1 - r] + key)
                    };
                    let more = |sum: [f32; LANES], key: [f32; LANES]| -> [f32; LANES] {
                        std::array::from_fn(|i| sum[i] + key[i] * query.0[i])
                    };
                    let [a, b, c, d] = sums;
                    sums = [
                        more(a, row(0, key[0].0[l])),
                        more(b, row(1, key[1].0[l])),
                        more(c, row(2, key[2].0[l])),
                        more(d, row(3, key[3].0[l])),
                    ];
                }
            }
            store(&mut cells[j..], sums);
        }
    }

    /// Backward through the head.
    pub fn backward(&self, shares: &Cells, spare: &mut Spare, slopes: Slopes) {
        head_backward(self, shares, spare, slopes);
    }

    /// Adds Σ_i slope(i, i − δ) q_i to row δ of `of`.
    #[inline(always)]
    fn learn_distances(&self, of_cells: &Cells, query: &[Row], of: &mut [Row]) {
        for delta in (0..self.span.count()).step_by(TILE_ROWS) {
            let mut sums = sums_of(&of[delta..]);
            for block in delta / LANES..self.span.blocks {
                let start = Cells::start(block) + PAD + block * LANES - delta - (TILE_ROWS - 1);
                let Some(cells) = of_cells.0[start..].first_chunk::<{ LANES + TILE_ROWS - 1 }>() else {
                    continue;
                };
                for (l, query) in (0..LANES).zip(&query[block * LANES..]) {
                    let factors = std::array::from_fn(|r| cells[l + TILE_ROWS - 1 - r].0[l]);
                    sums = add(sums, query, factors);
                }
            }
            store(&mut of[delta..], sums);
        }
    }
}

/// Turns the scores of a block into shares.
#[inline(always)]
fn softmax(cells: &mut [Row], block: usize) {
    for (own, cells) in cells[block * LANES..].iter_mut().enumerate() {
        for lane in &mut cells.0[..own] {
            *lane = f32::NEG_INFINITY;
        }
    }
    let mut top = Row([f32::NEG_INFINITY; LANES]);
    for row in &*cells {
        row_by_row();
        top = top.zip(*row, larger);
    }
    let mut total = Row::ZERO;
    for row in cells.iter_mut() {
        row_by_row();
        *row = exp(*row - top);
        total = total + *row;
    }
    let scale = total.map(|total| 1.0 / total);
    for row in cells {
        row_by_row();
        *row = row.zip(scale, |e, scale| e * scale);
    }
}

/// One divided by the number of positions so far, of a block's positions.
#[inline(always)]
fn shares_so_far(block: usize) -> Row {
    Row(std::array::from_fn(|l| 1.0 / (block * LANES + l + 1) as f32))
}

/// Turns the scores of a block into what ReLU leaves of them, divided by the number of positions so far.
#[inline(always)]
fn rectify(cells: &mut [Row], block: usize) {
    for (own, cells) in cells[block * LANES..].iter_mut().enumerate() {
        cells.0[..own].fill(0.0);
    }
    let scale = shares_so_far(block);
    for row in cells {
        row_by_row();
        // What is no number stays none.
        *row = row.zip(scale, |x, scale| if x > 0.0 { x * scale } else { x * 0.0 });
    }
}

wide! {
    /// As [`Head::forward`].
    fn head_forward(this: &Head, first: usize, shares: &mut Cells, spare: &mut Spare, out: &mut [Row]) {
        let (stride, deep) = (this.span.stride(), this.axis.deep());
        let rows = this.axis.rows();
        transpose(this.query, stride, deep, first..this.span.blocks, &mut spare.turned);
        for block in first..this.span.blocks {
            let query = &spare.turned[block * rows..(block + 1) * rows];
            let cells = shares.block_mut(block);
            match this.distances {
                Some(distances) => this.relative_scores(block, query, distances, cells),
                None => this.scores(query, cells),
            }
            match this.weighing {
                Weighing::Softmax => softmax(cells, block),
                Weighing::Relu => rectify(cells, block),
            }
            for (out, value) in out.chunks_exact_mut(stride).zip(this.value.chunks_exact(stride)) {
                for g in 0..this.tiles(block) {
                    let seen = block * LANES + (g + 1) * TILE_ROWS;
                    let sums = outer(&cells[..seen], g, &value[..seen], ZERO_SUMS);
                    store(&mut out[block * LANES + g * TILE_ROWS..], sums);
                }
            }
        }
    }
}

wide! {
    /// As [`Head::backward`].
    fn head_backward(this: &Head, shares: &Cells, spare: &mut Spare, slopes: Slopes) {
        let (stride, deep) = (this.span.stride(), this.axis.deep());
        let (rows, blocks) = (this.axis.rows(), this.span.blocks);
        transpose(slopes.out, stride, deep, 0..blocks, &mut spare.turned);
        for block in 0..blocks {
            let (of_out, cells) = (&spare.turned[block * rows..(block + 1) * rows], shares.block(block));
            let of_cells = spare.slopes.block_mut(block);
            let mut mean = Row::ZERO;
            for j in (0..cells.len()).step_by(TILE_ROWS) {
                let mut sums = ZERO_SUMS;
                for (value, of_out) in this.value.chunks_exact(stride).zip(of_out.chunks_exact(deep)) {
                    sums = inner(&value[j..], of_out, sums);
                }
                for (share, sum) in cells[j..].iter().zip(sums) {
                    row_by_row();
                    mean = mean + share.zip(Row(sum), |a, b| a * b);
                }
                store(&mut of_cells[j..], sums);
            }
            let scale = shares_so_far(block);
            for (slope, share) in of_cells.iter_mut().zip(cells) {
                row_by_row();
                *slope = match this.weighing {
                    Weighing::Softmax => (*slope - mean).zip(*share, |a, b| a * b),
                    Weighing::Relu => {
                        let scaled = slope.zip(scale, |slope, scale| slope * scale);
                        scaled.zip(*share, |slope, share| if share > 0.0 { slope } else { 0.0 })
                    }
                };
            }
        }
        let of_cells = &spare.slopes;
        let panels = slopes.query.chunks_exact_mut(stride).zip(slopes.key.chunks_exact_mut(stride));
        let panels = panels.zip(slopes.value.chunks_exact_mut(stride)).enumerate();
        for (p, ((of_query, of_key), of_value)) in panels {
            let panel = p * stride..(p + 1) * stride;
            let (query, key) = (&this.query[panel.clone()], &this.key[panel.clone()]);
            let out = &slopes.out[panel];
            for j in (0..this.span.count()).step_by(TILE_ROWS) {
                let (mut keys, mut values) = (ZERO_SUMS, ZERO_SUMS);
                for block in j / LANES..blocks {
                    let looks = block * LANES..(block + 1) * LANES;
                    keys = inner(&of_cells.block(block)[j..], &query[looks.clone()], keys);
                    values = inner(&shares.block(block)[j..], &out[looks], values);
                }
                store(&mut of_key[j..], keys);
                store(&mut of_value[j..], values);
            }
            let near = this.distances.map(|d| &d.rows[p * d.stride..(p + 1) * d.stride]);
            for block in 0..blocks {
                for g in 0..this.tiles(block) {
                    let i = block * LANES + g * TILE_ROWS;
                    let seen = &of_cells.block(block)[..i + TILE_ROWS];
                    let mut sums = outer(seen, g, &key[..i + TILE_ROWS], ZERO_SUMS);
                    if let Some(near) = near {
                        // The distances to the first position, then to the next.
                        for (slope, near) in seen.iter().zip(near[..i + 2 * TILE_ROWS - 1].windows(TILE_ROWS).rev()) {
                            let Some(near) = near.first_chunk::<TILE_ROWS>() else { continue };
                            sums = add_each(sums, near, four(slope, g));
                        }
                    }
                    store(&mut of_query[i..], sums);
                }
            }
        }
        let (Some(distances), Some(of)) = (this.distances, slopes.distances) else { return };
        for (of, query) in of.chunks_exact_mut(distances.stride).zip(this.query.chunks_exact(stride)) {
            this.learn_distances(of_cells, query, &mut of[LEAD..]);
        }
    }
}
