//! The examples of a prompt: n inputs with their labels, and a query.

use vivarium_core::math::mean_and_variance;

/// n labelled examples and a query, an input whose label is to be predicted. No layer may use the label of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentExamples {
    /// Dimension d_x of an input.
    pub inputs: usize,
    /// Dimension d_y of a label.
    pub outputs: usize,
    /// Inputs of the n examples, then the input of the query, row-major, `[n + 1, inputs]`.
    pub x: Vec<f64>,
    /// Labels, the query's last, `[n + 1, outputs]`; the query's label is 0 in the paper.
    pub y: Vec<f64>,
}

impl DescentExamples {
    /// Number n of examples, without the query.
    pub fn len(&self) -> usize {
        self.token_count().saturating_sub(1)
    }

    /// Whether there are no examples besides the query.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number n + 1 of tokens: one for each example and one for the query.
    pub fn token_count(&self) -> usize {
        self.x.len() / self.inputs.max(1)
    }

    /// Input of example `i`; i = n is the query.
    pub fn input(&self, i: usize) -> &[f64] {
        &self.x[i * self.inputs..][..self.inputs]
    }

    /// Label of example `i`; i = n is the query.
    pub fn label(&self, i: usize) -> &[f64] {
        &self.y[i * self.outputs..][..self.outputs]
    }

    /// Variance of all label numbers of the examples, without the query's label; 1 if all labels are equal.
    pub fn label_variance(&self) -> f64 {
        let (_, variance) = mean_and_variance(self.y[..self.len() * self.outputs].iter().copied());
        if variance > 0.0 { variance } else { 1.0 }
    }

    /// Replaces the label of the query, `[outputs]`; it must not change any result of gradient descent.
    pub fn with_query_label(mut self, label: &[f64]) -> Self {
        let from = self.len() * self.outputs;
        self.y[from..].copy_from_slice(label);
        self
    }

    /// Replaces the input of the query, `[inputs]`.
    pub fn with_query(mut self, input: &[f64]) -> Self {
        let from = self.len() * self.inputs;
        self.x[from..].copy_from_slice(input);
        self
    }

    /// The examples in another order: example `order[i]` becomes example i. The query stays last.
    pub fn permuted(&self, order: &[usize]) -> Self {
        let places = || order.iter().copied().chain([self.len()]);
        DescentExamples {
            inputs: self.inputs,
            outputs: self.outputs,
            x: places().flat_map(|i| self.input(i).iter().copied()).collect(),
            y: places().flat_map(|i| self.label(i).iter().copied()).collect(),
        }
    }

    /// The largest absolute value of all inputs, and the largest of all labels, both with the query's.
    pub(super) fn max_magnitudes(&self) -> [f64; 2] {
        [&self.x, &self.y].map(|numbers| numbers.iter().fold(0.0, |max, x| x.abs().max(max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_stays_last() {
        let examples = DescentExamples {
            inputs: 2,
            outputs: 1,
            x: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            y: vec![-1.0, -2.0, -3.0, 0.0],
        };
        assert_eq!((examples.len(), examples.token_count(), examples.is_empty()), (3, 4, false));
        assert_eq!(examples.max_magnitudes(), [8.0, 3.0]);
        let turned = examples.permuted(&[2, 0, 1]);
        assert_eq!(turned.x, [5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
        assert_eq!(turned.y, [-3.0, -1.0, -2.0, 0.0]);
        assert_eq!(turned.clone().with_query(&[9.0, 10.0]).input(3), [9.0, 10.0]);
        assert_eq!(turned.with_query_label(&[7.0]).label(3), [7.0]);
    }
}
