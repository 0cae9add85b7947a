//! Examples that are pairs of elements: looking up the rows of a table.
//!
//! # Why
//! On tensors a row is looked up by a product with a one-hot vector. A gather would do less work, but its gradient
//! adds rows up by float atomics on GPUs, in an order that differs from run to run; the gradient of the product is
//! a product again, and reproducible. Burn's own `one_hot` reads the indices back to the host, which a browser
//! cannot do in the middle of a step (burn 0.22).

/// Which elements an example is: a and b, from the two numbers of its row of x.
///
/// # Panics
/// If the row does not hold two numbers.
pub fn pair(x: &[f32]) -> [usize; 2] {
    assert_eq!(x.len(), 2, "an example is a pair of elements");
    [x[0] as usize, x[1] as usize]
}

/// The transpose of a `[rows, columns]`.
pub fn turned(a: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| a.iter().skip(column).step_by(columns).copied()).collect()
}

/// The one-hot vectors of an element of each pair in `x`: of a for `place` 0, of b for `place` 1.
///
/// # Shapes
/// `x` is `[replicas or 1, batch, 2]`; the result is `[replicas or 1, batch, elements]`.
#[cfg(feature = "train")]
pub fn one_hot(x: &burn::tensor::Tensor<3>, place: usize, elements: usize) -> burn::tensor::Tensor<3> {
    use burn::tensor::{Int, Tensor};
    let all = Tensor::<1, Int>::arange(0..elements as i64, &x.device()).float();
    x.clone().narrow(2, place, 1).equal(all.reshape([1, 1, elements])).float()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_and_two_numbers_a_pair() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(turned(&a, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(pair(&[7.0, 112.0]), [7, 112]);
    }
}
