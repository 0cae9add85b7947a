//! Sizes of a run from its settings alone, compared with the [limits](vivarium_core::bounds) before anything is built.

use std::cell::RefCell;

use super::RunSpec;
use crate::models::{Model, exceeds_memory};
use crate::tasks::Task;
use vivarium_core::bounds::{
    MAX_HELD_OUT_ENTRIES, MAX_RUN_MEMORY_FLOATS, MAX_TENSOR_ENTRIES, saturating_product,
};
use vivarium_core::settings::{InvalidSetting, Range, SettingInfo, Value};

/// Numbers of 4-byte floats that a run holds, by use. For invalid settings they may exceed any machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSizes {
    /// Weights of all replicas: the sum of `replicas · rows · columns` over the parameters.
    pub weights: u64,
    /// Inputs of the examples of one training step, or class scores if these are more numbers: `replicas · batch ·
    /// max(columns, classes)`.
    pub data: u64,
    /// Inputs of the fixed training sets of all replicas: `replicas · examples · columns`.
    pub samples: u64,
    /// Inputs of the held-out examples that all replicas share: `examples · columns`.
    pub held_out: u64,
    /// Held-out examples of all replicas, `replicas · examples · columns`, if each replica has its own; else 0.
    pub splits: u64,
    /// Largest tensor of activations of a step that autodiff computes: `replicas · batch · activations`. Hand-written
    /// loops and kernels compute a step in parts.
    pub activations: u64,
}

/// Task, model and numbers that determine how many floats a run holds, to recognise runs of equal size.
#[derive(PartialEq)]
struct SizeInputs {
    /// Task whose examples the run holds.
    task: Task,
    /// Model whose parameters the run holds.
    model: Model,
    /// Steps, steps between measurements, replicas, batch, held-out examples, moments, whether autodiff trains, inputs,
    /// size of the training set.
    numbers: [u64; 9],
}

thread_local! {
    /// Size-determining settings of the last run that was small enough: runs of a sweep that differ only in seeds or
    /// learning rates need no new check.
    static LAST_VALID: RefCell<Option<SizeInputs>> = const { RefCell::new(None) };
}

impl RunSpec {
    /// Numbers of floats that this run holds; its task must have no [invalid
    /// settings](crate::tasks::Examples::invalid_settings).
    pub fn sizes(&self) -> RunSizes {
        let examples = self.task.examples();
        let (inputs, columns) = (examples.inputs(), examples.columns());
        let (batch, replicas, held_out) = (self.batch_size(), self.run.replicas, self.held_out_count());
        let activations = self.architecture().activations(inputs);
        RunSizes {
            weights: self.architecture().numbers(inputs, replicas),
            data: saturating_product([replicas, batch, columns.max(examples.classes().unwrap_or(1))]),
            samples: saturating_product([replicas, examples.training_set_size().unwrap_or(0), columns]),
            held_out: saturating_product([held_out, columns]),
            splits: if examples.has_held_out_per_replica() {
                saturating_product([replicas, held_out, columns])
            } else {
                0
            },
            activations: saturating_product([replicas as u64, batch as u64, activations]),
        }
    }

    /// Errors if model, examples and replicas are together too large; not computed again for a run with the sizes of
    /// the last valid run.
    pub(super) fn invalid_sizes(&self) -> Vec<InvalidSetting> {
        let examples = self.task.examples();
        let sized = SizeInputs {
            task: self.task.clone(),
            model: self.model.clone(),
            numbers: [
                self.run.steps,
                self.run.every,
                self.run.replicas as u64,
                self.run.batch as u64,
                self.run.held_out as u64,
                self.optimizer.moment_count() as u64,
                u64::from(self.uses_autodiff()),
                // An uploaded table is no setting.
                examples.inputs() as u64,
                examples.training_set_size().unwrap_or(0) as u64,
            ],
        };
        if LAST_VALID.with_borrow(|last| last.as_ref() == Some(&sized)) {
            return vec![];
        }
        let found = self.compute_invalid_sizes();
        if found.is_empty() {
            LAST_VALID.set(Some(sized));
        }
        found
    }

    /// Computes the errors of [`RunSpec::invalid_sizes`], without looking at the last valid run.
    fn compute_invalid_sizes(&self) -> Vec<InvalidSetting> {
        let examples = self.task.examples();
        let (inputs, sizes) = (examples.inputs(), self.sizes());
        let mut errors = vec![];
        if self.uses_autodiff() {
            let activations = self.architecture().activations(inputs);
            errors.extend(exceeds_memory(activations, self.batch_size(), self.run.replicas));
        }
        if sizes.held_out > MAX_HELD_OUT_ENTRIES {
            errors.push(InvalidSetting::new(
                "held",
                &self.run.held_out.to_string(),
                self.describe_held_out_limit(),
            ));
        }
        let together = [sizes.weights, sizes.data, sizes.samples, sizes.splits];
        if together.into_iter().any(|numbers| numbers > MAX_TENSOR_ENTRIES)
            || self.estimate_cost().memory_floats() > MAX_RUN_MEMORY_FLOATS
        {
            errors.push(InvalidSetting::new(
                "replicas",
                &self.run.replicas.to_string(),
                tr!("fewer networks of this size, because this many would not fit into a browser's memory"),
            ));
        }
        errors
    }

    /// Describes the largest number of held-out examples, and the settings of the task that determine the length of an
    /// example.
    fn describe_held_out_limit(&self) -> String {
        let columns = self.task.examples().columns();
        let lengthens = |setting: &&SettingInfo| {
            let Range::Int(low, _) = setting.range else { return false };
            let mut shorter = self.task.clone();
            shorter.set(setting.key, &Value::Int(low)).is_ok() && shorter.examples().columns() < columns
        };
        let named = self.task.settings().iter().filter(lengthens);
        let named =
            named.filter_map(|setting| Some(format!("{} = {}", setting.key, self.task.value(setting.key)?)));
        let (settings, most) =
            (named.collect::<Vec<_>>().join(", "), MAX_HELD_OUT_ENTRIES / columns.max(1) as u64);
        match settings.is_empty() {
            true => tr!(
                "at most {most}, because each held-out example has {columns} numbers, and all held-out examples together may have at most {numbers} numbers",
                most,
                columns,
                numbers = MAX_HELD_OUT_ENTRIES
            ),
            false => tr!(
                "at most {most} for {settings}, because each held-out example has {columns} numbers, and all held-out examples together may have at most {numbers} numbers",
                most,
                settings,
                columns,
                numbers = MAX_HELD_OUT_ENTRIES
            ),
        }
    }

    /// Lowers the setting `key` ("replicas", "batch" or "held") to the largest value that fits into memory, and returns
    /// this value; None, without a change, if no value fits or another setting is the reason.
    pub(super) fn lower_to_fit(&mut self, key: &str) -> Option<u64> {
        let keys: &[&str] = match key {
            // Which of the two an error names depends on the number of replicas.
            "replicas" | "batch" => &["replicas", "batch"],
            "held" => &["held"],
            _ => return None,
        };
        let (Some(Value::Int(now)), Some(Range::Int(low, _))) =
            (self.value(key), self.setting(key).map(|setting| setting.range))
        else {
            return None;
        };
        let with = |value: u64| {
            let mut spec = self.clone();
            let inputs = |spec: &RunSpec| spec.task.examples().inputs();
            spec.set(key, &Value::Int(value)).ok()?;
            let mut errors =
                spec.architecture().problems(inputs(&spec), spec.batch_size(), spec.run.replicas);
            errors.extend(spec.invalid_sizes());
            errors.iter().all(|problem| !keys.contains(&problem.key.as_str())).then_some(spec)
        };
        let (mut fits, mut beyond) = (low.max(1), now);
        // Errors for other reasons are not repaired here, nor is a batch of 0, which means the whole training set.
        if now <= fits || with(now).is_some() {
            return None;
        }
        with(fits)?;
        while beyond - fits > 1 {
            let middle = fits + (beyond - fits) / 2;
            if with(middle).is_some() { fits = middle } else { beyond = middle }
        }
        *self = with(fits)?;
        Some(fits)
    }
}
