//! The tokens of a prompt, the only state that the layers read and write.

use std::ops::Range;

use super::examples::DescentExamples;
use super::layout::{TokenBlock, TokenLayout};
use super::number::Precision;

/// The n + 1 tokens of a prompt; the query is the last one.
///
/// # Why
/// A row holds one coordinate of all tokens: every layer treats all tokens in the same way, so that loops run along
/// rows and use the processor's vector instructions, in a browser too.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentTokens<T> {
    /// Number n + 1 of tokens: one for each example and one for the query.
    count: usize,
    /// The coordinates of all tokens, row-major, `[D, tokens]`: each row holds one coordinate of all tokens.
    values: Vec<T>,
}

impl<T: Precision> DescentTokens<T> {
    /// The tokens of these examples, with the network weights `w`, `[weights]`, in each token, and 0 in the workspace
    /// coordinates.
    pub fn new<W: Precision>(layout: &TokenLayout, examples: &DescentExamples, w: &[W]) -> Self {
        let count = examples.token_count();
        let mut tokens = DescentTokens { count, values: vec![T::default(); layout.len() * count] };
        for i in 0..count {
            let parts = [(TokenBlock::Input, examples.input(i)), (TokenBlock::Label, examples.label(i))];
            for (block, numbers) in parts {
                for (c, number) in layout.block_range(block).zip(numbers) {
                    tokens.row_mut(c)[i] = T::from_f64(*number);
                }
            }
        }
        tokens.set_weights(layout, w);
        tokens.row_mut(layout.one_index()).fill(T::from_f64(1.0));
        tokens.row_mut(layout.example_flag())[..count.saturating_sub(1)].fill(T::from_f64(1.0));
        tokens
    }

    /// Writes the network weights `w`, `[weights]`, into the weight coordinates of every token.
    pub fn set_weights<W: Precision>(&mut self, layout: &TokenLayout, w: &[W]) {
        for (c, w) in layout.block_range(TokenBlock::Weights).zip(w) {
            self.row_mut(c).fill(T::from_f64(w.to_f64()));
        }
    }

    /// Number n + 1 of tokens: one for each example and one for the query.
    pub fn token_count(&self) -> usize {
        self.count
    }

    /// Dimension D of a token: its number of coordinates.
    pub fn dimension(&self) -> usize {
        self.values.len() / self.count.max(1)
    }

    /// The values of coordinate `coordinate`, from 0, in all tokens, `[tokens]`.
    pub fn row(&self, coordinate: usize) -> &[T] {
        &self.values[coordinate * self.count..][..self.count]
    }

    /// The values of coordinate `coordinate`, from 0, in all tokens, mutable, `[tokens]`.
    pub fn row_mut(&mut self, coordinate: usize) -> &mut [T] {
        &mut self.values[coordinate * self.count..][..self.count]
    }

    /// All coordinates of token `i`, `[D]`; tokens 0 to n − 1 hold the examples, and token n the query.
    pub fn token(&self, i: usize) -> Vec<T> {
        self.values.iter().skip(i).step_by(self.count.max(1)).copied().collect()
    }

    /// The weights of the network in the first token, `[weights]`; all other tokens hold the same weights.
    pub fn weights(&self, layout: &TokenLayout) -> Vec<T> {
        layout.block_range(TokenBlock::Weights).map(|c| self.row(c)[0]).collect()
    }

    /// Whether each of the token coordinates in this range has the same value in all tokens.
    pub fn are_equal_in_all_tokens(&self, mut coordinates: Range<usize>) -> bool {
        coordinates.all(|c| {
            let row = self.row(c);
            row.iter().all(|x| *x == row[0])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::network::DescentNetwork;

    #[test]
    fn a_new_token_holds_its_example_the_weights_and_a_zero_workspace() {
        let network = DescentNetwork { hidden: vec![2], ..DescentNetwork::default() };
        let examples = DescentExamples {
            inputs: 2,
            outputs: 1,
            x: vec![0.5, 1.0, -0.5, 1.0, 0.25, 1.0],
            y: vec![3.0, 4.0, 0.0],
        };
        let layout = TokenLayout::new(&network);
        let w = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut tokens = DescentTokens::<f32>::new(&layout, &examples, &w);
        assert_eq!((tokens.token_count(), tokens.dimension()), (3, layout.len()));
        let expected = |x: f32, y: f32, t: f32| {
            let mut token = vec![x, 1.0, y, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
            token.extend([0.0; 10]);
            token.extend([1.0, t]);
            token
        };
        assert_eq!(tokens.token(0), expected(0.5, 3.0, 1.0));
        assert_eq!(tokens.token(1), expected(-0.5, 4.0, 1.0));
        assert_eq!(tokens.token(2), expected(0.25, 0.0, 0.0));
        assert_eq!(tokens.weights(&layout), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(tokens.are_equal_in_all_tokens(layout.block_range(TokenBlock::Weights)));
        tokens.row_mut(layout.neuron_weights(1, 0).start)[1] = 9.0;
        assert!(!tokens.are_equal_in_all_tokens(layout.block_range(TokenBlock::Weights)));
    }
}
