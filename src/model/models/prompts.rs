//! Prompts of tokens as networks see them: z_i = \[x_i; s·ω_i; s·ω_{t_i1}; …; s·ω_{t_iq}\], with codes ω that are the
//! first parameter of every network on prompts and are never trained.
//!
//! # Why
//! The codes are a parameter, so that whoever has the weights of a network has all that its outputs depend on. On
//! tensors a name becomes its code by a product with a one-hot vector ([`super::lookup`]).

use super::{Parameter, Rows};
use vivarium_science::tokens::TokenPrompts;

/// Place of the codes in the parameters of every network on prompts.
pub const CODES: usize = 0;

/// What the first parameter of these networks is.
pub const CODES_OF_POSITIONS: Rows =
    Rows {
        name: "Codes of positions ω", symbol: "ω", row: "position", column: "component", entry: "number"
    };

/// The codes of all positions, `[replicas, length, code_dim]`.
pub fn codes(prompts: &TokenPrompts, replicas: usize) -> Parameter {
    Parameter::new("codes", [replicas, prompts.length, prompts.code_dim])
}

/// Their values, the same in all replicas.
pub fn initial_codes(prompts: &TokenPrompts, seed: u64, replicas: usize) -> Vec<f32> {
    prompts.draw_position_codes(seed).repeat(replicas)
}

/// Numbers per prompt in the largest tensor that [`encoded`] makes: one-hot names or tokens with their codes.
pub fn encoded_numbers(prompts: &TokenPrompts) -> u64 {
    let names = vivarium_core::bounds::saturating_product([prompts.length, prompts.length, prompts.names]);
    names.max(vivarium_core::bounds::saturating_product([prompts.length, prompts.encoded_dim()]))
}

/// z of all positions of a prompt in double precision, `[length, width]`, and its labels.
pub fn wide(prompts: &TokenPrompts, codes: &[f64], row: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let ((tokens, names, labels), scale) = (prompts.split_row(row), f64::from(prompts.code_scale()));
    let code =
        |position: usize| codes[position * prompts.code_dim..][..prompts.code_dim].iter().map(|x| x * scale);
    let mut z = Vec::with_capacity(prompts.length * prompts.encoded_dim());
    for (i, (token, list)) in tokens.chunks(prompts.dim).zip(names.chunks(prompts.names)).enumerate() {
        z.extend(token.iter().map(|x| f64::from(*x)));
        z.extend(code(i));
        list.iter().for_each(|name| z.extend(code(*name as usize)));
    }
    (z, labels.iter().map(|y| f64::from(*y)).collect())
}

/// z of all positions of all prompts; the codes pass no gradient on.
///
/// # Shapes
/// `codes` is `[replicas, length, code_dim]`, `x` is `[replicas or 1, batch, columns]`; the result is
/// `[replicas, batch · length, width]`.
#[cfg(feature = "train")]
pub fn encoded(
    prompts: &TokenPrompts,
    codes: &burn::tensor::Tensor<3>,
    x: &burn::tensor::Tensor<3>,
) -> burn::tensor::Tensor<3> {
    use burn::tensor::Tensor;
    let TokenPrompts { length, dim, names, code_dim, .. } = *prompts;
    let ([replicas, ..], [of_x, batch, _]) = (codes.dims(), x.dims());
    let codes = codes.clone().detach() * prompts.code_scale();
    let tokens = x.clone().narrow(2, 0, length * dim).reshape([of_x, batch * length, dim]);
    let tokens = tokens.expand([replicas, batch * length, dim]);
    let own = codes.clone().reshape([replicas, 1, length * code_dim]);
    let own = own.expand([replicas, batch, length * code_dim]).reshape([replicas, batch * length, code_dim]);
    let all = x.clone().narrow(2, length * dim, length * names).reshape([of_x, batch * length * names, 1]);
    let named = super::lookup::one_hot(&all, 0, length).matmul(codes); // [replicas, batch · length · names, code_dim]
    let named = named.reshape([replicas, batch * length, names * code_dim]);
    Tensor::cat(vec![tokens, own, named], 2)
}

/// The prompts of a task on which such networks are, or of another task any.
pub fn of(examples: &dyn crate::tasks::Examples) -> TokenPrompts {
    examples.data().prompts().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Batch, Sampler, SparseTokenRegression};
    use vivarium_science::tokens::PositionCodes;

    #[test]
    fn wide_numbers_are_those_that_prompts_write() {
        let task =
            SparseTokenRegression { length: 5, dim: 3, codes: PositionCodes::Random, ..Default::default() };
        let (prompts, mut batch) = (task.prompt_spec(), Batch::default());
        task.sample(1, 0, 0, 3, &mut batch);
        let codes = prompts.draw_position_codes(1);
        let wide_codes: Vec<f64> = codes.iter().map(|x| f64::from(*x)).collect();
        for row in batch.x.chunks(prompts.row_len()) {
            let mut narrow = vec![];
            prompts.append_encoded(&codes, row, &mut narrow);
            let (z, labels) = wide(&prompts, &wide_codes, row);
            assert_eq!(z.len(), 5 * prompts.encoded_dim());
            assert!(z.iter().zip(&narrow).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-6));
            assert_eq!(labels.iter().map(|y| *y as f32).collect::<Vec<_>>(), prompts.split_row(row).2);
        }
    }
}
