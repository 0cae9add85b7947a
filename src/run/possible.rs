//! Which settings can be together, and how those that cannot are mended.

use super::{MODEL_KEY, RunSpec};
use crate::models::Model;
use crate::optim::loss::Loss;
use crate::settings::Problem;
use crate::sweep::MOST_CELLS;
use crate::tasks::{Form, Task};

/// Most numbers a run may keep per tensor of hidden activations or weights, so that a link cannot ask
/// for more memory than a browser gives: 256 MiB in single precision.
const MAX_NUMBERS: usize = 1 << 26;

/// The next smaller odd number, which is right for every function of so many bits.
fn odd(number: usize) -> usize {
    number.saturating_sub(1) | 1
}

impl RunSpec {
    /// What cannot be in this combination of settings, each of which is in range by itself.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems_within(MOST_CELLS)
    }

    /// The same where a sweep may stand for up to `most` runs.
    pub fn problems_within(&self, most: usize) -> Vec<Problem> {
        let sampler = self.task.sampler();
        let mut problems = sampler.problems();
        if !problems.is_empty() {
            // Sizes of what cannot be are no sizes.
            return problems;
        }
        let (inputs, columns) = (sampler.inputs(), sampler.columns());
        let (batch, replicas) = (self.batch(), self.run.replicas);
        problems.extend(self.suits());
        if self.run.batch == 0 && sampler.sample_size().is_none() {
            let expected = tr!("at least 1: examples that are always fresh are no sample");
            problems.push(Problem::new("batch", "0", expected));
        }
        problems.extend(self.architecture().problems(inputs, batch, replicas));
        problems.extend(self.model.unwritten(&self.task));
        let weights: usize = self.parameters().iter().map(crate::models::Parameter::len).sum();
        let data = replicas * batch * columns.max(sampler.classes().unwrap_or(1));
        let samples = replicas * sampler.sample_size().unwrap_or(0) * columns;
        let splits = if sampler.splits() { replicas * self.held_out() * columns } else { 0 };
        if self.held_out() * columns > MAX_NUMBERS / 4 {
            let expected = tr!("at most {most} for n = {n}", most = MAX_NUMBERS / 4 / inputs, n = inputs);
            problems.push(Problem::new("held", &self.run.held_out.to_string(), expected));
        }
        if [weights, data, samples, splits].iter().any(|numbers| *numbers > MAX_NUMBERS) {
            problems.push(Problem::new(
                "replicas",
                &self.run.replicas.to_string(),
                tr!("fewer networks of this size: together they would not fit into a browser's memory"),
            ));
        }
        problems.extend(crate::sweep::problems(self, most));
        problems
    }

    /// What is wrong with model and loss for this task.
    fn suits(&self) -> Vec<Problem> {
        let mut problems = vec![];
        if !self.model.suits(&self.task) {
            let suit = |entry: &&crate::catalog::Entry| Model::suit(entry.info.slug, &self.task);
            let slugs: Vec<_> = Model::ENTRIES.iter().filter(suit).map(|e| e.info.slug).collect();
            let expected = tr!("one of {slugs} for this task", slugs = slugs.join(", "));
            problems.push(Problem::new(MODEL_KEY, self.model.info().slug, expected));
        }
        if self.task.sampler().classes().is_some() && self.run.loss != Loss::CrossEntropy {
            let expected = tr!("ce, since the labels are classes");
            problems.push(Problem::new("loss", self.run.loss.slug(), expected));
        }
        problems
    }

    /// Puts settings that cannot be together back to defaults, or to the nearest that can, and says which.
    pub fn repair(&mut self) -> Vec<Problem> {
        self.repair_within(MOST_CELLS)
    }

    /// The same where a sweep may stand for up to `most` runs.
    pub fn repair_within(&mut self, most: usize) -> Vec<Problem> {
        let mut repaired: Vec<Problem> = vec![];
        // Each round mends one knob, and no knob is mended twice.
        while let Some(problem) =
            self.problems_within(most).into_iter().find(|p| repaired.iter().all(|r| r.key != p.key))
        {
            if let Some(beginning) = self.begin_anyhow(&problem) {
                repaired.push(beginning);
                continue;
            }
            let fresh = RunSpec::of_lab(self.task.info().slug).unwrap_or_default();
            let of_model = || Model::from_slug(self.model.info().slug)?.value(&problem.key);
            if let Some(default) = fresh.value(&problem.key).or_else(of_model) {
                // The default was checked when it was declared.
                let _ = self.set(&problem.key, &default);
            }
            repaired.push(problem);
        }
        if !self.problems_within(most).is_empty() {
            if let Task::SparseParity(task) = &mut self.task {
                task.k = task.k.min(task.n);
                if let Model::DisjointPolynet(net) = &mut self.model {
                    net.degree = net.degree.min(task.n);
                }
            } else if let Task::SparseBoolean(task) = &mut self.task {
                task.k = odd(task.k.min(task.n));
            } else if let Task::Tabular(task) = &mut self.task {
                task.k = odd(task.k.min(task.n));
                task.m = task.m.min(task.pool());
            }
        }
        if !self.problems_within(most).is_empty() {
            // A step of a whole sample, or of many networks, is mended by a smaller network alone.
            let slug = self.model.info().slug;
            let fresh = Model::from_slug(slug).filter(|model| model.suits(&self.task));
            self.model = fresh.unwrap_or_else(|| Model::GroupNet(Default::default()));
            let expected = match self.task.sampler().form() {
                Form::Pair => tr!("a network that all pairs at once leave room for"),
                _ => tr!("a smaller network, which fits into a browser's memory"),
            };
            repaired.push(Problem::new(MODEL_KEY, slug, expected));
        }
        repaired
    }

    /// Puts the beginning of a run back to its default where `problem` stands in the way of
    /// [initial weights that are written down](Model::written) and the default of that setting would do so too.
    fn begin_anyhow(&mut self, problem: &Problem) -> Option<Problem> {
        const BEGINNING: &str = "from";
        let blocks =
            |spec: &RunSpec| spec.model.unwritten(&spec.task).iter().any(|still| still.key == problem.key);
        if problem.key == BEGINNING || !blocks(self) {
            return None;
        }
        let fresh = Model::from_slug(self.model.info().slug)?;
        let mut mended = self.clone();
        mended.set(&problem.key, &fresh.value(&problem.key)?).ok()?;
        if !blocks(&mended) {
            return None;
        }
        let (found, default) = (self.model.value(BEGINNING)?, fresh.value(BEGINNING)?);
        self.set(BEGINNING, &default).ok()?;
        let expected =
            tr!("{default}, or {key} = {expected}", default, key = problem.key, expected = problem.expected);
        (!blocks(self)).then(|| Problem::new(BEGINNING, &found.to_string(), expected))
    }
}
