//! What is measured of networks on pairs of elements: what each neuron has become, outputs, cosets, progress.

use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Form, Groups, Task, groups};
use vivarium_plot::analysis::neurons::Survey;
use vivarium_plot::analysis::neurons::cosets::Cosets as CosetReader;
use vivarium_plot::analysis::neurons::logits::sampled_pairs;
use vivarium_plot::analysis::progress::{Measuring, Operation};
use vivarium_science::groups::subgroups::CosetSide;
use vivarium_science::groups::{Group, Irreps};
use vivarium_view::probing::{AtOnce, Job, Probe, ProbeSpec, Probed};

/// The operation of a task whose label is the sum or the difference of two numbers modulo p; none of any other task.
pub fn operation(task: &Task) -> Option<Operation> {
    let Task::Groups(task) = task else { return None };
    match task.operation {
        groups::Operation::Add => Some(Operation::Sum),
        groups::Operation::Subtract => Some(Operation::Difference),
        _ => None,
    }
}

/// Pairs whose outputs are shown.
const SHOWN_PAIRS: usize = 48;
/// Multiplications between two looks at the clock, roughly.
const PORTION: usize = 1 << 20;

/// What each neuron has become: the number of neurons and that of irreps or frequencies, then powers, norms and phases as
/// `analysis::neurons` writes them.
pub const NEURONS: Probe = Probe { name: "neurons", applies: is_of_pairs };
/// The outputs on some pairs: the pairs, a and b after each other, and `[pairs, classes]`.
pub const OUTPUTS: Probe = Probe { name: "outputs", applies: is_of_pairs };
/// Live neurons by the largest class of subgroups on whose cosets they are constant.
pub const COSETS: Probe = Probe { name: "cosets", applies: embeds_by_neuron };
/// Progress measures of modular arithmetic (Nanda et al. 2023): restricted and excluded loss, those of training and of
/// held-out pairs, Gini coefficient and inverse participation ratio of the embedding's Fourier norms; the frequencies that
/// count as key; and the share of the outputs' power by frequency.
pub const PROGRESS: Probe = Probe { name: "progress", applies: is_modular };

/// All of them.
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec { probe: NEURONS, job: neurons },
    ProbeSpec { probe: OUTPUTS, job: |_| Some(Box::new(AtOnce(outputs))) },
    ProbeSpec { probe: COSETS, job: cosets },
    ProbeSpec { probe: PROGRESS, job: progress },
];

/// The pairs' task, if the run has one.
fn task(spec: &RunSpec) -> Option<&Groups> {
    match &spec.task {
        Task::Groups(task) => Some(task),
        _ => None,
    }
}

fn is_of_pairs(spec: &RunSpec) -> Result<(), String> {
    task(spec).map(drop).ok_or_else(|| Form::Pair.only().into())
}

fn embeds_by_neuron(spec: &RunSpec) -> Result<(), String> {
    is_of_pairs(spec)?;
    match spec.model.config().embeds_by_neuron() {
        true => Ok(()),
        false => {
            Err(tr!("In a transformer the inputs of the neurons depend on the attention weights.").into())
        }
    }
}

fn is_modular(spec: &RunSpec) -> Result<(), String> {
    is_of_pairs(spec)?;
    match operation(&spec.task) {
        Some(_) => Ok(()),
        None => Err(tr!("These measures are defined only for addition and subtraction modulo n.").into()),
    }
}

/// The arrays that neurons are read from, of a network on a group of that order.
fn arrays(network: &Probed, order: usize) -> Option<Vec<Vec<f32>>> {
    network.spec.network().neurons(&network.slices(), order)
}

fn survey(network: &Probed, group: &Group) -> Option<Survey> {
    let arrays = arrays(network, group.order())?;
    let width = arrays.first()?.len() / group.order();
    Survey::new(&Irreps::compute(group), arrays, width)
}

/// The survey under way; none once it is through.
struct NeuronsJob(Option<Survey>);

fn neurons(network: &Probed) -> Option<Box<dyn Job>> {
    let group = task(&network.spec)?.group()?;
    Some(Box::new(NeuronsJob(Some(survey(network, &group)?))))
}

impl Job for NeuronsJob {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let order = task(&network.spec)?.order();
        // Projections cost each neuron a multiplication for every two elements.
        let portion = (PORTION / (3 * order * order)).max(1);
        if !self.0.as_mut()?.advance(portion) {
            return None;
        }
        let found = Finding::of(NEURONS.id());
        Some(match self.0.take()?.finish() {
            Some(neurons) => {
                found.with_counts([neurons.neurons(), neurons.irreps()]).with_numbers(neurons.to_numbers())
            }
            None => found.with_counts([0, 0]),
        })
    }
}

fn outputs(network: &Probed) -> Option<Finding> {
    let order = task(&network.spec)?.order();
    let pairs = sampled_pairs(order, SHOWN_PAIRS);
    let x: Vec<f32> = pairs.iter().flat_map(|(a, b)| [*a as f32, *b as f32]).collect();
    let outputs = network.spec.network().evaluate(&network.slices(), order, &x, 0);
    let pairs: Vec<usize> = pairs.into_iter().flat_map(|(a, b)| [a, b]).collect();
    Some(Finding::of(OUTPUTS.id()).with_counts(pairs).with_numbers(outputs))
}

/// Neurons whose cosets are still to be found, and what was counted so far.
struct CosetsJob {
    reader: CosetReader,
    u: Vec<f32>,
    live: Vec<usize>,
    counts: Vec<usize>,
}

fn cosets(network: &Probed) -> Option<Box<dyn Job>> {
    let group = task(&network.spec)?.group()?;
    let mut found = survey(network, &group)?;
    found.advance(usize::MAX);
    let live = found.finish()?.live();
    let (reader, u) =
        (CosetReader::new(&group, CosetSide::Left)?, arrays(network, group.order())?.swap_remove(0));
    Some(Box::new(CosetsJob { reader, u, live, counts: vec![] }))
}

impl Job for CosetsJob {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let order = task(&network.spec)?.order();
        let portion = self.live.split_off(self.live.len().saturating_sub(4));
        let found = self.reader.count(&self.u, self.u.len() / order, &portion);
        self.counts.resize(found.len(), 0);
        self.counts.iter_mut().zip(found).for_each(|(count, more)| *count += more);
        let is_done = self.live.is_empty();
        is_done.then(|| Finding::of(COSETS.id()).with_counts(std::mem::take(&mut self.counts)))
    }
}

/// First outputs on all pairs are computed, then measured.
enum ProgressJob {
    Evaluating { outputs: Vec<f32>, operation: Operation },
    Measuring(Box<Measuring<'static>>),
    Done,
}

fn progress(network: &Probed) -> Option<Box<dyn Job>> {
    let operation = operation(&network.spec.task)?;
    Some(Box::new(ProgressJob::Evaluating { outputs: vec![], operation }))
}

impl Job for ProgressJob {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let spec = &network.spec;
        let (task, model) = (task(spec)?, spec.network());
        let order = task.order();
        match self {
            ProgressJob::Evaluating { outputs, operation } => {
                let done = outputs.len() / order;
                // Tables are made anew for every portion, so that it must not be small.
                let size = (16 * PORTION / (spec.step_flops() / spec.batch() as f64) as usize).max(256);
                let until = (done + size).min(order * order);
                let x: Vec<f32> =
                    (done..until).flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
                outputs.extend(model.evaluate(&network.slices(), order, &x, 0));
                if until < order * order {
                    return None;
                }
                let mut training = vec![false; order * order];
                task.split(spec.run.seed).0.into_iter().for_each(|pair| training[pair as usize] = true);
                let products = task.products(spec.run.seed);
                let outputs = std::mem::take(outputs);
                let measuring = Measuring::new(outputs, order, *operation, products, training);
                *self = ProgressJob::Measuring(Box::new(measuring.with_embedding(network.weights.first()?)));
                None
            }
            ProgressJob::Measuring(measuring) => {
                if !measuring.advance((PORTION / order).max(1)) {
                    return None;
                }
                let ProgressJob::Measuring(measuring) = std::mem::replace(self, ProgressJob::Done) else {
                    return None;
                };
                let found = measuring.finish();
                let none = f64::NAN;
                let [gini, participation] =
                    found.embedding.map_or([none; 2], |spread| [spread.gini, spread.participation]);
                let test = found.test.unwrap_or(none);
                let few = [found.restricted, found.excluded, found.train, test, gini, participation];
                Some(
                    Finding::of(PROGRESS.id())
                        .with_few(few)
                        .with_counts(found.key)
                        .with_numbers(found.shares),
                )
            }
            ProgressJob::Done => None,
        }
    }
}
