//! Losses and update rules as plain data: settings and formulas that every learner and kernel follows.
#![doc = include_str!("README.md")]

/// Implements the methods of [`UpdateRule`] that read the settings of every optimizer: `lr`, `decay` and `schedule`.
macro_rules! usual_settings {
    () => {
        /// Base learning rate, before the schedule.
        fn rate(&self) -> f64 {
            self.lr
        }

        /// Mutable base learning rate.
        fn rate_mut(&mut self) -> &mut f64 {
            &mut self.lr
        }

        /// Mutable strength λ of the weight decay.
        fn decay_mut(&mut self) -> &mut f64 {
            &mut self.decay
        }

        /// Schedule that multiplies the base learning rate.
        fn schedule(&self) -> &LearningRateSchedule {
            &self.schedule
        }
    };
}

pub mod accuracy;
pub mod adam;
pub mod lion;
pub mod loss;
pub mod muon;
pub mod schedule;
pub mod sgd;

use schedule::LearningRateSchedule;
use vivarium_core::pytorch::ToPyTorch;

vivarium_core::catalog! {
    /// Every optimizer, with its settings.
    pub enum Optimizer {
        /// Stochastic gradient descent.
        sgd::Sgd,
        /// Adam and AdamW.
        adam::Adam,
        lion::Lion,
        muon::Muon,
    }
    /// Update rule of the optimizer, by which learners change the parameters.
    pub fn update_rule(&self) -> &dyn UpdateRule;
    /// Update rule of the optimizer, for changing its learning rate or weight decay.
    pub fn update_rule_mut(&mut self) -> &mut dyn UpdateRule;
    /// Part of a PyTorch script: a function `moved` that creates the optimizer for groups of parameters.
    pub fn script(&self) -> &dyn ToPyTorch;
}

/// Constants of an optimizer's updates: λ of a coupled (L2) weight decay; then the momentum μ of SGD and Muon, or β₁ of
/// Adam and Lion; then 1 − β₁, β₂, 1 − β₂ and ε. Unused ones are 0.
pub type UpdateConstants = [f64; 6];

/// Rule by which an optimizer updates the parameters of a network from their gradients, the same for all learners.
pub trait UpdateRule {
    /// Base learning rate η, before the [schedule](UpdateRule::schedule).
    fn rate(&self) -> f64;
    /// Base learning rate η, before the [schedule](UpdateRule::schedule), for changing it.
    fn rate_mut(&mut self) -> &mut f64;
    /// Strength λ of the weight decay, for changing it.
    fn decay_mut(&mut self) -> &mut f64;
    /// Warm-up and decay of the learning rate, by whose factor the base rate is multiplied in each step.
    fn schedule(&self) -> &LearningRateSchedule;
    /// Largest norm of the gradient of all parameters of a network, to which longer gradients are scaled; 0 for no
    /// clipping.
    fn clip(&self) -> f64 {
        0.0
    }
    /// Number of moment arrays (such as the running means of the gradient and of its square) per parameter, each with
    /// the parameter's shape.
    fn moment_count(&self) -> usize;
    /// Whether the update of an entry depends only on its own gradient and moments, as in all optimizers but Muon.
    fn is_entrywise(&self) -> bool {
        true
    }
    /// Numbers in the update that are the same at every step, such as momentum and weight decay.
    fn constants(&self) -> UpdateConstants;
    /// Numbers in the update of step `step` at learning rate `lr`, which change during a run, as [`Optimizer::scalars`]
    /// lists them.
    fn scalars(&self, step: u64, lr: f64) -> [f32; 4];
}

impl Optimizer {
    /// Base learning rate, before the [schedule](Optimizer::schedule_factor).
    pub fn learning_rate(&self) -> f64 {
        self.update_rule().rate()
    }

    /// Sets the base learning rate, before the schedule, to `lr`.
    pub fn set_learning_rate(&mut self, lr: f64) {
        *self.update_rule_mut().rate_mut() = lr;
    }

    /// Factor on the learning rate in step `step` of a run of `steps` steps: below 1 during warm-up and decay.
    pub fn schedule_factor(&self, step: u64, steps: u64) -> f64 {
        self.update_rule().schedule().factor(step, steps)
    }

    /// Whether the learning rate has a warm-up or a decay.
    pub fn is_scheduled(&self) -> bool {
        self.update_rule().schedule().is_active()
    }

    /// Largest norm of the gradient of all parameters of a network, to which longer gradients are scaled; 0 for no
    /// clipping.
    pub fn clip(&self) -> f64 {
        self.update_rule().clip()
    }

    /// Number of moment arrays (such as the running means of the gradient and of its square) per parameter, each with
    /// the parameter's shape.
    pub fn moment_count(&self) -> usize {
        self.update_rule().moment_count()
    }

    /// Whether the update of an entry depends only on its own gradient and moments, so that CPU loops and GPU kernels
    /// can update entries separately; false for Muon.
    pub fn is_entrywise(&self) -> bool {
        self.update_rule().is_entrywise()
    }

    /// Returns the same optimizer with the strength of its weight decay set to 0.
    pub fn without_decay(&self) -> Optimizer {
        let mut plain = self.clone();
        *plain.update_rule_mut().decay_mut() = 0.0;
        plain
    }

    /// Numbers in the updates that are the same at every step, in the order of [`UpdateConstants`], in single
    /// precision.
    pub fn constants(&self) -> [f32; 6] {
        self.update_rule().constants().map(|number| number as f32)
    }

    /// Four scalars of the update of step `step` at learning rate η = `lr`: η divided by Adam's first bias correction;
    /// Adam's second bias correction; the factor 1 − ηλ of a decoupled weight decay λ; unused.
    pub fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        self.update_rule().scalars(step, lr)
    }
}
