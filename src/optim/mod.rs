//! Losses and update rules as plain data: settings and formulas that every learner and kernel follows.
#![doc = include_str!("README.md")]

pub mod adam;
pub mod loss;
pub mod sgd;

crate::catalog! {
    /// Every optimizer, with its settings.
    pub enum Optimizer {
        /// Stochastic gradient descent.
        sgd::Sgd,
        /// Adam and AdamW.
        adam::Adam,
    }
}

impl Optimizer {
    /// The learning rate that is set; see [`Optimizer::rate_share`].
    pub fn learning_rate(&self) -> f64 {
        match self {
            Optimizer::Sgd(sgd) => sgd.lr,
            Optimizer::Adam(adam) => adam.lr,
        }
    }

    /// The share of the learning rate that step `step` of a run of `steps` is made with: less than 1 where it warms up or
    /// decays.
    pub fn rate_share(&self, step: u64, steps: u64) -> f64 {
        match self {
            Optimizer::Sgd(_) => 1.0,
            Optimizer::Adam(adam) => adam.rate_share(step, steps),
        }
    }

    /// Whether that share is ever less than 1.
    pub fn is_scheduled(&self) -> bool {
        match self {
            Optimizer::Sgd(_) => false,
            Optimizer::Adam(adam) => adam.warm > 0 || adam.cool != adam::Cooling::None,
        }
    }

    /// Norm to which the gradient of all parameters of a network is shortened; 0 where it never is.
    pub fn clip(&self) -> f64 {
        match self {
            Optimizer::Sgd(_) => 0.0,
            Optimizer::Adam(adam) => adam.clip,
        }
    }

    /// Moment arrays kept for every parameter, each of the parameter's shape.
    pub fn moments(&self) -> usize {
        match self {
            Optimizer::Sgd(sgd) => usize::from(sgd.momentum > 0.0),
            Optimizer::Adam(_) => 2,
        }
    }
}

impl Optimizer {
    /// The same without weight decay.
    pub fn without_decay(&self) -> Optimizer {
        let mut plain = self.clone();
        match &mut plain {
            Optimizer::Sgd(sgd) => sgd.decay = 0.0,
            Optimizer::Adam(adam) => adam.decay = 0.0,
        }
        plain
    }

    /// What holds for every update: λ of a coupled decay, then μ, or β₁, 1 − β₁, β₂, 1 − β₂ and ε.
    pub fn constants(&self) -> [f32; 6] {
        let numbers = match self {
            Optimizer::Sgd(sgd) => [sgd.decay, sgd.momentum, 0.0, 0.0, 0.0, 0.0],
            Optimizer::Adam(adam) => {
                let coupled = if adam.kind == adam::Decay::Coupled { adam.decay } else { 0.0 };
                [coupled, adam.beta1, 1.0 - adam.beta1, adam.beta2, 1.0 - adam.beta2, adam.epsilon]
            }
        };
        numbers.map(|number| number as f32)
    }

    /// What the update of `step` at learning rate `lr` is scaled by: the rate, Adam's corrections included; the
    /// second correction; what a decoupled decay leaves of a weight; nothing.
    pub fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        match self {
            Optimizer::Sgd(_) => [lr as f32, 1.0, 1.0, 0.0],
            Optimizer::Adam(adam) => adam.scalars(step, lr),
        }
    }
}
