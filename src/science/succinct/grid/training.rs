//! SGD as a tape writer: with this automaton as its filter, the gradient writes example number i into row i of the memory layer.
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
//! The filter works on numbers and takes their digits apart, as the paper writes it, and knows nothing of
//! [`local_rule`](super::automaton::local_rule), which works on cells: a test holds the two together.

use super::super::data::{check_input, check_sizes};
use super::super::mistake::Mistake;
use super::code::{four_digits, readout, slope};

/// What all numbers of the training are numerators over, and 1 divided by the learning rate.
pub const UNIT: i64 = 54;

/// The value p = 1/6 outside of the image.
pub const BORDER: i64 = 9;

/// What surrounds the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// Padding on the right only, one column of it, as in the paper: further columns never differ from the first.
    Paper,
    /// A ring of padding, as a [`Grid`](super::Grid) has it.
    Ring,
}

/// An image; its values are numerators over [`UNIT`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The values, row by row.
    pub values: Vec<i64>,
}

impl Image {
    fn filled(rows: usize, columns: usize, value: i64) -> Image {
        Image { rows, columns, values: vec![value; rows * columns] }
    }

    /// A value; the border's outside of the image.
    pub fn at(&self, row: usize, column: usize) -> i64 {
        let inside = row < self.rows && column < self.columns;
        let value = inside.then(|| self.values.get(row * self.columns + column)).flatten();
        value.copied().unwrap_or(BORDER)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [i64]> {
        self.values.chunks_mut(self.columns.max(1))
    }

    /// The filter at every cell.
    pub fn layer(&self) -> Image {
        let mut next = self.clone();
        for (row, values) in next.rows_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = filter(*value, self.near(row, column));
            }
        }
        next
    }

    /// The values above, below, on the left and on the right.
    fn near(&self, row: usize, column: usize) -> [i64; 4] {
        let above = row.checked_sub(1).map_or(BORDER, |row| self.at(row, column));
        let left = column.checked_sub(1).map_or(BORDER, |column| self.at(row, column));
        [above, self.at(row + 1, column), left, self.at(row, column + 1)]
    }
}

/// Whether a cell begins to memorise: it is 0, and above is the border, padding or a bit.
fn begins(value: i64, above: i64) -> bool {
    value == 0 && (above == BORDER || four_digits(above).is_some_and(|above| above[0] == 1 || above[1] != 0))
}

/// The phase: −1, 0 or 1; 0 where the value has no digits.
fn phase(value: i64) -> i8 {
    four_digits(value).map_or(0, |digits| digits[2])
}

/// f_msg, and nothing where the phase is known: while examples are written, no program runs.
pub fn filter(value: i64, [above, below, left, right]: [i64; 4]) -> i64 {
    let [padding, symbol, own_phase, _] = four_digits(value).unwrap_or_default();
    if own_phase != 0 {
        value
    } else if begins(value, above) || (padding == 0 && (phase(above) == -1 || phase(below) == -1)) {
        -UNIT / 9
    } else if symbol != 0 && right == UNIT && (below == BORDER || below == UNIT) {
        value + UNIT / 9 + UNIT / 27
    } else if [above, below, left, right].into_iter().any(|one| phase(one) == 1) {
        value + UNIT / 9
    } else {
        value
    }
}

/// The prescribed derivative of the filter by its centre; by all other cells of its window it is 0.
pub fn derivative(value: i64, above: i64) -> i64 {
    i64::from(phase(value) == -1 || begins(value, above))
}

/// One step of SGD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The image, and what each of the L layers makes of it.
    pub layers: Vec<Image>,
    /// The output, a numerator over [`UNIT`].
    pub output: i64,
    /// ∂loss/∂image on the block, numerators over [`UNIT`].
    pub gradient: Image,
    /// The row of the block where the gradient is not 0, from 0; none where it is 0 everywhere or in more than one row.
    pub row: Option<usize>,
}

/// The memory layer W, and how many rows are written.
///
/// ```
/// use vivarium_science::succinct::grid::{Around, Tape};
/// let mut tape = Tape::new(2, 1, Around::Paper).unwrap();
/// let step = tape.write(&[1, -1], -1).unwrap();
/// assert_eq!((step.output, step.row), (0, Some(0)));
/// assert_eq!(tape.weights().values, [-18, 18, -18, 0, 0, 0]); // −⅓ ⅓ −⅓, and an empty row for the dummy sample
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tape {
    d: usize,
    m: usize,
    around: Around,
    weights: Image,
    steps: usize,
}

impl Tape {
    /// W = 0, for m examples of d inputs and the dummy sample.
    ///
    /// # Errors
    /// Where d or m is outside its range.
    pub fn new(d: usize, m: usize, around: Around) -> Result<Tape, Mistake> {
        check_sizes(d, m)?;
        Ok(Tape { d, m, around, weights: Image::filled(m + 1, d + 1, 0), steps: 0 })
    }

    /// The training that goes on from these numbers of W, row by row in units of 1/[`UNIT`], after so many steps.
    ///
    /// # Errors
    /// Where d or m is outside its range, where W has not (m + 1) × (d + 1) numbers, or where there are more steps than rows.
    pub fn of(d: usize, m: usize, around: Around, weights: Vec<i64>, steps: usize) -> Result<Tape, Mistake> {
        check_sizes(d, m)?;
        let (rows, columns) = (m + 1, d + 1);
        if weights.len() != rows * columns {
            return Err(Mistake::Cells { found: weights.len(), wanted: rows * columns });
        }
        if steps > rows {
            return Err(Mistake::Full { rows });
        }
        Ok(Tape { d, m, around, weights: Image { rows, columns, values: weights }, steps })
    }

    /// W, (m + 1) × (d + 1).
    pub fn weights(&self) -> &Image {
        &self.weights
    }

    /// Steps made.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Layers L of the network while it is trained, m + 2.
    pub fn layers(&self) -> usize {
        self.m + 2
    }

    /// Row and column of the image where the block begins.
    fn corner(&self) -> usize {
        match self.around {
            Around::Paper => 0,
            Around::Ring => 1,
        }
    }

    /// What the memory layer makes of an input.
    ///
    /// # Errors
    /// Where the input has not d entries, each 1 or −1.
    pub fn image(&self, x: &[i8]) -> Result<Image, Mistake> {
        check_input(self.d, x)?;
        let corner = self.corner();
        let mut image = Image::filled(self.m + 1 + 2 * corner, self.d + 2 + corner, UNIT);
        for (values, weights) in image.rows_mut().skip(corner).zip(self.weights.values.chunks(self.d + 1)) {
            for ((value, weight), z) in values.iter_mut().skip(corner).zip(weights).zip(inputs(x)) {
                *value = weight * z;
            }
        }
        Ok(image)
    }

    /// One step of SGD on an example.
    ///
    /// # Errors
    /// Where the example has not d inputs, where a number is neither 1 nor −1, or where all rows are written.
    pub fn write(&mut self, x: &[i8], y: i8) -> Result<Step, Mistake> {
        check_input(1, &[y])?;
        let mut layers = vec![self.image(x)?];
        if self.steps > self.m {
            return Err(Mistake::Full { rows: self.m + 1 });
        }
        while layers.len() <= self.layers() {
            layers.extend(layers.last().map(Image::layer));
        }
        let output = layers.last().map_or(0, |last| self.output(last));
        let gradient = self.gradient(&layers, output - UNIT * i64::from(y));
        for (weights, gradient) in self.weights.rows_mut().zip(gradient.values.chunks(self.d + 1)) {
            for ((weight, gradient), z) in weights.iter_mut().zip(gradient).zip(inputs(x)) {
                // Times η; exact, because outputs are multiples of 18/54 and slopes are multiples of 18.
                *weight -= gradient * z / UNIT;
            }
        }
        self.steps += 1;
        let is_written = |(row, values): (usize, &[i64])| values.iter().any(|one| *one != 0).then_some(row);
        let mut written = gradient.values.chunks(self.d + 1).enumerate().filter_map(is_written);
        let row = written.next().filter(|_| written.next().is_none());
        Ok(Step { layers, output, gradient, row })
    }

    /// The dummy sample (1, …, 1) with label 1, which comes last.
    ///
    /// # Errors
    /// Where all rows are written.
    pub fn write_dummy(&mut self) -> Result<Step, Mistake> {
        self.write(&vec![1; self.d], 1)
    }

    fn output(&self, image: &Image) -> i64 {
        let corner = self.corner();
        let rows = (corner..).take(self.m + 1);
        let cells = rows.flat_map(|row| (corner..).take(self.d + 1).map(move |column| (row, column)));
        cells.map(|(row, column)| readout(image.at(row, column), UNIT)).sum()
    }

    /// ∂loss/∂image where ∂loss/∂output is `error`: a cell of the last layer depends on the same cell of the image only.
    fn gradient(&self, layers: &[Image], error: i64) -> Image {
        let corner = self.corner();
        let mut gradient = Image::filled(self.m + 1, self.d + 1, 0);
        let (Some((last, before)), columns) = (layers.split_last(), self.d + 1) else { return gradient };
        for (place, value) in gradient.values.iter_mut().enumerate() {
            let (row, column) = (corner + place / columns, corner + place % columns);
            let along = before.iter().map(|image| {
                let [above, ..] = image.near(row, column);
                derivative(image.at(row, column), above)
            });
            *value = error * slope(last.at(row, column), UNIT) * along.product::<i64>();
        }
        gradient
    }
}

/// z = [x, 1].
fn inputs(x: &[i8]) -> impl Iterator<Item = i64> {
    x.iter().copied().map(i64::from).chain([1])
}
