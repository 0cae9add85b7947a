//! Models: what learns. Settings and initial weights are plain data; the networks themselves need `train`.

pub mod activation;
pub mod disjoint_polynet;
pub mod initialisation;
pub mod mlp;
pub mod polynet;

use std::borrow::Cow;

pub use activation::Activation;
pub use disjoint_polynet::DisjointPolynet;
pub use initialisation::Initialisation;
pub use mlp::Mlp;
pub use polynet::Polynet;

use crate::settings::Problem;

crate::catalog! {
    /// Every model, with its settings.
    pub enum Model {
        /// Two-layer perceptron.
        Mlp,
        /// Product of linear forms.
        Polynet,
        /// Product of linear forms in blocks of the input.
        DisjointPolynet,
    }
}

/// A parameter of a model: its name and its shape, the replica axis first.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Parameter {
    /// Permanent name, used in checkpoints.
    pub name: String,
    /// `[replicas, rows, columns]`.
    pub shape: [usize; 3],
}

impl Parameter {
    /// A parameter `name` of `[replicas, rows, columns]`.
    pub fn new(name: &str, shape: [usize; 3]) -> Self {
        Parameter { name: name.to_string(), shape }
    }

    /// Numbers in it, over all replicas.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it holds no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What every model can do without a tensor library.
pub trait Architecture {
    /// The parameters, in their permanent order.
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter>;
    /// Initial values of the parameters, each `[replicas, rows, columns]`, from `seed` alone.
    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>>;
    /// Floating-point operations of one training step on one replica, roughly; it decides the device.
    fn step_flops(&self, inputs: usize, batch: usize) -> f64;
    /// What cannot be in these settings, or not with inputs of this size, each with what would be right.
    fn problems(&self, _inputs: usize) -> Vec<Problem> {
        vec![]
    }
    /// The first layer of one replica, if it is linear in the input.
    ///
    /// # Shapes
    /// `weights` are those of one replica, in the order of [`Architecture::parameters`]; the result is W,
    /// `[inputs, width]`, and b, `[width]`, of the forms z = xW + b.
    fn first_layer<'a>(&self, _weights: &[&'a [f32]], _inputs: usize) -> Option<Forms<'a>> {
        None
    }
    /// f, given the values z of the first layer's forms, and ∂f/∂z in `slopes`: for exact population gradients.
    /// Only for models that have a [first layer](Architecture::first_layer).
    fn head(&self, weights: &[&[f32]], z: &[f64], slopes: &mut [f64]) -> f64;
    /// f for every row of `x`, in plain loops: for probes, where no tensor library is.
    ///
    /// # Shapes
    /// `weights` as in [`Architecture::first_layer`]; `x` is `[examples, inputs]`; the result is `[examples]`.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<f32> {
        let Some((w, b)) = self.first_layer(weights, inputs) else {
            unreachable!("a model without a linear first layer evaluates itself")
        };
        let mut slopes = vec![0.0; b.len()];
        x.chunks_exact(inputs)
            .map(|x| {
                let mut z: Vec<f64> = b.iter().map(|b| f64::from(*b)).collect();
                for (x, row) in x.iter().zip(w.chunks_exact(b.len())) {
                    z.iter_mut().zip(row).for_each(|(z, w)| *z += f64::from(x * w));
                }
                self.head(weights, &z, &mut slopes) as f32
            })
            .collect()
    }
}

/// Linear forms: their weights `[inputs, width]` and biases `[width]`.
pub type Forms<'a> = (Cow<'a, [f32]>, Cow<'a, [f32]>);

/// Π z_j, and in `slopes` the product of all but each: without a quotient, since a factor may be zero.
fn product(z: &[f64], slopes: &mut [f64]) -> f64 {
    for (j, slope) in slopes.iter_mut().enumerate() {
        *slope = z[..j].iter().chain(&z[j + 1..]).product();
    }
    z.iter().product()
}

impl Model {
    /// The model's architecture.
    pub fn architecture(&self) -> &dyn Architecture {
        match self {
            Model::Mlp(model) => model,
            Model::Polynet(model) => model,
            Model::DisjointPolynet(model) => model,
        }
    }
}

/// A model on tensors.
#[cfg(feature = "train")]
pub trait Net {
    /// Outputs for a batch.
    ///
    /// # Shapes
    /// Parameters as in [`Architecture::parameters`]; `x` is `[replicas or 1, batch, inputs]`; the result is
    /// `[replicas, batch, 1]`.
    fn forward(
        &self,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
    ) -> burn::tensor::Tensor<3>;
    /// Which parameters are trained.
    fn trained(&self) -> Vec<bool>;
}

#[cfg(feature = "train")]
impl Model {
    /// The model on tensors.
    pub fn net(&self) -> &dyn Net {
        match self {
            Model::Mlp(model) => model,
            Model::Polynet(model) => model,
            Model::DisjointPolynet(model) => model,
        }
    }
}
