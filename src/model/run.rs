//! The value that determines a run: task, model, optimizer and the settings of the run itself.

pub mod cells;
pub mod cost;
mod problems;
mod samples;
mod sizes;
pub mod time;
mod validate;
mod written;

pub use sizes::Sizes;

use crate::models::{Architecture, Bound, Model, Network, Rows};
use crate::optim::Optimizer;
use crate::optim::loss::Loss;
use crate::tasks::{Measures, Task};
use vivarium_core::settings::{Axis, Knob, Problem, Range, Settings, Value, axes};
use vivarium_core::{choices, settings};

choices! {
    /// When a run ends.
    pub enum Halt {
        /// When every replica has reached the target accuracy, or at the last step.
        Target = "target", "When the target is reached";
        /// At the last step, whatever happens before.
        Steps = "steps", "At the last step";
    }
}

choices! {
    /// What counts as having found the solution.
    pub enum Success {
        /// Accuracy on held-out examples of at least the target.
        Accuracy = "accuracy", "Held-out accuracy";
        /// Accuracy on what is trained on of at least the target.
        Memory = "memory", "Training accuracy";
        /// Loss on held-out examples of at most the limit.
        Loss = "loss", "Held-out loss";
    }
}

choices! {
    /// Where a run is trained.
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
    /// What trains: the same steps, differently computed.
    pub enum LearnerChoice {
        /// Fused kernels wherever they cover the network, else autodiff.
        Auto = "auto", "Whichever is faster";
        /// Our kernels: many steps in one launch on a GPU, one loop on the CPU.
        Fused = "fused", "Fused kernels";
        /// Burn's automatic differentiation: the reference.
        Autodiff = "autodiff", "Automatic differentiation";
    }
}

settings! {
    /// What is trained towards, for how long, how often it is measured, and from which seed.
    pub struct Run {
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
        halt: Halt = Halt::Target, "halt", "End of the run", Range::Choice(Halt::OPTIONS);
        /// Number of training steps between two measurements of loss and accuracy.
        every: u64 = 50, "every", "Steps between measurements", Range::Int(1, 100_000), "steps";
        /// Number of examples that are used only to measure loss and accuracy, and never in training.
        held_out: usize = 8192, "held", "Held-out examples", Range::Int(64, 65_536), "examples";
        /// Changes of the learning rate during the run: step and new learning rate.
        schedule: Vec<(u64, f64)> = vec![], "lrs", "Learning rate changes", Range::Schedule(0.0, 100.0);
        /// A setting with several values; each value gets a separate run, and the numbers of steps to the target are compared.
        sweep: Axis = Axis::default(), "sweep", "Sweep", Range::Axis;
        /// A second setting of a sweep: one curve for each of its values.
        series: Axis = Axis::default(), "series", "Curves of the sweep", Range::Axis;
        /// Further settings of a sweep, on the command line only; on the page a sweep has at most two settings.
        further: Vec<Axis> = vec![], "further", "Further settings of the sweep", Range::Axes;
        /// Measure that must reach the target accuracy, or the loss limit, for the solution to count as found.
        success: Success = Success::Accuracy, "by", "Found by", Range::Choice(Success::OPTIONS);
        /// Largest held-out loss at which the solution counts as found.
        limit: f64 = 0.1, "limit", "Loss limit", Range::Real(0.0, 100.0), only when "by" = "loss";
        /// Processor on which the networks are trained.
        device: DeviceChoice = DeviceChoice::Auto, "device", "Device", Range::Choice(DeviceChoice::OPTIONS);
        /// Code that computes the training steps; fused kernels compute many steps in one loop, on the CPU or on a GPU.
        learner: LearnerChoice = LearnerChoice::Auto, "learner", "Training code", Range::Choice(LearnerChoice::OPTIONS);
    }
}

/// The part of a specification that a knob belongs to, in the order of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// What there is to learn.
    Task,
    /// What learns.
    Model,
    /// How it learns.
    Optimizer,
    /// For how long, from which seed, where.
    Run,
}

impl Section {
    /// All of them, in order.
    pub const ALL: [Section; 4] = [Section::Task, Section::Model, Section::Optimizer, Section::Run];

    /// The heading in the form.
    pub fn label(self) -> &'static str {
        match self {
            Section::Task => text!("Task"),
            Section::Model => text!("Model"),
            Section::Optimizer => text!("Optimizer"),
            Section::Run => text!("Run"),
        }
    }
}

/// Everything that determines a run. Equal values are the same run.
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
    /// What there is to learn.
    pub task: Task,
    /// What learns.
    pub model: Model,
    /// How it learns.
    pub optimizer: Optimizer,
    /// Loss, batch, seed, length, measuring, device.
    pub run: Run,
}

/// Key that chooses the model.
pub const MODEL_KEY: &str = "model";
/// Key that chooses the optimizer.
pub const OPTIMIZER_KEY: &str = "opt";

impl RunSpec {
    /// The run that a lab's bare link stands for.
    pub fn of_lab(slug: &str) -> Option<Self> {
        let mut spec = RunSpec { task: Task::from_slug(slug)?, ..RunSpec::default() };
        for (key, text) in spec.task.config().default_run() {
            // A test reads all of them.
            let _ = spec.parse(key, text);
        }
        Some(spec)
    }

    /// What files call the numbers of a measurement of this run, and the largest margin where a closed form is known.
    pub fn measures(&self) -> Measures {
        let model = self.model.config();
        let names = model.measures().unwrap_or_else(|| self.task.examples().measures());
        Measures { largest_margin: model.largest_margin(&self.task), ..names }
    }

    /// Examples of one training step.
    pub fn batch(&self) -> usize {
        match self.run.batch {
            0 => self.task.examples().sample_size().unwrap_or(1),
            batch => batch,
        }
    }

    /// Held-out examples that there are, up to those that are wanted.
    pub fn held_out(&self) -> usize {
        self.task.examples().held_out_size().map_or(self.run.held_out, |most| most.min(self.run.held_out))
    }

    /// Every knob of this run with its section, in the order of the form and of the link.
    pub fn knobs(&self) -> Vec<(Section, &'static Knob)> {
        let sections = [
            (Section::Task, self.task.knobs()),
            (Section::Model, self.model.knobs()),
            (Section::Optimizer, self.optimizer.knobs()),
            (Section::Run, Run::KNOBS),
        ];
        sections.into_iter().flat_map(|(s, knobs)| knobs.iter().map(move |k| (s, k))).collect()
    }

    /// The knob behind `key`.
    pub fn knob(&self, key: &str) -> Option<&'static Knob> {
        self.knobs().into_iter().map(|(_, knob)| knob).find(|knob| knob.key == key)
    }

    /// Whether the setting behind `key` has an effect with the others as they are.
    pub fn applies(&self, key: &str) -> bool {
        let only = self.knob(key).and_then(|knob| knob.only);
        let is_chosen = only.is_none_or(|(chooser, chosen)| match self.value(chooser) {
            Some(Value::Choice(choice)) => chosen.contains(&choice.as_str()),
            _ => false,
        });
        is_chosen && !self.task.config().is_idle(key)
    }

    /// The value behind `key`, also for the keys that choose model and optimizer.
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

    /// Sets the value behind `key`.
    ///
    /// # Errors
    /// When no such key exists here or the value is out of range; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), Problem> {
        if let (MODEL_KEY | OPTIMIZER_KEY, Value::Choice(slug)) = (key, value) {
            return self.parse(key, slug);
        }
        let known = self.task.set(key, value)?
            || self.model.set(key, value)?
            || self.optimizer.set(key, value)?
            || self.run.set(key, value)?;
        if known { Ok(()) } else { Err(Problem::new(key, &value.to_string(), tr!("a setting of this run"))) }
    }

    /// Sets the value behind `key` from text, as in a link.
    ///
    /// # Errors
    /// As [`RunSpec::set`].
    pub fn parse(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        match key {
            // What is chosen already keeps its settings, of which a lab may have its own.
            MODEL_KEY if text == self.model.info().slug => Ok(()),
            OPTIMIZER_KEY if text == self.optimizer.info().slug => Ok(()),
            MODEL_KEY => {
                self.model =
                    Model::from_slug(text).ok_or_else(|| Problem::new(key, text, one_of(Model::ENTRIES)))?;
                Ok(())
            }
            OPTIMIZER_KEY => {
                self.optimizer = Optimizer::from_slug(text)
                    .ok_or_else(|| Problem::new(key, text, one_of(Optimizer::ENTRIES)))?;
                Ok(())
            }
            _ => {
                let knob =
                    self.knob(key).ok_or_else(|| Problem::new(key, text, tr!("a setting of this run")))?;
                let whole = |key: &str| self.knob(key).is_some_and(|k| matches!(k.range, Range::Int(..)));
                let spelt = match knob.range {
                    Range::Axis => Axis::spelt(text, whole),
                    Range::Axes => axes::spelt(text, whole),
                    _ => None,
                };
                self.set(key, &knob.parse(spelt.as_deref().unwrap_or(text))?)
            }
        }
    }

    /// The model's architecture, for the task's examples.
    pub fn architecture(&self) -> Bound<'_, dyn Architecture> {
        self.model.architecture(self.task.examples())
    }

    /// The same with what the network answers.
    pub fn network(&self) -> Bound<'_, dyn Network> {
        self.model.network(self.task.examples())
    }

    /// What the model's first parameter is for this task.
    pub fn rows(&self) -> Rows {
        let rows = self.architecture().rows();
        match self.task.examples().form().input() {
            Some(row) if rows != Rows::NONE => Rows { row, ..rows },
            _ => rows,
        }
    }

    /// The parameters of all replicas.
    pub fn parameters(&self) -> Vec<crate::models::Parameter> {
        self.architecture().parameters(self.task.examples().inputs(), self.run.replicas)
    }

    /// The parameters of one replica, each `[rows, columns]`, in one list of `numbers`; none where there are too few of
    /// them, as in a list of another run.
    pub fn parted<'a>(&self, numbers: &'a [f32]) -> Option<Vec<&'a [f32]>> {
        let mut rest = numbers;
        let mut next = |parameter: crate::models::Parameter| {
            let (own, after) = rest.split_at_checked(parameter.shape[1] * parameter.shape[2])?;
            rest = after;
            Some(own)
        };
        self.parameters().into_iter().map(&mut next).collect()
    }

    /// Initial values of the parameters of all replicas, each `[replicas, rows, columns]`.
    ///
    /// A replica starts from its own weights, or, with `inits` initialisations, from those of replica
    /// `replica mod inits`.
    pub fn initial(&self) -> Vec<Vec<f32>> {
        self.initial_of(self.run.replicas)
    }

    /// Those of the first `replicas`.
    pub fn initial_of(&self, replicas: usize) -> Vec<Vec<f32>> {
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

    /// The stage of training step `step`: the steps are divided evenly among the model's stages, of which the
    /// last one stays for ever.
    pub fn stage(&self, step: u64) -> usize {
        let stages = self.architecture().stages() as u64;
        (step.saturating_mul(stages) / self.run.steps).min(stages - 1) as usize
    }

    /// The first step of `stage`.
    pub fn stage_begins(&self, stage: usize) -> u64 {
        (stage as u64 * self.run.steps).div_ceil(self.architecture().stages() as u64)
    }

    /// Learning rate that training step `step` is made with: what is [set](RunSpec::set_rate), times the optimizer's
    /// [share](Optimizer::rate_share) of it.
    pub fn learning_rate(&self, step: u64) -> f64 {
        self.set_rate(step) * self.optimizer.rate_share(step, self.run.steps)
    }

    /// Learning rate that is set at `step`, with the changes made while the run went on.
    pub fn set_rate(&self, step: u64) -> f64 {
        let change = self.run.schedule.iter().rev().find(|(from, _)| *from <= step);
        change.map_or(self.optimizer.learning_rate(), |(_, lr)| *lr)
    }

    /// Records that the learning rate is set to `lr` from `step` on; later changes are forgotten.
    pub fn change_learning_rate(&mut self, step: u64, lr: f64) {
        self.run.schedule.retain(|(from, _)| *from < step);
        if self.set_rate(step) != lr {
            self.run.schedule.push((step, lr));
        }
    }

    /// ε of label smoothing, in single precision as all learners take it; 0 where labels are not smoothed.
    pub fn label_smoothing(&self) -> f32 {
        if self.run.loss == Loss::CrossEntropy { self.run.smoothing as f32 } else { 0.0 }
    }

    /// Floating-point operations of one step over all replicas, roughly.
    pub fn step_flops(&self) -> f64 {
        let one = self.architecture().step_flops(self.task.examples().inputs(), self.batch());
        one * self.run.replicas as f64
    }

    /// The names of the settings in which `self` differs from `other`, with both values.
    pub fn differences(&self, other: &RunSpec) -> Vec<(String, String, String)> {
        let mut keys = vec![MODEL_KEY, OPTIMIZER_KEY];
        keys.extend(self.knobs().iter().map(|(_, k)| k.key));
        let text = |spec: &RunSpec, key: &str| spec.value(key).map(|v| v.to_string()).unwrap_or_default();
        keys.into_iter()
            .map(|key| (key.to_string(), text(other, key), text(self, key)))
            .filter(|(_, before, after)| before != after)
            .collect()
    }
}

fn one_of(entries: &[vivarium_core::catalog::Entry]) -> String {
    let slugs: Vec<_> = entries.iter().map(|e| e.info.slug).collect();
    format!("one of {}", slugs.join(", "))
}

#[cfg(test)]
mod tests;
