//! The update rules of [`vivarium_model::optim`] on tensors.

use burn::tensor::Tensor;

use super::orthogonal::orthogonal;
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::{Adam, Lion, Muon, Optimizer, Sgd, UpdateRule};

/// One parameter, gradient or moment: `[replicas, rows, columns]`.
pub type Array = Tensor<3>;

/// One parameter's update rule on tensors.
pub trait Update {
    /// The parameter after one step of `gradient` at learning rate `lr`; `step` counts from 0, and
    /// `moments` is what the optimizer remembers of this parameter (zeros at the start).
    ///
    /// # Shapes
    /// All tensors are `[replicas, rows, columns]`.
    fn update(&self, parameter: Array, gradient: Array, moments: &mut [Array], lr: f64, step: u64) -> Array;
}

/// The update rule of an optimizer.
pub fn update_rule(optimizer: &Optimizer) -> &dyn Update {
    match optimizer {
        Optimizer::Sgd(sgd) => sgd,
        Optimizer::Adam(adam) => adam,
        Optimizer::Lion(lion) => lion,
        Optimizer::Muon(muon) => muon,
    }
}

impl Update for Adam {
    fn update(&self, parameter: Array, gradient: Array, moments: &mut [Array], lr: f64, step: u64) -> Array {
        let [rate, unbias, keep, _] = self.scalars(step, lr);
        let (mut parameter, mut g) = (parameter, gradient);
        if self.decay > 0.0 {
            match self.kind {
                WeightDecayKind::Coupled => g = g + parameter.clone() * self.decay as f32,
                WeightDecayKind::Decoupled => parameter = parameter * keep,
            }
        }
        let [mean, square] = moments else { unreachable!("Adam keeps two moments") };
        *mean = mean.clone() * self.beta1 as f32 + g.clone() * (1.0 - self.beta1) as f32;
        *square = square.clone() * self.beta2 as f32 + g.clone() * g * (1.0 - self.beta2) as f32;
        let denominator = (square.clone() / unbias).sqrt() + self.epsilon as f32;
        parameter - mean.clone() * rate / denominator
    }
}

impl Update for Sgd {
    fn update(&self, parameter: Array, gradient: Array, moments: &mut [Array], lr: f64, _step: u64) -> Array {
        let mut push = gradient;
        if self.decay > 0.0 {
            push = push + parameter.clone() * self.decay as f32;
        }
        if let Some(velocity) = moments.first_mut() {
            let next = velocity.clone() * self.momentum as f32 + push.clone();
            *velocity = next.clone();
            push = if self.is_nesterov() { push + next * self.momentum as f32 } else { next };
        }
        parameter - push * lr as f32
    }
}

impl Update for Lion {
    fn update(&self, parameter: Array, gradient: Array, moments: &mut [Array], lr: f64, step: u64) -> Array {
        let [rate, _, keep, _] = self.scalars(step, lr);
        let [mean] = moments else { unreachable!("Lion keeps one moment") };
        let push = mean.clone() * self.beta1 as f32 + gradient.clone() * (1.0 - self.beta1) as f32;
        *mean = mean.clone() * self.beta2 as f32 + gradient * (1.0 - self.beta2) as f32;
        // Burn's sign of what is no number is 0, which would hide that the run has diverged.
        let sign = push.clone().sign() + (push.clone() - push);
        parameter * keep - sign * rate
    }
}

impl Update for Muon {
    fn update(&self, parameter: Array, gradient: Array, moments: &mut [Array], lr: f64, step: u64) -> Array {
        let [_, rows, columns] = parameter.dims();
        if rows == 1 || columns == 1 {
            let (adam, lr) = self.vector_optimizer(lr);
            return adam.update(parameter, gradient, moments, lr, step);
        }
        let [rate, _, keep, _] = self.scalars(step, lr);
        let [sums, _] = moments else { unreachable!("Muon keeps two moments") };
        *sums = sums.clone() * self.momentum as f32 + gradient.clone();
        let push = orthogonal(gradient + sums.clone() * self.momentum as f32, self.iterations);
        parameter * keep - push * (rate * Muon::update_scale(rows, columns) as f32)
    }
}
