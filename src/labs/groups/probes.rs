//! The probes of networks on pairs of elements: spectra of the neurons, outputs, cosets, progress measures, and margins by
//! class of wrong answers.

use super::theory;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, Groups, Task, groups};
use vivarium_plot::analysis::neurons::NeuronSpectraBuilder;
use vivarium_plot::analysis::neurons::cosets::CosetClassifier as CosetReader;
use vivarium_plot::analysis::neurons::logits::sample_pairs;
use vivarium_plot::analysis::progress::{ModularOperation, ProgressMeasurement};
use vivarium_science::groups::subgroups::CosetSide;
use vivarium_science::groups::theory::WrongAnswerClasses;
use vivarium_science::groups::{Group, Irreps};
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// The operation (sum or difference modulo n) whose result is the label of a task; none for tasks with other
/// operations.
pub fn modular_operation(task: &Task) -> Option<ModularOperation> {
    let Task::Groups(task) = task else { return None };
    match task.operation {
        groups::GroupOperation::Add => Some(ModularOperation::Sum),
        groups::GroupOperation::Subtract => Some(ModularOperation::Difference),
        _ => None,
    }
}

/// Maximum number of pairs (a, b) of elements for which the probe [`OUTPUTS`] gives logits.
const SHOWN_PAIRS: usize = 48;
/// Approximate number of multiplications in one poll of a job that measures a probe of this lab; the job returns after
/// it, so that the page stays responsive.
const OPERATIONS_PER_POLL: usize = 1 << 20;

/// Probe of the power spectrum of each neuron of the first replica. The counts are the numbers of neurons and of irreps
/// (for cyclic groups frequencies); norms, powers and phases are encoded by `NeuronSpectra::to_numbers`.
pub const NEURONS: Probe = Probe { name: "neurons", applies: require_pairs };
/// Probe of the first replica's logits for some pairs of elements. The counts are the pairs of element indices, from 0,
/// as a, b, a, b, …; the numbers are the logits, `[pairs, classes]`.
pub const OUTPUTS: Probe = Probe { name: "outputs", applies: require_pairs };
/// Probe of the number of live neurons of the first replica for each conjugacy class of subgroups. A neuron counts for
/// the class of the largest subgroup on whose left cosets its embedding u, that of the first operand, is constant.
pub const COSETS: Probe = Probe { name: "cosets", applies: require_neuron_embeddings };
/// Probe of the progress measures of modular arithmetic (Nanda et al. 2023). The scalars are restricted, excluded,
/// training and held-out loss, and Gini coefficient and inverse participation ratio of the embedding's Fourier norms;
/// the counts are the key frequencies; the numbers are the share of the outputs' power by frequency.
pub const PROGRESS: Probe = Probe { name: "progress", applies: require_modular };

/// Probe of the first replica's margins by conjugacy class of the wrong answer. The numbers are, for each class except the
/// identity's, the smallest margin over all pairs and all wrong answers of the class, divided by Σ‖ω‖³ over the neurons.
pub const CLASS_MARGINS: Probe = Probe { name: "class-margins", applies: require_theory };
/// Probe of the margins of the first replica's neurons, for the certificate of the largest margin. The counts are the
/// numbers of neurons and of conjugacy classes; the numbers are each neuron's share of Σ‖ω‖³, then the margins of each
/// neuron divided by its ‖ω‖³, averaged over all pairs and the wrong answers of each class, `[neurons, classes]`.
pub const NEURON_MARGINS: Probe = Probe { name: "neuron-margins", applies: require_theory };

/// All probes of the lab of finite groups.
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec::new(NEURONS, new_neurons_job),
    ProbeSpec::new(OUTPUTS, |_| Some(Box::new(SinglePassMeasurement(measure_outputs)))),
    ProbeSpec::new(COSETS, new_cosets_job),
    ProbeSpec::new(PROGRESS, new_progress_job),
    ProbeSpec::new(CLASS_MARGINS, new_class_margins_job),
    ProbeSpec::new(NEURON_MARGINS, new_neuron_margins_job),
];

/// The task of a run if it is a product in a finite group, otherwise none.
pub(super) fn groups_task(spec: &RunSpec) -> Option<&Groups> {
    match &spec.task {
        Task::Groups(task) => Some(task),
        _ => None,
    }
}

/// `Ok` if the task is the product of pairs in a finite group, so that probes of this lab apply; otherwise the reason
/// why not.
fn require_pairs(spec: &RunSpec) -> Result<(), String> {
    groups_task(spec).map(drop).ok_or_else(|| ExampleForm::Pair.unavailable_reason().into())
}

/// `Ok` if each neuron of the run's network has an embedding of its own for group elements; otherwise the reason why
/// not.
fn require_neuron_embeddings(spec: &RunSpec) -> Result<(), String> {
    require_pairs(spec)?;
    match spec.model.config().embeds_by_neuron() {
        true => Ok(()),
        false => {
            Err(tr!("In a transformer the inputs of the neurons depend on the attention weights.").into())
        }
    }
}

/// `Ok` if the task is addition or subtraction modulo n; otherwise the reason why not.
fn require_modular(spec: &RunSpec) -> Result<(), String> {
    require_pairs(spec)?;
    match modular_operation(&spec.task) {
        Some(_) => Ok(()),
        None => Err(tr!("These measures are defined only for addition and subtraction modulo n.").into()),
    }
}

/// `Ok` if the theory of maximum margins covers the run; otherwise the reason why not.
fn require_theory(spec: &RunSpec) -> Result<(), String> {
    require_pairs(spec)?;
    match theory::applies(spec) {
        true => Ok(()),
        false => Err(theory::missing_theory_reason().into()),
    }
}

/// The first replica's embeddings of all neurons for a group with `order` elements: arrays `[elements, neurons]` for
/// the first operand, the second operand and the outputs. None if the network has no such embeddings.
fn neuron_arrays(network: &ProbedNetwork, order: usize) -> Option<Vec<Vec<f32>>> {
    network.spec.network().neurons(&network.slices(), order)
}

/// Starts the computation of the power spectra of all neurons of the first replica; none if the network has no
/// embeddings of group elements by neuron.
fn start_spectra(network: &ProbedNetwork, group: &Group) -> Option<NeuronSpectraBuilder> {
    let arrays = neuron_arrays(network, group.order())?;
    let width = arrays.first()?.len() / group.order();
    NeuronSpectraBuilder::new(&Irreps::compute(group), arrays, width)
}

/// Job that measures the probe [`NEURONS`], with the computation of the spectra in progress; none after it has returned
/// its result.
struct NeuronsJob(Option<NeuronSpectraBuilder>);

/// Starts the job that measures [`NEURONS`]; none for other tasks, and for networks without embeddings by neuron.
fn new_neurons_job(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let group = groups_task(&network.spec)?.group()?;
    Some(Box::new(NeuronsJob(Some(start_spectra(network, &group)?))))
}

impl ProbeMeasurement for NeuronsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let order = groups_task(&network.spec)?.order();
        // The projections of a neuron need a multiplication for each pair of elements.
        let portion = (OPERATIONS_PER_POLL / (3 * order * order)).max(1);
        if !self.0.as_mut()?.advance(portion) {
            return None;
        }
        let found = ProbeResult::new(NEURONS.id());
        Some(match self.0.take()?.finish() {
            Some(neurons) => found
                .with_counts([neurons.neuron_count(), neurons.irrep_count()])
                .with_numbers(neurons.to_numbers()),
            None => found.with_counts([0, 0]),
        })
    }
}

/// Evaluates the first replica's network on at most [`SHOWN_PAIRS`] pairs of elements; the result of the probe
/// [`OUTPUTS`].
fn measure_outputs(network: &ProbedNetwork) -> Option<ProbeResult> {
    let order = groups_task(&network.spec)?.order();
    let pairs = sample_pairs(order, SHOWN_PAIRS);
    let x: Vec<f32> = pairs.iter().flat_map(|(a, b)| [*a as f32, *b as f32]).collect();
    let outputs = network.spec.network().evaluate(&network.slices(), order, &x, 0);
    let pairs: Vec<usize> = pairs.into_iter().flat_map(|(a, b)| [a, b]).collect();
    Some(ProbeResult::new(OUTPUTS.id()).with_counts(pairs).with_numbers(outputs))
}

/// Job that measures the probe [`COSETS`], with the neurons left to classify and the counts so far.
struct CosetsJob {
    /// For each neuron, finds the largest subgroup on whose left cosets its embedding is constant.
    reader: CosetReader,
    /// Embeddings u of all neurons for the first operand, `[elements, neurons]`.
    u: Vec<f32>,
    /// Indices, from 0, of the live neurons that are not classified by subgroup yet.
    unclassified_neurons: Vec<usize>,
    /// Number of neurons classified so far for each conjugacy class of subgroups; empty before the first poll.
    counts: Vec<usize>,
}

/// Starts the job that measures [`COSETS`]; none for other tasks, for networks without embeddings by neuron, and for
/// groups too large to list their subgroups.
fn new_cosets_job(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let group = groups_task(&network.spec)?.group()?;
    let mut found = start_spectra(network, &group)?;
    found.advance(usize::MAX);
    let live = found.finish()?.live_neurons();
    let (reader, u) =
        (CosetReader::new(&group, CosetSide::Left)?, neuron_arrays(network, group.order())?.swap_remove(0));
    Some(Box::new(CosetsJob { reader, u, unclassified_neurons: live, counts: vec![] }))
}

impl ProbeMeasurement for CosetsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let order = groups_task(&network.spec)?.order();
        let portion = self.unclassified_neurons.split_off(self.unclassified_neurons.len().saturating_sub(4));
        let found = self.reader.count_neurons(&self.u, self.u.len() / order, &portion);
        self.counts.resize(found.len(), 0);
        self.counts.iter_mut().zip(found).for_each(|(count, more)| *count += more);
        let is_done = self.unclassified_neurons.is_empty();
        is_done.then(|| ProbeResult::new(COSETS.id()).with_counts(std::mem::take(&mut self.counts)))
    }
}

/// Job that measures the probe [`PROGRESS`]: first computes the network's outputs for all pairs of elements, then the
/// progress measures.
enum ProgressJob {
    /// Computes the outputs: those of the pairs so far, `[pairs, classes]`, and the operation of the task.
    Evaluating { outputs: Vec<f32>, operation: ModularOperation },
    /// Computes the progress measures from the outputs for all pairs.
    Measuring(Box<ProgressMeasurement<'static>>),
    /// The result has been returned.
    Done,
}

/// Starts the job that measures [`PROGRESS`]; none if the task is not addition or subtraction modulo n.
fn new_progress_job(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let operation = modular_operation(&network.spec.task)?;
    Some(Box::new(ProgressJob::Evaluating { outputs: vec![], operation }))
}

impl ProbeMeasurement for ProgressJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let spec = &network.spec;
        let (task, model) = (groups_task(spec)?, spec.network());
        let order = task.order();
        match self {
            ProgressJob::Evaluating { outputs, operation } => {
                let done = outputs.len() / order;
                // The model rebuilds its tables for every portion, so portions must not be small.
                let size = (16 * OPERATIONS_PER_POLL
                    / (spec.step_flops() / spec.batch_size() as f64) as usize)
                    .max(256);
                let until = (done + size).min(order * order);
                let x: Vec<f32> =
                    (done..until).flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
                outputs.extend(model.evaluate(&network.slices(), order, &x, 0));
                if until < order * order {
                    return None;
                }
                let mut training = vec![false; order * order];
                task.split(spec.run.seed).0.into_iter().for_each(|pair| training[pair as usize] = true);
                let products = task.product_table(spec.run.seed);
                let outputs = std::mem::take(outputs);
                let measuring = ProgressMeasurement::new(outputs, order, *operation, products, training);
                *self = ProgressJob::Measuring(Box::new(measuring.with_embedding(network.weights.first()?)));
                None
            }
            ProgressJob::Measuring(measuring) => {
                if !measuring.advance((OPERATIONS_PER_POLL / order).max(1)) {
                    return None;
                }
                let ProgressJob::Measuring(measuring) = std::mem::replace(self, ProgressJob::Done) else {
                    return None;
                };
                let found = measuring.finish();
                let none = f64::NAN;
                let [gini, participation] =
                    found.embedding.map_or([none; 2], |spread| [spread.gini, spread.participation]);
                let test = found.test_loss.unwrap_or(none);
                let few =
                    [found.restricted_loss, found.excluded_loss, found.train_loss, test, gini, participation];
                Some(
                    ProbeResult::new(PROGRESS.id())
                        .with_few_numbers(few)
                        .with_counts(found.key_frequencies)
                        .with_numbers(found.variance_shares),
                )
            }
            ProgressJob::Done => None,
        }
    }
}

/// The weights (u, v, w) of neuron `neuron` in double precision, `[elements]` each, from the arrays `[elements, neurons]`
/// of all neurons.
fn neuron_weights(arrays: &[Vec<f32>], width: usize, neuron: usize) -> [Vec<f64>; 3] {
    std::array::from_fn(|part| {
        let column = arrays.get(part).into_iter().flatten().skip(neuron).step_by(width);
        column.map(|weight| f64::from(*weight)).collect()
    })
}

/// The cubed norm ‖ω‖³ of the weights ω = (u, v, w) of one neuron.
fn cubed_norm(weights: &[Vec<f64>; 3]) -> f64 {
    let square: f64 = weights.iter().flatten().map(|weight| weight * weight).sum();
    square * square.sqrt()
}

/// The arrays `[elements, neurons]` of u, v and w of the first replica, the number of its neurons, and ‖ω‖³ of each of
/// them; none for networks without embeddings by neuron.
fn cubed_norms(network: &ProbedNetwork, order: usize) -> Option<(Vec<Vec<f32>>, usize, Vec<f64>)> {
    let arrays = neuron_arrays(network, order)?;
    let width = arrays.first()?.len() / order;
    let norms = (0..width).map(|neuron| cubed_norm(&neuron_weights(&arrays, width, neuron))).collect();
    Some((arrays, width, norms))
}

/// Job that measures the probe [`CLASS_MARGINS`]: evaluates the network on all pairs of elements, a portion in each poll.
struct ClassMarginsJob {
    /// The conjugacy class of each wrong answer to each right answer.
    classes: WrongAnswerClasses,
    /// Right answer of each pair (a, b), at a · order + b.
    products: Vec<u32>,
    /// Sum Σ‖ω‖³ over the neurons.
    norm_sum: f64,
    /// Number of neurons.
    width: usize,
    /// Number of pairs evaluated so far.
    evaluated: usize,
    /// Smallest margin so far over the wrong answers of each class, without normalisation, `[classes]`.
    min_margins: Vec<f64>,
}

/// Starts the job that measures [`CLASS_MARGINS`]; none for other tasks, and for groups too large to list.
fn new_class_margins_job(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let task = groups_task(&network.spec)?;
    let group = task.group()?;
    let (_, width, norms) = cubed_norms(network, group.order())?;
    let classes = WrongAnswerClasses::from_group(&group);
    Some(Box::new(ClassMarginsJob {
        products: task.product_table(network.spec.run.seed),
        norm_sum: norms.iter().sum(),
        width,
        evaluated: 0,
        min_margins: vec![f64::INFINITY; classes.count()],
        classes,
    }))
}

impl ProbeMeasurement for ClassMarginsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let order = groups_task(&network.spec)?.order();
        let portion = (OPERATIONS_PER_POLL / (order * self.width.max(1))).max(1);
        let until = (self.evaluated + portion).min(self.products.len());
        let pairs = self.evaluated..until;
        let x: Vec<f32> =
            pairs.clone().flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
        let outputs = network.spec.network().evaluate(&network.slices(), order, &x, 0);
        for (logits, right) in outputs.chunks_exact(order).zip(&self.products[pairs]) {
            self.classes.lower_margins(logits, *right as usize, &mut self.min_margins);
        }
        self.evaluated = until;
        let normalised = self.min_margins.iter().map(|margin| (margin / self.norm_sum) as f32);
        (until == self.products.len())
            .then(|| ProbeResult::new(CLASS_MARGINS.id()).with_numbers(normalised.collect::<Vec<f32>>()))
    }
}

/// Job that measures the probe [`NEURON_MARGINS`], a few neurons in each poll.
struct NeuronMarginsJob {
    /// The conjugacy class of each wrong answer to each right answer.
    classes: WrongAnswerClasses,
    /// Right answer of each pair (a, b), at a · order + b.
    products: Vec<u32>,
    /// Weights u, v and w of all neurons, `[elements, neurons]` each.
    arrays: Vec<Vec<f32>>,
    /// Cubed norm ‖ω‖³ of each neuron.
    cubed_norms: Vec<f64>,
    /// Normalised margins of the neurons measured so far, `[neurons, classes]`.
    margins: Vec<f32>,
}

/// Starts the job that measures [`NEURON_MARGINS`]; none for other tasks, and for groups too large to list.
fn new_neuron_margins_job(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let task = groups_task(&network.spec)?;
    let group = task.group()?;
    let (arrays, _, cubed_norms) = cubed_norms(network, group.order())?;
    Some(Box::new(NeuronMarginsJob {
        classes: WrongAnswerClasses::from_group(&group),
        products: task.product_table(network.spec.run.seed),
        arrays,
        cubed_norms,
        margins: vec![],
    }))
}

impl ProbeMeasurement for NeuronMarginsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let order = groups_task(&network.spec)?.order();
        let (width, count) = (self.cubed_norms.len(), self.classes.count().max(1));
        let measured = self.margins.len() / count;
        let until = (measured + (OPERATIONS_PER_POLL / (2 * order * order)).max(1)).min(width);
        for neuron in measured..until {
            let [u, v, w] = neuron_weights(&self.arrays, width, neuron);
            let margins = self.classes.average_neuron_margins(&self.products, [&u, &v, &w]);
            self.margins.extend(margins.iter().map(|margin| (margin / self.cubed_norms[neuron]) as f32));
        }
        if until < width {
            return None;
        }
        let sum: f64 = self.cubed_norms.iter().sum();
        let fractions = self.cubed_norms.iter().map(|norm| (norm / sum) as f32);
        let numbers: Vec<f32> = fractions.chain(std::mem::take(&mut self.margins)).collect();
        Some(ProbeResult::new(NEURON_MARGINS.id()).with_counts([width, count]).with_numbers(numbers))
    }
}
