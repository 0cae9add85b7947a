//! The sizes of a run, from its settings alone: what is held against the [limits](vivarium_core::bounds) before anything is built.

use std::cell::RefCell;

use super::RunSpec;
use crate::models::{Model, crowded};
use crate::tasks::Task;
use vivarium_core::bounds::{MOST_HELD, MOST_HELD_OUT, MOST_NUMBERS, product};
use vivarium_core::settings::{Knob, Problem, Range, Value};

/// Numbers that a run holds, by what they are. Of a run that is yet to be refused they may be more than any machine
/// could hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Weights of all replicas: the sum of `replicas · rows · columns` over the parameters.
    pub weights: u64,
    /// Inputs, or scores of the classes, of one step: `replicas · batch · max(columns, classes)`.
    pub data: u64,
    /// Finite samples: `replicas · examples · columns`.
    pub samples: u64,
    /// Held-out examples: `examples · columns`.
    pub held_out: u64,
    /// The same where each replica has its own, else none.
    pub splits: u64,
    /// The largest tensor between inputs and outputs where a step is made by autodiff: `replicas · batch ·
    /// activations`. Loops and kernels go through a step in parts.
    pub activations: u64,
}

/// All that the sizes of a run follow from.
#[derive(PartialEq)]
struct Sized {
    task: Task,
    model: Model,
    /// Steps, measurements, networks, batch, held-out examples, moments, whether autodiff trains, inputs and examples.
    numbers: [u64; 9],
}

thread_local! {
    /// The last run that was not too large: runs of a sweep that differ in their seeds or learning rates are as large as it.
    static LAST: RefCell<Option<Sized>> = const { RefCell::new(None) };
}

impl RunSpec {
    /// The sizes of this run, of which the [task](crate::tasks::Examples::problems) has no problem.
    pub fn sizes(&self) -> Sizes {
        let examples = self.task.examples();
        let (inputs, columns) = (examples.inputs(), examples.columns());
        let (batch, replicas, held_out) = (self.batch(), self.run.replicas, self.held_out());
        let activations = self.architecture().activations(inputs);
        Sizes {
            weights: self.architecture().numbers(inputs, replicas),
            data: product([replicas, batch, columns.max(examples.classes().unwrap_or(1))]),
            samples: product([replicas, examples.sample_size().unwrap_or(0), columns]),
            held_out: product([held_out, columns]),
            splits: if examples.splits() { product([replicas, held_out, columns]) } else { 0 },
            activations: product([replicas as u64, batch as u64, activations]),
        }
    }

    /// What model, examples and replicas are too large for together.
    pub(super) fn problems_of_size(&self) -> Vec<Problem> {
        let examples = self.task.examples();
        let sized = Sized {
            task: self.task.clone(),
            model: self.model.clone(),
            numbers: [
                self.run.steps,
                self.run.every,
                self.run.replicas as u64,
                self.run.batch as u64,
                self.run.held_out as u64,
                self.optimizer.moments() as u64,
                u64::from(self.is_by_autodiff()),
                // A table of a person's own is no setting.
                examples.inputs() as u64,
                examples.sample_size().unwrap_or(0) as u64,
            ],
        };
        if LAST.with_borrow(|last| last.as_ref() == Some(&sized)) {
            return vec![];
        }
        let found = self.found_of_size();
        if found.is_empty() {
            LAST.set(Some(sized));
        }
        found
    }

    fn found_of_size(&self) -> Vec<Problem> {
        let examples = self.task.examples();
        let (inputs, sizes) = (examples.inputs(), self.sizes());
        let mut problems = vec![];
        if self.is_by_autodiff() {
            let activations = self.architecture().activations(inputs);
            problems.extend(crowded(activations, self.batch(), self.run.replicas));
        }
        if sizes.held_out > MOST_HELD_OUT {
            problems.push(Problem::new("held", &self.run.held_out.to_string(), self.held_out_limit()));
        }
        let together = [sizes.weights, sizes.data, sizes.samples, sizes.splits];
        if together.into_iter().any(|numbers| numbers > MOST_NUMBERS) || self.cost().held() > MOST_HELD {
            problems.push(Problem::new(
                "replicas",
                &self.run.replicas.to_string(),
                tr!("fewer networks of this size, because this many would not fit into a browser's memory"),
            ));
        }
        problems
    }

    /// How many examples can be held out, with the settings of the task that make an example so long. A model may read other
    /// numbers than an example has: a network on sequences reads one symbol at a time.
    fn held_out_limit(&self) -> String {
        let columns = self.task.examples().columns();
        let lengthens = |knob: &&Knob| {
            let Range::Int(low, _) = knob.range else { return false };
            let mut shorter = self.task.clone();
            shorter.set(knob.key, &Value::Int(low)).is_ok() && shorter.examples().columns() < columns
        };
        let named = self.task.knobs().iter().filter(lengthens);
        let named = named.filter_map(|knob| Some(format!("{} = {}", knob.key, self.task.value(knob.key)?)));
        let (settings, most) = (named.collect::<Vec<_>>().join(", "), MOST_HELD_OUT / columns.max(1) as u64);
        match settings.is_empty() {
            true => tr!(
                "at most {most}, because each held-out example has {columns} numbers, and all held-out examples together may have at most {numbers} numbers",
                most,
                columns,
                numbers = MOST_HELD_OUT
            ),
            false => tr!(
                "at most {most} for {settings}, because each held-out example has {columns} numbers, and all held-out examples together may have at most {numbers} numbers",
                most,
                settings,
                columns,
                numbers = MOST_HELD_OUT
            ),
        }
    }

    /// Lowers the setting `key` to the largest value with which the run has room, if that is all it takes: the number of
    /// networks, of examples of a step, or of held-out ones. That value, if so.
    pub(super) fn fit(&mut self, key: &str) -> Option<u64> {
        let keys: &[&str] = match key {
            // Which of the two is named depends on whether there are several networks.
            "replicas" | "batch" => &["replicas", "batch"],
            "held" => &["held"],
            _ => return None,
        };
        let (Some(Value::Int(now)), Some(Range::Int(low, _))) =
            (self.value(key), self.knob(key).map(|knob| knob.range))
        else {
            return None;
        };
        let with = |value: u64| {
            let mut spec = self.clone();
            let inputs = |spec: &RunSpec| spec.task.examples().inputs();
            spec.set(key, &Value::Int(value)).ok()?;
            let mut problems = spec.architecture().problems(inputs(&spec), spec.batch(), spec.run.replicas);
            problems.extend(spec.problems_of_size());
            problems.iter().all(|problem| !keys.contains(&problem.key.as_str())).then_some(spec)
        };
        let (mut fits, mut beyond) = (low.max(1), now);
        // Another reason than its size is not mended so, nor is a batch of 0, which is the whole sample.
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
