//! Probes of networks on bits: the Fourier gap, the Walsh spectrum, mean attention, networks of powers, and the progress of
//! each network.

use super::neuron_gap::activation_derivative;
use vivarium_model::models::family::{Family, Head};
use vivarium_model::models::parity_transformer::average;
use vivarium_model::models::{Activation, Parameter};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm, TaskData};
use vivarium_plot::analysis::gap::FourierGap;
use vivarium_plot::analysis::gradient::{FirstLayer, GradientAccumulator, MAX_EXACT_INPUTS};
use vivarium_plot::analysis::movement::WeightMovement;
use vivarium_plot::analysis::spectrum::{FourierSpectrum as Walsh, MAX_INPUTS, point_of_mask};
use vivarium_plot::analysis::weights::are_largest_weights_relevant;
use vivarium_view::display::words::format_thousands;
use vivarium_view::probing::{
    Probe, ProbeInput, ProbeMeasurement, ProbeSpec, ProbedNetwork, SinglePassMeasurement,
};

/// Number of points of the hypercube {−1, 1}ⁿ evaluated in one call of `poll` for a network of width 1; a network of
/// width w gets a w-th of it.
const POINTS_PER_SLICE: usize = 1 << 16;
/// Number of held-out inputs over which the attention weights of the \[CLS\] token are averaged.
const ATTENTION_INPUTS: usize = 256;

/// Largest number of weights of all networks of a run for which [`MOVEMENTS`] is measured: 2²⁰ random initial weights are
/// computed in some tens of milliseconds.
const MAX_COMPARED_WEIGHTS: u64 = 1 << 20;

/// Largest number of points of the hypercube, over all neurons of all networks of a run, for which [`INITIAL_GAPS`] is
/// measured: 2²⁷ take a few tenths of a second.
const MAX_INITIAL_POINTS: u64 = 1 << 27;

/// Largest Fourier gap of any neuron: of g = E[y x σ'(w·x + b)] if the output is a sum of [neurons](summed_neurons),
/// else of g = E[y x ∂f/∂z] with z = w·x + b, for the label y and output f. Its scalars are the gap (largest |g_i| on a
/// relevant bit minus the largest on another bit), the strict gap (smallest |g_i| on a relevant bit minus the largest
/// on another bit), and the standard error of the gap, 0 for an exact mean.
pub const GAP: Probe = Probe { name: "gap", applies: check_has_gap };
/// Walsh (Fourier) spectrum of the output on all points of the hypercube. Its scalar is the correlation with the
/// target; its numbers are the shares of the squared norm on parities of 0, 1, 2, … bits.
pub const SPECTRUM: Probe = Probe { name: "spectrum", applies: check_has_spectrum };
/// Mean attention weight of the \[CLS\] token on each input, over the heads of a transformer. The rest of the sum up to
/// 1 is on \[CLS\] itself.
pub const ATTENTION: Probe = Probe { name: "attention", applies: check_has_attention };
/// Weights of both layers of a power network: its width as count, then first layer u, `[inputs, width]`, and output
/// layer w, `[2, width]`.
pub const POWERS: Probe = Probe { name: "powers", applies: check_is_power_net };

/// Progress of each network of the run. Its scalars are, first for each network, the progress measure ρ = ‖w_t − w_0‖_∞ of
/// its first layer (Edelman 2024, appendix B.3.3), and then for each network 1 if the relevant bits have the largest weights,
/// else 0.
pub const MOVEMENTS: Probe = Probe { name: "movements", applies: check_has_input_weights };

/// Exact Fourier gap Γ of each network of the run at its initial weights, which depends on the settings alone. Its scalars are
/// for each network the largest gap of one of its neurons (Edelman 2024, figure B.7).
pub const INITIAL_GAPS: Probe = Probe { name: "initial-gaps", applies: check_has_exact_gaps };

/// Probes of the lab on sparse parities: [`GAP`], [`SPECTRUM`], [`ATTENTION`] (from \[CLS\] to bits), [`POWERS`],
/// [`MOVEMENTS`] and [`INITIAL_GAPS`].
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec::new(GAP, start_gap),
    ProbeSpec::new(SPECTRUM, start_spectrum),
    ProbeSpec::new(ATTENTION, |_| Some(Box::new(SinglePassMeasurement(measure_attention)))),
    ProbeSpec::new(POWERS, |_| Some(Box::new(SinglePassMeasurement(measure_powers)))),
    ProbeSpec::new(MOVEMENTS, |_| Some(Box::new(SinglePassMeasurement(measure_movements))))
        .of(ProbeInput::AllFirstLayers),
    ProbeSpec::new(INITIAL_GAPS, start_initial_gaps).of(ProbeInput::InitialWeights),
];

/// Returns an error message unless the task's label is a parity of bits.
fn check_has_parity(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Bits(Some(_)) => Ok(()),
        TaskData::Bits(None) | TaskData::Rows => {
            Err(tr!("This chart needs a task with a parity as its label.").into())
        }
        _ => Err(ExampleForm::Bits.unavailable_reason().into()),
    }
}

/// Returns an error message if the Fourier gap is not defined: if the label is no parity, or the network is a
/// transformer, which has no layer linear in the input.
fn check_has_gap(spec: &RunSpec) -> Result<(), String> {
    check_has_parity(spec)?;
    match spec.model.config().attends_from_cls() {
        true => {
            Err(tr!("A transformer has no layer that is linear in the input, so it has no Fourier gap.")
                .into())
        }
        false => Ok(()),
    }
}

/// Returns an error message if the Walsh spectrum of the output cannot be computed: if the label is no parity, or there
/// are too many inputs to evaluate all 2ⁿ points.
fn check_has_spectrum(spec: &RunSpec) -> Result<(), String> {
    check_has_parity(spec)?;
    match spec.task.examples().inputs() > MAX_INPUTS {
        true => Err(tr!(
            "The spectrum needs all 2^n inputs, so it is computed only for n up to {most}.",
            most = MAX_INPUTS
        )),
        false => Ok(()),
    }
}

/// Returns an error message unless the network is a transformer whose \[CLS\] token attends to the input bits.
fn check_has_attention(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().attends_from_cls() {
        _ if !spec.task.data().form().counts_as(ExampleForm::Bits) => {
            Err(ExampleForm::Bits.unavailable_reason().into())
        }
        true => Ok(()),
        false => Err(tr!("This network has no attention.").into()),
    }
}

/// Returns an error message unless the network's activation is a power of its input z.
fn check_is_power_net(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().is_of_powers() {
        true => Ok(()),
        false => Err(tr!("This chart needs a network with a power of z as its activation function.").into()),
    }
}

/// Returns an error message unless the label is a parity, the first layer has a row of weights for each input bit, and the
/// initial weights of all networks can be computed again for each measurement.
fn check_has_input_weights(spec: &RunSpec) -> Result<(), String> {
    check_has_parity(spec)?;
    let parameters = spec.parameters();
    let has_rows = parameters.first().is_some_and(|first| first.shape[1] == spec.task.examples().inputs());
    if !has_rows || spec.model.config().attends_from_cls() {
        return Err(
            tr!("This chart needs a network with a row of first-layer weights for each input bit.").into()
        );
    }
    match parameters.iter().map(Parameter::numbers).fold(0, u64::saturating_add) > MAX_COMPARED_WEIGHTS {
        true => Err(tr!(
            "This chart is available only for runs whose networks have at most {most} weights together.",
            most = format_thousands(MAX_COMPARED_WEIGHTS)
        )),
        false => Ok(()),
    }
}

/// Returns an error message unless the output is a sum of neurons, and all 2ⁿ points can be evaluated for each neuron of each
/// network.
fn check_has_exact_gaps(spec: &RunSpec) -> Result<(), String> {
    check_has_gap(spec)?;
    if summed_neurons(spec).is_none() {
        return Err(tr!("This chart needs a network whose output is a sum of neurons.").into());
    }
    let inputs = spec.task.examples().inputs();
    let neurons = spec.parameters().first().map_or(0, |first| first.numbers() / inputs.max(1) as u64);
    match inputs <= MAX_EXACT_INPUTS && neurons.saturating_mul(1 << inputs) <= MAX_INITIAL_POINTS {
        true => Ok(()),
        false => Err(tr!(
            "This chart evaluates all 2^n inputs for each neuron, so it needs n of at most {inputs}, and at most {points} inputs for all neurons together.",
            inputs = MAX_EXACT_INPUTS,
            points = format_thousands(MAX_INITIAL_POINTS)
        )),
    }
}

/// Activation function of the hidden neurons and its degree, if the network's output is the plain sum of these neurons;
/// `None` for other networks.
pub fn summed_neurons(spec: &RunSpec) -> Option<(Activation, usize)> {
    match spec.model.config().family()? {
        Family::OneHiddenLayer(layer) if layer.head == Head::Sum => Some((layer.activation, layer.degree)),
        Family::Powers(powers) => Some((Activation::Power, powers.degree)),
        _ => None,
    }
}

/// Number of points evaluated in one call of `poll`: fewer for wide networks, and fewer for random points of many
/// inputs, which cost more than neighbouring points of the hypercube.
fn points_per_slice(network: &ProbedNetwork) -> usize {
    (POINTS_PER_SLICE / (network.width() * network.inputs().div_ceil(MAX_EXACT_INPUTS))).max(16)
}

/// Running measurement of [`GAP`], the Fourier gap of the first network's neurons.
struct GapJob {
    /// Relevant bits (those that determine the label), numbered from 0.
    relevant: Vec<usize>,
    /// Mean gradient of the first layer over all inputs (or random ones), accumulated so far.
    gradient: GradientAccumulator,
}

/// Starts to measure the Fourier gap [`GAP`]; `None` if the network has no first layer that is linear in the input.
fn start_gap(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let (spec, inputs) = (&network.spec, network.inputs());
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let (w, b) = spec.network().linear_first_layer()?.first_layer(&network.slices(), inputs);
    let layer = FirstLayer { weights: &w, biases: &b, inputs, width: b.len() };
    let gradient = GradientAccumulator::new(&layer, &relevant);
    Some(Box::new(GapJob { relevant, gradient }))
}

impl ProbeMeasurement for GapJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let (weights, spec) = (network.slices(), &network.spec);
        let (model, stage) = (spec.network(), spec.stage(network.step));
        // A measurement starts only if the network has such a layer.
        let Some(first) = model.linear_first_layer() else {
            return Some(ProbeResult::new(GAP.id()).with_few_numbers([f64::NAN; 3]));
        };
        let neurons = summed_neurons(spec);
        let head = |z: &[f64], gradient: &mut [f64]| match neurons {
            Some((activation, degree)) => {
                gradient
                    .iter_mut()
                    .zip(z)
                    .for_each(|(to, z)| *to = activation_derivative(activation, degree, *z));
                0.0
            }
            None => first.head(&weights, z, gradient, stage),
        };
        // The gradient uses the label itself, whatever the loss.
        if !self.gradient.advance(&head, &|y, _| y, points_per_slice(network)) {
            return None;
        }
        let largest = self.gradient.clone().finish().largest_gap(&self.relevant);
        let gap = largest.map_or(FourierGap { relaxed: f64::NAN, ..Default::default() }, |(_, gap)| gap);
        Some(ProbeResult::new(GAP.id()).with_few_numbers([gap.relaxed, gap.strict, gap.standard_error]))
    }
}

/// Running measurement of [`SPECTRUM`]: outputs of the network on the points of the hypercube evaluated so far.
struct SpectrumJob(Vec<f32>);

/// Starts to evaluate the network on all points of the hypercube for [`SPECTRUM`].
fn start_spectrum(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    Some(Box::new(SpectrumJob(Vec::with_capacity(1 << network.inputs()))))
}

impl ProbeMeasurement for SpectrumJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let (SpectrumJob(outputs), inputs) = (self, network.inputs());
        let (spec, all) = (&network.spec, 1usize << inputs);
        let until = (outputs.len() + points_per_slice(network)).min(all);
        let x: Vec<f32> = (outputs.len()..until).flat_map(|mask| point_of_mask(mask, inputs)).collect();
        let stage = spec.stage(network.step);
        outputs.extend(spec.network().evaluate(&network.slices(), inputs, &x, stage));
        if outputs.len() < all {
            return None;
        }
        let found = ProbeResult::new(SPECTRUM.id());
        Some(match Walsh::read(outputs, &spec.task.examples().relevant(spec.run.seed)) {
            Some(spectrum) => found
                .with_few_numbers([f64::from(spectrum.correlation as f32)])
                .with_numbers(spectrum.weight_by_degree.iter().map(|share| *share as f32).collect()),
            // A diverged network has no spectrum.
            None => found.with_few_numbers([f64::NAN]).with_numbers(vec![f32::NAN; inputs + 1]),
        })
    }
}

/// Measures [`ATTENTION`], the mean attention weight of \[CLS\] on each input, on held-out inputs; `None` if the
/// network has no attention.
fn measure_attention(network: &ProbedNetwork) -> Option<ProbeResult> {
    let (spec, inputs, mut batch) = (&network.spec, network.inputs(), Batch::default());
    spec.task.sampler().append_held_out(spec.run.seed, 0, ATTENTION_INPUTS, &mut batch);
    // The last token is [CLS] itself.
    let mut mass = average(&spec.network().attention(&network.slices(), inputs, &batch.x)?);
    mass.truncate(inputs);
    Some(ProbeResult::new(ATTENTION.id()).with_numbers(mass))
}

/// Reads the first network's weights for [`POWERS`], which applies only to power networks.
fn measure_powers(network: &ProbedNetwork) -> Option<ProbeResult> {
    Some(ProbeResult::new(POWERS.id()).with_counts([network.width()]).with_numbers(network.weights.concat()))
}

/// Measures [`MOVEMENTS`] for each network whose first layer is available; `None` for a network without weights.
fn measure_movements(network: &ProbedNetwork) -> Option<ProbeResult> {
    let (spec, width) = (&network.spec, network.width());
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let initial = spec.initialize_replicas(network.each_first_layer().count()).into_iter().next()?;
    let length = network.weights.first()?.len();
    let is_relevant = vec![true; network.inputs()];
    let movements = network
        .each_first_layer()
        .zip(initial.chunks_exact(length.max(1)))
        .map(|(now, start)| f64::from(WeightMovement::between(start, now, width, &is_relevant).rho()));
    let revealed = network
        .each_first_layer()
        .map(|now| f64::from(u8::from(are_largest_weights_relevant(now, width, &relevant))));
    let few: Vec<f64> = movements.chain(revealed).collect();
    Some(ProbeResult::new(MOVEMENTS.id()).with_few_numbers(few))
}

/// Running measurement of [`INITIAL_GAPS`]: the neurons of all networks as one layer.
struct InitialGapsJob {
    /// Relevant bits (those that determine the label), numbered from 0.
    relevant: Vec<usize>,
    /// Activation function of the neurons and its degree.
    activation: (Activation, usize),
    /// Number of neurons of each network.
    width: usize,
    /// Mean gradient over all inputs, accumulated so far.
    gradient: GradientAccumulator,
}

/// Starts to measure [`INITIAL_GAPS`]; `None` if the network is no sum of neurons on its inputs.
fn start_initial_gaps(network: &ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>> {
    let (spec, inputs) = (&network.spec, network.inputs());
    let (activation, replicas, initial) =
        (summed_neurons(spec)?, spec.run.replicas, spec.initialize_parameters());
    let model = spec.network();
    let first = model.linear_first_layer()?;
    let layers: Vec<_> = (0..replicas)
        .map(|replica| {
            let lengths = initial.iter().map(|values| values.len() / replicas);
            let slices: Vec<&[f32]> = initial
                .iter()
                .zip(lengths)
                .map(|(values, length)| &values[replica * length..(replica + 1) * length])
                .collect();
            first.first_layer(&slices, inputs)
        })
        .collect();
    let width = layers.first()?.1.len();
    let row = |i: usize| layers.iter().flat_map(move |(w, _)| &w[i * width..(i + 1) * width]);
    let weights: Vec<f32> = (0..inputs).flat_map(row).copied().collect();
    let biases: Vec<f32> = layers.iter().flat_map(|(_, b)| b.iter()).copied().collect();
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let layer = FirstLayer { weights: &weights, biases: &biases, inputs, width: biases.len() };
    let gradient = GradientAccumulator::new(&layer, &relevant);
    Some(Box::new(InitialGapsJob { relevant, activation, width, gradient }))
}

impl ProbeMeasurement for InitialGapsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let (activation, degree) = self.activation;
        let head = |z: &[f64], gradient: &mut [f64]| {
            let neurons = gradient.iter_mut().zip(z);
            neurons.for_each(|(to, z)| *to = activation_derivative(activation, degree, *z));
            0.0
        };
        let points = POINTS_PER_SLICE / (self.width * network.spec.run.replicas).max(1);
        if !self.gradient.advance(&head, &|y, _| y, points.max(16)) {
            return None;
        }
        let gaps = self.gradient.clone().finish().gaps(&self.relevant);
        let largest =
            |neurons: &[FourierGap]| neurons.iter().map(|gap| gap.relaxed).fold(f64::NEG_INFINITY, f64::max);
        let few: Vec<f64> = gaps.chunks(self.width.max(1)).map(largest).collect();
        Some(ProbeResult::new(INITIAL_GAPS.id()).with_few_numbers(few))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_view::probing::ProbeTask;

    fn measure(spec: &RunSpec, first_layers: Vec<f32>) -> Vec<f64> {
        let weights = spec.initialize_replicas(1);
        let network = ProbedNetwork { spec: spec.clone(), step: 7, weights, first_layers };
        let probe = PROBES.iter().find(|spec| spec.probe.name == MOVEMENTS.name).unwrap();
        ProbeTask::new(probe, network).unwrap().advance(f64::INFINITY).unwrap().few
    }

    /// Single weights of single networks are changed, so that every number follows by hand.
    #[test]
    fn each_network_has_its_own_movement_and_its_own_largest_weights() {
        let spec = decode("#v1/sparse-parity?n=6&k=2&width=3&replicas=4&s=2.5").0.spec;
        let relevant = spec.task.examples().relevant(spec.run.seed);
        assert_eq!(relevant, [1, 4]);
        let mut layers = spec.initialize_parameters().swap_remove(0);
        assert_eq!(layers.len(), 4 * 6 * 3);
        let at = |network: usize, bit: usize, neuron: usize| (network * 6 + bit) * 3 + neuron;
        // Network 1: one weight on an irrelevant bit. Network 2: both relevant bits. Network 3: one of them.
        layers[at(1, 0, 2)] += 0.25;
        layers[at(2, 1, 0)] += 5.0;
        layers[at(2, 4, 2)] -= 6.0;
        layers[at(3, 4, 1)] += 7.0;
        let few = measure(&spec, layers);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
        assert!([0.0, 0.25, 6.0, 7.0].iter().zip(&few).all(|(a, b)| near(*a, *b)), "{few:?}");
        assert_eq!((few.len(), few[6], few[7]), (8, 1.0, 0.0));
    }

    /// Where only the first network is available, it is the one that is measured.
    #[test]
    fn without_the_other_networks_the_first_one_is_measured() {
        let spec = decode("#v1/sparse-parity?n=6&k=2&width=3&replicas=4").0.spec;
        assert_eq!(measure(&spec, vec![])[..1], [0.0]);
        assert_eq!(measure(&spec, vec![]).len(), 2);
    }

    #[test]
    fn movements_need_a_row_for_each_bit_and_few_weights() {
        let found = |link: &str| check_has_input_weights(&decode(&format!("#v1/sparse-parity{link}")).0.spec);
        for link in [
            "?n=30&width=1&replicas=200",
            "?model=disjoint-polynet&layout=blocks",
            "?model=polynet",
            "?model=power-net",
        ] {
            assert_eq!(found(link), Ok(()), "{link}");
        }
        let why = found("?model=cls-transformer").unwrap_err();
        assert!(why.contains("a row of first-layer weights"), "{why}");
        let why = found("?n=50&width=100&replicas=1000").unwrap_err();
        assert!(why.contains("1,048,576 weights"), "{why}");
    }
}
