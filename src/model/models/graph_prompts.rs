//! Prompts as inputs of networks that are described by a graph: a vector of numbers for each token, and predictions at some or all
//! of the tokens.
//!
//! A prompt of tokens that name other tokens has the vectors z_i of [`prompts`](super::prompts), and a prediction at each. A prompt
//! of points of a function is interleaved, as in Garg et al. (2022): (x, 0) and (0, y) of each point one after the other, with a
//! prediction at x.

use crate::tasks::TaskData;
use vivarium_science::tokens::TokenPrompts;

/// Prompts of a task, as a network reads them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PromptInput {
    /// Tokens that name other tokens. The codes of positions are the network's first parameter, which is not trained.
    Tokens(TokenPrompts),
    /// Points of a function.
    Points {
        /// Numbers of an input.
        inputs: usize,
        /// Number of points of a prompt.
        points: usize,
    },
}

impl PromptInput {
    /// Prompts of a task with this data; none for other data.
    pub fn of(data: &TaskData) -> Option<Self> {
        match data {
            TaskData::Prompts(prompts) => Some(PromptInput::Tokens(*prompts)),
            TaskData::Points(prompts) => {
                Some(PromptInput::Points { inputs: prompts.inputs(), points: prompts.points })
            }
            _ => None,
        }
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        match self {
            PromptInput::Tokens(prompts) => prompts.length,
            PromptInput::Points { points, .. } => 2 * points,
        }
    }

    /// Numbers of a token.
    pub fn size(&self) -> usize {
        match self {
            PromptInput::Tokens(prompts) => prompts.encoded_dim(),
            PromptInput::Points { inputs, .. } => inputs + 1,
        }
    }

    /// Numbers of the row of a prompt in a batch.
    pub fn row_len(&self) -> usize {
        match self {
            PromptInput::Tokens(prompts) => prompts.row_len(),
            PromptInput::Points { inputs, points } => points * (inputs + 1),
        }
    }

    /// Rows and columns of the codes of positions, if the network has any.
    pub fn codes(&self) -> Option<[usize; 2]> {
        match self {
            PromptInput::Tokens(prompts) => Some([prompts.length, prompts.code_dim]),
            PromptInput::Points { .. } => None,
        }
    }

    /// Whether a token may depend on the tokens before it alone, because those after it contain its label.
    pub fn is_causal(&self) -> bool {
        matches!(self, PromptInput::Points { .. })
    }

    /// Distance from a token with a prediction to the next one; the first token has a prediction.
    pub fn label_distance(&self) -> usize {
        match self {
            PromptInput::Tokens(_) => 1,
            PromptInput::Points { .. } => 2,
        }
    }

    /// The labels in the row of a prompt.
    pub fn labels<'a>(&self, row: &'a [f32]) -> &'a [f32] {
        &row[row.len() - self.tokens() / self.label_distance()..]
    }

    /// Appends the tokens of prompts, `[prompts, tokens, size]`.
    ///
    /// # Shapes
    /// `rows` is `[prompts, row_len]`; `codes` as [`PromptInput::codes`] says.
    pub fn append_tokens(&self, codes: &[f32], rows: &[f32], out: &mut Vec<f32>) {
        for row in rows.chunks_exact(self.row_len()) {
            match self {
                PromptInput::Tokens(prompts) => prompts.append_encoded(codes, row, out),
                PromptInput::Points { inputs, points } => {
                    let (x, y) = row.split_at(inputs * points);
                    for (x, y) in x.chunks_exact(*inputs).zip(y) {
                        out.extend_from_slice(x);
                        out.resize(out.len() + 1 + inputs, 0.0);
                        out.push(*y);
                    }
                }
            }
        }
    }

    /// As [`PromptInput::append_tokens`], on tensors: `[replicas or 1, batch, tokens · size]`.
    ///
    /// # Shapes
    /// `x` is `[replicas or 1, batch, row_len]`; `first` is the network's first parameter.
    #[cfg(feature = "train")]
    pub fn token_tensor(
        &self,
        first: &burn::tensor::Tensor<3>,
        x: burn::tensor::Tensor<3>,
    ) -> burn::tensor::Tensor<3> {
        let [groups, batch, _] = x.dims();
        match *self {
            PromptInput::Tokens(of) => {
                let z = super::prompts::encoded(&of, first, &x);
                let replicas = z.dims()[0];
                z.reshape([replicas, batch, self.tokens() * self.size()])
            }
            PromptInput::Points { inputs, .. } => {
                interleave(x, inputs, false).reshape([groups, batch, self.tokens() * self.size()])
            }
        }
    }

    /// The predictions among the outputs at all tokens.
    ///
    /// # Shapes
    /// `outputs` is `[replicas, batch · tokens, 1]`, the result `[replicas, batch, labels]`.
    #[cfg(feature = "train")]
    pub fn predictions(&self, outputs: burn::tensor::Tensor<3>) -> burn::tensor::Tensor<3> {
        let [replicas, rows, _] = outputs.dims();
        let (batch, distance) = (rows / self.tokens(), self.label_distance());
        let labels = self.tokens() / distance;
        outputs
            .reshape([replicas, batch * labels, distance])
            .narrow(2, 0, 1)
            .reshape([replicas, batch, labels])
    }
}

/// Two tokens for each point, one after the other: (x, 0), and (0, y) or, if `repeats_inputs`, (x, y).
///
/// # Shapes
/// `x` is `[replicas or 1, batch, points · (inputs + 1)]`, the result `[replicas or 1, batch · 2 · points, inputs + 1]`.
#[cfg(feature = "train")]
pub fn interleave(
    x: burn::tensor::Tensor<3>,
    inputs: usize,
    repeats_inputs: bool,
) -> burn::tensor::Tensor<3> {
    let [groups, batch, columns] = x.dims();
    let points = columns / (inputs + 1);
    let y = x.clone().narrow(2, points * inputs, points).reshape([groups, batch * points, 1]);
    let x = x.narrow(2, 0, points * inputs).reshape([groups, batch * points, inputs]);
    let again = if repeats_inputs { x.clone() } else { x.zeros_like() };
    let tokens = burn::tensor::Tensor::cat(vec![x, y.zeros_like(), again, y], 2);
    tokens.reshape([groups, batch * 2 * points, inputs + 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_interleaved_and_have_predictions_at_their_inputs() {
        let input = PromptInput::Points { inputs: 2, points: 3 };
        let row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let mut tokens = vec![];
        input.append_tokens(&[], &row, &mut tokens);
        let expected = [
            [1.0, 2.0, 0.0],
            [0.0, 0.0, 7.0],
            [3.0, 4.0, 0.0],
            [0.0, 0.0, 8.0],
            [5.0, 6.0, 0.0],
            [0.0, 0.0, 9.0],
        ];
        assert_eq!(tokens, expected.concat());
        assert_eq!((input.tokens(), input.size(), input.row_len()), (6, 3, 9));
        assert_eq!(input.labels(&row), [7.0, 8.0, 9.0]);
    }
}
