//! Inquiries into networks on pairs of elements.

use super::slices;
use crate::analysis::neurons::cosets::Cosets;
use crate::analysis::neurons::logits::sampled_pairs;
use crate::analysis::neurons::{Neurons, Survey};
use crate::analysis::progress::{Measuring, Operation};
use crate::groups::subgroups::Side;
use crate::groups::{Group, Irreps};
use crate::protocol::{Finding, Probe};
use crate::run::RunSpec;
use crate::tasks::{Form, Groups, Task, groups};

/// Pairs whose outputs are shown.
const SHOWN_PAIRS: usize = 48;
/// Multiplications between two looks at the clock, roughly.
const PORTION: usize = 1 << 20;

/// The pairs' task, if the run has one.
pub(super) fn task(spec: &RunSpec) -> Option<&Groups> {
    match &spec.task {
        Task::Groups(task) => Some(task),
        _ => None,
    }
}

/// As [`super::applies`].
pub(super) fn applies(probe: Probe, spec: &RunSpec) -> Result<(), String> {
    let Some(task) = task(spec) else {
        return Err(Form::Pair.only().into());
    };
    match probe {
        Probe::Progress if operation(task).is_none() => {
            Err(tr!("These measures are defined for addition and subtraction modulo n.").into())
        }
        Probe::Cosets if !spec.model.config().embeds_by_neuron() => {
            Err(tr!("The embeddings that a transformer's neurons see depend on its attention.").into())
        }
        _ => Ok(()),
    }
}

/// The sign with which b is added.
fn operation(task: &Groups) -> Option<Operation> {
    match task.operation {
        groups::Operation::Add => Some(Operation::Sum),
        groups::Operation::Subtract => Some(Operation::Difference),
        _ => None,
    }
}

/// What is under way.
pub(super) enum PairWork {
    Neurons(Survey),
    Outputs,
    Cosets { cosets: Cosets, u: Vec<f32>, live: Vec<usize>, counts: Vec<usize> },
    Evaluating { outputs: Vec<f32>, operation: Operation },
    Measuring(Box<Measuring<'static>>),
}

impl PairWork {
    /// The work for `probe`, or none where it does not apply.
    pub(super) fn new(probe: Probe, spec: &RunSpec, weights: &[Vec<f32>]) -> Option<Self> {
        let task = task(spec)?;
        let arrays = || spec.architecture().neurons(&slices(weights), task.order());
        let survey = |group: &Group| {
            let arrays = arrays()?;
            let width = arrays.first()?.len() / group.order();
            Survey::new(&Irreps::of(group), arrays, width)
        };
        Some(match probe {
            Probe::Neurons => PairWork::Neurons(survey(&task.group()?)?),
            Probe::Outputs => PairWork::Outputs,
            Probe::Cosets => {
                let group = task.group()?;
                let mut found = survey(&group)?;
                found.advance(usize::MAX);
                let live = found.finish()?.live();
                let cosets = Cosets::new(&group, Side::Left)?;
                PairWork::Cosets { cosets, u: arrays()?.swap_remove(0), live, counts: vec![] }
            }
            Probe::Progress => PairWork::Evaluating { outputs: vec![], operation: operation(task)? },
            _ => return None,
        })
    }

    /// Does a bounded part of the work.
    pub(super) fn poll(&mut self, spec: &RunSpec, weights: &[Vec<f32>]) -> Option<Finding> {
        let (task, model) = (task(spec)?, spec.architecture());
        let order = task.order();
        match self {
            PairWork::Neurons(survey) => {
                // Projections cost each neuron a multiplication for every two elements.
                let portion = (PORTION / (3 * order * order)).max(1);
                if !survey.advance(portion) {
                    return None;
                }
                let Ok(neurons) = std::mem::replace(self, PairWork::Outputs).finished() else {
                    return Some(Finding::Neurons { neurons: 0, irreps: 0, numbers: vec![] });
                };
                let (count, irreps) = (neurons.neurons(), neurons.irreps());
                Some(Finding::Neurons { neurons: count, irreps, numbers: neurons.to_numbers() })
            }
            PairWork::Outputs => {
                let pairs = sampled_pairs(order, SHOWN_PAIRS);
                let x: Vec<f32> = pairs.iter().flat_map(|(a, b)| [*a as f32, *b as f32]).collect();
                let outputs = model.evaluate(&slices(weights), order, &x, 0);
                let pairs = pairs.iter().flat_map(|(a, b)| [*a as u32, *b as u32]).collect();
                Some(Finding::Outputs { pairs, outputs })
            }
            PairWork::Cosets { cosets, u, live, counts } => {
                let portion = live.split_off(live.len().saturating_sub(4));
                let found = cosets.count(u, u.len() / order, &portion);
                counts.resize(found.len(), 0);
                counts.iter_mut().zip(found).for_each(|(count, more)| *count += more);
                live.is_empty().then(|| Finding::Cosets(std::mem::take(counts)))
            }
            PairWork::Evaluating { outputs, operation } => {
                let done = outputs.len() / order;
                // Tables are made anew for every portion, so that it must not be small.
                let size = (16 * PORTION / (spec.step_flops() / spec.batch() as f64) as usize).max(256);
                let until = (done + size).min(order * order);
                let x: Vec<f32> =
                    (done..until).flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
                outputs.extend(model.evaluate(&slices(weights), order, &x, 0));
                if until < order * order {
                    return None;
                }
                let mut training = vec![false; order * order];
                task.split(spec.run.seed).0.into_iter().for_each(|pair| training[pair as usize] = true);
                let products = task.products(spec.run.seed);
                let outputs = std::mem::take(outputs);
                let measuring = Measuring::new(outputs, order, *operation, products, training);
                *self = PairWork::Measuring(Box::new(measuring.with_embedding(weights.first()?)));
                None
            }
            PairWork::Measuring(measuring) => {
                if !measuring.advance((PORTION / order).max(1)) {
                    return None;
                }
                let PairWork::Measuring(measuring) = std::mem::replace(self, PairWork::Outputs) else {
                    return None;
                };
                let found = measuring.finish();
                Some(Finding::Progress {
                    key: found.key,
                    shares: found.shares,
                    losses: [Some(found.restricted), Some(found.excluded), Some(found.train), found.test],
                    sparsity: found.embedding.map(|spread| [spread.gini, spread.participation]),
                })
            }
        }
    }

    /// The summary, once the survey is through.
    fn finished(self) -> Result<Neurons, ()> {
        match self {
            PairWork::Neurons(survey) => survey.finish().ok_or(()),
            _ => Err(()),
        }
    }
}
