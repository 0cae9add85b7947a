//! The two convex programs of the theory, by one interior-point method.
//!
//! Both are `minimise Σ_r x_r + φ(A x) over x ≥ 0`, with `A` of shape `[rows, columns]` and a convex φ of the
//! products `y = A x`. They differ in how the gradient `q = −∇φ(y)` depends on the products.
//!
//! # Why
//!
//! A primal-dual method treats `q` as separate unknowns and linearises `log q` instead of `q`. The loss decreases
//! like `e^{−y}`, so Newton's method on `x` alone would change `y` by about 1 per step, and would not converge from
//! the wrong side. This method takes about twenty steps, for a penalty of 1e-12 as for one of 1e-2.

use vivarium_core::math::{add_scaled, dot};

/// The convex term φ of the objective `Σ x + φ(A x)` that the interior-point method minimises over x ≥ 0, a function of
/// the products `y = A x`.
#[derive(Debug, Clone, Copy)]
pub(super) enum ConvexTerm<'a> {
    /// The constraint y ≥ 1. Minimising `Σ x` then solves the matrix game of value `1 / Σ x`.
    AtLeastOne,
    /// φ(y) = log(1 + Σ_c sizes_c e^{−y_c}) / penalty.
    CrossEntropy {
        /// Number of wrong answers in each row of A, `[rows]`.
        sizes: &'a [f64],
        /// The penalty λ per unit of `Σ x`, below 1.
        penalty: f64,
    },
}

/// An iterate of the interior-point method: the variables, their multipliers and the violation of the optimality
/// conditions.
#[derive(Debug, Clone)]
pub(super) struct ProgramSolution {
    /// The variables x of the program, `[columns]`. Variables that are 0 at the optimum are tiny positive numbers.
    pub x: Vec<f64>,
    /// Multipliers q of the rows of the matrix A, `[rows]`: at the optimum `Aᵀ q ≤ 1`, with equality where x > 0.
    pub q: Vec<f64>,
    /// The largest relative violation of the optimality conditions (Karush–Kuhn–Tucker) by this iterate.
    pub residual: f64,
}

/// Number of Newton steps after which the interior-point method ends unconverged: several times what the programs of
/// this module need.
const MAX_STEPS: usize = 200;

/// Residual (violation of the optimality conditions) that rounding errors explain: once the best residual is below
/// this, three consecutive steps that do not halve it end the method.
const ROUNDING_RESIDUAL: f64 = 1e-10;

/// Minimises `Σ x + φ(A x)` over x ≥ 0 for the matrix A = `rows` of shape `[rows, columns]` and φ = `term`. All entries
/// of A are ≥ 0, and no row and no column is zero.
///
/// The caller checks the residual of the solution.
#[cfg(test)]
pub(super) fn solve_to_end(rows: &[f64], columns: usize, term: ConvexTerm) -> ProgramSolution {
    let loss = match term {
        ConvexTerm::AtLeastOne => None,
        ConvexTerm::CrossEntropy { sizes, penalty } => Some((sizes.to_vec(), penalty)),
    };
    let mut solver = InteriorPointSolver::new(rows.to_vec(), columns, loss);
    loop {
        if let Some(solution) = solver.advance(MAX_STEPS) {
            return solution;
        }
    }
}

/// The state of the interior-point method for one convex program between calls, so that the program is solved in
/// slices.
#[derive(Debug, Clone)]
pub(super) struct InteriorPointSolver {
    /// The matrix A of the convex program, row-major, `[rows, columns]`.
    rows: Vec<f64>,
    /// Number of variables x of the program, which is the number of columns of the matrix A.
    columns: usize,
    /// Numbers of wrong answers `[rows]`, and penalty, of [`ConvexTerm::CrossEntropy`]; `None` for
    /// [`ConvexTerm::AtLeastOne`].
    cross_entropy: Option<(Vec<f64>, f64)>,
    /// The current iterate: variables x, their multipliers z, the multipliers q of the rows, and the slacks, as in
    /// [`SolverState`].
    iterate: [Vec<f64>; 4],
    /// The iterate with the smallest violation of the optimality conditions so far.
    best: ProgramSolution,
    /// Centring parameter of the next Newton step: the factor by which the step aims to reduce the mean of the products
    /// x z and q · slack, from 0 (straight to the optimum) to 1 (towards the central path).
    centring: f64,
    /// Number of Newton steps since one last made the residual smaller than half of the best residual before it.
    stalled_steps: usize,
    /// Number of Newton steps taken so far.
    step_count: usize,
}

impl InteriorPointSolver {
    /// Starts the method for the matrix A = `rows` of shape `[rows, columns]`. All entries are ≥ 0, and no row and no
    /// column is zero. `loss` holds the numbers of wrong answers `[rows]` and the penalty of
    /// [`ConvexTerm::CrossEntropy`]; `None` selects [`ConvexTerm::AtLeastOne`].
    pub fn new(rows: Vec<f64>, columns: usize, loss: Option<(Vec<f64>, f64)>) -> Self {
        let best = ProgramSolution { x: vec![], q: vec![], residual: f64::INFINITY };
        let mut solver = InteriorPointSolver {
            rows,
            columns,
            cross_entropy: loss,
            iterate: Default::default(),
            best,
            centring: 0.1,
            stalled_steps: 0,
            step_count: 0,
        };
        let SolverState { x, z, q, slack, .. } = SolverState::start(&solver.rows, columns, solver.term());
        solver.iterate = [x, z, q, slack];
        solver.best = solver.update_state(|state| state.evaluate());
        solver
    }

    /// The convex term φ of the objective of this program.
    fn term(&self) -> ConvexTerm<'_> {
        match &self.cross_entropy {
            None => ConvexTerm::AtLeastOne,
            Some((sizes, penalty)) => ConvexTerm::CrossEntropy { sizes, penalty: *penalty },
        }
    }

    /// Applies the function `of` to the current iterate, as a [`SolverState`] that borrows this solver's matrix,
    /// and stores the changed iterate.
    fn update_state<T>(&mut self, of: impl FnOnce(&mut SolverState) -> T) -> T {
        let [x, z, q, slack] = std::mem::take(&mut self.iterate);
        let mut state =
            SolverState { rows: &self.rows, columns: self.columns, term: self.term(), x, z, q, slack };
        let result = of(&mut state);
        let SolverState { x, z, q, slack, .. } = state;
        self.iterate = [x, z, q, slack];
        result
    }

    /// Takes up to `steps` Newton steps. Returns the best iterate when the method has ended, by convergence or not,
    /// else `None`. The caller checks the iterate's residual.
    pub fn advance(&mut self, steps: usize) -> Option<ProgramSolution> {
        for _ in 0..steps {
            if self.step_count == MAX_STEPS || self.step() {
                return Some(self.best.clone());
            }
        }
        None
    }

    /// Takes one Newton step. Returns `true` if the method has ended, because it has converged up to rounding errors or
    /// because the residual is not finite.
    fn step(&mut self) -> bool {
        self.step_count += 1;
        let centring = self.centring;
        let (length, now) = self.update_state(|state| (state.step(centring), state.evaluate()));
        if !now.residual.is_finite() {
            return true;
        }
        // A short step means that the iterate is close to the boundary, so the next step is more central.
        self.centring = if length > 0.9 {
            0.03
        } else if length > 0.5 {
            0.2
        } else {
            0.6
        };
        self.stalled_steps = if now.residual < 0.5 * self.best.residual { 0 } else { self.stalled_steps + 1 };
        if now.residual <= self.best.residual {
            self.best = now;
        }
        self.best.residual < ROUNDING_RESIDUAL && self.stalled_steps >= 3
    }
}

/// One iterate of the interior-point method together with the convex program that it belongs to.
struct SolverState<'a> {
    /// The matrix A of the convex program, row-major, `[rows, columns]`.
    rows: &'a [f64],
    /// Number of variables x, columns of the matrix A.
    columns: usize,
    /// The convex term φ of the program's objective Σ x + φ(A x).
    term: ConvexTerm<'a>,
    /// The variables x of the program, `[columns]`.
    x: Vec<f64>,
    /// Multipliers z of the constraints x ≥ 0, `[columns]`.
    z: Vec<f64>,
    /// Multipliers q of the rows of the matrix A, `[rows]`.
    q: Vec<f64>,
    /// The slacks `A x − 1` of [`ConvexTerm::AtLeastOne`], `[rows]`; empty for the cross-entropy.
    slack: Vec<f64>,
}

impl<'a> SolverState<'a> {
    /// The first iterate, for which all inequalities of the program hold strictly: x, z, q and slack are above 0.
    fn start(rows: &'a [f64], columns: usize, term: ConvexTerm<'a>) -> Self {
        let count = rows.len() / columns;
        let min_row_sum =
            rows.chunks_exact(columns).map(|row| row.iter().sum::<f64>()).fold(f64::INFINITY, f64::min);
        let height = match term {
            ConvexTerm::AtLeastOne => 2.0,
            // The margin at which the loss is about as large as the penalty.
            ConvexTerm::CrossEntropy { sizes, penalty } => {
                libm::log(sizes.iter().sum::<f64>() / penalty + 1.0).max(0.5)
            }
        };
        let x = vec![height / min_row_sum; columns];
        let q = match term {
            ConvexTerm::AtLeastOne => vec![columns as f64 / (min_row_sum * count as f64); count],
            ConvexTerm::CrossEntropy { sizes, penalty } => {
                let all: f64 = sizes.iter().sum();
                let total = (columns as f64 / min_row_sum).min(0.5 / penalty);
                sizes.iter().map(|size| total * size / all).collect()
            }
        };
        let slack = multiply_rows(rows, &x).iter().map(|product| (product - 1.0).max(0.5)).collect();
        SolverState { rows, columns, term, x, z: vec![0.5; columns], q, slack }
    }

    /// The residuals r, `[rows]`, of the linearised relation `dq = D (r − A dx)` between the changes of the
    /// multipliers q and of x, where D is the second derivative of φ. `products` are `A x`, and `centre` is the
    /// target of each product q · slack.
    fn multiplier_residuals(&self, products: &[f64], centre: f64) -> Vec<f64> {
        match self.term {
            ConvexTerm::AtLeastOne => {
                products.iter().zip(&self.q).map(|(product, q)| centre / q - (product - 1.0)).collect()
            }
            ConvexTerm::CrossEntropy { sizes, penalty } => {
                let right = 1.0 - penalty * self.q.iter().sum::<f64>();
                let tie = |((product, q), size): ((&f64, &f64), &f64)| {
                    -product - libm::log(penalty * q / (size * right))
                };
                products.iter().zip(&self.q).zip(sizes).map(tie).collect()
            }
        }
    }

    /// Multiplies a vector `[rows]` by D, the second derivative of φ: the diagonal matrix `q / slack`, or `diag(q)
    /// − penalty q qᵀ` for the cross-entropy.
    fn apply_curvature(&self, v: &[f64]) -> Vec<f64> {
        match self.term {
            ConvexTerm::AtLeastOne => {
                self.q.iter().zip(&self.slack).zip(v).map(|((q, slack), v)| q / slack * v).collect()
            }
            ConvexTerm::CrossEntropy { penalty, .. } => {
                let mean = penalty * dot(&self.q, v);
                self.q.iter().zip(v).map(|(q, v)| q * (v - mean)).collect()
            }
        }
    }

    /// The mean of the products x z over the variables and, if there are slacks, of the products q · slack over the
    /// rows; it goes to 0 at the optimum.
    fn mean_complementarity(&self) -> f64 {
        match self.term {
            ConvexTerm::AtLeastOne => {
                (dot(&self.x, &self.z) + dot(&self.q, &self.slack)) / (self.x.len() + self.q.len()) as f64
            }
            ConvexTerm::CrossEntropy { .. } => dot(&self.x, &self.z) / self.x.len() as f64,
        }
    }

    /// Takes one Newton step towards products x z and q · slack that all equal `centring` times their current mean.
    /// Returns the fraction of the full step taken, at most 1 and so small that x, z, q and slack stay above 0.
    fn step(&mut self, centring: f64) -> f64 {
        let n = self.columns;
        let centre = centring * self.mean_complementarity();
        let products = multiply_rows(self.rows, &self.x);
        let residuals = self.multiplier_residuals(&products, centre);
        // (X Aᵀ D A X + X Z) e = X (Aᵀ (D residuals + q) + centre / x − 1), with dx = X e. Scaled by x, the system
        // stays solvable if some x go to zero.
        let gradient_q: Vec<f64> =
            self.apply_curvature(&residuals).iter().zip(&self.q).map(|(d, q)| d + q).collect();
        let gradient_x = multiply_transposed(self.rows, n, &gradient_q);
        let mut right: Vec<f64> =
            self.x.iter().zip(&gradient_x).map(|(x, g)| x * (g - 1.0) + centre).collect();
        let mut matrix = self.newton_matrix();
        solve_symmetric(&mut matrix, &mut right);
        let dx: Vec<f64> = self.x.iter().zip(&right).map(|(x, e)| x * e).collect();
        let product_changes = self::multiply_rows(self.rows, &dx);
        let rest: Vec<f64> =
            residuals.iter().zip(&product_changes).map(|(residual, change)| residual - change).collect();
        let dq = self.apply_curvature(&rest);
        let dz: Vec<f64> =
            (0..n).map(|r| centre / self.x[r] - self.z[r] - self.z[r] / self.x[r] * dx[r]).collect();
        let dslack: Vec<f64> = match self.term {
            ConvexTerm::AtLeastOne => (0..product_changes.len())
                .map(|c| product_changes[c] + products[c] - 1.0 - self.slack[c])
                .collect(),
            ConvexTerm::CrossEntropy { .. } => Vec::new(),
        };
        let mut length = 1.0_f64;
        let mut block = |values: &[f64], directions: &[f64]| {
            for (value, by) in values.iter().zip(directions).filter(|(_, by)| **by < 0.0) {
                length = length.min(-0.99 * value / by);
            }
        };
        block(&self.x, &dx);
        block(&self.z, &dz);
        block(&self.q, &dq);
        match self.term {
            ConvexTerm::AtLeastOne => block(&self.slack, &dslack),
            ConvexTerm::CrossEntropy { penalty, .. } => {
                let right = 1.0 - penalty * self.q.iter().sum::<f64>();
                block(&[right], &[-penalty * dq.iter().sum::<f64>()]);
            }
        }
        for (values, directions) in
            [(&mut self.x, &dx), (&mut self.z, &dz), (&mut self.q, &dq), (&mut self.slack, &dslack)]
        {
            for (value, by) in values.iter_mut().zip(directions) {
                *value += length * by;
            }
        }
        length
    }

    /// The matrix `X Aᵀ D A X + X Z` of the Newton system, with D the second derivative of φ, X = diag(x) and Z =
    /// diag(z): lower triangle of `[columns, columns]`.
    fn newton_matrix(&self) -> Vec<f64> {
        let n = self.columns;
        let mut matrix = vec![0.0; n * n];
        let mut scaled = vec![0.0; n];
        for (c, row) in self.rows.chunks_exact(n).enumerate() {
            let weight = match self.term {
                ConvexTerm::AtLeastOne => self.q[c] / self.slack[c],
                ConvexTerm::CrossEntropy { .. } => self.q[c],
            };
            scaled.iter_mut().zip(row).zip(&self.x).for_each(|((s, a), x)| *s = a * x);
            for i in 0..n {
                let factor = weight * scaled[i];
                add_scaled(&mut matrix[i * n..i * n + i + 1], factor, &scaled);
            }
        }
        if let ConvexTerm::CrossEntropy { penalty, .. } = self.term {
            let mean: Vec<f64> =
                multiply_transposed(self.rows, n, &self.q).iter().zip(&self.x).map(|(m, x)| m * x).collect();
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

    /// The current iterate with its violation of the optimality conditions of the program, without the centring
    /// term.
    fn evaluate(&self) -> ProgramSolution {
        let gradient = multiply_transposed(self.rows, self.columns, &self.q);
        let total: f64 = self.x.iter().sum();
        let products = multiply_rows(self.rows, &self.x);
        let mut residual = 0.0_f64;
        for ((x, z), partial) in self.x.iter().zip(&self.z).zip(&gradient) {
            residual = residual.max((1.0 - partial - z).abs()).max(x * z / total);
        }
        match self.term {
            ConvexTerm::AtLeastOne => {
                for ((product, slack), q) in products.iter().zip(&self.slack).zip(&self.q) {
                    residual = residual.max((product - 1.0 - slack).abs()).max(q * slack / total);
                }
            }
            ConvexTerm::CrossEntropy { .. } => {
                // Each entry is the relative error of one multiplier.
                for error in self.multiplier_residuals(&products, 0.0) {
                    residual = residual.max(error.abs());
                }
            }
        }
        // A NaN would be ignored by `max` and give a residual of zero.
        let finite = self.x.iter().chain(&self.q).chain(&self.z).all(|value| value.is_finite());
        ProgramSolution {
            x: self.x.clone(),
            q: self.q.clone(),
            residual: if finite { residual } else { f64::INFINITY },
        }
    }
}

/// The product `A x`, `[rows]`, where `rows` is the matrix A, row-major, and `x` is `[columns]`.
pub(super) fn multiply_rows(rows: &[f64], x: &[f64]) -> Vec<f64> {
    rows.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// The product `Aᵀ q`, `[columns]`, where `rows` is the matrix A, row-major, and `q` is `[rows]`.
fn multiply_transposed(rows: &[f64], columns: usize, q: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    for (row, q) in rows.chunks_exact(columns).zip(q) {
        add_scaled(&mut sums, *q, row);
    }
    sums
}

/// Solves `M x = right` by Cholesky's method for a positive definite M = `matrix`, `[n, n]`. The solution replaces
/// `right`; only the lower triangle of `matrix` is read, and it is overwritten.
fn solve_symmetric(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
    for i in 0..n {
        let (above, row) = matrix.split_at_mut(i * n);
        for j in 0..i {
            row[j] = (row[j] - dot(&row[..j], &above[j * n..j * n + j])) / above[j * n + j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // If rounding destroys a pivot, its variable does not change in this step.
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
        let solution = solve_to_end(&rows, 3, ConvexTerm::AtLeastOne);
        assert!(solution.residual < 1e-12, "{solution:?}");
        let total: f64 = solution.x.iter().sum();
        assert!((1.0 / total - 1.5).abs() < 1e-12);
        assert!((solution.x[0] / total - 0.5).abs() < 1e-12 && solution.x[2] < 1e-12);
    }

    #[test]
    fn one_variable_matches_the_closed_form() {
        // x + log(1 + n e^{−x}) / penalty is smallest where n e^{−x} = penalty / (1 − penalty).
        for exponent in 0..=12 {
            let penalty = 0.3 * 10f64.powi(-exponent);
            let solution = solve_to_end(&[1.0], 1, ConvexTerm::CrossEntropy { sizes: &[5.0], penalty });
            let expected = (5.0 * (1.0 - penalty) / penalty).ln();
            assert!((solution.x[0] - expected).abs() < 1e-10 * expected, "{penalty}: {solution:?}");
        }
    }
}
