//! What a learner is: something that makes training steps on all replicas and can be measured and saved.

use std::future::Future;
use std::pin::Pin;

use crate::protocol::{Failure, Row};

/// A future on one thread; tensors stay where they were made.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + 'a>>;

/// Parameters and optimizer memory as plain numbers, in the order of `Architecture::parameters`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    /// One array per parameter, `[replicas, rows, columns]`.
    pub parameters: Vec<Vec<f32>>,
    /// For every parameter, the optimizer's moments, each of the parameter's shape.
    pub moments: Vec<Vec<Vec<f32>>>,
}

/// Trains all replicas of one run. The steps themselves come from [`crate::training::session::Session`].
pub trait Learner {
    /// Makes the training step number `step` at learning rate `lr`; it may still be under way on return.
    fn train(&mut self, step: u64, lr: f64);

    /// Loss and accuracy before training step `step`, on what is trained on and on the first `held_out`
    /// held-out examples.
    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Row>;

    /// The weights now.
    fn weights(&self) -> Local<'_, Weights>;

    /// Parameter number `which` of the first replica, `[rows, columns]`.
    fn parameter(&self, which: usize) -> Local<'_, Vec<f32>>;

    /// Replaces the weights, for instance with those of a checkpoint.
    fn load(&mut self, weights: &Weights);

    /// Remembers the weights of now, cheaply, for [`Learner::restore`].
    fn remember(&mut self);

    /// Goes back to what was remembered.
    fn restore(&mut self);
}
