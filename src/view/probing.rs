//! Probes of the first replica that take too long for one slice: each is a [`ProbeJob`] that goes on for a few
//! milliseconds at a time, in the worker as on the command line.
//!
//! What is measured stands with the labs, one [`ProbeSpec`] each; here is what all of them share.

use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Finding, ProbeId};
use vivarium_model::run::RunSpec;

/// A probe's name and the runs that it applies to: the page's first program has only this part of a probe.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Permanent name.
    pub name: &'static str,
    /// Whether the probe can be asked about a run; the error is a sentence that says why not.
    pub applies: fn(&RunSpec) -> Result<(), String>,
}

impl Probe {
    /// Its name in messages.
    pub const fn id(&self) -> ProbeId {
        ProbeId::new(self.name)
    }

    /// The parameters of a network of this run, from a finding of [`AllParameters`] under this name; `None` if the
    /// finding is of another probe or run.
    pub fn parameters(&self, spec: &RunSpec, finding: &Finding) -> Option<Vec<Vec<f32>>> {
        if finding.probe != self.id() {
            return None;
        }
        Some(spec.parted(&finding.numbers)?.into_iter().map(<[f32]>::to_vec).collect())
    }
}

/// A probe with the function that makes its measurement.
#[derive(Debug, Clone, Copy)]
pub struct ProbeSpec {
    /// Its name, and when it applies.
    pub probe: Probe,
    /// The measurement of a network; `None` if there is nothing to measure.
    pub job: fn(&Probed) -> Option<Box<dyn Job>>,
}

/// The network that a probe measures.
#[derive(Debug, Clone)]
pub struct Probed {
    /// Its run.
    pub spec: RunSpec,
    /// Steps made.
    pub step: u64,
    /// Parameters of the first replica, each `[rows, columns]`.
    pub weights: Vec<Vec<f32>>,
}

impl Probed {
    /// The parameters as slices.
    pub fn slices(&self) -> Vec<&[f32]> {
        self.weights.iter().map(Vec::as_slice).collect()
    }

    /// Numbers in one input.
    pub fn inputs(&self) -> usize {
        self.spec.task.examples().inputs()
    }

    /// Columns of the first parameter, at least one.
    pub fn width(&self) -> usize {
        self.weights.first().map_or(1, |w| w.len() / self.inputs().max(1)).max(1)
    }
}

/// A measurement in bounded parts.
pub trait Job {
    /// Does a bounded part of the work; the last part returns the finding.
    fn poll(&mut self, network: &Probed) -> Option<Finding>;
}

/// A measurement that is made in one part.
pub struct AtOnce(pub fn(&Probed) -> Option<Finding>);

impl Job for AtOnce {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        (self.0)(network)
    }
}

/// A probe of this name that returns all parameters of a network, in their permanent order.
pub struct AllParameters(pub ProbeId);

impl Job for AllParameters {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        Some(Finding::of(self.0.clone()).with_numbers(network.weights.concat()))
    }
}

/// A probe under way.
pub struct ProbeJob {
    network: Probed,
    job: Box<dyn Job>,
}

impl ProbeJob {
    /// The probe of a network; `None` where it does not apply.
    pub fn new(spec: &ProbeSpec, network: Probed) -> Option<Self> {
        (spec.probe.applies)(&network.spec).ok()?;
        let job = (spec.job)(&network)?;
        Some(ProbeJob { network, job })
    }

    /// Training steps of the network that is measured.
    pub fn step(&self) -> u64 {
        self.network.step
    }

    /// Continues until the measurement is done or the time is `until_ms`, but polls at least once.
    pub fn advance(&mut self, until_ms: f64) -> Option<Finding> {
        loop {
            let found = self.job.poll(&self.network);
            if found.is_some() || now_ms() >= until_ms {
                return found;
            }
        }
    }
}
