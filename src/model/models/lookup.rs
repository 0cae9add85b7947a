//! Tables of elements: one-hot vectors, and rows as columns.

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
    fn rows_become_columns() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(turned(&a, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
