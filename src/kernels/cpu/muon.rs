//! One step of Muon on a matrix in rows of lanes, as [`vivarium_model::optim::muon`] defines it.
//!
//! # Why
//! The iteration multiplies matrices, and [`Update`](super::one_hidden_layer::Update) changes each number by itself. A matrix `[rows, columns]` is iterated as `[short, long]`, so that the smaller of both products of the matrix with
//! itself is computed.

use std::cell::RefCell;

use vivarium_model::optim::muon::{NEWTON_SCHULZ_COEFFICIENTS, NORM_EPSILON};
use vivarium_model::optim::{Muon, UpdateRule};
use vivarium_operators::simd::{LANES, Panels, PanelsMut, Row, TILE_ROWS, multiply, panels, transpose};

/// Constants of one step of Muon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MuonStep {
    /// Learning rate η.
    pub rate: f32,
    /// Momentum μ.
    pub momentum: f32,
    /// 1 − ηλ.
    pub keep: f32,
    /// Newton–Schulz steps.
    pub iterations: usize,
}

thread_local! {
    /// Memory for the matrices of one update, which each thread keeps for the next.
    static WORKSPACE: RefCell<Vec<Row>> = const { RefCell::new(vec![]) };
}

/// Sizes of the matrix that is iterated.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// The smaller one of the number of rows and the number of columns.
    short: usize,
    /// Rows of a panel with `short` samples.
    stride: usize,
    /// Panels of the larger one of both numbers.
    long_panels: usize,
}

impl Sizes {
    fn of([rows, columns]: [usize; 2]) -> Self {
        let (short, long) = (rows.min(columns), rows.max(columns));
        Sizes { short, stride: short.next_multiple_of(LANES), long_panels: panels(long) }
    }

    /// Rows of the matrix `[panel of long][short]`.
    fn matrix(self) -> usize {
        self.long_panels * self.stride
    }

    /// Rows of its product with itself, `[panel of short][short]`.
    fn square(self) -> usize {
        panels(self.short) * self.stride
    }
}

impl MuonStep {
    /// The constants of `muon` at learning rate `lr`, which are the same at every step.
    pub fn new(muon: &Muon, lr: f64) -> Self {
        let [rate, _, keep, _] = muon.scalars(0, lr);
        MuonStep { rate, momentum: muon.momentum as f32, keep, iterations: muon.iterations }
    }

    /// Moves the matrix `w` against its gradient `g`; `sums` is the sum of gradients with momentum.
    ///
    /// # Shapes
    /// `w`, `g` and `sums` are `[rows, columns]`, one number after the other, the last row of lanes filled up with zeros.
    pub fn apply(&self, shape: [usize; 2], w: &mut [Row], g: &[Row], sums: &mut [Row]) {
        WORKSPACE.with_borrow_mut(|workspace| self.apply_in(shape, w, g, sums, workspace));
    }

    fn apply_in(
        &self,
        [rows, columns]: [usize; 2],
        w: &mut [Row],
        g: &[Row],
        sums: &mut [Row],
        workspace: &mut Vec<Row>,
    ) {
        let sizes = Sizes::of([rows, columns]);
        workspace.clear();
        workspace.resize(w.len() + 3 * sizes.matrix() + 2 * sizes.square(), Row::ZERO);
        let (update, rest) = workspace.split_at_mut(w.len());
        let mut squares = Row::ZERO;
        for ((sum, g), update) in sums.iter_mut().zip(g).zip(&mut *update) {
            *sum = *sum * self.momentum + *g;
            *update = *g + *sum * self.momentum;
            squares = squares + update.zip(*update, |a, b| a * b);
        }
        let norm = squares.sum().sqrt() + NORM_EPSILON as f32;
        // Where numbers of `[rows, columns]` lie in `[panel of long][short]`.
        let lane = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            let (short, long) = if rows > columns { (column, row) } else { (row, column) };
            (long / LANES * sizes.stride + short, long % LANES)
        };
        for at in 0..rows * columns {
            let (row, column) = lane(at);
            rest[row].0[column] = update[at / LANES].0[at % LANES] / norm;
        }
        orthogonalise(sizes, rest, self.iterations);
        for at in 0..rows * columns {
            let (row, column) = lane(at);
            update[at / LANES].0[at % LANES] = rest[row].0[column];
        }
        let rate = self.rate * Muon::update_scale(rows, columns) as f32;
        for (w, update) in w.iter_mut().zip(update) {
            *w = *w * self.keep - *update * rate;
        }
    }
}

/// Makes the singular values of the matrix at the beginning of `workspace` nearly 1.
fn orthogonalise(sizes: Sizes, workspace: &mut [Row], iterations: usize) {
    let [a, b, c] = NEWTON_SCHULZ_COEFFICIENTS.map(|factor| factor as f32);
    let Sizes { short, stride, long_panels } = sizes;
    let (x, rest) = workspace.split_at_mut(sizes.matrix());
    let (transposed, rest) = rest.split_at_mut(sizes.matrix());
    let (next, rest) = rest.split_at_mut(sizes.matrix());
    let (square, rest) = rest.split_at_mut(sizes.square());
    let factor = &mut rest[..sizes.square()];
    let (long, count) = (long_panels * LANES, short.next_multiple_of(TILE_ROWS));
    for _ in 0..iterations {
        transpose(x, stride, LANES, 0..stride / LANES, transposed);
        let (of_x, of_transposed) = (Panels::new(x, stride), Panels::new(transposed, long));
        multiply(of_x, of_transposed, long, &mut PanelsMut::new(square, stride), count, false);
        let of_square = Panels::new(square, stride);
        multiply(of_square, of_square, short, &mut PanelsMut::new(factor, stride), count, false);
        for (factor, square) in factor.iter_mut().zip(&*square) {
            *factor = square.zip(*factor, |square, product| square * b + product * c);
        }
        multiply(Panels::new(factor, stride), of_x, short, &mut PanelsMut::new(next, stride), count, false);
        for (x, next) in x.iter_mut().zip(&*next) {
            *x = x.zip(*next, |x, next| x * a + next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The iteration in double precision, of a matrix `[rows, columns]`.
    fn iterated(x: &[f64], [rows, columns]: [usize; 2], iterations: usize) -> Vec<f64> {
        let [a, b, c] = NEWTON_SCHULZ_COEFFICIENTS;
        let product = |x: &[f64], y: &[f64], [rows, inner, columns]: [usize; 3]| -> Vec<f64> {
            let entry = |at: usize| {
                (0..inner).map(|k| x[at / columns * inner + k] * y[k * columns + at % columns]).sum()
            };
            (0..rows * columns).map(entry).collect()
        };
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt() + NORM_EPSILON;
        let mut x: Vec<f64> = x.iter().map(|x| x / norm).collect();
        for _ in 0..iterations {
            let transposed: Vec<f64> =
                (0..rows * columns).map(|at| x[at % rows * columns + at / rows]).collect();
            let square = product(&x, &transposed, [rows, columns, rows]);
            let fourth = product(&square, &square, [rows; 3]);
            let factor: Vec<f64> = square.iter().zip(&fourth).map(|(s, f)| b * s + c * f).collect();
            let more = product(&factor, &x, [rows, rows, columns]);
            x = x.iter().zip(&more).map(|(x, more)| a * x + more).collect();
        }
        x
    }

    fn flat(numbers: &[f64]) -> Vec<Row> {
        let row = |chunk: &[f64]| {
            let mut row = Row::ZERO;
            row.0.iter_mut().zip(chunk).for_each(|(lane, x)| *lane = *x as f32);
            row
        };
        numbers.chunks(LANES).map(row).collect()
    }

    #[test]
    fn steps_agree_with_double_precision_for_every_shape() {
        for shape in [[2, 3], [3, 2], [5, 5], [16, 16], [17, 40], [40, 17], [33, 33], [2, 64]] {
            let [rows, columns] = shape;
            let number = |at: usize, seed: f64| libm::sin(seed + 1.7 * (at * at) as f64);
            let numbers =
                |seed: f64| -> Vec<f64> { (0..rows * columns).map(|at| number(at, seed)).collect() };
            let muon = Muon { decay: 0.3, ..Muon::default() };
            let (mut exact, mut exact_sums) = (numbers(0.4), vec![0.0; rows * columns]);
            let (mut w, mut sums) = (flat(&exact), flat(&exact_sums));
            for step in 0..3 {
                let gradient = numbers(2.0 + f64::from(step));
                MuonStep::new(&muon, 0.1).apply(shape, &mut w, &flat(&gradient), &mut sums);
                for (sum, g) in exact_sums.iter_mut().zip(&gradient) {
                    *sum = muon.momentum * *sum + g;
                }
                let update: Vec<f64> =
                    exact_sums.iter().zip(&gradient).map(|(sum, g)| g + muon.momentum * sum).collect();
                let update = iterated(&update, shape, muon.iterations);
                for (w, update) in exact.iter_mut().zip(&update) {
                    *w = *w * (1.0 - 0.1 * muon.decay) - 0.1 * Muon::update_scale(rows, columns) * update;
                }
                for (at, exact) in exact.iter().enumerate() {
                    let found = w[at / LANES].0[at % LANES];
                    // The iteration enlarges roundings of small singular values up to 3.4445⁵ = 485 times.
                    assert!(
                        (f64::from(found) - exact).abs() < 3e-4,
                        "{shape:?}, step {step}: {found} {exact}"
                    );
                }
            }
        }
    }
}
