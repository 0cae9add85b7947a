//! Specification of a run: task, model, optimizer and the settings of the run itself.

pub mod cells;
pub mod checkpoint;
pub mod cost;
mod problems;
mod samples;
mod sizes;
pub mod time;
mod validate;
mod written;

pub use sizes::RunSizes;

use crate::models::{Architecture, Bound, Model, Network, Rows};
use crate::optim::Optimizer;
use crate::optim::loss::Loss;
use crate::tasks::{MeasureNames, Task};
use vivarium_core::settings::{InvalidSetting, Range, SettingInfo, Settings, SweepAxis, Value, axes};
use vivarium_core::{choices, settings};

choices! {
    /// Condition under which a run ends.
    pub enum StopCondition {
        /// When every replica has reached the target accuracy, or at the last step.
        Target = "target", "When the target is reached";
        /// At the last step, whatever happens before.
        Steps = "steps", "At the last step";
    }
}

choices! {
    /// Criterion for a network having found the solution.
    pub enum SuccessCriterion {
        /// Accuracy on held-out examples of at least the target.
        Accuracy = "accuracy", "Held-out accuracy";
        /// Accuracy on training examples of at least the target.
        Memory = "memory", "Training accuracy";
        /// Loss on held-out examples of at most the limit.
        Loss = "loss", "Held-out loss";
    }
}

choices! {
    /// Choice of the device that trains a run.
    pub enum DeviceChoice {
        /// The faster of the two for this network.
        Auto = "auto", "Whichever is faster";
        /// One core of the processor, with SIMD.
        Cpu = "cpu", "CPU";
        /// WebGPU in a browser; Vulkan, Metal or DirectX elsewhere.
        Gpu = "gpu", "GPU";
    }
}

choices! {
    /// Choice of the code that computes the training steps; all give the same steps up to rounding.
    pub enum LearnerChoice {
        /// Fused kernels where they support the network, else autodiff.
        Auto = "auto", "Whichever is faster";
        /// Our kernels: many steps in one launch on a GPU, one loop on the CPU.
        Fused = "fused", "Fused kernels";
        /// Burn's automatic differentiation: the reference.
        Autodiff = "autodiff", "Automatic differentiation";
    }
}

settings! {
    /// Settings of a run besides task, model and optimizer: loss, batch, seed, length, measurements, sweep and device.
    pub struct RunSettings {
        /// The loss that training minimises.
        loss: Loss = Loss::Hinge, "loss", "Loss", Range::Choice(Loss::OPTIONS);
        /// Share ε of each label that is spread evenly over all classes in training; the measured losses have no smoothing.
        smoothing: f64 = 0.0, "ls", "Label smoothing ε", Range::Real(0.0, 1.0), only when "loss" = "ce";
        /// Number of examples per training step; 0 uses the whole training sample, if there is a fixed sample.
        batch: usize = 32, "batch", "Batch size B", Range::Int(0, 4096), "examples";
        /// Number from which data and initial weights are generated; the same seed gives the same run.
        seed: u64 = 0, "seed", "Seed", Range::Int(0, 9_007_199_254_740_991);
        /// Number of networks that are trained side by side, with different initial weights and data.
        replicas: usize = 1, "replicas", "Replicas", Range::Int(1, 4096), "networks";
        /// Number of different initialisations, used by the replicas in turn; every replica has different data. 0: one for each replica.
        inits: usize = 0, "inits", "Initialisations", Range::Int(0, 4096);
        /// Last training step; the run may stop earlier.
        steps: u64 = 20_000, "steps", "Last step", Range::Int(1, 10_000_000), "steps";
        /// Smallest accuracy at which the solution counts as found.
        target: f64 = 1.0, "target", "Target accuracy", Range::Real(0.5, 1.0);
        /// Whether the run ends as soon as every replica has reached the target, or only at the last step.
        halt: StopCondition = StopCondition::Target, "halt", "End of the run", Range::Choice(StopCondition::OPTIONS);
        /// Number of training steps between two measurements of loss and accuracy.
        every: u64 = 50, "every", "Steps between measurements", Range::Int(1, 100_000), "steps";
        /// Number of examples that are used only to measure loss and accuracy, and never in training.
        held_out: usize = 8192, "held", "Held-out examples", Range::Int(64, 65_536), "examples";
        /// Changes of the learning rate during the run: step and new learning rate.
        schedule: Vec<(u64, f64)> = vec![], "lrs", "Learning rate changes", Range::Schedule(0.0, 100.0);
        /// A setting with several values; each value gets a separate run, and the numbers of steps to the target are compared.
        sweep: SweepAxis = SweepAxis::default(), "sweep", "Sweep", Range::Axis;
        /// A second setting of a sweep: one curve for each of its values.
        series: SweepAxis = SweepAxis::default(), "series", "Curves of the sweep", Range::Axis;
        /// Further settings of a sweep, on the command line only; on the page a sweep has at most two settings.
        further: Vec<SweepAxis> = vec![], "further", "Further settings of the sweep", Range::Axes;
        /// Measure that must reach the target accuracy, or the loss limit, for the solution to count as found.
        success: SuccessCriterion = SuccessCriterion::Accuracy, "by", "Found by", Range::Choice(SuccessCriterion::OPTIONS);
        /// Largest held-out loss at which the solution counts as found.
        limit: f64 = 0.1, "limit", "Loss limit", Range::Real(0.0, 100.0), only when "by" = "loss";
        /// Processor on which the networks are trained.
        device: DeviceChoice = DeviceChoice::Auto, "device", "Device", Range::Choice(DeviceChoice::OPTIONS);
        /// Code that computes the training steps; fused kernels compute many steps in one loop, on the CPU or on a GPU.
        learner: LearnerChoice = LearnerChoice::Auto, "learner", "Training code", Range::Choice(LearnerChoice::OPTIONS);
    }
}

/// Section of the settings form: task, model, optimizer or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormSection {
    /// Task that is learned.
    Task,
    /// Model that is trained.
    Model,
    /// Optimizer of the training.
    Optimizer,
    /// Length, seed, measurements and device.
    Run,
}

impl FormSection {
    /// Every section, in the order of the form.
    pub const ALL: [FormSection; 4] =
        [FormSection::Task, FormSection::Model, FormSection::Optimizer, FormSection::Run];

    /// Heading of the section in the settings form, in the language of the page.
    pub fn label(self) -> &'static str {
        match self {
            FormSection::Task => text!("Task"),
            FormSection::Model => text!("Model"),
            FormSection::Optimizer => text!("Optimizer"),
            FormSection::Run => text!("Run"),
        }
    }
}

/// Specification of a run: everything that determines it. Runs of equal specifications are equal.
///
/// ```
/// use vivarium_model::run::RunSpec;
/// let mut spec = RunSpec::default();
/// spec.parse("width", "64").unwrap();
/// assert!(spec.parse("width", "0").is_err());
/// assert_eq!(spec.value("width").unwrap().to_string(), "64");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSpec {
    /// Task that the network learns, with its settings.
    pub task: Task,
    /// Model that is trained, with its settings.
    pub model: Model,
    /// Optimizer that trains the model, with its settings.
    pub optimizer: Optimizer,
    /// Other settings: loss, batch, seed, length, measurements, sweep and device.
    pub run: RunSettings,
}

/// Key, in links and on the command line, of the setting that chooses the model.
pub const MODEL_KEY: &str = "model";
/// Key, in links and on the command line, of the setting that chooses the optimizer.
pub const OPTIMIZER_KEY: &str = "opt";

impl RunSpec {
    /// Default run of the lab whose task has this slug.
    pub fn default_of_lab(slug: &str) -> Option<Self> {
        let mut spec = RunSpec { task: Task::from_slug(slug)?, ..RunSpec::default() };
        for (key, text) in spec.task.config().default_run() {
            // A test checks that all of them are valid.
            let _ = spec.parse(key, text);
        }
        Some(spec)
    }

    /// Names of the measures of this run in CSV and JSON files, with the largest possible margin where a closed form is
    /// known.
    pub fn measure_names(&self) -> MeasureNames {
        let model = self.model.config();
        let names = model.measures().unwrap_or_else(|| self.task.examples().measure_names());
        MeasureNames { largest_margin: model.largest_margin(&self.task), ..names }
    }

    /// Number of examples of one training step: the setting of the batch size, or the size of the training set if that
    /// setting is 0.
    pub fn batch_size(&self) -> usize {
        match self.run.batch {
            0 => self.task.examples().training_set_size().unwrap_or(1),
            batch => batch,
        }
    }

    /// Number of held-out examples: as many as the setting states, or all that exist if there are fewer.
    pub fn held_out_count(&self) -> usize {
        self.task.examples().held_out_count().map_or(self.run.held_out, |most| most.min(self.run.held_out))
    }

    /// Every setting of this run with its section, in the order of the form and of the link.
    pub fn settings(&self) -> Vec<(FormSection, &'static SettingInfo)> {
        let sections = [
            (FormSection::Task, self.task.settings()),
            (FormSection::Model, self.model.settings()),
            (FormSection::Optimizer, self.optimizer.settings()),
            (FormSection::Run, RunSettings::SETTINGS),
        ];
        sections.into_iter().flat_map(|(s, settings)| settings.iter().map(move |k| (s, k))).collect()
    }

    /// Setting with this key; None if the run has no such setting.
    pub fn setting(&self, key: &str) -> Option<&'static SettingInfo> {
        self.settings().into_iter().map(|(_, setting)| setting).find(|setting| setting.key == key)
    }

    /// Whether the setting `key` has an effect with the current values of the other settings.
    pub fn has_effect(&self, key: &str) -> bool {
        let condition = self.setting(key).and_then(|setting| setting.condition);
        let is_chosen = condition.is_none_or(|(chooser, chosen)| match self.value(chooser) {
            Some(Value::Choice(choice)) => chosen.contains(&choice.as_str()),
            _ => false,
        });
        is_chosen && !self.task.config().has_no_effect(key)
    }

    /// Value of the setting `key`, also for the keys that choose model and optimizer.
    pub fn value(&self, key: &str) -> Option<Value> {
        match key {
            MODEL_KEY => Some(Value::Choice(self.model.info().slug.to_string())),
            OPTIMIZER_KEY => Some(Value::Choice(self.optimizer.info().slug.to_string())),
            _ => self
                .task
                .value(key)
                .or_else(|| self.model.value(key))
                .or_else(|| self.optimizer.value(key))
                .or_else(|| self.run.value(key)),
        }
    }

    /// Sets the value of the setting `key`.
    ///
    /// # Errors
    /// If the run has no such setting or the value is invalid; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), InvalidSetting> {
        if let (MODEL_KEY | OPTIMIZER_KEY, Value::Choice(slug)) = (key, value) {
            return self.parse(key, slug);
        }
        let known = self.task.set(key, value)?
            || self.model.set(key, value)?
            || self.optimizer.set(key, value)?
            || self.run.set(key, value)?;
        if known {
            Ok(())
        } else {
            Err(InvalidSetting::new(key, &value.to_string(), tr!("a setting of this run")))
        }
    }

    /// Sets the value of the setting `key` from a text as it is written in a link.
    ///
    /// # Errors
    /// As [`RunSpec::set`].
    pub fn parse(&mut self, key: &str, text: &str) -> Result<(), InvalidSetting> {
        match key {
            // A model that is already chosen keeps its settings, which may be the lab's own defaults.
            MODEL_KEY if text == self.model.info().slug => Ok(()),
            OPTIMIZER_KEY if text == self.optimizer.info().slug => Ok(()),
            MODEL_KEY => {
                self.model = Model::proposed(text, &self.task)
                    .ok_or_else(|| InvalidSetting::new(key, text, describe_options(Model::ENTRIES)))?;
                Ok(())
            }
            OPTIMIZER_KEY => {
                self.optimizer = Optimizer::from_slug(text)
                    .ok_or_else(|| InvalidSetting::new(key, text, describe_options(Optimizer::ENTRIES)))?;
                Ok(())
            }
            _ => {
                let setting = self
                    .setting(key)
                    .ok_or_else(|| InvalidSetting::new(key, text, tr!("a setting of this run")))?;
                let is_whole =
                    |key: &str| self.setting(key).is_some_and(|k| matches!(k.range, Range::Int(..)));
                let expanded = match setting.range {
                    Range::Axis => SweepAxis::expand_range(text, is_whole),
                    Range::Axes => axes::expand_ranges(text, is_whole),
                    _ => None,
                };
                self.set(key, &setting.parse(expanded.as_deref().unwrap_or(text))?)
            }
        }
    }

    /// Architecture of the model (its parameters and sizes), bound to the task's examples.
    pub fn architecture(&self) -> Bound<'_, dyn Architecture> {
        self.model.architecture(self.task.examples())
    }

    /// Network of the model with its forward pass, bound to the task's examples.
    pub fn network(&self) -> Bound<'_, dyn Network> {
        self.model.network(self.task.examples())
    }

    /// Names for the rows and columns of the model's first parameter in this task, as charts show them.
    pub fn rows(&self) -> Rows {
        let rows = self.architecture().rows();
        match self.task.data().form().input_word() {
            Some(row) if rows != Rows::NONE => Rows { row, ..rows },
            _ => rows,
        }
    }

    /// Names, shapes `[replicas, rows, columns]` and kinds of the model's parameters.
    pub fn parameters(&self) -> Vec<crate::models::Parameter> {
        self.architecture().parameters(self.task.examples().inputs(), self.run.replicas)
    }

    /// Splits the concatenated parameters of one replica into slices `[rows, columns]`; None if there are too few
    /// numbers, as in the parameters of another run.
    pub fn split_parameters<'a>(&self, flat: &'a [f32]) -> Option<Vec<&'a [f32]>> {
        let mut rest = flat;
        let mut next = |parameter: crate::models::Parameter| {
            let (own, after) = rest.split_at_checked(parameter.shape[1] * parameter.shape[2])?;
            rest = after;
            Some(own)
        };
        self.parameters().into_iter().map(&mut next).collect()
    }

    /// Initial values of the parameters of all replicas, each `[replicas, rows, columns]`.
    ///
    /// Each replica has its own initial weights, or, with `inits` initialisations, those of replica
    /// `replica mod inits`.
    pub fn initialize_parameters(&self) -> Vec<Vec<f32>> {
        self.initialize_replicas(self.run.replicas)
    }

    /// Initial values of the parameters of the first `replicas` replicas, as [`RunSpec::initialize_parameters`] returns
    /// them for all.
    pub fn initialize_replicas(&self, replicas: usize) -> Vec<Vec<f32>> {
        let inputs = self.task.examples().inputs();
        let different = if self.run.inits == 0 { replicas } else { self.run.inits.min(replicas) };
        // A network that is constructed is the same in every replica.
        let mut initial = match self.model.config().constructed(&self.task, self.run.seed) {
            Some(one) => one.into_iter().map(|values| values.repeat(different)).collect(),
            None => self.architecture().initial(self.run.seed, inputs, different),
        };
        for values in &mut initial {
            let length = values.len() / different;
            for replica in different..replicas {
                let from = replica % different * length;
                values.extend_from_within(from..from + length);
            }
        }
        initial
    }

    /// Training stage, from 0, of step `step`: layerwise training divides the steps evenly among the stages, and the
    /// last stage never ends; other models have one stage.
    pub fn stage(&self, step: u64) -> usize {
        let stages = self.architecture().stages() as u64;
        (step.saturating_mul(stages) / self.run.steps).min(stages - 1) as usize
    }

    /// First training step of stage number `stage` (from 0) of layerwise training; step 0 for models that are trained
    /// in one stage.
    pub fn first_step_of_stage(&self, stage: usize) -> u64 {
        (stage as u64 * self.run.steps).div_ceil(self.architecture().stages() as u64)
    }

    /// Learning rate of training step `step`: the rate [before the schedule](RunSpec::learning_rate_before_schedule),
    /// times the schedule's [factor](Optimizer::schedule_factor).
    pub fn learning_rate(&self, step: u64) -> f64 {
        self.learning_rate_before_schedule(step) * self.optimizer.schedule_factor(step, self.run.steps)
    }

    /// Learning rate at `step` before the optimizer's schedule, including the changes made during the run.
    pub fn learning_rate_before_schedule(&self, step: u64) -> f64 {
        let change = self.run.schedule.iter().rev().find(|(from, _)| *from <= step);
        change.map_or(self.optimizer.learning_rate(), |(_, lr)| *lr)
    }

    /// Records that the learning rate is set to `lr` from step `step` on, and forgets changes at that step or later.
    pub fn change_learning_rate(&mut self, step: u64, lr: f64) {
        self.run.schedule.retain(|(from, _)| *from < step);
        if self.learning_rate_before_schedule(step) != lr {
            self.run.schedule.push((step, lr));
        }
    }

    /// Label smoothing ε in single precision; 0 for losses without smoothing.
    pub fn label_smoothing(&self) -> f32 {
        if self.run.loss == Loss::CrossEntropy { self.run.smoothing as f32 } else { 0.0 }
    }

    /// Estimated number of floating-point operations of one training step of all replicas together.
    pub fn step_flops(&self) -> f64 {
        let inputs = self.task.examples().inputs();
        let one = self.architecture().step_flops(inputs, self.batch_size());
        let update = match &self.optimizer {
            Optimizer::Muon(muon) => {
                let all = self.architecture().parameters(inputs, 1);
                all.iter().map(|own| muon.update_flops(own.shape[1], own.shape[2])).sum()
            }
            _ => 0.0,
        };
        (one + update) * self.run.replicas as f64
    }

    /// Settings in which `self` differs from `other`: key, value in `other`, value in `self`.
    pub fn list_differences(&self, other: &RunSpec) -> Vec<(String, String, String)> {
        let mut keys = vec![MODEL_KEY, OPTIMIZER_KEY];
        keys.extend(self.settings().iter().map(|(_, k)| k.key));
        let text = |spec: &RunSpec, key: &str| spec.value(key).map(|v| v.to_string()).unwrap_or_default();
        keys.into_iter()
            .map(|key| (key.to_string(), text(other, key), text(self, key)))
            .filter(|(_, before, after)| before != after)
            .collect()
    }
}

/// Lists the valid slugs of a catalog (of tasks, models or optimizers) for an error message: "one of a, b, c".
fn describe_options(entries: &[vivarium_core::catalog::CatalogEntry]) -> String {
    let slugs: Vec<_> = entries.iter().map(|e| e.info.slug).collect();
    format!("one of {}", slugs.join(", "))
}

#[cfg(test)]
mod tests;
