//! Probes of the first replica that take too long for one slice: each is a [`ProbeJob`] that goes on for a few
//! milliseconds at a time, in the worker as on the command line.

mod ablation;
pub mod margins;
mod pairs;

use crate::analysis::gap::Gap;
use crate::analysis::gradient::{FirstLayer, MOST_EXACT, PopulationGradient};
use crate::analysis::spectrum::{MOST_INPUTS, Spectrum, point};
use crate::models::parity_transformer::average;
use crate::platform::now_ms;
use crate::protocol::{Finding, Probe};
use crate::run::RunSpec;
use crate::tasks::Form;
use ablation::Ablation;
use pairs::PairWork;

/// Points of the cube that are worked on between two looks at the clock, divided by the width.
const POINTS: usize = 1 << 16;
/// Inputs that attention is averaged over.
const ATTENDED: usize = 256;
/// Inputs whose attention is shown one by one, and most numbers that these may be.
const LOOKED_AT: usize = 100;
const MOST_LOOKS: usize = 1 << 16;

/// Whether `probe` can be asked about the run, or why not.
///
/// # Errors
/// A sentence for the person.
pub fn applies(probe: Probe, spec: &RunSpec) -> Result<(), String> {
    let sampler = spec.task.sampler();
    let inputs = sampler.inputs();
    let of_bits = matches!(probe, Probe::Gap | Probe::Spectrum | Probe::Attention | Probe::Looks);
    if !sampler.form().is_a(Form::Bits) && of_bits {
        return Err(Form::Bits.only().into());
    }
    if sampler.parity().is_none() && matches!(probe, Probe::Gap | Probe::Spectrum) {
        return Err(tr!("This is about parities.").into());
    }
    let model = spec.model.config();
    match probe {
        Probe::Neurons | Probe::Outputs | Probe::Cosets | Probe::Progress => pairs::applies(probe, spec),
        Probe::Gap if model.attends_from_cls() => {
            Err(tr!("A transformer has no layer that is linear in the input, so it has no Fourier gap.")
                .into())
        }
        Probe::Gap => Ok(()),
        Probe::Spectrum if inputs > MOST_INPUTS => {
            Err(tr!("The spectrum takes all 2^n inputs: it is there for n up to {most}.", most = MOST_INPUTS))
        }
        Probe::Spectrum => Ok(()),
        Probe::Attention | Probe::Looks if model.attends_from_cls() => Ok(()),
        Probe::Attention | Probe::Looks => Err(tr!("This network has no attention.").into()),
        Probe::Powers if model.is_of_powers() => Ok(()),
        Probe::Powers => Err(tr!("This is about networks of powers.").into()),
        Probe::Parameters | Probe::Ablation if sampler.form() != Form::Sequence => {
            Err(Form::Sequence.only().into())
        }
        Probe::Parameters => Ok(()),
        Probe::Ablation if !model.heads().is_empty() => Ok(()),
        Probe::Ablation => Err(tr!("This network has no heads.").into()),
    }
}

/// Whether [`Probe::Gap`] is exact for the run, and not estimated on drawn points.
pub fn exact_gap(spec: &RunSpec) -> bool {
    spec.task.sampler().inputs() <= MOST_EXACT
}

/// A probe that is computed in bounded parts.
pub struct ProbeJob {
    spec: RunSpec,
    relevant: Vec<usize>,
    weights: Vec<Vec<f32>>,
    step: u64,
    work: Work,
}

enum Work {
    Gap(PopulationGradient),
    /// Outputs on the first points of the cube.
    Spectrum(Vec<f32>),
    Attention,
    Looks,
    Powers,
    Pairs(PairWork),
    Parameters,
    Ablation(Box<Ablation>),
}

impl ProbeJob {
    /// The probe of the network with these `weights`, each `[rows, columns]`, after `step` steps; `None` where
    /// the probe does not apply.
    pub fn new(probe: Probe, spec: &RunSpec, step: u64, weights: Vec<Vec<f32>>) -> Option<Self> {
        applies(probe, spec).ok()?;
        let task = spec.task.sampler();
        let relevant = task.relevant(spec.run.seed);
        let work = match probe {
            Probe::Gap => {
                let (w, b) = spec.architecture().first_layer(&slices(&weights), task.inputs())?;
                let layer = FirstLayer { weights: &w, biases: &b, inputs: task.inputs(), width: b.len() };
                Work::Gap(PopulationGradient::new(&layer, &relevant))
            }
            Probe::Spectrum => Work::Spectrum(Vec::with_capacity(1 << task.inputs())),
            Probe::Attention => Work::Attention,
            Probe::Looks => Work::Looks,
            Probe::Powers => Work::Powers,
            Probe::Parameters => Work::Parameters,
            Probe::Ablation => Work::Ablation(Box::new(Ablation::new(spec)?)),
            _ => Work::Pairs(PairWork::new(probe, spec, &weights)?),
        };
        Some(ProbeJob { spec: spec.clone(), relevant, weights, step, work })
    }

    /// Steps made by the network that is looked at.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Goes on until it is done or the clock shows `until_ms`, but polls at least once.
    pub fn advance(&mut self, until_ms: f64) -> Option<Finding> {
        loop {
            let found = self.poll();
            if found.is_some() || now_ms() >= until_ms {
                return found;
            }
        }
    }

    /// Does a bounded part of the work; the finding comes with the last part.
    fn poll(&mut self) -> Option<Finding> {
        if let Work::Pairs(work) = &mut self.work {
            return work.poll(&self.spec, &self.weights);
        }
        let (model, loss) = (self.spec.architecture(), self.spec.run.loss);
        let inputs = self.spec.task.sampler().inputs();
        let (weights, stage) = (slices(&self.weights), self.spec.stage(self.step));
        let width = self.weights.first().map_or(1, |w| w.len() / inputs.max(1)).max(1);
        // A drawn point costs its inputs too; a point of the cube shares them with its neighbours.
        let points = (POINTS / (width * inputs.div_ceil(MOST_EXACT))).max(16);
        match &mut self.work {
            Work::Gap(job) => {
                let head = |z: &[f64], slopes: &mut [f64]| model.head(&weights, z, slopes, stage);
                if !job.advance(&head, &|y, f| loss.slope(y, f), points) {
                    return None;
                }
                let largest = job.clone().finish().largest(&self.relevant);
                let gap = largest.map_or(Gap { relaxed: f64::NAN, ..Default::default() }, |(_, gap)| gap);
                Some(Finding::Gap { relaxed: gap.relaxed, strict: gap.strict, error: gap.error })
            }
            Work::Spectrum(outputs) => {
                let all = 1usize << inputs;
                let until = (outputs.len() + points).min(all);
                let x: Vec<f32> = (outputs.len()..until).flat_map(|mask| point(mask, inputs)).collect();
                outputs.extend(model.evaluate(&weights, inputs, &x, stage));
                (outputs.len() == all).then(|| match Spectrum::read(outputs, &self.relevant) {
                    Some(spectrum) => Finding::Spectrum {
                        shares: spectrum.by_degree.iter().map(|share| *share as f32).collect(),
                        correlation: spectrum.correlation as f32,
                    },
                    // A diverged network has no spectrum.
                    None => Finding::Spectrum { shares: vec![f32::NAN; inputs + 1], correlation: f32::NAN },
                })
            }
            Work::Pairs(_) => None,
            Work::Ablation(work) => work.poll(&weights, inputs),
            Work::Parameters => Some(Finding::Parameters(self.weights.concat())),
            Work::Powers => Some(Finding::Powers { width, numbers: self.weights.concat() }),
            Work::Looks => {
                let (tokens, mut batch) = (inputs + 1, crate::tasks::Batch::default());
                let heads = model.attention(&weights, inputs, &[])?.len();
                let examples = (MOST_LOOKS / (heads * tokens)).clamp(1, LOOKED_AT);
                self.spec.task.sampler().held_out(self.spec.run.seed, 0, examples, &mut batch);
                Some(Finding::Looks { heads, numbers: model.looks(&weights, inputs, &batch.x)? })
            }
            Work::Attention => {
                let mut batch = crate::tasks::Batch::default();
                self.spec.task.sampler().held_out(self.spec.run.seed, 0, ATTENDED, &mut batch);
                // The last token is [CLS] itself.
                let mut mass = average(&model.attention(&weights, inputs, &batch.x)?);
                mass.truncate(inputs);
                Some(Finding::Attention(mass))
            }
        }
    }
}

fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
    weights.iter().map(Vec::as_slice).collect()
}
