//! The network on tensors.

use burn::tensor::Tensor;
use burn::tensor::activation::{relu, softmax};

use super::{QueryKey, TokenAttention};
use crate::models::Net;
use crate::models::prompts::{self, CODES};
use crate::tasks::Examples;

impl Net for TokenAttention {
    /// A number for every position of every prompt: `[replicas, batch, length]`.
    fn forward(
        &self,
        examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
    ) -> Tensor<3> {
        let prompts = prompts::of(examples);
        let (n, heads, first) = (prompts.length, self.heads, self.first_layer());
        let [read, size] = [self.score_width(&prompts), self.value_width(&prompts)];
        let z = prompts::encoded(&prompts, &parameters[CODES], &x); // [replicas, batch · length, D]
        let [replicas, rows, width] = z.dims();
        let batch = rows / n;
        let s = z.clone().narrow(2, width - read, read);
        // What all heads make of s, with heads before positions: [replicas, batch, heads, length, columns].
        let of_heads = |which: usize| {
            let columns = parameters[which].dims()[2];
            let w = parameters[which].clone().reshape([replicas, heads, read, columns]).swap_dims(1, 2);
            let all = s.clone().matmul(w.reshape([replicas, read, heads * columns]));
            (all.reshape([replicas, batch, n, heads, columns]).swap_dims(2, 3), columns)
        };
        let (queries, columns) = of_heads(1);
        let scores = match self.qk {
            QueryKey::Combined => {
                let queries = queries.reshape([replicas * batch, heads * n, columns]);
                queries.matmul(s.reshape([replicas * batch, n, read]).swap_dims(1, 2))
            }
            QueryKey::Separate => {
                let split = |all: Tensor<5>| all.reshape([replicas * batch * heads, n, columns]);
                let keys = split(of_heads(2).0).swap_dims(1, 2) / (columns as f32).sqrt();
                split(queries).matmul(keys).reshape([replicas * batch, heads * n, n])
            }
        };
        let values = z.narrow(2, 0, size).reshape([replicas * batch, n, size]);
        let given = softmax(scores, 2).matmul(values).reshape([replicas, batch, heads, n, size]);
        let given = given.swap_dims(2, 3).reshape([replicas, rows, heads * size]);
        let hidden = relu(given.matmul(parameters[first].clone()) + parameters[first + 1].clone());
        let outputs = hidden.matmul(parameters[first + 2].clone()) + parameters[first + 3].clone();
        outputs.reshape([replicas, batch, n])
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        let count = self.first_layer() + 4;
        (0..count).map(|which| which != CODES).collect()
    }
}
