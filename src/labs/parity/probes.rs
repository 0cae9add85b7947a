//! What is measured of networks on bits: the Fourier gap, the Walsh spectrum, mean attention, and networks of powers.

use super::neuron_gap::slope;
use vivarium_model::models::Activation;
use vivarium_model::models::family::{Family, Head};
use vivarium_model::models::parity_transformer::average;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Form};
use vivarium_plot::analysis::gap::Gap;
use vivarium_plot::analysis::gradient::{FirstLayer, MOST_EXACT, PopulationGradient};
use vivarium_plot::analysis::spectrum::{MOST_INPUTS, Spectrum as Walsh, point};
use vivarium_view::probing::{AtOnce, Job, Probe, ProbeSpec, Probed};

/// Points of the cube that are worked on between two looks at the clock, divided by the width.
const POINTS: usize = 1 << 16;
/// Inputs that attention is averaged over.
const ATTENDED: usize = 256;

/// The Fourier gap of the neuron with the largest: of g = E[y x σ'(w·x + b)] where the output is a sum of
/// [neurons], else of g = E[y x ∂f/∂z], z = w·x + b. It finds Γ, the strict gap, and the standard error of either, 0
/// where the mean is exact.
pub const GAP: Probe = Probe { name: "gap", applies: has_gap };
/// The Walsh spectrum of the output on all points of the cube. It finds its correlation with the target, and the share
/// of the squared norm on sets of each size, from 0.
pub const SPECTRUM: Probe = Probe { name: "spectrum", applies: has_spectrum };
/// Where the \[CLS\] token of a transformer attends: the mean weight of each input over the heads. What is missing to 1
/// is on \[CLS\] itself.
pub const ATTENTION: Probe = Probe { name: "attention", applies: has_attention };
/// Both layers of a network of powers: its width, then weights u, `[inputs, width]`, and w, `[2, width]`.
pub const POWERS: Probe = Probe { name: "powers", applies: is_of_powers };

/// All of them.
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec { probe: GAP, job: gap },
    ProbeSpec { probe: SPECTRUM, job: spectrum },
    ProbeSpec { probe: ATTENTION, job: |_| Some(Box::new(AtOnce(attention))) },
    ProbeSpec { probe: POWERS, job: |_| Some(Box::new(AtOnce(powers))) },
];

fn is_of_parities(spec: &RunSpec) -> Result<(), String> {
    let examples = spec.task.examples();
    match examples.parity() {
        _ if !examples.form().is_a(Form::Bits) => Err(Form::Bits.only().into()),
        None => Err(tr!("This chart needs a task with a parity as its label.").into()),
        Some(_) => Ok(()),
    }
}

fn has_gap(spec: &RunSpec) -> Result<(), String> {
    is_of_parities(spec)?;
    match spec.model.config().attends_from_cls() {
        true => {
            Err(tr!("A transformer has no layer that is linear in the input, so it has no Fourier gap.")
                .into())
        }
        false => Ok(()),
    }
}

fn has_spectrum(spec: &RunSpec) -> Result<(), String> {
    is_of_parities(spec)?;
    match spec.task.examples().inputs() > MOST_INPUTS {
        true => Err(tr!(
            "The spectrum needs all 2^n inputs, so it is computed only for n up to {most}.",
            most = MOST_INPUTS
        )),
        false => Ok(()),
    }
}

fn has_attention(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().attends_from_cls() {
        _ if !spec.task.examples().form().is_a(Form::Bits) => Err(Form::Bits.only().into()),
        true => Ok(()),
        false => Err(tr!("This network has no attention.").into()),
    }
}

fn is_of_powers(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().is_of_powers() {
        true => Ok(()),
        false => Err(tr!("This chart needs a network with a power of z as its activation function.").into()),
    }
}

/// Activation and degree of the neurons that the output is a sum of; none of another network.
pub fn neurons(spec: &RunSpec) -> Option<(Activation, usize)> {
    match spec.model.config().family()? {
        Family::OneHiddenLayer(layer) if layer.head == Head::Sum => Some((layer.activation, layer.degree)),
        Family::Powers(powers) => Some((Activation::Power, powers.degree)),
        _ => None,
    }
}

/// Points that are worked on in one part: a drawn point costs its inputs too; a point of the cube shares them with its
/// neighbours.
fn points(network: &Probed) -> usize {
    (POINTS / (network.width() * network.inputs().div_ceil(MOST_EXACT))).max(16)
}

struct GapJob {
    relevant: Vec<usize>,
    gradient: PopulationGradient,
}

fn gap(network: &Probed) -> Option<Box<dyn Job>> {
    let (spec, inputs) = (&network.spec, network.inputs());
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let (w, b) = spec.network().first_layer(&network.slices(), inputs)?;
    let layer = FirstLayer { weights: &w, biases: &b, inputs, width: b.len() };
    let gradient = PopulationGradient::new(&layer, &relevant);
    Some(Box::new(GapJob { relevant, gradient }))
}

impl Job for GapJob {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let (weights, spec) = (network.slices(), &network.spec);
        let (model, stage) = (spec.network(), spec.stage(network.step));
        let neurons = neurons(spec);
        let head = |z: &[f64], slopes: &mut [f64]| match neurons {
            Some((activation, degree)) => {
                slopes.iter_mut().zip(z).for_each(|(to, z)| *to = slope(activation, degree, *z));
                0.0
            }
            None => model.head(&weights, z, slopes, stage),
        };
        // The label itself, whatever the loss.
        if !self.gradient.advance(&head, &|y, _| y, points(network)) {
            return None;
        }
        let largest = self.gradient.clone().finish().largest(&self.relevant);
        let gap = largest.map_or(Gap { relaxed: f64::NAN, ..Default::default() }, |(_, gap)| gap);
        Some(Finding::of(GAP.id()).with_few([gap.relaxed, gap.strict, gap.error]))
    }
}

/// Outputs on the first points of the cube.
struct SpectrumJob(Vec<f32>);

fn spectrum(network: &Probed) -> Option<Box<dyn Job>> {
    Some(Box::new(SpectrumJob(Vec::with_capacity(1 << network.inputs()))))
}

impl Job for SpectrumJob {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let (SpectrumJob(outputs), inputs) = (self, network.inputs());
        let (spec, all) = (&network.spec, 1usize << inputs);
        let until = (outputs.len() + points(network)).min(all);
        let x: Vec<f32> = (outputs.len()..until).flat_map(|mask| point(mask, inputs)).collect();
        let stage = spec.stage(network.step);
        outputs.extend(spec.network().evaluate(&network.slices(), inputs, &x, stage));
        if outputs.len() < all {
            return None;
        }
        let found = Finding::of(SPECTRUM.id());
        Some(match Walsh::read(outputs, &spec.task.examples().relevant(spec.run.seed)) {
            Some(spectrum) => found
                .with_few([f64::from(spectrum.correlation as f32)])
                .with_numbers(spectrum.by_degree.iter().map(|share| *share as f32).collect()),
            // A diverged network has no spectrum.
            None => found.with_few([f64::NAN]).with_numbers(vec![f32::NAN; inputs + 1]),
        })
    }
}

fn attention(network: &Probed) -> Option<Finding> {
    let (spec, inputs, mut batch) = (&network.spec, network.inputs(), Batch::default());
    spec.task.sampler().held_out(spec.run.seed, 0, ATTENDED, &mut batch);
    // The last token is [CLS] itself.
    let mut mass = average(&spec.network().attention(&network.slices(), inputs, &batch.x)?);
    mass.truncate(inputs);
    Some(Finding::of(ATTENTION.id()).with_numbers(mass))
}

fn powers(network: &Probed) -> Option<Finding> {
    Some(Finding::of(POWERS.id()).with_counts([network.width()]).with_numbers(network.weights.concat()))
}
