//! The examples of a prompt: n inputs with their labels, and a query.

use vivarium_core::math::mean_and_variance;

/// n examples and a query, whose label no layer may look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// Numbers of an input.
    pub inputs: usize,
    /// Numbers of a label.
    pub outputs: usize,
    /// Inputs, the query's last, `[n + 1, inputs]`.
    pub x: Vec<f64>,
    /// Labels, the query's last, `[n + 1, outputs]`; 0 for the query in the paper.
    pub y: Vec<f64>,
}

impl Examples {
    /// Examples without the query, n.
    pub fn len(&self) -> usize {
        self.tokens().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Examples and query, n + 1: a token each.
    pub fn tokens(&self) -> usize {
        self.x.len() / self.inputs.max(1)
    }

    /// Input `i`; the query has number n.
    pub fn input(&self, i: usize) -> &[f64] {
        &self.x[i * self.inputs..][..self.inputs]
    }

    /// Label `i`.
    pub fn label(&self, i: usize) -> &[f64] {
        &self.y[i * self.outputs..][..self.outputs]
    }

    /// The variance of the labels, the query's left out; 1 where all are the same.
    pub fn label_variance(&self) -> f64 {
        let (_, variance) = mean_and_variance(self.y[..self.len() * self.outputs].iter().copied());
        if variance > 0.0 { variance } else { 1.0 }
    }

    /// The same with another label in the query's token, which must not change anything.
    pub fn with_query_label(mut self, label: &[f64]) -> Self {
        let from = self.len() * self.outputs;
        self.y[from..].copy_from_slice(label);
        self
    }

    /// The same with another input in the query's token.
    pub fn with_query(mut self, input: &[f64]) -> Self {
        let from = self.len() * self.inputs;
        self.x[from..].copy_from_slice(input);
        self
    }

    /// The same examples in another order: example `order[i]` becomes number i; the query stays the last.
    pub fn permuted(&self, order: &[usize]) -> Self {
        let places = || order.iter().copied().chain([self.len()]);
        Examples {
            inputs: self.inputs,
            outputs: self.outputs,
            x: places().flat_map(|i| self.input(i).iter().copied()).collect(),
            y: places().flat_map(|i| self.label(i).iter().copied()).collect(),
        }
    }

    /// The largest |number| of all inputs, and that of all labels.
    pub(super) fn largest(&self) -> [f64; 2] {
        [&self.x, &self.y].map(|numbers| numbers.iter().fold(0.0, |most, x| x.abs().max(most)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_the_last_and_stays_there() {
        let examples = Examples {
            inputs: 2,
            outputs: 1,
            x: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            y: vec![-1.0, -2.0, -3.0, 0.0],
        };
        assert_eq!((examples.len(), examples.tokens(), examples.is_empty()), (3, 4, false));
        assert_eq!(examples.largest(), [8.0, 3.0]);
        let turned = examples.permuted(&[2, 0, 1]);
        assert_eq!(turned.x, [5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
        assert_eq!(turned.y, [-3.0, -1.0, -2.0, 0.0]);
        assert_eq!(turned.clone().with_query(&[9.0, 10.0]).input(3), [9.0, 10.0]);
        assert_eq!(turned.with_query_label(&[7.0]).label(3), [7.0]);
    }
}
