//! Examples that are pairs of elements: looking up the rows of a table.

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

#[cfg(feature = "train")]
pub use vivarium_operators::lookup::one_hot;

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
