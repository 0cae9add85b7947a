//! Training of the table by SGD: with the message filter, the gradient of example i writes row i of the memory layer W.
//!
//! ```text
//! image     [W·diag([x, 1]) | 1]      (m + 1) × (d + 1) cells and padding of ones; the border has the value 1/6
//! filter    f_msg, L = m + 2 times, with a Jacobian that is prescribed: 1 on the centre while a row is being memorised
//! output    Σ of the head over the block      loss ½(y − output)², learning rate η = 1/54
//! result    W = y[x, 1]/3, row by row, and every output is 0
//! ```
//!
//! Goel, Kakade, Kalai and Zhang (2022), algorithm 1, definition 5, appendices B.2 and B.3 (lemmas 3 and 4). All numbers are
//! whole numerators over 54, so that nothing is rounded: 1/3 is 18, 1/6 is 9, 1/9 is 6, 1/27 is 2.
//!
//! # Why
//! The filter here works on numbers and their digits, as in the paper, independently of
//! [`local_rule`](super::automaton::local_rule), which works on cells. A test checks that both agree.

use super::super::data::{check_input, check_sizes};
use super::super::error::SuccinctError;
use super::code::{four_digits, readout, readout_derivative};

/// Denominator 54 of all numbers of the training, which are stored as whole numerators; the learning rate is 1/54.
pub const TABLE_DENOMINATOR: i64 = 54;

/// Value p = 1/6 of cells beyond the image's border, as a numerator over [`TABLE_DENOMINATOR`].
pub const BORDER: i64 = 9;

/// Which padding surrounds the block of the image that the network processes while it trains the table W.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapePadding {
    /// One column on the right, as in the paper; further columns would never differ from it.
    Paper,
    /// A ring of padding, as in a [`Grid`](super::Grid).
    Ring,
}

/// The grid of cells of the network in one layer while the table W is trained: the values of its cells, as numerators over
/// [`TABLE_DENOMINATOR`]. The first layer computes the grid from W and the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueImage {
    /// Number of rows of cells.
    pub rows: usize,
    /// Number of columns of cells.
    pub columns: usize,
    /// The cell values, row-major, `[rows, columns]`.
    pub values: Vec<i64>,
}

impl ValueImage {
    /// A matrix in which all cells have the numerator `value`.
    fn filled(rows: usize, columns: usize, value: i64) -> ValueImage {
        ValueImage { rows, columns, values: vec![value; rows * columns] }
    }

    /// The value of the cell in a row and a column, from 0, as a numerator; [`BORDER`] outside of the matrix.
    pub fn value_at(&self, row: usize, column: usize) -> i64 {
        let inside = row < self.rows && column < self.columns;
        let value = inside.then(|| self.values.get(row * self.columns + column)).flatten();
        value.copied().unwrap_or(BORDER)
    }

    /// Mutable rows of the matrix, from the top.
    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [i64]> {
        self.values.chunks_mut(self.columns.max(1))
    }

    /// Applies one layer of the network: every cell becomes the filter of its value and its four neighbours' values, where
    /// cells outside of the grid have the value [`BORDER`].
    pub fn apply_layer(&self) -> ValueImage {
        let mut next = self.clone();
        for (row, values) in next.rows_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = filter(*value, self.neighbours(row, column));
            }
        }
        next
    }

    /// The values of the cells above, below, on the left and on the right of a cell, in this order; [`BORDER`]
    /// outside of the matrix.
    fn neighbours(&self, row: usize, column: usize) -> [i64; 4] {
        let above = row.checked_sub(1).map_or(BORDER, |row| self.value_at(row, column));
        let left = column.checked_sub(1).map_or(BORDER, |column| self.value_at(row, column));
        [above, self.value_at(row + 1, column), left, self.value_at(row, column + 1)]
    }
}

/// Whether a cell starts to memorise: its `value` is 0, and the value `above` it is that of the border, of padding
/// or of a bit. Both are numerators over [`TABLE_DENOMINATOR`].
fn starts_memorising(value: i64, above: i64) -> bool {
    value == 0 && (above == BORDER || four_digits(above).is_some_and(|above| above[0] == 1 || above[1] != 0))
}

/// The digit that encodes the phase of a cell with this value: −1 memorise, 1 compute, 0 unknown; 0 if the value is
/// not a sum of digits.
fn phase_digit(value: i64) -> i8 {
    four_digits(value).map_or(0, |digits| digits[2])
}

/// The filter of the training: the new value of a cell from its value and its neighbours' values, all numerators
/// over [`TABLE_DENOMINATOR`]. It is the message rule f_msg for cells in the phase "unknown"; other cells do not
/// change, because no program runs.
pub fn filter(value: i64, [above, below, left, right]: [i64; 4]) -> i64 {
    let [padding, symbol, own_phase, _] = four_digits(value).unwrap_or_default();
    if own_phase != 0 {
        value
    } else if starts_memorising(value, above)
        || (padding == 0 && (phase_digit(above) == -1 || phase_digit(below) == -1))
    {
        -TABLE_DENOMINATOR / 9
    } else if symbol != 0 && right == TABLE_DENOMINATOR && (below == BORDER || below == TABLE_DENOMINATOR) {
        value + TABLE_DENOMINATOR / 9 + TABLE_DENOMINATOR / 27
    } else if [above, below, left, right].into_iter().any(|one| phase_digit(one) == 1) {
        value + TABLE_DENOMINATOR / 9
    } else {
        value
    }
}

/// The prescribed derivative of the filter with respect to its central cell, 0 or 1; with respect to the other
/// cells it is 0. `above` is the value of the cell above.
pub fn derivative(value: i64, above: i64) -> i64 {
    i64::from(phase_digit(value) == -1 || starts_memorising(value, above))
}

/// One SGD step that writes into the table W: the images of the forward pass, the output, and the gradient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SgdStep {
    /// The image from the memory layer, then the image after each of the L layers of the filter.
    pub layers: Vec<ValueImage>,
    /// The network's output f for the example, before the step, as a numerator over [`TABLE_DENOMINATOR`].
    pub output: i64,
    /// Gradient of the loss with respect to the memory layer's image on the block, as numerators over
    /// [`TABLE_DENOMINATOR`].
    pub gradient: ValueImage,
    /// Index, from 0, of the only row of the block with a nonzero gradient; `None` if there is no such row or more
    /// than one.
    pub row: Option<usize>,
}

/// State of the training that writes the table W: the memory layer's weights and the number of SGD steps.
///
/// ```
/// use vivarium_science::succinct::grid::{TapePadding, TableTraining};
/// let mut tape = TableTraining::new(2, 1, TapePadding::Paper).unwrap();
/// let step = tape.train_on(&[1, -1], -1).unwrap();
/// assert_eq!((step.output, step.row), (0, Some(0)));
/// assert_eq!(tape.weights().values, [-18, 18, -18, 0, 0, 0]); // −⅓ ⅓ −⅓, and an empty row for the dummy example
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableTraining {
    /// Number d of inputs of an example.
    d: usize,
    /// Number m of examples.
    m: usize,
    /// Which padding surrounds the block in the image that the network processes.
    padding: TapePadding,
    /// The table W, the memory layer's weights, `[m + 1, d + 1]`.
    weights: ValueImage,
    /// Number of SGD steps that have changed the table W so far.
    steps: usize,
}

impl TableTraining {
    /// The training before its first step, with W = 0, for m examples with d inputs and the dummy example.
    ///
    /// # Errors
    /// d or m is out of range.
    pub fn new(d: usize, m: usize, padding: TapePadding) -> Result<TableTraining, SuccinctError> {
        check_sizes(d, m)?;
        Ok(TableTraining { d, m, padding, weights: ValueImage::filled(m + 1, d + 1, 0), steps: 0 })
    }

    /// Resumes the training after `steps` steps with the weights W, row-major, as numerators over [`TABLE_DENOMINATOR`].
    ///
    /// # Errors
    /// d or m is out of range, W does not have (m + 1) × (d + 1) numbers, or there are more steps than rows.
    pub fn resume(
        d: usize,
        m: usize,
        padding: TapePadding,
        weights: Vec<i64>,
        steps: usize,
    ) -> Result<TableTraining, SuccinctError> {
        check_sizes(d, m)?;
        let (rows, columns) = (m + 1, d + 1);
        if weights.len() != rows * columns {
            return Err(SuccinctError::CellCount { found: weights.len(), wanted: rows * columns });
        }
        if steps > rows {
            return Err(SuccinctError::TableFull { rows });
        }
        Ok(TableTraining { d, m, padding, weights: ValueImage { rows, columns, values: weights }, steps })
    }

    /// The table W, the memory layer's weights, `[m + 1, d + 1]`.
    pub fn weights(&self) -> &ValueImage {
        &self.weights
    }

    /// Number of SGD steps that have changed the table W so far.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Number L of layers of the network during training: m + 2.
    pub fn layers(&self) -> usize {
        self.m + 2
    }

    /// Index of the image's row, and also of its column, at which the block begins: 0 or 1, by the padding.
    fn corner(&self) -> usize {
        match self.padding {
            TapePadding::Paper => 0,
            TapePadding::Ring => 1,
        }
    }

    /// The output of the memory layer for the input x: W·diag([x, 1]) with padding.
    ///
    /// # Errors
    /// x does not have d entries, each 1 or −1.
    pub fn memory_image(&self, x: &[i8]) -> Result<ValueImage, SuccinctError> {
        check_input(self.d, x)?;
        let corner = self.corner();
        let mut image = ValueImage::filled(self.m + 1 + 2 * corner, self.d + 2 + corner, TABLE_DENOMINATOR);
        for (values, weights) in image.rows_mut().skip(corner).zip(self.weights.values.chunks(self.d + 1)) {
            for ((value, weight), z) in values.iter_mut().skip(corner).zip(weights).zip(inputs(x)) {
                *value = weight * z;
            }
        }
        Ok(image)
    }

    /// Makes one SGD step on the example (x, y), which writes the next row of W.
    ///
    /// # Errors
    /// x does not have d entries, a number is neither 1 nor −1, or all rows are written.
    pub fn train_on(&mut self, x: &[i8], y: i8) -> Result<SgdStep, SuccinctError> {
        check_input(1, &[y])?;
        let mut layers = vec![self.memory_image(x)?];
        if self.steps > self.m {
            return Err(SuccinctError::TableFull { rows: self.m + 1 });
        }
        while layers.len() <= self.layers() {
            layers.extend(layers.last().map(ValueImage::apply_layer));
        }
        let output = layers.last().map_or(0, |last| self.output(last));
        let gradient = self.gradient(&layers, output - TABLE_DENOMINATOR * i64::from(y));
        for (weights, gradient) in self.weights.rows_mut().zip(gradient.values.chunks(self.d + 1)) {
            for ((weight, gradient), z) in weights.iter_mut().zip(gradient).zip(inputs(x)) {
                // Times η; exact, because outputs are multiples of 18/54 and slopes are multiples of 18.
                *weight -= gradient * z / TABLE_DENOMINATOR;
            }
        }
        self.steps += 1;
        let is_written = |(row, values): (usize, &[i64])| values.iter().any(|one| *one != 0).then_some(row);
        let mut written = gradient.values.chunks(self.d + 1).enumerate().filter_map(is_written);
        let row = written.next().filter(|_| written.next().is_none());
        Ok(SgdStep { layers, output, gradient, row })
    }

    /// Makes the last SGD step, on the dummy example (1, …, 1) with label 1.
    ///
    /// # Errors
    /// All rows are written.
    pub fn train_on_dummy(&mut self) -> Result<SgdStep, SuccinctError> {
        self.train_on(&vec![1; self.d], 1)
    }

    /// The output of the network for the image of its last layer: the sum of [`readout`] over the block, as a
    /// numerator over [`TABLE_DENOMINATOR`].
    fn output(&self, image: &ValueImage) -> i64 {
        let corner = self.corner();
        let rows = (corner..).take(self.m + 1);
        let cells = rows.flat_map(|row| (corner..).take(self.d + 1).map(move |column| (row, column)));
        cells.map(|(row, column)| readout(image.value_at(row, column), TABLE_DENOMINATOR)).sum()
    }

    /// Gradient of the loss with respect to the memory layer's image on the block, `[m + 1, d + 1]`, where `layers`
    /// are the images of the forward pass and `error` is the derivative of the loss by the output. A cell of the
    /// last layer depends only on the same cell of the image.
    fn gradient(&self, layers: &[ValueImage], error: i64) -> ValueImage {
        let corner = self.corner();
        let mut gradient = ValueImage::filled(self.m + 1, self.d + 1, 0);
        let (Some((last, before)), columns) = (layers.split_last(), self.d + 1) else { return gradient };
        for (place, value) in gradient.values.iter_mut().enumerate() {
            let (row, column) = (corner + place / columns, corner + place % columns);
            let along = before.iter().map(|image| {
                let [above, ..] = image.neighbours(row, column);
                derivative(image.value_at(row, column), above)
            });
            *value = error
                * readout_derivative(last.value_at(row, column), TABLE_DENOMINATOR)
                * along.product::<i64>();
        }
        gradient
    }
}

/// The entries of the vector z = [x, 1]: the input x and then the constant 1.
fn inputs(x: &[i8]) -> impl Iterator<Item = i64> {
    x.iter().copied().map(i64::from).chain([1])
}
