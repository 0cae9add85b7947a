//! Probes: measurements of the first replica, or of the first layers of all replicas, that take too long for one slice of
//! training. Each is a [`ProbeTask`] that continues for a few milliseconds at a time, in the worker and on the command line.
//!
//! Labs declare their measurements as [`ProbeSpec`]; this module is common to all of them.

use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{ProbeId, ProbeResult};
use vivarium_model::run::RunSpec;

/// Name of a probe and the condition under which it applies. The page's first WebAssembly file contains only this
/// struct; the code that measures is in other files.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Name of the probe, by which page, worker and saved runs refer to it.
    pub name: &'static str,
    /// Checks whether the probe can measure runs with these settings; the error is a sentence on why it cannot.
    pub applies: fn(&RunSpec) -> Result<(), String>,
}

impl Probe {
    /// Id of the probe in messages between page and worker.
    pub const fn id(&self) -> ProbeId {
        ProbeId::new(self.name)
    }

    /// Parameters of the first replica, each `[rows, columns]`, from a result of the measurement [`AllParameters`];
    /// `None` if the result belongs to another probe or run.
    pub fn parameters(&self, spec: &RunSpec, finding: &ProbeResult) -> Option<Vec<Vec<f32>>> {
        if finding.probe != self.id() {
            return None;
        }
        Some(spec.split_parameters(&finding.numbers)?.into_iter().map(<[f32]>::to_vec).collect())
    }
}

/// Weights of a run that a probe measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeInput {
    /// All weights of the first network.
    FirstNetwork,
    /// The first layers of all networks, beside all weights of the first network.
    AllFirstLayers,
    /// Initial weights, which follow from the settings: one measurement is enough for a run.
    InitialWeights,
}

/// A probe together with the function that starts its measurement.
#[derive(Debug, Clone, Copy)]
pub struct ProbeSpec {
    /// Name and condition of the probe.
    pub probe: Probe,
    /// Weights that the probe measures.
    pub input: ProbeInput,
    /// Starts the probe's measurement of a network; `None` if the network has nothing that this probe can measure.
    pub start_measurement: fn(&ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>>,
}

impl ProbeSpec {
    /// A probe of the first network.
    pub const fn new(
        probe: Probe,
        start_measurement: fn(&ProbedNetwork) -> Option<Box<dyn ProbeMeasurement>>,
    ) -> Self {
        ProbeSpec { probe, input: ProbeInput::FirstNetwork, start_measurement }
    }

    /// Sets the weights that the probe measures.
    pub const fn of(mut self, input: ProbeInput) -> Self {
        self.input = input;
        self
    }
}

/// Weights of the first replica at one training step, and of the first layers of all, as the input of a probe.
#[derive(Debug, Clone)]
pub struct ProbedNetwork {
    /// Settings of the run that trains the network.
    pub spec: RunSpec,
    /// Training steps completed when the weights were copied.
    pub step: u64,
    /// Parameter tensors of the first replica in the order of `RunSpec::parameters`, each row-major as `[rows,
    /// columns]`.
    pub weights: Vec<Vec<f32>>,
    /// First-layer weights of all replicas, `[replicas, inputs, width]`, for a probe that measures all networks; empty for
    /// other probes, and where only the first replica is available.
    pub first_layers: Vec<f32>,
}

impl ProbedNetwork {
    /// Parameter tensors of the first replica in the order of `RunSpec::parameters`, each as a row-major slice.
    pub fn slices(&self) -> Vec<&[f32]> {
        self.weights.iter().map(Vec::as_slice).collect()
    }

    /// First-layer weights `[inputs, width]` of each replica that is available: of all, or of the first one.
    pub fn each_first_layer(&self) -> impl Iterator<Item = &[f32]> {
        let first = self.weights.first().map_or(&[][..], Vec::as_slice);
        let all = if self.first_layers.is_empty() { first } else { &self.first_layers };
        all.chunks_exact(first.len().max(1))
    }

    /// Number of rows of the network's first layer: how many numbers one input has, or, if inputs are single elements
    /// (such as tokens), how many different elements there are.
    pub fn inputs(&self) -> usize {
        self.spec.task.examples().inputs()
    }

    /// Number of columns of the first parameter tensor (hidden width): its length divided by [`ProbedNetwork::inputs`];
    /// at least 1.
    pub fn width(&self) -> usize {
        self.weights.first().map_or(1, |w| w.len() / self.inputs().max(1)).max(1)
    }
}

/// A measurement that a probe makes of a network, in short slices, so that the worker stays responsive.
pub trait ProbeMeasurement {
    /// Does one bounded part of the measurement; returns its result after the last part and `None` before.
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult>;
}

/// A probe's measurement that finishes in a single call of `poll`; the function computes its result.
pub struct SinglePassMeasurement(pub fn(&ProbedNetwork) -> Option<ProbeResult>);

impl ProbeMeasurement for SinglePassMeasurement {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        (self.0)(network)
    }
}

/// Measurement that returns all parameters of a network, concatenated in the order of `RunSpec::parameters`, under this
/// probe id.
pub struct AllParameters(pub ProbeId);

impl ProbeMeasurement for AllParameters {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        Some(ProbeResult::new(self.0.clone()).with_numbers(network.weights.concat()))
    }
}

/// A probe's measurement in progress: the copied network and the measurement that `advance` continues.
pub struct ProbeTask {
    /// Weights and settings of the measured network.
    network: ProbedNetwork,
    /// The started measurement, which `ProbeTask::advance` continues slice by slice.
    measurement: Box<dyn ProbeMeasurement>,
}

impl ProbeTask {
    /// Starts the probe on a network; `None` if the probe does not apply to the run.
    pub fn new(spec: &ProbeSpec, network: ProbedNetwork) -> Option<Self> {
        (spec.probe.applies)(&network.spec).ok()?;
        let job = (spec.start_measurement)(&network)?;
        Some(ProbeTask { network, measurement: job })
    }

    /// Training step at which the network was copied.
    pub fn step(&self) -> u64 {
        self.network.step
    }

    /// Polls the measurement until it is done or the clock of `now_ms` has reached `until_ms` (milliseconds), at least
    /// once. Returns the result if the measurement is done, else `None`.
    pub fn advance(&mut self, until_ms: f64) -> Option<ProbeResult> {
        loop {
            let found = self.measurement.poll(&self.network);
            if found.is_some() || now_ms() >= until_ms {
                return found;
            }
        }
    }
}
