//! Parts of a block of attention and an MLP: linear maps and layer norms as they lie in its parameters, and its heads.

use crate::cpu::dense::{Columns, Linear, Panels, PanelsMut, multiply, panels};
use crate::cpu::one_hidden_layer::{LANES, Row};
use crate::cpu::sequence_net::axis::Axis;
use crate::cpu::sequence_net::norm::Norm;
use vivarium_operators::pointwise;
use vivarium_operators::simd::{row_by_row, wide};

/// Multiplies `count` rows of each panel by others.
pub fn multiply_panels(numbers: &mut [Row], by: &[Row], stride: usize, count: usize) {
    for (numbers, by) in numbers.chunks_exact_mut(stride).zip(by.chunks_exact(stride)) {
        pointwise::backward_simd(&by[..count], &mut numbers[..count]);
    }
}

wide! {
    /// Adds one row to each.
    pub fn add_to_each(numbers: &mut [Row], row: Row) {
        for number in numbers.iter_mut() {
            row_by_row();
            *number = *number + row;
        }
    }
}

/// The sum of rows, one after the other.
pub fn sum_of(rows: &[Row]) -> Row {
    rows.iter().fold(Row::ZERO, |sum, row| sum + *row)
}

/// A linear map whose bias is a row of a parameter, or nothing.
pub struct Mapping {
    /// The map.
    pub linear: Linear,
    columns: Columns,
    /// Place of its matrix.
    at: usize,
    /// Place and row of its bias.
    bias: Option<(usize, usize)>,
    /// Zeros where a map expects a bias.
    zeros: Vec<Row>,
}

impl Mapping {
    /// A map between so many numbers, with the places of its matrix and bias.
    pub fn new(inputs: usize, outputs: usize, at: usize, bias: Option<(usize, usize)>) -> Self {
        let (linear, columns) = (Linear::new(inputs, outputs), Columns::plain(outputs));
        Mapping { linear, columns, at, bias, zeros: vec![Row::ZERO; panels(outputs)] }
    }

    /// Takes the parameters and forgets the gradient.
    pub fn load(&mut self, weights: &[Vec<Row>]) {
        self.linear.load(&weights[self.at], &self.zeros);
        if let Some((which, row)) = self.bias {
            let mut bias = PanelsMut::new(&mut self.linear.bias, 1);
            self.columns.pack(&weights[which], row..row + 1, 1.0, &mut bias, 0);
        }
    }

    /// Writes the gradient as the parameters lie.
    pub fn unload(&mut self, gradient: &mut [Vec<Row>]) {
        self.linear.unload(&mut gradient[self.at], &mut self.zeros);
        self.zeros.fill(Row::ZERO);
        if let Some((which, row)) = self.bias {
            let slope = Panels::new(self.linear.bias_slope(), 1);
            self.columns.unpack(slope, 0, row..row + 1, 1.0, &mut gradient[which]);
        }
    }
}

/// A layer norm whose gains and shifts are rows of parameters.
pub struct LayerNorm {
    norm: Norm,
    columns: Columns,
    shift: Vec<Row>,
    shift_slope: Vec<Row>,
    stride: usize,
    /// Places of gains and shifts.
    at: [usize; 2],
    /// Their row.
    row: usize,
}

impl LayerNorm {
    /// Of up to `stride` vectors of `size` numbers, with the places of gains and shifts, and their row.
    pub fn new(size: usize, stride: usize, at: [usize; 2], row: usize) -> Self {
        let shift = vec![Row::ZERO; panels(size)];
        let norm = Norm::new(Axis::plain(size), stride, true);
        LayerNorm { norm, columns: Columns::plain(size), shift_slope: shift.clone(), shift, stride, at, row }
    }

    /// Takes the parameters and forgets the gradient.
    pub fn load(&mut self, weights: &[Vec<Row>]) {
        let (rows, [gains, shifts]) = (self.row..self.row + 1, self.at);
        let mut gain = PanelsMut::new(&mut self.norm.gain.values, 1);
        self.columns.pack(&weights[gains], rows.clone(), 1.0, &mut gain, 0);
        self.columns.pack(&weights[shifts], rows, 1.0, &mut PanelsMut::new(&mut self.shift, 1), 0);
        self.norm.gain.slope.fill(Row::ZERO);
        self.shift_slope.fill(Row::ZERO);
    }

    /// The norm of the first `count` vectors, `[panel][vector]`.
    pub fn forward(&mut self, z: &[Row], count: usize, out: &mut [Row]) {
        self.norm.forward(z, 0, count, out);
        for (out, shift) in out.chunks_exact_mut(self.stride).zip(&self.shift) {
            add_to_each(&mut out[..count], *shift);
        }
    }

    /// Adds the slopes in z to `of_z`, given those in the result of the last [`LayerNorm::forward`].
    pub fn backward(&mut self, d: &[Row], count: usize, of_z: &mut [Row]) {
        for (d, slope) in d.chunks_exact(self.stride).zip(&mut self.shift_slope) {
            *slope = *slope + sum_of(&d[..count]);
        }
        self.norm.backward(d, count, of_z);
    }

    /// Writes the gradient as the parameters lie.
    pub fn unload(&self, gradient: &mut [Vec<Row>]) {
        let (rows, [gains, shifts]) = (self.row..self.row + 1, self.at);
        let gain = Panels::new(&self.norm.gain.slope, 1);
        self.columns.unpack(gain, 0, rows.clone(), 1.0, &mut gradient[gains]);
        self.columns.unpack(Panels::new(&self.shift_slope, 1), 0, rows, 1.0, &mut gradient[shifts]);
    }
}

/// Heads whose columns lie side by side.
pub struct Heads {
    /// How many there are.
    pub count: usize,
    /// Columns of all of them.
    pub across: usize,
    /// 1 where a column is one of a head: `[panel of columns][head]`.
    spread: Vec<Row>,
    /// The same, `[panel of heads][column]`.
    gather: Vec<Row>,
}

impl Heads {
    /// Heads of `size` columns.
    pub fn new(count: usize, size: usize) -> Self {
        let across = count * size;
        let [few, many] = [count, across].map(|numbers| numbers.next_multiple_of(LANES));
        let mut spread = vec![Row::ZERO; panels(across) * few];
        let mut gather = vec![Row::ZERO; panels(count) * many];
        for column in 0..across {
            let head = column / size;
            spread[column / LANES * few + head].0[column % LANES] = 1.0;
            gather[head / LANES * many + column].0[head % LANES] = 1.0;
        }
        Heads { count, across, spread, gather }
    }

    /// The number of its head for every column, of `count` samples in full tiles.
    pub fn spread(&self, x: Panels<'_>, out: &mut PanelsMut<'_>, count: usize) {
        let stride = self.count.next_multiple_of(LANES);
        multiply(x, Panels::new(&self.spread, stride), self.count, out, count, false);
    }

    /// The sum over the columns of every head, instead of what is in `out` or on top of it.
    pub fn gather(&self, x: Panels<'_>, out: &mut PanelsMut<'_>, count: usize, adds: bool) {
        let stride = self.across.next_multiple_of(LANES);
        multiply(x, Panels::new(&self.gather, stride), self.across, out, count, adds);
    }
}
