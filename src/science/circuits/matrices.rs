//! The weights of a network as dense matrices that one can ask for by name, and how many and how large they are.
//!
//! | name | shape | what it is |
//! |---|---|---|
//! | `layer3.first.weight`, `layer3.first.bias` | `[r, r below]`, `[r]` | W₁ and b₁ of the gates of layer 3 |
//! | `layer3.second.weight`, `layer3.second.bias` | `[r, r]`, `[r]` | W₂ and b₂ |
//! | `layer3.round.first.weight`, `layer3.round.first.bias` | `[2r, r]`, `[2r]` | rounding: z − 1/3, then z − 2/3 |
//! | `layer3.round.second.weight`, `layer3.round.second.bias` | `[r, 2r]`, `[r]` | rounding: 3 and −3 |
//! | `output.weight`, `output.bias` | `[1, 1]`, `[1]` | 2z − 1 |
//!
//! The toy has `layer3.weight` and `layer3.bias`, the latter 0 and held.

use super::network::{Free, Network, Rounding};

/// A matrix or vector of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// "layer3.first.weight".
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Columns; 1 of a vector.
    pub columns: usize,
    /// Entries row by row, `[rows, columns]`.
    pub entries: Vec<f64>,
    /// Whether it is held fixed, so that no perturbation changes it.
    pub is_held: bool,
}

/// How many parameters there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// Numbers.
    pub parameters: u64,
    /// Numbers that are not 0.
    pub nonzeros: u64,
    /// Sum of their absolute values.
    pub l1: f64,
}

impl Network {
    /// All matrices and vectors, in the order in which an input passes through them.
    pub fn matrices(&self) -> Vec<Matrix> {
        let mut all = Vec::new();
        for at in 0..self.layers().len() {
            all.extend(self.of_layer(at));
        }
        all
    }

    /// The matrix or vector of this name, if there is one.
    pub fn matrix(&self, name: &str) -> Option<Matrix> {
        (0..self.layers().len())
            .find_map(|at| self.of_layer(at).into_iter().find(|matrix| matrix.name == name))
    }

    fn of_layer(&self, at: usize) -> Vec<Matrix> {
        let layer = &self.layers()[at];
        let (rows, columns) = (layer.rows, layer.columns);
        let own = |kind: &str, columns: usize, range: std::ops::Range<usize>, is_held: bool| Matrix {
            name: format!("{}.{kind}", layer.name),
            rows,
            columns,
            entries: self.theta()[range].to_vec(),
            is_held,
        };
        let mut all = vec![
            own("weight", columns, layer.weights(), layer.free == Free::Nothing),
            own("bias", 1, layer.biases(), layer.free != Free::All),
        ];
        if layer.rounding == Rounding::On {
            let base = layer.name.strip_suffix(".second").unwrap_or(&layer.name);
            let held =
                |name: &str, rows: usize, columns: usize, entry: &dyn Fn(usize, usize) -> f64| Matrix {
                    name: format!("{base}.round.{name}"),
                    rows,
                    columns,
                    entries: (0..rows * columns).map(|i| entry(i / columns, i % columns)).collect(),
                    is_held: true,
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

    /// The parameters that a perturbation may change.
    pub fn counts(&self) -> Counts {
        let free = self.layers().iter().flat_map(|layer| &self.theta()[layer.free()]);
        let mut counts = Counts { parameters: 0, nonzeros: 0, l1: 0.0 };
        for parameter in free {
            counts.parameters += 1;
            counts.nonzeros += u64::from(*parameter != 0.0);
            counts.l1 += parameter.abs();
        }
        counts
    }

    /// The parameters that are held: those of rounding, and in the toy its biases and its output.
    pub fn held(&self) -> Counts {
        let mut counts = Counts { parameters: 0, nonzeros: 0, l1: 0.0 };
        for layer in self.layers() {
            let fixed = layer.free().end..layer.biases().end;
            counts.parameters += fixed.len() as u64;
            counts.nonzeros += self.theta()[fixed.clone()].iter().filter(|held| **held != 0.0).count() as u64;
            counts.l1 += self.theta()[fixed].iter().map(|held| held.abs()).sum::<f64>();
            if layer.rounding == Rounding::On {
                // Of a coordinate: 1, 1, −1/3, −2/3, 3 and −3.
                let rows = layer.rows as u64;
                counts.parameters += 4 * rows * rows + 3 * rows;
                counts.nonzeros += 6 * rows;
                counts.l1 += 9.0 * rows as f64;
            }
        }
        counts
    }
}
