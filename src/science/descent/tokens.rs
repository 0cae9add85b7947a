//! The tokens of a prompt, which are all that a transformer of this room sees and writes.

use std::ops::Range;

use super::examples::Examples;
use super::layout::{Block, Layout};
use super::number::Number;

/// n + 1 tokens, the query's last.
///
/// # Why
/// A row holds one coordinate of all tokens, side by side: whatever a layer does, it does to all tokens alike, so that its
/// loops run along rows and become vectors of the processor, in a browser too.
#[derive(Debug, Clone, PartialEq)]
pub struct Tokens<T> {
    count: usize,
    /// `[coordinates, tokens]`.
    values: Vec<T>,
}

impl<T: Number> Tokens<T> {
    /// The tokens of these examples with weights `w` in each, and empty scratch.
    pub fn new<W: Number>(layout: &Layout, examples: &Examples, w: &[W]) -> Self {
        let count = examples.tokens();
        let mut tokens = Tokens { count, values: vec![T::default(); layout.len() * count] };
        for i in 0..count {
            let parts = [(Block::Input, examples.input(i)), (Block::Label, examples.label(i))];
            for (block, numbers) in parts {
                for (c, number) in layout.block(block).zip(numbers) {
                    tokens.row_mut(c)[i] = T::of(*number);
                }
            }
        }
        tokens.put(layout, w);
        tokens.row_mut(layout.one()).fill(T::of(1.0));
        tokens.row_mut(layout.example())[..count.saturating_sub(1)].fill(T::of(1.0));
        tokens
    }

    /// Writes weights `w` into every token.
    pub fn put<W: Number>(&mut self, layout: &Layout, w: &[W]) {
        for (c, w) in layout.block(Block::Weights).zip(w) {
            self.row_mut(c).fill(T::of(w.wide()));
        }
    }

    /// Tokens, n + 1.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Numbers D of a token.
    pub fn dimension(&self) -> usize {
        self.values.len() / self.count.max(1)
    }

    /// One coordinate of all tokens.
    pub fn row(&self, coordinate: usize) -> &[T] {
        &self.values[coordinate * self.count..][..self.count]
    }

    /// The same for changing it.
    pub fn row_mut(&mut self, coordinate: usize) -> &mut [T] {
        &mut self.values[coordinate * self.count..][..self.count]
    }

    /// All numbers of token `i`.
    pub fn token(&self, i: usize) -> Vec<T> {
        self.values.iter().skip(i).step_by(self.count.max(1)).copied().collect()
    }

    /// The weights that the first token carries, and with it every other one.
    pub fn weights(&self, layout: &Layout) -> Vec<T> {
        layout.block(Block::Weights).map(|c| self.row(c)[0]).collect()
    }

    /// Whether these coordinates are the same in all tokens.
    pub fn are_alike(&self, mut coordinates: Range<usize>) -> bool {
        coordinates.all(|c| {
            let row = self.row(c);
            row.iter().all(|x| *x == row[0])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::network::Network;

    #[test]
    fn a_token_holds_its_example_the_weights_and_no_scratch() {
        let network = Network { hidden: vec![2], ..Network::default() };
        let examples = Examples {
            inputs: 2,
            outputs: 1,
            x: vec![0.5, 1.0, -0.5, 1.0, 0.25, 1.0],
            y: vec![3.0, 4.0, 0.0],
        };
        let layout = Layout::new(&network);
        let w = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut tokens = Tokens::<f32>::new(&layout, &examples, &w);
        assert_eq!((tokens.count(), tokens.dimension()), (3, layout.len()));
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
        assert!(tokens.are_alike(layout.block(Block::Weights)));
        tokens.row_mut(layout.weights(1, 0).start)[1] = 9.0;
        assert!(!tokens.are_alike(layout.block(Block::Weights)));
    }
}
