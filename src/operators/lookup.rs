//! Look-up of the rows of a table that symbols of the example name.
//!
//! ```text
//! out[i] = table[symbol_i]                       table [symbols, columns], out [number of symbols, columns]
//! grad_table[symbol_i] += grad_out[i]
//! ```
//!
//! In vectors a look-up is copied only if an operator reads samples one after the other, or if it is the output; others read the rows
//! of the table.

use crate::matrix::Matrix;

/// The rows of `table` that these symbols name.
pub fn forward(table: &Matrix, symbols: &[u32]) -> Matrix {
    let rows = symbols.iter().flat_map(|symbol| table.row(*symbol as usize));
    Matrix { rows: symbols.len(), columns: table.columns, values: rows.copied().collect() }
}

/// The gradient of `table`.
pub fn backward(table: &Matrix, symbols: &[u32], grad_output: &Matrix) -> Matrix {
    let mut grad_table = Matrix::zeros_like(table);
    for (at, symbol) in symbols.iter().enumerate() {
        let sums = grad_table.row_mut(*symbol as usize).iter_mut();
        sums.zip(grad_output.row(at)).for_each(|(sum, grad)| *sum += grad);
    }
    grad_table
}

/// The one-hot vectors of symbol number `symbol` of each example in `x`; their product with a table is the look-up.
///
/// # Why
/// A gather would do less work, but its gradient adds rows up by float atomics on GPUs, in an order that differs from run to run;
/// the gradient of the product is a product again, and reproducible. Burn's own `one_hot` reads the indices back to the host,
/// which a browser cannot do in the middle of a step (burn 0.22).
///
/// # Shapes
/// `x` is `[replicas or 1, batch, symbols of an example]`; the result is `[replicas or 1, batch, symbols]`.
#[cfg(feature = "train")]
pub fn one_hot(x: &burn::tensor::Tensor<3>, symbol: usize, symbols: usize) -> burn::tensor::Tensor<3> {
    use burn::tensor::{Int, Tensor};
    let all = Tensor::<1, Int>::arange(0..symbols as i64, &x.device()).float();
    x.clone().narrow(2, symbol, 1).equal(all.reshape([1, 1, symbols])).float()
}
