//! Models: what learns. Settings and initial weights are plain data; the networks themselves need `train`.

pub mod activation;
pub mod initialisation;
pub mod mlp;
pub mod polynet;

pub use activation::Activation;
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
    /// What cannot be in these settings, each with what would be right.
    fn problems(&self) -> Vec<Problem>;
}

impl Model {
    /// The model's architecture.
    pub fn architecture(&self) -> &dyn Architecture {
        match self {
            Model::Mlp(model) => model,
            Model::Polynet(model) => model,
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
        }
    }
}
