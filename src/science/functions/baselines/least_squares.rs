//! Least squares of minimum norm, and ridge regression, by QR decomposition.

use vivarium_core::math::{dot, norm};

/// The reflection x ↦ x − β ⟨v, x⟩ v at the plane orthogonal to v.
struct HouseholderReflection {
    /// The vector v, normal to the mirror plane.
    v: Vec<f64>,
    /// The factor β = 2 / ‖v‖².
    beta: f64,
}

impl HouseholderReflection {
    /// The reflection that maps `x` to a multiple of the first unit vector, and the factor of that unit vector
    /// (Householder 1958).
    fn to_first_axis(x: &[f64]) -> (Self, f64) {
        let norm = norm(x);
        let mut v = x.to_vec();
        let first = v.first().copied().unwrap_or(0.0);
        let to = if first > 0.0 { -norm } else { norm };
        if let Some(v) = v.first_mut() {
            *v -= to;
        }
        let square = dot(&v, &v);
        (HouseholderReflection { v, beta: if square > 0.0 { 2.0 / square } else { 0.0 } }, to)
    }

    /// Replaces the vector `x` by its reflection x − β ⟨v, x⟩ v.
    fn apply(&self, x: &mut [f64]) {
        let along = self.beta * dot(&self.v, x);
        x.iter_mut().zip(&self.v).for_each(|(x, v)| *x -= along * v);
    }
}

/// Bound on the norm of what remains of a column in the QR decomposition, relative to the largest norm, below which it
/// counts as rounding error.
const RANK_TOLERANCE: f64 = 1e-12;

/// The weight vector w that minimises Σ (y_i − ⟨w, x_i⟩)² + λ ‖w‖²; if several w do, the one with the smallest
/// norm.
///
/// # Why
/// By QR decomposition with column pivoting, and by a second one if the rank is deficient. Normal equations would
/// square the condition number, which is large if there are about as many examples as inputs.
///
/// # Shapes
/// `x` is `[examples, inputs]`, `y` is `[examples]`, the result `[inputs]`.
pub fn ridge_regression(x: &[f64], y: &[f64], inputs: usize, lambda: f64) -> Vec<f64> {
    let examples = y.len();
    let more = if lambda > 0.0 { inputs } else { 0 };
    let mut right = y.to_vec();
    right.resize(examples + more, 0.0);
    let column = |j: usize| {
        let mut column: Vec<f64> = (0..examples).map(|i| x[i * inputs + j]).collect();
        column.extend((0..more).map(|i| if i == j { lambda.sqrt() } else { 0.0 }));
        column
    };
    let mut columns: Vec<Vec<f64>> = (0..inputs).map(column).collect();
    let mut order: Vec<usize> = (0..inputs).collect();
    let (mut rank, mut largest) = (0, 0.0);
    while rank < inputs.min(right.len()) {
        let left = |column: &Vec<f64>| dot(&column[rank..], &column[rank..]);
        let sizes = columns[rank..].iter().map(left).enumerate();
        let Some((first, size)) = sizes.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        largest = f64::max(largest, size.sqrt());
        if size.sqrt() <= RANK_TOLERANCE * largest {
            break;
        }
        columns.swap(rank, rank + first);
        order.swap(rank, rank + first);
        let (reflection, to) = HouseholderReflection::to_first_axis(&columns[rank][rank..]);
        columns[rank + 1..].iter_mut().for_each(|column| reflection.apply(&mut column[rank..]));
        reflection.apply(&mut right[rank..]);
        columns[rank][rank] = to;
        rank += 1;
    }
    let solution = match rank == inputs {
        true => solve_upper_triangular(&columns, &right[..rank]),
        false => solve_minimum_norm(&columns, &right[..rank]),
    };
    let mut weights = vec![0.0; inputs];
    order.into_iter().zip(solution).for_each(|(place, weight)| weights[place] = weight);
    weights
}

/// Solves R z = c for z by back substitution, where `columns` are the columns of the square upper triangular matrix
/// R.
fn solve_upper_triangular(columns: &[Vec<f64>], c: &[f64]) -> Vec<f64> {
    let mut z = c.to_vec();
    for j in (0..z.len()).rev() {
        z[j] /= columns[j][j];
        let known = z[j];
        z[..j].iter_mut().zip(&columns[j]).for_each(|(z, r)| *z -= known * r);
    }
    z
}

/// The z of minimum norm with R z = c, where R has fewer rows than columns and `columns` are its columns. With the
/// QR decomposition Rᵀ = Q U, U upper triangular, z is Q U⁻ᵀ c.
fn solve_minimum_norm(columns: &[Vec<f64>], c: &[f64]) -> Vec<f64> {
    let (rank, inputs) = (c.len(), columns.len());
    let entry = |row: usize, column: usize| if row <= column { columns[column][row] } else { 0.0 };
    let mut rows: Vec<Vec<f64>> =
        (0..rank).map(|row| (0..inputs).map(|column| entry(row, column)).collect()).collect();
    let (mut reflections, mut z) = (vec![], vec![0.0; inputs]);
    for at in 0..rank {
        let (reflection, to) = HouseholderReflection::to_first_axis(&rows[at][at..]);
        rows[at + 1..].iter_mut().for_each(|row| reflection.apply(&mut row[at..]));
        rows[at][at] = to;
        reflections.push(reflection);
    }
    for (at, (row, c)) in rows.iter().zip(c).enumerate() {
        let known = dot(&row[..at], &z);
        z[at] = (c - known) / row[at];
    }
    for (at, reflection) in reflections.iter().enumerate().rev() {
        reflection.apply(&mut z[at..]);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    fn normal(step: u64, count: usize) -> Vec<f64> {
        let stream = RandomStream::new(9, Purpose::Batch, 0);
        (0..count as u32).map(|at| f64::from(stream.draw_normal(step, at))).collect()
    }

    fn products(x: &[f64], w: &[f64]) -> Vec<f64> {
        x.chunks(w.len()).map(|x| dot(x, w)).collect()
    }

    fn close(a: &[f64], b: &[f64], within: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < within)
    }

    #[test]
    fn two_equations_match_hand_computation() {
        // x = (1, 0), (1, 1), y = 1, 3, λ = 1: [[3, 1], [1, 2]] w = (4, 3), so that w = (1, 1).
        assert!(close(&ridge_regression(&[1.0, 0.0, 1.0, 1.0], &[1.0, 3.0], 2, 1.0), &[1.0, 1.0], 1e-12));
        assert!(close(&ridge_regression(&[1.0, 0.0, 1.0, 1.0], &[1.0, 3.0], 2, 0.0), &[1.0, 2.0], 1e-12));
    }

    #[test]
    fn a_linear_function_is_recovered_from_as_many_examples_as_inputs() {
        for (inputs, examples) in [(1, 1), (2, 2), (5, 5), (5, 9), (20, 20), (20, 40)] {
            let (x, w) = (normal(examples as u64, inputs * examples), normal(99, inputs));
            let found = ridge_regression(&x, &products(&x, &w), inputs, 0.0);
            assert!(close(&found, &w, 1e-8), "{inputs} {examples}: {found:?} {w:?}");
        }
    }

    /// With fewer examples w is in their span, and fits them.
    #[test]
    fn an_underdetermined_system_gives_the_minimum_norm_solution() {
        let (x, y) = ([1.0, 2.0, 2.0], [9.0]);
        assert!(close(&ridge_regression(&x, &y, 3, 0.0), &[1.0, 2.0, 2.0], 1e-12));
        let (x, w) = (normal(1, 3 * 7), normal(2, 7));
        let (y, found) = (products(&x, &w), ridge_regression(&x, &products(&x, &w), 7, 0.0));
        assert!(close(&products(&x, &found), &y, 1e-10));
        // Ridge regression ends there as λ goes to 0.
        assert!(close(&ridge_regression(&x, &y, 7, 1e-9), &found, 1e-6));
    }

    #[test]
    fn dependent_examples_give_a_correct_solution() {
        let x = [1.0, 2.0, 1.0, 2.0, -2.0, -4.0];
        assert!(close(&ridge_regression(&x, &[5.0, 5.0, -10.0], 2, 0.0), &[1.0, 2.0], 1e-12));
        assert_eq!(ridge_regression(&[0.0; 6], &[1.0; 3], 2, 0.0), [0.0; 2]);
        assert_eq!(ridge_regression(&[], &[], 3, 0.0), [0.0; 3]);
        assert_eq!(ridge_regression(&[], &[], 3, 1.0), [0.0; 3]);
    }

    /// Of ridge regression the gradient is 0: Xᵀ(y − X w) = λ w.
    #[test]
    fn the_gradient_is_zero_at_the_ridge_solution() {
        for examples in [2, 6, 30] {
            let (x, y) = (normal(3, 6 * examples), normal(4, examples));
            let w = ridge_regression(&x, &y, 6, 0.7);
            let left: Vec<f64> = y.iter().zip(products(&x, &w)).map(|(y, f)| y - f).collect();
            for (j, w) in w.iter().enumerate() {
                let slope: f64 = left.iter().enumerate().map(|(i, e)| e * x[i * 6 + j]).sum();
                assert!((slope - 0.7 * w).abs() < 1e-10);
            }
        }
    }
}
