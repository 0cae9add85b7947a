//! Least squares of minimum norm, and ridge regression.

use vivarium_core::math::{dot, norm};

/// A vector v and a number β with which x ↦ x − β ⟨v, x⟩ v is a reflection.
struct Reflection {
    v: Vec<f64>,
    beta: f64,
}

impl Reflection {
    /// The reflection that takes `x` to a multiple of the first unit vector, with that multiple (Householder 1958).
    fn of(x: &[f64]) -> (Self, f64) {
        let norm = norm(x);
        let mut v = x.to_vec();
        let first = v.first().copied().unwrap_or(0.0);
        let to = if first > 0.0 { -norm } else { norm };
        if let Some(v) = v.first_mut() {
            *v -= to;
        }
        let square = dot(&v, &v);
        (Reflection { v, beta: if square > 0.0 { 2.0 / square } else { 0.0 } }, to)
    }

    fn apply(&self, x: &mut [f64]) {
        let along = self.beta * dot(&self.v, x);
        x.iter_mut().zip(&self.v).for_each(|(x, v)| *x -= along * v);
    }
}

/// Relative size below which what is left of a column is rounding.
const NOTHING: f64 = 1e-12;

/// The w that minimises Σ (y_i − ⟨w, x_i⟩)² + λ ‖w‖², and of several that with the least norm.
///
/// # Why
/// By a QR decomposition that takes the largest column first, and of what remains of deficient rank by a second one: normal
/// equations would square the condition number, and just at as many examples as inputs it is large. `nalgebra` has such a
/// decomposition, but none of it for deficient rank, and with other last digits than those that are recorded.
///
/// # Shapes
/// `x` is `[examples, inputs]`, `y` is `[examples]`, the result `[inputs]`.
pub fn ridge(x: &[f64], y: &[f64], inputs: usize, lambda: f64) -> Vec<f64> {
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
        if size.sqrt() <= NOTHING * largest {
            break;
        }
        columns.swap(rank, rank + first);
        order.swap(rank, rank + first);
        let (reflection, to) = Reflection::of(&columns[rank][rank..]);
        columns[rank + 1..].iter_mut().for_each(|column| reflection.apply(&mut column[rank..]));
        reflection.apply(&mut right[rank..]);
        columns[rank][rank] = to;
        rank += 1;
    }
    let solution = match rank == inputs {
        true => backward(&columns, &right[..rank]),
        false => shortest(&columns, &right[..rank]),
    };
    let mut weights = vec![0.0; inputs];
    order.into_iter().zip(solution).for_each(|(place, weight)| weights[place] = weight);
    weights
}

/// The solution of R z = c, where `columns` are those of R, an upper triangle.
fn backward(columns: &[Vec<f64>], c: &[f64]) -> Vec<f64> {
    let mut z = c.to_vec();
    for j in (0..z.len()).rev() {
        z[j] /= columns[j][j];
        let known = z[j];
        z[..j].iter_mut().zip(&columns[j]).for_each(|(z, r)| *z -= known * r);
    }
    z
}

/// The shortest z with R z = c, where R has fewer rows than columns: with Rᵀ = Q U it is Q U⁻ᵀ c.
fn shortest(columns: &[Vec<f64>], c: &[f64]) -> Vec<f64> {
    let (rank, inputs) = (c.len(), columns.len());
    let entry = |row: usize, column: usize| if row <= column { columns[column][row] } else { 0.0 };
    let mut rows: Vec<Vec<f64>> =
        (0..rank).map(|row| (0..inputs).map(|column| entry(row, column)).collect()).collect();
    let (mut reflections, mut z) = (vec![], vec![0.0; inputs]);
    for at in 0..rank {
        let (reflection, to) = Reflection::of(&rows[at][at..]);
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
    use vivarium_core::rng::{Purpose, Stream};

    fn normal(step: u64, count: usize) -> Vec<f64> {
        let stream = Stream::new(9, Purpose::Batch, 0);
        (0..count as u32).map(|at| f64::from(stream.normal(step, at))).collect()
    }

    fn products(x: &[f64], w: &[f64]) -> Vec<f64> {
        x.chunks(w.len()).map(|x| dot(x, w)).collect()
    }

    fn close(a: &[f64], b: &[f64], within: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < within)
    }

    #[test]
    fn two_by_two_by_hand() {
        // x = (1, 0), (1, 1), y = 1, 3, λ = 1: [[3, 1], [1, 2]] w = (4, 3), so that w = (1, 1).
        assert!(close(&ridge(&[1.0, 0.0, 1.0, 1.0], &[1.0, 3.0], 2, 1.0), &[1.0, 1.0], 1e-12));
        assert!(close(&ridge(&[1.0, 0.0, 1.0, 1.0], &[1.0, 3.0], 2, 0.0), &[1.0, 2.0], 1e-12));
    }

    #[test]
    fn what_is_linear_is_found_from_as_many_examples_as_inputs() {
        for (inputs, examples) in [(1, 1), (2, 2), (5, 5), (5, 9), (20, 20), (20, 40)] {
            let (x, w) = (normal(examples as u64, inputs * examples), normal(99, inputs));
            let found = ridge(&x, &products(&x, &w), inputs, 0.0);
            assert!(close(&found, &w, 1e-8), "{inputs} {examples}: {found:?} {w:?}");
        }
    }

    /// With fewer examples w is in their span, and fits them.
    #[test]
    fn of_many_the_shortest_is_found() {
        let (x, y) = ([1.0, 2.0, 2.0], [9.0]);
        assert!(close(&ridge(&x, &y, 3, 0.0), &[1.0, 2.0, 2.0], 1e-12));
        let (x, w) = (normal(1, 3 * 7), normal(2, 7));
        let (y, found) = (products(&x, &w), ridge(&x, &products(&x, &w), 7, 0.0));
        assert!(close(&products(&x, &found), &y, 1e-10));
        // Ridge regression ends there as λ goes to 0.
        assert!(close(&ridge(&x, &y, 7, 1e-9), &found, 1e-6));
    }

    #[test]
    fn examples_that_depend_on_each_other_do_no_harm() {
        let x = [1.0, 2.0, 1.0, 2.0, -2.0, -4.0];
        assert!(close(&ridge(&x, &[5.0, 5.0, -10.0], 2, 0.0), &[1.0, 2.0], 1e-12));
        assert_eq!(ridge(&[0.0; 6], &[1.0; 3], 2, 0.0), [0.0; 2]);
        assert_eq!(ridge(&[], &[], 3, 0.0), [0.0; 3]);
        assert_eq!(ridge(&[], &[], 3, 1.0), [0.0; 3]);
    }

    /// Of ridge regression the gradient is 0: Xᵀ(y − X w) = λ w.
    #[test]
    fn ridge_regression_is_where_the_gradient_ends() {
        for examples in [2, 6, 30] {
            let (x, y) = (normal(3, 6 * examples), normal(4, examples));
            let w = ridge(&x, &y, 6, 0.7);
            let left: Vec<f64> = y.iter().zip(products(&x, &w)).map(|(y, f)| y - f).collect();
            for (j, w) in w.iter().enumerate() {
                let slope: f64 = left.iter().enumerate().map(|(i, e)| e * x[i * 6 + j]).sum();
                assert!((slope - 0.7 * w).abs() < 1e-10);
            }
        }
    }
}
