//! Probes of networks on bits: the Fourier gap, the Walsh spectrum, mean attention, and networks of powers.

use super::neuron_gap::activation_derivative;
use vivarium_model::models::Activation;
use vivarium_model::models::family::{Family, Head};
use vivarium_model::models::parity_transformer::average;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm, TaskData};
use vivarium_plot::analysis::gap::FourierGap;
use vivarium_plot::analysis::gradient::{FirstLayer, GradientAccumulator, MAX_EXACT_INPUTS};
use vivarium_plot::analysis::spectrum::{FourierSpectrum as Walsh, MAX_INPUTS, point_of_mask};
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// Number of points of the hypercube {−1, 1}ⁿ evaluated in one call of `poll` for a network of width 1; a network of
/// width w gets a w-th of it.
const POINTS_PER_SLICE: usize = 1 << 16;
/// Number of held-out inputs over which the attention weights of the \[CLS\] token are averaged.
const ATTENTION_INPUTS: usize = 256;

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

/// Probes of the lab on sparse parities: [`GAP`], [`SPECTRUM`], [`ATTENTION`] (from \[CLS\] to bits) and [`POWERS`].
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec { probe: GAP, start_measurement: start_gap },
    ProbeSpec { probe: SPECTRUM, start_measurement: start_spectrum },
    ProbeSpec {
        probe: ATTENTION,
        start_measurement: |_| Some(Box::new(SinglePassMeasurement(measure_attention))),
    },
    ProbeSpec { probe: POWERS, start_measurement: |_| Some(Box::new(SinglePassMeasurement(measure_powers))) },
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
