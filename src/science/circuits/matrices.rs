//! The parameters of a network as dense matrices with names, and the number and size of the parameters.
//!
//! | name | shape | contents |
//! |---|---|---|
//! | `layer3.first.weight`, `layer3.first.bias` | `[r, r below]`, `[r]` | W₁ and b₁ of the gates of layer 3 |
//! | `layer3.second.weight`, `layer3.second.bias` | `[r, r]`, `[r]` | W₂ and b₂ |
//! | `layer3.round.first.weight`, `layer3.round.first.bias` | `[2r, r]`, `[2r]` | rounding: z − 1/3, then z − 2/3 |
//! | `layer3.round.second.weight`, `layer3.round.second.bias` | `[r, 2r]`, `[r]` | rounding: 3 and −3 |
//! | `output.weight`, `output.bias` | `[1, 1]`, `[1]` | 2z − 1 |
//!
//! The toy has `layer3.weight` `[1, 1]` and `layer3.bias` `[1]`, which is fixed at 0. r is the number of gates of the layer.

use super::network::{FreeParameters, ReluNetwork, Rounding};

/// A weight matrix or bias vector of a network, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMatrix {
    /// The name, for example `layer3.first.weight`; see the table of the module.
    pub name: String,
    /// Number of rows of the matrix, or of entries of the bias vector.
    pub rows: usize,
    /// Number of columns of the matrix; 1 for a bias vector.
    pub columns: usize,
    /// The entries of the matrix or vector, row-major, `[rows, columns]`.
    pub entries: Vec<f64>,
    /// Whether the entries are fixed parameters, which perturbations do not change.
    pub is_fixed: bool,
}

/// Number, number of nonzero ones, and ℓ₁ norm of a set of a network's parameters, such as all free parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterCounts {
    /// Number of parameters in the set, zeros included.
    pub parameters: u64,
    /// Number of parameters in the set that are not 0.
    pub nonzeros: u64,
    /// ℓ₁ norm of the parameters in the set: sum of their absolute values.
    pub l1: f64,
}

impl ReluNetwork {
    /// All weight matrices and bias vectors, including those of rounding, in the order of the forward pass, named as in
    /// the table of the module.
    pub fn matrices(&self) -> Vec<NamedMatrix> {
        let mut all = Vec::new();
        for at in 0..self.layers().len() {
            all.extend(self.layer_matrices(at));
        }
        all
    }

    /// The weight matrix or bias vector with the name `name`, such as `layer3.first.weight`; `None` if there is none.
    pub fn matrix(&self, name: &str) -> Option<NamedMatrix> {
        (0..self.layers().len())
            .find_map(|at| self.layer_matrices(at).into_iter().find(|matrix| matrix.name == name))
    }

    /// The weights and biases of the linear layer with index `at`, from 0, then those of its rounding.
    fn layer_matrices(&self, at: usize) -> Vec<NamedMatrix> {
        let layer = &self.layers()[at];
        let (rows, columns) = (layer.rows, layer.columns);
        let own = |kind: &str, columns: usize, range: std::ops::Range<usize>, is_fixed: bool| NamedMatrix {
            name: format!("{}.{kind}", layer.name),
            rows,
            columns,
            entries: self.theta()[range].to_vec(),
            is_fixed,
        };
        let mut all = vec![
            own("weight", columns, layer.weight_range(), layer.free == FreeParameters::None),
            own("bias", 1, layer.bias_range(), layer.free != FreeParameters::All),
        ];
        if layer.rounding == Rounding::On {
            let base = layer.name.strip_suffix(".second").unwrap_or(&layer.name);
            let held =
                |name: &str, rows: usize, columns: usize, entry: &dyn Fn(usize, usize) -> f64| NamedMatrix {
                    name: format!("{base}.round.{name}"),
                    rows,
                    columns,
                    entries: (0..rows * columns).map(|i| entry(i / columns, i % columns)).collect(),
                    is_fixed: true,
                };
            let one = |is: bool| f64::from(u8::from(is));
            let sign = |half: usize| if half < rows { 1.0 } else { -1.0 };
            all.push(held("first.weight", 2 * rows, rows, &|row, column| one(row % rows == column)));
            all.push(held("first.bias", 2 * rows, 1, &|row, _| {
                if row < rows { -1.0 / 3.0 } else { -2.0 / 3.0 }
            }));
            let second = |row: usize, column: usize| 3.0 * sign(column) * one(column % rows == row);
            all.push(held("second.weight", rows, 2 * rows, &second));
            all.push(held("second.bias", rows, 1, &|_, _| 0.0));
        }
        all
    }

    /// Counts the parameters that perturbations may change.
    pub fn count_free_parameters(&self) -> ParameterCounts {
        let free = self.layers().iter().flat_map(|layer| &self.theta()[layer.free_range()]);
        let mut counts = ParameterCounts { parameters: 0, nonzeros: 0, l1: 0.0 };
        for parameter in free {
            counts.parameters += 1;
            counts.nonzeros += u64::from(*parameter != 0.0);
            counts.l1 += parameter.abs();
        }
        counts
    }

    /// Counts the parameters that perturbations do not change: those of rounding, and in the toy network the biases
    /// and the output layer.
    pub fn count_fixed_parameters(&self) -> ParameterCounts {
        let mut counts = ParameterCounts { parameters: 0, nonzeros: 0, l1: 0.0 };
        for layer in self.layers() {
            let fixed = layer.free_range().end..layer.bias_range().end;
            counts.parameters += fixed.len() as u64;
            counts.nonzeros += self.theta()[fixed.clone()].iter().filter(|held| **held != 0.0).count() as u64;
            counts.l1 += self.theta()[fixed].iter().map(|held| held.abs()).sum::<f64>();
            if layer.rounding == Rounding::On {
                // The nonzero parameters of each coordinate are 1, 1, −1/3, −2/3, 3 and −3.
                let rows = layer.rows as u64;
                counts.parameters += 4 * rows * rows + 3 * rows;
                counts.nonzeros += 6 * rows;
                counts.l1 += 9.0 * rows as f64;
            }
        }
        counts
    }
}
