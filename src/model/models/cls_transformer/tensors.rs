//! The network on tensors.

use burn::tensor::activation::softmax;
use burn::tensor::{Tensor, TensorData};

use super::{
    B1, B2, BIASES, ClsTransformer, DEPTH, EPSILON, GAINS, HEAD, KEY, Norm, OUT, POSITIONS, QUERY, SHIFTS,
    TOKENS, VALUE, W1, W2,
};
use crate::models::Net;
use crate::models::dropout::{Masks, Site};
use crate::models::parity_transformer::gelu;
use crate::tasks::Examples;

impl ClsTransformer {
    /// Layer norm `which` of the rows of `x`, `[replicas, rows, embedding]`.
    fn normed(&self, parameters: &[Tensor<3>], which: usize, x: Tensor<3>) -> Tensor<3> {
        if self.norm == Norm::None {
            return x;
        }
        let row = |of: usize| parameters[of].clone().narrow(1, which, 1);
        let centred = x.clone() - x.mean_dim(2);
        let deviation = ((centred.clone() * centred.clone()).mean_dim(2) + EPSILON as f32).sqrt();
        centred / deviation * row(GAINS) + row(SHIFTS)
    }

    /// What every token has in common with the examples: weight times value of each bit at each place and of `[CLS]`,
    /// and the weight itself, `[replicas, 2·inputs + 1, heads·(size + 1)]`; bits 0 first, then bits 1, then `[CLS]`.
    fn table(&self, parameters: &[Tensor<3>], cls: &Tensor<3>) -> Tensor<3> {
        let parameter = |which: usize| parameters[which].clone();
        let row = |which: usize, row: usize| parameter(which).narrow(1, row, 1);
        let [replicas, inputs, width] = parameters[POSITIONS].dims();
        let (heads, size, tokens) = (self.heads, width / self.heads, 2 * inputs + 1);
        let ones = parameter(POSITIONS) + row(TOKENS, 0);
        let zeros = parameter(POSITIONS) + row(TOKENS, 1);
        let table = self.normed(parameters, 0, Tensor::cat(vec![zeros, ones, cls.clone()], 1));
        let query = table.clone().narrow(1, 2 * inputs, 1).matmul(parameter(QUERY)) + row(BIASES, 0);
        // Scores are linear in a token: one direction for each head.
        let towards = parameter(KEY) * (query / (size as f32).sqrt());
        let towards =
            towards.reshape([replicas, width, heads, size]).sum_dim(3).reshape([replicas, width, heads]);
        let scores = table.clone().matmul(towards); // [replicas, tokens, heads]
        // The same for all, so that it has no gradient.
        let largest = scores.clone().detach().max_dim(1);
        let weights = (scores - largest).clamp_min(-DEPTH as f32).exp();
        let weights = weights.reshape([replicas, tokens, heads, 1]);
        let values = table.matmul(parameter(VALUE)) + row(BIASES, 1);
        let values = values.reshape([replicas, tokens, heads, size]) * weights.clone();
        Tensor::cat(vec![values, weights], 3).reshape([replicas, tokens, heads * (size + 1)])
    }
}

impl ClsTransformer {
    /// What `[CLS]` begins with and what its heads make of the tokens, `[replicas, batch, embedding]` each, where tokens or
    /// attention weights are dropped: keys and values are those of each example by itself.
    fn attend_with_dropout(
        &self,
        parameters: &[Tensor<3>],
        x: &Tensor<3>,
        cls: Tensor<3>,
        masks: Masks,
    ) -> [Tensor<3>; 2] {
        let parameter = |which: usize| parameters[which].clone();
        let row = |which: usize, row: usize| parameter(which).narrow(1, row, 1);
        let ([replicas, inputs, width], [of_x, batch, _]) = (parameters[POSITIONS].dims(), x.dims());
        let (heads, size, tokens) = (self.heads, width / self.heads, inputs + 1);
        let mask = |site: Site, rate: f64, [rows, columns]: [usize; 2]| {
            let numbers = masks.of_replicas(site, rate, replicas, batch * rows * columns);
            let data = TensorData::new(numbers, [replicas, batch, rows, columns]);
            Tensor::<4>::from_data(data, &parameters[POSITIONS].device())
        };
        let one = ((x.clone() + 1.0) * 0.5).reshape([of_x, batch, inputs, 1]);
        let code = |which: usize| row(TOKENS, which).reshape([replicas, 1, 1, width]);
        let bits = one.clone() * code(0) + (-one + 1.0) * code(1);
        let bits = bits + parameter(POSITIONS).reshape([replicas, 1, inputs, width]);
        let last = cls.reshape([replicas, 1, 1, width]).expand([replicas, batch, 1, width]);
        let mut all = Tensor::cat(vec![bits, last], 2); // [replicas, batch, tokens, embedding]
        if self.dropout.embedding > 0.0 {
            all = all * mask(Site::Embedding, self.dropout.embedding, [tokens, width]);
        }
        let begin = all.clone().narrow(2, inputs, 1).reshape([replicas, batch, width]);
        let y = self.normed(parameters, 0, all.reshape([replicas, batch * tokens, width]));
        let last = y.clone().reshape([replicas, batch, tokens, width]).narrow(2, inputs, 1);
        let query = last.reshape([replicas, batch, width]).matmul(parameter(QUERY)) + row(BIASES, 0);
        let query = (query / (size as f32).sqrt()).reshape([replicas, batch, 1, heads, size]);
        let key = y.clone().matmul(parameter(KEY)).reshape([replicas, batch, tokens, heads, size]);
        let scores = (key * query).sum_dim(4).reshape([replicas, batch, tokens, heads]);
        let mut weights = softmax(scores, 2);
        if self.dropout.attention > 0.0 {
            let mask = mask(Site::Attention, self.dropout.attention, [heads, tokens]);
            weights = weights * mask.swap_dims(2, 3);
        }
        let value = y.matmul(parameter(VALUE)) + row(BIASES, 1);
        let value = value.reshape([replicas, batch, tokens, heads, size]);
        let mixed = (value * weights.reshape([replicas, batch, tokens, heads, 1])).sum_dim(2);
        [begin, mixed.reshape([replicas, batch, width])]
    }

    /// What the heads make of the tokens, `[replicas, batch, embedding]`, from the [table](ClsTransformer::table).
    fn attend(&self, parameters: &[Tensor<3>], x: Tensor<3>, cls: &Tensor<3>) -> Tensor<3> {
        let [_, batch, _] = x.dims();
        let [replicas, _, width] = parameters[POSITIONS].dims();
        let (heads, size) = (self.heads, width / self.heads);
        let one = (x + 1.0) * 0.5;
        let always = one.clone().narrow(2, 0, 1).ones_like();
        let bits = Tensor::cat(vec![-one.clone() + 1.0, one, always], 2); // [replicas or 1, batch, tokens]
        let seen = bits.matmul(self.table(parameters, cls)).reshape([replicas, batch, heads, size + 1]);
        let mixed = seen.clone().narrow(3, 0, size) / seen.narrow(3, size, 1);
        mixed.reshape([replicas, batch, width])
    }

    /// The outputs for `x`, where the network is trained with the numbers dropped that `masks` say.
    fn outputs(&self, parameters: &[Tensor<3>], x: Tensor<3>, masks: Option<Masks>) -> Tensor<3> {
        let parameter = |which: usize| parameters[which].clone();
        let row = |which: usize, row: usize| parameter(which).narrow(1, row, 1);
        let rate = self.dropout.residual;
        let dropped = |z: Tensor<3>, site: Site| match masks {
            Some(masks) if rate > 0.0 => {
                let [replicas, batch, width] = z.dims();
                let numbers = masks.of_replicas(site, rate, replicas, batch * width);
                let mask = TensorData::new(numbers, [replicas, batch, width]);
                let device = z.device();
                z * Tensor::<3>::from_data(mask, &device)
            }
            _ => z,
        };
        let cls = row(TOKENS, 2) + row(TOKENS, 3);
        let [begin, mixed] = match masks {
            Some(masks) if self.has_own_tokens() => self.attend_with_dropout(parameters, &x, cls, masks),
            _ => {
                let mixed = self.attend(parameters, x, &cls);
                [cls, mixed]
            }
        };
        let attended = mixed.matmul(parameter(OUT)) + row(BIASES, 2); // [replicas, batch, embedding]
        let z = dropped(attended, Site::AttentionOutput) + begin;
        let h = gelu(self.normed(parameters, 1, z.clone()).matmul(parameter(W1)) + parameter(B1));
        let z = z + dropped(h.matmul(parameter(W2)) + parameter(B2), Site::MlpOutput);
        let classes = self.normed(parameters, 2, z).matmul(parameter(HEAD)); // [replicas, batch, 2]
        classes.clone().narrow(2, 1, 1) - classes.narrow(2, 0, 1)
    }
}

impl Net for ClsTransformer {
    fn forward(
        &self,
        _examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
    ) -> Tensor<3> {
        self.outputs(parameters, x, None)
    }

    fn forward_in_training(
        &self,
        _examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
        masks: Masks,
    ) -> Tensor<3> {
        self.outputs(parameters, x, Some(masks))
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        let normed = self.norm == Norm::Layer;
        (0..=HEAD).map(|which| normed || !matches!(which, GAINS | SHIFTS)).collect()
    }
}
