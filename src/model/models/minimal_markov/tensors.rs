//! The minimal model on tensors.

use burn::tensor::Tensor;

use super::{KERNEL, LAGS, MinimalMarkov};
use crate::models::Net;
use crate::models::sequences::{one_hot, past, skewed};
use crate::tasks::Examples;

impl Net for MinimalMarkov {
    /// A row for every symbol of every context: `[replicas, batch · length, symbols]`.
    fn forward(
        &self,
        _examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
    ) -> Tensor<3> {
        let [of_data, batch, columns] = x.dims();
        let length = columns - 1;
        let [replicas, k, _] = parameters[KERNEL].dims();
        let past = past(length, &x.device());
        // Places first, so that what runs along them is one product for all sequences.
        let symbols = one_hot(&x, 0, length, k).reshape([of_data, batch, length, k]).swap_dims(1, 2);
        let lags = parameters[LAGS].clone().expand([replicas, length, length]);
        let by_distance = skewed(lags) * past.clone(); // v_{q−s}, [replicas, q, s]
        let seen = by_distance.matmul(symbols.clone().reshape([of_data, length, batch * k]));
        // Σ_s v_{q−s} W[m, x_s] for every m.
        let seen =
            seen.reshape([replicas, length * batch, k]).matmul(parameters[KERNEL].clone().swap_dims(1, 2));
        let seen = seen.reshape([replicas, length, batch, k, 1]);
        let followed = symbols.clone().reshape([of_data, length, batch, 1, k]) * seen;
        let counts = past.matmul(followed.reshape([replicas, length, batch * k * k]));
        let current = symbols.reshape([of_data, length, batch, k, 1]);
        let outputs = (counts.reshape([replicas, length, batch, k, k]) * current).sum_dim(3);
        outputs.reshape([replicas, length, batch, k]).swap_dims(1, 2).reshape([replicas, batch * length, k])
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; 2]
    }
}
