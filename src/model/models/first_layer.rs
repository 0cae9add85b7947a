//! Networks whose first layer is linear in the input: its forms, and the network after them.
//!
//! # Why
//! Exact population gradients need the forms z and ∂f/∂z, and the outputs of all such networks are computed by one loop over
//! the examples.

use std::borrow::Cow;

/// Linear forms: their weights `[inputs, width]` and biases `[width]`.
pub type Forms<'a> = (Cow<'a, [f32]>, Cow<'a, [f32]>);

/// A network whose first layer is linear in the input.
pub trait LinearFirstLayer {
    /// The first layer of one replica.
    ///
    /// # Shapes
    /// `weights` are those of one replica, in the order of [`Architecture::parameters`](super::Architecture::parameters); the
    /// result is W, `[inputs, width]`, and b, `[width]`, of the forms z = xW + b.
    fn first_layer<'a>(&self, weights: &[&'a [f32]], inputs: usize) -> Forms<'a>;

    /// f in `stage`, given the values z of the first layer's forms; writes ∂f/∂z to `gradient`, of the length of `z`.
    fn head(&self, weights: &[&[f32]], z: &[f64], gradient: &mut [f64], stage: usize) -> f64;
}

/// f in `stage` for every row of `x`, as [`Network::evaluate`](super::Network::evaluate); one function for all models.
pub(super) fn evaluate(
    network: &dyn LinearFirstLayer,
    weights: &[&[f32]],
    inputs: usize,
    x: &[f32],
    stage: usize,
) -> Vec<f32> {
    let (w, b) = network.first_layer(weights, inputs);
    let mut gradient = vec![0.0; b.len()];
    x.chunks_exact(inputs)
        .map(|x| {
            let mut z: Vec<f64> = b.iter().map(|b| f64::from(*b)).collect();
            for (x, row) in x.iter().zip(w.chunks_exact(b.len())) {
                z.iter_mut().zip(row).for_each(|(z, w)| *z += f64::from(x * w));
            }
            network.head(weights, &z, &mut gradient, stage) as f32
        })
        .collect()
}

/// Π z_j; writes the product of all but each factor to `gradient`: without a quotient, since a factor may be zero.
pub(super) fn product(z: &[f64], gradient: &mut [f64]) -> f64 {
    for (j, derivative) in gradient.iter_mut().enumerate() {
        *derivative = z[..j].iter().chain(&z[j + 1..]).product();
    }
    z.iter().product()
}
