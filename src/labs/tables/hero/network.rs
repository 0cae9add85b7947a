//! The run's network on many inputs that differ in two columns only.
//!
//! # Why
//! The reference evaluation also computes gradients, in double precision. A map needs hundreds of outputs within a frame, so
//! it is computed here in single precision from the shared part of the first layer; a test compares both.

use vivarium_core::math::{add_scaled, dot};
use vivarium_model::models::family::{Family, Head};
use vivarium_model::models::{Activation, deep_mlp, mlp};
use vivarium_model::run::RunSpec;

/// Multiply-adds for one output, given the part of the first layer that all inputs share; `None` for networks that are not
/// perceptrons with one output.
pub(super) fn operations_per_output(spec: &RunSpec) -> Option<usize> {
    match spec.model.config().family()? {
        Family::OneHiddenLayer(layer) if layer.head == Head::Sum => Some(3 * layer.width),
        Family::HiddenLayers(deep) => {
            let between: usize = deep.widths.windows(2).map(|pair| pair.iter().product::<usize>()).sum();
            Some(2 * deep.widths.first()? + between + deep.widths.last()?)
        }
        _ => None,
    }
}

/// Weights of a perceptron of one or more hidden layers with one output.
pub(super) struct Layers<'a> {
    /// For each hidden layer W, `[inputs, width]`, and b, `[width]`.
    hidden: Vec<(&'a [f32], &'a [f32])>,
    /// Output weights u, one for each neuron of the last hidden layer, and the bias β.
    output: (&'a [f32], f32),
    /// Activation of the hidden neurons.
    activation: Activation,
    /// Degree of the activation.
    degree: usize,
}

impl<'a> Layers<'a> {
    /// The layers of the run's network after `step` steps, from the parameter tensors of one replica; `None` if tensors are
    /// missing or the network is of another kind.
    pub(super) fn new(spec: &RunSpec, tensors: &'a [Vec<f32>], step: u64) -> Option<Layers<'a>> {
        let tensor = |at: usize| tensors.get(at).map(Vec::as_slice);
        match spec.model.config().family()? {
            Family::OneHiddenLayer(layer) if layer.head == Head::Sum => Some(Layers {
                hidden: vec![(tensor(mlp::W)?, tensor(mlp::B)?)],
                output: (tensor(mlp::U)?, *tensor(mlp::BETA)?.first()?),
                activation: layer.activation,
                degree: layer.degree,
            }),
            Family::HiddenLayers(deep) => {
                let stage = spec.stage(step);
                let layer = |at: usize| Some((tensor(deep_mlp::w(at))?, tensor(deep_mlp::b(at))?));
                let u = deep.u(stage);
                Some(Layers {
                    hidden: (0..=deep.top(stage)).map(layer).collect::<Option<Vec<_>>>()?,
                    output: (tensor(u)?, *tensor(u + 1)?.first()?),
                    activation: deep.activation,
                    degree: deep.degree,
                })
            }
            _ => None,
        }
    }

    /// σ of one number.
    fn activate(&self, z: f32) -> f32 {
        match self.activation {
            Activation::Relu => z.max(0.0),
            activation => activation.value_and_slope(self.degree, f64::from(z)).0 as f32,
        }
    }

    /// Outputs for the input `base`, `[inputs]`, in which the two columns `axes` have each of these pairs of values.
    pub(super) fn outputs(&self, base: &[f32], axes: [usize; 2], values: &[[f32; 2]]) -> Vec<f32> {
        let Some((w, b)) = self.hidden.first() else { return vec![] };
        let width = b.len();
        let row = |column: usize| w.get(column * width..(column + 1) * width).unwrap_or(&[]);
        let mut shared = b.to_vec();
        for (column, x) in base.iter().enumerate().filter(|(column, _)| !axes.contains(column)) {
            add_scaled(&mut shared, *x, row(column));
        }
        let [first, second] = axes.map(row);
        let (mut below, mut above): (Vec<f32>, Vec<f32>) = (vec![], vec![]);
        let output = |[x, y]: &[f32; 2]| {
            below.clone_from(&shared);
            add_scaled(&mut below, *x, first);
            add_scaled(&mut below, *y, second);
            below.iter_mut().for_each(|z| *z = self.activate(*z));
            for (w, b) in self.hidden.iter().skip(1) {
                above.clear();
                above.extend_from_slice(b);
                for (h, row) in below.iter().zip(w.chunks_exact(b.len().max(1))) {
                    // About half of the neurons of a ReLU layer are off.
                    if *h != 0.0 {
                        add_scaled(&mut above, *h, row);
                    }
                }
                above.iter_mut().for_each(|z| *z = self.activate(*z));
                std::mem::swap(&mut below, &mut above);
            }
            dot(&below, self.output.0) + self.output.1
        };
        values.iter().map(output).collect()
    }
}
