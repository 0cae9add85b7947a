//! The two convex programs of the theory, by one interior-point method.
//!
//! Both are `minimise Σ_r x_r + φ(A x) over x ≥ 0`, with `A` of shape `[rows, columns]` and a convex φ of the
//! products `y = A x`; what sets them apart is how φ ties its slopes `q = −φ'(y)` to the products.
//!
//! # Why
//!
//! A primal-dual method keeps `q` as unknowns of their own and linearises `log q` instead of `q`. The loss falls
//! like `e^{−y}`, so that Newton's method on `x` alone would move `y` by about 1 a step, and from the wrong side
//! not at all; this one takes some twenty steps for a penalty of 1e-2 as for one of 1e-12.

use vivarium_core::math::{add_scaled, dot};

/// What is asked of the products `A x`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Term<'a> {
    /// Each product is at least 1. With `Σ x` to minimise, this is the matrix game of value `1 / Σ x`.
    AtLeastOne,
    /// φ(y) = log(1 + Σ_c sizes_c e^{−y_c}) / penalty.
    CrossEntropy {
        /// How many wrong answers share a row.
        sizes: &'a [f64],
        /// The price of a unit of `Σ x`; below 1.
        penalty: f64,
    },
}

/// A point, its multipliers, and how far they are from the conditions of an optimum.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// The unknowns, above zero by a rounding error where they should be zero.
    pub x: Vec<f64>,
    /// Multipliers of the rows: `Aᵀ q ≤ 1` with equality where x > 0.
    pub q: Vec<f64>,
    /// The largest violation of the Karush–Kuhn–Tucker conditions, relative to the numbers in them.
    pub residual: f64,
}

/// More steps than any program here has needed, several times over.
const STEPS: usize = 200;

/// A violation that rounding errors explain: from here on, a few steps that gain nothing are the end.
const ENOUGH: f64 = 1e-10;

/// Solves a program with `rows` of shape `[products, columns]`, all entries ≥ 0, no row and no column zero.
///
/// The residual of the solution says how well; the caller decides whether that is enough.
#[cfg(test)]
pub(super) fn solve(rows: &[f64], columns: usize, term: Term) -> Solution {
    let loss = match term {
        Term::AtLeastOne => None,
        Term::CrossEntropy { sizes, penalty } => Some((sizes.to_vec(), penalty)),
    };
    let mut solver = Solver::new(rows.to_vec(), columns, loss);
    loop {
        if let Some(solution) = solver.advance(STEPS) {
            return solution;
        }
    }
}

/// A program on its way to its solution, a few steps at a time.
#[derive(Debug, Clone)]
pub(super) struct Solver {
    rows: Vec<f64>,
    columns: usize,
    /// Sizes and penalty of [`Term::CrossEntropy`]; none for [`Term::AtLeastOne`].
    loss: Option<(Vec<f64>, f64)>,
    /// x, z, q and the slacks of [`State`].
    point: [Vec<f64>; 4],
    best: Solution,
    centring: f64,
    idle: usize,
    made: usize,
}

impl Solver {
    /// At the start of the program with these `rows` of shape `[products, columns]`, all entries ≥ 0, no row and no
    /// column zero.
    pub fn new(rows: Vec<f64>, columns: usize, loss: Option<(Vec<f64>, f64)>) -> Self {
        let best = Solution { x: vec![], q: vec![], residual: f64::INFINITY };
        let mut solver =
            Solver { rows, columns, loss, point: Default::default(), best, centring: 0.1, idle: 0, made: 0 };
        let State { x, z, q, slack, .. } = State::start(&solver.rows, columns, solver.term());
        solver.point = [x, z, q, slack];
        solver.best = solver.with_state(|state| state.solution());
        solver
    }

    fn term(&self) -> Term<'_> {
        match &self.loss {
            None => Term::AtLeastOne,
            Some((sizes, penalty)) => Term::CrossEntropy { sizes, penalty: *penalty },
        }
    }

    fn with_state<T>(&mut self, of: impl FnOnce(&mut State) -> T) -> T {
        let [x, z, q, slack] = std::mem::take(&mut self.point);
        let mut state = State { rows: &self.rows, columns: self.columns, term: self.term(), x, z, q, slack };
        let result = of(&mut state);
        let State { x, z, q, slack, .. } = state;
        self.point = [x, z, q, slack];
        result
    }

    /// Goes on by at most so many steps; the solution comes with the last one. The residual of it says how good it is;
    /// the caller decides whether that is enough.
    pub fn advance(&mut self, steps: usize) -> Option<Solution> {
        for _ in 0..steps {
            if self.made == STEPS || self.step() {
                return Some(self.best.clone());
            }
        }
        None
    }

    /// Makes a step; whether it was the last one.
    fn step(&mut self) -> bool {
        self.made += 1;
        let centring = self.centring;
        let (length, now) = self.with_state(|state| (state.step(centring), state.solution()));
        if !now.residual.is_finite() {
            return true;
        }
        // A blocked step means a point too near to the edge: first back to the middle.
        self.centring = if length > 0.9 {
            0.03
        } else if length > 0.5 {
            0.2
        } else {
            0.6
        };
        self.idle = if now.residual < 0.5 * self.best.residual { 0 } else { self.idle + 1 };
        if now.residual <= self.best.residual {
            self.best = now;
        }
        self.best.residual < ENOUGH && self.idle >= 3
    }
}

/// The unknowns along the way.
struct State<'a> {
    rows: &'a [f64],
    columns: usize,
    term: Term<'a>,
    /// Unknowns and the multipliers of x ≥ 0.
    x: Vec<f64>,
    z: Vec<f64>,
    /// Multipliers of the rows, and the slacks `y = A x − 1` of the linear term.
    q: Vec<f64>,
    slack: Vec<f64>,
}

impl<'a> State<'a> {
    fn start(rows: &'a [f64], columns: usize, term: Term<'a>) -> Self {
        let count = rows.len() / columns;
        let least =
            rows.chunks_exact(columns).map(|row| row.iter().sum::<f64>()).fold(f64::INFINITY, f64::min);
        let height = match term {
            Term::AtLeastOne => 2.0,
            // Where the loss is about the penalty.
            Term::CrossEntropy { sizes, penalty } => {
                libm::log(sizes.iter().sum::<f64>() / penalty + 1.0).max(0.5)
            }
        };
        let x = vec![height / least; columns];
        let q = match term {
            Term::AtLeastOne => vec![columns as f64 / (least * count as f64); count],
            Term::CrossEntropy { sizes, penalty } => {
                let all: f64 = sizes.iter().sum();
                let total = (columns as f64 / least).min(0.5 / penalty);
                sizes.iter().map(|size| total * size / all).collect()
            }
        };
        let slack = products(rows, &x).iter().map(|product| (product - 1.0).max(0.5)).collect();
        State { rows, columns, term, x, z: vec![0.5; columns], q, slack }
    }

    /// What is missing in `dq = D (missing − A dx)`, the linearised tie of q to the products.
    fn missing(&self, products: &[f64], centre: f64) -> Vec<f64> {
        match self.term {
            Term::AtLeastOne => {
                products.iter().zip(&self.q).map(|(product, q)| centre / q - (product - 1.0)).collect()
            }
            Term::CrossEntropy { sizes, penalty } => {
                let right = 1.0 - penalty * self.q.iter().sum::<f64>();
                let tie = |((product, q), size): ((&f64, &f64), &f64)| {
                    -product - libm::log(penalty * q / (size * right))
                };
                products.iter().zip(&self.q).zip(sizes).map(tie).collect()
            }
        }
    }

    /// `D v`: diagonal `q / slack`, or the loss's `q − penalty q qᵀ`.
    fn curvature(&self, v: &[f64]) -> Vec<f64> {
        match self.term {
            Term::AtLeastOne => {
                self.q.iter().zip(&self.slack).zip(v).map(|((q, slack), v)| q / slack * v).collect()
            }
            Term::CrossEntropy { penalty, .. } => {
                let mean = penalty * dot(&self.q, v);
                self.q.iter().zip(v).map(|(q, v)| q * (v - mean)).collect()
            }
        }
    }

    /// Σ x z, with Σ q slack where there are slacks, per pair.
    fn complementarity(&self) -> f64 {
        match self.term {
            Term::AtLeastOne => {
                (dot(&self.x, &self.z) + dot(&self.q, &self.slack)) / (self.x.len() + self.q.len()) as f64
            }
            Term::CrossEntropy { .. } => dot(&self.x, &self.z) / self.x.len() as f64,
        }
    }

    /// One Newton step towards `centring` times the present complementarity; its length, at most 1.
    fn step(&mut self, centring: f64) -> f64 {
        let n = self.columns;
        let centre = centring * self.complementarity();
        let products = products(self.rows, &self.x);
        let missing = self.missing(&products, centre);
        // (X Aᵀ D A X + X Z) e = X (Aᵀ (D missing + q) + centre / x − 1), with dx = X e: scaled by x, the
        // system stays solvable when some x go to zero.
        let pull: Vec<f64> = self.curvature(&missing).iter().zip(&self.q).map(|(d, q)| d + q).collect();
        let pulled = transposed(self.rows, n, &pull);
        let mut right: Vec<f64> =
            self.x.iter().zip(&pulled).map(|(x, pulled)| x * (pulled - 1.0) + centre).collect();
        let mut matrix = self.matrix();
        solve_symmetric(&mut matrix, &mut right);
        let dx: Vec<f64> = self.x.iter().zip(&right).map(|(x, e)| x * e).collect();
        let moved = self::products(self.rows, &dx);
        let rest: Vec<f64> = missing.iter().zip(&moved).map(|(missing, moved)| missing - moved).collect();
        let dq = self.curvature(&rest);
        let dz: Vec<f64> =
            (0..n).map(|r| centre / self.x[r] - self.z[r] - self.z[r] / self.x[r] * dx[r]).collect();
        let dslack: Vec<f64> = match self.term {
            Term::AtLeastOne => {
                (0..moved.len()).map(|c| moved[c] + products[c] - 1.0 - self.slack[c]).collect()
            }
            Term::CrossEntropy { .. } => Vec::new(),
        };
        let mut length = 1.0_f64;
        let mut block = |values: &[f64], moves: &[f64]| {
            for (value, by) in values.iter().zip(moves).filter(|(_, by)| **by < 0.0) {
                length = length.min(-0.99 * value / by);
            }
        };
        block(&self.x, &dx);
        block(&self.z, &dz);
        block(&self.q, &dq);
        match self.term {
            Term::AtLeastOne => block(&self.slack, &dslack),
            Term::CrossEntropy { penalty, .. } => {
                let right = 1.0 - penalty * self.q.iter().sum::<f64>();
                block(&[right], &[-penalty * dq.iter().sum::<f64>()]);
            }
        }
        for (values, moves) in
            [(&mut self.x, &dx), (&mut self.z, &dz), (&mut self.q, &dq), (&mut self.slack, &dslack)]
        {
            for (value, by) in values.iter_mut().zip(moves) {
                *value += length * by;
            }
        }
        length
    }

    /// `X Aᵀ D A X + X Z`, the lower triangle of `[columns, columns]`.
    fn matrix(&self) -> Vec<f64> {
        let n = self.columns;
        let mut matrix = vec![0.0; n * n];
        let mut scaled = vec![0.0; n];
        for (c, row) in self.rows.chunks_exact(n).enumerate() {
            let weight = match self.term {
                Term::AtLeastOne => self.q[c] / self.slack[c],
                Term::CrossEntropy { .. } => self.q[c],
            };
            scaled.iter_mut().zip(row).zip(&self.x).for_each(|((s, a), x)| *s = a * x);
            for i in 0..n {
                let factor = weight * scaled[i];
                add_scaled(&mut matrix[i * n..i * n + i + 1], factor, &scaled);
            }
        }
        if let Term::CrossEntropy { penalty, .. } = self.term {
            let mean: Vec<f64> =
                transposed(self.rows, n, &self.q).iter().zip(&self.x).map(|(m, x)| m * x).collect();
            for i in 0..n {
                for j in 0..=i {
                    matrix[i * n + j] -= penalty * mean[i] * mean[j];
                }
            }
        }
        for i in 0..n {
            matrix[i * n + i] += self.x[i] * self.z[i];
        }
        matrix
    }

    /// The point with the violation of the conditions there, without the centre.
    fn solution(&self) -> Solution {
        let slopes = transposed(self.rows, self.columns, &self.q);
        let total: f64 = self.x.iter().sum();
        let products = products(self.rows, &self.x);
        let mut residual = 0.0_f64;
        for ((x, z), slope) in self.x.iter().zip(&self.z).zip(&slopes) {
            residual = residual.max((1.0 - slope - z).abs()).max(x * z / total);
        }
        match self.term {
            Term::AtLeastOne => {
                for ((product, slack), q) in products.iter().zip(&self.slack).zip(&self.q) {
                    residual = residual.max((product - 1.0 - slack).abs()).max(q * slack / total);
                }
            }
            Term::CrossEntropy { .. } => {
                // Each is the relative error of one multiplier.
                for missing in self.missing(&products, 0.0) {
                    residual = residual.max(missing.abs());
                }
            }
        }
        // A comparison with a number that is none would pass for a residual of zero.
        let finite = self.x.iter().chain(&self.q).chain(&self.z).all(|value| value.is_finite());
        Solution {
            x: self.x.clone(),
            q: self.q.clone(),
            residual: if finite { residual } else { f64::INFINITY },
        }
    }
}

/// `A x`.
pub(super) fn products(rows: &[f64], x: &[f64]) -> Vec<f64> {
    rows.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// `Aᵀ q`.
fn transposed(rows: &[f64], columns: usize, q: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    for (row, q) in rows.chunks_exact(columns).zip(q) {
        add_scaled(&mut sums, *q, row);
    }
    sums
}

/// Solves `M x = right` in place by Cholesky's method; of `M` the lower triangle is read and overwritten. Not by
/// `nalgebra`, which gives up at the first pivot that is lost to rounding.
fn solve_symmetric(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
    for i in 0..n {
        let (above, row) = matrix.split_at_mut(i * n);
        for j in 0..i {
            row[j] = (row[j] - dot(&row[..j], &above[j * n..j * n + j])) / above[j * n + j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // A pivot lost to rounding: that unknown stays where it is in this step.
        row[i] = if pivot > 1e-30 * largest { pivot.sqrt() } else { 1e64 };
        right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
    }
    for i in (0..n).rev() {
        right[i] /= matrix[i * n + i];
        let (before, rest) = right.split_at_mut(i);
        before.iter_mut().zip(&matrix[i * n..i * n + i]).for_each(|(r, m)| *r -= m * rest[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symmetric_system_is_solved() {
        let mut matrix = vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0];
        let mut right = vec![4.0 - 4.0 + 3.0, 2.0 - 10.0 + 9.0, 1.0 - 6.0 + 18.0];
        solve_symmetric(&mut matrix, &mut right);
        for (x, expected) in right.iter().zip([1.0, -2.0, 3.0]) {
            assert!((x - expected).abs() < 1e-14, "{right:?}");
        }
    }

    #[test]
    fn a_matrix_game_is_solved() {
        // Value 1.5 at half and half; the third column is worse against every mixture.
        let rows = [1.0, 2.0, 0.5, 2.0, 1.0, 0.5];
        let solution = solve(&rows, 3, Term::AtLeastOne);
        assert!(solution.residual < 1e-12, "{solution:?}");
        let total: f64 = solution.x.iter().sum();
        assert!((1.0 / total - 1.5).abs() < 1e-12);
        assert!((solution.x[0] / total - 0.5).abs() < 1e-12 && solution.x[2] < 1e-12);
    }

    #[test]
    fn one_unknown_against_the_closed_form() {
        // x + log(1 + n e^{−x}) / penalty is smallest where n e^{−x} = penalty / (1 − penalty).
        for exponent in 0..=12 {
            let penalty = 0.3 * 10f64.powi(-exponent);
            let solution = solve(&[1.0], 1, Term::CrossEntropy { sizes: &[5.0], penalty });
            let expected = (5.0 * (1.0 - penalty) / penalty).ln();
            assert!((solution.x[0] - expected).abs() < 1e-10 * expected, "{penalty}: {solution:?}");
        }
    }
}
