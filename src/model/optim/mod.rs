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
    /// Update rule of the optimizer, for the learners.
    pub fn update_rule(&self) -> &dyn UpdateRule;
    /// Mutable update rule, for changing the learning rate or the weight decay.
    pub fn update_rule_mut(&mut self) -> &mut dyn UpdateRule;
    /// Part of a PyTorch script: a function `moved` that creates the optimizer for groups of parameters.
    pub fn script(&self) -> &dyn ToPyTorch;
}

/// Constants of an optimizer's updates: λ of a coupled (L2) weight decay; then the momentum μ of SGD and Muon, or β₁ of
/// Adam and Lion; then 1 − β₁, β₂, 1 − β₂ and ε. Unused ones are 0.
pub type UpdateConstants = [f64; 6];

/// Update rule of an optimizer, as all learners apply it.
pub trait UpdateRule {
    /// Base learning rate η, before the [schedule](UpdateRule::schedule).
    fn rate(&self) -> f64;
    /// Mutable base learning rate.
    fn rate_mut(&mut self) -> &mut f64;
    /// Mutable strength λ of the weight decay.
    fn decay_mut(&mut self) -> &mut f64;
    /// Schedule that multiplies the base learning rate.
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
    /// Constants of the updates, the same at every step.
    fn constants(&self) -> UpdateConstants;
    /// Scalars of the update of step `step` at learning rate `lr`, as [`Optimizer::scalars`] lists them.
    fn scalars(&self, step: u64, lr: f64) -> [f32; 4];
}

impl Optimizer {
    /// Base learning rate, before the [schedule](Optimizer::schedule_factor).
    pub fn learning_rate(&self) -> f64 {
        self.update_rule().rate()
    }

    /// Sets the base learning rate.
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

    /// Returns the optimizer with weight decay 0.
    pub fn without_decay(&self) -> Optimizer {
        let mut plain = self.clone();
        *plain.update_rule_mut().decay_mut() = 0.0;
        plain
    }

    /// The [`UpdateConstants`] in single precision.
    pub fn constants(&self) -> [f32; 6] {
        self.update_rule().constants().map(|number| number as f32)
    }

    /// Four scalars of the update of step `step` at learning rate η = `lr`: η divided by Adam's first bias correction;
    /// Adam's second bias correction; the factor 1 − ηλ of a decoupled weight decay λ; unused.
    pub fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        self.update_rule().scalars(step, lr)
    }
}
