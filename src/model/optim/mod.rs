//! Losses and update rules as plain data: settings and formulas that every learner and kernel follows.
#![doc = include_str!("README.md")]

/// The parts of an [`UpdateRule`] that are settings of every optimizer: `lr`, `decay` and `schedule`.
macro_rules! usual_settings {
    () => {
        fn rate(&self) -> f64 {
            self.lr
        }

        fn rate_mut(&mut self) -> &mut f64 {
            &mut self.lr
        }

        fn decay_mut(&mut self) -> &mut f64 {
            &mut self.decay
        }

        fn schedule(&self) -> &Schedule {
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

use schedule::Schedule;
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
    /// What learners ask of it.
    pub fn update_rule(&self) -> &dyn UpdateRule;
    /// The same for putting a rate or a decay in.
    pub fn update_rule_mut(&mut self) -> &mut dyn UpdateRule;
    /// The optimizer's part of a PyTorch script: a function `moved` that makes it for groups of parameters.
    pub fn script(&self) -> &dyn ToPyTorch;
}

/// What holds for every update: λ of a coupled decay, then μ, or β₁, 1 − β₁, β₂, 1 − β₂ and ε.
pub type Constants = [f64; 6];

/// What every learner asks of an optimizer.
pub trait UpdateRule {
    /// The learning rate that is set; see [`UpdateRule::schedule`].
    fn rate(&self) -> f64;
    /// The same, to be changed.
    fn rate_mut(&mut self) -> &mut f64;
    /// The strength of the weight decay, to be changed.
    fn decay_mut(&mut self) -> &mut f64;
    /// How the learning rate changes along a run.
    fn schedule(&self) -> &Schedule;
    /// As [`Optimizer::clip`].
    fn clip(&self) -> f64 {
        0.0
    }
    /// As [`Optimizer::moments`].
    fn moments(&self) -> usize;
    /// As [`Optimizer::is_entrywise`].
    fn is_entrywise(&self) -> bool {
        true
    }
    /// As [`Optimizer::constants`].
    fn constants(&self) -> Constants;
    /// As [`Optimizer::scalars`].
    fn scalars(&self, step: u64, lr: f64) -> [f32; 4];
}

impl Optimizer {
    /// The learning rate that is set; see [`Optimizer::rate_share`].
    pub fn learning_rate(&self) -> f64 {
        self.update_rule().rate()
    }

    /// The same with another one.
    pub fn set_learning_rate(&mut self, lr: f64) {
        *self.update_rule_mut().rate_mut() = lr;
    }

    /// The share of the learning rate that step `step` of a run of `steps` is made with: less than 1 where it warms up or
    /// decays.
    pub fn rate_share(&self, step: u64, steps: u64) -> f64 {
        self.update_rule().schedule().share(step, steps)
    }

    /// Whether that share is ever less than 1.
    pub fn is_scheduled(&self) -> bool {
        self.update_rule().schedule().is_set()
    }

    /// Norm to which the gradient of all parameters of a network is shortened; 0 where it never is.
    pub fn clip(&self) -> f64 {
        self.update_rule().clip()
    }

    /// Moment arrays kept for every parameter, each of the parameter's shape.
    pub fn moments(&self) -> usize {
        self.update_rule().moments()
    }

    /// Whether a number moves by its own gradient and moments alone, so that loops and kernels can move one after the other.
    pub fn is_entrywise(&self) -> bool {
        self.update_rule().is_entrywise()
    }

    /// The same without weight decay.
    pub fn without_decay(&self) -> Optimizer {
        let mut plain = self.clone();
        *plain.update_rule_mut().decay_mut() = 0.0;
        plain
    }

    /// [`Constants`] in single precision.
    pub fn constants(&self) -> [f32; 6] {
        self.update_rule().constants().map(|number| number as f32)
    }

    /// What the update of `step` at learning rate `lr` is scaled by: the rate, Adam's corrections included; the
    /// second correction; what a decoupled decay leaves of a weight; nothing.
    pub fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        self.update_rule().scalars(step, lr)
    }
}
