//! Networks on prompts on the GPU: the kernels of [`vivarium_kernels::prompt_nets`].

use super::sliced_runs::{GpuNetwork, SlicedLearner};
use crate::session::learner::MEASURE_SAMPLE;
use vivarium_kernels::plan::Limits;
use vivarium_kernels::prompt_nets::{Compiled, PromptNet, PromptPlan, Record};
use vivarium_kernels::slices::Slices;
use vivarium_kernels::{token_attention, token_mlp};
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Trains all replicas of a network on prompts on the GPU.
pub type PromptNetGpu<P> = SlicedLearner<PromptKernels<P>>;
/// Trains all replicas of a network of token attention.
pub type TokenAttentionGpu = PromptNetGpu<token_attention::plan::Plan>;
/// Trains all replicas of a token MLP.
pub type TokenMlpGpu = PromptNetGpu<token_mlp::plan::Plan>;

/// Networks on prompts with the variance of their labels.
pub struct PromptKernels<P> {
    net: PromptNet<P>,
    variances: Vec<f64>,
}

impl<P: PromptPlan> PromptNetGpu<P> {
    /// Launches of a step.
    pub fn launches(&self) -> usize {
        self.ask(|runs, _| runs.network.launches())
    }
}

impl<P: PromptPlan> PromptKernels<P> {
    /// Launches of a step.
    pub fn launches(&self) -> usize {
        self.net.plan().launches()
    }
}

impl<P: PromptPlan> GpuNetwork for PromptKernels<P> {
    type Compiled = Compiled<P>;
    type Record = Record;

    fn compiled(spec: &RunSpec, limits: Limits) -> Result<Compiled<P>, String> {
        Compiled::of(spec, MEASURE_SAMPLE, limits)
    }

    fn bytes(compiled: &Compiled<P>) -> u64 {
        compiled.bytes()
    }

    fn new(specs: &[RunSpec]) -> Result<Self, String> {
        let variance = |spec: &RunSpec| {
            let variance = spec.task.sampler().label_variance(spec.run.seed);
            variance.ok_or_else(|| format!("its task is {}", spec.task.info().name))
        };
        let variances = specs.iter().map(variance).collect::<Result<_, _>>()?;
        Ok(PromptKernels { net: PromptNet::new(specs, MEASURE_SAMPLE)?, variances })
    }

    fn slices(&self) -> &Slices {
        &self.net.slices
    }

    fn slices_mut(&mut self) -> &mut Slices {
        &mut self.net.slices
    }

    fn adjust(&mut self, who: usize, spec: &RunSpec, _step: u64) {
        self.net.adjust(who, spec);
    }

    async fn train(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        self.net.approach(last, every, look).await
    }

    /// Errors relative to the variance of a label, and the shares of it that are explained.
    fn row(&self, who: usize, at: usize, record: &Record, _apart: Option<&Record>) -> Measurement {
        let replicas = record.train.len() / self.net.slices.selected().len();
        let relative = |errors: &[f32]| -> Vec<f32> {
            let own = &errors[at * replicas..][..replicas];
            own.iter().map(|error| (f64::from(*error) / self.variances[who]) as f32).collect()
        };
        let explained = |errors: &[f32]| errors.iter().map(|error| 1.0 - error).collect();
        let (train_loss, test_loss) = (relative(&record.train), relative(&record.test));
        Measurement {
            step: record.step,
            train_accuracy: explained(&train_loss),
            test_accuracy: explained(&test_loss),
            train_loss,
            test_loss,
            ..Default::default()
        }
    }
}
